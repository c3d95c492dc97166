/* Analyses on a GPU: sums over all pairs, g(r), S(k). */
#ifndef PAISING_HELIUM_ANALYSES_CUH
#define PAISING_HELIUM_ANALYSES_CUH

#include "moves.cuh"

extern "C" {
#include "engine.h"
}

#define PAIRS 128 /* threads of a block that sums over pairs, and atoms of a tile */

typedef unsigned long long uint64_atomic;

static __device__ void add_64(int64_t *to, int64_t x) {
    atomicAdd((uint64_atomic *)to, (uint64_atomic)x);
}

/* Blocks (tiles of atoms, walkers); a thread has an atom, and the partners come by tiles. */
static __global__ void __launch_bounds__(PAIRS)
    sum_pairs(const helium_constants h, const helium_cubic *table, const uint32_t *coordinate,
              size_t pitch, helium_analysis *analysis, uint64_atomic *radial) {
    __shared__ uint32_t tile[3][PAIRS], bins[HELIUM_RADIAL_BINS + 1];
    const uint32_t i = blockIdx.x * PAIRS + threadIdx.x, atoms = h.atoms;
    const uint32_t *const place = coordinate + blockIdx.y * pitch;
    helium_analysis *const a = &analysis[blockIdx.y];
    for (uint32_t bin = threadIdx.x; bin < HELIUM_RADIAL_BINS; bin += PAIRS)
        bins[bin] = 0;
    uint32_t at[3] = {0, 0, 0};
    for (uint32_t k = 0; k < 3 && i < atoms; k++)
        at[k] = place[k * atoms + i];
    helium_atom_sums s = {0, 0, {0, 0, 0}};
    for (uint32_t begin = 0; begin < atoms; begin += PAIRS) {
        const uint32_t n = min((uint32_t)PAIRS, atoms - begin);
        __syncthreads();
        for (uint32_t k = 0; k < 3 && threadIdx.x < n; k++)
            tile[k][threadIdx.x] = place[k * atoms + begin + threadIdx.x];
        __syncthreads();
        for (uint32_t j = 0; j < n && i < atoms; j++) {
            if (begin + j == i)
                continue;
            const uint32_t bin =
                helium_add_partner(&s, &h, table, (int32_t)(tile[0][j] - at[0]),
                                   (int32_t)(tile[1][j] - at[1]), (int32_t)(tile[2][j] - at[2]));
            if (bin < HELIUM_RADIAL_BINS)
                atomicAdd(&bins[bin], 1);
        }
    }
    const int64_t potential = sum_of_warp(s.potential), laplacian = sum_of_warp(s.laplacian);
    const int64_t square = sum_of_warp(helium_square(&s));
    if (threadIdx.x % 32 == 0) {
        add_64(&a->sums.potential, potential);
        add_64(&a->sums.laplacian, laplacian);
        add_64(&a->sums.square, square);
    }
    __syncthreads();
    for (uint32_t bin = threadIdx.x; bin < HELIUM_RADIAL_BINS; bin += PAIRS)
        if (bins[bin] != 0)
            atomicAdd(&radial[bin], (uint64_atomic)bins[bin]);
}

/* Blocks (waves, walkers). */
static __global__ void __launch_bounds__(PAIRS)
    sum_waves(uint32_t atoms, const uint32_t *coordinate, size_t pitch, helium_analysis *analysis) {
    const uint32_t wave = blockIdx.x;
    const uint32_t *const x = coordinate + blockIdx.y * pitch + wave / HELIUM_WAVE_NUMBERS * atoms;
    int64_t sum[2] = {0, 0};
    for (uint32_t i = threadIdx.x; i < atoms; i += PAIRS)
        helium_add_wave(sum, (wave % HELIUM_WAVE_NUMBERS + 1) * x[i]);
    for (int k = 0; k < 2; k++) {
        const int64_t of_warp = sum_of_warp(sum[k]);
        if (threadIdx.x % 32 == 0)
            add_64(&analysis[blockIdx.y].structure[wave][k], of_warp);
    }
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
