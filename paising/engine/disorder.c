/* Couplings drawn at random (disorder.h). */
#include "disorder.h"

#include "base/number.h"
#include "streams.h"

#include <math.h>

void disorder_draw(couplings *c, disorder from) {
    const stream_key key = stream_disorder_key(from.seed, from.sample);
    const bool always = from.ferromagnetic >= 1;
    const uint64_t below = always ? 0 : (uint64_t)ldexp(from.ferromagnetic, 64);
    for (uint64_t pair = 0; 2 * pair < c->bonds; pair++) {
        const stream_block b = stream_disorder(key, pair);
        for (unsigned n = 0; n < 2 && 2 * pair + n < c->bonds; n++) {
            const uint64_t number = (uint64_t)b.number[2 * n + 1] << 32 | b.number[2 * n];
            couplings_set(c, 2 * pair + n, !always && number >= below);
        }
    }
}

const char *disorder_text(char text[DISORDER_TEXT_SIZE], disorder from) {
    char p[NUMBER_TEXT_SIZE];
    snprintf(text, DISORDER_TEXT_SIZE, "disorder seed %llu, sample %u, ferromagnetic %s",
             (unsigned long long)from.seed, (unsigned)from.sample,
             number_text(p, from.ferromagnetic));
    return text;
}
