/* Two streams that wait for each other. A wait refers to the last record of an event at that time,
 * so that one event is enough. */
#include "cuda/engine/side_stream.h"

void side_stream_create(side_stream *s, cuda_population *p, side_stream_priority priority) {
    int least = 0, greatest = 0;
    CUDA_CHECK(p, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(p, cudaStreamCreateWithPriority(&s->stream, cudaStreamNonBlocking,
                                               priority == SIDE_STREAM_FIRST ? greatest : least));
    CUDA_CHECK(p, cudaEventCreateWithFlags(&s->recorded, cudaEventDisableTiming));
}

void side_stream_destroy(side_stream *s) {
    if (s->stream) {
        cudaStreamSynchronize(s->stream);
        cudaStreamDestroy(s->stream);
    }
    if (s->recorded)
        cudaEventDestroy(s->recorded);
    *s = side_stream{};
}

void side_stream_swap(side_stream *s, cuda_population *p) {
    cudaStream_t const stream = p->stream;
    p->stream = s->stream;
    s->stream = stream;
}

void side_stream_record(side_stream *s, cuda_population *p) {
    if (!p->failed)
        CUDA_CHECK(p, cudaEventRecord(s->recorded, p->stream));
}

void side_stream_wait(side_stream *s, cuda_population *p) {
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamWaitEvent(s->stream, s->recorded, 0));
}

void side_stream_join(side_stream *s, cuda_population *p) {
    side_stream_swap(s, p);
    side_stream_record(s, p);
    side_stream_wait(s, p);
    side_stream_swap(s, p);
}
