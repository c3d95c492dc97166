/* The kernel of curand_sweep.h, its twin, and the populations of both. */
#include "perf/curand/curand_generators.cuh"
#include "perf/open_gpu.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A lattice of edge 2^(bits + 1): rows of 2^bits pairs. */
SHARED_FUNCTION uint32_t bits_of(uint32_t edge) {
    return edge == 32 ? 4 : edge == 64 ? 5 : 6;
}

/* The four neighbours of site i of a sub-lattice, all of the other one: their sum. */
SHARED_FUNCTION int around(const int8_t *other, uint32_t bits, uint32_t sublattice, uint32_t i) {
    const uint32_t pairs = 1u << bits, half = pairs << (bits + 1), row = i & ~(pairs - 1);
    const uint32_t right = ((i >> bits) + sublattice) % 2; /* x is odd: the other pair is j + 1 */
    const uint32_t beside = row | ((i + (right ? 1 : pairs - 1)) & (pairs - 1));
    return other[i] + other[beside] + other[(i + pairs) & (half - 1)] +
           other[(i + half - pairs) & (half - 1)];
}

/* Metropolis' rule. */
SHARED_FUNCTION void update(int8_t *spins, uint32_t bits, uint32_t sublattice, uint32_t i,
                            uint32_t number, const uint32_t threshold[2]) {
    const uint32_t half = 2u << 2 * bits;
    int8_t *const spin = spins + sublattice * half + i;
    const int aligned = *spin * around(spins + (1 - sublattice) * half, bits, sublattice, i);
    if (aligned <= 0 || number < (aligned == 2 ? threshold[0] : threshold[1]))
        *spin = (int8_t) - *spin;
}

/* The sum of s s' over the bonds of site i of sub-lattice 0: those of all are all bonds. */
SHARED_FUNCTION int bonds_of(const int8_t *spins, uint32_t bits, uint32_t i) {
    return spins[i] * around(spins + (2u << 2 * bits), bits, 0, i);
}

/* --- the kernel --- */

template <class G> static __global__ void seed_states(typename G::state *states, uint64_t seed) {
    G::seed(&states[blockIdx.x * SWEEP_THREADS + threadIdx.x], seed, blockIdx.x, threadIdx.x);
}

static __device__ void copy_lattice(void *to, const void *from, uint32_t bytes) {
    for (uint32_t n = threadIdx.x; n < bytes / sizeof(uint4); n += SWEEP_THREADS)
        ((uint4 *)to)[n] = ((const uint4 *)from)[n];
    __syncthreads();
}

template <class G, uint32_t BITS>
static __global__ void __launch_bounds__(SWEEP_THREADS)
    sweep_kernel(typename G::state *states, int8_t *population, int32_t *bonds, sweep_task task,
                 uint32_t sweeps) {
    constexpr uint32_t half = 2u << 2 * BITS;
    __shared__ alignas(16) int8_t spins[2 * half];
    __shared__ typename G::pool pool;
    __shared__ int32_t sum;
    G generator;
    generator.load(states + blockIdx.x * G::states, &pool);
    for (uint32_t replica = blockIdx.x; replica < task.replicas; replica += gridDim.x) {
        int8_t *const home = population + (size_t)replica * 2 * half;
        copy_lattice(spins, home, 2 * half);
        for (uint32_t n = 0; n < 2 * sweeps; n++) {
#pragma unroll 4
            for (uint32_t i = threadIdx.x; i < half; i += SWEEP_THREADS)
                update(spins, BITS, n % 2, i, generator.next(), task.threshold);
            __syncthreads();
        }
        int mine = 0;
        for (uint32_t i = threadIdx.x; i < half; i += SWEEP_THREADS)
            mine += bonds_of(spins, BITS, i);
        if (threadIdx.x == 0)
            sum = 0;
        __syncthreads();
        atomicAdd(&sum, mine);
        copy_lattice(home, spins, 2 * half);
        if (threadIdx.x == 0)
            bonds[replica] = sum;
    }
    generator.store(states + blockIdx.x * G::states);
}

/* --- the twin --- */

template <class G>
static void twin_block(typename G::state *states, int8_t *population, int32_t *bonds,
                       const sweep_task *task, uint32_t block, uint32_t sweeps) {
    const uint32_t bits = bits_of(task->edge), half = 2u << 2 * bits;
    for (uint32_t replica = block; replica < task->replicas; replica += task->blocks) {
        int8_t *const spins = population + (size_t)replica * 2 * half;
        for (uint32_t n = 0; n < 2 * sweeps; n++)
            for (uint32_t i = 0; i < half; i += SWEEP_THREADS) {
                uint32_t numbers[SWEEP_THREADS];
                G::draw(states + block * G::states, numbers);
                for (uint32_t t = 0; t < SWEEP_THREADS; t++)
                    update(spins, bits, n % 2, i + t, numbers[t], task->threshold);
            }
        bonds[replica] = 0;
        for (uint32_t i = 0; i < half; i++)
            bonds[replica] += bonds_of(spins, bits, i);
    }
}

/* --- populations --- */

struct sweep_population {
    sweep_generator generator;
    bool on_gpu;
    sweep_task task;
    void *states; /* these four on the GPU, or on the host */
    int8_t *spins;
    int32_t *bonds;
    mtgp32_kernel_params_t *tables;
    cudaEvent_t begin, end;
};

int sweep_open(int number, char *name, char *reason, size_t size) {
    return open_gpu(number, name, reason, size);
}

static size_t spins_of(const sweep_task *task) {
    return (size_t)task->replicas * task->edge * task->edge;
}

static cudaError_t allocate(void *memory, bool on_gpu, size_t bytes) {
    void **const place = (void **)memory;
    if (on_gpu)
        return cudaMalloc(place, bytes);
    *place = malloc(bytes);
    return *place ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* The kernel of a generator for a lattice of some edge. */
template <class G> static decltype(&sweep_kernel<G, 4>) kernel_for(uint32_t edge) {
    return edge == 32 ? sweep_kernel<G, 4> : edge == 64 ? sweep_kernel<G, 5> : sweep_kernel<G, 6>;
}

/* As many blocks as the GPU holds at a time. */
template <class G> static cudaError_t count_blocks(sweep_task *task) {
    int device, each = 0;
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDevice(&device);
    if (!error)
        error = cudaGetDeviceProperties(&properties, device);
    if (!error)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel_for<G>(task->edge),
                                                              SWEEP_THREADS, 0);
    if (!error)
        task->blocks = (uint32_t)(each * properties.multiProcessorCount);
    return error;
}

template <class G> struct seeding { /* by each thread for itself */
    static cudaError_t seed(sweep_population *p) {
        typename G::state *const states = (typename G::state *)p->states;
        if (p->on_gpu) {
            seed_states<G><<<p->task.blocks, SWEEP_THREADS>>>(states, p->task.seed);
            return cudaGetLastError();
        }
        for (uint32_t n = 0; n < p->task.blocks * SWEEP_THREADS; n++)
            G::seed(&states[n], p->task.seed, n / SWEEP_THREADS, n % SWEEP_THREADS);
        return cudaSuccess;
    }
};

template <> struct seeding<mtgp32> { /* on the host */
    static cudaError_t seed(sweep_population *p) {
        const size_t bytes = p->task.blocks * sizeof(mtgp32::state);
        mtgp32_kernel_params_t tables;
        mtgp32::state *const states = (mtgp32::state *)calloc(1, bytes);
        cudaError_t error = states ? cudaSuccess : cudaErrorMemoryAllocation;
        fill_tables(&tables);
        for (uint32_t b = 0; b < p->task.blocks && !error; b++)
            mtgp32::seed(&states[b], p->task.seed, b, p->tables);
        const cudaMemcpyKind way = p->on_gpu ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
        if (!error && p->on_gpu) {
            error = cudaMemcpy(p->states, states, bytes, way);
            if (!error)
                error = cudaMemcpy(p->tables, &tables, sizeof tables, way);
        } else if (!error) {
            memcpy(p->states, states, bytes);
            memcpy(p->tables, &tables, sizeof tables);
        }
        free(states);
        return error;
    }
};

template <class G> static cudaError_t create(sweep_population *p) {
    cudaError_t error = p->task.blocks == 0 ? count_blocks<G>(&p->task) : cudaSuccess;
    if (!error)
        error =
            allocate(&p->states, p->on_gpu, p->task.blocks * G::states * sizeof(typename G::state));
    if (!error)
        error = allocate(&p->spins, p->on_gpu, spins_of(&p->task));
    if (!error)
        error = allocate(&p->bonds, p->on_gpu, p->task.replicas * sizeof *p->bonds);
    if (!error)
        error = allocate(&p->tables, p->on_gpu, sizeof *p->tables);
    if (!error && p->on_gpu)
        error = cudaMemset(p->spins, 1, spins_of(&p->task));
    else if (!error)
        memset(p->spins, 1, spins_of(&p->task));
    if (!error && p->on_gpu)
        error = cudaEventCreate(&p->begin);
    if (!error && p->on_gpu)
        error = cudaEventCreate(&p->end);
    return error ? error : seeding<G>::seed(p);
}

template <class G> static cudaError_t step(sweep_population *p, uint32_t sweeps) {
    typename G::state *const states = (typename G::state *)p->states;
    if (!p->on_gpu) {
        for (uint32_t block = 0; block < p->task.blocks; block++)
            twin_block<G>(states, p->spins, p->bonds, &p->task, block, sweeps);
        return cudaSuccess;
    }
    cudaEventRecord(p->begin, NULL);
    kernel_for<G>(p->task.edge)<<<p->task.blocks, SWEEP_THREADS>>>(states, p->spins, p->bonds,
                                                                   p->task, sweeps);
    cudaEventRecord(p->end, NULL);
    return cudaGetLastError();
}

/* What there is of each generator. */
static const struct {
    cudaError_t (*create)(sweep_population *);
    cudaError_t (*step)(sweep_population *, uint32_t);
    double bytes;
} ways[SWEEP_GENERATORS] = {
    {create<philox>, step<philox>, sizeof(philox::state)},
    {create<xorwow>, step<xorwow>, sizeof(xorwow::state)},
    {create<mrg32k3a>, step<mrg32k3a>, sizeof(mrg32k3a::state)},
    {create<mtgp32>, step<mtgp32>, sizeof(mtgp32::state) / (double)SWEEP_THREADS},
    {create<control>, step<control>, sizeof(control::state)}};

double sweep_state_bytes(sweep_generator generator) {
    return ways[generator].bytes;
}

sweep_population *sweep_create(sweep_generator generator, bool on_gpu, const sweep_task *task,
                               char *reason, size_t size) {
    sweep_population *const p = (sweep_population *)calloc(1, sizeof *p);
    if (!p) {
        failed("a population", cudaErrorMemoryAllocation, reason, size);
        return NULL;
    }
    p->generator = generator;
    p->on_gpu = on_gpu;
    p->task = *task;
    const cudaError_t error = ways[generator].create(p);
    if (!error)
        return p;
    failed("a population", error, reason, size);
    sweep_destroy(p);
    return NULL;
}

void sweep_destroy(sweep_population *p) {
    if (!p)
        return;
    void *const parts[] = {p->states, p->spins, p->bonds, p->tables};
    for (void *part : parts)
        if (p->on_gpu)
            cudaFree(part);
        else
            free(part);
    if (p->begin)
        cudaEventDestroy(p->begin);
    if (p->end)
        cudaEventDestroy(p->end);
    free(p);
}

int sweep_step(sweep_population *p, uint32_t sweeps, int32_t *bonds, double *seconds, char *reason,
               size_t size) {
    const size_t bytes = p->task.replicas * sizeof *bonds;
    float ms = 0;
    cudaError_t error = ways[p->generator].step(p, sweeps);
    if (!error && p->on_gpu) {
        error = cudaMemcpy(bonds, p->bonds, bytes, cudaMemcpyDeviceToHost);
        if (!error)
            error = cudaEventElapsedTime(&ms, p->begin, p->end);
    } else if (!error) {
        memcpy(bonds, p->bonds, bytes);
    }
    *seconds = 1e-3 * ms;
    return error ? failed("the sweeps", error, reason, size) : 0;
}

int sweep_spins(sweep_population *p, int8_t *spins, char *reason, size_t size) {
    if (!p->on_gpu) {
        memcpy(spins, p->spins, spins_of(&p->task));
        return 0;
    }
    const cudaError_t error =
        cudaMemcpy(spins, p->spins, spins_of(&p->task), cudaMemcpyDeviceToHost);
    return error ? failed("the spins", error, reason, size) : 0;
}
