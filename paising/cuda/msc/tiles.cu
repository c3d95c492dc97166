/* Updates by tiles (tiles.h). A launch makes the hits of a stage in all tiles of a colour. A block has tiles of 256 strips together,
 * a thread a strip, whose random stream stays in registers meanwhile, in two dimensions with its spins. The tiles are in shared memory,
 * for the neighbours of their strips, each with a frame of strips that do not change: FRAMES (square_frames.cuh, cell_frames.cuh).
 * So a strip reads some 110 bytes and writes 80 for k hits, 512 k flips, where the checkerboard (stripes.cu) moves 260 bytes for 512
 * flips; in three dimensions some 170 and 80, where that moves 290. */
#include "cuda/msc/tiles.h"

#include "cuda/device/launches.cuh"
#include "cuda/msc/cell_frames.cuh"
#include "cuda/msc/flips.cuh"
#include "cuda/msc/square_frames.cuh"
#include "cuda/msc/stripes.h"

#define THREADS 256 /* of a block */
#define FEW_STRIPS                                                                                 \
    128 /* of a block of the smallest tiles, whose borders need more room than they do */

static_assert(sizeof(msc_step) + sizeof(strip_stream *) + sizeof(tile_stage) <= 4096,
              "the limit on kernel arguments of every toolkit");

/* Makes the hits of a stage. The grid has a row of blocks for each machine word. */
template <typename FRAMES>
static __global__ void __launch_bounds__(THREADS, FRAMES::blocks_at_once)
    hit_tiles(const __grid_constant__ msc_step step, strip_stream *streams,
              const __grid_constant__ tile_stage stage) {
    typedef typename FRAMES::lattice lattice;
    extern __shared__ __align__(BOARD_ALIGNMENT) uint4 shared[];
    const msc_tiles &t = stage.tiles;
    const lattice_shape &shape = step.own.shape;
    const uint32_t all = msc_colour_strips(&t, stage.colour),
                   index = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t boards = place_in_window(shared);
    const strip_at strips = FRAMES::strips_of(shape);
    const tile_memory m = {(uint4 *)step.own.children + (uint64_t)blockIdx.y * shape.quads,
                           strips.column,
                           strips.row,
                           strips.layer,
                           lattice::distances(shape),
                           FRAMES::in_frame(t, blockDim.x / t.strips),
                           boards +
                               blockDim.x / 32 * (uint32_t)sizeof(point_board<lattice::words>)};
    const tile_strip s = strip_in_tile(stage, index < all ? index : blockIdx.x * blockDim.x);
    strip_stream *const stream =
        &streams[(uint64_t)blockIdx.y * shape.strips + msc_colour_first(&t, stage.colour) + index];

    sweep_place at = {step.own.place.first_word + blockIdx.y,
                      stage.begin,
                      shared_window(),
                      m.in_frame,
                      place_on_board<lattice::words>(boards, step.points.group),
                      {},
                      stage.turned};
    kept_strips<lattice, 1> k;
    k.place[0] = FRAMES::place_of(t, m, s, index < all ? index : NO_STRIP);
    k.group[0] = kept(strips_of_group(step.points, all, index));
    await_launch_before();
    allow_next_launch();
    k.stream[0] = index < all ? *stream : strip_stream{};
    if (index < all)
        FRAMES::load(t, m, shape, s);
    __syncthreads();
    if constexpr (keeps_spins<lattice, RNG_INDEPENDENT, 1>())
        k.spins = load_spins<lattice>(at, k.place[0],
                                      has_strip<RNG_INDEPENDENT>(at, k.place[0], k.group[0]));
#pragma unroll 1
    for (; at.half_sweep < stage.end; at.half_sweep++) {
        flip_strips<lattice, RNG_INDEPENDENT, MACHINE_LANES, 0, 1>(k, step, at);
        __syncthreads();
    }
    if (index >= all)
        return;
    *stream = k.stream[0];
    FRAMES::store(m, s, k.place[0]);
}

template <typename FRAMES>
static void launch_stages(cuda_population *p, const msc_step &step, const visit_plan &visits,
                          strip_stream *streams, uint32_t words) {
    const lattice_shape &shape = step.own.shape;
    const msc_tiles tiles = msc_tiles_of(visits.tile, shape.edge[2] > 1 ? 3 : 2, shape.edge);
    const uint32_t threads = tiles.strips < 16 ? FEW_STRIPS : THREADS;
    const size_t bytes = threads / 32 * sizeof(point_board<FRAMES::lattice::words>) +
                         threads / tiles.strips * (size_t)FRAMES::tile_bytes(tiles);
    visit_stage stage[MOST_VISIT_STAGES];
    const uint32_t stages = visit_stages(&visits, stage);
    cuda_allow_shared(p, (const void *)hit_tiles<FRAMES>, bytes);
    for (uint32_t sweep = 0; sweep < step.own.sweeps && !p->failed; sweep += visits.hits)
        for (uint32_t n = 0; n < stages; n++) {
            const uint32_t strips = msc_colour_strips(&tiles, stage[n].colour);
            const tile_stage launch = {tiles, stage[n].colour, 2 * (sweep + stage[n].first),
                                       2 * (sweep + stage[n].end), stage[n].odd_first};
            cuda_launch_early(p, "hit_tiles (MSC)", hit_tiles<FRAMES>,
                              dim3((strips + threads - 1) / threads, words), threads, bytes, step,
                              streams, launch);
        }
}

template <bool COMPLEMENT>
static void sweep_tiles(cuda_population *p, const msc_step &step, const visit_plan &visits,
                        strip_stream *streams, uint32_t words) {
    if (step.own.shape.edge[2] > 1)
        launch_stages<cell_frames<COMPLEMENT>>(p, step, visits, streams, words);
    else
        launch_stages<square_frames<COMPLEMENT>>(p, step, visits, streams, words);
}

void msc_sweep_tiles(cuda_population *p, const msc_step &step, const visit_plan &visits,
                     strip_stream *streams, uint32_t words) {
    msc_step hits = step;
    hits.own.sweeps = step.own.sweeps * visits.hits;
    msc_seed_streams(p, hits, streams, words);
    step.own.complement ? sweep_tiles<true>(p, hits, visits, streams, words)
                        : sweep_tiles<false>(p, hits, visits, streams, words);
}
