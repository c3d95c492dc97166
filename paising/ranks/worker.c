/* The worker loop: every rank but 0 carries out the commands of rank 0. */
#include "base/signals.h"
#include "commands.h"
#include "peers.h"

#include <stdlib.h>

/* The engines of the program, by their numbers. */
typedef struct {
    distributed_engine all;
    model_bonds bonds; /* of its model */
} worker_engine;

typedef struct {
    worker_engine **engine; /* [count] NULL: it is gone */
    uint32_t count;
} server;

/* Makes room for an engine of the next number; where there is none, the job ends. */
static worker_engine *add_engine(server *s) {
    worker_engine *const e = world_memory(NULL, sizeof *e);
    *e = (worker_engine){.all = {.local = NULL}};
    s->engine = world_memory(s->engine, (s->count + 1) * sizeof *s->engine);
    s->engine[s->count++] = e;
    return e;
}

/* Makes the engine that a command asks for. */
static void create(server *s, const rank_maker *maker) {
    worker_engine *const e = add_engine(s);
    engine_config config = {.word = 0};
    char reason[300];
    int device = 0;
    if (command_send_config(&config, &device, &e->bonds))
        distributed_create(&e->all, s->count - 1, &config, device, maker, reason, sizeof reason);
}

static void describe(const rank_maker *maker) {
    model_bonds bonds = {.graph = {.sites = 0}};
    engine_config config = {.word = 0};
    int device = 0;
    if (command_send_config(&config, &device, &bonds))
        distributed_describe(&config, device, maker, NULL);
    model_bonds_destroy(&bonds);
}

static void destroy(server *s, uint32_t number) {
    worker_engine *const e = s->engine[number];
    distributed_destroy(&e->all);
    model_bonds_destroy(&e->bonds);
    free(e);
    s->engine[number] = NULL;
}

static void pass_file(distributed_engine *e) {
    engine_file file;
    world_broadcast(&file, sizeof file);
    distributed_pass_file(e, &file, NULL);
}

/* Makes a verb. Which levels are occupied rank 0 knows, once all have said what there is. */
static void execute(distributed_engine *e, rank_command *command) {
    const uint64_t first = command->first, count = command->count;
    if (command->kind != COMMAND_EXPLAIN)
        distributed_set_occupied(e, command->occupied);
    switch (command->kind) {
    case COMMAND_RANDOMISE:
        distributed_randomise(e, command->step.key, command->replicas);
        return;
    case COMMAND_EXPECT:
        command_receive_rule(e, command);
        stepper_hint(&e->steps, &command->step);
        return;
    case COMMAND_GROUPS:
        distributed_take_groups(e, NULL, count);
        return;
    case COMMAND_START:
        command->step.rule = e->rule_ahead;
        command->step.groups = count;
        command_receive_start(e, &command->step);
        distributed_start(e, &command->step);
        return;
    case COMMAND_FINISH:
        distributed_finish(e, NULL);
        return;
    case COMMAND_EXPLAIN:
        distributed_explain(e);
        return;
    case COMMAND_COMPLETE:
        distributed_complete(e, NULL);
        return;
    case COMMAND_READ_LEVELS:
        distributed_read_levels(e, first, count, NULL);
        return;
    case COMMAND_READ_ENERGIES:
        distributed_read_energies(e, first, count, NULL);
        return;
    case COMMAND_SAVE:
        distributed_save(e, first, count, NULL, NULL);
        return;
    case COMMAND_LOAD:
        distributed_load(e, first, count, command->replicas, NULL, NULL);
        return;
    case COMMAND_PASS_FILE:
        pass_file(e);
        return;
    case COMMAND_OVERLAPS:
        distributed_overlaps(e, NULL);
        return;
    case COMMAND_GROUP_OVERLAPS:
        distributed_group_overlaps(e, first, count, NULL);
        return;
    case COMMAND_WALK:
        distributed_walk(e, NULL);
        return;
    case COMMAND_PREPARE:
    case COMMAND_CREATE:
    case COMMAND_DESCRIBE:
    case COMMAND_DESTROY:
    case COMMAND_END:
        return;
    }
}

void ranks_run_worker(const rank_maker *maker) {
    server s = {.count = 0};
    rank_command command = {.kind = COMMAND_END};
    signals_catch(); /* rank 0 learns of them by the report (report.c) */
    for (command_send(&command); command.kind != COMMAND_END; command_send(&command))
        if (command.kind == COMMAND_PREPARE)
            maker->prepare(command.device);
        else if (command.kind == COMMAND_CREATE)
            create(&s, maker);
        else if (command.kind == COMMAND_DESCRIBE)
            describe(maker);
        else if (command.kind == COMMAND_DESTROY)
            destroy(&s, command.engine);
        else
            execute(&s.engine[command.engine]->all, &command);
    for (uint32_t n = 0; n < s.count; n++)
        if (s.engine[n] != NULL)
            destroy(&s, n);
    free(s.engine);
}

void ranks_end(void) {
    rank_command end = {.kind = COMMAND_END};
    if (world_comm() == MPI_COMM_NULL)
        return;
    if (ranks_world().rank == 0)
        command_send(&end);
    peer_memory_free();
    world_close();
}
