/* The system: N atoms of helium-4 in a periodic cube, their potential and trial wave function (methods of S. A. Vitiello,
 * W. L. McMillan; the program QL). Energies in K, lengths in Angstrom, masses in atomic mass units. */
#ifndef PAISING_HELIUM_SYSTEM_H
#define PAISING_HELIUM_SYSTEM_H

#include "arithmetic.h"
#include "base/message.h"

#include <stdbool.h>

#define HELIUM_MOST_ATOMS   65536
#define HELIUM_MOST_WALKERS 65536
#define HELIUM_LARGEST_EDGE 1e4 /* A: floats hold the Laplacian of the closest pair */

typedef struct {
    uint32_t atoms, walkers;
    double edge;      /* L, A, at most HELIUM_LARGEST_EDGE */
    double jastrow_b; /* b, A */
    double mass;      /* atomic mass units */
    double step;      /* standard deviation of a displacement in each coordinate, A */
    uint64_t seed;
} helium_parameters;

typedef struct {
    helium_parameters p;
    helium_constants constants;
    helium_cubic *table; /* [constants.table_intervals] */
    double lambda;       /* hbar^2 / 2m, K A^2 */
    uint32_t first;      /* number of the first walker: an engine may have a part of all */
} helium_system;

/* The potential HFD-B(HE) of two atoms at a distance r in A, in K (R. A. Aziz, F. R. W. McCourt, C. C. K. Wong, Mol. Phys. 61,
 * 1487, 1987). */
double helium_potential(double r);

/* What the cut at a distance of `cut` A leaves out of the potential energy, in K an atom, at `density` atoms per A^3 without
 * correlations: -2 pi density sum over n of C_n / ((n - 3) cut^(n - 3)). */
double helium_tail(double density, double cut);

/* Makes the tables. Returns STATUS_OK; or STATUS_REFUSED after a message: the cut-off is smaller than the core, the step is too
 * small for coordinates in steps of 2^-24 L, atoms are so close that repulsions saturate, or there is no memory. */
exit_status helium_system_make(helium_system *s, const helium_parameters *p);
void helium_system_free(helium_system *s);

/* The start: atoms on a simple cubic lattice, coordinate[3][atoms]. */
void helium_start(const helium_system *s, uint32_t *coordinate);

/* Exact integer sums over the configuration of a walker, each pair counted twice. */
typedef struct {
    int64_t potential; /* K, in HELIUM_SUM_UNIT */
    int64_t laplacian; /* minus the Laplacian of ln psi, A^-2, in HELIUM_SUM_UNIT */
    int64_t square;    /* squared gradients of ln psi, A^-2, in HELIUM_SQUARE_UNIT */
} helium_sums;

/* Energies in K an atom. T = -lambda (Lap + G^2) / N, and by Green's theorem also T1 = lambda G^2 / N and
 * T2 = -lambda Lap / 2N on average. */
typedef struct {
    double total, potential, kinetic, kinetic_gradient, kinetic_laplacian;
} helium_energies;

helium_energies helium_energies_of(const helium_system *s, const helium_sums *sums);

#endif
