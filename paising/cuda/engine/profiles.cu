/* Profiles of replicas, counted on the device from packed spins, which are the same for all codings (engine/engine.h).
 *
 * A thread has 32 columns of a sub-lattice's rows, and some rows. It counts the spins up of each column in binary digits, a word
 * for each digit of all 32 columns, and those of a row with popc. Sums are added by atomic operations on whole numbers. A site is
 * read once: N / 8 bytes a lattice, and about one operation for each two sites. */
#include "cuda/engine/profiles.h"

#include "engine/profiles.h"

#define THREADS   128
#define ROWS_EACH 128 /* of a thread */
#define DIGITS    8   /* of a column's count, up to ROWS_EACH */
#define MOST_ROWS 65535
#define ROOM                                                                                       \
    ((uint64_t)1 << 24) /* bytes of profiles that are counted at once, unless one has more */

/* What the kernel is told. */
typedef struct {
    const uint8_t *spins; /* [replicas][bytes] */
    uint64_t bytes, replicas, sites;
    uint32_t half, columns; /* sites of a row in a sub-lattice; words of them */
    uint32_t rows;          /* of all layers */
    uint32_t edge[MODEL_MAX_DIMENSION];
    uint32_t planes, dimension;
    uint32_t *up; /* [replicas][planes] */
} profile_request;

/* Bits first .. first + count - 1 of a bit array, count up to 32. */
static __device__ uint32_t bits_at(const uint8_t *bits, uint64_t first, uint32_t count) {
    const uint8_t *const from = bits + first / 8;
    const uint32_t shift = first % 8, bytes = (shift + count + 7) / 8;
    uint64_t word = 0;
    if (shift == 0 && count == 32 && (uintptr_t)from % 4 == 0)
        return *(const uint32_t *)from;
    for (uint32_t n = 0; n < bytes; n++)
        word |= (uint64_t)from[n] << 8 * n;
    word >>= shift;
    return count < 32 ? (uint32_t)word & ((1u << count) - 1) : (uint32_t)word;
}

static __device__ void count_columns(uint32_t digit[DIGITS], uint32_t word) {
#pragma unroll
    for (uint32_t n = 0; n < DIGITS; n++) {
        const uint32_t carry = digit[n] & word;
        digit[n] ^= word;
        word = carry;
    }
}

static __device__ void add_columns(const uint32_t digit[DIGITS], uint32_t *up, uint32_t count) {
    for (uint32_t column = 0; column < count; column++) {
        uint32_t sum = 0;
#pragma unroll
        for (uint32_t n = 0; n < DIGITS; n++)
            sum |= (digit[n] >> column & 1) << n;
        atomicAdd(&up[2 * column], sum);
    }
}

static __global__ void __launch_bounds__(THREADS)
    count_profiles(const __grid_constant__ profile_request q) {
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint32_t column = thread % q.columns, from = 32 * column,
                   count = q.half - from < 32 ? q.half - from : 32;
    const uint64_t first = thread / q.columns * ROWS_EACH,
                   end = first + ROWS_EACH < q.rows ? first + ROWS_EACH : q.rows;
    for (uint64_t k = blockIdx.y; k < q.replicas; k += gridDim.y) {
        const uint8_t *const spins = q.spins + k * q.bytes;
        uint32_t *const up = q.up + k * q.planes, *const across_y = up + q.edge[0],
                        *const across_z = across_y + q.edge[1];
        uint32_t even[DIGITS] = {}, odd[DIGITS] = {}; /* of even x, of odd x */
        for (uint64_t row = first; row < end; row++) {
            const uint32_t y = row % q.edge[1], z = row / q.edge[1];
            const uint64_t place = row * q.half + from;
            const uint32_t one = bits_at(spins, place, count),
                           other = bits_at(spins, place + q.sites / 2, count);
            count_columns(even, (y + z) % 2 ? other : one);
            count_columns(odd, (y + z) % 2 ? one : other);
            atomicAdd(&across_y[y], (uint32_t)(__popc(one) + __popc(other)));
            if (q.dimension == 3)
                atomicAdd(&across_z[z], (uint32_t)(__popc(one) + __popc(other)));
        }
        if (first < end) {
            add_columns(even, up + 2 * from, count);
            add_columns(odd, up + 2 * from + 1, count);
        }
    }
}

static profile_request request_of(const spin_model *m) {
    profile_request q = {.bytes = model_packed_bytes(m),
                         .sites = m->sites,
                         .half = m->edge[0] / 2,
                         .columns = (m->edge[0] / 2 + 31) / 32,
                         .rows = m->edge[1] * m->edge[2],
                         .planes = profile_planes(m),
                         .dimension = m->dimension};
    for (uint32_t d = 0; d < MODEL_MAX_DIMENSION; d++)
        q.edge[d] = m->edge[d];
    return q;
}

/* Queues the counting of replicas first .. first + q.replicas - 1, and the copy of their profiles to the host. */
static void count_some(cuda_engine *self, profile_request q, uint64_t first, uint32_t *up) {
    cuda_population *const p = &self->population;
    uint8_t *const room = self->spins->room(self->state);
    const uint64_t each = (q.rows + ROWS_EACH - 1) / ROWS_EACH * q.columns,
                   bytes = q.replicas * q.planes * sizeof *up;
    const dim3 blocks((unsigned)((each + THREADS - 1) / THREADS),
                      (unsigned)(q.replicas < MOST_ROWS ? q.replicas : MOST_ROWS));
    self->spins->save(self->state, p, NULL, first, q.replicas, room);
    q.spins = room;
    q.up = self->profiles.up;
    CUDA_CHECK(p, cudaMemsetAsync(q.up, 0, bytes, p->stream));
    if (p->failed)
        return;
    count_profiles<<<blocks, THREADS, 0, p->stream>>>(q);
    cuda_check_launch(p, "count_profiles");
    CUDA_CHECK(p, cudaMemcpyAsync(up, q.up, bytes, cudaMemcpyDeviceToHost, p->stream));
}

engine_status cuda_profiles_read(engine *base, uint64_t first, uint64_t count, uint32_t *up) {
    cuda_engine *const self = (cuda_engine *)base;
    cuda_population *const p = &self->population;
    profile_request q = request_of(&base->model);
    const uint64_t each = q.planes * sizeof *up, fit = ROOM / each / 32 * 32,
                   most = fit > 0 ? fit : 32;
    if (p->failed)
        return cuda_engine_failure(self);
    cuda_engine_cancel_prelaunched(self);
    if (!self->profiles.up)
        CUDA_CHECK(p, cudaMalloc((void **)&self->profiles.up, most * each));
    for (uint64_t n = 0; n < count && !p->failed; n += most) {
        q.replicas = count - n < most ? count - n : most;
        count_some(self, q, first + n, up + n * q.planes);
    }
    CUDA_CHECK(p, cudaStreamSynchronize(p->stream));
    return cuda_engine_outcome(self);
}

void cuda_profiles_destroy(cuda_profiles *p) {
    if (p->up)
        cudaFree(p->up);
    p->up = NULL;
}
