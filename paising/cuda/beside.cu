/* Two streams that wait for each other where they must. An event is passed in the order of its stream, and who waits for
 * it waits for where it was set last: one is enough. */
#include "beside.h"

bool cuda_beside_create(cuda_beside *b, cuda_population *p) {
    int least = 0, greatest = 0;
    if (p->failed || b->passed)
        return !p->failed;
    CUDA_CHECK(p, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(p, cudaStreamCreateWithPriority(&b->stream, cudaStreamNonBlocking, greatest));
    return CUDA_CHECK(p, cudaEventCreateWithFlags(&b->passed, cudaEventDisableTiming));
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

static void wait_for(cuda_beside *b, cuda_population *p, cudaStream_t waits, cudaStream_t first) {
    if (p->failed)
        return;
    CUDA_CHECK(p, cudaEventRecord(b->passed, first));
    CUDA_CHECK(p, cudaStreamWaitEvent(waits, b->passed, 0));
}

void cuda_beside_follow(cuda_beside *b, cuda_population *p) {
    wait_for(b, p, b->stream, p->stream);
}

void cuda_beside_join(cuda_beside *b, cuda_population *p) {
    wait_for(b, p, p->stream, b->stream);
}
