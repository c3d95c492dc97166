/* A scratch folder in $TMPDIR, or /tmp, which is the working folder of a test: TEST_IN_SCRATCH(test) lists the
 * test with its making and removal. */
#ifndef PAISING_SCRATCH_H
#define PAISING_SCRATCH_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char scratch[4096];

static inline int enter_scratch(void **state) {
    (void)state;
    const char *const above = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/paising_test_XXXXXX", above != NULL ? above : "/tmp");
    return mkdtemp(scratch) == NULL || chdir(scratch) != 0 ? -1 : 0;
}

static inline int leave_scratch(void **state) {
    (void)state;
    char command[sizeof scratch + 10];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

/* How many names there are in a folder, hidden ones included; -1 if it is not there. */
static inline int count_files(const char *folder) {
    DIR *const dir = opendir(folder);
    if (dir == NULL)
        return -1;
    int files = -2; /* "." and ".." */
    while (readdir(dir) != NULL)
        files++;
    closedir(dir);
    return files;
}

static inline void write_file(const char *path, const char *text) {
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The content of a file, in a buffer that the next call reuses. */
static inline const char *read_file(const char *path) {
    static char text[1 << 16];
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s is not there", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

#define TEST_IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

#endif
