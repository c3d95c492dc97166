/* A share of a population on a device. Its replicas draw and are counted with the numbers that they have in the whole
 * (cuda_replicas.origin); the selection kernel counts their children, and notes the parents of as many as there is room
 * for, others when they are asked for. Guests, parents from elsewhere, stand behind the replicas here, and come and go
 * by way of the room for the next children. */
#include "share.h"

#include "engine/msc_layout.h"
#include "selection.h"

#include <stdlib.h>
#include <string.h>

static cuda_engine *self_of(engine *base) {
    return (cuda_engine *)base;
}

static engine_status or_failure(cuda_engine *self) {
    return self->population.failed ? cuda_engine_failure(self) : ENGINE_OK;
}

void cuda_share_destroy(cuda_guests *g) {
    free(g->places);
    free(g->families);
    free(g->spins);
    *g = cuda_guests{};
}

/* Sees to room on the host for so many guests, or so many bytes of their spins. */
static bool guests_reserve(cuda_population *p, cuda_guests *g, uint64_t guests, uint64_t bytes) {
    if (guests > g->room) {
        free(g->places);
        free(g->families);
        g->places = (uint32_t *)malloc(guests * sizeof *g->places);
        g->families = (uint32_t *)malloc(guests * sizeof *g->families);
        g->room = g->places && g->families ? guests : 0;
    }
    if (bytes > g->spin_bytes) {
        free(g->spins);
        g->spins = (uint8_t *)malloc(bytes);
        g->spin_bytes = g->spins ? bytes : 0;
    }
    if (guests <= g->room && bytes <= g->spin_bytes)
        return true;
    cuda_check(p, cudaErrorMemoryAllocation, "host memory for replicas of other ranks");
    return false;
}

/* Copies and waits. */
static void copy_to(cuda_population *p, void *to, const void *from, uint64_t bytes,
                    cudaMemcpyKind kind) {
    if (!p->failed && bytes > 0)
        CUDA_CHECK(p, cudaMemcpyAsync(to, from, bytes, kind, p->stream));
    if (!p->failed && bytes > 0 && kind != cudaMemcpyDeviceToDevice)
        CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
}

static void share_hold(engine *base, uint64_t origin, uint64_t all) {
    cuda_population *const p = &self_of(base)->population;
    p->device.origin = origin;
    p->device.all = all;
}

/* --- children --- */

static engine_status share_breed(engine *base, const engine_step *step, uint64_t *children) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    g->step = *step;
    g->skip = 0;
    cuda_selection_breed(p, step, 0, false);
    copy_to(p, children, &p->device.report->population, sizeof *children, cudaMemcpyDeviceToHost);
    g->children = *children;
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

static engine_status share_parents(engine *base, uint64_t first, uint64_t count, uint32_t *places) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    uint64_t done = 0;
    while (done < count && !p->failed) {
        const uint64_t left = count - done,
                       now = left < p->device.capacity ? left : p->device.capacity;
        note_parents(self, first + done, now);
        copy_to(p, places + done, p->device.parent + (first + done - self->guests.skip),
                now * sizeof *places, cudaMemcpyDeviceToHost);
        done += now;
    }
    return or_failure(self);
}

/* Moves the parents and families of own children from place `from` to place `to`, by way of the levels of their
 * parents, which are not needed any more. */
static void move_children(cuda_population *p, uint64_t from, uint64_t to, uint64_t count) {
    uint32_t *const arrays[] = {p->device.parent, p->device.family};
    for (uint32_t *array : arrays) {
        if (from == to)
            continue;
        copy_to(p, p->device.level, array + from, count * sizeof *array, cudaMemcpyDeviceToDevice);
        copy_to(p, array + to, p->device.level, count * sizeof *array, cudaMemcpyDeviceToDevice);
    }
}

/* Brings children of guests to the places from `first` on. */
static void place_guests(cuda_engine *self, const foster_parent *guest, uint64_t count,
                         uint64_t first) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    if (!guests_reserve(p, g, count, 0))
        return;
    for (uint64_t n = 0; n < count; n++) {
        g->places[n] = guest[n].place;
        g->families[n] = guest[n].family;
    }
    copy_to(p, p->device.parent + first, g->places, count * sizeof *g->places,
            cudaMemcpyHostToDevice);
    copy_to(p, p->device.family + first, g->families, count * sizeof *g->families,
            cudaMemcpyHostToDevice);
}

static engine_status share_adopt(engine *base, const share_adoption *children) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    const uint64_t below = children->below_count, own = children->own,
                   all = below + own + children->above_count;
    if (all > p->device.capacity)
        return ENGINE_OUTGROWN;
    if (own > 0) {
        note_parents(self, children->first, own);
        move_children(p, children->first - self->guests.skip, below, own);
    }
    place_guests(self, children->below, below, 0);
    place_guests(self, children->above, children->above_count, below + own);
    cuda_population_begin(p, &p->device, all);
    cuda_selection_count_families(p, all);
    return or_failure(self);
}

/* --- guests --- */

/* Neighbours are brought together, with those between them that are not wanted. */
#define MOST_BETWEEN 32

/* How many of the places, from the first on, are taken together. */
static uint64_t neighbours(const uint32_t *places, uint64_t count) {
    uint64_t n = 1;
    while (n < count && places[n] - places[n - 1] <= MOST_BETWEEN)
        n++;
    return n;
}

static void take_neighbours(cuda_engine *self, const uint32_t *places, uint64_t count,
                            uint8_t *spins, uint32_t *families) {
    cuda_population *const p = &self->population;
    cuda_guests *const g = &self->guests;
    const uint64_t bytes = model_packed_bytes(&self->base.model);
    const uint64_t first = places[0], all = places[count - 1] - first + 1;
    if (p->failed || !guests_reserve(p, g, all, all * bytes))
        return;
    self->spins->save(self->state, p, p->replicas, first, all);
    copy_to(p, g->families, p->device.parent_family + first, all * sizeof *g->families,
            cudaMemcpyDeviceToHost);
    copy_to(p, g->spins, self->spins->room(self->state), all * bytes, cudaMemcpyDeviceToHost);
    for (uint64_t n = 0; n < count && !p->failed; n++) {
        memcpy(spins + n * bytes, g->spins + (places[n] - first) * bytes, bytes);
        families[n] = g->families[places[n] - first];
    }
}

static engine_status share_take(engine *base, const uint32_t *places, uint64_t count,
                                uint8_t *spins, uint32_t *families) {
    cuda_engine *const self = self_of(base);
    const uint64_t bytes = model_packed_bytes(&base->model);
    for (uint64_t n = 0; n < count;) {
        const uint64_t together = neighbours(places + n, count - n);
        take_neighbours(self, places + n, together, spins + n * bytes, families + n);
        n += together;
    }
    return or_failure(self);
}

static engine_status share_reserve(engine *base, uint64_t end) {
    cuda_engine *const self = self_of(base);
    self->spins->reserve(self->state, &self->population, end);
    return or_failure(self);
}

static engine_status share_put(engine *base, uint64_t first, uint64_t count, const uint8_t *spins) {
    cuda_engine *const self = self_of(base);
    cuda_population *const p = &self->population;
    copy_to(p, self->spins->room(self->state), spins, count * model_packed_bytes(&base->model),
            cudaMemcpyHostToDevice);
    if (!p->failed)
        self->spins->load(self->state, p, p->replicas, first, count);
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
    share_hold, share_breed, share_parents, share_take,    share_reserve,
    share_put,  share_adopt, share_lanes,   share_compare, share_family_logs};
