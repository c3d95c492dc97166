/* Tiles of parents: one block of the selection processes one tile (selection.h). */
#ifndef PAISING_CUDA_SELECT_TILE_H
#define PAISING_CUDA_SELECT_TILE_H

#include <stdint.h>

#define TILE_PARENTS 1024

/* What a tile publishes for later tiles. */
typedef struct {
    uint64_t children;  /* mark << 32 | children of the tile, or of all tiles up to it */
    uint32_t family;    /* children of the tile before the last family that begins in it */
    uint64_t weight[2]; /* weight on the line (line.cuh): two halves, each mark << 32 | half */
} selection_tile;

static inline uint64_t selection_tiles(uint64_t parents) {
    return (parents + TILE_PARENTS - 1) / TILE_PARENTS;
}

#endif
