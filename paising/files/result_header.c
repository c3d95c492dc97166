/* Writes the common part of headers, and compares it. */
#include "result_header.h"

#include "base/text_line.h"

#include "base/commit.h"
#include "base/number.h"
#include "settings/exclusions.h"

#include <stdlib.h>
#include <string.h>

#define TITLE      "# paising "
#define NAMES_MOST 8192 /* bytes of the line of names of columns */

void result_header_print_title(FILE *file, const parameters *p, const spin_model *model) {
    fprintf(file, TITLE "%s: %s of %s\n", PAISING_VERSION, method_title(p->method), model->title);
}

/* Whether headers leave out the fallback value. */
static bool is_quiet(const setting *s, const parameters *p) {
    return s->quiet || (s->quiet_with != METHOD_annealing && s->quiet_with == p->method);
}

void result_header_print_parameters(FILE *file, const parameters *p) {
    char room[SETTING_TEXT_SIZE];
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        const char *const text = setting_text(room, s, p);
        if (s->effect == DECIDES_DATA && setting_holds(s, p) &&
            !(is_quiet(s, p) && strcmp(text, s->fallback) == 0))
            fprintf(file, "# %s %s\n", s->name, text);
    }
}

void result_header_print_cut(FILE *file, const spin_model *model, double lowest) {
    const bond_origin *const origin = model_origin(model);
    char cut[NUMBER_TEXT_SIZE], weight[NUMBER_TEXT_SIZE], energy[NUMBER_TEXT_SIZE];
    if (origin != NULL && origin->is_cut)
        fprintf(
            file,
            "# largest cut: %s = (W - E) / 2, with the weights w = -J, their sum W = %s and the "
            "lowest energy E = %s\n",
            number_rounded_text(cut, bond_origin_cut(origin, lowest), RESULT_ENERGY_DIGITS),
            number_rounded_text(weight, origin->weight, RESULT_ENERGY_DIGITS),
            number_rounded_text(energy, lowest, RESULT_ENERGY_DIGITS));
}

/* Whether a text begins as the title does, as far as it goes. */
static bool is_title(const char *text) {
    const size_t length = strlen(text), most = strlen(TITLE);
    return strncmp(text, TITLE, length < most ? length : most) == 0;
}

/* Whether a line may be that of the names of columns, above the title: of one that was cut off, the first column decides. */
static bool is_line_of_names(const char *line) {
    static const char *const first[] = {"# beta ", "# x ", "# sample ", "# step "};
    bool found = strpbrk(line, "\r\n") != NULL;
    for (size_t n = 0; n < sizeof first / sizeof *first && !found; n++)
        found = strncmp(line, first[n], strlen(first[n])) == 0;
    return found && strncmp(line, "# ", 2) == 0 && !is_title(line);
}

/* Compares a file with the expected header: the title, which names the model, and the parameters. The line of the names of
 * columns may stand before the title, and other lines between the two. A crash may have truncated the file, or replaced its
 * end by null bytes. */
static header_match match_lines(FILE *file, const char *expected) {
    const char *const first_parameter = strchr(expected, '\n') + 1;
    const char *next = expected;
    size_t lines = 0;
    header_match found = HEADER_CUT_OFF;
    char *line = NULL;
    size_t size = 0;
    while (found == HEADER_CUT_OFF && *next != '\0') {
        if (text_line(&line, &size, file) <= 0) {
            found = feof(file) ? HEADER_CUT_OFF : HEADER_OF_OTHERS; /* a read error, or no memory */
            break;
        }
        const size_t length = strlen(line);
        if (strncmp(line, next, length) == 0)
            next += length;
        else if (lines == 0 && is_line_of_names(line))
            lines++; /* which may have been cut off, too */
        else if (next != first_parameter || line[0] != '#')
            found = HEADER_OF_OTHERS;
        if (length == 0 || line[length - 1] != '\n')
            break;
    }
    free(line);
    return *next == '\0' ? HEADER_OWN : found;
}

bool result_header_begins(FILE *file) {
    char start[NAMES_MOST + sizeof TITLE] = "";
    rewind(file);
    const bool read = fread(start, 1, sizeof start - 1, file) > 0 || !ferror(file);
    const char *title = start;
    if (is_line_of_names(start)) {
        title += strcspn(start, "\r\n");
        title += strspn(title, "\r\n");
    }
    return read && is_title(title);
}

header_match result_header_match(FILE *file, const parameters *p) {
    char *expected = NULL;
    size_t size;
    const spin_model model = parameters_model(p);
    FILE *const stream = open_memstream(&expected, &size);
    header_match found = HEADER_OF_OTHERS;
    if (stream == NULL)
        return found;
    result_header_print_title(stream, p, &model);
    result_header_print_parameters(stream, p);
    rewind(file);
    const bool printed = !ferror(stream);
    /* Without memory fclose may return 0 although the text was not stored. */
    if (fclose(stream) == 0 && printed && expected != NULL)
        found = match_lines(file, expected);
    free(expected);
    return found;
}
