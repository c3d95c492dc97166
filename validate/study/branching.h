/* Families where sweeps are infinitely many and the population is infinite: a branching process. Energies are independent
 * at every temperature, so that each replica has children as many, on average 1, as a replica of an energy drawn from the
 * canonical distribution, independent of its relatives. With v_k the variance of that number in step k,
 *
 *     rho_t = 1 + sum v_k,   v_k = var tau_k + E[variance of the rule at tau_k],   tau = exp(-dbeta E) Z / Z',
 *
 * and of the generating functions f_k(s) = E[s^children], f_1(f_2(... f_K(s))) generates the family sizes at the end.
 * With fractional part f of tau the variance of the rule is f (1 - f) for nearest integers, tau for Poisson numbers, and
 * for multinomial ones of a large population; f where the integer part is certain and the rest multinomial.
 *
 * As dbeta goes to 0, v_k does, too, for nearest integers alone: a replica is doubled, or lost, at the rate
 * a' = <|E - <E>|> / 2 in beta. With a(beta), the integral of a', rho_t is 1 + 2 a, a share 1 / (1 + a) of families lives, and sizes
 * are geometric.
 *
 * Systematic resampling has the same mean and variance for a replica by itself. But one number decides all, and relatives,
 * which stand side by side, share what is cut off. A family of n gains or loses one at the rate
 * <|sum of n (E - <E>)|> / 2, which grows like the square root of n. */
#ifndef PAISING_BRANCHING_H
#define PAISING_BRANCHING_H

#include "canonical.h"

#include <stddef.h>

typedef enum { BRANCH_NEAREST, BRANCH_POISSON, BRANCH_RESIDUAL, BRANCH_RULES } branching_rule;

/* A step: what the numbers of children of replicas of each level are drawn from. */
typedef struct {
    size_t levels;
    double *p;   /* [levels] the share of the replicas */
    double *tau; /* [levels] */
} branching_step;

bool branching_step_create(branching_step *b, const level_states *s, double beta, double next);
void branching_step_destroy(branching_step *b);

/* var tau, and v_k of a rule. */
double branching_tau_variance(const branching_step *b);
double branching_variance(const branching_step *b, branching_rule rule);

/* What families have become of. */
typedef struct {
    double alive; /* the share of them that lives */
    double rho_s; /* exp(E[n ln n]) of the sizes n, 0 of those that do not */
} family_sizes;

/* After steps[count] by a rule, if rho_t is about this. Without memory, nan. */
family_sizes branching_families(const branching_step *steps, size_t count, branching_rule rule,
                                double rho_t);

/* <|E - <E>|> / 2 at beta; nan without memory. */
double branching_rate(const level_states *s, double beta);

/* The same of geometric sizes, dbeta -> 0 with nearest integers. */
family_sizes branching_geometric(double a);

/* The limit dbeta -> 0 of systematic resampling: the distribution of family sizes up to `most`. */
typedef struct {
    size_t most;
    double *size; /* [most + 1] the share of families of n */
    double *rate; /* [most + 1] */
} systematic_families;

bool systematic_create(systematic_families *f, size_t most);
void systematic_destroy(systematic_families *f);

/* From beta to next, with the rates in the middle. Returns false without memory. */
bool systematic_step(systematic_families *f, const level_states *s, double beta, double next);
double systematic_rho_t(const systematic_families *f);
family_sizes systematic_sizes(const systematic_families *f);

#endif
