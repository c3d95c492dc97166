/* Cluster updates against exact results. Labels are those of another algorithm, for any number of threads. On the 3 x 3 torus
 * one update changes the energy as the enumeration of all bonds of all states says, and clusters are as large. On the 4 x 4
 * lattice energy and magnetisation have the Boltzmann distribution; population annealing by clusters has the exact energy, specific
 * heat and free energy. (Bits: reference/plain_clusters.c by test_plain.sh, and make identity.) */
#include "cpu/clusters.h"
#include "reference/exact.h"
#include "validate/lib/all_states.h"
#include "validate/lib/annealer.h"
#include "validate/lib/statistics.h"

#include <omp.h>
#include <string.h>

#define KEY    ((stream_key){{1987, 58}})
#define BETA_C 0.44068679350977

static ssc_lattice lattice_of(uint32_t dimension, uint32_t lx, uint32_t ly, uint32_t lz) {
    return (ssc_lattice){
        .dimension = dimension, .edge = {lx, ly, lz}, .sites = (size_t)lx * ly * lz};
}

/* The flips of the first sweep of a replica, where a bond is left out with the probability cut / 2^32. */
static ssc_flips flips_of(const engine_step *step, uint32_t replica, uint32_t cut) {
    return (ssc_flips){.step = step, .replica = replica, .thresholds = {{cut}}};
}

/* --- Labels --- */

#define MOST_SITES 512

/* Labels by relaxation: each site takes the smaller label of both ends of a set bond, until none changes, or only `passes` times.
 * Without `periodic` the bonds across the boundary are left out. */
static void relax_labels(const ssc_lattice *l, const int8_t *spin, const ssc_flips *flips,
                         bool periodic, uint32_t passes, uint32_t *label) {
    bool changed = true;
    for (uint32_t i = 0; i < l->sites; i++)
        label[i] = i;
    for (; changed && passes > 0; passes--) {
        changed = false;
        for (uint32_t i = 0; i < l->sites; i++) {
            const stream_block b =
                stream_draw(KEY, STREAM_BONDS, i, flips->replica, 0, flips->step->temperature);
            for (uint32_t d = 0, stride = 1; d < l->dimension; stride *= l->edge[d++]) {
                const bool across = i / stride % l->edge[d] == l->edge[d] - 1;
                const uint32_t to = across ? i - (l->edge[d] - 1) * stride : i + stride;
                if (spin[i] != spin[to] || b.number[d] < flips->thresholds.threshold[0] ||
                    (across && !periodic) || label[i] == label[to])
                    continue;
                label[i] = label[to] = label[i] < label[to] ? label[i] : label[to];
                changed = true;
            }
        }
    }
}

static void labels_are_the_smallest_sites(void **state) {
    (void)state;
    const ssc_lattice lattices[] = {lattice_of(2, 3, 3, 1),   lattice_of(2, 4, 4, 1),
                                    lattice_of(2, 4, 6, 1),   lattice_of(2, 16, 10, 1),
                                    lattice_of(2, 22, 22, 1), lattice_of(3, 4, 4, 4),
                                    lattice_of(3, 3, 5, 7),   lattice_of(3, 6, 4, 10)};
    const uint32_t threads[] = {1, 2, 3, 7};
    uint32_t label[MOST_SITES], expected[MOST_SITES], other[MOST_SITES];
    uint32_t hasty = 0, open = 0;
    int8_t spin[MOST_SITES];
    for (uint32_t n = 0; n < 160; n++) {
        const ssc_lattice *const l = &lattices[n % 8];
        const engine_step step = {.key = KEY, .temperature = n};
        const stream_block b = stream_draw(KEY, STREAM_RANDOMISE, n, 0, 0, 0);
        const ssc_flips flips = flips_of(&step, n, b.number[0] >> n / 8 % 3);
        for (uint32_t i = 0; i < l->sites; i++) /* up to seven in eight are up */
            spin[i] =
                stream_draw(KEY, STREAM_SSC, i, n, 0, 0).number[0] >> (31 - n / 24 % 3) ? 1 : -1;
        relax_labels(l, spin, &flips, true, MOST_SITES, expected);
        for (uint32_t t = 0; t < 4; t++) {
            memset(label, 0xff, sizeof label);
            clusters_label(l, spin, &flips, threads[t], label);
            assert_memory_equal(label, expected, l->sites * sizeof *label);
        }
        relax_labels(l, spin, &flips, true, 1, other);
        hasty += memcmp(label, other, l->sites * sizeof *label) == 0;
        relax_labels(l, spin, &flips, false, MOST_SITES, other);
        open += memcmp(label, other, l->sites * sizeof *label) == 0;
    }
    assert_true(hasty < 110 && open < 80); /* negative controls: such labels are others */
}

/* --- One update on the 3 x 3 torus --- */

#define TORUS_EDGE   3
#define TORUS_SITES  9
#define TORUS_BONDS  18
#define TORUS_STATES 512

static uint32_t end_of(uint32_t bond) {
    const uint32_t x = bond / 2 % TORUS_EDGE, y = bond / 2 / TORUS_EDGE;
    return bond % 2 == 0 ? y * TORUS_EDGE + (x + 1) % TORUS_EDGE
                         : (y + 1) % TORUS_EDGE * TORUS_EDGE + x;
}

static int torus_energy(uint32_t s) {
    int energy = 0;
    for (uint32_t bond = 0; bond < TORUS_BONDS; bond++)
        energy -= (s >> bond / 2 & 1) == (s >> end_of(bond) & 1) ? 1 : -1;
    return energy;
}

/* Of equilibrium: mean and variance of E, its autocorrelation after one update of either kind, the mean number of clusters, and
 * the mean size of the cluster of a site. */
typedef struct {
    double mean, variance, rho_of_all, rho_of_one, clusters, size;
    double probability[TORUS_STATES];
} torus;

/* Adds, with this weight, what a state and some set bonds lead to. */
static void add_bonds(torus *t, uint32_t s, uint32_t set, double weight, double products[2]) {
    uint32_t label[TORUS_SITES], first[TORUS_SITES], count = 0;
    const int energy = torus_energy(s);
    double after_all = 0, after_one = 0;
    for (uint32_t i = 0; i < TORUS_SITES; i++)
        label[i] = 1u << i; /* the sites of its cluster */
    for (uint32_t bond = 0; bond < TORUS_BONDS; bond++)
        if (set >> bond & 1) {
            const uint32_t both = label[bond / 2] | label[end_of(bond)];
            for (uint32_t i = 0; i < TORUS_SITES; i++)
                if (both >> i & 1)
                    label[i] = both;
        }
    for (uint32_t i = 0; i < TORUS_SITES; i++)
        if ((label[i] & ((1u << i) - 1)) == 0)
            first[count++] = i;
    for (uint32_t bond = 0; bond < TORUS_BONDS; bond++) /* others are as often parallel as not */
        if (label[bond / 2] == label[end_of(bond)])
            after_all -= (s >> bond / 2 & 1) == (s >> end_of(bond) & 1) ? 1 : -1;
    t->clusters += weight * count;
    for (uint32_t c = 0; c < count; c++) {
        const double size = __builtin_popcount(label[first[c]]);
        t->size += weight * size * size / TORUS_SITES;
        after_one += size / TORUS_SITES * torus_energy(s ^ label[first[c]]);
    }
    products[0] += weight * energy * after_all;
    products[1] += weight * energy * after_one;
}

static torus enumerate(double beta) {
    torus t = {0};
    double sum = 0, products[2] = {0};
    for (uint32_t s = 0; s < TORUS_STATES; s++)
        sum += t.probability[s] = exp(-beta * torus_energy(s));
    for (uint32_t s = 0; s < TORUS_STATES; s++) {
        const int energy = torus_energy(s);
        uint32_t parallel = 0;
        t.probability[s] /= sum;
        t.mean += t.probability[s] * energy;
        t.variance += t.probability[s] * energy * energy;
        for (uint32_t bond = 0; bond < TORUS_BONDS; bond++)
            parallel |= (uint32_t)((s >> bond / 2 & 1) == (s >> end_of(bond) & 1)) << bond;
        for (uint32_t set = parallel;; set = (set - 1) & parallel) {
            const int left_out = __builtin_popcount(parallel ^ set);
            add_bonds(&t, s, set,
                      t.probability[s] * exp(-2 * beta * left_out) *
                          pow(1 - exp(-2 * beta), __builtin_popcount(set)),
                      products);
            if (set == 0)
                break;
        }
    }
    t.variance -= t.mean * t.mean;
    t.rho_of_all = (products[0] - t.mean * t.mean) / t.variance;
    t.rho_of_one = (products[1] - t.mean * t.mean) / t.variance;
    return t;
}

/* A state of equilibrium. */
static uint32_t drawn_state(const torus *t, uint32_t replica) {
    double left = stream_draw(KEY, STREAM_RANDOMISE, 1, replica, 0, 0).number[0] / 0x1p32;
    uint32_t s = 0;
    while (s < TORUS_STATES - 1 && left >= t->probability[s])
        left -= t->probability[s++];
    return s;
}

#define TORUS_REPLICAS 50000

/* Adds the z-scores of one update, at inverse temperature beta, of states of equilibrium. Without `periodic` the sizes are those of
 * clusters that end at the boundary. */
static void compare_update(z_series *z, const torus *t, const update_kind *update, double beta,
                           bool periodic) {
    const ssc_lattice l = lattice_of(2, TORUS_EDGE, TORUS_EDGE, 1);
    const spin_model any = square_model(4);
    const engine_step step = {.key = KEY, .temperature = 1 + update->clusters};
    const flip_rule rule = flip_rule_at(update, &any, beta);
    sample mean = {0}, rho = {0}, clusters = {0}, size = {0};
    for (uint32_t k = 0; k < TORUS_REPLICAS; k++) {
        const uint32_t before = drawn_state(t, k);
        const ssc_flips flips = flips_of(&step, k, rule.threshold[0]);
        uint32_t label[TORUS_SITES], after = 0, sizes[TORUS_SITES] = {0}, count = 0, squares = 0;
        int8_t spin[TORUS_SITES];
        for (uint32_t i = 0; i < TORUS_SITES; i++)
            spin[i] = before >> i & 1 ? 1 : -1;
        relax_labels(&l, spin, &flips, periodic, periodic ? 0 : MOST_SITES, label);
        if (periodic)
            clusters_label(&l, spin, &flips, 1, label);
        for (uint32_t i = 0; i < TORUS_SITES; i++)
            count += sizes[label[i]]++ == 0;
        for (uint32_t i = 0; i < TORUS_SITES; i++)
            squares += sizes[i] * sizes[i];
        clusters_flip(&l, spin, &flips, rule.clusters, label);
        for (uint32_t i = 0; i < TORUS_SITES; i++)
            after |= (uint32_t)(spin[i] > 0) << i;
        const double first = torus_energy(before) - t->mean, then = torus_energy(after) - t->mean;
        sample_add(&mean, then);
        sample_add(&rho, first * then / t->variance);
        sample_add(&clusters, count);
        sample_add(&size, update->clusters == CLUSTERS_ONE ? __builtin_popcount(before ^ after)
                                                           : (double)squares / TORUS_SITES);
    }
    z_add(z, sample_z(&mean, 0), "%s: mean energy", update->name);
    z_add(z, sample_z(&rho, update->clusters == CLUSTERS_ONE ? t->rho_of_one : t->rho_of_all),
          "%s: rho(1)", update->name);
    z_add(z, sample_z(&clusters, t->clusters), "%s: clusters", update->name);
    z_add(z, sample_z(&size, t->size), "%s: mean size of a site's cluster", update->name);
}

/* The numbers are those of another program. Negative controls: bonds set with 1 - exp(-beta); the other update; clusters that end at
 * the boundary. */
static void an_update_is_as_the_enumeration_of_all_bonds_says(void **state) {
    (void)state;
    const torus t = enumerate(BETA_C);
    torus other = t;
    assert_true(fabs(t.mean / TORUS_SITES + 1.6112463815) < 1e-9);
    assert_true(fabs(t.rho_of_all - 0.56768219) < 1e-7 && fabs(t.rho_of_one - 0.24447668) < 1e-7);
    assert_true(fabs(t.clusters - 1.87558069) < 1e-7 && fabs(t.size - 7.28486990) < 1e-7);
    other.rho_of_all = t.rho_of_one;
    z_series z = z_begin("one update", 8), half = z_begin("half of beta", 4),
             mixed = z_begin("the autocorrelation of the other update", 4),
             open = z_begin("clusters that end at the boundary", 4);
    compare_update(&z, &t, &swendsen_wang_update, BETA_C, true);
    compare_update(&z, &t, &wolff_update, BETA_C, true);
    compare_update(&half, &t, &swendsen_wang_update, BETA_C / 2, true);
    compare_update(&mixed, &other, &swendsen_wang_update, BETA_C, true);
    compare_update(&open, &t, &swendsen_wang_update, BETA_C, false);
    assert_true(z_passed(&z));
    assert_true(z_detected(&half) && z_detected(&mixed) && z_detected(&open));
}

/* --- Equilibrium on the 4 x 4 lattice --- */

#define REPLICAS          12000
#define UPDATES_TO_FORGET 20 /* rho(20) of either update is below 1e-4 */

static engine *small_engine(bool clusters) {
    const engine_config config = {.coding = CODING_SSC,
                                  .model = square_model(ALL_EDGE),
                                  .capacity = REPLICAS,
                                  .clusters = clusters};
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    return e;
}

/* Makes sweeps of random states. Returns the status of the engine. */
static engine_status sweep(engine *e, const update_kind *update, double beta, uint32_t sweeps,
                           uint64_t replicas, histogram *h) {
    const engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                              .key = KEY,
                              .temperature = 1,
                              .sweeps = sweeps,
                              .rule = flip_rule_at(update, &e->model, beta)};
    assert_int_equal(e->verbs->randomise(e, KEY, replicas, h), ENGINE_OK);
    return e->verbs->step(e, &step, h);
}

/* Adds chi square of the numbers of states of each energy, and of each |M|. Values of which fewer than ten are expected count
 * together. */
static void add_chi_square(z_series *z, const double probability[], const uint64_t seen[],
                           size_t values, const char *name) {
    double chi_square = 0, rare = 0, rare_seen = 0, terms = 0;
    for (size_t n = 0; n <= values; n++) {
        const bool last = n == values;
        const double expected = last ? rare : probability[n] * REPLICAS,
                     found = last ? rare_seen : (double)seen[n];
        if (expected >= 10) {
            chi_square += (found - expected) * (found - expected) / expected;
            terms++;
        } else if (!last) {
            rare += expected;
            rare_seen += found;
        }
    }
    z_add(z, z_of_chi_square(chi_square, terms - 1), "%s", name);
}

static void compare_equilibrium(z_series *z, const update_kind *update, double beta) {
    static double energies[2 * ALL_SITES + 1], orders[ALL_SITES + 1];
    static uint8_t spins[REPLICAS * ALL_SITES / 8];
    static uint32_t families[REPLICAS], level[REPLICAS];
    uint64_t at_energy[2 * ALL_SITES + 1] = {0}, at_order[ALL_SITES + 1] = {0};
    engine *const e = small_engine(true);
    double sum = 0;
    histogram h;
    memset(energies, 0, sizeof energies);
    memset(orders, 0, sizeof orders);
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        const uint32_t unsatisfied = all_unsatisfied(s, NULL);
        const double weight = exp(-2 * BETA_C * unsatisfied);
        sum += weight;
        energies[unsatisfied] += weight;
        orders[abs(2 * __builtin_popcount(s) - ALL_SITES)] += weight;
    }
    for (uint32_t n = 0; n <= 2 * ALL_SITES; n++)
        energies[n] /= sum;
    for (uint32_t n = 0; n <= ALL_SITES; n++)
        orders[n] /= sum;
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(sweep(e, update, beta, UPDATES_TO_FORGET, REPLICAS, &h), ENGINE_OK);
    assert_int_equal(e->verbs->read(e, 0, REPLICAS, spins, families), ENGINE_OK);
    assert_int_equal(e->verbs->read_levels(e, 0, REPLICAS, level), ENGINE_OK);
    for (uint32_t k = 0; k < REPLICAS; k++) {
        const int up = __builtin_popcount(spins[2 * k]) + __builtin_popcount(spins[2 * k + 1]);
        at_order[abs(2 * up - ALL_SITES)]++;
        at_energy[(level_energy(e->model.levels, level[k]) + 2 * ALL_SITES) / 2]++;
    }
    add_chi_square(z, energies, at_energy, 2 * ALL_SITES + 1, "energy");
    add_chi_square(z, orders, at_order, ALL_SITES + 1, "|M|");
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

/* Negative control: beta 3% too large. */
static void states_have_the_boltzmann_distribution(void **state) {
    (void)state;
    z_series z = z_begin("energy and |M|", 4), wrong = z_begin("beta 3% too large", 4);
    compare_equilibrium(&z, &swendsen_wang_update, BETA_C);
    compare_equilibrium(&z, &wolff_update, BETA_C);
    compare_equilibrium(&wrong, &swendsen_wang_update, 1.03 * BETA_C);
    compare_equilibrium(&wrong, &wolff_update, 1.03 * BETA_C);
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

/* An engine with room for clusters has the bits of local updates, with any number of threads; one without says so. */
static void an_engine_has_local_updates_or_both(void **state) {
    (void)state;
    enum { FEW = 50 };
    uint8_t spins[3][2 * FEW];
    uint32_t families[FEW];
    for (int n = 0; n < 3; n++) {
        omp_set_num_threads(n == 2 ? 2 : 1);
        engine *const e = small_engine(n > 0);
        histogram h;
        assert_int_equal(histogram_create(&h, &e->model), 0);
        assert_int_equal(sweep(e, &wolff_update, 0.4, 1, FEW, &h),
                         n == 0 ? ENGINE_FAILED : ENGINE_OK);
        assert_string_equal(e->error,
                            n == 0 ? "it has no kernels for the flips of this update" : "");
        assert_int_equal(sweep(e, &metropolis_update, 0.4, 3, FEW, &h), ENGINE_OK);
        assert_int_equal(e->verbs->read(e, 0, FEW, spins[n], families), ENGINE_OK);
        histogram_destroy(&h);
        e->verbs->destroy(e);
    }
    omp_set_num_threads(1);
    assert_memory_equal(spins[0], spins[1], sizeof spins[0]);
    assert_memory_equal(spins[0], spins[2], sizeof spins[0]);
}

/* --- Population annealing --- */

#define RUNS  16
#define STEPS 8
#define EDGE  8

/* Adds the z-scores of e, C and beta F at every second temperature, which are compared with those of `factor` times beta. */
static void compare_annealing(z_series *z, uint32_t update, double factor) {
    static run_averages row[RUNS][STEPS + 1];
    const engine_config config = {
        .coding = CODING_SSC, .model = square_model(EDGE), .capacity = 400, .clusters = true};
    const annealing_plan plan = {.seed = 7,
                                 .population = 200,
                                 .sweeps = 2,
                                 .steps = STEPS,
                                 .dbeta = 0.06,
                                 .threshold_factor = 1,
                                 .update = update};
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    for (uint32_t run = 0; run < RUNS; run++)
        anneal(e, &plan, run, row[run]);
    e->verbs->destroy(e);
    for (size_t n = 2; n <= STEPS; n += 2) {
        const double beta = plan.dbeta * (double)n;
        const exact_result exact = exact_thermodynamics(EDGE, factor * beta);
        const double expected[] = {
            [ENERGY] = exact.e, [SPECIFIC_HEAT] = exact.c, [BETA_F] = exact.beta_f};
        double value[QUANTITIES], error[QUANTITIES];
        jackknife_runs(&row[0][n], STEPS + 1, RUNS, beta, EDGE * EDGE, value, error);
        for (quantity q = ENERGY; q <= BETA_F; q++)
            z_add(z, z_of_student((value[q] - expected[q]) / error[q], RUNS - 1),
                  "%s, beta = %.2f, %s", update_kinds[update]->name, beta, quantity_name[q]);
    }
}

/* Negative control: the exact values of another beta. */
static void annealed_populations_are_in_equilibrium(void **state) {
    (void)state;
    z_series z = z_begin("annealing by clusters", 2 * 3 * STEPS / 2),
             wrong = z_begin("beta 5% off", 3 * STEPS / 2);
    compare_annealing(&z, UPDATE_OF_swendsen_wang, 1);
    compare_annealing(&z, UPDATE_OF_wolff, 1);
    compare_annealing(&wrong, UPDATE_OF_swendsen_wang, 1.05);
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_the_smallest_sites),
        cmocka_unit_test(an_update_is_as_the_enumeration_of_all_bonds_says),
        cmocka_unit_test(states_have_the_boltzmann_distribution),
        cmocka_unit_test(an_engine_has_local_updates_or_both),
        cmocka_unit_test(annealed_populations_are_in_equilibrium),
    };
    omp_set_num_threads(1); /* these populations are too small to share out */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
