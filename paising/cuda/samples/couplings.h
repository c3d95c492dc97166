/* Couplings of words of 32 samples, a word each bond, in the order of lattices.cuh. */
#ifndef PAISING_CUDA_SAMPLES_COUPLINGS_H
#define PAISING_CUDA_SAMPLES_COUPLINGS_H

#include "engine/sample_sums.h"

C_DECLARATIONS_BEGIN

/* Words of the couplings of 32 samples. */
uint64_t sample_coupling_words(const spin_model *model);

/* Fills words[plan->words][sample_coupling_words] with those of all bonds: bit b is set where J of the sample of this bit is -1. */
void sample_couplings_fill_all(const sample_plan *plan, uint32_t words[]);

C_DECLARATIONS_END

#endif
