/* Engines that hold a share of a population: replicas origin .. origin + own - 1 of it, whole machine words, in places
 * 0 .. own - 1. Random numbers, blocks of the population and founders are those of the whole, so that the shares
 * together give the bits of one engine that has them all. Who divides a population tells each engine what its share
 * is (ranks/).
 *
 * A selection is made in steps, because children of the parents here may be needed elsewhere and others come from
 * there: `breed` counts the children, which stand in the order of their parents; parents are carried from engine to
 * engine (`take`, `put`, or whole machine words); `adopt` says which children of the parents here the new share has, and
 * `foster` who the others descend from. The next step makes them all: PART_SELECT, with neither tau-hat nor parents. Once
 * no more parents are asked for, or where they stay, a share may adopt before its guests have come, and make meanwhile
 * what descends from parents here. A share may be empty. */
#ifndef PAISING_PARTITION_H
#define PAISING_PARTITION_H

#include "engine.h"
#include "family_list.h"
#include "msc_layout.h"

/* How many parents are taken or put at a time, at most; and bytes of their spins, unless one replica has more. */
#define PARTITION_PARENTS 131072
#define PARTITION_BYTES   (UINT64_C(64) << 20)

/* As many bytes as can come up of a model. */
static inline uint64_t partition_message_bytes(const spin_model *m) {
    const uint64_t each = model_packed_bytes(m), parents = PARTITION_BYTES / each;
    return each * (parents < 1 ? 1 : parents < PARTITION_PARENTS ? parents : PARTITION_PARENTS);
}

/* Parents of children, in the order of these: where they stand, and whose descendants they are. */
typedef struct {
    uint32_t *place;
    family_list family;
} parent_list;

static inline parent_list parent_list_from(parent_list p, uint64_t child) {
    return (parent_list){p.place + child, families_from(p.family, (int64_t)child)};
}

/* A new share, as `hold` has it, and its children in their order: so many of parents from elsewhere, then numbers
 * first .. first + own - 1 of those that the parents here have, then others of parents from elsewhere. */
typedef struct {
    uint64_t origin, population;
    uint64_t below, first, own, above;
} child_assignment;

static inline uint64_t assigned_children(const child_assignment *a) {
    return a->below + a->own + a->above;
}

/* Machine words that need not wait for parents from elsewhere: `count` from `first` on, of `all`. */
typedef struct {
    uint64_t first, count, all;
} word_range;

static inline word_range words_of_own(const child_assignment *a, uint64_t all) {
    const uint64_t first = (a->below + MACHINE_LANES - 1) / MACHINE_LANES;
    const uint64_t end = a->above > 0 ? (a->below + a->own) / MACHINE_LANES : all;
    return (word_range){first, a->own > 0 && end > first ? end - first : 0, all};
}

/* Replicas where they are compared with others (overlaps.h), 32 a word: spins as lanes, and families. */
typedef struct {
    uint32_t *spins;    /* [words][N] in the order of save, bit = lane */
    family_list family; /* [32 words] */
} lane_block;

/* Pairs of replicas: places first .. first + count - 1 with as many replicas that stand elsewhere, both from a multiple of
 * 32 on. They are numbers `number`, ... of `pairs` of the population. */
typedef struct {
    uint64_t first, count, number, pairs;
    lane_block partners; /* they are only read */
} pair_range;

/* What another process of the host needs to see memory of a device. */
typedef struct {
    uint64_t words[16];
} peer_handle;

/* Memory of devices that other processes of the host see: it belongs to the process, and outlives its engines.
 * NULL: that cannot be. It is withdrawn when all that have opened it have closed it. */
typedef struct {
    void *(*export_memory)(uint64_t bytes, peer_handle *handle); /* on the device in use */
    void (*free_exported)(void *memory);
    void *(*open)(const peer_handle *handle); /* what another process offers */
    void (*close)(void *seen);

    /* Ways to other devices may fall asleep. Begins to read some of so many bytes that are seen, whatever stands there, so
     * that the next copy finds its way awake. */
    void (*warm_up)(const void *seen, uint64_t bytes);
} peer_verbs;

/* How many children are noted at a time, where parents stay: those of two ranks' replicas, if all are one's. And room on
 * either side of these for children of guests. */
static inline uint64_t offspring_list_room(uint64_t capacity) {
    return 2 * capacity;
}

static inline uint64_t offspring_list_margin(uint64_t capacity) {
    return capacity < 2 * PARTITION_PARENTS ? capacity : 2 * PARTITION_PARENTS;
}

struct partition_verbs {
    /* Memory of the host for what is carried. NULL: there is none. `reclaim` frees it, before the engine is destroyed. NULL
     * verbs: any memory of the host will do. */
    void *(*allocate_pinned)(engine *self, uint64_t bytes);
    void (*free_pinned)(engine *self, void *memory);

    /* Memory on devices that serves like memory that was lent for spins, as does what others offer, to be read. NULL: there
     * is none. */
    const peer_verbs *peers;

    /* What the share is: the number of the first replica here, a multiple of `unit`, and how many there are in all
     * shares. */
    void (*hold)(engine *self, uint64_t origin, uint64_t population);

    /* Counts the children of the replicas here, as step->tau_hat says; step->line.before is what stands before
     * them on the line of the parents (resample/line.h). ENGINE_OUTGROWN: they are 2^32 or more. */
    engine_status (*count_offspring)(engine *self, const engine_step *step, uint64_t *children);

    /* The parents of children first .. first + count - 1 of these, to memory that was lent. Where parents stay, they may be
     * asked for after `adopt` too, until the next step, unless there are more children than are noted at a time: how many
     * that are; NULL: they do not stay. */
    engine_status (*parents)(engine *self, uint64_t first, uint64_t count, parent_list to);
    uint64_t (*list_room)(const engine *self);

    /* Copies spins of the replicas of `count` rising places out, as `save` does, between memory that was lent. There they
     * stand when `settle` has waited; before that the places are needed. Before or after `adopt`, until the next step. */
    engine_status (*take)(engine *self, const uint32_t *places, uint64_t count, uint8_t *spins);

    /* Copies spins of parents in, from memory that was lent to the places from `first` on, behind the replicas here; until
     * the next step. The memory may be needed until the next `breed`, or until `settle` has waited. */
    engine_status (*put)(engine *self, uint64_t first, uint64_t count, const uint8_t *spins);

    /* The same for whole machine words of 32 places, as they stand, between engines of one kind that see each other's
     * memory (peers): no replica is packed. Bytes of a word; 0: engines of this coding have none. NULL verbs: likewise. */
    uint64_t (*word_bytes)(const engine *self);
    engine_status (*take_words)(engine *self, uint64_t first, uint64_t count, uint8_t *words);
    engine_status (*put_words)(engine *self, uint64_t first, uint64_t count, const uint8_t *words);

    /* Makes room for them up to place `end`, unless there is, or the step was begun. Returns up to where there is room; if
     * not so far, base.error says so, and all is as it was. */
    uint64_t (*reserve)(engine *self, uint64_t end);

    /* Waits for what was taken and put. NULL: that is done at once. */
    engine_status (*synchronise)(engine *self);

    /* The share becomes the new one. Parents are not asked for any more, unless they stay. If the step is told that makes the children,
     * less its `tau_hat`, the engine may begin to make those of the parents here; NULL: guests are yet to be made room
     * for. */
    engine_status (*assign)(engine *self, const child_assignment *children,
                            const engine_step *step);

    /* The parents of the other children, which have been put: [below], [above], in memory that was lent, which is only read,
     * and may be needed as long as that of `put`. */
    engine_status (*attach)(engine *self, parent_list below, parent_list above);

    /* Of a disordered model: copies replicas first .. first + 32 words - 1 out as lanes, families of those that exist; adds
     * pairs to sums that were begun; sums m family_log(m) over the families as they stand here (overlaps.h). The lanes stand
     * in memory that was lent for spins, or is seen. */
    engine_status (*lanes)(engine *self, uint64_t first, uint64_t words, const lane_block *to);
    engine_status (*compare)(engine *self, const pair_range *pairs, overlap_sums *out);
    engine_status (*family_logs)(engine *self, uint64_t *sum);
};

C_DECLARATIONS_BEGIN

/* Sees to places up to `end`, as `reserve` does, unless they are more than can be numbered. Returns how many there are; fewer
 * than `end`: e->error says why. */
uint64_t partition_places(engine *e, uint64_t end);

/* Replicas of which shares consist: whole machine words, and words; 0: the engine's replicas are not in their order. */
uint64_t partition_unit(const engine_config *config);

/* Says in e->error that there is no memory for replicas up to place `end`. */
void partition_no_memory(engine *e, uint64_t end);

C_DECLARATIONS_END

#endif
