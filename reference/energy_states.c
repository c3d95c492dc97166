/* Thermodynamics from numbers of states, and the numbers in decimal (energy_states.h). */
#include "energy_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool energy_states_create(energy_states *states, const couplings *c) {
    *states = (energy_states){.sites = c->sites, .bonds = c->bonds};
    states->words = (size_t)(c->sites / 64 + 1); /* 2^N has N + 1 bits */
    states->count = calloc((states->bonds + 1) * states->words, sizeof *states->count);
    return states->count != NULL;
}

void energy_states_destroy(energy_states *states) {
    free(states->count);
    states->count = NULL;
}

long double energy_states_number(const energy_states *states, uint64_t unsatisfied) {
    const uint64_t *const words = energy_states_count(states, unsatisfied);
    long double count = 0;
    for (size_t n = states->words; n-- > 0;)
        count = count * 0x1p64L + (long double)words[n];
    return count;
}

exact_result energy_states_thermodynamics(const energy_states *states, double beta) {
    const long double b = beta, n = (long double)states->sites;
    uint64_t ground = 0;
    while (!(energy_states_number(states, ground) > 0))
        ground++;
    /* All sums are relative to the ground states: at low temperature the rest is small, and C
     * consists of it. */
    const long double lowest = 2 * (long double)ground - (long double)states->bonds;
    long double z = 0, excess = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t u = ground; u <= states->bonds; u++) {
            const long double above = 2 * (long double)(u - ground);
            const long double weight = energy_states_number(states, u) * expl(-b * above);
            if (pass == 0) {
                z += weight;
                excess += weight * above;
            } else {
                squares += weight * (above - excess / z) * (above - excess / z);
            }
        }
    const long double mean = excess / z, ln_z = logl(z);
    return (exact_result){.e = (double)((lowest + mean) / n),
                          .c = (double)(b * b * (squares / z) / n),
                          .beta_f = (double)((b * lowest - ln_z) / n),
                          .s = (double)((b * mean + ln_z) / n)};
}

char *energy_states_text(const energy_states *states, uint64_t unsatisfied) {
    const uint64_t billions = 1000000000;
    /* Groups of 9 digits, each of more than 29 bits. */
    const size_t groups = states->words * 64 / 29 + 1;
    uint64_t *const rest = malloc(states->words * sizeof *rest);
    char *const text = malloc(9 * groups + 1);
    if (rest == NULL || text == NULL) {
        free(rest);
        free(text);
        return NULL;
    }
    memcpy(rest, energy_states_count(states, unsatisfied), states->words * sizeof *rest);
    text[9 * groups] = '\0';
    for (size_t g = groups; g-- > 0;) {
        uint64_t remainder = 0;
        for (size_t n = states->words; n-- > 0;) {
            const uint64_t upper = remainder << 32 | rest[n] >> 32;
            const uint64_t lower = upper % billions << 32 | (rest[n] & UINT32_MAX);
            rest[n] = upper / billions << 32 | lower / billions;
            remainder = lower % billions;
        }
        for (int digit = 8; digit >= 0; digit--, remainder /= 10)
            text[9 * g + (size_t)digit] = (char)('0' + remainder % 10);
    }
    free(rest);
    const size_t zeros = strspn(text, "0");
    memmove(text, text + zeros - (text[zeros] == '\0'),
            9 * groups - zeros + 1 + (text[zeros] == '\0'));
    return text;
}
