/* The ceilings of a CUDA device (ceiling.h): a kernel each, timed by events. The grid fills the
 * device once; the threads never wait for memory, except where memory is what is measured. */
#include "ceiling.h"

#include "ceiling_work.h"
#include "cuda/engine/engine.h"
#include "cuda/engine/population.h"
#include "cuda/msc/planes.cuh"

#include <math.h>
#include <stdio.h>

#define THREADS         CEILING_BLOCK
#define BLOCKS_EACH     4 /* on a multiprocessor, with which every loop fits the registers */
#define COPY_EACH       4 /* times 16 bytes that a thread copies */
#define L2_PART         4 /* a quarter of the cache is read, so that it stays there */
#define COPY_WORDS_MOST (UINT64_C(1) << 29)

/* --- kernels --- */

static __device__ uint32_t thread_number(void) {
    return blockIdx.x * THREADS + threadIdx.x;
}

static __global__ void __launch_bounds__(THREADS) logic(uint32_t *results, uint32_t rounds) {
    results[thread_number()] = logic_work(thread_number(), rounds);
}

static __global__ void __launch_bounds__(THREADS)
    multiply_add(uint32_t *results, uint32_t rounds, uint32_t factor) {
    results[thread_number()] = multiply_add_work(thread_number(), rounds, factor);
}

static __global__ void __launch_bounds__(THREADS)
    wide_multiply_add(uint32_t *results, uint32_t rounds, uint32_t factor) {
    results[thread_number()] = wide_work(thread_number(), rounds, factor);
}

static __global__ void __launch_bounds__(THREADS)
    mix(uint32_t *results, uint32_t rounds, uint32_t factor) {
    results[thread_number()] = mixed_work(thread_number(), rounds, factor);
}

static __global__ void __launch_bounds__(THREADS) philox(uint32_t *results, uint32_t rounds) {
    results[thread_number()] = philox_work(thread_number(), rounds);
}

/* The very function of the sweep: two bit planes a round for a strip of eight rows. */
static __global__ void __launch_bounds__(THREADS)
    planes(uint32_t *results, uint32_t rounds, uint32_t branch) {
    mwc_state m = planes_seed(thread_number());
    strip_flips<2> f;
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++) {
        f.of[0][i] = planes_parity(thread_number(), i);
        f.accept[i] = 0;
    }
    for (uint32_t n = 0; n < rounds; n++)
        make_planes(branch, m, f);
#pragma unroll
    for (int i = 0; i < STRIP_ROWS; i++)
        sum += f.accept[i];
    results[thread_number()] = sum;
}

static __global__ void fill(uint32_t *memory, uint64_t words) {
    for (uint64_t i = thread_number(); i < words; i += gridDim.x * THREADS)
        memory[i] = memory_word(i);
}

static __global__ void __launch_bounds__(THREADS) copy(const uint4 *from, uint4 *to) {
    const uint64_t first = (uint64_t)blockIdx.x * THREADS * COPY_EACH + threadIdx.x;
    uint4 held[COPY_EACH];
#pragma unroll
    for (int i = 0; i < COPY_EACH; i++)
        held[i] = __ldcs(&from[first + i * THREADS]);
#pragma unroll
    for (int i = 0; i < COPY_EACH; i++)
        __stcs(&to[first + i * THREADS], held[i]);
}

/* What a thread has to show for a copy: the words thread, thread + threads, ... added up. */
static __global__ void add_up(uint32_t *results, const uint32_t *memory, uint64_t words) {
    uint32_t sum = 0;
    for (uint64_t i = thread_number(); i < words; i += gridDim.x * THREADS)
        sum += memory[i];
    results[thread_number()] = sum;
}

static __device__ __forceinline__ uint32_t digest(uint4 x) {
    return x.x ^ x.y ^ x.z ^ x.w;
}

/* The memory is read in turns that begin anew at its end; `quads` is a power of two. */
static __global__ void __launch_bounds__(THREADS)
    l2_read(uint32_t *results, const uint4 *memory, uint64_t quads, uint32_t rounds) {
    const uint32_t stride = gridDim.x * THREADS, mask = (uint32_t)quads - 1;
    uint32_t at = thread_number(), sum = 0;
#pragma unroll 8
    for (uint32_t n = 0; n < rounds; n++, at += stride)
        sum += digest(__ldcg(&memory[at & mask]));
    results[thread_number()] = sum;
}

/* The stride is an argument, so that the compiler does not see which reads are the same. */
static __global__ void __launch_bounds__(THREADS)
    shared_read(uint32_t *results, uint32_t rounds, uint32_t stride) {
    __shared__ uint4 memory[CEILING_SHARED_WORDS / 4];
    for (uint32_t i = threadIdx.x; i < CEILING_SHARED_WORDS; i += THREADS)
        ((uint32_t *)memory)[i] = memory_word(i);
    __syncthreads();
    uint32_t at = threadIdx.x, sum = 0;
#pragma unroll 8
    for (uint32_t n = 0; n < rounds; n++, at += stride)
        sum += digest(memory[at % (CEILING_SHARED_WORDS / 4)]);
    results[thread_number()] = sum;
}

/* --- host --- */

static int failure(cudaError_t error, const char *what, char *reason, size_t size) {
    snprintf(reason, size, "%s: %s", what, cudaGetErrorString(error));
    return -1;
}

/* An attribute of the device in use. *error keeps the first failure. */
static int attribute(cudaDeviceAttr name, cudaError_t *error) {
    int value = 0;
    const cudaError_t asked = cuda_attribute(name, &value);
    if (!*error)
        *error = asked;
    return value;
}

static uint64_t power_of_two_within(uint64_t n) {
    uint64_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

/* Rates that clock, lanes and bus allow, in 1e9 a second. Lanes for each instruction: CUDA C++
 * Programming Guide, "Throughput of native arithmetic instructions" (compute capability 7.5 to 9.0:
 * 64 a clock and multiprocessor for logic and for multiply-add, 4 x 32 issued in all; shared memory:
 * 32 banks of 4 bytes). The memory's bus transfers twice a clock. */
static void set_theoretical(ceiling_device *d, cudaError_t *error) {
    const double cycles = d->clock_ghz > 0 ? d->clock_ghz * d->multiprocessors : NAN;
    for (double &rate : d->theoretical)
        rate = NAN;
    if (attribute(cudaDevAttrComputeCapabilityMajor, error) < 10) {
        d->theoretical[CEILING_LOGIC] = d->theoretical[CEILING_MULTIPLY_ADD] = 64 * cycles;
        d->theoretical[CEILING_MIX] = 128 * cycles;
    }
    d->theoretical[CEILING_SHARED_READ] = 128 * cycles;
    const double memory_ghz = 1e-6 * attribute(cudaDevAttrMemoryClockRate, error);
    const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, error) / 8.0;
    if (memory_ghz > 0)
        d->theoretical[CEILING_COPY] = 2 * memory_ghz * bus_bytes;
}

/* How much a run does: some 10 ms on a large GPU. */
static void set_work(ceiling_device *d) {
    static const uint32_t rounds[CEILINGS] = {
        160000, 160000, 80000, 160000, 32000, 20000, 0, 24000, 160000,
    };
    static const uint32_t each[CEILINGS] = {
        CHAINS, CHAINS, CHAINS, 2 * CHAINS, 2 * STRIP_ROWS, 1, 0, 16, 16,
    };
    for (int kind = 0; kind < CEILINGS; kind++) {
        d->rounds[kind] = rounds[kind];
        d->units[kind] = d->threads * rounds[kind] * each[kind];
    }
    d->units[CEILING_COPY] = 2 * sizeof(uint32_t) * d->copied;
}

int ceiling_open(ceiling_device *d, int number, char *reason, size_t size) {
    cuda_device device;
    cudaError_t error = cudaSuccess;
    *d = ceiling_device{};
    if (cuda_device_open(number, &device, reason, size))
        return -1;
    d->multiprocessors = (uint32_t)attribute(cudaDevAttrMultiProcessorCount, &error);
    d->clock_ghz = 1e-6 * attribute(cudaDevAttrClockRate, &error);
    snprintf(d->name, sizeof d->name, "%s, %u multiprocessors, at most %.0f MHz", device.name,
             d->multiprocessors, 1e3 * d->clock_ghz);
    d->threads = (uint64_t)d->multiprocessors * BLOCKS_EACH * THREADS;
    d->copied = power_of_two_within(device.free_bytes / 4 / sizeof(uint32_t));
    if (d->copied > COPY_WORDS_MOST)
        d->copied = COPY_WORDS_MOST;
    d->l2 = power_of_two_within((uint64_t)attribute(cudaDevAttrL2CacheSize, &error) / L2_PART /
                                sizeof(uint32_t));
    set_theoretical(d, &error);
    set_work(d);
    if (error)
        return failure(error, "attributes of the device", reason, size);
    if (d->l2 > d->copied) {
        snprintf(reason, size, "not enough device memory");
        return -1;
    }
    error = cudaMalloc(&d->results, d->threads * sizeof *d->results);
    if (!error)
        error = cudaMalloc(&d->from, d->copied * sizeof *d->from);
    if (!error)
        error = cudaMalloc(&d->to, d->copied * sizeof *d->to);
    if (!error) {
        fill<<<d->multiprocessors, THREADS>>>(d->from, d->copied);
        error = cudaDeviceSynchronize();
    }
    return error ? failure(error, "device memory", reason, size) : 0;
}

static void launch(const ceiling_device *d, ceiling_kind kind) {
    const unsigned blocks = (unsigned)(d->threads / THREADS);
    const uint32_t rounds = d->rounds[kind], factor = LCG_MULTIPLIER;
    switch (kind) {
    case CEILING_LOGIC:
        return logic<<<blocks, THREADS>>>(d->results, rounds);
    case CEILING_MULTIPLY_ADD:
        return multiply_add<<<blocks, THREADS>>>(d->results, rounds, factor);
    case CEILING_WIDE_MULTIPLY_ADD:
        return wide_multiply_add<<<blocks, THREADS>>>(d->results, rounds, factor);
    case CEILING_MIX:
        return mix<<<blocks, THREADS>>>(d->results, rounds, factor);
    case CEILING_PLANES:
        return planes<<<blocks, THREADS>>>(d->results, rounds, CEILING_BRANCH);
    case CEILING_PHILOX:
        return philox<<<blocks, THREADS>>>(d->results, rounds);
    case CEILING_COPY:
        return copy<<<(unsigned)(d->copied / 4 / COPY_EACH / THREADS), THREADS>>>(
            (const uint4 *)d->from, (uint4 *)d->to);
    case CEILING_L2_READ:
        return l2_read<<<blocks, THREADS>>>(d->results, (const uint4 *)d->from, d->l2 / 4, rounds);
    case CEILING_SHARED_READ:
        return shared_read<<<blocks, THREADS>>>(d->results, rounds, THREADS);
    case CEILINGS:
        return;
    }
}

int ceiling_run(ceiling_device *d, ceiling_kind kind, double *seconds, uint32_t *results,
                char *reason, size_t size) {
    cudaEvent_t begin = NULL, end = NULL;
    float ms = 0;
    cudaError_t error = cudaEventCreate(&begin);
    if (!error)
        error = cudaEventCreate(&end);
    if (!error)
        error = cudaMemset(d->to, 0, d->copied * sizeof *d->to);
    if (!error)
        error = cudaMemset(d->results, 0, d->threads * sizeof *d->results);
    if (!error)
        error = cudaEventRecord(begin);
    launch(d, kind);
    if (!error)
        error = cudaEventRecord(end);
    if (kind == CEILING_COPY)
        add_up<<<(unsigned)(d->threads / THREADS), THREADS>>>(d->results, d->to, d->copied);
    if (!error)
        error = cudaGetLastError();
    if (!error)
        error =
            cudaMemcpy(results, d->results, d->threads * sizeof *results, cudaMemcpyDeviceToHost);
    if (!error)
        error = cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    *seconds = 1e-3 * (double)ms;
    return error ? failure(error, "the measurement", reason, size) : 0;
}

void ceiling_close(ceiling_device *d) {
    cudaFree(d->results);
    cudaFree(d->from);
    cudaFree(d->to);
}
