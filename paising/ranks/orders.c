/* Orders from rank 0 to the others. */
#include "orders.h"

#include "world.h"

#include <stddef.h>
#include <string.h>

#define TOLD_BYTES                                                                                 \
    offsetof(rank_order, step.rule) /* the rule is most of a step, and was told before */

/* An order and what goes with it. */
static struct {
    uint64_t *numbers;  /* tau-hat behind the order */
    size_t room, count; /* for so many, of which so many go */
    size_t *levels;     /* [engines] that each needs */
    uint32_t engines;
} letter;

static_assert(TOLD_BYTES % sizeof(uint64_t) == 0, "tau-hat stands behind it");

static uint64_t *attached(void) {
    return letter.numbers + TOLD_BYTES / sizeof(uint64_t);
}

static void reserve(size_t count) {
    const size_t bytes = TOLD_BYTES + count * sizeof(uint64_t);
    if (letter.numbers != NULL && count <= letter.room)
        return;
    letter.numbers = world_memory(letter.numbers, bytes);
    memset(letter.numbers, 0, bytes);
    letter.room = count;
}

void order_tell(rank_order *order) {
    reserve(letter.count);
    memcpy(letter.numbers, order, TOLD_BYTES);
    world_tell(letter.numbers, TOLD_BYTES + letter.count * sizeof(uint64_t));
    memcpy(order, letter.numbers, TOLD_BYTES);
}

void order_attach(uint32_t number, size_t levels) {
    if (number >= letter.engines) {
        letter.levels = world_memory(letter.levels, (number + 1) * sizeof *letter.levels);
        for (; letter.engines <= number; letter.engines++)
            letter.levels[letter.engines] = 0;
    }
    letter.levels[number] = levels;
    letter.count = 0;
    for (uint32_t n = 0; n < letter.engines; n++)
        letter.count = letter.levels[n] > letter.count ? letter.levels[n] : letter.count;
}

/* How many numbers of points are possible: most of a rule is room for more. */
static size_t possible_points(const flip_rule *rule) {
    size_t points = BERNOULLI_MOST_POINTS;
    while (points > 0 && !(rule->bernoulli.more_than[points - 1] > 0))
        points--;
    return points;
}

void order_tell_rule(ranked *e, rank_order *order, const flip_rule *rule) {
    e->rule_ahead = *rule;
    order->count = possible_points(rule);
    order_tell(order);
    order_take_rule(e, order);
}

void order_take_rule(ranked *e, rank_order *order) {
    bernoulli_table *const table = &e->rule_ahead.bernoulli;
    const size_t points = order->count;
    world_tell(&e->rule_ahead,
               offsetof(flip_rule, bernoulli.more_than) + points * sizeof *table->more_than);
    memset(table->more_than + points, 0,
           (BERNOULLI_MOST_POINTS - points) * sizeof *table->more_than);
    order->step.rule = e->rule_ahead;
}

bool order_tell_start(ranked *e, rank_order *order) {
    const size_t first = e->occupied.first, count = e->occupied.end - first;
    if (order->step.tau_hat != NULL && count > letter.levels[e->number])
        return false;
    reserve(letter.count);
    if (order->step.tau_hat != NULL)
        memcpy(attached() + (first - e->counted.first), order->step.tau_hat + first,
               count * sizeof *e->tau_hat);
    order_tell(order);
    return true;
}

void order_take_start(ranked *e, engine_step *step) {
    const size_t first = e->occupied.first, count = e->occupied.end - first;
    if (step->tau_hat == NULL)
        return;
    memcpy(e->tau_hat + first, attached() + (first - e->counted.first), count * sizeof *e->tau_hat);
    step->tau_hat = e->tau_hat;
    order_attach(e->number, 0);
}

/* What a configuration is made of. */
typedef struct {
    engine_config config;
    char model[32];
    bool of_sample;
    int device;
} config_order;

/* The model of this name and these edges. */
static spin_model rebuilt(const config_order *o) {
    return model_kind_named(o->model)->create(o->config.model.edge);
}

bool order_tell_config(engine_config *config, int *device, couplings *bonds) {
    config_order o = {.config = *config, .device = *device};
    const bool here = ranks_world().rank == 0;
    if (here) {
        snprintf(o.model, sizeof o.model, "%s", config->model.name);
        o.of_sample = config->model.sample != NULL;
    }
    world_tell(&o, sizeof o);
    if (!here) {
        *config = o.config;
        config->model = rebuilt(&o);
        *device = o.device;
    }
    if (!o.of_sample)
        return true;
    const spin_model *const m = &config->model;
    const size_t words = (m->bonds + 63) / 64;
    const bool made = here || couplings_create(bonds, m->dimension, m->edge);
    char reason[1];
    if (!world_agrees(made ? NULL : "", reason, sizeof reason))
        return false;
    world_tell(here ? m->sample->negative : bonds->negative, words * sizeof(uint64_t));
    if (!here)
        config->model = model_of_sample(config->model, bonds);
    return true;
}
