/* Walks of flat-histogram methods (engine/walk.h): one attempt from known states, thresholds 0 and 2^31, the histogram against a walk that is
 * made attempt by attempt, and a histogram that has lost a count; which levels have states where edges are antiperiodic, by all states of a small
 * lattice; which levels a range has; what a window lacks for its weights; the first weights of a file; which change of a spin has which
 * threshold, also of a graph, of which no level is known to have states, and which levels of Blume and Capel have some; errors of groups, and
 * averages of levels. */
#include "engine/engine.h"
#include "estimate/density.h"
#include "files/result_header.h"
#include "method/flat.h"
#include "model/bond_list.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validate/lib/scratch.h"

#define WALKERS 20000
#define LEVELS  17 /* of the 4 x 4 lattice */

typedef struct {
    engine *e;
    histogram report;
    uint32_t threshold[LEVELS][5], least[WALKERS], most[WALKERS], level[WALKERS];
    uint64_t visits[LEVELS];
    walk_window window;
} walkers;

static const stream_key key = {{3, 5}};

/* Walkers of a 4 x 4 lattice, all spins up, whose flips all have this threshold where they stay in the levels. */
static walkers *begin(uint32_t threshold) {
    static walkers w;
    const spin_model m = square_model(4);
    const uint8_t up[2] = {255, 255};
    w = (walkers){.e = engine_cpu_create(&(engine_config){
                      .coding = CODING_SSC, .model = m, .capacity = WALKERS, .walkers = true})};
    assert_non_null(w.e);
    assert_int_equal(histogram_create(&w.report, &m), 0);
    for (uint32_t k = 0; k < WALKERS; k++)
        assert_int_equal(w.e->verbs->write(w.e, k, 1, WALKERS, up, &k), ENGINE_OK);
    assert_int_equal(engine_measure(w.e, &w.report), ENGINE_OK);
    for (int n = 0; n < LEVELS; n++)
        for (int s = 0; s < 5; s++)
            w.threshold[n][s] = n + s - 2 >= 0 && n + s - 2 < LEVELS ? threshold : 0;
    w.window = (walk_window){
        .count = WALKERS, .levels = LEVELS, .threshold = &w.threshold[0][0], .visits = w.visits};
    return &w;
}

static void end(walkers *w) {
    w->e->verbs->destroy(w->e);
    histogram_destroy(&w->report);
}

static void walk(walkers *w, uint32_t number, uint32_t attempts) {
    const engine_walk walk = {.key = key,
                              .number = number,
                              .attempts = attempts,
                              .window = &w->window,
                              .windows = 1,
                              .least = w->least,
                              .most = w->most};
    assert_int_equal(w->e->verbs->walk(w->e, &walk), ENGINE_OK);
    assert_int_equal(w->e->verbs->read_levels(w->e, 0, WALKERS, w->level), ENGINE_OK);
}

/* The deviation of a count from a binomial one of probability 1/2, over its standard deviation. |z| > 6 has the probability 2e-9. */
static double z_of_half(uint64_t count) {
    return ((double)count - WALKERS / 2.) / sqrt(WALKERS / 4.);
}

/* Behind one attempt, half of the walkers have flipped a spin, with four satisfied bonds: they are two levels up. */
static void the_level_behind_the_attempt_is_counted(void **state) {
    (void)state;
    walkers *const w = begin(WALK_CERTAIN / 2);
    walk(w, 1, 1);
    assert_true(fabs(z_of_half(w->visits[2])) < 6);
    assert_int_equal(w->visits[0] + w->visits[2], WALKERS);
    assert_true(fabs(z_of_half(WALKERS)) > 6); /* a control: counted before the decision */
    uint64_t up = 0;
    for (int k = 0; k < WALKERS; k++) {
        assert_true(w->least[k] == w->level[k] && w->most[k] == w->level[k]);
        up += w->level[k] == 2;
    }
    assert_int_equal(up, w->visits[2]);
    end(w);
}

static void thresholds_of_0_and_2_to_31_decide_for_sure(void **state) {
    (void)state;
    walkers *w = begin(0);
    walk(w, 1, 9);
    assert_int_equal(w->visits[0], 9 * WALKERS);
    end(w);
    w = begin(WALK_CERTAIN);
    walk(w, 1, 1);
    assert_int_equal(w->visits[2], WALKERS);
    end(w);
}

/* Any number of threads, with rejected attempts counted again: a walk of 37 attempts; and levels are those of the spins. */
static void threads_and_measurements_agree(void **state) {
    (void)state;
    uint64_t visits[2][LEVELS], sum = 0;
    for (int n = 0; n < 2; n++) {
        omp_set_num_threads(1 + 2 * n);
        walkers *const w = begin(WALK_CERTAIN / 3);
        walk(w, 7, 37);
        memcpy(visits[n], w->visits, sizeof w->visits);
        uint64_t of_level[LEVELS] = {0};
        for (int k = 0; k < WALKERS; k++)
            of_level[w->level[k]]++;
        assert_int_equal(engine_measure(w->e, &w->report), ENGINE_OK);
        for (int i = 0; i < LEVELS; i++)
            assert_int_equal(w->report.level[i].replicas, of_level[i]);
        end(w);
    }
    assert_memory_equal(visits[0], visits[1], sizeof visits[0]);
    for (int i = 0; i < LEVELS; i++)
        sum += visits[0][i];
    assert_int_equal(sum, 37 * WALKERS);
}

static void a_walker_outside_of_its_window_fails(void **state) {
    (void)state;
    walkers *const w = begin(WALK_CERTAIN);
    w->window.lowest = 1;
    w->window.levels = LEVELS - 1;
    const engine_walk walk = {.key = key,
                              .number = 1,
                              .attempts = 1,
                              .window = &w->window,
                              .windows = 1,
                              .least = w->least,
                              .most = w->most};
    assert_int_equal(w->e->verbs->walk(w->e, &walk), ENGINE_FAILED);
    assert_non_null(strstr(w->e->error, "outside of its window"));
    end(w);
}

static const struct engine_verbs *right_verbs;

/* A walk that loses a count, as additions that are not atomic would. */
static engine_status lose_a_count(engine *e, const engine_walk *walk) {
    const engine_status status = right_verbs->walk(e, walk);
    walk->window[0].visits[2]--;
    return status;
}

static void a_lost_count_ends_the_simulation(void **state) {
    (void)state;
    walkers *const w = begin(WALK_CERTAIN);
    const parameters given = {
        .population = WALKERS, .windows = 1, .lowest_energy = -32, .highest_energy = 32, .seed = 1};
    static const flat_method way = {.blocks = false};
    flat f = {.given = &given, .way = &way};
    assert_int_equal(stepper_create(&f.steps, w->e), 0);
    assert_true(flat_windows_create(&f) && flat_windows_begin(&f));
    assert_true(flat_walk(&f, 5));
    struct engine_verbs verbs = *w->e->verbs;
    right_verbs = w->e->verbs;
    verbs.walk = lose_a_count;
    w->e->verbs = &verbs;
    assert_false(flat_walk(&f, 5));
    assert_non_null(strstr(f.failure, "has 99999 attempts, and 100000 were made"));
    w->e->verbs = right_verbs;
    flat_windows_destroy(&f);
    stepper_destroy(&f.steps);
    end(w);
}

/* The unsatisfied bonds of a state of the 4 x 4 torus whose edges are antiperiodic in some directions. */
static uint32_t unsatisfied_bonds(uint32_t state, bool x_turned, bool y_turned) {
    uint32_t unsatisfied = 0;
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t x = i % 4, y = i / 4, right = y * 4 + (x + 1) % 4,
                       below = (y + 1) % 4 * 4 + x;
        unsatisfied += ((state >> i ^ state >> right) & 1) ^ (x_turned && x == 3);
        unsatisfied += ((state >> i ^ state >> below) & 1) ^ (y_turned && y == 3);
    }
    return unsatisfied;
}

static void levels_without_states_are_outside_of_the_range(void **state) {
    (void)state;
    const boundary_kind kind[] = {BOUNDARY_PERIODIC, BOUNDARY_ANTIPERIODIC};
    const spin_model square = square_model(4);
    for (int n = 0; n < 4; n++) {
        const lattice_boundary b = {.given = 2, .of = {kind[n % 2], kind[n / 2]}};
        const walk_range all = walk_range_of(&square, b);
        uint32_t least = 32, most = 0;
        for (uint32_t spins = 0; spins < 1 << 16; spins++) {
            const uint32_t unsatisfied = unsatisfied_bonds(spins, n % 2, n / 2);
            least = unsatisfied < least ? unsatisfied : least;
            most = unsatisfied > most ? unsatisfied : most;
        }
        assert_int_equal(2 * all.lowest, least);
        assert_int_equal(2 * (all.lowest + all.count - 1), most);
        assert_true(walk_reaches_top(&square));
        spin_model glass = square;
        glass.disordered = true; /* its lowest energy is not known */
        assert_int_equal(walk_range_of(&glass, b).count, glass.levels.count);
        for (uint32_t windows = 1; windows < 4; windows++) { /* they end where the range does */
            const uint32_t levels = walk_window_levels(all, windows, 0.5);
            assert_int_equal(walk_window_lowest(all, windows, levels, 0), all.lowest);
            assert_int_equal(walk_window_lowest(all, windows, levels, windows - 1) + levels,
                             all.lowest + all.count);
        }
    }
}

static void a_range_has_the_levels_between_its_ends(void **state) {
    (void)state;
    const spin_model square = square_model(4); /* levels from -32, 4 apart */
    const lattice_boundary turned = {.given = 1, .of = {BOUNDARY_ANTIPERIODIC}};
    const struct {
        double lowest, highest;
        uint32_t first, count;
        bool turned; /* which has levels 4 to 12 */
    } cases[] = {{-1e15, 1e15, 0, 17, false},     {-32, 32, 0, 17, false},
                 {-31.9, 31.9, 1, 15, false},     {-20, 8, 3, 8, false},
                 {-20.0001, 7.9999, 3, 8, false}, {-19.9999, 8.0001, 3, 8, false},
                 {-1e15, 0, 4, 5, true},          {0, 1e15, 8, 5, true}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const walk_range all =
            walk_range_of(&square, cases[n].turned ? turned : (lattice_boundary){.given = 0});
        const walk_range range =
            walk_range_between(&square, all, cases[n].lowest, cases[n].highest);
        assert_int_equal(range.lowest, cases[n].first);
        assert_int_equal(range.count, cases[n].count);
    }
    const walk_range all = walk_range_of(&square, (lattice_boundary){.given = 0});
    assert_int_equal(walk_range_between(&square, all, 1, 3).count, 0);
    assert_int_equal(walk_range_between(&square, all, 33, 1e15).count, 0);
    assert_int_equal(walk_range_between(&square, all, -1e15, -33).count, 0);
    assert_int_equal(walk_range_between(&square, all, 8, 4).count, 0);
    /* Energies of thirds are read as files round them. */
    spin_model thirds = square;
    thirds.levels = (energy_levels){.lowest = -40, .spacing = 1, .count = 81, .unit = 3};
    assert_int_equal(walk_range_between(&thirds, (walk_range){0, 81}, -1.333, 1.3334).lowest, 36);
    assert_int_equal(walk_range_between(&thirds, (walk_range){0, 81}, -1.333, 1.3334).count, 9);
}

/* Whether a window lacks something whose words begin so; NULL: nothing. */
static void assert_lacks(const flat *f, size_t window, const char *words) {
    char missing[FLAT_MISSING_SIZE] = "";
    assert_int_equal(flat_lacks(f, &f->window[window], missing), words != NULL);
    assert_int_equal(flat_lacks(f, &f->window[window], NULL), words != NULL);
    assert_string_equal(missing, words != NULL ? words : "");
}

static void a_window_says_what_it_lacks(void **state) {
    (void)state;
    walkers *const w = begin(WALK_CERTAIN);
    const parameters given = {.population = WALKERS / 2,
                              .windows = 2,
                              .window_overlap = 0.2,
                              .lowest_energy = -32,
                              .highest_energy = 32};
    static const flat_method way = {.blocks = false};
    flat f = {.given = &given, .way = &way};
    assert_int_equal(stepper_create(&f.steps, w->e), 0);
    assert_true(flat_windows_create(&f)); /* levels 0 to 9, and 7 to 16 */
    assert_lacks(&f, 0, "the lowest energy, -32 J");
    f.window[0].seen[0] = true;
    assert_lacks(&f, 0, "an energy that it shares with window 1, from -4 to 4 J");
    f.window[0].seen[6] = true;
    assert_lacks(&f, 0, "an energy that it shares with window 1, from -4 to 4 J");
    f.window[0].seen[7] = true;
    assert_lacks(&f, 0, NULL);
    f.window[1].seen[3] = true;
    assert_lacks(&f, 1, "an energy that it shares with window 0, from -4 to 4 J");
    f.window[1].seen[2] = true;
    assert_lacks(&f, 1, "the highest energy, 32 J");
    f.window[1].seen[9] = true;
    assert_lacks(&f, 1, NULL);
    flat_windows_destroy(&f);
    stepper_destroy(&f.steps);
    end(w);
}

/* It is not known whether an end between those of all levels has states. */
static void a_range_lacks_no_end_of_its_own(void **state) {
    (void)state;
    walkers *const w = begin(WALK_CERTAIN);
    static const flat_method way = {.blocks = false};
    for (int upper = 0; upper < 2; upper++) {
        const parameters given = {.population = WALKERS,
                                  .windows = 1,
                                  .lowest_energy = upper ? -8 : -32,
                                  .highest_energy = upper ? 32 : 8};
        flat f = {.given = &given, .way = &way};
        assert_int_equal(stepper_create(&f.steps, w->e), 0);
        assert_true(flat_windows_create(&f));
        assert_int_equal(f.window[0].levels, 11);
        assert_lacks(&f, 0, upper ? "the highest energy, 32 J" : "the lowest energy, -32 J");
        f.window[0].seen[upper ? 10 : 0] = true;
        assert_lacks(&f, 0, NULL);
        flat_windows_destroy(&f);
        stepper_destroy(&f.steps);
    }
    end(w);
}

/* Levels that the file lacks have ln g of the nearest one that it has, the lower one of two, also of one outside of their window. */
static void first_weights_are_those_of_the_nearest_levels(void **state) {
    (void)state;
    const double ln_g[LEVELS] = {2, 2, 2, 2, 2, 5, 5, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    walkers *const w = begin(WALK_CERTAIN);
    const parameters given = {.size = {{4}},
                              .population = WALKERS / 2,
                              .windows = 2,
                              .window_overlap = 0.2,
                              .lowest_energy = -32,
                              .highest_energy = 32,
                              .weights = "weights"};
    static const flat_method way = {.blocks = false};
    flat f = {.given = &given, .way = &way};
    FILE *const file = fopen("weights", "w");
    assert_non_null(file);
    fprintf(file, "# E ln_g more\n");
    result_header_print_parameters(file, &given);
    fprintf(file, "-24 2 0.1 8\n-8 5\n4 7 0\n# crc32 0\n"); /* levels 2, 6 and 9 */
    assert_int_equal(fclose(file), 0);
    assert_int_equal(stepper_create(&f.steps, w->e), 0);
    assert_true(flat_windows_create(&f)); /* levels 0 to 9, and 7 to 16 */
    assert_int_equal(flat_take_weights(&f), STATUS_OK);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t n = 0; n < 10; n++) {
            const uint32_t level = 7 * k + n;
            assert_true(f.window[k].ln_w[n] == -ln_g[level]);
            assert_int_equal(f.window[k].seen[n], level == 2 || level == 6 || level == 9);
            assert_true(f.window[k].ln_f == 0x1p-7);
            assert_true(f.window[k].made_of[n] == -ln_g[level]);
        }
    flat_windows_destroy(&f);
    stepper_destroy(&f.steps);
    end(w);
}

/* A model of 3 x 3 sites; `field` / `unit`: the crystal field. */
static spin_model states_model(const model_kind *kind, uint32_t states, int64_t field,
                               uint32_t unit) {
    const uint32_t edge[MODEL_MAX_DIMENSION] = {3, 3, 3};
    spin_model m = kind->create(edge);
    if (kind->choose != NULL)
        kind->choose(&m, &(state_choice){.states = states, .field = field, .unit = unit});
    return m;
}

/* All surroundings of a site, and all that its spin can do there. */
static void assert_changes_have_numbers(const spin_model *m) {
    const state_lattice l = state_lattice_of(m);
    const uint32_t q = l.states, z = m->coordination;
    uint32_t all = 1;
    for (uint32_t n = 0; n < z; n++)
        all *= q;
    for (uint32_t k = 0; k < all * q * q; k++) {
        uint8_t around[STATE_NEIGHBOURS] = {0};
        const uint32_t from = k % q, to = k / q % q;
        for (uint32_t n = 0, rest = k / q / q; n < z; n++, rest /= q)
            around[n] = (uint8_t)(rest % q);
        const walk_change change =
            walk_change_of(&l, (int32_t)m->levels.spacing, around, z, from, to);
        if (from == to)
            continue;
        assert_true(change.c < walk_changes(m));
        assert_int_equal(walk_levels_up(m, change.c), change.up);
        assert_int_equal(change.up * m->levels.spacing, state_cost(&l, around, z, from, to));
    }
}

static void each_change_of_a_spin_has_its_threshold(void **state) {
    (void)state;
    static const struct {
        const model_kind *kind;
        uint32_t states;
        int32_t field;
        uint32_t unit;
    } cases[] = {{&potts2d_kind, 4, 0, 1},          {&potts3d_kind, 3, 0, 1},
                 {&blume_capel2d_kind, 3, 0, 1},    {&blume_capel2d_kind, 3, 393, 200},
                 {&blume_capel3d_kind, 3, -57, 20}, {&baxter_wu_kind, 2, 0, 1}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const spin_model m =
            states_model(cases[n].kind, cases[n].states, cases[n].field, cases[n].unit);
        assert_changes_have_numbers(&m);
    }
}

/* By all states of 3 x 3 spins, some levels of a fine crystal field have states, and no others have thresholds. */
static void levels_of_states_have_thresholds(void **state) {
    (void)state;
    const int32_t fields[] = {393, -393};
    for (int k = 0; k < 2; k++) {
        const spin_model m = states_model(&blume_capel2d_kind, 3, fields[k], 200);
        bool *const found = calloc(m.levels.count, sizeof *found), *const occurs =
                                                                       calloc(m.levels.count,
                                                                              sizeof *occurs);
        for (uint32_t s = 0; s < 19683; s++) {
            int spin[9];
            int64_t energy = 0;
            for (uint32_t i = 0, rest = s; i < 9; i++, rest /= 3)
                spin[i] = (int)(rest % 3) - 1;
            for (int i = 0; i < 9; i++)
                energy += fields[k] * spin[i] * spin[i] -
                          200 * spin[i] * (spin[i / 3 * 3 + (i + 1) % 3] + spin[(i + 3) % 9]);
            found[energy - m.levels.lowest] = true;
        }
        assert_true(walk_find_levels(&m, occurs));
        size_t with_thresholds = 0;
        for (size_t n = 0; n < m.levels.count; n++) {
            assert_true(occurs[n] || !found[n]);
            with_thresholds += occurs[n];
        }
        assert_true(15 * with_thresholds < m.levels.count);
        free(found);
        free(occurs);
    }
}

/* A graph of six sites, the last of which has a field alone. */
static spin_graph small_graph(void) {
    static const int32_t bonds[][3] = {{0, 1, 3}, {1, 2, -2}, {2, 3, 3}, {3, 0, 1}, {4, 0, -5}};
    bond_list list = bond_list_of(6);
    spin_graph g;
    char reason[200];
    for (size_t n = 0; n < sizeof bonds / sizeof *bonds; n++)
        assert_true(
            bond_list_add(&list, (uint32_t)bonds[n][0], (uint32_t)bonds[n][1], bonds[n][2]));
    assert_true(bond_list_add_field(&list, 2, 4) && bond_list_add_field(&list, 5, -1));
    assert_true(graph_create(&g, &list, reason, sizeof reason));
    bond_list_destroy(&list);
    return g;
}

/* What each flip costs in each state, by the energies of both. */
static void changes_of_a_graph_are_what_flips_cost(void **state) {
    (void)state;
    spin_graph g = small_graph();
    const spin_model m = graph_model(&g, NULL);
    walk_site_of_graph site[6];
    walk_link link[10];
    int64_t least = INT64_MAX, most = INT64_MIN;
    bool made[100], found[100] = {false};
    assert_true(walk_changes(&m) <= 100 && walk_find_changes(&m, made));
    walk_fill_graph(&g, site, link);
    for (uint32_t s = 0; s < 64; s++)
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t place = site[i].place;
            int8_t spin[6];
            for (uint32_t k = 0; k < 6; k++)
                spin[k] = s >> k & 1 ? 1 : -1;
            int32_t cost = site[i].base;
            for (uint32_t n = site[i].begin; n < site[i].end; n++)
                cost += spin[link[n].place] > 0 ? link[n].weight : 0;
            const walk_change change = walk_graph_change(cost, spin[place] > 0, g.most_change);
            const int64_t before = graph_energy(&g, spin);
            spin[place] = (int8_t)-spin[place];
            assert_int_equal(g.number[place], i);
            assert_int_equal(change.up * g.spacing, graph_energy(&g, spin) - before);
            assert_true(change.c < walk_changes(&m));
            assert_int_equal(walk_levels_up(&m, change.c), change.up);
            found[change.c] = true;
            least = change.up < least ? change.up : least;
            most = change.up > most ? change.up : most;
        }
    assert_memory_equal(made, found, walk_changes(&m) * sizeof *made);
    assert_int_equal(walk_levels_up(&m, 0), least);
    assert_int_equal(walk_levels_up(&m, walk_changes(&m) - 1), most);
    graph_destroy(&g);
}

/* Also of a lattice that is simulated as a graph: no edge says which levels have states. */
static void no_level_of_a_graph_is_known_to_have_states(void **state) {
    (void)state;
    spin_graph g = small_graph();
    const spin_model lattice = square_model(4), m = graph_model(&g, &lattice);
    const lattice_boundary turned = {.given = 1, .of = {BOUNDARY_ANTIPERIODIC}};
    bool *const occurs = calloc(m.levels.count, sizeof *occurs);
    assert_non_null(occurs);
    assert_true(walk_reaches_bottom(&lattice) && walk_reaches_top(&lattice));
    assert_false(walk_reaches_bottom(&m) || walk_reaches_top(&m));
    assert_int_equal(walk_range_of(&m, turned).lowest, 0);
    assert_int_equal(walk_range_of(&m, turned).count, m.levels.count);
    assert_true(walk_find_levels(&m, occurs));
    for (size_t n = 0; n < m.levels.count; n++)
        assert_true(occurs[n]);
    free(occurs);
    graph_destroy(&g);
}

/* Of four values that deviate by 1.5 and 0.5 from their mean: 3/4 of the sum of squares, 5. Of two groups whose shares of two levels are 3/4
 * and 1/4: variances of the mean 1/16 each, where 80 independent attempts have 1/320. */
static void errors_and_attempts_are_those_of_groups(void **state) {
    const double without[] = {1, 2, 3, 4};
    const uint64_t counts[] = {30, 10, 10, 30};
    const density_window window = {.levels = 2};
    (void)state;
    assert_true(fabs(density_error(without, 4) - sqrt(3.75)) < 1e-15);
    assert_true(isnan(density_error(without, 1)));
    assert_true(fabs(density_effective_attempts(counts, 2, 2, &window, 1) - 4) < 1e-14);
}

/* Energies 0 and 2 with one state and three, and one below and one above that were not visited. */
static void averages_are_those_of_the_visited_levels(void **state) {
    const double ln_g[] = {NAN, 0, log(3), NAN}, beta = 0.5, z = 1 + 3 * exp(-1),
                 high = 3 * exp(-1) / z;
    const energy_levels levels = {-2, 2, 4, 1, false};
    const density_averages a = density_at(ln_g, levels, 2, beta);
    (void)state;
    assert_true(fabs(a.edge - 1 / z) < 1e-15);
    assert_true(fabs(a.top - high) < 1e-15);
    assert_true(fabs(a.e - high) < 1e-15);
    assert_true(fabs(a.variance - high * (1 - high)) < 1e-15);
    assert_true(fabs(a.c - 2 * beta * beta * high * (1 - high)) < 1e-15);
    assert_true(fabs(a.beta_f + log(z) / 2) < 1e-15);
    assert_true(fabs(a.s - (beta * high + log(z) / 2)) < 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_level_behind_the_attempt_is_counted),
        cmocka_unit_test(thresholds_of_0_and_2_to_31_decide_for_sure),
        cmocka_unit_test(threads_and_measurements_agree),
        cmocka_unit_test(a_walker_outside_of_its_window_fails),
        cmocka_unit_test(a_lost_count_ends_the_simulation),
        cmocka_unit_test(levels_without_states_are_outside_of_the_range),
        cmocka_unit_test(a_window_says_what_it_lacks),
        cmocka_unit_test(a_range_has_the_levels_between_its_ends),
        cmocka_unit_test(a_range_lacks_no_end_of_its_own),
        TEST_IN_SCRATCH(first_weights_are_those_of_the_nearest_levels),
        cmocka_unit_test(each_change_of_a_spin_has_its_threshold),
        cmocka_unit_test(levels_of_states_have_thresholds),
        cmocka_unit_test(changes_of_a_graph_are_what_flips_cost),
        cmocka_unit_test(no_level_of_a_graph_is_known_to_have_states),
        cmocka_unit_test(errors_and_attempts_are_those_of_groups),
        cmocka_unit_test(averages_are_those_of_the_visited_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
