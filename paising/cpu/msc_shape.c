/* The shape of a lattice: positions of sites, coupling words, and offsets between cells
 * (msc_shape.h). */
#include "msc_shape.h"

#include <stdlib.h>
#include <string.h>

/* A site. */
typedef struct {
    uint32_t at[MODEL_MAX_DIMENSION]; /* x, y, z */
} place;

msc_shape shape_of(const spin_model *model) {
    msc_shape shape = {.dimension = model->dimension,
                       .sites = model->sites,
                       .rows = (model->edge[1] + STRIP_ROWS - 1) / STRIP_ROWS * STRIP_ROWS,
                       .height = model->edge[1],
                       .columns = model->edge[0] / 2,
                       .stripes = model->stripes > 1 ? model->stripes : 1,
                       .neighbours = model->coordination,
                       .gaps = (uint32_t)model->gaps};
    memcpy(shape.edge, model->edge, sizeof shape.edge);
    shape.filled[0] = shape.filled[1] = shape.columns;
    for (uint32_t lane = 0; lane < 32; lane += shape.stripes)
        shape.first_lanes |= UINT32_C(1) << lane;
    if (model->dimension == 3) {
        const uint32_t cells = (uint32_t)(model->sites / 8);
        shape.rows = shape.height = STRIP_ROWS;
        shape.columns = shape.filled[0] = (cells + 1) / 2;
        shape.filled[1] = cells / 2;
    }
    shape.pitch = round_up_to_vectors(shape.columns + 2);
    shape.half = shape.rows * shape.pitch;
    return shape;
}

size_t shape_words(const msc_shape *shape) {
    return 2 * (size_t)shape->rows * shape->columns;
}

/* Words of each array. */
static size_t bond_words(const msc_shape *shape) {
    return 2 * shape->neighbours * shape->half + VECTOR_ALIGNMENT;
}

static size_t odd_words(const msc_shape *shape) {
    return 2 * shape->half + VECTOR_ALIGNMENT;
}

static size_t over_words(const msc_shape *shape) {
    return 4 * MODEL_MAX_DIMENSION * shape->pitch;
}

/* Whether words are in another order than sites, or are more. */
static bool has_places(const msc_shape *shape) {
    return shape->dimension == 3 || shape->height < shape->rows;
}

uint64_t shape_bytes(const spin_model *model) {
    const msc_shape shape = shape_of(model);
    uint64_t words = model->coupled ? bond_words(&shape) : 0;
    if (model->incomplete)
        words += bond_words(&shape) + odd_words(&shape);
    if (model->dimension == 3)
        words += over_words(&shape);
    if (has_places(&shape))
        words += shape.sites;
    return words * sizeof(uint32_t);
}

/* --- sites --- */

static uint32_t cells_along(const msc_shape *shape, uint32_t direction) {
    return shape->edge[direction] / 2;
}

/* Finds the site in a row and column of a sub-lattice. Returns 0 if there is none. */
static int find_site(const msc_shape *shape, uint32_t parity, uint32_t row, uint32_t column,
                     place *p) {
    if (shape->dimension == 2) {
        *p = (place){{2 * column + (row + parity) % 2, row, 0}};
        return row < shape->height;
    }
    const uint32_t cell = 2 * column + row / CELL_ROWS, up = row % 2, back = row / 2 % 2;
    const uint32_t across = cells_along(shape, 0), layer = across * cells_along(shape, 1);
    *p = (place){{2 * (cell % across) + (up + back + parity) % 2, 2 * (cell % layer / across) + up,
                  2 * (cell / layer) + back}};
    return column < shape->filled[row / CELL_ROWS];
}

/* The index of a site in the order of engine.h: the even sub-lattice first, each row by row. */
static size_t site_index(const msc_shape *shape, uint32_t parity, place p) {
    const size_t row = (size_t)p.at[2] * shape->edge[1] + p.at[1];
    return parity * (shape->sites / 2) + row * (shape->edge[0] / 2) + p.at[0] / 2;
}

static void fill_places(msc_shape *shape) {
    place p;
    for (uint32_t parity = 0; parity < 2; parity++)
        for (uint32_t row = 0; row < shape->rows; row++)
            for (uint32_t column = 0; column < shape->columns; column++)
                if (find_site(shape, parity, row, column, &p))
                    shape->place[site_index(shape, parity, p)] =
                        (parity * shape->rows + row) * shape->columns + column;
}

/* --- bonds --- */

/* J of the bond between a site and its neighbour n, 0 if it is missing. */
static int bond_sign(const msc_shape *shape, const couplings *sample, place p, uint32_t n) {
    static const uint32_t direction[2][2 * MODEL_MAX_DIMENSION] = {{1, 1, 0, 0},
                                                                   {0, 1, 2, 0, 1, 2}};
    const uint32_t d = direction[shape->dimension - 2][n];
    const bool inner = shape->dimension == 2 ? n == 2 : n < 3;
    const bool vertical = shape->dimension == 2 && n < 2; /* above or below */
    const bool forward = vertical ? n == 1 : (p.at[d] % 2 == 0) == inner;
    if (!forward) /* the bond belongs to the neighbour */
        p.at[d] = (p.at[d] + shape->edge[d] - 1) % shape->edge[d];
    const uint64_t row = (uint64_t)p.at[2] * shape->edge[1] + p.at[1];
    return couplings_sign(sample, row * shape->edge[0] + p.at[0], d);
}

/* The lanes in which the bond between a site and its neighbour n has J = -1. */
static uint32_t negative_lanes(const msc_shape *shape, const spin_model *model, place p,
                               uint32_t n) {
    uint32_t negative = 0;
    if (model->lanes == NULL)
        return bond_sign(shape, model->sample, p, n) < 0 ? UINT32_MAX : 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (model->lanes[lane] != NULL && bond_sign(shape, model->lanes[lane], p, n) < 0)
            negative |= UINT32_C(1) << lane;
    return negative;
}

static void fill_bonds(msc_shape *shape, const spin_model *model) {
    place p;
    uint32_t *words = shape->bonds;
    for (uint32_t parity = 0; parity < 2; parity++)
        for (uint32_t n = 0; n < shape->neighbours; n++)
            for (uint32_t row = 0; row < shape->rows; row++, words += shape->pitch)
                for (uint32_t column = 0; column < shape->columns; column++)
                    if (find_site(shape, parity, row, column, &p))
                        words[column] = negative_lanes(shape, model, p, n);
}

/* Fills the words of a site's bonds that may be missing. Of those that are, every second one counts as unsatisfied. */
static void fill_site(msc_shape *shape, const couplings *sample, place p, size_t word) {
    const size_t apart = shape->half; /* from neighbour to neighbour */
    const size_t first = word / shape->half * shape->neighbours * shape->half + word % shape->half;
    uint32_t missing = 0;
    for (uint32_t n = 0; n < shape->neighbours; n++) {
        if (bond_sign(shape, sample, p, n) != 0)
            shape->there[first + n * apart] = UINT32_MAX;
        else if (missing++ % 2 == 1)
            shape->bonds[first + n * apart] = UINT32_MAX;
    }
    if (missing % 2 == 1)
        shape->odd[word] = UINT32_MAX;
}

static void fill_missing(msc_shape *shape, const couplings *sample) {
    place p;
    for (uint32_t parity = 0; parity < 2; parity++)
        for (uint32_t row = 0; row < shape->rows; row++)
            for (uint32_t column = 0; column < shape->columns; column++)
                if (find_site(shape, parity, row, column, &p))
                    fill_site(shape, sample, p, parity * shape->half + row * shape->pitch + column);
}

/* --- offsets to outer neighbours --- */

/* The offset in words from a row of the cells with number `which` in their strips to the same row
 * `cells` cells further. */
static ptrdiff_t words_to(const msc_shape *shape, uint32_t which, int64_t cells) {
    const int64_t to = which + cells, other = to & 1, strips = (to - other) / 2;
    return (ptrdiff_t)(other * CELL_ROWS * (int64_t)shape->pitch + strips);
}

static void fill_ways(msc_shape *shape) {
    uint32_t *over = shape->over;
    int64_t step = 1; /* cells between neighbouring cells in a direction */
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++) {
        const int64_t along = cells_along(shape, d);
        for (uint32_t forward = 0; forward < 2; forward++)
            for (uint32_t which = 0; which < 2; which++, over += shape->pitch) {
                const int64_t sign = forward ? 1 : -1;
                shape->way[d][forward][which] =
                    (msc_way){.within = words_to(shape, which, sign * step),
                              .beyond = words_to(shape, which, -sign * (along - 1) * step),
                              .over = over};
                for (uint32_t s = 0; s < shape->filled[which]; s++)
                    if ((2 * s + which) / step % along == (forward ? along - 1 : 0))
                        over[s] = UINT32_MAX;
            }
        step *= along;
    }
}

/* --- the shape --- */

static uint32_t *allocate(size_t words) {
    const size_t bytes = round_up_to_vectors(words) * sizeof(uint32_t);
    uint32_t *const array = aligned_alloc(VECTOR_ALIGNMENT * sizeof(uint32_t), bytes);
    if (array)
        memset(array, 0, bytes);
    return array;
}

int shape_create(msc_shape *shape, const spin_model *model) {
    *shape = shape_of(model);
    if (model->sample != NULL || model->lanes != NULL) {
        shape->bonds = allocate(bond_words(shape));
        if (!shape->bonds)
            return -1;
        fill_bonds(shape, model);
    }
    if (model->sample != NULL && model->incomplete) {
        shape->there = allocate(bond_words(shape));
        shape->odd = allocate(odd_words(shape));
        if (!shape->there || !shape->odd)
            return -1;
        fill_missing(shape, model->sample);
    }
    if (shape->dimension == 3) {
        shape->over = allocate(over_words(shape));
        if (!shape->over)
            return -1;
        fill_ways(shape);
    }
    if (has_places(shape)) {
        shape->place = allocate(shape->sites);
        if (!shape->place)
            return -1;
        fill_places(shape);
    }
    return 0;
}

void shape_destroy(msc_shape *shape) {
    free(shape->bonds);
    free(shape->there);
    free(shape->odd);
    free(shape->over);
    free(shape->place);
}
