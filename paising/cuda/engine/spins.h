/* What a CUDA engine asks of whoever keeps the spins of a population and sweeps them: a file for each coding
 * (msc.cu, ssc.cu), and a line for it in the table of engine.cu. */
#ifndef PAISING_CUDA_ENGINE_SPINS_H
#define PAISING_CUDA_ENGINE_SPINS_H

#include "cuda/device/batch_requests.cuh"
#include "cuda/engine/population.h"
#include "engine/partition.h"

/* What is asked of those that have launches for companions (bundle.h). */
typedef struct {
    /* Whether one launch makes the whole steps of both. */
    bool (*can_batch)(const void *state, const void *other);

    /* Notes what the kernel is told of a whole step: as `step` below. And launches it for all, with the flips of that of one
     * of them, who are decided alike. */
    void (*record_step)(void *state, cuda_population *p, const engine_step *step,
                        const cuda_range *range, void *request);
    void (*launch_steps)(void *state, cuda_population *p, const engine_step *step,
                         const cuda_range *range, const batch_requests &all);

    /* The same as `compare` below, from the first replica on. */
    void (*record_compare)(void *state, cuda_population *p, uint64_t offset, uint64_t words,
                           void *request);
    void (*launch_compare)(void *state, cuda_population *p, const batch_requests &all);
} cuda_batch_spins;

/* Each function queues its work, and notes a failure in the population. */
typedef struct {
    bool (*sweeps)(const spin_model *model); /* whether it sweeps a model ... */
    spin_coding coding;                      /* ... in this coding */
    const char *name;                        /* of the engine, before that of the device */
    size_t state_bytes; /* of the state that the functions are given, zero at first */

    /* Replicas that groups consist of (step_groups_are_whole). */
    uint64_t (*group_unit)(const engine_config *config);

    /* Allocates, and chooses the kernels; returns 0, or -1 with p->failed set. */
    int (*create)(void *state, cuda_population *p, const engine_config *config);
    void (*destroy)(void *state);

    /* Takes the couplings of another sample, for the populations that follow. */
    void (*take_sample)(void *state, cuda_population *p, const spin_model *model);

    /* Random spins for the founders of p. */
    void (*randomise)(void *state, cuda_population *p, stream_key key);

    /* A temperature step, or a part of it, for a range of the population: the children are collected from
     * their parents, which must be known, swept, measured and reported. A range that is collected is the
     * whole population. */
    void (*step)(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                 const cuda_range *range);

    /* Begins the whole step for those children of a share that need not wait for guests (words_of_own); the next
     * step is that, for the others, in any stream. Returns false where there are none, or kernels cannot. NULL: never.
     * Queues that launch ahead, for a range whose share and whose `inherited` are not known yet, behind a gate that `begin`
     * opens if it waits; returns false where it is not. */
    bool (*begin)(void *state, cuda_population *p, const engine_step *step, const cuda_range *range,
                  const child_assignment *children, prelaunch *prelaunch);
    bool (*ahead)(void *state, cuda_population *p, const engine_step *step, const cuda_range *range,
                  const prelaunch *prelaunch);

    /* Device memory for the whole population in the format of engine/engine.h: where the next children will
     * stand, and nothing between two steps. */
    uint8_t *(*room)(void *state);

    /* Copies replicas in that format to memory of the device: those of `count` places, a list on the device, or
     * without any first .. first+count-1; and these from there. */
    void (*save)(void *state, cuda_population *p, const uint32_t *places, uint64_t first,
                 uint64_t count, uint8_t *bytes);
    void (*load)(void *state, cuda_population *p, uint64_t first, uint64_t count,
                 const uint8_t *bytes);

    /* Where machine word number `first` of the population stands, and how many bytes each has. NULL: its replicas stand one
     * by one. */
    uint8_t *(*words)(const void *state, uint64_t first, uint64_t *each);

    /* Writes where replicas differ from others to the beginning of that room: words[words][N], bit = replica, sites in
     * the order of save. They are those from number `first` on, 32 a word, a multiple of it; the others those
     * `offset` behind them, or with an offset of 0 the words that stand in the room. Bits of replicas that do not exist
     * are anything. */
    void (*compare)(void *state, cuda_population *p, uint64_t first, uint64_t offset,
                    uint64_t words);

    /* Makes room for replicas up to place `end` of a share (engine/share.h), without losing any; what stands in the
     * room of above is lost. Returns up to where there is room. */
    uint64_t (*reserve)(void *state, cuda_population *p, uint64_t end);

    const cuda_batch_spins *batched; /* NULL: their steps are launched one by one */
} cuda_spins;

extern const cuda_spins cuda_msc_spins, cuda_ssc_spins;

#endif
