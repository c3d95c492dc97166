/* The engine for a GPU: memory, launches, and who analyses. Moves are made as moves.cuh says. */
#include "analyses.cuh"

#include <cuda_runtime.h>
#include <stdlib.h>

/* Macroupdates of a launch at most, so that 32 bits count its batches. */
#define LONGEST_LAUNCH 64u

typedef struct {
    helium_engine common;
    move_request request;
    uint32_t walkers_of_launch;
    helium_analyst analyst;
    uint32_t *slot[2]; /* pinned, coordinates that the host analyses, used in turn; or NULL */
    cudaEvent_t filled[2];
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

/* Moves and analyses on the device, without waiting. */
static cudaError_t run_on_device(cuda_engine *e, uint32_t times, uint32_t macroupdates,
                                 bool analyses) {
    cudaError_t error = cudaSuccess;
    for (uint32_t t = 0; t < times && !error; t++) {
        error = launch_moves(e, macroupdates);
        if (!error && analyses)
            error = launch_analysis(e, e->analysis + (size_t)t * e->common.system->p.walkers);
    }
    return error;
}

/* Copies the walkers to a slot behind the moves that are queued. */
static cudaError_t fill_slot(cuda_engine *e, uint32_t slot) {
    const helium_parameters *const p = &e->common.system->p;
    const size_t bytes = (size_t)3 * p->atoms * sizeof(uint32_t);
    const cudaError_t error =
        cudaMemcpy2DAsync(e->slot[slot], bytes, e->request.coordinate, e->request.blocks * bytes,
                          bytes, p->walkers, cudaMemcpyDeviceToHost, 0);
    return error ? error : cudaEventRecord(e->filled[slot], 0);
}

/* Moves on the device, analyses by the host. The masked host queues the moves before analysis t + 1, and analyses t meanwhile. */
static cudaError_t run_with_host(cuda_engine *e, uint32_t times, uint32_t macroupdates,
                                 helium_analysis *analysis, uint64_t *radial) {
    const helium_system *const s = e->common.system;
    const uint32_t walkers = s->p.walkers, lead = e->analyst == HELIUM_BY_HOST_MASKED ? 1 : 0;
    cudaError_t error = cudaSuccess;
    for (uint32_t t = 0; t < times + lead && !error; t++) {
        if (t < times) {
            error = launch_moves(e, macroupdates);
            if (!error) {
                note_accepted<<<(walkers + PAIRS - 1) / PAIRS, PAIRS>>>(
                    walkers, e->accepted, e->analysis + (size_t)t * walkers);
                error = fill_slot(e, t % 2);
            }
        }
        if (!error && t >= lead) {
            error = cudaEventSynchronize(e->filled[(t - lead) % 2]);
            helium_analyse(s, e->slot[(t - lead) % 2], analysis + (size_t)(t - lead) * walkers,
                           radial);
        }
    }
    return error ? error
                 : cudaMemcpy2D(&analysis->accepted, sizeof *analysis, &e->analysis->accepted,
                                sizeof *analysis, sizeof analysis->accepted,
                                (size_t)times * walkers, cudaMemcpyDeviceToHost);
}

static bool run(helium_engine *engine, uint32_t times, uint32_t macroupdates,
                helium_analysis *analysis, uint64_t *radial) {
    cuda_engine *const e = (cuda_engine *)engine;
    const uint32_t walkers = engine->system->p.walkers;
    const bool by_device = e->analyst == HELIUM_BY_DEVICE;
    uint64_t bins[HELIUM_RADIAL_BINS] = {0};
    cudaError_t error = cudaMemsetAsync(e->accepted, 0, walkers * sizeof *e->accepted);
    if (!error)
        error = cudaMemsetAsync(e->radial, 0, sizeof bins);
    if (!error && analysis != NULL)
        error = make_room(e, times);
    if (!error)
        error = analysis == NULL || by_device
                    ? run_on_device(e, times, macroupdates, analysis != NULL)
                    : run_with_host(e, times, macroupdates, analysis, radial);
    if (!error && analysis != NULL && by_device)
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
    for (int n = 0; n < 2; n++) {
        cudaFreeHost(e->slot[n]);
        if (e->filled[n] != NULL)
            cudaEventDestroy(e->filled[n]);
    }
    free(e);
}

/* The blocks of a walker: as many as the GPU has multiprocessors for, but with 64 atoms each; at least as many as shared memory
 * asks for. */
static cudaError_t choose_blocks(uint32_t *blocks, const helium_parameters *p,
                                 const cudaDeviceProp *device) {
    cudaFuncAttributes kernel;
    const cudaError_t error = cudaFuncGetAttributes(&kernel, move_atoms);
    if (error)
        return error;
    const size_t room = device->sharedMemPerBlockOptin - kernel.sharedSizeBytes;
    const uint32_t largest = (uint32_t)(room / (3 * sizeof(uint32_t)));
    const uint32_t least = (p->atoms + largest - 1) / largest, most = (p->atoms + 63) / 64;
    const uint32_t wanted = (uint32_t)device->multiProcessorCount / p->walkers;
    *blocks = wanted < most ? wanted : most;
    *blocks = *blocks > least ? *blocks : least;
    return cudaSuccess;
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
    for (int n = 0; n < 2 && !error && e->analyst != HELIUM_BY_DEVICE; n++) {
        error = cudaMallocHost(&e->slot[n], walkers * 3 * s->p.atoms * sizeof(uint32_t));
        if (!error)
            error = cudaEventCreateWithFlags(&e->filled[n], cudaEventDisableTiming);
    }
    return error ? error : cudaMemcpy(e->table, s->table, table, cudaMemcpyHostToDevice);
}

extern "C" helium_engine *helium_cuda_create(const helium_system *s, int device, uint32_t blocks,
                                             helium_analyst analyst) {
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
    e->analyst = analyst;
    e->request.h = s->constants;
    e->request.blocks = blocks;
    if (blocks == 0)
        error = choose_blocks(&e->request.blocks, &s->p, &properties);
    if (!error) {
        e->request.share = (s->p.atoms + e->request.blocks - 1) / e->request.blocks;
        e->dynamic = (size_t)3 * e->request.share * sizeof(uint32_t);
        error = allocate(e, (uint32_t)properties.multiProcessorCount);
    }
    if (error) {
        complain(STATUS_REFUSED, "--device cuda:%d: %u walkers of %u atoms in %u blocks each: %s",
                 device, s->p.walkers, s->p.atoms, e->request.blocks, cudaGetErrorString(error));
        destroy(&e->common);
        return NULL;
    }
    return &e->common;
}
