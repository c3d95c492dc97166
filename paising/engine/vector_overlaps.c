/* Overlaps of vectors as those of a lattice whose sites are the steps of q (vector_overlaps.h, overlaps.h). */
#include "vector_overlaps.h"

#include <math.h>

uint64_t vector_overlap_bonds(const spin_model *model) {
    uint64_t bonds = 0;
    for (uint64_t b = 0; b < model->dimension * model->sites; b++)
        bonds += model->sample == NULL || vector_coupling(model->sample, b / model->dimension,
                                                          (uint32_t)(b % model->dimension)) != 0;
    return bonds;
}

/* The sum of the squares. */
static double squares(const int64_t x[VECTOR_PRODUCTS]) {
    double sum = 0;
    for (uint32_t k = 0; k < VECTOR_PRODUCTS; k++)
        sum += (double)x[k] * (double)x[k];
    return sum;
}

/* x in whole steps, at most `most` of them. */
static uint64_t steps_of(double x, uint64_t most) {
    return x < (double)most ? (uint64_t)(x + 0.5) : most;
}

/* How many chiralities there are. */
static double chiralities(const spin_model *m) {
    const double d = m->dimension;
    return (double)m->sites * (m->components == 2 ? d * (d - 1) / 2 : d);
}

void vector_overlaps_add(overlap_sums *s, uint64_t k, const vector_pair *pair,
                         const spin_model *model, uint64_t bonds) {
    const double sites = (double)model->sites, link = (double)pair->link / (double)bonds,
                 self = (double)pair->self / (2 * (double)bonds),
                 chirality = fabs((double)pair->chirality) / chiralities(model);
    const uint64_t one = OVERLAP_VECTOR_STEPS / 2;
    overlap_pair as_bits = {
        .differ = (uint32_t)(one - steps_of(sqrt(squares(pair->product)) / sites, one)),
        .walls = (uint32_t)steps_of(fmax((VECTOR_ONE - link) / 2, 0), one)};
    for (uint32_t d = 0; d < model->dimension; d++)
        as_bits.cosine[d] =
            (int64_t)(sqrt(squares(pair->cosine[d]) + squares(pair->sine[d])) / sites + 0.5);
    overlap_sums_add(s, k, &as_bits);

    overlap_vector_block *const b = &s->vectors[overlap_block_of(k, s->pairs)];
    const uint64_t c = steps_of(chirality, 2 * one);
    const uint128 c4 = (uint128)(c * c) * (c * c);
    b->self += steps_of(self, one);
    b->chiral2 += c * c;
    b->chiral4_low += (uint32_t)c4;
    b->chiral4_high += (uint64_t)(c4 >> 32);
}
