/* The tables of overlaps on the device (overlaps.h): waves, places, missing bonds, logarithms. They are copied in the stream of the
 * population, since the default stream would wait for those of all engines. A copy from pageable memory returns once the source may
 * be freed. */
#include "cuda/device/arrays.h"
#include "cuda/report/overlap_request.cuh"
#include "cuda/report/overlaps.h"

#include <stdlib.h>

#define MOST_ROWS_OF_BLOCKS 32768 /* of a launch */

void cuda_upload_waves(int2 *to, uint64_t bytes, cuda_population *p, const spin_model *model) {
    int2 *const table = (int2 *)malloc(bytes);
    overlap_waves waves;
    const bool made = overlap_waves_create(&waves, model) == 0 && table;
    size_t n = 0;
    for (uint32_t d = 0; made && d < model->dimension; d++)
        for (uint32_t x = 0; x < model->edge[d]; x++)
            table[n++] = make_int2(waves.cosine[d][x], waves.sine[d][x]);
    if (!made)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for overlaps");
    else if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(to, table, bytes, cudaMemcpyHostToDevice, p->stream));
    overlap_waves_destroy(&waves);
    free(table);
}

/* Copies the logarithms of small families to the device. */
static void upload_logs(const cuda_overlaps *o, cuda_population *p) {
    uint32_t table[FEW_MEMBERS] = {};
    for (uint32_t m = 1; m < FEW_MEMBERS; m++)
        table[m] = (uint32_t)family_log(m);
    if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync(o->log_of_few, table, sizeof table, cudaMemcpyHostToDevice,
                                      p->stream));
}

/* Returns where the missing bonds begin in bytes behind the first place. */
static uint64_t missing_at(const spin_model *model) {
    return cuda_order_bytes(model) - (model->incomplete ? model->sites : 0);
}

/* In two dimensions rows are counted along z. */
void cuda_overlaps_take_sample(const cuda_overlaps *o, cuda_population *p,
                               const spin_model *model) {
    if (p->failed || !o->order || !model->incomplete)
        return;
    uint8_t *const table = (uint8_t *)calloc(1, model->sites);
    if (!table) {
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for overlaps");
        return;
    }
    for (uint64_t site = 0; site < model->sites && model->sample; site++)
        for (uint32_t d = 0; d < model->dimension; d++)
            if (couplings_sign(model->sample, site, d) == 0)
                table[site] |= (uint8_t)(1 << (model->dimension == 2 ? 2 * d : d));
    CUDA_CHECK(p, cudaMemcpyAsync((uint8_t *)o->order + missing_at(model), table, model->sites,
                                  cudaMemcpyHostToDevice, p->stream));
    free(table);
}

/* Copies the table of places in the words of D to the device. */
static void upload_order(const uint32_t *to, cuda_population *p, const spin_model *model,
                         const pair_order &order) {
    const uint32_t lx = model->edge[0], ly = model->edge[1], rows = ly * model->edge[2],
                   half = (uint32_t)model->sites / 2;
    const uint32_t pitch = row_pitch(lx, is_staged(lx, model->sites));
    const uint64_t bytes = missing_at(model);
    uint32_t *const table = (uint32_t *)calloc(1, bytes);
    for (uint32_t row = 0; table && row < rows; row++)
        for (uint32_t x = 0; x < lx; x++) {
            const uint32_t parity = (x + row % ly + row / ly) % 2,
                           site = parity * half + row * (lx / 2) + x / 2;
            table[row * pitch + x] = order.place ? order.place(order.state, site) : site;
        }
    if (!table)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for overlaps");
    else if (!p->failed)
        CUDA_CHECK(p, cudaMemcpyAsync((void *)to, table, bytes, cudaMemcpyHostToDevice, p->stream));
    free(table);
}

int cuda_overlaps_create(cuda_overlaps *o, cuda_population *p, const spin_model *model,
                         const pair_order &order) {
    *o = cuda_overlaps{};
    if (!overlap_is_of_bits(model))
        return 0;
    CUDA_CHECK(p, cuda_take(&o->waves, cuda_wave_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->order, cuda_order_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->read_order, cuda_order_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->log_of_few, CUDA_LOG_BYTES, ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->report, cuda_overlap_bytes(model), ON_DEVICE));
    CUDA_CHECK(p, cuda_take(&o->host, cuda_overlap_bytes(model), PINNED));
    cuda_upload_waves(o->waves, cuda_wave_bytes(model), p, model);
    upload_order(o->order, p, model, order);
    upload_order(o->read_order, p, model, pair_order{});
    upload_logs(o, p);
    cuda_overlaps_take_sample(o, p, model);
    if (!p->failed)
        CUDA_CHECK(p, cudaMemsetAsync(o->report, 0, cuda_overlap_bytes(model), p->stream));
    return p->failed ? -1 : 0;
}

void cuda_overlaps_destroy(cuda_overlaps *o) {
    cuda_array_give(o->waves, ON_DEVICE);
    cuda_array_give(o->order, ON_DEVICE);
    cuda_array_give(o->read_order, ON_DEVICE);
    cuda_array_give(o->log_of_few, ON_DEVICE);
    cuda_array_give(o->report, ON_DEVICE);
    cuda_array_give(o->host, PINNED);
}

/* Writes lanes in the order of `read`: a row of blocks a machine word, one thread a place in the tables. */
static __global__ void order_lanes(const uint32_t *own, const uint32_t *order,
                                   const uint32_t *read_order, uint32_t places, uint32_t pitch,
                                   uint32_t columns, uint32_t own_each, uint32_t sites,
                                   uint32_t *to) {
    const uint64_t word = blockIdx.y;
    const uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < places && n % pitch < columns)
        to[word * sites + read_order[n]] = own[word * own_each + order[n]];
}

void cuda_overlaps_order(const cuda_overlaps *o, cuda_population *p, const spin_model *model,
                         const cuda_pair_words &pairs, uint64_t words, uint32_t *to) {
    const uint32_t lx = model->edge[0], pitch = row_pitch(lx, is_staged(lx, model->sites)),
                   places = pitch * model->edge[1] * model->edge[2];
    for (uint64_t first = 0; first < words && !p->failed; first += MOST_ROWS_OF_BLOCKS) {
        const uint64_t left = words - first;
        const unsigned rows = left < MOST_ROWS_OF_BLOCKS ? (unsigned)left : MOST_ROWS_OF_BLOCKS;
        order_lanes<<<dim3(blocks_for(places, 256), rows), 256, 0, p->stream>>>(
            pairs.own + first * pairs.own_each, o->order, o->read_order, places, pitch, lx,
            pairs.own_each, (uint32_t)model->sites, to + first * model->sites);
        cuda_check_launch(p, "order_lanes");
    }
}
