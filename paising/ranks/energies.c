/* Energies without levels on ranks. Each rank reports the energies that its own replicas have, and how many have each. Rank 0
 * merges these lists: a level of its report is a rank in the list of all. What it decides by level, tau-hat, it sends back to each
 * rank by the energies of that rank's list. All other sums are as those of levels (report.c), but that of E^2, whose 128 bits are
 * added up in pieces. */
#include "base/clock.h"
#include "base/signals.h"
#include "base/wide.h"
#include "distributed.h"

#include <stdlib.h>
#include <string.h>

bool distributed_has_energies(const distributed_engine *e) {
    return e->local->model.levels.fine;
}

bool distributed_energies_are_counted(const distributed_engine *e) {
    int wrong = 0;
    for (uint32_t rank = 0; rank < ranks_world().count; rank++)
        wrong += e->energies.count[rank][1];
    return wrong == 0;
}

uint64_t distributed_energies_bytes(const engine_config *config) {
    const uint64_t each = sizeof(int64_t) + sizeof(uint64_t) + 3 * sizeof(uint32_t);
    return config->model.levels.fine ? config->capacity * each : 0;
}

bool distributed_create_energies(distributed_engine *e) {
    distributed_energies *const l = &e->energies;
    const uint32_t ranks = ranks_world().count;
    const size_t most = ranks_world().rank == 0 ? e->capacity : 1; /* others have no list of all */
    l->count = calloc(ranks, sizeof *l->count);
    l->sent = calloc(ranks, sizeof *l->sent);
    l->first = calloc(ranks, sizeof *l->first);
    l->energy = calloc(most, sizeof *l->energy);
    l->replicas = calloc(most, sizeof *l->replicas);
    l->level = calloc(most, sizeof *l->level);
    l->order = calloc(most, sizeof *l->order);
    l->tau_hat = calloc(most, sizeof *l->tau_hat);
    return l->count && l->sent && l->first && l->energy && l->replicas && l->level && l->order &&
           l->tau_hat;
}

void distributed_destroy_energies(distributed_engine *e) {
    distributed_energies *const l = &e->energies;
    free(l->count);
    free(l->sent);
    free(l->first);
    free(l->energy);
    free(l->replicas);
    free(l->level);
    free(l->order);
    free(l->tau_hat);
}

/* How many energies this rank's report lists; none if it failed. */
static int listed_here(const distributed_engine *e) {
    const histogram *const h = &e->steps.report;
    return e->wrong[0] == '\0' && distributed_own(e) > 0 ? (int)(h->end - h->first) : 0;
}

/* Notes on rank 0 where the lists of ranks stand. */
static void place_lists(distributed_energies *l) {
    l->all = 0;
    for (uint32_t rank = 0; rank < ranks_world().count; rank++) {
        l->sent[rank] = l->count[rank][0];
        l->first[rank] = l->all;
        l->all += l->sent[rank];
    }
}

void distributed_count_energies(distributed_engine *e) {
    distributed_energies *const l = &e->energies;
    const histogram *const h = &e->steps.report;
    uint32_t *const replicas = (uint32_t *)e->sums.number;
    const int mine[2] = {listed_here(e), e->wrong[0] != '\0' || signals_pending()};
    l->here = mine[0];
    l->unread = true;
    MPI_Gather(mine, 2, MPI_INT, l->count, 2, MPI_INT, 0, world_comm());
    if (ranks_world().rank == 0)
        place_lists(l);
    for (int n = 0; n < mine[0]; n++)
        replicas[n] = (uint32_t)h->level[h->first + (size_t)n].replicas;
    MPI_Gatherv(h->energy + h->first, mine[0], MPI_INT64_T, l->energy, l->sent, l->first,
                MPI_INT64_T, 0, world_comm());
    MPI_Gatherv(replicas, mine[0], MPI_UINT32_T, l->replicas, l->sent, l->first, MPI_UINT32_T, 0,
                world_comm());
}

/* Merges two adjacent runs of rising energies, from[begin .. middle - 1] and from[middle .. end - 1], to the same places of to[]. */
static void merge(const int64_t energy[], const uint32_t from[], uint32_t to[], int begin,
                  int middle, int end) {
    int low = begin, high = middle;
    for (int n = begin; n < end; n++) {
        const bool takes_low =
            low < middle && (high == end || energy[from[low]] <= energy[from[high]]);
        to[n] = takes_low ? from[low++] : from[high++];
    }
}

/* Returns the numbers of all energies in rising order: the lists of ranks are merged by twos until one is left. */
static const uint32_t *order_of_all(distributed_energies *l) {
    const uint32_t ranks = ranks_world().count;
    uint32_t *order = l->order, *spare = l->level;
    for (int n = 0; n < l->all; n++)
        order[n] = (uint32_t)n;
    for (uint32_t apart = 1; apart < ranks; apart *= 2) {
        for (uint32_t rank = 0; rank < ranks; rank += 2 * apart) {
            const int begin = l->first[rank],
                      middle = rank + apart < ranks ? l->first[rank + apart] : l->all,
                      end = rank + 2 * apart < ranks ? l->first[rank + 2 * apart] : l->all;
            merge(l->energy, order, spare, begin, middle, end);
        }
        uint32_t *const merged = spare;
        spare = order;
        order = merged;
    }
    l->order = order;
    l->level = spare;
    return order;
}

void distributed_report_energies(distributed_engine *e, histogram *out) {
    distributed_energies *const l = &e->energies;
    const double clock = clock_seconds();
    const uint32_t *const order = order_of_all(l);
    size_t levels = 0;
    histogram_move(out, 0, 0);
    for (int n = 0; n < l->all; n++) {
        const uint32_t k = order[n];
        if (levels == 0 || l->energy[k] != out->energy[levels - 1]) {
            out->energy[levels] = l->energy[k];
            out->level[levels++] = (level_sums){.replicas = 0};
        }
        l->level[k] = (uint32_t)(levels - 1);
        out->level[levels - 1].replicas += l->replicas[k];
    }
    out->end = levels;
    out->population = e->replicas; /* the other sums follow when the report is completed */
    distributed_time(e, PHASE_REDUCE, clock);
}

/* --- the other sums --- */

size_t distributed_pack_squares(const histogram *h, uint64_t *number) {
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        *number++ = (uint32_t)h->block[b].energy2;
        *number++ = h->block[b].energy2 >> 32;
        *number++ = h->energy2_high[b];
    }
    return SQUARE_NUMBERS * POPULATION_BLOCKS;
}

size_t distributed_unpack_squares(histogram *h, const uint64_t *number) {
    for (size_t b = 0; b < POPULATION_BLOCKS; b++, number += SQUARE_NUMBERS) {
        const uint128 low = number[0] + ((uint128)number[1] << 32);
        h->block[b].energy2 = (uint64_t)low;
        h->energy2_high[b] = number[2] + (uint64_t)(low >> 64);
    }
    return SQUARE_NUMBERS * POPULATION_BLOCKS;
}

void distributed_sum_energies(distributed_engine *e, size_t at) {
    distributed_energies *const l = &e->energies;
    const histogram *const h = &e->steps.report;
    MPI_Datatype sums;
    MPI_Type_contiguous((int)sizeof(level_sums), MPI_BYTE, &sums);
    MPI_Type_commit(&sums);
    MPI_Gatherv(h->level + h->first, l->here, sums, e->sums.number + at, l->sent, l->first, sums, 0,
                world_comm());
    MPI_Type_free(&sums);
}

void distributed_complete_energies(distributed_engine *e, size_t at, histogram *out) {
    const distributed_energies *const l = &e->energies;
    const level_sums *const of = (const level_sums *)(const void *)(e->sums.number + at);
    for (size_t n = 0; n < out->end; n++)
        out->level[n] = (level_sums){.replicas = out->level[n].replicas};
    for (int k = 0; k < l->all; k++) {
        level_sums *const sums = &out->level[l->level[k]];
        sums->abs_m += of[k].abs_m;
        sums->m2 += of[k].m2;
        sums->q_low += of[k].q_low;
        sums->q_high += of[k].q_high;
    }
}

/* --- what is sent back --- */

void distributed_send_tau_hat(distributed_engine *e, const uint64_t *tau_hat) {
    distributed_energies *const l = &e->energies;
    for (int k = 0; ranks_world().rank == 0 && k < l->all; k++)
        l->tau_hat[k] = tau_hat[l->level[k]];
    MPI_Scatterv(l->tau_hat, l->sent, l->first, MPI_UINT64_T, e->tau_hat + e->steps.report.first,
                 l->here, MPI_UINT64_T, 0, world_comm());
    l->unread = false;
}

void distributed_name_levels(const distributed_engine *e, uint32_t from, uint64_t count,
                             uint32_t levels[]) {
    const uint32_t *const of_rank = e->energies.level + e->energies.first[from];
    for (uint64_t n = 0; n < count; n++)
        levels[n] = of_rank[levels[n]];
}
