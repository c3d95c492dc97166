/* The engine for a GPU: memory, launches, and who analyses. Moves are made as moves.cuh says. */
#include "moves.cuh"

extern "C" {
#include "base/signals.h"
}

#include <cuda_runtime.h>
#include <stdlib.h>

/* Macroupdates of a launch at most. Atoms are put in order before each, which pays where groups are out of reach. */
static uint32_t longest_launch(uint32_t atoms) {
    return 1 + 8192 / atoms;
}

typedef struct {
    helium_engine common;
    int device;
    helium_analyst analyst;
    move_request request;
    box_cells cells;
    uint32_t *place;   /* request.place, then request.at */
    uint32_t together; /* walkers whose blocks all run at the same time */
    size_t dynamic;    /* bytes of shared memory for a share */
    helium_cubic *table;
    helium_shape *shape;
    helium_analysis *analysis; /* [capacity][walkers] */
    uint32_t capacity;
} cuda_engine;

static bool failed(cudaError_t error) {
    if (error == cudaSuccess)
        return false;
    complain(STATUS_FAILED, "CUDA: %s", cudaGetErrorString(error));
    return true;
}

/* --- Moves --- */

/* Queues moves of walkers r.first_walker .. + walkers-1. */
static cudaError_t launch(cuda_engine *e, move_request r, uint32_t walkers) {
    const dim3 grid(walkers * r.blocks);
    void *arguments[] = {&r};
    return r.blocks > 1 ? cudaLaunchCooperativeKernel((const void *)move_atoms, grid, dim3(THREADS),
                                                      arguments, e->dynamic, 0)
                        : cudaLaunchKernel((const void *)move_atoms, grid, dim3(THREADS), arguments,
                                           e->dynamic, 0);
}

/* Queues what a launch needs: the order of atoms, and sums that are 0. */
static cudaError_t prepare(cuda_engine *e) {
    const uint32_t walkers = e->common.system->p.walkers;
    const move_request *const r = &e->request;
    order_atoms<<<walkers, ORDER_THREADS>>>(e->cells, r->h.atoms, r->coordinate, e->place,
                                            e->place + (size_t)walkers * r->h.atoms);
    cudaError_t error = cudaGetLastError();
    if (!error)
        error = cudaMemsetAsync(r->arrivals, 0, walkers * sizeof *r->arrivals);
    return error ? error : cudaMemsetAsync(r->sum, 0, (size_t)walkers * 6 * BATCH * sizeof *r->sum);
}

static cudaError_t launch_moves(cuda_engine *e, uint32_t macroupdates) {
    const uint32_t walkers = e->common.system->p.walkers;
    const uint32_t most = e->request.blocks > 1 ? e->together : walkers;
    move_request r = e->request;
    r.slots.coordinate = NULL;
    cudaError_t error = cudaSuccess;
    for (uint32_t left = macroupdates, now; left > 0 && !error && signals_pending() == 0;
         left -= now) {
        now = min(left, longest_launch(r.h.atoms));
        r.first = e->common.updates;
        r.updates = (uint64_t)now * r.h.atoms;
        e->common.updates += r.updates;
        error = prepare(e);
        for (r.first_walker = 0; r.first_walker < walkers && !error; r.first_walker += most)
            error = launch(e, r, min(most, walkers - r.first_walker));
    }
    return error;
}

/* --- Analyses by the device --- */

static cudaError_t launch_analysis(cuda_engine *e, helium_analysis *analysis) {
    const helium_parameters *const p = &e->common.system->p;
    const move_request *const r = &e->request;
    note_accepted<<<(p->walkers + PAIRS - 1) / PAIRS, PAIRS>>>(p->walkers, r->accepted, analysis);
    sum_pairs<<<dim3((p->atoms + PAIRS - 1) / PAIRS, p->walkers), PAIRS>>>(
        r->h, e->table, r->coordinate, r->at, analysis, e->shape);
    sum_waves<<<dim3(3 * HELIUM_WAVE_NUMBERS / WAVES, p->walkers), PAIRS>>>(p->atoms, r->coordinate,
                                                                            e->shape);
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

/* Moves and analyses on the device, without waiting in between. */
static cudaError_t run_on_device(cuda_engine *e, uint32_t times, uint32_t macroupdates,
                                 helium_analysis *analysis, helium_shape *shape) {
    const uint32_t walkers = e->common.system->p.walkers;
    helium_shape found;
    cudaError_t error = cudaMemsetAsync(e->shape, 0, sizeof found);
    for (uint32_t t = 0; t < times && !error && signals_pending() == 0; t++) {
        error = launch_moves(e, macroupdates);
        if (!error && analysis != NULL)
            error = launch_analysis(e, e->analysis + (size_t)t * walkers);
    }
    if (error || analysis == NULL)
        return error ? error : cudaDeviceSynchronize();
    error = cudaMemcpy(analysis, e->analysis, sizeof *analysis * times * walkers,
                       cudaMemcpyDeviceToHost);
    if (!error)
        error = cudaMemcpy(&found, e->shape, sizeof found, cudaMemcpyDeviceToHost);
    if (!error)
        helium_shape_add(shape, &found);
    return error;
}

/* --- Analyses by the host --- */

/* Serves a kernel that stays: analyses what it leaves in slots, part by part. */
static cudaError_t serve_slots(const cuda_engine *e, uint32_t times, uint32_t first,
                               uint32_t walkers, helium_analysis *analysis, helium_shape *shape) {
    const helium_system *const s = e->common.system;
    const host_slots *const slots = &e->request.slots;
    const helium_extent extent = e->analyst == HELIUM_BY_HOST_MASKED ? HELIUM_ALL : HELIUM_SHAPE;
    cudaError_t error = cudaSuccess;
    for (uint32_t t = 0; t < times; t++) {
        helium_analysis *const a = analysis + (size_t)t * s->p.walkers + first;
        for (uint32_t w = 0; w < walkers && !error; w++)
            error = slots_wait(slots, t, first + w, &a[w].accepted);
        if (error)
            return error;
        helium_analyse(s, extent, walkers, slots_coordinate(slots, t, first), a, shape);
        slots_release(slots, t);
    }
    return error;
}

/* Moves in a kernel that stays for all analyses, which the host makes meanwhile: all of them, or all but energies. */
static cudaError_t run_masked(cuda_engine *e, uint32_t times, uint32_t macroupdates,
                              helium_analysis *analysis, helium_shape *shape) {
    const uint32_t walkers = e->common.system->p.walkers;
    const bool energies = e->analyst == HELIUM_SHAPE_BY_HOST_MASKED;
    move_request r = e->request;
    r.first = e->common.updates;
    r.updates = (uint64_t)macroupdates * r.h.atoms;
    r.times = times;
    r.analysis = energies ? e->analysis : NULL;
    e->common.updates += r.updates * times;
    cudaError_t error = prepare(e);
    for (r.first_walker = 0; r.first_walker < walkers && !error; r.first_walker += e->together) {
        const uint32_t now = min(e->together, walkers - r.first_walker);
        slots_clear(&r.slots);
        error = launch(e, r, now);
        if (!error)
            error = serve_slots(e, times, r.first_walker, now, analysis, shape);
        if (!error)
            error = cudaDeviceSynchronize();
    }
    return error || !energies ? error
                              : cudaMemcpy2D(&analysis->sums, sizeof *analysis, &e->analysis->sums,
                                             sizeof *analysis, sizeof analysis->sums,
                                             (size_t)times * walkers, cudaMemcpyDeviceToHost);
}

/* Moves on the device, analyses by the host, one after the other. */
static cudaError_t run_in_turn(cuda_engine *e, uint32_t times, uint32_t macroupdates,
                               helium_analysis *analysis, helium_shape *shape) {
    const helium_system *const s = e->common.system;
    const move_request *const r = &e->request;
    const size_t walkers = s->p.walkers, bytes = walkers * 3 * s->p.atoms * sizeof(uint32_t);
    cudaError_t error = cudaSuccess;
    for (uint32_t t = 0; t < times && !error; t++) {
        helium_analysis *const a = analysis + t * walkers;
        error = launch_moves(e, macroupdates);
        if (!error)
            error = cudaMemcpy(r->slots.coordinate, r->coordinate, bytes, cudaMemcpyDeviceToHost);
        if (!error)
            error = cudaMemcpy2D(&a->accepted, sizeof *a, r->accepted, sizeof *r->accepted,
                                 sizeof *r->accepted, walkers, cudaMemcpyDeviceToHost);
        if (!error)
            error = cudaMemset(r->accepted, 0, walkers * sizeof *r->accepted);
        if (!error)
            helium_analyse(s, HELIUM_ALL, s->p.walkers, r->slots.coordinate, a, shape);
    }
    return error;
}

/* --- The engine --- */

static bool run(helium_engine *engine, uint32_t times, uint32_t macroupdates,
                helium_analysis *analysis, helium_shape *shape) {
    cuda_engine *const e = (cuda_engine *)engine;
    cudaError_t error = cudaSetDevice(e->device);
    if (!error)
        error = cudaMemset(e->request.accepted, 0,
                           engine->system->p.walkers * sizeof *e->request.accepted);
    if (!error && analysis != NULL)
        error = make_room(e, times);
    if (error)
        return !failed(error);
    if (analysis == NULL || e->analyst == HELIUM_BY_DEVICE)
        return !failed(run_on_device(e, times, macroupdates, analysis, shape));
    if (e->analyst == HELIUM_BY_HOST)
        return !failed(run_in_turn(e, times, macroupdates, analysis, shape));
    return !failed(run_masked(e, times, macroupdates, analysis, shape));
}

static size_t bytes_of_walkers(const helium_engine *e) {
    return (size_t)3 * e->system->p.atoms * e->system->p.walkers * sizeof(uint32_t);
}

static bool read_walkers(helium_engine *engine, uint32_t *coordinate) {
    const cuda_engine *const e = (cuda_engine *)engine;
    const cudaError_t error = cudaSetDevice(e->device);
    return !failed(error ? error
                         : cudaMemcpy(coordinate, e->request.coordinate, bytes_of_walkers(engine),
                                      cudaMemcpyDeviceToHost));
}

static bool write_walkers(helium_engine *engine, const uint32_t *coordinate) {
    const cuda_engine *const e = (cuda_engine *)engine;
    const cudaError_t error = cudaSetDevice(e->device);
    return !failed(error ? error
                         : cudaMemcpy(e->request.coordinate, coordinate, bytes_of_walkers(engine),
                                      cudaMemcpyHostToDevice));
}

static void destroy(helium_engine *engine) {
    cuda_engine *const e = (cuda_engine *)engine;
    cudaSetDevice(e->device);
    cudaFree(e->request.coordinate);
    cudaFree(e->place);
    cudaFree(e->request.sum);
    cudaFree(e->request.arrivals);
    cudaFree(e->request.accepted);
    cudaFree(e->table);
    cudaFree(e->shape);
    cudaFree(e->analysis);
    slots_free(&e->request.slots);
    free(e);
}

/* The blocks of a walker: as many as the GPU has multiprocessors for, but with two groups of atoms each; at least as many as the
 * shared memory of a block, `room`, asks for. */
static uint32_t choose_blocks(const helium_parameters *p, uint32_t multiprocessors, size_t room) {
    const uint32_t groups = (p->atoms + GROUP - 1) / GROUP;
    const uint32_t largest = (uint32_t)(room / share_bytes(1));
    const uint32_t least = (groups + largest - 1) / largest, most = (groups + 1) / 2;
    return max(min(multiprocessors / p->walkers, most), max(least, 1u));
}

/* Divides walkers into blocks, `blocks` each or 0. */
static cudaError_t divide(cuda_engine *e, uint32_t blocks, const cudaDeviceProp *device) {
    const helium_parameters *const p = &e->common.system->p;
    const uint32_t multiprocessors = (uint32_t)device->multiProcessorCount;
    move_request *const r = &e->request;
    cudaFuncAttributes kernel;
    cudaError_t error = cudaFuncGetAttributes(&kernel, move_atoms);
    if (error)
        return error;
    const size_t room = device->sharedMemPerBlockOptin - kernel.sharedSizeBytes;
    r->blocks = blocks > 0 ? blocks : choose_blocks(p, multiprocessors, room);
    r->groups = ((p->atoms + GROUP - 1) / GROUP + r->blocks - 1) / r->blocks;
    e->dynamic = share_bytes(r->groups);
    error =
        cudaFuncSetAttribute(move_atoms, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)room);
    int resident = 0;
    if (!error)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, move_atoms, THREADS,
                                                              e->dynamic);
    e->together = min((uint32_t)resident * multiprocessors / r->blocks, p->walkers);
    return error || e->together > 0 ? error : cudaErrorCooperativeLaunchTooLarge;
}

static cudaError_t allocate(cuda_engine *e) {
    const helium_system *const s = e->common.system;
    const size_t walkers = s->p.walkers, atoms = walkers * s->p.atoms;
    const size_t table = s->constants.table_intervals * sizeof *e->table;
    move_request *const r = &e->request;
    cudaError_t error = cudaMalloc(&r->coordinate, atoms * 3 * sizeof(uint32_t));
    if (!error)
        error = cudaMalloc(&e->place, 2 * atoms * sizeof(uint32_t));
    if (!error)
        error = cudaMalloc(&r->sum, walkers * 6 * BATCH * sizeof *r->sum);
    if (!error)
        error = cudaMalloc(&r->arrivals, walkers * sizeof *r->arrivals);
    if (!error)
        error = cudaMalloc(&r->accepted, walkers * sizeof *r->accepted);
    if (!error)
        error = cudaMalloc(&e->table, table);
    if (!error)
        error = cudaMalloc(&e->shape, sizeof *e->shape);
    if (!error && e->analyst != HELIUM_BY_DEVICE)
        error = slots_make(&r->slots, s->p.walkers, 3 * s->p.atoms);
    r->place = e->place;
    r->at = e->place + atoms;
    r->table = e->table;
    return error ? error : cudaMemcpy(e->table, s->table, table, cudaMemcpyHostToDevice);
}

extern "C" helium_engine *helium_cuda_create(const helium_system *s, int device, uint32_t blocks,
                                             helium_analyst analyst) {
    static const helium_verbs verbs = {run, read_walkers, write_walkers, destroy};
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
    e->device = device;
    e->analyst = analyst;
    e->cells = cells_for(s->p.atoms);
    e->request.h = s->constants;
    e->request.first_number = s->first;
    e->request.walkers = s->p.walkers;
    e->request.times = 1;
    error = divide(e, blocks, &properties);
    if (!error)
        error = allocate(e);
    if (error) {
        complain(STATUS_REFUSED, "--device cuda:%d: %u walkers of %u atoms in %u blocks each: %s",
                 device, s->p.walkers, s->p.atoms, e->request.blocks, cudaGetErrorString(error));
        destroy(&e->common);
        return NULL;
    }
    return &e->common;
}
