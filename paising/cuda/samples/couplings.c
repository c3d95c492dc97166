/* Couplings of words of 32 samples (couplings.h). */
#include "cuda/samples/couplings.h"

#include "engine/strips.h"

#include <string.h>

/* A bond of a site, along an axis, upward or downward. */
typedef struct {
    uint32_t site[3], axis;
    bool up;
} site_bond;

uint64_t sample_coupling_words(const spin_model *model) {
    return lattice_strips(model) * (model->dimension == 3 ? 24 : 16) * 4;
}

static uint32_t negative_lanes(const couplings *const lane[SAMPLE_LANES], const site_bond *b,
                               const uint32_t edge[3]) {
    uint32_t from[3] = {b->site[0], b->site[1], b->site[2]}, negative = 0;
    if (!b->up)
        from[b->axis] = (from[b->axis] ? from[b->axis] : edge[b->axis]) - 1;
    const uint64_t number = ((uint64_t)from[2] * edge[1] + from[1]) * edge[0] + from[0];
    for (uint32_t n = 0; n < SAMPLE_LANES; n++)
        if (lane[n] != NULL && couplings_sign(lane[n], number, b->axis) < 0)
            negative |= UINT32_C(1) << n;
    return negative;
}

static void fill_cells(const spin_model *m, const couplings *const lane[SAMPLE_LANES],
                       uint32_t words[]) {
    static const uint32_t place[2][4][3] = {{{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}},
                                            {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
    const uint64_t strips = lattice_strips(m);
    uint64_t cell = 0;
    for (uint32_t z = 0; z < m->edge[2]; z += 2)
        for (uint32_t y = 0; y < m->edge[1]; y += 2)
            for (uint32_t x = 0; x < m->edge[0]; x += 2, cell++)
                for (uint32_t n = 0; n < 2 * 6 * 4; n++) {
                    const uint32_t parity = n / 24, d = n / 4 % 6,
                                   i = n % 4, *const in = place[parity][i];
                    const bool first = in[d % 3] == 0;
                    const site_bond bond = {
                        {x + in[0], y + in[1], z + in[2]}, d % 3, d < 3 ? first : !first};
                    const uint64_t quad = (parity * 2 + cell % 2) * 6 + d;
                    words[(quad * strips + cell / 2) * 4 + i] =
                        negative_lanes(lane, &bond, m->edge);
                }
}

static void fill_rows(const spin_model *m, const couplings *const lane[SAMPLE_LANES],
                      uint32_t words[]) {
    const uint64_t strips = lattice_strips(m);
    for (uint32_t y = 0; y < m->edge[1]; y++)
        for (uint32_t x = 0; x < m->edge[0]; x++) {
            const uint64_t strip = (uint64_t)(y / 8) * (m->edge[0] / 2) + x / 2;
            const bool first = x % 2 == 0;
            const site_bond bond[4] = {{{x, y, 0}, 1, false},
                                       {{x, y, 0}, 0, first},
                                       {{x, y, 0}, 1, true},
                                       {{x, y, 0}, 0, !first}};
            for (uint32_t d = 0; d < 4; d++) {
                const uint64_t quad = ((x + y) % 2 * 2 + y % 8 / 4) * 4 + d;
                words[(quad * strips + strip) * 4 + y % 4] =
                    negative_lanes(lane, &bond[d], m->edge);
            }
        }
}

void sample_couplings_fill_all(const sample_plan *plan, uint32_t words[]) {
    const spin_model *const m = &plan->model;
    const uint64_t each = sample_coupling_words(m);
    memset(words, 0, plan->words * each * sizeof *words);
#pragma omp parallel for schedule(dynamic)
    for (uint32_t w = 0; w < plan->words; w++)
        if (m->dimension == 3)
            fill_cells(m, plan->lanes[w], words + w * each);
        else
            fill_rows(m, plan->lanes[w], words + w * each);
}
