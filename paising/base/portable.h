/* Attributes for functions in headers that C, CUDA host code and kernels share, and for loops. */
#ifndef PAISING_PORTABLE_H
#define PAISING_PORTABLE_H

#include <stdint.h> /* with which the C library says who it is */

#ifdef __CUDACC__
#define SHARED_FUNCTION static __host__ __device__ __forceinline__
#define SHARED_CONSTANT SHARED_FUNCTION constexpr /* a value that template arguments may use */
#else
#define SHARED_FUNCTION static inline
#define SHARED_CONSTANT SHARED_FUNCTION
#endif

/* A function that is inlined into every caller, and so compiled for the caller's constants and
 * processor. */
#define TEMPLATE static inline __attribute__((always_inline))

/* A function whose loops become vector instructions, compiled for several kinds of processor; the
 * loader selects one when the program starts. Functions called from it must be templates, else they
 * use the baseline instructions. Results do not depend on the width of vectors, by IEEE 754. */
#if defined __x86_64__ && defined __GLIBC__ && !defined __clang__
#define VECTORS_OF_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VECTORS_OF_EACH_PROCESSOR
#endif

/* Around declarations of C functions that C++ calls. */
#ifdef __cplusplus
#define C_DECLARATIONS_BEGIN extern "C" {
#define C_DECLARATIONS_END   }
#else
#define C_DECLARATIONS_BEGIN
#define C_DECLARATIONS_END
#endif

#endif
