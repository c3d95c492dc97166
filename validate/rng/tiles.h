/* The Ising test of random numbers by the double checkerboard (M. Weigel, J. Comput. Phys. 231, 3064 (2012)): the lattice
 * is a checkerboard of tiles of 16 x 16 sites. A block of 128 threads updates a tile `hits` times, thread t the sites 2 t
 * and 2 t + 1 of it: a half sweep over the even sites of the tile, and one over the odd ones. All tiles of one colour are
 * updated at a time, then those of the other: that is a step. Every update takes the next number of its thread. Block b has
 * the b-th tile of either colour, and one generator for both.
 *
 * Or sequentially, on the CPU: site after site, row after row, from one sequence of which a flip takes a number where it costs energy.
 *
 * Lattices of one setup, which differ in their seeds only, advance side by side. */
#ifndef PAISING_TILES_H
#define PAISING_TILES_H

#include "generators.h"

C_DECLARATIONS_BEGIN

#define TILE 16

typedef struct {
    generator_id generator;
    uint32_t size; /* L, a multiple of 32 */
    uint32_t hits; /* sweeps of a tile in a step; 0: sequentially, a sweep a step */
    /* a flip of a spin with d antiparallel neighbours: number < threshold[d] */
    uint32_t threshold[2];
    uint64_t seed;
} tile_setup;

typedef struct {
    tile_setup setup;
    uint32_t blocks, threads; /* threads of a block */
    size_t words;             /* of a block's state */
    int8_t *spins;            /* [row][column], +1 or -1 */
    uint32_t *states;         /* [block][words] */
    uint32_t *numbers; /* sequentially: drawn, from unread to drawn not used yet; else NULL */
    uint32_t unread, drawn;
} tile_lattice;

/* Makes a lattice of random spins. Returns 0, or -1 if there is not enough memory; tiles_destroy in any case. */
int tiles_create(tile_lattice *l, const tile_setup *setup);
void tiles_destroy(tile_lattice *l);

/* So many lattices at a time are faster than one: in sequence on the CPU, and on a GPU. */
#define TILES_SIDE_BY_SIDE 4
#define TILES_ON_GPU       16

/* The energy after every step: energy[steps][count], -sum s_i s_j. */
void tiles_advance(tile_lattice lattices[], uint32_t count, uint32_t steps, int64_t energy[]);

/* The same on GPU 0, with the same bits. tile_gpu_open copies `count` lattices, a multiple of four, tile_gpu_read copies them back. All return 0, or
 * -1 with the reason. */
typedef struct tile_gpu tile_gpu;
int tile_gpu_open(tile_gpu **gpu, const tile_lattice lattices[], uint32_t count, char *reason,
                  size_t size);
int tile_gpu_advance(tile_gpu *gpu, uint32_t steps, int64_t energy[], char *reason, size_t size);
int tile_gpu_read(tile_gpu *gpu, tile_lattice lattices[], char *reason, size_t size);
void tile_gpu_close(tile_gpu *gpu);

/* sum[n][b][t] becomes the sum of `rounds` numbers of thread t of block b of lattice n; *seconds what the kernel took. */
int tile_gpu_sum(tile_gpu *gpu, uint32_t rounds, uint32_t sum[], double *seconds, char *reason,
                 size_t size);

/* The sequential order on GPU 0, of LCG32 and LCG64 in one sequence and of Fibonacci 521: `count` lattices of setup->seed and the
 * seeds after it, a multiple of SEQUENCE_BLOCK, of 64 sites an edge or more, each with the bits of tiles_advance.
 * sequence_gpu_advance gives sums of D and D^2 of each over the steps, D = E - origin after a step. Both return 0, or -1 with the
 * reason. */
#define SEQUENCE_BLOCK                                                                             \
    96 /* threads: the rings of a block fill the shared memory of a multiprocessor */
#define SEQUENCE_WORDS 522 /* of a state, at most */
typedef struct sequence_gpu sequence_gpu;

/* What these lattices begin with: states[SEQUENCE_WORDS][count], of an LCG the first number (its upper half: word 1), of Fibonacci
 * its ring and the place of the oldest number; keys[count][2] of Philox, for random spins. */
void sequence_start(const tile_setup *setup, uint32_t count, uint32_t *states, uint32_t *keys);

int sequence_gpu_open(sequence_gpu **gpu, const tile_setup *setup, uint32_t count, int64_t origin,
                      char *reason, size_t size);
int sequence_gpu_advance(sequence_gpu *gpu, uint32_t steps, int64_t sum[], int64_t squares[],
                         char *reason, size_t size);
void sequence_gpu_close(sequence_gpu *gpu);

C_DECLARATIONS_END

#endif
