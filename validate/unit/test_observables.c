/* Claims about the averages of one population (eqs. 3) and their errors:
 *  - the averages are the direct sums over the replicas, also where the textbook's <E^2> - <E>^2 in
 *    doubles loses most of its digits, and M^4 where it needs more than 64 bits;
 *    and the same bits where sums over blocks need more;
 *  - the errors of independent replicas are the known ones, and so are those of families whose
 *    members are alike; without blocking they would be far too small;
 *  - r_eff is the number of families then; rho_t and families are what they are named;
 *  - the correlation of relatives is 1 among strangers, by its noise, and the size of families whose members are alike; sure
 *    families are R / rho_t of them where members are strangers, and few where they are alike;
 *  - errors of rare excitations cover as often as an error should, also when none is seen; those of a disordered
 *    model are above the lowest energy that this population or one before it had;
 *  - a population too small for blocks has errors that are not numbers.
 * Statistical tests have fixed seeds and the false-alarm probability of statistics.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimate/blocking.h"
#include "estimate/observables.h"
#include "validate/lib/paramagnet.h"
#include "validate/lib/statistics.h"

#define REPLICAS 5000

static void assert_close(double computed, long double expected, long double tolerance) {
    if (!(fabsl(computed - expected) <= tolerance * fabsl(expected)))
        fail_msg("expected %.17Lg, computed %.17g", expected, computed);
}

/* ---- Averages ------------------------------------------------------------------------------- */

/* Replicas like those of the Ising model at L = 1024 and low temperature: E = -1.97 N, of a spread
 * of 4e-4 N, and M = 0.98 N. Fills level[] and half_m[] and the histogram. */
static void make_replicas(histogram *h, size_t *level, uint64_t *half_m) {
    paramagnet source = paramagnet_create(2, 1, 7); /* for its generator */
    h->population = REPLICAS;
    for (size_t k = 0; k < REPLICAS; k++) {
        level[k] = 7500 + (size_t)(400 * paramagnet_random(&source));
        half_m[k] = 512000 + (uint64_t)(2000 * paramagnet_random(&source));
        histogram_add(h, k, level[k], half_m[k]);
    }
    paramagnet_destroy(&source);
}

static void test_averages(void **state) {
    (void)state;
    const uint64_t spins = 1048576;
    const long double n = (long double)spins;
    static size_t level[REPLICAS];
    static uint64_t half_m[REPLICAS];
    const free_energy_path f = {.beta_f = -1.5, .ln_q = 0.25};
    const spin_model model = square_model(1024);
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    make_replicas(&h, level, half_m);
    const observables row = observables_compute(&h, spins, 0.7, &f, NULL);

    long double e = 0, variance = 0, e2 = 0, abs_m = 0, m2 = 0, m4 = 0;
    double naive_e = 0, naive_e2 = 0;
    for (size_t k = 0; k < REPLICAS; k++) {
        const long double energy = (long double)level_energy(h.levels, level[k]) / n;
        const long double m = 2 * (long double)half_m[k] / n;
        e += energy / REPLICAS;
        e2 += energy * energy / REPLICAS;
        abs_m += m / REPLICAS;
        m2 += m * m / REPLICAS;
        m4 += m * m * m * m / REPLICAS;
        naive_e += (double)energy / REPLICAS;
        naive_e2 += (double)(energy * energy) / REPLICAS;
    }
    for (size_t k = 0; k < REPLICAS; k++) {
        const long double off = (long double)level_energy(h.levels, level[k]) / n - e;
        variance += off * off / REPLICAS;
    }
    const long double c = 0.7L * 0.7L * n * variance;
    assert_close(row.e, e, 1e-15L);
    assert_close(row.e2, e2, 1e-15L);
    assert_close(row.c, c, 1e-14L);
    assert_close(row.abs_m, abs_m, 1e-15L);
    assert_close(row.m2, m2, 1e-15L);
    assert_close(row.m4, m4, 1e-15L);
    assert_true(row.beta == 0.7 && row.beta_f == -1.5 && row.ln_q == 0.25);
    assert_true(row.population == REPLICAS);
    /* Negative control: in doubles, the difference is not good enough. */
    const double naive_c = 0.7 * 0.7 * (double)spins * (naive_e2 - naive_e * naive_e);
    assert_true(fabsl(naive_c - c) > 1e-9L * c);
    histogram_destroy(&h);
}

/* 4096 of each replica: sums of blocks of which 64 bits do not hold all, of the same means and of deviations that are as
 * large, bit for bit. */
static void test_sums_beyond_64_bits(void **state) {
    (void)state;
    static size_t level[REPLICAS];
    static uint64_t half_m[REPLICAS];
    const uint64_t spins = 1048576, copies = 4096;
    const free_energy_path f = {.beta_f = -1.5, .ln_q = 0.25};
    const spin_model model = square_model(1024);
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    make_replicas(&h, level, half_m);
    const observables one = observables_compute(&h, spins, 0.7, &f, NULL);
    uint128 energy2 = 0;
    h.population *= copies;
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        block_sums *const block = &h.block[b];
        block->replicas *= copies;
        block->energy *= (int64_t)copies;
        block->energy2 *= copies;
        block->abs_m *= copies;
        block->m2 *= copies;
        block->q_low *= copies;
        block->q_high *= copies;
        energy2 += block->energy2;
    }
    assert_true(energy2 >> 64 > 0);
    const observables many = observables_compute(&h, spins, 0.7, &f, NULL);
    assert_true(many.blocks == one.blocks && many.r_eff == one.r_eff);
    assert_true(many.e == one.e && many.e2 == one.e2 && many.c == one.c);
    assert_true(many.abs_m == one.abs_m && many.m2 == one.m2 && many.m4 == one.m4);
    histogram_destroy(&h);
}

static void test_clear_forgets(void **state) {
    (void)state;
    paramagnet p = paramagnet_create(64, 500, 3), fresh = paramagnet_create(64, 500, 4);
    const free_energy_path f = {.beta_f = 0};
    paramagnet_start(&p, 1);
    p.random = fresh.random = 5;
    paramagnet_start(&p, 0); /* clears */
    paramagnet_start(&fresh, 0);
    const observables a = observables_compute(&p.report, 64, 1, &f, NULL);
    const observables b = observables_compute(&fresh.report, 64, 1, &f, NULL);
    assert_true(a.e == b.e && a.c == b.c && a.m4 == b.m4 && a.error_c == b.error_c);
    for (size_t n = 0; n <= 64; n++)
        assert_int_equal(p.report.level[n].replicas, fresh.report.level[n].replicas);
    paramagnet_destroy(&p);
    paramagnet_destroy(&fresh);
}

/* ---- Families ------------------------------------------------------------------------------- */

/* A population at beta in which every `size` neighbours are one family, all of them alike. */
static void make_families(paramagnet *p, double beta, uint32_t size) {
    paramagnet_start(p, beta);
    histogram_clear(&p->report);
    for (uint64_t k = 0; k < p->population; k++) {
        p->family[k] = (uint32_t)(k - k % size);
        p->down[k] = p->down[p->family[k]];
    }
    paramagnet_report(p);
}

static void test_families(void **state) {
    (void)state;
    const free_energy_path f = {.beta_f = 0};
    paramagnet p = paramagnet_create(64, 6400, 3);
    paramagnet_start(&p, 0);
    observables row = observables_compute(&p.report, 64, 0, &f, NULL);
    assert_true(row.families == 6400 && row.rho_t == 1 && row.trusted);
    assert_true(row.relatives.length == 25);
    assert_int_equal(blocking_choose(&p.report), 256);
    assert_true(row.error_beta_f == 0);

    make_families(&p, 0, 64); /* 100 families */
    row = observables_compute(&p.report, 64, 0, &f, NULL);
    assert_true(row.families == 100 && row.rho_t == 64 && !row.trusted);
    assert_int_equal(blocking_choose(&p.report), 16);
    make_families(&p, 0, 65);
    row = observables_compute(&p.report, 64, 0, &f, NULL);
    assert_true(row.families == 99 && row.effective_families < 2);

    const uint32_t sizes[] = {3, 4, 6, 7, 12, 13, 25, 26, 6400};
    const size_t blocks[] = {256, 128, 128, 64, 64, 32, 32, 16, 16};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        make_families(&p, 0, sizes[n]);
        assert_int_equal(blocking_choose(&p.report), blocks[n]);
    }
    paramagnet_destroy(&p);
}

/* Families that are known as such, but whose members have forgotten each other. */
static void test_families_of_strangers(void **state) {
    (void)state;
    const free_energy_path f = {.beta_f = 0};
    paramagnet p = paramagnet_create(64, 6400, 3);
    paramagnet_start(&p, 0.5);
    p.report.family_squares = 32 * p.population;
    const observables strangers = observables_compute(&p.report, 64, 0.5, &f, NULL);
    assert_true(strangers.trusted && strangers.effective_families > 150);
    assert_true(strangers.effective_families <= 200);
    make_families(&p, 0.5, 32);
    const observables relatives = observables_compute(&p.report, 64, 0.5, &f, NULL);
    assert_true(relatives.rho_t == 32 && !relatives.trusted && relatives.effective_families < 3);
    paramagnet_destroy(&p);
}

/* The correlation of relatives of a population whose lowest level is occupied. */
static relatives_correlation relatives_among(const histogram *h) {
    return relatives_of(h, (double)(h->population - h->level[0].replicas));
}

/* The correlation of relatives of 400 populations of families of `size` that are alike. */
static sample sample_relatives(uint32_t size, double *noise) {
    sample ratios = {0};
    paramagnet p = paramagnet_create(64, 6400, 17);
    for (int n = 0; n < 400; n++) {
        make_families(&p, 0.3, size);
        const relatives_correlation k = relatives_among(&p.report);
        sample_add(&ratios, k.ratio);
        *noise = k.noise;
    }
    paramagnet_destroy(&p);
    return ratios;
}

static void test_relatives(void **state) {
    (void)state;
    double noise;
    sample s = sample_relatives(1, &noise);
    assert_true(fabs(s.mean - 1) < 5 * noise / sqrt(400));
    assert_true(fabs(sqrt(sample_variance(&s)) / noise - 1) < 5 / sqrt(800));
    s = sample_relatives(5, &noise); /* five families a block */
    assert_true(fabs(s.mean - 5) < 5 * 5 * noise / sqrt(400));
    /* A block of strangers says nothing of a family of many, one of relatives all. */
    const relatives_correlation none = {.ratio = 1 + noise, .noise = noise, .length = 25};
    assert_true(relatives_effective_families(none, 6400, 32) == 200);
    const relatives_correlation seen = {.ratio = 1.1 + noise, .noise = noise, .length = 25};
    assert_close(relatives_effective_families(seen, 6400, 10), 640 / 1.3, 1e-12L);
    assert_close(relatives_effective_families(seen, 6400, 49), 6400 / 49.0 / 1.6, 1e-12L);
}

/* Of R = 64 strangers, in 32 blocks of two, it is R / (R - 1), as exchangeable numbers about their mean have it: within
 * five errors of 4000 populations, 5.7e-7 by chance. The ratio without b / (b - 1) is 1/32 less, eight errors. */
static void test_relatives_of_few(void **state) {
    (void)state;
    sample ratios = {0};
    paramagnet p = paramagnet_create(64, 64, 18);
    for (int n = 0; n < 4000; n++) {
        paramagnet_start(&p, 0.3);
        const relatives_correlation k = relatives_among(&p.report);
        assert_true(k.length == 2);
        sample_add(&ratios, k.ratio);
    }
    const double error = sqrt(sample_variance(&ratios) / 4000);
    assert_true(fabs(ratios.mean - 64.0 / 63) < 5 * error);
    assert_true(fabs(ratios.mean * 31 / 32 - 64.0 / 63) > 5 * error);
    paramagnet_destroy(&p);
}

/* It is taken from as many blocks as have 8 replicas on average, from 32 to 256. */
static void test_blocks_of_relatives(void **state) {
    (void)state;
    static const struct {
        uint64_t population, blocks;
    } of[] = {{64, 32},    {511, 32},   {512, 64},   {1023, 64},
              {1024, 128}, {2047, 128}, {2048, 256}, {9000, 256}};
    for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
        paramagnet p = paramagnet_create(64, of[n].population, 19);
        paramagnet_start(&p, 0.3);
        assert_true(relatives_among(&p.report).length ==
                    (double)of[n].population / (double)of[n].blocks);
        paramagnet_destroy(&p);
    }
}

/* How often the error covers e, and twice it, in 2000 populations of 1000 replicas with so many
 * excitations in the mean; `blind`: by the jackknife alone. */
static void count_covered(double excitations, bool blind, double covered[2]) {
    const double spins = 64, down = excitations / (1000 * spins), beta = log(1 / down - 1) / 2;
    const free_energy_path f = {.beta_f = 0};
    paramagnet p = paramagnet_create(64, 1000, 29);
    covered[0] = covered[1] = 0;
    for (int n = 0; n < 2000; n++) {
        paramagnet_start(&p, beta);
        const observables row = observables_compute(&p.report, 64, beta, &f, NULL);
        const double limit = 1.545 * 2 / (spins * 1000);
        const double error =
            blind ? sqrt(fmax(0, row.error_e * row.error_e - limit * limit)) : row.error_e;
        for (int sigmas = 1; sigmas <= 2; sigmas++)
            covered[sigmas - 1] += fabs(row.e + tanh(beta)) <= sigmas * error ? 1 / 2000.0 : 0;
    }
    paramagnet_destroy(&p);
}

static void test_rare_excitations(void **state) {
    (void)state;
    const double means[] = {0.1, 0.35, 1, 2, 3, 6};
    double covered[2];
    for (size_t n = 0; n < sizeof means / sizeof *means; n++) {
        count_covered(means[n], false, covered);
        assert_true(covered[0] > 0.68 && covered[1] > 0.93);
    }
    count_covered(0.35, true, covered); /* negative control */
    assert_true(covered[1] < 0.4);
}

/* No excitation at all: the errors of counting, exactly. */
static void test_no_excitation(void **state) {
    (void)state;
    const free_energy_path f = {.beta_f = 0};
    const spin_model model = square_model(16);
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    h.population = h.families = 60000;
    h.family_squares = h.population;
    for (uint32_t k = 0; k < h.population; k++) {
        histogram_add(&h, k, 0, 128);
        histogram_add_founder(&h, k, h.population, 0);
    }
    const observables row = observables_compute(&h, 256, 2.2, &f, NULL);
    const long double one = 1.545L / (256 * 60000.0L);
    assert_close(row.error_e, 8 * one, 1e-12L);
    assert_close(row.error_c, 2.2L * 2.2L * 64 * one, 1e-12L);
    assert_close(row.error_abs_m, 2 * one, 1e-12L);
    assert_close(row.error_m2, 4 * one, 1e-12L);
    assert_close(row.error_m4, 8 * one, 1e-12L);
    assert_close(row.error_s, 2.2L * 8 * one, 1e-12L);
    assert_true(row.trusted && row.excited == 0 && isnan(row.r_eff));
    histogram_destroy(&h);
}

/* The lowest excitation costs at most as much as a spin whose bonds are all satisfied; less where a lower one was seen. */
static void test_gaps(void **state) {
    (void)state;
    const free_energy_path f = {.beta_f = 0};
    const struct {
        const model_kind *kind;
        uint32_t gap;
    } cases[] = {{&square_kind, 8}, {&cubic_kind, 12}, {&glass2d_kind, 8}, {&glass3d_kind, 12}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const spin_model model = cases[n].kind->create((const uint32_t[]){4, 4, 4});
        histogram h;
        assert_int_equal(histogram_create(&h, &model), 0);
        assert_int_equal(h.gap, cases[n].gap);
        h.population = h.families = 1000;
        h.family_squares = h.population;
        for (uint32_t k = 0; k < h.population; k++) {
            histogram_add(&h, k, 0, model.sites / h.order_unit);
            histogram_add_founder(&h, k, h.population, 0);
        }
        const observables row = observables_compute(&h, model.sites, 2, &f, NULL);
        assert_close(row.error_e, cases[n].gap * 1.545L / ((long double)model.sites * 1000),
                     1e-12L);
        histogram_destroy(&h);
    }
}

/* The row of 2000 replicas of a sample of 4 x 4, `excited` of them above energy level 3. */
static observables glass_row(uint64_t excited, const observables *before) {
    const free_energy_path f = {.beta_f = 0};
    const spin_model model = glass2d_kind.create((const uint32_t[]){4, 4, 1});
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    h.population = h.families = 2000;
    h.family_squares = h.population;
    for (uint64_t k = 0; k < h.population; k++)
        histogram_add(&h, k, k * excited / h.population == (k + 1) * excited / h.population ? 3 : 4,
                      8);
    const observables row = observables_compute(&h, 16, 3, &f, before);
    histogram_destroy(&h);
    return row;
}

/* Levels 0 to 2 are nobody's as long as nobody was seen there. */
static void test_excited_glass(void **state) {
    (void)state;
    const double e3 = -32 + 3 * 4, one = 1.545 / (16 * 2000);
    const observables some = glass_row(500, NULL), none = glass_row(0, NULL),
                      known = glass_row(0, &some);
    assert_true(some.lowest == e3 && some.excited == 500 && some.gap == 4);
    assert_true(none.lowest == e3 && none.excited == 0);
    assert_close(none.error_e, 8 * one, 1e-12L); /* a flip costs no more */
    assert_close(known.error_e, 4 * one, 1e-12L);
    assert_close(known.error_c, 9 * 16 * one, 1e-12L);
    assert_close(known.error_s, 3 * 4 * one, 1e-12L);
    const observables higher = {.lowest = e3 + 8, .gap = 4}, lower = {.lowest = e3 - 8, .gap = 4};
    const observables found = glass_row(0, &higher), lost = glass_row(0, &lower);
    assert_true(found.lowest == e3 && found.excited == 0 && found.gap == 8);
    assert_true(lost.lowest == e3 - 8 && lost.excited == 2000 && lost.gap == 4);
    assert_true(lost.error_e == 0); /* all of them excited, and alike */
}

/* Runs that agree have seen nothing; errors that are not 0 stay. */
static void test_nothing_is_counted(void **state) {
    (void)state;
    const double one = 1.545 / (16 * 2000);
    observables row = {.beta = 2, .gap = 8, .error_e = 0, .error_c = 1e-9, .error_m2 = NAN};
    observables_count_nothing(&row, 16, 2000);
    assert_close(row.error_e, 8 * one, 1e-12L);
    assert_close(row.error_s, 2 * 8 * one, 1e-12L);
    assert_close(row.error_abs_m, 2 * one, 1e-12L);
    assert_true(row.error_c == 1e-9 && isnan(row.error_m2));
}

static void test_too_small_for_errors(void **state) {
    (void)state;
    const free_energy_path f = {.beta_f = 0};
    for (uint64_t replicas = 1; replicas <= 40; replicas++) {
        paramagnet p = paramagnet_create(64, replicas, replicas);
        paramagnet_start(&p, 0.5);
        const observables row = observables_compute(&p.report, 64, 0.5, &f, NULL);
        const double errors[] = {row.error_e,  row.error_c,      row.error_abs_m, row.error_m2,
                                 row.error_m4, row.error_beta_f, row.error_s,     row.r_eff};
        for (size_t n = 0; n < sizeof errors / sizeof *errors; n++)
            assert_int_equal(isfinite(errors[n]) != 0, replicas >= 16);
        assert_true(row.blocks == (replicas >= 16 ? 16 : 0));
        assert_true(isfinite(row.e) && isfinite(row.c) && !row.trusted);
        paramagnet_destroy(&p);
    }
}

/* ---- Errors --------------------------------------------------------------------------------- */

/* The jackknife error of a mean is its standard error. */
static void test_jackknife(void **state) {
    (void)state;
    const double x[] = {1, 4, 9, 16, 25, 36};
    enum { COUNT = sizeof x / sizeof *x };
    double without[COUNT], sum = 0;
    sample s = {0};
    for (size_t b = 0; b < COUNT; b++) {
        sample_add(&s, x[b]);
        sum += x[b];
    }
    for (size_t b = 0; b < COUNT; b++)
        without[b] = (sum - x[b]) / (COUNT - 1);
    assert_close(jackknife_error(without, COUNT), sqrt(sample_variance(&s) / COUNT), 1e-15L);
    for (size_t b = 0; b < COUNT; b++)
        without[b] = 0.1;
    assert_true(jackknife_error(without, COUNT) == 0);
}

/* Those of many quantities are those of each alone. */
static void test_jackknife_of_many(void **state) {
    (void)state;
    enum { BLOCKS = 16, COUNT = 150 };
    double without[BLOCKS][COUNT], alone[BLOCKS], error[COUNT];
    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t n = 0; n < COUNT; n++)
            without[b][n] = 1.0 / (double)(1 + b * COUNT + n);
    jackknife_errors(*without, BLOCKS, COUNT, error);
    for (size_t n = 0; n < COUNT; n++) {
        for (size_t b = 0; b < BLOCKS; b++)
            alone[b] = without[b][n];
        assert_true(error[n] > 0);
        assert_true(error[n] == jackknife_error(alone, BLOCKS));
    }
}

/* What 400 populations of one kind say of their errors. */
typedef struct {
    sample error_e2, error_c2, error_abs_m2, error_m2_2, error_m4_2; /* squares of the errors ... */
    sample e, c, abs_m, m2, m4; /* ... and the values themselves */
    sample inverse_r_eff;
} error_samples;

#define POPULATIONS 400
#define SPINS       64

/* Populations of 4096 replicas at beta in families of `size`; if `blind`, the histogram says that
 * there are no families. */
static error_samples sample_errors(double beta, uint32_t size, int blind) {
    const free_energy_path f = {.beta_f = 0};
    error_samples s = {0};
    paramagnet p = paramagnet_create(SPINS, 4096, 11);
    for (int n = 0; n < POPULATIONS; n++) {
        make_families(&p, beta, size);
        if (blind)
            p.report.family_squares = p.population;
        const observables row = observables_compute(&p.report, SPINS, beta, &f, NULL);
        sample_add(&s.error_e2, row.error_e * row.error_e);
        sample_add(&s.error_c2, row.error_c * row.error_c);
        sample_add(&s.error_abs_m2, row.error_abs_m * row.error_abs_m);
        sample_add(&s.e, row.e);
        sample_add(&s.c, row.c);
        sample_add(&s.error_m2_2, row.error_m2 * row.error_m2);
        sample_add(&s.error_m4_2, row.error_m4 * row.error_m4);
        sample_add(&s.abs_m, row.abs_m);
        sample_add(&s.m2, row.m2);
        sample_add(&s.m4, row.m4);
        sample_add(&s.inverse_r_eff, 1 / row.r_eff);
    }
    paramagnet_destroy(&p);
    return s;
}

/* The exact variances, for one independent replica, of e and |m| of SPINS spins, and to leading
 * order of the specific heat. */
static void exact_variances(double beta, double *of_e, double *of_c, double *of_abs_m) {
    double weight[SPINS + 1], abs_m = 0, m2 = 0, fourth = 0;
    const double up = 1 / (1 + exp(-2 * beta)), mean = tanh(beta);
    for (int n = 0; n <= SPINS; n++) {
        const double m = 1 - 2.0 * n / SPINS;
        weight[n] = exp(lgamma(SPINS + 1) - lgamma(n + 1) - lgamma(SPINS - n + 1) +
                        (SPINS - n) * log(up) + n * log(1 - up));
        abs_m += weight[n] * fabs(m);
        m2 += weight[n] * m * m;
        fourth += weight[n] * pow(m - mean, 4);
    }
    const double variance = m2 - mean * mean;
    *of_e = variance;
    *of_abs_m = m2 - abs_m * abs_m;
    *of_c = pow(beta * beta * SPINS, 2) * (fourth - variance * variance);
}

/* Adds the z-scores of the squared errors against those of 4096 / size independent replicas, and of
 * the spread of the values against their errors. */
static void compare_errors(z_series *z, double beta, uint32_t size, const error_samples *s) {
    const double independent = 4096.0 / size, last = POPULATIONS - 1;
    double of_e, of_c, of_abs_m;
    exact_variances(beta, &of_e, &of_c, &of_abs_m);
    z_add(z, sample_z(&s->error_e2, of_e / independent), "error of e, families of %u", size);
    z_add(z, sample_z(&s->error_abs_m2, of_abs_m / independent), "error of |m|, families of %u",
          size);
    z_add(z, sample_z(&s->inverse_r_eff, 1 / independent), "r_eff, families of %u", size);
    z_add(z, z_of_chi_square(s->e.squares / s->error_e2.mean, last), "spread of e, families of %u",
          size);
    z_add(z, z_of_chi_square(s->c.squares / s->error_c2.mean, last), "spread of C, families of %u",
          size);
    z_add(z, z_of_chi_square(s->abs_m.squares / s->error_abs_m2.mean, last),
          "spread of |m|, families of %u", size);
    z_add(z, z_of_chi_square(s->m2.squares / s->error_m2_2.mean, last),
          "spread of m2, families of %u", size);
    z_add(z, z_of_chi_square(s->m4.squares / s->error_m4_2.mean, last),
          "spread of m4, families of %u", size);
}

static void test_errors(void **state) {
    (void)state;
    const uint32_t sizes[] = {1, 4, 32}; /* 256, 128 and 16 blocks */
    z_series z = z_begin("one-run errors", 3 * 8 + 1);
    for (size_t n = 0; n < 3; n++) {
        const error_samples s = sample_errors(0.3, sizes[n], 0);
        compare_errors(&z, 0.3, sizes[n], &s);
        double of_e, of_c, of_abs_m;
        exact_variances(0.3, &of_e, &of_c, &of_abs_m);
        if (n == 0)
            z_add(&z, sample_z(&s.error_c2, of_c / 4096), "error of C");
    }
    assert_true(z_passed(&z));
}

static void test_errors_without_blocking(void **state) {
    (void)state;
    const error_samples s = sample_errors(0.3, 32, 1);
    z_series z = z_begin("errors blind to families", 8);
    compare_errors(&z, 0.3, 32, &s);
    assert_true(z_detected(&z));
    assert_true(s.error_e2.mean < 0.6 * sample_variance(&s.e));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_averages),
        cmocka_unit_test(test_sums_beyond_64_bits),
        cmocka_unit_test(test_clear_forgets),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_families_of_strangers),
        cmocka_unit_test(test_relatives),
        cmocka_unit_test(test_relatives_of_few),
        cmocka_unit_test(test_blocks_of_relatives),
        cmocka_unit_test(test_rare_excitations),
        cmocka_unit_test(test_no_excitation),
        cmocka_unit_test(test_nothing_is_counted),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_excited_glass),
        cmocka_unit_test(test_too_small_for_errors),
        cmocka_unit_test(test_jackknife),
        cmocka_unit_test(test_jackknife_of_many),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_errors_without_blocking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
