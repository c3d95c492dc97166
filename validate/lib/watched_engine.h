/* SSC engines of a small square lattice that are watched from behind their interface, how their steps are made side by side; and
 * fail where they are told to. */
#ifndef PAISING_WATCHED_ENGINE_H
#define PAISING_WATCHED_ENGINE_H

#include "base/clock.h"
#include "engine/async.h"
#include "engine/capacity.h"
#include "settings/parameters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* When a run fails: as a step is finished, or started, or its report completed. */
enum { AT_FINISH, AT_START, AT_COMPLETION };

/* And where: the first population is number 0. */
typedef struct {
    uint32_t run;
    uint32_t temperature;
    int when;
    engine_status status;
} planted_end;

static const planted_end no_end = {.run = UINT32_MAX};
#define EVERY_RUN (UINT32_MAX - 1)

typedef struct {
    engine face; /* what the annealing sees */
    engine *inner;
    const parameters *given;
    planted_end end;
    uint32_t run, temperature, expected; /* the temperature of the step that is expected, ... */
    uint32_t reported;                   /* and of the report that is to be completed */
    bool begun, whole, sent_off; /* a step was started, not a part of one, and is under way */
    engine_step step;            /* this one */
    bool over;                   /* the run is not to go on */
    double since;                /* when */
} watched;

/* Steps that are started, and were finished since the last start; and that nobody expected. */
static size_t started, finished, most_started, surprises;
static bool in_lock_step; /* no step was started between two that were finished together */

/* What becomes of steps: each part of all that are in flight, then the next. */
typedef enum { STARTED, SENT_OFF, FOLLOWED, BESIDE, FINISHED } step_part;
static step_part last_part;

static inline void note_part(step_part part) {
    const bool next = part == STARTED && started == 0;
    in_lock_step = in_lock_step && (next || part >= last_part);
    last_part = part;
}

static inline bool ends_here(const watched *w, uint32_t temperature, int when) {
    return (w->run == w->end.run || w->end.run == EVERY_RUN) && temperature == w->end.temperature &&
           when == w->end.when;
}

static inline engine_status watched_randomise(engine *self, stream_key key, uint64_t replicas,
                                              histogram *out) {
    watched *const w = (watched *)self;
    for (w->run = 0; w->run < w->given->runs; w->run++) {
        const stream_key other = stream_run_key(w->given->seed, w->run);
        if (memcmp(&key, &other, sizeof key) == 0)
            break;
    }
    w->temperature = 0;
    w->over = false;
    const engine_status status = w->inner->verbs->randomise(w->inner, key, replicas, out);
    return ends_here(w, 0, AT_FINISH) ? w->end.status : status;
}

static inline void watched_hint(engine *self, const engine_step *step) {
    watched *const w = (watched *)self;
    w->expected = step->temperature;
}

static inline engine_status watched_submit(engine *self, const engine_step *step) {
    watched *const w = (watched *)self;
    assert_false(w->begun || w->over);
    if (step->parts == WHOLE_STEP) {
        surprises += w->expected != step->temperature;
        note_part(STARTED);
        w->temperature = step->temperature;
        if (ends_here(w, w->temperature, AT_START)) {
            w->over = true;
            return w->end.status;
        }
        started++;
        most_started = started > most_started ? started : most_started;
    }
    w->begun = true;
    w->whole = step->parts == WHOLE_STEP;
    w->sent_off = !w->whole;
    w->since = clock_seconds();
    w->step = *step;
    return ENGINE_OK;
}

static inline void watched_flush(engine *self) {
    watched *const w = (watched *)self;
    if (w->begun && w->whole)
        note_part(SENT_OFF);
    w->sent_off = true;
}

/* Where the row of a population is made. */
static inline engine_status watched_wait_all(engine *self, histogram *out) {
    watched *const w = (watched *)self;
    if (w->begun && w->whole)
        note_part(FOLLOWED);
    if (!ends_here(w, w->reported, AT_COMPLETION))
        return ENGINE_OK;
    memset(out->block, 0, sizeof out->block); /* which cannot be averaged */
    return w->end.status;
}

static inline engine_status watched_wait(engine *self, histogram *out) {
    watched *const w = (watched *)self;
    assert_true(w->begun && w->sent_off);
    if (w->whole)
        note_part(FINISHED);
    w->begun = false;
    engine_status status = w->inner->verbs->step(w->inner, &w->step, out);
    w->reported = w->temperature;
    if (status == ENGINE_OK && ends_here(w, w->temperature, AT_FINISH))
        status = w->end.status;
    w->over = status != ENGINE_OK;
    w->face.seconds[STAGE_STEP] += clock_seconds() - w->since;
    if (started > 0 && ++finished == started)
        started = finished = 0;
    return status;
}

static inline engine_status watched_read(engine *self, uint64_t first, uint64_t count,
                                         uint8_t *spins, uint64_t *families) {
    engine *const e = ((watched *)self)->inner;
    return e->verbs->read(e, first, count, spins, families);
}

static inline engine_status watched_write(engine *self, uint64_t first, uint64_t count,
                                          uint64_t replicas, const uint8_t *spins,
                                          const uint64_t *families) {
    engine *const e = ((watched *)self)->inner;
    return e->verbs->write(e, first, count, replicas, spins, families);
}

static inline engine_status watched_step(engine *self, const engine_step *step, histogram *out) {
    const engine_status status = watched_submit(self, step);
    return status == ENGINE_OK ? watched_wait(self, out) : status;
}

/* The inner engine goes where the test has it destroyed. */
static inline void watched_destroy(engine *self) {
    engine *const e = ((watched *)self)->inner;
    e->verbs->destroy(e);
}

static const struct engine_async_verbs watched_async = {.submit = watched_submit,
                                                        .hint = watched_hint,
                                                        .flush = watched_flush,
                                                        .wait = watched_wait,
                                                        .wait_all = watched_wait_all};

static const struct engine_verbs watched_verbs = {.randomise = watched_randomise,
                                                  .step = watched_step,
                                                  .read = watched_read,
                                                  .write = watched_write,
                                                  .destroy = watched_destroy,
                                                  .async = &watched_async};

static inline void watch(watched *w, const parameters *p, planted_end end) {
    const engine_config config = {.coding = p->coding,
                                  .model = square_model(p->size.edge[0]),
                                  .capacity = population_capacity(p->population, p->word),
                                  .word = p->word};
    engine *const e = engine_cpu_create(&config);
    assert_non_null(e);
    *w = (watched){.face = *e, .inner = e, .given = p, .end = end};
    w->face.seconds[STAGE_STEP] = 0;
    w->face.verbs = &watched_verbs;
}

static inline void forget_steps(void) {
    started = finished = most_started = surprises = 0;
    in_lock_step = true;
    last_part = FINISHED;
}

#endif
