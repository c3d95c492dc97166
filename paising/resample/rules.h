/* The resampling rules. Each rule has a header of its own, with functions for host and device, an
 * entry in the functions below, and a name in engine/kinds.c. A rule gives children to parents in
 * one of three ways:
 *
 *   by themselves   from tau-hat and random numbers of the parent
 *   by place        from where the parent begins and ends on the line of the parents (line.h)
 *   by points       from the number of points that fall on the parent's part of the line */
#ifndef PAISING_RESAMPLING_RULES_H
#define PAISING_RESAMPLING_RULES_H

#include "engine/kinds.h"
#include "multinomial.h"
#include "nearest.h"
#include "poisson.h"
#include "residual.h"
#include "stratified.h"
#include "systematic.h"

typedef enum { BY_THEMSELVES, BY_PLACE, BY_POINTS } resampling_way;

SHARED_CONSTANT resampling_way resampling_way_of(resampling_rule rule) {
    switch (rule) {
    case RESAMPLE_SYSTEMATIC:
    case RESAMPLE_STRATIFIED:
        return BY_PLACE;
    case RESAMPLE_RESIDUAL:
    case RESAMPLE_MULTINOMIAL:
        return BY_POINTS;
    case RESAMPLE_NEAREST:
    case RESAMPLE_POISSON:
        break;
    }
    return BY_THEMSELVES;
}

/* The weight of a parent on the line, and the children that it has besides. */
SHARED_FUNCTION uint64_t resampling_weight(resampling_rule rule, uint64_t tau_hat) {
    return rule == RESAMPLE_RESIDUAL ? residual_weight(tau_hat) : tau_hat;
}

SHARED_FUNCTION uint64_t resampling_sure(resampling_rule rule, uint64_t tau_hat) {
    return rule == RESAMPLE_RESIDUAL ? residual_sure(tau_hat) : 0;
}

/* By themselves: the number of children of parent j. `four` holds the random numbers that parents 4
 * (j / 4) .. 4 (j / 4) + 3 share (resampling_shared). */
STREAM_FUNCTION uint64_t resampling_copies_of(resampling_rule rule, selection_numbers numbers,
                                              uint32_t parent, const stream_block *four,
                                              uint64_t tau_hat) {
    return rule == RESAMPLE_POISSON ? poisson_copies(numbers, parent, tau_hat)
                                    : nearest_copies(tau_hat, four->number[parent % 4]);
}

STREAM_FUNCTION stream_block resampling_shared(selection_numbers numbers, uint64_t parent) {
    return stream_draw(numbers.key, STREAM_RESAMPLE, 0, (uint32_t)(parent / 4), 0,
                       numbers.temperature);
}

/* By place: the number of children of all parents before weight x of the line. `offset` is
 * systematic_offset. */
STREAM_FUNCTION uint64_t resampling_before(resampling_rule rule, parent_line line,
                                           selection_numbers numbers, uint64_t offset, uint64_t x) {
    return rule == RESAMPLE_STRATIFIED ? stratified_before(line, numbers, x)
                                       : systematic_before(line, offset, x);
}

#endif
