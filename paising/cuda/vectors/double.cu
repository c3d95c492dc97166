/* Kernels of vectors of doubles. */
#include "cuda/device/label_trees.cuh"
#include "cuda/vectors/request.h"
#include "engine/vector_overlaps.h"

#define REAL      double
#define REAL_PAIR double2
#define OF(name)  vector_double_##name
#include "cuda/vectors/kernels.cuh"
