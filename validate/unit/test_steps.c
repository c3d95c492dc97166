/* Claims about the parts of a step (engine.h), for every engine on the CPU and, where there is one, on a GPU:
 *
 *   parts     select, sweep and measure, one after the other, give the bits of the whole step
 *   parents   children are copies of the parents that they are told, and families are not followed then
 *   groups    a group at a temperature of its own has the bits that its replicas have in a population
 *             which is at that temperature as a whole; each report is that of its replicas
 *   levels    those that can be read are those of the spins
 *   devices   everything that a GPU reports is what the CPU reports
 *
 * Without a GPU its part is skipped, and said to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validate/identity/devices.h"
#include "validate/identity/difference.h"
#include "validate/lib/some_models.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define CAPACITY     400
#define FOUNDERS     288 /* two groups: 0 to 127, and the rest */
#define SECOND       128
#define SWEEPS       3

static const identity_device cpu = {false, 2}, gpu = {true, 0};

static const engine_config configs[] = {
    {.coding = CODING_SSC, .word = 32},
    {.coding = CODING_MSC, .word = 8, .rng = RNG_INDEPENDENT},
    {.coding = CODING_MSC, .word = 64, .rng = RNG_INDEPENDENT},
    {.coding = CODING_MSC, .word = 32, .rng = RNG_PHILOX},
    {.coding = CODING_MSC, .word = 64, .rng = RNG_SHARED},
    {.coding = CODING_MSC, .word = 16, .rng = RNG_SHARED},
};
static const engine_config reordered[] = {
    {.coding = CODING_MSC, .word = 32, .rng = RNG_SHARED_REORDER},
    {.coding = CODING_MSC, .word = 8, .rng = RNG_LCG},
};
/* Kernels of their own for fixed sizes, and any other; and in SSC other models and lattices. */
static made_model lattices[] = {
    {.kind = &square_kind, .size = {{16}}},    {.kind = &square_kind, .size = {{48}}},
    {.kind = &square_kind, .size = {{6}}},     {.kind = &square_kind, .size = {{8, 12}}},
    {.kind = &glass2d_kind, .size = {{4, 6}}}, {.kind = &glass2d_kind, .size = {{10}}},
    {.kind = &cubic_kind, .size = {{6}}},      {.kind = &cubic_kind, .size = {{8, 8, 12}}},
    {.kind = &glass3d_kind, .size = {{4}}},    {.kind = &glass3d_kind, .size = {{4, 6, 8}}},
    {.kind = &glass3d_kind, .size = {{10}}},   {.kind = &glass3d_kind, .size = {{16}}}};

static int set_up(void **state) {
    (void)state;
    return make_models(lattices, COUNT(lattices));
}

static int tear_down(void **state) {
    (void)state;
    return destroy_models(lattices, COUNT(lattices));
}

/* Whether the model is swept on every device. */
static bool is_swept(const engine_config *config, size_t model) {
    return config->coding == CODING_SSC ||
           (lattices[model].kind == &square_kind && lattices[model].size.edge[0] % 16 == 0);
}

/* --- populations --- */

typedef struct {
    engine *worker;
    histogram report[2]; /* of the population, or of two groups */
    uint64_t count;
    uint8_t *spins;     /* [CAPACITY][bytes] as saved last */
    uint32_t *families; /* [CAPACITY] */
    uint32_t *levels;   /* [CAPACITY] as read last */
    size_t bytes;
} subject;

static subject create(engine_config config, const spin_model *model, identity_device device) {
    char reason[300];
    config.model = *model;
    config.capacity = CAPACITY;
    subject s = {.worker = identity_make_engine(device, config, reason, sizeof reason)};
    if (!s.worker)
        fail_msg("%s", reason);
    s.bytes = model_packed_bytes(&config.model);
    s.spins = calloc(CAPACITY, s.bytes);
    s.families = calloc(CAPACITY, sizeof *s.families);
    s.levels = calloc(CAPACITY, sizeof *s.levels);
    assert_true(s.spins && s.families && s.levels);
    for (size_t n = 0; n < 2; n++)
        assert_int_equal(histogram_create(&s.report[n], &config.model), 0);
    return s;
}

static void destroy(subject *s) {
    s->worker->verbs->destroy(s->worker);
    for (size_t n = 0; n < 2; n++)
        histogram_destroy(&s->report[n]);
    free(s->spins);
    free(s->families);
    free(s->levels);
}

/* Reads everything that the engine holds of `count` replicas. */
static void read_back(subject *s, uint64_t count) {
    engine *const e = s->worker;
    s->count = count;
    assert_int_equal(e->verbs->read(e, 0, count, s->spins, s->families), ENGINE_OK);
    assert_int_equal(e->verbs->read_levels(e, 0, count, s->levels), ENGINE_OK);
}

static void randomise(subject *s) {
    assert_int_equal(
        s->worker->verbs->randomise(s->worker, (stream_key){{20, 26}}, FOUNDERS, &s->report[0]),
        ENGINE_OK);
}

/* A step by eq. (2) at beta, in which every level has the same tau-hat. */
static engine_step step_at(const subject *s, double beta, const uint64_t *copies) {
    return (engine_step){.parts = WHOLE_STEP,
                         .key = {{20, 26}},
                         .temperature = 1,
                         .sweeps = SWEEPS,
                         .founders = FOUNDERS,
                         .tau_hat = copies,
                         .rule = flip_rule_at(&metropolis_update, &s->worker->model, beta)};
}

static uint64_t *equal_copies(const subject *s, double tau_hat) {
    uint64_t *const copies = malloc(s->worker->model.levels.count * sizeof *copies);
    assert_non_null(copies);
    for (size_t n = 0; n < s->worker->model.levels.count; n++)
        copies[n] = (uint64_t)(tau_hat * 0x1p32);
    return copies;
}

static void advance(subject *s, const engine_step *step) {
    if (s->worker->verbs->step(s->worker, step, s->report) != ENGINE_OK)
        fail_msg("%s: %s", s->worker->name, s->worker->error);
}

/* --- comparing --- */

static void assert_same_report(const histogram *a, const histogram *b) {
    char text[DIFFERENCE_TEXT_SIZE];
    const identity_difference d = identity_compare_reports(a, b, true);
    if (d.quantity != QUANTITY_NONE)
        fail_msg("%s", identity_difference_text(text, &d));
}

static void assert_same_replicas(const subject *a, const subject *b, uint64_t first, uint64_t end) {
    assert_memory_equal(a->spins + first * a->bytes, b->spins + first * a->bytes,
                        (end - first) * a->bytes);
    assert_memory_equal(a->families + first, b->families + first,
                        (end - first) * sizeof *a->families);
    assert_memory_equal(a->levels + first, b->levels + first, (end - first) * sizeof *a->levels);
}

/* --- parts --- */

static void check_parts(engine_config config, const spin_model *model, identity_device device) {
    subject whole = create(config, model, device), parts = create(config, model, device);
    randomise(&whole);
    randomise(&parts);
    uint64_t *const copies = equal_copies(&whole, 1.1);
    for (uint32_t t = 1; t <= 2; t++) {
        engine_step step = step_at(&whole, 0.3 * t, copies);
        step.temperature = t;
        advance(&whole, &step);
        for (unsigned part = PART_SELECT; part <= PART_MEASURE; part *= 2) {
            step.parts = (step_parts)part;
            advance(&parts, &step);
        }
        assert_same_report(&whole.report[0], &parts.report[0]);
    }
    read_back(&whole, whole.report[0].population);
    read_back(&parts, parts.report[0].population);
    assert_same_replicas(&whole, &parts, 0, whole.count);
    /* Parts that do nothing leave everything; a sweep more does not. */
    engine_step step = step_at(&whole, 0.6, copies);
    step.parts = PART_MEASURE;
    advance(&parts, &step);
    read_back(&parts, whole.count);
    assert_same_replicas(&whole, &parts, 0, whole.count);
    step.parts = (step_parts)(PART_SWEEP | PART_MEASURE);
    advance(&parts, &step);
    read_back(&parts, whole.count);
    assert_true(memcmp(whole.spins, parts.spins, whole.count * whole.bytes) != 0);
    free(copies);
    destroy(&whole);
    destroy(&parts);
}

/* --- parents --- */

static void check_parents(engine_config config, const spin_model *model, identity_device device) {
    uint32_t parents[CAPACITY];
    const uint64_t children = 301;
    subject before = create(config, model, device), after = create(config, model, device);
    randomise(&before);
    randomise(&after);
    read_back(&before, FOUNDERS);
    for (uint32_t k = 0; k < children; k++)
        parents[k] = (k * 131 + 7) % FOUNDERS;
    const engine_step step = {.parts = (step_parts)(PART_SELECT | PART_MEASURE),
                              .founders = FOUNDERS,
                              .parents = parents,
                              .children = children};
    advance(&after, &step);
    assert_int_equal(after.report[0].population, children);
    assert_int_equal(after.report[0].families, 0);
    read_back(&after, children);
    for (uint32_t k = 0; k < children; k++) {
        assert_memory_equal(after.spins + k * after.bytes, before.spins + parents[k] * before.bytes,
                            after.bytes);
        assert_int_equal(after.families[k], before.families[parents[k]]);
        assert_int_equal(after.levels[k], before.levels[parents[k]]);
    }
    destroy(&before);
    destroy(&after);
}

/* --- groups --- */

/* |M| of a saved replica. */
static uint64_t magnetisation(const subject *s, uint64_t k) {
    const int64_t sites = (int64_t)s->worker->model.sites;
    int64_t up = 0;
    for (size_t n = 0; n < s->bytes; n++)
        up += __builtin_popcount(s->spins[k * s->bytes + n]);
    return (uint64_t)llabs(2 * up - sites);
}

/* The report of replicas first .. end-1, from their levels and spins: what a group is to report. */
static void assert_report_of(const subject *s, const histogram *h, uint64_t first, uint64_t end) {
    histogram expected;
    assert_int_equal(histogram_create(&expected, &s->worker->model), 0);
    expected.population = end - first;
    for (uint64_t k = first; k < end; k++)
        histogram_add(&expected, k - first, s->levels[k], magnetisation(s, k) / h->order_unit);
    assert_same_report(h, &expected);
    histogram_destroy(&expected);
}

static void assert_reports_of_groups(const subject *s) {
    assert_report_of(s, &s->report[0], 0, SECOND);
    assert_report_of(s, &s->report[1], SECOND, s->count);
}

/* In the second group a threshold of 2^32 - 1 becomes 0 where it is rounded up: that shows which lattice a
 * replica is counted as. */
static void check_groups(engine_config config, const spin_model *model, identity_device device) {
    subject both = create(config, model, device);
    subject alone[2] = {create(config, model, device), create(config, model, device)};
    const double beta[2] = {0.2, 0.7};
    uint64_t *const copies = equal_copies(&both, 1.1);
    engine_group group[2];
    for (size_t g = 0; g < 2; g++) {
        engine_step step = step_at(&alone[g], beta[g], copies);
        if (g == 1) {
            step.rule.threshold[0] = UINT32_MAX;
            step.rule.fraction[0] = UINT64_C(1) << 63;
        }
        randomise(&alone[g]);
        advance(&alone[g], &step);
        read_back(&alone[g], alone[g].report[0].population);
        group[g] = (engine_group){g ? SECOND : 0, step.rule};
    }
    engine_step step = step_at(&both, 0, copies);
    step.group = group;
    step.groups = 2;
    randomise(&both);
    advance(&both, &step);
    read_back(&both, alone[0].count);
    assert_reports_of_groups(&both);
    assert_same_replicas(&both, &alone[0], 0, SECOND);
    assert_same_replicas(&both, &alone[1], SECOND, both.count);
    /* Negative control: the second group is not at the temperature of the first. */
    assert_true(memcmp(both.spins + SECOND * both.bytes, alone[0].spins + SECOND * both.bytes,
                       (both.count - SECOND) * both.bytes) != 0);
    free(copies);
    destroy(&both);
    destroy(&alone[0]);
    destroy(&alone[1]);
}

/* --- everywhere --- */

typedef void check(engine_config config, const spin_model *model, identity_device device);

static void for_each_engine(check *check_engine, identity_device device) {
    for (size_t n = 0; n < COUNT(configs); n++)
        for (size_t i = 0; i < COUNT(lattices); i++)
            for (stage_mode stages = STAGES_FUSED; stages <= STAGES_APART; stages++) {
                engine_config config = configs[n];
                config.stages = stages;
                if (is_swept(&config, i) && (device.cuda || stages == STAGES_FUSED))
                    check_engine(config, &lattices[i].model, device);
            }
}

static void skip_without_gpu(void) {
    char reason[300];
    if (!identity_device_is_there(gpu, reason, sizeof reason)) {
        print_message("SKIP: %s\n", reason);
        skip();
    }
}

static void parts_give_the_bits_of_the_whole(void **state) {
    (void)state;
    for_each_engine(check_parts, cpu);
    for (size_t n = 0; n < COUNT(reordered); n++)
        check_parts(reordered[n], &lattices[0].model, cpu);
}

static void children_are_those_of_the_parents_told(void **state) {
    (void)state;
    for_each_engine(check_parents, cpu);
    for (size_t n = 0; n < COUNT(reordered); n++)
        check_parents(reordered[n], &lattices[0].model, cpu);
}

static void groups_are_at_temperatures_of_their_own(void **state) {
    (void)state;
    for_each_engine(check_groups, cpu);
}

static void the_same_on_a_gpu(void **state) {
    (void)state;
    skip_without_gpu();
    for_each_engine(check_parts, gpu);
    for_each_engine(check_parents, gpu);
    for_each_engine(check_groups, gpu);
    for (size_t n = 0; n < COUNT(reordered); n++) {
        check_parts(reordered[n], &lattices[0].model, gpu);
        check_parents(reordered[n], &lattices[0].model, gpu);
    }
}

/* Takes engines on both devices through all kinds of steps. */
static void compare_devices(engine_config config, const spin_model *model, identity_device device) {
    subject s[2] = {create(config, model, cpu), create(config, model, device)};
    uint32_t parents[CAPACITY];
    uint64_t *const copies = equal_copies(&s[0], 1.05);
    const engine_group group[2] = {
        {0, flip_rule_at(&metropolis_update, &s[0].worker->model, 0.2)},
        {SECOND, flip_rule_at(&metropolis_update, &s[0].worker->model, 0.5)}};
    for (uint32_t k = 0; k < CAPACITY; k++)
        parents[k] = (k * 29 + 3) % 200;
    for (size_t n = 0; n < 2; n++) {
        randomise(&s[n]);
        engine_step step = step_at(&s[n], 0.3, copies);
        advance(&s[n], &step);
        step.group = group;
        step.groups = 2;
        step.temperature = 2;
        advance(&s[n], &step);
        step.tau_hat = NULL;
        step.parents = parents;
        step.children = 290;
        step.temperature = 3;
        advance(&s[n], &step);
        read_back(&s[n], 290);
    }
    for (size_t g = 0; g < 2; g++)
        assert_same_report(&s[0].report[g], &s[1].report[g]);
    assert_same_replicas(&s[0], &s[1], 0, 290);
    free(copies);
    destroy(&s[0]);
    destroy(&s[1]);
}

static void a_gpu_gives_the_bits_of_the_cpu(void **state) {
    (void)state;
    skip_without_gpu();
    for_each_engine(compare_devices, gpu);
}

/* --- what is not allowed --- */

static void assert_refused(subject *s, uint64_t first, uint64_t second, const char *words) {
    const engine_group group[2] = {{.first = first}, {.first = second}};
    const engine_step step = {.parts = PART_MEASURE, .group = group, .groups = 2};
    assert_int_equal(s->worker->verbs->step(s->worker, &step, s->report), ENGINE_FAILED);
    if (!strstr(s->worker->error, words))
        fail_msg("'%s' is not in '%s'", words, s->worker->error);
}

static void check_refusals(identity_device device) {
    subject s = create(configs[1], &lattices[0].model, device);
    randomise(&s);
    assert_refused(&s, 0, 40, "multiples of 32");
    assert_refused(&s, 32, 64, "the first at 0");
    assert_refused(&s, 0, 0, "rising");
    assert_refused(&s, 0, FOUNDERS, "of a population of 288");
    destroy(&s);
    s = create(configs[0], &lattices[0].model, device);
    randomise(&s);
    assert_refused(&s, 0, FOUNDERS, "of a population of 288");
    destroy(&s);
    s = create(configs[2], &lattices[0].model, device);
    randomise(&s);
    assert_refused(&s, 0, 96, "multiples of 64");
    destroy(&s);
    for (size_t n = 0; n < COUNT(reordered); n++) {
        s = create(reordered[n], &lattices[0].model, device);
        randomise(&s);
        assert_refused(&s, 0, 64, "reordered");
        destroy(&s);
    }
}

static void groups_that_are_empty_or_not_of_whole_words_are_refused(void **state) {
    (void)state;
    check_refusals(cpu);
}

static void a_gpu_refuses_them_too(void **state) {
    (void)state;
    skip_without_gpu();
    check_refusals(gpu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_give_the_bits_of_the_whole),
        cmocka_unit_test(children_are_those_of_the_parents_told),
        cmocka_unit_test(groups_are_at_temperatures_of_their_own),
        cmocka_unit_test(groups_that_are_empty_or_not_of_whole_words_are_refused),
        cmocka_unit_test(the_same_on_a_gpu),
        cmocka_unit_test(a_gpu_gives_the_bits_of_the_cpu),
        cmocka_unit_test(a_gpu_refuses_them_too),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
