/* The Metropolis sweep of a multi-spin-coded lattice (Sec. 4): 32 replicas in every bit operation,
 * and a vector of columns at once.
 *
 * A spin with d < 2 antiparallel neighbours gains the energy 8 - 4 d by flipping and needs a random
 * decision, with the acceptance probability exp(-beta (8 - 4 d)); with d >= 2 it flips anyway. With
 * s the spins, a, b, c, e their neighbours, x = a ^ b ^ c and m = majority(a, b, c): the number of
 * neighbours up is 2 m + x + e, so that d has the parity x ^ e, and d < 2 holds where at least
 * three neighbours are up and s is up, or at most one is up and s is down. */
#include "msc_sweep.h"

/* The spins of one sub-lattice in a strip of eight rows, a vector of columns wide. */
static void flip_strip(msc_lattice *lattice, const msc_flips *flips, const uint32_t *threshold,
                       uint32_t sweep, uint32_t parity, uint32_t strip, uint32_t column) {
    const uint32_t last = lattice->size - 1, top = strip * STRIP_ROWS;
    const uint32_t *row = lattice_row(lattice, !parity, top) + column;
    vec32 above = vec_load(lattice_row(lattice, !parity, top ? top - 1 : last) + column);
    vec32 here = vec_load(row);
    vec32 needs_number[STRIP_ROWS];
    flip_decision decision;

    for (uint32_t i = 0; i < STRIP_ROWS; i++) {
        const uint32_t *const next_row =
            top + i < last ? row + lattice->pitch : lattice_row(lattice, !parity, 0) + column;
        const vec32 below = vec_load(next_row);
        const vec32 side = vec_load((i + parity) % 2 ? row + 1 : row - 1);
        const vec32 spin = vec_load(lattice_row(lattice, parity, top + i) + column);

        const vec32 odd = above ^ here ^ below, majority = vec_majority(above, here, below);
        const vec32 at_least_3_up = majority & (odd | side);
        const vec32 at_most_1_up = ~majority & ~(odd & side);
        needs_number[i] = (spin & at_least_3_up) | (~spin & at_most_1_up);
        decision.parity[i] = odd ^ side;

        above = here;
        here = below;
        row = next_row;
    }

    if (flips->rng == RNG_INDEPENDENT)
        MSC_NAME(decide_independent)
    (&decision, lattice, strip, column, &flips->rule->bernoulli);
    else decide_by_comparison(flips, threshold, lattice->size, sweep, parity, top, column,
                              VECTOR_WORDS, (const uint32_t *)decision.parity,
                              (uint32_t *)decision.accept);

    for (uint32_t i = 0; i < STRIP_ROWS; i++) {
        uint32_t *const spins = lattice_row(lattice, parity, top + i) + column;
        vec_store(spins, vec_load(spins) ^ (~needs_number[i] | decision.accept[i]));
    }
}

void MSC_NAME(msc_sweep)(msc_lattice *lattice, const msc_flips *flips) {
    const uint32_t strips = lattice->size / STRIP_ROWS;
    if (flips->rng == RNG_INDEPENDENT)
        MSC_NAME(seed_strips)(lattice, flips);
    for (uint32_t sweep = 0; sweep < flips->step->sweeps; sweep++) {
        const threshold_set to = round_thresholds(&flips->thresholds, flips->machine_word, sweep);
        for (uint32_t parity = 0; parity < 2; parity++) {
            if (flips->rng == RNG_INDEPENDENT)
                MSC_NAME(throw_points)
            (lattice, &flips->rule->bernoulli, 2 * sweep + parity, 2 * flips->step->sweeps);
            for (uint32_t strip = 0; strip < strips; strip++) {
                for (uint32_t column = 0; column < lattice->columns; column += VECTOR_WORDS)
                    flip_strip(lattice, flips, to.threshold, sweep, parity, strip, column);
                for (uint32_t i = 0; i < STRIP_ROWS; i++)
                    lattice_close_row(lattice_row(lattice, parity, strip * STRIP_ROWS + i),
                                      lattice->columns);
            }
        }
    }
}
