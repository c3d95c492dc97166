/* The SSC engine against its definition: the random spins of the first population and the numbers
 * that decide each spin are those that streams.h lays down, whichever way the engine walks through
 * the lattice, in every model, also with bonds that are missing, and for sizes whose sub-lattices do and do not hold a
 * multiple of four sites. */
#include "validate/lib/replicas.h"
#include "validate/lib/rounded_rule.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct {
    const model_kind *kind;
    lattice_size size;
    bond_cut cut;
} lattices[] = {{&square_kind, {{4}}, ALL_BONDS},
                {&square_kind, {{6}}, ALL_BONDS},
                {&square_kind, {{10}}, ALL_BONDS},
                {&square_kind, {{16}}, ALL_BONDS},
                {&square_kind, {{22}}, ALL_BONDS},
                {&square_kind, {{6, 10}}, ALL_BONDS},
                {&glass2d_kind, {{4}}, ALL_BONDS},
                {&glass2d_kind, {{10, 6}}, ALL_BONDS},
                {&cubic_kind, {{4}}, ALL_BONDS},
                {&cubic_kind, {{6}}, ALL_BONDS},
                {&glass3d_kind, {{4}}, ALL_BONDS},
                {&glass3d_kind, {{6, 4, 10}}, ALL_BONDS},
                {&glass2d_kind, {{10, 6}}, {"open", 0}},
                {&glass2d_kind, {{6}}, {"antiperiodic,open", 0.3}},
                {&glass3d_kind, {{4, 6, 4}}, {"open,antiperiodic,open", 0.1}},
                {&glass3d_kind, {{6}}, {NULL, 0.5}},
                {&square_kind, {{16}}, {"open", 0}},
                {&cubic_kind, {{4}}, {"antiperiodic,open,periodic", 0}}};

static spin_model model_of(size_t n, couplings *sample) {
    return some_cut_model(lattices[n].kind, lattices[n].size, n, lattices[n].cut, sample);
}

static replicas make_replicas(const spin_model *model, stream_key key) {
    const engine_config config = {.coding = CODING_SSC, .model = *model, .capacity = 23};
    replicas r = replicas_create(config, 23);
    replicas_randomise(&r, key, 23);
    return r;
}

static void first_spins_are_as_defined(void **state) {
    (void)state;
    const stream_key key = {{1, 1944}};
    for (size_t n = 0; n < COUNT(lattices); n++) {
        couplings sample;
        const spin_model m = model_of(n, &sample);
        replicas r = make_replicas(&m, key);
        for (uint32_t k = 0; k < r.count; k++)
            for (uint64_t at = 0; at < m.sites; at++) {
                const lattice_site s = site_at(&m, at);
                const uint32_t i = (uint32_t)site_number(&m, s);
                const stream_block b = stream_draw(key, STREAM_RANDOMISE, i / 128, k, 0, 0);
                assert_int_equal(spin_of(&r, k, s), b.number[i % 128 / 32] >> i % 32 & 1);
            }
        replicas_destroy(&r);
        couplings_destroy(&sample);
    }
}

/* Energy and |M| of each replica are those of its spins: in the sums of a population of one, many times. */
static void spins_are_measured_as_defined(void **state) {
    (void)state;
    for (size_t n = 0; n < COUNT(lattices); n++) {
        couplings sample;
        const spin_model m = model_of(n, &sample);
        replicas r = make_replicas(&m, (stream_key){{1, 1944}});
        for (uint32_t k = 0; k < r.count; k++) {
            int64_t ends = 0, magnetisation = 0; /* of unsatisfied bonds */
            uint32_t level;
            for (uint64_t at = 0; at < m.sites; at++) {
                ends += unsatisfied_bonds(&r, k, site_at(&m, at));
                magnetisation += 2 * spin_of(&r, k, site_at(&m, at)) - 1;
            }
            assert_int_equal(r.worker->verbs->read_levels(r.worker, k, 1, &level), ENGINE_OK);
            assert_int_equal(level_energy(m.levels, level), ends - (int64_t)m.bonds);
            memmove(r.spins, r.spins + k * r.bytes, r.bytes); /* alone */
            assert_int_equal(r.worker->verbs->write(r.worker, 0, 1, 1, r.spins, r.families),
                             ENGINE_OK);
            assert_int_equal(engine_measure(r.worker, &r.report), ENGINE_OK);
            assert_int_equal(r.report.level[level].abs_m, llabs(magnetisation));
            replicas_destroy(&r);
            r = make_replicas(&m, (stream_key){{1, 1944}});
        }
        replicas_destroy(&r);
        couplings_destroy(&sample);
    }
}

/* How often a number was that of a planted threshold, and what was decided. */
static uint32_t on_edge[2];

/* Whether the number is below the threshold of a change of energy, of a site with an odd number of bonds or not. */
static int is_below(const engine_step *step, uint32_t number, uint32_t change, bool odd, uint32_t k,
                    uint32_t sweep) {
    const int accepted = number < (odd ? defined_odd_threshold(step, k, sweep, change)
                                       : defined_threshold(step, k, sweep, change));
    on_edge[accepted] += number == (odd ? step->rule.odd.threshold : step->rule.threshold)[change];
    return accepted;
}

/* Whether a spin with d of its bonds unsatisfied flips: changes are symmetric about 0. */
static int flips(const engine_step *step, const spin_model *m, const site_bonds *b, uint32_t number,
                 uint32_t d, uint32_t k, uint32_t sweep) {
    const downhill_flips downhill = step->rule.downhill;
    const bool odd = b->count % 2;
    const uint32_t change = change_of(m, b, d), last = m->coordination - odd;
    if (downhill == DOWNHILL_ALWAYS && 2 * d >= b->count)
        return 1;
    if (downhill == DOWNHILL_COMPLEMENT && 2 * d > b->count)
        return !is_below(step, number, last - change, odd, k, sweep);
    return is_below(step, number, change, odd, k, sweep);
}

/* Sweeps one sub-lattice of replica k, site by site. */
static void model_sweep(replicas *r, const engine_step *step, uint32_t k, uint32_t sweep,
                        uint32_t parity) {
    const spin_model *const m = &r->worker->model;
    const uint32_t half = (uint32_t)m->sites / 2, quads = half / 4 + (half % 4 > 0);
    for (uint64_t at = 0; at < m->sites; at++) {
        const lattice_site s = site_at(m, at);
        if (site_colour(s) != parity)
            continue;
        const uint32_t i = (uint32_t)site_number(m, s) - parity * half;
        const stream_block b =
            stream_draw(step->key, STREAM_SSC, parity * quads + i / 4, k, sweep, step->temperature);
        const site_bonds bonds = bonds_of(m, s);
        const uint32_t d = unsatisfied_of(r, k, &bonds);
        if (flips(step, m, &bonds, b.number[i % 4], d, k, sweep))
            flip_spin(r, k, s);
    }
}

/* An update with a probability for each dE; it falls with |dE| on one side, and rises and falls on the other. */
static double any_probability(double beta, double delta_e) {
    return delta_e > 4 ? 0.3 : (delta_e < -4 ? 0.4 : 0.7) / (1 + exp(beta * delta_e));
}
static const update_kind any_update = {"any", any_probability, DOWNHILL_OF_ITS_OWN, CLUSTERS_NONE,
                                       VISIT_CHECKERBOARD};

static const update_kind *const updates[] = {&metropolis_update, &heat_bath_update, &any_update};

static engine_step step_at(const update_kind *update, const spin_model *m, double beta,
                           uint32_t temperature) {
    return (engine_step){.key = {{27, 1953}},
                         .temperature = temperature,
                         .sweeps = 3,
                         .rule = flip_rule_at(update, m, beta)};
}

/* Whether engine and model agree after a step, the model at a later temperature index. */
static int agree(const spin_model *m, engine_step step, uint32_t model_delay) {
    replicas r = make_replicas(m, step.key), model = make_replicas(m, step.key);
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
    for (size_t n = 0; n < COUNT(lattices); n++) {
        couplings sample;
        const spin_model m = model_of(n, &sample);
        for (size_t u = 0; u < COUNT(updates); u++) {
            assert_true(agree(&m, step_at(updates[u], &m, 0.3, 5), 0));
            assert_true(agree(&m, step_at(updates[u], &m, 0, 5), 0));
            assert_false(agree(&m, step_at(updates[u], &m, 0.3, 5), 1)); /* negative control */
        }
        couplings_destroy(&sample);
    }
}

/* Thresholds that are numbers of the stream: of replica t % 23 in a sweep of one of three turns. Half of
 * them are rounded up. */
static void rounded_thresholds_are_as_defined(void **state) {
    (void)state;
    on_edge[0] = on_edge[1] = 0;
    for (size_t n = 0; n < COUNT(lattices); n++) {
        couplings sample;
        const spin_model m = model_of(n, &sample);
        for (uint32_t t = 1; t <= (m.sites < 200 ? 60 : 5); t++) {
            const update_kind *const update = updates[t % COUNT(updates)];
            engine_step step = step_at(update, &m, 0.3, t);
            step.sweeps = 35;
            for (uint32_t d = 0; d < (update == &any_update ? m.coordination + 1 : m.gaps); d++) {
                const stream_block b =
                    stream_draw(step.key, STREAM_SSC, (t + d) % 2, t % 23, t % step.sweeps, t);
                step.rule.threshold[d] = step.rule.odd.threshold[d] = b.number[t % 4];
                step.rule.fraction[d] = step.rule.odd.fraction[d] = UINT64_C(1) << 63;
            }
            assert_true(agree(&m, step, 0));
        }
        couplings_destroy(&sample);
    }
    print_message("numbers equal to a threshold: %u accepted, %u not\n", on_edge[1], on_edge[0]);
    assert_true(on_edge[0] > 20 && on_edge[1] > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_spins_are_as_defined),
        cmocka_unit_test(spins_are_measured_as_defined),
        cmocka_unit_test(spins_are_decided_as_defined),
        cmocka_unit_test(rounded_thresholds_are_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
