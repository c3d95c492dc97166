/* The order of sites in which engines give spins (`read` of engine.h), and that of couplings.h: row by
 * row, site = (z Ly + y) Lx + x; of a graph, that of its file (model/graph.h). */
#ifndef PAISING_SITE_ORDER_H
#define PAISING_SITE_ORDER_H

#include "model/model.h"

typedef struct {
    uint64_t sites;
    size_t bytes;       /* of a replica */
    uint32_t *row_wise; /* [sites] the site at each place of an engine's spins, row by row */
} site_order;

/* Makes the table. Returns 0, or -1 without memory; site_order_destroy may be called in each case. */
int site_order_create(site_order *order, const spin_model *model);
void site_order_destroy(site_order *order);

/* Puts the spins of `replicas` replicas, a bit each, from the order of engines into that row by row; and
 * back. `from` and `to` do not overlap. */
void site_order_unpack(const site_order *order, const uint8_t *from, uint8_t *to,
                       uint64_t replicas);
void site_order_pack(const site_order *order, const uint8_t *from, uint8_t *to, uint64_t replicas);

#endif
