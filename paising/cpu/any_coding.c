/* Verbs that only need the population or the pairs of an engine (any_coding.h). */
#include "any_coding.h"

#include "engine/msc_layout.h"

#include <omp.h>
#include <string.h>

int cpu_engine_create(cpu_engine *self, const engine_config *config, overlap_collector *collect) {
    self->collect = collect;
    const int failed = population_create(&self->replicas, config->capacity, config->resampling) ||
                       (config->model.levels.fine && population_create_energies(&self->replicas));
    return failed | overlap_room_create(&self->pairs, &config->model, self->base.threads);
}

void cpu_engine_destroy(cpu_engine *self) {
    population_destroy(&self->replicas);
    overlap_room_destroy(&self->pairs);
}

uint64_t cpu_engine_bytes(const engine_config *config, uint32_t threads) {
    return population_bytes(config->capacity, config->resampling) +
           (config->model.levels.fine ? population_energy_bytes(config->capacity) : 0) +
           overlap_room_bytes(&config->model, threads);
}

engine_status cpu_read_levels(engine *base, uint64_t first, uint64_t count, uint32_t *levels) {
    memcpy(levels, ((cpu_engine *)base)->replicas.level + first, count * sizeof *levels);
    return ENGINE_OK;
}

engine_status cpu_read_energies(engine *base, uint64_t first, uint64_t count, int64_t *energies) {
    memcpy(energies, ((cpu_engine *)base)->replicas.energy + first, count * sizeof *energies);
    return ENGINE_OK;
}

engine_status cpu_overlaps(engine *base, overlap_sums *out) {
    cpu_engine *const self = (cpu_engine *)base;
    const double start = omp_get_wtime();
    overlaps_report(base, &self->replicas, self->collect, &self->pairs, 0, self->replicas.replicas,
                    out);
    out->family_logs = population_family_logs(&self->replicas);
    base->seconds[STAGE_OVERLAPS] += omp_get_wtime() - start;
    return ENGINE_OK;
}

engine_status cpu_group_overlaps(engine *base, uint64_t first, uint64_t count, overlap_sums *out) {
    cpu_engine *const self = (cpu_engine *)base;
    const double start = omp_get_wtime();
    overlaps_report(base, &self->replicas, self->collect, &self->pairs, first, count, out);
    base->seconds[STAGE_OVERLAPS] += omp_get_wtime() - start;
    return ENGINE_OK;
}

engine_status cpu_read_orders(engine *base, uint64_t first, uint64_t count, uint32_t *orders) {
    memcpy(orders, ((cpu_engine *)base)->replicas.order + first, count * sizeof *orders);
    return ENGINE_OK;
}

engine_status cpu_read_pairs(engine *base, uint64_t first, uint64_t count, overlap_pair *pair) {
    cpu_engine *const self = (cpu_engine *)base;
    const double start = omp_get_wtime();
    overlaps_list(base, &self->replicas, self->collect, &self->pairs, first, count, pair);
    base->seconds[STAGE_OVERLAPS] += omp_get_wtime() - start;
    return ENGINE_OK;
}

/* --- shares --- */

void cpu_hold(engine *base, uint64_t origin, uint64_t all) {
    population_hold(&((cpu_engine *)base)->replicas, origin, all);
}

engine_status cpu_count_offspring(engine *base, const engine_step *step, uint64_t *children) {
    return population_count_offspring(&((cpu_engine *)base)->replicas, step, children);
}

engine_status cpu_parents(engine *base, uint64_t first, uint64_t count, parent_list to) {
    const population *const p = &((cpu_engine *)base)->replicas;
    population_parents(p, first, count, to.place);
    for (uint64_t n = 0; n < count; n++)
        to.family[n] = p->family[to.place[n]];
    return ENGINE_OK;
}

engine_status cpu_assign(engine *base, const child_assignment *children, const engine_step *step) {
    (void)step;
    return population_assign(&((cpu_engine *)base)->replicas, children);
}

engine_status cpu_attach(engine *base, parent_list below, parent_list above) {
    population_attach(&((cpu_engine *)base)->replicas, below, above);
    return ENGINE_OK;
}

engine_status cpu_lanes(engine *base, uint64_t first, uint64_t words, const lane_block *to) {
    cpu_engine *const self = (cpu_engine *)base;
    const size_t sites = base->model.sites;
    for (uint64_t w = 0; w < words; w++) {
        uint32_t *const spins = (uint32_t *)to->spins + w * sites;
        const uint32_t *const from = self->collect(base, first + w * MACHINE_LANES, 0, spins);
        if (from != spins)
            memcpy(spins, from, sites * sizeof *spins);
    }
    population_families(&self->replicas, first, words, to->family);
    return ENGINE_OK;
}

engine_status cpu_compare(engine *base, const pair_range *pairs, overlap_sums *out) {
    cpu_engine *const self = (cpu_engine *)base;
    overlaps_compare(base, &self->replicas, self->collect, &self->pairs, pairs, out);
    return ENGINE_OK;
}

engine_status cpu_family_logs(engine *base, uint64_t *sum) {
    *sum = population_family_logs(&((cpu_engine *)base)->replicas);
    return ENGINE_OK;
}
