/* Kernels of vectors of floats with the functions of the hardware (`--real fast`), which are rounded as it likes: products and sums are contracted, too. */
#include "cuda/device/label_trees.cuh"
#include "cuda/vectors/request.h"
#include "engine/vector_overlaps.h"

#define REAL      float
#define REAL_PAIR float2
#define OF(name)  vector_fast_##name
#include "cuda/vectors/kernels.cuh"
