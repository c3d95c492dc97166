/* Blocks of a launch. */
#ifndef PAISING_CUDA_DEVICE_BLOCKS_H
#define PAISING_CUDA_DEVICE_BLOCKS_H

#include <stdint.h>

/* The blocks of a launch in which `each` items have a block; the last one may have fewer. */
static inline unsigned blocks_for(uint64_t items, unsigned each) {
    return (unsigned)((items + each - 1) / each);
}

#endif
