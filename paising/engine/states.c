/* The tables that decide the local updates of spins other than Ising's (states.h). */
#include "states.h"

#include "base/ieee_math.h"

#include <string.h>

/* 2^64 p, as far as 64 bits go. */
static uint64_t number_of(double p) {
    return p < 1 ? (uint64_t)(0x1p64 * p) : UINT64_MAX;
}

static void fill_potts(state_rule *rule, const spin_model *model, double beta) {
    for (uint32_t d = 0; d <= model->coordination; d++) {
        const double p = ieee_exp(-beta * d);
        rule->number[d] = rule->heat_bath ? (uint64_t)(STATE_WEIGHT_ONE * p) : number_of(p);
    }
}

/* The probability of going from S to T where the neighbours' S add up to h, once it is proposed. */
static double accept_blume_capel(double beta, double field, int h, int from, int to) {
    const double cost = -(double)(to - from) * h + field * (to * to - from * from);
    return cost > 0 ? ieee_exp(-beta * cost) : 1;
}

static void fill_blume_capel(state_rule *rule, const spin_model *model, double beta) {
    const int z = (int)model->coordination;
    const double field = (double)model->crystal_field / level_unit(model->levels);
    for (int h = -z; h <= z; h++) {
        const double down = h + field, up = -h + field, /* energies of S = -1 and 1; 0 of 0 */
            lowest = down < up ? (down < 0 ? down : 0) : (up < 0 ? up : 0);
        const double weight[] = {ieee_exp(-beta * (down - lowest)), ieee_exp(beta * lowest),
                                 ieee_exp(-beta * (up - lowest))};
        const double sum = weight[0] + weight[1] + weight[2];
        uint64_t *const of = rule->number + (rule->heat_bath ? 2 : 6) * (h + z);
        if (rule->heat_bath) {
            of[0] = number_of(weight[0] / sum);
            of[1] = number_of((weight[0] + weight[1]) / sum);
            continue;
        }
        for (int s = 0; s < 3; s++)
            for (int n = 0; n < 2; n++)
                of[2 * s + n] =
                    number_of(accept_blume_capel(beta, field, h, s - 1, n + (n >= s) - 1));
    }
}

static void fill_baxter_wu(state_rule *rule, double beta) {
    for (int n = 0; n <= 6; n++) {
        const double t = 2.0 * (n - 3);
        rule->number[n] = number_of(rule->heat_bath ? 1 / (1 + ieee_exp(-2 * beta * t))
                                                    : ieee_exp(-2 * beta * t));
    }
}

state_rule state_rule_at(const update_kind *update, const spin_model *model, double beta) {
    state_rule rule = {.heat_bath = update->downhill == DOWNHILL_COMPLEMENT};
    if (model->spins == SPINS_POTTS)
        fill_potts(&rule, model, beta);
    else if (model->spins == SPINS_BLUME_CAPEL)
        fill_blume_capel(&rule, model, beta);
    else
        fill_baxter_wu(&rule, beta);
    return rule;
}

state_rule state_rule_below(int64_t most) {
    return (state_rule){.bounded = true, .most = most};
}

state_lattice state_lattice_of(const spin_model *model) {
    state_lattice l = {.spins = model->spins,
                       .states = model_states(model),
                       .dimension = model->dimension,
                       .colours = 2,
                       .sites = (uint32_t)model->sites,
                       .field = model->crystal_field,
                       .unit = model->levels.unit};
    memcpy(l.edge, model->edge, sizeof l.edge);
    for (uint32_t d = 0; d < model->dimension; d++)
        l.colours = model->edge[d] % 2 == 1 || l.spins == SPINS_BAXTER_WU ? 3 : l.colours;
    return l;
}
