/* Fuzz target: the reader of files of parameters of paising-helium, helium/options.c. What is accepted lies within the ranges
 * of options, makes a box with an edge, and is the same when it is printed and read again. */
#include "helium/options.h"
#include "memory_file.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static exit_status read_file(helium_request *r, const char *path) {
    char program[] = "paising-helium", option[] = "--parameters", file[40];
    char *words[] = {program, option, file, NULL};
    snprintf(file, sizeof file, "%s", path);
    optind = 0; /* getopt starts anew */
    return helium_options(r, 3, words);
}

static void check(const helium_request *r) {
    const helium_parameters *const p = &r->p;
    if (p->atoms < 2 || p->atoms > HELIUM_MOST_ATOMS || p->walkers < 1 ||
        p->walkers > HELIUM_MOST_WALKERS || r->blocks < 1 || r->analyses < 1 || r->macroupdates < 1)
        abort();
    if (!(p->edge > 0 && isfinite(p->edge) && r->density > 0 && isfinite(r->density) &&
          p->jastrow_b > 0 && p->mass > 0 && p->step > 0))
        abort();
}

/* What helium_options_print says, without "# ". The density follows from the edge. */
static void reread(int descriptor, const helium_request *r) {
    char *printed, *text;
    size_t length;
    FILE *stream = open_memstream(&printed, &length);
    if (stream == NULL)
        abort();
    helium_options_print(stream, r);
    if (fclose(stream) != 0 || (stream = open_memstream(&text, &length)) == NULL)
        abort();
    for (char *rest = printed, *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';)
        if (strncmp(line, "# density", 9) != 0)
            fprintf(stream, "%s\n", line + 2);
    helium_request again;
    if (fclose(stream) != 0 ||
        read_file(&again, memory_file_fill(descriptor, text, length)) != STATUS_OK)
        abort();
    again.density = r->density;
    if (helium_options_differ(&again, r) != NULL || again.blocks != r->blocks)
        abort();
    free(printed);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int descriptor = -1;
    if (descriptor < 0)
        descriptor = memory_file_open();
    helium_request r;
    if (read_file(&r, memory_file_fill(descriptor, data, size)) != STATUS_OK)
        return 0;
    check(&r);
    reread(descriptor, &r);
    return 0;
}
