/* The rules of --tile, --hits and --palindrome (tiles.h), in single-spin coding and in multi-spin coding (engine/msc_tiles.h). */
#include "tiles.h"

#include "engine/msc_tiles.h"

#include <inttypes.h>

/* Checks updates by tiles in multi-spin coding (engine/msc_tiles.h), whose stripes have whole tiles. */
static int check_msc_tiles(const parameters *p, message m) {
    const visit_plan v = parameters_visits(p);
    const uint32_t dimension = parameters_kind(p)->dimension,
                   most = dimension == 3 ? MOST_CUBIC_MSC_TILE : MOST_MSC_TILE;
    uint32_t edge[MODEL_MAX_DIMENSION];
    char size[LATTICE_TEXT_SIZE];
    if (p->method != METHOD_canonical)
        return refuse(m, "--update tiles: with -c msc allowed in --method canonical only; -c ssc "
                         "has tiles in all methods");
    if (p->rng != RNG_INDEPENDENT)
        return refuse(m,
                      "--update tiles: with -c msc not allowed with -g %s; allowed: -g "
                      "independent, or -c ssc",
                      rng_name(p->rng));
    if (v.tile < LEAST_MSC_TILE || v.tile > most || (v.tile & (v.tile - 1)) != 0)
        return refuse(m,
                      "--tile %" PRIu32 ": with -c msc allowed: 8, 16%s, whole strips of "
                      "random numbers in a block of threads; -c ssc takes others",
                      v.tile, dimension == 3 ? "" : ", 32, 64");
    if ((uint64_t)v.hits * p->sweeps > UINT32_MAX / 2)
        return refuse(m,
                      "--hits %" PRIu32 ": with -t %" PRIu32 " and -c msc there are more than "
                      "%" PRIu32 " sweeps at a temperature",
                      v.hits, p->sweeps, UINT32_MAX / 2);
    lattice_edges(p->size, dimension, edge);
    if (edge[0] == v.tile)
        return refuse(m,
                      "--tile %" PRIu32 ": with -c msc each edge of the lattice, -L %s, must be a "
                      "multiple of %" PRIu32 "; an update of a single tile is one by the "
                      "checkerboard, with -t %" PRIu32,
                      v.tile, lattice_text(size, p->size), 2 * v.tile, v.hits * p->sweeps);
    if (edge[dimension - 1] % (2 * v.tile * p->stripes) == 0)
        return 0;
    return refuse(m,
                  "--tile %" PRIu32 ": with --stripes %" PRIu32 " the last edge of the lattice, -L "
                  "%s, must be a multiple of %" PRIu32
                  ", so that each stripe has whole tiles of both "
                  "colours",
                  v.tile, p->stripes, lattice_text(size, p->size), 2 * v.tile * p->stripes);
}

int check_tiles(const parameters *p, message m) {
    const update_kind *const update = update_kinds[p->update];
    const visit_plan v = parameters_visits(p);
    const uint32_t least = v.order == VISIT_TILES ? 2 : 4,
                   multiple = v.order == VISIT_TILES ? 2 * v.tile : v.tile;
    uint32_t edge[MODEL_MAX_DIMENSION], whole = 0, same = 0;
    char size[LATTICE_TEXT_SIZE];
    const uint32_t dimension = parameters_kind(p)->dimension;
    if (v.tile < least || v.tile % 2 == 1)
        return refuse(m,
                      "--tile %" PRIu32 ": with --update %s the edge must be even, from %" PRIu32,
                      v.tile, update->name, least);
    lattice_edges(p->size, dimension, edge);
    for (uint32_t d = 0; d < dimension; d++) {
        whole += edge[d] % multiple == 0;
        same += edge[d] == v.tile;
    }
    if (whole < dimension && same < dimension)
        return refuse(m,
                      "--tile %" PRIu32
                      ": with --update %s each edge of the lattice, -L %s, must be "
                      "a multiple of %" PRIu32 "%s",
                      v.tile, update->name, lattice_text(size, p->size), multiple,
                      v.order == VISIT_TILES
                          ? ", so that tiles of a colour do not touch, or each be that of the tile"
                          : ": the edge of a tile");
    if (v.palindrome && v.hits % 2 == 1)
        return refuse(m,
                      "--palindrome: --hits %" PRIu32 " must be even: half of the hits come in "
                      "the reverse order",
                      v.hits);
    if ((uint64_t)v.hits * p->sweeps > UINT32_MAX)
        return refuse(m,
                      "--hits %" PRIu32 ": with -t %" PRIu32 " there are more than %" PRIu32
                      " sweeps at a temperature",
                      v.hits, p->sweeps, UINT32_MAX);
    return p->coding == CODING_MSC ? check_msc_tiles(p, m) : 0;
}
