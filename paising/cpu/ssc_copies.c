/* Copies of replicas out of the SSC engine and into it, for files and other engines, and their overlaps; and the verbs of a share
 * (engine/partition.h). */
#include "ssc_engine.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* --- copies --- */

engine_status ssc_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                       uint32_t *families) {
    const ssc_engine *const self = (const ssc_engine *)base;
    const size_t bytes = model_packed_bytes(&base->model);
    memcpy(families, self->cpu.replicas.family + first, count * sizeof *families);
    for (uint64_t n = 0; n < count; n++)
        ssc_pack(&self->lattice, self->spins + (first + n) * self->bytes, self->apart,
                 spins + n * bytes);
    return ENGINE_OK;
}

engine_status ssc_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                        const uint8_t *spins, const uint32_t *families) {
    ssc_engine *const self = (ssc_engine *)base;
    const size_t bytes = model_packed_bytes(&base->model);
    population_load(&self->cpu.replicas, first, count, replicas, families);
    for (uint64_t n = 0; n < count; n++)
        ssc_unpack(&self->lattice, self->spins + (first + n) * self->bytes, self->apart,
                   spins + n * bytes);
    return ENGINE_OK;
}

/* --- overlaps --- */

/* Replicas first .. first + 31 as lanes (overlap_collector). */
const uint32_t *ssc_collect_lanes(engine *base, uint64_t first, uint32_t thread, uint32_t *words) {
    ssc_engine *const self = (ssc_engine *)base;
    int8_t *const apart = self->apart + thread * ssc_apart_bytes(&base->model);
    uint8_t *const packed = self->packed + thread * model_packed_bytes(&base->model);
    memset(words, 0, self->sites * sizeof *words);
    for (uint32_t lane = 0; lane < MACHINE_LANES && first + lane < self->cpu.replicas.replicas;
         lane++) {
        const int8_t *const spin = self->spins + (first + lane) * self->bytes;
        ssc_pack(&self->lattice, spin, apart, packed);
        for (size_t i = 0; i < self->sites; i++)
            words[i] |= (uint32_t)(packed[i / 8] >> i % 8 & 1) << lane;
    }
    return words;
}

/* The overlaps of replicas first .. first + count - 1, which are vectors. */
static void overlaps_of_vectors(ssc_engine *self, uint64_t first, uint64_t count,
                                overlap_sums *out) {
    ssc_vectors_overlaps(&self->lattice.vectors, &self->cpu.base.model, &self->cpu.pairs.waves,
                         self->spins + first * self->bytes, self->cpu.replicas.family + first,
                         self->cpu.base.threads, count, out);
}

engine_status ssc_group_overlaps(engine *base, uint64_t first, uint64_t count, overlap_sums *out) {
    const double start = omp_get_wtime();
    if (base->model.spins != SPINS_VECTOR)
        return cpu_group_overlaps(base, first, count, out);
    overlaps_of_vectors((ssc_engine *)base, first, count, out);
    base->seconds[STAGE_OVERLAPS] += omp_get_wtime() - start;
    return ENGINE_OK;
}

engine_status ssc_overlaps(engine *base, overlap_sums *out) {
    const population *const replicas = &((ssc_engine *)base)->cpu.replicas;
    if (base->model.spins != SPINS_VECTOR)
        return cpu_overlaps(base, out);
    const engine_status status = ssc_group_overlaps(base, 0, replicas->replicas, out);
    out->family_logs = population_family_logs(replicas);
    return status;
}

/* --- shares --- */

static engine_status ssc_take(engine *base, const uint32_t *places, uint64_t count,
                              uint8_t *spins) {
    const ssc_engine *const self = (const ssc_engine *)base;
    const size_t bytes = model_packed_bytes(&base->model);
    for (uint64_t n = 0; n < count; n++)
        ssc_pack(&self->lattice, self->spins + places[n] * self->bytes, self->apart,
                 spins + n * bytes);
    return ENGINE_OK;
}

static uint64_t ssc_reserve(engine *base, uint64_t end) {
    ssc_engine *const self = (ssc_engine *)base;
    int8_t **const buffers[] = {&self->spins, &self->next};
    bool made = true;
    for (size_t n = 0; n < 2 && end > self->places && made; n++) {
        int8_t *const larger = realloc(*buffers[n], end * self->bytes);
        made = larger != NULL;
        *buffers[n] = made ? larger : *buffers[n];
    }
    if (!made)
        partition_no_memory(base, end);
    else if (end > self->places)
        self->places = end;
    return self->places;
}

static engine_status ssc_put(engine *base, uint64_t first, uint64_t count, const uint8_t *spins) {
    ssc_engine *const self = (ssc_engine *)base;
    const size_t bytes = model_packed_bytes(&base->model);
    for (uint64_t n = 0; n < count; n++)
        ssc_unpack(&self->lattice, self->spins + (first + n) * self->bytes, self->apart,
                   spins + n * bytes);
    return ENGINE_OK;
}

static engine_status ssc_lanes(engine *base, uint64_t first, uint64_t words, const lane_block *to) {
    return base->model.spins == SPINS_VECTOR ? ssc_read(base, first, words, to->spins, to->family)
                                             : cpu_lanes(base, first, words, to);
}

static engine_status ssc_compare(engine *base, const pair_range *pairs, overlap_sums *out) {
    const ssc_engine *const self = (const ssc_engine *)base;
    if (base->model.spins != SPINS_VECTOR)
        return cpu_compare(base, pairs, out);
    const vector_pairs vectors = {.own = self->spins + pairs->first * self->bytes,
                                  .other = pairs->partners.spins,
                                  .own_family = self->cpu.replicas.family + pairs->first,
                                  .other_family = pairs->partners.family,
                                  .number = pairs->number,
                                  .count = pairs->count};
    ssc_vectors_compare(&self->lattice.vectors, &base->model, &self->cpu.pairs.waves, &vectors,
                        base->threads, out);
    return ENGINE_OK;
}

const struct partition_verbs ssc_partition_verbs = {.hold = cpu_hold,
                                                    .count_offspring = cpu_count_offspring,
                                                    .parents = cpu_parents,
                                                    .take = ssc_take,
                                                    .reserve = ssc_reserve,
                                                    .put = ssc_put,
                                                    .assign = cpu_assign,
                                                    .attach = cpu_attach,
                                                    .lanes = ssc_lanes,
                                                    .compare = ssc_compare,
                                                    .family_logs = cpu_family_logs};
