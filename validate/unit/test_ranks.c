/* Claims about engines made of engines (ranks/), on 1, 2, 3, 5 and 7 ranks, more than some populations have words:
 *  - over 80 sets of parameters, energies without levels, graphs and vectors among them, all reports, levels, spins, families and overlaps are
 *    those of one engine that holds the whole population, after a load too; and where steps are so large that parents come from any
 *    rank, where one level has all children, and where the population dies out or outgrows its memory;
 *  - that holds too where engines carry by memory of their own, and let what goes and comes wait as long as they may,
 *    while they make the children that need not; where they see each other's memory by their own means, or one of
 *    them fails to, when all do without; where parents stay and are asked for when the step has begun, and go in whole
 *    machine words; where parents of a rank, or partners of its replicas, are more than a message has room for; and
 *    where ranks see nothing of each other, and on several hosts, where some do and others do not;
 *  - likewise where the engines of all ranks are on GPUs, or those of every other one;
 *  - a population that all ranks write into a file stands there as one process would write it, with its checksum; what they
 *    read is what stands there, and families out of order are seen;
 *  - a comparison finds a replica that is lost on its way to another rank, one that is doubled, and a wrong family;
 *  - ranks get ready for engines before these are made;
 *  - a rank that has no memory for its engine, or whose engine fails in a verb of the exchange, is named, and the others
 *    end with it; one that has none for what its host shares is named, too, or does without.
 *
 * Started as any test, the program starts itself under mpirun; where that is missing, all is skipped. */
#include "validate/lib/rank_twins.h"
#include "validate/lib/under_mpirun.h"

#include <unistd.h>
#include <zlib.h>

/* --- claims --- */

/* 17 kinds of engine, and for each a population of many words, of few, of less than a word a rank, and of steps after
 * which a few parents have all children. Few ranks make every second of
 * them, other ones on 2 than on 3; many make a fourth. */
static void claim_all_is_as_of_one_engine(int plan) {
    static const struct {
        uint64_t population;
        double dbeta;
        size_t steps;
    } sizes[] = {{1000, 0.1, 4}, {321, 0.2, 5}, {192, 0.3, 5}, {40, 0.2, 5}, {700, 2, 3}};
    const uint32_t ranks = ranks_world().count, part = ranks > 3 ? 8 : 4;
    for (size_t k = 0; k < COUNT(engine_kinds); k++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            if ((k + s + ranks) % part > 0 || !plan_has(plan, engine_kinds[k].model))
                continue;
            parameter_set p = engine_kinds[k];
            size_t temperature;
            p.population = sizes[s].population;
            p.dbeta = sizes[s].dbeta;
            p.steps = sizes[s].steps;
            twins t = create(&p, plan);
            const char *const what = anneal_twins(&t, &p, &temperature);
            if (what != NULL)
                fail_msg("kind %zu, R = %zu, step %zu: %s not the same", k, (size_t)p.population,
                         temperature, what);
            destroy(&t);
        }
}

static void test_all_is_as_of_one_engine(void **state) {
    (void)state;
    claim_all_is_as_of_one_engine(SOUND);
}

static void test_gpus_are_as_one_engine(void **state) {
    (void)state;
    claim_all_is_as_of_one_engine(ON_GPUS);
}

static void test_gpus_beside_cpus_are_as_one_engine(void **state) {
    (void)state;
    claim_all_is_as_of_one_engine(MIXED);
}

static const parameter_set usual[] = {{CODING_SSC, 32, RNG_INDEPENDENT, 0, 1000, 0.3, 4},
                                      {CODING_MSC, 32, RNG_INDEPENDENT, 3, 1000, 0.3, 4}};

/* Of the levels of the replicas at hand, the first one that is occupied from `from` on has all children. */
static void favour(twins *t, size_t from, uint64_t population) {
    const histogram *const h = &t->report[0];
    size_t n = from;
    while (h->level[n].replicas == 0)
        n++;
    memset(t->tau_hat, 0, h->levels.count * sizeof *t->tau_hat);
    t->tau_hat[n] = (population << 32) / h->level[n].replicas;
}

static void claim_one_level_has_all_children(int plan) {
    for (size_t k = 0; k < COUNT(usual); k++) {
        const parameter_set *const p = &usual[k];
        engine_status status[2];
        twins t = create(p, plan);
        begin(&t, p->population);
        for (size_t index = 1; index < 6; index++) {
            const histogram *const h = &t.report[0];
            favour(&t, index % 2 ? h->first : h->first + (h->end - h->first) / 3, p->population);
            advance(&t, p->population, index, 0.1, status);
            assert_int_equal(status[0], ENGINE_OK);
            assert_int_equal(status[1], ENGINE_OK);
            claim_same(&t, false);
        }
        destroy(&t);
    }
}

static void test_one_level_has_all_children(void **state) {
    (void)state;
    claim_one_level_has_all_children(SOUND);
}

static void test_one_level_has_all_children_and_engines_are_late(void **state) {
    (void)state;
    claim_one_level_has_all_children(LATE);
}

/* Makes the usual steps of a kind with engines of this plan, which give what one engine gives, and counts assignments. */
static void make_usual(size_t k, int plan, parameter_set *p) {
    size_t temperature;
    *p = usual[k];
    p->population = 2000;
    p->dbeta = 0.05;
    twins t = create(p, plan);
    memset(assignments, 0, sizeof assignments);
    const char *const what = anneal_twins(&t, p, &temperature);
    if (what != NULL)
        fail_msg("kind %zu, step %zu: %s not the same", k, temperature, what);
    destroy(&t);
}

/* The usual steps, and most of them are begun before remote parents come. */
static void test_late_engines_begin_ahead(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(usual); k++) {
        parameter_set p;
        make_usual(k, LATE, &p);
        assert_int_equal(assignments[0], p.steps);
        assert_true(2 * assignments[AHEAD] > assignments[0]);
    }
}

/* What leaves is asked for when the step has begun, and goes in machine words. */
static void test_words_go_to_peers(void **state) {
    (void)state;
    words_taken = 0;
    peer_warms_up = 0;
    for (size_t k = 0; k < COUNT(usual); k++) {
        parameter_set p;
        make_usual(k, PEERS, &p);
        assert_true(assignments[UNASKED] == assignments[AHEAD] && 2 * assignments[AHEAD] > p.steps);
    }
    if (ranks_world().neighbours > 1)
        assert_true((words_taken > 0) == has_peers && (peer_warms_up > 0) == has_peers);
}

static void test_one_level_has_all_children_on_gpus(void **state) {
    (void)state;
    claim_one_level_has_all_children(ON_GPUS);
}

/* If one does not know how, or cannot, nobody does; the next engines may. What these give back stays, for others. */
static void test_engines_see_each_others_memory(void **state) {
    (void)state;
    for (int plan = ONE_IS_NONE; plan <= PEERS; plan++)
        claim_one_level_has_all_children(plan);
}

/* Both load a population of which the first half differs in few spins, and the other half is of another level. */
static void load_halves(twins *t, uint64_t population) {
    const uint64_t bytes = model_packed_bytes(&t->config.model);
    uint8_t *const spins = t->spins[0];
    for (uint64_t k = 0; k < population; k++) {
        const uint16_t few = (uint16_t)k;
        memset(spins + k * bytes, k < population / 2 ? 0xff : 0xa5, bytes);
        if (k < population / 2)
            memcpy(spins + k * bytes, &few, sizeof few);
        t->families[0][k] = (uint32_t)k;
    }
    for (size_t n = 0; n < 2; n++) {
        engine *const e = t->worker[n];
        assert_int_equal(e->verbs->write(e, 0, population, population, spins, t->families[0]),
                         ENGINE_OK);
        assert_int_equal(engine_measure(e, &t->report[n]), ENGINE_OK);
    }
}

/* The level that most replicas have has no children; the others have two for each. */
static void claim_half_has_all_children(size_t model, uint64_t population, int plan) {
    const parameter_set p = {CODING_MSC, 32, RNG_INDEPENDENT, model, population, 0, 1};
    engine_status status[2];
    twins t = create(&p, plan);
    load_halves(&t, population);
    const histogram *const h = &t.report[0];
    for (size_t n = h->first; n < h->end; n++)
        t.tau_hat[n] = h->level[n].replicas < population / 2 ? UINT64_C(2) << 32 : 0;
    advance(&t, population, 1, 0.1, status);
    assert_int_equal(status[0], ENGINE_OK);
    assert_int_equal(status[1], ENGINE_OK);
    claim_same(&t, true);
    destroy(&t);
}

/* Each rank gets all its replicas from one other rank. Small replicas are more in number than a message has room for
 * (PARTITION_PARENTS), on two ranks more than two messages have. The parents of large replicas, half as many, have more bytes than
 * a message that is sent (MIGRATION_BYTES), not more than one that is seen. On two and three ranks: a whole check has a time limit. */
static void claim_parents_are_more_than_a_message(int plan) {
    const uint64_t ranks = ranks_world().count, messages = ranks == 2 ? 2 : 1;
    if (ranks != 2 && ranks != 3)
        return;
    claim_half_has_all_children(1, ranks * (messages * PARTITION_PARENTS + 8000), plan);
    claim_half_has_all_children(LARGE_MODEL, ranks * 576, plan);
}

static void test_parents_are_more_than_a_message(void **state) {
    (void)state;
    for (int plan = LATE; plan <= PEERS; plan += PEERS - LATE)
        claim_parents_are_more_than_a_message(plan);
}

static void test_parents_are_more_than_a_message_on_gpus(void **state) {
    (void)state;
    claim_parents_are_more_than_a_message(ON_GPUS);
}

/* Ranks have eight words of partners or more for another, and room for seven where these are sent; of vectors a thousand replicas, and
 * room for half of them. On two and three ranks. */
static void test_partners_are_more_than_a_message(void **state) {
    (void)state;
    const uint64_t ranks = ranks_world().count;
    if (ranks != 2 && ranks != 3)
        return;
    const parameter_set sets[] = {
        {CODING_MSC, 32, RNG_INDEPENDENT, LARGE_MODEL, 1024 * ranks, 0, 0},
        {CODING_SSC, 32, RNG_INDEPENDENT, XY_GLASS_MODEL, 2048 * ranks + 13, 0, 0}};
    for (size_t k = 0; k < COUNT(sets); k++)
        for (int plan = LATE; plan <= PEERS; plan += PEERS - LATE) {
            twins t = create(&sets[k], plan);
            begin(&t, sets[k].population);
            claim_same(&t, false);
            destroy(&t);
        }
}

static void test_populations_die_out_and_outgrow(void **state) {
    (void)state;
    for (uint64_t each = 0; each < 4; each += 3) {
        const engine_status expected = each == 0 ? ENGINE_EXTINCT : ENGINE_OUTGROWN;
        engine_status status[2];
        twins t = create(&usual[1], SOUND);
        for (size_t run = 0; run < 2; run++) { /* another one can begin after it */
            begin(&t, usual[1].population);
            claim_same(&t, false);
            for (size_t n = 0; n < t.config.model.levels.count; n++)
                t.tau_hat[n] = each << 32;
            advance(&t, usual[1].population, 1, 0.1, status);
            assert_int_equal(status[0], expected);
            assert_int_equal(status[1], expected);
        }
        destroy(&t);
    }
}

/* What one engine saved the other loads, in pieces. */
static void test_loads(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(usual); k++) {
        const parameter_set *const p = &usual[k];
        twins t = create(p, SOUND), u = create(p, SOUND);
        size_t temperature;
        assert_null(anneal_twins(&t, p, &temperature));
        const uint64_t all = t.report[0].population, piece = 100;
        for (size_t n = 0; n < 2; n++) {
            engine *const e = u.worker[n];
            for (uint64_t first = 0; first < all; first += piece)
                assert_int_equal(
                    e->verbs->write(e, first, all - first < piece ? all - first : piece, all,
                                    t.spins[1 - n] + first * model_packed_bytes(&e->model),
                                    t.families[1 - n] + first),
                    ENGINE_OK);
            assert_int_equal(engine_measure(e, &u.report[n]), ENGINE_OK);
        }
        claim_same(&u, true);
        assert_int_equal(u.report[0].family_squares, t.report[0].family_squares);
        destroy(&t);
        destroy(&u);
    }
}

/* What a file has of the population that t->worker[0] saved last, in pieces. */
static uint8_t *expected_file(const twins *t, const engine_file *file, size_t *size) {
    const size_t bytes = model_packed_bytes(&t->config.model);
    uint8_t *const text = malloc(file->replicas * (bytes + sizeof(uint32_t)));
    assert_non_null(text);
    *size = 0;
    for (uint64_t first = 0; first < file->replicas; first += file->piece) {
        const uint64_t left = file->replicas - first,
                       count = left < file->piece ? left : file->piece;
        for (uint64_t k = first; k < first + count; k++, *size += sizeof(uint32_t))
            memcpy(text + *size, &t->families[0][k], sizeof **t->families);
        memcpy(text + *size, t->spins[0] + first * bytes, count * bytes);
        *size += count * bytes;
    }
    return text;
}

/* Has the ranks read the file, and holds what they then have against the other engine. */
static void claim_read(twins *t, const engine_file *file, const uint8_t *text, size_t size) {
    engine *const e = t->worker[1];
    engine_file given = *file;
    engine_file_outcome out = {.reached = false};
    FILE *const stream = fopen(file->path, "r+b");
    uint32_t family;
    given.write = false;
    assert_int_equal(e->verbs->transfer_file(e, &given, &out), ENGINE_OK);
    assert_true(out.reached && out.in_order);
    assert_int_equal(out.crc, crc32_z(0, text, size));
    assert_int_equal(engine_measure(e, &t->report[1]), ENGINE_OK);
    claim_same(t, true);

    assert_non_null(stream);
    memcpy(&family, text, sizeof family);
    family += 10000;
    assert_int_equal(fseek(stream, (long)file->offset, SEEK_SET), 0);
    assert_int_equal(fwrite(&family, sizeof family, 1, stream), 1);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(e->verbs->transfer_file(e, &given, &out), ENGINE_OK);
    assert_true(out.reached && !out.in_order);
    assert_int_not_equal(out.crc, crc32_z(0, text, size));
}

static void test_files(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(usual); k++) {
        const parameter_set *const p = &usual[k];
        twins t = create(p, SOUND);
        size_t temperature, size;
        assert_null(anneal_twins(&t, p, &temperature));
        engine *const e = t.worker[1];
        engine_file file = {.path = "/tmp/paising-ranks-XXXXXX",
                            .offset = 7,
                            .replicas = t.report[0].population,
                            .piece = 100,
                            .founders = p->population,
                            .write = true};
        engine_file_outcome out = {.reached = false};
        const int descriptor = mkstemp(file.path);
        assert_true(descriptor >= 0);
        assert_int_equal(e->verbs->transfer_file(e, &file, &out), ENGINE_OK);
        uint8_t *const text = expected_file(&t, &file, &size), *const there = malloc(size + 1);
        assert_true(out.reached && there != NULL);
        assert_int_equal(out.crc, crc32_z(0, text, size));
        assert_int_equal(pread(descriptor, there, size + 1, 7), size);
        assert_memory_equal(text, there, size);
        claim_read(&t, &file, text, size);

        file.path[0] = 'x'; /* a file that is not there */
        out.reached = false;
        assert_int_equal(e->verbs->transfer_file(e, &file, &out), ENGINE_OK);
        assert_false(out.reached);
        file.path[0] = '/';
        assert_int_equal(unlink(file.path), 0);
        close(descriptor);
        free(text);
        free(there);
        destroy(&t);
    }
}

/* Controls, on more than one rank. */
static void test_faults_are_found(void **state) {
    (void)state;
    if (ranks_world().count == 1)
        return;
    for (int plan = LOSES_ONE; plan <= WRONG_FAMILY; plan++)
        for (size_t k = 0; k < COUNT(usual); k++) {
            twins t = create(&usual[k], plan);
            size_t temperature;
            if (anneal_twins(&t, &usual[k], &temperature) == NULL)
                fail_msg("fault %d of kind %zu is not found", plan, k);
            destroy(&t);
        }
}

static void test_ranks_that_fail_are_named(void **state) {
    (void)state;
    char reason[300];
    const parameter_set *const p = &usual[0];
    twins t = create(p, SOUND);
    assert_null(ranks_engine(&t.config, p->population, NO_MEMORY, &maker, reason, sizeof reason));
    claim_named(reason, "planted: no memory");
    destroy(&t);
    for (int plan = FAILS_TO_PUT; plan <= FAILS_TO_ATTACH && ranks_world().count > 1; plan++) {
        t = create(p, plan);
        engine_status status[2] = {ENGINE_OK, ENGINE_OK};
        begin(&t, p->population);
        for (size_t index = 1; index <= 16 && status[1] == ENGINE_OK; index++) {
            resampling_tau_hat(&t.report[0], p->dbeta, p->population, t.tau_hat);
            advance(&t, p->population, index, p->dbeta * (double)index, status);
        }
        assert_int_equal(status[1], ENGINE_FAILED);
        claim_named(t.worker[1]->error, "planted");
        destroy(&t);
    }
    t = create(p, FAILS_TO_COMPLETE);
    begin(&t, p->population);
    const engine_step sweep = {.parts = PART_SWEEP | PART_MEASURE,
                               .sweeps = 1,
                               .rule = flip_rule_at(&metropolis_update, &t.config.model, 0.1)};
    assert_int_equal(t.worker[1]->verbs->step(t.worker[1], &sweep, &t.report[1]), ENGINE_FAILED);
    claim_named(t.worker[1]->error, "planted");
    destroy(&t);
}

static void test_ranks_get_ready(void **state) {
    (void)state;
    char reason[300];
    const engine_config config = {.coding = CODING_SSC, .model = models[0].model, .capacity = 100};
    engine *e = ranks_engine(&config, 50, READY, &maker, reason, sizeof reason);
    if (ranks_world().count > 1) {
        assert_null(e);
        assert_string_equal(reason, "rank 1: not ready");
        ranks_prepare(READY);
        e = ranks_engine(&config, 50, READY, &maker, reason, sizeof reason);
    }
    assert_non_null(e);
    e->verbs->destroy(e);
}

/* Engines of a lattice that no other test has, so that there is no memory that was shared before. */
static void test_a_rank_without_room_is_no_disaster(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* which wants memory of its own */
#endif
    char reason[300];
    const engine_config config = {.coding = CODING_SSC, .model = square_model(24), .capacity = 100};
    engine *const crowded = ranks_engine(&config, 50, CROWDED, &maker, reason, sizeof reason);
    if (crowded != NULL)
        crowded->verbs->destroy(crowded);
    else
        claim_named(reason, "not enough memory");
    engine *const again = ranks_engine(&config, 50, SOUND, &maker, reason, sizeof reason);
    assert_non_null(again);
    again->verbs->destroy(again);
}

/* A selection by levels that nobody knows. */
static void test_a_population_is_measured_before_it_is_resampled(void **state) {
    (void)state;
    twins t = create(&usual[0], SOUND);
    engine *const e = t.worker[1];
    begin(&t, usual[0].population);
    const engine_step selection = {.parts = PART_SELECT,
                                   .key = stream_run_key(SEED, 0),
                                   .temperature = 1,
                                   .founders = usual[0].population,
                                   .tau_hat = t.tau_hat};
    resampling_tau_hat(&t.report[0], usual[0].dbeta, usual[0].population, t.tau_hat);
    assert_int_equal(e->verbs->step(e, &selection, &t.report[1]), ENGINE_OK);
    assert_int_equal(e->verbs->step(e, &selection, NULL), ENGINE_FAILED);
    assert_non_null(strstr(e->error, "measured"));
    destroy(&t);
}

/* The program as one of the ranks. */
static int test_as_rank(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_as_of_one_engine),
        cmocka_unit_test(test_one_level_has_all_children),
        cmocka_unit_test(test_one_level_has_all_children_and_engines_are_late),
        cmocka_unit_test(test_late_engines_begin_ahead),
        cmocka_unit_test(test_engines_see_each_others_memory),
        cmocka_unit_test(test_words_go_to_peers),
        cmocka_unit_test(test_parents_are_more_than_a_message),
        cmocka_unit_test(test_partners_are_more_than_a_message),
        cmocka_unit_test(test_gpus_are_as_one_engine),
        cmocka_unit_test(test_gpus_beside_cpus_are_as_one_engine),
        cmocka_unit_test(test_one_level_has_all_children_on_gpus),
        cmocka_unit_test(test_parents_are_more_than_a_message_on_gpus),
        cmocka_unit_test(test_populations_die_out_and_outgrow),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_ranks_get_ready),
        cmocka_unit_test(test_a_rank_without_room_is_no_disaster),
        cmocka_unit_test(test_a_population_is_measured_before_it_is_resampled),
        cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_ranks_that_fail_are_named)};
    int failed = 0;
    if (ranks_begin(argc, argv) != STATUS_OK)
        return 1;
    if (ranks_world().rank > 0)
        ranks_run_worker(&maker);
    else
        failed = cmocka_run_group_tests(tests, set_up, tear_down);
    ranks_end();
    return failed + (int)peer_faults();
}

int main(int argc, char **argv) {
    return run_under_mpirun(argc, argv, test_as_rank);
}
