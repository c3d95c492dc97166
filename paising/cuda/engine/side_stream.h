/* A side stream: a second stream of a population, for work that overlaps with its main stream. It
 * has the higher priority, so that its work does not wait behind a step, or the lower one, so that
 * its work fills what the end of a step leaves free. */
#ifndef PAISING_CUDA_ENGINE_SIDE_STREAM_H
#define PAISING_CUDA_ENGINE_SIDE_STREAM_H

#include "cuda/engine/population.h"

typedef struct {
    cudaStream_t stream;
    cudaEvent_t recorded;
} side_stream;

typedef enum { SIDE_STREAM_FIRST, SIDE_STREAM_LAST } side_stream_priority;

/* Creates the stream and its event. p->failed is set on failure. */
void side_stream_create(side_stream *s, cuda_population *p, side_stream_priority priority);

/* Waits for the queued work, and frees the stream. */
void side_stream_destroy(side_stream *s);

/* Exchanges the population's stream and the side stream, for what is queued next. */
void side_stream_swap(side_stream *s, cuda_population *p);

/* Work queued in the side stream after wait() waits for all that was queued in the population's
 * stream before record(). */
void side_stream_record(side_stream *s, cuda_population *p);
void side_stream_wait(side_stream *s, cuda_population *p);

/* Work queued in the population's stream from now on waits for all that was queued in the side
 * stream. */
void side_stream_join(side_stream *s, cuda_population *p);

#endif
