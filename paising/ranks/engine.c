/* The engine that rank 0 sees: it sends each verb to the other ranks as a command, and then all ranks carry it out. */
#include "commands.h"
#include "engine/async.h"

#include <stdlib.h>
#include <string.h>

/* An engine is the beginning of one that is made of engines. */
static distributed_engine *self_of(engine *base) {
    return (distributed_engine *)(void *)base;
}

static rank_command command_for(const distributed_engine *self, command_kind kind) {
    return (rank_command){.kind = kind, .engine = self->number, .occupied = self->levels.occupied};
}

/* Times are those of rank 0. */
static void note_times(distributed_engine *e) {
    memcpy(e->base.seconds, e->local->seconds, sizeof e->base.seconds);
}

/* Asks all ranks for failures, signals and levels that were not expected. */
static engine_status explain(distributed_engine *self) {
    rank_command command = command_for(self, COMMAND_EXPLAIN);
    command_send(&command);
    return distributed_explain(self);
}

/* The report of all, when what the levels have was added up. */
static engine_status report(distributed_engine *self, histogram *out) {
    const engine_status status = distributed_is_counted(self) ? ENGINE_OK : explain(self);
    if (status == ENGINE_OK)
        distributed_report(self, out);
    return status;
}

static engine_status program_wait_all(engine *base, histogram *out) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_COMPLETE);
    if (!self->sums.ready)
        command_send(&command);
    const engine_status status = distributed_complete(self, out);
    return status == ENGINE_OK ? status : explain(self);
}

static engine_status program_randomise(engine *base, stream_key key, uint64_t replicas,
                                       histogram *out) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_RANDOMISE);
    command.replicas = replicas;
    command.step.key = key;
    command_send(&command);
    distributed_randomise(self, key, replicas);
    const engine_status status = report(self, out);
    return status == ENGINE_OK ? program_wait_all(base, out) : status;
}

static void program_hint(engine *base, const engine_step *step) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_EXPECT);
    command.step = *step;
    command_send_rule(self, &command, &step->rule);
    stepper_hint(&self->steps, step);
}

/* Sends the groups of a step, if the last step had others. Returns whether ranks can have them. */
static bool send_groups(distributed_engine *self, const engine_step *step) {
    const distributed_groups *const sent = &self->groups;
    if (sent->count == step->groups && sent->replicas == self->replicas &&
        memcmp(sent->all, step->group, step->groups * sizeof *sent->all) == 0)
        return true;
    if (!distributed_groups_are_whole(self, step))
        return false;
    rank_command command = command_for(self, COMMAND_GROUPS);
    command.count = step->groups;
    command_send(&command);
    distributed_take_groups(self, step->group, step->groups);
    return true;
}

/* Whether ranks can have the parents of a step. */
static bool parents_are_possible(distributed_engine *self, const engine_step *step) {
    if (step->parents != NULL)
        return distributed_parents_fit(self, step);
    if (step->groups == 0 || !(step->parts & PART_SELECT))
        return true;
    snprintf(self->base.error, sizeof self->base.error,
             "parents of several groups are not chosen by a rule on ranks");
    return false;
}

/* One group is the population, which ranks may divide. */
static engine_step without_one_group(const engine_step *step) {
    engine_step whole = *step;
    whole.rule = step->group[0].rule;
    whole.groups = 0;
    return whole;
}

static engine_status program_submit(engine *base, const engine_step *given) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_START);
    self->of_one_group = given->groups == 1;
    const engine_step whole = self->of_one_group ? without_one_group(given) : *given, *const step =
                                                                                          &whole;
    if ((self->of_one_group && !step_groups_are_whole(base, given, 1)) ||
        !parents_are_possible(self, step) || (step->groups > 0 && !send_groups(self, step)))
        return ENGINE_FAILED;
    if (step->groups == 0 && memcmp(&step->rule, &self->rule_ahead, sizeof step->rule) != 0)
        program_hint(base, step);
    command.step = *step;
    command.count = step->groups;
    if (!command_send_start(self, &command)) {
        snprintf(base->error, sizeof base->error,
                 "the population was not measured before it is resampled");
        return ENGINE_FAILED;
    }
    command_receive_start(self, &command.step);
    distributed_start(self, &command.step);
    return ENGINE_OK;
}

/* Reports of groups have neither families nor founders nor parents. */
static void forget_families(histogram *h) {
    h->families = h->family_squares = 0;
    memset(h->edge, 0, sizeof h->edge);
    memset(h->founder, 0, sizeof h->founder);
    memset(h->parent, 0, sizeof h->parent);
}

static engine_status program_wait(engine *base, histogram *out) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_FINISH);
    command_send(&command);
    engine_status status = distributed_finish(self, out);
    if (status == ENGINE_OK && self->parts & PART_MEASURE && !self->in_groups)
        status = report(self, out);
    if (status == ENGINE_OK && self->parts & PART_MEASURE && self->of_one_group) {
        status = program_wait_all(base, out);
        forget_families(out);
    }
    note_times(self);
    return status;
}

/* A command about replicas first .. first + count - 1. */
static void send_range(const distributed_engine *self, command_kind kind, uint64_t first,
                       uint64_t count, uint64_t replicas) {
    rank_command command = command_for(self, kind);
    command.first = first;
    command.count = count;
    command.replicas = replicas;
    command_send(&command);
}

static engine_status program_read_levels(engine *base, uint64_t first, uint64_t count,
                                         uint32_t *levels) {
    distributed_engine *const self = self_of(base);
    send_range(self, COMMAND_READ_LEVELS, first, count, 0);
    return distributed_read_levels(self, first, count, levels);
}

static engine_status program_read_energies(engine *base, uint64_t first, uint64_t count,
                                           int64_t *energies) {
    distributed_engine *const self = self_of(base);
    send_range(self, COMMAND_READ_ENERGIES, first, count, 0);
    return distributed_read_energies(self, first, count, energies);
}

static engine_status program_read(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                                  uint32_t *families) {
    distributed_engine *const self = self_of(base);
    send_range(self, COMMAND_SAVE, first, count, 0);
    return distributed_save(self, first, count, spins, families);
}

static engine_status program_write(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                                   const uint8_t *spins, const uint32_t *families) {
    distributed_engine *const self = self_of(base);
    send_range(self, COMMAND_LOAD, first, count, replicas);
    return distributed_load(self, first, count, replicas, spins, families);
}

static engine_status program_transfer_file(engine *base, const engine_file *file,
                                           engine_file_outcome *out) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_PASS_FILE);
    engine_file sent = *file;
    command_send(&command);
    world_broadcast(&sent, sizeof sent);
    return distributed_pass_file(self, file, out);
}

static engine_status program_overlaps(engine *base, overlap_sums *out) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_OVERLAPS);
    command_send(&command);
    return distributed_overlaps(self, out);
}

static engine_status program_group_overlaps(engine *base, uint64_t first, uint64_t count,
                                            overlap_sums *out) {
    distributed_engine *const self = self_of(base);
    send_range(self, COMMAND_GROUP_OVERLAPS, first, count, 0);
    return distributed_group_overlaps(self, first, count, out);
}

static engine_status program_walk(engine *base, const engine_walk *walk) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_WALK);
    command_send(&command);
    const engine_status status = distributed_walk(self, walk);
    note_times(self);
    return status;
}

static void program_destroy(engine *base) {
    distributed_engine *const self = self_of(base);
    rank_command command = command_for(self, COMMAND_DESTROY);
    command_send(&command);
    distributed_destroy(self);
    free(self);
}

/* --- creation --- */

/* Says once that there are more ranks than machine words, or populations. */
static void explain_idle(const engine_config *config, uint64_t population) {
    static bool said;
    const uint64_t all = config->group > 0 ? config->capacity : population;
    const uint64_t unit = partition_unit(config), units = (all + unit - 1) / unit;
    const uint32_t ranks = ranks_world().count;
    if (!said && units < ranks)
        warn("%u of %u ranks have nothing to do: shares are of %u replicas at least",
             (unsigned)(ranks - units), (unsigned)ranks, (unsigned)unit);
    said = true;
}

static engine_status program_step(engine *base, const engine_step *step, histogram *out) {
    engine_status status = program_submit(base, step);
    if (status == ENGINE_OK)
        status = program_wait(base, out);
    return status == ENGINE_OK && step->parts & PART_MEASURE && step->groups == 0
               ? program_wait_all(base, out)
               : status;
}

static const struct engine_async_verbs program_async = {.submit = program_submit,
                                                        .hint = program_hint,
                                                        .wait = program_wait,
                                                        .wait_all = program_wait_all};

#define PROGRAM_VERBS                                                                              \
    .randomise = program_randomise, .step = program_step, .overlaps = program_overlaps,            \
    .group_overlaps = program_group_overlaps, .read_levels = program_read_levels,                  \
    .read_energies = program_read_energies, .read = program_read, .write = program_write,          \
    .transfer_file = program_transfer_file, .destroy = program_destroy, .async = &program_async

static const struct engine_verbs program_verbs = {PROGRAM_VERBS};
static const struct engine_verbs program_walk_verbs = {PROGRAM_VERBS, .walk = program_walk};

void ranks_prepare(int device) {
    rank_command command = {.kind = COMMAND_PREPARE, .device = device};
    if (ranks_world().count > 1)
        command_send(&command);
}

engine *ranks_engine(const engine_config *config, uint64_t population, int device,
                     const rank_maker *maker, char *reason, size_t size) {
    static uint32_t engines; /* so far, of which those who serve know, too */
    distributed_engine *const self = calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(reason, size, "not enough memory");
        return NULL;
    }
    rank_command command = {.kind = COMMAND_CREATE};
    const uint32_t number = engines++;
    engine_config sent = *config;
    command_send(&command);
    if (!command_send_config(&sent, &device, NULL)) {
        snprintf(reason, size, "not enough memory for the bonds on all ranks");
        free(self);
        return NULL;
    }
    if (!distributed_create(self, number, config, device, maker, reason, size)) {
        free(self);
        return NULL;
    }
    self->base.verbs = engine_has_walkers(config) ? &program_walk_verbs : &program_verbs;
    explain_idle(config, population);
    return &self->base;
}

void ranks_describe(const engine_config *config, int device, const rank_maker *maker,
                    rank_needs needs[]) {
    rank_command command = {.kind = COMMAND_DESCRIBE};
    engine_config sent = *config;
    command_send(&command);
    if (command_send_config(&sent, &device, NULL))
        distributed_describe(config, device, maker, needs);
}
