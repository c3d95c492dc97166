/* Models whose spins are not Ising's against all their states, which are enumerated here by other code. On the 3 x 3 torus of
 * Potts, Blume-Capel and Baxter-Wu energy and |M| have the Boltzmann distribution after sweeps by each update; the Potts
 * model with two states on 4 x 4 has that of Ising at half of beta. Planted faults: a heat bath with a state too few in its
 * sum, a neighbour that is left out, labels that are not made anew, beta 5% too large. (Bits: reference/plain_states.c by
 * test_plain.sh.) The levels of Blume-Capel on 4 x 4 begin and end with energies of states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cpu/clusters.h"
#include "cpu/ssc_states.h"
#include "validate/lib/all_states.h"
#include "validate/lib/statistics.h"

#include <string.h>

#define KEY      ((stream_key){{1952, 106}})
#define REPLICAS 3000
#define SWEEPS   30
#define EDGE     3
#define SITES    (EDGE * EDGE)
#define MOST     400 /* values of an energy, or of |M| */

typedef enum { NO_FAULT, STATE_TOO_FEW, NEIGHBOUR_LEFT_OUT, OLD_LABELS, WARMER } fault;

/* A model, and where it is simulated. */
typedef struct {
    const char *name;
    spin_model model;
    double beta;
} one_case;

static spin_model model_with(const model_kind *kind, uint32_t edge, uint32_t states, int64_t field,
                             uint32_t unit) {
    spin_model m = kind->create((const uint32_t[]){edge, edge, 1});
    if (kind->choose != NULL)
        kind->choose(&m, &(state_choice){.states = states, .field = field, .unit = unit});
    return m;
}

/* --- All states --- */

/* Of equilibrium: by E less its lowest value, in units of J / unit, and by |M|. */
typedef struct {
    double energy[MOST], order[MOST];
} distribution;

static int at(const uint8_t *s, int x, int y) {
    return s[(y + EDGE) % EDGE * EDGE + (x + EDGE) % EDGE];
}

/* E of a state, in units of J / unit; without the bond of site 0 to the right, or its two triangles, if `fewer`. */
static int64_t energy_of(const spin_model *m, const uint8_t *s, bool fewer) {
    int64_t energy = 0;
    for (int y = 0; y < EDGE; y++)
        for (int x = 0; x < EDGE; x++) {
            const int here = at(s, x, y), right = at(s, x + 1, y), below = at(s, x, y + 1),
                      beside = at(s, x - 1, y + 1);
            const bool all = !fewer || x + y > 0;
            if (m->spins == SPINS_POTTS)
                energy -= (all && here == right) + (here == below);
            else if (m->spins == SPINS_BLUME_CAPEL)
                energy += (here != 1) * m->crystal_field -
                          (int64_t)m->levels.unit * (here - 1) * (all * (right - 1) + below - 1);
            else
                energy -=
                    (2 * here - 1) * (2 * below - 1) * (all * (2 * right - 1) + (2 * beside - 1));
        }
    return energy;
}

static int64_t order_of(const spin_model *m, const uint8_t *s) {
    int64_t sum = 0, most = 0;
    for (uint32_t t = 0; t < m->states; t++) {
        int64_t sites = 0;
        for (int i = 0; i < SITES; i++)
            sites += s[i] == t;
        most = sites > most ? sites : most;
        sum += sites * (m->spins == SPINS_BLUME_CAPEL ? (int64_t)t - 1 : 2 * (int64_t)t - 1);
    }
    return m->spins == SPINS_POTTS ? m->states * most - SITES : llabs(sum);
}

static distribution enumerate(const one_case *c, bool fewer, double factor) {
    const spin_model *const m = &c->model;
    distribution d = {{0}, {0}};
    uint8_t s[SITES] = {0};
    double sum = 0;
    for (int i = 0; i < SITES;) {
        const int64_t energy = energy_of(m, s, false);
        const double weight =
            exp(-factor * c->beta * (double)energy_of(m, s, fewer) / m->levels.unit);
        d.energy[energy - m->levels.lowest] += weight;
        d.order[order_of(m, s)] += weight;
        sum += weight;
        for (i = 0; i < SITES && ++s[i] == m->states; i++) /* the next state */
            s[i] = 0;
    }
    for (int n = 0; n < MOST; n++) {
        d.energy[n] /= sum;
        d.order[n] /= sum;
    }
    return d;
}

/* Ising on 4 x 4 at half of beta: u unsatisfied bonds cost u here. */
static distribution enumerate_ising(double beta) {
    distribution d = {{0}, {0}};
    double sum = 0;
    for (uint32_t s = 0; s < ALL_STATES; s++) {
        const uint32_t unsatisfied = all_unsatisfied(s, NULL);
        const double weight = exp(-2 * (beta / 2) * unsatisfied);
        d.energy[unsatisfied] += weight;
        d.order[abs(2 * __builtin_popcount(s) - ALL_SITES)] += weight;
        sum += weight;
    }
    for (int n = 0; n < MOST; n++) {
        d.energy[n] /= sum;
        d.order[n] /= sum;
    }
    return d;
}

/* --- Sweeps --- */

/* Adds chi square of the values that were seen. Those of which fewer than ten are expected count together. */
static void add_chi_square(z_series *z, const double probability[MOST], const uint32_t seen[MOST],
                           const char *of, const char *what) {
    double chi_square = 0, rare = 0, rare_seen = 0, terms = 0;
    for (size_t n = 0; n <= MOST; n++) {
        const double expected = n == MOST ? rare : probability[n] * REPLICAS,
                     found = n == MOST ? rare_seen : seen[n];
        if (expected >= 10) {
            chi_square += (found - expected) * (found - expected) / expected;
            terms++;
        } else if (n < MOST) {
            rare += expected;
            rare_seen += found;
        }
    }
    /* what is expected nowhere must not be seen */
    z_add(z, rare == 0 && rare_seen > 0 ? INFINITY : z_of_chi_square(chi_square, terms - 1),
          "%s, %s", of, what);
}

/* Sweeps random states, and compares them with a distribution. */
static void compare(z_series *z, const one_case *c, const update_kind *update, fault wrong,
                    const distribution *d) {
    static uint32_t energies[MOST], orders[MOST];
    const spin_model *const m = &c->model;
    const flip_rule rule = flip_rule_at(update, m, c->beta);
    const engine_step step = {.key = KEY, .temperature = 1, .rule = rule};
    const rounding from = step_rounding(&step, &rule);
    state_lattice of_sweeps = state_lattice_of(m), l = of_sweeps;
    ssc_lattice bonds;
    of_sweeps.states -= wrong == STATE_TOO_FEW;
    assert_int_equal(ssc_lattice_create(&bonds, m), 0);
    memset(energies, 0, sizeof energies);
    memset(orders, 0, sizeof orders);
    for (uint32_t k = 0; k < REPLICAS; k++) {
        uint8_t spin[ALL_SITES];
        uint32_t label[ALL_SITES];
        int64_t energy, order;
        ssc_states_randomise(&l, spin, KEY, k);
        for (uint32_t sweep = 0; sweep < SWEEPS; sweep++) {
            const ssc_flips flips = {.step = &step,
                                     .replica = k,
                                     .sweep = sweep,
                                     .thresholds = round_thresholds(&from, k, sweep)};
            if (update->clusters == CLUSTERS_NONE) {
                ssc_states_sweep(&of_sweeps, spin, &flips, &rule.states);
                continue;
            }
            if (sweep == 0 || wrong != OLD_LABELS)
                clusters_label(&bonds, (const int8_t *)spin, &flips, 1, label);
            ssc_states_flip(&l, spin, &flips, update->clusters, label);
        }
        ssc_states_measure(&l, spin, &energy, &order);
        assert_true(energy >= m->levels.lowest);
        assert_true((energy - m->levels.lowest) % m->levels.spacing == 0);
        assert_true((energy - m->levels.lowest) / m->levels.spacing < m->levels.count);
        assert_true(order % m->order_unit == 0 && (uint64_t)order <= model_largest_order(m));
        energies[energy - m->levels.lowest]++;
        orders[order]++;
    }
    add_chi_square(z, d->energy, energies, update->name, c->name);
    add_chi_square(z, d->order, orders, update->name, "|M|");
}

static const update_kind *const updates[] = {&metropolis_update, &heat_bath_update,
                                             &swendsen_wang_update, &wolff_update};

static one_case potts_case(void) {
    return (one_case){"Potts, q = 3", model_with(&potts2d_kind, EDGE, 3, 0, 1), 0.8};
}

static void states_have_the_boltzmann_distribution(void **state) {
    (void)state;
    const one_case cases[] = {
        potts_case(),
        {"Potts, q = 4", model_with(&potts2d_kind, EDGE, 4, 0, 1), 0.9},
        {"Blume-Capel, D = 0", model_with(&blume_capel2d_kind, EDGE, 3, 0, 1), 0.5},
        {"Blume-Capel, D = 1.3", model_with(&blume_capel2d_kind, EDGE, 3, 13, 10), 0.8},
        {"Blume-Capel, D = -1/2", model_with(&blume_capel2d_kind, EDGE, 3, -1, 2), 0.4},
        {"Baxter-Wu", model_with(&baxter_wu_kind, EDGE, 2, 0, 1), 0.3}};
    z_series z = z_begin("energy and |M|", 2 * (2 * 4 + 4 * 2));
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const distribution d = enumerate(&cases[n], false, 1);
        for (size_t u = 0; u < (cases[n].model.spins == SPINS_POTTS ? 4 : 2); u++)
            compare(&z, &cases[n], updates[u], NO_FAULT, &d);
    }
    assert_true(z_passed(&z));
}

static void two_states_are_ising_at_half_of_beta(void **state) {
    (void)state;
    const one_case c = {"Potts, q = 2", model_with(&potts2d_kind, ALL_EDGE, 2, 0, 1), 0.8};
    const distribution d = enumerate_ising(c.beta), other = enumerate_ising(2 * c.beta);
    z_series z = z_begin("Ising at half of beta", 8), wrong = z_begin("Ising at beta", 2);
    for (size_t u = 0; u < 4; u++)
        compare(&z, &c, updates[u], NO_FAULT, &d);
    compare(&wrong, &c, &heat_bath_update, NO_FAULT, &other);
    assert_true(z_passed(&z));
    assert_true(z_detected(&wrong));
}

static void planted_faults_are_found(void **state) {
    (void)state;
    const one_case c = potts_case();
    const distribution right = enumerate(&c, false, 1), fewer = enumerate(&c, true, 1),
                       warmer = enumerate(&c, false, 0.95);
    z_series few = z_begin("a state too few in the sum of the heat bath", 2),
             bond = z_begin("a neighbour left out", 2), old = z_begin("old labels", 4),
             cold = z_begin("beta 5% too large", 2);
    compare(&few, &c, &heat_bath_update, STATE_TOO_FEW, &right);
    compare(&bond, &c, &metropolis_update, NO_FAULT, &fewer);
    compare(&old, &c, &swendsen_wang_update, OLD_LABELS, &right);
    compare(&old, &c, &wolff_update, OLD_LABELS, &right);
    compare(&cold, &c, &heat_bath_update, NO_FAULT, &warmer);
    assert_true(z_detected(&few) && z_detected(&bond) && z_detected(&old) && z_detected(&cold));
}

/* --- The ends of the energy --- */

enum { ROWS = 81 }; /* states of a row of four spins S = -1, 0, 1 */

static int spin_in(int row, int x) {
    return row / (int[]){1, 3, 9, 27}[x % 4] % 3 - 1;
}

/* E of a row of Blume-Capel in a lattice, with the bonds to the next row. */
static int64_t energy_of_row(const spin_model *m, int row, int next) {
    int64_t energy = 0;
    for (int x = 0; x < 4; x++) {
        const int s = spin_in(row, x);
        energy += s * s * m->crystal_field -
                  (int64_t)m->levels.unit * s * (spin_in(row, x + 1) + spin_in(next, x));
    }
    return energy;
}

/* The lowest energy of 4 x 4, with sign -1 less the highest: row by row, the last one beside the first. */
static int64_t end_of_energy(const spin_model *m, int64_t sign) {
    static int64_t step[ROWS][ROWS], best[ROWS], next[ROWS];
    int64_t end = INT64_MAX;
    for (int a = 0; a < ROWS; a++)
        for (int b = 0; b < ROWS; b++)
            step[a][b] = sign * energy_of_row(m, a, b);
    for (int first = 0; first < ROWS; first++) {
        memcpy(best, step[first], sizeof best);
        for (int row = 0; row < 3; row++) {
            for (int b = 0; b < ROWS; b++) {
                next[b] = INT64_MAX;
                for (int a = 0; a < ROWS; a++)
                    next[b] = best[a] + step[a][b] < next[b] ? best[a] + step[a][b] : next[b];
            }
            memcpy(best, next, sizeof best);
        }
        end = best[first] < end ? best[first] : end;
    }
    return end;
}

/* The first level of Blume-Capel is the lowest energy of all states, and the last level the highest one. */
static void levels_end_with_states(void **state) {
    (void)state;
    static const int field[][2] = {{0, 1},  {1, 2},  {13, 10}, {2, 1},  {5, 2},
                                   {-1, 2}, {-7, 4}, {-2, 1},  {-9, 4}, {-13, 3}};
    for (size_t n = 0; n < sizeof field / sizeof *field; n++) {
        const spin_model m =
            model_with(&blume_capel2d_kind, 4, 3, field[n][0], (uint32_t)field[n][1]);
        assert_int_equal(m.levels.lowest, end_of_energy(&m, 1));
        assert_int_equal(level_energy(m.levels, m.levels.count - 1), -end_of_energy(&m, -1));
    }
}

/* The sites of a colour have no neighbours among themselves, and each site is one of its neighbours' neighbours. */
static void colours_are_no_neighbours(void **state) {
    (void)state;
    const struct {
        const model_kind *kind;
        uint32_t edge[3];
    } lattices[] = {{&potts2d_kind, {4, 6, 1}},  {&potts2d_kind, {3, 3, 1}},
                    {&potts2d_kind, {5, 4, 1}},  {&potts3d_kind, {4, 4, 6}},
                    {&potts3d_kind, {3, 7, 4}},  {&baxter_wu_kind, {3, 3, 1}},
                    {&baxter_wu_kind, {6, 9, 1}}};
    for (size_t n = 0; n < sizeof lattices / sizeof *lattices; n++) {
        const spin_model m = lattices[n].kind->create(lattices[n].edge);
        const state_lattice l = state_lattice_of(&m);
        const uint32_t lx = l.edge[0], ly = l.edge[1];
        uint8_t colour[200], number[200], around[STATE_NEIGHBOURS];
        assert_true(l.sites <= 200);
        for (uint32_t i = 0; i < l.sites; i++) {
            colour[i] = (uint8_t)state_colour(&l, i % lx, i / lx % ly, i / lx / ly);
            number[i] = (uint8_t)i;
            assert_true(colour[i] < l.colours);
        }
        for (uint32_t i = 0; i < l.sites; i++) {
            const uint32_t z =
                state_neighbours(&l, number, i, i % lx, i / lx % ly, i / lx / ly, around);
            assert_int_equal(z, m.coordination);
            for (uint32_t k = 0; k < z; k++) {
                uint8_t back[STATE_NEIGHBOURS];
                const uint32_t j = around[k];
                state_neighbours(&l, number, j, j % lx, j / lx % ly, j / lx / ly, back);
                assert_int_equal(back[m.spins == SPINS_BAXTER_WU ? (k + 3) % 6 : k ^ 1], i);
                assert_true(colour[j] != colour[i]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_have_the_boltzmann_distribution),
                                       cmocka_unit_test(two_states_are_ising_at_half_of_beta),
                                       cmocka_unit_test(planted_faults_are_found),
                                       cmocka_unit_test(levels_end_with_states),
                                       cmocka_unit_test(colours_are_no_neighbours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
