/* Couplings drawn at random (disorder.h). */
#include "disorder.h"

#include "base/number.h"
#include "streams.h"

#include <math.h>

/* Whether the number of a bond in a block of two is below 2^64 P. */
static bool is_below(const stream_block *b, uint64_t bond, double probability) {
    const uint64_t n = bond % 2, number = (uint64_t)b->number[2 * n + 1] << 32 | b->number[2 * n];
    return probability >= 1 || number < (uint64_t)ldexp(probability, 64);
}

void disorder_draw(couplings *c, disorder from) {
    const stream_key key = stream_disorder_key(from.seed, from.sample);
    stream_block b = {{0}};
    for (uint64_t bond = 0; bond < c->bonds; bond++) {
        if (bond % 2 == 0)
            b = stream_disorder(key, bond / 2);
        couplings_set(c, bond, !is_below(&b, bond, from.ferromagnetic));
    }
}

bool disorder_dilute(couplings *c, disorder from, double dilution) {
    const stream_key key = stream_disorder_key(from.seed, from.sample);
    stream_block b = {{0}};
    bool good = true;
    for (uint64_t bond = 0; dilution > 0 && good && bond < c->bonds; bond++) {
        if (bond % 2 == 0)
            b = stream_dilution(key, bond / 2);
        if (is_below(&b, bond, dilution))
            good = couplings_remove(c, bond);
    }
    return good;
}

const char *disorder_text(char text[DISORDER_TEXT_SIZE], disorder from) {
    char p[NUMBER_TEXT_SIZE];
    snprintf(text, DISORDER_TEXT_SIZE, "disorder seed %llu, sample %u, ferromagnetic %s",
             (unsigned long long)from.seed, (unsigned)from.sample,
             number_text(p, from.ferromagnetic));
    return text;
}
