/* The state of a simulation in run.json (run_state.h). */
#include "run_state.h"

#include "json.h"

#include <inttypes.h>
#include <string.h>

#define INTERRUPTED "interrupted"
#define DATA_FILES  "data_files"

void run_state_print(FILE *file, const char *missing, size_t data_files) {
    fprintf(file, "  \"" DATA_FILES "\": %zu,\n", data_files);
    fprintf(file,
            "  \"" INTERRUPTED "\": %s,\n  \"missing\": ", missing != NULL ? "true" : "false");
    if (missing != NULL)
        json_string(file, missing);
    else
        fputs("null", file);
    fputs(",\n", file);
}

/* The next character that is not white space, or EOF. */
static int next_character(FILE *file) {
    int c;
    do
        c = getc(file);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
    return c;
}

/* Reads a string up to its closing quote. Returns whether it is `text`, which must not contain
 * escapes. */
static bool string_is(FILE *file, const char *text) {
    bool same = true;
    for (int c = getc(file); c != '"' && c != EOF; c = getc(file)) {
        if (c == '\\')
            getc(file); /* skips the character after a backslash, which may be a quote */
        same = same && *text != '\0' && c == (unsigned char)*text;
        text += same;
    }
    return same && *text == '\0';
}

/* Whether the value at this position is `true`. */
static bool value_is_true(FILE *file) {
    char word[5] = {(char)next_character(file)};
    return fread(word + 1, 1, 3, file) == 3 && strcmp(word, "true") == 0;
}

/* Moves to the value of the first member so deep in objects and arrays, top-level ones at 1. Returns whether it exists. */
static bool find_deep_member(FILE *file, const char *name, int level) {
    int depth = 0;
    rewind(file);
    for (int c = next_character(file); c != EOF; c = next_character(file)) {
        if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == '"' && string_is(file, name) && depth == level) {
            c = next_character(file);
            if (c == ':') /* else it was the value of another member */
                return true;
            ungetc(c, file);
        }
    }
    return false;
}

/* Moves to the value of a top-level member. Returns whether it exists. */
static bool find_member(FILE *file, const char *name) {
    return find_deep_member(file, name, 1);
}

bool run_state_interrupted(FILE *file) {
    return find_member(file, INTERRUPTED) && value_is_true(file);
}

size_t run_state_data_files(FILE *file) {
    size_t count;
    return find_member(file, DATA_FILES) && fscanf(file, "%zu", &count) == 1 ? count : 0;
}

/* A number of the parameters, 0 without it. */
static uint32_t parameter(FILE *file, const char *name) {
    uint32_t number;
    return find_deep_member(file, name, 2) && fscanf(file, "%" SCNu32, &number) == 1 ? number : 0;
}

void run_state_samples(FILE *file, uint32_t *first, uint32_t *samples) {
    *first = parameter(file, "sample");
    *samples = parameter(file, "samples");
}

bool run_state_is_whole(FILE *file) {
    int depth = 0, objects = 0;
    rewind(file);
    for (int c = next_character(file); c != EOF; c = next_character(file)) {
        if (c == '"')
            string_is(file, "");
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        objects += c == '{';
    }
    return objects > 0 && depth == 0 && !ferror(file);
}
