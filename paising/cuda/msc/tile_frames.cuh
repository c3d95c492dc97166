/* What tiles of square and cubic lattices have in common (tiles.cu): which strips they have, and where those are. */
#ifndef PAISING_CUDA_MSC_TILE_FRAMES_CUH
#define PAISING_CUDA_MSC_TILE_FRAMES_CUH

#include "cuda/msc/request.cuh"
#include "engine/msc_tiles.h"

/* What a launch makes: half sweeps begin .. end - 1 of a colour, an even number. */
struct tile_stage {
    msc_tiles tiles;
    uint32_t colour, begin, end;
    uint32_t turned; /* 1: the odd sub-lattice comes first */
};

/* Where a strip is: in its tile, and in the lattice, in columns, rows and layers of strips. */
struct strip_at {
    uint32_t column, row, layer;
};

struct tile_strip {
    uint32_t tile; /* of the block */
    strip_at own, lattice;
};

static __device__ __forceinline__ tile_strip strip_in_tile(const tile_stage &stage,
                                                           uint32_t index) {
    const msc_tiles &t = stage.tiles;
    const uint32_t tile = index / t.strips, within = index % t.strips, line = within / t.columns;
    const msc_tile_place corner = msc_tile_at(&t, stage.colour, tile);
    tile_strip s;
    s.tile = tile - blockIdx.x * blockDim.x / t.strips;
    s.own = {within % t.columns, line % t.rows, line / t.rows};
    s.lattice = {corner.column * t.columns + s.own.column, corner.row * t.rows + s.own.row,
                 corner.layer * t.layers + s.own.layer};
    return s;
}

/* The lattice in device memory, and the block's tiles in shared memory, each with a frame of strips around it that do not change. */
struct tile_memory {
    uint4 *lattice;
    uint32_t columns, rows, layers;      /* of strips of the lattice */
    strip_distances distances, in_frame; /* of the lattice, of the tiles; in bytes */
    uint32_t frames;                     /* address of the tiles in shared memory */
};

#endif
