/* Launches of the multi-spin-coded kernels. */
#include "cuda/msc/launch.h"

#include "cuda/msc/resident.h"
#include "engine/strips.h"

#include <string.h>

#define FULL_BLOCK 64 /* threads of a block with several small lattices */
#define MOST_EACH  3  /* most strips of a thread, if threads suffice */

const msc_kernels *msc_kernels_of(const spin_model *model) {
    const bool unpaired = model->edge[0] % 4 != 0, flat = model->dimension == 2,
               uneven = flat && has_uneven_edges(model);
    if (!model_kind_named(model->name))
        return NULL;
    if (model->incomplete)
        return flat ? &msc_cut2d[uneven] : &msc_cut3d[unpaired];
    if (uneven)
        return &msc_uneven2d[model->coupled];
    if (model->coupled)
        return flat ? &msc_glass2d : &msc_glass3d[unpaired];
    return flat ? &msc_square : &msc_cubic[unpaired];
}

lattice_shape msc_shape_of(const spin_model *model) {
    const uint32_t strips = (uint32_t)lattice_strips(model),
                   words = model->dimension == 2 ? strips * STRIP_SITES : (uint32_t)model->sites;
    return lattice_shape{.edge = {model->edge[0], model->edge[1], model->edge[2]},
                         .quads = words / 4,
                         .strips = strips,
                         .half_bytes = words / 2 * (uint32_t)sizeof(uint32_t),
                         .eighth_bytes = words / 8 * (uint32_t)sizeof(uint32_t),
                         .first_lanes = model->stripes > 1
                                            ? UINT32_MAX / (uint32_t)((1ull << model->stripes) - 1)
                                            : UINT32_MAX,
                         .couplings = NULL};
}

static unsigned blocks_for(uint64_t items, unsigned threads) {
    return (unsigned)((items + threads - 1) / threads);
}

/* Returns the threads of a lattice with `each` strips a thread, rounded up to whole groups of
 * strips (engine/bernoulli.h). */
static uint32_t threads_of(const lattice_shape &shape, uint32_t each) {
    uint32_t group = 1;
    while (group < 32 && 2 * group <= shape.strips)
        group *= 2;
    return blocks_for((shape.strips + each - 1) / each, group) * group;
}

/* Returns the launch of a kernel with `each` strips a thread. Lattices that share a block have one
 * strip a thread. */
static msc_launch launch_of(const msc_kernels *kernels, const msc_kernel *kernel,
                            const lattice_shape &shape, uint32_t each) {
    const uint32_t of_lattice = threads_of(shape, each);
    msc_launch l = {.kernel = kernel, .lattices = 1};
    if (each == 1 && kernel->in_shared && of_lattice < FULL_BLOCK)
        l.lattices = FULL_BLOCK / of_lattice;
    l.threads = blocks_for(l.lattices * of_lattice, 32) * 32;
    if (!kernel->each && l.threads > MOST_THREADS)
        l.threads = MOST_THREADS;
    l.shared_bytes = kernels->block_bytes(*kernel, shape, l.lattices, l.threads);
    return l;
}

/* Whether a kernel's threads may have `each` strips. */
static bool may_have(const msc_kernel *kernel, const lattice_shape &shape, uint32_t each) {
    const bool enough = each == 1 || shape.strips >= FULL_BLOCK;
    return enough && (kernel->each ? each == kernel->each : kernel->in_shared || each == 1);
}

/* Whether a block can have these threads and this shared memory. */
static bool is_possible(const msc_launch *l, int shared_limit) {
    return l->threads <= MOST_THREADS && l->shared_bytes <= (size_t)shared_limit;
}

bool msc_fits_in_block(const msc_kernels *kernels, const lattice_shape &shape, int shared_limit) {
    for (const msc_kernel *k = kernels->begin; k < kernels->end; k++) {
        if (k->rng != RNG_INDEPENDENT || !(k->parts & PART_SWEEP) || !k->in_shared)
            continue;
        const msc_launch l = launch_of(kernels, k, shape, k->each);
        if (may_have(k, shape, k->each) && is_possible(&l, shared_limit))
            return true;
    }
    return false;
}

/* Estimates the strips in work on a multiprocessor at a time, averaged over a half sweep. A single
 * block counts less: it idles while it waits for its last thread. */
static double strips_at_work(const msc_launch *l, const lattice_shape &shape, unsigned blocks) {
    const uint32_t strips = l->lattices * shape.strips;
    return (blocks > 1 ? blocks : 0.9 * blocks) * strips / ((strips + l->threads - 1) / l->threads);
}

/* Returns the blocks that `words` machine words give to each multiprocessor, at most `room`. With
 * fewer blocks, lattices get more threads. */
static unsigned blocks_each(const msc_launches *launches, const msc_launch *l, uint64_t words,
                            int room) {
    const unsigned available =
        blocks_for(blocks_for(words, l->lattices), (unsigned)launches->concurrent);
    return available < (unsigned)room ? available : (unsigned)room;
}

/* Picks the kernel for some parts; `batched`: for launch batches. */
static msc_launch pick_launch(cuda_population *p, const msc_launches *launches, step_parts parts,
                              rng_mode rng, uint32_t word, bool complement, bool batched) {
    const lattice_shape &shape = launches->shape;
    msc_launch best = {};
    double most = 0;
    /* Collecting and measuring draw no random numbers: one kernel serves every mode. */
    if (!(parts & PART_SWEEP)) {
        rng = RNG_INDEPENDENT;
        complement = false;
    }
    if (rng == RNG_SHARED_REORDER)
        rng = RNG_SHARED;
    const bool word_matters =
        rng == RNG_SHARED || rng == RNG_LCG; /* the other modes draw for each lane */
    const uint32_t lanes = word_matters && word < MACHINE_LANES ? word : MACHINE_LANES;
    const uint64_t words = msc_machine_words(word, p->device.capacity);
    for (const msc_kernel *k = launches->kernels->begin; k < launches->kernels->end; k++) {
        if (k->rng != rng || k->lanes != lanes || k->parts != parts ||
            k->complement != complement || (best.kernel && !k->in_shared))
            continue;
        const void *const function = batched ? (const void *)k->batched : (const void *)k->function;
        if (!function)
            continue;
        for (uint32_t each = 1; each <= MOST_EACH; each++) {
            const msc_launch l = launch_of(launches->kernels, k, shape, each);
            if (!may_have(k, shape, each) || !is_possible(&l, p->shared_limit))
                continue;
            int blocks = 0;
            cuda_allow_shared(p, function, l.shared_bytes);
            CUDA_CHECK(p, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                              &blocks, function, (int)l.threads, l.shared_bytes));
            const unsigned at_work =
                batched ? (unsigned)blocks : blocks_each(launches, &l, words, blocks);
            if (strips_at_work(&l, shape, at_work) > most || !best.kernel) {
                most = strips_at_work(&l, shape, at_work);
                best = l;
            }
        }
    }
    return best;
}

/* Picks the kernel for rounds of groups. */
static msc_launch pick_round(cuda_population *p, const msc_launches *launches, bool complement) {
    for (const msc_kernel *k = launches->kernels->begin; k < launches->kernels->end; k++) {
        if (!k->of_groups || k->complement != complement)
            continue;
        const msc_launch l = launch_of(launches->kernels, k, launches->shape, k->each);
        if (!is_possible(&l, p->shared_limit))
            continue;
        cuda_allow_shared(p, (const void *)k->of_groups, l.shared_bytes);
        return l;
    }
    return msc_launch{};
}

/* Whether as many blocks of the pre-launched kernel fit on a multiprocessor as of the other one. */
static bool prelaunched_fits(cuda_population *p, const msc_launch *l) {
    int blocks = 0, prelaunched = 0;
    if (p->failed || !l->kernel || !l->kernel->prelaunched)
        return false;
    cuda_allow_shared(p, (const void *)l->kernel->prelaunched, l->shared_bytes);
    CUDA_CHECK(p, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, l->kernel->function,
                                                                (int)l->threads, l->shared_bytes));
    CUDA_CHECK(p, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                      &prelaunched, l->kernel->prelaunched, (int)l->threads, l->shared_bytes));
    return prelaunched >= blocks;
}

/* Cuts lattices that are too large for a block into slabs, if there is a kernel for that. */
static void prepare_slabs(msc_launches *l, cuda_population *p) {
    int blocks = 0;
    if (p->failed || !l->kernels->sweep_slabs[0] ||
        msc_fits_in_block(l->kernels, l->shape, p->shared_limit))
        return;
    const slab_cut cut = cut_lattice(l->shape, (uint32_t)l->concurrent, (size_t)p->shared_limit);
    if (cut.slabs == 0)
        return;
    const size_t bytes = slab_shared_bytes(l->shape.edge[0], cut.rows);
    for (const auto sweep_slabs : l->kernels->sweep_slabs) {
        cuda_allow_shared(p, (const void *)sweep_slabs, bytes);
        CUDA_CHECK(p, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sweep_slabs,
                                                                    MOST_THREADS, bytes));
        if (blocks == 0)
            return;
    }
    l->cut = cut;
}

msc_launches msc_pick_launches(cuda_population *p, const spin_model *model, rng_mode rng,
                               uint32_t word) {
    msc_launches l = {.kernels = msc_kernels_of(model), .shape = msc_shape_of(model)};
    if (!CUDA_CHECK(p, cuda_attribute(cudaDevAttrMultiProcessorCount, &l.concurrent)))
        return l;
    for (const bool complement : {false, true}) {
        msc_launch *const launch = l.launch[complement];
        for (const step_parts parts : {PART_SELECT, PART_SWEEP, PART_MEASURE, WHOLE_STEP})
            launch[parts] = pick_launch(p, &l, parts, rng, word, complement, false);
        l.batched[complement] = pick_launch(p, &l, WHOLE_STEP, rng, word, complement, true);
        if (rng == RNG_INDEPENDENT)
            l.of_groups[complement] = pick_round(p, &l, complement);
        l.can_prelaunch[complement] = prelaunched_fits(p, &launch[WHOLE_STEP]);
    }
    if (rng == RNG_INDEPENDENT)
        prepare_slabs(&l, p);
    if (model->stripes > 1)
        l.resident = msc_resident_words(p, l.shape);
    return l;
}

static void launch_slabs(const msc_launches *l, cuda_population *p, msc_step *step) {
    const unsigned blocks = l->cut.lattices * l->cut.slabs;
    const uint32_t size = l->shape.edge[0];
    slab_cut cut = l->cut;
    void *arguments[] = {step, &cut};
    if (p->failed)
        return;
    CUDA_CHECK(p, cudaMemsetAsync(step->own.scratch, 0, post_bytes(size, cut), p->stream));
    CUDA_CHECK(p, cudaLaunchCooperativeKernel(l->kernels->sweep_slabs[step->own.complement],
                                              dim3(blocks), dim3(MOST_THREADS), arguments,
                                              slab_shared_bytes(size, cut.rows), p->stream));
}

/* One launch, or one for each part where the sweeping kernel makes no other part. */
void msc_launch_step(const msc_launches *l, cuda_population *p, msc_step *step, step_parts parts,
                     uint64_t words) {
    const msc_launch *const launches = l->launch[step->own.complement];
    const bool alone = parts & PART_SWEEP && (l->cut.slabs || !launches[parts].kernel);
    if (alone && parts & PART_SELECT)
        msc_launch_step(l, p, step, PART_SELECT, words);
    if (p->failed)
        return;
    if (alone && l->cut.slabs) {
        launch_slabs(l, p, step);
    } else {
        const msc_launch *const launch = &launches[alone ? PART_SWEEP : parts];
        const unsigned blocks = launch->kernel->in_shared ? blocks_for(words, launch->lattices)
                                                          : (unsigned)l->concurrent;
        step->own.lattices = launch->lattices;
        cuda_launch_early(p, "make_step (MSC)", launch->kernel->function, blocks, launch->threads,
                          launch->shared_bytes, *step);
    }
    if (alone && parts & PART_MEASURE)
        msc_launch_step(l, p, step, PART_MEASURE, words);
}

bool msc_launch_prelaunched(const msc_launches *l, cuda_population *p, msc_step *step,
                            uint64_t words, const prelaunch *prelaunch) {
    const msc_launch *const launch = &l->launch[step->own.complement][WHOLE_STEP];
    if (p->failed || !l->can_prelaunch[step->own.complement])
        return false;
    step->own.lattices = launch->lattices;
    const device_mailbox *const device = prelaunch ? prelaunch->device : NULL;
    cuda_launch_early(p, "make_prelaunched_step (MSC)", launch->kernel->prelaunched,
                      blocks_for(words, launch->lattices), launch->threads, launch->shared_bytes,
                      (const msc_step &)*step, device, prelaunch ? prelaunch->number : 0);
    return true;
}

bool msc_launches_match(const msc_launches *l, const msc_launches *other) {
    return l->batched[0].kernel && l->batched[1].kernel && !l->cut.slabs &&
           l->batched[0].kernel == other->batched[0].kernel &&
           l->batched[1].kernel == other->batched[1].kernel &&
           memcmp(l->shape.edge, other->shape.edge, sizeof l->shape.edge) == 0;
}

void msc_launch_batch(const msc_launches *l, cuda_population *p, msc_step *step, uint64_t words,
                      const batch_requests &all) {
    const msc_launch *const launch = &l->batched[step->own.complement];
    const dim3 blocks(blocks_for(words, launch->lattices), all.count);
    if (p->failed)
        return;
    step->own.lattices = launch->lattices;
    cuda_launch_early(p, "make_batch_steps (MSC)", launch->kernel->batched, blocks, launch->threads,
                      launch->shared_bytes, (const msc_step &)*step, all);
}

void msc_launch_round(const msc_launches *l, cuda_population *p, msc_round *round, uint32_t groups,
                      bool complement) {
    const msc_launch *const launch = &l->of_groups[complement];
    const dim3 blocks(blocks_for(round->round.words, launch->lattices), groups);
    round->own.lattices = launch->lattices;
    cuda_launch_early(p, "make_round (MSC)", launch->kernel->of_groups, blocks, launch->threads,
                      launch->shared_bytes, (const msc_round &)*round);
}
