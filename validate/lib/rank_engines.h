/* Engines of ranks (ranks/ranks.h), as a plan has them: sound ones; with a fault or that fail (rank_plans.h); such that let all
 * they may wait (rank_late.h); on GPUs (rank_gpu.h). */
#ifndef PAISING_RANK_ENGINES_H
#define PAISING_RANK_ENGINES_H

#include "engine/capacity.h"
#include "validate/lib/rank_gpu.h"
#include "validate/lib/rank_late.h"

#include <inttypes.h>
#include <sys/resource.h>

/* Leaves this process next to no address space, or gives it back what it had. */
static inline void crowd(bool crowded) {
    static struct rlimit usual;
    struct rlimit low;
    uint64_t pages = 0;
    if (usual.rlim_max == 0)
        assert_int_equal(getrlimit(RLIMIT_AS, &usual), 0);
    low = usual;
    FILE *const file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%" SCNu64, &pages), 1);
    fclose(file);
    low.rlim_cur = pages * (uint64_t)sysconf(_SC_PAGESIZE) + (UINT64_C(256) << 10);
    assert_int_equal(setrlimit(RLIMIT_AS, crowded ? &low : &usual), 0);
}

/* What the reports of seven such ranks add up to just fits into 64 bits: all replicas descend from one founder. */
#define MUCH_MEMBERS UINT64_C(600000000)
#define MUCH_TAU_HAT ((UINT64_C(1) << 61) + (UINT64_C(5) << 32) + 7)
#define MUCH_Q_LOW   ((UINT64_C(1) << 61) + UINT32_MAX)
#define MUCH_Q_HIGH  11

static inline engine_status count_much(engine *e, const engine_step *step, histogram *out) {
    const engine_status status = true_engine_verbs->step(e, step, out);
    out->edge[0] = out->edge[1] = (family_run){7, MUCH_MEMBERS};
    out->families = 1;
    out->family_squares = MUCH_MEMBERS * MUCH_MEMBERS;
    for (size_t b = 0; b < POPULATION_BLOCKS; b++)
        out->parent[b] = (parent_sums){MUCH_MEMBERS, MUCH_TAU_HAT};
    out->first = 0;
    out->level[0] = (level_sums){MUCH_MEMBERS, .q_low = MUCH_Q_LOW, .q_high = MUCH_Q_HIGH};
    return status;
}

static int ready_for = SOUND; /* the last plan that the rank got ready for */

static inline void get_ready(int plan) {
    ready_for = plan;
}

/* The maker of every rank. Failures are the last rank's. */
static inline engine *make_planned(const engine_config *config, int plan, char *reason,
                                   size_t size) {
    static struct partition_verbs faulty;
    static struct engine_verbs faulty_engine;
    const rank_world world = ranks_world();
    crowd(false);
    has_rules = NULL;
    if (plan == READY && world.rank > 0 && ready_for != READY) {
        snprintf(reason, size, "not ready");
        return NULL;
    }
    if (plan == NO_MEMORY && world.rank + 1 == world.count) {
        snprintf(reason, size, "planted: no memory");
        return NULL;
    }
    if (plan == ON_GPUS || (plan == MIXED && world.rank % 2 == 0))
        return make_on_gpu(config, reason, size);
    const bool fails = (plan >= FAILS_TO_PUT && plan <= COUNTS_TOO_MANY) ||
                       plan == FAILS_TO_WRITE || plan == FAILS_TO_WALK;
    engine *const e = engine_cpu_create(config);
    if (plan == CROWDED && world.rank + 1 == world.count)
        crowd(true);
    if (e == NULL || (fails && world.rank + 1 < world.count))
        return e;
    true_engine_verbs = e->verbs;
    true_verbs = e->verbs->partition;
    faulty_engine = *e->verbs;
    faulty_engine.partition = &faulty;
    faulty = *e->verbs->partition;
    faulty.put = plan == LOSES_ONE ? lose_one : faulty.put;
    faulty.assign = watch_assignment;
    faulty.attach = plan == DOUBLES_ONE ? double_one : faulty.attach;
    faulty.parents = plan == WRONG_FAMILY ? mistake_family : faulty.parents;
    faulty.hold = plan == WRONG_ORIGIN ? hold_others : faulty.hold;
    fail_to(&faulty, plan);
    walk_wrongly(&faulty_engine, &faulty, plan);
    if (plan == KEEPS_BOUNDARY || plan == FAILS_TO_WRITE)
        faulty_engine.write = plan == KEEPS_BOUNDARY ? keep_replicas : fail_to_write;
    if (plan == EARLIER_RULES)
        faulty_engine.step = step_by_earlier_rules;
    if (plan == COUNTS_MUCH)
        faulty_engine.step = count_much;
    if (plan == FAILS_TO_COMPLETE)
        faulty_engine.async = &fails_to_complete;
    has_peers = false;
    if (plan >= LATE && plan <= PEERS) {
        be_late(&faulty);
        faulty_engine.step = step_late;
    }
    if (plan >= ONE_IS_NONE && plan <= PEERS)
        see_peers(&faulty, plan);
    e->verbs = &faulty_engine;
    return e;
}

static const rank_maker maker = {get_ready, make_planned, NULL};

/* Claims that a text names the last rank, and says what failed there. */
static inline void claim_named(const char *text, const char *what) {
    char expected[300];
    snprintf(expected, sizeof expected, "rank %u: %s", (unsigned)ranks_world().count - 1, what);
    assert_string_equal(text, expected);
}

#endif
