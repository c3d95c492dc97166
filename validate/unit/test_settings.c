/* The table of settings: none can be forgotten. A value that is given arrives in its field, and from
 * there in the header of the data files, in run.json and in a checkpoint, where the row says so and
 * nowhere else; --resume refuses another value exactly where the row says that it decides the data
 * files, and that is said of every setting by which the data files of a small simulation differ. Each
 * row of the table of exclusions refuses a command line by a message that names both settings. A
 * checkpoint whose settings are not those of the program is refused by a line that names one. */
#include "base/clock.h"
#include "base/npy.h"
#include "files/checkpoint_head.h"
#include "files/result_header.h"
#include "files/result_names.h"
#include "files/run_json.h"
#include "settings/exclusions.h"
#include "settings/graphs.h"
#include "settings/plans.h"
#include "validate/lib/command_line.h"
#include "validate/lib/whole_simulation.h"

#include <omp.h>

/* Small simulations: of most settings, and of those that exclude options of the first. */
#define BASE "-D cpu -L 16 -R 100 -t 2 -f 0.25"
static const char *const bases[] = {BASE, "-D cpu -L 16 -R 100 -t 2", "-D cpu -L 16 -R 100 -f 0.25",
                                    "-D cpu -L 16 -f 0.25", "-D cpu -R 100 -t 2 -f 0.25 -d 0.125"};

/* A walker in each of two windows, for weights that are ready after some of their iterations. */
#define WALKERS                                                                                    \
    " -c ssc -L 4 -R 1 -t 2 -d 0.125 --windows 2 --measurements 40 --thermalisation 2 --method "

/* What some options are allowed with only. */
static const char *const batch_requests[] = {
    "",
    " --dry-run -D auto",
    " --checkpoint f",
    " --model glass2d -d 0.005 -M 1",
    " --model glass2d",
    " --method canonical -R 128 -d 0.125 --measurements 4",
    WALKERS "multicanonical --divergence 0.08 --iterations 8 "
            "--iteration-length 40",
    WALKERS "wang-landau --flatness 0.4 --last-ln-f 5e-4 "
            "--iteration-length 10 --block-attempts 8",
    " --model glass2d --ground-states",
    " --model glass2d --couplings elsewhere",
    " --random-field 1/2",
    " --model potts2d",
    " --model blume-capel2d",
    " --model xy2d -L 8",
    " --method canonical --model xy2d -L 8 -R 10 -d 0.125 --measurements 4",
    " -c ssc --update tiles --tile 4 --hits 2",
    " -c ssc --update random",
    " --model potts2d --method microcanonical -L 8",
    " --method microcanonical -L 8",
    " --method tempering -R 128 --measurements 4",
    " --method tempering --model glass2d -R 128 -b 0.125 "
    "--measurements 4",
    " --method tempering --model glass2d -R 128 -d 0.125 "
    "--moves houdayer --measurements 4",
    " --method tempering --model glass2d -R 128 -b 0.125 -d 0.125 "
    "--words samples --measurements 4",
    " --method multicanonical -L 4 --measurements 40 --iterations 5",
    " --model glass2d -c ssc",
    " --model glass2d -c ssc --couplings-type gaussian"};

/* --- values other than the ones at hand --- */

static bool accepts(parameters *p, const char *line) {
    static char output[4096];
    static parameters kept[32]; /* whose graphs stay for so many calls */
    static size_t next;
    const bool good = parse_line(p, line, STDERR_FILENO, output, sizeof output) == 0;
    next = (next + 1) % 32;
    parameters_end(&kept[next]);
    kept[next].graph = good ? p->graph : NULL;
    return good;
}

/* The parameters of a text are overwritten by the next; these stay. */
static parameters keep_texts(const parameters *p) {
    static char room[32][64];
    static size_t next;
    parameters kept = *p;
    for (size_t i = 0; i < settings_count; i++) {
        const char **const text = (const char **)((char *)&kept + settings[i].field.offset);
        if (settings[i].type != SETTING_TEXT || *text == NULL)
            continue;
        next = (next + 1) % 32;
        snprintf(room[next], sizeof room[next], "%s", *text);
        *text = room[next];
    }
    return kept;
}

/* Candidate n for another value of a setting that has the value it has in *p; false behind the last. */
static bool other_value(const setting *s, const parameters *p, uint32_t n, char text[64]) {
    const double x = s->type == SETTING_REAL || s->type == SETTING_WHOLE ||
                             s->type == SETTING_INT || s->type == SETTING_SEED
                         ? setting_number(s, p)
                         : 0;
    switch (s->type) {
    case SETTING_WHOLE:
    case SETTING_INT:
    case SETTING_SEED:
        snprintf(text, 64, "%.0f",
                 n == 0   ? 2 * x
                 : n == 1 ? x + 1
                 : n == 2 ? (double)(uint64_t)(x / 2)
                          : 0);
        return n < 4;
    case SETTING_EDGES:
        strcpy(text, n == 0 ? "32" : "16x32");
        return n < 2;
    case SETTING_BOUNDARY:
        strcpy(text, n == 0 ? "open" : "antiperiodic,open");
        return n < 2;
    case SETTING_REAL:
        /* Far numbers are ends that nothing reaches. */
        snprintf(text, 64, "%g", fabs(x) > 1e9 ? 0 : n == 0 ? x / 2 : x + 0.125);
        return n < 2;
    case SETTING_CHOICE:
        snprintf(text, 64, "%s", n < s->choices ? s->choice(n) : "");
        return n < s->choices;
    case SETTING_DEVICE:
        strcpy(text, "cuda:3");
        return n < 1;
    case SETTING_TEXT:
        strcpy(text, n == 0   ? "elsewhere"
                     : n == 1 ? "profile"
                     : n == 2 ? "graph"
                     : n == 3 ? "3/10"
                              : "0.125");
        return n < 5;
    case SETTING_INTERVAL:
        strcpy(text, n == 0 ? "7s" : "7");
        return n < 2;
    case SETTING_FLAG:
        strcpy(text, "");
        return n < 1;
    case SETTING_SHOW:
        break;
    }
    return false;
}

static bool fields_differ(const setting *s, const parameters *a, const parameters *b) {
    char of_a[SETTING_TEXT_SIZE], of_b[SETTING_TEXT_SIZE];
    return strcmp(setting_text(of_a, s, a), setting_text(of_b, s, b)) != 0;
}

/* Whether the fields differ, by a bit; of texts, edges and boundaries, which one lattice may have in two ways, as they are
 * written. */
static bool values_differ(const setting *s, const parameters *a, const parameters *b) {
    char of_a[SETTING_TEXT_SIZE], of_b[SETTING_TEXT_SIZE];
    if (s->type != SETTING_TEXT && s->type != SETTING_EDGES && s->type != SETTING_BOUNDARY)
        return memcmp((const char *)a + s->field.offset, (const char *)b + s->field.offset,
                      s->field.size) != 0;
    const bool has = setting_has_value(s, a);
    return has != setting_has_value(s, b) ||
           (has && strcmp(setting_value_text(of_a, s, a), setting_value_text(of_b, s, b)) != 0);
}

/* Finds a command line that is allowed and gives the setting another value, which is text[]: the
 * parameters without and with it. */
static void change(const setting *s, parameters *before, parameters *after, char text[64]) {
    char line[400];
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
        for (size_t c = 0; c < sizeof batch_requests / sizeof *batch_requests; c++) {
            snprintf(line, sizeof line, "%s%s", bases[b], batch_requests[c]);
            assert_true(accepts(before, line));
            *before = keep_texts(before);
            for (uint32_t n = 0; other_value(s, before, n, text); n++) {
                snprintf(line, sizeof line, "%s%s --%s%s%s", bases[b], batch_requests[c], s->name,
                         text[0] != '\0' ? "=" : "", text);
                if (!accepts(after, line))
                    continue;
                *after = keep_texts(after);
                if (fields_differ(s, before, after))
                    return;
            }
        }
    fail_msg("--%s: no other value is allowed", s->name);
}

static bool has_option(const setting *s) {
    return s->help != NULL && s->type != SETTING_SHOW;
}

/* Makes the file "elsewhere": a head of a checkpoint, and that of *p. */
static void write_this_head(checkpoint_head *head) {
    section_file f;
    FILE *const stream = fopen("elsewhere", "w");
    assert_non_null(stream);
    assert_true(section_file_write(&f, stream) && checkpoint_head_transfer(&f, head));
    assert_int_equal(fclose(stream), 0);
}

static void write_head(const parameters *p) {
    static checkpoint_head head;
    checkpoint_head_fill(&head, p);
    write_this_head(&head);
}

/* What --resume reads, a file of temperatures, sweeps, or times of relaxation, and one of a graph. */
static void begin(void) {
    parameters p;
    FILE *const file = fopen("profile", "w");
    assert_true(file != NULL && fputs("# beta theta\n0 1\n0.125 2\n1 3\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    FILE *const graph = fopen("graph", "w");
    assert_true(graph != NULL && fputs("0 1 1\n1 2 -1\n2 0 1\n0 0 3\n", graph) >= 0);
    assert_int_equal(fclose(graph), 0);
    assert_true(accepts(&p, BASE));
    write_head(&p);
}

/* --- the table --- */

/* The setting of a side of an exclusion. */
static const setting *setting_of_side(const char *side) {
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(side, "!="), side);
    const setting *const s = setting_named(name);
    if (s == NULL)
        fail_msg("an exclusion names '%s', which is not there", side);
    return s;
}

static void rows_are_complete(void **state) {
    (void)state;
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        assert_ptr_equal(setting_named(s->name), s);
        assert_true(s->short_name == 0 || setting_of_short_name(s->short_name) == s);
        assert_true((s->type == SETTING_SHOW) == (s->field.size == 0));
        assert_true(strlen(s->name) < CHECKPOINT_NAME_SIZE);
        if (s->flag.size > 0 && s[-1].field.offset != s->flag.offset)
            fail_msg("%s: the row of its flag must stand before it", s->name);
    }
    for (size_t i = 0; i < exclusions_count; i++) {
        setting_of_side(exclusions[i].one);
        setting_of_side(exclusions[i].other);
    }
}

/* --- where values go --- */

static void a_value_that_is_given_arrives(void **state) {
    (void)state;
    parameters usual, before, after;
    bool changed[256] = {false};
    char text[64], shown[SETTING_TEXT_SIZE];
    begin();
    assert_true(accepts(&usual, ""));
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (!has_option(s))
            continue;
        if (s->fallback != NULL) {
            parameters given = usual;
            assert_true(setting_read(s, &given, s->fallback));
            assert_false(fields_differ(s, &given, &usual));
        }
        change(s, &before, &after, text);
        if (s->type == SETTING_INTERVAL || s->type == SETTING_TEXT || s->type == SETTING_CHOICE ||
            s->type == SETTING_BOUNDARY)
            assert_string_equal(setting_text(shown, s, &after), text);
        for (size_t n = 0; n < settings_count; n++)
            changed[n] = changed[n] || fields_differ(&settings[n], &before, &after);
    }
    for (size_t n = 0; n < settings_count; n++)
        if (settings[n].type != SETTING_SHOW && !changed[n])
            fail_msg("%s: no option sets it", settings[n].name);
}

/* The text that stands behind a name: "# NAME TEXT" in a header, "NAME": TEXT in run.json. NULL: none. */
static const char *behind(const char *text, const char *format, const char *name) {
    char pattern[64];
    snprintf(pattern, sizeof pattern, format, name);
    const char *const found = strstr(text, pattern);
    return found != NULL ? found + strlen(pattern) : NULL;
}

static bool is_line(const char *found, const char *text) {
    return strncmp(found, text, strlen(text)) == 0 && found[strlen(text)] == '\n';
}

static void headers_name_what_decides_the_data(void **state) {
    (void)state;
    parameters before, after;
    char text[64], value[SETTING_TEXT_SIZE], header[4096];
    begin();
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (!has_option(s))
            continue;
        change(s, &before, &after, text);
        FILE *const file = fmemopen(header, sizeof header, "w");
        result_header_print_parameters(file, &after);
        fclose(file);
        const char *const found = behind(header, "# %s ", s->name);
        if ((found != NULL) != (s->effect == DECIDES_DATA) ||
            (found != NULL && !is_line(found, setting_text(value, s, &after))))
            fail_msg("%s in a header:\n%s", s->name, header);
    }
}

static void folders_are_named_by_what_decides_the_data(void **state) {
    (void)state;
    parameters before, after;
    char text[64];
    begin();
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (!has_option(s) || s->effect != DECIDES_DATA)
            continue;
        change(s, &before, &after, text);
        char *const name = result_name_of_folder(&before), *const other =
                                                               result_name_of_folder(&after);
        if (strcmp(name, other) == 0)
            fail_msg("--%s=%s: the folder has the same name, %s", s->name, text, name);
        free(name);
        free(other);
    }
}

static exit_status write_json(result_folder *folder, void *state) {
    const run_report report = {.engine = "none", .driver = "none"};
    return run_json_write(folder, state, &report);
}

/* The "parameters" of a run.json, of a run on a GPU. */
static char *parameters_in_json(const parameters *p) {
    parameters out = *p, given = *p;
    result_folder folder;
    out.output = "out";
    out.force = true;
    assert_int_equal(result_folder_open(&folder, &out), STATUS_OK);
    assert_int_equal(result_folder_put(&folder, write_json, &given, false), STATUS_OK);
    result_folder_close(&folder);
    char *const begins = strstr(read_file("out/run.json"), "  \"parameters\": {\n");
    assert_non_null(begins);
    strcpy(strstr(begins, "\n  },\n"), ",\n"); /* like the other members */
    return begins;
}

static void run_json_has_what_the_table_says(void **state) {
    (void)state;
    parameters before, after;
    char text[64], value[SETTING_TEXT_SIZE], expected[100];
    begin();
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (!has_option(s))
            continue;
        change(s, &before, &after, text);
        char *const json = parameters_in_json(&after);
        const char *const found = behind(json, "    \"%s\": ", s->name);
        const bool bare = s->type != SETTING_CHOICE && s->type != SETTING_DEVICE &&
                          s->type != SETTING_TEXT && s->type != SETTING_INTERVAL &&
                          s->type != SETTING_BOUNDARY;
        const bool there = s->effect != DECIDES_COMMAND;
        const bool folder = strcmp(s->name, "output") == 0; /* the one that was opened */
        snprintf(expected, sizeof expected, bare ? "%s," : "\"%s\",",
                 folder ? "out" : setting_text(value, s, &after));
        if ((found != NULL) != there || (found != NULL && !is_line(found, expected)))
            fail_msg("%s in run.json:\n%s", s->name, json);
    }
}

static void checkpoints_hold_what_the_table_says(void **state) {
    (void)state;
    parameters before, after;
    char text[64];
    static checkpoint_head head;
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (!has_option(s))
            continue;
        begin();
        change(s, &before, &after, text);
        write_head(&after);
        parameters read = before;
        assert_int_equal(checkpoint_read_parameters("elsewhere", &read, &head), STATUS_OK);
        const bool there = s->effect != DECIDES_COMMAND;
        if (strcmp(s->name, "checkpoint-every") !=
                0 && /* holds with --checkpoint, which is not there */
            fields_differ(s, &read, &after) == there)
            fail_msg("%s: a checkpoint should%s hold it", s->name, there ? "" : " not");
        for (size_t n = 0; n < settings_count; n++)
            if (settings[n].effect != DECIDES_COMMAND && values_differ(&settings[n], &read, &after))
                fail_msg("%s is lost in a checkpoint when %s changes", settings[n].name, s->name);
    }
}

/* --- checkpoints that are refused --- */

/* Claims that "elsewhere" is refused by one line with these words. */
static void refused_with(const char *says, const char *also) {
    static checkpoint_head head;
    parameters p = {.runs = 77};
    char said[1024];
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = checkpoint_read_parameters("elsewhere", &p, &head);
    capture_end(&c, said, sizeof said);
    const char *const end = strchr(said, '\n');
    if (status != STATUS_REFUSED || p.runs != 77 || end == NULL || end[1] != '\0' ||
        strstr(said, says) == NULL || strstr(said, also) == NULL)
        fail_msg("not refused with \"%s\" and \"%s\": status %d, %s", says, also, status, said);
}

static void other_settings_in_a_checkpoint_are_refused(void **state) {
    (void)state;
    static checkpoint_head whole, head;
    parameters p, read = {.runs = 0};
    char says[100];
    begin();
    assert_true(accepts(
        &p,
        BASE " -m --checkpoint-every 0.12345678901234568s --checkpoint f -d 0.012345678901234568"));
    checkpoint_head_fill(&whole, &p);
    for (size_t n = 0; n < whole.count; n++) {
        const char *const name = whole.setting[n].name;
        head = whole; /* without setting n */
        head.setting[n] = head.setting[--head.count];
        write_this_head(&head);
        snprintf(says, sizeof says, "setting '%s' is missing", name);
        refused_with(says, "");
        head.setting[head.count++] = whole.setting[n > 0 ? 0 : 1]; /* and with another one twice */
        write_this_head(&head);
        snprintf(says, sizeof says, "setting '%s' is there twice",
                 whole.setting[n > 0 ? 0 : 1].name);
        refused_with(says, "");
        head = whole;
        strcat(head.setting[n].name, "x");
        write_this_head(&head);
        snprintf(says, sizeof says, "setting '%sx' is not one of this program", name);
        refused_with(says, "");
        head = whole; /* no type takes this, but texts do */
        strcpy(head.setting[n].value, "\t?");
        write_this_head(&head);
        if (setting_named(name)->type != SETTING_TEXT) {
            snprintf(says, sizeof says, "setting '%s' cannot be '", name);
            refused_with(says, "");
        }
    }
    head = whole;
    strcpy(head.setting[0].name, "force");
    write_this_head(&head);
    refused_with("setting 'force' is not one of this program", "");
    for (size_t n = 0; n < whole.count; n++) /* any order is allowed */
        head.setting[n] = whole.setting[whole.count - 1 - n];
    write_this_head(&head);
    assert_int_equal(checkpoint_read_parameters("elsewhere", &read, &head), STATUS_OK);
    for (size_t n = 0; n < settings_count; n++)
        if (settings[n].effect != DECIDES_COMMAND)
            assert_false(values_differ(&settings[n], &read, &p));
}

static void a_checkpoint_of_an_older_format_is_refused(void **state) {
    (void)state;
    char now[40];
    begin();
    FILE *const file = fopen("elsewhere", "r+");
    assert_true(file != NULL && fseek(file, SECTION_MAGIC_SIZE, SEEK_SET) == 0);
    assert_true(fputc(SECTION_FORMAT_VERSION - 1, file) != EOF && fclose(file) == 0);
    snprintf(now, sizeof now, "this program reads version %d", SECTION_FORMAT_VERSION);
    char then[40];
    snprintf(then, sizeof then, "of format version %d;", SECTION_FORMAT_VERSION - 1);
    refused_with(then, now);
}

/* --- what excludes each other --- */

/* Candidate n for options by which a side of an exclusion is, or is not, as it says: any value of a setting
 * that is to be in use, or each of its choices; false behind the last. */
static bool side_options(const char *side, bool so, uint32_t n, char options[128]) {
    char name[40], text[64];
    const size_t length = strcspn(side, "!=");
    parameters usual;
    snprintf(name, sizeof name, "%.*s", (int)length, side);
    const setting *const s = setting_named(name);
    options[0] = '\0';
    if (side[length] == '\0' && !so)
        return n == 0;
    assert_true(accepts(&usual, BASE));
    if (n < s->choices)
        snprintf(text, sizeof text, "%s", s->choice(n));
    else if (s->choices > 0 || !other_value(s, &usual, n, text))
        return false;
    if (s->type == SETTING_REAL && strcmp(text, "0") == 0) /* no value */
        strcpy(text, "0.5");
    snprintf(options, 128, " --%s%s%s", name, text[0] != '\0' ? "=" : "", text);
    return true;
}

/* Whether the line is refused because of these two settings. */
static bool is_excluded(const char *line, const setting *one, const setting *other, bool only) {
    parameters p;
    char said[1024], option[SETTING_OPTION_SIZE], begins[100], with[100];
    if (parse_line(&p, line, STDERR_FILENO, said, sizeof said) != STATUS_REFUSED) {
        parameters_end(&p);
        return false;
    }
    snprintf(begins, sizeof begins, ": %s%s", setting_option(option, one),
             one->type == SETTING_FLAG ? ":" : " ");
    snprintf(with, sizeof with, ": %sallowed with %s", only ? "" : "not ",
             setting_option(option, other));
    const char *const found = strstr(said, with);
    return found != NULL && strncmp(strchr(said, ':'), begins, strlen(begins)) == 0 &&
           strchr(" :\n", found[strlen(with)]) != NULL;
}

/* Whether some command line is refused by the exclusion, and the same without its first setting is not. */
static bool refuses_a_line(const exclusion *e) {
    const setting *const one = setting_of_side(e->one), *const other = setting_of_side(e->other);
    char line[400], first[128], second[128];
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
        for (size_t c = 0; c < sizeof batch_requests / sizeof *batch_requests; c++)
            for (uint32_t n = 0; side_options(e->one, true, n, first); n++)
                for (uint32_t m = 0; side_options(e->other, !e->only, m, second); m++) {
                    snprintf(line, sizeof line, "%s%s%s%s", bases[b], batch_requests[c], first,
                             second);
                    if (!is_excluded(line, one, other, e->only))
                        continue;
                    snprintf(line, sizeof line, "%s%s%s", bases[b], batch_requests[c], second);
                    if (!is_excluded(line, one, other, e->only))
                        return true;
                }
    return false;
}

static void each_exclusion_refuses_with_both_names(void **state) {
    (void)state;
    begin();
    for (size_t i = 0; i < exclusions_count; i++)
        if (setting_of_side(exclusions[i].one)->help != NULL && !refuses_a_line(&exclusions[i]))
            fail_msg("%s %s %s: no command line is refused by it", exclusions[i].one,
                     exclusions[i].only ? "only with" : "not with", exclusions[i].other);
    assert_false(refuses_a_line(&(exclusion){"seed", false, "runs", NULL})); /* a control */
}

/* --- what may differ --- */

/* Claims that --resume refuses a setting's other value by one line with both. */
static void check_refusal(const setting *s, const char *text, const parameters *before,
                          const parameters *after) {
    parameters p;
    char line[400], output[1024], option[SETTING_OPTION_SIZE], expected[300];
    char here[SETTING_TEXT_SIZE], there[SETTING_TEXT_SIZE];
    snprintf(line, sizeof line, "--resume elsewhere --%s%s%s", s->name, text[0] != '\0' ? "=" : "",
             text);
    const int status = parse_line(&p, line, STDERR_FILENO, output, sizeof output);
    snprintf(expected, sizeof expected,
             ": %s %s: the checkpoint elsewhere has %s; leave the option out\n",
             setting_option(option, s), setting_text(here, s, after),
             setting_text(there, s, before));
    const char *const name_ends = strchr(output, ':');
    if (status != STATUS_REFUSED || name_ends == NULL || strcmp(name_ends, expected) != 0)
        fail_msg("'%s' should be refused by \"%s\": status %d, %s", line, expected, status, output);
}

/* A file is known by what it holds; other settings by themselves. */
static const setting *known_by_fingerprint(const setting *s) {
    static const char *const files[][2] = {{"couplings", "fingerprint"},
                                           {"graph", "graph-fingerprint"},
                                           {"betas", "betas-fingerprint"},
                                           {"sweeps-file", "sweeps-fingerprint"},
                                           {"relaxation", "relaxation-fingerprint"},
                                           {"load-spins", "load-spins-fingerprint"},
                                           {"weights", "weights-fingerprint"}};
    for (size_t n = 0; n < sizeof files / sizeof *files; n++)
        if (strcmp(s->name, files[n][0]) == 0)
            return setting_named(files[n][1]);
    return s;
}

static void resuming_refuses_what_decides_the_data(void **state) {
    (void)state;
    parameters before, after;
    char text[64];
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (!has_option(s))
            continue;
        begin();
        change(s, &before, &after, text);
        write_head(&before);
        assert_null(settings_differ(&after, &after));
        const setting *const known_by = known_by_fingerprint(s);
        assert_ptr_equal(settings_differ(&after, &before),
                         known_by->effect == DECIDES_DATA ? known_by : NULL);
        if (s->effect == DECIDES_DATA || strcmp(s->name, "couplings") == 0)
            check_refusal(s, text, &before, &after);
    }
}

/* Makes the file of couplings that the parameters name, if they do: all +1. */
static void make_couplings_file(const parameters *p) {
    const spin_model m = parameters_model(p);
    couplings c;
    if (p->couplings == NULL)
        return;
    FILE *const file = fopen(p->couplings, "w");
    assert_true(file != NULL && couplings_create(&c, m.dimension, m.edge));
    couplings_write(&c, file, m.name, NULL);
    fclose(file);
    couplings_destroy(&c);
}

/* Makes the file of spins that the parameters name, if they do: a replica after the other, all up or all down. */
static void make_spins_file(const parameters *p) {
    const spin_model m = parameters_model(p);
    const size_t bytes = model_packed_bytes(&m);
    if (p->load_spins == NULL)
        return;
    FILE *const file = fopen(p->load_spins, "w");
    assert_non_null(file);
    npy_write(file, (npy_shape){NPY_BYTE, p->population, bytes});
    for (uint64_t n = 0; n < p->population * bytes; n++)
        fputc(n / bytes % 2 == 0 ? 0 : 255, file);
    assert_int_equal(fclose(file), 0);
}

/* Makes the file of weights that the parameters name, if they do: of a lattice of 4 x 4. */
static void make_weights_file(const parameters *p) {
    if (p->weights == NULL)
        return;
    FILE *const file = fopen(p->weights, "w");
    assert_true(file != NULL && fputs("# E ln_g \n# size 4\n-32 0.7\n0 9\n32 0.7\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The rows of all data files of a simulation, one file after the other, whose couplings *given takes. Returns
 * their length. */
static size_t simulate(parameters *given, char *rows, size_t size) {
    static const char *const names[] = {"PA_results_run_0.dat",
                                        "PA_results_run_1.dat",
                                        "PA_results_weighted.dat",
                                        "PA_MHR_results_run_0.dat",
                                        "PA_MHR_results_weighted.dat",
                                        "MC_results.dat",
                                        "MC_vectors.dat",
                                        "MC_disorder_averages.dat",
                                        "MA_results.dat",
                                        "MA_ceilings.dat",
                                        "FH_results.dat",
                                        "FH_series.dat"};
    parameters p = *given;
    size_t length = 0;
    p.output = "data";
    p.force = true;
    p.format = FORMAT_TEXT; /* archives have the same numbers: validate/command/test_files.py */
    make_couplings_file(&p);
    make_spins_file(&p);
    make_weights_file(&p);
    make_result(&p);
    given->fingerprint = p.fingerprint;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[64], line[1024];
        snprintf(path, sizeof path, "data/%s", names[n]);
        FILE *const file = fopen(path, "r");
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            assert_true(length + strlen(line) < size);
            if (line[0] != '#')
                length += (size_t)sprintf(rows + length, "%s", line);
        }
        if (file != NULL)
            fclose(file);
    }
    return length;
}

static void what_changes_the_data_is_known_to(void **state) {
    (void)state;
    static char rows[2][1 << 18];
    parameters before, after;
    char text[64];
    int tried = 0, decided = 0;
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (!has_option(s))
            continue;
        begin();
        change(s, &before, &after, text);
        if (after.dry_run || after.plan.seconds > 0 ||
            after.ground_states /* as long as there is time */ || after.resume != NULL ||
            after.device != DEVICE_CPU || s->only_on_gpu)
            continue;
        const size_t length = simulate(&before, rows[0], sizeof rows[0]);
        assert_true(length > 0);
        tried++;
        if (simulate(&after, rows[1], sizeof rows[1]) == length &&
            memcmp(rows[0], rows[1], length) == 0)
            continue;
        decided++;
        if (settings_differ(&after, &before) == NULL)
            fail_msg("%s changes the data files: --resume must not accept another", s->name);
    }
    /* All settings that decide the data but -p, which matters to modes that share random numbers, and --ground-states, which is not
     * tried; a file of couplings does by its fingerprint. */
    int all = 0;
    for (size_t i = 0; i < settings_count; i++)
        all += settings[i].effect == DECIDES_DATA;
    assert_int_equal(decided, all - 2);
    assert_true(tried > decided);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete),
        TEST_IN_SCRATCH(a_value_that_is_given_arrives),
        TEST_IN_SCRATCH(headers_name_what_decides_the_data),
        TEST_IN_SCRATCH(folders_are_named_by_what_decides_the_data),
        TEST_IN_SCRATCH(run_json_has_what_the_table_says),
        TEST_IN_SCRATCH(checkpoints_hold_what_the_table_says),
        TEST_IN_SCRATCH(other_settings_in_a_checkpoint_are_refused),
        TEST_IN_SCRATCH(a_checkpoint_of_an_older_format_is_refused),
        TEST_IN_SCRATCH(each_exclusion_refuses_with_both_names),
        TEST_IN_SCRATCH(resuming_refuses_what_decides_the_data),
        TEST_IN_SCRATCH(what_changes_the_data_is_known_to),
    };
    omp_set_num_threads(1); /* the simulations are small */
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
