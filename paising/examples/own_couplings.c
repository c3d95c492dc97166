/* Anneals a spin glass with couplings of its own and prints P(q) at the last temperature.
 *
 *     cc own_couplings.c $(pkg-config --cflags --libs paising) -o own_couplings */
#include <paising.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define L 6 /* the edge of a cubic lattice */

static uint64_t site(unsigned x, unsigned y, unsigned z) {
    return ((z % L) * L + y % L) * L + x % L;
}

static int sign(void) {
    return rand() % 2 == 0 ? 1 : -1;
}

int main(void) {
    paising *const p = paising_new();
    int status = p != NULL ? PAISING_OK : PAISING_FAILED;
    static const char *const settings[][2] = {{"model", "glass3d"},   {"size", "6"},
                                              {"population", "2000"}, {"sweeps", "10"},
                                              {"dbeta", "0.05"},      {"beta-end", "1.5"}};
    for (size_t n = 0; !status && n < sizeof settings / sizeof *settings; n++)
        status = paising_set(p, settings[n][0], settings[n][1]);
    for (unsigned n = 0; !status && n < L * L * L; n++) {
        const unsigned x = n % L, y = n / L % L, z = n / (L * L);
        status = paising_bond(p, site(x, y, z), site(x + 1, y, z), sign()) ||
                 paising_bond(p, site(x, y, z), site(x, y + 1, z), sign()) ||
                 paising_bond(p, site(x, y, z), site(x, y, z + 1), sign());
    }
    if (!status)
        status = paising_run(p, NULL, NULL);
    if (status)
        return fprintf(stderr, "%s", p != NULL ? paising_text(p) : "no memory\n"), status;
    size_t size;
    const char *block = NULL, *next = paising_file(p, "PA_overlap_run_0.dat", &size);
    while ((next = strstr(next, ": P(q) of ")) != NULL)
        block = next++; /* of the last temperature */
    block = strchr(block, '\n') + 1;
    printf("%.*s", (int)(strstr(block, "\n\n") + 1 - block), block); /* names of columns, rows */
    paising_free(p);
    return 0;
}
