/* Rules of words of samples (words.h). */
#include "words.h"

#include "engine/sample_sums.h"

#include <inttypes.h>

int check_words(const parameters *p, message m) {
    const uint64_t sites = parameters_model(p).sites;
    if (p->words != WORDS_SAMPLES)
        return 0;
    if (p->checkpoint != NULL)
        return refuse(m,
                      "--words samples: not allowed with --checkpoint %.150s: a word is made as "
                      "a whole, and finished samples stay",
                      p->checkpoint);
    if (p->record == RECORD_SERIES)
        return p->device != DEVICE_CUDA
                   ? 0
                   : refuse(m, "--words samples: on a GPU with --record bins only; series of each "
                               "measurement are made on the CPU");
    if (p->beta_start == 0)
        return refuse(
            m,
            "--record bins: Metropolis' rule, which flips every spin at beta = 0, is the only one; "
            "-b must be above 0");
    if (p->population > 1 && p->population % 2 != 0)
        return refuse(m, "-R %" PRIu64 ": --record bins pairs chains: an even number of them, or 1",
                      p->population);
    if (sites > SAMPLE_SUMS_SITES)
        return refuse(m, "--record bins: a lattice of %" PRIu64 " sites; allowed: %d at most",
                      sites, SAMPLE_SUMS_SITES);
    return 0;
}
