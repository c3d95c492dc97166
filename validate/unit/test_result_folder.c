/* The folder of a result: it holds the files of one result, or none; and what it cannot take goes elsewhere. */
#include "files/result_names.h"
#include "validate/lib/some_result.h"

/* --- the folder --- */

/* Parameters that are as without options where the name does not say them. */
static parameters usual_parameters(void) {
    parameters p = some_parameters();
    p.seed = 2017;
    p.disorder = 1;
    p.ferromagnetic = 0.5;
    p.beta_end = 1;
    p.runs = 1;
    p.precision = 11;
    return p;
}

static void the_folder_is_named_as_the_published_program_names_it(void **state) {
    (void)state;
    parameters p = usual_parameters();
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_string_equal(folder.path, "dataMSC_L16_R1000_EqSw10_dB0.250000");
    assert_int_equal(count_files(folder.path), 1); /* the lock */
    result_folder_close(&folder);
    assert_int_equal(count_files("."), 0); /* new and empty: it goes again */

    p.coding = CODING_SSC;
    p.overlap = 0.8;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_string_equal(folder.path, "dataSSC_L16_R1000_EqSw10_overlap0.8");
    result_folder_close(&folder);
}

static void expect_name(const parameters *p, const char *expected) {
    char *const name = result_name_of_folder(p);
    assert_string_equal(name, expected);
    free(name);
}

/* What the published program does not have makes the name longer, and only that. */
static void simulations_that_differ_have_folders_of_their_own(void **state) {
    (void)state;
    const parameters usual = usual_parameters();
    parameters p = usual;
    p.seed = 18;
    p.update = UPDATE_OF_heat_bath;
    expect_name(&p, "dataMSC_L16_R1000_EqSw10_dB0.250000_updateheat-bath_seed18");
    p = usual;
    p.model = MODEL_glass2d;
    expect_name(&p, "dataMSC_glass2d_L16_R1000_EqSw10_dB0.250000");
    p.disorder = 3;
    p.sample = 7;
    p.dilution = 0.25;
    expect_name(&p, "dataMSC_glass2d_L16_R1000_EqSw10_dB0.250000_disorder3_sample7_dilution0.25");
    p.couplings = "bonds"; /* disorder, sample and dilution have no meaning then */
    p.fingerprint = 99;
    expect_name(&p, "dataMSC_glass2d_L16_R1000_EqSw10_dB0.250000_fingerprint99");
    p = usual;
    p.coding = CODING_SSC;
    p.field = "3/10";
    expect_name(&p, "dataSSC_L16_R1000_EqSw10_dB0.250000_field3-10");
    p = usual;
    p.beta_start = 0.25;
    p.runs = 3;
    expect_name(&p, "dataMSC_L16_R1000_EqSw10_dB0.250000_beta-start0.25_runs3");
    p.dbeta = 1e-7; /* %f says less */
    expect_name(&p, "dataMSC_L16_R1000_EqSw10_dB0.000000_beta-start0.25_dbeta1e-07_runs3");
}

/* Other contents of a file make another name, whatever file it is. */
static void files_are_known_by_their_contents(void **state) {
    (void)state;
    const parameters usual = usual_parameters();
    parameters p = usual;
    p.betas = "betas";
    p.betas_print = 99;
    expect_name(&p, "dataMSC_L16_R1000_EqSw10_betas-fingerprint99");
    p = usual;
    p.sweeps_file = "sweeps";
    p.sweeps_print = 98;
    expect_name(&p, "dataMSC_L16_R1000_EqSw10_dB0.250000_sweeps-fingerprint98");
    p = usual;
    p.relaxation = "times";
    p.relaxation_print = 97;
    expect_name(&p, "dataMSC_L16_R1000_EqSw10_dB0.250000_relaxation-fingerprint97");
    p = usual;
    p.load_spins = "spins.npy";
    p.load_print = 96;
    expect_name(&p, "dataMSC_L16_R1000_EqSw10_dB0.250000_load-spins-fingerprint96");
    const spin_graph g = {.sites = 5};
    p = usual;
    p.coding = CODING_SSC;
    p.graph_file = "graph";
    p.graph = &g;
    p.graph_print = 95;
    expect_name(&p, "dataSSC_graph_N5_R1000_EqSw10_dB0.250000_graph-fingerprint95");
}

/* A long name ends with a number that is another one where any setting is. */
static void long_names_are_cut(void **state) {
    (void)state;
    parameters p = usual_parameters();
    p.model = MODEL_glass2d;
    p.coding = CODING_SSC;
    p.couplings_type = COUPLINGS_GAUSSIAN;
    p.couplings_mean = 0.12345678901;
    p.couplings_width = 0.12345678901;
    p.dilution = 0.12345678901;
    p.beta_start = 0.12345678901;
    char *const name = result_name_of_folder(&p);
    p.seed++;
    char *const other = result_name_of_folder(&p);
    const char *const cut = strstr(name, "_and");
    assert_non_null(cut);
    assert_int_equal(strlen(cut), strlen("_and01234567"));
    assert_true(strncmp(name, other, (size_t)(cut - name) + 4) == 0);
    assert_string_not_equal(name, other);
    assert_in_range(strlen(name), 100, 200);
    free(name);
    free(other);
}

static void an_unusable_folder_is_refused(void **state) {
    (void)state;
    write_file("file", "");
    assert_int_equal(mkdir("kept", 0777), 0);
    char long_path[PATH_MAX] = "./";
    while (strlen(long_path) + 50 < sizeof long_path)
        strcat(long_path, "kept/../");
    const char *const paths[] = {"file",    "file/x",     "missing/x", "/dev/full",
                                 "/proc/x", "/proc/self", long_path};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        parameters p = some_parameters();
        p.output = paths[i];
        result_folder folder;
        assert_int_equal(result_folder_open(&folder, &p), STATUS_REFUSED);
        assert_int_equal(count_files("."), 2);
    }
    parameters p = some_parameters();
    p.output = "kept"; /* it was there before, so that it stays although nothing is put into it */
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    result_folder_close(&folder);
    assert_int_equal(count_files("kept"), 0);
}

static void an_existing_result_is_kept_without_force(void **state) {
    (void)state;
    const char *const names[] = {"run.json",
                                 "PA_results_run_12.dat",
                                 "PA_results_weighted.dat",
                                 "PA_MHR_results_run_0.dat",
                                 "PA_MHR_results_weighted.dat",
                                 "PA_couplings.dat",
                                 "PA_overlap_run_3.dat",
                                 "PA_overlap_weighted.dat",
                                 "PA_samples.dat",
                                 "PA_disorder_overlap.dat",
                                 "MC_disorder_overlap.dat",
                                 "PA_ground_state_run_0.dat"};
    parameters p = parameters_for("out");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const path_name path = path_in("out", names[i]);
        assert_int_equal(mkdir("out", 0777), 0);
        write_file(path.text, "old");
        p.force = false;
        assert_refused(&p, "holds a result already");
        assert_string_equal(read_file(path.text), "old");
        assert_int_equal(count_files("out"), 1);
        p.force = true;
        assert_allowed(&p);
        assert_string_equal(read_file(path.text), "old"); /* nothing new, nothing replaced */
        unlink(path.text);
        rmdir("out");
    }
    /* Other files are nobody's result. */
    assert_int_equal(mkdir("out", 0777), 0);
    write_file("out/PA_results_run_.dat", "");
    write_file("out/PA_results_run_1.dat.old", "");
    write_file("out/notes.txt", "");
    p.force = false;
    assert_allowed(&p);
    assert_int_equal(count_files("out"), 3);
}

static void what_is_no_file_is_refused_even_with_force(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    p.force = true;
    assert_int_equal(mkdir("out", 0777), 0);
    assert_int_equal(mkfifo("out/run.json", 0666), 0);
    assert_refused(&p, "run.json in it is not a regular file");
    unlink("out/run.json");
    assert_int_equal(symlink("/dev/full", "out/PA_results_run_0.dat"), 0);
    assert_refused(&p, "PA_results_run_0.dat in it is not a regular file");
    unlink("out/PA_results_run_0.dat");
    /* A link to a folder is followed. */
    assert_int_equal(symlink("out", "link"), 0);
    p.output = "link/";
    assert_put(&p, (some_result){.text = "new"});
    assert_holds("out", "new");
}

static void a_folder_has_one_owner(void **state) {
    (void)state;
    const parameters p = parameters_for("out");
    parameters q = parameters_for("./out/");
    result_folder first;
    q.force = true;
    assert_int_equal(result_folder_open(&first, &p), STATUS_OK);
    assert_refused(&q, "the folder is in use by process ");
    assert_int_equal(count_files("out"), 1); /* the lock */
    result_folder_close(&first);
    assert_int_equal(count_files("."), 0);
}

static void a_forced_result_replaces_the_whole_older_one(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    assert_int_equal(mkdir("out", 0777), 0);
    write_file("out/PA_results_run_0.dat", "old");
    write_file("out/PA_results_run_5.dat", "old");
    write_file("out/run.json", "old");
    write_file("out/notes.txt", "mine");
    p.force = true;
    assert_put(&p, (some_result){.text = "new"});
    assert_string_equal(read_file("out/notes.txt"), "mine");
    unlink("out/notes.txt");
    assert_holds("out", "new");
}

/* --- elsewhere --- */

/* Claims that a result went into another folder, which stderr names. */
static void assert_put_elsewhere(const parameters *p, some_result result, exit_status expected,
                                 const char *why, const char *where) {
    char said[1000], line[100];
    snprintf(line, sizeof line, "the result is in %s\n", where);
    const exit_status status = put(p, result, said);
    if (status != expected || strstr(said, why) == NULL || strstr(said, line) == NULL)
        fail_msg("status %d: %s", status, said);
    assert_holds(where, result.text);
}

static void what_the_folder_cannot_take_goes_beside_it(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    p.force = true;
    assert_put(&p, (some_result){.text = "old"});
    assert_int_equal(mkdir("out.1", 0777), 0);
    assert_put_elsewhere(&p, (some_result){.text = "new", .failures = 1}, STATUS_FAILED, "",
                         "out.2");
    assert_holds("out", "old");
    assert_int_equal(count_files("out.1"), 0);

    /* Nor can the one beside it: then into $TMPDIR. */
    char said[1000];
    assert_int_equal(mkdir("tmp", 0777), 0);
    setenv("TMPDIR", "tmp", 1);
    assert_int_equal(put(&p, (some_result){.text = "new", .failures = 2}, said), STATUS_FAILED);
    assert_non_null(strstr(said, "the result is in tmp/paising."));
    assert_int_equal(count_files("tmp"), 1);
    assert_int_equal(put(&p, (some_result){.text = "new", .failures = 3}, said), STATUS_FAILED);
    assert_null(strstr(said, "the result is in"));
    unsetenv("TMPDIR");
    assert_int_equal(count_files("tmp"), 1);
    assert_holds("out", "old");
    assert_int_equal(count_files("."), 4);
}

static void a_part_does_not_replace_a_whole(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    p.force = true;
    assert_put(&p, (some_result){.text = "old part", .interrupted = true});
    assert_put(&p, (some_result){.text = "a part", .interrupted = true});
    assert_holds("out", "a part");
    assert_put(&p, (some_result){.text = "whole"});
    assert_put_elsewhere(&p, (some_result){.text = "new part", .interrupted = true}, STATUS_OK,
                         "a part of a result does not replace a complete one", "out.1");
    assert_holds("out", "whole");
}

/* What happens to the folder between its opening and the result. */
static void a_folder_that_changed_meanwhile_is_left_alone(void **state) {
    (void)state;
    const parameters p = parameters_for("out");
    some_result result = {.text = "mine", .given = &p};
    result_folder folder;
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    write_file("out/run.json", "theirs");
    assert_int_equal(result_folder_put(&folder, write_result, &result, false), STATUS_FAILED);
    assert_string_equal(result_folder_place(&folder), "out.1");
    result_folder_close(&folder);
    assert_string_equal(read_file("out/run.json"), "theirs");
    assert_int_equal(count_files("out"), 1);
    assert_holds("out.1", "mine");

    assert_int_equal(unlink("out/run.json"), 0);
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    assert_int_equal(rename("out", "moved"), 0);
    assert_int_equal(mkdir("out", 0777), 0);
    assert_int_equal(result_folder_put(&folder, write_result, &result, false), STATUS_FAILED);
    result_folder_close(&folder);
    assert_int_equal(count_files("out"), 0);
    assert_holds("out.2", "mine");
}

/* A part that was not there gets there as a whole, unless somebody else has been first. */
static void a_part_that_is_new_gets_there_as_a_whole(void **state) {
    (void)state;
    const parameters p = parameters_for("all/part");
    some_result result = {.text = "mine", .given = &p};
    result_folder folder;
    bool there;
    assert_int_equal(mkdir("all", 0777), 0);
    assert_int_equal(result_folder_open_part(&folder, &p, &there), STATUS_OK);
    assert_non_null(result_folder_begin(&folder, "run.json"));
    assert_false(path_exists("all/part"));
    result_folder_close(&folder);
    assert_int_equal(count_files("all"), 0);

    assert_int_equal(mkdir("all/.paising.part.part", 0777), 0); /* of a process that was killed */
    write_file("all/.paising.part.part/PA_results_run_0.dat", "# paising 1.0: half a fi");
    assert_int_equal(result_folder_open_part(&folder, &p, &there), STATUS_OK);
    assert_int_equal(result_folder_put(&folder, write_result, &result, false), STATUS_OK);
    result_folder_close(&folder);
    assert_holds("all/part", "mine");
    assert_int_equal(count_files("all"), 1);

    assert_int_equal(rename("all/part", "moved"), 0);
    assert_int_equal(result_folder_open_part(&folder, &p, &there), STATUS_OK);
    assert_int_equal(mkdir("all/part", 0777), 0);
    write_file("all/part/run.json", "theirs");
    assert_int_equal(result_folder_put(&folder, write_result, &result, false), STATUS_FAILED);
    result_folder_close(&folder);
    assert_string_equal(read_file("all/part/run.json"), "theirs");
    assert_holds("all/part.1", "mine");
    assert_int_equal(count_files("all"), 2);
}

/* Claims that a part is refused, and why. */
static void assert_part_refused(const parameters *p, const char *says) {
    result_folder folder;
    char said[1000];
    bool there;
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = result_folder_open_part(&folder, p, &there);
    capture_end(&c, said, sizeof said);
    if (status != STATUS_REFUSED || strstr(said, says) == NULL)
        fail_msg("status %d, not refused with '%s': %s", status, says, said);
}

static void what_is_in_the_way_of_a_part_stays(void **state) {
    (void)state;
    static const char staged[] = "all/.paising.part.part";
    parameters p = parameters_for("all/part"), other = parameters_for(staged);
    assert_int_equal(mkdir("all", 0777), 0);
    /* What a link leads to is nobody's to remove. */
    other.seed++;
    other.output = "moved";
    assert_put(&other, (some_result){.text = "theirs"});
    assert_int_equal(symlink("../moved", staged), 0);
    assert_part_refused(&p, "all/.paising.part.part is in the way");
    assert_holds("moved", "theirs");
    assert_int_equal(unlink(staged), 0);
    /* A file; a folder with other files, also beside some that would be made again. */
    write_file(staged, "theirs");
    assert_part_refused(&p, "is in the way");
    assert_string_equal(read_file(staged), "theirs");
    assert_int_equal(unlink(staged), 0);
    assert_int_equal(mkdir(staged, 0777), 0);
    write_file("all/.paising.part.part/PA_results_run_0.dat", "# paising 1.0: half a fi");
    write_file("all/.paising.part.part/notes.txt", "theirs");
    assert_part_refused(&p, "is in the way");
    assert_int_equal(count_files(staged), 2);
    assert_int_equal(unlink("all/.paising.part.part/notes.txt"), 0);
    assert_int_equal(symlink("../../moved", "all/.paising.part.part/run.json"), 0);
    assert_part_refused(&p, "is in the way");
    assert_int_equal(count_files(staged), 2);
    assert_int_equal(system("rm -r all/.paising.part.part"), 0);
    /* Whole files of another simulation, but for --force. */
    assert_int_equal(rename("moved", staged), 0);
    assert_int_equal(unlink("all/.paising.part.part/run.json"), 0);
    assert_part_refused(&p, "all/.paising.part.part holds files of an unfinished result");
    assert_int_equal(count_files(staged), 1);
    p.force = true;
    result_folder folder;
    bool there;
    assert_int_equal(result_folder_open_part(&folder, &p, &there), STATUS_OK);
    result_folder_close(&folder);
    assert_int_equal(count_files("all"), 0);
}

static void a_lock_of_others_is_left_alone(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    p.force = true;
    assert_int_equal(mkdir("out", 0777), 0);
    write_file("out/.paising.lock", "mine\n");
    assert_refused(&p, "-o out: out/.paising.lock is in the way");
    assert_string_equal(read_file("out/.paising.lock"), "mine\n");
    assert_int_equal(unlink("out/.paising.lock"), 0);
    write_file("out/.paising.lock", "process 1 on a host that is no more\n");
    assert_allowed(&p);
    assert_int_equal(count_files("out"), 0);
}

/* --- what a resumed run may replace --- */

/* Whether a run that is resumed may put its result into the folder, where run.json says this. */
static bool is_replaced_with(const char *text, size_t size) {
    parameters p = parameters_for("out");
    char said[1000];
    bool there;
    p.resume = "ck";
    FILE *const file = fopen("out/run.json", "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return open_once(&p, &there, said) == STATUS_OK && !there;
}

static bool is_replaced(const char *text) {
    return is_replaced_with(text, strlen(text));
}

/* run.json as the program writes it, beside a data file of these tests. */
static const char *written(bool interrupted) {
    parameters p = parameters_for("out");
    p.force = true;
    assert_put(&p, (some_result){.text = "rows", .interrupted = interrupted});
    return read_file("out/run.json");
}

static void an_interrupted_run_is_known_however_its_file_is_laid_out(void **state) {
    (void)state;
    assert_true(is_replaced(written(true)));
    assert_false(is_replaced(written(false)));
    static const char *const interrupted[] = {
        "{\n    \"parts\": 1,\n    \"interrupted\": true,\n    \"seconds\": {\n    }\n}\n",
        "{\n    \"seconds\": [1, {}],\n    \"interrupted\": true\n}\n",
        "{\"interrupted\":true,\"parts\":1}",
        "{\"a\":\"\\\\\",\r\n\t\"interrupted\"\r\n:\r\n\ttrue}",
        "{\"a\": \"interrupted\", \"interrupted\": true}",
    };
    static const char *const whole[] = {
        "{\"interrupted\": false}",
        "{\"interrupted\": \"true\"}",
        "{\"parts\": 1}",
        "{\"parameters\": {\"interrupted\": true}}",
        "{\"engine\": \"\\\"interrupted\": true\", \"interrupted\": false}",
        "{\"interrupted_not\": true}",
        "{\"interrupt\": true}",
        "{\"a\": \"interrupted\"}",
        "{\"interrupted\"",
        "{\"interrupted\": tr",
        "\"",
        "",
    };
    for (size_t n = 0; n < sizeof interrupted / sizeof *interrupted; n++)
        if (!is_replaced(interrupted[n]))
            fail_msg("not known as interrupted: %s", interrupted[n]);
    for (size_t n = 0; n < sizeof whole / sizeof *whole; n++)
        if (is_replaced(whole[n]))
            fail_msg("taken for interrupted: %s", whole[n]);
    /* What a sanitizer sees: a name that goes on behind its end. */
    static const char longer[] = "{\"interrupted\0\0\0\": true}";
    assert_false(is_replaced_with(longer, sizeof longer - 1));
}

/* The interrupted result of another simulation, or of another program, wants --force. */
static void a_resumed_run_replaces_its_own_part_only(void **state) {
    (void)state;
    parameters p = parameters_for("out"), q = p;
    const some_result part = {.text = "rows", .interrupted = true};
    p.resume = "ck";
    assert_put(&q, part);
    assert_allowed(&p);
    assert_put(&p, part);
    q = p;
    q.seed++;
    assert_refused(&q, "holds a result already");
    q = p;
    q.population++;
    assert_refused(&q, "holds a result already");
    q = p;
    q.output = "out";
    q.device = DEVICE_CUDA; /* decides no data */
    assert_allowed(&q);
    write_file("out/PA_results_run_1.dat", "0 0 0 0 0 0 0 0 0 0\n");
    assert_refused(&p, "holds a result already");
    unlink("out/PA_results_run_0.dat");
    unlink("out/run.json");
    assert_refused(&p, "holds a result already");
    p.force = true;
    assert_allowed(&p);
}

/* A signal may come when the result is in its place, and the program has not ended. */
static void a_resumed_run_finds_its_own_whole(void **state) {
    (void)state;
    parameters p = parameters_for("out"), q = p;
    const some_result whole = {.text = "rows"};
    assert_put(&q, whole);
    p.resume = "ck";
    assert_used(&p, true);
    q = p;
    q.seed++;
    assert_refused(&q, "holds a result already");
    q = p;
    q.force = true;
    assert_allowed(&q);
    p.resume = NULL;
    assert_refused(&p, "holds a result already");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(the_folder_is_named_as_the_published_program_names_it),
        cmocka_unit_test(simulations_that_differ_have_folders_of_their_own),
        cmocka_unit_test(files_are_known_by_their_contents),
        cmocka_unit_test(long_names_are_cut),
        TEST_IN_SCRATCH(an_unusable_folder_is_refused),
        TEST_IN_SCRATCH(an_existing_result_is_kept_without_force),
        TEST_IN_SCRATCH(what_is_no_file_is_refused_even_with_force),
        TEST_IN_SCRATCH(a_folder_has_one_owner),
        TEST_IN_SCRATCH(a_forced_result_replaces_the_whole_older_one),
        TEST_IN_SCRATCH(what_the_folder_cannot_take_goes_beside_it),
        TEST_IN_SCRATCH(a_part_does_not_replace_a_whole),
        TEST_IN_SCRATCH(a_folder_that_changed_meanwhile_is_left_alone),
        TEST_IN_SCRATCH(a_part_that_is_new_gets_there_as_a_whole),
        TEST_IN_SCRATCH(what_is_in_the_way_of_a_part_stays),
        TEST_IN_SCRATCH(a_lock_of_others_is_left_alone),
        TEST_IN_SCRATCH(an_interrupted_run_is_known_however_its_file_is_laid_out),
        TEST_IN_SCRATCH(a_resumed_run_replaces_its_own_part_only),
        TEST_IN_SCRATCH(a_resumed_run_finds_its_own_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
