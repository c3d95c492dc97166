/* What the parts of a CUDA engine ask of it as a whole. */
#include "cuda/engine/state.h"

#include <stdio.h>

engine_status cuda_engine_failure(cuda_engine *self) {
    snprintf(self->base.error, sizeof self->base.error, "%.120s: %s", self->population.failed,
             cudaGetErrorString(self->population.error));
    return ENGINE_FAILED;
}

engine_status cuda_engine_outcome(cuda_engine *self) {
    return self->population.failed ? cuda_engine_failure(self) : ENGINE_OK;
}

void cuda_engine_cancel_prelaunched(cuda_engine *self) {
    prelaunch_cancel(&self->population.prelaunch);
    prelaunch_cancel(&self->remote.prelaunch);
}

cuda_range cuda_whole_population(const cuda_engine *self) {
    const cuda_population *const p = &self->population;
    return cuda_range{p->device, 0, p->device.capacity, &self->step.rule};
}
