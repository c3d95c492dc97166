/* Gates: what the host does. */
#include "arrays.h"
#include "bytes.h"
#include "gate.cuh"

static_assert(sizeof(gate_news) <= CUDA_GATE_BYTES && sizeof(gate_door) <= CUDA_GATE_BYTES,
              "what is counted");

cudaError_t cuda_gate_create(cuda_gate *g, uint64_t room) {
    *g = cuda_gate{};
    g->room = room += room % 2;
    cudaError_t error = cuda_take(&g->door, sizeof *g->door + room * sizeof *g->door->body, PINNED);
    if (!error)
        error = cuda_take(&g->news, sizeof *g->news + room * sizeof *g->news->body, ON_DEVICE);
    if (!error) {
        *g->door = gate_door{};
        error = cudaMemset(g->news, 0, sizeof *g->news);
    }
    return error;
}

void cuda_gate_destroy(cuda_gate *g) {
    cuda_array_give(g->door, PINNED);
    cuda_array_give(g->news, ON_DEVICE);
    *g = cuda_gate{};
}

void cuda_gate_prepare(cuda_gate *g) {
    if (++g->number == 0) /* which would be none */
        g->number++;
    g->waits = true;
}

static void say(cuda_gate *g, uint64_t numbers) {
    __atomic_store_n(&g->door->opened, (uint64_t)g->number << 32 | numbers, __ATOMIC_RELEASE);
    g->waits = false;
}

bool cuda_gate_open(cuda_gate *g, uint64_t numbers) {
    if (!g->waits)
        return false;
    say(g, numbers);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&g->door->impatient, __ATOMIC_ACQUIRE) != g->number)
        return true;
    uint64_t outcome;
    do
        outcome = __atomic_load_n(&g->door->outcome, __ATOMIC_ACQUIRE);
    while (outcome >> 32 != g->number);
    return (uint32_t)outcome > 0;
}

void cuda_gate_dismiss(cuda_gate *g) {
    if (g->waits)
        say(g, 0);
}
