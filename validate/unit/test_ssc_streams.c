/* The SSC engine against its definition: the random spins of the first population and the numbers
 * that decide each spin are those that streams.h lays down, whichever way the engine walks through
 * the lattice, for sizes whose sub-lattices do and do not hold a multiple of four sites. */
#include "validate/lib/replicas.h"
#include "validate/lib/rounded_rule.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint32_t sizes[] = {4, 6, 10, 16, 22};

static replicas make_replicas(uint32_t size, stream_key key) {
    const engine_config config = {
        .coding = CODING_SSC, .model = square_model(size), .capacity = 23};
    replicas r = replicas_create(config, 23);
    replicas_randomise(&r, key, 23);
    return r;
}

static void first_spins_are_as_defined(void **state) {
    (void)state;
    const stream_key key = {{1, 1944}};
    for (size_t n = 0; n < COUNT(sizes); n++) {
        replicas r = make_replicas(sizes[n], key);
        for (uint32_t k = 0; k < r.count; k++)
            for (uint32_t y = 0; y < r.size; y++)
                for (uint32_t x = 0; x < r.size; x++) {
                    const uint32_t i = site_index(r.size, x, y);
                    const stream_block b = stream_draw(key, STREAM_RANDOMISE, i / 128, k, 0, 0);
                    assert_int_equal(spin_up(&r, k, x, y), b.number[i % 128 / 32] >> i % 32 & 1);
                }
        replicas_destroy(&r);
    }
}

/* How often a number was that of a planted threshold, and what was decided. */
static uint32_t on_edge[2];

/* Whether a spin with d < 2 antiparallel neighbours accepts the number. */
static int accepts(const engine_step *step, uint32_t number, int d, uint32_t k, uint32_t sweep) {
    const int accepted = number < defined_threshold(step, k, sweep, (size_t)d);
    on_edge[accepted] += number == step->rule.threshold[d];
    return accepted;
}

/* Sweeps one sub-lattice of replica k, site by site. */
static void model_sweep(replicas *r, const engine_step *step, uint32_t k, uint32_t sweep,
                        uint32_t parity) {
    const uint32_t half = r->size * r->size / 2, quads = half / 4 + (half % 4 > 0);
    for (uint32_t y = 0; y < r->size; y++)
        for (uint32_t x = (y + parity) % 2; x < r->size; x += 2) {
            const uint32_t i = site_index(r->size, x, y) - parity * half;
            const stream_block b = stream_draw(step->key, STREAM_SSC, parity * quads + i / 4, k,
                                               sweep, step->temperature);
            const int d = antiparallel_neighbours(r, k, x, y);
            if (d >= 2 || accepts(step, b.number[i % 4], d, k, sweep))
                set_spin(r, k, x, y, !spin_up(r, k, x, y));
        }
}

static engine_step step_at(double beta, uint32_t temperature) {
    return (engine_step){.key = {{27, 1953}},
                         .temperature = temperature,
                         .sweeps = 3,
                         .rule = flip_rule_at(&(spin_model){.gaps = 2, .gap = {8, 4}}, beta)};
}

/* Whether engine and model agree after a step, the model at a later temperature index. */
static int agree(uint32_t size, engine_step step, uint32_t model_delay) {
    replicas r = make_replicas(size, step.key), model = make_replicas(size, step.key);
    replicas_step(&r, step);
    replicas_save(&r);
    step.temperature += model_delay;
    for (uint32_t k = 0; k < model.count; k++)
        for (uint32_t sweep = 0; sweep < step.sweeps; sweep++)
            for (uint32_t parity = 0; parity < 2; parity++)
                model_sweep(&model, &step, k, sweep, parity);
    const int same = !memcmp(r.spins, model.spins, r.count * r.bytes);
    replicas_destroy(&r);
    replicas_destroy(&model);
    return same;
}

static void spins_are_decided_as_defined(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(sizes); n++) {
        assert_true(agree(sizes[n], step_at(0.3, 5), 0));
        assert_false(agree(sizes[n], step_at(0.3, 5), 1)); /* negative control */
    }
}

/* Thresholds that are numbers of the stream: of replica t % 23 in a sweep of one of three turns. Half of
 * them are rounded up. */
static void rounded_thresholds_are_as_defined(void **state) {
    (void)state;
    on_edge[0] = on_edge[1] = 0;
    for (size_t n = 0; n < COUNT(sizes); n++)
        for (uint32_t t = 1; t <= 60; t++) {
            engine_step step = step_at(0.3, t);
            step.sweeps = 35;
            for (uint32_t d = 0; d < 2; d++) {
                const stream_block b =
                    stream_draw(step.key, STREAM_SSC, (t + d) % 2, t % 23, t % step.sweeps, t);
                step.rule.threshold[d] = b.number[t % 4];
                step.rule.fraction[d] = UINT64_C(1) << 63;
            }
            assert_true(agree(sizes[n], step, 0));
        }
    print_message("numbers equal to a threshold: %u accepted, %u not\n", on_edge[1], on_edge[0]);
    assert_true(on_edge[0] > 20 && on_edge[1] > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_spins_are_as_defined),
        cmocka_unit_test(spins_are_decided_as_defined),
        cmocka_unit_test(rounded_thresholds_are_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
