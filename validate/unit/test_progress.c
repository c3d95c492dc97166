/* The progress line, on a terminal: where the runs and samples are, and what time is left. */
#include "base/clock.h"
#include "method/progress.h"
#include "validate/lib/scratch.h"

#include <fcntl.h>

/* Lets stderr be a terminal; *usual takes what it was. Returns the side that shows what is printed. */
static int begin_terminal(int *usual) {
    const int screen = posix_openpt(O_RDWR | O_NOCTTY);
    if (screen < 0)
        skip(); /* there are no terminals here */
    assert_true(grantpt(screen) == 0 && unlockpt(screen) == 0);
    const int terminal = open(ptsname(screen), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    *usual = dup(STDERR_FILENO);
    assert_int_equal(dup2(terminal, STDERR_FILENO), STDERR_FILENO);
    close(terminal);
    return screen;
}

/* Gives stderr back. */
static void end_terminal(int screen, int usual) {
    dup2(usual, STDERR_FILENO);
    close(usual);
    close(screen);
}

/* What was printed since: a terminal shows it in pieces, and after a while, up to a mark that is printed behind it. */
static const char *shown(int screen) {
    static char text[1000];
    size_t length = 0;
    fputc('#', stderr);
    do {
        const ssize_t more = read(screen, text + length, sizeof text - 1 - length);
        assert_true(more > 0);
        length += (size_t)more;
    } while (text[length - 1] != '#');
    text[length - 1] = '\0';
    return text;
}

static const parameters given = {.runs = 4, .beta_end = 0.8};

/* Lets the line have begun so many seconds ago. */
static void age(progress_line *line, double seconds) {
    line->start = line->last = clock_seconds() - seconds;
}

static void a_line_says_where_the_run_is(void **state) {
    (void)state;
    int usual;
    const int screen = begin_terminal(&usual);
    progress_line line;
    char texts[4][1000];
    progress_begin(&line, &given);
    line.last += 1000; /* a few times per second at most */
    progress_update(&line, 0, 1, 0.2, 1000, -12.5);
    strcpy(texts[0], shown(screen));
    age(&line, 14398.5); /* 3.2 of 4 runs in four hours */
    progress_update(&line, 3, 1, 0.16, 1000, -12.5);
    strcpy(texts[1], shown(screen));
    age(&line, 60); /* 3.5 of 4 runs in a minute */
    progress_update(&line, 2, 2, 0.6, 1000, -12.5);
    strcpy(texts[2], shown(screen));
    progress_end(&line);
    strcpy(texts[3], shown(screen));
    end_terminal(screen, usual);
    assert_string_equal(texts[0], "");
    assert_string_equal(texts[1],
                        "\rrun 4 of 4  beta 0.1600  R 1000  ln Q -12.500  1:00:00 left\033[K");
    assert_string_equal(texts[2],
                        "\rrun 3 to 4 of 4  beta 0.6000  R 1000  ln Q -12.500  0:00:09 left\033[K");
    assert_string_equal(texts[3], "\r\033[K");
}

static void a_line_says_where_the_samples_are(void **state) {
    (void)state;
    int usual;
    const int screen = begin_terminal(&usual);
    progress_line line;
    char texts[2][1000];
    progress_begin(&line, &given);
    /* 15 samples, and a half of 2, of 20. */
    progress_of_part(&line, true, 15, 2, 20, clock_seconds() - 98.5);
    line.last = line.start;
    progress_update(&line, 2, 1, 0.0, 50, 0);
    strcpy(texts[0], shown(screen));
    progress_of_part(&line, false, 17, 2, 20, clock_seconds() - 100); /* another one shows it */
    line.last = line.start;
    progress_update(&line, 2, 1, 0.0, 50, 0);
    strcpy(texts[1], shown(screen));
    end_terminal(screen, usual);
    assert_string_equal(texts[0], "\rsample 16 to 17 of 20  run 3 of 4  beta 0.0000  R 50  "
                                  "ln Q 0.000  0:00:25 left\033[K");
    assert_string_equal(texts[1], "");
}

static void a_file_gets_a_line_each_minute(void **state) {
    (void)state;
    const int usual = dup(STDERR_FILENO), file = open("file", O_RDWR | O_CREAT, 0666);
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
    parameters silent = given;
    silent.silent = true;
    progress_line line;
    progress_begin(&line, &given);
    age(&line, 59);
    progress_update(&line, 1, 1, 0.2, 1000, 0); /* too early */
    age(&line, 100);
    progress_update(&line, 1, 1, 0.2, 1000, 0);
    progress_update(&line, 1, 1, 0.2, 1000, 0); /* too early again */
    progress_end(&line);
    progress_begin(&line, &silent);
    age(&line, 100);
    progress_update(&line, 1, 1, 0.2, 1000, 0);
    progress_end(&line);
    end_terminal(file, usual);
    assert_string_equal(read_file("file"),
                        "paising: run 2 of 4  beta 0.2000  R 1000  ln Q 0.000  0:03:40 left\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_where_the_run_is),
        cmocka_unit_test(a_line_says_where_the_samples_are),
        TEST_IN_SCRATCH(a_file_gets_a_line_each_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
