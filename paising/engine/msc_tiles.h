/* Tiles of square lattices in multi-spin coding, for updates in the order VISIT_TILES (visits.h).
 *
 * A strip is eight rows and one column of words of either sub-lattice: 8 x 2 sites (streams.h). So a tile of edge T, a multiple
 * of 8, has T/8 rows of T/2 strips. Strips are numbered tile by tile: first those of all tiles of colour 0, then those of colour 1;
 * tiles of a colour row by row, and the strips of a tile likewise. A strip's number is the position of its random stream. The strips
 * of a colour form the groups of the correction by themselves, the last of which may have fewer strips: their half sweeps are made
 * at the same time. Half sweep h of a strip counts its own: 2 (update * k + hit), and one more for the sub-lattice that comes
 * second. If the lattice is one tile, strips have the numbers of a checkerboard update. */
#ifndef PAISING_MSC_TILES_H
#define PAISING_MSC_TILES_H

#include "visits.h"

#define LEAST_MSC_TILE 8 /* the edge of a tile is a power of two from here ... */
#define MOST_MSC_TILE  64

typedef struct {
    uint32_t columns, rows; /* of strips in a tile */
    uint32_t strips;        /* of a tile */
    uint32_t across;        /* tiles in x */
    uint32_t tiles;         /* of the lattice */
} msc_tiles;

/* The tiles of a lattice of lx x ly sites, which they divide. */
SHARED_FUNCTION msc_tiles msc_tiles_of(uint32_t tile, uint32_t lx, uint32_t ly) {
    const msc_tiles t = {tile / 2, tile / 8, tile / 2 * (tile / 8), lx / tile,
                         (lx / tile) * (ly / tile)};
    return t;
}

/* The strips of the tiles of a colour; and the number of the first one. */
SHARED_FUNCTION uint32_t msc_colour_strips(const msc_tiles *t, uint32_t colour) {
    return (t->tiles + 1 - colour) / 2 * t->strips;
}

SHARED_FUNCTION uint32_t msc_colour_first(const msc_tiles *t, uint32_t colour) {
    return colour ? msc_colour_strips(t, 0) : 0;
}

/* The row and the column of tile n of a colour, counted in tiles. */
typedef struct {
    uint32_t row, column;
} msc_tile_place;

SHARED_FUNCTION msc_tile_place msc_tile_at(const msc_tiles *t, uint32_t colour, uint32_t n) {
    const uint32_t pairs = (t->across + 1) / 2, row = n / pairs;
    const msc_tile_place p = {row, 2 * (n % pairs) + ((row + colour) & 1)};
    return p;
}

#endif
