/* The common part of headers, written and recognised. */
#include "result_header.h"

#include "base/commit.h"
#include "settings/values.h"

#include <stdlib.h>
#include <string.h>

void result_header_print_title(FILE *file, const spin_model *model) {
    fprintf(file, "# paising %s: population annealing of %s\n", PAISING_VERSION, model->title);
}

void result_header_print_parameters(FILE *file, const parameters *p) {
    char room[SETTING_TEXT_SIZE];
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        const char *const text = setting_text(room, s, p);
        if (s->effect == DECIDES_DATA && setting_holds(s, p) &&
            !(s->quiet && strcmp(text, s->fallback) == 0))
            fprintf(file, "# %s %s\n", s->name, text);
    }
}

/* Reads the lines of a file that are the next ones of `expected`, which moves behind them. Lines of the
 * file before the first that fits are passed over. Returns whether all of `expected` was there. */
static bool has_lines(FILE *file, const char *expected) {
    char *line = NULL;
    size_t size = 0;
    const char *next = expected;
    while (*next != '\0' && getline(&line, &size, file) > 0 && line[0] == '#') {
        const size_t length = strlen(line);
        if (strncmp(line, next, length) == 0)
            next += length;
        else if (next != expected)
            break;
    }
    free(line);
    return *next == '\0';
}

bool result_header_is_of(FILE *file, const parameters *p) {
    char *title = NULL, *settings_text = NULL;
    size_t size;
    const spin_model model = parameters_model(p);
    FILE *stream = open_memstream(&title, &size);
    bool good = stream != NULL;
    if (good) {
        result_header_print_title(stream, &model);
        good = fclose(stream) == 0;
    }
    stream = good ? open_memstream(&settings_text, &size) : NULL;
    if (stream != NULL) {
        result_header_print_parameters(stream, p);
        good = fclose(stream) == 0;
    }
    good = good && stream != NULL;
    rewind(file);
    good = good && has_lines(file, title) && has_lines(file, settings_text);
    free(title);
    free(settings_text);
    return good;
}
