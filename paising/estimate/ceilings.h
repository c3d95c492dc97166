/* Microcanonical annealing: the number of states from populations below energy ceilings that fall (N. Rose, J. Machta, Phys. Rev.
 * E 100, 063304, 2019).
 *
 * Below a ceiling, E <= E_k, all states have the same probability. Of the R_k replicas there, those above the next ceiling are
 * culled: the part that is left estimates Omega_{k+1} / Omega_k, where Omega_k is the number of states up to E_k and the first one
 * that of all states. The number of states of one energy is
 *
 *     g(E) = sum of R_k h_k(E) Omega_k / Omega'_k / sum of R_k / Omega'_k    over the ceilings k from E on,
 *
 * h_k(E) the part of the replicas that was found there. Any Omega' that know nothing of the run leave each term right, h_k(E) Omega_k; the best are near Omega. Run 0,
 * which has none but its own, underestimates g by the order of 1 / R.
 *
 * Looks at a population go on until enough of it were found below the next ceiling: the part of all that they have found is too large there.
 * So h_k(E) is a level's part of those found on its side of that ceiling, times the part of that side by ceilings_part. A ceiling
 * counts once, however often it was looked at. */
#ifndef PAISING_CEILINGS_H
#define PAISING_CEILINGS_H

#include "reweighting.h"

typedef struct {
    size_t most;      /* the highest level that is allowed */
    double ln_states; /* ln Omega_k */
    double ln_weight; /* ln Omega'_k */
    /* ln Omega_k / Omega_{k-1} while ceilings rise, nan if they do not; ceilings_sum_heating makes ln Omega_k of it */
    double ln_heating;
    double replicas; /* R_k */
    double families; /* ancestors at the first ceiling that have descendants */
    double rho_t;    /* mean family size (observables.h) */
} ceiling;

/* The ceilings of a run, and the sums over its replicas of each level. */
typedef struct {
    ceiling *of; /* [count] from the highest down */
    size_t count, room;
    double *weighted;  /* [levels] the sum of R_k h_k Omega_k / Omega'_k */
    double *looked;    /* [levels] replicas found below the last ceiling, until ceilings_leave */
    reweighting found; /* ln_omega is ln g after ceilings_count_states */
} ceiling_run;

/* Returns false without memory. */
bool ceilings_create(ceiling_run *c, energy_levels levels);
void ceilings_destroy(ceiling_run *c);

/* Adds a look at the population below ceiling `most`, with ln Omega_k and ln Omega'_k. Returns false without memory. */
bool ceilings_add(ceiling_run *c, const histogram *h, size_t most, double ln_states,
                  double ln_weight);

/* Ends the looks below the last ceiling: `part` of the states there is at levels up to `below`, SIZE_MAX and 1 if that is not known. */
void ceilings_leave(ceiling_run *c, size_t below, double part);

/* The next ceiling: the highest one above which at least the part `cull` of the replicas is, at least level `lowest`. SIZE_MAX if all
 * replicas are in level 0. Replicas that stay have no say in it. So the product of the parts that are left is a martingale, and its mean is right where a run
 * chooses its own ceilings; of independent replicas exactly. */
size_t ceilings_next(const histogram *h, double cull, size_t lowest);

/* The part of the states that is below a ceiling, from looks at `replicas` independent replicas each. They end with the one that finds number `enough` of
 * those below, at least the second. Looks before it have found `before` of them, and it finds `last`. Counted to that very replica, n of
 * them in all, (enough - 1) / (n - 1) has the right mean (Girshick, Mosteller, Savage, Ann. Math. Stat. 17, 13, 1946); this is the mean of
 * it over all orders of the last look's replicas. Of a single look it is last / replicas. */
double ceilings_part(uint64_t replicas, uint64_t looks, uint64_t before, uint64_t last,
                     uint64_t enough);

/* The replicas of levels up to `most`. */
uint64_t ceilings_left(const histogram *h, size_t most);

/* Fills tau_hat[] of the occupied levels: those up to `most`, of which there is a replica, are to have `target` replicas, the others none. */
void ceilings_tau_hat(const histogram *h, size_t most, uint64_t target, uint64_t *tau_hat);

/* Finds ln g of all levels that replicas were found at, behind the last ceilings_leave. */
void ceilings_count_states(ceiling_run *c);

/* Sums what heating has found, from the first ceiling down; a ceiling that was not reached is nan, and so are those below it. */
void ceilings_sum_heating(ceiling_run *c);

/* Fills of[0 .. runs]: the mean of g over the runs but run m, and in of[runs] over all of them; what g is made of is summed. Then
 * reweighting_at gives averages at any temperature. All have the same levels. of[m] adds the sum of the runs before run m to that of those behind it: the work is
 * proportional to the number of runs, and nothing is subtracted. A single run leaves of[0] empty. */
void ceilings_averages(reweighting of[], const ceiling_run run[], size_t runs);

/* The variance over runs of what each has for ln Z at inverse temperature beta; nan of one run. Where it is above CEILINGS_MOST_VARIANCE, few runs
 * decide the mean of Z, which has neither its value nor an error by then (theory.md, Microcanonical annealing). */
#define CEILINGS_MOST_VARIANCE 1
double ceilings_variance(const ceiling_run run[], size_t runs, uint64_t spins, double beta);

#endif
