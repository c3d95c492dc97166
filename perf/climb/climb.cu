/* The kernels of the climb (climb.h), from the first to the last. A launch is half a sweep: it updates sub-lattice `half` mod 2. */
#include "climb.h"

#include "perf/open_gpu.cuh"

#include <stdio.h>
#include <stdlib.h>

#define THREADS 256

/* The random number of a spin. */
static __device__ uint32_t number_of(const climb_lattice &l, uint32_t j, uint32_t y,
                                     uint32_t half) {
    return stream_philox(l.key, j, y / 4, half, 0).number[y % 4];
}

/* --- naive: the kernel of Fig. 6 --- */

#define BLOCKL 16

static __global__ void naive(int *spins, const climb_lattice l, uint32_t half) {
    const uint32_t L = l.edge, offset = half % 2;
    const uint32_t y = blockIdx.y * BLOCKL + threadIdx.y;
    const uint32_t x = blockIdx.x * BLOCKL + (threadIdx.y + offset) % 2 + 2 * threadIdx.x;
    const uint32_t xm = x == 0 ? L - 1 : x - 1, xp = x == L - 1 ? 0 : x + 1;
    const uint32_t ym = y == 0 ? L - 1 : y - 1, yp = y == L - 1 ? 0 : y + 1;
#define s(x, y) spins[(size_t)(y)*L + (x)]
    const int ide = s(x, y) * (s(xp, y) + s(xm, y) + s(x, yp) + s(x, ym));
    if (ide <= 0 || number_of(l, x / 2, y, half) < l.threshold[ide == 2])
        s(x, y) = -s(x, y);
#undef s
}

/* --- split: sub-lattices apart, row by row --- */

static __global__ void split(int *own, const int *other, const climb_lattice l, uint32_t half) {
    const uint32_t L = l.edge, pairs = L / 2;
    const uint32_t j = (blockIdx.x * THREADS + threadIdx.x) % pairs,
                   y = (blockIdx.x * THREADS + threadIdx.x) / pairs;
    if (y >= L)
        return;
    const uint32_t ym = y == 0 ? L - 1 : y - 1, yp = y == L - 1 ? 0 : y + 1;
    const uint32_t beside =
        (y + half) % 2 ? (j == pairs - 1 ? 0 : j + 1) : (j == 0 ? pairs - 1 : j - 1);
    int *const spin = &own[(size_t)y * pairs + j];
    const int around = *spin * (other[(size_t)ym * pairs + j] + other[(size_t)y * pairs + j] +
                                other[(size_t)yp * pairs + j] + other[(size_t)y * pairs + beside]);
    if (around <= 0 || number_of(l, j, y, half) < l.threshold[around == 2])
        *spin = -*spin;
}

/* --- crinkled, and char: column by column --- */

template <typename SPIN>
static __global__ void crinkled(SPIN *own, const SPIN *other, const climb_lattice l,
                                uint32_t half) {
    const uint32_t L = l.edge, pairs = L / 2;
    const uint32_t y = (blockIdx.x * THREADS + threadIdx.x) % L,
                   j = (blockIdx.x * THREADS + threadIdx.x) / L;
    if (j >= pairs)
        return;
    const uint32_t ym = y == 0 ? L - 1 : y - 1, yp = y == L - 1 ? 0 : y + 1;
    const uint32_t beside =
        (y + half) % 2 ? (j == pairs - 1 ? 0 : j + 1) : (j == 0 ? pairs - 1 : j - 1);
    const SPIN *const column = other + (size_t)j * L;
    const SPIN spin = own[(size_t)j * L + y];
    const int around = spin * (column[ym] + column[y] + column[yp] + other[(size_t)beside * L + y]);
    const bool flipped = around <= 0 || number_of(l, j, y, half) < l.threshold[around == 2];
    own[(size_t)j * L + y] =
        flipped ? -spin : spin; /* in either case: writes of a warp are coalesced */
}

/* --- four: four spins a thread --- */

static __global__ void four(int8_t *own, const int8_t *other, const climb_lattice l,
                            uint32_t half) {
    const uint32_t L = l.edge, pairs = L / 2;
    const uint32_t y = 4 * ((blockIdx.x * THREADS + threadIdx.x) % (L / 4)),
                   j = (blockIdx.x * THREADS + threadIdx.x) / (L / 4);
    if (j >= pairs)
        return;
    const uint32_t ym = y == 0 ? L - 1 : y - 1, yp = y + 4 == L ? 0 : y + 4;
    const uint32_t right = j == pairs - 1 ? 0 : j + 1, left = j == 0 ? pairs - 1 : j - 1;
    const int8_t *const column = other + (size_t)j * L;
    const char4 spin = *(const char4 *)(own + (size_t)j * L + y),
                here = *(const char4 *)(column + y),
                more = *(const char4 *)(other + (size_t)right * L + y),
                less = *(const char4 *)(other + (size_t)left * L + y);
    const stream_block b = stream_philox(l.key, j, y / 4, half, 0);
    const int beside[2] = {(int)half % 2,
                           1 - (int)half % 2}; /* whether even rows, odd rows have j + 1 */
    const int around[4] = {spin.x * (column[ym] + here.x + here.y + (beside[0] ? more.x : less.x)),
                           spin.y * (here.x + here.y + here.z + (beside[1] ? more.y : less.y)),
                           spin.z * (here.y + here.z + here.w + (beside[0] ? more.z : less.z)),
                           spin.w * (here.z + here.w + column[yp] + (beside[1] ? more.w : less.w))};
    bool flipped[4];
    for (int n = 0; n < 4; n++)
        flipped[n] = around[n] <= 0 || b.number[n] < l.threshold[around[n] == 2];
    *(char4 *)(own + (size_t)j * L + y) =
        make_char4(flipped[0] ? -spin.x : spin.x, flipped[1] ? -spin.y : spin.y,
                   flipped[2] ? -spin.z : spin.z, flipped[3] ? -spin.w : spin.w);
}

/* --- bits: 32 spins a word --- */

static __global__ void bits(uint32_t *own, const uint32_t *other, const climb_lattice l,
                            uint32_t half) {
    const uint32_t words = l.edge / 32, pairs = l.edge / 2;
    const uint32_t w = (blockIdx.x * THREADS + threadIdx.x) % words,
                   j = (blockIdx.x * THREADS + threadIdx.x) / words;
    if (j >= pairs)
        return;
    const uint32_t wm = w == 0 ? words - 1 : w - 1, wp = w == words - 1 ? 0 : w + 1;
    const uint32_t right = j == pairs - 1 ? 0 : j + 1, left = j == 0 ? pairs - 1 : j - 1;
    const uint32_t spin = own[(size_t)j * words + w], here = other[(size_t)j * words + w];
    const uint32_t odd = half % 2 ? 0x55555555 : 0xaaaaaaaa; /* rows whose x is odd */
    const uint32_t beside =
        (other[(size_t)right * words + w] & odd) | (other[(size_t)left * words + w] & ~odd);
    const uint32_t a = spin ^ here, b = spin ^ (here << 1 | other[(size_t)j * words + wm] >> 31),
                   c = spin ^ (here >> 1 | other[(size_t)j * words + wp] << 31), d = spin ^ beside;
    const uint32_t some = a | b | c | d, two = (a & b) | (c & d) | ((a | b) & (c | d));
    uint32_t below[2] = {0, 0}; /* where the number is below each threshold */
    for (uint32_t q = 0; q < 8; q++) {
        const stream_block x = stream_philox(l.key, j, 8 * w + q, half, 0);
        for (uint32_t n = 0; n < 4; n++) {
            below[0] |= (uint32_t)(x.number[n] < l.threshold[0]) << (4 * q + n);
            below[1] |= (uint32_t)(x.number[n] < l.threshold[1]) << (4 * q + n);
        }
    }
    own[(size_t)j * words + w] = spin ^ (two | (some & below[1]) | (~some & below[0]));
}

/* --- the host's part --- */

/* Bytes of a spin; 0: it has a bit. */
static size_t bytes_of(climb_kind kind) {
    return kind < CLIMB_CHAR ? sizeof(int) : kind < CLIMB_BITS ? 1 : 0;
}

/* Queues half a sweep. */
static void launch(climb_kind kind, void *memory, const climb_lattice &l, uint32_t half) {
    const size_t sites = (size_t)l.edge * l.edge / 2, each = bytes_of(kind),
                 bytes = each > 0 ? sites * each : sites / 8;
    void *const own = (char *)memory + half % 2 * bytes, *const other = (char *)memory +
                                                                        (1 - half % 2) * bytes;
    const unsigned blocks = (unsigned)((sites + THREADS - 1) / THREADS);
    switch (kind) {
    case CLIMB_NAIVE:
        naive<<<dim3(l.edge / BLOCKL, l.edge / BLOCKL), dim3(BLOCKL / 2, BLOCKL)>>>((int *)memory,
                                                                                    l, half);
        break;
    case CLIMB_SPLIT:
        split<<<blocks, THREADS>>>((int *)own, (const int *)other, l, half);
        break;
    case CLIMB_CRINKLED:
        crinkled<<<blocks, THREADS>>>((int *)own, (const int *)other, l, half);
        break;
    case CLIMB_CHAR:
        crinkled<<<blocks, THREADS>>>((int8_t *)own, (const int8_t *)other, l, half);
        break;
    case CLIMB_FOUR:
        four<<<(blocks + 3) / 4, THREADS>>>((int8_t *)own, (const int8_t *)other, l, half);
        break;
    default:
        bits<<<(blocks + 31) / 32, THREADS>>>((uint32_t *)own, (const uint32_t *)other, l, half);
    }
}

/* The spins of the host to the form of a kernel, or back. */
static void transform(climb_kind kind, const climb_lattice *l, int8_t *spins, uint8_t *form,
                      bool back) {
    for (uint32_t y = 0; y < l->edge; y++)
        for (uint32_t x = 0; x < l->edge; x++) {
            int8_t *const spin = &spins[(size_t)y * l->edge + x];
            const uint64_t n = climb_place(kind, l->edge, x, y);
            if (bytes_of(kind) == sizeof(int) && back)
                *spin = (int8_t)((int *)form)[n];
            else if (bytes_of(kind) == sizeof(int))
                ((int *)form)[n] = *spin;
            else if (bytes_of(kind) == 1 && back)
                *spin = (int8_t)form[n];
            else if (bytes_of(kind) == 1)
                form[n] = (uint8_t)*spin;
            else if (back)
                *spin = form[n / 8] >> n % 8 & 1 ? 1 : -1;
            else
                form[n / 8] |= (uint8_t)((*spin > 0) << n % 8);
        }
}

int climb_open(int number, char *name, char *reason, size_t size) {
    return open_gpu(number, name, reason, size);
}

/* Makes the sweeps, between two events. */
static cudaError_t make_sweeps(climb_kind kind, const climb_lattice *l, void *memory,
                               uint32_t first, uint32_t sweeps, double *seconds) {
    cudaEvent_t begin, end;
    float ms = 0;
    cudaError_t error = cudaEventCreate(&begin);
    if (error)
        return error;
    error = cudaEventCreate(&end);
    if (!error) {
        cudaEventRecord(begin, NULL);
        for (uint32_t half = first; half < first + 2 * sweeps; half++)
            launch(kind, memory, *l, half);
        cudaEventRecord(end, NULL);
        error = cudaGetLastError();
        if (!error)
            error = cudaEventSynchronize(end);
        if (!error)
            error = cudaEventElapsedTime(&ms, begin, end);
        cudaEventDestroy(end);
    }
    cudaEventDestroy(begin);
    *seconds = 1e-3 * ms;
    return error;
}

int climb_sweep(climb_kind kind, const climb_lattice *l, int8_t *spins, uint32_t first,
                uint32_t sweeps, int rounds, double seconds[], char *reason, size_t size) {
    const size_t sites = (size_t)l->edge * l->edge, each = bytes_of(kind),
                 bytes = each > 0 ? sites * each : sites / 8;
    uint8_t *const form = (uint8_t *)calloc(1, bytes);
    void *memory = NULL;
    cudaError_t error = form ? cudaMalloc(&memory, bytes) : cudaErrorMemoryAllocation;
    if (!error) {
        transform(kind, l, spins, form, false);
        error = cudaMemcpy(memory, form, bytes, cudaMemcpyHostToDevice);
    }
    for (int n = 0; n < rounds && !error; n++)
        error = make_sweeps(kind, l, memory, first, sweeps, &seconds[n]);
    if (!error)
        error = cudaMemcpy(form, memory, bytes, cudaMemcpyDeviceToHost);
    if (!error)
        transform(kind, l, spins, form, true);
    cudaFree(memory);
    free(form);
    return error ? failed("the sweeps", error, reason, size) : 0;
}
