/* Steps, as whoever uses an engine makes them. */
#include "engine.h"

#include "base/ieee_math.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A strip is 16 sites. */
static void fill_planes(flip_rule *rule, const spin_model *model, const double probability[]) {
    bernoulli_fill(&rule->bernoulli, probability, model->gaps, model->sites / 16);
}

flip_rule flip_rule_with(const spin_model *model, const uint32_t threshold[]) {
    flip_rule rule = {.threshold = {0}};
    double probability[MODEL_MAX_GAPS];
    for (size_t n = 0; n < model->gaps; n++) {
        rule.threshold[n] = threshold[n];
        probability[n] = ldexp(threshold[n], -32);
    }
    fill_planes(&rule, model, probability);
    return rule;
}

flip_rule flip_rule_at(const spin_model *model, double beta) {
    flip_rule rule = {.threshold = {0}};
    double probability[MODEL_MAX_GAPS];
    for (size_t n = 0; n < model->gaps; n++) {
        probability[n] = ieee_exp(-beta * model->gap[n]);
        rule.threshold[n] = (uint32_t)fmin(floor(ldexp(probability[n], 32)), UINT32_MAX);
    }
    fill_planes(&rule, model, probability);
    return rule;
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

engine_status engine_advance(engine *e, const engine_step *step, histogram *out) {
    const engine_status started = e->start(e, step);
    return started == ENGINE_OK ? e->finish(e, out) : started;
}

engine_status engine_measure(engine *e, histogram *out) {
    const engine_step step = {.parts = PART_MEASURE};
    return engine_advance(e, &step, out);
}
