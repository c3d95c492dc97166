/* Two streams that wait for each other where they must. An event is passed in the order of its stream, and who waits for
 * it waits for where it was set last: one is enough. */
#include "cuda/engine/side_stream.h"

void side_stream_create(side_stream *b, cuda_population *p, side_stream_priority turn) {
    int least = 0, greatest = 0;
    CUDA_CHECK(p, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(p, cudaStreamCreateWithPriority(&b->stream, cudaStreamNonBlocking,
                                               turn == SIDE_STREAM_FIRST ? greatest : least));
    CUDA_CHECK(p, cudaEventCreateWithFlags(&b->passed, cudaEventDisableTiming));
}

void side_stream_destroy(side_stream *b) {
    if (b->stream) {
        cudaStreamSynchronize(b->stream);
        cudaStreamDestroy(b->stream);
    }
    if (b->passed)
        cudaEventDestroy(b->passed);
    *b = side_stream{};
}

void side_stream_swap(side_stream *b, cuda_population *p) {
    cudaStream_t const stream = p->stream;
    p->stream = b->stream;
    b->stream = stream;
}

void side_stream_record(side_stream *b, cuda_population *p) {
    if (!p->failed)
        CUDA_CHECK(p, cudaEventRecord(b->passed, p->stream));
}

void side_stream_wait(side_stream *b, cuda_population *p) {
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamWaitEvent(b->stream, b->passed, 0));
}

void side_stream_join(side_stream *b, cuda_population *p) {
    side_stream_swap(b, p);
    side_stream_record(b, p);
    side_stream_wait(b, p);
    side_stream_swap(b, p);
}
