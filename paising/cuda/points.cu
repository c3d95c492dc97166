/* Points in bins (points.h): a thread two points, which share a call of Philox. The order in a bin is any; who counts the
 * points of a bin does not see it. */
#include "points.h"

#include "resample/rules.h"

#define THREADS 256

/* --- the kernel --- */

static __global__ void __launch_bounds__(THREADS) draw(const __grid_constant__ point_drawing d) {
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const parent_line line = {d.bins.all, d.points, 0}; /* a bin is one long */
    uint64_t bin[2];
    uint32_t place[2];
    for (uint64_t n = thread; n < d.room; n += (uint64_t)gridDim.x * THREADS)
        d.bins.bin[n].count[1 - d.bins.parity] = 0;
#pragma unroll
    for (uint32_t n = 0; n < 2; n++) {
        bin[n] = multinomial_point(line, d.numbers, 2 * thread + n) - d.bins.first;
        place[n] = BIN_ROOM;
        if (2 * thread + n < d.points && bin[n] < d.bins.here)
            place[n] = atomicAdd(&d.bins.bin[bin[n]].count[d.bins.parity], 1);
    }
#pragma unroll
    for (uint32_t n = 0; n < 2; n++)
        if (place[n] < BIN_ROOM)
            d.bins.bin[bin[n]].number[place[n]] = (uint32_t)(2 * thread + n);
}

/* --- host --- */

static bool same_numbers(const selection_numbers &a, const selection_numbers &b) {
    return a.key.word[0] == b.key.word[0] && a.key.word[1] == b.key.word[1] &&
           a.temperature == b.temperature;
}

/* Queues the drawing of so many points, of which those in bins from number `first` on are kept. */
static void queue_drawing(cuda_population *p, const selection_numbers &numbers, uint64_t points,
                          uint64_t first) {
    point_drawing *const d = &p->drawn;
    if (p->failed)
        return;
    d->bins.parity = 1 - d->bins.parity;
    d->bins.all = point_bins_of(points);
    d->bins.first = first;
    d->bins.here = d->bins.all - first < d->room ? d->bins.all - first : d->room;
    d->points = points;
    d->numbers = numbers;
    const uint64_t blocks = (points + 2 * THREADS - 1) / (2 * THREADS);
    draw<<<(unsigned)blocks, THREADS, 0, p->stream>>>(*d);
    cuda_check_launch(p, "draw");
}

/* The bin of so many points in which the parents here begin. */
static uint64_t first_bin(const parent_line *line, uint64_t points) {
    const parent_line in_bins = {line->length, point_bins_of(points), 0};
    return line_place_of(in_bins, line->before).strata;
}

point_bins cuda_points_of(cuda_population *p, const engine_step *step) {
    const point_drawing *const d = &p->drawn;
    const selection_numbers numbers = {step->key, step->temperature};
    const parent_line *const line = &step->line;
    const bool there = same_numbers(d->numbers, numbers) && d->points >= line->points &&
                       d->bins.first == first_bin(line, d->points);
    if (line->points > 0 && !there)
        queue_drawing(p, numbers, line->points, first_bin(line, line->points));
    return d->bins;
}

void cuda_points_ahead(cuda_population *p, const engine_step *step) {
    const selection_numbers numbers = {step->key, step->temperature + 1};
    if (resampling_way_of(p->rule) == BY_POINTS && p->device.all == 0 && step->founders > 0)
        queue_drawing(p, numbers, step->founders, 0);
}
