/* Overlaps of 256 pairs at once from packed spins. A vector holds the words of 8 machine words of
 * pairs at one site, and bit-sliced counters add them. */
#include "overlaps.h"

#include "engine/msc_layout.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* One word of each of OVERLAP_WORDS machine words. */
typedef uint32_t lanes __attribute__((vector_size(4 * OVERLAP_WORDS)));

#define PAIRS  (OVERLAP_WORDS * MACHINE_LANES)
#define SLICES 26 /* counts up to the bonds of the largest lattice, 3 N < 2^25 */

/* Slice k holds bit k of the count in every lane. Added words wait: waiting[k] holds a word of
 * weight 2^k if bit k of the number of words is 1. A full adder combines it with the next word of
 * that weight and the slice, so that each added word costs one full adder. */
typedef struct {
    lanes slice[SLICES], waiting[SLICES];
    uint32_t words;
} counter;

struct overlap_bench {
    counter walls;         /* bonds whose ends differ in D */
    counter *planes;       /* [Lx + Ly + Lz] one counter per lattice plane, those across x first */
    lanes *differ;         /* [N] D, the sites at which the replicas of a pair differ */
    uint32_t *words;       /* [N] work array for the collector */
    uint32_t count[PAIRS]; /* counts read from a counter */
    overlap_pair pair[PAIRS];
};

/* --- counters --- */

/* a + b + c = sum + 2 carry in every lane; the sum replaces a, the carry c. */
static inline void full_adder(lanes *a, const lanes *b, lanes *c) {
    const lanes half = *a ^ *b, carry = (*a & *b) | (half & *c);
    *a = half ^ *c;
    *c = carry;
}

static inline void count_word(counter *n, const lanes *from) {
    lanes word = *from;
    uint32_t k = 0;
    for (uint32_t before = n->words++; before & 1; before >>= 1, k++)
        full_adder(&n->slice[k], &n->waiting[k], &word);
    n->waiting[k] = word;
}

/* Adds the words that still wait to the slices. */
static void add_waiting_words(counter *n) {
    for (uint32_t first = 0; n->words >> first; first++) {
        if (!(n->words >> first & 1))
            continue;
        lanes carry = n->waiting[first];
        for (uint32_t k = first; k < SLICES; k++) {
            const lanes next = n->slice[k] & carry;
            n->slice[k] ^= carry;
            carry = next;
        }
    }
}

/* Fills count[] with the count of every lane. */
static void read_counter(counter *n, uint32_t count[PAIRS]) {
    add_waiting_words(n);
    memset(count, 0, PAIRS * sizeof *count);
    for (uint32_t k = 0; n->words >> k; k++)
        for (uint32_t j = 0; j < OVERLAP_WORDS; j++) {
            const uint32_t word = n->slice[k][j];
            for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
                count[j * MACHINE_LANES + lane] |= word & UINT32_C(1) << lane ? 1u << k : 0;
        }
}

/* --- lattices --- */

static size_t plane_count(const spin_model *model) {
    size_t planes = 0;
    for (uint32_t d = 0; d < model->dimension; d++)
        planes += model->edge[d];
    return planes;
}

/* Counts the bond of a site in a direction, unless it is missing. c: NULL if no bond is. */
static inline void count_bond(overlap_bench *b, const couplings *c, uint64_t site,
                              uint32_t direction, const lanes *here, const lanes *there) {
    const lanes differ = *here ^ *there;
    if (c == NULL || couplings_has(c, site * c->dimension + direction))
        count_word(&b->walls, &differ);
}

/* Counts the sites of a row, in both sub-lattices, and the bonds of its even sites. Every bond has
 * one even site. */
static void count_row(const spin_model *model, overlap_bench *b, uint32_t y, uint32_t z) {
    const uint32_t lx = model->edge[0], ly = model->edge[1], lz = model->edge[2], columns = lx / 2;
    const couplings *const c =
        model->sample != NULL && model->sample->missing != NULL ? model->sample : NULL;
    const uint64_t first = ((uint64_t)z * ly + y) * lx, /* sites of rows */
        site_above = ((uint64_t)z * ly + (y ? y - 1 : ly - 1)) * lx,
                   site_before = ((uint64_t)(z ? z - 1 : lz - 1) * ly + y) * lx;
    const lanes *const odd = b->differ + model->sites / 2;
    const size_t row = ((size_t)z * ly + y) * columns, layer = (size_t)z * ly * columns;
    const size_t above = layer + (size_t)(y ? y - 1 : ly - 1) * columns,
                 below = layer + (size_t)(y + 1 < ly ? y + 1 : 0) * columns,
                 before = ((size_t)(z ? z - 1 : lz - 1) * ly + y) * columns,
                 behind = ((size_t)(z + 1 < lz ? z + 1 : 0) * ly + y) * columns;
    const uint32_t shift = (y + z) % 2; /* x of the even site in column 0 */
    counter *const across_x = b->planes, *const across_y = b->planes + model->edge[0] + y,
                   *const across_z = b->planes + model->edge[0] + ly + z;
    for (uint32_t j = 0; j < columns; j++) {
        const lanes *const here = &b->differ[row + j], *const beside = &odd[row + j];
        const uint32_t left = j ? j - 1 : columns - 1, right = j + 1 < columns ? j + 1 : 0;
        const uint32_t x = 2 * j + shift, x_left = x ? x - 1 : lx - 1;
        count_word(&across_x[2 * j + shift], here);
        count_word(&across_x[2 * j + 1 - shift], beside);
        count_word(across_y, here);
        count_word(across_y, beside);
        count_bond(b, c, first + (shift ? x_left : x), 0, here, beside);
        count_bond(b, c, first + (shift ? x : x_left), 0, here, &odd[row + (shift ? right : left)]);
        count_bond(b, c, site_above + x, 1, here, &odd[above + j]);
        count_bond(b, c, first + x, 1, here, &odd[below + j]);
        if (model->dimension == 3) {
            count_word(across_z, here);
            count_word(across_z, beside);
            count_bond(b, c, site_before + x, 2, here, &odd[before + j]);
            count_bond(b, c, first + x, 2, here, &odd[behind + j]);
        }
    }
}

/* Reads the counters of the planes across direction d, the first of which is number `first`. Adds
 * their Fourier sums, and for one direction the number of differing sites. */
static void read_planes(const spin_model *model, const overlap_waves *waves, overlap_bench *b,
                        uint32_t d, size_t first) {
    uint32_t *const count = b->count;
    for (uint32_t x = 0; x < model->edge[d]; x++) {
        const int64_t cosine = waves->cosine[d][x], sine = waves->sine[d][x];
        read_counter(&b->planes[first + x], count);
        for (uint32_t n = 0; n < PAIRS; n++) {
            b->pair[n].cosine[d] += cosine * count[n];
            b->pair[n].sine[d] += sine * count[n];
            b->pair[n].differ += d == 0 ? count[n] : 0;
        }
    }
}

/* Measures the pairs whose D is in the bench. */
static void measure_pairs(const spin_model *model, const overlap_waves *waves, overlap_bench *b) {
    memset(b->planes, 0, plane_count(model) * sizeof *b->planes);
    memset(&b->walls, 0, sizeof b->walls);
    memset(b->pair, 0, sizeof b->pair);
    for (uint32_t z = 0; z < model->edge[2]; z++)
        for (uint32_t y = 0; y < model->edge[1]; y++)
            count_row(model, b, y, z);
    size_t first = 0;
    for (uint32_t d = 0; d < model->dimension; d++) {
        read_planes(model, waves, b, d, first);
        first += model->edge[d];
    }
    read_counter(&b->walls, b->count);
    for (uint32_t n = 0; n < PAIRS; n++)
        b->pair[n].walls = b->count[n];
}

/* --- populations --- */

/* The pairs of a comparison. Partners are given as lanes, or else they are `offset` places behind. */
typedef struct {
    engine *self;
    const population *replicas;
    overlap_collector *collect;
    pair_range pairs;
    uint64_t offset;
} comparison;

/* The partners of pairs k .. k + 31 as lanes. */
static const uint32_t *collect_partners(const comparison *c, uint64_t k, uint32_t thread,
                                        uint32_t *words) {
    return c->pairs.partners.spins != NULL
               ? (const uint32_t *)c->pairs.partners.spins +
                     k / MACHINE_LANES * c->self->model.sites
               : c->collect(c->self, c->pairs.first + k + c->offset, thread, words);
}

/* Fills D of the pairs from number `first` on. */
static void collect_pairs(const comparison *c, uint64_t first, uint32_t thread, overlap_bench *b) {
    const size_t sites = c->self->model.sites;
    for (uint32_t j = 0; j < OVERLAP_WORDS && first + j * MACHINE_LANES < c->pairs.count; j++) {
        const uint64_t k = first + j * MACHINE_LANES;
        const uint32_t *words = c->collect(c->self, c->pairs.first + k, thread, b->words);
        for (size_t i = 0; i < sites; i++)
            b->differ[i][j] = words[i];
        words = collect_partners(c, k, thread, b->words);
        for (size_t i = 0; i < sites; i++)
            b->differ[i][j] ^= words[i];
    }
}

/* Adds the measured pairs from number `first` on to the sums. Pairs of one family are only counted. */
static void add_pairs(const comparison *c, const overlap_bench *b, uint64_t first,
                      overlap_sums *out) {
    const uint32_t *const family = c->replicas->family + c->pairs.first;
    const lane_block *const partners = &c->pairs.partners;
    for (uint64_t k = first; k < first + PAIRS && k < c->pairs.count; k++) {
        const uint64_t partner =
            partners->spins != NULL ? partners->family[k] : family[k + c->offset];
        if (family[k] == partner)
            out->relatives++;
        else
            overlap_sums_add(out, c->pairs.number + k, &b->pair[k - first]);
    }
}

static void add_comparison(const comparison *c, overlap_room *room, overlap_sums *out) {
#pragma omp parallel for schedule(dynamic) num_threads(room->threads) if (c->pairs.count > PAIRS)
    for (uint64_t first = 0; first < c->pairs.count; first += PAIRS) {
        const uint32_t thread = (uint32_t)omp_get_thread_num();
        overlap_bench *const b = &room->bench[thread];
        collect_pairs(c, first, thread, b);
        measure_pairs(&c->self->model, &room->waves, b);
#pragma omp critical(overlap_sums)
        add_pairs(c, b, first, out);
    }
}

void overlaps_compare(engine *self, const population *replicas, overlap_collector *collect,
                      overlap_room *room, const pair_range *pairs, overlap_sums *out) {
    const comparison all = {self, replicas, collect, *pairs, 0};
    add_comparison(&all, room, out);
}

/* The pairs of replicas first .. first + count - 1. */
static comparison pairs_of(engine *self, const population *replicas, overlap_collector *collect,
                           uint64_t first, uint64_t count) {
    const uint64_t pairs = overlap_pairs(count);
    return (comparison){self,
                        replicas,
                        collect,
                        {.first = first, .count = pairs, .pairs = pairs},
                        overlap_offset(count)};
}

void overlaps_report(engine *self, const population *replicas, overlap_collector *collect,
                     overlap_room *room, uint64_t first, uint64_t count, overlap_sums *out) {
    overlap_sums_begin(out, count);
    const comparison all = pairs_of(self, replicas, collect, first, count);
    add_comparison(&all, room, out);
}

void overlaps_list(engine *self, const population *replicas, overlap_collector *collect,
                   overlap_room *room, uint64_t first, uint64_t count, overlap_pair *pair) {
    const comparison all = pairs_of(self, replicas, collect, first, count);
    for (uint64_t k = 0; k < all.pairs.count; k += PAIRS) {
        const uint64_t left = all.pairs.count - k;
        collect_pairs(&all, k, 0, room->bench);
        measure_pairs(&self->model, &room->waves, room->bench);
        memcpy(pair + k, room->bench->pair, (left < PAIRS ? left : PAIRS) * sizeof *pair);
    }
}

/* --- memory --- */

static size_t counters_bytes(const spin_model *model) {
    return plane_count(model) * sizeof(counter);
}

uint64_t overlap_room_bytes(const spin_model *model, uint32_t threads) {
    const uint64_t bench = model->sites * (sizeof(lanes) + sizeof(uint32_t)) +
                           counters_bytes(model) + sizeof(overlap_bench);
    return overlap_is_of_bits(model) ? threads * bench : 0;
}

static int bench_create(overlap_bench *b, const spin_model *model) {
    b->differ = aligned_alloc(sizeof(lanes), model->sites * sizeof(lanes));
    b->planes = aligned_alloc(sizeof(lanes), counters_bytes(model));
    b->words = malloc(model->sites * sizeof *b->words);
    if (!b->differ || !b->planes || !b->words)
        return -1;
    memset(b->differ, 0, model->sites * sizeof(lanes));
    return 0;
}

int overlap_room_create(overlap_room *room, const spin_model *model, uint32_t threads) {
    *room = (overlap_room){.threads = threads};
    if (!model->disordered)
        return 0;
    if (!overlap_is_of_bits(model))
        return overlap_waves_create(&room->waves, model);
    room->bench = aligned_alloc(sizeof(lanes), threads * sizeof *room->bench);
    if (room->bench == NULL)
        return -1;
    memset(room->bench, 0, threads * sizeof *room->bench);
    int failed = overlap_waves_create(&room->waves, model);
    for (uint32_t t = 0; t < threads && !failed; t++)
        failed = bench_create(&room->bench[t], model);
    return failed;
}

void overlap_room_destroy(overlap_room *room) {
    for (uint32_t t = 0; room->bench && t < room->threads; t++) {
        overlap_bench *const b = &room->bench[t];
        free(b->differ);
        free(b->planes);
        free(b->words);
    }
    free(room->bench);
    overlap_waves_destroy(&room->waves);
    *room = (overlap_room){.bench = NULL};
}
