/* The engine for a GPU. A walker has one thread block or several, each with a share of its atoms in shared memory.
 *
 * Moves are made in batches of up to 32 proposals, each by a warp, whose lanes take the atoms of the share. All proposals of a
 * batch are first held against the places before the batch; a proposal whose atom is in the batch already begins the next one.
 * What an accepted move changes in the sums of later proposals of its batch is a correction, and all are computed at the same
 * time, for each pair of proposals. Then one warp decides them in turn. So a batch costs one synchronisation, and the results
 * are those of moves one by one.
 *
 * With several blocks a walker, each writes its partial sums to global memory and waits until all have; then each makes the same
 * decisions. Partial sums have two places, used in turn: nobody writes over what another may still read.
 *
 * A pair of atoms costs about 40 instructions; a macroupdate is 2 N^2 pairs. */
#include "arithmetic.h"

extern "C" {
#include "engine.h"
}

#include <cuda_runtime.h>
#include <stdlib.h>

#define BATCH 32
#define THREADS                                                                                    \
    (32 * BATCH)          /* of a block that moves atoms; proposals are drawn for as many updates */
#define PAIRS 128         /* threads of a block that sums over pairs, and atoms of a tile */
#define EVERY 0xffffffffu /* lanes */

/* Atoms of a block at most, by the size of shared memory. */
#define LARGEST_SHARE 16384u
/* Macroupdates of a launch at most, so that 32 bits count its batches. */
#define LONGEST_LAUNCH 64u

typedef unsigned long long uint64_atomic;

/* What a launch is told. */
typedef struct {
    helium_constants h;
    uint32_t blocks, share;  /* of a walker; atoms of a block */
    uint32_t first_walker;   /* of this launch */
    uint32_t *coordinate;    /* [walkers][blocks][3][atoms]: each block has a copy of its own */
    longlong2 *partial;      /* [walkers][2][blocks][BATCH]: repulsions before and after */
    uint32_t *arrivals;      /* [walkers]: batches finished by blocks since the launch */
    uint64_t first, updates; /* number of the first update; how many */
} move_request;

/* --- Moves --- */

typedef struct {
    helium_proposal proposal[THREADS];
    uint32_t from[BATCH][3], to[BATCH][3];
    int32_t before[BATCH][BATCH], after[BATCH][BATCH]; /* corrections [accepted][later] */
    longlong2 sum[BATCH];                              /* of the only block of a walker */
    uint32_t size;                                     /* proposals of the batch */
} block_memory;

static __device__ int64_t sum_of_warp(int64_t x) {
    for (int distance = 16; distance > 0; distance /= 2)
        x += __shfl_down_sync(EVERY, x, distance);
    return x;
}

static __device__ int32_t repulsion_between(float scale, const uint32_t a[3], const uint32_t b[3]) {
    return helium_repulsion(scale, (int32_t)(a[0] - b[0]), (int32_t)(a[1] - b[1]),
                            (int32_t)(a[2] - b[2]));
}

/* Warp 0: the batch that begins at proposal `begin` of `end`. */
static __device__ void begin_batch(block_memory *m, const uint32_t *own, uint32_t atoms,
                                   uint32_t begin, uint32_t end) {
    const uint32_t lane = threadIdx.x, n = begin + lane;
    const uint32_t atom = n < end ? m->proposal[n].atom : ~lane;
    const uint32_t earlier = __match_any_sync(EVERY, atom) & ((1u << lane) - 1);
    const uint32_t stops = __ballot_sync(EVERY, n >= end || earlier != 0);
    const uint32_t size = stops == 0 ? BATCH : (uint32_t)__ffs((int)stops) - 1;
    if (lane < size)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t from = own[k * atoms + atom];
            m->from[lane][k] = from;
            m->to[lane][k] = from + (uint32_t)m->proposal[n].by[k];
        }
    if (lane == 0)
        m->size = size;
}

/* A warp: repulsions of a proposal with the atoms of the share; valid in lane 0. */
static __device__ longlong2 sum_share(float scale, const uint32_t *x, const uint32_t *y,
                                      const uint32_t *z, uint32_t atoms, uint32_t itself,
                                      const uint32_t from[3], const uint32_t to[3]) {
    const uint32_t a0 = from[0], a1 = from[1], a2 = from[2], b0 = to[0], b1 = to[1], b2 = to[2];
    int64_t before = 0, after = 0;
#pragma unroll 2
    for (uint32_t j = threadIdx.x % 32; j < atoms; j += 32) {
        const int32_t old = helium_repulsion(scale, (int32_t)(x[j] - a0), (int32_t)(y[j] - a1),
                                             (int32_t)(z[j] - a2));
        const int32_t now = helium_repulsion(scale, (int32_t)(x[j] - b0), (int32_t)(y[j] - b1),
                                             (int32_t)(z[j] - b2));
        before += j == itself ? 0 : old;
        after += j == itself ? 0 : now;
    }
    return make_longlong2(sum_of_warp(before), sum_of_warp(after));
}

/* Thread 0: waits until all blocks of the walker have finished so many batches. */
static __device__ void meet(uint32_t *arrivals, uint32_t expected) {
    __threadfence();
    atomicAdd(arrivals, 1);
    while (*(volatile uint32_t *)arrivals < expected)
        ;
    __threadfence();
}

/* Warp 0: decides the batch in turn. Returns the accepted proposals, a bit each. */
static __device__ uint32_t decide(const block_memory *m, longlong2 sum, int64_t bound,
                                  uint32_t size) {
    const uint32_t lane = threadIdx.x;
    uint32_t accepted = 0;
    for (uint32_t n = 0; n < size; n++) {
        const uint32_t now = __ballot_sync(EVERY, lane == n && helium_accepts(sum.x, sum.y, bound));
        accepted |= now;
        if (now != 0 && lane > n && lane < size) {
            sum.x += m->before[n][lane];
            sum.y += m->after[n][lane];
        }
    }
    return accepted;
}

/* accepted[walkers] counts. */
static __global__ void __launch_bounds__(THREADS)
    move_atoms(const move_request r, uint64_t *accepted) {
    extern __shared__ uint32_t share[];
    __shared__ block_memory m;
    const uint32_t atoms = r.h.atoms, part = blockIdx.x % r.blocks;
    const uint32_t walker = r.first_walker + blockIdx.x / r.blocks;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t begin = part * r.share;
    const uint32_t mine = begin < atoms ? min(r.share, atoms - begin) : 0;
    uint32_t *const own = r.coordinate + ((size_t)walker * r.blocks + part) * 3 * atoms;
    uint32_t *const x = share, *const y = x + r.share, *const z = y + r.share;
    for (uint32_t j = threadIdx.x; j < mine; j += THREADS)
        for (uint32_t k = 0; k < 3; k++)
            share[k * r.share + j] = own[k * atoms + begin + j];
    uint32_t batches = 0, moved = 0;
    for (uint64_t done = 0; done < r.updates; done += THREADS) {
        const uint32_t end = (uint32_t)min((uint64_t)THREADS, r.updates - done);
        const uint64_t n = r.first + done + threadIdx.x;
        __syncthreads();
        m.proposal[threadIdx.x] = helium_propose(
            &r.h, stream_draw(r.h.key, STREAM_HELIUM, 0, walker, (uint32_t)(n >> 32), (uint32_t)n),
            stream_draw(r.h.key, STREAM_HELIUM, 1, walker, (uint32_t)(n >> 32), (uint32_t)n));
        __syncthreads();
        for (uint32_t at = 0, size; at < end; at += size) {
            if (warp == 0)
                begin_batch(&m, own, atoms, at, end);
            __syncthreads();
            size = m.size;
            longlong2 *const partial =
                r.partial + (((size_t)walker * 2 + batches % 2) * r.blocks) * BATCH;
            if (warp < size) {
                const longlong2 sum =
                    sum_share(r.h.repulsion, x, y, z, mine, m.proposal[at + warp].atom - begin,
                              m.from[warp], m.to[warp]);
                if (lane == 0 && r.blocks == 1)
                    m.sum[warp] = sum;
                else if (lane == 0)
                    __stcg(&partial[part * BATCH + warp], sum);
                if (lane > warp && lane < size) {
                    m.before[warp][lane] =
                        repulsion_between(r.h.repulsion, m.from[lane], m.to[warp]) -
                        repulsion_between(r.h.repulsion, m.from[lane], m.from[warp]);
                    m.after[warp][lane] =
                        repulsion_between(r.h.repulsion, m.to[lane], m.to[warp]) -
                        repulsion_between(r.h.repulsion, m.to[lane], m.from[warp]);
                }
            }
            batches++;
            __syncthreads();
            if (warp != 0)
                continue;
            longlong2 sum = lane < size && r.blocks == 1 ? m.sum[lane] : make_longlong2(0, 0);
            if (r.blocks > 1) {
                if (lane == 0)
                    meet(&r.arrivals[walker], batches * r.blocks);
                __syncwarp();
                for (uint32_t b = 0; lane < size && b < r.blocks; b++) {
                    const longlong2 s = __ldcg(&partial[b * BATCH + lane]);
                    sum.x += s.x;
                    sum.y += s.y;
                }
            }
            const helium_proposal p = m.proposal[min(at + lane, THREADS - 1u)];
            const uint32_t yes = decide(&m, sum, p.bound, size);
            moved += __popc(yes);
            if (yes >> lane & 1)
                for (uint32_t k = 0; k < 3; k++) {
                    own[k * atoms + p.atom] = m.to[lane][k];
                    if (p.atom - begin < mine)
                        share[k * r.share + p.atom - begin] = m.to[lane][k];
                }
            __syncwarp();
        }
    }
    if (threadIdx.x == 0 && part == 0)
        accepted[walker] += moved;
}

/* --- Analyses --- */

static __device__ void add_64(int64_t *to, int64_t x) {
    atomicAdd((uint64_atomic *)to, (uint64_atomic)x);
}

/* Blocks (tiles of atoms, walkers); a thread has an atom, and the partners come by tiles. */
static __global__ void __launch_bounds__(PAIRS)
    sum_pairs(const helium_constants h, const helium_cubic *table, const uint32_t *coordinate,
              size_t pitch, helium_analysis *analysis, uint64_atomic *radial) {
    __shared__ uint32_t tile[3][PAIRS], bins[HELIUM_RADIAL_BINS + 1];
    const uint32_t i = blockIdx.x * PAIRS + threadIdx.x, atoms = h.atoms;
    const uint32_t *const place = coordinate + blockIdx.y * pitch;
    helium_analysis *const a = &analysis[blockIdx.y];
    for (uint32_t bin = threadIdx.x; bin < HELIUM_RADIAL_BINS; bin += PAIRS)
        bins[bin] = 0;
    uint32_t at[3] = {0, 0, 0};
    for (uint32_t k = 0; k < 3 && i < atoms; k++)
        at[k] = place[k * atoms + i];
    helium_atom_sums s = {0, 0, {0, 0, 0}};
    for (uint32_t begin = 0; begin < atoms; begin += PAIRS) {
        const uint32_t n = min((uint32_t)PAIRS, atoms - begin);
        __syncthreads();
        for (uint32_t k = 0; k < 3 && threadIdx.x < n; k++)
            tile[k][threadIdx.x] = place[k * atoms + begin + threadIdx.x];
        __syncthreads();
        for (uint32_t j = 0; j < n && i < atoms; j++) {
            if (begin + j == i)
                continue;
            const uint32_t bin =
                helium_add_partner(&s, &h, table, (int32_t)(tile[0][j] - at[0]),
                                   (int32_t)(tile[1][j] - at[1]), (int32_t)(tile[2][j] - at[2]));
            if (bin < HELIUM_RADIAL_BINS)
                atomicAdd(&bins[bin], 1);
        }
    }
    const int64_t potential = sum_of_warp(s.potential), laplacian = sum_of_warp(s.laplacian);
    const int64_t square = sum_of_warp(helium_square(&s));
    if (threadIdx.x % 32 == 0) {
        add_64(&a->sums.potential, potential);
        add_64(&a->sums.laplacian, laplacian);
        add_64(&a->sums.square, square);
    }
    __syncthreads();
    for (uint32_t bin = threadIdx.x; bin < HELIUM_RADIAL_BINS; bin += PAIRS)
        if (bins[bin] != 0)
            atomicAdd(&radial[bin], (uint64_atomic)bins[bin]);
}

/* Blocks (waves, walkers). */
static __global__ void __launch_bounds__(PAIRS)
    sum_waves(uint32_t atoms, const uint32_t *coordinate, size_t pitch, helium_analysis *analysis) {
    const uint32_t wave = blockIdx.x;
    const uint32_t *const x = coordinate + blockIdx.y * pitch + wave / HELIUM_WAVE_NUMBERS * atoms;
    int64_t sum[2] = {0, 0};
    for (uint32_t i = threadIdx.x; i < atoms; i += PAIRS)
        helium_add_wave(sum, (wave % HELIUM_WAVE_NUMBERS + 1) * x[i]);
    for (int k = 0; k < 2; k++) {
        const int64_t of_warp = sum_of_warp(sum[k]);
        if (threadIdx.x % 32 == 0)
            add_64(&analysis[blockIdx.y].structure[wave][k], of_warp);
    }
}

static __global__ void note_accepted(uint32_t walkers, uint64_t *accepted,
                                     helium_analysis *analysis) {
    const uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w < walkers) {
        analysis[w].accepted = accepted[w];
        accepted[w] = 0;
    }
}

/* --- The engine --- */

typedef struct {
    helium_engine common;
    move_request request;
    uint32_t walkers_of_launch;
    size_t dynamic; /* bytes of shared memory for a share */
    helium_cubic *table;
    uint64_t *accepted; /* [walkers] */
    uint64_atomic *radial;
    helium_analysis *analysis; /* [capacity][walkers] */
    uint32_t capacity;
} cuda_engine;

static bool failed(cudaError_t error) {
    if (error == cudaSuccess)
        return false;
    complain(STATUS_FAILED, "CUDA: %s", cudaGetErrorString(error));
    return true;
}

/* Blocks that wait for each other must all run at the same time: a launch has no more walkers than that. */
static cudaError_t launch_walkers(cuda_engine *e, move_request r) {
    const uint32_t walkers = e->common.system->p.walkers;
    cudaError_t error = cudaMemsetAsync(r.arrivals, 0, walkers * sizeof *r.arrivals);
    for (uint32_t w = 0; w < walkers && !error; w += e->walkers_of_launch) {
        const uint32_t left = walkers - w;
        const dim3 grid((left < e->walkers_of_launch ? left : e->walkers_of_launch) * r.blocks);
        r.first_walker = w;
        void *arguments[] = {&r, &e->accepted};
        error = r.blocks > 1 ? cudaLaunchCooperativeKernel((const void *)move_atoms, grid,
                                                           dim3(THREADS), arguments, e->dynamic, 0)
                             : cudaLaunchKernel((const void *)move_atoms, grid, dim3(THREADS),
                                                arguments, e->dynamic, 0);
    }
    return error;
}

static cudaError_t launch_moves(cuda_engine *e, uint32_t macroupdates) {
    move_request r = e->request;
    cudaError_t error = cudaSuccess;
    for (uint32_t left = macroupdates, now; left > 0 && !error; left -= now) {
        now = left < LONGEST_LAUNCH ? left : LONGEST_LAUNCH;
        r.first = e->common.updates;
        r.updates = (uint64_t)now * r.h.atoms;
        e->common.updates += r.updates;
        error = launch_walkers(e, r);
    }
    return error;
}

static cudaError_t launch_analysis(cuda_engine *e, helium_analysis *analysis) {
    const helium_parameters *const p = &e->common.system->p;
    const move_request *const r = &e->request;
    const size_t pitch = (size_t)r->blocks * 3 * p->atoms;
    note_accepted<<<(p->walkers + PAIRS - 1) / PAIRS, PAIRS>>>(p->walkers, e->accepted, analysis);
    sum_pairs<<<dim3((p->atoms + PAIRS - 1) / PAIRS, p->walkers), PAIRS>>>(
        r->h, e->table, r->coordinate, pitch, analysis, e->radial);
    sum_waves<<<dim3(3 * HELIUM_WAVE_NUMBERS, p->walkers), PAIRS>>>(p->atoms, r->coordinate, pitch,
                                                                    analysis);
    return cudaGetLastError();
}

/* Room for the analyses of `times`, cleared. */
static cudaError_t make_room(cuda_engine *e, uint32_t times) {
    const size_t bytes = sizeof *e->analysis * times * e->common.system->p.walkers;
    cudaError_t error = cudaSuccess;
    if (times > e->capacity) {
        cudaFree(e->analysis);
        e->analysis = NULL;
        error = cudaMalloc(&e->analysis, bytes);
        e->capacity = error ? 0 : times;
    }
    return error ? error : cudaMemsetAsync(e->analysis, 0, bytes);
}

static bool run(helium_engine *engine, uint32_t times, uint32_t macroupdates,
                helium_analysis *analysis, uint64_t *radial) {
    cuda_engine *const e = (cuda_engine *)engine;
    const uint32_t walkers = engine->system->p.walkers;
    uint64_t bins[HELIUM_RADIAL_BINS];
    cudaError_t error = cudaMemsetAsync(e->accepted, 0, walkers * sizeof *e->accepted);
    if (!error)
        error = cudaMemsetAsync(e->radial, 0, sizeof bins);
    if (!error && analysis != NULL)
        error = make_room(e, times);
    for (uint32_t t = 0; t < times && !error; t++) {
        error = launch_moves(e, macroupdates);
        if (!error && analysis != NULL)
            error = launch_analysis(e, e->analysis + (size_t)t * walkers);
    }
    if (!error && analysis != NULL)
        error = cudaMemcpy(analysis, e->analysis, sizeof *analysis * times * walkers,
                           cudaMemcpyDeviceToHost);
    if (!error)
        error = cudaMemcpy(bins, e->radial, sizeof bins, cudaMemcpyDeviceToHost);
    if (failed(error))
        return false;
    for (uint32_t bin = 0; radial != NULL && bin < HELIUM_RADIAL_BINS; bin++)
        radial[bin] += bins[bin];
    return true;
}

static bool read(helium_engine *engine, uint32_t *coordinate) {
    const cuda_engine *const e = (cuda_engine *)engine;
    const helium_parameters *const p = &engine->system->p;
    const size_t bytes = (size_t)3 * p->atoms * sizeof *coordinate;
    return !failed(cudaMemcpy2D(coordinate, bytes, e->request.coordinate, e->request.blocks * bytes,
                                bytes, p->walkers, cudaMemcpyDeviceToHost));
}

static bool write(helium_engine *engine, const uint32_t *coordinate) {
    const cuda_engine *const e = (cuda_engine *)engine;
    const helium_parameters *const p = &engine->system->p;
    const size_t bytes = (size_t)3 * p->atoms * sizeof *coordinate;
    cudaError_t error = cudaSuccess;
    for (uint32_t b = 0; b < e->request.blocks && !error; b++)
        error = cudaMemcpy2D(e->request.coordinate + (size_t)b * 3 * p->atoms,
                             e->request.blocks * bytes, coordinate, bytes, bytes, p->walkers,
                             cudaMemcpyHostToDevice);
    return !failed(error);
}

static void destroy(helium_engine *engine) {
    cuda_engine *const e = (cuda_engine *)engine;
    cudaFree(e->request.coordinate);
    cudaFree(e->request.partial);
    cudaFree(e->request.arrivals);
    cudaFree(e->table);
    cudaFree(e->accepted);
    cudaFree(e->radial);
    cudaFree(e->analysis);
    free(e);
}

/* The blocks of a walker: as many as the GPU has multiprocessors for, but with 64 atoms each; at least what memory asks for. */
static uint32_t choose_blocks(const helium_parameters *p, uint32_t multiprocessors) {
    const uint32_t least = (p->atoms + LARGEST_SHARE - 1) / LARGEST_SHARE;
    const uint32_t wanted = multiprocessors / p->walkers, most = (p->atoms + 63) / 64;
    const uint32_t blocks = wanted < most ? wanted : most;
    return blocks > least ? blocks : least;
}

static cudaError_t allocate(cuda_engine *e, uint32_t multiprocessors) {
    const helium_system *const s = e->common.system;
    const size_t walkers = s->p.walkers, blocks = walkers * e->request.blocks;
    const size_t table = s->constants.table_intervals * sizeof *e->table;
    cudaError_t error = cudaFuncSetAttribute(
        move_atoms, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)e->dynamic);
    int resident = 0;
    if (!error)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, move_atoms, THREADS,
                                                              e->dynamic);
    e->walkers_of_launch = e->request.blocks == 1
                               ? s->p.walkers
                               : (uint32_t)resident * multiprocessors / e->request.blocks;
    if (!error && e->walkers_of_launch == 0)
        error = cudaErrorCooperativeLaunchTooLarge;
    if (!error)
        error = cudaMalloc(&e->request.coordinate, blocks * 3 * s->p.atoms * sizeof(uint32_t));
    if (!error)
        error = cudaMalloc(&e->request.partial, blocks * 2 * BATCH * sizeof(longlong2));
    if (!error)
        error = cudaMalloc(&e->request.arrivals, walkers * sizeof(uint32_t));
    if (!error)
        error = cudaMalloc(&e->table, table);
    if (!error)
        error = cudaMalloc(&e->accepted, walkers * sizeof(uint64_t));
    if (!error)
        error = cudaMalloc(&e->radial, HELIUM_RADIAL_BINS * sizeof(uint64_t));
    return error ? error : cudaMemcpy(e->table, s->table, table, cudaMemcpyHostToDevice);
}

extern "C" helium_engine *helium_cuda_create(const helium_system *s, int device, uint32_t blocks) {
    static const helium_verbs verbs = {run, read, write, destroy};
    cudaDeviceProp properties;
    cudaError_t error = cudaSetDevice(device);
    if (!error)
        error = cudaGetDeviceProperties(&properties, device);
    if (error) {
        complain(STATUS_REFUSED, "--device cuda:%d: %s", device, cudaGetErrorString(error));
        return NULL;
    }
    cuda_engine *const e = (cuda_engine *)calloc(1, sizeof *e);
    if (e == NULL) {
        complain(STATUS_REFUSED, "no memory for an engine");
        return NULL;
    }
    e->common.verbs = &verbs;
    e->common.system = s;
    e->request.h = s->constants;
    e->request.blocks =
        blocks > 0 ? blocks : choose_blocks(&s->p, (uint32_t)properties.multiProcessorCount);
    e->request.share = (s->p.atoms + e->request.blocks - 1) / e->request.blocks;
    e->dynamic = (size_t)3 * e->request.share * sizeof(uint32_t);
    error = allocate(e, (uint32_t)properties.multiProcessorCount);
    if (error) {
        complain(STATUS_REFUSED, "--device cuda:%d: %u walkers of %u atoms in %u blocks each: %s",
                 device, s->p.walkers, s->p.atoms, e->request.blocks, cudaGetErrorString(error));
        destroy(&e->common);
        return NULL;
    }
    return &e->common;
}
