/* The table of models. */
#include "model.h"

const model_kind *const model_kinds[] = {&square_kind, NULL};

int edge_is_allowed(edge_rule rule, uint32_t edge) {
    return edge >= rule.smallest && edge <= rule.largest && edge % rule.multiple == 0;
}

size_t model_packed_bytes(const spin_model *m) {
    return (size_t)(m->sites + 7) / 8;
}
