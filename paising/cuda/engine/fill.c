/* Threads that a population has work for, against those that keep a GPU busy. */
#include "cuda/engine/fill.h"

#include "cuda/engine/bytes.h"
#include "engine/msc_layout.h"

/* Both codings have a thread for 16 sites of a lattice (MSC: of a machine word), SSC not more than so many
 * (half a block, ssc_quads.cuh; in octets of lattices there are fewer). */
#define SITES_OF_THREAD     16
#define MOST_THREADS_OF_SSC 128

/* Threads that a multiprocessor holds. On an H200, MSC at L = 128 and theta = 100 has 41% of its speed with
 * 490 of them (R = 2000), at L = 64 91% with 1200 (R = 20000; perf/baselines/nvidia-h200.dat). */
#define THREADS_OF_MULTIPROCESSOR 2048

/* More streams than this share the queues of the device; of those whose steps are launched together many have one, and more
 * of them than this only take memory, and files of samples that are open. */
#define MOST_POPULATIONS 32
#define MOST_BATCHED     512

/* Larger ones are at more levels at a time than a launch has room for. */
#define MOST_BATCHED_SITES 4096

bool launch_batch_serves(const engine_config *config) {
    return config->coding == CODING_MSC && config->rng == RNG_INDEPENDENT &&
           config->stages == STAGES_FUSED && cuda_point_bytes(config) == 0 &&
           config->model.sites <= MOST_BATCHED_SITES;
}

uint32_t cuda_populations_to_fill(const engine_config *config, int multiprocessors, bool together) {
    const uint64_t strips = (config->model.sites + SITES_OF_THREAD - 1) / SITES_OF_THREAD;
    const uint64_t most = MOST_THREADS_OF_SSC;
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
