/* Commands of rank 0 to the others. */
#include "commands.h"

#include "broadcast.h"
#include "world.h"

#include <stddef.h>
#include <string.h>

#define SENT_BYTES                                                                                 \
    offsetof(rank_command, step.rule) /* the rule is most of a step, and was sent before */

static_assert(SENT_BYTES % sizeof(uint64_t) == 0, "tau-hat stands behind it");

void command_send(rank_command *command) {
    broadcast_send(command, SENT_BYTES);
}

/* How many numbers of points are possible: most of a rule is room for more. */
static size_t possible_points(const flip_rule *rule) {
    size_t points = BERNOULLI_MOST_POINTS;
    while (points > 0 && !(rule->bernoulli.more_than[points - 1] > 0))
        points--;
    return points;
}

void command_send_rule(distributed_engine *e, rank_command *command, const flip_rule *rule) {
    e->rule_ahead = *rule;
    command->count = possible_points(rule);
    command_send(command);
    command_receive_rule(e, command);
}

void command_receive_rule(distributed_engine *e, rank_command *command) {
    bernoulli_table *const table = &e->rule_ahead.bernoulli;
    const size_t points = command->count;
    world_broadcast(&e->rule_ahead,
                    offsetof(flip_rule, bernoulli.more_than) + points * sizeof *table->more_than);
    memset(table->more_than + points, 0,
           (BERNOULLI_MOST_POINTS - points) * sizeof *table->more_than);
    distributed_take_tables(e, &e->rule_ahead);
    command->step.rule = e->rule_ahead;
}

/* Where tau-hat of the first occupied level stands in a message, which has that of all levels that were counted. */
static uint64_t *sent_tau_hat(const distributed_engine *e) {
    return broadcast_numbers(SENT_BYTES) + (e->levels.occupied.first - e->levels.counted.first);
}

bool command_send_start(distributed_engine *e, rank_command *command) {
    const uint64_t *const tau_hat = command->step.tau_hat;
    const size_t first = e->levels.occupied.first, count = e->levels.occupied.end - first;
    if (tau_hat != NULL &&
        (distributed_has_energies(e) ? !e->energies.unread : count > broadcast_room(e->number)))
        return false;
    if (tau_hat != NULL)
        memcpy(sent_tau_hat(e), tau_hat + first, count * sizeof *tau_hat);
    command_send(command);
    return true;
}

void command_receive_start(distributed_engine *e, engine_step *step) {
    const size_t first = e->levels.occupied.first, count = e->levels.occupied.end - first;
    if (step->tau_hat == NULL)
        return;
    if (distributed_has_energies(e))
        distributed_send_tau_hat(e, step->tau_hat);
    else
        memcpy(e->tau_hat + first, sent_tau_hat(e), count * sizeof *e->tau_hat);
    step->tau_hat = e->tau_hat;
    broadcast_reserve_numbers(e->number, 0);
}
