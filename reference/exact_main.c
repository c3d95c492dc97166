/* build/exact -L L BETA...: the exact e, C, betaF/N and S/N of the L x L lattice (exact.h), one row
 * for each beta, with 17 digits. Status 2: a bad command line; status 1: the output was not
 * written. */
#include "base/commit.h"
#include "base/message.h"
#include "base/usage.h"
#include "exact.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX_SIZE 16384
#define ALLOWED_BETAS  "a number from 0 to 8.98e307"

static const char usage[] =
    "usage: exact -L L BETA...\n"
    "Exact results of the 2D Ising model on the L x L lattice with periodic boundaries, per spin.\n"
    "\n"
    "  -L, --size L  lattice edge: even, 4 to 16384\n"
    "  -h, --help    this text\n"
    "  BETA          inverse temperatures: from 0 to 8.98e307\n"
    "\n"
    "Prints a row for each BETA: beta, energy e, specific heat C, betaF/N, entropy S/N.\n";

/* Ends the program: which argument is wrong, its value, what is allowed. */
_Noreturn static void refuse(const char *what, const char *value, const char *allowed) {
    exit(complain(STATUS_REFUSED, "%s '%s': %s", what, value, allowed));
}

/* The text as a lattice edge. */
static uint32_t parse_size(const char *text) {
    char *end = NULL;
    errno = 0;
    const unsigned long size = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
    if (end == NULL || *end != '\0' || errno != 0 || size < EXACT_MIN_SIZE ||
        size > EXACT_MAX_SIZE || size % 2 != 0)
        refuse("-L", text, "the lattice edge must be an even number from 4 to 16384");
    return (uint32_t)size;
}

/* The text as an inverse temperature. */
static double parse_beta(const char *text) {
    char *end = NULL;
    const double beta = strtod(text, &end);
    if (end == text || *end != '\0' || isspace((unsigned char)*text) ||
        !(beta >= 0 && beta <= EXACT_MAX_BETA))
        refuse("BETA", text, "an inverse temperature must be " ALLOWED_BETAS);
    return fabs(beta); /* of -0 */
}

/* Whether the argument is an option; -0.4 is a (bad) number. */
static int is_option(const char *text) {
    return text[0] == '-' && text[1] != '\0' && text[1] != '.' && !isdigit((unsigned char)text[1]);
}

/* Reads the command line into *size and beta[argc]. Returns the number of betas. */
static int parse_arguments(int argc, char **argv, uint32_t *size, double *beta) {
    static const char long_size[] = "--size=";
    int count = 0, options = 1;
    *size = 0;
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        if (!options || !is_option(text)) {
            beta[count++] = parse_beta(text);
        } else if (strcmp(text, "--") == 0) {
            options = 0;
        } else if (strcmp(text, "-h") == 0 || strcmp(text, "--help") == 0) {
            usage_show(usage);
        } else if (strcmp(text, "-L") == 0 || strcmp(text, "--size") == 0) {
            if (++i == argc)
                refuse(text, "", "is followed by the lattice edge, an even number from 4 to 16384");
            *size = parse_size(argv[i]);
        } else if (strncmp(text, "-L", 2) == 0) {
            *size = parse_size(text + 2);
        } else if (strncmp(text, long_size, sizeof long_size - 1) == 0) {
            *size = parse_size(text + sizeof long_size - 1);
        } else {
            refuse("unknown option", text, "the options are -L L (--size L) and -h (--help)");
        }
    }
    if (*size == 0)
        refuse("-L", "", "the lattice edge is missing, an even number from 4 to 16384");
    if (count == 0)
        refuse("BETA", "", "give one inverse temperature or more, each " ALLOWED_BETAS);
    return count;
}

int main(int argc, char **argv) {
    double *beta = malloc(((size_t)argc + 1) * sizeof *beta);
    if (beta == NULL)
        return complain(STATUS_REFUSED, "no memory for %d inverse temperatures", argc);
    uint32_t size;
    const int count = parse_arguments(argc, argv, &size, beta);
    printf("# exact (paising " PAISING_VERSION ") L=%u: beta e C betaF/N S/N\n", (unsigned)size);
    for (int i = 0; i < count; i++) {
        const exact_result x = exact_thermodynamics(size, beta[i]);
        printf("%.17g %.17g %.17g %.17g %.17g\n", beta[i], x.e, x.c, x.beta_f, x.s);
    }
    free(beta);
    return close_stdout();
}
