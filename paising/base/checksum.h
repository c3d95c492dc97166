/* CRC-32, that of zlib, which joins those of pieces by crc32_combine; faster where the processor multiplies
 * polynomials. */
#ifndef PAISING_CHECKSUM_H
#define PAISING_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what has the checksum `crc`, with these bytes behind it; 0 is that of nothing. */
uint32_t checksum_add(uint32_t crc, const void *bytes, size_t size);

#endif
