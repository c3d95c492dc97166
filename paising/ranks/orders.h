/* What rank 0 tells the others to do: each verb of the engine that the program sees, with its numbers. */
#ifndef PAISING_RANKS_ORDERS_H
#define PAISING_RANKS_ORDERS_H

#include "ranked.h"

typedef enum {
    ORDER_END,
    ORDER_PREPARE,
    ORDER_CREATE,
    ORDER_DESCRIBE,
    ORDER_DESTROY,
    ORDER_RANDOMISE,
    ORDER_EXPECT,
    ORDER_START,
    ORDER_FINISH,
    ORDER_EXPLAIN,
    ORDER_COMPLETE,
    ORDER_READ_LEVELS,
    ORDER_SAVE,
    ORDER_LOAD,
    ORDER_PASS_FILE,
    ORDER_OVERLAPS
} order_kind;

typedef struct {
    order_kind kind;
    uint32_t engine; /* its number */
    int device;      /* of `prepare` */
    uint64_t first, count, replicas;
    level_range occupied; /* by the last report of the engine */
    engine_step
        step; /* without what its pointers lead to, and its rule; of `randomise` the key alone */
} rank_order;

/* Sends an order from rank 0 to all others. */
void order_tell(rank_order *order);

/* Sends the order to expect a step, and what decides its flips behind it; the second one has that come. */
void order_tell_rule(ranked *e, rank_order *order, const flip_rule *rule);
void order_take_rule(ranked *e, rank_order *order);

/* Sends the order to begin a step, and with it tau-hat of the levels that the last report found occupied, for which there is room
 * in letters between a report and the step. Returns false if there is none. The second one has what came be that of the step. */
bool order_tell_start(ranked *e, rank_order *order);
void order_take_start(ranked *e, engine_step *step);

/* The same for a configuration, of which the model and its couplings are rebuilt, and for a device. On other ranks
 * `bonds` becomes the couplings. Returns false where there is no memory for them. */
bool order_tell_config(engine_config *config, int *device, couplings *bonds);

#endif
