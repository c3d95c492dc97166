/* Tables of neighbours and couplings (tables.h). */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

/* The place of the site with these coordinates. */
static uint32_t place_at(const spin_model *m, const uint32_t at[MODEL_MAX_DIMENSION]) {
    const uint32_t row = at[2] * m->edge[1] + at[1];
    return (at[0] + at[1] + at[2]) % 2 * (uint32_t)(m->sites / 2) + row * (m->edge[0] / 2) +
           at[0] / 2;
}

/* J of the bond of a site in a direction. */
static int32_t value_at(const spin_model *m, const uint32_t at[MODEL_MAX_DIMENSION],
                        uint32_t direction) {
    const uint64_t site = ((uint64_t)at[2] * m->edge[1] + at[1]) * m->edge[0] + at[0];
    return m->sample->value[site * m->dimension + direction];
}

uint64_t fine_fill_tables(const spin_model *model, int32_t *base, graph_row *row) {
    const uint32_t half = (uint32_t)(model->sites / 2), quads = fine_quads((uint32_t)model->sites),
                   columns = model->edge[0] / 2, rows = 2 * model->dimension;
    uint64_t sum = 0;
    memset(base, 0, 8 * quads * sizeof *base);
    memset(row, 0, 2 * quads * rows * sizeof *row);
    for (uint32_t i = 0; i < 2 * half; i++) {
        const uint32_t parity = i / half, n = i % half, line = n / columns;
        const uint32_t y = line % model->edge[1], z = line / model->edge[1];
        const uint32_t at[MODEL_MAX_DIMENSION] = {2 * (n % columns) + (z + y + parity) % 2, y, z};
        const size_t quad = parity * quads + n / 4;
        for (uint32_t d = 0; d < model->dimension; d++) {
            uint32_t ahead[MODEL_MAX_DIMENSION], behind[MODEL_MAX_DIMENSION];
            memcpy(ahead, at, sizeof at);
            memcpy(behind, at, sizeof at);
            ahead[d] = at[d] + 1 < model->edge[d] ? at[d] + 1 : 0;
            behind[d] = at[d] > 0 ? at[d] - 1 : model->edge[d] - 1;
            const int32_t own = value_at(model, at, d), other = value_at(model, behind, d);
            graph_row *const pair = row + quad * rows + 2 * d;
            pair[0].of[n % 4] = (graph_neighbour){4 * place_at(model, ahead), 2 * own};
            pair[1].of[n % 4] = (graph_neighbour){4 * place_at(model, behind), 2 * other};
            base[4 * quad + n % 4] -= own + other;
            sum += (uint64_t)labs((long)own);
        }
    }
    return sum;
}
