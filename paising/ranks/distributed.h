/* A population on all ranks: what each of them has of it, and what all of them do together for each verb of the engine
 * that rank 0 sees. Every function here is called by all ranks, with the same numbers; pointers to what comes from
 * the program, or goes there, are rank 0's alone. */
#ifndef PAISING_DISTRIBUTED_H
#define PAISING_DISTRIBUTED_H

#include "engine/partition.h"
#include "engine/stepper.h"
#include "world.h"

/* What each rank says of its families, before those that stand on several ranks are joined. */
typedef struct {
    uint64_t families, family_squares;
    family_run edge[2];
    uint64_t failed; /* 1: its report is not whole */
} rank_families;

/* Levels first .. end - 1. */
typedef struct {
    size_t first, end;
} level_range;

/* What all ranks know of the energy levels of their populations together. */
typedef struct {
    level_range occupied; /* by the last report */
    level_range guessed;  /* by the next one, at most, as all ranks guess */
    level_range counted;  /* whose replicas were added up last */
} distributed_levels;

/* The sums of the last report but those of `distributed_levels`, added up on rank 0. */
typedef struct {
    uint64_t *number;        /* [report_numbers] */
    rank_families *families; /* [ranks] */
    bool ready;              /* they are those of the last report */
} distributed_sums;

/* Energies without levels (energies.c). All NULL of energies with levels. */
typedef struct {
    /* [ranks] rank 0: energies in the report of a rank; whether it must explain itself */
    int (*count)[2];
    int *sent;       /* [ranks] rank 0: those energies, */
    int *first;      /* and where they stand in the lists below */
    int all;         /* rank 0: energies in these lists */
    int here;        /* energies in this rank's list */
    bool unread;     /* the lists are those of the population: tau-hat of them was not sent yet */
    int64_t *energy; /* [capacity] rank 0: of one rank after the other, each rising */
    uint32_t *replicas; /* likewise: how many have it */
    uint32_t *level;    /* likewise: which level it is of the whole population */
    uint32_t *order;    /* likewise: their numbers by energy */
    uint64_t *tau_hat;  /* likewise */
} distributed_energies;

/* Memory of messages to and from ranks below and above (migration.h). */
typedef struct {
    struct migration_message *out[2], *in[2];
    struct peer_memory *peer[2]; /* through which GPUs of the host read spins; NULL: none do */
    uint32_t *packed[2]; /* [MIGRATION_CHILDREN] places of the parents that are packed, pinned */
    parent_list remote;  /* [remote_room] of children whose parents come from other ranks, pinned */
    uint64_t remote_room;
} distributed_messages;

/* Groups of replicas at temperatures of their own (groups.c), each on one rank. */
typedef struct {
    engine_group *all; /* [count] as rank 0 has sent them */
    size_t count;
    uint64_t replicas; /* of the population when they were sent */
    size_t first;      /* the first group of this rank */
    engine_group *own; /* [own_count] its groups, by the places of its replicas */
    size_t own_count;
} distributed_groups;

/* Replicas in a row. */
typedef struct {
    uint8_t *spins; /* [room], packed */
    uint32_t *families;
    uint64_t room;
} replica_row;

/* Parents that are given (given.c). NULL where the engine holds one population. */
typedef struct {
    uint32_t *parent; /* [capacity] of all children, by number; then of this rank's, by place */
    uint8_t *moves;   /* [capacity] 1: the replica has its parent, or a child, on another rank */
    uint32_t *at;     /* [most] where replicas of this rank are in `here` */
    replica_row here, out, in; /* of populations of which replicas move; what leaves; what comes */
    int *number[2], *first[2]; /* [LEAVE, COME][ranks] to and from each rank: how many, and where */
} distributed_given;

/* Walks (walk.c). */
typedef struct {
    walk_window *window; /* those of rank 0; then what this share has of them */
    uint32_t *threshold; /* [rows][changes] of all windows */
    uint64_t *visits;    /* [rows] */
    uint32_t *extremes;  /* [2][replicas here] */
    uint64_t rows;       /* levels of all windows */
} distributed_walks;

typedef struct {
    engine base;       /* rank 0: what the program sees */
    uint32_t number;   /* of it, among those that there have been */
    char name[340];    /* of it */
    engine *local;     /* this rank's, */
    stepper steps;     /* and its steps, with the report of the share that is here */
    uint64_t unit;     /* replicas that shares consist of */
    uint64_t capacity; /* of the whole population */
    uint64_t group;    /* replicas of each population, if there are several; else 0 */
    uint64_t most;     /* capacity of the local engine */
    resampling_rule rule;
    uint64_t replicas; /* R_i of the whole population */
    distributed_levels levels;
    distributed_energies energies;
    distributed_sums sums;
    distributed_messages messages;
    distributed_groups groups;
    distributed_given given;
    distributed_walks walks;
    flip_rule rule_ahead;   /* of the next step, as rank 0 has sent it */
    uint64_t *tau_hat;      /* [levels] of the step at hand */
    uint64_t *ends;         /* [ranks] children of all parents up to those of a rank */
    step_parts parts;       /* of the step at hand, */
    bool in_groups;         /* it is of groups, */
    bool of_one_group;      /* rank 0: the program's has one, which is the population, */
    engine_status selected; /* and what came of its selection */
    char wrong[200];        /* what has failed here; empty: nothing has */
} distributed_engine;

/* Where the share of a rank begins in a population; rank `count` begins at its end. */
static inline uint64_t share_begin(uint64_t population, uint64_t unit, uint64_t rank,
                                   uint64_t count) {
    const uint64_t units = (population + unit - 1) / unit;
    const uint64_t begin = units * rank / count * unit;
    return begin < population ? begin : population;
}

/* A range of replicas, or of their children. */
typedef struct {
    uint64_t begin, end;
} rank_range;

static inline rank_range range_common(rank_range a, rank_range b) {
    const uint64_t begin = a.begin > b.begin ? a.begin : b.begin;
    const uint64_t end = a.end < b.end ? a.end : b.end;
    return (rank_range){begin, end > begin ? end : begin};
}

static inline uint64_t range_size(rank_range r) {
    return r.end - r.begin;
}

/* The share of a rank of a population of so many; the rank that has a replica; and how many replicas are here. */
rank_range distributed_share(const distributed_engine *e, uint64_t population, uint64_t rank);
uint32_t distributed_rank_of(const distributed_engine *e, uint64_t replica);
uint64_t distributed_own(const distributed_engine *e);

/* Messages to ranks below and above have memory of their own: that of one rank for another. */
enum { BELOW, ABOVE };

static inline int distributed_side(int here, int there) {
    return there > here ? ABOVE : BELOW;
}

/* What is seen for spins that go from one rank to another, one of the two being this one; NULL: they are sent. And where those of
 * rank `from` stand in it, NULL likewise. */
const struct peer_memory *distributed_peer_memory(const distributed_engine *e, int from, int to);
uint8_t *distributed_peer_spins(const distributed_engine *e, int from, int to);

/* Notes what a verb of the local engine says, if it failed, the first time. Returns whether all is well here. */
bool distributed_check(distributed_engine *e, engine_status status);

/* Adds the time since `start` to where it went. Returns what the clock says now. */
double distributed_time(distributed_engine *e, distributed_phase where, double start);

/* Sees to room for the parents of so many children that come from other ranks; what stands there is lost. Returns whether
 * there is memory for it. */
bool distributed_reserve_remote(distributed_engine *e, uint64_t children);

/* Says on rank 0, in base.error, what is wrong on the first rank where something is. */
engine_status distributed_agree(distributed_engine *e);

/* The same; and what signal a rank was sent is pending on all of them. */
engine_status distributed_meet(distributed_engine *e);

/* Tells the local engine which share of a population of so many it holds from now on, and has it make room for remote parents in
 * advance, where memory is ample, and their ways awake. */
void distributed_hold(distributed_engine *e, uint64_t population);

/* --- the verbs (engine.h, async.h), which all ranks make together --- */

/* Creates this rank's part. Returns false, with the reason in reason[size], without memory or a local engine. */
bool distributed_create(distributed_engine *e, uint32_t number, const engine_config *config,
                        int device, const rank_maker *maker, char *reason, size_t size);
void distributed_destroy(distributed_engine *e);

/* Fills needs[] of the ranks with the memory that their parts take. */
void distributed_describe(const engine_config *config, int device, const rank_maker *maker,
                          rank_needs needs[]);

/* A step is `start`, then `finish` with what decides the next one, then `complete` with the rest of its report. */
void distributed_randomise(distributed_engine *e, stream_key key, uint64_t replicas);
void distributed_start(distributed_engine *e, const engine_step *step);
engine_status distributed_finish(distributed_engine *e, histogram out[]);
engine_status distributed_complete(distributed_engine *e, histogram *out);
engine_status distributed_read_levels(distributed_engine *e, uint64_t first, uint64_t count,
                                      uint32_t *levels);
engine_status distributed_read_energies(distributed_engine *e, uint64_t first, uint64_t count,
                                        int64_t *energies);
engine_status distributed_save(distributed_engine *e, uint64_t first, uint64_t count,
                               uint8_t *spins, uint32_t *families);
engine_status distributed_load(distributed_engine *e, uint64_t first, uint64_t count,
                               uint64_t replicas, const uint8_t *spins, const uint32_t *families);
engine_status distributed_pass_file(distributed_engine *e, const engine_file *file,
                                    engine_file_outcome *out);
engine_status distributed_overlaps(distributed_engine *e, overlap_sums *out);
engine_status distributed_group_overlaps(distributed_engine *e, uint64_t first, uint64_t count,
                                         overlap_sums *out);

/* Collects on rank 0 a number of each replica: own[] of this rank's, all[] of all; all is NULL elsewhere (copies.c). */
void distributed_collect(distributed_engine *e, uint32_t own[], uint32_t all[]);

/* Selects: the children of all parents get to the ranks whose share they belong to (exchange.c). */
engine_status distributed_select(distributed_engine *e, const engine_step *step);

/* --- groups (groups.c) --- */

/* On rank 0: whether no group is divided among ranks. If not, says so in base.error. */
bool distributed_groups_are_whole(distributed_engine *e, const engine_step *step);

/* Sends group[count] of rank 0 to all ranks, for the steps that follow. */
void distributed_take_groups(distributed_engine *e, const engine_group *group, size_t count);

/* After a step of groups: their reports on rank 0, out[groups]. */
engine_status distributed_report_groups(distributed_engine *e, histogram out[]);

void distributed_destroy_groups(distributed_engine *e);

/* --- given parents (given.c) --- */

/* Allocates the memory for them. Returns false without memory. Its bytes on a rank that has `own` replicas. */
bool distributed_create_given(distributed_engine *e);
void distributed_destroy_given(distributed_engine *e);
uint64_t given_bytes(const engine_config *config, uint64_t own);

/* On rank 0: whether ranks can exchange these parents. If not, says so in base.error. */
bool distributed_parents_fit(distributed_engine *e, const engine_step *step);

/* Exchanges the replicas whose places the children of others take. Returns the parents of this rank's children, by place. */
const uint32_t *distributed_exchange(distributed_engine *e, const uint32_t parents[]);

/* --- walks (walk.c) --- */

/* Makes a walk of rank 0; NULL elsewhere. And the bytes that it needs, likewise. */
engine_status distributed_walk(distributed_engine *e, const engine_walk *walk);
void distributed_destroy_walks(distributed_engine *e);
uint64_t walk_bytes(const engine_config *config, uint64_t own);

/* --- the reports of all ranks as one (report.c) --- */

/* Adds up on rank 0 how many replicas each level has, over the levels that all ranks guess to be occupied. */
void distributed_count(distributed_engine *e);

/* On rank 0: whether the counts are all. If not, a rank has failed, was stopped by a signal, or has other levels. */
bool distributed_is_counted(const distributed_engine *e);

/* What else there is: failures, signals, and levels that were not expected, which are then counted again. */
engine_status distributed_explain(distributed_engine *e);

/* Makes rank 0's report of the counts, and broadcasts which levels are occupied. */
void distributed_report(distributed_engine *e, histogram *out);

/* Sets the occupied levels of the last report on this rank. */
void distributed_set_occupied(distributed_engine *e, level_range occupied);

/* Adds up on rank 0 the other sums of the last report, unless that was done; and how many numbers they are. */
void distributed_sum(distributed_engine *e);
uint64_t report_numbers(const energy_levels *levels);

/* --- the same of energies without levels, whose lists rank 0 merges (energies.c) --- */

/* Allocates the lists. Returns false without memory. */
bool distributed_create_energies(distributed_engine *e);
void distributed_destroy_energies(distributed_engine *e);
uint64_t distributed_energies_bytes(const engine_config *config);

bool distributed_has_energies(const distributed_engine *e);
void distributed_count_energies(distributed_engine *e);
bool distributed_energies_are_counted(const distributed_engine *e);
void distributed_report_energies(distributed_engine *e, histogram *out);

/* Copies the sums of E^2 over blocks to numbers that ranks may add up, or back. Returns how many they are. */
#define SQUARE_NUMBERS 3 /* of a sum */
size_t distributed_pack_squares(const histogram *h, uint64_t *number);
size_t distributed_unpack_squares(histogram *h, const uint64_t *number);

/* Gathers on rank 0 the other sums of levels of all ranks, in sums.number from number `at` on; and puts them into its report. */
void distributed_sum_energies(distributed_engine *e, size_t at);
void distributed_complete_energies(distributed_engine *e, size_t at, histogram *out);

/* Sends each rank tau-hat of its own list, out of tau_hat[levels] of rank 0's report, as e->tau_hat. */
void distributed_send_tau_hat(distributed_engine *e, const uint64_t *tau_hat);

/* On rank 0: replaces levels[count] of rank `from` by those of rank 0's report. */
void distributed_name_levels(const distributed_engine *e, uint32_t from, uint64_t count,
                             uint32_t levels[]);

/* --- tables of flips (tables.c) --- */

/* On the other ranks: makes the tables that *rule of rank 0 points to, and has *rule point to them. NULL where there is no memory,
 * which the step then says. */
void distributed_take_tables(const distributed_engine *e, flip_rule *rule);

/* --- families --- */

/* What `all` becomes of a sum over families, of f(members) each, which the ranks have made of those that they see:
 * families that stand on several ranks are one. On rank 0, of the last report, whose sums were made. */
typedef uint64_t family_number(uint64_t members);
uint64_t distributed_join_families(const distributed_engine *e, uint64_t all, family_number *f);

#endif
