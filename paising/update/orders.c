/* Updates that are an order of sites (visit_order); engine/visits.h says how each goes. */
#include "update.h"

const update_kind tiles_update = {.name = "tiles", .order = VISIT_TILES};
const update_kind sequential_update = {.name = "sequential", .order = VISIT_SEQUENTIAL};
const update_kind random_update = {.name = "random", .order = VISIT_RANDOM};
const update_kind double_tiling_update = {.name = "double-tiling", .order = VISIT_DOUBLE_TILING};
const update_kind dead_border_update = {.name = "dead-border", .order = VISIT_DEAD_BORDER};
