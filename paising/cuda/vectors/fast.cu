/* Kernels of vectors of floats with the functions of the hardware, and contracted products: other bits than those of exact.cu. */
#include "cuda/vectors/kernels.h"
#include "engine/vector_arithmetic.h"

#define REAL           float
#define REAL_FAST_MATH 1
#define OF(name)       vector_fast_##name
#include "engine/vector_math.h"

#include "cuda/vectors/kernels.cuh"
