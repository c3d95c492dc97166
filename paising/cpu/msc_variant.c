/* The kernels of one instruction set. This file is compiled once for each. */
#include "msc_sweep.h"
#include "ssc_draw.h"
#include "ssc_rows.h"

const msc_kernels MSC_NAME(msc_kernels) = {
    .name = MSC_VARIANT_NAME,
    .gather = MSC_NAME(msc_gather),
    .sweep = MSC_NAME(msc_sweep),
    .measure = MSC_NAME(msc_measure),
    .pack = MSC_NAME(msc_pack),
    .unpack = MSC_NAME(msc_unpack),
    .draw = MSC_NAME(ssc_draw),
    .flip_half = MSC_NAME(ssc_flip_half),
};
