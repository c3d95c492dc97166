/* The table of updates. */
#include "update.h"

#include <stddef.h>

const update_kind *const update_kinds[UPDATES + 1] = {
#define UPDATE(file, name, meaning) &file##_update,
#include "update_list.h"
#undef UPDATE
    NULL};
