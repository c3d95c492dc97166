/* What killed processes have left in the folder of a result: finished, or left alone. Wherever one is killed, run.json
 * stands beside all files of its own result, files are all of one result, and the next process gets there. */
#include "validate/lib/some_result.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

/* --- every call that changes a name, or waits for the disk --- */

static int calls,
    last_call;   /* so many there were; before this one the process is killed, 0: it is not */
static int torn; /* calls behind which the folder was not as it must be at any time */

/* What stands in `out`: files of the result of seed 1 or 2, of both or of none; and whether run.json says that it is all. */
typedef struct {
    int files[3]; /* of seeds 1 and 2 */
    int state;    /* the seed in run.json; 0: it is not there */
} standing;

/* The seed that a file of `out` names with these words; 0: it is not there. */
static int seed_in(const char *name, const char *format) {
    const path_name path = path_in("out", name);
    char text[40];
    int of = 0;
    if (!path_exists(path.text))
        return 0;
    const char *const content = read_file(path.text);
    for (int seed = 1; seed <= 2; seed++) {
        snprintf(text, sizeof text, format, seed);
        of = strstr(content, text) != NULL ? seed : of;
    }
    assert_int_not_equal(of, 0);
    return of;
}

static standing look(void) {
    static const char *const data[] = {"PA_results_run_0.dat", "PA_results_weighted.dat",
                                       "PA_schedule.dat"};
    standing s = {.state = seed_in("run.json", "\"seed\": %d,")};
    for (size_t n = 0; n < sizeof data / sizeof *data; n++)
        s.files[seed_in(data[n], "\n# seed %d\n")]++;
    return s;
}

/* The older result, of seed 1, has three data files, the new one two, both with the names of older ones. */
static bool is_sound(standing s) {
    return (s.files[1] == 0 || s.files[2] == 0) &&
           (s.state == 0 || s.files[s.state] == (s.state == 1 ? 3 : 2));
}

/* Before a call, and behind it. */
static void begin_call(void) {
    if (++calls == last_call)
        _exit(9);
}

static int end_call(int done) {
    const int error = errno;
    if (last_call != 0)
        torn += !is_sound(look());
    errno = error;
    return done;
}

static bool signal_at_rename;

static int fail_with_signal(void) {
    raise(SIGTERM);
    errno = EIO;
    return -1;
}

/* Stand before the calls (the linker's --wrap). Nobody waits for the disk here. */
#define WRAP(call, arguments, done)                                                                \
    int __real_##call arguments;                                                                   \
    int __wrap_##call arguments;                                                                   \
    int __wrap_##call arguments {                                                                  \
        begin_call();                                                                              \
        return end_call(done);                                                                     \
    }
WRAP(rename, (const char *from, const char *to),
     signal_at_rename ? fail_with_signal() : __real_rename(from, to))
WRAP(unlink, (const char *path), __real_unlink(path))
WRAP(rmdir, (const char *path), __real_rmdir(path))
WRAP(fsync, (int file), 0 * file)

static bool gives_up; /* when all is written */

static int readdir_fails; /* the call number this from now on fails; 0: none does */
struct dirent *__real_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir) {
    if (readdir_fails > 0 && --readdir_fails == 0) {
        errno = EIO;
        return NULL;
    }
    return __real_readdir(dir);
}

static exit_status write_two(result_folder *folder, void *state) {
    const parameters *const p = state;
    const char *const names[] = {"PA_results_run_0.dat", "PA_results_weighted.dat",
                                 p->seed == 1 ? "PA_schedule.dat" : NULL};
    const spin_model model = parameters_model(p);
    const run_report report = {.engine = "an engine"};
    for (size_t n = 0; n < 3 && names[n] != NULL; n++) {
        FILE *const file = result_folder_begin(folder, names[n]);
        if (file == NULL)
            return STATUS_FAILED;
        result_header_print_title(file, p, &model);
        result_header_print_parameters(file, p);
    }
    const exit_status status = run_json_write(folder, p, &report);
    return gives_up ? STATUS_FAILED : status;
}

/* Puts the result of a seed into `out`, in a process of its own that is killed before call number `last`. Returns whether
 * it was. */
static bool put_killed(uint64_t seed, bool force, int last) {
    const pid_t child = fork();
    int status;
    if (child == 0) {
        parameters p = parameters_for("out");
        p.seed = seed;
        p.force = force;
        result_folder folder;
        freopen("/dev/null", "w", stderr);
        calls = torn = 0;
        last_call = last;
        if (result_folder_open(&folder, &p) == STATUS_OK) {
            result_folder_put(&folder, write_two, &p, false);
            result_folder_close(&folder);
        }
        _exit(torn > 0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 9)
        fail_msg("torn before call %d", last);
    return WEXITSTATUS(status) == 9;
}

static void make_older(void) {
    assert_int_equal(system("rm -rf out"), 0);
    assert_false(put_killed(1, false, 1000));
    assert_int_equal(look().files[1], 3);
}

/* Claims that the next process, which does not force anything, leaves one result in place, and nothing else. */
static int claim_next_gets_there(bool older) {
    char said[1000];
    parameters p = parameters_for("out");
    p.seed = 2;
    const exit_status status = try_folder(&p, said);
    const bool is_there = path_exists("out/run.json");
    if (status != (is_there ? STATUS_REFUSED : STATUS_OK))
        fail_msg("status %d: %s", status, said);
    assert_true(is_there || !older);
    if (!is_there)
        return 0;
    const standing s = look();
    assert_true(is_sound(s));
    assert_int_equal(count_files("out"), s.state == 1 ? 4 : 3);
    return s.state;
}

/* Killed before any call, with and without an older result; and so is the next process. */
static void killed_at_any_call(void **state) {
    (void)state;
    for (int older = 0; older < 2; older++) {
        int seen[3] = {0}, n = 1;
        for (bool killed = true; killed; n++) {
            for (int again = 1; again > 0; again++) {
                if (older)
                    make_older();
                else
                    assert_int_equal(system("rm -rf out"), 0);
                killed = put_killed(2, true, n);
                if (!killed || !put_killed(2, false, again))
                    again = -1;
                assert_true(!path_exists("out") || is_sound(look()));
                seen[claim_next_gets_there(older)]++;
            }
        }
        assert_true(n > 10);
        assert_true(seen[2] > 0 && seen[older ? 1 : 2] > 0);
    }
}

/* A result that cannot be written is removed, and a process that is killed meanwhile leaves nothing that is taken for one
 * on its way; beside what is left of an older one, too. */
static void killed_while_it_gives_up(void **state) {
    (void)state;
    int n = 1;
    for (bool killed = true; killed; n++) {
        char said[1000];
        parameters p = parameters_for("out");
        gives_up = false;
        make_older();
        gives_up = true;
        assert_int_equal(unlink("out/run.json"), 0);
        killed = put_killed(2, true, n);
        p.seed = 2;
        assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
        const standing s = look(); /* killed before it began to give up: the new one stands */
        assert_true(is_sound(s) && (s.files[1] == 3 || s.state == 2));
        assert_int_equal(count_files("out"), 3);
    }
    gives_up = false;
    assert_true(n > 5);
}

/* The same where --force removes what another one has left. */
static void killed_while_it_clears(void **state) {
    (void)state;
    int n = 1;
    for (bool killed = true; killed; n++) {
        char said[1000];
        parameters p = parameters_for("out");
        assert_int_equal(system("rm -rf out"), 0);
        assert_false(put_killed(2, false, 1000));
        assert_int_equal(
            system("mkdir new && cp out/run.json new && cp out/PA_results_run_0.dat new && "
                   "head -n 5 out/PA_results_weighted.dat >new/PA_results_weighted.dat"),
            0);
        make_older();
        assert_int_equal(unlink("out/run.json"), 0);
        assert_int_equal(rename("new", "out/.paising.new"), 0);
        killed = put_killed(1, true, n);
        try_folder(&p, said);
        assert_int_equal(look().files[1], 3);
    }
    assert_true(n > 10);
}

/* The new result stands, the older one is gone, the new one cannot be moved, and a second signal comes: it waits for the
 * next process. */
static void a_second_signal_removes_nothing_that_stands(void **state) {
    (void)state;
    char said[1000];
    int status;
    parameters p = parameters_for("out");
    make_older();
    p.seed = 2;
    p.force = true;
    const pid_t child = fork();
    if (child == 0) {
        const struct timespec not_the_same = {0, 310000000};
        result_folder folder;
        freopen("/dev/null", "w", stderr);
        signals_catch();
        raise(SIGTERM);
        nanosleep(&not_the_same, NULL);
        signal_at_rename = true;
        if (result_folder_open(&folder, &p) == STATUS_OK)
            result_folder_put(&folder, write_two, &p, false);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    p.force = false;
    assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
    assert_int_equal(look().state, 2);
    assert_int_equal(count_files("out"), 3);
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
    static const char *const texts[] = {"new", "newer"}; /* the older one gives way */
    const parameters p = parameters_for("out");
    for (size_t n = 0; n < 2; n++) {
        char said[1000];
        make_beside(texts[n], 1);
        leave(".paising.new", true);
        assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
        assert_non_null(strstr(said, "is there now"));
        assert_non_null(strstr(said, "holds a result already"));
        assert_holds("out", texts[n]);
    }
}

static ino_t inode_of(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0 ? s.st_ino : 0;
}

/* When its run.json is all that is left to move; but it does not replace that of another result. */
static void a_result_half_in_its_place_gets_there(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    char said[1000];
    make_beside("new", p.seed);
    leave(".paising.new", true);
    assert_int_equal(rename("out/.paising.new/PA_results_run_0.dat", "out/PA_results_run_0.dat"),
                     0);
    assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "is there now"));
    assert_holds("out", "new");

    make_beside("newer", p.seed + 1);
    leave(".paising.new", true);
    assert_int_equal(unlink("out/.paising.new/PA_results_run_0.dat"), 0);
    const ino_t its_own = inode_of("out/run.json");
    assert_refused(&p, "holds a result already");
    assert_holds("out", "new");
    assert_int_equal(inode_of("out/run.json"), its_own);
}

/* Files that are no whole result are not moved: without the data files, with one that was cut off, with a run.json that does
 * not say how many there are. */
static void what_is_not_whole_goes(void **state) {
    (void)state;
    static const char *const spoil[] = {"rm out/.paising.new/PA_results_run_0.dat",
                                        "truncate -s -5 out/.paising.new/PA_results_run_0.dat",
                                        "echo '{\"parts\": 1}' >out/.paising.new/run.json",
                                        "truncate -s -3 out/.paising.new/run.json"};
    parameters p = parameters_for("out");
    for (size_t n = 0; n < sizeof spoil / sizeof *spoil; n++) {
        make_beside("new", p.seed);
        leave(".paising.new", true);
        assert_int_equal(system(spoil[n]), 0);
        assert_allowed(&p);
        assert_int_equal(count_files("out"), 0);
    }
}

/* What cannot be read once is not taken for unfinished. */
static void a_rest_that_cannot_be_read_stays(void **state) {
    (void)state;
    bool failed = true;
    int n = 1;
    for (; failed; n++) {
        char said[1000];
        const parameters p = parameters_for("out");
        make_beside("new", p.seed);
        leave(".paising.new", true);
        assert_int_equal(
            rename("out/.paising.new/PA_results_run_0.dat", "out/PA_results_run_0.dat"), 0);
        readdir_fails = n;
        try_folder(&p, said);
        failed = readdir_fails == 0;
        readdir_fails = 0;
        assert_int_equal(try_folder(&p, said), STATUS_REFUSED);
        assert_holds("out", "new");
        assert_int_equal(system("rm -r out"), 0);
    }
    assert_true(n > 10);
}

/* Something that is no file has the name of one: the result that stands waits. */
static void what_is_no_file_is_not_removed_for_it(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    make_beside("new", 1);
    leave(".paising.new", true);
    write_file("mine", "mine");
    assert_int_equal(symlink("../mine", "out/PA_results_run_0.dat"), 0);
    assert_refused(&p, "PA_results_run_0.dat in it is not a regular file");
    p.force = true;
    assert_refused(&p, "PA_results_run_0.dat in it is not a regular file");
    assert_int_equal(count_files("out/.paising.new"), 2);
    assert_int_equal(unlink("out/PA_results_run_0.dat"), 0);
    assert_allowed(&p);
    assert_holds("out", "new");
}

static void a_link_in_place_of_the_hidden_folder_is_not_followed(void **state) {
    (void)state;
    parameters p = parameters_for("out");
    make_beside("precious", 1);
    p.force = true;
    mkdir("out", 0777);
    assert_int_equal(symlink("../out.1", "out/.paising.new"), 0);
    assert_refused(&p, "out/.paising.new is in the way");
    assert_holds("out.1", "precious");
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
    static const char *const begun[] = {"# paising 1.0: half a fi",
                                        "# pais",
                                        "",
                                        "# beta e\n# paising 1.0: half a fi",
                                        "# beta e\n# pais",
                                        "# beta e\n",
                                        "# beta e C |m"};
    for (size_t n = 0; n < sizeof begun / sizeof *begun; n++) {
        assert_int_equal(mkdir("out/.paising.new", 0777), 0);
        write_file("out/.paising.new/PA_results_run_0.dat", begun[n]);
        assert_allowed(&p);
        assert_int_equal(count_files("out"), 0);
    }
    static const char *const mine[] = {"# mine", "# mine\n# too",
                                       "# mine\n0 1\n# paising 1.0: half"};
    assert_int_equal(mkdir("out/.paising.new", 0777), 0);
    for (size_t n = 0; n < sizeof mine / sizeof *mine; n++) {
        write_file("out/.paising.new/PA_results_run_0.dat", mine[n]);
        assert_refused(&p, "out/.paising.new holds files of an unfinished result");
        assert_string_equal(read_file("out/.paising.new/PA_results_run_0.dat"), mine[n]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(killed_at_any_call),
        TEST_IN_SCRATCH(a_second_signal_removes_nothing_that_stands),
        TEST_IN_SCRATCH(killed_while_it_gives_up),
        TEST_IN_SCRATCH(killed_while_it_clears),
        TEST_IN_SCRATCH(what_stands_is_moved_into_its_place),
        TEST_IN_SCRATCH(a_result_half_in_its_place_gets_there),
        TEST_IN_SCRATCH(what_is_not_whole_goes),
        TEST_IN_SCRATCH(a_rest_that_cannot_be_read_stays),
        TEST_IN_SCRATCH(what_is_no_file_is_not_removed_for_it),
        TEST_IN_SCRATCH(a_link_in_place_of_the_hidden_folder_is_not_followed),
        TEST_IN_SCRATCH(unfinished_files_go_if_they_will_be_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
