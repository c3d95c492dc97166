/* Flat-histogram methods: R walkers in each of some windows of the energy, with common weights W of the levels that make the histogram
 * flat (engine/walk.h), and the driver that they share. The weights are found in steps of theta sweeps, as the method says. Then they are
 * fixed: behind the thermalisation come as many steps as there are measurements, whose histogram gives g(E) = H(E) / W(E). Behind each
 * of these the order parameter of every walker is measured: its mean at an energy does not depend on the weights. */
#ifndef PAISING_FLAT_H
#define PAISING_FLAT_H

#include "engine/stepper.h"
#include "estimate/reweighting.h"
#include "method.h"
#include "spin_reader.h"
#include "step_pauses.h"

#define FLAT_GROUPS       32 /* the measurements are divided into, at most, for errors */
#define FLAT_FAILURE_SIZE 300

/* Some levels, and the walkers first .. first + R - 1 there. */
typedef struct {
    uint32_t lowest, levels;
    double *ln_w;        /* [levels] */
    bool *seen;          /* [levels] by a walker */
    uint64_t *block;     /* [levels] visits of the last walk, */
    uint64_t *visits;    /* [levels] and of the iteration */
    uint32_t *threshold; /* [levels][changes] of these weights */
    double *made_of;     /* [levels] the weights that thresholds were last made of; NAN: of none */
    double ln_f;         /* of Wang-Landau */
    uint64_t attempts;   /* of all walkers here, since the weights began */
    bool by_time;        /* ln f is 1/t */
    uint32_t iteration;  /* number of this one, from 1 */
    uint64_t exchanges;  /* with walkers of the next window, with fixed weights, */
    uint64_t accepted;   /* of these */
    bool ready;          /* the weights do not change any more */
} flat_window;

/* A line of the diary of the weights. */
typedef struct {
    double window, iteration, steps; /* number of the window; of the iteration; steps so far */
    double levels, lowest;           /* levels seen, and the lowest of them */
    double divergence, flatness;     /* of the histogram of the iteration */
    double ln_f;                     /* in it; 0: the weights were fixed */
    double ready;
} flat_iteration;

/* What --record walkers and states keep of production: where each walker is behind each measurement, what its spins say
 * (estimate/spin_observables.h), and with `states` the spins. */
typedef struct {
    spin_reader reader;
    uint32_t *level;  /* [measurements][replicas]; NULL: nothing is kept, */
    uint32_t *walker; /* of that place, */
    double *value;    /* [measurements][replicas][reader.count], */
    uint8_t *spins;   /* [measurements][replicas][packed bytes]; NULL: without them */
} flat_record;

typedef struct flat flat;

/* What a method adds. */
typedef struct {
    bool
        blocks; /* a walk has --block-attempts attempts while weights are found, not as many as the step */

    /* Changes the weights of a window that is not ready, behind each walk; NULL: it does not. */
    void (*walked)(const flat *f, flat_window *w);

    /* Ends a step in which weights were to be found: changes them, or marks windows as ready. Returns false without memory. */
    bool (*stepped)(flat *f);
} flat_method;

struct flat {
    const parameters *given;
    const flat_method *way;
    stepper steps;       /* of its engine */
    uint32_t changes;    /* walk_changes */
    walk_change *change; /* [kinds] those that an attempt can make, with levels up */
    size_t kinds;
    bool from_lowest,
        to_highest;         /* whether it has the lowest level that there is, and the highest one */
    bool *occurs;           /* [levels of the model] may have states */
    size_t windows, rows;   /* rows: levels of all windows */
    flat_window *window;    /* [windows] */
    walk_window *walks;     /* [windows] the same for the engine */
    double *ln_w, *made_of; /* [rows] what the windows point to, and so on */
    bool *seen;
    uint64_t *block, *visits;
    uint32_t *threshold;
    uint64_t *counts;       /* [FLAT_GROUPS][rows] visits in the groups of measurements */
    reweighting *order;     /* [FLAT_GROUPS] of walkers behind their steps; NULL: disordered */
    uint64_t replicas;      /* R in all windows */
    uint32_t *least, *most; /* [replicas] of the last walk */
    uint64_t *piece;        /* [rows] visits of a piece of a walk; and of that the next two */
    uint32_t *piece_least, *piece_most;
    uint32_t *level, *parent,
        *walker;            /* [replicas] of exchanges; the number of the walker that is here */
    uint8_t *way_of;        /* [replicas] of each walker between the ends of the energy */
    uint64_t round_trips;   /* those that end in measured steps */
    uint32_t walk;          /* number of the last one, or of that under way */
    uint32_t made;          /* attempts of that under way, of each walker; 0: none is */
    uint64_t left;          /* attempts of the step under way; 0: none is */
    double attempt_seconds; /* of the last piece; 0: not known */
    const int *stop;        /* of the step under way (long_step_enter) */
    uint32_t taken;         /* steps in all, */
    uint32_t searched, in_iteration; /* while weights were found; of this iteration, */
    uint32_t length;                 /* of which so many count behind the thermalisation */
    uint64_t known;                  /* levels of all windows that were seen before it */
    uint32_t produced;               /* with fixed weights */
    bool found;                      /* the search for weights is over */
    double discovered;               /* when a walker came to a level that no other had seen */
    bool said;                       /* what weights wait for */
    flat_record record;              /* of production */
    flat_iteration *diary;           /* [noted], with room for more */
    size_t noted, room;
    uint32_t parts;
    double earlier, start;
    checkpoint_times checkpoints;
    int interrupted;
    char failure[FLAT_FAILURE_SIZE];
};

/* Notes what ends the simulation, unless something has before. Returns false. */
bool flat_fail(flat *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* method.run and method.bytes of such a method. */
exit_status flat_run(const parameters *p, const engine_pool *engines, result_folder *folder,
                     const flat_method *way, int *signal);
memory_share flat_bytes(const parameters *p);

/* The key of the random numbers. */
stream_key flat_key(const flat *f);

/* Whether the engine did its work; if not, notes why. */
bool flat_engine_did(flat *f, engine_status status);

/* Whether the step under way is measured. */
bool flat_measures(const flat *f);

/* --- flat_windows.c --- */

/* Whether the windows have all levels. If not, ln g is known but for a constant. */
bool flat_has_all(const flat *f);

/* Divides the levels of the range into windows. Returns false without memory. */
bool flat_windows_create(flat *f);
void flat_windows_destroy(flat *f);

/* Draws the states that the walkers begin with, each in its window. With one window of all levels they are random; else they are driven
 * there from ordered states, or of a glass or a graph from random ones. */
bool flat_windows_begin(flat *f);

/* Makes a walk of `attempts` attempts, or the rest of that under way, in pieces; and notes which levels were seen. Where a piece ends at a
 * stop, f->made says how much of the walk there is. */
bool flat_walk(flat *f, uint32_t attempts);

/* Whether the step under way is to pause. */
bool flat_is_stopped(const flat *f);

/* Exchanges walkers of neighbouring windows, of even and odd numbers in turn: those that are in both windows, with probability
 * min[1, W(E') W'(E) / (W(E) W'(E'))]. */
bool flat_exchange(flat *f);

/* --- flat_first.c --- */

/* Sets the first weights, of the file of --weights. Returns STATUS_REFUSED after a message on stderr. */
exit_status flat_take_weights(flat *f);

/* --- flat_weights.c --- */

/* The thresholds of a window's weights, of levels that may have states: those are made again whose weights have changed. */
void flat_make_thresholds(const flat *f, flat_window *w);

/* Of the histogram of the iteration over the levels that were seen: the sum of h ln(h K), K their number, INFINITY if one is empty;
 * and the smallest count over the mean. */
double flat_divergence(const flat_window *w);
double flat_flatness(const flat_window *w);

/* Whether a window lacks what its weights need: that an end of the levels was seen, as far as it is known to have states; or that a level
 * was seen that it shares with a window beside it, as there is nothing else to join them by. If so, says what in words; missing NULL: it does not. */
#define FLAT_MISSING_SIZE 150
bool flat_lacks(const flat *f, const flat_window *w, char missing[FLAT_MISSING_SIZE]);

/* Adds a line to the diary. Returns false without memory. */
bool flat_note(flat *f, const flat_window *w);

/* --- flat_record.c --- */

/* Makes room for what --record keeps; and its bytes. Returns false without memory. */
bool flat_record_create(flat *f);
void flat_record_destroy(flat *f);
uint64_t flat_record_bytes(const parameters *p, const spin_model *m);

/* Keeps it behind a measurement. */
bool flat_record_measure(flat *f);

/* Its section of a checkpoint; and its files. */
bool flat_record_section(section_file *s, void *state);
exit_status flat_record_write(const flat *f, result_folder *folder);

/* --- flat_sections.c, flat_publication.c: as series.h --- */

exit_status flat_save(flat *f);
exit_status flat_resume(flat *f);
exit_status flat_publish(flat *f, result_folder *folder);

#endif
