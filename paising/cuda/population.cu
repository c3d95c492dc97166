/* Resampling on the device (eq. 2), and the report of a population. What this computes, bit for bit:
 * resample() in reference/plain.c.
 *
 *   count_copies   a thread a parent: its number of children, and the sums over the founders' blocks
 *   CUB scan       where each parent's children end
 *   adopt          a thread a child: finds its parent by bisection, among those that its block has found
 *                  together, so that a parent with nearly all children costs no more than any other; counts
 *                  the families, which are contiguous
 *   publish        copies the report to the host's memory, and clears it for the next step
 *
 * Between adopt and publish the kernels of the coding make the children and report them. */
#include "population.h"

#include "nvtx_section.h"
#include "resample/rules.h"

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_scan.cuh>

#define THREADS 256

static unsigned blocks_for(uint64_t items) {
    return (unsigned)((items + THREADS - 1) / THREADS);
}

/* --- kernels --- */

static __global__ void found(cuda_replicas p, uint64_t replicas) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k < replicas)
        p.family[k] = (uint32_t)k;
}

/* Clears what the kernels to come add to; publish has cleared the rest. */
static __device__ void begin_report(cuda_report *report, uint64_t population) {
    report->population = population;
    report->families = 0;
    report->family_squares = 0;
    report->first = UINT32_MAX;
    report->end = 0;
}

static __global__ void count_copies(cuda_replicas p, uint64_t parents, stream_key key,
                                    uint32_t temperature, resampling_rule rule) {
    const uint64_t j = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (j == 0)
        begin_report(p.report, 0);
    uint64_t tau_hat = 0;
    if (j < parents) {
        const stream_block draw =
            stream_draw(key, STREAM_RESAMPLE, 0, (uint32_t)(j / 4), 0, temperature);
        tau_hat = p.copies[p.level[j]];
        p.ends[j] = (uint32_t)copies_by_rule(rule, tau_hat, draw.number[j % 4]);
    }
    add_to_blocks(p.report->parent,
                  j < parents ? (uint32_t)population_block(p.parent_family[j], p.founders)
                              : UINT32_MAX,
                  parent_sums{1, tau_hat});
}

/* The first of the rising numbers low .. high-1 that exceeds x; `high` if none does. */
static __device__ uint64_t first_above(const uint32_t *numbers, uint64_t low, uint64_t high,
                                       uint32_t x) {
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (numbers[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The same from `low` on, found in few steps where it is near. */
static __device__ uint64_t first_above_near(const uint32_t *numbers, uint64_t low, uint64_t high,
                                            uint32_t x) {
    uint64_t probe = low;
    for (uint64_t reach = 1; probe < high && numbers[probe] <= x; reach *= 2) {
        low = probe + 1;
        probe += reach;
    }
    return first_above(numbers, low, probe < high ? probe : high, x);
}

/* The same, looked for by all threads of a block together. */
static __device__ uint64_t first_above_together(const uint32_t *numbers, uint64_t low,
                                                uint64_t high, uint32_t x) {
    while (low < high) {
        const uint64_t step = (high - low + THREADS - 1) / THREADS;
        const uint64_t probe = low + (threadIdx.x + 1) * step - 1;
        low += step * (uint64_t)__syncthreads_count(probe < high && numbers[probe] <= x);
        high = min(high, low + step - 1);
    }
    return low;
}

/* Adds the families whose last member has the calling thread: `members` replicas, 0 for none. */
static __device__ void report_families(cuda_report *report, uint64_t members) {
    typedef cub::BlockReduce<uint64_t, THREADS> reduce;
    __shared__ typename reduce::TempStorage memory;
    const uint64_t squares = reduce(memory).Sum(members * members);
    const int families = __syncthreads_count(members > 0);
    if (threadIdx.x == 0 && families) {
        atomic_add(&report->families, (uint64_t)families);
        atomic_add(&report->family_squares, squares);
    }
}

static __global__ void adopt(cuda_replicas p, uint64_t parents) {
    const uint64_t first = (uint64_t)blockIdx.x * THREADS, k = first + threadIdx.x;
    const uint64_t children = p.ends[parents - 1];
    if (k == 0)
        p.report->population = children;
    if (first >= children || children > p.capacity)
        return;
    /* The parents of the block's children are low .. high-1; the family of the first begins with `oldest`. */
    const uint32_t last = (uint32_t)(min(first + THREADS, children) - 1);
    const uint64_t low = first_above_together(p.ends, 0, parents, (uint32_t)first);
    const uint64_t high = first_above_together(p.ends, low, parents, last) + 1;
    const uint32_t first_family = p.parent_family[low];
    const uint64_t oldest =
        first_family ? first_above_together(p.parent_family, 0, low, first_family - 1) : 0;
    uint64_t members = 0;
    if (k < children) {
        const uint64_t j = first_above(p.ends, low, high, (uint32_t)k);
        const uint32_t family = p.parent_family[j];
        p.parent[k] = (uint32_t)j;
        p.family[k] = family;
        const uint64_t next = first_above_near(p.ends, j, parents, (uint32_t)(k + 1));
        if (next == parents || p.parent_family[next] != family) {
            const uint64_t begin =
                family == first_family ? oldest : first_above(p.parent_family, low, j, family - 1);
            members = k + 1 - (begin ? p.ends[begin - 1] : 0);
        }
    }
    report_families(p.report, members);
}

/* The families of a population that was not resampled. */
static __global__ void count_families(cuda_replicas p, uint64_t replicas) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    uint64_t members = 0;
    if (k < replicas && (k + 1 == replicas || p.family[k + 1] != p.family[k])) {
        uint64_t low = 0, high = k;
        while (low < high) {
            const uint64_t middle = (low + high) / 2;
            if (p.family[middle] < p.family[k])
                low = middle + 1;
            else
                high = middle;
        }
        members = k + 1 - low;
    }
    report_families(p.report, members);
}

/* A thread a child whose parent is known. */
static __global__ void inherit(cuda_replicas p, uint64_t children) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k == 0)
        begin_report(p.report, children);
    if (k < children)
        p.family[k] = p.parent_family[p.parent[k]];
}

static __global__ void begin(cuda_report *report, uint64_t population) {
    begin_report(report, population);
}

/* Copies sums to the host's memory and clears them: neighbouring threads, neighbouring numbers. */
template <typename SUMS> static __device__ void publish_sums(SUMS *host, SUMS *sums, size_t count) {
    const size_t numbers = count * sizeof(SUMS) / sizeof(uint64_t);
    for (size_t n = blockIdx.x * THREADS + threadIdx.x; n < numbers; n += gridDim.x * THREADS) {
        ((uint64_t *)host)[n] = ((uint64_t *)sums)[n];
        ((uint64_t *)sums)[n] = 0;
    }
}

static __global__ void publish(cuda_replicas p, cuda_report *host) {
    const uint32_t first = p.report->first, end = p.report->end;
    publish_sums(host->block, p.report->block, POPULATION_BLOCKS);
    publish_sums(host->founder, p.report->founder, POPULATION_BLOCKS);
    publish_sums(host->parent, p.report->parent, POPULATION_BLOCKS);
    if (first < end)
        publish_sums((level_sums *)(host + 1), p.sums + first, end - first);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        host->population = p.report->population;
        host->families = p.report->families;
        host->family_squares = p.report->family_squares;
        host->first = first;
        host->end = end;
    }
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
    cudaGetLastError(); /* which the next launch would take for its own */
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

/* CUB throws if the device in use does not answer. */
cudaError_t cuda_scan_bytes(uint64_t capacity, size_t *bytes) {
    try {
        return cub::DeviceScan::InclusiveSum((void *)NULL, *bytes, (uint32_t *)NULL,
                                             (uint32_t *)NULL, capacity);
    } catch (...) {
        return cudaErrorUnknown;
    }
}

int cuda_population_create(cuda_population *p, uint64_t capacity, const spin_model *model) {
    const energy_levels levels = model->levels;
    *p = cuda_population{};
    p->device.capacity = capacity;
    p->device.levels = levels;
    p->device.order_unit = model->order_unit;
    CUDA_CHECK(p, cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, &p->shared_limit));
    CUDA_CHECK(p, cuda_scan_bytes(capacity, &p->scan_bytes));
    CUDA_CHECK(p, cudaStreamCreate(&p->stream));
    uint32_t **const arrays[] = {&p->device.level, &p->device.family, &p->device.parent_family,
                                 &p->device.parent, &p->device.ends};
    for (uint32_t **array : arrays)
        CUDA_CHECK(p, cudaMalloc(array, capacity * sizeof **array));
    CUDA_CHECK(p, cudaMalloc(&p->device.copies, levels.count * sizeof(uint64_t)));
    CUDA_CHECK(p, cudaMalloc(&p->device.report, sizeof(cuda_report)));
    CUDA_CHECK(p, cudaMalloc(&p->device.sums, levels.count * sizeof(level_sums)));
    CUDA_CHECK(p, cudaMalloc(&p->scan_memory, p->scan_bytes));
    CUDA_CHECK(p, cudaMallocHost(&p->host_copies, levels.count * sizeof(uint64_t)));
    CUDA_CHECK(p, cudaMallocHost(&p->host_report,
                                 sizeof(cuda_report) + levels.count * sizeof(level_sums)));
    if (p->failed)
        return -1;
    CUDA_CHECK(p, cudaMemsetAsync(p->device.report, 0, sizeof(cuda_report), p->stream));
    CUDA_CHECK(p, cudaMemsetAsync(p->device.sums, 0, levels.count * sizeof(level_sums), p->stream));
    return p->failed ? -1 : 0;
}

void cuda_population_destroy(cuda_population *p) {
    void *const arrays[] = {p->device.level,  p->device.family, p->device.parent_family,
                            p->device.parent, p->device.ends,   p->device.copies,
                            p->device.report, p->device.sums,   p->scan_memory};
    for (void *array : arrays)
        cudaFree(array);
    cudaFreeHost(p->host_copies);
    cudaFreeHost(p->host_report);
    if (p->stream)
        cudaStreamDestroy(p->stream);
}

void cuda_population_found(cuda_population *p, uint64_t replicas) {
    if (p->failed)
        return;
    p->replicas = p->device.founders = replicas;
    p->scattered = false;
    found<<<blocks_for(replicas), THREADS, 0, p->stream>>>(p->device, replicas);
    cuda_check_launch(p, "found");
}

void cuda_population_forget_parents(cuda_population *p) {
    if (p->parents_noted)
        CUDA_CHECK(p, cudaMemsetAsync(p->device.report->parent, 0, sizeof p->device.report->parent,
                                      p->stream));
    p->parents_noted = false;
}

/* The families become those of the parents. */
static void begin_selection(cuda_population *p, const engine_step *step) {
    uint32_t *const families = p->device.family;
    p->device.family = p->device.parent_family;
    p->device.parent_family = families;
    p->device.founders = step->founders;
    cuda_population_forget_parents(p);
}

void cuda_population_resample(cuda_population *p, const engine_step *step) {
    const nvtx_section section("resample");
    if (p->failed)
        return;
    begin_selection(p, step);
    p->parents_noted = true;
    const size_t bytes = (p->end - p->first) * sizeof(uint64_t);
    memcpy(p->host_copies, step->copies + p->first, bytes);
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.copies + p->first, p->host_copies, bytes,
                                  cudaMemcpyHostToDevice, p->stream));
    count_copies<<<blocks_for(p->replicas), THREADS, 0, p->stream>>>(
        p->device, p->replicas, step->key, step->temperature, step->resampling);
    cuda_check_launch(p, "count_copies");
    CUDA_CHECK(p, cub::DeviceScan::InclusiveSum(p->scan_memory, p->scan_bytes, p->device.ends,
                                                p->device.ends, p->replicas, p->stream));
    adopt<<<blocks_for(p->device.capacity), THREADS, 0, p->stream>>>(p->device, p->replicas);
    cuda_check_launch(p, "adopt");
}

void cuda_population_adopt(cuda_population *p, const engine_step *step) {
    const nvtx_section section("adopt");
    if (p->failed)
        return;
    begin_selection(p, step);
    p->scattered = true;
    CUDA_CHECK(p, cudaMemcpyAsync(p->device.parent, step->parents,
                                  step->children * sizeof *step->parents, cudaMemcpyHostToDevice,
                                  p->stream));
    inherit<<<blocks_for(step->children), THREADS, 0, p->stream>>>(p->device, step->children);
    cuda_check_launch(p, "inherit");
}

void cuda_population_begin(cuda_population *p, const cuda_replicas *of, uint64_t replicas) {
    if (p->failed)
        return;
    begin<<<1, 1, 0, p->stream>>>(of->report, replicas);
    cuda_check_launch(p, "begin");
}

void cuda_population_count_families(cuda_population *p) {
    if (p->failed)
        return;
    count_families<<<blocks_for(p->replicas), THREADS, 0, p->stream>>>(p->device, p->replicas);
    cuda_check_launch(p, "count_families");
}

void cuda_population_publish(cuda_population *p, const cuda_replicas *of, cuda_report *host) {
    const nvtx_section section("report");
    if (p->failed)
        return;
    publish<<<16, THREADS, 0, p->stream>>>(*of, host);
    cuda_check_launch(p, "publish");
}

/* What a number of replicas means. */
static engine_status status_of(cuda_population *p, uint64_t replicas) {
    if (p->failed)
        return ENGINE_FAILED;
    if (replicas == 0)
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

void cuda_population_read(const cuda_report *report, histogram *out) {
    histogram_clear(out);
    out->population = report->population;
    out->families = report->families;
    out->family_squares = report->family_squares;
    out->first = report->first;
    out->end = report->end;
    memcpy(out->block, report->block, sizeof out->block);
    memcpy(out->founder, report->founder, sizeof out->founder);
    memcpy(out->parent, report->parent, sizeof out->parent);
    memcpy(out->level + out->first, report + 1, (out->end - out->first) * sizeof *out->level);
}

engine_status cuda_population_collect(cuda_population *p, histogram *out) {
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    const engine_status status = status_of(p, p->failed ? 0 : p->host_report->population);
    if (status != ENGINE_OK)
        return status;
    cuda_population_read(p->host_report, out);
    p->first = out->first;
    p->end = out->end;
    p->parents_noted = false;
    return ENGINE_OK;
}
