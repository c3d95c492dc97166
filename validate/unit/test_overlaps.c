/* Overlaps of pairs of replicas, as engines report them: every sum is what plain loops over the saved spins count,
 * and a pair that is formed in a wrong way is seen; logarithms of family sizes are right to their last two bits; bins
 * of q and -q are mirror images and leave nothing out, and are the same where nothing stands outside of their span. On a GPU, if there is one, the sums are those of the CPU, and
 * nothing of the population is changed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "estimate/overlap.h"
#include "resample/resampling.h"
#include "validate/lib/gpu_engine.h"
#include "validate/lib/some_models.h"

/* What the recomputation may do wrong. */
typedef enum {
    RIGHT,
    WITH_ITSELF,    /* a replica's overlap with itself */
    WITH_RELATIVES, /* pairs of one family are counted */
    NEXT_LANE,      /* replica k + h + 1 in place of k + h */
    DIRECTION_LOST, /* planes across y taken for those across x */
    NEIGHBOUR_LOST, /* bonds to x + 1 only */
    MISSING_TAKEN,  /* missing bonds are counted */
    FAULTS
} fault;

/* --- engines --- */

typedef enum { ON_CPU, ON_GPU } place;

/* Whether a GPU has it in this mode, too. */
static bool gpu_has_mode(const engine_config *config) {
    const bool modes = config->model.dimension == 2 || config->coding == CODING_SSC;
    return gpu_has(config) && (modes || config->rng == RNG_INDEPENDENT);
}

static engine *engine_at(place where, const engine_config *config) {
    engine *const e = where == ON_GPU ? gpu_engine(config) : engine_cpu_create(config);
    assert_non_null(e);
    return e;
}

/* --- a population, annealed a little, of fewer families than replicas --- */

typedef struct {
    couplings *sample; /* stays where it is */
    engine_config config;
    engine *worker;
    /* replicas do not share random numbers, by which they would become the same */
    bool independent;
    uint64_t count;
    size_t bytes;
    uint8_t *spins;
    uint32_t *families;
    overlap_sums sums;
} glass;

static glass glass_of(place where, const model_kind *kind, const uint32_t edge[3], bond_cut cut,
                      spin_coding coding, rng_mode rng, uint64_t population) {
    glass g = {.independent = rng == RNG_INDEPENDENT};
    const lattice_size size = {{edge[0], edge[1], kind->dimension == 3 ? edge[2] : 0}};
    g.sample = malloc(sizeof *g.sample);
    assert_non_null(g.sample);
    const spin_model model = some_cut_model(kind, size, 5, cut, g.sample);
    g.config = (engine_config){
        .coding = coding, .model = model, .capacity = 2 * population + 200, .word = 64, .rng = rng};
    g.worker = engine_at(where, &g.config);
    histogram report;
    uint64_t *const tau_hat = calloc(model.levels.count, sizeof *tau_hat);
    assert_int_equal(histogram_create(&report, &model), 0);
    const stream_key key = stream_run_key(3, 0);
    assert_int_equal(g.worker->verbs->randomise(g.worker, key, population, &report), ENGINE_OK);
    const double dbeta = 1 / sqrt((double)model.sites);
    for (uint32_t i = 1; i <= 4; i++) {
        resampling_tau_hat(&report, dbeta, population, tau_hat);
        const engine_step step = {.parts = WHOLE_STEP,
                                  .key = key,
                                  .temperature = i,
                                  .sweeps = 1,
                                  .founders = population,
                                  .tau_hat = tau_hat,
                                  .rule = flip_rule_at(&metropolis_update, &model, dbeta * i)};
        assert_int_equal(g.worker->verbs->step(g.worker, &step, &report), ENGINE_OK);
    }
    g.count = report.population;
    g.bytes = model_packed_bytes(&model);
    g.spins = malloc(g.count * g.bytes);
    g.families = malloc(g.count * sizeof *g.families);
    assert_int_equal(g.worker->verbs->read(g.worker, 0, g.count, g.spins, g.families), ENGINE_OK);
    assert_int_equal(overlap_sums_create(&g.sums, &model), 0);
    assert_int_equal(g.worker->verbs->overlaps(g.worker, &g.sums), ENGINE_OK);
    histogram_destroy(&report);
    free(tau_hat);
    return g;
}

static void glass_end(glass *g) {
    g->worker->verbs->destroy(g->worker);
    couplings_destroy(g->sample);
    free(g->sample);
    overlap_sums_destroy(&g->sums);
    free(g->spins);
    free(g->families);
}

/* --- the recomputation --- */

/* 1 if the spin of replica k at x y z is up. */
static int spin_up(const glass *g, uint64_t k, uint32_t x, uint32_t y, uint32_t z) {
    const spin_model *const m = &g->worker->model;
    const size_t row = z * m->edge[1] + y;
    const size_t i = (x + y + z) % 2 * (m->sites / 2) + row * (m->edge[0] / 2) + x / 2;
    return g->spins[k * g->bytes + i / 8] >> i % 8 & 1;
}

static overlap_pair pair_of(const glass *g, const overlap_waves *w, uint64_t a, uint64_t b,
                            fault f) {
    const spin_model *const m = &g->worker->model;
    const uint32_t *const edge = m->edge;
    overlap_pair pair = {0};
    for (uint32_t z = 0; z < edge[2]; z++)
        for (uint32_t y = 0; y < edge[1]; y++)
            for (uint32_t x = 0; x < edge[0]; x++) {
                const uint32_t at[3] = {x, y, z};
                const int here = spin_up(g, a, x, y, z) ^ spin_up(g, b, x, y, z);
                pair.differ += (uint32_t)here;
                for (uint32_t d = 0; d < m->dimension; d++) {
                    uint32_t to[3] = {x, y, z};
                    to[d] = (to[d] + 1) % edge[d];
                    const int there =
                        spin_up(g, a, to[0], to[1], to[2]) ^ spin_up(g, b, to[0], to[1], to[2]);
                    const uint64_t site = ((uint64_t)z * edge[1] + y) * edge[0] + x;
                    const bool left_out =
                        (f == NEIGHBOUR_LOST && d > 0) ||
                        (f != MISSING_TAKEN && couplings_sign(m->sample, site, d) == 0);
                    pair.walls += left_out ? 0 : (uint32_t)(here ^ there);
                    const uint32_t plane = f == DIRECTION_LOST && d == 1 ? at[0] % edge[1] : at[d];
                    pair.cosine[d] += here * w->cosine[d][plane];
                    pair.sine[d] += here * w->sine[d][plane];
                }
            }
    return pair;
}

static void recompute(const glass *g, overlap_sums *s, fault f) {
    overlap_waves waves;
    assert_int_equal(overlap_sums_create(s, &g->worker->model), 0);
    assert_int_equal(overlap_waves_create(&waves, &g->worker->model), 0);
    overlap_sums_begin(s, g->count);
    const uint64_t offset =
        g->count / 32 * 32 == g->count ? g->count / 64 * 32 : (g->count / 32 + 1) / 2 * 32;
    uint64_t pairs = 0;
    for (uint64_t k = 0; k < offset && k + offset < g->count; k++)
        pairs++;
    assert_int_equal(s->pairs, pairs);
    for (uint64_t k = 0; k < pairs; k++) {
        const uint64_t other = f == WITH_ITSELF ? k
                               : f == NEXT_LANE ? offset + (k + 1) % pairs
                                                : k + offset;
        if (f != WITH_RELATIVES && g->families[k] == g->families[k + offset]) {
            s->relatives++;
            continue;
        }
        const overlap_pair pair = pair_of(g, &waves, k, other, f);
        overlap_sums_add(s, k, &pair);
    }
    for (uint64_t k = 0, members = 1; k < g->count; k++, members++)
        if (k + 1 == g->count || g->families[k + 1] != g->families[k]) {
            s->family_logs += members * family_log(members);
            members = 0;
        }
    overlap_waves_destroy(&waves);
}

/* The pairs in a bin; none outside of the span. */
static uint32_t pairs_in(const uint32_t *bins, overlap_span span, size_t n, size_t at) {
    return n >= span.first && n < span.end ? bins[at] : 0;
}

static int same_bins(const uint32_t *a, overlap_span of_a, const uint32_t *b, overlap_span of_b,
                     size_t bins) {
    for (size_t at = 0; at < OVERLAP_PARTS * bins; at++)
        if (pairs_in(a, of_a, at % bins, at) != pairs_in(b, of_b, at % bins, at))
            return 0;
    return 1;
}

static int same(const overlap_sums *a, const overlap_sums *b) {
    return a->pairs == b->pairs && a->relatives == b->relatives &&
           a->family_logs == b->family_logs && !memcmp(a->block, b->block, sizeof a->block) &&
           same_bins(a->differ, a->differ_span, b->differ, b->differ_span, a->scale.differ_bins) &&
           same_bins(a->walls, a->wall_span, b->walls, b->wall_span, a->scale.wall_bins);
}

static const struct {
    const model_kind *kind;
    uint32_t edge[3];
    uint64_t population;
    bond_cut cut;
} cases[] = {
    {&glass2d_kind, {4, 4, 1}, 301, ALL_BONDS},
    {&glass2d_kind, {16, 16, 1}, 1200, ALL_BONDS},
    {&glass2d_kind, {16, 32, 1}, 700, ALL_BONDS},
    {&glass3d_kind, {4, 4, 4}, 64, ALL_BONDS},
    {&glass3d_kind, {4, 6, 8}, 900, ALL_BONDS},
    {&glass3d_kind, {10, 4, 4}, 97, ALL_BONDS},
    {&glass2d_kind, {32, 48, 1}, 130, ALL_BONDS},
    {&glass2d_kind, {16, 32, 1}, 800, {"open,antiperiodic", 0.1}},
    {&glass3d_kind, {6, 4, 8}, 800, {"open", 0.2}},
};

/* Calls a function with every glass that there is an engine for. Returns how many there are. */
static int for_every_glass(place where, void (*claim)(const glass *g)) {
    int count = 0;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++) {
            engine_config config = {.coding = coding,
                                    .model = cases[n].kind->create(cases[n].edge)};
            config.model.incomplete = cases[n].cut.boundary != NULL || cases[n].cut.dilution > 0;
            bool fits = engine_cpu_has(&config);
            for (uint32_t d = 0; d < config.model.dimension; d++)
                fits = fits && edge_is_allowed(cases[n].kind->edges[coding], cases[n].edge[d]);
            if (!fits)
                continue;
            for (rng_mode rng = RNG_INDEPENDENT; rng <= RNG_LCG; rng++) {
                if (rng != RNG_INDEPENDENT && (coding == CODING_SSC || cases[n].population > 700))
                    continue;
                config.rng = rng;
                if (where == ON_GPU && !gpu_has_mode(&config))
                    continue;
                glass g = glass_of(where, cases[n].kind, cases[n].edge, cases[n].cut, coding, rng,
                                   cases[n].population);
                claim(&g);
                glass_end(&g);
                count++;
            }
        }
    return count;
}

/* --- tests --- */

static void claim_sums(const glass *g) {
    overlap_sums s;
    recompute(g, &s, RIGHT);
    assert_true(same(&s, &g->sums));
    assert_true(s.pairs > s.relatives);
    overlap_sums_destroy(&s);
}

static void sums_are_those_of_plain_loops(void **state) {
    (void)state;
    assert_true(for_every_glass(ON_CPU, claim_sums) > 2 * (int)(sizeof cases / sizeof *cases));
}

/* Spoils the bins that have no pairs before the first and behind the last one that has. Returns which are left. */
static overlap_span spoil_outside(uint32_t *count, uint32_t bins) {
    overlap_span span = {bins, 0};
    for (uint32_t n = 0; n < OVERLAP_PARTS * bins; n++)
        if (count[n] > 0) {
            span.first = n % bins < span.first ? n % bins : span.first;
            span.end = n % bins >= span.end ? n % bins + 1 : span.end;
        }
    for (uint32_t n = 0; n < OVERLAP_PARTS * bins; n++)
        if (n % bins < span.first || n % bins >= span.end)
            count[n] = 77;
    return span;
}

static void claim_spans(const glass *g) {
    overlap_sums s;
    recompute(g, &s, RIGHT);
    const size_t bins = overlap_bin_count(s.scale);
    overlap_bin *const whole = calloc(bins, sizeof *whole), *const part =
                                                                malloc(bins * sizeof *part);
    overlap_fill_bins(&s, whole);
    s.differ_span = spoil_outside(s.differ, s.scale.differ_bins);
    s.wall_span = spoil_outside(s.walls, s.scale.wall_bins);
    assert_true(g->config.model.sites < 256 ||
                (s.differ_span.first > 0 && s.differ_span.end < s.scale.differ_bins));
    memset(part, 0xff, bins * sizeof *part);
    overlap_fill_bins(&s, part);
    for (size_t n = 0; n < bins; n++)
        assert_true(whole[n].count == part[n].count && whole[n].error == part[n].error);
    free(whole);
    free(part);
    overlap_sums_destroy(&s);
}

static void bins_are_those_of_their_spans(void **state) {
    (void)state;
    for_every_glass(ON_CPU, claim_spans);
}

/* All pairs in one bin and all but one pair in one bin: no block differs, or one, and what was counted has an error. */
static void bins_without_scatter_are_counted(void **state) {
    (void)state;
    glass g = glass_of(ON_CPU, &glass2d_kind, cases[0].edge, cases[0].cut, CODING_SSC,
                       RNG_INDEPENDENT, 2000);
    overlap_sums s;
    assert_int_equal(overlap_sums_create(&s, &g.worker->model), 0);
    overlap_sums_begin(&s, 2000);
    const uint64_t pairs = overlap_pairs(2000);
    const double counted = 1.545 / (double)pairs;
    const uint32_t same_bin = overlap_differ_bin(s.scale, s.sites, 0);
    overlap_bin *const bin = calloc(overlap_bin_count(s.scale), sizeof *bin);
    for (uint64_t k = 0; k < pairs; k++)
        overlap_sums_add(&s, k, &(overlap_pair){.differ = 0});
    overlap_fill_bins(&s, bin);
    assert_int_equal(bin[same_bin].count, pairs);
    assert_true(fabs(bin[same_bin].error / counted - 1) < 1e-6);
    assert_true(bin[same_bin + 1].count == 0 && bin[same_bin + 1].error == 0);

    overlap_sums_begin(&s, 2000);
    for (uint64_t k = 0; k + 1 < pairs; k++)
        overlap_sums_add(&s, k, &(overlap_pair){.differ = 0});
    overlap_sums_add(&s, pairs - 1, &(overlap_pair){.differ = (uint32_t)s.sites / 2});
    overlap_fill_bins(&s, bin);
    const uint32_t zero = overlap_differ_bin(s.scale, s.sites, (uint32_t)s.sites / 2);
    assert_true(bin[same_bin].count == pairs - 1 && bin[zero].count == 1);
    const double one_event =
        sqrt(1 + 1.545 * 1.545) / (double)pairs; /* the jackknife's is about 1 / pairs */
    assert_true(fabs(bin[same_bin].error / one_event - 1) < 0.05);
    assert_true(fabs(bin[zero].error / one_event - 1) < 0.05);
    free(bin);
    overlap_sums_destroy(&s);
    glass_end(&g);
}

static void claim_faults(const glass *g) {
    for (fault f = RIGHT + 1; f < FAULTS && g->independent; f++) {
        overlap_sums s;
        if (f == MISSING_TAKEN && !g->config.model.incomplete)
            continue;
        recompute(g, &s, f);
        if ((f != WITH_RELATIVES || g->sums.relatives > 0) && same(&s, &g->sums))
            fail_msg("fault %d is not seen: %u spins, %u pairs, %u relatives", (int)f,
                     (unsigned)g->worker->model.sites, (unsigned)s.pairs, (unsigned)s.relatives);
        overlap_sums_destroy(&s);
    }
}

static void wrong_pairs_are_seen(void **state) {
    (void)state;
    for_every_glass(ON_CPU, claim_faults);
}

/* Loads a glass into an engine, and reports its overlaps. */
static void load_and_report(const glass *g, engine *e, overlap_sums *out) {
    histogram report;
    assert_int_equal(histogram_create(&report, &e->model), 0);
    assert_int_equal(e->verbs->write(e, 0, g->count, g->count, g->spins, g->families), ENGINE_OK);
    assert_int_equal(engine_measure(e, &report), ENGINE_OK);
    assert_int_equal(e->verbs->overlaps(e, out), ENGINE_OK);
    histogram_destroy(&report);
}

/* In a population that is one family no pair is left. */
static void relatives_are_left_out(void **state) {
    (void)state;
    glass g = glass_of(ON_CPU, &glass2d_kind, cases[0].edge, cases[0].cut, CODING_SSC,
                       RNG_INDEPENDENT, 100);
    memset(g.families, 0, g.count * sizeof *g.families);
    load_and_report(&g, g.worker, &g.sums);
    assert_int_equal(g.sums.relatives, g.sums.pairs);
    assert_int_equal(g.sums.family_logs, g.count * family_log(g.count));
    overlap_sums s;
    recompute(&g, &s, RIGHT);
    assert_true(same(&s, &g.sums));
    overlap_sums_destroy(&s);
    recompute(&g, &s, WITH_RELATIVES);
    assert_false(same(&s, &g.sums));
    overlap_sums_destroy(&s);
    glass_end(&g);
}

/* --- on a GPU --- */

/* The sums of a glass on the GPU are those of plain loops and of the CPU, and are so a second time; also of large
 * families. */
static void claim_sums_of_cpu(const glass *g) {
    engine *const cpu = engine_at(ON_CPU, &g->config), *const gpu = g->worker;
    overlap_sums s;
    claim_sums(g);
    assert_int_equal(overlap_sums_create(&s, &cpu->model), 0);
    load_and_report(g, cpu, &s);
    assert_true(same(&s, &g->sums));
    uint8_t *const spins = malloc(g->count * g->bytes);
    uint32_t *const families = malloc(g->count * sizeof *families);
    assert_int_equal(gpu->verbs->read(gpu, 0, g->count, spins, families), ENGINE_OK);
    assert_memory_equal(spins, g->spins, g->count * g->bytes);
    assert_memory_equal(families, g->families, g->count * sizeof *families);
    assert_int_equal(gpu->verbs->overlaps(gpu, &s), ENGINE_OK);
    assert_true(same(&s, &g->sums));

    overlap_sums of_gpu;
    assert_int_equal(overlap_sums_create(&of_gpu, &cpu->model), 0);
    for (uint32_t members = 40; members < 3 * g->count; members *= 3) {
        for (uint64_t k = 0; k < g->count; k++)
            g->families[k] = (uint32_t)k / members;
        load_and_report(g, cpu, &s);
        load_and_report(g, gpu, &of_gpu);
        assert_true(s.relatives > 0 || members <= overlap_offset(g->count));
        assert_true(same(&s, &of_gpu));
    }
    overlap_sums_destroy(&of_gpu);
    overlap_sums_destroy(&s);
    cpu->verbs->destroy(cpu);
    free(spins);
    free(families);
}

static void sums_of_the_gpu_are_those_of_the_cpu(void **state) {
    (void)state;
    need_gpu();
    assert_true(for_every_glass(ON_GPU, claim_sums_of_cpu) >= (int)(sizeof cases / sizeof *cases));
}

/* Few replicas, and numbers of them around those that fill machine words. */
static void claim_any_population(const glass *g) {
    static const uint64_t populations[] = {1,  2,  31, 32, 33, 34,  63,  64,
                                           65, 95, 96, 97, 98, 127, 129, 161};
    engine *const cpu = engine_at(ON_CPU, &g->config), *const gpu = g->worker;
    histogram report;
    overlap_sums of_cpu, of_gpu;
    assert_int_equal(histogram_create(&report, &cpu->model), 0);
    assert_int_equal(overlap_sums_create(&of_cpu, &cpu->model), 0);
    assert_int_equal(overlap_sums_create(&of_gpu, &cpu->model), 0);
    for (size_t n = 0; n < sizeof populations / sizeof *populations; n++) {
        const stream_key key = stream_run_key(n, 0);
        assert_int_equal(cpu->verbs->randomise(cpu, key, populations[n], &report), ENGINE_OK);
        assert_int_equal(cpu->verbs->overlaps(cpu, &of_cpu), ENGINE_OK);
        assert_int_equal(gpu->verbs->randomise(gpu, key, populations[n], &report), ENGINE_OK);
        assert_int_equal(gpu->verbs->overlaps(gpu, &of_gpu), ENGINE_OK);
        assert_true(same(&of_cpu, &of_gpu));
        assert_int_equal(of_gpu.pairs, overlap_pairs(populations[n]));
    }
    overlap_sums_destroy(&of_gpu);
    overlap_sums_destroy(&of_cpu);
    histogram_destroy(&report);
    cpu->verbs->destroy(cpu);
}

static void populations_on_the_gpu_may_be_any(void **state) {
    (void)state;
    need_gpu();
    for_every_glass(ON_GPU, claim_any_population);
}

/* --- numbers --- */

/* A machine word and less has no pairs. */
static void few_replicas_have_no_pairs(void **state) {
    (void)state;
    const uint64_t pairs[][2] = {{1, 0}, {32, 0}, {33, 1}, {64, 32}, {65, 32}, {96, 32}, {97, 33}};
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++)
        assert_int_equal(overlap_pairs(pairs[n][0]), pairs[n][1]);
}

static void logarithms_are_right(void **state) {
    (void)state;
    for (uint64_t m = 1; m < UINT64_C(1) << 32; m += 1 + m / 50) {
        const double exact = log2((double)m) * (1 << FAMILY_LOG_BITS);
        const double off = exact - (double)family_log(m);
        if (!(off > -1e-3 && off < 2))
            fail_msg("log2 %llu is off by %g", (unsigned long long)m, off);
    }
    for (uint64_t whole = 31; whole < 64; whole++)
        assert_int_equal(family_log(UINT64_C(1) << whole), whole << FAMILY_LOG_BITS);
    assert_int_equal(family_log(UINT64_C(12345) << 40),
                     family_log(12345) + (40 << FAMILY_LOG_BITS));
}

static void bins_are_mirror_images(void **state) {
    (void)state;
    for (uint32_t edge = 4; edge <= 210; edge += 2) {
        const spin_model m = glass3d_kind.create((const uint32_t[]){edge, edge, edge});
        const overlap_scale s = overlap_scale_of(&m);
        const uint32_t n = (uint32_t)m.sites;
        assert_true(s.differ_bins <= OVERLAP_BINS && s.wall_bins <= OVERLAP_BINS);
        assert_true(s.differ_width == 1 || s.differ_bins > OVERLAP_BINS / 2);
        assert_true(overlap_differ_bin(s, n, n) < s.differ_bins);
        assert_true(overlap_wall_bin(s, (uint32_t)m.bonds) < s.wall_bins);
        for (uint32_t c = 0; c <= n; c += 1 + n / 3000)
            assert_int_equal(overlap_differ_bin(s, n, c) + overlap_differ_bin(s, n, n - c),
                             2 * s.differ_side);
    }
}

/* Opposite planes cancel to the last bit, so that q(k) knows nothing of q; and each is a cosine. */
static void waves_are_waves(void **state) {
    (void)state;
    for (uint32_t edge = 4; edge <= 3072; edge += 2) {
        const spin_model m = glass2d_kind.create((const uint32_t[]){edge, 4, 1});
        overlap_waves w;
        assert_int_equal(overlap_waves_create(&w, &m), 0);
        for (uint32_t x = 0; x < edge; x++) {
            const double angle = 2 * 3.14159265358979323846 * x / edge;
            assert_int_equal(w.cosine[0][x], -w.cosine[0][(x + edge / 2) % edge]);
            assert_true(fabs(w.cosine[0][x] - 16384 * cos(angle)) < 0.5 + 1e-4);
            assert_true(fabs(w.sine[0][x] - 16384 * sin(angle)) < 0.5 + 1e-4);
        }
        overlap_waves_destroy(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_plain_loops),
        cmocka_unit_test(wrong_pairs_are_seen),
        cmocka_unit_test(bins_are_those_of_their_spans),
        cmocka_unit_test(bins_without_scatter_are_counted),
        cmocka_unit_test(relatives_are_left_out),
        cmocka_unit_test(sums_of_the_gpu_are_those_of_the_cpu),
        cmocka_unit_test(populations_on_the_gpu_may_be_any),
        cmocka_unit_test(few_replicas_have_no_pairs),
        cmocka_unit_test(logarithms_are_right),
        cmocka_unit_test(bins_are_mirror_images),
        cmocka_unit_test(waves_are_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
