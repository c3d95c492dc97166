/* The CUDA engines behind engine.h: what both codings do in the same way. A step is queued as a
 * whole; the host waits once, for the report. */
#include "engine_cuda.h"

#include "clock.h"
#include "cuda_msc.h"
#include "cuda_population.h"
#include "cuda_ssc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda_engine {
    engine base;
    spin_coding coding;
    cuda_population population;
    cuda_msc msc; /* the one of the coding is used */
    cuda_ssc ssc;
    double started; /* when the step at hand began */
    char name[300];
    char driver[32];
};

/* --- devices --- */

int cuda_device_count(char *reason, size_t size) {
    int count = 0;
    /* The kernels are to be loaded with the context, not one by one in the middle of the first run;
     * the driver reads this once, at the first call. */
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return count;
    snprintf(reason, size, "%s", error ? cudaGetErrorString(error) : "no CUDA device is there");
    return 0;
}

int cuda_device_open(int number, cuda_device *device, char *reason, size_t size) {
    cudaDeviceProp properties;
    size_t free_bytes = 0, total_bytes = 0;
    cudaError_t error = cudaSetDevice(number);
    if (!error)
        error = cudaGetDeviceProperties(&properties, number);
    if (!error)
        error = cudaMemGetInfo(&free_bytes, &total_bytes);
    if (error) {
        snprintf(reason, size, "%s", cudaGetErrorString(error));
        return -1;
    }
    snprintf(device->name, sizeof device->name, "%s", properties.name);
    device->free_bytes = free_bytes;
    return 0;
}

/* --- the engine --- */

/* Says which call failed. */
static engine_status failure(cuda_engine *self) {
    snprintf(self->base.error, sizeof self->base.error, "%.120s: %s", self->population.failed,
             cudaGetErrorString(self->population.error));
    return ENGINE_FAILED;
}

/* Waits for the queue, and turns the report into a histogram. The time is that of a stage: a step is
 * one kernel, most of it sweeps. */
static engine_status collect(cuda_engine *self, double start, engine_stage stage, histogram *out) {
    const engine_status status = cuda_population_collect(&self->population, out);
    self->base.seconds[stage] += clock_seconds() - start;
    return status == ENGINE_FAILED ? failure(self) : status;
}

static engine_status measure_population(cuda_engine *self, double start, histogram *out) {
    cuda_population_count_families(&self->population);
    if (self->coding == CODING_MSC)
        cuda_msc_measure(&self->msc, &self->population);
    else
        cuda_ssc_measure(&self->ssc, &self->population);
    cuda_population_publish(&self->population);
    return collect(self, start, STAGE_MEASURE, out);
}

static engine_status cuda_randomise(engine *base, stream_key key, uint64_t replicas,
                                    histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    const double start = clock_seconds();
    cuda_population_found(&self->population, replicas);
    if (self->coding == CODING_MSC)
        cuda_msc_randomise(&self->msc, &self->population, key);
    else
        cuda_ssc_randomise(&self->ssc, &self->population, key);
    return measure_population(self, start, out);
}

static engine_status cuda_start(engine *base, const engine_step *step) {
    cuda_engine *const self = (cuda_engine *)base;
    self->started = clock_seconds();
    cuda_population_resample(&self->population, step);
    if (self->coding == CODING_MSC)
        cuda_msc_step(&self->msc, &self->population, step);
    else
        cuda_ssc_step(&self->ssc, &self->population, step);
    cuda_population_publish(&self->population);
    return ENGINE_OK;
}

static engine_status cuda_finish(engine *base, histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    return collect(self, self->started, STAGE_SWEEP, out);
}

/* Replicas that save and load copy at a time: what fits in some 64 MB. */
static uint64_t replicas_a_time(uint64_t bytes_each) {
    return bytes_each < 64000000 ? 64000000 / bytes_each : 1;
}

static uint64_t bytes_of_replica(const cuda_engine *self) {
    const uint64_t size = self->coding == CODING_MSC ? self->msc.size : self->ssc.size;
    return (size * size + 7) / 8;
}

static engine_status cuda_save(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                               uint32_t *families) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    const uint64_t bytes = bytes_of_replica(self), most = replicas_a_time(bytes);
    uint8_t *buffer = NULL;
    CUDA_CHECK(p, cudaMalloc(&buffer, (count < most ? count : most) * bytes));
    for (uint64_t n = 0; n < count && !p->failed; n += most) {
        const uint64_t part = count - n < most ? count - n : most;
        if (self->coding == CODING_MSC)
            cuda_msc_save(&self->msc, p, p->replicas, first + n, part, buffer);
        else
            cuda_ssc_save(&self->ssc, p, first + n, part, buffer);
        CUDA_CHECK(p, cudaMemcpyAsync(spins + n * bytes, buffer, part * bytes,
                                      cudaMemcpyDeviceToHost, p->stream));
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    }
    CUDA_CHECK(p, cudaMemcpy(families, p->device.family + first, count * sizeof *families,
                             cudaMemcpyDeviceToHost));
    cudaFree(buffer);
    return p->failed ? failure(self) : ENGINE_OK;
}

static engine_status cuda_load(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                               const uint8_t *spins, const uint32_t *families) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    const uint64_t bytes = bytes_of_replica(self), most = replicas_a_time(bytes);
    uint8_t *buffer = NULL;
    CUDA_CHECK(p, cudaMalloc(&buffer, (count < most ? count : most) * bytes));
    for (uint64_t n = 0; n < count && !p->failed; n += most) {
        const uint64_t part = count - n < most ? count - n : most;
        CUDA_CHECK(p, cudaMemcpyAsync(buffer, spins + n * bytes, part * bytes,
                                      cudaMemcpyHostToDevice, p->stream));
        if (self->coding == CODING_MSC)
            cuda_msc_load(&self->msc, p, replicas, first + n, part, buffer);
        else
            cuda_ssc_load(&self->ssc, p, first + n, part, buffer);
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    }
    CUDA_CHECK(p, cudaMemcpy(p->device.family + first, families, count * sizeof *families,
                             cudaMemcpyHostToDevice));
    cudaFree(buffer);
    return p->failed ? failure(self) : ENGINE_OK;
}

static engine_status cuda_measure(engine *base, uint64_t replicas, histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    self->population.replicas = replicas;
    return measure_population(self, clock_seconds(), out);
}

static void cuda_destroy(engine *base) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_msc_destroy(&self->msc);
    cuda_ssc_destroy(&self->ssc);
    cuda_population_destroy(&self->population);
    free(self);
}

static energy_levels ising_levels(uint32_t size) {
    const int64_t sites = (int64_t)size * size;
    return energy_levels{-2 * sites, 4, (size_t)sites + 1};
}

uint64_t engine_cuda_bytes(const engine_config *config) {
    return cuda_population_bytes(config->capacity, ising_levels(config->size).count) +
           (config->coding == CODING_MSC ? cuda_msc_bytes(config) : cuda_ssc_bytes(config));
}

engine *engine_cuda_create(const engine_config *config, char *reason, size_t size) {
    cuda_engine *const self = (cuda_engine *)calloc(1, sizeof *self);
    cudaDeviceProp properties;
    if (!self || cudaGetDeviceProperties(&properties, config->device_number)) {
        free(self);
        snprintf(reason, size, "the device does not answer");
        return NULL;
    }
    snprintf(self->name, sizeof self->name, "%s on %s",
             config->coding == CODING_MSC ? "MSC" : "SSC", properties.name);
    int driver = 0;
    cudaDriverGetVersion(&driver);
    snprintf(self->driver, sizeof self->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    engine *const e = &self->base;
    e->name = self->name;
    e->driver = self->driver;
    e->levels = ising_levels(config->size);
    e->thresholds = 2;
    e->energy_gap[0] = 8;
    e->energy_gap[1] = 4;
    e->threads = 1;
    e->randomise = cuda_randomise;
    e->start = cuda_start;
    e->finish = cuda_finish;
    e->save = cuda_save;
    e->load = cuda_load;
    e->measure = cuda_measure;
    e->destroy = cuda_destroy;
    self->coding = config->coding;
    cuda_population *const p = &self->population;
    if (cuda_population_create(p, config->capacity, e->levels) ||
        (self->coding == CODING_MSC ? cuda_msc_create(&self->msc, p, config)
                                    : cuda_ssc_create(&self->ssc, p, config))) {
        failure(self);
        snprintf(reason, size, "%s", e->error);
        cuda_destroy(e);
        return NULL;
    }
    return e;
}
