/* Orders of sites (site_order.h). */
#include "site_order.h"

#include <stdlib.h>
#include <string.h>

int site_order_create(site_order *order, const spin_model *model) {
    const uint32_t *const edge = model->edge;
    uint32_t even = 0, odd = (uint32_t)((model->sites + 1) / 2), site = 0;
    *order = (site_order){.sites = model->sites, .bytes = model_packed_bytes(model)};
    order->row_wise = malloc(model->sites * sizeof *order->row_wise);
    if (order->row_wise == NULL)
        return -1;
    if (model->graph != NULL) {
        memcpy(order->row_wise, model->graph->number, model->sites * sizeof *order->row_wise);
        return 0;
    }
    for (uint32_t z = 0; z < edge[2]; z++)
        for (uint32_t y = 0; y < edge[1]; y++)
            for (uint32_t x = 0; x < edge[0]; x++)
                order->row_wise[(x + y + z) % 2 == 0 ? even++ : odd++] = site++;
    return 0;
}

void site_order_destroy(site_order *order) {
    free(order->row_wise);
    order->row_wise = NULL;
}

void site_order_unpack(const site_order *order, const uint8_t *from, uint8_t *to,
                       uint64_t replicas) {
    memset(to, 0, replicas * order->bytes);
#pragma omp parallel for schedule(static)
    for (uint64_t n = 0; n < replicas; n++) {
        const uint8_t *const in = from + n * order->bytes;
        uint8_t *const out = to + n * order->bytes;
        for (uint64_t i = 0; i < order->sites; i++) {
            const uint32_t site = order->row_wise[i];
            out[site / 8] |= (uint8_t)((in[i / 8] >> i % 8 & 1) << site % 8);
        }
    }
}

void site_order_pack(const site_order *order, const uint8_t *from, uint8_t *to, uint64_t replicas) {
    memset(to, 0, replicas * order->bytes);
#pragma omp parallel for schedule(static)
    for (uint64_t n = 0; n < replicas; n++) {
        const uint8_t *const in = from + n * order->bytes;
        uint8_t *const out = to + n * order->bytes;
        for (uint64_t i = 0; i < order->sites; i++) {
            const uint32_t site = order->row_wise[i];
            out[i / 8] |= (uint8_t)((in[site / 8] >> site % 8 & 1) << i % 8);
        }
    }
}
