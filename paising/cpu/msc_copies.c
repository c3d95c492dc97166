/* Copies of replicas out of the MSC engine and into it: packed for files and other engines, or as
 * lanes of machine words for overlaps. */
#include "msc_engine.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a packed replica. */
static size_t packed_bytes(const msc_engine *self) {
    return msc_packed_sites(&self->shape) / 8;
}

/* The packed form of the replica in a slot. */
static uint8_t *packed_replica(const msc_engine *self, uint64_t slot) {
    return (uint8_t *)self->next + slot * packed_bytes(self);
}

void msc_place_words(const msc_engine *self, const uint32_t *in_order, uint64_t w) {
    uint32_t *const words = self->spins + w * self->words;
    memset(words, 0, self->words * sizeof *words);
    for (size_t i = 0; i < self->sites; i++)
        words[self->shape.place ? self->shape.place[i] : i] = in_order[i];
}

/* The words of machine word w in the order of their sites. The result is either in_order or the
 * word in place. */
static const uint32_t *words_in_order(const msc_engine *self, uint64_t w, uint32_t *in_order) {
    const uint32_t *const words = self->spins + w * self->words;
    if (self->shape.place == NULL)
        return words;
    for (size_t i = 0; i < self->sites; i++)
        in_order[i] = words[self->shape.place[i]];
    return in_order;
}

/* Packs the replicas of machine word w. */
static void pack_word(const msc_engine *self, uint64_t w, uint8_t *packed) {
    uint32_t *const in_order = self->workers[0].in_order;
    const size_t sites = msc_packed_sites(&self->shape);
    for (size_t i = self->sites; i < sites; i++)
        in_order[i] = 0; /* there may be what was unpacked before */
    self->kernels->pack(words_in_order(self, w, in_order), sites, packed);
}

void msc_unpack_words(msc_engine *self) {
    const uint64_t words = msc_machine_words(self->word, self->cpu.replicas.replicas);
#pragma omp parallel for schedule(dynamic)
    for (uint64_t w = 0; w < words; w++) {
        uint32_t *const in_order = self->workers[omp_get_thread_num()].in_order;
        self->kernels->unpack(in_order, msc_packed_sites(&self->shape),
                              packed_replica(self, w * MACHINE_LANES));
        msc_place_words(self, in_order, w);
    }
    self->packed = words;
    self->loaded = false;
}

/* --- save and load --- */

/* A whole machine word of lanes is transposed at once; lane by lane the word would be read 32
 * times. With reordering, neighbours are in different words. Therefore whole words stay packed in
 * next[] until the population changes. One core packs as fast as disks write, so that no threads
 * are used. */

/* Packs the machine words before `end` that are not packed yet. */
static void pack_words(msc_engine *self, uint64_t end) {
    for (; self->packed < end; self->packed++)
        pack_word(self, self->packed, packed_replica(self, self->packed * MACHINE_LANES));
}

engine_status msc_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                       uint32_t *families) {
    msc_engine *const self = (msc_engine *)base;
    const msc_layout layout = msc_layout_of(self->word, self->rng, self->cpu.replicas.replicas);
    const size_t bytes = packed_bytes(self);
    memcpy(families, self->cpu.replicas.family + first, count * sizeof *families);
    for (uint64_t n = 0; n < count; n++) {
        const uint64_t slot = msc_slot(&layout, first + n);
        pack_words(self, slot / MACHINE_LANES + 1);
        memcpy(spins + n * bytes, packed_replica(self, slot), bytes);
    }
    return ENGINE_OK;
}

/* Where other replicas stay, lanes are replaced in spins[]. A population that comes whole waits packed in next[]. */
engine_status msc_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                        const uint8_t *spins, const uint32_t *families) {
    msc_engine *const self = (msc_engine *)base;
    const msc_layout layout = msc_layout_of(self->word, self->rng, replicas);
    const size_t bytes = packed_bytes(self);
    if (!self->loaded && replicas == self->cpu.replicas.replicas && !layout.reorder) {
        population_load(&self->cpu.replicas, first, count, replicas, families);
        self->packed = 0;
        return msc_put(base, first, count, spins);
    }
    population_load(&self->cpu.replicas, first, count, replicas, families);
    for (uint64_t n = 0; n < count; n++)
        memcpy(packed_replica(self, msc_slot(&layout, first + n)), spins + n * bytes, bytes);
    self->loaded = true;
    return ENGINE_OK;
}

/* --- overlaps --- */

/* Replicas first .. first + 31 as lanes (overlap_collector). With reordering they are in up to 32
 * machine words. */
const uint32_t *msc_collect_lanes(engine *base, uint64_t first, uint32_t thread, uint32_t *words) {
    const msc_engine *const self = (const msc_engine *)base;
    const msc_layout layout = msc_layout_of(self->word, self->rng, self->cpu.replicas.replicas);
    if (!layout.reorder)
        return words_in_order(self, first / MACHINE_LANES, words);
    memset(words, 0, self->sites * sizeof *words);
    for (uint32_t lane = 0; lane < MACHINE_LANES && first + lane < layout.replicas; lane++) {
        const uint64_t slot = msc_slot(&layout, first + lane);
        const uint32_t *const from =
            words_in_order(self, slot / MACHINE_LANES, self->workers[thread].in_order);
        for (size_t i = 0; i < self->sites; i++)
            words[i] |= (from[i] >> slot % MACHINE_LANES & 1) << lane;
    }
    return words;
}

/* --- shares --- */

/* Adjacent replicas are in one machine word, which is packed once. */
engine_status msc_take(engine *base, const uint32_t *places, uint64_t count, uint8_t *spins) {
    msc_engine *const self = (msc_engine *)base;
    const size_t bytes = packed_bytes(self);
    uint64_t staged = UINT64_MAX;
    for (uint64_t n = 0; n < count; n++) {
        const uint64_t w = places[n] / MACHINE_LANES;
        if (w != staged)
            pack_word(self, w, (uint8_t *)self->staged);
        staged = w;
        memcpy(spins + n * bytes, (uint8_t *)self->staged + places[n] % MACHINE_LANES * bytes,
               bytes);
    }
    return ENGINE_OK;
}

uint64_t msc_reserve(engine *base, uint64_t end) {
    msc_engine *const self = (msc_engine *)base;
    const uint64_t words = (end + MACHINE_LANES - 1) / MACHINE_LANES;
    uint32_t **const buffers[] = {&self->spins, &self->next};
    bool made = true;
    for (size_t n = 0; n < 2 && words > self->machine_words && made; n++) {
        uint32_t *const larger = realloc(*buffers[n], msc_buffer_bytes(words, self->words));
        made = larger != NULL;
        *buffers[n] = made ? larger : *buffers[n];
    }
    if (!made)
        partition_no_memory(base, end);
    else if (words > self->machine_words)
        self->machine_words = words;
    return self->machine_words * MACHINE_LANES;
}

/* Stores `count` packed replicas in lanes `lane`, lane + 1, ... of machine word w; other lanes are
 * kept. */
static void put_lanes(msc_engine *self, uint64_t w, uint32_t lane, uint32_t count,
                      const uint8_t *spins) {
    const size_t bytes = packed_bytes(self);
    uint32_t *const in_order = self->workers[0].in_order, *const words =
                                                              self->spins + w * self->words;
    const uint32_t lanes = (uint32_t)(((UINT64_C(1) << count) - 1) << lane);
    memcpy((uint8_t *)self->staged + lane * bytes, spins, count * bytes);
    self->kernels->unpack(in_order, msc_packed_sites(&self->shape), (const uint8_t *)self->staged);
    for (size_t i = 0; i < self->sites; i++) {
        uint32_t *const word = &words[self->shape.place ? self->shape.place[i] : i];
        *word = (*word & ~lanes) | (in_order[i] & lanes);
    }
}

engine_status msc_put(engine *base, uint64_t first, uint64_t count, const uint8_t *spins) {
    msc_engine *const self = (msc_engine *)base;
    for (uint64_t n = 0; n < count;) {
        const uint32_t lane = (uint32_t)((first + n) % MACHINE_LANES);
        const uint64_t room = MACHINE_LANES - lane, left = count - n;
        const uint32_t together = (uint32_t)(left < room ? left : room);
        put_lanes(self, (first + n) / MACHINE_LANES, lane, together,
                  spins + n * packed_bytes(self));
        n += together;
    }
    return ENGINE_OK;
}
