/* Every random stream of the program, and nothing else decides anything at random.
 *
 * Numbers are those of Philox4x32-10 (Salmon et al., SC11), keyed by the run and counted by what
 * they are for, never by the thread that draws them:
 *
 *     counter = { purpose << 28 | position, owner, sweep, temperature },  4 numbers a counter
 *
 *     purpose     owner             position                    number
 *     randomise   machine word      quad of sites (MSC)         site's in the quad: 32 spins
 *     randomise   replica           128 sites (SSC)             bit of the 128: one spin
 *     randomise   replica           site / 2                    2 (site % 2) and the next: 64 bits, a state (states.h)
 *     randomise   replica           site, as in couplings.h     0, 1: a direction (vector_math.h)
 *     resample    replica / 4       0                           replica % 4, by the rule nearest
 *     resample    child / 2         0                           2 (child % 2) and the next: 64 bits, by the rules
 *                                                               by place (resample/line.h); systematic: child 0
 *     resample    point / 4         0                           point % 4, by the rules by points: its bin; `sweep` 1
 *     resample    point / 2 of bin  bin                         2 (point % 2) and the next: 64 bits, its place in
 *                                                               it; `sweep` 2 (resample/multinomial.h)
 *     resample    replica           number / 4                  number % 4, by the rule poisson, a sequence for each
 *                                                               unit of tau-hat, the `sweep` (resample/poisson.h)
 *     ssc         replica           quad of sites               site's in the quad; in random orders those of attempts / 4
 *     ssc         replica           2 (site / 4) + site % 2     2 (site / 2 % 2) and the next: 64 bits, of spins that are not
 *                                                               Ising's (states.h); sites as in couplings.h
 *     ssc         replica           2^24 attempt + site         of a vector: 0, 1 a direction, 2 whether it is taken, 3 a
 *                                                               sign; attempts of the heat bath of XY, else 0
 *     philox      lane slot / 4     site                        lane slot % 4
 *     shared      word              quad of rows                row % 4
 *     lcg         word              quad of rows                row % 4, seeds the word's LCG
 *     mwc         machine word      strip                       0 to 3: seed the strip's MWC
 *     rounding    0                 0                           0, 1 and 2, 3: 64 bits each (rounding.h)
 *     exchange    chain / 2         pair of temperatures        2 (chain % 2) and the next: 64 bits (engine/rounds.h);
 *                                                               `temperature` is the number of the step
 *     exchange    pair of chains    temperature                 0 and 1: 64 bits, the site of a cluster move of the two,
 *                                                               `sweep` 1 (method/tempering_moves.c); `temperature` likewise
 *     field       0                 128 sites                   bit of the 128: the sign of a random field, 1 down; sites of
 *                                                               a lattice as in couplings.h (settings/graphs.c)
 *     disorder    bond / 2^29       bond / 2 % 2^28             2 (bond % 2) and the next: 64 bits, J (disorder.h)
 *     disorder    bond / 2^29       bond / 2 % 2^28             the same, `sweep` 1: whether the bond is missing
 *     disorder    bond / 2^28       bond % 2^28                 0, 1 and 2, 3: a point of 2 x 64 bits, for J with a Gaussian
 *                                                               distribution; `sweep` 2 + the number of the attempt
 *     bonds       replica           site, as in couplings.h     0, 1, 2: its bond to the next site in x, y, z (SSC);
 *                                                               3: the cluster of which it is the first site
 *     site        replica           0                           0: the site whose cluster flips (Wolff); 2, 3: of vectors, the
 *                                                               direction in which clusters are mirrored
 *     site        replica           site, as in couplings.h     2, 3: 64 bits, the state of the cluster of which it is the
 *                                                               first site (Potts)
 *     site        replica           attempt / 4                 attempt % 4: the site of an attempt (SSC, random orders: visits.h)
 *     helium      walker            0, 1                        0: the atom, 1 and 2: xi; 0 to 3: Gaussians (helium/arithmetic.h);
 *                                                               `temperature` and `sweep` are the number of the update
 *     walk        walker            attempt / 4                 attempt % 4, of flat-histogram methods (walk.h): whether the
 *                                                               spin flips; `temperature` is the number of the walk
 *     walk        walker            attempt / 4                 the same, `sweep` 2: the state that a spin other than Ising's is to have
 *     walk        0                 attempt / 4                 the same, `sweep` 1: the site, of all walkers
 *
 * An owner has 32 bits: replicas are fewer than 2^32 (settings/rules.c).
 *
 * The key of a run is made of the seed, the number of the run, and that of the sample of the disorder.
 * Couplings belong to a sample, not to a run: `disorder` has a key of its own, made of the disorder seed and
 * the number of the sample, and counts bonds by their numbers (couplings.h).
 *
 * A site is its index: sub-lattice (even first), layer by layer, row by row, L/2 a row. A quad of sites is the
 * index of a site within its sub-lattice / 4, the quads of the odd sub-lattice counted after those
 * of the even one; in randomise, where all sites come in one sequence, it is the index / 4. A quad
 * of rows, in two dimensions, is four rows of one column of one sub-lattice,
 *     (sub-lattice * Ly/4 + row / 4) * Lx/2 + column.
 * A strip is 16 sites, words 0 to 7 of either sub-lattice. In two dimensions it is eight rows of one column,
 * word row % 8 of strip row / 8 * Lx/2 + column. In three dimensions it is two cells of 2 x 2 x 2 sites, 2 s
 * and 2 s + 1 of
 *     cell = (z/2 * Ly/2 + y/2) * Lx/2 + x/2,
 * and a site of it word cell % 2 * 4 + z % 2 * 2 + y % 2; so the words of a cell are, by x, y, z in it,
 *     even    0 0 0,  1 1 0,  1 0 1,  0 1 1        odd    1 0 0,  0 1 0,  0 0 1,  1 1 1.
 * Where the number of cells is odd, the last strip has one; where Ly is no multiple of 8, those of the last row of strips have 2, 4 or 6
 * rows: they draw like the others, and what they draw for missing sites is lost. A machine word is 32 lanes; lane slot and word (of p lanes) are counted through the
 * population (msc_layout.h).
 *
 * The strip's MWC (mwc.h, mode `independent`) is seeded once per temperature. `group` successive
 * strips of a lattice are a group (bernoulli.h; 32, or the largest power of two of which there are as many; the
 * last group may have fewer) and share the correction. In half sweep h, counted from 0, even sub-lattice first, strip n
 * of a group of g takes from its MWC
 *   1. if g divides h, and half sweep h + n is one of this temperature: how many points are thrown
 *      at the group in half sweep h + n (bernoulli_points);
 *   2. for each of the points n, n + g, n + 2 g, ... of half sweep h: a number for its place, bits 0-4
 *      lane, 5-6 and 12 word / 2 and word % 2, from 7 on strip % `group` (where there is none, the point
 *      is lost), and one for its mark (bernoulli_missed);
 *   3. for the bit planes, two at a time, least significant first: for each of the 8 words 32 bits of
 *      one plane and 32 of the next. If K is odd, the first plane comes alone.
 * In updates by tiles strips and half sweeps are counted as in msc_tiles.h.
 *
 * The word's LCG (mode `lcg`, Sec. 4): lane n takes r_n, where r_0 is the Philox number. */
#ifndef PAISING_STREAMS_H
#define PAISING_STREAMS_H

#include <stdint.h>

#ifdef __CUDACC__
#include <curand_philox4x32_x.h>
#define STREAM_FUNCTION static __device__ __forceinline__
#else
// Philox needs none of the processor's vector instructions, and their headers take half a second to compile.
#define R123_USE_SSE         0
#define R123_USE_X86INTRIN_H 0
#include <Random123/philox.h>
#define STREAM_FUNCTION static inline
#endif

typedef enum {
    STREAM_RUN_KEY,
    STREAM_RANDOMISE,
    STREAM_RESAMPLE,
    STREAM_SSC,
    STREAM_PHILOX,
    STREAM_SHARED,
    STREAM_LCG,
    STREAM_MWC,
    STREAM_ROUNDING,
    STREAM_DISORDER,
    STREAM_EXCHANGE,
    STREAM_FIELD,
    STREAM_BONDS,
    STREAM_SITE,
    STREAM_WALK,
    STREAM_HELIUM
} stream_purpose;

#define STREAM_POSITION_BITS 28

typedef struct {
    uint32_t word[2];
} stream_key;

typedef struct {
    uint32_t number[4];
} stream_block;

/* Four numbers of Philox4x32-10 at counter c under the key. */
STREAM_FUNCTION stream_block stream_philox(stream_key key, uint32_t c0, uint32_t c1, uint32_t c2,
                                           uint32_t c3) {
#ifdef __CUDACC__
    const uint4 x =
        curand_Philox4x32_10(make_uint4(c0, c1, c2, c3), make_uint2(key.word[0], key.word[1]));
    return stream_block{{x.x, x.y, x.z, x.w}};
#else
    const philox4x32_key_t k = {{key.word[0], key.word[1]}};
    const philox4x32_ctr_t c = {{c0, c1, c2, c3}};
    const philox4x32_ctr_t x = philox4x32(c, k);
    const stream_block block = {{x.v[0], x.v[1], x.v[2], x.v[3]}};
    return block;
#endif
}

/* The numbers of a purpose: position below 2^STREAM_POSITION_BITS. */
STREAM_FUNCTION stream_block stream_draw(stream_key key, stream_purpose purpose, uint32_t position,
                                         uint32_t owner, uint32_t sweep, uint32_t temperature) {
    return stream_philox(key, (uint32_t)purpose << STREAM_POSITION_BITS | position, owner, sweep,
                         temperature);
}

/* The key of run r of a seed with sample s of the disorder: two numbers of Philox keyed by the seed. Samples are
 * simulated with numbers of their own, or else their errors would add up in averages over them. */
STREAM_FUNCTION stream_key stream_sample_run_key(uint64_t seed, uint32_t sample, uint32_t run) {
    const stream_key of_seed = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const stream_block b = stream_draw(of_seed, STREAM_RUN_KEY, run, sample, 0, 0);
    const stream_key key = {{b.number[0], b.number[1]}};
    return key;
}

/* That of sample 0, and of models without disorder. */
STREAM_FUNCTION stream_key stream_run_key(uint64_t seed, uint32_t run) {
    return stream_sample_run_key(seed, 0, run);
}

/* The key of sample s of a disorder seed: two numbers of Philox keyed by the seed, and not those of a run
 * with the same seed. */
STREAM_FUNCTION stream_key stream_disorder_key(uint64_t seed, uint32_t sample) {
    const stream_key of_seed = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const stream_block b = stream_draw(of_seed, STREAM_DISORDER, 0, sample, 0, 0);
    const stream_key key = {{b.number[0], b.number[1]}};
    return key;
}

/* The numbers of the bonds 2 pair and 2 pair + 1 of a sample: for their J, and for whether they are missing. */
STREAM_FUNCTION stream_block stream_disorder(stream_key key, uint64_t pair) {
    const uint32_t position = (uint32_t)pair & ((1u << STREAM_POSITION_BITS) - 1);
    return stream_draw(key, STREAM_DISORDER, position, (uint32_t)(pair >> STREAM_POSITION_BITS), 0,
                       0);
}

STREAM_FUNCTION stream_block stream_dilution(stream_key key, uint64_t pair) {
    const uint32_t position = (uint32_t)pair & ((1u << STREAM_POSITION_BITS) - 1);
    return stream_draw(key, STREAM_DISORDER, position, (uint32_t)(pair >> STREAM_POSITION_BITS), 1,
                       0);
}

/* The numbers of a bond for a Gaussian J, at an attempt from 0 on. */
STREAM_FUNCTION stream_block stream_gaussian(stream_key key, uint64_t bond, uint32_t attempt) {
    const uint32_t position = (uint32_t)bond & ((1u << STREAM_POSITION_BITS) - 1);
    return stream_draw(key, STREAM_DISORDER, position, (uint32_t)(bond >> STREAM_POSITION_BITS),
                       2 + attempt, 0);
}

/* The site whose cluster flips in a sweep of a replica, with the probability 1/N within N / 2^32. Wolff's update keeps
 * the Boltzmann distribution whatever the probabilities of the sites are. */
STREAM_FUNCTION uint32_t cluster_site(stream_key key, uint32_t replica, uint32_t sweep,
                                      uint32_t temperature, uint32_t sites) {
    const stream_block b = stream_draw(key, STREAM_SITE, 0, replica, sweep, temperature);
    return (uint32_t)((uint64_t)b.number[0] * sites >> 32);
}

/* The LCG of Sec. 4. */
#define LCG_MULTIPLIER 1664525u
#define LCG_INCREMENT  1013904223u

STREAM_FUNCTION uint32_t lcg_next(uint32_t r) {
    return r * LCG_MULTIPLIER + LCG_INCREMENT;
}

#endif
