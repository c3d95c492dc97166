/* The numbers of purpose ssc (streams.h), made in three parts that depend on less than all of the counter.
 *
 * A round of Philox takes {a, b, c, d} to {high(B c) ^ b ^ k0, low(B c), high(A a) ^ d ^ k1, low(A a)}. The
 * position is in a alone and the sweep in c alone, so that the first two rounds multiply only what is known
 * from a place and the temperature, or from a moment: replica and sweep. Who decides many spins makes each of
 * these once, and for a number of four the other eight rounds. */
#ifndef PAISING_SSC_NUMBERS_H
#define PAISING_SSC_NUMBERS_H

#include "streams.h"

#define PHILOX_ROUNDS 10
#define PHILOX_A      0xd2511f53u
#define PHILOX_B      0xcd9e8d57u

/* The two words of the key in every round. */
typedef struct {
    uint32_t word[PHILOX_ROUNDS][2];
} ssc_keys;

/* After two rounds the counter is {place.high ^ moment.b, place.low, moment.high ^ place.d, moment.low}. */
typedef struct {
    uint32_t high, low, d;
} ssc_place;

typedef struct {
    uint32_t high, low, b;
} ssc_moment;

static inline ssc_keys ssc_keys_of(stream_key key) {
    ssc_keys k;
    for (uint32_t round = 0; round < PHILOX_ROUNDS; round++) {
        k.word[round][0] = key.word[0] + round * 0x9e3779b9u;
        k.word[round][1] = key.word[1] + round * 0xbb67ae85u;
    }
    return k;
}

/* `quad`: the position, that of a quad of sites. */
STREAM_FUNCTION ssc_place ssc_place_of(const ssc_keys *k, uint32_t quad, uint32_t temperature) {
    const uint64_t first =
        (uint64_t)PHILOX_A * (((uint32_t)STREAM_SSC << STREAM_POSITION_BITS) + quad);
    const uint64_t second =
        (uint64_t)PHILOX_B * ((uint32_t)(first >> 32) ^ temperature ^ k->word[0][1]);
    const ssc_place place = {(uint32_t)(second >> 32), (uint32_t)second, (uint32_t)first};
    return place;
}

STREAM_FUNCTION ssc_moment ssc_moment_of(const ssc_keys *k, uint32_t replica, uint32_t sweep) {
    const uint64_t first = (uint64_t)PHILOX_B * sweep;
    const uint64_t second =
        (uint64_t)PHILOX_A * ((uint32_t)(first >> 32) ^ replica ^ k->word[0][0]);
    const ssc_moment moment = {(uint32_t)(second >> 32) ^ k->word[1][1], (uint32_t)second,
                               (uint32_t)first ^ k->word[1][0]};
    return moment;
}

/* What stream_draw() gives for STREAM_SSC at this place and moment. */
STREAM_FUNCTION stream_block ssc_numbers(const ssc_keys *k, ssc_place place, ssc_moment moment) {
    uint32_t a = place.high ^ moment.b, b = place.low, c = moment.high ^ place.d, d = moment.low;
#ifdef __CUDACC__
#pragma unroll
#endif
    for (int round = 2; round < PHILOX_ROUNDS; round++) {
        const uint64_t by_a = (uint64_t)PHILOX_A * a, by_b = (uint64_t)PHILOX_B * c;
        a = (uint32_t)(by_b >> 32) ^ b ^ k->word[round][0];
        b = (uint32_t)by_b;
        c = (uint32_t)(by_a >> 32) ^ d ^ k->word[round][1];
        d = (uint32_t)by_a;
    }
    const stream_block block = {{a, b, c, d}};
    return block;
}

#endif
