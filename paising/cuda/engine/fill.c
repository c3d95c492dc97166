/* Compares the threads that a population keeps busy with those that a GPU holds. */
#include "cuda/engine/fill.h"

#include "cuda/engine/bytes.h"
#include "engine/msc_layout.h"

/* Both codings use a thread for 16 sites of a lattice (MSC: of a machine word). SSC uses at most so
 * many threads (half a block, ssc/quads.cuh; in octets fewer); of a graph one. */
#define SITES_OF_THREAD     16
#define MOST_THREADS_OF_SSC 128

/* Threads that a multiprocessor holds. On an H200, MSC at L = 128 and theta = 100 reaches 41% of
 * its speed with 490 of them (R = 2000), and 91% at L = 64 with 1200 (R = 20000;
 * perf/baselines/nvidia-h200.dat). */
#define THREADS_OF_MULTIPROCESSOR 2048

/* More streams than this share the hardware queues of a device. Populations of a launch batch share
 * a stream: their limit only bounds memory and open files of samples. */
#define MOST_POPULATIONS 32
#define MOST_BATCHED     512

uint32_t cuda_populations_to_fill(const engine_config *config, int multiprocessors, bool together) {
    const uint64_t strips = (config->model.sites + SITES_OF_THREAD - 1) / SITES_OF_THREAD;
    const uint64_t most = config->model.graph != NULL ? 1 : MOST_THREADS_OF_SSC;
    const uint64_t threads = config->coding == CODING_MSC
                                 ? strips * msc_machine_words(config->word, config->capacity)
                                 : (strips < most ? strips : most) * config->capacity;
    const uint64_t room = (uint64_t)multiprocessors * THREADS_OF_MULTIPROCESSOR;
    const uint64_t fill = (room + threads / 2) / threads; /* to the nearest */
    const uint32_t limit =
        together && launch_batch_serves(config) ? MOST_BATCHED : MOST_POPULATIONS;
    if (config->stages != STAGES_FUSED || fill < 1)
        return 1;
    return fill < limit ? (uint32_t)fill : limit;
}
