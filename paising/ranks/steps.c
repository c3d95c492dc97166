/* A first population, and steps: what each rank does of them. */
#include "distributed.h"

/* Leaves nothing of a step that failed, or of a run that did. */
static void forget(distributed_engine *e) {
    e->wrong[0] = '\0';
    e->selected = ENGINE_OK;
}

void distributed_randomise(distributed_engine *e, stream_key key, uint64_t replicas) {
    forget(e);
    distributed_hold(e, replicas);
    distributed_check(e, stepper_randomise(&e->steps, key, distributed_own(e)));
    distributed_count(e);
}

void distributed_start(distributed_engine *e, const engine_step *step) {
    engine_step own = *step;
    e->parts = step->parts;
    e->selected = step->parts & PART_SELECT ? distributed_select(e, step) : ENGINE_OK;
    own.tau_hat = NULL;
    if (e->selected == ENGINE_OK && e->wrong[0] == '\0')
        distributed_check(e, stepper_submit(&e->steps, &own));
}

engine_status distributed_finish(distributed_engine *e) {
    if (e->selected != ENGINE_OK)
        return e->selected == ENGINE_FAILED ? distributed_agree(e) : e->selected;
    if (e->wrong[0] == '\0')
        distributed_check(e, stepper_wait(&e->steps));
    if (!(e->parts & PART_MEASURE))
        return distributed_agree(e);
    distributed_count(e);
    return ENGINE_OK;
}
