/* Orders of sites (engine/visits.h) against exact results. On the 4 x 4 lattice the energy, and its autocorrelation after one update
 * and after two, are those of the operators on all 65,536 states, which see every wrong order, hit and sub-lattice. Tiles as large as
 * the lattice have the bits of the checkerboard. In equilibrium bonds between tiles have the energy of others. Replicas at common
 * sites stay independent. (Bits: reference/plain_visits.c by test_plain.sh.) */
#include "reference/exact.h"
#include "validate/lib/all_states.h"
#include "validate/lib/annealer.h"
#include "validate/lib/statistics.h"

#include <omp.h>
#include <string.h>

#define KEY ((stream_key){{2012, 3064}})

/* --- Operators on functions of all states --- */

/* Attempts one after the other, each at one of some sites, bits of its mask, with equal probability. */
#define MOST_ATTEMPTS 256
typedef struct {
    uint16_t sites[MOST_ATTEMPTS];
    size_t count;
} attempts;

/* An update: one of some sequences of attempts, with equal probability. */
#define MOST_SEQUENCES 24
typedef struct {
    attempts sequence[MOST_SEQUENCES];
    size_t count;
} operator;

static void add_attempts(attempts *a, uint32_t sites, size_t count) {
    for (; count > 0; count--)
        a->sites[a->count++] = (uint16_t)sites;
}

/* The sites of an s x s square. */
static uint32_t square_at(uint32_t x0, uint32_t y0, uint32_t s) {
    uint32_t mask = 0;
    for (uint32_t y = y0; y < y0 + s; y++)
        for (uint32_t x = x0; x < x0 + s; x++)
            mask |= 1u << (y % ALL_EDGE * ALL_EDGE + x % ALL_EDGE);
    return mask;
}

/* All sites of a tile colour and a sub-lattice, in any order: they do not interact. */
static void add_sub_lattice(attempts *a, uint32_t tile, uint32_t colour, uint32_t odd) {
    for (uint32_t site = 0; site < ALL_SITES; site++) {
        const uint32_t x = site % ALL_EDGE, y = site / ALL_EDGE;
        if ((x / tile + y / tile) % 2 == colour && (x + y) % 2 == odd)
            add_attempts(a, 1u << site, 1);
    }
}

static void add_hits(attempts *a, uint32_t tile, uint32_t colour, uint32_t odd, uint32_t hits) {
    for (; hits > 0; hits--) {
        add_sub_lattice(a, tile, colour, odd);
        add_sub_lattice(a, tile, colour, 1 - odd);
    }
}

static void add_tiles(attempts *a, const visit_plan *v) {
    const uint32_t half = v->palindrome ? v->hits / 2 : v->hits, rest = v->hits - half;
    add_hits(a, v->tile, 0, 0, half);
    add_hits(a, v->tile, 1, 0, half);
    add_hits(a, v->tile, 1, 1, rest);
    add_hits(a, v->tile, 0, 1, rest);
}

/* All orders of the four quarters of the lattice. */
static void add_quarters(operator* o, uint32_t hits) {
    for (uint32_t n = 0; n < 256; n++) {
        const uint32_t part[4] = {n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6};
        if ((1u << part[0] | 1u << part[1] | 1u << part[2] | 1u << part[3]) != 15)
            continue;
        for (uint32_t k = 0; k < 4; k++)
            add_attempts(&o->sequence[o->count], square_at(2 * (part[k] & 1), part[k] & 2, 2),
                         4 * hits);
        o->count++;
    }
}

static void fill_operator(operator* o, const visit_plan *v) {
    memset(o, 0, sizeof *o);
    if (v->order == VISIT_DOUBLE_TILING) {
        add_quarters(o, v->hits);
        return;
    }
    o->count = v->order == VISIT_DEAD_BORDER ? ALL_SITES : 1;
    for (size_t n = 0; n < o->count; n++) {
        attempts *const a = &o->sequence[n];
        if (v->order == VISIT_TILES)
            add_tiles(a, v);
        for (uint32_t site = 0; site < ALL_SITES && v->order == VISIT_SEQUENTIAL; site++)
            add_attempts(a, 1u << site, 1);
        if (v->order == VISIT_RANDOM)
            add_attempts(a, ALL_STATES - 1, ALL_SITES);
        if (v->order == VISIT_DEAD_BORDER)
            add_attempts(a, square_at((uint32_t)n % ALL_EDGE, (uint32_t)n / ALL_EDGE, 2),
                         ALL_SITES * v->hits);
    }
}

/* The neighbours up of each site in each state. */
static uint8_t neighbours_up[ALL_SITES][ALL_STATES];

static int count_neighbours(void **state) {
    (void)state;
    for (uint32_t site = 0; site < ALL_SITES; site++) {
        const uint32_t x = site % ALL_EDGE, y = site / ALL_EDGE;
        const uint32_t around = 1u << (y * 4 + (x + 1) % 4) | 1u << (y * 4 + (x + 3) % 4) |
                                1u << ((y + 1) % 4 * 4 + x) | 1u << ((y + 3) % 4 * 4 + x);
        for (uint32_t s = 0; s < ALL_STATES; s++)
            neighbours_up[site][s] = (uint8_t)__builtin_popcount(s & around);
    }
    return 0;
}

/* Replaces f(s) by its mean after an attempt at a site; probability[]: of a flip, by unsatisfied bonds. */
static void attempt_at(double *f, uint32_t site, const double probability[5]) {
    const uint32_t bit = 1u << site;
    for (uint32_t first = 0; first < ALL_STATES; first += 2 * bit)
        for (uint32_t down = first; down < first + bit; down++) {
            const int ups = neighbours_up[site][down];
            const double a = f[down], b = f[down + bit];
            f[down] = a + probability[ups] * (b - a);
            f[down + bit] = b + probability[4 - ups] * (a - b);
        }
}

static void attempt_at_one_of(double *f, uint32_t sites, const double probability[5]) {
    static double from[ALL_STATES], one[ALL_STATES];
    const int count = __builtin_popcount(sites);
    if (count == 1) {
        attempt_at(f, (uint32_t)__builtin_ctz(sites), probability);
        return;
    }
    memcpy(from, f, sizeof from);
    memset(f, 0, sizeof from);
    for (; sites != 0; sites &= sites - 1) {
        memcpy(one, from, sizeof one);
        attempt_at(one, (uint32_t)__builtin_ctz(sites), probability);
        for (uint32_t s = 0; s < ALL_STATES; s++)
            f[s] += one[s] / count;
    }
}

/* Replaces f(s) by its mean after an update of s: the last attempt acts first. */
static void apply(const operator* o, double *f, const double probability[5]) {
    static double from[ALL_STATES], one[ALL_STATES];
    memcpy(from, f, sizeof from);
    memset(f, 0, sizeof from);
    for (size_t n = 0; n < o->count; n++) {
        const attempts *const a = &o->sequence[n];
        memcpy(one, from, sizeof one);
        for (size_t k = a->count; k-- > 0;)
            attempt_at_one_of(one, a->sites[k], probability);
        for (uint32_t s = 0; s < ALL_STATES; s++)
            f[s] += one[s] / (double)o->count;
    }
}

/* --- Exact dynamics --- */

#define LAGS 60

typedef struct {
    double mean, variance; /* of E in equilibrium */
    double rho[LAGS + 1];  /* by updates, up to `lags` */
    size_t lags;
    double tau; /* 1/2 + sum of rho less its limit */
} dynamics;

static void fill_probabilities(const update_kind *update, double beta, double probability[5]) {
    for (int d = 0; d <= 4; d++)
        probability[d] = update->accept(beta, 8 - 4 * d);
}

/* The first `lags` correlations; tau is right if these are all that matter. */
static dynamics exact_dynamics(const visit_plan *v, const update_kind *update, double beta,
                               size_t lags) {
    static operator o;
    static double weight[ALL_STATES], energy[ALL_STATES], f[ALL_STATES];
    dynamics x = {.lags = lags};
    double probability[5], z = 0;
    fill_operator(&o, v);
    fill_probabilities(update, beta, probability);
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        energy[s] = 2.0 * all_unsatisfied(s, NULL) - 2 * ALL_SITES;
        z += weight[s] = exp(-beta * energy[s]);
    }
    for (uint32_t s = 0; s < ALL_STATES; s++)
        x.mean += (weight[s] /= z) * energy[s];
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        f[s] = energy[s] -= x.mean;
        x.variance += weight[s] * f[s] * f[s];
    }
    for (size_t t = 0; t <= lags; t++) {
        for (uint32_t s = 0; s < ALL_STATES; s++)
            x.rho[t] += weight[s] * energy[s] * f[s] / x.variance;
        if (t < lags)
            apply(&o, f, probability);
    }
    x.tau = 0.5;
    for (size_t t = 1; t <= lags; t++)
        x.tau += x.rho[t] - x.rho[lags];
    return x;
}

/* The numbers are those of another program (updates at beta = 0.4). */
static void operators_have_known_autocorrelations(void **state) {
    (void)state;
    const visit_plan sequential = {.order = VISIT_SEQUENTIAL, .hits = 1},
                     checkerboard = {.order = VISIT_TILES, .tile = 4, .hits = 1},
                     tiles = {.order = VISIT_TILES, .tile = 2, .hits = 2},
                     random = {.order = VISIT_RANDOM, .hits = 1};
    const struct {
        const visit_plan *v;
        const update_kind *update;
        double rho_1, rho_2, tau; /* 0: not known */
    } known[] = {
        {&sequential, &metropolis_update, 0.46007681, 0.18559298, 1.268966},
        {&checkerboard, &metropolis_update, 0.48541357, 0.15098783, 1.215233},
        {&tiles, &metropolis_update, 0.33453199, 0.09215754, 0.973783},
        {&tiles, &heat_bath_update, 0.39989109, 0, 1.147473},
        {&sequential, &heat_bath_update, 0.51675883, 0.28753965, 1.679602},
        {&random, &metropolis_update, 0.65876909, 0, 0},
        {&random, &heat_bath_update, 0.68590471, 0, 0},
    };
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        const dynamics x =
            exact_dynamics(known[n].v, known[n].update, 0.4, known[n].tau > 0 ? LAGS : 1);
        assert_true(fabs(x.mean / ALL_SITES + 1.3791164823) < 1e-9);
        assert_true(fabs(x.rho[1] - known[n].rho_1) < 1e-8);
        assert_true(known[n].rho_2 == 0 || fabs(x.rho[2] - known[n].rho_2) < 1e-8);
        assert_true(known[n].tau == 0 || fabs(x.tau - known[n].tau) < 2e-6);
    }
}

/* |<f, P g> - <g, P f>| / (|f| |g|) of two functions. 0: detailed balance. */
static double asymmetry(const visit_plan *v, double beta) {
    static operator o;
    static double f[ALL_STATES], g[ALL_STATES], of_f[ALL_STATES], of_g[ALL_STATES];
    double probability[5], difference = 0, ff = 0, gg = 0;
    fill_operator(&o, v);
    fill_probabilities(&metropolis_update, beta, probability);
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        const stream_block b = stream_draw(KEY, STREAM_RANDOMISE, s, 0, 0, 0);
        of_f[s] = f[s] = b.number[0] / 0x1p31 - 1;
        of_g[s] = g[s] = b.number[1] / 0x1p31 - 1;
    }
    apply(&o, of_f, probability);
    apply(&o, of_g, probability);
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        const double w = exp(-2 * beta * all_unsatisfied(s, NULL));
        difference += w * (f[s] * of_g[s] - g[s] * of_f[s]);
        ff += w * f[s] * f[s];
        gg += w * g[s] * g[s];
    }
    return fabs(difference) / sqrt(ff * gg);
}

/* Negative control: the same hits in the usual order. */
static void the_palindrome_has_detailed_balance(void **state) {
    (void)state;
    const visit_plan palindrome = {.order = VISIT_TILES, .tile = 2, .hits = 2, .palindrome = true},
                     usual = {.order = VISIT_TILES, .tile = 2, .hits = 2};
    assert_true(asymmetry(&palindrome, 0.4) < 1e-13);
    assert_true(asymmetry(&usual, 0.4) > 1e-4);
}

/* --- The engine --- */

/* rho(25) of any of the updates is below 1e-3, and what is left of it is spread over all measurements. */
#define FORGOTTEN 25
#define REPLICAS  2000
#define UPDATES   100
#define LAST_LAG  2

static engine *engine_of(const visit_plan *v, spin_model model, uint64_t replicas) {
    const engine_config config = {
        .coding = CODING_SSC, .model = model, .capacity = replicas, .visits = *v};
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    return e;
}

static void start(engine *e, uint64_t replicas, histogram *h) {
    assert_int_equal(histogram_create(h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, KEY, replicas, h), ENGINE_OK);
}

static void update(engine *e, const flip_rule *rule, uint32_t step_number, uint32_t updates,
                   histogram *h) {
    const engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                              .key = KEY,
                              .temperature = step_number,
                              .sweeps = updates,
                              .rule = *rule};
    assert_int_equal(e->verbs->step(e, &step, h), ENGINE_OK);
}

/* Adds z-scores of the energy and of rho(1), rho(2) as far as known to *z, and of the same against another update to *control:
 * replicas are independent. */
static void compare_dynamics(z_series *z, z_series *control, const visit_plan *v,
                             const update_kind *acceptance, double beta, const dynamics *exact,
                             const dynamics *other) {
    static uint32_t level[UPDATES][REPLICAS];
    engine *const e = engine_of(v, square_model(ALL_EDGE), REPLICAS);
    const flip_rule rule = flip_rule_at(acceptance, &e->model, beta);
    sample of[LAST_LAG + 1] = {{0}};
    histogram h;
    start(e, REPLICAS, &h);
    update(e, &rule, 1, FORGOTTEN, &h);
    for (uint32_t t = 0; t < UPDATES; t++) {
        update(e, &rule, 2 + t, 1, &h);
        assert_int_equal(e->verbs->read_levels(e, 0, REPLICAS, level[t]), ENGINE_OK);
    }
    for (uint32_t k = 0; k < REPLICAS; k++) {
        double sum[LAST_LAG + 1] = {0}, energy[UPDATES];
        for (uint32_t t = 0; t < UPDATES; t++)
            energy[t] = (double)level_energy(e->model.levels, level[t][k]) - exact->mean;
        for (uint32_t t = 0; t < UPDATES - LAST_LAG; t++) {
            sum[0] += energy[t];
            for (uint32_t lag = 1; lag <= LAST_LAG; lag++)
                sum[lag] += energy[t] * energy[t + lag] / exact->variance;
        }
        for (uint32_t lag = 0; lag <= LAST_LAG; lag++)
            sample_add(&of[lag], sum[lag] / (UPDATES - LAST_LAG));
    }
    const char *const name = acceptance->name;
    z_add(z, sample_z(&of[0], 0), "order %d, k = %u, %s: energy", v->order, v->hits, name);
    for (uint32_t lag = 1; lag <= LAST_LAG; lag++) {
        if (lag <= exact->lags)
            z_add(z, sample_z(&of[lag], exact->rho[lag]), "order %d, k = %u, %s: rho(%u)", v->order,
                  v->hits, name, lag);
        if (lag <= other->lags)
            z_add(control, sample_z(&of[lag], other->rho[lag]), "rho(%u)", lag);
    }
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

/* Negative controls: each update as if it were another one. */
static void autocorrelations_are_exact(void **state) {
    (void)state;
    static const struct {
        visit_plan v;
        const update_kind *acceptance;
        size_t lags, other; /* known correlations; the case that it is taken for */
    } cases[] = {
        {{.order = VISIT_SEQUENTIAL, .hits = 1}, &metropolis_update, 2, 1},
        {{.order = VISIT_TILES, .tile = 4, .hits = 1}, &metropolis_update, 2, 0},
        {{.order = VISIT_TILES, .tile = 2, .hits = 1}, &metropolis_update, 2, 1},
        {{.order = VISIT_TILES, .tile = 2, .hits = 2}, &metropolis_update, 2, 4},
        {{.order = VISIT_TILES, .tile = 2, .hits = 2, .palindrome = true},
         &metropolis_update,
         2,
         3},
        {{.order = VISIT_TILES, .tile = 2, .hits = 2}, &heat_bath_update, 2, 3},
        {{.order = VISIT_RANDOM, .hits = 1}, &metropolis_update, 2, 0},
        {{.order = VISIT_DOUBLE_TILING, .tile = 4, .hits = 1}, &metropolis_update, 1, 0},
        {{.order = VISIT_DEAD_BORDER, .tile = 4, .hits = 1}, &metropolis_update, 1, 6},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    static dynamics exact[CASES];
    size_t comparisons = CASES;
    for (size_t n = 0; n < CASES; n++) {
        exact[n] = exact_dynamics(&cases[n].v, cases[n].acceptance, 0.4, cases[n].lags);
        comparisons += cases[n].lags;
    }
    z_series z = z_begin("energy, rho(1) and rho(2)", comparisons);
    for (size_t n = 0; n < CASES; n++) {
        z_series control = z_begin("another update", LAST_LAG);
        compare_dynamics(&z, &control, &cases[n].v, cases[n].acceptance, 0.4, &exact[n],
                         &exact[cases[n].other]);
        assert_true(z_detected(&control));
    }
    assert_true(z_passed(&z));
}

/* --- Bits --- */

#define FEW 50

static void bits_after(const visit_plan *v, const update_kind *acceptance, spin_model model,
                       uint32_t updates, uint32_t replicas, uint8_t *spins) {
    engine *const e = engine_of(v, model, replicas);
    const flip_rule rule = flip_rule_at(acceptance, &e->model, 0.4);
    uint32_t families[FEW];
    histogram h;
    start(e, replicas, &h);
    update(e, &rule, 1, updates, &h);
    assert_int_equal(e->verbs->read(e, 0, replicas, spins, families), ENGINE_OK);
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

/* One tile: k hits are k sweeps. Negative control: two tiles in a row. */
static void a_tile_as_large_as_the_lattice_is_a_checkerboard(void **state) {
    (void)state;
    static uint8_t spins[3][FEW * 512 / 8];
    const visit_plan none = {.order = VISIT_CHECKERBOARD},
                     one = {.order = VISIT_TILES, .tile = 8, .hits = 3},
                     four = {.order = VISIT_TILES, .tile = 4, .hits = 3};
    const uint32_t edge[MODEL_MAX_DIMENSION] = {8, 8, 8};
    for (int n = 0; n < 4; n++) {
        const update_kind *const acceptance = n % 2 ? &heat_bath_update : &metropolis_update;
        const spin_model model = n / 2 ? cubic_kind.create(edge) : square_model(8);
        const size_t bytes = FEW * model.sites / 8;
        bits_after(&none, acceptance, model, 18, FEW, spins[0]);
        bits_after(&one, acceptance, model, 6, FEW, spins[1]);
        bits_after(&four, acceptance, model, 6, FEW, spins[2]);
        assert_memory_equal(spins[0], spins[1], bytes);
        assert_memory_not_equal(spins[0], spins[2], bytes);
    }
}

/* A few replicas are divided, many are shared out. */
static void threads_do_not_matter(void **state) {
    (void)state;
    static uint8_t spins[2][FEW * 256 / 8];
    for (visit_order order = VISIT_TILES; order <= VISIT_DEAD_BORDER; order++) {
        const visit_plan v = {.order = order, .tile = 4, .hits = 2};
        for (uint32_t replicas = 1; replicas <= FEW; replicas += FEW - 1) {
            omp_set_num_threads(1);
            bits_after(&v, &metropolis_update, square_model(16), 5, replicas, spins[0]);
            omp_set_num_threads(3);
            bits_after(&v, &metropolis_update, square_model(16), 5, replicas, spins[1]);
            assert_memory_equal(spins[0], spins[1], replicas * 256 / 8);
        }
    }
    omp_set_num_threads(1);
}

/* --- Equilibrium of larger lattices --- */

#define EDGE         16
#define COPIES       150
#define EDGE_UPDATES 30

static bool is_up(const uint8_t *spins, uint32_t x, uint32_t y) {
    const uint32_t odd = (x + y) % 2, site = odd * EDGE * EDGE / 2 + (y * EDGE + x) / 2;
    return spins[site / 8] >> site % 8 & 1;
}

/* The share of unsatisfied bonds in rows that end at columns `first` modulo `tile`, less that of the others. */
static double excess_at_edges(const uint8_t *spins, uint32_t tile, uint32_t first) {
    double sum[2] = {0};
    for (uint32_t y = 0; y < EDGE; y++)
        for (uint32_t x = 0; x < EDGE; x++) {
            const uint32_t next = (x + 1) % EDGE;
            sum[next % tile == first % tile] += is_up(spins, x, y) != is_up(spins, next, y);
        }
    return sum[1] * tile / (EDGE * EDGE) - sum[0] * tile / (EDGE * EDGE * (tile - 1));
}

/* Negative control: sites at the border of tiles were never updated, in the first update with a dead border. */
static void bonds_between_tiles_are_as_others(void **state) {
    (void)state;
    static uint8_t spins[COPIES * EDGE * EDGE / 8];
    const visit_plan v[] = {{.order = VISIT_TILES, .tile = 4, .hits = 4},
                            {.order = VISIT_DOUBLE_TILING, .tile = 8, .hits = 3},
                            {.order = VISIT_DEAD_BORDER, .tile = 8, .hits = 20, .common = true}};
    uint32_t families[COPIES];
    z_series z = z_begin("bonds at the edges of tiles", 2), wrong = z_begin("a dead border", 1);
    for (int n = 0; n < 3; n++) {
        engine *const e = engine_of(&v[n], square_model(EDGE), COPIES);
        const flip_rule rule = flip_rule_at(&metropolis_update, &e->model, 0.4);
        const stream_block drawn = visit_drawn(&v[n], KEY, EDGE * EDGE, 0, 0, 1);
        const uint32_t first = n < 2 ? 0 : (uint32_t)((uint64_t)drawn.number[0] * EDGE >> 32);
        sample excess = {0};
        histogram h;
        start(e, COPIES, &h);
        update(e, &rule, 1, n < 2 ? EDGE_UPDATES : 1, &h);
        assert_int_equal(e->verbs->read(e, 0, COPIES, spins, families), ENGINE_OK);
        for (uint32_t k = 0; k < COPIES; k++)
            sample_add(&excess,
                       excess_at_edges(spins + k * (EDGE * EDGE / 8), n == 0 ? 4 : 8, first));
        z_add(n < 2 ? &z : &wrong, sample_z(&excess, 0), "order %d", v[n].order);
        histogram_destroy(&h);
        e->verbs->destroy(e);
    }
    assert_true(z_passed(&z) && z_detected(&wrong));
}

/* Pairs of replicas at common sites are in the same state as often as two of equilibrium. Negative control: replicas that
 * are compared with themselves. */
static void common_sites_leave_replicas_independent(void **state) {
    (void)state;
    static uint8_t spins[REPLICAS * ALL_SITES / 8];
    static uint32_t families[REPLICAS];
    const visit_plan v = {.order = VISIT_RANDOM, .hits = 1, .common = true};
    engine *const e = engine_of(&v, square_model(ALL_EDGE), REPLICAS);
    const flip_rule rule = flip_rule_at(&metropolis_update, &e->model, 0.4);
    double z_1 = 0, z_2 = 0, equal = 0;
    histogram h;
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        const double w = exp(-0.8 * all_unsatisfied(s, NULL));
        z_1 += w;
        z_2 += w * w;
    }
    start(e, REPLICAS, &h);
    update(e, &rule, 1, FORGOTTEN, &h);
    assert_int_equal(e->verbs->read(e, 0, REPLICAS, spins, families), ENGINE_OK);
    for (uint32_t k = 0; k < REPLICAS; k += 2)
        equal += memcmp(spins + 2 * k, spins + 2 * k + 2, 2) == 0;
    const double n = REPLICAS / 2, p = z_2 / (z_1 * z_1), unit = sqrt(n * p * (1 - p));
    z_series z = z_begin("pairs in the same state", 1), same = z_begin("one replica", 1);
    z_add(&z, (equal - n * p) / unit, "common sites");
    z_add(&same, (n - n * p) / unit, "itself");
    assert_true(z_passed(&z) && z_detected(&same));
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

/* --- Population annealing --- */

#define RUNS  16
#define STEPS 8

/* Negative control: the exact values of a temperature 5% lower. */
static void annealed_populations_are_in_equilibrium(void **state) {
    (void)state;
    static run_averages row[RUNS][STEPS + 1];
    const visit_plan v = {.order = VISIT_TILES, .tile = 4, .hits = 2};
    const annealing_plan plan = {.seed = 7,
                                 .population = 200,
                                 .sweeps = 2,
                                 .steps = STEPS,
                                 .dbeta = 0.05,
                                 .threshold_factor = 1};
    engine *const e = engine_of(&v, square_model(8), 400);
    z_series z = z_begin("annealing in tiles", 3 * STEPS / 2),
             wrong = z_begin("beta 5% off", 3 * STEPS / 2);
    for (uint32_t run = 0; run < RUNS; run++)
        anneal(e, &plan, run, row[run]);
    e->verbs->destroy(e);
    for (size_t n = 2; n <= STEPS; n += 2) {
        const double beta = plan.dbeta * (double)n;
        double value[QUANTITIES], error[QUANTITIES];
        jackknife_runs(&row[0][n], STEPS + 1, RUNS, beta, 64, value, error);
        for (int off = 0; off < 2; off++) {
            const exact_result exact = exact_thermodynamics(8, off ? 1.05 * beta : beta);
            const double expected[] = {
                [ENERGY] = exact.e, [SPECIFIC_HEAT] = exact.c, [BETA_F] = exact.beta_f};
            for (quantity q = ENERGY; q <= BETA_F; q++)
                z_add(off ? &wrong : &z,
                      z_of_student((value[q] - expected[q]) / error[q], RUNS - 1),
                      "beta = %.2f, %s", beta, quantity_name[q]);
        }
    }
    assert_true(z_passed(&z) && z_detected(&wrong));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_have_known_autocorrelations),
        cmocka_unit_test(the_palindrome_has_detailed_balance),
        cmocka_unit_test(autocorrelations_are_exact),
        cmocka_unit_test(a_tile_as_large_as_the_lattice_is_a_checkerboard),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(bonds_between_tiles_are_as_others),
        cmocka_unit_test(common_sites_leave_replicas_independent),
        cmocka_unit_test(annealed_populations_are_in_equilibrium),
    };
    omp_set_num_threads(1); /* these populations are too small to share out */
    return cmocka_run_group_tests(tests, count_neighbours, NULL);
}
