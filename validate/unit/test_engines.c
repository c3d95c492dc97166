/* What every engine must do whatever it draws at random: report what a plain loop over the saved
 * spins counts; save and load a population without a change; go on after a load as if nothing had
 * happened; give the same bits twice, and on any number of threads; and other bits for another seed
 * or another run. */
#include "validate/lib/annealer.h"
#include "validate/lib/replicas.h"

#include <omp.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A population that grows and shrinks a little, and never fills its last word or machine word. */
static const annealing_plan plan = {
    .seed = 1, .population = 301, .sweeps = 2, .steps = 6, .dbeta = 0.05, .threshold_factor = 1};

/* --- The engines --- */

#define MAX_ENGINES 60

typedef struct {
    engine_config config[MAX_ENGINES];
    size_t count;
} engine_list;

static void list_add_model(engine_list *list, spin_coding coding, spin_model model, uint32_t word,
                           rng_mode rng) {
    assert_true(list->count < MAX_ENGINES);
    list->config[list->count++] = (engine_config){
        .coding = coding, .model = model, .capacity = 600, .word = word, .rng = rng};
}

static void list_add(engine_list *list, spin_coding coding, uint32_t size, uint32_t word,
                     rng_mode rng) {
    list_add_model(list, coding, square_model(size), word, rng);
}

/* Both codings of the other models, whose samples last as long as the program. */
static void list_add_models(engine_list *list) {
    static const struct {
        const model_kind *kind;
        lattice_size size;
        bond_cut cut;
    } lattices[] = {{&square_kind, {{32, 16}}, ALL_BONDS},
                    {&glass2d_kind, {{16, 48}}, ALL_BONDS},
                    {&cubic_kind, {{6}}, ALL_BONDS},
                    {&cubic_kind, {{4, 8, 6}}, ALL_BONDS},
                    {&glass3d_kind, {{6}}, ALL_BONDS},
                    {&glass3d_kind, {{8, 4, 4}}, ALL_BONDS},
                    {&glass2d_kind, {{32, 16}}, {"open,antiperiodic", 0.1}},
                    {&glass3d_kind, {{4, 6, 4}}, {"open", 0}}};
    static couplings samples[COUNT(lattices)];
    for (size_t n = 0; n < COUNT(lattices); n++) {
        couplings_destroy(&samples[n]);
        const spin_model m =
            some_cut_model(lattices[n].kind, lattices[n].size, n, lattices[n].cut, &samples[n]);
        list_add_model(list, CODING_SSC, m, 0, RNG_INDEPENDENT);
        list_add_model(list, CODING_MSC, m, n % 2 ? 8 : 64, RNG_INDEPENDENT);
    }
}

/* Every mode and word size of MSC at this size. */
static void list_add_msc(engine_list *list, uint32_t size) {
    for (rng_mode rng = RNG_INDEPENDENT; rng <= RNG_LCG; rng++)
        for (uint32_t word = 8; word <= 64; word *= 2)
            list_add(list, CODING_MSC, size, word, rng);
}

static engine_list all_engines(void) {
    engine_list list = {.count = 0};
    list_add(&list, CODING_SSC, 4, 0, RNG_INDEPENDENT);
    list_add(&list, CODING_SSC, 6, 0, RNG_INDEPENDENT);
    list_add(&list, CODING_SSC, 16, 0, RNG_INDEPENDENT);
    list_add_msc(&list, 16);
    list_add(&list, CODING_MSC, 48, 32, RNG_INDEPENDENT);
    list_add(&list, CODING_MSC, 80, 64, RNG_LCG);
    list_add_models(&list);
    return list;
}

static void print_engine(engine_config c) {
    char size[LATTICE_TEXT_SIZE];
    print_message("  %s, %s, L = %s, p = %u, %s:\n", c.model.name, coding_name(c.coding),
                  lattice_text(size, model_size(&c.model)), c.word, rng_name(c.rng));
}

/* Takes the population from temperature `first` to temperature `last`. */
static void advance(replicas *r, const annealing_plan *p, uint32_t run, size_t first, size_t last) {
    if (first == 0)
        replicas_randomise(r, stream_run_key(p->seed, run), p->population);
    for (size_t i = first; i < last; i++) {
        resampling_tau_hat(&r->report, p->dbeta, p->population, r->tau_hat);
        replicas_step(r, annealing_step(r->worker, p, run, i + 1, r->tau_hat));
    }
    replicas_save(r);
}

/* A population after the whole annealing. */
static replicas annealed(engine_config config, const annealing_plan *p, uint32_t run) {
    replicas r = replicas_create(config, 0);
    advance(&r, p, run, 0, p->steps);
    return r;
}

/* Whether two populations are the same, spin by spin, with the same families and sums; founders and
 * parents of a loaded population are not known. */
static int same(const replicas *a, const replicas *b, int parents) {
    const histogram *const g = &a->report, *const h = &b->report;
    return a->count == b->count && !memcmp(a->spins, b->spins, a->count * a->bytes) &&
           !memcmp(a->families, b->families, a->count * sizeof *a->families) &&
           g->population == h->population && g->families == h->families &&
           g->family_squares == h->family_squares && !memcmp(g->block, h->block, sizeof g->block) &&
           (!parents || (!memcmp(g->founder, h->founder, sizeof g->founder) &&
                         !memcmp(g->parent, h->parent, sizeof g->parent))) &&
           g->first == h->first && g->end == h->end &&
           !memcmp(g->level, h->level, g->levels.count * sizeof *g->level);
}

/* --- Measurements --- */

/* E and M of a replica from its spins. */
static void count_spins(const replicas *r, uint64_t k, int64_t *energy, int64_t *magnetisation) {
    *energy = *magnetisation = 0;
    const spin_model *const m = &r->worker->model;
    for (uint64_t n = 0; n < m->sites; n++) {
        const lattice_site s = site_at(m, n);
        const int here = 2 * spin_of(r, k, s) - 1;
        for (uint32_t d = 0; d < m->dimension; d++) {
            int j;
            const lattice_site next = site_beside(m, s, d, true, &j);
            *energy -= j * here * (2 * spin_of(r, k, next) - 1);
        }
        *magnetisation += here;
    }
}

typedef struct {
    uint64_t replicas, abs_m, m2;
    uint128 m4;
} plain_sums;

/* How many sums of the histogram differ from those of plain loops over the saved spins; of a loaded
 * population, those over founders are not known. */
static size_t wrong_sums(const replicas *r, bool loaded) {
    const histogram *const h = &r->report;
    plain_sums *const level = calloc(h->levels.count, sizeof *level);
    block_sums block[POPULATION_BLOCKS] = {{0}};
    founder_sums founder[POPULATION_BLOCKS] = {{0}};
    uint64_t *const members = calloc(r->capacity, sizeof *members);
    uint64_t families = 0, squares = 0;
    size_t wrong = h->population != r->count;
    assert_true(level && members);
    for (uint64_t k = 0; k < r->count; k++) {
        int64_t energy, m;
        count_spins(r, k, &energy, &m);
        plain_sums *const l =
            &level[(energy - r->worker->model.levels.lowest) / r->worker->model.levels.spacing];
        block_sums *const b = &block[256 * k / r->count];
        l->replicas++;
        l->abs_m += (uint64_t)llabs(m);
        l->m2 += (uint64_t)(m * m);
        l->m4 += (uint128)(m * m) * (uint128)(m * m);
        b->replicas++;
        b->energy += energy;
        b->energy2 += (uint64_t)(energy * energy);
        b->abs_m += (uint64_t)llabs(m);
        b->m2 += (uint64_t)(m * m);
        const uint128 q = (uint128)(m * m) * (uint128)(m * m) / 16;
        b->q_low += (uint64_t)q & ((UINT64_C(1) << h->low_bits) - 1);
        b->q_high += (uint64_t)(q >> h->low_bits);
        founder_sums *const f = &founder[256 * r->families[k] / r->founders];
        f->replicas++;
        f->energy += energy;
        members[r->families[k]]++;
    }
    for (size_t n = 0; n < h->levels.count; n++) {
        const level_sums *const l = &h->level[n];
        const uint128 m4 = 16 * histogram_fourth(h, l->q_low, l->q_high);
        wrong += l->replicas != level[n].replicas || l->abs_m != level[n].abs_m ||
                 l->m2 != level[n].m2 || m4 != level[n].m4 ||
                 (l->replicas > 0 && (n < h->first || n >= h->end));
    }
    for (uint64_t family = 0; family < r->capacity; family++) {
        families += members[family] > 0;
        squares += members[family] * members[family];
    }
    wrong += h->families != families || h->family_squares != squares;
    wrong += memcmp(block, h->block, sizeof block) != 0;
    wrong += !loaded && memcmp(founder, h->founder, sizeof founder) != 0;
    free(level);
    free(members);
    return wrong;
}

static void reports_are_what_the_spins_say(void **state) {
    (void)state;
    const engine_list list = all_engines();
    for (size_t n = 0; n < list.count; n++) {
        replicas r = replicas_create(list.config[n], 0);
        for (size_t i = 0; i < plan.steps; i++) {
            advance(&r, &plan, 0, i, i + 1);
            const size_t wrong = wrong_sums(&r, false);
            if (wrong)
                print_engine(list.config[n]);
            assert_int_equal(wrong, 0);
        }
        /* Negative control: one spin other than reported. */
        flip_spin(&r, r.count - 1, site_at(&r.worker->model, 0));
        assert_true(wrong_sums(&r, false) > 0);
        replicas_destroy(&r);
    }
}

/* The largest |M|, M^2 and M^4, all spins parallel or antiparallel, on a lattice where M^4 needs
 * both halves of its sum. */
static void the_largest_sums_are_right(void **state) {
    (void)state;
    engine_list list = {.count = 0};
    list_add(&list, CODING_SSC, 128, 0, RNG_INDEPENDENT);
    list_add(&list, CODING_MSC, 128, 32, RNG_INDEPENDENT);
    for (size_t n = 0; n < list.count; n++) {
        replicas r = replicas_create(list.config[n], 45);
        for (uint64_t k = 0; k < r.count; k++)
            for (uint32_t y = 0; y < r.size; y++)
                for (uint32_t x = 0; x < r.size; x++)
                    set_spin(&r, k, x, y, k % 3 < 2 ? k % 3 == 0 : (x + y) % 2 == 0);
        replicas_load(&r);
        assert_int_equal(wrong_sums(&r, true), 0);
        assert_int_equal(r.report.level[0].replicas, 30);
        assert_int_equal(r.report.level[r.report.levels.count - 1].replicas, 15);
        replicas_destroy(&r);
    }
}

/* --- Saving and loading --- */

/* Loads the replicas of `from` in pieces of `piece`. */
static void load_in_pieces(replicas *to, const replicas *from, uint64_t piece) {
    engine *const e = to->worker;
    to->founders = from->founders;
    for (uint64_t first = 0; first < from->count; first += piece) {
        const uint64_t rest = from->count - first, count = piece < rest ? piece : rest;
        assert_int_equal(e->verbs->write(e, first, count, from->count,
                                         from->spins + first * from->bytes, from->families + first),
                         ENGINE_OK);
    }
    assert_int_equal(engine_measure(e, &to->report), ENGINE_OK);
}

static void save_in_pieces(replicas *r, uint64_t piece) {
    engine *const e = r->worker;
    r->count = r->report.population;
    for (uint64_t first = 0; first < r->count; first += piece) {
        const uint64_t rest = r->count - first, count = piece < rest ? piece : rest;
        assert_int_equal(
            e->verbs->read(e, first, count, r->spins + first * r->bytes, r->families + first),
            ENGINE_OK);
    }
}

/* From every engine of a lattice into every other, the other coding's too. */
static void fits_every_engine(const engine_list *list, size_t first, size_t end) {
    for (size_t n = first; n < end; n++) {
        replicas from = annealed(list->config[n], &plan, 0);
        for (size_t k = first; k < end; k++) {
            replicas to = replicas_create(list->config[k], 0);
            load_in_pieces(&to, &from, 1 + 16 * (k - first));
            save_in_pieces(&to, 50);
            if (!same(&from, &to, 0))
                print_engine(list->config[k]);
            assert_true(same(&from, &to, 0));
            replicas_destroy(&to);
        }
        replicas_destroy(&from);
    }
}

static void a_saved_population_fits_every_engine(void **state) {
    (void)state;
    engine_list list = {.count = 0};
    list_add(&list, CODING_SSC, 16, 0, RNG_INDEPENDENT);
    list_add_msc(&list, 16);
    fits_every_engine(&list, 0, list.count);
    list.count = 0;
    list_add_models(&list);
    for (size_t n = 0; n < list.count; n += 2)
        fits_every_engine(&list, n, n + 2);
}

/* An engine that had few founders takes a population of more: the sums over blocks of founders, which a file does not
 * tell, are nobody's. */
static void founders_of_what_is_loaded_are_not_known(void **state) {
    (void)state;
    engine_list list = {.count = 0};
    list_add(&list, CODING_SSC, 16, 0, RNG_INDEPENDENT);
    list_add_msc(&list, 16);
    for (size_t n = 0; n < list.count; n++) {
        replicas from = annealed(list.config[n], &plan, 0), to = replicas_create(list.config[n], 0);
        replicas_randomise(&to, stream_run_key(8, 0), 3);
        assert_true(to.report.founder[0].replicas > 0);
        load_in_pieces(&to, &from, 50);
        for (size_t b = 0; b < POPULATION_BLOCKS; b++)
            assert_true(to.report.founder[b].replicas == 0 && to.report.founder[b].energy == 0);
        assert_int_equal(to.report.families, from.report.families);
        replicas_destroy(&from);
        replicas_destroy(&to);
    }
}

/* Replicas of random spins, so that all differ. */
static void draw_spins(replicas *r) {
    for (uint64_t k = 0; k < r->count; k++) {
        const stream_key key = {{5, (uint32_t)k}};
        for (uint32_t n = 0; n < r->worker->model.sites; n++)
            if (stream_philox(key, n, 0, 0, 0).number[0] & 1)
                flip_spin(r, k, site_at(&r->worker->model, n));
    }
}

/* The pieces of a population, of 1, 2, 3, ... replicas, from the last back to the first. */
typedef engine_status use_piece(replicas *r, uint64_t first, uint64_t count);

static void use_backwards(replicas *r, use_piece *use) {
    for (uint64_t count = 1, end = r->count; end > 0; end -= count, count++) {
        count = count < end ? count : end;
        assert_int_equal(use(r, end - count, count), ENGINE_OK);
    }
}

static engine_status load_piece(replicas *r, uint64_t first, uint64_t count) {
    return r->worker->verbs->write(r->worker, first, count, r->count, r->spins + first * r->bytes,
                                   r->families + first);
}

static engine_status save_piece(replicas *r, uint64_t first, uint64_t count) {
    return r->worker->verbs->read(r->worker, first, count, r->spins + first * r->bytes,
                                  r->families + first);
}

/* How many bytes of the spins are not those of another population. */
static size_t wrong_bytes(const replicas *r, const uint8_t *spins) {
    size_t wrong = 0;
    for (size_t n = 0; n < r->count * r->bytes; n++)
        wrong += r->spins[n] != spins[n];
    return wrong;
}

/* What is saved, and measured, is what was loaded, wherever pieces begin and end; what is saved
 * later is of the population at hand. */
static void pieces_come_back_as_they_went(void **state) {
    (void)state;
    const engine_list list = all_engines();
    for (size_t n = 0; n < list.count; n++) {
        print_engine(list.config[n]);
        replicas r = replicas_create(list.config[n], 301);
        draw_spins(&r);
        uint8_t *const drawn = malloc(r.count * r.bytes);
        assert_non_null(drawn);
        memcpy(drawn, r.spins, r.count * r.bytes);
        use_backwards(&r, load_piece);
        assert_int_equal(engine_measure(r.worker, &r.report), ENGINE_OK);
        assert_int_equal(wrong_sums(&r, true), 0);
        memset(r.spins, 0, r.count * r.bytes);
        use_backwards(&r, save_piece);
        assert_int_equal(wrong_bytes(&r, drawn), 0);
        replicas_step(&r, annealing_step(r.worker, &plan, 0, 1, r.tau_hat));
        use_backwards(&r, save_piece);
        assert_int_equal(wrong_sums(&r, true), 0);
        assert_true(wrong_bytes(&r, drawn) > 0);
        replicas_randomise(&r, stream_run_key(plan.seed, 1), plan.population);
        assert_int_equal(wrong_sums(&r, true), 0);
        free(drawn);
        replicas_destroy(&r);
    }
}

static void a_loaded_population_goes_on_as_if_never_saved(void **state) {
    (void)state;
    const engine_list list = all_engines();
    for (size_t n = 0; n < list.count; n++) {
        replicas whole = annealed(list.config[n], &plan, 0);
        replicas first = replicas_create(list.config[n], 0);
        replicas second = replicas_create(list.config[n], 0);
        advance(&first, &plan, 0, 0, 3);
        load_in_pieces(&second, &first, 64);
        advance(&second, &plan, 0, 3, plan.steps);
        if (!same(&whole, &second, 1))
            print_engine(list.config[n]);
        assert_true(same(&whole, &second, 1));
        replicas_destroy(&whole);
        replicas_destroy(&first);
        replicas_destroy(&second);
    }
}

/* --- The same bits --- */

static void threads_do_not_matter(void **state) {
    (void)state;
    const engine_list list = all_engines();
    const int threads = omp_get_max_threads();
    for (size_t n = 0; n < list.count; n++) {
        omp_set_num_threads(1);
        replicas one = annealed(list.config[n], &plan, 0);
        for (int k = 2; k <= 3; k++) {
            omp_set_num_threads(k);
            replicas more = annealed(list.config[n], &plan, 0);
            if (list.config[n].coding == CODING_MSC)
                assert_int_equal(more.worker->threads, k);
            if (!same(&one, &more, 1))
                print_engine(list.config[n]);
            assert_true(same(&one, &more, 1));
            replicas_destroy(&more);
        }
        replicas_destroy(&one);
    }
    omp_set_num_threads(threads);
}

static void a_seed_gives_the_same_bits_twice_and_another_others(void **state) {
    (void)state;
    const engine_list list = all_engines();
    annealing_plan other_plan = plan;
    other_plan.seed++;
    for (size_t n = 0; n < list.count; n++) {
        replicas once = annealed(list.config[n], &plan, 0);
        replicas twice = annealed(list.config[n], &other_plan, 0);
        assert_false(same(&once, &twice, 0)); /* another seed */
        advance(&twice, &plan, 1, 0, plan.steps);
        assert_false(same(&once, &twice, 0)); /* another run */
        advance(&twice, &plan, 0, 0, plan.steps);
        if (!same(&once, &twice, 1))
            print_engine(list.config[n]);
        assert_true(same(&once, &twice, 1)); /* in an engine that has been used before */
        replicas_destroy(&once);
        replicas_destroy(&twice);
    }
}

/* 36 sites are four bytes and a half: what stands behind the last site in one replica that is written stands in none that is read. */
static void bits_behind_the_last_site_are_0(void **state) {
    (void)state;
    const engine_config config = {
        .coding = CODING_MSC, .model = square_model(6), .capacity = 128, .word = 32};
    const size_t bytes = model_packed_bytes(&config.model);
    engine *const e = engine_cpu_create(&config);
    uint8_t *const spins = calloc(100, bytes);
    uint32_t families[100];
    histogram h;
    assert_true(e != NULL && spins != NULL && bytes == 5);
    assert_int_equal(histogram_create(&h, &e->model), 0);
    assert_int_equal(e->verbs->randomise(e, stream_run_key(1, 0), 100, &h), ENGINE_OK);
    memset(spins, 0xff, bytes);
    families[0] = 40;
    assert_int_equal(e->verbs->write(e, 40, 1, 100, spins, families), ENGINE_OK);
    assert_int_equal(e->verbs->read(e, 0, 100, spins, families), ENGINE_OK);
    for (size_t k = 0; k < 100; k++)
        assert_int_equal(spins[k * bytes + 4] >> 4, 0);
    histogram_destroy(&h);
    e->verbs->destroy(e);
    free(spins);
}

/* A model that no engine sweeps is known as such. */
static void a_model_without_an_engine_is_refused(void **state) {
    (void)state;
    engine_config config = {
        .coding = CODING_MSC, .model = square_model(16), .capacity = 1, .word = 32};
    assert_true(engine_cpu_has(&config));
    config.model.name = "triangular";
    assert_false(engine_cpu_has(&config));
    assert_null(engine_cpu_create(&config));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_what_the_spins_say),
        cmocka_unit_test(the_largest_sums_are_right),
        cmocka_unit_test(a_saved_population_fits_every_engine),
        cmocka_unit_test(founders_of_what_is_loaded_are_not_known),
        cmocka_unit_test(pieces_come_back_as_they_went),
        cmocka_unit_test(a_loaded_population_goes_on_as_if_never_saved),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_seed_gives_the_same_bits_twice_and_another_others),
        cmocka_unit_test(bits_behind_the_last_site_are_0),
        cmocka_unit_test(a_model_without_an_engine_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
