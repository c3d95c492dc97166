/* A first population, and steps: what each rank does of them. */
#include "broadcast.h"
#include "distributed.h"

/* Leaves nothing of a step that failed, or of a run that did. */
static void forget(distributed_engine *e) {
    e->wrong[0] = '\0';
    e->selected = ENGINE_OK;
    e->in_groups = false;
}

void distributed_randomise(distributed_engine *e, stream_key key, uint64_t replicas) {
    forget(e);
    distributed_hold(e, replicas);
    distributed_check(e, stepper_randomise(&e->steps, key, distributed_own(e)));
    distributed_count(e);
}

/* What a step of groups or with given parents is on this rank. */
static engine_step own_step(distributed_engine *e, const engine_step *step) {
    engine_step own = *step;
    if (step->parents != NULL) {
        own.parents = distributed_exchange(e, step->parents);
        own.children = distributed_own(e);
    }
    if (step->groups > 0) {
        own.group = e->groups.own;
        own.groups = e->groups.own_count;
    }
    return own;
}

/* Begins such a step. The next step cannot be decided by its report. */
static void start_groups(distributed_engine *e, const engine_step *step) {
    const engine_step own = own_step(e, step);
    broadcast_reserve_numbers(e->number, 0);
    if (e->steps.groups != own.groups && stepper_divide(&e->steps, own.groups, e->replicas))
        snprintf(e->wrong, sizeof e->wrong, "not enough memory for the reports of groups");
    if (e->wrong[0] == '\0' && distributed_own(e) > 0)
        distributed_check(e, stepper_submit(&e->steps, &own));
}

void distributed_start(distributed_engine *e, const engine_step *step) {
    engine_step own = *step;
    e->parts = step->parts;
    e->selected = ENGINE_OK;
    e->in_groups = step->groups > 0;
    if (step->groups > 0 || step->parents != NULL) {
        start_groups(e, step);
        return;
    }
    if (e->steps.groups > 0)
        stepper_divide(&e->steps, 0, 0);
    if (step->parts & PART_SELECT)
        e->selected = distributed_select(e, step);
    own.tau_hat = NULL;
    if (e->selected == ENGINE_OK && e->wrong[0] == '\0')
        distributed_check(e, stepper_submit(&e->steps, &own));
}

engine_status distributed_finish(distributed_engine *e, histogram out[]) {
    if (e->selected != ENGINE_OK)
        return e->selected == ENGINE_FAILED ? distributed_agree(e) : e->selected;
    if (e->wrong[0] == '\0')
        distributed_check(e, stepper_wait(&e->steps));
    if (!(e->parts & PART_MEASURE))
        return distributed_agree(e);
    if (e->in_groups)
        return distributed_report_groups(e, out);
    distributed_count(e);
    return ENGINE_OK;
}
