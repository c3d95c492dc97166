/* The twin of the kernels on the CPU (climb.h). */
#include "climb.h"

static bool is_flipped(const climb_lattice *l, const int8_t *spins, uint32_t x, uint32_t y,
                       uint32_t number) {
    const uint32_t L = l->edge;
    const int8_t *const row = spins + (size_t)y * L,
                        *const above = spins + (size_t)((y + L - 1) % L) * L,
                        *const below = spins + (size_t)((y + 1) % L) * L;
    const int around = row[x] * (above[x] + below[x] + row[(x + 1) % L] + row[(x + L - 1) % L]);
    return around <= 0 || number < l->threshold[around == 2];
}

void climb_twin(const climb_lattice *l, int8_t *spins, uint32_t first, uint32_t sweeps) {
    for (uint32_t half = first; half < first + 2 * sweeps; half++)
        for (uint32_t y = 0; y < l->edge; y += 4)
            for (uint32_t j = 0; j < l->edge / 2; j++) {
                const stream_block b = stream_philox(l->key, j, y / 4, half, 0);
                for (uint32_t n = 0; n < 4; n++) {
                    const uint32_t x = 2 * j + (y + n + half) % 2;
                    int8_t *const spin = &spins[(size_t)(y + n) * l->edge + x];
                    if (is_flipped(l, spins, x, y + n, b.number[n]))
                        *spin = (int8_t) - *spin;
                }
            }
}

int64_t climb_bonds(const int8_t *spins, uint32_t edge) {
    int64_t sum = 0;
    for (uint32_t y = 0; y < edge; y++)
        for (uint32_t x = 0; x < edge; x++)
            sum += spins[(size_t)y * edge + x] * (spins[(size_t)y * edge + (x + 1) % edge] +
                                                  spins[(size_t)((y + 1) % edge) * edge + x]);
    return sum;
}
