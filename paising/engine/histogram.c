/* The histogram of a population: exact sums, one replica at a time. */
#include "histogram.h"

#include <stdlib.h>
#include <string.h>

uint32_t histogram_low_bits(const spin_model *model) {
    uint64_t largest = model_largest_order(model) / model->order_unit;
    uint32_t bits = 1;
    while (bits < 31 && largest >> bits > 0)
        bits++;
    return 2 * bits;
}

int histogram_create(histogram *h, const spin_model *model) {
    return histogram_create_for(h, model, UINT64_MAX);
}

int histogram_create_for(histogram *h, const spin_model *model, uint64_t replicas) {
    const size_t levels = model->levels.count,
                 room = model->levels.fine ? levels : histogram_room(levels, replicas);
    memset(h, 0, sizeof *h);
    h->levels = model->levels;
    h->order_unit = model->order_unit;
    h->order_share = model->order_share;
    h->low_bits = histogram_low_bits(model);
    h->single = room < levels;
    h->coupled = model->coupled || model->graph != NULL || model->levels.fine;
    h->gap = model->gaps > 0 ? model->gap[0] : (uint32_t)model->levels.spacing;
    h->level = calloc(room, sizeof *h->level);
    if (model->levels.fine) {
        h->energy = calloc(model->levels.count, sizeof *h->energy);
        h->energy2_high = calloc(POPULATION_BLOCKS, sizeof *h->energy2_high);
    }
    if (h->level != NULL && (!model->levels.fine || (h->energy != NULL && h->energy2_high != NULL)))
        return 0;
    histogram_destroy(h);
    return -1;
}

void histogram_destroy(histogram *h) {
    free(h->level);
    free(h->energy);
    free(h->energy2_high);
    h->level = NULL;
    h->energy = NULL;
    h->energy2_high = NULL;
}

/* Zeroes the sums of some levels, if there are any. */
static void clear_range(histogram *h, size_t first, size_t end) {
    if (first < end)
        memset(histogram_level(h, first), 0, (end - first) * sizeof *h->level);
}

void histogram_clear_levels(histogram *h) {
    clear_range(h, h->first, h->end);
    memset(h->edge, 0, sizeof h->edge);
    h->population = h->families = 0;
    h->family_squares = 0;
    h->first = h->end = 0;
}

void histogram_move(histogram *h, size_t first, size_t end) {
    clear_range(h, h->first, h->end < first ? h->end : first);
    clear_range(h, h->first > end ? h->first : end, h->end);
    h->first = first;
    h->end = end;
}

void histogram_clear(histogram *h) {
    histogram_clear_levels(h);
    h->next.width = 0;
    memset(h->block, 0, sizeof h->block);
    if (h->energy2_high != NULL)
        memset(h->energy2_high, 0, POPULATION_BLOCKS * sizeof *h->energy2_high);
    memset(h->founder, 0, sizeof h->founder);
    memset(h->parent, 0, sizeof h->parent);
}

/* Adds E^2 to a block: of fine energies in 128 bits. */
static void add_square(histogram *h, size_t block, int64_t energy) {
    const uint64_t size = energy < 0 ? -(uint64_t)energy : (uint64_t)energy;
    const uint128 square = (uint128)size * size;
    uint64_t *const low = &h->block[block].energy2;
    *low += (uint64_t)square;
    if (h->energy2_high != NULL)
        h->energy2_high[block] += (uint64_t)(square >> 64) + (*low < (uint64_t)square);
}

void histogram_add(histogram *h, uint64_t k, size_t n, uint64_t order) {
    const int64_t energy = histogram_energy(h, n);
    const uint64_t abs_m = h->order_unit * order;
    const uint128 q = (uint128)(order * order) * (order * order);
    const uint64_t low = (uint64_t)q & ((UINT64_C(1) << h->low_bits) - 1),
                   high = (uint64_t)(q >> h->low_bits);

    level_sums *const level = histogram_level(h, n);
    level->replicas++;
    level->abs_m += abs_m;
    level->m2 += abs_m * abs_m;
    level->q_low += low;
    level->q_high += high;

    const size_t b = population_block(k, h->population);
    block_sums *const block = &h->block[b];
    block->replicas++;
    block->energy += energy;
    add_square(h, b, energy);
    block->abs_m += abs_m;
    block->m2 += abs_m * abs_m;
    block->q_low += low;
    block->q_high += high;

    if (h->first == h->end) { /* the first replica */
        h->first = n;
        h->end = n + 1;
    } else if (n < h->first) {
        h->first = n;
    } else if (n >= h->end) {
        h->end = n + 1;
    }
}

void histogram_add_founder(histogram *h, uint32_t family, uint64_t founders, size_t n) {
    founder_sums *const sums = &h->founder[population_block(family, founders)];
    sums->replicas++;
    sums->energy += histogram_energy(h, n);
}

double histogram_m4_unit(const histogram *h) {
    const double unit = h->order_unit;
    return unit * unit * unit * unit;
}

double histogram_largest_order(const histogram *h, double spins) {
    return h->order_share > 1 ? spins * h->order_share : spins;
}

/* Writes or reads what fine energies have besides. */
static bool transfer_energies(section_file *f, histogram *h) {
    if (!section_transfer(f, h->energy2_high, POPULATION_BLOCKS * sizeof *h->energy2_high) ||
        !section_transfer(f, h->energy + h->first, (h->end - h->first) * sizeof *h->energy))
        return false;
    for (size_t n = h->first + 1; n < h->end; n++)
        if (h->energy[n - 1] >= h->energy[n])
            return section_altered(f);
    return true;
}

bool histogram_transfer(section_file *f, histogram *h, uint64_t most) {
    if (!section_choice(f, &h->population, most) || (h->population == 0 && !section_altered(f)))
        return false;
    return SECTION_VALUE(f, h->families) && SECTION_VALUE(f, h->family_squares) &&
           SECTION_VALUE(f, h->block) && SECTION_VALUE(f, h->founder) &&
           SECTION_VALUE(f, h->parent) &&
           section_range(f, &h->first, &h->end, h->level, h->levels.count, sizeof *h->level) &&
           (h->energy == NULL || transfer_energies(f, h));
}
