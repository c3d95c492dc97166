/* The memory of a lattice: one block, in which each array begins at a vector boundary. */
#include "msc_lattice.h"

#include <stdlib.h>
#include <string.h>

/* Words per array over the strips, with room for vectors that extend over its end. */
static size_t strip_words(const msc_shape *shape) {
    return round_up_to_vectors(shape_strips(shape)) + 2 * (size_t)VECTOR_ALIGNMENT;
}

/* Words that may be read before the first row and behind the last: column -1 and vectors over the
 * end. In three dimensions also offsets to outer neighbours that vec_select then discards. */
static size_t margin_words(const msc_shape *shape) {
    return VECTOR_ALIGNMENT + (shape->dimension == 3 ? shape->pitch + VECTOR_ALIGNMENT : 0);
}

static size_t hit_words(const msc_shape *shape) {
    return shape->gaps * STRIP_ROWS * strip_words(shape);
}

/* Both sub-lattices, the hits of points, and the random streams. */
static size_t lattice_words(const msc_shape *shape) {
    return 2 * shape->half + 2 * margin_words(shape) + hit_words(shape) + 4 * strip_words(shape);
}

size_t lattice_bytes(const spin_model *model) {
    const msc_shape shape = shape_of(model);
    return round_up_to_vectors(lattice_words(&shape)) * sizeof(uint32_t);
}

static uint32_t *take(uint32_t **free_words, size_t words) {
    uint32_t *const taken = *free_words;
    *free_words += words;
    return taken;
}

int lattice_create(msc_lattice *lattice, const msc_shape *shape) {
    const size_t bytes = round_up_to_vectors(lattice_words(shape)) * sizeof(uint32_t);
    uint32_t *words = aligned_alloc(VECTOR_ALIGNMENT * sizeof(uint32_t), bytes);
    *lattice = (msc_lattice){.shape = shape, .memory = words};
    if (!words)
        return -1;
    memset(words, 0, bytes);
    lattice->spins = take(&words, 2 * shape->half + 2 * margin_words(shape)) + margin_words(shape);
    msc_streams *const s = &lattice->streams;
    s->pitch = (uint32_t)strip_words(shape);
    s->hit = take(&words, hit_words(shape));
    s->x2 = take(&words, strip_words(shape));
    s->x1 = take(&words, strip_words(shape));
    s->c = take(&words, strip_words(shape));
    s->points = take(&words, strip_words(shape));
    return 0;
}

void lattice_destroy(msc_lattice *lattice) {
    free(lattice->memory);
}
