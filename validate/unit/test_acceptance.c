/* Updates in every model: SSC, and MSC in every mode that there is, flip spins with d of their z bonds unsatisfied, up or
 * down, of the even or the odd sub-lattice, with the probabilities min(1, exp(-beta (2 z - 4 d))) of Metropolis' rule, those
 * of the heat bath 1 / (1 + exp(beta (2 z - 4 d))), or those of an update that gives each d its own (SSC).
 * That is detailed balance: flips of d and z - d undo each other. What d is, is counted site by site in the spins
 * before and after a sweep of random states, since a sub-lattice is updated while the other one stands. Samples of a
 * glass are of both parities. (Prepared states of the square lattice: test_update_rule.c.) */
#include "validate/lib/replicas.h"
#include "validate/lib/statistics.h"

#include <omp.h>

#define BETA    0.12
#define REPEATS 24
#define MOST_D  6
#define GROUPS  (2 * 2 * (MOST_D + 1)) /* sub-lattice, spin, d */

/* Adds the frequency of flips in each group, of which there are any. */
static void count_flips(sample frequency[GROUPS], const replicas *before, const replicas *after) {
    const spin_model *const m = &after->worker->model;
    double flips[GROUPS] = {0}, spins[GROUPS] = {0};
    for (uint64_t n = 0; n < m->sites; n++) {
        const lattice_site s = site_at(m, n);
        const uint32_t colour = site_colour(s);
        for (uint64_t k = 0; k < after->count; k++) {
            /* Neighbours of even sites are as they were, those of odd ones as they are now. */
            const int was = spin_of(before, k, s), is = spin_of(after, k, s);
            uint32_t d = unsatisfied_bonds(colour == 0 ? before : after, k, s);
            if (colour == 1 && is != was)
                d = m->coordination - d;
            const uint32_t group = (colour * 2 + (uint32_t)was) * (MOST_D + 1) + d;
            flips[group] += is != was;
            spins[group]++;
        }
    }
    for (uint32_t group = 0; group < GROUPS; group++)
        if (spins[group] > 0)
            sample_add(&frequency[group], flips[group] / spins[group]);
}

/* Glauber dynamics with a rate. */
static double with_rate(double beta, double delta_e) {
    return 0.6 / (1 + exp(beta * delta_e));
}
static const update_kind rated = {"rated", with_rate, DOWNHILL_OF_ITS_OWN, CLUSTERS_NONE,
                                  VISIT_CHECKERBOARD};

/* Adds the z-scores of all groups of one engine; its thresholds from number `first` on are `factor` times the right
 * ones. Errors are those of the spread over the repeats: the p lanes of a word may decide together. */
static void compare_acceptance(z_series *z, const update_kind *update, engine_config config,
                               size_t first, double factor) {
    const flip_rule right = flip_rule_at(update, &config.model, BETA);
    engine_step step = {.key = {{1975, 5}}, .sweeps = 1, .rule = right};
    sample frequency[GROUPS] = {{0}};
    for (size_t n = first; n < config.model.gaps; n++)
        step.rule.threshold[n] = (uint32_t)(factor * step.rule.threshold[n]);
    step.rule = flip_rule_with(update->downhill, &config.model, step.rule.threshold);

    replicas after = replicas_create(config, config.capacity), before = after;
    before.spins = malloc(after.count * after.bytes);
    assert_non_null(before.spins);
    for (step.temperature = 1; step.temperature <= REPEATS; step.temperature++) {
        replicas_randomise(&after, (stream_key){{step.temperature, 6}}, config.capacity);
        memcpy(before.spins, after.spins, after.count * after.bytes);
        replicas_step(&after, step);
        replicas_save(&after);
        count_flips(frequency, &before, &after);
    }
    free(before.spins);
    replicas_destroy(&after);

    for (uint32_t group = 0; group < GROUPS; group++) {
        const uint32_t d = group % (MOST_D + 1);
        const double expected = update->accept(BETA, 2. * config.model.coordination - 4. * d);
        if (d <= config.model.coordination)
            z_add(z, sample_z(&frequency[group], expected), "%s, %s, %s, group %u, d = %u",
                  update->name, config.model.name,
                  config.coding == CODING_SSC ? "ssc" : rng_name(config.rng), group, d);
    }
}

/* Each model on a lattice that MSC takes, in odd words of three dimensions. */
static const struct {
    const model_kind *kind;
    lattice_size size;
} lattices[] = {{&square_kind, {{16, 32}}}, {&glass2d_kind, {{16}}}, {&glass2d_kind, {{32, 16}}},
                {&cubic_kind, {{6}}},       {&glass3d_kind, {{6}}},  {&glass3d_kind, {{6, 4, 10}}}};
#define LATTICES (sizeof lattices / sizeof *lattices)

static void spins_flip_with_the_probabilities_of_the_update(void **state) {
    (void)state;
    z_series z = z_begin("acceptance", 3 * (6 + 3) * 4 * 5 + 3 * (2 + 3) * 4 * 7);
    uint32_t parities = 0;
    for (size_t n = 0; n < LATTICES; n++) {
        couplings signs;
        const spin_model m = some_model(lattices[n].kind, lattices[n].size, n, &signs);
        if (m.disordered)
            parities |= 1u << couplings_count_negative(&signs) % 2;
        const engine_config ssc = {.coding = CODING_SSC, .model = m, .capacity = 256},
                            msc = {.coding = CODING_MSC, .model = m, .capacity = 256, .word = 8};
        compare_acceptance(&z, &metropolis_update, ssc, 0, 1);
        compare_acceptance(&z, &heat_bath_update, ssc, 0, 1);
        compare_acceptance(&z, &rated, ssc, 0, 1);
        compare_acceptance(&z, &heat_bath_update, msc, 0, 1);
        for (rng_mode rng = RNG_INDEPENDENT; rng <= (m.dimension == 2 ? RNG_LCG : 0); rng++)
            compare_acceptance(
                &z, &metropolis_update,
                (engine_config){
                    .coding = CODING_MSC, .model = m, .capacity = 256, .word = 8, .rng = rng},
                0, 1);
        couplings_destroy(&signs);
    }
    assert_int_equal(parities, 3);
    assert_true(z_passed(&z));
}

/* Negative control: thresholds that are 2% too large, all of them or the third alone. */
static void wrong_acceptance_is_noticed(void **state) {
    (void)state;
    couplings signs;
    const spin_model m = some_model(&glass3d_kind, (lattice_size){{6}}, 4, &signs);
    const update_kind *const updates[] = {&metropolis_update, &heat_bath_update};
    for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++)
        for (size_t n = 0; n < 4; n++) {
            z_series wrong = z_begin("thresholds 2% off", 4 * 7);
            compare_acceptance(
                &wrong, updates[n / 2],
                (engine_config){.coding = coding, .model = m, .capacity = 1024, .word = 32},
                n % 2 * 2, 1.02);
            assert_true(z_detected(&wrong));
        }
    couplings_destroy(&signs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spins_flip_with_the_probabilities_of_the_update),
        cmocka_unit_test(wrong_acceptance_is_noticed),
    };
    omp_set_num_threads(1); /* these populations are too small to share out */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
