/* Microcanonical annealing (estimate/ceilings.h; N. Rose, J. Machta, Phys. Rev. E 100, 063304, 2019): what its runs, its files and its
 * checkpoint share. */
#ifndef PAISING_MICROCANONICAL_H
#define PAISING_MICROCANONICAL_H

#include "base/message.h"
#include "engine/stepper.h"
#include "estimate/ceilings.h"
#include "files/result_folder.h"
#include "settings/parameters.h"
#include "spin_reader.h"

/* Where the run at hand is. */
typedef struct {
    bool begun;
    uint64_t replicas; /* of the population, in a checkpoint */
    uint32_t step;     /* of this run */
    size_t most;       /* the ceiling */
    size_t next;       /* the one below, when looks > 0 or a step has found it */
    double ln_states;  /* ln Omega of the ceiling */
    double largest;    /* of ln Omega - beta_end E so far */
    size_t rising;  /* number of the ceiling that is left upwards, by heating; 0: ceilings fall */
    uint32_t looks; /* at the population, for the part of it that is below a ceiling */
    uint64_t left, last; /* replicas below that ceiling in all of these looks; in the last one */
} ceiling_position;

/* What --spin-observables adds; reader.count 0: nothing. */
typedef struct {
    spin_reader reader;
    double *value;          /* [replicas][reader.count] of the population at hand, */
    uint32_t *level;        /* [replicas] */
    reweighting_level *sum; /* [runs][reader.count][levels] of N times the observable */
} ceiling_spins;

/* Columns of these: mean, mean square and mean fourth power of each, and with errors theirs. */
#define SPIN_MOMENTS      3
#define SPIN_COLUMNS_MOST (2 * SPIN_MOMENTS * SPIN_OBSERVABLES_MOST)
typedef struct {
    char name[20], meaning[120];
} spin_column;

typedef struct {
    const parameters *given;
    stepper steps;
    uint64_t *tau_hat; /* [levels] */
    ceiling_run *run;  /* [runs] */
    ceiling_spins spins;
    uint64_t runs; /* complete */
    ceiling_position at;
    uint64_t taken; /* steps of all runs */
    uint64_t stuck; /* runs that ended because no replica found its way below a ceiling */
    uint64_t parts; /* of the simulation, with this one */
    double start;   /* of this part */
    double before;  /* seconds of the parts before */
    double saved;   /* when the last checkpoint was written */
    bool checkpoint_failed;
    double step_seconds; /* of the last step; INFINITY: none was made */
    bool gave_up;        /* the step under way (engine_step.stop) */
    int interrupted;
    char failure[300];
} ceiling_annealer;

/* Writes all files of the complete runs, at least one; folder->note says what is missing. `state` is the annealer. */
exit_status microcanonical_write(result_folder *folder, void *state);

/* The rows of the complete runs. Returns how many there are; *scattered: at how many of them ln Z scatters too much over the runs (ceilings_variance),
 * *largest: its largest variance, nan of one run. */
size_t microcanonical_scatter(const ceiling_annealer *a, size_t *scattered, double *largest);

/* Writes given->checkpoint, or reads given->resume: the runs, and the population between two steps. They return what checkpoint_write and checkpoint_read do. */
exit_status microcanonical_save(ceiling_annealer *a);
exit_status microcanonical_resume(ceiling_annealer *a);

/* --- microcanonical_spins.c --- */

/* Makes room for the observables of spins; and its bytes. Returns false without memory. */
bool microcanonical_spins_create(ceiling_annealer *a);
void microcanonical_spins_destroy(ceiling_annealer *a);
uint64_t microcanonical_spins_bytes(const parameters *p, const spin_model *m);

/* Adds those of the population at hand to the sums of the run at hand. */
engine_status microcanonical_spins_add(ceiling_annealer *a);

/* The sums of a run in a checkpoint. */
bool microcanonical_spins_transfer(section_file *f, ceiling_annealer *a, uint64_t run);

/* Fills *of with a run whose sums of |M| are those of observable number k. It shares its arrays, and is not to be destroyed. */
void microcanonical_spins_of_run(const ceiling_annealer *a, uint64_t run, size_t k,
                                 ceiling_run *of);

/* Fills column[] with names and meanings. Returns how many there are. */
size_t microcanonical_spins_columns(const ceiling_annealer *a, bool errors,
                                    spin_column column[SPIN_COLUMNS_MOST]);

#endif
