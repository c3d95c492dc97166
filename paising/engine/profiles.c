/* Profiles of lattices (profiles.h). */
#include "profiles.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of spins that are read at once, unless one replica has more. */
#define PIECE_BYTES ((uint64_t)1 << 24)
#define COLUMNS     64 /* of a row that are counted together */
#define DIGITS      32 /* of their counts */

uint32_t profile_planes(const spin_model *m) {
    uint32_t sum = 0;
    for (uint32_t d = 0; d < m->dimension; d++)
        sum += m->edge[d];
    return sum;
}

/* Bits first .. first + count - 1 of a bit array, count up to 64. */
static uint64_t bits_at(const uint8_t *bits, uint64_t first, uint32_t count) {
    uint64_t word = 0;
    const uint64_t byte = first / 8, last = (first + count - 1) / 8;
    const uint32_t shift = first % 8;
    memcpy(&word, bits + byte, last - byte < 8 ? last - byte + 1 : 8);
    word >>= shift;
    if (last - byte == 8)
        word |= (uint64_t)bits[last] << (64 - shift);
    return count < 64 ? word & (((uint64_t)1 << count) - 1) : word;
}

/* Counts of 64 columns, a binary digit of all of them a word. */
typedef struct {
    uint64_t digit[DIGITS];
} column_counts;

static void count_columns(column_counts *c, uint64_t word) {
    for (uint32_t n = 0; word != 0; n++) {
        const uint64_t carry = c->digit[n] & word;
        c->digit[n] ^= word;
        word = carry;
    }
}

static uint32_t count_of(const column_counts *c, uint32_t column) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < DIGITS; n++)
        count |= (uint32_t)(c->digit[n] >> column & 1) << n;
    return count;
}

/* The rows of a sub-lattice have Lx / 2 sites each. Those of even x are the even sub-lattice of even rows and the odd one of odd
 * rows. */
void profile_of(const spin_model *m, const uint8_t *spins, uint32_t *up) {
    const uint32_t half = m->edge[0] / 2, rows = m->edge[1] * m->edge[2];
    uint32_t *const across_y = up + m->edge[0], *const across_z = across_y + m->edge[1];
    memset(up, 0, profile_planes(m) * sizeof *up);
    for (uint32_t from = 0; from < half; from += COLUMNS) {
        const uint32_t count = half - from < COLUMNS ? half - from : COLUMNS;
        column_counts counts[2] = {{{0}}, {{0}}}; /* of even x, of odd x */
        for (uint32_t odd = 0; odd < 2; odd++)    /* the sub-lattice */
            for (uint32_t row = 0; row < rows; row++) {
                const uint32_t y = row % m->edge[1], z = row / m->edge[1];
                const uint64_t place = (uint64_t)odd * m->sites / 2 + (uint64_t)row * half + from,
                               word = bits_at(spins, place, count);
                const uint32_t here = (uint32_t)__builtin_popcountll(word);
                count_columns(&counts[(y + z + odd) % 2], word);
                across_y[y] += here;
                if (m->dimension == 3)
                    across_z[z] += here;
            }
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t parity = 0; parity < 2; parity++)
                up[2 * (from + n) + parity] = count_of(&counts[parity], n);
    }
}

static uint64_t replicas_of_piece(const spin_model *m, uint64_t replicas) {
    const uint64_t fit = PIECE_BYTES / model_packed_bytes(m), words = fit / 32 * 32,
                   most = words > 0 ? words
                          : fit > 0 ? fit
                                    : 1;
    return replicas < most ? replicas : most;
}

int profile_room_create(profile_room *r, const engine *e, uint64_t replicas) {
    *r = (profile_room){.piece = replicas_of_piece(&e->model, replicas)};
    if (e->verbs->read_profiles != NULL)
        return 0;
    r->spins = malloc(r->piece * model_packed_bytes(&e->model));
    r->families = malloc(r->piece * sizeof *r->families);
    return r->spins != NULL && r->families != NULL ? 0 : -1;
}

void profile_room_destroy(profile_room *r) {
    free(r->spins);
    free(r->families);
    *r = (profile_room){.spins = NULL};
}

uint64_t profile_room_bytes(const spin_model *m, uint64_t replicas) {
    return replicas_of_piece(m, replicas) * (model_packed_bytes(m) + sizeof(uint32_t)) +
           replicas * profile_planes(m) * sizeof(uint32_t);
}

engine_status profiles_read(engine *e, const profile_room *r, uint64_t replicas, uint32_t *up) {
    const spin_model *const m = &e->model;
    const uint32_t planes = profile_planes(m);
    const size_t bytes = model_packed_bytes(m);
    if (e->verbs->read_profiles != NULL)
        return e->verbs->read_profiles(e, 0, replicas, up);
    for (uint64_t first = 0; first < replicas; first += r->piece) {
        const uint64_t count = replicas - first < r->piece ? replicas - first : r->piece;
        const engine_status status = e->verbs->read(e, first, count, r->spins, r->families);
        if (status != ENGINE_OK)
            return status;
#pragma omp parallel for schedule(static) if (count * m->sites > 65536)
        for (uint64_t k = 0; k < count; k++)
            profile_of(m, r->spins + k * bytes, up + (first + k) * planes);
    }
    return ENGINE_OK;
}
