/* Orders from rank 0 to the others. */
#include "orders.h"

#include <stddef.h>
#include <string.h>

/* The rule is most of a step, and was told before. */
void order_tell(rank_order *order) {
    world_tell(order, offsetof(rank_order, step.rule));
}

void order_tell_rule(ranked *e, const flip_rule *rule) {
    if (ranks_world().rank == 0)
        e->rule_ahead = *rule;
    world_tell(&e->rule_ahead, sizeof e->rule_ahead);
}

void order_tell_tau_hat(ranked *e, engine_step *step) {
    const size_t first = e->report.first, count = e->report.end - first;
    if (step->tau_hat == NULL)
        return;
    if (ranks_world().rank == 0)
        memcpy(e->tau_hat + first, step->tau_hat + first, count * sizeof *e->tau_hat);
    world_tell(e->tau_hat + first, count * sizeof *e->tau_hat);
    step->tau_hat = e->tau_hat;
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
