/* What keeps files whole: temporary names, locks, signals. */
#include "base/lock_file.h"
#include "base/safe_file.h"
#include "validate/lib/scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- one file --- */

static void a_file_appears_when_it_is_complete(void **state) {
    (void)state;
    write_file("result", "old");
    safe_file file;
    assert_int_equal(safe_file_open(&file, "result"), STATUS_OK);
    fprintf(file.stream, "new\n");
    assert_string_equal(read_file("result"), "old");
    assert_int_equal(safe_file_close(&file), STATUS_OK);
    assert_string_equal(read_file("result"), "old");
    assert_int_equal(safe_file_publish(&file), STATUS_OK);
    assert_string_equal(read_file("result"), "new\n");
    assert_int_equal(count_files("."), 1);
    safe_file_abort(&file); /* does nothing */
    assert_int_equal(count_files("."), 1);
}

static void an_aborted_file_leaves_nothing(void **state) {
    (void)state;
    safe_file file;
    assert_int_equal(safe_file_open(&file, "./result"), STATUS_OK);
    fprintf(file.stream, "half");
    assert_int_equal(count_files("."), 1);
    safe_file_abort(&file);
    assert_int_equal(count_files("."), 0);
}

/* The limit holds while the file is printed, and not at the end any more, or at its end only. */
static void a_limit_on_file_sizes_is_an_error(void **state) {
    (void)state;
    struct rlimit usual;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const struct rlimit low = {1000, usual.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    for (int while_printing = 0; while_printing < 2; while_printing++) {
        safe_file file;
        assert_int_equal(safe_file_open(&file, "result"), STATUS_OK);
        setrlimit(RLIMIT_FSIZE, while_printing ? &low : &usual);
        for (int i = 0; i < (while_printing ? 100000 : 1000); i++)
            fprintf(file.stream, "%d\n", i);
        setrlimit(RLIMIT_FSIZE, while_printing ? &usual : &low);
        const exit_status status = safe_file_close(&file);
        setrlimit(RLIMIT_FSIZE, &usual);
        assert_int_equal(status, STATUS_FAILED);
        assert_int_equal(count_files("."), 0);
    }
}

/* Whether an unfinished file is removed that says this, where files begin with "left"; or, without a text, what make()
 * makes of its name. */
static bool is_removed(const char *text, int make(const char *name)) {
    char foreign[NAME_MAX + 1];
    if (text != NULL)
        write_file(".ck.1.tmp", text);
    else
        assert_int_equal(make(".ck.1.tmp"), 0);
    const bool removed = safe_file_remove_stale("./ck", "left", 4, foreign);
    assert_string_equal(foreign, removed ? "" : ".ck.1.tmp");
    return removed;
}

static int make_link(const char *name) {
    return symlink("left", name);
}

static int make_second_name(const char *name) {
    return link("left", name);
}

static int make_folder(const char *name) {
    return mkdir(name, 0777);
}

static int make_pipe(const char *name) {
    return mkfifo(name, 0666);
}

static void what_killed_processes_have_left_goes(void **state) {
    (void)state;
    static const char *const own[] = {"left", "", "le", "left and more"};
    write_file("ck", "");
    write_file(".ck.x.tmp", "another one's");
    write_file(".ck2.1.tmp", "another one's");
    write_file(".ck.123456789.tmp", "left");
    for (size_t n = 0; n < sizeof own / sizeof *own; n++) {
        assert_true(is_removed(own[n], NULL));
        assert_int_equal(count_files("."), 3);
    }
}

static void what_others_have_left_stays(void **state) {
    (void)state;
    static const char *const foreign[] = {"x", "lefT", "lef\n", "mine"};
    static int (*const make[])(const char *) = {make_link, make_second_name, make_folder,
                                                make_pipe};
    write_file("left", "left");
    for (size_t n = 0; n < sizeof foreign / sizeof *foreign; n++) {
        assert_false(is_removed(foreign[n], NULL));
        assert_string_equal(read_file(".ck.1.tmp"), foreign[n]);
        assert_int_equal(unlink(".ck.1.tmp"), 0);
    }
    for (size_t n = 0; n < sizeof make / sizeof *make; n++) {
        assert_false(is_removed(NULL, make[n]));
        assert_int_equal(count_files("."), 2);
        assert_int_equal(remove(".ck.1.tmp"), 0);
    }
}

/* Another program may have made a file of its name meanwhile. */
static void a_temporary_name_that_is_taken_is_left_to_its_owner(void **state) {
    (void)state;
    char taken[40];
    snprintf(taken, sizeof taken, ".result.%ld.tmp", (long)getpid());
    write_file(taken, "mine");
    safe_file file;
    assert_int_equal(safe_file_open(&file, "result"), STATUS_OK);
    fprintf(file.stream, "new\n");
    assert_int_equal(count_files("."), 2);
    assert_int_equal(safe_file_close(&file), STATUS_OK);
    assert_int_equal(safe_file_publish(&file), STATUS_OK);
    assert_string_equal(read_file("result"), "new\n");
    assert_string_equal(read_file(taken), "mine");
    assert_int_equal(count_files("."), 2);
}

/* --- locks --- */

static void a_lock_has_one_owner(void **state) {
    (void)state;
    lock_file lock, second;
    char holder[LOCK_HOLDER_SIZE], expected[40];
    assert_int_equal(lock_file_take(&lock, "lock", holder), LOCK_TAKEN);
    assert_int_equal(lock_file_take(&second, "lock", holder), LOCK_HELD);
    snprintf(expected, sizeof expected, "process %ld on ", (long)getpid());
    assert_memory_equal(holder, expected, strlen(expected));
    lock_file_release(&second); /* does nothing */
    assert_true(lock_file_stands(&lock));
    lock_file_release(&lock);
    assert_int_equal(count_files("."), 0);
    assert_int_equal(lock_file_take(&second, "lock", holder), LOCK_TAKEN);
    lock_file_release(&second);
}

/* A process takes the lock, and is killed. */
static void leave_lock(void) {
    lock_file lock;
    char holder[LOCK_HOLDER_SIZE];
    const pid_t child = fork();
    if (child == 0) {
        lock_file_take(&lock, "lock", holder);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_lock_ends_with_its_process(void **state) {
    (void)state;
    lock_file lock;
    char holder[LOCK_HOLDER_SIZE];
    leave_lock();
    assert_int_equal(count_files("."), 1);
    assert_int_equal(lock_file_take(&lock, "lock", holder), LOCK_TAKEN);
    lock_file_release(&lock);
    assert_int_equal(count_files("."), 0);
}

/* Between its lock and its name the name of one that was killed stands there. */
static void nobody_who_has_ended_holds_a_lock(void **state) {
    (void)state;
    lock_file lock;
    char holder[LOCK_HOLDER_SIZE];
    leave_lock();
    const int descriptor = open("lock", O_RDWR);
    assert_int_equal(flock(descriptor, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(lock_file_take(&lock, "lock", holder), LOCK_HELD);
    assert_string_equal(holder, "another process");
    close(descriptor);
}

static void a_lock_that_lost_its_name_is_known(void **state) {
    (void)state;
    lock_file lock;
    char holder[LOCK_HOLDER_SIZE];
    assert_int_equal(lock_file_take(&lock, "lock", holder), LOCK_TAKEN);
    assert_int_equal(unlink("lock"), 0);
    assert_false(lock_file_stands(&lock));
    write_file("lock", "of another process");
    assert_false(lock_file_stands(&lock));
    lock_file_release(&lock);
    assert_string_equal(read_file("lock"), "of another process");
}

/* How the lock is taken, and given back if it is, where something stands already. */
static lock_status try_lock(void) {
    lock_file lock;
    char holder[LOCK_HOLDER_SIZE];
    const lock_status status = lock_file_take(&lock, "lock", holder);
    lock_file_release(&lock);
    return status;
}

static void what_is_no_lock_is_left_alone(void **state) {
    (void)state;
    static const char *const foreign[] = {"mine",
                                          "\n",
                                          "process 1 on",
                                          "process 1 on here",
                                          "process 01 on here\n",
                                          "process 1 on here\nmore",
                                          "process 1 on here\n\n",
                                          " process 1 on here\n"};
    static const char *const own[] = {"", "process 1 on here\n",
                                      "process 12 on a host of spaces\n"};
    static int (*const make[])(const char *) = {make_link, make_second_name, make_folder,
                                                make_pipe};
    lock_file lock;
    char holder[LOCK_HOLDER_SIZE];
    for (size_t n = 0; n < sizeof foreign / sizeof *foreign; n++) {
        write_file("lock", foreign[n]);
        assert_int_equal(try_lock(), LOCK_FOREIGN);
        assert_string_equal(read_file("lock"), foreign[n]);
    }
    for (size_t n = 0; n < sizeof own / sizeof *own; n++) {
        write_file("lock", own[n]);
        assert_int_equal(try_lock(), LOCK_TAKEN);
        assert_int_equal(count_files("."), 0);
    }
    write_file("left", "process 1 on here\n");
    for (size_t n = 0; n < sizeof make / sizeof *make; n++) {
        assert_int_equal(make[n]("lock"), 0);
        assert_int_equal(try_lock(), LOCK_FOREIGN);
        assert_string_equal(read_file("left"), "process 1 on here\n");
        assert_int_equal(remove("lock"), 0);
    }
    assert_int_equal(lock_file_take(&lock, "missing/lock", holder), LOCK_FAILED);
}

/* What another program has locked is not named as the process that holds it. */
static void the_lock_of_another_program_is_held(void **state) {
    (void)state;
    lock_file lock;
    char holder[LOCK_HOLDER_SIZE];
    write_file("lock", "a secret\n");
    const int descriptor = open("lock", O_RDWR);
    assert_int_equal(flock(descriptor, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(lock_file_take(&lock, "lock", holder), LOCK_HELD);
    assert_string_equal(holder, "another process");
    assert_string_equal(read_file("lock"), "a secret\n");
    close(descriptor);
}

/* --- signals --- */

/* What a child does that gets some signals while it writes a file: 0 stands for half a second. */
static int child_with_signals(const int signals[], size_t count) {
    const pid_t child = fork();
    if (child == 0) {
        safe_file file;
        signals_catch();
        if (safe_file_open(&file, "file") != STATUS_OK)
            _exit(100);
        for (size_t n = 0; n < count; n++) {
            const struct timespec half = {0, 500000000};
            if (signals[n] != 0)
                raise(signals[n]);
            else
                nanosleep(&half, NULL);
        }
        const int pending = signals_pending();
        safe_file_abort(&file);
        _exit(pending);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

#define CHILD_WITH(...)                                                                            \
    child_with_signals((int[]){__VA_ARGS__}, sizeof((int[]){__VA_ARGS__}) / sizeof(int))

static bool noted(int status, int number) {
    return WIFEXITED(status) && WEXITSTATUS(status) == number;
}

static void the_first_signal_is_noted_and_a_second_ends(void **state) {
    (void)state;
    const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2};
    for (size_t n = 0; n < sizeof caught / sizeof *caught; n++)
        assert_true(noted(CHILD_WITH(caught[n]), caught[n]));
    const int status = CHILD_WITH(SIGTERM, 0, SIGINT);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    assert_int_equal(count_files("."), 0);
}

/* GNU timeout sends its signal twice; a batch system, one of its own and then SIGTERM. */
static void a_signal_that_comes_twice_is_one(void **state) {
    (void)state;
    assert_true(noted(CHILD_WITH(SIGTERM, SIGTERM), SIGTERM));
    assert_true(noted(CHILD_WITH(SIGUSR1, 0, SIGTERM), SIGUSR1));
    assert_true(noted(CHILD_WITH(SIGXCPU, 0, SIGXCPU, SIGHUP), SIGXCPU));
}

static void writing_to_nobody_is_an_error(void **state) {
    (void)state;
    assert_true(noted(CHILD_WITH(SIGPIPE, SIGXFSZ), 0));
}

static void signals_wait_while_they_are_held(void **state) {
    (void)state;
    signals_catch();
    signals_hold();
    raise(SIGUSR1);
    assert_int_equal(signals_pending(), 0);
    signals_hold();
    signals_release(); /* of the inner pair */
    assert_int_equal(signals_pending(), 0);
    signals_release();
    assert_int_equal(signals_pending(), SIGUSR1);
    assert_string_equal(signals_name(SIGUSR1), "SIGUSR1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(a_file_appears_when_it_is_complete),
        TEST_IN_SCRATCH(an_aborted_file_leaves_nothing),
        TEST_IN_SCRATCH(a_limit_on_file_sizes_is_an_error),
        TEST_IN_SCRATCH(what_killed_processes_have_left_goes),
        TEST_IN_SCRATCH(what_others_have_left_stays),
        TEST_IN_SCRATCH(a_temporary_name_that_is_taken_is_left_to_its_owner),
        TEST_IN_SCRATCH(a_lock_has_one_owner),
        TEST_IN_SCRATCH(a_lock_ends_with_its_process),
        TEST_IN_SCRATCH(nobody_who_has_ended_holds_a_lock),
        TEST_IN_SCRATCH(a_lock_that_lost_its_name_is_known),
        TEST_IN_SCRATCH(what_is_no_lock_is_left_alone),
        TEST_IN_SCRATCH(the_lock_of_another_program_is_held),
        TEST_IN_SCRATCH(the_first_signal_is_noted_and_a_second_ends),
        TEST_IN_SCRATCH(a_signal_that_comes_twice_is_one),
        TEST_IN_SCRATCH(writing_to_nobody_is_an_error),
        TEST_IN_SCRATCH(signals_wait_while_they_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
