/* Analyses on a GPU: sums over all pairs, g(r), S(k). */
#ifndef PAISING_HELIUM_ANALYSES_CUH
#define PAISING_HELIUM_ANALYSES_CUH

#include "order.cuh"

extern "C" {
#include "engine.h"
}

#define PAIRS 128 /* threads of a block that sums over pairs */

typedef unsigned long long uint64_atomic;

static __device__ int64_t sum_of_warp(int64_t x) {
    for (int distance = 16; distance > 0; distance /= 2)
        x += __shfl_down_sync(EVERY, x, distance);
    return x;
}

static __device__ void add_64(int64_t *to, int64_t x) {
    atomicAdd((uint64_atomic *)to, (uint64_atomic)x);
}

/* As many atoms as a block has threads, as fractions of the box, NaN where there are no more; and boxes around groups. */
template <uint32_t WIDTH> struct atom_tile {
    float x[3][WIDTH];
    group_box box[3][WIDTH / GROUP];
};

/* The atom of number `place` in the order. */
static __device__ float placed(const uint32_t *x, const uint32_t *at, uint32_t place,
                               uint32_t atoms) {
    return place < atoms ? fraction_of(__ldcg(&x[at[place]])) : __int_as_float(0x7fffffff);
}

/* A difference of coordinates to the nearest image, to the last bit. */
static __device__ float to_nearest(float d) {
    return d - ((d + 0x1.8p23f) - 0x1.8p23f);
}

/* Whether atoms in two boxes may be nearer than L/2. */
static __device__ bool may_be_near(const group_box a[3], group_box x, group_box y, group_box z) {
    const group_box b[3] = {x, y, z};
    float sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const float gap = fmaxf(apart(a[k].centre, b[k].centre) - a[k].half - b[k].half, 0.0f);
        sum += gap * gap;
    }
    return sum < 0.2501f;
}

/* A block: adds the pairs of WIDTH atoms, from `first` on in the order at[], with all others to `sums`, and unless NULL to
 * bins[] in shared memory. A thread has an atom, and the partners come by tiles. */
template <uint32_t WIDTH>
static __device__ void sum_partners(atom_tile<WIDTH> *tile, const helium_constants *h,
                                    const helium_cubic *table, const uint32_t *coordinate,
                                    const uint32_t *at, uint32_t first, helium_sums *sums,
                                    uint32_t *bins) {
    const uint32_t i = first + threadIdx.x, atoms = h->atoms, lane = threadIdx.x % 32;
    float own[3];
    group_box box[3];
    for (uint32_t k = 0; k < 3; k++) {
        own[k] = placed(coordinate + k * atoms, at, i, atoms);
        box[k] = box_around(own[k]);
    }
    helium_atom_sums s = {0, 0, {0, 0, 0}, 0};
    for (uint32_t begin = 0; begin < atoms; begin += WIDTH) {
        __syncthreads();
        for (uint32_t k = 0; k < 3; k++) {
            const float x = placed(coordinate + k * atoms, at, begin + threadIdx.x, atoms);
            const group_box of_group = box_around(x);
            tile->x[k][threadIdx.x] = x;
            if (lane == 0)
                tile->box[k][threadIdx.x / GROUP] = of_group;
        }
        __syncthreads();
        for (uint32_t g = 0; g < WIDTH / GROUP && begin + g * GROUP < atoms; g++) {
            if (!may_be_near(box, tile->box[0][g], tile->box[1][g], tile->box[2][g]))
                continue;
            for (uint32_t j = g * GROUP; j < (g + 1) * GROUP; j++) {
                if (begin + j == i)
                    continue;
                const uint32_t bin = helium_add_partner(
                    &s, h, table, to_nearest(tile->x[0][j] - own[0]),
                    to_nearest(tile->x[1][j] - own[1]), to_nearest(tile->x[2][j] - own[2]));
                if (bins != NULL && bin < HELIUM_RADIAL_BINS)
                    atomicAdd(&bins[bin], 1);
            }
        }
    }
    const int64_t potential = sum_of_warp(helium_sum_of(&s, s.potential));
    const int64_t laplacian = sum_of_warp(helium_sum_of(&s, s.laplacian));
    const int64_t square = sum_of_warp(helium_square(&s));
    if (threadIdx.x % 32 == 0) {
        add_64(&sums->potential, potential);
        add_64(&sums->laplacian, laplacian);
        add_64(&sums->square, square);
    }
}

/* Blocks (tiles of atoms, walkers); coordinate[walkers][3][atoms], at[walkers][atoms]. */
static __global__ void __launch_bounds__(PAIRS)
    sum_pairs(const __grid_constant__ helium_constants h, const helium_cubic *table,
              const uint32_t *coordinate, const uint32_t *at, helium_analysis *analysis,
              helium_shape *shape) {
    __shared__ atom_tile<PAIRS> tile;
    __shared__ uint32_t bins[HELIUM_RADIAL_BINS];
    for (uint32_t bin = threadIdx.x; bin < HELIUM_RADIAL_BINS; bin += PAIRS)
        bins[bin] = 0;
    sum_partners(&tile, &h, table, coordinate + (size_t)blockIdx.y * 3 * h.atoms,
                 at + (size_t)blockIdx.y * h.atoms, blockIdx.x * PAIRS, &analysis[blockIdx.y].sums,
                 bins);
    __syncthreads();
    for (uint32_t bin = threadIdx.x; bin < HELIUM_RADIAL_BINS; bin += PAIRS)
        if (bins[bin] != 0)
            atomicAdd((uint64_atomic *)&shape->radial[bin], bins[bin]);
}

/* A warp a wave: blocks (3 HELIUM_WAVE_NUMBERS / WAVES, walkers). */
#define WAVES (PAIRS / 32)
static __global__ void __launch_bounds__(PAIRS)
    sum_waves(uint32_t atoms, const uint32_t *coordinate, helium_shape *shape) {
    const uint32_t wave = blockIdx.x * WAVES + threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t n = wave % HELIUM_WAVE_NUMBERS;
    const uint32_t *const x =
        coordinate + (size_t)blockIdx.y * 3 * atoms + wave / HELIUM_WAVE_NUMBERS * atoms;
    int64_t sum[2] = {0, 0};
    for (uint32_t i = lane; i < atoms; i += 32)
        helium_add_wave(sum, (n + 1) * x[i]);
    const int64_t all[2] = {sum_of_warp(sum[0]), sum_of_warp(sum[1])};
    if (lane != 0)
        return;
    const uint64_t power = helium_power(all);
    atomicAdd((uint64_atomic *)&shape->structure[n][0], (uint32_t)power);
    atomicAdd((uint64_atomic *)&shape->structure[n][1], power >> 32);
}

static __global__ void note_accepted(uint32_t walkers, uint64_t *accepted,
                                     helium_analysis *analysis) {
    const uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w < walkers) {
        analysis[w].accepted = accepted[w];
        accepted[w] = 0;
    }
}

#endif
