/* Spins of a population, read in pieces (spin_reader.h). */
#include "spin_reader.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a piece, unless one replica has more. */
#define PIECE_BYTES ((uint64_t)1 << 24)

/* Of a replica in a piece. */
static uint64_t bytes_of(const spin_model *m) {
    return 2 * model_packed_bytes(m) + m->sites * (1 + 2 * sizeof(uint32_t)) + sizeof(uint32_t);
}

uint64_t spin_reader_bytes(const spin_model *m) {
    return PIECE_BYTES + bytes_of(m) + m->sites * sizeof(uint32_t);
}

bool spin_reader_create(spin_reader *r, const spin_model *m, size_t first) {
    const size_t bytes = model_packed_bytes(m);
    const uint64_t piece = PIECE_BYTES / bytes_of(m) + 1;
    *r = (spin_reader){.piece = piece,
                       .read = malloc(piece * bytes),
                       .packed = malloc(piece * bytes),
                       .spin = malloc(piece * m->sites),
                       .room = malloc(piece * 2 * m->sites * sizeof *r->room),
                       .families = malloc(piece * sizeof *r->families)};
    r->count = spin_observables(m, first, r->of);
    return !site_order_create(&r->order, m) && r->read && r->packed && r->spin && r->room &&
           r->families;
}

void spin_reader_destroy(spin_reader *r) {
    site_order_destroy(&r->order);
    free(r->read);
    free(r->packed);
    free(r->spin);
    free(r->room);
    free(r->families);
}

/* The state of each site from packed spins. */
static void unpack(const spin_model *m, const uint8_t *packed, uint8_t *spin) {
    if (m->spins != SPINS_ISING) {
        memcpy(spin, packed, m->sites);
        return;
    }
    for (uint64_t i = 0; i < m->sites; i++)
        spin[i] = packed[i / 8] >> i % 8 & 1;
}

engine_status spin_reader_read(const spin_reader *r, engine *e, uint64_t replicas, double *value,
                               uint8_t *packed) {
    const spin_model *const m = &e->model;
    const size_t bytes = model_packed_bytes(m);
    for (uint64_t first = 0, some; first < replicas; first += some) {
        some = replicas - first < r->piece ? replicas - first : r->piece;
        const engine_status status = e->verbs->read(e, first, some, r->read, r->families);
        if (status != ENGINE_OK)
            return status;
        uint8_t *const rows = packed != NULL ? packed + first * bytes : r->packed;
        if (m->spins == SPINS_ISING)
            site_order_unpack(&r->order, r->read, rows, some);
        else
            memcpy(rows, r->read, some * bytes);
#pragma omp parallel for schedule(static)
        for (uint64_t n = 0; n < some; n++) {
            uint8_t *const spin = r->spin + n * m->sites;
            unpack(m, rows + n * bytes, spin);
            const spin_sums sums = spin_sums_of(m, spin, r->room + n * 2 * m->sites);
            for (size_t k = 0; k < r->count; k++)
                value[(first + n) * r->count + k] = r->of[k]->value(&sums);
        }
    }
    return ENGINE_OK;
}
