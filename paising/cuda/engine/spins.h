/* Interface of the codings to the CUDA engine: storage and kernels of the spins. Each coding is
 * a file (msc/msc.cu, ssc/ssc.cu) and an entry in the table of engine.cu. */
#ifndef PAISING_CUDA_ENGINE_SPINS_H
#define PAISING_CUDA_ENGINE_SPINS_H

#include "cuda/device/batch_requests.cuh"
#include "cuda/engine/population.h"
#include "cuda/engine/round_state.h"
#include "engine/partition.h"

/* Functions of codings that support launch batches (launch_batch.h). */
typedef struct {
    /* Whether one launch can make the whole steps of both. */
    bool (*can_batch)(const void *state, const void *other);

    /* record_step writes the request of a whole step to pinned memory. launch_steps launches the
     * recorded steps of all members, with the flip rule of one of them. Pre: their flip rules are
     * equal. */
    void (*record_step)(void *state, cuda_population *p, const engine_step *step,
                        const cuda_range *range, void *request);
    void (*launch_steps)(void *state, cuda_population *p, const engine_step *step,
                         const cuda_range *range, const batch_requests &all);
} cuda_batch_spins;

/* Functions of codings that make rounds of groups (engine/rounds.h). */
typedef struct {
    /* Takes the flip rules of the groups. Returns whether one launch can make the steps of all; a failure sets p->failed. */
    bool (*prepare)(void *state, cuda_population *p, const round_plan *plan);

    /* Exchanges as decided, sweeps and measures all groups, and adds to the sums of the round. */
    void (*step)(void *state, cuda_population *p, const engine_round *round,
                 const cuda_round *sees);

    /* Of fine energies, which `step` has not added to the sums: once the round is there, and until the one after the next is begun, fills
     * the levels of a group's report, and adds its energies to block 0. NULL: energies have levels. */
    void (*take)(const void *state, const cuda_round *sees, uint32_t group, histogram *out);
} cuda_round_spins;

/* Pairs of replicas as words [words][each], bit = pair, with N sites in an order of the coding: they differ where own is not other. Or,
 * if other is NULL, where own is 1. */
typedef struct {
    const uint32_t *own, *other;
    uint32_t own_each, other_each; /* N, or more */
} cuda_pair_words;

/* Each function queues its work in p->stream. A failure sets p->failed. */
typedef struct {
    bool (*sweeps)(const engine_config *config); /* whether it supports a model, in a mode ... */
    spin_coding coding;                          /* ... in this coding */
    const char *name;                            /* of the engine; the device's name is appended */
    size_t state_bytes;                          /* size of `state`, which is zero at first */

    /* Groups consist of whole units of so many replicas (step_groups_are_whole). */
    uint64_t (*group_unit)(const engine_config *config);

    /* Allocates, and chooses the kernels. Returns 0, or -1 with p->failed set. */
    int (*create)(void *state, cuda_population *p, const engine_config *config);
    void (*destroy)(void *state);

    /* Takes the couplings of another sample. Pre: no population is in progress. */
    void (*take_sample)(void *state, cuda_population *p, const spin_model *model);

    /* Random spins for the founders of p. */
    void (*randomise)(void *state, cuda_population *p, stream_key key);

    /* Makes a temperature step, or parts of it, for a range of the population. The kernels collect
     * the children from their parents, sweep, measure and report them. Pre: the parents are known.
     * A range that is collected is the whole population. */
    void (*step)(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                 const cuda_range *range);

    /* Whether steps of two ranges use the same scratch memory, so that one waits for the other. */
    bool (*shares_scratch)(const void *state);

    /* begin: starts the whole step for those children of an interval that do not wait for remote
     * parents (words_of_own). The next call of `step` makes the other children, in any stream.
     * Returns false if there are none, or no kernel can. NULL: never.
     *
     * ahead: queues that launch before its interval and `inherited` are known, with a mailbox;
     * `begin` then releases it. Returns false if no kernel can. */
    bool (*begin)(void *state, cuda_population *p, const engine_step *step, const cuda_range *range,
                  const child_assignment *children, prelaunch *prelaunch);
    bool (*ahead)(void *state, cuda_population *p, const engine_step *step, const cuda_range *range,
                  const prelaunch *prelaunch);

    /* Device buffer for a whole population in the format of engine/engine.h. The next step writes
     * the children there; between two steps it is free. */
    uint8_t *(*room)(void *state);

    /* save packs replicas into a device buffer: those of `count` places in a device list, or first
     * .. first + count - 1 if `places` is NULL. load unpacks them. */
    void (*save)(void *state, cuda_population *p, const uint32_t *places, uint64_t first,
                 uint64_t count, uint8_t *bytes);
    void (*load)(void *state, cuda_population *p, uint64_t first, uint64_t count,
                 const uint8_t *bytes);

    /* Returns the address of machine word `first`, and the bytes of a word in *each. NULL: replicas
     * are stored one by one. */
    uint8_t *(*words)(const void *state, uint64_t first, uint64_t *each);

    /* Pairs of replicas: those from `first`, a multiple of 32, on, and others, `offset` places behind them; with offset 0 the
     * others are words in the buffer of room(). Bits of replicas that do not exist are undefined. A coding may need that buffer. */
    cuda_pair_words (*compare)(void *state, cuda_population *p, uint64_t first, uint64_t offset,
                               uint64_t words);

    /* The place in such words of a site, whose number is that of save. */
    uint32_t (*place_of)(const void *state, uint32_t site);

    /* Makes room for replicas up to place `end` of an interval (engine/partition.h), and keeps
     * those that are there. The buffer of room() loses its contents. Returns the number of places.
     */
    uint64_t (*reserve)(void *state, cuda_population *p, uint64_t end);

    const cuda_batch_spins *batched; /* NULL: steps are launched one by one */

    /* Makes a walk (engine/walk.h), and waits for it. NULL: it has none. */
    void (*walk)(void *state, cuda_population *p, const engine_walk *walk);

    /* Adds to the histograms of a step, whose counts were read, what is not in the published report. Waits for the stream. NULL:
     * nothing. */
    void (*collect)(void *state, cuda_population *p, const engine_step *step, histogram out[]);
    const cuda_round_spins *rounds; /* NULL: none */

    /* Exchanges the spins of the children, in room(), and of their parents: called behind a step that has collected, and has not
     * measured, it makes the parents the population again. NULL: such steps cannot be taken back. */
    void (*exchange)(void *state);

    /* Returns the address of the spins of the population, and the bytes of so many replicas from the first on in *bytes: with as many
     * copied to room(), `exchange` takes back a step that does not collect. NULL only if `exchange` is. */
    const void *(*stored)(const void *state, uint64_t replicas, uint64_t *bytes);

    /* Replicas that a multiprocessor sweeps at a time, at most. NULL only if `exchange` is. */
    uint64_t (*at_once)(const void *state);

    /* The fine energies of all replicas, on the device, as they were measured last. NULL: energies have levels. */
    int64_t *(*energies)(const void *state);

    /* Fills *out with the overlaps of the pairs of replicas first .. first + count - 1 (engine.h, group_overlaps), with `families` of the
     * families besides, and waits. NULL: they are those of words (`compare`). */
    void (*overlaps)(const void *state, cuda_population *p, const spin_model *model, uint64_t first,
                     uint64_t count, bool families, overlap_sums *out);

    /* Adds pairs of an interval to sums that were begun, and waits; the packed spins of the partners are on the device. The buffer of
     * room() loses its contents. NULL: likewise. */
    void (*compare_packed)(const void *state, cuda_population *p, const spin_model *model,
                           const pair_range *pairs, overlap_sums *out);

    /* Of fine energies: adds the levels of the last report where they come later than its weights, and returns false if they do not
     * arrive; queues tau-hat of each level. NULL: energies have levels. */
    bool (*complete)(void *state, cuda_population *p, histogram *out);
    void (*expect)(const void *state, cuda_population *p, const expected_copies *copies);
} cuda_spins;

/* Threads that a multiprocessor has at a time, at most. */
#define RESIDENT_THREADS 2048u

extern const cuda_spins cuda_msc_spins, cuda_ssc_spins, cuda_graph_spins, cuda_states_spins,
    cuda_fine_spins, cuda_vector_spins;

#endif
