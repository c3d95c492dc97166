/* Kernels of vectors of floats and doubles, with the bits of the CPU: --fmad=false. */
#include "cuda/vectors/kernels.h"
#include "engine/vector_arithmetic.h"

#define REAL     float
#define OF(name) vector_float_##name
#include "cuda/vectors/kernels.cuh"
#undef REAL
#undef OF

#define REAL     double
#define OF(name) vector_double_##name
#include "cuda/vectors/kernels.cuh"
#undef REAL
#undef OF
