/* Sweeps by patterns on the host (patterns_cuda.h). */
#include "patterns_cuda.h"

#include "cuda/fine/patterns.cuh"

#define LANES 32 /* lattices side by side, of which one is used */

template <uint32_t L>
static int sweep(uint32_t *row, const uint32_t *threshold, uint32_t parity, const uint32_t *number,
                 pattern_decision *exactly, void *state) {
    pattern_row<L> rows[LANES * L * L] = {};
    for (uint32_t r = 0; r < L * L; r++)
        rows[LANES * r] = (pattern_row<L>)row[r];
    sweep_patterns<L>(
        rows, threshold, parity,
        [number](uint32_t n) {
            return stream_block{
                {number[4 * n], number[4 * n + 1], number[4 * n + 2], number[4 * n + 3]}};
        },
        [exactly, state](uint32_t site, uint32_t pattern, uint32_t of) {
            return exactly(state, site, pattern, of) != 0;
        });
    for (uint32_t r = 0; r < L * L; r++)
        row[r] = rows[LANES * r];
    return 0;
}

int patterns_sweep(uint32_t edge, uint32_t *row, const uint32_t *threshold, uint32_t parity,
                   const uint32_t *number, pattern_decision *exactly, void *state) {
    switch (edge) {
    case 4:
        return sweep<4>(row, threshold, parity, number, exactly, state);
    case 6:
        return sweep<6>(row, threshold, parity, number, exactly, state);
    case 8:
        return sweep<8>(row, threshold, parity, number, exactly, state);
    case 10:
        return sweep<10>(row, threshold, parity, number, exactly, state);
    case 12:
        return sweep<12>(row, threshold, parity, number, exactly, state);
    default:
        return -1;
    }
}
