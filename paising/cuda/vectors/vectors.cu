/* The engine of spins that are vectors: memory and steps. Spins are on the device (kernels.cuh). Energies have no levels, and few
 * numbers are of a replica; so the host has them, selects, and reports as the CPU engine does (cpu/population.h). */
#include "cuda/vectors/vectors.h"

#include "base/clock.h"
#include "cpu/population.h"
#include "cuda/device/arrays.h"
#include "cuda/vectors/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY_THREADS 256

typedef struct {
    engine base;
    char name[300], driver[40];
    population replicas;
    const vector_kernels *kernels;
    vector_lattice lattice;
    visit_plan visits;
    size_t bytes;             /* of a replica */
    size_t shared;            /* bytes of shared memory that a block may have */
    char *spins, *next;       /* device, [capacity][bytes] */
    uint32_t *parent;         /* device, [capacity] */
    unsigned long long *sums; /* device, [capacity][4] */
    int64_t *energy;          /* device, [capacity] */
    uint32_t *order;          /* device, [capacity] */
    cudaStream_t stream;
    cudaError_t error; /* the first one */
} vectors_engine;

/* Notes an error. Returns whether there is none so far. */
static bool check(vectors_engine *self, cudaError_t error, const char *what) {
    if (self->error == cudaSuccess && error != cudaSuccess) {
        self->error = error;
        snprintf(self->base.error, sizeof self->base.error, "%s: %s", what,
                 cudaGetErrorString(error));
    }
    return self->error == cudaSuccess;
}

#define CHECK(self, call) check(self, call, #call)

/* Waits for the device. Returns whether all is well. */
static bool finish(vectors_engine *self) {
    CHECK(self, cudaGetLastError());
    return CHECK(self, cudaStreamSynchronize(self->stream));
}

/* Replicas first .. end - 1. */
static vector_pass pass_of(const vectors_engine *self, uint64_t first, uint64_t end, stream_key key,
                           uint32_t temperature) {
    return vector_pass{self->spins,   first, end - first, (uint32_t)self->replicas.origin,
                       self->lattice, key,   temperature, self->stream};
}

/* --- the parts of a step --- */

/* One thread 4 bytes of a replica, of blockIdx.y and others. */
static __global__ void gather(const uint32_t *from, uint32_t *to, const uint32_t *parent,
                              uint64_t replicas, uint64_t words) {
    for (uint64_t k = blockIdx.y; k < replicas; k += gridDim.y)
        for (uint64_t i = (uint64_t)blockIdx.x * COPY_THREADS + threadIdx.x; i < words;
             i += (uint64_t)gridDim.x * COPY_THREADS)
            to[k * words + i] = from[parent[k] * words + i];
}

static engine_status select_replicas(vectors_engine *self, const engine_step *step) {
    const engine_status status = population_select(&self->replicas, step);
    if (status != ENGINE_OK)
        return status;
    const uint64_t replicas = self->replicas.replicas, words = self->bytes / 4;
    const uint64_t wanted = (words + COPY_THREADS - 1) / COPY_THREADS;
    CHECK(self, cudaMemcpyAsync(self->parent, self->replicas.parent, replicas * sizeof(uint32_t),
                                cudaMemcpyHostToDevice, self->stream));
    gather<<<dim3((unsigned)(wanted < 1024 ? wanted : 1024),
                  (unsigned)(replicas < 65535 ? replicas : 65535)),
             COPY_THREADS, 0, self->stream>>>((const uint32_t *)self->spins, (uint32_t *)self->next,
                                              self->parent, replicas, words);
    char *const parents = self->spins;
    self->spins = self->next;
    self->next = parents;
    return finish(self) ? ENGINE_OK : ENGINE_FAILED;
}

/* Sweeps the replicas of each temperature. */
static bool sweep_replicas(vectors_engine *self, const engine_step *step) {
    const uint64_t replicas = self->replicas.replicas;
    for (size_t g = 0; g < (step->groups > 0 ? step->groups : 1); g++) {
        const uint64_t first = step->groups > 0 ? step->group[g].first : 0,
                       end = g + 1 < step->groups ? step->group[g + 1].first : replicas;
        const vector_pass pass = pass_of(self, first, end, step->key, step->temperature);
        self->kernels->sweep(&pass, &step_rule(step, first)->vectors, &self->visits, step->sweeps,
                             self->shared);
    }
    return finish(self);
}

static bool measure_replicas(vectors_engine *self, const engine_step *step, histogram *out) {
    population *const p = &self->replicas;
    const vector_pass pass = pass_of(self, 0, p->replicas, step->key, 0);
    self->kernels->measure(&pass, self->sums, self->energy, self->order);
    CHECK(self, cudaMemcpyAsync(p->energy, self->energy, p->replicas * sizeof *p->energy,
                                cudaMemcpyDeviceToHost, self->stream));
    CHECK(self, cudaMemcpyAsync(p->order, self->order, p->replicas * sizeof *p->order,
                                cudaMemcpyDeviceToHost, self->stream));
    if (!finish(self))
        return false;
    population_report(p, step, out);
    return true;
}

static engine_status vectors_step(engine *base, const engine_step *step, histogram *out) {
    vectors_engine *const self = (vectors_engine *)base;
    if (!step_groups_are_whole(base, step, 1) ||
        !step_flips_are_possible(base, step, DOWNHILL_COMPLEMENT, false))
        return ENGINE_FAILED;
    const double start = clock_seconds();
    const engine_status status =
        step->parts & PART_SELECT ? select_replicas(self, step) : ENGINE_OK;
    if (status != ENGINE_OK)
        return status;
    if (!step_groups_have_replicas(base, step, self->replicas.replicas))
        return ENGINE_FAILED;
    const double selected = clock_seconds();
    bool good = !(step->parts & PART_SWEEP) || sweep_replicas(self, step);
    const double swept = clock_seconds();
    good = good && (!(step->parts & PART_MEASURE) || measure_replicas(self, step, out));
    base->seconds[STAGE_RESAMPLE] += selected - start;
    base->seconds[STAGE_SWEEP] += swept - selected;
    base->seconds[STAGE_MEASURE] += clock_seconds() - swept;
    return good ? ENGINE_OK : ENGINE_FAILED;
}

static engine_status vectors_randomise(engine *base, stream_key key, uint64_t replicas,
                                       histogram *out) {
    vectors_engine *const self = (vectors_engine *)base;
    population_found(&self->replicas, replicas);
    const vector_pass pass = pass_of(self, 0, replicas, key, 0);
    self->kernels->randomise(&pass);
    return finish(self) ? engine_measure(base, out) : ENGINE_FAILED;
}

/* --- copies, by way of the room for the next population --- */

static engine_status vectors_read_levels(engine *base, uint64_t first, uint64_t count,
                                         uint32_t *levels) {
    const vectors_engine *const self = (const vectors_engine *)base;
    memcpy(levels, self->replicas.level + first, count * sizeof *levels);
    return ENGINE_OK;
}

static engine_status vectors_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                                  uint32_t *families) {
    vectors_engine *const self = (vectors_engine *)base;
    const vector_pass pass = pass_of(self, first, first + count, stream_key{{0, 0}}, 0);
    memcpy(families, self->replicas.family + first, count * sizeof *families);
    self->kernels->copy(&pass, self->next, false);
    CHECK(self, cudaMemcpyAsync(spins, self->next, count * self->bytes, cudaMemcpyDeviceToHost,
                                self->stream));
    return finish(self) ? ENGINE_OK : ENGINE_FAILED;
}

static engine_status vectors_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                                   const uint8_t *spins, const uint32_t *families) {
    vectors_engine *const self = (vectors_engine *)base;
    const vector_pass pass = pass_of(self, first, first + count, stream_key{{0, 0}}, 0);
    population_load(&self->replicas, first, count, replicas, families);
    CHECK(self, cudaMemcpyAsync(self->next, spins, count * self->bytes, cudaMemcpyHostToDevice,
                                self->stream));
    self->kernels->copy(&pass, self->next, true);
    return finish(self) ? ENGINE_OK : ENGINE_FAILED;
}

/* --- the engine --- */

static void vectors_destroy(engine *base) {
    vectors_engine *const self = (vectors_engine *)base;
    population_destroy(&self->replicas);
    cuda_array_give(self->spins, ON_DEVICE);
    cuda_array_give(self->next, ON_DEVICE);
    cuda_array_give(self->parent, ON_DEVICE);
    cuda_array_give(self->sums, ON_DEVICE);
    cuda_array_give(self->energy, ON_DEVICE);
    cuda_array_give(self->order, ON_DEVICE);
    if (self->stream)
        cudaStreamDestroy(self->stream);
    free(self);
}

static const struct engine_verbs vectors_verbs = {.randomise = vectors_randomise,
                                                  .step = vectors_step,
                                                  .read_levels = vectors_read_levels,
                                                  .read = vectors_read,
                                                  .write = vectors_write,
                                                  .destroy = vectors_destroy};

static bool prepare(vectors_engine *self, const engine_config *config) {
    const uint64_t capacity = config->capacity;
    int shared = 0, driver = 0;
    if (population_create(&self->replicas, capacity, config->resampling) ||
        population_create_energies(&self->replicas))
        return check(self, cudaErrorMemoryAllocation, "host memory for the engine");
    CHECK(self, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                       config->device_number));
    CHECK(self, cudaDriverGetVersion(&driver));
    self->shared = (size_t)shared;
    snprintf(self->driver, sizeof self->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    CHECK(self, cudaStreamCreateWithFlags(&self->stream, cudaStreamNonBlocking));
    CHECK(self, cuda_take(&self->spins, capacity * self->bytes, ON_DEVICE));
    CHECK(self, cuda_take(&self->next, capacity * self->bytes, ON_DEVICE));
    CHECK(self, cuda_take(&self->parent, capacity * sizeof *self->parent, ON_DEVICE));
    CHECK(self, cuda_take(&self->sums, 4 * capacity * sizeof *self->sums, ON_DEVICE));
    CHECK(self, cuda_take(&self->energy, capacity * sizeof *self->energy, ON_DEVICE));
    return CHECK(self, cuda_take(&self->order, capacity * sizeof *self->order, ON_DEVICE));
}

engine *cuda_vectors_create(const engine_config *config, const char *device, char *reason,
                            size_t size) {
    static const vector_kernels *const kernels[REALS] = {
        &vector_float_kernels, &vector_double_kernels, &vector_fast_kernels};
    vectors_engine *const self = (vectors_engine *)calloc(1, sizeof *self);
    if (!self) {
        snprintf(reason, size, "not enough memory");
        return NULL;
    }
    engine *const e = &self->base;
    snprintf(self->name, sizeof self->name, "SSC of vectors on %s", device);
    e->verbs = &vectors_verbs;
    e->name = self->name;
    e->driver = self->driver;
    e->model = config->model;
    e->model.levels.count = (uint32_t)config->capacity;
    e->threads = 1;
    e->seconds[STAGE_STEP] = e->seconds[STAGE_ROUND_TRIP] = NAN;
    self->kernels = kernels[config->model.real];
    self->lattice = vector_lattice_of(&config->model);
    self->visits = config->visits;
    self->bytes = model_packed_bytes(&config->model);
    if (prepare(self, config))
        return e;
    snprintf(reason, size, "%s", e->error);
    vectors_destroy(e);
    return NULL;
}
