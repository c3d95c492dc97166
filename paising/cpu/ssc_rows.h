/* Flips of single-spin coding, many sites of a row at a time, of one instruction set (msc_kernels.h, `flip_half`). */
#ifndef PAISING_CPU_SSC_ROWS_H
#define PAISING_CPU_SSC_ROWS_H

#include "msc_kernels.h"
#include "msc_vector.h"

void MSC_NAME(ssc_flip_half)(int8_t *spin, const ssc_half *half, const uint32_t *number);

#endif
