/* An order of the atoms of a walker in which groups of 32 are compact: by columns of the box, forth and back, and in each column
 * up or down. So a warp may leave out groups that are too far away to matter. What is summed is integers: no result depends
 * on the order. */
#ifndef PAISING_HELIUM_ORDER_CUH
#define PAISING_HELIUM_ORDER_CUH

#include "arithmetic.h"

#define GROUP         32   /* atoms, a lane each */
#define CELLS         4096 /* at most */
#define ORDER_THREADS 1024
#define EVERY         0xffffffffu /* lanes */

/* Columns of the box in each of two directions, and cells of a column: cubes of about 32 atoms, each cut into slices. */
typedef struct {
    uint32_t columns, slices;
} box_cells;

static inline box_cells cells_for(uint32_t atoms) {
    uint32_t n = 1;
    while ((n + 1) * (n + 1) * (n + 1) * GROUP <= atoms + atoms / 4)
        n++;
    const uint32_t slices = CELLS / (n * n);
    return {n, slices < 64 ? slices : 64};
}

static __device__ uint32_t cell_of(box_cells c, const uint32_t *x, uint32_t atoms, uint32_t atom) {
    const uint32_t i = __umulhi(x[atom], c.columns), j = __umulhi(x[atoms + atom], c.columns);
    const uint32_t k = __umulhi(x[2 * atoms + atom], c.slices);
    const uint32_t column = i * c.columns + (i % 2 ? c.columns - 1 - j : j);
    return column * c.slices + (column % 2 ? c.slices - 1 - k : k);
}

/* A block a walker: place[walkers][atoms], the place of each atom in the order, and at[walkers][atoms], the atom at each place;
 * coordinate[walkers][3][atoms]. */
static __global__ void __launch_bounds__(ORDER_THREADS)
    order_atoms(box_cells cells, uint32_t atoms, const uint32_t *coordinate, uint32_t *place,
                uint32_t *at) {
    const uint32_t each = CELLS / ORDER_THREADS;
    __shared__ uint32_t begin[CELLS], of_warp[ORDER_THREADS / 32];
    const uint32_t *const x = coordinate + (size_t)blockIdx.x * 3 * atoms;
    place += (size_t)blockIdx.x * atoms;
    at += (size_t)blockIdx.x * atoms;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (uint32_t n = threadIdx.x; n < CELLS; n += ORDER_THREADS)
        begin[n] = 0;
    __syncthreads();
    for (uint32_t a = threadIdx.x; a < atoms; a += ORDER_THREADS)
        atomicAdd(&begin[cell_of(cells, x, atoms, a)], 1);
    __syncthreads();
    uint32_t own = 0; /* atoms of this thread's cells, then up to the end of these */
    for (uint32_t n = 0; n < each; n++)
        own += begin[threadIdx.x * each + n];
    uint32_t end = own;
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        const uint32_t before = __shfl_up_sync(EVERY, end, distance);
        end += lane >= distance ? before : 0;
    }
    if (lane == 31)
        of_warp[warp] = end;
    __syncthreads();
    uint32_t next = end - own;
    for (uint32_t w = 0; w < warp; w++)
        next += of_warp[w];
    for (uint32_t n = 0; n < each; n++) {
        const uint32_t count = begin[threadIdx.x * each + n];
        begin[threadIdx.x * each + n] = next;
        next += count;
    }
    __syncthreads();
    for (uint32_t a = threadIdx.x; a < atoms; a += ORDER_THREADS) {
        place[a] = atomicAdd(&begin[cell_of(cells, x, atoms, a)], 1);
        at[place[a]] = a;
    }
}

/* --- Boxes around groups --- */

static __device__ float fraction_of(uint32_t coordinate) {
    return (float)(coordinate >> HELIUM_COARSE) * 0x1p-24f;
}

/* The distance to the nearest image, to the last bit. */
static __device__ float apart(float a, float b) {
    const float d = fabsf(a - b);
    return fminf(d, 1 - d);
}

/* Along an axis: all atoms are so near to the centre, `half`, at their nearest images, and `span` within the cell of the box. */
typedef struct {
    float centre, half, span;
} group_box;

/* A warp: of the coordinates of its lanes, with room for rounding. NaN: no atom. */
static __device__ group_box box_around(float x) {
    float least = x, most = x;
    for (int distance = 16; distance > 0; distance /= 2) {
        least = fminf(least, __shfl_xor_sync(EVERY, least, distance));
        most = fmaxf(most, __shfl_xor_sync(EVERY, most, distance));
    }
    const float half = (most - least) / 2 + 1e-6f;
    return {(least + most) / 2, half, half};
}

#endif
