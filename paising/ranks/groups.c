/* Groups of replicas at temperatures of their own, on ranks. A rank has whole groups, and reports them as they are: nothing is
 * added up. Rules of flips are sent when they change, which in methods of fixed temperatures is once. */
#include "base/clock.h"
#include "distributed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool distributed_groups_are_whole(distributed_engine *e, const engine_step *step) {
    if (!step_groups_are_whole(&e->base, step, 1) ||
        !step_groups_have_replicas(&e->base, step, e->replicas))
        return false;
    for (size_t g = 0; g < step->groups; g++) {
        const uint64_t first = step->group[g].first,
                       end = g + 1 < step->groups ? step->group[g + 1].first : e->replicas;
        if (distributed_rank_of(e, first) == distributed_rank_of(e, end - 1))
            continue;
        snprintf(e->base.error, sizeof e->base.error,
                 "group %zu, replicas %" PRIu64 " to %" PRIu64
                 ", is divided among ranks, whose shares are of %" PRIu64 " replicas",
                 g, first, end - 1, e->unit);
        return false;
    }
    return true;
}

void distributed_take_groups(distributed_engine *e, const engine_group *group, size_t count) {
    distributed_groups *const d = &e->groups;
    const rank_range share = distributed_share(e, e->replicas, ranks_world().rank);
    d->all = world_memory(d->all, count * sizeof *d->all);
    d->own = world_memory(d->own, count * sizeof *d->own);
    if (ranks_world().rank == 0)
        memcpy(d->all, group, count * sizeof *d->all);
    world_broadcast(d->all, count * sizeof *d->all);
    for (size_t g = 0; g < count; g++)
        distributed_take_tables(e, &d->all[g].rule);
    d->count = count;
    d->replicas = e->replicas;
    d->own_count = 0;
    for (size_t g = 0; g < count; g++) {
        if (d->all[g].first < share.begin || d->all[g].first >= share.end)
            continue;
        d->first = d->own_count == 0 ? g : d->first;
        d->own[d->own_count] = d->all[g];
        d->own[d->own_count++].first -= share.begin;
    }
}

void distributed_destroy_groups(distributed_engine *e) {
    free(e->groups.all);
    free(e->groups.own);
}

/* --- reports --- */

#define HEAD_NUMBERS 3

/* Copies the sums of a report to numbers (out), or back; of energies without levels these too. Returns how many there are. */
static size_t pass_sums(histogram *h, uint64_t *numbers, bool out) {
    const size_t levels = h->end - h->first;
    const struct {
        void *sums;
        size_t bytes;
    } part[] = {
        {h->block, sizeof h->block},
        {histogram_level(h, h->first), levels * sizeof *h->level},
        {h->levels.fine ? h->energy + h->first : NULL,
         h->levels.fine ? levels * sizeof *h->energy : 0},
        {h->energy2_high, h->levels.fine ? POPULATION_BLOCKS * sizeof *h->energy2_high : 0}};
    size_t bytes = 0;
    for (size_t n = 0; n < sizeof part / sizeof *part; n++) {
        uint8_t *const place = (uint8_t *)numbers + bytes;
        if (part[n].bytes > 0)
            memcpy(out ? (void *)place : part[n].sums, out ? part[n].sums : place, part[n].bytes);
        bytes += part[n].bytes;
    }
    return bytes / sizeof *numbers;
}

/* Writes the report of a group to numbers, as a message. Returns how many. */
static size_t pack_report(histogram *h, uint64_t *number) {
    number[0] = h->population;
    number[1] = h->first;
    number[2] = h->end;
    return HEAD_NUMBERS + pass_sums(h, number + HEAD_NUMBERS, true);
}

static void unpack_report(histogram *h, uint64_t *number) {
    histogram_clear(h);
    histogram_move(h, number[1], number[2]);
    h->population = number[0];
    pass_sums(h, number + HEAD_NUMBERS, false);
}

/* Sends the reports of this rank's groups to rank 0, which copies its own. */
static void send_reports(distributed_engine *e, histogram out[]) {
    for (size_t n = 0; n < e->groups.own_count; n++) {
        const size_t numbers = pack_report(&e->steps.group[n], e->sums.number);
        if (ranks_world().rank == 0)
            unpack_report(&out[e->groups.first + n], e->sums.number);
        else
            MPI_Send(e->sums.number, (int)numbers, MPI_UINT64_T, 0, 0, world_comm());
    }
}

/* Receives those of all other ranks on rank 0. */
static void receive_reports(distributed_engine *e, histogram out[]) {
    const size_t most = report_numbers(&e->base.model.levels);
    for (size_t g = 0; g < e->groups.count; g++) {
        const uint32_t rank = distributed_rank_of(e, e->groups.all[g].first);
        if (rank == 0)
            continue;
        MPI_Recv(e->sums.number, (int)most, MPI_UINT64_T, (int)rank, 0, world_comm(),
                 MPI_STATUS_IGNORE);
        unpack_report(&out[g], e->sums.number);
    }
}

/* Failures and signals of all ranks become known first. */
engine_status distributed_report_groups(distributed_engine *e, histogram out[]) {
    static_assert(sizeof(((histogram *)NULL)->founder) >= HEAD_NUMBERS * sizeof(uint64_t),
                  "a message is no longer than a report with founders");
    const double clock = clock_seconds();
    const engine_status status = distributed_meet(e);
    const double known = distributed_time(e, PHASE_WAIT, clock);
    if (status != ENGINE_OK)
        return status;
    send_reports(e, out);
    if (ranks_world().rank == 0)
        receive_reports(e, out);
    distributed_time(e, PHASE_REDUCE, known);
    return ENGINE_OK;
}
