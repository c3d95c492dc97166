/* Where checkpoints are written: what they may replace, one owner, links. */
#include "files/checkpoint.h"
#include "validate/lib/capture.h"
#include "validate/lib/scratch.h"
#include "validate/lib/some_parameters.h"

static parameters parameters_with_checkpoint(void) {
    parameters p = some_parameters();
    p.checkpoint = "ck";
    return p;
}

/* Opens and closes the place of the checkpoints of a result in the folder "out". */
static exit_status try_place(const parameters *p) {
    checkpoint_place place;
    const exit_status status = checkpoint_place_open(&place, p, "out");
    checkpoint_place_close(&place);
    return status;
}

static void only_its_own_file_is_replaced(void **state) {
    (void)state;
    char very_long[250];
    memset(very_long, 'c', sizeof very_long - 1);
    very_long[sizeof very_long - 1] = '\0';
    const struct {
        const char *path, *says; /* NULL: allowed */
    } paths[] = {
        {"ck", "--checkpoint ck: the file is there already"},
        {"folder", "--checkpoint folder: a folder"},
        {"missing/ck", "--checkpoint missing/ck: No such file"},
        {"folder/ck", NULL},
        {"/dev/full", "--checkpoint /dev/full: a device or a pipe"},
        {"pipe", "--checkpoint pipe: a device or a pipe"},
        {"link", "--checkpoint link: the file is there already"},
        {"nowhere", "--checkpoint nowhere: a link to nothing"},
        {"out", "--checkpoint out: a folder"},
        {"new/", "--checkpoint new/: a folder"},
        {"out/run.json", "--checkpoint out/run.json: a name of a file of the result"},
        {"out/./PA_results_run_7.dat", "a name of a file of the result"},
        {"out/.paising.new", "a name of a file of the result"},
        {"out/ck", NULL},
        {very_long, "the name is too long"},
    };
    write_file("ck", "");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkdir("out", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(symlink("ck", "link"), 0);
    assert_int_equal(symlink("missing", "nowhere"), 0);
    parameters p = parameters_with_checkpoint();
    for (size_t n = 0; n < sizeof paths / sizeof *paths; n++) {
        char said[600];
        p.checkpoint = paths[n].path;
        capture c = capture_begin(STDERR_FILENO);
        const exit_status status = try_place(&p);
        capture_end(&c, said, sizeof said);
        assert_int_equal(status, paths[n].says != NULL ? STATUS_REFUSED : STATUS_OK);
        if (paths[n].says != NULL ? strstr(said, paths[n].says) == NULL : said[0] != '\0')
            fail_msg("%s: %s", paths[n].path, said);
    }
    p.checkpoint = "./ck";
    p.resume = "ck";
    assert_int_equal(try_place(&p), STATUS_OK);
    p.resume = NULL;
    p.force = true;
    assert_int_equal(try_place(&p), STATUS_OK);
    assert_int_equal(count_files("."), 6);
    assert_int_equal(count_files("folder") + count_files("out"), 0);
}

static void a_checkpoint_has_one_owner(void **state) {
    (void)state;
    parameters p = parameters_with_checkpoint();
    checkpoint_place first;
    char said[600];
    assert_int_equal(mkdir("out", 0777), 0);
    assert_int_equal(symlink("out", "link"), 0);
    assert_int_equal(checkpoint_place_open(&first, &p, "out"), STATUS_OK);
    p.checkpoint = "link/../ck";
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = try_place(&p);
    capture_end(&c, said, sizeof said);
    assert_int_equal(status, STATUS_REFUSED);
    assert_non_null(strstr(said, "in use by process "));
    checkpoint_place_close(&first);
    assert_int_equal(try_place(&p), STATUS_OK);
    assert_int_equal(count_files("."), 2);
}

static void a_linked_checkpoint_is_followed(void **state) {
    (void)state;
    parameters p = parameters_with_checkpoint();
    checkpoint_place place;
    assert_int_equal(mkdir("disk", 0777), 0);
    write_file("disk/real", "old");
    assert_int_equal(symlink("disk/real", "ck"), 0);
    p.force = true;
    assert_int_equal(checkpoint_place_open(&place, &p, "out"), STATUS_OK);
    p.checkpoint = place.path;
    assert_int_equal(checkpoint_write(&p, NULL, 0), STATUS_OK);
    checkpoint_place_close(&place);
    struct stat link, target;
    assert_int_equal(lstat("ck", &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(stat("disk/real", &target), 0);
    assert_true(target.st_size > 100);
    assert_int_equal(count_files("disk"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(only_its_own_file_is_replaced),
        TEST_IN_SCRATCH(a_checkpoint_has_one_owner),
        TEST_IN_SCRATCH(a_linked_checkpoint_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
