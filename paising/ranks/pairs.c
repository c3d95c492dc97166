/* Overlaps of pairs whose replicas stand on two ranks. Replica k and replica k + h are a pair (engine/overlaps.h). The
 * pairs whose halves stand on the same two ranks are a stretch: the rank of the lower half takes the first half of
 * them, that of the upper half the others, and each sends what the other one needs, in pieces of bounded size. */
#include "engine/msc_layout.h"
#include "ranked.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES (UINT64_C(4) << 20)

/* Pairs that are compared on one rank, of which the partners come from another, or the same: from their number on. */
typedef struct {
    uint64_t begin, end;
    uint32_t at, from;
    int64_t own, partner; /* from the number of a pair to that of the replica, at either */
} stretch;

typedef struct {
    ranked *e;
    overlap_sums *sums;
    uint64_t offset, pairs;
    uint64_t room; /* words of a piece */
    uint32_t *words;
    uint64_t *families;
} pairing;

/* The rank that has a replica: the last one that does not begin behind it (share_begin). */
static uint32_t owner_of(const ranked *e, uint64_t replica) {
    const uint64_t units = (e->replicas + e->unit - 1) / e->unit;
    return (uint32_t)(((replica / e->unit + 1) * ranks_world().count - 1) / units);
}

/* Brings `count` replicas from number `first` on as lanes to where they are compared. */
static void bring(pairing *p, const stretch *s, uint64_t first, uint64_t count) {
    ranked *const e = p->e;
    const uint32_t here = ranks_world().rank;
    const uint64_t words = (count + MACHINE_LANES - 1) / MACHINE_LANES;
    const int bytes = (int)(words * e->local->model.sites * sizeof *p->words);
    if (here == s->from && e->wrong[0] == '\0')
        ranked_noted(e, e->local->share->lanes(e->local,
                                               first - ranked_share(e, e->replicas, here).begin,
                                               words, p->words, p->families));
    if (s->at == s->from)
        return;
    if (here == s->from) {
        MPI_Send(p->words, bytes, MPI_BYTE, (int)s->at, 0, world_comm());
        MPI_Send(p->families, (int)count, MPI_UINT64_T, (int)s->at, 0, world_comm());
    } else {
        MPI_Recv(p->words, bytes, MPI_BYTE, (int)s->from, 0, world_comm(), MPI_STATUS_IGNORE);
        MPI_Recv(p->families, (int)count, MPI_UINT64_T, (int)s->from, 0, world_comm(),
                 MPI_STATUS_IGNORE);
    }
}

/* Compares the pairs of a stretch, on the ranks that have a part in it. */
static void compare(pairing *p, const stretch *s) {
    ranked *const e = p->e;
    const uint32_t here = ranks_world().rank;
    if (here != s->at && here != s->from)
        return;
    for (uint64_t k = s->begin; k < s->end; k += p->room * MACHINE_LANES) {
        const uint64_t left = s->end - k, most = p->room * MACHINE_LANES;
        const uint64_t count = left < most ? left : most;
        bring(p, s, (uint64_t)((int64_t)k + s->partner), count);
        if (here != s->at || e->wrong[0] != '\0')
            continue;
        const share_pairs pairs = {.first = (uint64_t)((int64_t)k + s->own) -
                                            ranked_share(e, e->replicas, here).begin,
                                   .count = count,
                                   .number = k,
                                   .pairs = p->pairs,
                                   .words = p->words,
                                   .families = p->families};
        ranked_noted(e, e->local->share->compare(e->local, &pairs, p->sums));
    }
}

/* Compares all pairs, stretch by stretch, in the same order on every rank, so that none waits for another in turn. */
static void compare_all(pairing *p) {
    const ranked *const e = p->e;
    const int64_t offset = (int64_t)p->offset;
    for (uint64_t k = 0; k < p->pairs;) {
        const uint32_t low = owner_of(e, k), high = owner_of(e, k + p->offset);
        const uint64_t low_end = ranked_share(e, e->replicas, low).end,
                       high_end = ranked_share(e, e->replicas, high).end - p->offset;
        uint64_t end = low_end < high_end ? low_end : high_end;
        end = end < p->pairs ? end : p->pairs;
        const uint64_t words = (end - k + MACHINE_LANES - 1) / MACHINE_LANES;
        const uint64_t middle = low == high ? end : k + words / 2 * MACHINE_LANES;
        compare(p, &(stretch){k, middle, low, high, 0, offset});
        compare(p, &(stretch){middle, end, high, low, offset, 0});
        k = end;
    }
}

/* --- sums --- */

static void add_up(void *numbers, uint64_t count, MPI_Datatype type) {
    MPI_Reduce(ranks_world().rank == 0 ? MPI_IN_PLACE : numbers, numbers, (int)count, type, MPI_SUM,
               0, world_comm());
}

static uint128 log_of_family(uint64_t members) {
    return members * family_log(members);
}

/* Adds the sums of all ranks up on rank 0. */
static void reduce(ranked *e, overlap_sums *s) {
    const uint64_t differ = (uint64_t)OVERLAP_PARTS * s->scale.differ_bins,
                   walls = (uint64_t)OVERLAP_PARTS * s->scale.wall_bins;
    add_up(&s->relatives, 1, MPI_UINT64_T);
    add_up(&s->family_logs, 1, MPI_UINT64_T);
    add_up(s->block, sizeof s->block / (sizeof(uint64_t)), MPI_UINT64_T);
    add_up(s->differ, differ, MPI_UINT32_T);
    add_up(s->walls, walls, MPI_UINT32_T);
    s->family_logs = (uint64_t)ranked_join_families(e, s->family_logs, log_of_family);
}

engine_status ranked_overlaps(ranked *e, overlap_sums *out) {
    const spin_model *const model = &e->local->model;
    const uint64_t each = model->sites * sizeof(uint32_t);
    const uint64_t room = each < PIECE_BYTES ? PIECE_BYTES / each : 1;
    const bool here = ranks_world().rank == 0;
    overlap_sums own = {.pairs = 0};
    pairing p = {.e = e,
                 .sums = here ? out : &own,
                 .offset = overlap_offset(e->replicas),
                 .pairs = overlap_pairs(e->replicas),
                 .room = room,
                 .words = malloc(room * each),
                 .families = malloc(room * MACHINE_LANES * sizeof *p.families)};
    if (!p.words || !p.families || (!here && overlap_sums_create(&own, model)))
        snprintf(e->wrong, sizeof e->wrong, "not enough memory for overlaps");
    engine_status status = ranked_agree(e);
    if (status == ENGINE_OK) {
        overlap_sums_begin(p.sums, e->replicas);
        if (ranked_own(e) > 0)
            ranked_noted(e, e->local->share->family_logs(e->local, &p.sums->family_logs));
        compare_all(&p);
        status = ranked_agree(e);
    }
    if (status == ENGINE_OK)
        reduce(e, p.sums);
    if (!here)
        overlap_sums_destroy(&own);
    free(p.words);
    free(p.families);
    return status;
}
