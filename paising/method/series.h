/* Methods that keep R replicas at each of fixed temperatures, and measure them again and again: what such a method adds, and the
 * driver that they share. A step is theta sweeps and a measurement; the first `thermalisation` steps are not measured. */
#ifndef PAISING_SERIES_H
#define PAISING_SERIES_H

#include "engine/profiles.h"
#include "engine/stepper.h"
#include "estimate/energy_counts.h"
#include "estimate/measurements.h"
#include "estimate/series_rows.h"
#include "estimate/structure.h"
#include "method.h"
#include "step_pauses.h"

typedef struct series series;

/* Functions may be NULL, except for what the comments say. Those that return bool say in s->failure what is wrong. */
typedef struct {
    size_t state_bytes; /* of s->state, zeroed at first */

    /* Makes what the state needs, after the temperatures and groups are known. Returns false without memory. */
    bool (*create)(series *s);
    void (*destroy)(series *s);

    /* Completes the next step, which sweeps and measures each group at its temperature: changes the rules of s->group, or adds
     * PART_SELECT with parents. The levels of the replicas at hand can be read from the engine. */
    bool (*next)(series *s, engine_step *step);

    /* Instead of `next`, where steps are rounds of a plan that `create` gave the stepper: completes the next round. `exchanged`
     * records the exchanges of the round that has ended, s->taken - 1. With `ahead` the next one is begun before that, and before the
     * measurement is recorded, so that engine and host work at the same time. */
    bool (*next_round)(series *s, engine_round *round);
    void (*exchanged)(series *s);
    bool (*ahead)(const series *s);

    /* Records more of the replicas at hand, after each measurement, which is s->record.count - 1. */
    bool (*measured)(series *s);

    /* Widens errors of rows, row[temperatures of a run] of run number `run`, or of the averages over all s->runs, and takes trust from them.
     * Returns false without memory. `warn` says at the end why. */
    bool (*judge)(const series *s, size_t run, series_row row[]);
    void (*warn)(const series *s);

    /* Its section of a checkpoint. Returns false on failure (section_file.h). */
    bool (*transfer)(section_file *f, series *s);

    /* Its files, beside the rows and the series. */
    exit_status (*write)(const series *s, result_folder *folder);
} series_method;

#define SERIES_FAILURE_SIZE 300

struct series {
    const parameters *given;
    const series_method *way;
    bool is_part;     /* of a result of several samples */
    void *state;      /* the method's own */
    spin_model model; /* the lattice, of which a replica of the engine may be a stripe */
    stepper steps;    /* of its engine */
    uint32_t *unsatisfied,
        *up; /* [temperatures R][stripes] of stripes (engine.h, read_stripes); NULL: it has none */
    structure_waves waves; /* of --correlation-length; else empty, and the next two likewise */
    profile_room room;
    uint32_t *profiles; /* [temperatures][replicas][planes] */
    size_t
        temperatures; /* of all runs: those of run r are numbers r K .. (r + 1) K - 1, K of each run */
    size_t runs;
    uint64_t replicas;         /* of the engine, at each of them: R, or R times the stripes */
    measurement *now;          /* [temperatures] the last one */
    double *beta;              /* [temperatures] */
    engine_group *group;       /* [temperatures], `replicas` each */
    uint32_t taken;            /* steps made */
    measurement_series record; /* the measurements */
    uint32_t parts;            /* 1, and one more for each time that it was resumed */
    double earlier;            /* seconds of earlier parts */
    double start;              /* of this part (clock.h) */
    checkpoint_times checkpoints;
    size_t doubtful;                   /* rows that are not trusted */
    int interrupted;                   /* the signal that ended it; 0: none */
    bool due;                          /* a checkpoint, before the next step */
    double looked_at;                  /* when that was last found out */
    double step_seconds;               /* of the last step; INFINITY: none was made */
    const int *stop;                   /* of the step under way (long_step_enter) */
    char failure[SERIES_FAILURE_SIZE]; /* what ended it; empty: nothing */
};

/* Notes what ends the series, unless something has ended it before. Returns false. */
bool series_fail(series *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a series begins with: parameters, an engine and the folder of its result; and when it began (clock.h). */
typedef struct {
    const parameters *given;
    engine *worker;
    result_folder *folder;
    double begun;
} series_start;

/* Runs `count` series side by side, step by step, whose engines make their steps together (sample_lanes.h); or one. Statuses and *signal
 * are those of method.run. */
exit_status series_run_together(const series_start start[], size_t count,
                                const engine_pool *engines, const series_method *way, int *signal);

/* method.run and method.bytes of such a method. */
exit_status series_run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       const series_method *way, int *signal);
memory_share series_bytes(const parameters *p);

/* Fills s->now from what the last step reports. */
engine_status series_measure(series *s);

/* The key of the random numbers. */
stream_key series_key(const series *s);

/* The sections of a checkpoint: written, or read from p->resume. Return a status after a line on stderr, as checkpoint.h says. */
exit_status series_save(series *s);
exit_status series_resume(series *s);

/* Makes the multi-histogram analysis of what was counted at the temperatures of one run, and writes its rows on a grid. The bins are the
 * levels of `model`. Without energies in common it warns, and writes nothing. */
exit_status series_write_reweighted(const series *s, const block_counts *counts,
                                    const spin_model *model, const beta_grid *grid,
                                    result_folder *folder);

/* Writes the results so far. Returns STATUS_OK, or STATUS_FAILED after a line on stderr. */
exit_status series_publish(series *s, result_folder *folder);

#endif
