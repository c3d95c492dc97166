/* The population of a CUDA engine: its memory, its founders, and its report. The kernels of the
 * coding add to the report while they make the children (select/selection.cu chose their parents).
 */
#include "cuda/engine/population.h"

#include "cuda/device/arrays.h"
#include "cuda/device/blocks.h"
#include "cuda/engine/bytes.h"

#define THREADS 256
#define POLLS   (1u << 14) /* between two queries of the stream: some 0.5 ms with pauses */

#define CACHE_LINE 64 /* bytes, of the host */

/* --- kernels --- */

static __global__ void found(cuda_replicas p, uint64_t replicas) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k < replicas)
        p.family[k] = (uint32_t)(p.interval.origin + k);
}

static __global__ void begin(cuda_report *report, uint64_t population) {
    clear_head(report);
    report->population = population;
}

/* --- host --- */

int cuda_check(cuda_population *p, cudaError_t error, const char *call) {
    if (error != cudaSuccess && !p->failed) {
        p->failed = call;
        p->error = error;
    }
    return p->failed == NULL;
}

void cuda_population_forget_failure(cuda_population *p) {
    cudaGetLastError(); /* else the next launch would return it */
    p->failed = NULL;
    p->error = cudaSuccess;
}

int cuda_check_launch(cuda_population *p, const char *kernel) {
    return cuda_check(p, cudaGetLastError(), kernel);
}

cudaError_t cuda_attribute(cudaDeviceAttr name, int *value) {
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);
    return error ? error : cudaDeviceGetAttribute(value, name, device);
}

void cuda_allow_shared(cuda_population *p, const void *kernel, size_t bytes) {
    cudaFuncAttributes now;
    if (!CUDA_CHECK(p, cudaFuncGetAttributes(&now, kernel)))
        return;
    if (now.maxDynamicSharedSizeBytes < (int)bytes)
        CUDA_CHECK(p, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           (int)bytes));
}

bool cuda_kernel_waits(cuda_population *p, const void *kernel) {
    cudaFuncAttributes of = {};
    return CUDA_CHECK(p, cudaFuncGetAttributes(&of, kernel)) && of.ptxVersion >= 90;
}

int cuda_population_create(cuda_population *p, const engine_config *config) {
    const uint64_t capacity = config->capacity;
    const size_t levels = cuda_levels(config);
    const size_t tile_bytes = selection_tiles(capacity) * sizeof(selection_tile);
    *p = cuda_population{};
    p->device.capacity = capacity;
    p->device.levels = config->model.levels;
    if (config->model.levels.fine)
        p->device.levels.count = (uint32_t)levels;
    p->most_levels = levels;
    const size_t room = cuda_report_levels(config);
    p->device.room = (uint32_t)room;
    p->device.low_bits = (uint16_t)histogram_low_bits(&config->model);
    p->device.order_unit = config->model.order_unit;
    p->rule = config->resampling;
    p->device.sum_sets = (uint16_t)level_sum_sets(levels, capacity);
    const size_t sum_bytes = p->device.sum_sets * room * sizeof(level_sums);
    CUDA_CHECK(p, cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, &p->shared_limit));
    p->begins_early = cuda_kernel_waits(p, (const void *)found);
    int least = 0, greatest = 0; /* side streams have other priorities (side_stream.h) */
    CUDA_CHECK(p, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(p,
               cudaStreamCreateWithPriority(&p->stream, cudaStreamDefault, (least + greatest) / 2));
    for (uint32_t **array :
         {&p->device.level, &p->device.parent, &p->device.family, &p->device.parent_family})
        CUDA_CHECK(p, cuda_take(array, (capacity + 1) * sizeof **array, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&p->device.tau_hat, levels * sizeof(uint64_t), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&p->device.report, sizeof(cuda_report), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&p->device.sums, sum_bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&p->device.tiles, tile_bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&p->host_tau_hat, levels * sizeof(uint64_t), PINNED));
    CUDA_CHECK(p, prelaunch_create(&p->prelaunch, prelaunch_numbers(config), p->stream));
    for (cuda_report *&host : p->host)
        CUDA_CHECK(p, cuda_take(&host, published_bytes(room), PINNED));
    p->device.host = p->host[0];
    if (p->failed)
        return -1;
    for (cuda_report *host : p->host) /* no mark is 0 */
        memset(host, 0, (const char *)published_sums(host, room) - (const char *)host);
    CUDA_CHECK(p, cudaMemsetAsync(p->device.report, 0, sizeof(cuda_report), p->stream));
    CUDA_CHECK(p, cudaMemsetAsync(p->device.tiles, 0, tile_bytes, p->stream));
    CUDA_CHECK(p, cudaMemsetAsync(p->device.sums, 0, sum_bytes, p->stream));
    return p->failed ? -1 : 0;
}

void cuda_population_destroy(cuda_population *p) {
    void *const arrays[] = {p->device.level,  p->device.family,  p->device.parent_family,
                            p->device.parent, p->device.tau_hat, p->device.tiles,
                            p->device.report, p->device.sums};
    for (void *array : arrays)
        cuda_array_give(array, ON_DEVICE);
    prelaunch_destroy(&p->prelaunch);
    cuda_array_give(p->host_tau_hat, PINNED);
    for (cuda_report *host : p->host)
        cuda_array_give(host, PINNED);
    if (p->stream)
        cudaStreamDestroy(p->stream);
}

uint64_t cuda_grow(cuda_population *p, void **kept, void **spare, uint64_t bytes, uint64_t needed) {
    void *array = NULL;
    size_t free_bytes = 0, all_bytes = 0;
    if (p->failed || !CUDA_CHECK(p, cudaDeviceSynchronize()) ||
        !CUDA_CHECK(p, cudaMemGetInfo(&free_bytes, &all_bytes)) || bytes + free_bytes / 2 < needed)
        return bytes;
    const uint64_t more = needed + needed / 16,
                   larger = more <= bytes + free_bytes / 2 ? more : needed;
    cuda_array_give(*spare, ON_DEVICE);
    *spare = NULL;
    if (cuda_array_take(&array, larger, ON_DEVICE) == cudaSuccess) {
        CUDA_CHECK(p, cudaMemsetAsync(array, 0, larger, p->stream));
        CUDA_CHECK(p, cudaMemcpyAsync(array, *kept, bytes, cudaMemcpyDeviceToDevice, p->stream));
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
        cuda_array_give(*kept, ON_DEVICE);
        *kept = array;
        if (cuda_array_take(spare, larger, ON_DEVICE) == cudaSuccess)
            return larger;
    }
    cudaGetLastError(); /* else the next launch would return it */
    CUDA_CHECK(p, cuda_array_take(spare, bytes, ON_DEVICE));
    return bytes;
}

void cuda_population_found(cuda_population *p, uint64_t replicas) {
    if (p->failed)
        return;
    p->replicas = replicas;
    p->device.founders = p->device.interval.all > 0 ? p->device.interval.all : replicas;
    p->scattered = false;
    cuda_population_forget(p);
    if (replicas == 0)
        return;
    found<<<blocks_for(replicas, THREADS), THREADS, 0, p->stream>>>(p->device, replicas);
    cuda_check_launch(p, "found");
}

void cuda_population_forget(cuda_population *p) {
    if (p->unpublished) {
        CUDA_CHECK(p, cudaMemsetAsync(p->device.report->parent, 0, sizeof p->device.report->parent,
                                      p->stream));
        cuda_population_begin(p, &p->device, 0);
    }
    p->unpublished = false;
}

void cuda_population_begin(cuda_population *p, const cuda_replicas *of, uint64_t replicas) {
    if (p->failed)
        return;
    begin<<<1, 1, 0, p->stream>>>(of->report, replicas);
    cuda_check_launch(p, "begin");
}

/* Checks a number of replicas, and keeps it. */
static engine_status status_of(cuda_population *p, uint64_t replicas) {
    if (p->failed)
        return ENGINE_FAILED;
    if (replicas == 0 && p->device.interval.all == 0) /* an interval may be empty */
        return ENGINE_EXTINCT;
    if (replicas > p->device.capacity)
        return ENGINE_OUTGROWN;
    p->replicas = replicas;
    return ENGINE_OK;
}

engine_status cuda_population_count(cuda_population *p) {
    uint64_t replicas = 0;
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(&replicas, &p->device.report->population, sizeof replicas,
                                      cudaMemcpyDeviceToHost, p->stream));
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return status_of(p, replicas);
}

/* Whether the stream has ended, or has failed. */
static bool is_idle(cuda_population *p) {
    const cudaError_t status = cudaStreamQuery(p->stream);
    if (status == cudaErrorNotReady)
        cudaGetLastError(); /* else the next launch would return it */
    else
        CUDA_CHECK(p, status);
    return status != cudaErrorNotReady;
}

/* Lets the other hardware thread of the core run. */
static void pause_briefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* Polls pinned memory until ready(). It does not wait for the end of the stream, where more may be
 * queued behind the report. */
template <typename READY> static void await(cuda_population *p, READY ready) {
    for (bool idle = p->failed; !idle; idle = is_idle(p))
        for (uint32_t polls = 0; polls < POLLS; polls++) {
            if (ready())
                return;
            pause_briefly();
        }
    ready(); /* the stream may have ended after the last poll */
}

void cuda_population_await(cuda_population *p, const uint32_t *done) {
    await(p, [done] { return __atomic_load_n(done, __ATOMIC_ACQUIRE) != 0; });
}

/* Waits for a number with the mark of the current report. */
static uint32_t await_marked(cuda_population *p, const uint64_t *number) {
    const uint32_t mark = p->device.mark;
    uint64_t seen = __atomic_load_n(number, __ATOMIC_ACQUIRE);
    if (seen >> 32 != mark)
        await(p, [number, mark, &seen] {
            seen = __atomic_load_n(number, __ATOMIC_ACQUIRE);
            return seen >> 32 == mark;
        });
    if (seen >> 32 != mark)
        cuda_check(p, cudaErrorUnknown, "the report"); /* keeps an earlier failure */
    return (uint32_t)seen;
}

void cuda_population_swap_reports(cuda_population *p) {
    p->device.host = p->device.host == p->host[0] ? p->host[1] : p->host[0];
    p->device.mark++;
}

void cuda_population_read_counts(cuda_population *p, cuda_report *report, histogram *out) {
    const report_counts *const counts = published_counts(report);
    const uint32_t first = await_marked(p, &counts->first), end = await_marked(p, &counts->end);
    out->population = await_marked(p, &counts->population);
    if (p->failed)
        return;
    histogram_move(out, out->population > 0 ? first : 0, out->population > 0 ? end : 0);
    for (size_t n = out->first; n < out->end; n += CACHE_LINE / sizeof *counts->replicas)
        __builtin_prefetch(
            &counts->replicas[n - out->first]); /* the device has written them to memory */
    for (size_t n = out->first; n < out->end; n++)
        histogram_level(out, n)->replicas = await_marked(p, &counts->replicas[n - out->first]);
}

void cuda_population_read_rest(cuda_report *report, size_t room, histogram *out) {
    const report_counts *const counts = published_counts(report);
    const uint64_t *sums = published_sums(report, room);
    memcpy(out->edge, report->edge, sizeof out->edge);
    out->families = report->families;
    out->family_squares = report->family_squares;
    memcpy(out->block, report->block, sizeof out->block);
    memcpy(out->founder, report->founder, sizeof out->founder);
    memcpy(out->parent, report->parent, sizeof out->parent);
    if ((uint32_t)counts->population == 0)
        return;
    for (size_t n = (uint32_t)counts->first; n < (uint32_t)counts->end; n++, sums += OTHER_NUMBERS)
        memcpy(&histogram_level(out, n)->abs_m, sums, OTHER_NUMBERS * sizeof *sums);
}

engine_status cuda_population_collect(cuda_population *p, histogram *out) {
    cuda_report *const report = p->device.host;
    const uint32_t population = await_marked(p, &published_counts(report)->population);
    const engine_status status = status_of(p, population);
    if (status != ENGINE_OK)
        return status;
    if (p->levels_later) {
        out->population = population;
    } else {
        cuda_population_read_counts(p, report, out);
        if (p->failed)
            return ENGINE_FAILED;
        p->first = out->first;
        p->end = out->end;
    }
    p->unpublished = false;
    p->partial = report;
    return ENGINE_OK;
}

/* Whether all of the other sums have arrived. */
static bool has_come(const cuda_report *report) {
    bool come = true;
    for (const uint32_t &done : report->done)
        come = come && __atomic_load_n(&done, __ATOMIC_ACQUIRE);
    return come;
}

bool cuda_population_complete(cuda_population *p, histogram *out) {
    cuda_report *const report = p->partial;
    p->partial = NULL;
    if (!report)
        return true;
    await(p, [report] { return has_come(report); });
    for (uint32_t polls = 0; polls < POLLS && !has_come(report); polls++) /* after a failure */
        pause_briefly();
    if (!has_come(report)) {
        cuda_check(p, cudaErrorUnknown, "the report"); /* keeps an earlier failure */
        return false;
    }
    cuda_population_read_rest(report, p->device.room, out);
    return true;
}
