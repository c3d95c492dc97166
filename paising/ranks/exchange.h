/* The exchange of parents between ranks in a selection (exchange.c). Parents that leave are listed,
 * packed and sent; parents that arrive are placed behind the replicas of this rank. */
#ifndef PAISING_RANKS_EXCHANGE_H
#define PAISING_RANKS_EXCHANGE_H

#include "distributed.h"
#include "migration.h"

/* A message that was packed early: its receiver, and the children left for that receiver behind it. */
typedef struct {
    int to;
    rank_range left;
} packed_ahead;

/* One rank's view of a selection. Arrays of two are indexed by side, BELOW or ABOVE, because
 * messages to and from lower and higher ranks have separate memory. */
typedef struct {
    distributed_engine *e;
    uint64_t population;   /* children on all ranks */
    rank_range offspring;  /* children of this rank's parents */
    rank_range share;      /* children that this rank makes */
    rank_range kept;       /* the intersection of both */
    uint64_t next;         /* place of the next parent to arrive */
    packed_ahead ahead[2]; /* by side */
    bool taken[2], put[2]; /* the engine may still read outgoing, or write incoming, buffers */
} exchange;

/* The range of children of the parents on a rank. */
static inline rank_range offspring_on(const distributed_engine *e, uint64_t rank) {
    return (rank_range){rank > 0 ? e->ends[rank - 1] : 0, e->ends[rank]};
}

/* Lists the first message for each neighbour. Returns whether no parent leaves beyond these. */
bool exchange_list(exchange *x);

/* Packs the messages that are listed. */
void exchange_pack(exchange *x);

/* Sends all parents that leave. Receives parents and records, for each child whose parent comes
 * from another rank, the place of that parent. */
void exchange_parents(exchange *x);

#endif
