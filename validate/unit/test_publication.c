/* What killed processes have left in the folder of a result: finished, taken back, or left alone. Wherever one is
 * killed, run.json stands beside the files of its own result. */
#include "validate/lib/some_result.h"

/* --- every move of a file --- */

static int moves,
    torn; /* all, and those behind which run.json of `out` had no file, or another result's */

/* Whether a file of `out` is there and says so. */
static bool says(const char *name, const char *format, int seed) {
    char text[40];
    const path_name path = path_in("out", name);
    snprintf(text, sizeof text, format, seed);
    return path_exists(path.text) && strstr(read_file(path.text), text) != NULL;
}

/* Stands before rename (the linker's --wrap). */
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
    const int done = __real_rename(from, to);
    bool good = !path_exists("out/run.json");
    for (int seed = 1; seed <= 2; seed++)
        good = good || (says("run.json", "\"seed\": %d,", seed) &&
                        says("PA_results_run_0.dat", "\n# seed %d\n", seed));
    moves++;
    torn += !good;
    return done;
}

static void run_json_stands_beside_its_own_files(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    p.force = true;
    moves = torn = 0;
    for (p.seed = 1; p.seed <= 2; p.seed++)
        assert_put(&p, (some_result){.text = "a result"});
    assert_true(moves >= 6); /* in; out, and in */
    assert_int_equal(torn, 0);
    assert_true(says("run.json", "\"seed\": %d,", 2));
}

/* --- what killed processes have left --- */

/* Moves the files of out.1 into a hidden folder of out, run.json too if it is to go. */
static void leave(const char *part, bool with_state) {
    const path_name folder = path_in("out", part);
    mkdir("out", 0777);
    assert_int_equal(mkdir(folder.text, 0777), 0);
    assert_int_equal(
        rename("out.1/PA_results_run_0.dat", path_in(folder.text, "PA_results_run_0.dat").text), 0);
    if (with_state)
        assert_int_equal(rename("out.1/run.json", path_in(folder.text, "run.json").text), 0);
    else
        unlink("out.1/run.json");
    assert_int_equal(rmdir("out.1"), 0);
}

/* Makes a result in out.1. */
static void make_beside(const char *text, uint64_t seed) {
    parameters p = parameters_for("out.1");
    p.seed = seed;
    assert_put(&p, (some_result){.text = text});
}

static void what_stands_is_moved_into_its_place(void **state) {
    (void)state;
    static const char *const parts[] = {".paising.whole", ".paising.moving", ".paising.new"};
    const parameters p = parameters_for("out");
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) {
        char said[1000];
        make_beside("new", 1);
        leave(parts[n], true);
        assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
        assert_non_null(strstr(said, "is there now"));
        assert_non_null(strstr(said, "holds a result already"));
        assert_holds("out", "new");
        /* The older one gives way. */
        make_beside("newer", 1);
        leave(parts[n], true);
        if (strcmp(parts[n], ".paising.moving") != 0) {
            assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
            assert_holds("out", "newer");
        }
        assert_int_equal(system("rm -r out"), 0);
    }
}

static void a_result_half_in_its_place_gets_there(void **state) {
    (void)state;
    const parameters p = parameters_for("out");
    char said[1000];
    make_beside("old", 1);
    leave(".paising.older", true);
    make_beside("new", 1);
    leave(".paising.moving", true);
    assert_int_equal(rename("out/.paising.moving/PA_results_run_0.dat", "out/PA_results_run_0.dat"),
                     0);
    assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
    assert_holds("out", "new");
}

static void an_older_result_comes_back(void **state) {
    (void)state;
    const parameters p = parameters_for("out");
    char said[1000];
    make_beside("old", 1);
    leave(".paising.older", true);
    assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
    assert_holds("out", "old");
    /* Not when the new one is in its place. */
    make_beside("older", 1);
    leave(".paising.older", true);
    assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
    assert_holds("out", "old");
}

static void a_link_in_place_of_one_of_its_folders_is_not_followed(void **state) {
    (void)state;
    static const char *const parts[] = {".paising.new", ".paising.whole", ".paising.older",
                                        ".paising.moving"};
    parameters p = parameters_for("out");
    make_beside("precious", 1);
    p.force = true;
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) {
        const path_name link = path_in("out", parts[n]);
        mkdir("out", 0777);
        assert_int_equal(symlink("../out.1", link.text), 0);
        assert_refused(&p, "is not a folder");
        assert_holds("out.1", "precious");
        assert_int_equal(unlink(link.text), 0);
    }
}

static void unfinished_files_go_if_they_will_be_made_again(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    make_beside("new", p.seed);
    leave(".paising.new", false);
    assert_allowed(&p);
    assert_int_equal(count_files("out"), 0);

    make_beside("another one's", 1);
    leave(".paising.new", false);
    assert_refused(&p, "out/.paising.new holds files of an unfinished result");
    assert_int_equal(count_files("out/.paising.new"), 1);
    p.force = true;
    assert_allowed(&p);
    assert_int_equal(count_files("out"), 0);

    /* A file of nobody's is not removed, not even with --force, and nothing else is. */
    make_beside("new", p.seed);
    leave(".paising.new", false);
    write_file("out/.paising.new/notes.txt", "mine");
    assert_refused(&p, "out/.paising.new is in the way");
    assert_int_equal(count_files("out/.paising.new"), 2);
    assert_int_equal(system("rm -r out/.paising.new"), 0);

    p.force = false;
    static const char *const begun[] = {"# paising 1.0: half a fi", "# pais", ""};
    for (size_t n = 0; n < sizeof begun / sizeof *begun; n++) {
        assert_int_equal(mkdir("out/.paising.new", 0777), 0);
        write_file("out/.paising.new/PA_results_run_0.dat", begun[n]);
        assert_allowed(&p);
        assert_int_equal(count_files("out"), 0);
    }
    assert_int_equal(mkdir("out/.paising.new", 0777), 0);
    write_file("out/.paising.new/PA_results_run_0.dat", "# mine");
    assert_refused(&p, "out/.paising.new holds files of an unfinished result");
    assert_string_equal(read_file("out/.paising.new/PA_results_run_0.dat"), "# mine");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(run_json_stands_beside_its_own_files),
        TEST_IN_SCRATCH(what_stands_is_moved_into_its_place),
        TEST_IN_SCRATCH(a_result_half_in_its_place_gets_there),
        TEST_IN_SCRATCH(an_older_result_comes_back),
        TEST_IN_SCRATCH(a_link_in_place_of_one_of_its_folders_is_not_followed),
        TEST_IN_SCRATCH(unfinished_files_go_if_they_will_be_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
