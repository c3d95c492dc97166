/* The random numbers of mode `independent` (streams.h), drawn by a vector of strips at once.
 * Products of even strips are in the 64-bit lanes of one vector, those of odd strips in another;
 * their low halves interleave into a vector of words. */
#ifndef PAISING_CPU_MSC_MWC_H
#define PAISING_CPU_MSC_MWC_H

#include "engine/mwc.h"
#include "msc_lattice.h"
#include "msc_vector.h"

/* The last two products with their carries, c << 32 | x, of even and of odd strips; the newer
 * first. Only x of the older one is used. */
typedef struct {
    vec64 even[2], odd[2];
} mwc_vector;

static inline mwc_vector mwc_load(const msc_streams *s, size_t strip) {
    const vec64 high_half = ~(vec64){0} << 32;
    const vec64 x2 = (vec64)vec_load(s->x2 + strip), x1 = (vec64)vec_load(s->x1 + strip),
                c = (vec64)vec_load(s->c + strip);
    const mwc_vector m = {{(x1 & ~high_half) | c << 32, x2},
                          {x1 >> 32 | (c & high_half), x2 >> 32}};
    return m;
}

/* Stores the states of the first `count` strips of the vector, or of all if count is larger. */
static inline void mwc_store(msc_streams *s, size_t strip, const mwc_vector *m, uint32_t count) {
    vec_store_first(s->x2 + strip, vec_interleave(m->even[1], m->odd[1]), count);
    vec_store_first(s->x1 + strip, vec_interleave(m->even[0], m->odd[0]), count);
    vec_store_first(s->c + strip, vec_interleave(m->even[0] >> 32, m->odd[0] >> 32), count);
}

/* The next product of the even or the odd strips. */
static inline vec64 draw_half(vec64 last[2]) {
    const vec64 multiplier = MWC_MULTIPLIER - (vec64){0};
    const vec64 next = vec_multiply_low(last[1], multiplier) + (last[0] >> 32);
    last[1] = last[0];
    last[0] = next;
    return next;
}

/* mwc_next for every strip. */
static inline vec32 draw_words(mwc_vector *m) {
    const vec64 even = draw_half(m->even), odd = draw_half(m->odd);
    return vec_interleave(even, odd);
}

#endif
