/* The parents of a population in tiles, of which each is a block's in the selection (selection.h). */
#ifndef PAISING_CUDA_SELECT_TILE_H
#define PAISING_CUDA_SELECT_TILE_H

#include <stdint.h>

#define TILE_PARENTS 1024

/* What a tile tells those behind it. */
typedef struct {
    uint64_t children; /* a mark above 32 bits: children of the tile, or of it and all before it */
    uint32_t family;   /* children of the tile before the last family that begins in it */
    uint64_t weight
        [2]; /* likewise of its parents on the line (selection_line.cuh): two halves, each below a mark */
} selection_tile;

static inline uint64_t selection_tiles(uint64_t parents) {
    return (parents + TILE_PARENTS - 1) / TILE_PARENTS;
}

#endif
