/* The reports of all ranks as one: sums are added up, of the levels that are occupied on any rank, and families that
 * stand on several ranks are joined. First how many replicas the levels have: that is all the next step waits for. The other
 * sums are many more, and are added up while it is made: where ranks would wait for parents that are being packed
 * (exchange.c), if not before. */
#include "base/clock.h"
#include "base/signals.h"
#include "ranked.h"

#include <string.h>

#define LEVEL_NUMBERS (sizeof(level_sums) / sizeof(uint64_t))
#define BLOCK_NUMBERS                                                                              \
    ((sizeof(block_sums) + sizeof(founder_sums) + sizeof(parent_sums) + sizeof(uint64_t)) /        \
     sizeof(uint64_t) * POPULATION_BLOCKS)

uint64_t report_numbers(const energy_levels *levels) {
    return BLOCK_NUMBERS + LEVEL_NUMBERS * levels->count;
}

static rank_digest own_digest(const ranked *e) {
    const histogram *const h = &e->report;
    const bool counts = e->wrong[0] == '\0' && ranked_own(e) > 0;
    rank_digest d = {.failed = e->wrong[0] != '\0', .signal = (uint64_t)signals_pending()};
    if (counts) {
        d.first = h->first;
        d.end = h->end;
        d.families = h->families;
        d.family_squares = (uint64_t)h->family_squares; /* a share has fewer than 2^32 replicas */
        memcpy(d.edge, h->edge, sizeof d.edge);
    }
    return d;
}

static uint128 square(uint64_t members) {
    return (uint128)members * members;
}

uint128 ranked_join_families(const ranked *e, uint128 all, family_number *f) {
    family_run open = {0, 0}; /* that with which the ranks so far end */
    for (uint32_t rank = 0; rank < ranks_world().count; rank++) {
        const family_run *const edge = e->digests[rank].edge;
        if (edge->members == 0)
            continue;
        const bool one = edge[0].family == edge[1].family;
        const uint64_t before = open.family == edge->family ? open.members : 0;
        if (before > 0)
            all += f(before + edge->members) - f(before) - f(edge->members);
        open = edge[1];
        open.members += one ? before : 0;
    }
    return all;
}

/* How many families a number of replicas side by side are. */
static uint128 one(uint64_t members) {
    return members > 0;
}

/* Takes what all ranks say. Returns whether none has failed. */
static bool gather_digests(ranked *e, uint64_t *families, uint128 *squares) {
    const rank_world world = ranks_world();
    const rank_digest mine = own_digest(e);
    rank_digest *const all = e->digests;
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, world_comm());
    bool good = true;
    size_t first = SIZE_MAX, end = 0;
    *families = 0;
    *squares = 0;
    for (uint32_t rank = 0; rank < world.count; rank++) {
        const rank_digest *const d = &all[rank];
        good = good && !d->failed;
        signals_take((int)d->signal);
        if (d->end > d->first) {
            first = d->first < first ? d->first : first;
            end = d->end > end ? d->end : end;
        }
        *families += d->families;
        *squares += d->family_squares;
    }
    *families = (uint64_t)ranked_join_families(e, *families, one);
    *squares = ranked_join_families(e, *squares, square);
    if (good) {
        e->report.first = first;
        e->report.end = end;
    }
    return good;
}

/* Passes the sums of a report to numbers, or from there. Returns how many there are. */
static size_t pass_numbers(histogram *h, uint64_t *numbers, bool out) {
    const struct {
        void *sums;
        size_t bytes;
    } part[] = {{h->block, sizeof h->block},
                {h->founder, sizeof h->founder},
                {h->parent, sizeof h->parent},
                {h->tau_hat_high, sizeof h->tau_hat_high},
                {h->level + h->first, (h->end - h->first) * sizeof *h->level}};
    size_t bytes = 0;
    for (size_t n = 0; n < sizeof part / sizeof *part; n++) {
        uint8_t *const place = (uint8_t *)numbers + bytes;
        memcpy(out ? (void *)place : part[n].sums, out ? part[n].sums : place, part[n].bytes);
        bytes += part[n].bytes;
    }
    return bytes / sizeof *numbers;
}

/* The sums of tau-hat are added up in two halves, of 32 bits and what is above: together they may need more than 64. */
static void halve_tau_hat(histogram *h) {
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        h->tau_hat_high[b] = h->parent[b].tau_hat >> 32;
        h->parent[b].tau_hat &= UINT32_MAX;
    }
}

static void join_tau_hat(histogram *h) {
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        const uint128 all = ((uint128)h->tau_hat_high[b] << 32) + h->parent[b].tau_hat;
        h->parent[b].tau_hat = (uint64_t)all;
        h->tau_hat_high[b] = (uint64_t)(all >> 64);
    }
}

/* What the next report will occupy, at most, unless the step is a large one: an eighth more on either side. */
static level_range guess(const ranked *e) {
    const size_t first = e->report.first, end = e->report.end, more = (end - first) / 8 + 8,
                 all = e->report.levels.count;
    return (level_range){first > more ? first - more : 0, end + more < all ? end + more : all};
}

/* Adds so many of the numbers of all ranks up on rank 0. */
static void add_up(ranked *e, size_t count) {
    MPI_Reduce(ranks_world().rank == 0 ? MPI_IN_PLACE : e->sums, e->sums, (int)count, MPI_UINT64_T,
               MPI_SUM, 0, world_comm());
}

/* The same for how many replicas some levels have. */
static void add_replicas(ranked *e, level_range levels) {
    for (size_t k = levels.first; k < levels.end; k++)
        e->sums[k - levels.first] = e->report.level[k].replicas;
    add_up(e, levels.end - levels.first);
}

/* Levels are added up before it is known which are occupied, as guessed: who only sends need not wait, and the digests come
 * with the sums. They are added up anew where others are occupied. */
engine_status ranked_report(ranked *e, histogram *out) {
    uint64_t families;
    uint128 squares;
    level_range summed = e->guessed;
    double clock = clock_seconds();
    e->summed = false;
    add_replicas(e, summed);
    clock = ranked_spent(e, JOINT_WAIT, clock);
    if (!gather_digests(e, &families, &squares))
        return ranked_agree(e);
    const level_range levels = {e->report.first, e->report.end};
    if (levels.first < summed.first || levels.end > summed.end)
        add_replicas(e, summed = levels);
    e->guessed = guess(e);
    ranked_spent(e, JOINT_REDUCE, clock);
    if (ranks_world().rank > 0)
        return ENGINE_OK;
    histogram_clear_levels(out); /* what else there is comes when it is completed */
    out->population = e->replicas;
    out->families = families;
    out->family_squares = squares;
    out->first = levels.first;
    out->end = levels.end;
    for (size_t k = levels.first; k < levels.end; k++)
        out->level[k].replicas = e->sums[k - summed.first];
    return ENGINE_OK;
}

void ranked_sum(ranked *e) {
    if (e->summed)
        return;
    halve_tau_hat(&e->report);
    if (e->wide)
        histogram_carry(&e->report);
    add_up(e, pass_numbers(&e->report, e->sums, true));
    e->summed = true;
}

void ranked_complete(ranked *e, histogram *out) {
    ranked_sum(e);
    if (ranks_world().rank > 0)
        return;
    pass_numbers(out, e->sums, false);
    join_tau_hat(out);
    if (e->wide) /* as it is with any number of ranks */
        histogram_carry(out);
}
