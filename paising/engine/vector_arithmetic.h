/* Updates and measurements of spins that are vectors (vectors.h). */
#ifndef PAISING_VECTOR_ARITHMETIC_H
#define PAISING_VECTOR_ARITHMETIC_H

#include "base/portable.h"
#include "ssc_numbers.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

#define VECTOR_MOST_SITES (1u << 24) /* positions of streams.h have 4 bits more, for attempts */
#define VECTOR_ATTEMPTS   16

/* The counters of the random numbers of a site (streams.h), and its four numbers at an attempt. A GPU has them in parts
 * (ssc_numbers.h). */
#ifdef __CUDACC__
typedef struct {
    const ssc_keys *keys;
    ssc_moment moment;
    uint32_t temperature, site;
} vector_numbers;

STREAM_FUNCTION stream_block vector_draw(const vector_numbers *of, uint32_t attempt) {
    const uint32_t position = attempt * VECTOR_MOST_SITES + of->site;
    return ssc_numbers(of->keys, ssc_place_of(of->keys, position, of->temperature), of->moment);
}
#else
typedef struct {
    stream_key key;
    uint32_t replica, sweep, temperature, site;
} vector_numbers;

STREAM_FUNCTION stream_block vector_draw(const vector_numbers *of, uint32_t attempt) {
    return stream_draw(of->key, STREAM_SSC, attempt * VECTOR_MOST_SITES + of->site, of->replica,
                       of->sweep, of->temperature);
}
#endif

/* x in units of 2^-20, rounded to the nearest; |x| < 2^30. */
STREAM_FUNCTION int64_t vector_fixed(double x) {
    return (int64_t)((x * VECTOR_ONE + 0x1.8p52) - 0x1.8p52);
}

/* J of a bond of a sample. */
static inline double vector_coupling(const couplings *c, uint64_t site, uint32_t direction) {
    return c->value != NULL ? c->value[site * c->dimension + direction] / VECTOR_ONE
                            : couplings_sign(c, site, direction);
}

/* The neighbours of site i, which is x, y, z: the next one in x and the one before, in y, in z. */
STREAM_FUNCTION void vector_neighbours(const vector_lattice *l, uint32_t i, uint32_t x, uint32_t y,
                                       uint32_t z, uint32_t around[2 * MODEL_MAX_DIMENSION]) {
    const uint32_t lx = l->edge[0], ly = l->edge[1], lz = l->edge[2], plane = lx * ly;
    around[0] = x + 1 < lx ? i + 1 : i + 1 - lx;
    around[1] = x > 0 ? i - 1 : i + lx - 1;
    around[2] = y + 1 < ly ? i + lx : i + lx - plane;
    around[3] = y > 0 ? i - lx : i + plane - lx;
    if (l->dimension == 3) {
        around[4] = z + 1 < lz ? i + plane : i + plane - plane * lz;
        around[5] = z > 0 ? i - plane : i + plane * (lz - 1);
    }
}

/* The order of a replica from the sums of its components in units of 2^-20, each below 2^45. */
STREAM_FUNCTION uint32_t vector_order(const vector_lattice *l, const int64_t sum[3]) {
    const double a = (double)sum[0], b = (double)sum[1], c = (double)sum[2];
    const double order = sqrt(a * a + b * b + c * c) * l->order_scale;
    const uint32_t nearest = (uint32_t)(order + 0.5);
    return nearest < l->most_order ? nearest : l->most_order;
}

#define REAL     float
#define OF(name) vector_float_##name
#include "vector_math.h"
#undef REAL
#undef OF

#define REAL        double
#define REAL_DOUBLE 1
#define OF(name)    vector_double_##name
#include "vector_math.h"
#undef REAL
#undef REAL_DOUBLE
#undef OF

#ifdef __CUDACC__
#define REAL      float
#define REAL_FAST 1
#define OF(name)  vector_fast_##name
#include "vector_math.h"
#undef REAL
#undef REAL_FAST
#undef OF
#endif

#endif
