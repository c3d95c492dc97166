/* The resampling rules, of engine/rule_list.h. Each is a line there and functions for host and device, in a header of its own
 * or here. A rule gives children to parents in one of three ways, and has the functions of this way:
 *
 *   BY_THEMSELVES  from tau-hat and random numbers of the parent:
 *                      NAME_copies(numbers, parent, four, tau_hat)
 *   BY_PLACE       from where the parent begins and ends on the line of the parents (line.h):
 *                      NAME_before(line, numbers, offset, x)
 *   BY_POINTS      from the number of points that fall on the parent's part of the line (multinomial.h):
 *                      NAME_weight(tau_hat), NAME_sure(tau_hat) */
#ifndef PAISING_RESAMPLING_RULES_H
#define PAISING_RESAMPLING_RULES_H

#include "engine/kinds.h"
#include "multinomial.h"
#include "nearest.h"
#include "none.h"
#include "poisson.h"
#include "residual.h"
#include "stratified.h"
#include "systematic.h"

typedef enum { BY_THEMSELVES, BY_PLACE, BY_POINTS } resampling_way;

SHARED_CONSTANT resampling_way resampling_way_of(resampling_rule rule) {
    switch (rule) {
#define RULE(NAME, name, way, meaning)                                                             \
    case RESAMPLE_##NAME:                                                                          \
        return way;
#include "engine/rule_list.h"
#undef RULE
    case RESAMPLING_RULES:
        break;
    }
    return BY_THEMSELVES;
}

/* The weight of a parent on the line, and the children that it has besides. */
SHARED_FUNCTION uint64_t resampling_weight(resampling_rule rule, uint64_t tau_hat) {
    switch (rule) {
#define BY_THEMSELVES_CASE(NAME, name)
#define BY_PLACE_CASE(NAME, name)
#define BY_POINTS_CASE(NAME, name)                                                                 \
    case RESAMPLE_##NAME:                                                                          \
        return name##_weight(tau_hat);
#define RULE(NAME, name, way, meaning) way##_CASE(NAME, name)
#include "engine/rule_list.h"
    default:
        return tau_hat;
    }
}

SHARED_FUNCTION uint64_t resampling_sure(resampling_rule rule, uint64_t tau_hat) {
    switch (rule) {
#undef BY_POINTS_CASE
#define BY_POINTS_CASE(NAME, name)                                                                 \
    case RESAMPLE_##NAME:                                                                          \
        return name##_sure(tau_hat);
#include "engine/rule_list.h"
    default:
        return 0;
    }
}

/* By themselves: the number of children of parent j. `four` holds the random numbers that parents 4
 * (j / 4) .. 4 (j / 4) + 3 share (resampling_shared). */
STREAM_FUNCTION uint64_t resampling_copies_of(resampling_rule rule, selection_numbers numbers,
                                              uint32_t parent, const stream_block *four,
                                              uint64_t tau_hat) {
    switch (rule) {
#undef BY_POINTS_CASE
#define BY_POINTS_CASE(NAME, name)
#undef BY_THEMSELVES_CASE
#define BY_THEMSELVES_CASE(NAME, name)                                                             \
    case RESAMPLE_##NAME:                                                                          \
        return name##_copies(numbers, parent, four, tau_hat);
#include "engine/rule_list.h"
    default:
        return 0;
    }
}

STREAM_FUNCTION stream_block resampling_shared(selection_numbers numbers, uint64_t parent) {
    return stream_draw(numbers.key, STREAM_RESAMPLE, 0, (uint32_t)(parent / 4), 0,
                       numbers.temperature);
}

/* By place: the number of children of all parents before weight x of the line. `offset` is
 * systematic_offset. */
STREAM_FUNCTION uint64_t resampling_before(resampling_rule rule, parent_line line,
                                           selection_numbers numbers, uint64_t offset, uint64_t x) {
    switch (rule) {
#undef BY_THEMSELVES_CASE
#define BY_THEMSELVES_CASE(NAME, name)
#undef BY_PLACE_CASE
#define BY_PLACE_CASE(NAME, name)                                                                  \
    case RESAMPLE_##NAME:                                                                          \
        return name##_before(line, numbers, offset, x);
#include "engine/rule_list.h"
    default:
        return 0;
    }
}
#undef RULE
#undef BY_THEMSELVES_CASE
#undef BY_PLACE_CASE
#undef BY_POINTS_CASE

#endif
