/* Work that goes on beside that of a population's stream: in a stream of its own. The device prefers it, so that it need not
 * wait behind a step; or prefers the step, and has it fill what room there is when that ends. */
#ifndef PAISING_CUDA_ENGINE_SIDE_STREAM_H
#define PAISING_CUDA_ENGINE_SIDE_STREAM_H

#include "cuda/engine/population.h"

typedef struct {
    cudaStream_t stream;
    cudaEvent_t recorded;
} side_stream;

typedef enum { SIDE_STREAM_FIRST, SIDE_STREAM_LAST } side_stream_priority;

/* Makes it. */
void side_stream_create(side_stream *s, cuda_population *p, side_stream_priority priority);

/* Waits for all that was queued there, and frees it. */
void side_stream_destroy(side_stream *s);

/* What is queued next for the population goes to the other of the two streams. */
void side_stream_swap(side_stream *s, cuda_population *p);

/* What is queued beside after `pass` waits for all that was queued for the population before `mark`. */
void side_stream_record(side_stream *s, cuda_population *p);
void side_stream_wait(side_stream *s, cuda_population *p);

/* What is queued for the population from now on waits for all that was queued beside. */
void side_stream_join(side_stream *s, cuda_population *p);

#endif
