/* What follows from the parameters at once. */
#include "parameters.h"

const model_kind *parameters_kind(const parameters *p) {
    return model_kinds[p->model];
}

spin_model parameters_model(const parameters *p) {
    const model_kind *const kind = parameters_kind(p);
    uint32_t edge[MODEL_MAX_DIMENSION];
    lattice_edges(p->size, kind->dimension, edge);
    return kind->create(edge);
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
