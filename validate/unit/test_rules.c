/* Claims about the resampling rules (resample/rules.h), of a made-up population:
 *
 *   moments    in every energy level the children of a parent have the mean and the variance of the rule's theory,
 *              and so has their sum over the level, where the parents are independent or multinomial; R_i likewise,
 *              or it is R in every draw
 *   children   each parent has those that a second, slow implementation finds: points looked for from one end of the
 *              line to the other, and Poisson numbers from probabilities that are multiplied up
 *   parts      of a population have the children that they have in the whole
 *   exactly R  however the weights are rounded, be there one parent or many, and one of them with nearly everything
 *   the line   is divided as integers are, next to the ends of strata above all
 *
 * Negative controls: each rule is held against the theory of another. */
#include "cpu/population.h"
#include "resample/rules.h"
#include "validate/lib/annealer.h"
#include "validate/lib/statistics.h"

#include <string.h>

#define RULES     RESAMPLE_NONE /* those whose mean is tau-hat */
#define EDGE      16
#define LEVELS    12
#define PARENTS   400
#define TARGET    380
#define MANY      5000 /* in eight bins (resample/multinomial.h) */
#define DRAWS     6000
#define DBETA     0.02
#define MOST_BINS 16

static bool has_fixed_size(resampling_rule rule) {
    return rule != RESAMPLE_NEAREST && rule != RESAMPLE_POISSON && rule != RESAMPLE_NONE;
}

/* --- a population --- */

typedef struct {
    population p;
    histogram h;
    uint64_t tau_hat[EDGE * EDGE + 1];
    uint64_t parents, target;
    engine_step step;
} made_up;

/* Parents of the energy levels that `level_of` says, and room for so many children. */
static void make(made_up *m, resampling_rule rule, uint64_t parents, uint64_t room,
                 uint32_t (*level_of)(uint32_t j)) {
    const spin_model model = square_model(EDGE);
    const uint64_t capacity = room > parents ? room : parents;
    assert_int_equal(population_create(&m->p, capacity, rule), 0);
    assert_int_equal(histogram_create(&m->h, &model), 0);
    m->parents = parents;
    population_found(&m->p, parents);
    for (uint32_t j = 0; j < parents; j++) {
        m->p.level[j] = level_of(j);
        m->p.order[j] = 0;
    }
    population_report(&m->p, &(engine_step){.parts = PART_MEASURE}, &m->h);
    m->step = (engine_step){.key = {{3, 14}}, .founders = parents, .tau_hat = m->tau_hat};
}

static void destroy(made_up *m) {
    population_destroy(&m->p);
    histogram_destroy(&m->h);
}

/* Sets tau-hat, and the line that goes with it. */
static void expect(made_up *m, double dbeta, uint64_t target) {
    m->target = target;
    resampling_tau_hat(&m->h, dbeta, target, m->tau_hat);
    m->step.line = resampling_line(&m->h, m->p.rule, m->tau_hat, target);
}

/* Resamples, and counts the children of each parent. */
static uint64_t draw(made_up *m, uint32_t temperature, uint32_t *of_parent) {
    population_found(&m->p, m->parents);
    m->step.temperature = temperature;
    assert_int_equal(population_select(&m->p, &m->step), ENGINE_OK);
    memset(of_parent, 0, m->parents * sizeof *of_parent);
    for (uint64_t k = 0; k < m->p.replicas; k++) {
        assert_true(k == 0 || m->p.parent[k] >= m->p.parent[k - 1]);
        of_parent[m->p.parent[k]]++;
    }
    return m->p.replicas;
}

/* --- moments --- */

/* tau-hat between about 0.2 and 4. */
static uint32_t scattered_level(uint32_t j) {
    return 60 + 3 * (stream_philox((stream_key){{1, 1}}, j, 0, 0, 0).number[0] % LEVELS);
}

/* What a rule's theory says. */
typedef struct {
    double mean[PARENTS], variance[PARENTS]; /* of each parent's children */
    double of_level[LEVELS]; /* variance of the sum over a level; NAN: no theory here */
    double of_all;           /* variance of R_i */
} theory;

/* The variance of the points in the strata from `begin` to `end`, both in strata: those that are cut have one with the
 * probability of the part. */
static double stratified_variance(double begin, double end) {
    const double before = floor(begin) + 1 - begin, behind = end - floor(end);
    if (floor(begin) == floor(end))
        return (end - begin) * (1 - (end - begin));
    return before * (1 - before) + behind * (1 - behind);
}

static theory theory_of(const made_up *m, resampling_rule rule) {
    theory t = {.of_all = 0};
    const double target = (double)m->target;
    double q = 0, weights = 0, fractions = 0, in_level[LEVELS] = {0};
    for (uint32_t j = 0; j < PARENTS; j++)
        q += exp(-DBETA * (double)level_energy(m->h.levels, scattered_level(j)));
    for (uint32_t j = 0; j < PARENTS; j++) {
        t.mean[j] =
            target * exp(-DBETA * (double)level_energy(m->h.levels, scattered_level(j))) / q;
        fractions += t.mean[j] - floor(t.mean[j]);
    }
    const double rest = round(fractions); /* points of the residual rule */
    for (uint32_t j = 0; j < PARENTS; j++) {
        const double f = t.mean[j] - floor(t.mean[j]), begin = weights;
        double *const variance = &t.variance[j];
        weights += t.mean[j];
        switch (rule) {
        case RESAMPLE_NEAREST:
        case RESAMPLE_SYSTEMATIC:
            *variance = f * (1 - f);
            break;
        case RESAMPLE_STRATIFIED:
            *variance = stratified_variance(begin, weights);
            break;
        case RESAMPLE_RESIDUAL:
            *variance = f * (1 - f / rest);
            break;
        case RESAMPLE_MULTINOMIAL:
            *variance = t.mean[j] * (1 - t.mean[j] / target);
            break;
        case RESAMPLE_POISSON:
        case RESAMPLE_NONE:
        case RESAMPLING_RULES:
            *variance = t.mean[j];
        }
        const size_t n = (scattered_level(j) - 60) / 3;
        t.of_level[n] += *variance;
        in_level[n] += rule == RESAMPLE_RESIDUAL ? f : t.mean[j];
        t.of_all += has_fixed_size(rule) ? 0 : *variance;
    }
    for (size_t n = 0; n < LEVELS; n++) {
        if (rule == RESAMPLE_SYSTEMATIC || rule == RESAMPLE_STRATIFIED)
            t.of_level[n] = NAN;
        if (rule == RESAMPLE_RESIDUAL)
            t.of_level[n] = in_level[n] * (1 - in_level[n] / rest);
        if (rule == RESAMPLE_MULTINOMIAL)
            t.of_level[n] = in_level[n] * (1 - in_level[n] / target);
    }
    return t;
}

/* What DRAWS resamplings gave: of each level the sum of the children, the sum of their squared deviations from the
 * mean, and the squared deviation of their sum. */
typedef struct {
    sample children[LEVELS], squares[LEVELS], together[LEVELS], all;
} moments;

static moments measure(made_up *m, const theory *t) {
    moments found = {.all = {0}};
    double mean[LEVELS] = {0};
    uint32_t of_parent[PARENTS];
    for (uint32_t j = 0; j < PARENTS; j++)
        mean[(scattered_level(j) - 60) / 3] += t->mean[j];
    for (uint32_t i = 1; i <= DRAWS; i++) {
        double sum[LEVELS] = {0}, squares[LEVELS] = {0};
        const double all = (double)draw(m, i, of_parent) - (double)m->target;
        for (uint32_t j = 0; j < PARENTS; j++) {
            const size_t n = (m->p.level[j] - 60) / 3;
            const double off = of_parent[j] - t->mean[j];
            sum[n] += of_parent[j];
            squares[n] += off * off;
        }
        for (size_t n = 0; n < LEVELS; n++) {
            sample_add(&found.children[n], sum[n]);
            sample_add(&found.squares[n], squares[n]);
            sample_add(&found.together[n], (sum[n] - mean[n]) * (sum[n] - mean[n]));
        }
        sample_add(&found.all, all * all);
    }
    return found;
}

#define COMPARISONS (3 * LEVELS + 1)

/* Adds the z-scores of what a rule gave against a theory. */
static void compare(z_series *z, const moments *found, const theory *t, resampling_rule rule) {
    double mean[LEVELS] = {0}, variance[LEVELS] = {0};
    const char *const name = resampling_name(rule);
    for (uint32_t j = 0; j < PARENTS; j++) {
        mean[(scattered_level(j) - 60) / 3] += t->mean[j];
        variance[(scattered_level(j) - 60) / 3] += t->variance[j];
    }
    for (size_t n = 0; n < LEVELS; n++) {
        z_add(z, sample_z(&found->children[n], mean[n]), "%s, level %zu: mean", name, n);
        z_add(z, sample_z(&found->squares[n], variance[n]), "%s, level %zu: variance", name, n);
        z_add(z, isnan(t->of_level[n]) ? 0 : sample_z(&found->together[n], t->of_level[n]),
              "%s, level %zu: variance of the sum", name, n);
    }
    z_add(z, sample_z(&found->all, t->of_all), "%s, variance of R_i", name);
}

static void copies_have_the_moments_of_the_rule(void **state) {
    (void)state;
    z_series z = z_begin("rules", (RULES + 1) * COMPARISONS);
    for (uint32_t n = 0; n <= RULES; n++) { /* the last one: points in several bins */
        made_up m;
        const resampling_rule rule = n < RULES ? (resampling_rule)n : RESAMPLE_MULTINOMIAL;
        const uint64_t target = n < RULES ? TARGET : MANY;
        const resampling_rule wrong = (rule + 1) % RULES;
        z_series other = z_begin("theory of the next rule", COMPARISONS);
        make(&m, rule, PARENTS, 2 * target, scattered_level);
        expect(&m, DBETA, target);
        const theory right = theory_of(&m, rule), next = theory_of(&m, wrong);
        const moments found = measure(&m, &right);
        compare(&z, &found, &right, rule);
        compare(&other, &found, &next, rule);
        assert_true(z_detected(&other));
        destroy(&m);
    }
    assert_true(z_passed(&z));
}

/* --- a second implementation --- */

/* 64 bits, number k of a sequence that streams.h gives to children, or to the points of a bin. */
static uint64_t bits_of(const engine_step *step, uint32_t bin, uint64_t k, uint32_t sequence) {
    const stream_block b = stream_draw(step->key, STREAM_RESAMPLE, bin, (uint32_t)(k / 2), sequence,
                                       step->temperature);
    return (uint64_t)b.number[2 * (k % 2) + 1] << 32 | b.number[2 * (k % 2)];
}

/* Gives a child to the parent that stands at `units` of 1/P of the weights. */
static void give(const made_up *m, uint128 units, uint64_t points, uint32_t *of_parent) {
    uint128 end = 0;
    for (uint64_t j = 0; j < m->parents; j++) {
        end += (uint128)resampling_weight(m->p.rule, m->tau_hat[m->p.level[j]]) * points;
        if (units < end) {
            of_parent[j]++;
            return;
        }
    }
    fail_msg("a point behind the line");
}

/* A Poisson number of mean 1: as many as there are n with u >= P(points <= n). */
static uint32_t poisson_by_probabilities(uint64_t r) {
    const long double u = ldexpl((long double)r, -64);
    long double probability = expl(-1), below = probability;
    uint32_t points = 0;
    while (u >= below && points < 20) {
        points++;
        probability /= points;
        below += probability;
    }
    return points;
}

static uint32_t poisson_by_units(const made_up *m, uint32_t j) {
    const uint64_t tau_hat = m->tau_hat[m->p.level[j]];
    uint32_t children = 0;
    for (uint64_t begin = 0; begin < tau_hat; begin += UINT64_C(1) << 32) {
        uint32_t numbers[24];
        for (uint32_t n = 0; n < 24; n++)
            numbers[n] = stream_draw(m->step.key, STREAM_RESAMPLE, n / 4, j,
                                     (uint32_t)(begin >> 32), m->step.temperature)
                             .number[n % 4];
        const uint32_t points = poisson_by_probabilities((uint64_t)numbers[1] << 32 | numbers[0]);
        for (uint32_t i = 0; i < points; i++)
            children += begin + numbers[2 + i] < tau_hat;
    }
    return children;
}

/* Points that fall anywhere, up to 2048 in one bin, and more in bins of at most 1024 on average, rounded down: one after the
 * other, each in the bin that a number says, at the next place that its bin has to give. */
static void let_fall(const made_up *m, uint64_t length, uint64_t points, uint32_t *of_parent) {
    uint32_t bins = 1, fallen[MOST_BINS] = {0};
    while (points > 2048 && points / bins > 1024)
        bins *= 2;
    assert_true(bins <= MOST_BINS);
    for (uint64_t k = 0; k < points; k++) {
        const stream_block four =
            stream_draw(m->step.key, STREAM_RESAMPLE, 0, (uint32_t)(k / 4), 1, m->step.temperature);
        const uint64_t bin = (uint64_t)four.number[k % 4] * bins >> 32;
        const uint64_t bits = bits_of(&m->step, (uint32_t)bin, fallen[bin]++, 2);
        const uint128 of_line = ((uint128)bin << 64 | bits) / bins;
        give(m, (of_line * length >> 64) * points, points, of_parent);
    }
}

/* The children of each parent by the rule. */
static void find_slowly(const made_up *m, uint64_t target, uint32_t *of_parent) {
    const engine_step *const step = &m->step;
    uint64_t length = 0, points = target;
    memset(of_parent, 0, m->parents * sizeof *of_parent);
    for (uint32_t j = 0; j < m->parents; j++) {
        const uint64_t tau_hat = m->tau_hat[m->p.level[j]];
        const uint32_t number =
            stream_draw(step->key, STREAM_RESAMPLE, 0, j / 4, 0, step->temperature).number[j % 4];
        if (m->p.rule == RESAMPLE_NEAREST)
            of_parent[j] = (uint32_t)((tau_hat + (UINT32_MAX - number)) >> 32);
        if (m->p.rule == RESAMPLE_POISSON)
            of_parent[j] = poisson_by_units(m, j);
        if (m->p.rule == RESAMPLE_NONE)
            of_parent[j] = 1;
        if (m->p.rule == RESAMPLE_RESIDUAL) {
            of_parent[j] = (uint32_t)(tau_hat >> 32);
            points -= of_parent[j];
        }
        length += resampling_weight(m->p.rule, tau_hat);
    }
    if (m->p.rule == RESAMPLE_RESIDUAL || m->p.rule == RESAMPLE_MULTINOMIAL)
        let_fall(m, length, points, of_parent);
    else if (has_fixed_size(m->p.rule))
        for (uint64_t k = 0; k < points; k++) {
            const uint64_t own = m->p.rule == RESAMPLE_SYSTEMATIC ? 0 : k;
            const uint128 place = (uint128)bits_of(step, 0, own, 0) * length >> 64;
            give(m, (uint128)k * length + place, points, of_parent);
        }
}

/* Levels by a number that the test changes. */
static uint32_t drawn;
static uint32_t any_level(uint32_t j) {
    const uint32_t r = stream_philox((stream_key){{2, drawn}}, j, 0, 0, 0).number[0];
    return drawn % 3 == 0 && j == drawn % 7 ? 0 : 40 + r % (1 + drawn % 60);
}

static void parents_have_the_children_of_a_second_implementation(void **state) {
    (void)state;
    enum { MOST = 300 };
    static const double steps[] = {0, 0.001, 0.02, 0.1, -0.01};
    uint32_t fast[MOST], slow[MOST];
    for (drawn = 0; drawn < 120; drawn++)
        for (resampling_rule rule = RESAMPLE_NEAREST; rule < RESAMPLING_RULES; rule++) {
            const uint64_t parents = drawn < 20 ? 1 + drawn / 4 : 1 + drawn * 2;
            const uint64_t few_or_many = 1 + drawn * (drawn % 8 == 0 ? 1 : 100);
            const uint64_t some = drawn % 4 == 0 ? few_or_many : parents + drawn % 5;
            const uint64_t target = drawn == 44 ? 4099 : some; /* 1024 in each of four bins */
            const bool fixed = has_fixed_size(rule);
            made_up m;
            make(&m, rule, parents, fixed ? target : 60 * MOST, any_level);
            expect(&m, steps[drawn % 5], target);
            find_slowly(&m, target, slow);
            m.step.temperature = 0; /* as they were found */
            uint64_t found = 0;
            for (uint64_t j = 0; j < parents; j++)
                found += slow[j];
            if (found == 0) {
                assert_int_equal(population_select(&m.p, &m.step), ENGINE_EXTINCT);
            } else {
                assert_int_equal(draw(&m, 0, fast), found);
                assert_memory_equal(fast, slow, parents * sizeof *fast);
                fast[parents / 2]++; /* negative control */
                assert_memory_not_equal(fast, slow, parents * sizeof *fast);
            }
            assert_true(!fixed || found == target);
            destroy(&m);
        }
}

/* --- exactly R --- */

/* Weights that rounding would add children to, or take from: many parents whose tau-hat is just below a whole number or
 * just above it, or of which one has nearly everything, or that expect next to nothing. */
static void fixed_sizes_are_exact(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 64, 1000, 65536, 99991};
    static const double steps[] = {0, 1e-13, 1e-11, 1e-6, 0.01, 1, 40, -1e-12, -0.1};
    uint32_t *const of_parent = malloc(100000 * sizeof *of_parent);
    assert_non_null(of_parent);
    drawn = 59;
    for (resampling_rule rule = RESAMPLE_SYSTEMATIC; has_fixed_size(rule); rule++)
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
            for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
                made_up m;
                const uint64_t target = sizes[(n + i) % 4 == 0 ? n / 2 : n];
                make(&m, rule, sizes[n], target, any_level);
                expect(&m, steps[i], target);
                assert_int_equal(draw(&m, (uint32_t)(1 + i), of_parent), target);
                destroy(&m);
            }
    free(of_parent);
}

/* --- parts of a population --- */

/* Parents that know what stands before them have the children that they have among all, also where there are more bins of
 * points than parents in a part. */
static void parts_have_the_children_of_the_whole(void **state) {
    (void)state;
    enum { ALL = 700 };
    static const uint64_t cuts[] = {0, 1, 64, 320, 321, 700}, targets[] = {ALL, 2000000};
    uint32_t together[ALL];
    drawn = 41;
    for (resampling_rule rule = RESAMPLE_SYSTEMATIC; has_fixed_size(rule); rule++)
        for (size_t i = 0; i < 2; i++) {
            made_up m;
            make(&m, rule, ALL, targets[i], any_level);
            expect(&m, 0.02, targets[i]);
            draw(&m, 5, together);
            for (size_t n = 0; n + 1 < sizeof cuts / sizeof *cuts; n++) {
                const uint64_t parents = cuts[n + 1] - cuts[n];
                population part;
                uint64_t children, before = 0;
                assert_int_equal(population_create(&part, parents, rule), 0);
                population_hold(&part, cuts[n], ALL);
                population_found(&part, parents);
                for (uint64_t j = 0; j < parents; j++)
                    part.level[j] = any_level((uint32_t)(cuts[n] + j));
                assert_int_equal(population_count_offspring(&part, &m.step, &children), ENGINE_OK);
                for (uint64_t j = 0; j < parents; j++) {
                    assert_int_equal(part.scratch[j] - before, together[cuts[n] + j]);
                    before = part.scratch[j];
                    m.step.line.before += resampling_weight(rule, m.tau_hat[part.level[j]]);
                }
                assert_int_equal(before, children);
                population_destroy(&part);
            }
            assert_int_equal(m.step.line.before, m.step.line.length);
            destroy(&m);
        }
}

/* --- the line --- */

static void expect_place(parent_line line, uint64_t x) {
    const uint128 units = (uint128)x * line.points;
    const line_place place = line_place_of(line, x);
    assert_int_equal(place.strata, (uint64_t)(units / line.length));
    assert_int_equal(place.rest, (uint64_t)(units % line.length));
}

/* Lengths and numbers of points of all magnitudes; of each the ends, a place drawn, and those next to the end of a stratum that
 * is drawn. */
static void the_line_is_divided_exactly(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 200000; n++) {
        const stream_block r = stream_philox((stream_key){{9, 26}}, n, 0, 0, 0),
                           more = stream_philox((stream_key){{9, 26}}, n, 1, 0, 0);
        const uint64_t bits = (uint64_t)r.number[1] << 32 | r.number[0];
        const parent_line line = {.length = (bits >> n % 64) + 1 - (bits >> n % 64 == UINT64_MAX),
                                  .points = (r.number[2] >> n / 64 % 32) + (uint64_t)1};
        const uint64_t anywhere = (uint64_t)more.number[1] << 32 | more.number[0];
        const uint128 stratum = (uint128)anywhere * line.points >> 64;
        const uint64_t end = (uint64_t)(stratum * line.length / line.points);
        expect_place(line, 0);
        expect_place(line, line.length);
        expect_place(line, (uint64_t)((uint128)anywhere * line.length >> 64));
        expect_place(line, end);
        expect_place(line, end < line.length ? end + 1 : end);
        expect_place(line, end > 0 ? end - 1 : end);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_have_the_moments_of_the_rule),
        cmocka_unit_test(parents_have_the_children_of_a_second_implementation),
        cmocka_unit_test(fixed_sizes_are_exact),
        cmocka_unit_test(parts_have_the_children_of_the_whole),
        cmocka_unit_test(the_line_is_divided_exactly),
    };
    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
