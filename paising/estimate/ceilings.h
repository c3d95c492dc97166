/* Microcanonical annealing: the number of states from populations below energy ceilings that fall (N. Rose, J. Machta, Phys. Rev.
 * E 100, 063304, 2019).
 *
 * Below a ceiling, E <= E_k, all states have the same probability. Of the R_k replicas there, those above the next ceiling are
 * culled: the part that is left estimates Omega_{k+1} / Omega_k, where Omega_k is the number of states up to E_k and the first one
 * that of all states. The number of states of one energy is
 *
 *     g(E) = H(E) / sum over the ceilings from E on of R_k / Omega_k,    H(E) = sum of the replicas found at E. */
#ifndef PAISING_CEILINGS_H
#define PAISING_CEILINGS_H

#include "reweighting.h"

typedef struct {
    size_t most;      /* the highest level that is allowed */
    double ln_states; /* ln Omega_k */
    double
        ln_heating; /* ln Omega_k / Omega_{k-1} while ceilings rise, nan if they do not; ceilings_sum_heating makes ln Omega_k of it */
    double replicas; /* R_k */
    double families; /* ancestors at the first ceiling that have descendants */
    double rho_t;    /* mean family size (observables.h) */
} ceiling;

/* The ceilings of a run, and the sums over its replicas of each level. */
typedef struct {
    ceiling *of; /* [count] from the highest down */
    size_t count, room;
    reweighting found; /* ln_omega is ln g after ceilings_count_states */
} ceiling_run;

/* Returns false without memory. */
bool ceilings_create(ceiling_run *c, energy_levels levels);
void ceilings_destroy(ceiling_run *c);

/* Adds the population below ceiling `most`, with ln Omega_k. Returns false without memory. */
bool ceilings_add(ceiling_run *c, const histogram *h, size_t most, double ln_states);

/* The next ceiling: the lowest one above which at most the part `cull` of the replicas is, or the one below the highest occupied
 * level if that has more. SIZE_MAX if all replicas are in level 0. */
size_t ceilings_next(const histogram *h, double cull);

/* The replicas of levels up to `most`. */
uint64_t ceilings_left(const histogram *h, size_t most);

/* Fills tau_hat[] of the occupied levels: those up to `most`, of which there is a replica, are to have `target` replicas, the others none. */
void ceilings_tau_hat(const histogram *h, size_t most, uint64_t target, uint64_t *tau_hat);

/* Finds ln g of all levels that replicas were found at. */
void ceilings_count_states(ceiling_run *c);

/* Sums what heating has found, from the first ceiling down; a ceiling that was not reached is nan, and so are those below it. */
void ceilings_sum_heating(ceiling_run *c);

/* Fills *mean, of the same levels: g is the mean over the runs but `left_out` (runs: none is), and what it is made of the sum. Then
 * reweighting_at gives averages at any temperature. */
void ceilings_average(reweighting *mean, const ceiling_run *run, size_t runs, size_t left_out);

#endif
