/* The MSC engine against a scalar model of it that is written from the definition of the random
 * streams alone (streams.h, bernoulli.h): one lane, one site at a time, no vectors, no bit tricks
 * (strip_draws.h says what a strip draws).
 * Both give the same spins in every model and mode of random numbers, for every word size, for populations
 * that do not fill their last word, and over several sweeps. */
#include "validate/lib/replicas.h"
#include "validate/lib/rounded_rule.h"
#include "validate/lib/strip_draws.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- The model --- */

typedef struct {
    replicas *r;
    uint32_t word; /* p */
    rng_mode rng;
    const engine_step *step;
    mwc_state *mwc;   /* [machine word][strip] */
    uint32_t *points; /* the same */
    int64_t *replica; /* in each slot, or -1 */
} model;

/* The lane slot of replica k: siblings are spread over the words in two of the modes. */
static uint32_t slot_of(const model *m, uint32_t k) {
    const uint32_t words = (uint32_t)((m->r->count + m->word - 1) / m->word);
    if (m->rng == RNG_SHARED_REORDER || m->rng == RNG_LCG)
        return k % words * m->word + k / words;
    return k;
}

/* A block of four numbers, which the slots that come one after the other mostly share. */
static stream_block block_of(stream_key key, stream_purpose purpose, const uint32_t at[4]) {
    static struct {
        uint32_t at[7];
        stream_block block;
    } last;
    const uint32_t wanted[7] = {key.word[0], key.word[1], purpose, at[0], at[1], at[2], at[3]};
    if (memcmp(last.at, wanted, sizeof wanted) != 0) {
        memcpy(last.at, wanted, sizeof wanted);
        last.block = stream_draw(key, purpose, at[0], at[1], at[2], at[3]);
    }
    return last.block;
}

/* The number that decides about one spin in the modes that compare it with a threshold: in two dimensions. */
static uint32_t number_of(const model *m, const spin_model *lattice, uint32_t slot, lattice_site s,
                          uint32_t sweep) {
    const uint32_t temperature = m->step->temperature, columns = lattice->edge[0] / 2;
    if (m->rng == RNG_PHILOX)
        return block_of(
                   m->step->key, STREAM_PHILOX,
                   (uint32_t[]){(uint32_t)site_number(lattice, s), slot / 4, sweep, temperature})
            .number[slot % 4];
    const uint32_t quad_of_rows =
        (site_colour(s) * lattice->edge[1] / 4 + s.at[1] / 4) * columns + s.at[0] / 2;
    uint32_t r = block_of(m->step->key, m->rng == RNG_LCG ? STREAM_LCG : STREAM_SHARED,
                          (uint32_t[]){quad_of_rows, slot / m->word, sweep, temperature})
                     .number[s.at[1] % 4];
    for (uint32_t lane = 0; m->rng == RNG_LCG && lane < slot % m->word; lane++)
        r = 1664525u * r + 1013904223u;
    return r;
}

/* Whether a spin of replica k flips; accept[c]: the decision if the change of energy is number c (flip_rule) of those of its
 * site, and above 0. */
static void flip(const model *m, uint32_t k, const site_bonds *bonds, const int accept[]) {
    const uint32_t d = unsatisfied_of(m->r, k, bonds);
    if (2 * d >= bonds->count || accept[change_of(&m->r->worker->model, bonds, d)])
        flip_spin_at(m->r, k, bonds->here);
}

/* The same with DOWNHILL_COMPLEMENT; takes: whether accepted flips are made. A tie is accepted, and a spin with more than
 * half of its bonds unsatisfied does what one with the others unsatisfied would not. */
static void flip_or_not(const model *m, uint32_t k, const site_bonds *bonds, const int accept[],
                        int takes) {
    const uint32_t d = unsatisfied_of(m->r, k, bonds), z = bonds->count,
                   fewer = d < z - d ? d : z - d;
    const int flips =
        (2 * fewer == z || accept[change_of(&m->r->worker->model, bonds, fewer)]) && takes;
    if (flips != (2 * d > z))
        flip_spin_at(m->r, k, bonds->here);
}

/* How often a number was that of a planted threshold, and what was decided. */
static uint32_t on_edge[2];

/* One sub-lattice of one machine word in the modes that compare numbers. */
static void compare_numbers(const model *m, uint32_t machine_word, uint32_t half_sweep) {
    const spin_model *const lattice = &m->r->worker->model;
    const uint32_t sweep = half_sweep / 2;
    const uint32_t limits[2][2] = {{defined_threshold(m->step, machine_word, sweep, 0),
                                    defined_threshold(m->step, machine_word, sweep, 1)},
                                   {defined_odd_threshold(m->step, machine_word, sweep, 0),
                                    defined_odd_threshold(m->step, machine_word, sweep, 1)}};
    for (uint64_t n = 0; n < lattice->sites; n++) {
        const lattice_site s = site_at(lattice, n);
        if (site_colour(s) != half_sweep % 2)
            continue;
        const site_bonds bonds = bonds_of(lattice, s);
        const uint32_t *const limit = limits[bonds.count % 2];
        for (uint32_t slot = machine_word * 32; slot < (machine_word + 1) * 32; slot++) {
            if (m->replica[slot] < 0)
                continue;
            const uint32_t r = number_of(m, lattice, slot, s, sweep);
            const int accept[2] = {r < limit[0], r < limit[1]};
            for (size_t c = 0; c < 2; c++)
                on_edge[accept[c]] += r == m->step->rule.threshold[c];
            flip(m, (uint32_t)m->replica[slot], &bonds, accept);
        }
    }
}

static uint32_t next_of_mwc(void *states, uint32_t strip) {
    return mwc_next(&((mwc_state *)states)[strip]);
}

/* Whether a site of a sub-lattice has an odd number of bonds, by the strip and the word there. */
typedef struct {
    const spin_model *lattice;
    uint32_t colour;
} coloured_sites;

static bool site_is_odd(const void *sites, uint32_t strip, uint32_t word) {
    const coloured_sites *const of = sites;
    for (uint64_t n = 0; n < of->lattice->sites; n++) {
        const lattice_site s = site_at(of->lattice, n);
        const strip_place p = site_strip(of->lattice, s);
        if (site_colour(s) == of->colour && p.strip == strip && p.word == word)
            return bonds_of(of->lattice, s).count % 2;
    }
    return false;
}

/* One sub-lattice of one machine word in the mode `independent`. */
static void draw_decisions(const model *m, uint32_t machine_word, uint32_t half_sweep) {
    const spin_model *const lattice = &m->r->worker->model;
    const uint32_t strips = strips_of(lattice);
    const bernoulli_table *const table = &m->step->rule.bernoulli;
    const bernoulli_classes *const odd = &m->step->rule.odd.bernoulli;
    const coloured_sites sites = {lattice, half_sweep % 2};
    const strip_lattice of_strips = {.table = table,
                                     .odd = lattice->odd_sites ? odd : NULL,
                                     .is_odd = site_is_odd,
                                     .sites = &sites,
                                     .strips = strips,
                                     .half_sweep = half_sweep,
                                     .half_sweeps = 2 * m->step->sweeps,
                                     .next = next_of_mwc,
                                     .halves = m->step->rule.downhill == DOWNHILL_COMPLEMENT,
                                     .sources = &m->mwc[machine_word * strips],
                                     .points = &m->points[machine_word * strips]};
    const int64_t *const replica = m->replica + machine_word * 32;
    strip_draws *const draws = malloc(strips * sizeof *draws);
    assert_non_null(draws);
    draw_corrections(&of_strips, draws);
    draw_planes(&of_strips, draws);
    for (uint64_t n = 0; n < lattice->sites; n++) {
        const lattice_site s = site_at(lattice, n);
        const strip_place p = site_strip(lattice, s);
        uint32_t accepted[MODEL_MAX_GAPS];
        if (site_colour(s) != half_sweep % 2)
            continue;
        const site_bonds bonds = bonds_of(lattice, s);
        for (uint32_t c = 0; c < lattice->gaps; c++)
            accepted[c] = strip_accepts_by(&draws[p.strip], table,
                                           bonds.count % 2 ? odd->bits : table->bits, c, p.word);
        for (uint32_t lane = 0; lane < 32; lane++) {
            int accept[MODEL_MAX_GAPS];
            for (uint32_t c = 0; c < lattice->gaps; c++)
                accept[c] = accepted[c] >> lane & 1;
            if (replica[lane] >= 0 && of_strips.halves)
                flip_or_not(m, (uint32_t)replica[lane], &bonds, accept,
                            draws[p.strip].half[p.word] >> lane & 1);
            else if (replica[lane] >= 0)
                flip(m, (uint32_t)replica[lane], &bonds, accept);
        }
    }
    free(draws);
}

/* All sweeps of a step. */
static void model_sweep(replicas *r, uint32_t word, rng_mode rng, const engine_step *step) {
    const uint32_t machine_words = (uint32_t)((r->count + word - 1) / word * word + 31) / 32;
    const uint32_t strips = strips_of(&r->worker->model);
    model m = {r,
               word,
               rng,
               step,
               malloc(machine_words * strips * sizeof(mwc_state)),
               malloc(machine_words * strips * sizeof(uint32_t)),
               malloc(machine_words * 32 * sizeof(int64_t))};
    assert_true(m.mwc && m.points && m.replica);
    for (uint32_t slot = 0; slot < machine_words * 32; slot++)
        m.replica[slot] = -1;
    for (uint32_t k = 0; k < r->count; k++)
        m.replica[slot_of(&m, k)] = k;
    for (uint32_t w = 0; w < machine_words; w++)
        for (uint32_t strip = 0; strip < strips; strip++) {
            const stream_block seed =
                stream_draw(step->key, STREAM_MWC, strip, w, 0, step->temperature);
            m.mwc[w * strips + strip] =
                mwc_seed(seed.number[0], seed.number[1], seed.number[2], seed.number[3]);
        }
    for (uint32_t half_sweep = 0; half_sweep < 2 * step->sweeps; half_sweep++)
        for (uint32_t w = 0; w < machine_words; w++)
            if (rng == RNG_INDEPENDENT)
                draw_decisions(&m, w, half_sweep);
            else
                compare_numbers(&m, w, half_sweep);
    free(m.mwc);
    free(m.points);
    free(m.replica);
}

/* Whether the random spins of a first population are bits `lane` of the words that its slots draw. */
static int spins_as_drawn(replicas *r, uint32_t word, rng_mode rng, stream_key key) {
    const model m = {r, word, rng, NULL, NULL, NULL, NULL};
    int as_drawn = 1;
    for (uint32_t k = 0; k < r->count; k++)
        for (uint64_t n = 0; n < r->worker->model.sites; n++) {
            const lattice_site s = site_at(&r->worker->model, n);
            const uint32_t i = (uint32_t)site_number(&r->worker->model, s), slot = slot_of(&m, k);
            const stream_block b = stream_draw(key, STREAM_RANDOMISE, i / 4, slot / 32, 0, 0);
            as_drawn &= spin_of(r, k, s) == (int)(b.number[i % 4] >> slot % 32 & 1);
        }
    return as_drawn;
}

/* --- The comparison --- */

static engine_step step_at(const update_kind *update, const spin_model *m, double beta,
                           uint32_t temperature, uint32_t sweeps) {
    engine_step step = {.key = {{0xdeadbeef, 0x01020304}},
                        .temperature = temperature,
                        .sweeps = sweeps,
                        .rule = flip_rule_at(update, m, beta)};
    return step;
}

/* A table in which class 0 is the denser, as at few temperatures, and with an even number of planes. */
static engine_step crowded_step(const update_kind *update, const spin_model *m) {
    engine_step step = step_at(update, m, 0.2, 3, 2);
    bernoulli_table *const table = &step.rule.bernoulli;
    table->planes = 4;
    table->bits[0] = 1;
    table->bits[1] = 6;
    table->thin[0] = 1;
    table->thin[1] = 0.5;
    if (m->gaps == 3) {
        table->bits[2] = 11;
        table->thin[2] = 0.75;
    }
    if (m->odd_sites) {
        step.rule.odd.bernoulli.bits[0] = 9;
        step.rule.odd.bernoulli.thin[0] = 0.5;
        step.rule.odd.bernoulli.thin[1] = 0.875;
    }
    return step;
}

/* One with an odd number, and the last class the densest or, of three, the second. */
static engine_step thin_step(const update_kind *update, const spin_model *m) {
    engine_step step = crowded_step(update, m);
    bernoulli_table *const table = &step.rule.bernoulli;
    table->planes = 5;
    table->thin[0] = 0.25;
    table->thin[1] = 1;
    if (m->odd_sites) { /* not all points count for the others */
        table->thin[1] = 0.75;
        step.rule.odd.bernoulli.thin[0] = 1;
    }
    return step;
}

/* Thresholds that are numbers of the stream, half of which are rounded up. */
static engine_step edge_step(rng_mode rng, uint32_t word, const spin_model *lattice, uint32_t count,
                             uint32_t temperature) {
    engine_step step = step_at(&metropolis_update, lattice, 0.2, temperature, 18);
    replicas r = {.count = count};
    const model m = {&r, word, rng, &step, NULL, NULL, NULL};
    const uint32_t size = lattice->edge[0];
    for (uint32_t c = 0; c < 2; c++) {
        const uint32_t row = (temperature + c) % size, column = temperature % (size / 2);
        const lattice_site s = {{2 * column + (row + c) % 2, row, 0}};
        step.rule.threshold[c] = number_of(&m, lattice, slot_of(&m, (3 * temperature + c) % count),
                                           s, temperature % step.sweeps);
        step.rule.fraction[c] = UINT64_C(1) << 63;
    }
    return step;
}

/* Takes the engine and the model through the steps, from the same random spins. Returns how many
 * bytes of spins differ at the end; `model_delay` shifts the model's temperature index. */
static size_t differing_bytes(engine_config config, uint64_t count, const engine_step *steps,
                              size_t number, uint32_t model_delay) {
    const stream_key key = {{5, (uint32_t)count}};
    config.capacity = count;
    replicas r = replicas_create(config, count), modelled = r;
    replicas_randomise(&r, key, count);
    assert_true(spins_as_drawn(&r, config.word, config.rng, key));
    modelled.spins = malloc(count * r.bytes);
    assert_non_null(modelled.spins);
    memcpy(modelled.spins, r.spins, count * r.bytes);
    for (size_t n = 0; n < number; n++) {
        engine_step step = steps[n];
        replicas_step(&r, step);
        step.temperature += model_delay;
        model_sweep(&modelled, config.word, config.rng, &step);
    }
    replicas_save(&r);
    assert_int_equal(r.count, count);
    size_t differing = 0;
    for (size_t n = 0; n < count * r.bytes; n++)
        differing += r.spins[n] != modelled.spins[n];
    free(modelled.spins);
    replicas_destroy(&r);
    return differing;
}

/* The same with thresholds that are met, in all word sizes. */
static void compare_edges(rng_mode rng) {
    static const uint32_t words[] = {8, 16, 32, 64};
    on_edge[0] = on_edge[1] = 0;
    for (size_t k = 0; k < COUNT(words); k++)
        for (uint32_t t = 1; t <= 24; t++) {
            const engine_config config = {
                .coding = CODING_MSC, .model = square_model(16), .word = words[k], .rng = rng};
            const engine_step step = edge_step(rng, words[k], &config.model, 77, t);
            if (differing_bytes(config, 77, &step, 1, 0))
                fail_msg("%s, p = %u: planted rule %u is not rounded as in the model",
                         rng_name(rng), words[k], t);
        }
    print_message("numbers equal to a threshold: %u accepted, %u not\n", on_edge[1], on_edge[0]);
    assert_true(on_edge[0] > 20 && on_edge[1] > 20);
}

/* Lattices, of which some have a last strip of one cell, strips of 2, 4 or 6 rows, or several groups of strips, the last one
 * smaller. The modes but independent have multiples of 16 in two dimensions. */
static const struct {
    const model_kind *kind;
    lattice_size size;
    bond_cut cut;
} lattices[] = {{&square_kind, {{16}}, ALL_BONDS},
                {&square_kind, {{32}}, ALL_BONDS},
                {&square_kind, {{48}}, ALL_BONDS},
                {&square_kind, {{32, 16}}, ALL_BONDS},
                {&glass2d_kind, {{16, 48}}, ALL_BONDS},
                {&square_kind, {{4}}, ALL_BONDS},
                {&square_kind, {{10, 14}}, ALL_BONDS},
                {&glass2d_kind, {{6}}, ALL_BONDS},
                {&glass2d_kind, {{18, 26}}, ALL_BONDS},
                {&glass2d_kind, {{10, 8}}, ALL_BONDS},
                {&glass2d_kind, {{14, 12}}, {"open", 0.2}},
                {&square_kind, {{6, 10}}, {"open,antiperiodic", 0}},
                {&cubic_kind, {{4}}, ALL_BONDS},
                {&cubic_kind, {{6}}, ALL_BONDS},
                {&cubic_kind, {{4, 10, 6}}, ALL_BONDS},
                {&glass3d_kind, {{8}}, ALL_BONDS},
                {&glass3d_kind, {{10, 6, 4}}, ALL_BONDS},
                {&glass3d_kind, {{6, 10, 12}}, ALL_BONDS},
                {&glass2d_kind, {{16, 32}}, {"open", 0.1}},
                {&square_kind, {{32, 16}}, {"antiperiodic,open", 0}},
                {&glass3d_kind, {{8, 4, 6}}, {"open", 0}},
                {&glass3d_kind, {{6}}, {"open,antiperiodic,periodic", 0.3}},
                {&cubic_kind, {{4}}, {"open,periodic,open", 0}}};

/* Compares all lattices, word sizes and populations in one mode. A population of 77 leaves lanes of
 * the last word empty for every p, and whole machine words are shared by several words of p lanes;
 * 5 do not even fill one word. Many sweeps are made on each lattice in one word size, in each on some. */
static void compare_all(const update_kind *update, rng_mode rng) {
    static const uint32_t words[] = {8, 16, 32, 64}, counts[] = {77, 5, 64};
    for (size_t i = 0; i < COUNT(lattices); i++) {
        couplings sample;
        const spin_model m =
            some_cut_model(lattices[i].kind, lattices[i].size, i, lattices[i].cut, &sample);
        const bool whole = m.dimension == 2 && m.edge[0] % 16 == 0 && m.edge[1] % 16 == 0;
        for (size_t k = 0; k < COUNT(words) && (whole || rng == RNG_INDEPENDENT); k++) {
            if (rng == RNG_INDEPENDENT && k != i % COUNT(words))
                continue; /* one size of words each: -p decides nothing in this mode */
            const uint32_t sweeps = (i + k) % COUNT(words) == 0 ? 12 : 4;
            const engine_step steps[] = {
                step_at(update, &m, 0.05, 1, 2), step_at(update, &m, 0.44, 2, sweeps),
                step_at(update, &m, 1.1, 3, 1),  crowded_step(update, &m),
                thin_step(update, &m),           step_at(update, &m, 0, 4, 1)};
            for (size_t n = 0; n < (m.sites <= 256 ? COUNT(counts) : 1); n++) {
                const engine_config config = {
                    .coding = CODING_MSC, .model = m, .word = words[k], .rng = rng};
                const size_t bytes = differing_bytes(config, counts[n], steps, COUNT(steps), 0);
                if (bytes)
                    fail_msg("%s, %s, %s (%zu), p = %u, R = %u: %zu bytes of spins differ from the "
                             "model",
                             update->name, rng_name(rng), m.name, i, words[k], counts[n], bytes);
            }
        }
        couplings_destroy(&sample);
    }
    if (rng != RNG_INDEPENDENT)
        compare_edges(rng);
    /* Negative control: random numbers of the next temperature. */
    const engine_config config = {
        .coding = CODING_MSC, .model = square_model(16), .word = 32, .rng = rng};
    const engine_step step = step_at(update, &config.model, 0.05, 1, 2);
    assert_true(differing_bytes(config, 77, &step, 1, 1) > 100);
}

static void independent_decides_as_defined(void **state) {
    (void)state;
    compare_all(&metropolis_update, RNG_INDEPENDENT);
}

static void heat_bath_decides_as_defined(void **state) {
    (void)state;
    compare_all(&heat_bath_update, RNG_INDEPENDENT);
}

static void philox_decides_as_defined(void **state) {
    (void)state;
    compare_all(&metropolis_update, RNG_PHILOX);
}

static void shared_decides_as_defined(void **state) {
    (void)state;
    compare_all(&metropolis_update, RNG_SHARED);
}

static void shared_reorder_decides_as_defined(void **state) {
    (void)state;
    compare_all(&metropolis_update, RNG_SHARED_REORDER);
}

static void lcg_decides_as_defined(void **state) {
    (void)state;
    compare_all(&metropolis_update, RNG_LCG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_decides_as_defined),
        cmocka_unit_test(heat_bath_decides_as_defined),
        cmocka_unit_test(philox_decides_as_defined),
        cmocka_unit_test(shared_decides_as_defined),
        cmocka_unit_test(shared_reorder_decides_as_defined),
        cmocka_unit_test(lcg_decides_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
