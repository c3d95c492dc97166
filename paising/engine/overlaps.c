/* Sums over pairs of replicas, one pair at a time, and the tables of their waves. */
#include "overlaps.h"

#include <stdlib.h>
#include <string.h>

/* --- bins --- */

bool overlap_is_of_bits(const spin_model *model) {
    return model->disordered && model->spins == SPINS_ISING;
}

uint64_t overlap_steps(const spin_model *model) {
    return model->spins == SPINS_VECTOR ? OVERLAP_VECTOR_STEPS : model->sites;
}

uint64_t overlap_link_steps(const spin_model *model) {
    return model->spins == SPINS_VECTOR ? OVERLAP_VECTOR_STEPS / 2 : model->bonds;
}

uint32_t overlap_wall_step(const spin_model *model) {
    return model->incomplete || model->spins == SPINS_VECTOR ? 1 : 2;
}

overlap_scale overlap_scale_of(const spin_model *model) {
    const uint64_t half = overlap_steps(model) / 2, step = overlap_wall_step(model),
                   most = model->spins == SPINS_VECTOR ? overlap_link_steps(model)
                                                       : model->dimension * model->sites,
                   levels = most / step + 1;
    uint64_t width = 1, side = half;
    while (2 * side + 1 > OVERLAP_BINS) {
        width += 2;
        side = (half - (width - 1) / 2 + width - 1) / width;
    }
    const uint64_t walls = (levels + OVERLAP_BINS - 1) / OVERLAP_BINS;
    return (overlap_scale){.differ_width = (uint32_t)width,
                           .differ_side = (uint32_t)side,
                           .wall_width = (uint32_t)(step * walls),
                           .differ_bins = (uint32_t)(2 * side + 1),
                           .wall_bins = (uint32_t)((levels + walls - 1) / walls)};
}

/* --- sums --- */

int overlap_sums_create(overlap_sums *s, const spin_model *model) {
    *s = (overlap_sums){.sites = overlap_steps(model), .scale = overlap_scale_of(model)};
    s->differ = calloc((size_t)OVERLAP_PARTS * s->scale.differ_bins, sizeof *s->differ);
    s->walls = calloc((size_t)OVERLAP_PARTS * s->scale.wall_bins, sizeof *s->walls);
    return s->differ != NULL && s->walls != NULL ? 0 : -1;
}

void overlap_sums_destroy(overlap_sums *s) {
    free(s->differ);
    free(s->walls);
    s->differ = s->walls = NULL;
}

void overlap_sums_begin(overlap_sums *s, uint64_t population) {
    s->pairs = overlap_pairs(population);
    s->relatives = s->family_logs = 0;
    s->differ_span = (overlap_span){0, s->scale.differ_bins};
    s->wall_span = (overlap_span){0, s->scale.wall_bins};
    memset(s->block, 0, sizeof s->block);
    memset(s->vectors, 0, sizeof s->vectors);
    memset(s->differ, 0, (size_t)OVERLAP_PARTS * s->scale.differ_bins * sizeof *s->differ);
    memset(s->walls, 0, (size_t)OVERLAP_PARTS * s->scale.wall_bins * sizeof *s->walls);
}

void overlap_sums_add(overlap_sums *s, uint64_t k, const overlap_pair *pair) {
    const overlap_block numbers = overlap_numbers(s->sites, pair);
    uint64_t *const sums = (uint64_t *)&s->block[overlap_block_of(k, s->pairs)];
    for (size_t n = 0; n < sizeof numbers / sizeof *sums; n++)
        sums[n] += ((const uint64_t *)&numbers)[n];

    const uint64_t part = overlap_part_of(k, s->pairs);
    s->differ[part * s->scale.differ_bins + overlap_differ_bin(s->scale, s->sites, pair->differ)]++;
    s->walls[part * s->scale.wall_bins + overlap_wall_bin(s->scale, pair->walls)]++;
}

uint64_t overlap_family_logs(const uint32_t family[], uint64_t replicas) {
    uint64_t sum = 0, members = 0; /* of the current family */
    for (uint64_t k = 0; k < replicas; k++) {
        members++;
        if (k + 1 == replicas || family[k + 1] != family[k]) {
            sum += members * family_log(members);
            members = 0;
        }
    }
    return sum;
}

/* --- waves --- */

/* By its series, of additions, multiplications and divisions alone, which are the same everywhere
 * (base/ieee_math.h). What nine terms leave is below the last digit. */
double overlap_sine(uint32_t x, uint32_t edge) {
    const double angle = 2 * 3.14159265358979323846 * x / edge, square_of = angle * angle;
    double term = angle, sum = angle;
    for (int n = 1; n <= 9; n++) {
        term *= -square_of / (2 * n * (2 * n + 1));
        sum += term;
    }
    return sum;
}

static int32_t rounded_sine(uint32_t x, uint32_t edge) {
    return (int32_t)(overlap_sine(x, edge) * (1 << OVERLAP_COSINE_BITS) + 0.5);
}

/* 2^14 sin(2 pi x / L), rounded, for any x: the other three quarters are mirror images, so that half a turn on is the
 * opposite. */
static int32_t wave_sine(uint32_t x, uint32_t edge) {
    x %= edge;
    if (2 * x >= edge)
        return -wave_sine(x - edge / 2, edge);
    return 4 * x <= edge ? rounded_sine(x, edge) : rounded_sine(edge / 2 - x, edge);
}

/* cos(2 pi x / L) is sin(2 pi (L - 4 x) / 4 L): a quarter of a turn is a whole number of quarter steps. */
static int32_t wave_cosine(uint32_t x, uint32_t edge) {
    return wave_sine(4 * x + edge, 4 * edge);
}

int overlap_waves_create(overlap_waves *w, const spin_model *model) {
    *w = (overlap_waves){.cosine = {NULL}};
    size_t edges = 0;
    for (uint32_t d = 0; d < model->dimension; d++)
        edges += model->edge[d];
    int32_t *table = malloc(2 * edges * sizeof *table);
    if (table == NULL)
        return -1;
    for (uint32_t d = 0; d < model->dimension; d++) {
        const uint32_t edge = model->edge[d];
        w->cosine[d] = table;
        w->sine[d] = table + edge;
        table += 2 * edge;
        for (uint32_t x = 0; x < edge; x++) {
            w->cosine[d][x] = wave_cosine(x, edge);
            w->sine[d][x] = wave_sine(x, edge);
        }
    }
    return 0;
}

void overlap_waves_destroy(overlap_waves *w) {
    free(w->cosine[0]);
    w->cosine[0] = NULL;
}
