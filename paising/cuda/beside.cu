/* Two streams that wait for each other where they must. An event is passed in the order of its stream, and who waits for
 * it waits for where it was set last: one is enough. */
#include "beside.h"

void cuda_beside_create(cuda_beside *b, cuda_population *p, beside_turn turn) {
    int least = 0, greatest = 0;
    CUDA_CHECK(p, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(p, cudaStreamCreateWithPriority(&b->stream, cudaStreamNonBlocking,
                                               turn == BESIDE_FIRST ? greatest : least));
    CUDA_CHECK(p, cudaEventCreateWithFlags(&b->passed, cudaEventDisableTiming));
}

void cuda_beside_destroy(cuda_beside *b) {
    if (b->stream) {
        cudaStreamSynchronize(b->stream);
        cudaStreamDestroy(b->stream);
    }
    if (b->passed)
        cudaEventDestroy(b->passed);
    *b = cuda_beside{};
}

void cuda_beside_turn(cuda_beside *b, cuda_population *p) {
    cudaStream_t const stream = p->stream;
    p->stream = b->stream;
    b->stream = stream;
}

void cuda_beside_mark(cuda_beside *b, cuda_population *p) {
    if (!p->failed)
        CUDA_CHECK(p, cudaEventRecord(b->passed, p->stream));
}

void cuda_beside_pass(cuda_beside *b, cuda_population *p) {
    if (!p->failed)
        CUDA_CHECK(p, cudaStreamWaitEvent(b->stream, b->passed, 0));
}

void cuda_beside_join(cuda_beside *b, cuda_population *p) {
    cuda_beside_turn(b, p);
    cuda_beside_mark(b, p);
    cuda_beside_pass(b, p);
    cuda_beside_turn(b, p);
}
