/* A share of a population on a device. Its replicas draw and are counted with the numbers that they have in the whole
 * (cuda_replicas.origin); the selection kernel counts their children, and notes the parents of as many as there is room
 * for, others when they are asked for. Guests, parents from elsewhere, stand behind the replicas here.
 *
 * As a rule the host waits once in a step, for how many children there are, and where parents go elsewhere once more, for
 * their spins. What comes in is queued. */
#include "share.h"

#include "engine/msc_layout.h"
#include "peers.h"
#include "selection.h"

#include <string.h>

#define THREADS 256

static cuda_engine *self_of(engine *base) {
    return (cuda_engine *)base;
}

static engine_status or_failure(cuda_engine *self) {
    return self->population.failed ? cuda_engine_failure(self) : ENGINE_OK;
}

void cuda_share_destroy(cuda_guests *g) {
    cudaFreeHost(g->edges);
    cudaFreeHost(g->from);
    cudaFree(g->leaving);
    *g = cuda_guests{};
}

static unsigned blocks_for(uint64_t items) {
    return (unsigned)((items + THREADS - 1) / THREADS);
}

/* Queues a copy. */
static void copy_to(cuda_population *p, void *to, const void *from, uint64_t bytes,
                    cudaMemcpyKind kind) {
    if (!p->failed && bytes > 0)
        CUDA_CHECK(p, cudaMemcpyAsync(to, from, bytes, kind, p->stream));
}

/* Waits for all that was queued. */
static void wait_for_stream(cuda_population *p) {
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
}

/* --- memory that messages pass through --- */

static bool is_on_device(const void *memory) {
    cudaPointerAttributes attributes;
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
}

/* That of the host is pinned: copies need not stop over, and kernels reach it too. */
static void *share_lend(engine *, uint64_t bytes, bool on_device) {
    void *memory = NULL;
    const cudaError_t error =
        on_device ? cudaMalloc(&memory, bytes) : cudaMallocHost(&memory, bytes);
    cudaGetLastError(); /* which the next launch would take for its own */
    return error ? NULL : memory;
}

static void share_reclaim(engine *, void *memory) {
    if (is_on_device(memory))
        cudaFree(memory);
    else
        cudaFreeHost(memory);
}

/* Where that cannot be, copies stop over. */
static void share_pin(engine *, void *memory, uint64_t bytes) {
    cudaHostRegister(memory, bytes, cudaHostRegisterDefault);
    cudaGetLastError();
}

static void share_unpin(engine *, void *memory) {
    cudaHostUnregister(memory);
    cudaGetLastError();
}

static void share_hold(engine *base, uint64_t origin, uint64_t all) {
    cuda_population *const p = &self_of(base)->population;
    p->device.origin = origin;
    p->device.all = all;
}

/* --- children --- */

static __global__ void tell_edges(cuda_replicas p, cuda_edges *edges) {
    const uint64_t n = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint64_t children = p.report->population;
    if (n == 0)
        edges->children = children;
    if (n < children && n < p.capacity)
        edges->first[n] = p.parent[n];
    if (n < children && children <= p.capacity)
        edges->last[EDGE_CHILDREN - 1 - n] = p.parent[children - 1 - n];
}

static engine_status share_breed(engine *base, const engine_step *step, uint64_t *children) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    g->step = *step;
    g->skip = 0;
    cuda_selection_breed(p, step, 0, false);
    if (!p->failed && !g->edges)
        CUDA_CHECK(p, cudaMallocHost((void **)&g->edges, sizeof *g->edges));
    if (p->failed)
        return or_failure(self);
    tell_edges<<<EDGE_CHILDREN / THREADS, THREADS, 0, p->stream>>>(p->device, g->edges);
    cuda_check_launch(p, "tell_edges");
    wait_for_stream(p);
    *children = g->edges->children;
    return or_failure(self);
}

/* Sees to it that the parents of these children stand in parent[]. */
static void note_parents(cuda_engine *self, uint64_t first, uint64_t count) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    if (first >= g->skip && first + count <= g->skip + p->device.capacity)
        return;
    g->skip = first;
    cuda_selection_breed(p, &g->step, (uint32_t)first, true);
}

/* The parents of these children, if the host was told; else NULL. */
static const uint32_t *told_parents(const cuda_engine *self, uint64_t first, uint64_t count) {
    const uint64_t capacity = self->population.device.capacity;
    const cuda_edges *const edges = self->guests.edges;
    const uint64_t end = first + count, behind = edges->children - first;
    if (end <= EDGE_CHILDREN && end <= capacity)
        return edges->first + first;
    if (behind <= EDGE_CHILDREN && edges->children <= capacity)
        return edges->last + EDGE_CHILDREN - behind;
    return NULL;
}

static engine_status share_parents(engine *base, uint64_t first, uint64_t count, uint32_t *places) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    const uint32_t *const told = told_parents(self, first, count);
    uint64_t done = 0;
    if (told) {
        memcpy(places, told, count * sizeof *places);
        return or_failure(self);
    }
    while (done < count && !p->failed) {
        const uint64_t left = count - done,
                       now = left < p->device.capacity ? left : p->device.capacity;
        note_parents(self, first + done, now);
        copy_to(p, places + done, p->device.parent + (first + done - self->guests.skip),
                now * sizeof *places, cudaMemcpyDeviceToHost);
        done += now;
    }
    wait_for_stream(p);
    return or_failure(self);
}

/* What children of a share descend from: `below` guests', then `own` parents', those of children from number `first` on
 * of these, then guests' again. */
struct descent {
    const foster_parent *guests; /* one a child of theirs */
    uint64_t first, below, own, all;
};

/* Writes parents and families to where levels and families of the parents stand, which are not needed any more; and begins
 * the report. */
static __global__ void descend(cuda_replicas p, descent d) {
    const uint64_t k = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k == 0) {
        clear_head(p.report);
        p.report->population = d.all;
    }
    if (k >= d.all)
        return;
    if (k >= d.below && k < d.below + d.own) {
        p.level[k] = p.parent[d.first + k - d.below];
        p.parent_family[k] = p.family[d.first + k - d.below];
    } else {
        const foster_parent from = d.guests[k < d.below ? k : k - d.own];
        p.level[k] = from.place;
        p.parent_family[k] = from.family;
    }
}

static void swap_arrays(uint32_t **a, uint32_t **b) {
    uint32_t *const old = *a;
    *a = *b;
    *b = old;
}

/* Sees to room for the guests that so many children descend from. */
static bool reserve_guests(cuda_population *p, cuda_guests *g, uint64_t children) {
    if (p->failed || children <= g->room)
        return !p->failed;
    cudaFreeHost(g->from);
    g->from = NULL;
    g->room = 2 * children;
    return CUDA_CHECK(p, cudaMallocHost((void **)&g->from, g->room * sizeof *g->from));
}

static engine_status share_adopt(engine *base, const share_adoption *children) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    const uint64_t below = children->below_count, own = children->own,
                   above = children->above_count, all = below + own + above;
    if (all > p->device.capacity)
        return ENGINE_OUTGROWN;
    if (own > 0)
        note_parents(self, children->first, own);
    if (all == 0)
        cuda_population_begin(p, &p->device, 0);
    if (all == 0 || !reserve_guests(p, g, below + above))
        return or_failure(self);
    memcpy(g->from, children->below, below * sizeof *g->from);
    memcpy(g->from + below, children->above, above * sizeof *g->from);
    const descent d = {g->from, children->first - g->skip, below, own, all};
    descend<<<blocks_for(all), THREADS, 0, p->stream>>>(p->device, d);
    cuda_check_launch(p, "descend");
    swap_arrays(&p->device.parent, &p->device.level);
    swap_arrays(&p->device.family, &p->device.parent_family);
    cuda_selection_count_families(p, all);
    return or_failure(self);
}

/* --- guests --- */

/* Brings places to the device, and the families there to the host. */
static __global__ void leave(const uint32_t *family, const uint32_t *places, uint64_t count,
                             uint32_t *leaving, uint32_t *families) {
    const uint64_t n = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (n >= count)
        return;
    const uint32_t place = places[n];
    leaving[n] = place;
    families[n] = family[place];
}

/* Sees to room for the places of so many parents. */
static bool reserve_leaving(cuda_population *p, cuda_guests *g, uint64_t parents) {
    if (p->failed || parents <= g->leaving_room)
        return !p->failed;
    cudaFree(g->leaving);
    g->leaving = NULL;
    g->leaving_room = 2 * parents;
    return CUDA_CHECK(p, cudaMalloc(&g->leaving, g->leaving_room * sizeof *g->leaving));
}

/* Spins reach memory of the host by way of the room for the next children. */
static engine_status share_take(engine *base, const uint32_t *places, uint64_t count,
                                uint8_t *spins, uint32_t *families) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    const bool stays = is_on_device(spins);
    uint8_t *const there = stays ? spins : self->spins->room(self->state);
    cuda_guests *const g = &self->guests;
    if (!reserve_leaving(p, g, count))
        return or_failure(self);
    leave<<<blocks_for(count), THREADS, 0, p->stream>>>(p->device.parent_family, places, count,
                                                        g->leaving, families);
    cuda_check_launch(p, "leave");
    self->spins->save(self->state, p, g->leaving, 0, count, there);
    if (!stays)
        copy_to(p, spins, there, count * model_packed_bytes(&base->model), cudaMemcpyDeviceToHost);
    wait_for_stream(p);
    return or_failure(self);
}

static engine_status share_reserve(engine *base, uint64_t end) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    self->spins->reserve(self->state, p, end);
    return p->failed ? share_no_memory(base, end) : ENGINE_OK;
}

/* Brings bytes from memory of a device here, as a rule another one's: in one go, for what takes them in looks at each
 * of them many times, one after the other. Both stand at multiples of 16. */
static __global__ void fetch_bytes(uint8_t *to, const uint8_t *from, uint64_t bytes) {
    const uint64_t n = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * sizeof(uint4);
    if (n + sizeof(uint4) <= bytes)
        *(uint4 *)(to + n) = *(const uint4 *)(from + n);
    else
        for (uint64_t byte = n; byte < bytes; byte++)
            to[byte] = from[byte];
}

static void fetch(cuda_population *p, uint8_t *to, const uint8_t *from, uint64_t bytes) {
    if (p->failed || bytes == 0)
        return;
    fetch_bytes<<<blocks_for((bytes + sizeof(uint4) - 1) / sizeof(uint4)), THREADS, 0, p->stream>>>(
        to, from, bytes);
    cuda_check_launch(p, "fetch_bytes");
}

static engine_status share_put(engine *base, uint64_t first, uint64_t count, const uint8_t *spins) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    const uint64_t bytes = count * model_packed_bytes(&base->model);
    uint8_t *const room = self->spins->room(self->state);
    if (is_on_device(spins))
        fetch(p, room, spins, bytes);
    else
        copy_to(p, room, spins, bytes, cudaMemcpyHostToDevice);
    self->spins->load(self->state, p, first, count, room);
    return or_failure(self);
}

static engine_status share_settle(engine *base) {
    cuda_engine *const self = self_of(base);
    wait_for_stream(&self->population);
    return or_failure(self);
}

/* --- overlaps --- */

static engine_status share_lanes(engine *base, uint64_t first, uint64_t words, uint32_t *spins,
                                 uint32_t *families) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    void *const room = self->spins->room(self->state);
    const uint64_t bytes = words * base->model.sites * sizeof *spins;
    const uint64_t left = p->replicas - first, most = words * MACHINE_LANES;
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(room, 0, bytes, p->stream)); /* what differs from that */
    self->spins->compare(self->state, p, first, 0, words);
    copy_to(p, spins, room, bytes, cudaMemcpyDeviceToHost);
    copy_to(p, families, p->device.family + first, (left < most ? left : most) * sizeof *families,
            cudaMemcpyDeviceToHost);
    wait_for_stream(p);
    return or_failure(self);
}

/* Families of partners stand for a while in parent[], which nobody needs between two steps. */
static engine_status share_compare(engine *base, const share_pairs *pairs, overlap_sums *out) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    void *const room = self->spins->room(self->state);
    const uint64_t words = (pairs->count + MACHINE_LANES - 1) / MACHINE_LANES;
    const cuda_pairs of = {p->device.family + pairs->first, p->device.parent, pairs->count,
                           pairs->number, pairs->pairs};
    copy_to(p, room, pairs->words, words * base->model.sites * sizeof *pairs->words,
            cudaMemcpyHostToDevice);
    copy_to(p, p->device.parent, pairs->families, pairs->count * sizeof *pairs->families,
            cudaMemcpyHostToDevice);
    self->spins->compare(self->state, p, pairs->first, 0, words);
    cuda_overlaps_add(&self->pairs, p, &base->model, (const uint32_t *)room, &of, false, out);
    return or_failure(self);
}

static engine_status share_family_logs(engine *base, uint64_t *sum) {
    cuda_engine *const self = self_of(base);
    const cuda_pairs none = {};
    overlap_sums sums = {};
    if (overlap_sums_create(&sums, &base->model))
        return share_no_memory(base, 0);
    cuda_overlaps_add(&self->pairs, &self->population, &base->model, NULL, &none, true, &sums);
    *sum = sums.family_logs;
    overlap_sums_destroy(&sums);
    return or_failure(self);
}

const struct share_verbs cuda_share_verbs = {
    share_lend,  share_reclaim, share_pin,     share_unpin,      &cuda_peers, share_hold,
    share_breed, share_parents, share_take,    share_reserve,    share_put,   share_settle,
    share_adopt, share_lanes,   share_compare, share_family_logs};
