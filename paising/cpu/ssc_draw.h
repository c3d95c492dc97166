/* Random numbers of single-spin coding, of one instruction set (msc_kernels.h, `draw`). */
#ifndef PAISING_CPU_SSC_DRAW_H
#define PAISING_CPU_SSC_DRAW_H

#include "engine/streams.h"
#include "msc_vector.h"

void MSC_NAME(ssc_draw)(uint32_t *number, uint32_t first, uint32_t calls, stream_key key,
                        uint32_t replica, uint32_t sweep, uint32_t temperature);

#endif
