/* Work that goes on beside that of a population's stream: in a stream of its own. The device prefers it, so that it need not
 * wait behind a step; or prefers the step, and has it fill what room there is when that ends. */
#ifndef PAISING_CUDA_BESIDE_H
#define PAISING_CUDA_BESIDE_H

#include "population.h"

typedef struct {
    cudaStream_t stream;
    cudaEvent_t passed;
} cuda_beside;

typedef enum { BESIDE_FIRST, BESIDE_LAST } beside_turn;

/* Makes it. */
void cuda_beside_create(cuda_beside *b, cuda_population *p, beside_turn turn);

/* Waits for all that was queued there, and frees it. */
void cuda_beside_destroy(cuda_beside *b);

/* What is queued next for the population goes to the other of the two streams. */
void cuda_beside_turn(cuda_beside *b, cuda_population *p);

/* What is queued beside after `pass` waits for all that was queued for the population before `mark`. */
void cuda_beside_mark(cuda_beside *b, cuda_population *p);
void cuda_beside_pass(cuda_beside *b, cuda_population *p);

/* What is queued for the population from now on waits for all that was queued beside. */
void cuda_beside_join(cuda_beside *b, cuda_population *p);

#endif
