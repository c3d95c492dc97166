/* Potential, wave function and start (system.h). */
#include "system.h"

#include "base/ieee_math.h"
#include "base/number.h"

#include <stdlib.h>

/* HFD-B(HE), x = r / r_m: V = eps [A exp(-a x + b x^2) - F(x) (c6 / x^6 + c8 / x^8 + c10 / x^10)]. */
static const double well = 10.948, minimum = 2.963;
static const double amplitude = 1.8443101e5, alpha = 10.43329537, beta = -2.27965105;
static const double c6 = 1.36745214, c8 = 0.42123807, c10 = 0.17473318, damped_below = 1.4826;
/* Where V = 0. */
#define CORE 2.63692051

/* hbar^2 / 2 atomic mass units, in K A^2 (CODATA 2018). */
#define HBAR2_2U 24.25436707

double helium_potential(double r) {
    const double x = r / minimum, y = 1 / (x * x), y3 = y * y * y;
    const double short_of = damped_below / x - 1;
    const double damping = x < damped_below ? ieee_exp(-short_of * short_of) : 1;
    return well * (amplitude * ieee_exp(x * (beta * x - alpha)) -
                   damping * y3 * (c6 + y * (c8 + y * c10)));
}

double helium_tail(double density, double cut) {
    const double x = cut / minimum, y = 1 / (x * x), pi = 0x1.921fb54442d18p+1;
    return -2 * pi * density * well * minimum * minimum * minimum *
           (c6 / 3 + y * (c8 / 5 + y * c10 / 7)) * y / x;
}

/* The distance in A at which a pair's repulsion saturates: (b/r)^5 / 2 = 64, but for the terms of the box. */
static double closest(const helium_parameters *p) {
    return p->jastrow_b * ieee_exp(-ieee_log(128) / 5);
}

/* The coefficients of the potential in an interval: the cubic through its values at t = 0, 1/3, 2/3, 1. */
static helium_cubic cubic_of(double edge, uint32_t interval) {
    double v[4];
    for (int k = 0; k < 4; k++) {
        float ends[2];
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t bits = (interval + i) << (23 - HELIUM_TABLE_BITS);
            memcpy(&ends[i], &bits, sizeof bits);
        }
        v[k] = helium_potential(edge * sqrt(ends[0] + k * ((double)ends[1] - ends[0]) / 3)) *
               (double)HELIUM_SUM_UNIT;
    }
    return (helium_cubic){{(float)v[0], (float)(-5.5 * v[0] + 9 * v[1] - 4.5 * v[2] + v[3]),
                           (float)(9 * v[0] - 22.5 * v[1] + 18 * v[2] - 4.5 * v[3]),
                           (float)(4.5 * (v[3] - v[0]) + 13.5 * (v[1] - v[2]))}};
}

/* The square of the least distance in L from which on the integer of a repulsion is 0, with room for the rounding of floats, at
 * most 1/4. By bisection: repulsions fall. */
static float reach_of(double repulsion) {
    double near = 0, far = 0.5;
    for (int n = 0; n < 40; n++) {
        const double x = (near + far) / 2, q = 1 / (x - x * x);
        const double w = repulsion * (q * q * q * (5 + q * (q - 5)) - 64 + 1e-3);
        *(w < 0.99 ? &far : &near) = x;
    }
    return (float)fmin(far * far + 1e-5, 0.25);
}

static uint32_t interval_of(float r2) {
    uint32_t bits;
    memcpy(&bits, &r2, sizeof bits);
    return bits >> (23 - HELIUM_TABLE_BITS);
}

/* The least number of sites of an edge of a cubic lattice that holds all atoms. */
static uint32_t lattice_edge(uint32_t atoms) {
    uint32_t n = 1;
    while ((uint64_t)n * n * n < atoms)
        n++;
    return n;
}

/* A displacement is rounded to 2^-24 L: at least 16 of these, in L. */
#define LEAST_STEP 0x1p-20
/* In b: the repulsions of an atom on a simple cubic lattice, 10.38/2 (b/a)^5, are below 32. Moves into 64 and more are rejected, which
 * a liquid then never asks for. */
#define CLOSEST_LATTICE 0.7

static exit_status check(const helium_parameters *p) {
    char cut[NUMBER_TEXT_SIZE], other[NUMBER_TEXT_SIZE];
    if (p->edge / 2 <= CORE || p->edge / 2 <= closest(p))
        return complain(STATUS_REFUSED,
                        "the cut-off at half of the box, %s A, lies within the core of %s A",
                        number_rounded_text(cut, p->edge / 2, 6),
                        number_rounded_text(other, fmax(CORE, closest(p)), 6));
    if (p->step < LEAST_STEP * p->edge)
        return complain(
            STATUS_REFUSED, "--step %s: allowed is at least %s A, as coordinates are whole numbers",
            number_short_text(cut, p->step), number_rounded_text(other, LEAST_STEP * p->edge, 6));
    const double spacing = p->edge / lattice_edge(p->atoms);
    if (spacing < CLOSEST_LATTICE * p->jastrow_b)
        return complain(STATUS_REFUSED,
                        "atoms on a lattice would be %s A apart; allowed is 0.7 b and more, %s A",
                        number_rounded_text(cut, spacing, 6),
                        number_rounded_text(other, CLOSEST_LATTICE * p->jastrow_b, 6));
    return STATUS_OK;
}

exit_status helium_system_make(helium_system *s, const helium_parameters *p) {
    const exit_status status = check(p);
    if (status)
        return status;
    const double ratio = p->jastrow_b / p->edge, ratio2 = ratio * ratio;
    const double ratio5 = ratio2 * ratio2 * ratio, least = closest(p) / p->edge;
    const uint32_t first = interval_of((float)(least * least));
    *s = (helium_system){
        .p = *p,
        .lambda = HBAR2_2U / p->mass,
        .constants = {.atoms = p->atoms,
                      .table_first = first,
                      .table_intervals = interval_of(0.25f) - first,
                      .repulsion = (float)(ratio5 / 2 * (double)HELIUM_UNIT),
                      .reach = reach_of(ratio5 / 2 * (double)HELIUM_UNIT),
                      .gradient = (float)(2.5 * ratio5 / p->edge * (double)HELIUM_SUM_UNIT),
                      .laplacian = (float)(ratio5 / (p->edge * p->edge) * (double)HELIUM_SUM_UNIT),
                      .step = p->step / p->edge * 0x1p32,
                      .key = stream_run_key(p->seed, 0)}};
    s->table = malloc(s->constants.table_intervals * sizeof *s->table);
    if (s->table == NULL)
        return complain(STATUS_REFUSED, "no memory for the table of the potential");
    for (uint32_t i = 0; i < s->constants.table_intervals; i++)
        s->table[i] = cubic_of(p->edge, first + i);
    return STATUS_OK;
}

void helium_system_free(helium_system *s) {
    free(s->table);
    s->table = NULL;
}

void helium_start(const helium_system *s, uint32_t *coordinate) {
    const uint32_t atoms = s->p.atoms, n = lattice_edge(atoms);
    const uint64_t sites = (uint64_t)n * n * n;
    for (uint32_t i = 0; i < atoms; i++) {
        const uint64_t site = i * sites / atoms;
        const uint64_t place[3] = {site % n, site / n % n, site / n / n};
        for (uint32_t k = 0; k < 3; k++)
            coordinate[k * atoms + i] = (uint32_t)((place[k] << (32 - HELIUM_COARSE)) / n)
                                        << HELIUM_COARSE;
    }
}

helium_energies helium_energies_of(const helium_system *s, const helium_sums *sums) {
    const double atoms = s->p.atoms;
    const double laplacian = (double)sums->laplacian / (double)HELIUM_SUM_UNIT;
    const double square = (double)sums->square / HELIUM_SQUARE_UNIT;
    helium_energies e = {.potential = (double)sums->potential / (double)HELIUM_SUM_UNIT / 2 / atoms,
                         .kinetic = s->lambda * (laplacian - square) / atoms,
                         .kinetic_gradient = s->lambda * square / atoms,
                         .kinetic_laplacian = s->lambda * laplacian / 2 / atoms};
    e.total = e.kinetic + e.potential;
    return e;
}
