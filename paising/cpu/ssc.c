/* Single-spin coding on one CPU core: the reference program of the paper, and what every other
 * engine is held against. One byte a spin, +1 or -1, row by row. What it computes, bit for bit:
 * metropolis_sweep() and measure_lattice() in reference/plain.c. */
#include "engine.h"
#include "population.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    engine base;
    uint32_t size;    /* L */
    size_t sites;     /* N = L^2 */
    engine_step step; /* begun, and made when it is finished */
    population replicas;
    int8_t *spins;     /* [capacity][N] */
    int8_t *next;      /* the same, for the resampled population */
    int8_t *apart;     /* [N, rounded up to 8] a lattice, one sub-lattice after the other */
    uint32_t *numbers; /* random numbers for one sub-lattice */
} ssc_engine;

/* Philox calls for the sites of one sub-lattice, four sites a call. */
static uint32_t sub_lattice_quads(uint32_t size) {
    return (size * size / 2 + 3) / 4;
}

/* The place in the lattice, row by row, of the site with index i: the even sub-lattice (row +
 * column even) comes first, each sub-lattice row by row. */
static size_t site_place(uint32_t size, size_t i) {
    const size_t half = (size_t)size * size / 2, row = i % half / (size / 2);
    return row * size + 2 * (i % (size / 2)) + ((row + i / half) & 1);
}

/* Fills number[] for the sites of one sub-lattice, in the order of their index. */
static void draw_numbers(uint32_t *number, uint32_t quads, uint32_t parity, const engine_step *step,
                         uint32_t replica, uint32_t sweep) {
    for (uint32_t quad = 0; quad < quads; quad++) {
        const stream_block draw = stream_draw(step->key, STREAM_SSC, parity * quads + quad, replica,
                                              sweep, step->temperature);
        memcpy(number + 4 * quad, draw.number, sizeof draw.number);
    }
}

/* One Metropolis sweep of a lattice: the even sub-lattice, then the odd one. A spin with d < 2
 * antiparallel neighbours gains the energy 8 - 4 d by flipping, and flips when its 32-bit number is
 * below threshold[d], 2^32 exp(-beta (8 - 4 d)) rounded at random; with d >= 2 it flips whatever the
 * number.
 *
 * Inlined into what calls it, it has to share registers, and takes a fifth more instructions. */
__attribute__((noinline)) static void sweep_lattice(int8_t *spin, uint32_t size, uint32_t *numbers,
                                                    const engine_step *step,
                                                    const uint32_t metropolis[SQUARE_GAPS],
                                                    uint32_t replica, uint32_t sweep) {
    const uint64_t always = UINT64_C(1) << 32;
    const uint64_t threshold[5] = {metropolis[0], metropolis[1], always, always, always};
    const uint32_t last = size - 1;
    for (uint32_t parity = 0; parity < 2; parity++) {
        const uint32_t *number = numbers;
        draw_numbers(numbers, sub_lattice_quads(size), parity, step, replica, sweep);
        for (uint32_t row = 0; row < size; row++) {
            int8_t *const here = spin + (size_t)row * size;
            const int8_t *const above = spin + (size_t)(row ? row - 1 : last) * size;
            const int8_t *const below = spin + (size_t)(row < last ? row + 1 : 0) * size;
            for (uint32_t x = (row + parity) % 2; x < size; x += 2) {
                const int left = here[x ? x - 1 : last], right = here[x < last ? x + 1 : 0];
                const int field = above[x] + below[x] + left + right;
                const uint32_t antiparallel = (uint32_t)(4 - here[x] * field) / 2;
                const int flip = *number++ < threshold[antiparallel];
                here[x] = (int8_t)(here[x] * (1 - 2 * flip));
            }
        }
    }
}

/* Energy level and order parameter of replica k. */
static void measure_replica(ssc_engine *self, uint64_t k) {
    const uint32_t size = self->size;
    const int8_t *const spin = self->spins + k * self->sites;
    int64_t energy = 0, magnetisation = 0;
    for (uint32_t row = 0; row < size; row++) {
        const int8_t *const here = spin + (size_t)row * size;
        const int8_t *const below = spin + (size_t)((row + 1) % size) * size;
        for (uint32_t x = 0; x < size; x++) {
            energy -= here[x] * (here[x + 1 < size ? x + 1 : 0] + below[x]);
            magnetisation += here[x];
        }
    }
    const energy_levels levels = self->base.model.levels;
    self->replicas.level[k] = (uint32_t)((energy - levels.lowest) / levels.spacing);
    self->replicas.order[k] = (uint32_t)(llabs(magnetisation) / self->base.model.order_unit);
}

/* --- the parts of a step --- */

/* Finds the parents, and copies them. */
static engine_status select_replicas(ssc_engine *self, const engine_step *step) {
    const engine_status status = population_select(&self->replicas, step);
    if (status != ENGINE_OK)
        return status;
    int8_t *const parents = self->spins;
    for (uint64_t k = 0; k < self->replicas.replicas; k++)
        memcpy(self->next + k * self->sites,
               parents + (uint64_t)self->replicas.parent[k] * self->sites, self->sites);
    self->spins = self->next;
    self->next = parents;
    return ENGINE_OK;
}

static void sweep_replicas(ssc_engine *self, const engine_step *step) {
    for (uint64_t k = 0; k < self->replicas.replicas; k++) {
        const flip_rule *const rule = step_rule(step, k);
        const rounding from = step_rounding(step, rule);
        for (uint32_t sweep = 0; sweep < step->sweeps; sweep++) {
            const threshold_set to = round_thresholds(&from, (uint32_t)k, sweep);
            sweep_lattice(self->spins + k * self->sites, self->size, self->numbers, step,
                          to.threshold, (uint32_t)k, sweep);
        }
    }
}

static void measure_replicas(ssc_engine *self, const engine_step *step, histogram *out) {
    for (uint64_t k = 0; k < self->replicas.replicas; k++)
        measure_replica(self, k);
    population_report(&self->replicas, step, out);
}

static engine_status ssc_start(engine *base, const engine_step *step) {
    ((ssc_engine *)base)->step = *step;
    return step_groups_are_whole(base, step, 1) ? ENGINE_OK : ENGINE_FAILED;
}

static engine_status ssc_finish(engine *base, histogram *out) {
    ssc_engine *const self = (ssc_engine *)base;
    const engine_step *const step = &self->step;
    engine_status status = ENGINE_OK;
    const double start = omp_get_wtime();
    if (step->parts & PART_SELECT)
        status = select_replicas(self, step);
    if (status == ENGINE_OK && !step_groups_have_replicas(base, step, self->replicas.replicas))
        status = ENGINE_FAILED;
    const double selected = omp_get_wtime();
    if (status == ENGINE_OK && step->parts & PART_SWEEP)
        sweep_replicas(self, step);
    const double swept = omp_get_wtime();
    if (status == ENGINE_OK && step->parts & PART_MEASURE)
        measure_replicas(self, step, out);
    base->seconds[STAGE_RESAMPLE] += selected - start;
    base->seconds[STAGE_SWEEP] += swept - selected;
    base->seconds[STAGE_MEASURE] += omp_get_wtime() - swept;
    return status;
}

static engine_status ssc_randomise(engine *base, stream_key key, uint64_t replicas,
                                   histogram *out) {
    ssc_engine *const self = (ssc_engine *)base;
    for (uint64_t k = 0; k < replicas; k++) {
        int8_t *const spin = self->spins + k * self->sites;
        stream_block draw = {{0}};
        for (size_t i = 0; i < self->sites; i++) {
            if (i % 128 == 0)
                draw = stream_draw(key, STREAM_RANDOMISE, (uint32_t)(i / 128), (uint32_t)k, 0, 0);
            const uint32_t up = draw.number[i / 32 % 4] >> i % 32 & 1;
            spin[site_place(self->size, i)] = up ? 1 : -1;
        }
    }
    population_found(&self->replicas, replicas);
    return engine_measure(base, out);
}

/* --- copies --- */

/* Copies a lattice to a place where its sub-lattices stand one after the other. */
static void divide_lattice(const int8_t *restrict spin, int8_t *restrict even, uint32_t size) {
    int8_t *restrict odd = even + (size_t)size * size / 2;
    const uint32_t half = size / 2;
    for (uint32_t row = 0; row < size; row++, spin += size, even += half, odd += half) {
        int8_t *const left = row % 2 ? odd : even, *const right = row % 2 ? even : odd;
        for (uint32_t x = 0; x < half; x++) {
            left[x] = spin[2 * x];
            right[x] = spin[2 * x + 1];
        }
    }
}

/* And back. */
static void join_lattice(int8_t *restrict spin, const int8_t *restrict even, uint32_t size) {
    const int8_t *restrict odd = even + (size_t)size * size / 2;
    const uint32_t half = size / 2;
    for (uint32_t row = 0; row < size; row++, spin += size, even += half, odd += half) {
        const int8_t *const left = row % 2 ? odd : even, *const right = row % 2 ? even : odd;
        for (uint32_t x = 0; x < half; x++) {
            spin[2 * x] = left[x];
            spin[2 * x + 1] = right[x];
        }
    }
}

/* Eight spins as the bits of a byte: the product moves the sign of each to the top. */
static uint8_t pack_spins(const int8_t spin[8]) {
    uint64_t spins;
    memcpy(&spins, spin, sizeof spins);
    const uint64_t down = spins & UINT64_C(0x8080808080808080);
    return (uint8_t) ~(down * UINT64_C(0x0002040810204081) >> 56);
}

/* And back: of eight copies of the byte, each keeps its bit, which a sum moves to the sign. */
static void unpack_spins(int8_t spin[8], uint8_t packed) {
    const uint64_t every = UINT64_C(0x0101010101010101);
    const uint64_t bits = packed * every & UINT64_C(0x8040201008040201);
    const uint64_t up = (bits + 0x7f * every) >> 7 & every;
    const uint64_t spins = ~(0xfe * up);
    memcpy(spin, &spins, sizeof spins);
}

/* A lattice as packed bits. */
static void pack_lattice(const int8_t *spin, int8_t *restrict apart, uint32_t size,
                         uint8_t *restrict packed) {
    const size_t bytes = ((size_t)size * size + 7) / 8;
    divide_lattice(spin, apart, size);
    for (size_t n = 0; n < bytes; n++)
        packed[n] = pack_spins(apart + 8 * n);
}

static void unpack_lattice(int8_t *spin, int8_t *restrict apart, uint32_t size,
                           const uint8_t *restrict packed) {
    const size_t bytes = ((size_t)size * size + 7) / 8;
    for (size_t n = 0; n < bytes; n++)
        unpack_spins(apart + 8 * n, packed[n]);
    join_lattice(spin, apart, size);
}

static engine_status ssc_save(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                              uint32_t *families) {
    const ssc_engine *const self = (const ssc_engine *)base;
    const size_t sites = self->sites, bytes = (sites + 7) / 8;
    memcpy(families, self->replicas.family + first, count * sizeof *families);
    memset(self->apart + sites, -1, 8 * bytes - sites); /* behind the last site: no spin is up */
    for (uint64_t n = 0; n < count; n++)
        pack_lattice(self->spins + (first + n) * sites, self->apart, self->size, spins + n * bytes);
    return ENGINE_OK;
}

static engine_status ssc_load(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                              const uint8_t *spins, const uint32_t *families) {
    ssc_engine *const self = (ssc_engine *)base;
    const size_t sites = self->sites, bytes = (sites + 7) / 8;
    self->replicas.replicas = replicas;
    memcpy(self->replicas.family + first, families, count * sizeof *families);
    for (uint64_t n = 0; n < count; n++)
        unpack_lattice(self->spins + (first + n) * sites, self->apart, self->size,
                       spins + n * bytes);
    return ENGINE_OK;
}

static engine_status ssc_read_levels(engine *base, uint64_t first, uint64_t count,
                                     uint32_t *levels) {
    const ssc_engine *const self = (const ssc_engine *)base;
    memcpy(levels, self->replicas.level + first, count * sizeof *levels);
    return ENGINE_OK;
}

static void ssc_destroy(engine *base) {
    ssc_engine *const self = (ssc_engine *)base;
    population_destroy(&self->replicas);
    free(self->spins);
    free(self->next);
    free(self->apart);
    free(self->numbers);
    free(self);
}

uint64_t ssc_cpu_bytes(const engine_config *config) {
    return config->capacity * 2 * config->model.sites + population_bytes(config->capacity) +
           sub_lattice_quads(config->model.edge[0]) * sizeof(stream_block);
}

engine *ssc_cpu_create(const engine_config *config) {
    ssc_engine *const self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->base = (engine){.name = "SSC on one CPU core",
                          .seconds = {[STAGE_STEP] = NAN, [STAGE_ROUND_TRIP] = NAN},
                          .model = config->model,
                          .threads = 1,
                          .randomise = ssc_randomise,
                          .start = ssc_start,
                          .finish = ssc_finish,
                          .read_levels = ssc_read_levels,
                          .save = ssc_save,
                          .load = ssc_load,
                          .destroy = ssc_destroy};
    self->size = config->model.edge[0];
    self->sites = config->model.sites;
    self->spins = malloc(config->capacity * self->sites);
    self->next = malloc(config->capacity * self->sites);
    self->apart = calloc((self->sites + 7) / 8, 8);
    self->numbers = malloc(sub_lattice_quads(config->model.edge[0]) * sizeof(stream_block));
    if (population_create(&self->replicas, config->capacity) || !self->spins || !self->next ||
        !self->apart || !self->numbers) {
        ssc_destroy(&self->base);
        return NULL;
    }
    return &self->base;
}
