/* The CUDA engines behind engine.h: what both codings do in the same way. A step is queued as a
 * whole; the host waits once, for the report.
 *
 * Its stages are fused, or run one after the other between marks in the device's stream, by which
 * they are timed (stage_mode): the same kernels with less in each. */
#include "engine.h"

#include "base/clock.h"
#include "bytes.h"
#include "hybrid.h"
#include "msc.h"
#include "nvtx_section.h"
#include "population.h"
#include "ssc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the stages begin and end in the stream. */
enum { MARK_LAST_STEP, MARK_BEGUN, MARK_RESAMPLED, MARK_SWEPT, MARK_MEASURED, MARKS };

struct cuda_engine {
    engine base;
    spin_coding coding;
    stage_mode stages;
    cuda_population population;
    cuda_msc msc; /* the one of the coding is used */
    cuda_ssc ssc;
    cuda_hybrid hybrid;      /* of STAGES_HYBRID ... */
    engine_step step;        /* ... and its step, begun, and made when it is finished */
    double started;          /* when the step at hand began, for STAGES_FUSED */
    cudaEvent_t mark[MARKS]; /* for the others */
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

static void set_mark(cuda_engine *self, int mark) {
    if (self->stages != STAGES_FUSED)
        CUDA_CHECK(&self->population, cudaEventRecord(self->mark[mark], self->population.stream));
}

/* Adds the time between two marks that the device has passed. */
static void add_time(cuda_engine *self, engine_stage stage, int from, int to) {
    float ms = 0;
    if (self->population.failed)
        return;
    CUDA_CHECK(&self->population, cudaEventElapsedTime(&ms, self->mark[from], self->mark[to]));
    self->base.seconds[stage] += 1e-3 * (double)ms;
}

/* Waits for the queue, and turns the report into a histogram. */
static engine_status collect(cuda_engine *self, histogram *out) {
    const engine_status status = cuda_population_collect(&self->population, out);
    if (self->stages == STAGES_FUSED)
        self->base.seconds[STAGE_STEP] += clock_seconds() - self->started;
    else
        add_time(self, STAGE_MEASURE, MARK_SWEPT, MARK_MEASURED);
    return self->population.failed ? failure(self) : status;
}

static void queue_parts(cuda_engine *self, const engine_step *step, step_parts parts) {
    const nvtx_section section(parts == WHOLE_STEP     ? "step"
                               : parts == PART_COLLECT ? "collect"
                                                       : "sweep");
    if (self->coding == CODING_MSC)
        cuda_msc_step(&self->msc, &self->population, step, parts);
    else
        cuda_ssc_step(&self->ssc, &self->population, step, parts);
}

static void queue_measurement(cuda_engine *self) {
    const nvtx_section section("measure");
    if (self->coding == CODING_MSC)
        cuda_msc_measure(&self->msc, &self->population);
    else
        cuda_ssc_measure(&self->ssc, &self->population);
    cuda_population_publish(&self->population);
    set_mark(self, MARK_MEASURED);
}

/* Measures a population that was not resampled. */
static engine_status measure_population(cuda_engine *self, histogram *out) {
    set_mark(self, MARK_SWEPT);
    cuda_population_count_families(&self->population);
    queue_measurement(self);
    return collect(self, out);
}

static engine_status cuda_randomise(engine *base, stream_key key, uint64_t replicas,
                                    histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    const nvtx_section section("randomise");
    self->started = clock_seconds();
    cuda_population_found(&self->population, replicas);
    if (self->coding == CODING_MSC)
        cuda_msc_randomise(&self->msc, &self->population, key);
    else
        cuda_ssc_randomise(&self->ssc, &self->population, key);
    return measure_population(self, out);
}

/* --- steps --- */

static engine_status fused_start(engine *base, const engine_step *step) {
    cuda_engine *const self = (cuda_engine *)base;
    const nvtx_section temperature(step->temperature);
    self->started = clock_seconds();
    cuda_population_resample(&self->population, step);
    queue_parts(self, step, WHOLE_STEP);
    cuda_population_publish(&self->population);
    return ENGINE_OK;
}

static engine_status fused_finish(engine *base, histogram *out) {
    return collect((cuda_engine *)base, out);
}

/* Marks the beginning of a step; the end of the one before it stays marked. */
static void begin_apart(cuda_engine *self) {
    cudaEvent_t const last = self->mark[MARK_MEASURED];
    self->mark[MARK_MEASURED] = self->mark[MARK_LAST_STEP];
    self->mark[MARK_LAST_STEP] = last;
    set_mark(self, MARK_BEGUN);
}

/* Queues what follows the resampling. */
static void queue_sweeps_and_measurement(cuda_engine *self, const engine_step *step) {
    set_mark(self, MARK_RESAMPLED);
    queue_parts(self, step, PART_SWEEP);
    set_mark(self, MARK_SWEPT);
    queue_measurement(self);
}

static engine_status apart_start(engine *base, const engine_step *step) {
    cuda_engine *const self = (cuda_engine *)base;
    const nvtx_section temperature(step->temperature);
    begin_apart(self);
    cuda_population_resample(&self->population, step);
    queue_parts(self, step, PART_COLLECT);
    queue_sweeps_and_measurement(self, step);
    return ENGINE_OK;
}

static engine_status apart_finish(engine *base, histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    const engine_status status = collect(self, out);
    add_time(self, STAGE_ROUND_TRIP, MARK_LAST_STEP, MARK_BEGUN);
    add_time(self, STAGE_RESAMPLE, MARK_BEGUN, MARK_RESAMPLED);
    add_time(self, STAGE_SWEEP, MARK_RESAMPLED, MARK_SWEPT);
    return self->population.failed ? failure(self) : status;
}

static engine_status hybrid_start(engine *base, const engine_step *step) {
    ((cuda_engine *)base)->step = *step;
    return ENGINE_OK;
}

static engine_status hybrid_finish(engine *base, histogram *out) {
    cuda_engine *const self = (cuda_engine *)base;
    const nvtx_section temperature(self->step.temperature);
    begin_apart(self);
    const engine_status resampled =
        cuda_hybrid_resample(&self->hybrid, &self->population, &self->ssc, &self->step, out);
    if (resampled != ENGINE_OK)
        return resampled == ENGINE_FAILED ? failure(self) : resampled;
    queue_sweeps_and_measurement(self, &self->step);
    return apart_finish(base, out);
}

/* --- copies --- */

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
    self->started = clock_seconds();
    self->population.replicas = replicas;
    return measure_population(self, out);
}

/* --- making --- */

static void cuda_destroy(engine *base) {
    cuda_engine *const self = (cuda_engine *)base;
    for (cudaEvent_t mark : self->mark)
        if (mark)
            cudaEventDestroy(mark);
    cuda_msc_destroy(&self->msc);
    cuda_ssc_destroy(&self->ssc);
    cuda_hybrid_destroy(&self->hybrid);
    cuda_population_destroy(&self->population);
    free(self);
}

uint64_t engine_cuda_bytes(const engine_config *config) {
    const cuda_needs needs = {cuda_scan_bytes(config->capacity),
                              cuda_msc_stream_blocks(config->size)};
    return cuda_device_bytes(config, needs);
}

/* The functions that make a step, what they need, and the times that they cannot tell. Returns 0,
 * or -1 with p->failed set. */
static int prepare_stages(cuda_engine *self, const engine_config *config) {
    engine *const e = &self->base;
    cuda_population *const p = &self->population;
    self->stages = config->stages;
    if (self->stages == STAGES_FUSED) {
        e->start = fused_start;
        e->finish = fused_finish;
        e->seconds[STAGE_RESAMPLE] = e->seconds[STAGE_SWEEP] = e->seconds[STAGE_MEASURE] = NAN;
        e->seconds[STAGE_ROUND_TRIP] = NAN;
        return 0;
    }
    const bool hybrid = self->stages == STAGES_HYBRID;
    e->start = hybrid ? hybrid_start : apart_start;
    e->finish = hybrid ? hybrid_finish : apart_finish;
    e->seconds[STAGE_STEP] = NAN;
    for (cudaEvent_t &mark : self->mark)
        CUDA_CHECK(p, cudaEventCreate(&mark));
    if (hybrid)
        cuda_hybrid_create(&self->hybrid, p, &self->ssc, config->capacity);
    return p->failed ? -1 : 0;
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
    e->save = cuda_save;
    e->load = cuda_load;
    e->measure = cuda_measure;
    e->destroy = cuda_destroy;
    self->coding = config->coding;
    cuda_population *const p = &self->population;
    if (cuda_population_create(p, config->capacity, e->levels) ||
        (self->coding == CODING_MSC ? cuda_msc_create(&self->msc, p, config)
                                    : cuda_ssc_create(&self->ssc, p, config)) ||
        prepare_stages(self, config)) {
        failure(self);
        snprintf(reason, size, "%s", e->error);
        cuda_destroy(e);
        return NULL;
    }
    return e;
}
