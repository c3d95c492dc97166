/* Sweeps and counts of lattices whose lanes are stripes (stripes.h). Streams stay in device memory between the half sweeps of a step. */
#include "cuda/msc/stripes.h"

#include "cuda/device/launches.cuh"
#include "cuda/msc/cells.cuh"
#include "cuda/msc/flips.cuh"
#include "cuda/msc/rows.cuh"

#define THREADS 256
#define EACH    8 /* strips that a thread counts */

template <bool COMPLEMENT> using square_stripes = square_lattice<false, COMPLEMENT, false, true>;
template <bool COMPLEMENT> using cubic_stripes = cell_lattice<false, true, COMPLEMENT, false, true>;

/* The strip of a thread: the grid has a row of blocks for each machine word. */
static __device__ __forceinline__ uint32_t own_strip() {
    return blockIdx.x * THREADS + threadIdx.x;
}

static __device__ __forceinline__ void *own_lattice(const msc_step &step) {
    return (uint4 *)step.own.children + (uint64_t)blockIdx.y * step.own.shape.quads;
}

static __global__ void __launch_bounds__(THREADS)
    seed_streams(const __grid_constant__ msc_step step, strip_stream *streams) {
    const uint32_t strips = step.own.shape.strips, strip = own_strip();
    if (strip < strips)
        streams[(uint64_t)blockIdx.y * strips + strip] =
            seeded_stream(step.own, strip, step.own.place.first_word + blockIdx.y);
}

/* Updates a sub-lattice: one thread a strip. */
template <typename LATTICE>
static __global__ void __launch_bounds__(THREADS)
    half_sweep(const __grid_constant__ msc_step step, strip_stream *streams, uint32_t number) {
    extern __shared__ __align__(BOARD_ALIGNMENT) uint4 shared[];
    const uint32_t strips = step.own.shape.strips, strip = own_strip();
    const uint32_t group = strips_of_group(step.points, strips, strip);
    strip_stream *const stream = &streams[(uint64_t)blockIdx.y * strips + strip];
    sweep_place at = {step.own.place.first_word + blockIdx.y,
                      number,
                      own_lattice(step),
                      LATTICE::distances(step.own.shape),
                      place_on_board<LATTICE::words>(place_in_window(shared), step.points.group),
                      {}};
    const typename LATTICE::place place = LATTICE::place_of(step.own.shape, strip, 0);
    await_launch_before();
    strip_stream s = {};
    if (strip < strips)
        s = *stream;
    strip_spins spins =
        load_spins<LATTICE>(at, place, has_strip<RNG_INDEPENDENT>(at, place, group));
    flip_strip<LATTICE, RNG_INDEPENDENT, MACHINE_LANES>(step, at, place, no_bonds{}, group, s,
                                                        spins);
    if (strip < strips)
        *stream = s;
}

/* Counts unsatisfied bonds and spins up of the lanes. */
template <typename LATTICE>
static __global__ void __launch_bounds__(THREADS)
    count_lanes(const __grid_constant__ msc_step step, lane_counts *counts) {
    const lattice_shape &shape = step.own.shape;
    lattice_counters<9> sum = {};
    static_assert(EACH * LATTICE::strip_bonds < 1 << 9, "counters of a thread's strips");
    for (uint32_t n = 0; n < EACH; n++) {
        const uint32_t strip = (blockIdx.x * EACH + n) * THREADS + threadIdx.x;
        if (strip >= shape.strips)
            continue;
        const strip_counters c = LATTICE::count(own_lattice(step), shape,
                                                LATTICE::place_of(shape, strip, 0), no_bonds{});
        sum.bonds.add(c.bonds);
        sum.up.add(c.up);
    }
    add_counters(sum, 32, &counts[blockIdx.y]);
}

static dim3 blocks_for(const msc_step &step, uint32_t each, uint32_t words) {
    return dim3((step.own.shape.strips + each - 1) / each, words);
}

void msc_seed_streams(cuda_population *p, const msc_step &step, strip_stream *streams,
                      uint32_t words) {
    if (p->failed)
        return;
    seed_streams<<<blocks_for(step, THREADS, words), THREADS, 0, p->stream>>>(step, streams);
    cuda_check_launch(p, "seed_streams (MSC)");
}

template <typename LATTICE>
static void sweep(cuda_population *p, const msc_step &step, strip_stream *streams, uint32_t words) {
    const dim3 blocks = blocks_for(step, THREADS, words);
    const size_t bytes = THREADS / 32 * sizeof(point_board<LATTICE::words>);
    msc_seed_streams(p, step, streams, words);
    if (p->failed)
        return;
    for (uint32_t n = 0; n < 2 * step.own.sweeps; n++)
        cuda_launch_early(p, "half_sweep (MSC)", half_sweep<LATTICE>, blocks, THREADS, bytes, step,
                          streams, n);
}

static bool is_flat(const msc_step &step) {
    return step.own.shape.edge[2] == 1;
}

void msc_sweep_stripes(cuda_population *p, const msc_step &step, strip_stream *streams,
                       uint32_t words) {
    if (is_flat(step))
        step.own.complement ? sweep<square_stripes<true>>(p, step, streams, words)
                            : sweep<square_stripes<false>>(p, step, streams, words);
    else
        step.own.complement ? sweep<cubic_stripes<true>>(p, step, streams, words)
                            : sweep<cubic_stripes<false>>(p, step, streams, words);
}

void msc_count_stripes(cuda_population *p, const msc_step &step, lane_counts *counts,
                       uint32_t words) {
    const dim3 blocks = blocks_for(step, THREADS * EACH, words);
    if (p->failed)
        return;
    CUDA_CHECK(p, cudaMemsetAsync(counts, 0, words * sizeof *counts, p->stream));
    if (is_flat(step))
        count_lanes<square_stripes<false>><<<blocks, THREADS, 0, p->stream>>>(step, counts);
    else
        count_lanes<cubic_stripes<false>><<<blocks, THREADS, 0, p->stream>>>(step, counts);
    cuda_check_launch(p, "count_lanes (MSC)");
}
