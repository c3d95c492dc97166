/* Copies of populations (last_population.h). */
#include "last_population.h"

#include "engine/site_order.h"

#include <stdlib.h>
#include <string.h>

/* Replicas that are read at a time, and their families, which nobody wants. */
#define PIECE 1024

/* The replicas of an engine; 0: it holds none, or does not say. */
static uint64_t count_replicas(engine *e, engine_status *status) {
    histogram report;
    *status = histogram_create(&report, &e->model) ? ENGINE_OUTGROWN : engine_measure(e, &report);
    const uint64_t replicas = *status == ENGINE_OK ? report.population : 0;
    histogram_destroy(&report);
    if (*status == ENGINE_EXTINCT)
        *status = ENGINE_OK;
    return replicas;
}

static engine_status read_all(last_population *to, engine *e, uint8_t *piece,
                              const site_order *order) {
    uint32_t families[PIECE];
    engine_status status = ENGINE_OK;
    for (uint64_t first = 0; first < to->replicas && status == ENGINE_OK; first += PIECE) {
        const uint64_t left = to->replicas - first, count = left < PIECE ? left : PIECE;
        uint8_t *const spins = to->spins + first * to->bytes;
        status = e->verbs->read(e, first, count, to->bits ? piece : spins, families);
        if (to->bits && status == ENGINE_OK)
            site_order_unpack(order, piece, spins, count);
    }
    return status;
}

exit_status last_population_copy(last_population *to, engine *e) {
    engine_status status = ENGINE_OK;
    site_order order;
    *to = (last_population){.sites = e->model.sites,
                            .bits = e->model.spins == SPINS_ISING,
                            .bytes = model_packed_bytes(&e->model)};
    const bool known = e->model.stripes <= 1 && (to->bits || to->bytes == to->sites);
    to->replicas = known ? count_replicas(e, &status) : 0;
    if (status == ENGINE_OK && to->replicas == 0)
        return STATUS_OK;
    to->spins = malloc(to->replicas * to->bytes);
    uint8_t *const piece = malloc(PIECE * to->bytes);
    const bool made = !site_order_create(&order, &e->model) && to->spins != NULL && piece != NULL;
    if (status == ENGINE_OK)
        status = made ? read_all(to, e, piece, &order) : ENGINE_OUTGROWN;
    site_order_destroy(&order);
    free(piece);
    if (status == ENGINE_OK)
        return STATUS_OK;
    last_population_destroy(to);
    return complain(STATUS_FAILED, "the spins of the last population: %.200s",
                    status == ENGINE_OUTGROWN ? "not enough memory" : e->error);
}

void last_population_destroy(last_population *p) {
    free(p->spins);
    *p = (last_population){.replicas = 0};
}

void last_population_unpack(const last_population *p, uint64_t first, uint64_t count,
                            int8_t spins[]) {
    for (uint64_t n = 0; n < count; n++) {
        const uint8_t *const from = p->spins + (first + n) * p->bytes;
        int8_t *const to = spins + n * p->sites;
        for (uint64_t i = 0; i < p->sites; i++)
            to[i] = p->bits ? (int8_t)(2 * (from[i / 8] >> i % 8 & 1) - 1) : (int8_t)from[i];
    }
}
