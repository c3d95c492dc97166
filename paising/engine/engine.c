/* Steps, as whoever uses an engine makes them. */
#include "engine.h"

#include "strips.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* For how many changes of the energy probabilities are given: of sites with an even number of bonds, and of the others. */
static size_t given_changes(downhill_flips downhill, const spin_model *model) {
    return downhill == DOWNHILL_OF_ITS_OWN ? 2 * model->gaps + 1 : model->gaps;
}

static size_t given_odd_changes(downhill_flips downhill, const spin_model *model) {
    return !model->odd_sites ? 0 : downhill == DOWNHILL_OF_ITS_OWN ? 2 * model->gaps : model->gaps;
}

flip_rule flip_rule_of(downhill_flips downhill, const spin_model *model,
                       const double probability[]) {
    flip_rule rule = {.downhill = downhill};
    const size_t given = given_changes(downhill, model);
    const double *const of_odd = probability + given;
    const double share = downhill == DOWNHILL_COMPLEMENT ? 2 : 1;
    double accepted[2 * MODEL_MAX_GAPS]; /* by bit planes */
    for (size_t n = 0; n < given; n++)
        probability_split(probability[n], &rule.threshold[n], &rule.fraction[n], &rule.rest[n]);
    for (size_t n = 0; n < given_odd_changes(downhill, model); n++)
        probability_split(of_odd[n], &rule.odd.threshold[n], &rule.odd.fraction[n],
                          &rule.odd.rest[n]);
    if (downhill == DOWNHILL_COMPLEMENT)
        rule.threshold[model->gaps] = UINT32_C(1) << 31; /* 1/2 */
    for (size_t n = 0; n < model->gaps; n++) {
        accepted[n] = share * probability[n];
        if (model->odd_sites)
            accepted[model->gaps + n] = share * of_odd[n];
    }
    bernoulli_fill(&rule.bernoulli, model->odd_sites ? &rule.odd.bernoulli : NULL, accepted,
                   model->gaps, lattice_strips(model));
    return rule;
}

flip_rule flip_rule_with(downhill_flips downhill, const spin_model *model,
                         const uint32_t threshold[]) {
    const size_t given = given_changes(downhill, model);
    double probability[2 * MODEL_MAX_CHANGES];
    for (size_t n = 0; n < given; n++)
        probability[n] = threshold[n] / 0x1p32;
    for (size_t n = 0; n < given_odd_changes(downhill, model); n++)
        probability[given + n] = probability[n];
    return flip_rule_of(downhill, model, probability);
}

/* What a rule follows from. */
typedef struct {
    const update_kind *update;
    uint64_t strips;
    size_t gaps;
    uint32_t gap[MODEL_MAX_GAPS];
    double beta;
    bool odd_sites;
} rule_origin;

static bool same_origin(const rule_origin *a, const rule_origin *b) {
    return a->update == b->update && a->strips == b->strips && a->gaps == b->gaps &&
           a->beta == b->beta && a->odd_sites == b->odd_sites &&
           memcmp(a->gap, b->gap, sizeof a->gap) == 0;
}

/* The energy of a change. */
static double change_of_energy(const spin_model *model, size_t n) {
    if (n == model->gaps)
        return 0;
    return n < model->gaps ? model->gap[n] : -(double)model->gap[2 * model->gaps - n];
}

/* Of a site with an odd number of bonds. */
static double change_at_odd_site(const spin_model *model, size_t n) {
    return n < model->gaps ? model->gap[n] - 2.0 : 2.0 - model->gap[2 * model->gaps - 1 - n];
}

bool engine_has_clusters(const engine_config *config) {
    return config->clusters && config->coding == CODING_SSC && !config->model.coupled &&
           config->model.graph == NULL;
}

bool engine_has_walkers(const engine_config *config) {
    const spin_model *const m = &config->model;
    return config->walkers && config->coding == CODING_SSC &&
           (m->graph != NULL
                ? !m->levels.fine
                : !m->incomplete && (m->spins != SPINS_ISING || m->levels.spacing == 4));
}

uint64_t engine_populations(const engine_config *config) {
    return config->group > 0 ? (config->capacity + config->group - 1) / config->group : 1;
}

/* Breaking a bond costs 2 J, of Potts J. */
static flip_rule cluster_rule(const update_kind *update, const spin_model *model, double beta) {
    flip_rule rule = {.downhill = update->downhill, .clusters = update->clusters};
    const double bond = model->spins == SPINS_POTTS ? 1 : 2;
    probability_split(update->accept(beta, bond), rule.threshold, rule.fraction, rule.rest);
    return rule;
}

/* Populations side by side go to the same temperatures, and differ in their couplings at most: they ask for a rule one after
 * the other, and it is made for the first. */
flip_rule flip_rule_at(const update_kind *update, const spin_model *model, double beta) {
    static _Thread_local rule_origin made; /* with no update: none was */
    static _Thread_local flip_rule rule;
    rule_origin wanted = {update, lattice_strips(model), model->gaps, {0}, beta, model->odd_sites};
    const size_t given = given_changes(update->downhill, model);
    double probability[2 * MODEL_MAX_CHANGES];
    if (model->spins == SPINS_VECTOR)
        return (flip_rule){.downhill = update->downhill,
                           .clusters = update->clusters,
                           .vectors = vector_rule_at(update, beta)};
    if (update->clusters != CLUSTERS_NONE)
        return cluster_rule(update, model, beta);
    if (model->spins != SPINS_ISING)
        return (flip_rule){.downhill = update->downhill,
                           .states = state_rule_at(update, model, beta)};
    if (model->levels.fine)
        return (flip_rule){.downhill = update->downhill,
                           .fine = fine_flips_at(beta, model->levels.unit)};
    if (model->graph != NULL)
        return (flip_rule){.downhill = update->downhill,
                           .table = flip_table_at(update, model, beta)};
    memcpy(wanted.gap, model->gap, sizeof wanted.gap);
    if (same_origin(&made, &wanted))
        return rule;
    for (size_t n = 0; n < given; n++)
        probability[n] = update->accept(beta, change_of_energy(model, n));
    for (size_t n = 0; n < given_odd_changes(update->downhill, model); n++)
        probability[given + n] = update->accept(beta, change_at_odd_site(model, n));
    made = wanted;
    return rule = flip_rule_of(update->downhill, model, probability);
}

const flip_rule *step_rule(const engine_step *step, uint64_t k) {
    size_t low = 0, high = step->groups; /* it is one of low .. high-1 */
    if (step->groups == 0)
        return &step->rule;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (step->group[middle].first <= k)
            low = middle;
        else
            high = middle;
    }
    return &step->group[low].rule;
}

static rounding rounding_from(const engine_step *step, const uint32_t threshold[],
                              const uint64_t fraction[], const uint64_t rest[]) {
    const stream_block b = stream_draw(step->key, STREAM_ROUNDING, 0, 0, 0, step->temperature);
    const uint64_t of_rest = (uint64_t)b.number[3] << 32 | b.number[2];
    rounding r = {.u = (uint64_t)b.number[1] << 32 | b.number[0], .of_rest = of_rest};
    for (size_t n = 0; n < MODEL_MAX_CHANGES; n++) {
        r.whole[n] = threshold[n];
        r.fraction[n] = fraction[n] + (of_rest < rest[n]);
    }
    return r;
}

rounding step_rounding(const engine_step *step, const flip_rule *rule) {
    return rounding_from(step, rule->threshold, rule->fraction, rule->rest);
}

rounding step_odd_rounding(const engine_step *step, const flip_rule *rule) {
    return rounding_from(step, rule->odd.threshold, rule->odd.fraction, rule->odd.rest);
}

static bool rule_is_possible(const flip_rule *rule, downhill_flips most, bool clusters) {
    return rule->downhill <= most && (clusters || rule->clusters == CLUSTERS_NONE);
}

int step_flips_are_possible(engine *e, const engine_step *step, downhill_flips most,
                            bool clusters) {
    bool possible = !(step->parts & PART_SWEEP) || step->groups > 0 ||
                    rule_is_possible(&step->rule, most, clusters);
    for (size_t g = 0; g < step->groups; g++)
        possible = possible && rule_is_possible(&step->group[g].rule, most, clusters);
    if (!possible)
        snprintf(e->error, sizeof e->error, "it has no kernels for the flips of this update");
    return possible;
}

static bool has_table(const flip_rule *rule, bool fine) {
    return rule->states.bounded || (fine ? rule->fine != NULL : rule->table != NULL);
}

int step_tables_are_there(engine *e, const engine_step *step) {
    const bool fine = e->model.levels.fine && e->model.spins != SPINS_VECTOR;
    if ((e->model.graph == NULL && !fine) || !(step->parts & PART_SWEEP))
        return 1;
    bool there = step->groups > 0 || has_table(&step->rule, fine);
    for (size_t g = 0; g < step->groups; g++)
        there = there && has_table(&step->group[g].rule, fine);
    if (!there)
        snprintf(e->error, sizeof e->error, "not enough memory for the probabilities of flips");
    return there;
}

int step_groups_are_whole(engine *e, const engine_step *step, uint64_t unit) {
    if (step->groups > 0 && unit == 0) {
        snprintf(e->error, sizeof e->error, "replicas that are reordered cannot be in groups");
        return 0;
    }
    for (size_t g = 0; g < step->groups; g++) {
        const uint64_t first = step->group[g].first;
        if (first % unit == 0 && (g == 0 ? first == 0 : first > step->group[g - 1].first))
            continue;
        snprintf(e->error, sizeof e->error,
                 "group %zu begins with replica %" PRIu64
                 ": groups begin at rising multiples of %" PRIu64 ", the first at 0",
                 g, first, unit);
        return 0;
    }
    return 1;
}

int step_groups_have_replicas(engine *e, const engine_step *step, uint64_t replicas) {
    if (step->groups == 0 || step->group[step->groups - 1].first < replicas)
        return 1;
    snprintf(e->error, sizeof e->error,
             "group %zu begins with replica %" PRIu64 " of a population of %" PRIu64,
             step->groups - 1, step->group[step->groups - 1].first, replicas);
    return 0;
}

engine_status engine_measure(engine *e, histogram *out) {
    const engine_step step = {.parts = PART_MEASURE};
    return e->verbs->step(e, &step, out);
}
