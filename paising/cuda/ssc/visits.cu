/* Sweeps of lattices in device memory, a byte a spin. They equal cpu/visits.c, and reference/plain_visits.c, bit for bit:
 * random numbers belong to sites or attempts, and sites that are updated at a time do not interact.
 *
 *     visit_rows      one sub-lattice whose rows are whole quads (engine/streams.h), of all sites or in the tiles of a colour; a
 *                     thread one quad, or four (rows.cuh)
 *     sweep_strips    all sweeps of a step of a few such square lattices: a block a strip of rows (strips.cuh)
 *     visit_half      the same as visit_rows where they are not; a thread a quad, site by site
 *     hit_tiles       all hits of a stage in the tiles of a colour: a block a tile, which is in shared memory with a border of
 *                     one site; a thread a quad of each sub-lattice
 *     visit_in_order  row by row: a block a lattice. Sites with the same x + y + z = w do not interact, and those that a site
 *                     needs as they are after their visit have smaller w, or across the boundary as before have larger w.
 *     visit_boxes     random sites: a thread a tile, or a lattice
 *     count_lattices  measurement: a thread a quad of the even sub-lattice
 *
 * A quad is a word: four sites of a sub-lattice, two columns apart. Where rows are whole quads, the neighbours of its sites
 * are the words across (the same place of the other sub-lattice), above and below, before and behind, and the word across
 * shifted by a byte. Adding words counts neighbours up in each byte. A spin costs a quarter of a Philox call, and in
 * visit_rows some 3 bytes of traffic, in hit_tiles that for k sweeps. */
#include "cuda/ssc/visits.h"

#include "cuda/ssc/rows.cuh"
#include "cuda/ssc/strips.cuh"
#include "cuda/ssc/tiles.cuh"

#define VISIT_THREADS 256
#define BOX_THREADS   64
#define FULL_THREADS  65536 /* half of the threads that a large GPU holds */

/* From these on a lattice that fits into shared memory is shared by blocks: blocks a lattice, its edge, and sweeps of a step. */
#define LEAST_STRIPS       8
#define LEAST_SHARED_EDGE  128
#define LEAST_STRIP_SWEEPS 4

/* --- one sub-lattice, of rows that are not whole quads --- */

/* The neighbours up of site j of a row, by bytes. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ uint32_t ups_of_site(const visit_sweep &c, const uint8_t *others,
                                                       const row_place &p, uint32_t j,
                                                       uint32_t odd) {
    const uint32_t half = c.edge[0] / 2,
                   next = odd ? (j + 1 < half ? j + 1 : 0) : (j > 0 ? j - 1 : half - 1);
    const uint32_t ups =
        others[p.here + j] + others[p.here + next] + others[p.above + j] + others[p.below + j];
    return DIMENSION == 3 ? ups + others[p.before + j] + others[p.behind + j] : ups;
}

/* Of any rows: a quad may reach into the next one. A block has one replica. */
template <uint32_t DIMENSION>
static __global__ void __launch_bounds__(VISIT_THREADS)
    visit_half(const __grid_constant__ visit_sweep c) {
    __shared__ decisions by;
    const uint32_t quads = (c.sites / 2 + 3) / 4, half = c.edge[0] / 2,
                   blocks = (quads + VISIT_THREADS - 1) / VISIT_THREADS, k = blockIdx.x / blocks,
                   quad = blockIdx.x % blocks * VISIT_THREADS + threadIdx.x,
                   replica = c.first_replica + k, hit = c.sweep + c.stage.first;
    if (!has_replica(c, k))
        return;
    if (threadIdx.x == 0)
        by = decisions_of<DIMENSION>(c, replica, hit);
    __syncthreads();
    if (quad >= quads)
        return;
    uint8_t *const lattice = c.spins + (uint64_t)k * (2 * c.half_bytes), *const spins =
                                                                             lattice +
                                                                             c.parity *
                                                                                 c.half_bytes;
    const uint8_t *const others = lattice + (1 - c.parity) * c.half_bytes;
    uint32_t ups = 0, active = 0;
#pragma unroll
    for (uint32_t n = 0; n < 4 && 4 * quad + n < c.sites / 2; n++) {
        const uint32_t i = 4 * quad + n;
        const row_place p = place_of<DIMENSION>(c, i / half);
        const uint32_t odd = (p.y + p.z + c.parity) & 1, j = i - p.here;
        if (c.in_tiles && !has_colour(c, 2 * j + odd, p.y, p.z))
            continue;
        active |= 1u << 8 * n;
        ups |= ups_of_site<DIMENSION>(c, others, p, j, odd) << 8 * n;
    }
    if (active == 0)
        return;
    const stream_block numbers =
        ssc_numbers(&c.keys, ssc_place_of(&c.keys, c.parity * quads + quad, c.temperature),
                    ssc_moment_of(&c.keys, replica, hit));
    uint32_t *const own = (uint32_t *)spins + quad;
    *own = attempted<DIMENSION>(by, *own, ups, active, numbers);
}

/* --- site by site --- */

/* Makes an attempt at a site. */
template <uint32_t DIMENSION>
static __device__ __forceinline__ void attempt(const visit_sweep &c, const decisions &by,
                                               uint8_t *lattice, uint32_t x, uint32_t y, uint32_t z,
                                               uint32_t number) {
    const uint32_t parity = (x + y + z) & 1, odd = x & 1;
    const row_place p = place_of<DIMENSION>(c, z * c.edge[1] + y);
    uint8_t *const spin = lattice + parity * c.half_bytes + p.here + x / 2;
    const uint32_t ups =
        ups_of_site<DIMENSION>(c, lattice + (1 - parity) * c.half_bytes, p, x / 2, odd);
    if (flips(by, *spin ? 2 * DIMENSION - ups : ups, number))
        *spin ^= 1;
}

template <uint32_t DIMENSION>
static __global__ void __launch_bounds__(VISIT_THREADS)
    visit_in_order(const __grid_constant__ visit_sweep c) {
    __shared__ decisions by;
    const uint32_t k = blockIdx.x, replica = c.first_replica + k, rows = c.edge[1] * c.edge[2],
                   quads = (c.sites / 2 + 3) / 4, waves = c.edge[0] + c.edge[1] + c.edge[2] - 2;
    if (!has_replica(c, k))
        return;
    uint8_t *const lattice = c.spins + (uint64_t)k * (2 * c.half_bytes);
    const ssc_moment moment = ssc_moment_of(&c.keys, replica, c.sweep);
    if (threadIdx.x == 0)
        by = decisions_of<DIMENSION>(c, replica, c.sweep);
    for (uint32_t wave = 0; wave < waves; wave++) {
        __syncthreads();
        for (uint32_t row = threadIdx.x; row < rows; row += VISIT_THREADS) {
            const uint32_t y = row % c.edge[1], z = row / c.edge[1], x = wave - y - z;
            if (wave < y + z || x >= c.edge[0])
                continue;
            const uint32_t i = row * (c.edge[0] / 2) + x / 2, parity = (x + y + z) & 1;
            const stream_block numbers = ssc_numbers(
                &c.keys, ssc_place_of(&c.keys, parity * quads + i / 4, c.temperature), moment);
            attempt<DIMENSION>(c, by, lattice, x, y, z, numbers.number[i % 4]);
        }
    }
}

/* All hits of a phase. Attempts of a box begin with a whole call, or within one of the box before. */
template <uint32_t DIMENSION>
static __global__ void __launch_bounds__(BOX_THREADS)
    visit_boxes(const __grid_constant__ visit_sweep c) {
    uint32_t tiles[MODEL_MAX_DIMENSION];
    const uint32_t all = visit_tiles(&c.plan, DIMENSION, c.edge, tiles);
    const uint64_t thread = (uint64_t)blockIdx.x * BOX_THREADS + threadIdx.x, k = thread / all;
    const uint32_t replica = c.first_replica + (uint32_t)k;
    if (!has_replica(c, k))
        return;
    uint8_t *const lattice = c.spins + k * (2 * c.half_bytes);
    const stream_block drawn =
        visit_drawn(&c.plan, c.key, c.sites, replica, c.sweep, c.temperature);
    const visit_box box =
        visit_box_of(&c.plan, DIMENSION, c.edge, &drawn, c.phase, (uint32_t)(thread - k * all));
    for (uint32_t sweep = c.sweep; sweep < c.sweep + c.plan.hits; sweep++) {
        const decisions by = decisions_of<DIMENSION>(c, replica, sweep);
        const ssc_moment moment = ssc_moment_of(&c.keys, replica, sweep);
        const uint32_t end = box.number + box.attempts;
        for (uint32_t quad = box.number / 4; 4 * quad < end; quad++) {
            const stream_block sites =
                visit_numbers(&c.plan, c.key, quad, replica, sweep, c.temperature);
            const stream_block numbers =
                ssc_numbers(&c.keys, ssc_place_of(&c.keys, quad, c.temperature), moment);
#pragma unroll
            for (uint32_t n = 0; n < 4; n++) {
                if (4 * quad + n < box.number || 4 * quad + n >= end)
                    continue;
                const visit_site at = visit_site_of(&box, DIMENSION, c.edge, sites.number[n]);
                attempt<DIMENSION>(c, by, lattice, at.at[0], at.at[1], at.at[2], numbers.number[n]);
            }
        }
    }
}

/* --- measurement --- */

/* Adds up unsatisfied bonds, each seen from its even site, and spins up. WHOLE: rows are whole quads. A block has one replica. */
template <uint32_t DIMENSION, bool WHOLE>
static __global__ void __launch_bounds__(VISIT_THREADS)
    count_lattices(const __grid_constant__ visit_sweep c, spin_counts *counts) {
    const uint32_t quads = (c.sites / 2 + 3) / 4, half = c.edge[0] / 2,
                   blocks = (quads + VISIT_THREADS - 1) / VISIT_THREADS, k = blockIdx.x / blocks,
                   quad = blockIdx.x % blocks * VISIT_THREADS + threadIdx.x;
    if (!has_replica(c, k))
        return;
    const uint8_t *const lattice = c.spins + (uint64_t)k * (2 * c.half_bytes);
    spin_counts seen = {0, 0};
    if (quad < quads) {
        const uint8_t *const others = lattice + c.half_bytes;
        const uint32_t even = ((const uint32_t *)lattice)[quad],
                       odd = ((const uint32_t *)others)[quad], up = even * 0xff;
        uint32_t ups = 0, sites = 0;
        row_place p = place_of<DIMENSION>(c, 4 * quad / half);
        for (uint32_t n = 0; n < 4 && !WHOLE && 4 * quad + n < c.sites / 2; n++) {
            const uint32_t i = 4 * quad + n;
            p = place_of<DIMENSION>(c, i / half);
            ups |= ups_of_site<DIMENSION>(c, others, p, i - p.here, (p.y + p.z) & 1) << 8 * n;
            sites |= 0xffu << 8 * n;
        }
        if (WHOLE) {
            ups = ups_of_words<DIMENSION, 1>(c, others, p, 4 * quad - p.here, (p.y + p.z) & 1)
                      .quad[0];
            sites = UINT32_MAX;
        }
        const uint32_t d = ((ups & ~up) | ((2 * DIMENSION * 0x01010101u - ups) & up)) & sites;
        seen.bonds = d * 0x01010101u >> 24;
        seen.ups = __popc(even & sites) + __popc(odd & sites);
    }
    const uint64_t both = warp_sum((uint64_t)seen.ups << 32 | seen.bonds);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&counts[k].bonds, (uint32_t)both);
        atomicAdd(&counts[k].ups, (uint32_t)(both >> 32));
    }
}

/* A thread a replica. */
static __global__ void __launch_bounds__(VISIT_THREADS)
    report_lattices(const __grid_constant__ cuda_replicas replicas, const spin_counts *counts,
                    uint32_t half_sites) {
    const uint64_t population = replicas.report->population,
                   k = (uint64_t)blockIdx.x * VISIT_THREADS + threadIdx.x;
    if (population > replicas.capacity)
        return;
    const bool exists = k < population;
    const uint32_t up = exists ? counts[k].ups : 0, level = exists ? counts[k].bonds / 2 : 0,
                   order = up > half_sites ? up - half_sites : half_sites - up;
    report_levels(&replicas, exists, k, level, order);
    report_blocks(&replicas, &replicas.interval, exists, k, population, level, order);
    report_founders(&replicas, exists, k, level);
}

/* --- launches --- */

/* A launch for so many replicas. */
struct visit_launch {
    cuda_population *p;
    uint64_t replicas;
    visit_sweep c;
};

/* The blocks of visit_half and count_lattices. */
static unsigned blocks_of_halves(const visit_launch &l) {
    const uint32_t quads = (l.c.sites / 2 + 3) / 4;
    return (unsigned)(l.replicas * ((quads + VISIT_THREADS - 1) / VISIT_THREADS));
}

template <uint32_t DIMENSION, uint32_t QUADS> static void launch_rows(const visit_launch &l) {
    const uint32_t each = ROW_THREADS * QUADS, blocks = (l.c.sites / 8 + each - 1) / each;
    cuda_launch_early(l.p, "visit_rows (SSC)", visit_rows<DIMENSION, QUADS>,
                      dim3((unsigned)l.replicas, blocks), ROW_THREADS, 0, l.c);
}

/* A thread has four quads only where such threads fill a GPU, and no tile leaves out any. */
template <uint32_t DIMENSION> static void launch_half(const visit_launch &l) {
    const uint32_t lx = l.c.edge[0];
    if (lx % 32 == 0 && !l.c.in_tiles && l.replicas * (l.c.sites / 32) >= FULL_THREADS)
        launch_rows<DIMENSION, 4>(l);
    else if (lx % 8 == 0)
        launch_rows<DIMENSION, 1>(l);
    else
        visit_half<DIMENSION><<<blocks_of_halves(l), VISIT_THREADS, 0, l.p->stream>>>(l.c);
}

/* Both sub-lattices, of all sites or in the tiles of a colour, for each hit of the stage. */
template <uint32_t DIMENSION> static void launch_halves(visit_launch l) {
    const visit_stage stage = l.c.stage;
    for (uint32_t hit = stage.first; hit < stage.end && !l.p->failed; hit++)
        for (uint32_t n = 0; n < 2; n++) {
            l.c.stage.first = hit;
            l.c.parity = n ^ stage.odd_first;
            launch_half<DIMENSION>(l);
        }
}

/* Tiles of whole quads in shared memory, where they fit and are not the whole lattice, which has no border. */
template <uint32_t DIMENSION> static void launch_tiles(const visit_launch &l) {
    const uint32_t t = l.c.plan.tile, sites = DIMENSION == 3 ? t * t * t : t * t,
                   bytes = 2 * words_of(shape_of(t, DIMENSION)) * (uint32_t)sizeof(uint32_t),
                   threads = (sites / 8 + 31) / 32 * 32; /* whole warps */
    if (t % 8 != 0 || bytes > MOST_TILE_BYTES || threads > MOST_TILE_THREADS || t == l.c.edge[0]) {
        launch_halves<DIMENSION>(l);
        return;
    }
    const unsigned blocks = (unsigned)(l.replicas * (l.c.sites / sites / 2)); /* of a colour */
    hit_tiles<DIMENSION><<<blocks, threads, bytes, l.p->stream>>>(l.c);
}

template <uint32_t DIMENSION> static void launch_boxes(visit_launch l) {
    uint32_t tiles[MODEL_MAX_DIMENSION];
    const uint64_t all = l.replicas * visit_tiles(&l.c.plan, DIMENSION, l.c.edge, tiles);
    for (l.c.phase = 0; l.c.phase < visit_phases(&l.c.plan, DIMENSION); l.c.phase++)
        visit_boxes<DIMENSION>
            <<<(unsigned)((all + BOX_THREADS - 1) / BOX_THREADS), BOX_THREADS, 0, l.p->stream>>>(
                l.c);
}

/* Queues one update. */
template <uint32_t DIMENSION> static void launch_update(visit_launch l) {
    visit_stage stage[MOST_VISIT_STAGES];
    const uint32_t stages = visit_stages(&l.c.plan, stage);
    switch (l.c.plan.order) {
    case VISIT_CHECKERBOARD:
        l.c.stage = {0, 0, 1, false};
        launch_halves<DIMENSION>(l);
        return;
    case VISIT_TILES:
        l.c.in_tiles = true;
        for (uint32_t n = 0; n < stages; n++) {
            l.c.stage = stage[n];
            launch_tiles<DIMENSION>(l);
        }
        return;
    case VISIT_SEQUENTIAL:
        visit_in_order<DIMENSION><<<(unsigned)l.replicas, VISIT_THREADS, 0, l.p->stream>>>(l.c);
        return;
    case VISIT_RANDOM:
    case VISIT_DOUBLE_TILING:
    case VISIT_DEAD_BORDER:
        launch_boxes<DIMENSION>(l);
        return;
    }
}

template <uint32_t QUADS>
static void launch_strips(visit_launch l, strip_cut cut, uint32_t sweeps, uint8_t *sent) {
    const unsigned threads = cut.rows * (l.c.edge[0] / (8 * QUADS)),
                   shared = cut.rows * l.c.edge[0];
    const dim3 blocks(cut.strips, (unsigned)l.replicas);
    void *arguments[] = {&l.c, &cut, &sweeps, &sent};
    CUDA_CHECK(l.p, cudaMemsetAsync(sent, 0, l.replicas * 2 * l.c.half_bytes, l.p->stream));
    if (!l.p->failed)
        CUDA_CHECK(l.p, cudaLaunchCooperativeKernel(sweep_strips<QUADS>, blocks,
                                                    dim3((threads + 31) / 32 * 32), arguments,
                                                    shared, l.p->stream));
}

/* Queues all sweeps in one launch, of square lattices that a GPU holds with a block each multiprocessor. Returns whether
 * they are. */
static bool launch_all_sweeps(const visit_launch &l, uint32_t sweeps, uint8_t *sent) {
    const uint32_t lx = l.c.edge[0], ly = l.c.edge[1];
    int processors = 0;
    if (l.c.plan.order != VISIT_CHECKERBOARD || lx % 8 != 0 || l.p->failed)
        return false;
    CUDA_CHECK(l.p, cuda_attribute(cudaDevAttrMultiProcessorCount, &processors));
    if (l.p->failed || l.replicas == 0 || l.replicas > (uint64_t)processors)
        return false;
    const uint32_t most = (uint32_t)((uint64_t)processors / l.replicas),
                   rows = (ly + most - 1) / most;
    const strip_cut cut = {(ly + rows - 1) / rows, rows};
    const uint64_t quads = (uint64_t)rows * (lx / 8); /* of a block */
    if (quads <= STRIP_THREADS)
        launch_strips<1>(l, cut, sweeps, sent);
    else if (quads <= 2 * STRIP_THREADS && lx % 16 == 0)
        launch_strips<2>(l, cut, sweeps, sent);
    else if (quads <= 4 * STRIP_THREADS && lx % 32 == 0)
        launch_strips<4>(l, cut, sweeps, sent);
    else
        return false;
    return true;
}

/* Groups share a GPU by streams instead, and parents of other ranks may still be in the scratch memory. */
static bool may_have_strips(const spin_model *m, const cuda_population *p,
                            const engine_step *step) {
    return m->dimension == 2 && step->groups <= 1 && p->device.interval.all == 0;
}

bool cuda_ssc_shares_lattices(const visit_plan *plan, const spin_model *m, cuda_population *p,
                              const engine_step *step, const cuda_range *range) {
    int processors = 0;
    CUDA_CHECK(p, cuda_attribute(cudaDevAttrMultiProcessorCount, &processors));
    return may_have_strips(m, p, step) && plan->order == VISIT_CHECKERBOARD && !m->coupled &&
           m->edge[0] % 8 == 0 && m->edge[0] >= LEAST_SHARED_EDGE &&
           m->edge[1] >= LEAST_SHARED_EDGE && step->sweeps >= LEAST_STRIP_SWEEPS &&
           range->most * LEAST_STRIPS <= (uint64_t)processors;
}

/* What all sweeps of a range have in common. */
static visit_launch launch_of(const visit_lattices *lattices, const spin_model *m,
                              cuda_population *p, const cuda_range *range) {
    visit_launch l = {.p = p, .replicas = range->most, .c = {}};
    l.c.report = range->replicas.report;
    l.c.capacity = range->replicas.capacity;
    l.c.spins = lattices->spins + range->first * 2 * lattices->half_bytes;
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++)
        l.c.edge[d] = m->edge[d];
    l.c.sites = (uint32_t)m->sites;
    l.c.half_bytes = lattices->half_bytes;
    l.c.plan = lattices->plan;
    l.c.plan.hits = l.c.plan.order == VISIT_CHECKERBOARD ? 1 : l.c.plan.hits;
    l.c.first_replica = (uint32_t)(p->device.interval.origin + range->first);
    return l;
}

/* The range's part of the scratch memory. */
static uint8_t *scratch_of(const visit_lattices *lattices, const cuda_range *range) {
    return lattices->scratch + range->first * 2 * lattices->half_bytes;
}

void cuda_ssc_visit(const visit_lattices *lattices, const spin_model *m, cuda_population *p,
                    const engine_step *step, const cuda_range *range) {
    visit_launch l = launch_of(lattices, m, p, range);
    l.c.keys = ssc_keys_of(step->key);
    l.c.key = step->key;
    l.c.thresholds = step_rounding(step, range->rule);
    l.c.downhill = range->rule->downhill;
    l.c.temperature = step->temperature;
    if (may_have_strips(m, p, step) &&
        launch_all_sweeps(l, step->sweeps, scratch_of(lattices, range)))
        return;
    for (uint32_t update = 0; update < step->sweeps && !p->failed; update++) {
        l.c.sweep = update * l.c.plan.hits;
        if (m->dimension == 3)
            launch_update<3>(l);
        else
            launch_update<2>(l);
        cuda_check_launch(p, "sweeps in an order (SSC)");
    }
}

template <uint32_t DIMENSION>
static void launch_counts(const visit_launch &l, spin_counts *counts) {
    const unsigned blocks = blocks_of_halves(l);
    if (l.c.edge[0] % 8 == 0)
        count_lattices<DIMENSION, true><<<blocks, VISIT_THREADS, 0, l.p->stream>>>(l.c, counts);
    else
        count_lattices<DIMENSION, false><<<blocks, VISIT_THREADS, 0, l.p->stream>>>(l.c, counts);
}

void cuda_ssc_measure(const visit_lattices *lattices, const spin_model *m, cuda_population *p,
                      const cuda_range *range) {
    const visit_launch l = launch_of(lattices, m, p, range);
    spin_counts *const counts = (spin_counts *)scratch_of(lattices, range);
    if (p->failed)
        return;
    CUDA_CHECK(p, cudaMemsetAsync(counts, 0, range->most * sizeof *counts, p->stream));
    if (m->dimension == 3)
        launch_counts<3>(l, counts);
    else
        launch_counts<2>(l, counts);
    const unsigned blocks = (unsigned)((range->most + VISIT_THREADS - 1) / VISIT_THREADS);
    report_lattices<<<blocks, VISIT_THREADS, 0, p->stream>>>(range->replicas, counts,
                                                             l.c.sites / 2);
    cuda_check_launch(p, "report_lattices (SSC)");
}
