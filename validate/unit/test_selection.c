/* Claims about how engines choose parents, by every rule:
 *  - on a GPU children, families and all sums are those of the CPU, whatever the population: a parent, a few, a
 *    tile of them less one, a tile, one more, some tiles, and more than one look back sees; with more levels than a
 *    launch has room for; where families reach over tiles, and where a few parents have all children; after the
 *    children were told their parents, too, when families are not counted any more;
 *  - so are the children of a share, wherever it stands on the line, also many times as many as it has room for;
 *  - where energies have no levels a GPU adds up weights, overlap and line of the parents as the host does, and makes the children
 *    that the CPU makes by tau-hat of the levels: of one replica, of energies that are nearly alike and 2^40 apart, for steps that no
 *    weight notices and those that only one outlives, up and down, and without sweeps;
 *  - engines work side by side: steps begun one after the other by one thread, and then ended, give the bits that
 *    each gives alone. What needs a GPU is skipped without one. */
#include "engine/async.h"
#include "engine/capacity.h"
#include "engine/disorder.h"
#include "engine/partition.h"
#include "validate/identity/difference.h"
#include "validate/lib/annealer.h"
#include "validate/lib/gpu_engine.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* An engine, what it reports, and what it is told. */
typedef struct {
    engine *worker;
    histogram report;
    uint64_t population; /* R */
    uint64_t *tau_hat;
    uint32_t *parents;
    uint32_t *families;
} annealed;

/* Lattices of 16 x 16, or in some tests others; and the rule. */
static uint32_t size = 16;
static resampling_rule rule = RESAMPLE_NEAREST;

static engine_config config_of(spin_coding coding, uint64_t population) {
    return (engine_config){.coding = coding,
                           .model = square_model(size),
                           .capacity = population_capacity(population, 32),
                           .word = 32,
                           .resampling = rule,
                           .rng = RNG_INDEPENDENT};
}

static annealed annealed_by(engine *worker, uint64_t population) {
    annealed a = {.worker = worker, .population = population};
    assert_non_null(worker);
    assert_int_equal(histogram_create(&a.report, &worker->model), 0);
    a.tau_hat = calloc(worker->model.levels.count, sizeof *a.tau_hat);
    a.parents = calloc(2 * population + 1000, sizeof *a.parents);
    a.families = calloc(2 * population + 1000, sizeof *a.families);
    assert_true(a.tau_hat && a.parents && a.families);
    return a;
}

static annealed on_cpu(spin_coding coding, uint64_t population) {
    const engine_config config = config_of(coding, population);
    return annealed_by(engine_cpu_create(&config), population);
}

/* Without a GPU the test is skipped. */
static annealed on_gpu(spin_coding coding, uint64_t population) {
    const engine_config config = config_of(coding, population);
    return annealed_by(gpu_engine(&config), population);
}

static void end(annealed *a) {
    a->worker->verbs->destroy(a->worker);
    histogram_destroy(&a->report);
    free(a->tau_hat);
    free(a->parents);
    free(a->families);
}

static void begin(annealed *a, uint32_t run) {
    assert_int_equal(
        a->worker->verbs->randomise(a->worker, stream_run_key(7, run), a->population, &a->report),
        ENGINE_OK);
}

/* The next step: resampled for a rise by dbeta; at dbeta = 0 every other replica gets two children, in reverse
 * order. */
static engine_step next_step(annealed *a, uint32_t run, size_t index, double dbeta) {
    const annealing_plan plan = {
        .seed = 7, .population = a->population, .sweeps = 1, .dbeta = 0.05, .threshold_factor = 1};
    engine_step step = annealing_step(a->worker, &plan, run, index, a->tau_hat);
    if (dbeta > 0) {
        resampling_tau_hat(&a->report, dbeta, a->population, a->tau_hat);
        step.line = resampling_line(&a->report, rule, a->tau_hat, a->population);
    } else {
        step.tau_hat = NULL;
        step.parents = a->parents;
        step.children = a->report.population;
        for (uint64_t k = 0; k < step.children; k++)
            a->parents[k] = (uint32_t)((step.children - 1 - k) / 2 * 2);
    }
    return step;
}

static engine_status advance(annealed *a, uint32_t run, size_t index, double dbeta) {
    const engine_step step = next_step(a, run, index, dbeta);
    return a->worker->verbs->step(a->worker, &step, &a->report);
}

/* --- comparison --- */

static bool same_reports(const histogram *a, const histogram *b) {
    return identity_compare_reports(a, b, true).quantity == QUANTITY_NONE;
}

/* Copies the families out of an engine. */
static void read_families(annealed *a) {
    uint8_t *const spins = malloc(a->report.population * model_packed_bytes(&a->worker->model));
    assert_non_null(spins);
    assert_int_equal(a->worker->verbs->read(a->worker, 0, a->report.population, spins, a->families),
                     ENGINE_OK);
    free(spins);
}

static int same_families(annealed *a, annealed *b) {
    read_families(a);
    read_families(b);
    return !memcmp(a->families, b->families, a->report.population * sizeof *a->families);
}

/* --- the claims --- */

/* Rises after which families are small, large, and few; and at the end children that are told their parents. */
static const double rises[] = {0.05, 0.05, 0.2, 1, 0.05, 3, 0.02, 0, 0.05};

static void compare_parents(spin_coding coding) {
    static const struct {
        uint64_t population;
        uint32_t size;
    } cases[] = {{1, 16},    {6, 16},    {1023, 16},  {1024, 16},
                 {1025, 16}, {5000, 16}, {70000, 16}, {600, 256}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        const uint64_t population = cases[n].population;
        size = cases[n].size;
        annealed gpu = on_gpu(coding, population), cpu = on_cpu(coding, population);
        size = 16;
        begin(&cpu, 0);
        begin(&gpu, 0);
        for (size_t i = 0; i < COUNT(rises); i++) {
            const engine_status ended = advance(&cpu, 0, i + 1, rises[i]);
            assert_int_equal(advance(&gpu, 0, i + 1, rises[i]), ended);
            if (ended == ENGINE_EXTINCT) /* by the rule poisson */
                break;
            assert_int_equal(ended, ENGINE_OK);
            if (!same_reports(&cpu.report, &gpu.report))
                print_message("%s, R = %zu, step %zu\n", resampling_name(rule), (size_t)population,
                              i + 1);
            assert_true(same_reports(&cpu.report, &gpu.report));
            assert_true(same_families(&cpu, &gpu));
        }
        gpu.report.families++; /* negative control */
        assert_false(same_reports(&cpu.report, &gpu.report));
        end(&gpu);
        end(&cpu);
    }
}

static void a_gpu_chooses_the_parents_of_the_cpu(void **state) {
    (void)state;
    compare_parents(CODING_SSC);
    for (rule = RESAMPLE_NEAREST; rule <= RESAMPLE_POISSON; rule++)
        compare_parents(CODING_MSC);
    rule = RESAMPLE_NEAREST;
}

/* The replicas of a share, one of four. */
static void begin_share(annealed *a) {
    a->worker->verbs->partition->hold(a->worker, a->population, 4 * a->population);
    begin(a, 0);
}

/* Has them bred so many children each, on average; on the line those before weigh half as much as they do, those behind twice as
 * much. Returns the number of children. */
static uint64_t count_offspring(annealed *a, uint64_t each) {
    const annealing_plan plan = {
        .seed = 7, .population = 4 * a->population, .sweeps = 1, .threshold_factor = 1};
    const uint64_t target = each * a->population;
    engine_step step = annealing_step(a->worker, &plan, 0, 1, a->tau_hat);
    resampling_tau_hat(&a->report, 0.05, target, a->tau_hat);
    const parent_line own = resampling_line(&a->report, rule, a->tau_hat, target);
    step.line = (parent_line){own.length / 2 + 3 * own.length, 7 * own.points / 2, own.length / 2};
    uint64_t children = 0;
    assert_int_equal(a->worker->verbs->partition->count_offspring(a->worker, &step, &children),
                     ENGINE_OK);
    return children;
}

/* Copies the parents of some out, and their families. */
static void read_parents(annealed *a, uint64_t first, uint64_t count) {
    const parent_list to = {a->parents, a->families};
    assert_int_equal(a->worker->verbs->partition->parents(a->worker, first, count, to), ENGINE_OK);
}

static void check_share(uint64_t population, uint64_t each) {
    annealed gpu = on_gpu(CODING_MSC, population), cpu = on_cpu(CODING_MSC, population);
    begin_share(&cpu);
    begin_share(&gpu);
    const uint64_t children = count_offspring(&cpu, each);
    assert_true(2 * children > population * each); /* there is something to compare */
    assert_int_equal(count_offspring(&gpu, each), children);
    for (uint64_t first = 0, count; first < children; first += count) {
        count = children - first < population ? children - first : population;
        read_parents(&cpu, first, count);
        read_parents(&gpu, first, count);
        assert_memory_equal(cpu.parents, gpu.parents, count * sizeof *cpu.parents);
        assert_memory_equal(cpu.families, gpu.families, count * sizeof *cpu.families);
    }
    end(&gpu);
    end(&cpu);
}

static void a_share_on_a_gpu_has_the_children_of_the_cpu(void **state) {
    (void)state;
    for (rule = RESAMPLE_NEAREST; rule <= RESAMPLE_POISSON; rule++)
        for (uint64_t population = 64; population <= 6400; population *= 10)
            for (uint64_t each = 1; each <= 16; each *= 4)
                check_share(population, each);
    rule = RESAMPLE_NEAREST;
}

/* --- energies without levels --- */

#define LEVELS_LATER 5000 /* room of an engine whose levels come later than weights */

/* A population, bonds of +J and -J or Gaussian ones (J = 0), and the width of a step. */
typedef struct {
    uint64_t population;
    int32_t j; /* in units of 2^-20 */
    double width;
} extreme;

static const extreme extremes[] = {
    {1, 0, 0.1},          {1, 1 << 27, 1000}, {2, 0, -1000},         {3000, 0, 0.1},
    {3000, 0, -0.2},      {3000, 0, 1e-16},   {4000, 1 << 27, 1e-9}, {4000, 1 << 27, 1000},
    {4000, 1 << 27, -50}, {4000, 1, 1000},    {4000, 1, -1e-4},      {4000, 0, 3},
};

/* Copies the levels, since histograms compare their sums alone. */
static bool same_energies(const histogram *a, const histogram *b) {
    return a->first == b->first && a->end == b->end &&
           !memcmp(a->energy + a->first, b->energy + b->first,
                   (a->end - a->first) * sizeof *a->energy);
}

/* Whether the host weighs the report as the GPU has, whose numbers are then taken from it. */
static bool weighed_alike(annealed *a, const extreme *x, expected_copies *copies,
                          parent_line *line) {
    histogram *const h = &a->report;
    if (!resampling_copies(h, x->width, x->population, copies))
        return false;
    const double ln_q = resampling_ln_q(h, x->width), overlap = resampling_overlap(h, x->width);
    *line = resampling_line(h, rule, NULL, x->population);
    h->next.width = 0;
    bool same = resampling_tau_hat(h, x->width, x->population, a->tau_hat) == ln_q &&
                resampling_overlap(h, x->width) == overlap;
    const parent_line host = resampling_line(h, rule, a->tau_hat, x->population);
    for (size_t n = h->first; n < h->end; n++)
        same = same && expected_copies_of(copies, h->energy[n]) == a->tau_hat[n];
    return same && host.length == line->length && host.points == line->points;
}

/* Selects by the weights on the GPU, and by tau-hat on the CPU. */
static void select_both(annealed *gpu, annealed *cpu, const extreme *x, step_parts parts) {
    const annealing_plan plan = {
        .seed = 7, .population = x->population, .sweeps = 2, .dbeta = 0.3, .threshold_factor = 1};
    engine_step by_levels = annealing_step(cpu->worker, &plan, 0, 1, cpu->tau_hat);
    by_levels.parts = parts;
    engine_step by_weights = by_levels;
    expected_copies copies;
    assert_true(weighed_alike(gpu, x, &copies, &by_weights.line));
    resampling_tau_hat(&cpu->report, x->width, x->population, cpu->tau_hat);
    by_levels.line = resampling_line(&cpu->report, rule, cpu->tau_hat, x->population);
    by_weights.tau_hat = gpu->tau_hat;
    by_weights.copies = &copies;
    by_weights.next_width = x->width; /* the next report is weighed, too */
    by_weights.next_target = x->population;
    const engine_status ended = cpu->worker->verbs->step(cpu->worker, &by_levels, &cpu->report);
    assert_int_equal(gpu->worker->verbs->step(gpu->worker, &by_weights, &gpu->report), ended);
    if (ended != ENGINE_OK) /* extinct, by the rule poisson */
        return;
    assert_true(same_reports(&cpu->report, &gpu->report) &&
                same_energies(&cpu->report, &gpu->report) && same_families(cpu, gpu));
    assert_true(weighed_alike(gpu, x, &copies, &by_weights.line));
}

static void check_extreme(const extreme *x, step_parts parts) {
    couplings sample;
    assert_true(couplings_create(&sample, 2, (const uint32_t[]){size, size, 1}));
    assert_true(disorder_draw_gaussian(&sample, (disorder){3, 0, 0}, 0, 1));
    for (uint64_t b = 0; x->j != 0 && b < sample.bonds; b++)
        couplings_set_value(&sample, b, couplings_negative(&sample, b) ? -x->j : x->j);
    engine_config config = config_of(CODING_SSC, LEVELS_LATER);
    config.model = model_of_sample(glass2d_kind.create(sample.edge), &sample);
    annealed gpu = annealed_by(gpu_engine(&config), x->population),
             cpu = annealed_by(engine_cpu_create(&config), x->population);
    const engine_step measure = {
        .parts = PART_MEASURE, .next_width = x->width, .next_target = x->population};
    begin(&cpu, 0);
    begin(&gpu, 0);
    assert_int_equal(gpu.worker->verbs->step(gpu.worker, &measure, &gpu.report), ENGINE_OK);
    select_both(&gpu, &cpu, x, parts);
    end(&gpu);
    end(&cpu);
    couplings_destroy(&sample);
}

static void a_gpu_weighs_energies_as_the_host(void **state) {
    (void)state;
    for (rule = RESAMPLE_NEAREST; rule <= RESAMPLE_POISSON; rule++)
        for (size_t n = 0; n < COUNT(extremes); n++) {
            check_extreme(&extremes[n], WHOLE_STEP);
            check_extreme(&extremes[n], PART_SELECT | PART_MEASURE);
        }
    rule = RESAMPLE_NEAREST;
}

/* Makes a step of each, at the same time where the engines can. */
static void advance_both(annealed *a, annealed *b, size_t index) {
    annealed *const both[] = {a, b};
    engine_step step[2];
    for (uint32_t run = 0; run < 2; run++) {
        engine *const e = both[run]->worker;
        step[run] = next_step(both[run], run, index, 0.05);
        if (e->verbs->async != NULL)
            assert_int_equal(e->verbs->async->submit(e, &step[run]), ENGINE_OK);
    }
    for (uint32_t run = 0; run < 2; run++) {
        engine *const e = both[run]->worker;
        if (e->verbs->async == NULL) {
            assert_int_equal(e->verbs->step(e, &step[run], &both[run]->report), ENGINE_OK);
            continue;
        }
        assert_int_equal(e->verbs->async->wait(e, &both[run]->report), ENGINE_OK);
        assert_int_equal(e->verbs->async->wait_all(e, &both[run]->report), ENGINE_OK);
    }
}

/* Two runs of an engine each, side by side; and the same runs alone. Takes the engines. */
static void check_side_by_side(annealed a, annealed b, annealed alone) {
    histogram report[2];
    for (uint32_t run = 0; run < 2; run++) {
        assert_int_equal(histogram_create(&report[run], &alone.worker->model), 0);
        begin(&alone, run);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(advance(&alone, run, i + 1, 0.05), ENGINE_OK);
        const histogram last = report[run];
        report[run] = alone.report;
        alone.report = last;
    }
    begin(&a, 0);
    begin(&b, 1);
    for (size_t i = 0; i < 4; i++)
        advance_both(&a, &b, i + 1);
    assert_true(same_reports(&a.report, &report[0]) && same_reports(&b.report, &report[1]));
    assert_false(same_reports(&a.report, &report[1])); /* negative control */
    for (uint32_t run = 0; run < 2; run++)
        histogram_destroy(&report[run]);
    end(&a);
    end(&b);
    end(&alone);
}

static void cpu_engines_work_side_by_side(void **state) {
    (void)state;
    for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++)
        check_side_by_side(on_cpu(coding, 3000), on_cpu(coding, 3000), on_cpu(coding, 3000));
}

static void gpu_engines_work_side_by_side(void **state) {
    (void)state;
    for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++)
        for (uint64_t population = 3000; population <= 30000; population *= 10) {
            const annealed a = on_gpu(coding, population), b = on_gpu(coding, population);
            check_side_by_side(a, b, on_gpu(coding, population));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_chooses_the_parents_of_the_cpu),
        cmocka_unit_test(a_share_on_a_gpu_has_the_children_of_the_cpu),
        cmocka_unit_test(a_gpu_weighs_energies_as_the_host),
        cmocka_unit_test(cpu_engines_work_side_by_side),
        cmocka_unit_test(gpu_engines_work_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
