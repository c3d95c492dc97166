/* Overlaps of pairs of replicas of Ising spins on the device (engine/overlaps.h). The sums equal those of the CPU.
 * The codings provide the differences (cuda_spins.compare). */
#ifndef PAISING_CUDA_REPORT_OVERLAPS_H
#define PAISING_CUDA_REPORT_OVERLAPS_H

#include "cuda/device/batch_requests.cuh"
#include "cuda/report/overlap_pairs.h"

/* Where a coding has the differences of a site, whose number is that of `read` (engine/engine.h). */
typedef struct {
    uint32_t (*place)(const void *state, uint32_t site); /* NULL: by these numbers */
    const void *state;
} pair_order;

/* Copies the cosines and sines of a model, one direction behind the other, to so many bytes of the device. */
void cuda_upload_waves(int2 *to, uint64_t bytes, cuda_population *p, const spin_model *model);

/* Allocates. Returns 0, or -1 with p->failed set. */
int cuda_overlaps_create(cuda_overlaps *o, cuda_population *p, const spin_model *model,
                         const pair_order &order);
void cuda_overlaps_destroy(cuda_overlaps *o);

/* Takes the missing bonds of a sample. */
void cuda_overlaps_take_sample(const cuda_overlaps *o, cuda_population *p, const spin_model *model);

/* Copies the `own` words of pairs to `to` [words][N] in the order of `read`. Both are on the device. */
void cuda_overlaps_order(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                         const cuda_pair_words &pairs, uint64_t words, uint32_t *to);

/* Adds the overlaps of pairs to `out`, whose other replicas are in the order of `read`, and which overlap_sums_begin has
 * begun. `families`: also adds the logarithms of the local families. Waits for the stream. */
void cuda_overlaps_add(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                       const cuda_pair_words &words, const cuda_pairs *pairs, bool families,
                       overlap_sums *out);

/* The same of pairs whose replicas are both in this engine, as the coding stores them. */
void cuda_overlaps_add_own(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                           const cuda_pair_words &words, const cuda_pairs *pairs,
                           overlap_sums *out);

/* Groups of a round (engine/rounds.h), of whole machine words. */
typedef struct {
    uint32_t groups;
    uint64_t replicas; /* of each */
    /* device [groups]: an overlap_report, behind it part 0 of either histogram; all zero at first */
    void *reports;
    uint64_t report_bytes; /* from one to the next, a multiple of 16 */
} cuda_round_pairs;

/* Queues the overlaps of the pairs of each group, whose words are given of the first. The sums are added to the reports: all
 * of them to block 0. */
void cuda_overlaps_queue_groups(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                                const cuda_pair_words &words, const cuda_round_pairs &groups);

/* Queues the overlaps of all pairs of p, for sums that collect will set. collect waits for them. */
void cuda_overlaps_queue(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                         const cuda_pair_words &words, overlap_sums *out);
void cuda_overlaps_collect(const cuda_overlaps *o, cuda_population *p, overlap_sums *out);

/* The same for launch batches (engine/launch_batch.h). record writes the request of one member to
 * pinned memory. launch serves all members, in the stream of p. */
void cuda_overlaps_record(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                          const cuda_pair_words &words, void *request, overlap_sums *out);
void cuda_overlaps_launch(cuda_population *p, const spin_model *model, const batch_requests &all);

#endif
