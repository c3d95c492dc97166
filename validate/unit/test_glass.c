/* Claims about simulations of glasses: a resumed one gives the bytes of one that was never interrupted, overlaps,
 * histograms and ground states included, on any number of threads, in either coding; the states of lowest energy of a
 * small sample are all found, counted as all its states count them, and the one that is written is one; what is too warm
 * to know the lowest ones is said, and a lower state that was lost; the files name columns of overlaps in the place of the
 * magnetisation's, and bins of overlaps by their middle. */
#include "engine/spins_hash.h"
#include "estimate/ground_states.h"
#include "files/data_columns.h"
#include "files/overlap_results.h"
#include "files/run_json.h"
#include "validate/lib/all_states.h"
#include "validate/lib/capture.h"
#include "validate/lib/whole_simulation.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>

#define GLASS_2D 2 /* in model_kinds */
#define GLASS_3D 3

static const parameters given = {.stripes = 1,
                                 .model = GLASS_2D,
                                 .size = {{4}},
                                 .population = 700,
                                 .sweeps = 3,
                                 .beta_end = 1.5,
                                 .dbeta = 0.125,
                                 .runs = 2,
                                 .in_flight = 1,
                                 .seed = 11,
                                 .precision = 12,
                                 .output = "out",
                                 .force = true,
                                 .coding = CODING_SSC,
                                 .device = DEVICE_CPU,
                                 .word = 32,
                                 .disorder = 3,
                                 .ferromagnetic = 0.5};

static const char *file_in(const char *folder, const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_file(path);
}

/* Whether two results have the same data files, byte for byte. */
static bool same_data(const char *folder, const char *other) {
    static const char *const names[] = {
        "PA_results_run_0.dat",      "PA_results_run_1.dat",      "PA_results_weighted.dat",
        "PA_overlap_run_0.dat",      "PA_overlap_run_1.dat",      "PA_couplings.dat",
        "PA_ground_state_run_0.dat", "PA_ground_state_run_1.dat",
    };
    bool same = true;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char *const text = strdup(file_in(folder, names[n]));
        assert_non_null(text);
        same = same && strcmp(text, file_in(other, names[n])) == 0;
        free(text);
    }
    return same;
}

static void resume(parameters p) {
    p.checkpoint = "ck";
    p.checkpoint_every.steps = 7; /* of twelve: the last is that of step 2 of run 1 */
    make_result(&p);
    p.checkpoint = NULL;
    p.resume = "ck";
    p.output = "resumed";
    omp_set_num_threads(2);
    make_result(&p);
    assert_true(same_data("out", "resumed"));
    p.resume = NULL;
    p.output = "at once";
    omp_set_num_threads(1);
    make_result(&p);
    assert_true(same_data("out", "at once"));
    p.output = "together";
    p.in_flight = 2;
    make_result(&p);
    assert_true(same_data("out", "together"));
    p.output = "another";
    p.seed++;
    make_result(&p);
    assert_false(same_data("out", "another"));
}

static void a_resumed_simulation_gives_the_same_bytes(void **state) {
    (void)state;
    parameters p = given;
    resume(p);
    p.size = (lattice_size){{16}};
    p.coding = CODING_MSC;
    resume(p);
    p.model = GLASS_3D;
    p.size = (lattice_size){{4, 4, 6}};
    resume(p);
}

/* --- ground states --- */

/* The number behind a text. */
static double number_behind(const char *text, const char *behind) {
    const char *const at = strstr(text, behind);
    if (at == NULL)
        fail_msg("no '%s' in %s", behind, text);
    return at == NULL ? 0 : strtod(at + strlen(behind), NULL);
}

/* The state that a file ends with, before its checksum. */
static uint32_t state_in(const char *text) {
    uint32_t spins = 0, site = 0;
    const char *at = strstr(text, "\n# x y z spin\n");
    assert_non_null(at);
    for (at = strchr(at + 1, '\n') + 1; *at != '#'; at = strchr(at, '\n') + 1) {
        uint32_t x, y;
        int spin;
        assert_int_equal(sscanf(at, "%" SCNu32 " %" SCNu32 " 0 %d\n", &x, &y, &spin), 3);
        assert_true(4 * y + x == site && (spin == 1 || spin == -1));
        spins |= (uint32_t)(spin == 1) << site++;
    }
    assert_int_equal(site, 16);
    return spins;
}

static void ground_states_are_those_of_all_states(void **state) {
    (void)state;
    for (uint64_t disorder = 1; disorder <= 4; disorder++) {
        parameters p = given;
        couplings c;
        exit_status status;
        p.disorder = disorder;
        p.population = 3000;
        p.runs = 1;
        assert_non_null(parameters_couplings(&p, &c, &status));
        int lowest, states;
        all_lowest(&c, &lowest, &states);
        make_result(&p);
        const char *const text = file_in("out", "PA_ground_state_run_0.dat");
        assert_true(number_behind(text, "# lowest energy of the run: ") == lowest);
        assert_true(number_behind(text, "# lowest energy at the last temperature: ") == lowest);
        assert_true(number_behind(text, "global flip: ") == states / 2);
        assert_non_null(strstr(text, " (all, as it seems: each in several families)\n"));
        assert_true(number_behind(text, "# replicas with it: ") > 1000);
        assert_true(number_behind(text, "# families with it: ") > 10);
        assert_true(number_behind(text, "by a run like it: ") < 1e-4);
        assert_null(strstr(text, "# warning: "));
        assert_int_equal(all_energy(state_in(text), &c), lowest);
        couplings_destroy(&c);
    }
}

/* z-scores of ln g, and of what it would be with the entropy of the wrong sign. */
typedef struct {
    double sum, squares, least_wrong;
    size_t count;
} degeneracy_scores;

static void add_scores(degeneracy_scores *z, const char *text, double ln_states, double beta_e) {
    const double ln_g = number_behind(text, "flips among them: "),
                 error = number_behind(text, " +- ");
    const double own = (ln_g - ln_states) / error;
    z->sum += own;
    z->squares += own * own;
    z->least_wrong = fmin(z->least_wrong, fabs(2 * beta_e - ln_g - ln_states) / error);
    z->count++;
}

/* The number of states from the free energy, of populations that are warm and cold, against all states. z is about Student's
 * t of 15 degrees of freedom at least, with variance 15 / 13 at most: with 160 of them the mean is outside 0.4 and the mean
 * square above 1.8 with probabilities of 3e-6 and below 1e-5. */
static void the_number_of_states_is_that_of_all_states(void **state) {
    (void)state;
    degeneracy_scores z = {.least_wrong = INFINITY};
    for (uint64_t disorder = 1; disorder <= 8; disorder++) {
        parameters p = given;
        couplings c;
        exit_status status;
        p.disorder = disorder;
        p.runs = 20;
        p.sweeps = 5;
        p.beta_end = disorder % 2 ? 0.75 : 1.5;
        p.population = 2000;
        assert_non_null(parameters_couplings(&p, &c, &status));
        int lowest, states;
        all_lowest(&c, &lowest, &states);
        couplings_destroy(&c);
        make_result(&p);
        for (uint32_t run = 0; run < p.runs; run++) {
            char name[40];
            snprintf(name, sizeof name, "PA_ground_state_run_%u.dat", run);
            add_scores(&z, file_in("out", name), log(states), p.beta_end * lowest);
        }
    }
    const double n = (double)z.count, mean = z.sum / n, square = z.squares / n;
    print_message("ln g: %g z-scores, mean %.2f, mean square %.2f\n", n, mean, square);
    assert_true(fabs(mean) < 0.4 && square < 1.8 && square > 0.5);
    assert_true(z.least_wrong > 5); /* negative control */
}

/* Few replicas at a high temperature, whose lowest energy comes and goes. */
static void a_state_that_was_lost_is_warned_of(void **state) {
    (void)state;
    parameters p = given;
    size_t lost = 0, kept = 0;
    p.population = 10;
    p.beta_end = 0.5;
    p.runs = 1;
    for (p.seed = 1; p.seed <= 12; p.seed++) {
        data_columns d;
        make_result(&p);
        assert_int_equal(
            data_columns_read(&d, "out/PA_results_run_0.dat", (const char *[]){"E_min"}, 1),
            STATUS_OK);
        double lowest = d.value[0];
        for (size_t i = 0; i < d.rows; i++)
            lowest = fmin(lowest, d.value[i]);
        const double last = d.value[d.rows - 1];
        const char *const text = file_in("out", "PA_ground_state_run_0.dat");
        assert_true(number_behind(text, "# lowest energy of the run: ") == lowest);
        assert_true(number_behind(text, "# lowest energy at the last temperature: ") == last);
        assert_true((strstr(text, "# warning: a lower energy was seen at a higher") != NULL) ==
                    (lowest < last));
        assert_true(lowest == last || strstr(text, "by a run like it: nan (see the warning)\n"));
        lost += lowest < last;
        kept += lowest == last;
        free(d.value);
    }
    assert_true(lost > 0 && kept > 0);
}

/* Spins up at (0, 0), the first site of the even sub-lattice, and at (3, 0) and (2, 1), the second and the fourth of the
 * odd one. */
static exit_status write_three_spins(result_folder *folder, void *state) {
    const parameters *const p = state;
    const spin_model model = parameters_model(p);
    uint8_t spins[2] = {1, 2 + 8};
    const ground_states g = {.replicas = 1, .families = 1, .squares = 1, .spins = spins};
    const run_report report = {.engine = "none"};
    const exit_status status = results_write_ground_states(folder, p, &model, 0, "", &g);
    return status ? status : run_json_write(folder, p, &report);
}

static void spins_are_written_where_they_are(void **state) {
    (void)state;
    parameters p = given;
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_int_equal(result_folder_put(&folder, write_three_spins, &p, false), STATUS_OK);
    result_folder_close(&folder);
    assert_non_null(strstr(file_in("out", "PA_ground_state_run_0.dat"),
                           "# x y z spin\n0 0 0 1\n1 0 0 -1\n2 0 0 -1\n3 0 0 1\n"
                           "0 1 0 -1\n1 1 0 -1\n2 1 0 1\n3 1 0 -1\n0 2 0 -1\n"));
}

/* The same of couplings that are the weights of a cut, W = 34, and E = -1094 and -1092. */
static exit_status write_cut(result_folder *folder, void *state) {
    const parameters *const p = state;
    spin_model model = parameters_model(p);
    uint8_t spins[2] = {0, 0};
    const ground_states g = {
        .replicas = 1, .families = 1, .squares = 1, .spins = spins, .seen = -1094, .energy = -1092};
    const couplings of_cut = {.origin = {.text = "weights", .is_cut = true, .weight = 34}};
    const run_report report = {.engine = "none", .origin = &of_cut.origin, .lowest = -1092};
    model.sample = &of_cut;
    const exit_status status = results_write_ground_states(folder, p, &model, 0, "", &g);
    return status ? status : run_json_write(folder, p, &report);
}

static void cuts_stand_beside_energies(void **state) {
    (void)state;
    parameters p = given;
    result_folder folder;
    p.force = true;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_int_equal(result_folder_put(&folder, write_cut, &p, false), STATUS_OK);
    result_folder_close(&folder);
    assert_non_null(strstr(file_in("out", "PA_ground_state_run_0.dat"),
                           "# largest cut: 564 = (W - E) / 2, with the weights w = -J, their sum W "
                           "= 34 and the lowest energy E = -1094\n"));
    assert_non_null(strstr(file_in("out", "run.json"), "\"largest_cut\": 563,"));
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_int_equal(result_folder_put(&folder, write_three_spins, &p, false), STATUS_OK);
    result_folder_close(&folder);
    assert_null(strstr(file_in("out", "PA_ground_state_run_0.dat"), "cut"));
    assert_null(strstr(file_in("out", "run.json"), "cut"));
}

/* Two families, of 3 and 1, with two states of which each also comes turned around. */
static void states_are_counted(void **state) {
    (void)state;
    const uint8_t spins[4][5] = {/* 36 sites */
                                 {1, 2, 3, 4, 5},
                                 {254, 253, 252, 251, 10},
                                 {1, 2, 3, 4, 4},
                                 {254, 253, 252, 251, 11}};
    const uint32_t family[4] = {7, 7, 7, 9};
    ground_search search;
    ground_states found;
    uint64_t hash[4];
    for (size_t n = 0; n < 4; n++)
        hash[n] = spins_hash(spins[n], 36);
    assert_int_equal(ground_search_begin(&search, -50, 4, 10), 0);
    ground_search_add(&search, 3, hash, family);
    ground_search_add(&search, 1, hash + 3, family + 3);
    ground_search_end(&search, &found);
    assert_true(found.replicas == 4 && found.families == 2 && found.squares == 10);
    assert_true(found.distinct == 2 && !found.more);
    assert_true(found.visits == 3 && found.once == 1); /* the second family has one of the two */
    assert_true(fabs(ground_states_new(&found) - 1. / 3) < 1e-12);
    assert_false(ground_states_all_seen(&found));
}

/* exp(-n), and nan where n is too small, a lower level would have too few families, or a lower energy was lost. */
static void the_probability_is_given_where_it_means_something(void **state) {
    (void)state;
    const ground_states sound = {
        .energy = -50, .seen = -50, .replicas = 60, .squares = 300, .below = 10};
    ground_states few = sound, warm = sound, lost = sound;
    few.squares = 362; /* n = 9.94 */
    warm.below = 9.9;
    lost.seen = -54;
    assert_true(fabs(ground_states_missed(&sound) / exp(-12) - 1) < 1e-12);
    assert_true(isnan(ground_states_missed(&few)) && ground_states_doubt(&few) == GROUND_FEW);
    assert_true(isnan(ground_states_missed(&warm)) && ground_states_doubt(&warm) == GROUND_WARM);
    assert_true(isnan(ground_states_missed(&lost)) && ground_states_doubt(&lost) == GROUND_LOST);
}

/* Four states that 40 visits found, ten of each; what makes it a lower bound. */
static void states_are_called_all_with_reason(void **state) {
    (void)state;
    const ground_states all = {.distinct = 4, .visits = 40, .ln_g = log(8), .ln_g_error = 0.1};
    ground_states single = all, few = all, more = all, entropy = all, unknown = all;
    single.once = 1;
    few.visits = 20; /* 4 e^-5 = 0.03 states have none */
    more.more = true;
    entropy.ln_g = log(12); /* four errors above */
    unknown.ln_g = log(12);
    unknown.ln_g_error = NAN;
    assert_true(ground_states_all_seen(&all) && ground_states_all_seen(&unknown));
    assert_false(ground_states_all_seen(&single) || ground_states_all_seen(&few) ||
                 ground_states_all_seen(&more) || ground_states_all_seen(&entropy));
}

/* What a population of so many replicas in its three lowest levels says of one below, in which 40 families of one size
 * have the lowest. */
static double below_of(uint64_t lowest, uint64_t next, uint64_t third, uint64_t all) {
    const spin_model model = glass2d_kind.create((const uint32_t[]){6, 6, 1});
    const ground_states found = {.replicas = lowest, .squares = lowest * lowest / 40};
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    h.first = 3; /* which need not be occupied */
    h.end = 8;
    h.level[5].replicas = lowest;
    h.level[6].replicas = next;
    h.level[7].replicas = third;
    h.population = all;
    const double below = ground_states_below(&found, &h);
    histogram_destroy(&h);
    return below;
}

/* The three lowest levels are continued: a fall by 1/2 and then by 1/8 goes on with 1/32. Of independent excitations, two
 * on average, level 0 has half as many replicas as level 1: where it is not seen, two thirds are foreseen. */
static void a_level_below_is_foreseen(void **state) {
    (void)state;
    assert_true(fabs(below_of(800, 6400, 12800, 100000) - 40.0 / 32) < 1e-9);
    assert_true(fabs(below_of(5400, 5400, 3600, 20000) - 40 * 2.0 / 3) < 1e-9);
    assert_true(below_of(800, 400, 400, 100000) ==
                40);                                /* it has no more families than the lowest */
    assert_true(below_of(800, 0, 0, 100000) == 40); /* levels that are empty, or are not there */
    assert_true(below_of(50000, 40000, 1, 100000) ==
                40); /* half of the population is cold enough */
}

/* A line of warning where fewer than 10 families are foreseen, or a lower energy was lost; none at 10, and none of a run
 * that has not come to its end. On stderr the runs are counted. */
static void what_is_too_warm_is_said(void **state) {
    (void)state;
    const ground_states cold = {.energy = -916,
                                .seen = -916,
                                .replicas = 22,
                                .squares = 22,
                                .below = 10},
                        ended = {.replicas = 0};
    ground_states warm = cold, lost = cold, few = cold;
    warm.below = 9.99;
    lost.energy = -912;
    few.squares = 49; /* 9.9 families */
    const ground_states run[] = {cold, warm, lost, ended, few};
    static const char *const says[] = {"", "# warning: too warm ", "# warning: a lower energy ", "",
                                       "# warning: too few families "};
    char said[1000];
    for (size_t n = 0; n < 5; n++) {
        FILE *const file = fopen("header", "w");
        assert_non_null(file);
        ground_states_print(file, &run[n]);
        assert_int_equal(fclose(file), 0);
        const char *const text = read_file("header");
        assert_memory_equal(text, says[n], strlen(says[n]));
        assert_int_equal(*text == '\0', *says[n] == '\0');
    }
    capture c = capture_begin(STDERR_FILENO);
    ground_states_warn(&cold, 1);
    ground_states_warn(&warm, 1);
    ground_states_warn(run, 5);
    capture_end(&c, said, sizeof said);
    assert_non_null(strstr(said, "warning: ground states: too warm "));
    assert_non_null(strstr(said, "22 replicas"));
    assert_non_null(strstr(said, "(-f)"));
    assert_non_null(strstr(said, "(-R)"));
    assert_non_null(
        strstr(said, "warning: ground states of 3 of 5 runs, the first run 1: too warm "));
}

/* Many states; all of one that comes again are found. */
static void many_states_are_told_apart(void **state) {
    (void)state;
    ground_search search;
    ground_states found;
    assert_int_equal(ground_search_begin(&search, -50, 40000, 20000), 0);
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t n = 0; n < 20000; n++) {
            const uint8_t turned = twice ? 0xff : 0;
            const uint8_t spins[5] = {turned, (uint8_t)n ^ turned, (uint8_t)(n >> 8) ^ turned,
                                      turned, turned & 15};
            ground_search_add(&search, 1, &(const uint64_t){spins_hash(spins, 36)}, &n);
        }
    ground_search_end(&search, &found);
    assert_int_equal(found.replicas, 40000);
    assert_int_equal(found.distinct, 20000);
    assert_int_equal(found.once, 20000);
}

/* --- files --- */

static void files_have_columns_of_overlaps(void **state) {
    (void)state;
    parameters p = given;
    make_result(&p);
    for (int average = 0; average < 2; average++) {
        const char *const text =
            file_in("out", average ? "PA_results_weighted.dat" : "PA_results_run_0.dat");
        assert_non_null(strstr(
            text,
            "\n# beta e C |q| q2 q4 betaF/N S/N R lnQ err_e err_C err_|q| err_betaF/N families "
            "rho_t R_eff trusted err_q2 err_q4 err_S/N blocks Binder err_Binder q_l err_q_l "
            "chi_SG err_chi_SG xi/L err_xi/L chi(k) err_chi(k) S_f rho_s pairs E_min"));
        assert_null(strstr(text, "|m|"));
        assert_non_null(strstr(text, "# column 36: E_min, "));
        assert_true((strstr(text, " E_min trusting") != NULL) == average);
        assert_null(strstr(text, " err_U4")); /* a column of the magnetisation */
        assert_true((strstr(text, "# column 37: trusting, ") != NULL) == average);
    }
    const char *const text = file_in("out", "PA_overlap_run_1.dat");
    assert_non_null(strstr(text, "\n\n\n# beta = 1.5: P(q) of "));
    assert_non_null(strstr(text, "\n\n\n# beta = 1.5: P(q_l) of "));
    assert_non_null(
        strstr(text, "\n# a bin of q has 1 values, 0.125 apart; one of q_l has 1, 0.125 apart; "));
    /* P(q) of the first temperature: counts of all pairs, each bin once. */
    double pairs = number_behind(text, "# beta = 0: P(q) of "), q = -2, last = -2;
    const char *const names = "# beta kind q count share err_share\n";
    char *row = strchr(strstr(text, "# beta = 0: P(q) of "), '\n');
    assert_memory_equal(row + 1, names, strlen(names));
    row = strchr(row + 1, '\n');
    while (row[1] != '\n') {
        assert_true(strtod(row, &row) == 0 && strtod(row, &row) == 0); /* beta, kind */
        q = strtod(row, &row);
        assert_true(q > last && q <= 1);
        last = q;
        pairs -= strtod(row, &row);
        row = strchr(row, '\n');
    }
    assert_true(pairs == 0);
}

/* The numbers of the line behind *text, which goes on to the next. */
static void read_bin(const char **text, double x[6]) {
    char *end;
    for (size_t n = 0; n < 6; n++) {
        x[n] = strtod(*text, &end);
        assert_ptr_not_equal(end, *text);
        *text = end;
    }
    *text = end + 1;
}

/* Bin n of `bins` has n + 1 pairs, an error of (n + 1) / 1024; at[n] is where it says that it stands. */
static void read_bins(const char *text, const char *heading, double kind, size_t bins, double pairs,
                      double at[]) {
    text = strstr(text, heading);
    assert_non_null(text);
    text = strchr(strchr(text, '\n') + 1, '\n') + 1;
    for (size_t n = bins; n-- > 0;) {
        double x[6];
        read_bin(&text, x);
        assert_true(x[0] == 0.5 && x[1] == kind);
        at[n] = x[2];
        assert_true(x[3] == (double)n + 1 && fabs(x[4] - x[3] / pairs) < 1e-12);
        assert_true(x[5] == x[3] / 1024);
    }
    assert_true(*text == '\n' || *text == '\0');
}

/* Every value that q and q_l can have stands within half the width of its bin. As bins are full but at the ends, nothing
 * but their middle is so near to all. */
static void bins_are_named_by_their_middle(void **state) {
    (void)state;
    static const struct {
        const model_kind *kind;
        uint32_t edge[3];
        bool wide;
    } of[] = {{&glass2d_kind, {4, 4, 1}, false},
              {&glass2d_kind, {34, 34, 1}, true},
              {&glass2d_kind, {64, 64, 1}, true},
              {&glass3d_kind, {16, 16, 16}, true}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const spin_model model = of[k].kind->create(of[k].edge);
        const overlap_scale s = overlap_scale_of(&model);
        const double n = (double)model.sites, bonds = (double)model.bonds;
        double at[OVERLAP_BINS];
        overlap_bin bin[2 * OVERLAP_BINS];
        overlap_row row = {.pairs = 4096};
        const overlap_record record = {
            .bins = overlap_bin_count(s), .row = &row, .bin = bin, .count = 1};
        for (size_t b = 0; b < record.bins; b++) {
            const uint32_t count = (uint32_t)(1 + (b < s.differ_bins ? b : b - s.differ_bins));
            bin[b] = (overlap_bin){count, (float)count / 1024};
        }
        assert_true((s.differ_width > 1) == of[k].wide && (s.wall_width > 2) == of[k].wide);
        row_text text = overlap_text_of_row(17, &model, 0.5, &record, 0);
        assert_non_null(text.begin);
        *text.end = '\0';
        read_bins(text.begin, "# beta = 0.5: P(q) of 4096 pairs\n", 0, s.differ_bins, row.pairs,
                  at);
        for (uint32_t c = 0; c <= model.sites; c++)
            assert_true(fabs(at[overlap_differ_bin(s, model.sites, c)] - (1 - 2 * c / n)) <=
                        (s.differ_width - 1) / n + 1e-12);
        read_bins(text.begin, "# beta = 0.5: P(q_l) of 4096 pairs\n", 1, s.wall_bins, row.pairs,
                  at);
        for (uint32_t u = 0; u <= model.bonds; u += 2)
            assert_true(fabs(at[overlap_wall_bin(s, u)] - (1 - 2 * u / bonds)) <=
                        2 * (s.wall_width - 1) / bonds + 1e-12);
        free(text.begin);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(a_resumed_simulation_gives_the_same_bytes),
        TEST_IN_SCRATCH(ground_states_are_those_of_all_states),
        TEST_IN_SCRATCH(the_number_of_states_is_that_of_all_states),
        cmocka_unit_test(the_probability_is_given_where_it_means_something),
        cmocka_unit_test(states_are_called_all_with_reason),
        TEST_IN_SCRATCH(a_state_that_was_lost_is_warned_of),
        TEST_IN_SCRATCH(spins_are_written_where_they_are),
        TEST_IN_SCRATCH(cuts_stand_beside_energies),
        cmocka_unit_test(states_are_counted),
        cmocka_unit_test(many_states_are_told_apart),
        cmocka_unit_test(a_level_below_is_foreseen),
        TEST_IN_SCRATCH(what_is_too_warm_is_said),
        TEST_IN_SCRATCH(files_have_columns_of_overlaps),
        cmocka_unit_test(bins_are_named_by_their_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
