/* Parallel tempering (replica exchange), as its files share it: exchanges (tempering.c), energies of chains (tempering_chains.c), cluster moves of two chains
 * (tempering_moves.c), what is recorded and written (tempering_results.c). */
#ifndef PAISING_TEMPERING_H
#define PAISING_TEMPERING_H

#include "engine/houdayer.h"
#include "estimate/chain_means.h"
#include "estimate/overlap_series.h"
#include "estimate/time_blocks.h"
#include "series.h"
#include "settings/plans.h"

/* Sums over the cluster moves at one temperature. */
typedef struct {
    uint64_t moves; /* of sets that are not empty */
    uint64_t cluster, set;
} cluster_sums;

/* Room for the cluster moves: replicas of the temperatures from `first` on. */
typedef struct {
    size_t first; /* the first temperature with moves; of all temperatures: there are none */
    houdayer_lattice lattice;
    uint8_t *spins;     /* [replicas from there on][packed bytes] */
    uint32_t *families; /* [replicas from there on] */
    uint8_t *work;      /* [threads][houdayer_work_bytes] */
    cluster_sums *sums; /* [temperatures] */
} tempering_moves;

typedef struct {
    uint64_t replicas; /* at all temperatures */
    uint32_t *level;   /* [replicas] of their energies, when they are read; fine energies: NULL */
    int64_t *energy;   /* likewise fine energies; else NULL */
    round_plan plan;
    size_t words; /* of a bit for each of R chains */
    uint32_t *
        swaps; /* [temperatures - 1][words] the chains whose exchange the last rounds accepted: a round sets every second pair, and leaves
                * those of the round before */
    uint32_t *begun,
        *turned; /* [temperatures][words] the replicas that were last at the lowest beta, at the highest; neither: at none */
    uint32_t *accepted; /* [measurements][temperatures - 1] exchanges, of R or of none */
    uint64_t round_trips;
    uint64_t *up,
        *down; /* [temperatures] walkers there that were last at the lowest beta, at the highest */
    int64_t *lowest;         /* [temperatures] energy that was measured there; INT64_MAX: none */
    energy_levels bins;      /* of energies: the levels, or bins of fine energies (energy_bins) */
    block_counts energies;   /* visits of these */
    overlap_series overlaps; /* of disordered models with pairs of chains; temperatures 0: none */
    chain_means chains;      /* of E, in J */
    tempering_moves moves;
} tempering;

/* Warns of a glass whose chains have no pairs. */
void tempering_warn_of_no_pairs(const parameters *p);

/* Whether overlaps are measured. */
static inline bool tempering_has_overlaps(const series *s) {
    return s->model.disordered && s->model.graph == NULL && parameters_pairs(s->given) > 0;
}

/* Runs samples whose numbers over 32 are the same in the machine words of one engine, engines->member[0] (--words samples): the
 * workers of start[count] are made here. */
exit_status tempering_run_word(series_start start[], size_t count, const engine_pool *engines,
                               int *signal);

/* Makes room for moves; frees it. The first returns false without memory. */
bool tempering_moves_create(series *s);
void tempering_moves_destroy(tempering *t);
uint64_t tempering_moves_bytes(const parameters *p);

/* The lowest beta at which they are made. */
double tempering_moves_start(const parameters *p);

/* Whether cluster moves are made. */
static inline bool tempering_has_moves(const series *s) {
    return ((const tempering *)s->state)->moves.first < s->temperatures;
}

/* Makes a cluster move of each pair of chains r and r + R/2 at the temperatures from --moves-from on, and changes their energies. Returns
 * false where an engine fails, or where clusters percolate. */
bool tempering_move(series *s);

/* Reads t->level or t->energy of the replicas at hand. Returns false where the engine fails. */
bool tempering_read_energies(series *s);

/* Adds these energies to the sums of the chains. Likewise. */
bool tempering_record_chains(series *s);

/* Records a measurement: energy levels, and overlaps. */
bool tempering_record(series *s);

/* Widens errors of |m| (series_rows_widen). Takes trust from rows where the series of q2 is too short, chains disagree, or the last three
 * logarithmic bins do; of disordered models from all colder ones, too, since their replicas come from there. Returns false without
 * memory. */
bool tempering_judge(const series *s, size_t run, series_row row[]);

/* Writes the files of the result. */
exit_status tempering_write(const series *s, result_folder *folder);

#endif
