/* Claims about graphs. A graph has the bonds and fields of its list, at both ends; neighbours have different colours; its levels are
 * those of all states, as few as there can be (all states of small graphs are listed). Engines sample them with their Boltzmann
 * weights, by each update: 20000 independent replicas against exact probabilities of the levels; false alarms have the probability
 * 1e-6 (statistics.h). A GPU has the bits of the CPU. Graphs that nothing can simulate are refused. Faults planted into graphs are
 * detected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cuda/graph/slices.h"
#include "cuda/graph/tables.h"
#include "engine/engine.h"
#include "model/bond_list.h"
#include "model/graph.h"
#include "resample/resampling.h"
#include "validate/identity/difference.h"
#include "validate/lib/gpu_engine.h"
#include "validate/lib/statistics.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MOST_SITES   12 /* of graphs whose states are listed */
#define REPLICAS     20000
#define CAPACITY     (REPLICAS + 5000)
#define SWEEPS       60

static const update_kind *const local_updates[] = {&metropolis_update, &heat_bath_update};

/* --- graphs --- */

typedef struct {
    const char *name;
    uint32_t sites, unit;
    int bond[40][3]; /* i, j, J; ends with i = j = 0 */
    int field[MOST_SITES];
    double beta;
} example;

static const example examples[] = {
    {"triangle", 3, 1, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}, {0, 1, 0}, 0.3},
    {"frustrated triangle", 3, 1, {{0, 1, -1}, {1, 2, -1}, {2, 0, -1}}, {0}, 0.8},
    {"complete graph",
     5,
     1,
     {{0, 1, 2},
      {0, 2, -1},
      {0, 3, 3},
      {0, 4, 1},
      {1, 2, -2},
      {1, 3, 1},
      {1, 4, -3},
      {2, 3, 1},
      {2, 4, 2},
      {3, 4, -1}},
     {0, 0, 0, -2, 0},
     0.2},
    {"sites alone", 5, 1, {{0, 1, -3}, {1, 4, 7}, {3, 4, 0}}, {0, 0, 5, 0, 0}, 0.15},
    {"large steps", 3, 1, {{0, 1, 1000}, {1, 2, -3000}, {2, 0, 5000}}, {500, 0, 0}, 0.0003},
    /* methods of the field: 3 x 3, site x + 3 y, h in tenths */
    {"random field",
     9,
     10,
     {{0, 1, 10},
      {1, 2, 10},
      {2, 0, 10},
      {3, 4, 10},
      {4, 5, 10},
      {5, 3, 10},
      {6, 7, 10},
      {7, 8, 10},
      {8, 6, 10},
      {0, 3, 10},
      {3, 6, 10},
      {6, 0, 10},
      {1, 4, 10},
      {4, 7, 10},
      {7, 1, 10},
      {2, 5, 10},
      {5, 8, 10},
      {8, 2, 10}},
     {3, -7, 11, -2, 5, -13, 9, 1, -6},
     0.5},
};

static bond_list list_of(const example *x) {
    bond_list list = bond_list_of(x->sites);
    list.unit = x->unit;
    for (size_t n = 0; x->bond[n][0] != x->bond[n][1]; n++)
        assert_true(
            bond_list_add(&list, (uint32_t)x->bond[n][0], (uint32_t)x->bond[n][1], x->bond[n][2]));
    for (uint32_t i = 0; i < x->sites; i++)
        assert_true(bond_list_add_field(&list, i, x->field[i]));
    return list;
}

static spin_graph graph_of(const example *x) {
    bond_list list = list_of(x);
    spin_graph g;
    char reason[200] = "";
    if (!graph_create(&g, &list, reason, sizeof reason))
        fail_msg("%s: %s", x->name, reason);
    bond_list_destroy(&list);
    return g;
}

/* A graph of many sites with bonds -3 .. 3 and fields drawn from a simple generator, degrees 0 to about 8. */
static spin_graph random_graph(uint32_t sites, bool fields) {
    bond_list list = bond_list_of(sites);
    spin_graph g;
    char reason[200] = "";
    uint64_t r = 12345;
    for (uint32_t i = 1; i < sites; i++)
        for (uint32_t n = 0, last = UINT32_MAX; n < 3; n++) {
            r = r * UINT64_C(6364136223846793005) + 1442695040888963407;
            const uint32_t j = (uint32_t)(r >> 33) % i;
            if (j != last && n * (sites / 3) / sites == 0 && (n == 0 || j > last))
                assert_true(bond_list_add(&list, i, j, (int64_t)(r >> 20 & 7) - 3));
            last = last == UINT32_MAX || j > last ? j : last;
        }
    for (uint32_t i = 0; i < sites && fields; i += 2)
        assert_true(bond_list_add_field(&list, i, (int64_t)(i % 5) - 2));
    if (!graph_create(&g, &list, reason, sizeof reason))
        fail_msg("%s", reason);
    bond_list_destroy(&list);
    return g;
}

/* Sites on a ring, an even number of them, with bonds J = +2 and -2 to the `degree` nearest ones and those opposite; `thinned`:
 * some of these are missing. */
static spin_graph graph_of_equal_bonds(uint32_t sites, uint32_t degree, bool thinned) {
    bond_list list = bond_list_of(sites);
    spin_graph g;
    char reason[200] = "";
    for (uint32_t i = 0; i < sites; i++)
        for (uint32_t n = 1; n <= (degree + 1) / 2; n++) {
            const bool opposite = 2 * n > degree;
            const uint32_t j = (i + (opposite ? sites / 2 : n)) % sites,
                           r = (i * UINT32_C(2654435761) + n) * UINT32_C(2246822519) >> 20;
            if (!(opposite && j < i) && !(thinned && r % 5 == 0))
                assert_true(bond_list_add(&list, i, j, r % 2 ? 2 : -2));
        }
    if (!graph_create(&g, &list, reason, sizeof reason))
        fail_msg("%s", reason);
    bond_list_destroy(&list);
    return g;
}

/* --- all states --- */

/* The energy of a state from the numbers of the example, bit i of it for site i. */
static int64_t energy_of(const example *x, uint32_t state) {
    int64_t energy = 0;
    for (size_t n = 0; x->bond[n][0] != x->bond[n][1]; n++) {
        const uint32_t differ = (state >> x->bond[n][0] ^ state >> x->bond[n][1]) & 1;
        energy -= differ ? -x->bond[n][2] : x->bond[n][2];
    }
    for (uint32_t i = 0; i < x->sites; i++)
        energy -= state >> i & 1 ? x->field[i] : -x->field[i];
    return energy;
}

/* The spins of a state by place. */
static void spins_of(const spin_graph *g, uint32_t state, int8_t spin[MOST_SITES]) {
    for (uint32_t place = 0; place < g->sites; place++)
        spin[place] = state >> g->number[place] & 1 ? 1 : -1;
}

static int64_t divisor(int64_t a, int64_t b) {
    return b == 0 ? llabs(a) : divisor(b, a % b);
}

/* What a flip at a place costs, by the table of the graph. */
static int64_t cost_of(const spin_graph *g, const int8_t *spin, uint32_t i) {
    int64_t sum = g->base[i];
    for (size_t n = g->first[i]; n < g->first[i + 1]; n++)
        sum += spin[g->neighbour[n]] > 0 ? g->weight[n] : 0;
    return (spin[i] > 0 ? sum : -sum) * g->levels.spacing;
}

/* The first thing that is not true of a graph. */
static const char *misfit(const example *x, const spin_graph *g) {
    const energy_levels levels = g->levels;
    int64_t common = 0;
    uint32_t seen = 0;
    if (g->sites != x->sites || levels.unit != x->unit ||
        g->first_of_colour[g->colours] != g->sites)
        return "number of sites, unit or colours";
    for (uint32_t c = 0; c < g->colours; c++)
        for (uint32_t i = g->first_of_colour[c]; i < g->first_of_colour[c + 1]; i++) {
            seen |= 1u << g->number[i];
            for (size_t n = g->first[i]; n < g->first[i + 1]; n++)
                if (g->neighbour[n] >= g->first_of_colour[c] &&
                    g->neighbour[n] < g->first_of_colour[c + 1])
                    return "neighbours of one colour";
        }
    if (seen != (1u << x->sites) - 1)
        return "a site that has no place";
    for (uint32_t state = 0; state < 1u << x->sites; state++) {
        int8_t spin[MOST_SITES];
        const int64_t energy = energy_of(x, state);
        spins_of(g, state, spin);
        if (graph_energy(g, spin) != energy)
            return "an energy";
        if ((energy - levels.lowest) % levels.spacing != 0 || energy < levels.lowest ||
            energy > level_energy(levels, levels.count - 1))
            return "an energy that is no level";
        for (uint32_t i = 0; i < g->sites; i++) {
            const int64_t cost = energy_of(x, state ^ 1u << g->number[i]) - energy;
            if (cost_of(g, spin, i) != cost ||
                llabs(cost) > (int64_t)g->most_change * levels.spacing)
                return "the cost of a flip";
            common = divisor(common, cost);
        }
    }
    return common == levels.spacing ? NULL : "the spacing of the levels";
}

static void graphs_are_those_of_their_lists(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(examples); n++) {
        spin_graph g = graph_of(&examples[n]);
        const char *const wrong = misfit(&examples[n], &g);
        if (wrong != NULL)
            fail_msg("%s: %s", examples[n].name, wrong);
        graph_destroy(&g);
    }
}

/* --- faults --- */

/* In what flips cost. With all fields reversed the energies would have the same distribution. */
static void plant_field(spin_graph *g) {
    for (uint32_t i = 0; i < g->sites; i++)
        g->base[i] -= (int32_t)(4 * g->field[i] / g->levels.spacing);
}

static void plant_one_end(spin_graph *g) {
    g->coupling[0] = 0;
    g->base[0] += g->weight[0] / 2;
    g->weight[0] = 0;
}

static void plant_spacing(spin_graph *g) {
    g->levels.spacing *= 2;
    for (uint32_t i = 0; i < g->sites; i++)
        g->base[i] /= 2;
    for (size_t n = 0; n < 2 * g->bonds; n++)
        g->weight[n] /= 2;
}

static void plant_half(spin_graph *g) {
    for (uint32_t i = 0; i < g->sites; i++)
        g->base[i] /= 2;
    for (size_t n = 0; n < 2 * g->bonds; n++)
        g->weight[n] /= 2;
}

static void plant_colour(spin_graph *g) {
    g->first_of_colour[1]++;
}

static void plant_twice(spin_graph *g) {
    g->number[0] = g->number[1];
}

/* `sampled`: populations show it, too. */
static const struct {
    const char *name;
    void (*plant)(spin_graph *g);
    bool sampled;
} faults[] = {{"a field of the wrong sign", plant_field, true},
              {"a bond at one end", plant_one_end, true},
              {"a wrong divisor", plant_spacing, false},
              {"half of what a flip costs", plant_half, true},
              {"a site in the colour of its neighbour", plant_colour, false},
              {"a site that is there twice", plant_twice, false}};

static void faulty_graphs_are_detected(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(faults); n++) {
        spin_graph g = graph_of(&examples[2]); /* with bonds of every kind and a field */
        faults[n].plant(&g);
        if (misfit(&examples[2], &g) == NULL)
            fail_msg("%s is not detected", faults[n].name);
        graph_destroy(&g);
    }
}

/* --- sampling --- */

static engine_config config_of(const spin_graph *g, stage_mode stages) {
    return (engine_config){.coding = CODING_SSC,
                           .model = graph_model(g, NULL),
                           .capacity = CAPACITY,
                           .word = 32,
                           .stages = stages};
}

/* The population of an update in equilibrium, against the exact probabilities of the levels. */
static void sample_levels(const example *x, const spin_graph *g, const update_kind *update,
                          z_series *z) {
    const engine_config config = config_of(g, STAGES_FUSED);
    engine *const e = engine_cpu_create(&config);
    histogram h;
    assert_true(e != NULL && histogram_create(&h, &config.model) == 0);
    const engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                              .key = stream_run_key(2017, 0),
                              .temperature = 1,
                              .sweeps = SWEEPS,
                              .founders = REPLICAS,
                              .rule = flip_rule_at(update, &config.model, x->beta)};
    assert_int_equal(e->verbs->randomise(e, step.key, REPLICAS, &h), ENGINE_OK);
    assert_int_equal(e->verbs->step(e, &step, &h), ENGINE_OK);
    const spin_graph right = graph_of(x);
    double *const weight = calloc(right.levels.count, sizeof *weight), sum = 0, chi_square = 0,
                  classes = 0;
    for (uint32_t state = 0; state < 1u << x->sites; state++) {
        const int64_t energy = energy_of(x, state);
        const double w = exp(-x->beta * (double)energy / x->unit);
        weight[(energy - right.levels.lowest) / right.levels.spacing] += w;
        sum += w;
    }
    double rest = 0, in_rest = 0; /* of levels with few replicas */
    for (size_t n = 0; n < right.levels.count; n++) {
        const double expected = REPLICAS * weight[n] / sum,
                     seen = n < h.levels.count ? (double)h.level[n].replicas : 0;
        if (expected >= 10) {
            chi_square += (seen - expected) * (seen - expected) / expected;
            classes++;
        } else {
            rest += expected;
            in_rest += seen;
        }
    }
    if (rest > 0) {
        chi_square += (in_rest - rest) * (in_rest - rest) / rest;
        classes++;
    }
    z_add(z, z_of_chi_square(chi_square, classes - 1), "levels of %s, %s", x->name, update->name);
    free(weight);
    spin_graph copy = right;
    graph_destroy(&copy);
    histogram_destroy(&h);
    e->verbs->destroy(e);
}

static void populations_have_boltzmann_weights(void **state) {
    (void)state;
    z_series z = z_begin("levels", COUNT(examples) * COUNT(local_updates));
    for (size_t n = 0; n < COUNT(examples); n++)
        for (size_t u = 0; u < COUNT(local_updates); u++) {
            spin_graph g = graph_of(&examples[n]);
            sample_levels(&examples[n], &g, local_updates[u], &z);
            graph_destroy(&g);
        }
    assert_true(z_passed(&z));
    for (size_t f = 0; f < COUNT(faults); f++) {
        if (!faults[f].sampled)
            continue;
        z_series wrong = z_begin(faults[f].name, COUNT(local_updates));
        for (size_t u = 0; u < COUNT(local_updates); u++) {
            spin_graph g = graph_of(&examples[2]);
            const energy_levels levels = g.levels;
            faults[f].plant(&g);
            g.levels = levels;
            sample_levels(&examples[2], &g, local_updates[u], &wrong);
            graph_destroy(&g);
        }
        assert_true(z_detected(&wrong));
    }
    flip_tables_forget();
}

/* e, C, |m| and ln Z / N of the random field, as they were computed elsewhere. */
static void the_random_field_has_its_known_values(void **state) {
    (void)state;
    static const double known[2][5] = {
        {0.5, -1.7329420228, 0.5291636906, 0.9021697536, 1.1111650335},
        {1, -1.9950117113, 0.0426917710, 0.9979793491, 2.0785025807}};
    const example *const x = &examples[COUNT(examples) - 1];
    spin_graph g = graph_of(x);
    for (size_t n = 0; n < 2; n++) {
        const double beta = known[n][0], unit = level_unit(g.levels);
        double z = 0, e = 0, e2 = 0, m = 0;
        for (uint32_t s = 0; s < 1u << x->sites; s++) {
            int8_t spin[MOST_SITES];
            int sum = 0;
            spins_of(&g, s, spin);
            for (uint32_t i = 0; i < x->sites; i++)
                sum += spin[i];
            const double energy = (double)graph_energy(&g, spin) / unit, w = exp(-beta * energy);
            z += w;
            e += w * energy;
            e2 += w * energy * energy;
            m += w * abs(sum);
        }
        e /= z;
        assert_true(fabs(e / 9 - known[n][1]) < 1e-9);
        assert_true(fabs(beta * beta * (e2 / z - e * e) / 9 - known[n][2]) < 1e-9);
        assert_true(fabs(m / z / 9 - known[n][3]) < 1e-9);
        assert_true(fabs(log(z) / 9 - known[n][4]) < 1e-9);
    }
    graph_destroy(&g);
}

/* --- what kernels read --- */

/* Whether the tables give what flips cost, and the energy that a kernel makes of that (cuda/graph/step.cuh), in some random states. */
static bool tables_fit(const spin_graph *g) {
    const graph_sizes sizes = graph_sizes_of(g);
    graph_quad *const quad = calloc(sizes.quads, sizeof *quad);
    int32_t *const base = calloc(4 * (size_t)sizes.quads, sizeof *base);
    graph_row *const row = calloc(sizes.rows + 1, sizeof *row);
    int8_t *const spin = malloc(g->sites);
    bool good = true;
    assert_true(quad && base && row && spin);
    graph_fill_tables(g, quad, base, row);
    for (uint32_t repeat = 0; repeat < 20; repeat++) {
        int64_t costs = 0, fields = 0;
        uint32_t sites = 0;
        for (uint32_t i = 0; i < g->sites; i++) {
            spin[i] = (repeat * UINT32_C(2654435761) + i) * UINT32_C(2246822519) >> 28 & 1 ? 1 : -1;
            fields += spin[i] * g->field[i];
        }
        for (uint32_t n = 0; n < sizes.quads; n++)
            for (uint32_t k = 0; k < quad[n].sites; k++, sites++) {
                int64_t sum = base[4 * n + k];
                for (uint32_t m = quad[n].begin; m < quad[n].end; m++)
                    sum += spin[row[m].of[k].offset / 4] > 0 ? row[m].of[k].weight : 0;
                const int64_t cost = spin[sites] > 0 ? sum : -sum;
                good = good && quad[n].first + k == sites &&
                       cost * g->levels.spacing == cost_of(g, spin, sites);
                costs += cost;
            }
        const energy_levels levels = g->levels;
        const int64_t above = -(levels.spacing * costs) - 2 * fields - 4 * levels.lowest;
        good =
            good && sites == g->sites && above % (4 * levels.spacing) == 0 &&
            level_energy(levels, (size_t)(above / (4 * levels.spacing))) == graph_energy(g, spin);
    }
    free(quad);
    free(base);
    free(row);
    free(spin);
    return good;
}

static void kernels_have_the_tables_of_the_graph(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(examples); n++) {
        spin_graph g = graph_of(&examples[n]);
        assert_true(tables_fit(&g));
        graph_destroy(&g);
    }
    for (uint32_t sites = 1; sites < 400; sites += 57) {
        spin_graph g = random_graph(sites, sites % 2);
        assert_true(tables_fit(&g));
        graph_destroy(&g);
    }
    spin_graph g = graph_of(&examples[2]);
    g.field[g.sites - 1]++; /* not in `base` */
    assert_false(tables_fit(&g));
    graph_destroy(&g);
}

/* Whether the class that the tables give a flip, and the change whose threshold the random number is compared with, are those of its
 * cost: c, in units of the spacing. v: the class; all: by slice_changes(). */
static bool class_fits(const graph_slices *s, int64_t v, int64_t c, const int32_t always[],
                       const int32_t complement[]) {
    const int64_t turned = s->odd ? (v > 0 ? v - 1 : -v) : (v < 0 ? -v : v);
    return (v > 0) == (c > 0) && (c <= 0 || always[v] == c) &&
           complement[turned + 1] == (c < 0 ? -c : c) && v < 1 << slice_bits(s, false) &&
           turned + 1 < 1 << slice_bits(s, true);
}

/* The same of the tables of 32 places at a time. */
static bool slices_fit(const spin_graph *g) {
    const graph_slices s = graph_slices_of(g);
    slice_group *const group = calloc(s.groups, sizeof *group);
    int32_t *const start = calloc(s.groups, SLICE_PLACES * sizeof *start);
    uint32_t *const link = calloc(s.rows, SLICE_PLACES * sizeof *link);
    int8_t *const spin = malloc(g->sites);
    int32_t always[SLICE_RANKS], complement[SLICE_RANKS];
    bool good = true;
    assert_true(s.groups > 0 && group && start && link && spin);
    graph_fill_slices(g, &s, group, start, link);
    slice_changes(&s, false, always);
    slice_changes(&s, true, complement);
    for (uint32_t repeat = 0; repeat < 20; repeat++) {
        uint32_t sites = 0, quads = 0;
        for (uint32_t i = 0; i < g->sites; i++)
            spin[i] = (repeat * UINT32_C(2654435761) + i) * UINT32_C(2246822519) >> 28 & 1 ? 1 : -1;
        for (uint32_t n = 0; n < s.groups; quads += (group[n++].sites + 3) / 4) {
            good = good && group[n].quad == quads;
            for (uint32_t k = 0; k < group[n].sites; k++, sites++) {
                int64_t v = start[n * SLICE_PLACES + k];
                for (uint32_t row = 0; row < group[n].rows; row++) {
                    const uint32_t to = link[(group[n].begin + row) * SLICE_PLACES + k];
                    v += (int64_t)(spin[sites] == spin[to / 4] * (to % 4 ? -1 : 1)) << s.shift;
                }
                good = good && group[n].first + k == sites &&
                       class_fits(&s, v, cost_of(g, spin, sites) / g->levels.spacing, always,
                                  complement);
            }
        }
        good = good && sites == g->sites && quads == graph_sizes_of(g).quads;
    }
    free(group);
    free(start);
    free(link);
    free(spin);
    return good;
}

static void graphs_of_equal_bonds_are_updated_in_slices(void **state) {
    (void)state;
    const uint32_t degrees[] = {2, 3, 4, 5, 6, 7}; /* the last one: of any number of neighbours */
    for (size_t n = 0; n < COUNT(degrees); n++)
        for (uint32_t sites = 24; sites < 400; sites += 250) {
            spin_graph g = graph_of_equal_bonds(sites, degrees[n], n + 1 == COUNT(degrees));
            const graph_slices s = graph_slices_of(&g);
            assert_int_equal(s.shift, n + 1 == COUNT(degrees));
            assert_int_equal(s.odd, !s.shift && degrees[n] % 2);
            assert_true(slices_fit(&g));
            g.weight[0] = -g.weight[0]; /* of one end alone */
            assert_false(slices_fit(&g));
            g.weight[0] = -3 * g.weight[0];
            assert_int_equal(graph_slices_of(&g).groups, 0);
            graph_destroy(&g);
        }
    spin_graph g = graph_of(&examples[2]); /* with fields */
    assert_int_equal(graph_slices_of(&g).groups, 0);
    graph_destroy(&g);
}

/* --- refusals --- */

static void refused(bond_list list, const char *says) {
    spin_graph g;
    char reason[200] = "";
    assert_false(graph_create(&g, &list, reason, sizeof reason));
    if (strstr(reason, says) == NULL)
        fail_msg("not '%s', but '%s'", says, reason);
    bond_list_destroy(&list);
}

static void what_cannot_be_simulated_is_refused(void **state) {
    (void)state;
    bond_list list = bond_list_of(3);
    assert_true(bond_list_add(&list, 0, 1, 1) && bond_list_add(&list, 1, 0, 1));
    refused(list, "sites 0 and 1 is there twice");
    refused(bond_list_of(0), "0 sites");
    list = bond_list_of(3);
    assert_true(bond_list_add(&list, 0, 1, INT64_C(1) << 31));
    refused(list, "below 2^31");
    list = bond_list_of(3);
    assert_true(bond_list_add(&list, 0, 1, 1000001) && bond_list_add(&list, 1, 2, 1000000));
    refused(list, "energies without levels are not there yet");
}

/* --- the bits of a GPU --- */

/* The numbers of a graph engine at some temperatures. */
typedef struct {
    engine *e;
    histogram h;
    uint64_t *tau_hat;
} subject;

static subject subject_of(engine *e) {
    subject s = {.e = e, .tau_hat = calloc(e->model.levels.count, sizeof(uint64_t))};
    assert_true(s.tau_hat != NULL && histogram_create(&s.h, &e->model) == 0);
    return s;
}

static void end_subject(subject *s) {
    histogram_destroy(&s->h);
    free(s->tau_hat);
    s->e->verbs->destroy(s->e);
}

static void step_to(subject *s, const update_kind *update, uint32_t temperature,
                    uint64_t replicas) {
    const engine_step step = {.parts = WHOLE_STEP,
                              .key = stream_run_key(7, 0),
                              .temperature = temperature,
                              .sweeps = temperature == 3 ? 18 : 2, /* over a turn of the rounding */
                              .founders = replicas,
                              .tau_hat = s->tau_hat,
                              .rule = flip_rule_at(update, &s->e->model, 0.1 * temperature)};
    resampling_tau_hat(&s->h, 0.1, replicas, s->tau_hat);
    assert_int_equal(s->e->verbs->step(s->e, &step, &s->h), ENGINE_OK);
}

static void assert_same(const subject *a, const subject *b, const char *where) {
    char text[DIFFERENCE_TEXT_SIZE];
    const identity_difference of_reports = identity_compare_reports(&a->h, &b->h, true);
    if (of_reports.quantity != QUANTITY_NONE)
        fail_msg("%s: %s", where, identity_difference_text(text, &of_reports));
    const size_t bytes = model_packed_bytes(&a->e->model);
    const uint64_t count = a->h.population;
    uint8_t *const spins[2] = {malloc(count * bytes), malloc(count * bytes)};
    uint32_t *const families[2] = {malloc(count * sizeof(uint32_t)),
                                   malloc(count * sizeof(uint32_t))};
    assert_int_equal(a->e->verbs->read(a->e, 0, count, spins[0], families[0]), ENGINE_OK);
    assert_int_equal(b->e->verbs->read(b->e, 0, count, spins[1], families[1]), ENGINE_OK);
    const identity_difference d =
        identity_compare_replicas((identity_replicas){spins[0], families[0]},
                                  (identity_replicas){spins[1], families[1]}, 0, count, bytes);
    if (d.quantity != QUANTITY_NONE)
        fail_msg("%s: %s", where, identity_difference_text(text, &d));
    for (size_t n = 0; n < 2; n++) {
        free(spins[n]);
        free(families[n]);
    }
}

/* Replicas 5 .. 100 are read from one engine and written to both, then two groups go to temperatures of their own. */
static void same_after_copies_and_in_groups(subject *a, subject *b, const update_kind *update) {
    const size_t bytes = model_packed_bytes(&a->e->model);
    const uint64_t all = a->h.population;
    uint8_t *const spins = malloc(96 * bytes);
    uint32_t families[96];
    histogram of_group[2][2];
    const engine_group group[2] = {{0, flip_rule_at(update, &a->e->model, 0.2)},
                                   {77, flip_rule_at(update, &a->e->model, 0.7)}};
    const engine_step step = {.parts = PART_SWEEP | PART_MEASURE,
                              .key = stream_run_key(8, 1),
                              .temperature = 9,
                              .sweeps = 3,
                              .group = group,
                              .groups = 2};
    assert_int_equal(a->e->verbs->read(a->e, 5, 96, spins, families), ENGINE_OK);
    for (size_t n = 0; n < 2; n++) {
        engine *const e = (n == 0 ? a : b)->e;
        assert_int_equal(e->verbs->write(e, 41, 96, all, spins, families), ENGINE_OK);
        for (size_t g = 0; g < 2; g++)
            assert_int_equal(histogram_create(&of_group[n][g], &e->model), 0);
        assert_int_equal(e->verbs->step(e, &step, of_group[n]), ENGINE_OK);
    }
    for (size_t g = 0; g < 2; g++) {
        const identity_difference d =
            identity_compare_reports(&of_group[0][g], &of_group[1][g], false);
        assert_int_equal(d.quantity, QUANTITY_NONE);
        histogram_destroy(&of_group[0][g]);
        histogram_destroy(&of_group[1][g]);
    }
    free(spins);
}

static void same_bits(const spin_graph *g, const char *name, uint64_t replicas, stage_mode stages) {
    const engine_config of_cpu = config_of(g, STAGES_FUSED), of_gpu = config_of(g, stages);
    for (size_t u = 0; u < COUNT(local_updates); u++) {
        subject b = subject_of(gpu_engine(&of_gpu)), a = subject_of(engine_cpu_create(&of_cpu));
        assert_int_equal(a.e->verbs->randomise(a.e, stream_run_key(7, 0), replicas, &a.h),
                         ENGINE_OK);
        assert_int_equal(b.e->verbs->randomise(b.e, stream_run_key(7, 0), replicas, &b.h),
                         ENGINE_OK);
        assert_same(&a, &b, name);
        for (uint32_t t = 1; t <= 5; t++) {
            step_to(&a, local_updates[u], t, replicas);
            step_to(&b, local_updates[u], t, replicas);
            assert_same(&a, &b, name);
        }
        if (a.h.population > 200)
            same_after_copies_and_in_groups(&a, &b, local_updates[u]);
        end_subject(&a);
        end_subject(&b);
    }
}

static void a_gpu_has_the_bits_of_the_cpu(void **state) {
    (void)state;
    need_gpu();
    for (size_t n = 0; n < COUNT(examples); n++) {
        spin_graph g = graph_of(&examples[n]);
        same_bits(&g, examples[n].name, 1000, STAGES_FUSED);
        graph_destroy(&g);
    }
    /* In shared memory, and in device memory; without fields and with, and with an odd number of sites. */
    static const struct {
        uint32_t sites;
        bool fields;
        uint64_t replicas;
        stage_mode stages;
    } large[] = {{257, true, 1000, STAGES_FUSED},
                 {300, false, 33, STAGES_APART},
                 {1000, true, 321, STAGES_APART},
                 {9001, true, 70, STAGES_FUSED}};
    for (size_t n = 0; n < COUNT(large); n++) {
        spin_graph g = random_graph(large[n].sites, large[n].fields);
        same_bits(&g, "random graph", large[n].replicas, large[n].stages);
        graph_destroy(&g);
    }
    /* More changes than there are thresholds in shared memory. */
    const example far = {"far", 3, 1, {{0, 1, 1001}, {1, 2, -3000}, {2, 0, 5000}}, {500, 3, 0}, 0};
    spin_graph g = graph_of(&far);
    same_bits(&g, far.name, 500, STAGES_FUSED);
    graph_destroy(&g);
    flip_tables_forget();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_those_of_their_lists),
        cmocka_unit_test(faulty_graphs_are_detected),
        cmocka_unit_test(populations_have_boltzmann_weights),
        cmocka_unit_test(the_random_field_has_its_known_values),
        cmocka_unit_test(kernels_have_the_tables_of_the_graph),
        cmocka_unit_test(graphs_of_equal_bonds_are_updated_in_slices),
        cmocka_unit_test(what_cannot_be_simulated_is_refused),
        cmocka_unit_test(a_gpu_has_the_bits_of_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
