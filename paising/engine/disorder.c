/* Couplings drawn at random (disorder.h). */
#include "disorder.h"

#include "base/ieee_math.h"
#include "base/number.h"
#include "model/levels.h"
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

/* A number in (-1, 1), from the upper 53 bits of 64. */
static double symmetric(uint32_t low, uint32_t high) {
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    return ((double)bits + 0.5) * 0x1p-52 - 1;
}

/* g of a bond. A point that is uniform in the unit circle has an angle and a square s of its distance that are independent;
 * v1 / sqrt(s) is the cosine, and sqrt(-2 ln s) the length of two independent Gaussian numbers. */
static double gaussian(stream_key key, uint64_t bond) {
    for (uint32_t attempt = 0;; attempt++) {
        const stream_block b = stream_gaussian(key, bond, attempt);
        const double v1 = symmetric(b.number[0], b.number[1]),
                     v2 = symmetric(b.number[2], b.number[3]), s = v1 * v1 + v2 * v2;
        if (s > 0 && s < 1)
            return v1 * sqrt(-2 * ieee_log(s) / s);
    }
}

bool disorder_draw_gaussian(couplings *c, disorder from, double mean, double width) {
    const stream_key key = stream_disorder_key(from.seed, from.sample);
    if (!couplings_allocate_values(c))
        return false;
    for (uint64_t bond = 0; bond < c->bonds; bond++) {
        const double j = mean + width * gaussian(key, bond);
        couplings_set_value(c, bond, (int32_t)floor(j * FINE_UNIT + 0.5));
    }
    return true;
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
