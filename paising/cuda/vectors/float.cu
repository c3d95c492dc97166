/* Kernels of vectors of floats. */
#include "cuda/device/label_trees.cuh"
#include "cuda/vectors/request.h"
#include "engine/vector_overlaps.h"

#define REAL      float
#define REAL_PAIR float2
#define OF(name)  vector_float_##name
#include "cuda/vectors/kernels.cuh"
