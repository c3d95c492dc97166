/* Kernels of vectors of floats. */
#include "cuda/vectors/request.h"
#include "engine/vector_arithmetic.h"

#define REAL     float
#define OF(name) vector_float_##name
#include "cuda/vectors/kernels.cuh"
