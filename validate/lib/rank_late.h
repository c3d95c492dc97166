/* Engines of ranks that do as late as they may what engines on GPUs do asynchronously: copies to and from messages, in pinned
 * buffers and in memory that they export to other processes of the host. */
#ifndef PAISING_RANK_LATE_H
#define PAISING_RANK_LATE_H

#include "validate/lib/rank_peers.h"
#include "validate/lib/rank_plans.h"

#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct {
    uint8_t *memory;
    uint64_t bytes;
} pinned[16];

/* What was put, and is not yet taken in, and what is yet to be taken: from these places, or without any from `first` on. */
typedef struct {
    uint64_t first, count;
    const uint32_t *places;
    const uint8_t *from; /* of what was put, ... */
    uint8_t *to;         /* ... of what is taken */
} late_copy;

static late_copy late_put[2], late_take[2];

static inline void note_copy(late_copy list[2], late_copy what) {
    const size_t n = list[0].count > 0;
    assert_true(list[n].count == 0);
    list[n] = what;
}

static inline void *allocate_pinned(engine *e, uint64_t bytes) {
    (void)e;
    size_t n = 0;
    while (pinned[n].memory != NULL)
        assert_true(++n < COUNT(pinned));
    pinned[n].memory = malloc(bytes);
    pinned[n].bytes = bytes;
    return pinned[n].memory;
}

static inline void free_pinned(engine *e, void *memory) {
    (void)e;
    size_t n = 0;
    while (pinned[n].memory != memory)
        assert_true(++n < COUNT(pinned));
    pinned[n].memory = NULL;
    free(memory);
}

static inline bool was_lent(const void *memory, uint64_t bytes) {
    const uint8_t *const begin = memory;
    for (size_t n = 0; n < COUNT(pinned); n++)
        if (pinned[n].memory != NULL && begin >= pinned[n].memory &&
            begin + bytes <= pinned[n].memory + pinned[n].bytes)
            return true;
    return false;
}

static bool has_peers; /* spins go by memory of peers on this host, if there are others */

/* Whether so many bytes stand where they should on their way out, or in; and spins of so many replicas. */
static inline bool stand_right(const void *spins, uint64_t bytes, bool out) {
    const rank_world world = ranks_world();
    const bool by_peers = has_peers && world.neighbours > 1, far = world.neighbours < world.count;
    return (by_peers && peer_has(spins, bytes, out)) ||
           ((!by_peers || far) && was_lent(spins, bytes));
}

static inline bool stands_right(const engine *e, const void *spins, uint64_t count, bool out) {
    return stand_right(spins, count * model_packed_bytes(&e->model), out);
}

static inline engine_status fail_unless(engine *e, bool good) {
    if (!good)
        snprintf(e->error, sizeof e->error, "the memory was not lent");
    return good ? ENGINE_OK : ENGINE_FAILED;
}

static inline bool were_lent(parent_list p, uint64_t count) {
    return was_lent(p.place, count * sizeof *p.place) &&
           was_lent(p.family, count * sizeof *p.family);
}

static inline engine_status find_lent(engine *e, uint64_t first, uint64_t count, parent_list to) {
    const engine_status status = fail_unless(e, were_lent(to, count));
    return status == ENGINE_OK ? true_verbs->parents(e, first, count, to) : status;
}

static inline engine_status attach_pinned(engine *e, parent_list below, parent_list above) {
    const engine_status status =
        fail_unless(e, were_lent(below, assigned.below) && were_lent(above, assigned.above));
    return status == ENGINE_OK ? true_verbs->attach(e, below, above) : status;
}

static parent_list offspring; /* of all children, where they stay */

static bool has_no_room; /* in advance */

static inline uint64_t reserve_when_due(engine *e, uint64_t end) {
    const bool in_advance = has_no_room;
    has_no_room = false;
    return in_advance ? 0 : true_verbs->reserve(e, end);
}

/* In every third step no room is made for remote parents in advance. */
static inline engine_status count_and_keep(engine *e, const engine_step *step, uint64_t *children) {
    const engine_status status = true_verbs->count_offspring(e, step, children);
    has_no_room = step->temperature % 3 == 0;
    asked = 0;
    if (status != ENGINE_OK)
        return status;
    offspring.place = realloc(offspring.place, (*children + 1) * sizeof *offspring.place);
    offspring.family = realloc(offspring.family, (*children + 1) * sizeof *offspring.family);
    assert_true(offspring.place && offspring.family);
    return true_verbs->parents(e, 0, *children, offspring);
}

static inline engine_status find_kept(engine *e, uint64_t first, uint64_t count, parent_list to) {
    const parent_list from = parent_list_from(offspring, first);
    asked++;
    memcpy(to.place, from.place, count * sizeof *to.place);
    memcpy(to.family, from.family, count * sizeof *to.family);
    return fail_unless(e, were_lent(to, count));
}

/* All of them are. */
static inline uint64_t keep_all(const engine *e) {
    (void)e;
    return UINT64_MAX;
}

/* Replicas that stand side by side, as far as there are places. */
static inline engine_status take_row(engine *e, uint64_t first, uint64_t count, uint8_t *spins) {
    const uint64_t room = true_verbs->reserve(e, 0), bytes = model_packed_bytes(&e->model);
    engine_status status = ENGINE_OK;
    for (uint32_t n = 0; n < count && first + n < room && status == ENGINE_OK; n++) {
        const uint32_t place = (uint32_t)first + n;
        status = true_verbs->take(e, &place, 1, spins + n * bytes);
    }
    return status;
}

static inline engine_status take_now(engine *e) {
    engine_status status = ENGINE_OK;
    for (size_t n = 0; n < COUNT(late_take); n++) {
        const late_copy c = late_take[n];
        if (c.count > 0 && status == ENGINE_OK)
            status = c.places != NULL ? true_verbs->take(e, c.places, c.count, c.to)
                                      : take_row(e, c.first, c.count, c.to);
        late_take[n].count = 0;
    }
    return status;
}

static inline engine_status put_now(engine *e) {
    engine_status status = ENGINE_OK;
    for (size_t n = 0; n < COUNT(late_put); n++) {
        if (late_put[n].count > 0 && status == ENGINE_OK)
            status = true_verbs->put(e, late_put[n].first, late_put[n].count, late_put[n].from);
        late_put[n].count = 0;
    }
    return status;
}

/* Others have the time to do wrong. */
static inline engine_status synchronise(engine *e) {
    const engine_status status = take_now(e);
    usleep(late_put[0].count > 0 ? 1000 : 0);
    return status == ENGINE_OK ? put_now(e) : status;
}

static inline engine_status take_late(engine *e, const uint32_t *places, uint64_t count,
                                      uint8_t *spins) {
    note_copy(late_take, (late_copy){.count = count, .places = places, .to = spins});
    return fail_unless(e, was_lent(places, count * sizeof *places) &&
                              stands_right(e, spins, count, true));
}

static inline engine_status put_late(engine *e, uint64_t first, uint64_t count,
                                     const uint8_t *spins) {
    note_copy(late_put, (late_copy){.first = first, .count = count, .from = spins});
    return fail_unless(e, stands_right(e, spins, count, false));
}

/* Words of 32 replicas, each of which stands there packed. Rank 1 has none: from it replicas come, one by one. */
static uint32_t words_taken; /* so far */

static inline uint64_t bytes_of_word(const engine *e) {
    return ranks_world().rank == 1 ? 0 : MACHINE_LANES * model_packed_bytes(&e->model);
}

static inline engine_status take_words_late(engine *e, uint64_t first, uint64_t count,
                                            uint8_t *words) {
    words_taken += (uint32_t)count;
    note_copy(
        late_take,
        (late_copy){.first = first * MACHINE_LANES, .count = count * MACHINE_LANES, .to = words});
    return fail_unless(e, stands_right(e, words, count * MACHINE_LANES, true));
}

static inline engine_status put_words_late(engine *e, uint64_t first, uint64_t count,
                                           const uint8_t *words) {
    return put_late(e, first * MACHINE_LANES, count * MACHINE_LANES, words);
}

static inline engine_status step_late(engine *e, const engine_step *step, histogram *out) {
    engine_status status = take_now(e);
    if (status == ENGINE_OK)
        status = put_now(e);
    return status == ENGINE_OK ? true_engine_verbs->step(e, step, out) : status;
}

/* Bytes of the spins of lanes. */
static inline uint64_t bytes_of_lanes(const engine *e, uint64_t words) {
    return words * (overlap_is_of_bits(&e->model) ? e->model.sites * sizeof(uint32_t)
                                                  : model_packed_bytes(&e->model));
}

static inline engine_status find_lanes(engine *e, uint64_t first, uint64_t words,
                                       const lane_block *to) {
    const engine_status status = fail_unless(
        e,
        stand_right(to->spins, bytes_of_lanes(e, words), true) &&
            stand_right(to->family, words * overlap_lanes(&e->model) * sizeof *to->family, true));
    return status == ENGINE_OK ? true_verbs->lanes(e, first, words, to) : status;
}

/* The last rank lets its partners stand where they are while others go on, for longer than these compare as many. */
static inline engine_status compare_late(engine *e, const pair_range *pairs, overlap_sums *out) {
    const uint64_t lanes = overlap_lanes(&e->model), words = (pairs->count + lanes - 1) / lanes,
                   bytes = bytes_of_lanes(e, words);
    const void *const spins = pairs->partners.spins;
    const engine_status status =
        fail_unless(e, stand_right(spins, bytes, false) || stand_right(spins, bytes, true));
    if (ranks_world().rank + 1 == ranks_world().count)
        usleep((useconds_t)(pairs->count * e->model.sites / 200));
    return status == ENGINE_OK ? true_verbs->compare(e, pairs, out) : status;
}

static inline void be_late(struct partition_verbs *verbs) {
    verbs->allocate_pinned = allocate_pinned;
    verbs->free_pinned = free_pinned;
    verbs->parents = find_lent;
    verbs->attach = attach_pinned;
    verbs->take = take_late;
    verbs->put = put_late;
    verbs->synchronise = synchronise;
    verbs->word_bytes = bytes_of_word;
    verbs->take_words = take_words_late;
    verbs->put_words = put_words_late;
    verbs->lanes = find_lanes;
    verbs->compare = compare_late;
}

/* Whether the environment lets engines see each other's memory. */
static inline bool peers_are_allowed(void) {
    const char *const way = getenv("PAISING_EXCHANGE");
    return way == NULL || strcmp(way, "peer") == 0;
}

static inline void see_peers(struct partition_verbs *verbs, int plan) {
    const rank_world world = ranks_world();
    verbs->count_offspring = count_and_keep;
    verbs->parents = find_kept;
    verbs->reserve = reserve_when_due;
    verbs->list_room = keep_all;
    const bool last = world.rank + 1 == world.count;
    verbs->peers = plan == ONE_IS_NONE && last ? NULL : &peers_in_files;
    peer_fails_to_offer = plan == ONE_IS_SILENT && last;
    peer_fails_to_open = plan == ONE_IS_BLIND && last;
    const bool fails_here = world.rank - world.place + world.neighbours == world.count;
    has_peers = (plan == PEERS || !fails_here) && peers_are_allowed();
}

#endif
