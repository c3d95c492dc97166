/* Each family stands no farther in the file than in memory, so that none is overwritten before its turn. */
#include "families.h"

#include <string.h>

#define NARROW sizeof(uint32_t)

size_t family_bytes(uint64_t founders) {
    return founders > (uint64_t)UINT32_MAX + 1 ? sizeof(uint64_t) : NARROW;
}

void families_pack(uint64_t *families, uint64_t count, uint64_t founders) {
    if (family_bytes(founders) > NARROW)
        return;
    for (uint64_t n = 0; n < count; n++) {
        const uint32_t narrow = (uint32_t)families[n];
        memcpy((uint8_t *)families + n * NARROW, &narrow, NARROW);
    }
}

void families_unpack(uint64_t *families, uint64_t count, uint64_t founders) {
    if (family_bytes(founders) > NARROW)
        return;
    for (uint64_t n = count; n-- > 0;) {
        uint32_t narrow;
        memcpy(&narrow, (const uint8_t *)families + n * NARROW, NARROW);
        families[n] = narrow;
    }
}
