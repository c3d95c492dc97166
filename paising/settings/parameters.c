/* What follows from the parameters at once. */
#include "parameters.h"

const model_kind *parameters_kind(const parameters *p) {
    (void)p; /* there is one */
    return model_kinds[0];
}

spin_model parameters_model(const parameters *p) {
    return parameters_kind(p)->create(p->size);
}

bool parameters_replicas_correlated(const parameters *p) {
    return p->coding == CODING_MSC && (p->rng == RNG_SHARED || p->rng == RNG_SHARED_REORDER);
}

const char *device_name(device_kind device) {
    switch (device) {
    case DEVICE_AUTO:
        return "auto";
    case DEVICE_CPU:
        return "cpu";
    case DEVICE_CUDA:
        return "cuda";
    }
    return "unknown";
}
