/* Sweeps in other orders of sites than the checkerboard, site by site (visits.h). */
#include "visits.h"

#include "base/portable.h"

/* What a sweep is made with. */
typedef struct {
    const ssc_lattice *lattice;
    int8_t *spin;
    const visit_plan *plan;
    stream_key key;
    uint32_t temperature, replica, sweep;
    bool complement; /* a flip that lowers the energy is made where the opposite is not */
    uint64_t threshold[2 * MODEL_MAX_DIMENSION + 1]; /* by the number of unsatisfied bonds */
} walk;

static void set_sweep(walk *w, const rounding *from, const flip_rule *rule, uint32_t sweep) {
    const uint32_t bonds = 2 * w->lattice->dimension, half = w->lattice->dimension;
    const threshold_set rounded = round_thresholds(from, w->replica, sweep);
    w->sweep = sweep;
    w->complement = rule->downhill == DOWNHILL_COMPLEMENT;
    for (uint32_t d = 0; d <= bonds; d++) {
        const bool always = rule->downhill == DOWNHILL_ALWAYS && d >= half;
        w->threshold[d] = always ? UINT64_C(1) << 32
                                 : rounded.threshold[w->complement && d > half ? bonds - d : d];
    }
}

/* Makes an attempt at a site. */
static void attempt(const walk *w, uint32_t x, uint32_t y, uint32_t z, uint32_t random) {
    const ssc_lattice *const l = w->lattice;
    const uint32_t lx = l->edge[0], ly = l->edge[1], lz = l->edge[2];
    int8_t *const layer = w->spin + (size_t)z * ly * lx, *const here = layer + y * lx + x;
    int field = here[x > 0 ? -1 : (int)lx - 1] + here[x + 1 < lx ? 1 : 1 - (int)lx] +
                layer[(y > 0 ? y : ly) * lx - lx + x] + layer[(y + 1 < ly ? y + 1 : 0) * lx + x];
    if (l->dimension == 3) {
        const size_t area = (size_t)ly * lx, at = y * lx + x;
        field += w->spin[((z > 0 ? z : lz) - 1) * area + at] +
                 w->spin[(z + 1 < lz ? z + 1 : 0) * area + at];
    }
    const int unsatisfied = (int)l->dimension - *here * field / 2;
    const int flip =
        (random < w->threshold[unsatisfied]) ^ (w->complement && unsatisfied > (int)l->dimension);
    *here = (int8_t)(*here ^ -2 * flip); /* 1 ^ -2 is -1, and back */
}

/* --- numbers by site --- */

/* The last quad of each sub-lattice, whose numbers are at hand. */
typedef struct {
    uint32_t quad[2];
    stream_block numbers[2];
} site_numbers;

#define NO_QUAD UINT32_MAX

static uint32_t number_of_site(const walk *w, site_numbers *s, uint32_t x, uint32_t y, uint32_t z) {
    const ssc_lattice *const l = w->lattice;
    const uint32_t parity = (x + y + z) & 1, i = (z * l->edge[1] + y) * (l->edge[0] / 2) + x / 2;
    if (s->quad[parity] != i / 4) {
        const uint32_t quads = (uint32_t)(l->sites / 2 + 3) / 4;
        s->quad[parity] = i / 4;
        s->numbers[parity] = stream_draw(w->key, STREAM_SSC, parity * quads + i / 4, w->replica,
                                         w->sweep, w->temperature);
    }
    return s->numbers[parity].number[i % 4];
}

static void sweep_in_sequence(const walk *w) {
    const uint32_t *const edge = w->lattice->edge;
    site_numbers numbers = {{NO_QUAD, NO_QUAD}, {{{0}}}};
    for (uint32_t z = 0; z < edge[2]; z++)
        for (uint32_t y = 0; y < edge[1]; y++)
            for (uint32_t x = 0; x < edge[0]; x++)
                attempt(w, x, y, z, number_of_site(w, &numbers, x, y, z));
}

/* Updates the sites of one sub-lattice in a tile of depth 1 in two dimensions. */
static void sweep_tile(const walk *w, const uint32_t first[], uint32_t parity) {
    const uint32_t t = w->plan->tile, depth = w->lattice->dimension < 3 ? 1 : t;
    site_numbers numbers = {{NO_QUAD, NO_QUAD}, {{{0}}}};
    for (uint32_t z = first[2]; z < first[2] + depth; z++)
        for (uint32_t y = first[1]; y < first[1] + t; y++)
            for (uint32_t x = first[0] + ((first[0] + y + z + parity) & 1); x < first[0] + t;
                 x += 2)
                attempt(w, x, y, z, number_of_site(w, &numbers, x, y, z));
}

/* Makes the hits of a stage in tile n, if it has the colour. */
static void hit_tile(const walk *w, const visit_stage *stage, const rounding *from,
                     const flip_rule *rule, const uint32_t tiles[], uint32_t n) {
    const uint32_t t = w->plan->tile, x = n % tiles[0], y = n / tiles[0] % tiles[1],
                   z = n / tiles[0] / tiles[1];
    const uint32_t first[MODEL_MAX_DIMENSION] = {x * t, y * t, z * t};
    walk own = *w;
    if (((x + y + z) & 1) != stage->colour)
        return;
    for (uint32_t hit = stage->first; hit < stage->end; hit++) {
        set_sweep(&own, from, rule, w->sweep + hit);
        sweep_tile(&own, first, stage->odd_first);
        sweep_tile(&own, first, !stage->odd_first);
    }
}

/* Tiles of a colour have neighbours of the other one alone. */
static void make_stage(const walk *w, const visit_stage *stage, const rounding *from,
                       const flip_rule *rule, uint32_t threads) {
    uint32_t tiles[MODEL_MAX_DIMENSION];
    const uint32_t all = visit_tiles(w->plan, w->lattice->dimension, w->lattice->edge, tiles);
    if (threads == 1)
        for (uint32_t n = 0; n < all; n++)
            hit_tile(w, stage, from, rule, tiles, n);
    else
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
        for (uint32_t n = 0; n < all; n++)
            hit_tile(w, stage, from, rule, tiles, n);
}

/* --- numbers by attempt --- */

/* Makes the attempts of one sweep in a box. */
static void sweep_box(const walk *w, const visit_box *box) {
    const uint32_t d = w->lattice->dimension, *const edge = w->lattice->edge;
    stream_block numbers = {{0}}, sites = {{0}};
    uint32_t drawn = NO_QUAD;
    for (uint32_t n = box->number; n < box->number + box->attempts; n++) {
        if (drawn != n / 4) {
            drawn = n / 4;
            sites = visit_numbers(w->plan, w->key, drawn, w->replica, w->sweep, w->temperature);
            numbers = stream_draw(w->key, STREAM_SSC, drawn, w->replica, w->sweep, w->temperature);
        }
        const visit_site site = visit_site_of(box, d, edge, sites.number[n % 4]);
        attempt(w, site.at[0], site.at[1], site.at[2], numbers.number[n % 4]);
    }
}

/* Makes the hits of a phase in a tile. */
static void hit_box(const walk *w, const rounding *from, const flip_rule *rule,
                    const stream_block *drawn, uint32_t phase, uint32_t tile) {
    const visit_box box =
        visit_box_of(w->plan, w->lattice->dimension, w->lattice->edge, drawn, phase, tile);
    walk own = *w;
    for (uint32_t hit = 0; hit < w->plan->hits; hit++) {
        set_sweep(&own, from, rule, w->sweep + hit);
        sweep_box(&own, &box);
    }
}

/* Makes an update at random sites. The boxes of a phase do not touch. */
static void update_at_random(const walk *w, const rounding *from, const flip_rule *rule,
                             uint32_t threads) {
    const uint32_t d = w->lattice->dimension;
    uint32_t tiles[MODEL_MAX_DIMENSION];
    const uint32_t all = visit_tiles(w->plan, d, w->lattice->edge, tiles);
    const stream_block drawn = visit_drawn(w->plan, w->key, (uint32_t)w->lattice->sites, w->replica,
                                           w->sweep, w->temperature);
    for (uint32_t phase = 0; phase < visit_phases(w->plan, d); phase++)
        if (threads == 1)
            for (uint32_t tile = 0; tile < all; tile++)
                hit_box(w, from, rule, &drawn, phase, tile);
        else
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
            for (uint32_t tile = 0; tile < all; tile++)
                hit_box(w, from, rule, &drawn, phase, tile);
}

void visits_update(const ssc_lattice *lattice, int8_t *spin, const visit_plan *plan,
                   const engine_step *step, const flip_rule *rule, uint32_t replica,
                   uint32_t threads) {
    const rounding from = step_rounding(step, rule);
    walk w = {.lattice = lattice,
              .spin = spin,
              .plan = plan,
              .key = step->key,
              .temperature = step->temperature,
              .replica = replica};
    visit_stage stage[MOST_VISIT_STAGES];
    const uint32_t stages = visit_stages(plan, stage);
    for (uint32_t update = 0; update < step->sweeps && !step_is_stopped(step); update++) {
        set_sweep(&w, &from, rule, update * plan->hits);
        if (plan->order == VISIT_SEQUENTIAL)
            sweep_in_sequence(&w);
        else if (plan->order == VISIT_TILES)
            for (uint32_t n = 0; n < stages; n++)
                make_stage(&w, &stage[n], &from, rule, threads);
        else
            update_at_random(&w, &from, rule, threads);
    }
}
