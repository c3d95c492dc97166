/* Orders from rank 0 to the others. */
#include "commands.h"

#include "broadcast.h"
#include "world.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SENT_BYTES                                                                                 \
    offsetof(rank_command, step.rule) /* the rule is most of a step, and was sent before */

static_assert(SENT_BYTES % sizeof(uint64_t) == 0, "tau-hat stands behind it");

void command_send(rank_command *command) {
    broadcast_send(command, SENT_BYTES);
}

/* How many numbers of points are possible: most of a rule is room for more. */
static size_t possible_points(const flip_rule *rule) {
    size_t points = BERNOULLI_MOST_POINTS;
    while (points > 0 && !(rule->bernoulli.more_than[points - 1] > 0))
        points--;
    return points;
}

void command_send_rule(distributed_engine *e, rank_command *command, const flip_rule *rule) {
    e->rule_ahead = *rule;
    command->count = possible_points(rule);
    command_send(command);
    command_receive_rule(e, command);
}

void command_receive_rule(distributed_engine *e, rank_command *command) {
    bernoulli_table *const table = &e->rule_ahead.bernoulli;
    const size_t points = command->count;
    world_broadcast(&e->rule_ahead,
                    offsetof(flip_rule, bernoulli.more_than) + points * sizeof *table->more_than);
    memset(table->more_than + points, 0,
           (BERNOULLI_MOST_POINTS - points) * sizeof *table->more_than);
    distributed_take_weights(e, &e->rule_ahead);
    command->step.rule = e->rule_ahead;
}

/* Where tau-hat of the first occupied level stands in a message, which has that of all levels that were counted. */
static uint64_t *sent_tau_hat(const distributed_engine *e) {
    return broadcast_numbers(SENT_BYTES) + (e->levels.occupied.first - e->levels.counted.first);
}

bool command_send_start(distributed_engine *e, rank_command *command) {
    const uint64_t *const tau_hat = command->step.tau_hat;
    const size_t first = e->levels.occupied.first, count = e->levels.occupied.end - first;
    if (tau_hat != NULL &&
        (distributed_has_energies(e) ? !e->energies.unread : count > broadcast_room(e->number)))
        return false;
    if (tau_hat != NULL)
        memcpy(sent_tau_hat(e), tau_hat + first, count * sizeof *tau_hat);
    command_send(command);
    return true;
}

void command_receive_start(distributed_engine *e, engine_step *step) {
    const size_t first = e->levels.occupied.first, count = e->levels.occupied.end - first;
    if (step->tau_hat == NULL)
        return;
    if (distributed_has_energies(e))
        distributed_send_tau_hat(e, step->tau_hat);
    else
        memcpy(e->tau_hat + first, sent_tau_hat(e), count * sizeof *e->tau_hat);
    step->tau_hat = e->tau_hat;
    broadcast_reserve_numbers(e->number, 0);
}

/* What a configuration is made of. */
typedef struct {
    engine_config config;
    char model[32];
    bool of_sample, missing, valued; /* there is a sample; bonds of it are missing; J has values */
    int device;
} config_command;

/* The model of this name and these edges, and with this choice of states. */
static spin_model rebuilt(const config_command *o) {
    const spin_model *const sent = &o->config.model;
    const model_kind *const kind = model_kind_named(o->model);
    spin_model model = kind->create(sent->edge);
    if (kind->choose != NULL)
        kind->choose(&model, &(state_choice){sent->states, sent->crystal_field, sent->levels.unit,
                                             sent->real, sent->reflections});
    if (sent->coupled)
        model = model_with_couplings(model, sent->incomplete);
    if (sent->levels.fine && sent->spins == SPINS_ISING)
        model = model_without_levels(model, sent->levels.unit, 0);
    if (sent->levels.fine)
        model.levels.count = sent->levels.count;
    return model;
}

/* Makes the couplings that an order is followed by. Returns whether there is memory. */
static bool make_couplings(const config_command *o, const spin_model *m, couplings *bonds) {
    bool made = couplings_create(bonds, m->dimension, m->edge);
    if (made && o->missing) {
        bonds->missing = calloc((bonds->bonds + 63) / 64, sizeof *bonds->missing);
        made = bonds->missing != NULL;
    }
    return made && (!o->valued || couplings_allocate_values(bonds));
}

bool command_send_config(engine_config *config, int *device, couplings *bonds) {
    config_command o = {.config = *config, .device = *device};
    const bool here = ranks_world().rank == 0;
    if (here) {
        snprintf(o.model, sizeof o.model, "%s", config->model.name);
        o.of_sample = config->model.sample != NULL;
        o.missing = o.of_sample && config->model.sample->missing != NULL;
        o.valued = o.of_sample && config->model.sample->value != NULL;
    }
    world_broadcast(&o, sizeof o);
    if (!here) {
        *config = o.config;
        config->model = rebuilt(&o);
        *device = o.device;
    }
    if (!o.of_sample)
        return true;
    const spin_model *const m = &config->model;
    const size_t values = m->dimension * m->sites, words = (values + 63) / 64;
    const bool made = here || make_couplings(&o, m, bonds);
    char reason[1];
    if (!world_agrees(made ? NULL : "", reason, sizeof reason))
        return false;
    world_broadcast(here ? m->sample->negative : bonds->negative, words * sizeof(uint64_t));
    if (o.missing)
        world_broadcast(here ? m->sample->missing : bonds->missing, words * sizeof(uint64_t));
    if (o.valued)
        world_broadcast(here ? m->sample->value : bonds->value, values * sizeof(int32_t));
    if (!here)
        config->model = model_of_sample(config->model, bonds);
    return true;
}
