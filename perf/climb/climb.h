/* The climb from the simplest kernel to a fast one, for one square Ising lattice by the checkerboard Metropolis update: the steps that
 * M. Weigel, "Monte Carlo methods for massively parallel computers", names behind its Fig. 6, each a kernel that reads like the text.
 *
 *   naive      an int a spin, row by row; a thread a spin (Fig. 6)
 *   split      the two sub-lattices in arrays of their own: a warp reads what lies side by side
 *   crinkled   each of them column by column: three of the four neighbours lie side by side
 *   char       a byte a spin
 *   four       four spins a thread: words are read and written, and all four numbers of a Philox call are used
 *   bits       32 spins of a column in a word (multi-spin coding); a random number for each spin
 *
 * The random number of a spin is counted by its place and the half sweep. So all kernels and the twin on the CPU have the same spins
 * after any number of sweeps.
 *
 *   site (x, y)    sub-lattice s = (x + y) mod 2, pair j = x / 2; x = 2 j + (y + s) mod 2
 *   number         word y mod 4 of Philox4x32-10 at (j, y / 4, half sweep, 0)
 *   neighbours     pair j of rows y - 1, y, y + 1, and pair j + 1 (x odd) or j - 1 (x even) of row y, all of the other sub-lattice
 *   flip           u antiparallel neighbours: always if u is 2 or more, else if the number is below threshold[u], 2^32 exp(-8 beta) or
 *                  2^32 exp(-4 beta) */
#ifndef PAISING_CLIMB_H
#define PAISING_CLIMB_H

#include "base/portable.h"
#include "engine/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLIMB_NAIVE,
    CLIMB_SPLIT,
    CLIMB_CRINKLED,
    CLIMB_CHAR,
    CLIMB_FOUR,
    CLIMB_BITS,
    CLIMB_KERNELS
} climb_kind;

#define CLIMB_EDGE 64 /* edges are multiples of this */

typedef struct {
    uint32_t edge;
    uint32_t threshold[2];
    stream_key key;
} climb_lattice;

/* The place of a spin in the arrays of a kernel; of CLIMB_BITS that of its bit. */
SHARED_FUNCTION uint64_t climb_place(climb_kind kind, uint32_t edge, uint32_t x, uint32_t y) {
    const uint64_t half = (uint64_t)(x + y) % 2 * edge * (edge / 2);
    return kind == CLIMB_NAIVE   ? (uint64_t)y * edge + x
           : kind == CLIMB_SPLIT ? half + (uint64_t)y * (edge / 2) + x / 2
                                 : half + (uint64_t)(x / 2) * edge + y;
}

C_DECLARATIONS_BEGIN

/* The spins of the twin, [edge][edge], 1 or -1: half sweeps `first` to first + 2 sweeps - 1, the even sub-lattice first. */
void climb_twin(const climb_lattice *l, int8_t *spins, uint32_t first, uint32_t sweeps);

/* The sum of s s' over all bonds. */
int64_t climb_bonds(const int8_t *spins, uint32_t edge);

/* Takes device `number` and writes its name. Returns 0, or -1 with the reason. */
int climb_open(int number, char *name, char *reason, size_t size);

/* The same by a kernel, from the spins of the host and back to them, in so many rounds of these sweeps. seconds[rounds]: what each
 * round took. Returns 0, or -1 with the reason. */
int climb_sweep(climb_kind kind, const climb_lattice *l, int8_t *spins, uint32_t first,
                uint32_t sweeps, int rounds, double seconds[], char *reason, size_t size);

C_DECLARATIONS_END

#endif
