/* Families in files: 4 bytes each, or 8 where there are more than 2^32 founders. */
#ifndef PAISING_FAMILIES_H
#define PAISING_FAMILIES_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of one. */
size_t family_bytes(uint64_t founders);

/* Makes families what stands in a file, where they are, and back. */
void families_pack(uint64_t *families, uint64_t count, uint64_t founders);
void families_unpack(uint64_t *families, uint64_t count, uint64_t founders);

#endif
