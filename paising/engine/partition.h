/* Engines that hold a part of a population, for distributed ones (ranks/). An engine has replicas origin .. origin + own - 1 of
 * the population, whole machine words, in places 0 .. own - 1. It draws random numbers and counts blocks and founders by the
 * numbers that its replicas have in the population. So all engines together report the sums of one engine with all replicas.
 *
 * A selection takes several calls, because some children belong to another engine than their parents:
 *
 *   1. count_offspring   counts the children of the local parents, in the order of the parents
 *   2. parents           lists the parents of children that another engine is to have
 *   3. take              copies the spins of these parents out (take_words: whole machine words)
 *   4. put               copies the spins of remote parents in, behind the local replicas (put_words)
 *   5. assign            says which children the engine has from now on: the next step makes them
 *   6. attach            lists the remote parents of the other ones of these children
 *   7. step              with PART_SELECT, and neither tau-hat nor parents
 *
 * An engine whose offspring list stays valid (`list_room`) takes `assign` right after `count_offspring`. It may then begin with the
 * children of local parents while remote parents are on their way. A part may be empty. */
#ifndef PAISING_PARTITION_H
#define PAISING_PARTITION_H

#include "engine.h"
#include "msc_layout.h"

/* The most parents of a message, and the most bytes of their spins, unless one replica has more. */
#define PARTITION_PARENTS 131072
#define PARTITION_BYTES   (UINT64_C(64) << 20)

/* Bytes of the spins of the longest message about replicas of a model. */
static inline uint64_t partition_message_bytes(const spin_model *m) {
    const uint64_t each = model_packed_bytes(m), parents = PARTITION_BYTES / each;
    return each * (parents < 1 ? 1 : parents < PARTITION_PARENTS ? parents : PARTITION_PARENTS);
}

/* The parents of some children, in the order of the children: places of the parents, and their families. */
typedef struct {
    uint32_t *place, *family;
} parent_list;

static inline parent_list parent_list_from(parent_list p, uint64_t child) {
    return (parent_list){p.place + child, p.family + child};
}

/* The children that an engine is to have, in their order: `below` children of remote parents; children first .. first + own - 1
 * of the local parents; `above` children of remote parents. `origin` and `population` as in `hold`. */
typedef struct {
    uint64_t origin, population;
    uint64_t below, first, own, above;
} child_assignment;

static inline uint64_t assigned_children(const child_assignment *a) {
    return a->below + a->own + a->above;
}

/* Machine words whose parents are all local: `count` words from `first` on, of `all`. */
typedef struct {
    uint64_t first, count, all;
} word_range;

static inline word_range words_of_own(const child_assignment *a, uint64_t all) {
    const uint64_t first = (a->below + MACHINE_LANES - 1) / MACHINE_LANES;
    const uint64_t end = a->above > 0 ? (a->below + a->own) / MACHINE_LANES : all;
    return (word_range){first, a->own > 0 && end > first ? end - first : 0, all};
}

/* Replicas as they are compared with others (overlaps.h), in words of `overlap_lanes`: 32 a machine word, and of vectors one. */
typedef struct {
    /* uint32_t [words][N] in the order of `read`, bit = lane; of vectors as `read` gives them */
    void *spins;
    uint32_t *family; /* [words][lanes] */
} lane_block;

static inline uint64_t overlap_lanes(const spin_model *m) {
    return overlap_is_of_bits(m) ? MACHINE_LANES : 1;
}

/* Pairs of the local replicas in places first .. first + count - 1 with as many remote replicas, both from a multiple of
 * `overlap_lanes` on: pairs number .. number + count - 1 of the `pairs` of the population. */
typedef struct {
    uint64_t first, count, number, pairs;
    lane_block partners; /* not written to */
} pair_range;

/* A handle by which another process of the host opens memory of a device. */
typedef struct {
    uint64_t words[16];
} peer_handle;

/* Memory of a device that other processes of the host can read. The process owns it, and it outlives engines. Functions return
 * NULL where that cannot be. It is freed after all others have closed it. */
typedef struct {
    void *(*export_memory)(uint64_t bytes, peer_handle *handle); /* on the device in use */
    void (*free_exported)(void *memory);
    void *(*open)(const peer_handle *handle); /* what another process exports */
    void (*close)(void *seen);

    /* Begins to read some of so many bytes, so that the link to that device does not sleep when it is needed. */
    void (*warm_up)(const void *seen, uint64_t bytes);
} peer_verbs;

/* Room of an offspring list that stays valid: for the children of two full engines. The margin on either side of it is for
 * children of remote parents. */
static inline uint64_t offspring_list_room(uint64_t capacity) {
    return 2 * capacity;
}

static inline uint64_t offspring_list_margin(uint64_t capacity) {
    return capacity < 2 * PARTITION_PARENTS ? capacity : 2 * PARTITION_PARENTS;
}

struct partition_verbs {
    /* Pinned memory of the host for messages, owned by the engine until `free_pinned`. NULL: there is not enough. NULL verbs: any
     * memory of the host serves as well. */
    void *(*allocate_pinned)(engine *self, uint64_t bytes);
    void (*free_pinned)(engine *self, void *memory);

    /* Device memory that serves like pinned memory for spins; what other processes export is only read. NULL: there is none. */
    const peer_verbs *peers;

    /* Sets the number of the first local replica, a multiple of `partition_unit`, and how many the population has. */
    void (*hold)(engine *self, uint64_t origin, uint64_t population);

    /* Counts the children of the local replicas by step->tau_hat; step->line.before is the weight of all parents before them
     * (resample/line.h). ENGINE_OUTGROWN: they are 2^32 or more. */
    engine_status (*count_offspring)(engine *self, const engine_step *step, uint64_t *children);

    /* Lists the parents of children first .. first + count - 1, in pinned memory. `list_room` says up to how many children the
     * list stays valid after `assign`, until the next step. NULL: it never does. */
    engine_status (*parents)(engine *self, uint64_t first, uint64_t count, parent_list to);
    uint64_t (*list_room)(const engine *self);

    /* Copies the spins of the replicas in `count` rising places to pinned memory, as `read` does. They are there after
     * `synchronise`, and `places` is read until then. Allowed before and after `assign`, until the next step. */
    engine_status (*take)(engine *self, const uint32_t *places, uint64_t count, uint8_t *spins);

    /* Copies the spins of remote parents from pinned memory to the places from `first` on, behind the local replicas, until
     * the next step. The memory is read until `synchronise` or the next `count_offspring`. */
    engine_status (*put)(engine *self, uint64_t first, uint64_t count, const uint8_t *spins);

    /* The same for machine words of 32 places, between engines of one kind that read each other's memory (peers): no replica is
     * packed. `word_bytes` is 0 for codings without words. NULL verbs: there are none. */
    uint64_t (*word_bytes)(const engine *self);
    engine_status (*take_words)(engine *self, uint64_t first, uint64_t count, uint8_t *words);
    engine_status (*put_words)(engine *self, uint64_t first, uint64_t count, const uint8_t *words);

    /* Makes room for places up to `end`, unless the step was begun. Returns the end of the room; if that is less than `end`,
     * engine.error has the reason, and the engine is as it was. */
    uint64_t (*reserve)(engine *self, uint64_t end);

    /* Waits for all `take` and `put`. NULL: these are done when they return. */
    engine_status (*synchronise)(engine *self);

    /* Assigns children to the engine. With `step`, less its tau-hat, the engine may begin to make those of local parents.
     * NULL: there is no room yet for the remote ones. */
    engine_status (*assign)(engine *self, const child_assignment *children,
                            const engine_step *step);

    /* Lists the remote parents, which were put, of the children below and above, in pinned memory that is read as long as that of
     * `put`. */
    engine_status (*attach)(engine *self, parent_list below, parent_list above);

    /* Of disordered models. `lanes` copies replicas from `first` on out, so many words of lanes, with the families of those that exist;
     * `compare` adds pairs to sums that were begun; `family_logs` adds up m family_log(m) over the local families (overlaps.h). Lanes stand in pinned
     * memory or in that of a peer. */
    engine_status (*lanes)(engine *self, uint64_t first, uint64_t words, const lane_block *to);
    engine_status (*compare)(engine *self, const pair_range *pairs, overlap_sums *out);
    engine_status (*family_logs)(engine *self, uint64_t *sum);
};

C_DECLARATIONS_BEGIN

/* `reserve`, which refuses places that cannot be numbered with 32 bits. */
uint64_t partition_places(engine *e, uint64_t end);

/* The multiple of replicas that a part consists of: a machine word, or a whole p (MSC); of several populations, whole ones and
 * whole words, but where these are the walkers of windows. 0: the engine reorders its replicas. */
uint64_t partition_unit(const engine_config *config);

/* Says in e->error that there is no memory for replicas up to place `end`. */
void partition_no_memory(engine *e, uint64_t end);

C_DECLARATIONS_END

#endif
