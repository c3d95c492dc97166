/* What rank 0 tells the others to do: each verb of the engine that the program sees, with its numbers. */
#ifndef PAISING_RANKS_COMMANDS_H
#define PAISING_RANKS_COMMANDS_H

#include "distributed.h"

typedef enum {
    COMMAND_END,
    COMMAND_PREPARE,
    COMMAND_CREATE,
    COMMAND_DESCRIBE,
    COMMAND_DESTROY,
    COMMAND_RANDOMISE,
    COMMAND_EXPECT,
    COMMAND_GROUPS,
    COMMAND_START,
    COMMAND_FINISH,
    COMMAND_EXPLAIN,
    COMMAND_COMPLETE,
    COMMAND_READ_LEVELS,
    COMMAND_READ_ENERGIES,
    COMMAND_SAVE,
    COMMAND_LOAD,
    COMMAND_PASS_FILE,
    COMMAND_OVERLAPS,
    COMMAND_GROUP_OVERLAPS,
    COMMAND_WALK
} command_kind;

typedef struct {
    command_kind kind;
    uint32_t engine;                 /* its number */
    int device;                      /* of `prepare` */
    uint64_t first, count, replicas; /* `count` of groups and of `start`: groups */
    level_range occupied;            /* by the last report of the engine */
    /* without what its pointers lead to, and its rule; of `randomise` the key alone */
    engine_step step;
} rank_command;

/* Sends a command of rank 0 to all others. */
void command_send(rank_command *command);

/* Sends the command to expect a step, and what decides its flips behind it; the second one has that come. */
void command_send_rule(distributed_engine *e, rank_command *command, const flip_rule *rule);
void command_receive_rule(distributed_engine *e, rank_command *command);

/* Sends the command to begin a step, and with it tau-hat of the levels that the last report found occupied, for which there is room
 * in messages between a report and the step. Returns false if there is none. The second one has what came be that of the step. */
bool command_send_start(distributed_engine *e, rank_command *command);
void command_receive_start(distributed_engine *e, engine_step *step);

/* The bonds of the model of an engine, on ranks other than 0; all zero: there are none. */
typedef struct {
    couplings couplings;
    spin_graph graph;
} model_bonds;

void model_bonds_destroy(model_bonds *b);

/* Sends a configuration, of which the other ranks rebuild the model, and a device. On these *bonds becomes the couplings or the
 * graph of the model, which the configuration points to. Returns false, on all ranks, where one of them has no memory for it. */
bool command_send_config(engine_config *config, int *device, model_bonds *bonds);

#endif
