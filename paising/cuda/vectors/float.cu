/* Kernels of vectors of floats. */
#include "cuda/vectors/request.h"
#include "engine/vector_arithmetic.h"

#define REAL      float
#define REAL_PAIR float2
#define OF(name)  vector_float_##name
#include "cuda/vectors/kernels.cuh"
