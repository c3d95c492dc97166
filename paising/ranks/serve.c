/* What all ranks but that of the program do: as they are told. */
#include "base/signals.h"
#include "orders.h"
#include "peers.h"

#include <stdlib.h>

/* The engines of the program, by their numbers. */
typedef struct {
    ranked all;
    couplings bonds; /* of its model */
} served_engine;

typedef struct {
    served_engine **engine; /* [count] NULL: it is gone */
    uint32_t count;
} server;

/* Makes room for an engine of the next number; where there is none, the job ends. */
static served_engine *add_engine(server *s) {
    served_engine *const e = world_memory(NULL, sizeof *e);
    *e = (served_engine){.all = {.local = NULL}};
    s->engine = world_memory(s->engine, (s->count + 1) * sizeof *s->engine);
    s->engine[s->count++] = e;
    return e;
}

/* Makes the engine that an order asks for. */
static void create(server *s, const rank_maker *maker) {
    served_engine *const e = add_engine(s);
    engine_config config = {.word = 0};
    char reason[300];
    int device = 0;
    if (order_tell_config(&config, &device, &e->bonds))
        ranked_create(&e->all, s->count - 1, &config, device, maker, reason, sizeof reason);
}

static void describe(const rank_maker *maker) {
    couplings bonds = {.negative = NULL};
    engine_config config = {.word = 0};
    int device = 0;
    if (order_tell_config(&config, &device, &bonds))
        ranked_describe(&config, device, maker, NULL);
    couplings_destroy(&bonds);
}

static void destroy(server *s, uint32_t number) {
    served_engine *const e = s->engine[number];
    ranked_destroy(&e->all);
    couplings_destroy(&e->bonds);
    free(e);
    s->engine[number] = NULL;
}

static void pass_file(ranked *e) {
    engine_file file;
    world_tell(&file, sizeof file);
    ranked_pass_file(e, &file, NULL);
}

/* Makes a verb. Which levels are occupied rank 0 knows, once all have said what there is. */
static void obey(ranked *e, rank_order *order) {
    const uint64_t first = order->first, count = order->count;
    if (order->kind != ORDER_EXPLAIN)
        ranked_know(e, order->occupied);
    switch (order->kind) {
    case ORDER_RANDOMISE:
        ranked_randomise(e, order->step.key, order->replicas);
        return;
    case ORDER_EXPECT:
        order_take_rule(e, order);
        engine_expect(e->local, &order->step);
        return;
    case ORDER_START:
        order->step.rule = e->rule_ahead;
        order_take_start(e, &order->step);
        ranked_start(e, &order->step);
        return;
    case ORDER_FINISH:
        ranked_finish(e);
        return;
    case ORDER_EXPLAIN:
        ranked_explain(e);
        return;
    case ORDER_COMPLETE:
        ranked_complete(e, NULL);
        return;
    case ORDER_READ_LEVELS:
        ranked_read_levels(e, first, count, NULL);
        return;
    case ORDER_SAVE:
        ranked_save(e, first, count, NULL, NULL);
        return;
    case ORDER_LOAD:
        ranked_load(e, first, count, order->replicas, NULL, NULL);
        return;
    case ORDER_PASS_FILE:
        pass_file(e);
        return;
    case ORDER_OVERLAPS:
        ranked_overlaps(e, NULL);
        return;
    case ORDER_PREPARE:
    case ORDER_CREATE:
    case ORDER_DESCRIBE:
    case ORDER_DESTROY:
    case ORDER_END:
        return;
    }
}

void ranks_serve(const rank_maker *maker) {
    server s = {.count = 0};
    rank_order order = {.kind = ORDER_END};
    signals_catch(); /* rank 0 is told of them (report.c) */
    for (order_tell(&order); order.kind != ORDER_END; order_tell(&order))
        if (order.kind == ORDER_PREPARE)
            maker->prepare(order.device);
        else if (order.kind == ORDER_CREATE)
            create(&s, maker);
        else if (order.kind == ORDER_DESCRIBE)
            describe(maker);
        else if (order.kind == ORDER_DESTROY)
            destroy(&s, order.engine);
        else
            obey(&s.engine[order.engine]->all, &order);
    for (uint32_t n = 0; n < s.count; n++)
        if (s.engine[n] != NULL)
            destroy(&s, n);
    free(s.engine);
}

void ranks_end(void) {
    rank_order end = {.kind = ORDER_END};
    if (world_comm() == MPI_COMM_NULL)
        return;
    if (ranks_world().rank == 0)
        order_tell(&end);
    peer_memory_free();
    world_close();
}
