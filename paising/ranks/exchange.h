/* Parents on their way from rank to rank, in a selection (exchange.c): what leaves is listed, packed and sent, what comes is
 * put behind the replicas here. */
#ifndef PAISING_RANKS_EXCHANGE_H
#define PAISING_RANKS_EXCHANGE_H

#include "distributed.h"
#include "migration.h"

/* A message that waits for its turn: to whom it is, and the children that are left for them behind it. */
typedef struct {
    int to;
    rank_range left;
} packed_ahead;

/* One rank's view of a selection. What is of a side is of ranks below, or above: messages to and from them have memory of
 * their own. */
typedef struct {
    distributed_engine *e;
    uint64_t population;   /* of children */
    rank_range offspring;  /* children of the parents here, */
    rank_range share;      /* children to be made here, */
    rank_range kept;       /* and what these have in common */
    uint64_t next;         /* the place of the next parent that comes */
    packed_ahead ahead[2]; /* by side */
    bool taken[2], put[2]; /* the engine may still be at messages out, and in */
} exchange;

/* The children of the parents on a rank. */
static inline rank_range offspring_on(const distributed_engine *e, uint64_t rank) {
    return (rank_range){rank > 0 ? e->ends[rank - 1] : 0, e->ends[rank]};
}

/* Lists the first message for each neighbour. Returns whether nothing else leaves. */
bool exchange_list(exchange *x);

/* Packs what is listed. */
void exchange_pack(exchange *x);

/* Sends all that leaves, and notes who the parents are of children that come from elsewhere, with these in their places. */
void exchange_parents(exchange *x);

#endif
