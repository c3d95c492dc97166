#include "make_engine.h"

#include "clock.h"
#include "memory.h"
#include "message.h"
#ifdef PAISING_CUDA
#include "engine_cuda.h"
#endif

#include <inttypes.h>
#include <stdio.h>

static engine *make_cpu_engine(const parameters *p, const engine_config *config) {
    if (memory_check(config, p->population, memory_available(), engine_cpu_bytes))
        return NULL;
    engine *const e = engine_cpu_create(config);
    if (!e)
        complain(STATUS_REFUSED, "-R %" PRIu64 ": not enough memory", p->population);
    return e;
}

#ifdef PAISING_CUDA

/* The number of GPUs that can be used, and if there is none, why. */
static int gpus(char *reason, size_t size) {
    return cuda_device_count(reason, size);
}

static engine *make_cuda_engine(const parameters *p, const engine_config *config, double *start) {
    char reason[300];
    cuda_device device;
    const int count = gpus(reason, sizeof reason);
    if (count == 0) {
        complain(STATUS_REFUSED, "-D cuda: %s; allowed: cpu, auto", reason);
        return NULL;
    }
    if (p->device_number >= count) {
        complain(STATUS_REFUSED, "-D cuda:%d: allowed: cuda:0 to cuda:%d", p->device_number,
                 count - 1);
        return NULL;
    }
    if (cuda_device_open(p->device_number, &device, reason, sizeof reason)) {
        complain(STATUS_REFUSED, "-D cuda:%d: %s", p->device_number, reason);
        return NULL;
    }
    if (memory_check(config, p->population, device.free_bytes, engine_cuda_bytes) ||
        memory_check(config, p->population, memory_available(), engine_cuda_host_bytes))
        return NULL;
    *start = clock_seconds();
    engine *const e = engine_cuda_create(config, reason, sizeof reason);
    if (!e)
        complain(STATUS_REFUSED, "-D cuda:%d: %s", p->device_number, reason);
    return e;
}

#else

static int gpus(char *reason, size_t size) {
    snprintf(reason, size, "this program was built without CUDA");
    return 0;
}

static engine *make_cuda_engine(const parameters *p, const engine_config *config, double *start) {
    char reason[100];
    (void)p;
    (void)config;
    (void)start;
    gpus(reason, sizeof reason);
    complain(STATUS_REFUSED, "-D cuda: %s; allowed: cpu, auto", reason);
    return NULL;
}

#endif

engine *make_engine(const parameters *p, double *start) {
    const engine_config config = {.coding = p->coding,
                                  .size = p->size,
                                  .capacity = population_capacity(p->population, p->word),
                                  .word = p->word,
                                  .rng = p->rng,
                                  .device_number = p->device_number,
                                  .stages = p->stages};
    char reason[300];
    if (p->device == DEVICE_CUDA || (p->device == DEVICE_AUTO && gpus(reason, sizeof reason) > 0))
        return make_cuda_engine(p, &config, start);
    if (p->stages != STAGES_FUSED) {
        complain(STATUS_REFUSED,
                 "--stages %s: allowed on a GPU only; the CPU engines time their stages anyway",
                 stages_name(p->stages));
        return NULL;
    }
    if (p->device == DEVICE_AUTO)
        fprintf(stderr, "paising: %s: running on the CPU\n", reason);
    *start = clock_seconds();
    return make_cpu_engine(p, &config);
}
