/* The Metropolis update. SSC on the 4 x 4 lattice, of the ferromagnet and of spin glasses with levels of either parity,
 * reaches the Boltzmann distribution over all 65536 states, and reports their energies. SSC, and MSC in every mode and
 * word size, flip spins with d = 0 .. 4 antiparallel neighbours, up or down, of the even or the odd sub-lattice, with
 * the probabilities min(1, exp(-beta (8 - 4 d))), which is detailed balance: flips of d and 4 - d undo each other.
 * (Every model, and the three classes of three dimensions: test_acceptance.c.) */
#include "validate/lib/replicas.h"
#include "validate/lib/statistics.h"

#include <omp.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static engine_step step_of(const spin_model *m, double beta, uint32_t temperature,
                           uint32_t sweeps) {
    engine_step step = {.key = {{1859, 2020}},
                        .temperature = temperature,
                        .sweeps = sweeps,
                        .rule = flip_rule_at(&metropolis_update, m, beta)};
    return step;
}

static engine_step step_at(double beta, uint32_t temperature, uint32_t sweeps) {
    const spin_model any_square = square_model(16);
    return step_of(&any_square, beta, temperature, sweeps);
}

/* --- All states of L = 4 --- */

#define EDGE       4
#define SITES      (EDGE * EDGE)
#define STATES     (1u << SITES)
#define MIN_EXPECT 10. /* in a bin of a chi-square */

/* The spin of a state at a site; its bits are in the order of site indices. */
static uint32_t state_spin(const spin_model *m, uint32_t spins, lattice_site s) {
    return spins >> site_number(m, s) & 1;
}

/* How many of a spin's four bonds are unsatisfied. */
static uint32_t state_unsatisfied(const spin_model *m, uint32_t spins, lattice_site s) {
    uint32_t d = 0;
    for (uint32_t n = 0; n < 4; n++) {
        int j;
        const lattice_site next = site_beside(m, s, n / 2, n % 2, &j);
        d += j != 0 && (state_spin(m, spins, s) ^ state_spin(m, spins, next) ^ (j < 0));
    }
    return d;
}

/* Unsatisfied bonds of a state; `dropped` leaves out one bond, that from the first site back around the edge or, where this is
 * missing, forward. */
static uint32_t broken_bonds(const spin_model *m, uint32_t spins, int dropped) {
    uint32_t ends = 0;
    int j;
    for (uint32_t i = 0; i < SITES; i++)
        ends += state_unsatisfied(m, spins, site_at(m, i));
    const lattice_site first = site_at(m, 0);
    lattice_site last = site_beside(m, first, 0, false, &j);
    if (j == 0)
        last = site_beside(m, first, 0, true, &j);
    assert_true(j != 0);
    return ends / 2 - (uint32_t)(dropped && (state_spin(m, spins, first) !=
                                             state_spin(m, spins, last)) != (j < 0));
}

/* Whether all spins have d = 2. Such a state is outside the reach of this dynamics: both
 * sub-lattices flip as a whole, which needs no random number and leaves d = 2 everywhere, so that
 * every sweep inverts the state, and no other state leads there. Its replicas stay as many as they
 * are (only the resampling of population annealing gives them their weight). */
static int only_inverts(const spin_model *m, uint32_t spins) {
    for (uint32_t i = 0; i < SITES; i++) {
        const site_bonds b = bonds_of(m, site_at(m, i));
        if (2 * state_unsatisfied(m, spins, site_at(m, i)) != b.count)
            return 0;
    }
    return 1;
}

/* A distribution over the states. */
typedef struct {
    double probability[STATES];
    double energy[STATES]; /* twice the number of unsatisfied bonds, E but for a constant */
    double abs_m[STATES];
    uint32_t order[STATES]; /* the states by energy */
    uint32_t only_invert;   /* how many states only invert */
} distribution;

/* The Boltzmann distribution, but for the states that only invert: they keep the probability of a
 * random state. Returns a distribution that the next call replaces. */
static const distribution *boltzmann(const spin_model *m, double beta, int dropped) {
    static distribution d;
    double sum = 0;
    uint32_t n = 0;
    d.only_invert = 0;
    for (uint32_t s = 0; s < STATES; s++) {
        d.energy[s] = 2 * broken_bonds(m, s, dropped);
        d.abs_m[s] = abs(2 * __builtin_popcount(s) - SITES);
        d.probability[s] = only_inverts(m, s) ? 0 : exp(-beta * d.energy[s]);
        d.only_invert += d.probability[s] == 0;
        sum += d.probability[s];
    }
    const double rest = 1 - d.only_invert / (double)STATES;
    for (uint32_t s = 0; s < STATES; s++)
        d.probability[s] = d.probability[s] > 0 ? d.probability[s] / sum * rest : 1. / STATES;
    for (uint32_t broken = 0; broken <= 2 * SITES; broken++)
        for (uint32_t s = 0; s < STATES; s++)
            if (d.energy[s] == 2 * broken)
                d.order[n++] = s;
    return &d;
}

/* A chi-square that grows bin by bin. */
typedef struct {
    double sum, bins, expected, counted; /* the last two of the bin at hand */
} chi_square;

/* Adds to the bin at hand, and closes it once it expects enough. */
static void chi_square_add(chi_square *c, double expected, double counted) {
    c->expected += expected;
    c->counted += counted;
    if (c->expected >= MIN_EXPECT) {
        c->sum += (c->counted - c->expected) * (c->counted - c->expected) / c->expected;
        c->bins++;
        c->expected = c->counted = 0;
    }
}

/* z of the mean of a quantity over independent replicas. */
static double mean_z(const uint32_t *counted, double population, const distribution *d,
                     const double *quantity) {
    double mean = 0, square = 0, measured = 0;
    for (uint32_t s = 0; s < STATES; s++) {
        mean += d->probability[s] * quantity[s];
        square += d->probability[s] * quantity[s] * quantity[s];
        measured += counted[s] / population * quantity[s];
    }
    return (measured - mean) / sqrt((square - mean * mean) / population);
}

/* Adds three z-scores: of chi-square over all states, rare ones pooled with others of their energy
 * (what is left in the last bin, a few replicas, is left out), and of the mean E and |M|, which see
 * small errors of a threshold better. */
static void compare_states(z_series *z, const uint32_t *counted, double population,
                           const distribution *d, const char *what) {
    chi_square states = {0};
    for (uint32_t n = 0; n < STATES; n++) {
        const uint32_t s = d->order[n];
        chi_square_add(&states, population * d->probability[s], counted[s]);
    }
    z_add(z, z_of_chi_square(states.sum, states.bins - 1), "%s, %.0f bins of states", what,
          states.bins);
    z_add(z, mean_z(counted, population, d, d->energy), "%s, mean energy", what);
    z_add(z, mean_z(counted, population, d, d->abs_m), "%s, mean |M|", what);
}

#define ENSEMBLE 150000
#define SWEEPS   20

/* Whether the report has as many replicas of every energy as there are, if the lowest level is where it is said to
 * be: that is a matter of how many couplings are -1. */
static bool has_the_levels(const histogram *h, int64_t lowest, const spin_model *m,
                           const uint32_t counted[STATES]) {
    energy_levels levels = h->levels;
    uint32_t found[2 * SITES + 1] = {0}; /* by unsatisfied bonds */
    levels.lowest = lowest;
    for (uint32_t s = 0; s < STATES; s++)
        if (counted[s] > 0)
            found[broken_bonds(m, s, 0)] += counted[s];
    for (size_t n = 0; n < levels.count; n++) {
        const int64_t unsatisfied = (level_energy(levels, n) + (int64_t)m->bonds) / 2;
        const bool possible = unsatisfied >= 0 && unsatisfied <= 2 * SITES;
        const uint64_t here = possible ? found[unsatisfied] : 0;
        if (h->level[n].replicas != here)
            return false;
    }
    return true;
}

/* The states of independent replicas after SWEEPS sweeps from random ones. */
static void count_states(const spin_model *m, uint32_t counted[STATES], engine_step step) {
    replicas r = replicas_create(
        (engine_config){.coding = CODING_SSC, .model = *m, .capacity = ENSEMBLE}, ENSEMBLE);
    assert_int_equal(r.worker->verbs->randomise(r.worker, step.key, ENSEMBLE, &r.report),
                     ENGINE_OK);
    replicas_step(&r, step);
    replicas_save(&r);
    memset(counted, 0, STATES * sizeof *counted);
    for (uint64_t k = 0; k < r.count; k++)
        counted[r.spins[2 * k] | (uint32_t)r.spins[2 * k + 1] << 8]++;
    const int64_t lowest = m->levels.lowest;
    assert_true(has_the_levels(&r.report, lowest, m, counted));
    assert_false(has_the_levels(&r.report, lowest + 2, m, counted)); /* control */
    replicas_destroy(&r);
}

static void check_states(const spin_model *m, const char *name) {
    static uint32_t counted[STATES];
    z_series right = z_begin(name, 6), cut = z_begin("bond dropped", 6);
    static const double betas[] = {0.15, 0.3};
    for (size_t n = 0; n < COUNT(betas); n++) {
        count_states(m, counted, step_of(m, betas[n], 1, SWEEPS));
        compare_states(&right, counted, ENSEMBLE, boltzmann(m, betas[n], 0), "SSC");
        compare_states(&cut, counted, ENSEMBLE, boltzmann(m, betas[n], 1), "SSC");
    }
    assert_true(z_passed(&right));
    assert_true(z_detected(&cut));
}

static void all_states_have_their_boltzmann_weight(void **state) {
    (void)state;
    const spin_model square = square_model(EDGE);
    check_states(&square, "4 x 4 states");
}

/* A sample with an odd number of bonds of -1, and one with an even one. */
static void so_have_those_of_a_glass(void **state) {
    (void)state;
    uint64_t seen = 0;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        couplings signs;
        const spin_model glass = some_model(&glass2d_kind, (lattice_size){{EDGE}}, seed, &signs);
        seen |= 1u << couplings_count_negative(&signs) % 2;
        check_states(&glass, "4 x 4 states of a glass");
        couplings_destroy(&signs);
    }
    assert_int_equal(seen, 3);
}

/* Boundaries of all kinds, and missing bonds; some site has an odd number of bonds, and none has no bond. */
static void so_have_those_of_lattices_with_missing_bonds(void **state) {
    (void)state;
    static const bond_cut cuts[] = {
        {"open", 0}, {"antiperiodic", 0.1}, {"open,antiperiodic", 0.08}, {NULL, 0.15}};
    for (size_t n = 0; n < COUNT(cuts); n++) {
        couplings signs;
        const spin_model glass =
            some_cut_model(&glass2d_kind, (lattice_size){{EDGE}}, 4 + n, cuts[n], &signs);
        bool bonded = true;
        for (uint32_t i = 0; i < SITES; i++)
            bonded = bonded && couplings_of_site(&signs, i) > 0;
        assert_true(bonded && glass.odd_sites);
        check_states(&glass, "4 x 4 states with missing bonds");
        couplings_destroy(&signs);
    }
}

/* Negative control: thresholds that are 1% too large. */
static void wrong_thresholds_are_noticed(void **state) {
    (void)state;
    static uint32_t counted[STATES];
    z_series wrong = z_begin("thresholds 1% off", 3);
    engine_step step = step_at(0.3, 1, SWEEPS);
    for (size_t n = 0; n < 2; n++)
        step.rule.threshold[n] += step.rule.threshold[n] / 100;
    const spin_model square = square_model(EDGE);
    count_states(&square, counted, step);
    compare_states(&wrong, counted, ENSEMBLE, boltzmann(&square, 0.3, 0), "SSC");
    assert_true(z_detected(&wrong));
}

/* Negative control: all spins at once instead of one sub-lattice after the other. */
static void updates_without_a_checkerboard_are_noticed(void **state) {
    (void)state;
    enum { FEWER = 75000 };
    static uint32_t counted[STATES];
    const engine_step step = step_at(0.15, 1, SWEEPS);
    const spin_model square = square_model(EDGE);
    memset(counted, 0, sizeof counted);
    for (uint32_t k = 0; k < FEWER; k++) {
        uint32_t s = stream_philox(step.key, k, 0, 0, 1).number[0] % STATES;
        for (uint32_t sweep = 0; sweep < SWEEPS; sweep++) {
            uint32_t flips = 0;
            for (uint32_t i = 0; i < SITES; i++) {
                const lattice_site at = site_at(&square, i);
                const uint32_t d = state_unsatisfied(&square, s, at);
                if (d >= 2 ||
                    stream_philox(step.key, k, sweep, i, 2).number[0] < step.rule.threshold[d])
                    flips |= 1u << site_number(&square, at);
            }
            s ^= flips;
        }
        counted[s]++;
    }
    z_series wrong = z_begin("no checkerboard", 3);
    compare_states(&wrong, counted, FEWER, boltzmann(&square, 0.15, 0), "all spins at once");
    assert_true(z_detected(&wrong));
}

/* --- Acceptance in prepared configurations --- */

#define SIZE       16
#define BETA       0.15
#define REPEATS    32
#define EVEN_CASES 10 /* d = 0 .. 4, spin down or up */
#define ODD_CASES  5  /* 0 .. 4 of the odd sites' neighbours down */
#define CASES      (EVEN_CASES + ODD_CASES)
#define GROUPS     (EVEN_CASES + 2 * ODD_CASES)

/* x + 3 y modulo 8 is even on even sites, odd on odd ones, and the four neighbours of any site have
 * four different values. So the first `down` of them, counted 0 .. 3, can be given spin down. */
static int pattern_up(uint32_t x, uint32_t y, uint32_t down) {
    return (x + 3 * y) % 8 / 2 >= down;
}

/* Fills replica k with a case. Even ones: every even spin is up, or down, and has d antiparallel
 * neighbours. Odd ones: two of four odd spins are up, so that every even spin has d = 2 and flips;
 * after that, n of the four neighbours of each odd spin are down. */
static void prepare(replicas *r, uint64_t k, uint32_t which) {
    const uint32_t d = which / 2, n = which - EVEN_CASES;
    const int up = which % 2;
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            const int odd = (x + y) % 2;
            if (which < EVEN_CASES)
                set_spin(r, k, x, y, odd ? pattern_up(x, y, d) == up : up);
            else
                set_spin(r, k, x, y, odd ? pattern_up(x, y, 2) : !pattern_up(x, y, n));
        }
}

/* The replica's case: all cases are mixed in every word. */
static uint32_t case_of(uint64_t k) {
    return (uint32_t)(k % CASES);
}

/* The group that a spin is counted in, and the d that its group had: even case `which`, or of the
 * odd cases the spins that were up, d = n, and those that were down, d = 4 - n. */
static uint32_t group_of(uint32_t which, int was_up) {
    return which < EVEN_CASES ? which : EVEN_CASES + 2 * (which - EVEN_CASES) + (uint32_t)was_up;
}

static uint32_t group_d(uint32_t group) {
    const uint32_t n = (group - EVEN_CASES) / 2;
    return group < EVEN_CASES ? group / 2 : (group - EVEN_CASES) % 2 ? n : 4 - n;
}

/* Adds the frequency of flips in each group in one sweep. */
static void count_flips(sample frequency[GROUPS], const replicas *r) {
    double flips[GROUPS] = {0}, spins[GROUPS] = {0};
    for (uint64_t k = 0; k < r->count; k++) {
        const uint32_t which = case_of(k), parity = which >= EVEN_CASES;
        for (uint32_t y = 0; y < SIZE; y++)
            for (uint32_t x = (y + parity) % 2; x < SIZE; x += 2) {
                const int was_up = parity ? pattern_up(x, y, 2) : (int)(which % 2);
                const uint32_t group = group_of(which, was_up);
                flips[group] += spin_up(r, k, x, y) != was_up;
                spins[group]++;
            }
    }
    for (uint32_t group = 0; group < GROUPS; group++)
        sample_add(&frequency[group], flips[group] / spins[group]);
}

/* Adds the z-scores of all groups of one engine; its thresholds are `factor` times the right ones.
 * Errors are those of the spread over the repeats: the p lanes of a word may decide together. */
static void compare_acceptance(z_series *z, engine_config config, double factor) {
    const engine_step right = step_at(BETA, 0, 1);
    engine_step step = right;
    sample frequency[GROUPS] = {{0}};
    for (size_t n = 0; n < 2; n++)
        step.rule.threshold[n] = (uint32_t)(factor * step.rule.threshold[n]);
    step.rule = flip_rule_with(DOWNHILL_ALWAYS, &config.model, step.rule.threshold);

    replicas r = replicas_create(config, config.capacity);
    for (uint64_t k = 0; k < r.count; k++)
        prepare(&r, k, case_of(k));
    uint8_t *const prepared = malloc(r.count * r.bytes);
    assert_non_null(prepared);
    memcpy(prepared, r.spins, r.count * r.bytes);
    for (step.temperature = 1; step.temperature <= REPEATS; step.temperature++) {
        memcpy(r.spins, prepared, r.count * r.bytes);
        replicas_load(&r);
        replicas_step(&r, step);
        replicas_save(&r);
        count_flips(frequency, &r);
    }
    free(prepared);
    replicas_destroy(&r);

    for (uint32_t group = 0; group < GROUPS; group++) {
        const uint32_t d = group_d(group);
        const double expected = d < 2 ? ldexp(right.rule.threshold[d], -32) : 1;
        z_add(z, sample_z(&frequency[group], expected), "%s, p = %u, group %u, d = %u",
              config.coding == CODING_SSC ? "ssc" : rng_name(config.rng), config.word, group, d);
    }
}

static void spins_flip_with_the_metropolis_probabilities(void **state) {
    (void)state;
    z_series z = z_begin("acceptance", (1 + 5 * 4) * GROUPS);
    compare_acceptance(
        &z, (engine_config){.coding = CODING_SSC, .model = square_model(SIZE), .capacity = 960}, 1);
    for (rng_mode rng = RNG_INDEPENDENT; rng <= RNG_LCG; rng++)
        for (uint32_t word = 8; word <= 64; word *= 2) {
            const int shared = rng == RNG_SHARED || rng == RNG_SHARED_REORDER;
            const engine_config config = {.coding = CODING_MSC,
                                          .model = square_model(SIZE),
                                          .capacity = shared ? 32 * word : 960,
                                          .word = word,
                                          .rng = rng};
            compare_acceptance(&z, config, 1);
        }
    assert_true(z_passed(&z));
}

/* Negative control: thresholds that are 1% too large. */
static void wrong_acceptance_is_noticed(void **state) {
    (void)state;
    z_series wrong = z_begin("thresholds 1% off", GROUPS);
    compare_acceptance(&wrong,
                       (engine_config){.coding = CODING_MSC,
                                       .model = square_model(SIZE),
                                       .capacity = 9600,
                                       .word = 32,
                                       .rng = RNG_INDEPENDENT},
                       1.01);
    assert_true(z_detected(&wrong));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_states_have_their_boltzmann_weight),
        cmocka_unit_test(so_have_those_of_a_glass),
        cmocka_unit_test(so_have_those_of_lattices_with_missing_bonds),
        cmocka_unit_test(wrong_thresholds_are_noticed),
        cmocka_unit_test(updates_without_a_checkerboard_are_noticed),
        cmocka_unit_test(spins_flip_with_the_metropolis_probabilities),
        cmocka_unit_test(wrong_acceptance_is_noticed),
    };
    omp_set_num_threads(1); /* these populations are too small to share out */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
