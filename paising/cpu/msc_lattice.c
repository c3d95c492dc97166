/* The memory of a lattice: one piece, of which each array has a part that begins at a vector. */
#include "msc_lattice.h"

#include <stdlib.h>
#include <string.h>

/* Strips, with room for vectors that run over their end. */
static size_t strip_words(uint32_t size) {
    return lattice_round_up(size / STRIP_ROWS * (size / 2)) + 2 * LATTICE_ALIGNMENT;
}

static size_t half_words(uint32_t size) {
    return lattice_pitch(size) * size;
}

/* Two sub-lattices, with room for column -1 of the first row and for vectors that run over the end of
 * the last one; then the streams. */
size_t lattice_bytes(uint32_t size) {
    const size_t words =
        4 * half_words(size) + 5 * strip_words(size) + 4 * (size_t)LATTICE_ALIGNMENT;
    return words * sizeof(uint32_t);
}

static uint32_t *take(uint32_t **free_words, size_t words) {
    uint32_t *const taken = *free_words;
    *free_words += words;
    return taken;
}

int lattice_create(msc_lattice *lattice, uint32_t size) {
    uint32_t *words = aligned_alloc(64, lattice_bytes(size));
    if (!words)
        return -1;
    memset(words, 0, lattice_bytes(size));
    *lattice = (msc_lattice){.size = size,
                             .columns = size / 2,
                             .pitch = lattice_pitch(size),
                             .parity_step = half_words(size),
                             .spins = words + LATTICE_ALIGNMENT};
    msc_streams *const s = &lattice->streams;
    take(&words, 2 * half_words(size) + 2 * LATTICE_ALIGNMENT);
    s->to_denser = (uint32_t)half_words(size) + LATTICE_ALIGNMENT;
    s->hit = take(&words, 2 * (size_t)s->to_denser);
    s->x2 = take(&words, strip_words(size));
    s->x1 = take(&words, strip_words(size));
    s->c = take(&words, strip_words(size));
    s->points = take(&words, strip_words(size));
    s->corner = take(&words, strip_words(size));
    for (uint32_t strip = 0; strip < size / STRIP_ROWS * lattice->columns; strip++)
        s->corner[strip] = (uint32_t)(strip / lattice->columns * STRIP_ROWS * lattice->pitch +
                                      strip % lattice->columns);
    return 0;
}

void lattice_destroy(msc_lattice *lattice) {
    if (lattice->spins)
        free(lattice->spins - LATTICE_ALIGNMENT);
}
