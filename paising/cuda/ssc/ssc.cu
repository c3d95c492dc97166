/* The single-spin-coded engine (Sec. 3): memory, choice of kernels (step.cuh), launches. */
#include "cuda/ssc/ssc.h"

#include "cuda/device/arrays.h"
#include "cuda/engine/bytes.h"
#include "cuda/ssc/clusters.h"
#include "cuda/ssc/copies.cuh"
#include "cuda/ssc/octets.cuh"
#include "cuda/ssc/quads.cuh"
#include "cuda/ssc/step.cuh"
#include "cuda/ssc/visits.h"

#include <stdlib.h>
#include <string.h>

/* --- kernels and launches --- */

static unsigned blocks_for(uint64_t items, unsigned each) {
    return (unsigned)((items + each - 1) / each);
}

/* The kernels for some lattices. */
struct ssc_kernels {
    uint32_t size; /* L of square lattices, in quads; 0: any lattice, in octets */
    uint32_t dimension;
    bool coupled, cut;   /* bonds have a J each, and may be missing */
    bool in_shared;      /* lattices are in shared memory */
    bool always;         /* for the flips of DOWNHILL_ALWAYS, or of the others: sweeps only */
    uint32_t together;   /* replicas that share registers */
    size_t shared_extra; /* shared memory for them besides their spins */
    size_t shared_once;  /* shared memory of the block */
    void (*function[WHOLE_STEP + 1])(const ssc_step); /* by step_parts */
};

/* The kernel for some parts; for other flips than those of DOWNHILL_ALWAYS there are those that sweep. */
template <class LATTICES, step_parts PARTS>
static constexpr auto kernel_of() -> void (*)(const ssc_step) {
    if constexpr (LATTICES::always || (PARTS & PART_SWEEP) != 0)
        return step_replicas<LATTICES, PARTS>;
    else
        return nullptr;
}

template <class LATTICES>
static constexpr ssc_kernels kernels_of(uint32_t size, bool coupled, size_t shared_extra) {
    return {size,
            LATTICES::dimension,
            coupled,
            LATTICES::cut,
            !LATTICES::in_place,
            LATTICES::always,
            LATTICES::together,
            shared_extra,
            sizeof(spin_counts) * LATTICES::most_replicas,
            {nullptr, kernel_of<LATTICES, PART_SELECT>(), kernel_of<LATTICES, PART_SWEEP>(),
             nullptr, kernel_of<LATTICES, PART_MEASURE>(), nullptr, nullptr,
             kernel_of<LATTICES, WHOLE_STEP>()}};
}

template <uint32_t SIZE> static constexpr ssc_kernels quads_of() {
    return kernels_of<ssc_quads<SIZE>>(SIZE, false, 0);
}

template <uint32_t DIMENSION, bool COUPLED, bool IN_SHARED, bool ALWAYS, bool CUT = false>
static constexpr ssc_kernels octets_of() {
    typedef ssc_octets<DIMENSION, COUPLED, IN_SHARED, ALWAYS, CUT> octets;
    return kernels_of<octets>(0, COUPLED, sizeof(typename octets::facts_of_octet));
}

/* The first entry that suits a lattice is used. The last entries suit any lattice of their
 * models. */
static const ssc_kernels kernels[] = {quads_of<16>(),
                                      quads_of<32>(),
                                      quads_of<64>(),
                                      quads_of<128>(),
                                      quads_of<256>(),
                                      octets_of<2, false, true, true>(),
                                      octets_of<2, true, true, true>(),
                                      octets_of<3, false, true, true>(),
                                      octets_of<3, true, true, true>(),
                                      octets_of<2, false, false, true>(),
                                      octets_of<2, true, false, true>(),
                                      octets_of<3, false, false, true>(),
                                      octets_of<3, true, false, true>(),
                                      octets_of<2, false, true, false>(),
                                      octets_of<2, true, true, false>(),
                                      octets_of<3, false, true, false>(),
                                      octets_of<3, true, true, false>(),
                                      octets_of<2, false, false, false>(),
                                      octets_of<2, true, false, false>(),
                                      octets_of<3, false, false, false>(),
                                      octets_of<3, true, false, false>(),
                                      octets_of<2, true, true, true, true>(),
                                      octets_of<3, true, true, true, true>(),
                                      octets_of<2, true, false, true, true>(),
                                      octets_of<3, true, false, true, true>(),
                                      octets_of<2, true, true, false, true>(),
                                      octets_of<3, true, true, false, true>(),
                                      octets_of<2, true, false, false, true>(),
                                      octets_of<3, true, false, false, true>()};

/* Returns the dynamic shared memory of replicas that share registers: a nibble a spin, and
 * shared_extra. */
static size_t bytes_together(const cuda_ssc *s, const ssc_kernels *k) {
    const uint64_t spins = k->in_shared ? k->together * s->replica_bytes / 2 : 0;
    return spins + k->shared_extra;
}

/* Returns the threads of an octet: one for each quad of a sub-lattice, or fewer, each with several
 * quads, if `most` is less. */
static uint32_t octet_group(uint32_t quads, uint32_t most) {
    const uint32_t turns = (quads + most - 1) / most, each = (quads + turns - 1) / turns;
    uint32_t group = LEAST_OCTET_GROUP;
    while (group < each && group < 32)
        group *= 2;
    return each <= group ? group : (each + 31) / 32 * 32;
}

/* Returns the launch of these kernels. The fewer octets fit into shared memory, the more threads
 * each has. */
static ssc_launch launch_of(const cuda_ssc *s, const ssc_kernels *k, int shared_limit) {
    ssc_launch l = {k, quad_group(k->size), QUAD_THREADS, 0};
    if (k->size == 0) {
        const size_t octets = shared_limit / (bytes_together(s, k) + k->shared_once);
        uint32_t most = USUAL_OCTET_THREADS;
        while (most < OCTET_THREADS && (!k->in_shared || octets * most < OCTET_THREADS))
            most *= 2;
        l.group = octet_group((uint32_t)(s->model.sites / 2 + 3) / 4, most);
        l.threads =
            l.group < USUAL_OCTET_THREADS ? USUAL_OCTET_THREADS / l.group * l.group : l.group;
    }
    l.shared_bytes = l.threads / l.group * bytes_together(s, k);
    return l;
}

static bool suit(const ssc_kernels *k, const cuda_ssc *s, bool always, int shared_limit) {
    const spin_model *const m = &s->model;
    const bool sized = k->size == 0 || (k->size == m->edge[0] && k->size == m->edge[1]);
    const bool numbered = !k->in_shared || cuda_ssc_neighbour_bytes(m) > 0;
    return k->always == always && sized && numbered && k->dimension == m->dimension &&
           k->coupled == m->coupled && k->cut == m->incomplete &&
           launch_of(s, k, shared_limit).shared_bytes + k->shared_once <= (size_t)shared_limit;
}

/* Chooses the kernels, and raises their limits of shared memory. */
static void prepare_kernels(cuda_ssc *s, cuda_population *p) {
    for (const bool always : {true, false}) {
        ssc_launch *const l = &s->launch[!always];
        const ssc_kernels *k = kernels;
        while (!suit(k, s, always, p->shared_limit))
            k++;
        *l = launch_of(s, k, p->shared_limit);
        for (const auto function : k->function)
            if (function)
                cuda_allow_shared(p, (const void *)function, l->shared_bytes);
    }
}

static void launch_step(const ssc_launch *l, cuda_population *p, const ssc_step &step,
                        step_parts parts, uint64_t replicas) {
    if (p->failed)
        return;
    const unsigned blocks = blocks_for(replicas, l->kernels->together * (l->threads / l->group));
    l->kernels->function[parts]<<<blocks, l->threads, l->shared_bytes, p->stream>>>(step);
    cuda_check_launch(p, "step_replicas (SSC)");
}

/* The site table is that of octets. Both launches are theirs, with lattices in the same memory, unless the first one is
 * that of quads, which read no table. */
static bool has_neighbours(const cuda_ssc *s) {
    return s->launch[1].kernels->in_shared;
}

/* Returns the size of the site table. */
static uint64_t table_bytes(const cuda_ssc *s) {
    return has_neighbours(s) ? cuda_ssc_neighbour_bytes(&s->model) : cuda_ssc_site_bytes(&s->model);
}

/* Lattices without couplings that are too large for shared memory: kernels of their own sweep and measure them (visits.h). */
static bool visited_in_memory(const cuda_ssc *s) {
    return !s->launch[0].kernels->in_shared && !s->model.coupled;
}

/* Fills that table, if kernels read it. The copy from pageable memory returns once the source may be freed. */
static void ssc_take_sample(void *state, cuda_population *p, const spin_model *model) {
    cuda_ssc *const s = (cuda_ssc *)state;
    const bool by_neighbours = has_neighbours(s);
    s->model = *model;
    s->lowest = (uint32_t)model_counted_at_lowest(model);
    if (visited_in_memory(s))
        return;
    const uint64_t bytes = table_bytes(s);
    uint16_t *const bits = (uint16_t *)calloc(1, cuda_ssc_site_bytes(model));
    void *const table = by_neighbours ? calloc(1, bytes) : bits;
    if (!bits || !table)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for the sites");
    if (!p->failed) {
        cuda_ssc_fill_sites(&s->model, bits);
        uint8_t *const missing = (uint8_t *)(bits + 2 * s->half_bytes);
        if (s->model.incomplete)
            cuda_ssc_fill_missing(&s->model, missing);
        if (by_neighbours)
            cuda_ssc_fill_neighbours(&s->model, bits, (site_neighbours *)table);
        if (by_neighbours && s->model.incomplete)
            cuda_ssc_add_missing(&s->model, missing, (site_neighbours *)table);
        CUDA_CHECK(p, cudaMemcpyAsync(s->sites, table, bytes, cudaMemcpyHostToDevice, p->stream));
    }
    if (by_neighbours)
        free(table);
    free(bits);
}

/* --- functions of the coding --- */

static int ssc_create(void *state, cuda_population *p, const engine_config *config) {
    cuda_ssc *const s = (cuda_ssc *)state;
    *s = cuda_ssc{};
    s->model = config->model;
    s->visits = config->visits;
    s->half_bytes = cuda_ssc_half_bytes(&config->model);
    s->replica_bytes = 2 * s->half_bytes;
    s->places = config->capacity;
    const uint64_t bytes = cuda_ssc_spin_bytes(config);
    CUDA_CHECK(p, cuda_take(&s->spins, bytes, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&s->next, bytes, ON_DEVICE));
    if (engine_has_clusters(config))
        CUDA_CHECK(p, cuda_take(&s->label, cuda_ssc_label_bytes(config), ON_DEVICE));
    /* Padding is copied with the spins, and must be defined. */
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(s->spins, 0, bytes, p->stream));
    prepare_kernels(s, p);
    CUDA_CHECK(p, cuda_take(&s->sites, table_bytes(s), ON_DEVICE));
    ssc_take_sample(s, p, &config->model);
    return p->failed ? -1 : 0;
}

static void ssc_destroy(void *state) {
    cuda_ssc *const s = (cuda_ssc *)state;
    cuda_array_give(s->spins, ON_DEVICE);
    cuda_array_give(s->next, ON_DEVICE);
    cuda_array_give(s->sites, ON_DEVICE);
    cuda_array_give(s->label, ON_DEVICE);
    cuda_walks_destroy(&s->walks);
}

static ssc_copy spins_of(const cuda_ssc *s) {
    return ssc_copy{s->spins, (uint32_t)s->model.sites, s->half_bytes};
}

static void ssc_randomise(void *state, cuda_population *p, stream_key key) {
    cuda_ssc *const s = (cuda_ssc *)state;
    if (p->failed || p->replicas == 0)
        return;
    const uint64_t sites = p->replicas * s->model.sites;
    randomise<<<blocks_for(sites, COPY_THREADS), COPY_THREADS, 0, p->stream>>>(
        spins_of(s), p->replicas, (uint32_t)p->device.interval.origin, key);
    cuda_check_launch(p, "randomise (SSC)");
}

static void ssc_exchange(void *state) {
    cuda_ssc *const s = (cuda_ssc *)state;
    uint8_t *const parents = s->spins;
    s->spins = s->next;
    s->next = parents;
}

static const void *ssc_stored(const void *state, uint64_t replicas, uint64_t *bytes) {
    const cuda_ssc *const s = (const cuda_ssc *)state;
    *bytes = replicas * s->replica_bytes;
    return s->spins;
}

static uint64_t ssc_at_once(const void *state) {
    const ssc_launch *const l = &((const cuda_ssc *)state)->launch[0];
    return RESIDENT_THREADS / l->group * l->kernels->together;
}

static void launch_parts(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                         const cuda_range *range) {
    cuda_ssc *const s = (cuda_ssc *)state;
    const bool collects = parts & PART_SELECT,
               others = parts & PART_SWEEP && range->rule->downhill != DOWNHILL_ALWAYS;
    const ssc_launch *const launch = &s->launch[others];
    uint8_t *const children = collects ? s->next : s->spins;
    ssc_step k = {.replicas = range->replicas,
                  .parents = s->spins,
                  .children = children + range->first * s->replica_bytes,
                  .sites = (const uint16_t *)s->sites,
                  .neighbours = (const uint4 *)s->sites,
                  .edge = {},
                  .half_sites = (uint32_t)(s->model.sites / 2),
                  .half_bytes = s->half_bytes,
                  .group = launch->group,
                  .sweeps = step->sweeps,
                  .temperature = step->temperature,
                  .keys = ssc_keys_of(step->key),
                  .thresholds = step_rounding(step, range->rule),
                  .downhill = range->rule->downhill,
                  .first_replica = (uint32_t)(p->device.interval.origin + range->first),
                  .odd_thresholds = step_odd_rounding(step, range->rule),
                  .missing = (const uint8_t *)((const uint16_t *)s->sites + 2 * s->half_bytes),
                  .lowest = s->lowest,
                  .level_shift = s->model.levels.spacing == 4};
    memcpy(k.edge, s->model.edge, sizeof k.edge);
    launch_step(launch, p, k, parts, range->most);
    if (collects)
        ssc_exchange(s);
}

/* Kernels of their own have clusters, other orders than the checkerboard and few lattices, for the sweeps, and lattices that
 * are visited in memory. Other parts of the step are made before and behind them. */
static void ssc_advance(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                        const cuda_range *range) {
    const cuda_ssc *const s = (const cuda_ssc *)state;
    const bool clusters = range->rule->clusters != CLUSTERS_NONE, in_memory = visited_in_memory(s),
               ordered = clusters || s->visits.order != VISIT_CHECKERBOARD ||
                         cuda_ssc_shares_lattices(&s->visits, &s->model, p, step, range);
    if (!in_memory && !(ordered && parts & PART_SWEEP)) {
        launch_parts(state, p, step, parts, range);
        return;
    }
    if (parts & PART_SELECT)
        launch_parts(state, p, step, PART_SELECT, range);
    const cluster_lattices of_clusters = {s->spins, s->label, s->half_bytes};
    const visit_lattices in_order = {s->spins, s->half_bytes, s->visits, s->next};
    if (parts & PART_SWEEP && clusters)
        cuda_ssc_sweep_clusters(&of_clusters, &s->model, p, step, range);
    else if (parts & PART_SWEEP)
        cuda_ssc_visit(&in_order, &s->model, p, step, range);
    if (parts & PART_MEASURE && in_memory)
        cuda_ssc_measure(&in_order, &s->model, p, range);
    else if (parts & PART_MEASURE)
        launch_parts(state, p, step, PART_MEASURE, range);
}

static void ssc_walk(void *state, cuda_population *p, const engine_walk *walk) {
    cuda_ssc *const s = (cuda_ssc *)state;
    const walk_lattices lattices = {s->spins, s->half_bytes};
    cuda_ssc_walk(&s->walks, &lattices, &s->model, p, walk);
}

static uint8_t *ssc_room(void *state) {
    return ((cuda_ssc *)state)->next;
}

static void ssc_save(void *state, cuda_population *p, const uint32_t *places, uint64_t first,
                     uint64_t count, uint8_t *bytes) {
    const cuda_ssc *const s = (const cuda_ssc *)state;
    if (p->failed || count == 0)
        return;
    pack<<<blocks_for(count * model_packed_bytes(&s->model), COPY_THREADS), COPY_THREADS, 0,
           p->stream>>>(spins_of(s), places, first, count, bytes);
    cuda_check_launch(p, "pack (SSC)");
}

static void ssc_load(void *state, cuda_population *p, uint64_t first, uint64_t count,
                     const uint8_t *bytes) {
    const cuda_ssc *const s = (const cuda_ssc *)state;
    if (p->failed || count == 0)
        return;
    unpack<<<blocks_for(count * model_packed_bytes(&s->model), COPY_THREADS), COPY_THREADS, 0,
             p->stream>>>(spins_of(s), first, count, bytes);
    cuda_check_launch(p, "unpack (SSC)");
}

static cuda_pair_words ssc_compare(void *state, cuda_population *p, uint64_t first, uint64_t offset,
                                   uint64_t words) {
    cuda_ssc *const s = (cuda_ssc *)state;
    const uint32_t half_sites = (uint32_t)(s->model.sites / 2), quads = 2 * ((half_sites + 3) / 4);
    if (p->failed || words == 0)
        return cuda_pair_words{(const uint32_t *)s->next, NULL, (uint32_t)s->model.sites, 0};
    compare<<<blocks_for(words * quads, COPY_THREADS), COPY_THREADS, 0, p->stream>>>(
        s->spins + first * s->replica_bytes, half_sites, s->half_bytes, offset, p->replicas - first,
        words, (uint32_t *)s->next);
    cuda_check_launch(p, "compare (SSC)");
    return cuda_pair_words{(const uint32_t *)s->next, NULL, (uint32_t)s->model.sites, 0};
}

static uint32_t ssc_place_of(const void *state, uint32_t site) {
    (void)state;
    return site;
}

static uint64_t ssc_reserve(void *state, cuda_population *p, uint64_t end) {
    cuda_ssc *const s = (cuda_ssc *)state;
    const uint64_t each = s->replica_bytes;
    if (end <= s->places)
        return s->places;
    s->places =
        cuda_grow(p, (void **)&s->spins, (void **)&s->next, s->places * each, end * each) / each;
    if (s->label && s->places >= end) { /* labels live no longer than a sweep */
        cuda_array_give(s->label, ON_DEVICE);
        s->label = NULL;
        CUDA_CHECK(p,
                   cuda_take(&s->label, s->places * s->model.sites * sizeof(uint32_t), ON_DEVICE));
    }
    return s->places;
}

static uint64_t ssc_unit(const engine_config *) {
    return 1;
}

/* Every lattice of model.h. */
static bool ssc_sweeps(const engine_config *config) {
    const model_kind *const *kind = model_kinds;
    while (*kind && strcmp((*kind)->name, config->model.name) != 0)
        kind++;
    return *kind != NULL && config->model.graph == NULL && config->model.spins == SPINS_ISING &&
           !config->model.levels.fine;
}

static bool ssc_shares_scratch(const void *) {
    return false;
}

const cuda_spins cuda_ssc_spins = {
    .sweeps = ssc_sweeps,
    .coding = CODING_SSC,
    .name = "SSC",
    .state_bytes = sizeof(cuda_ssc),
    .group_unit = ssc_unit,
    .create = ssc_create,
    .destroy = ssc_destroy,
    .take_sample = ssc_take_sample,
    .randomise = ssc_randomise,
    .step = ssc_advance,
    .shares_scratch = ssc_shares_scratch,
    .room = ssc_room,
    .save = ssc_save,
    .load = ssc_load,
    .compare = ssc_compare,
    .place_of = ssc_place_of,
    .reserve = ssc_reserve,
    .walk = ssc_walk,
    .exchange = ssc_exchange,
    .stored = ssc_stored,
    .at_once = ssc_at_once,
};
