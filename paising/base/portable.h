/* What compilers are told: of functions in headers that C, CUDA's host side and its kernels share, and of loops. */
#ifndef PAISING_PORTABLE_H
#define PAISING_PORTABLE_H

#include <stdint.h> /* with which the C library says who it is */

#ifdef __CUDACC__
#define SHARED_FUNCTION static __host__ __device__ __forceinline__
#define SHARED_CONSTANT SHARED_FUNCTION constexpr /* whose value templates ask for */
#else
#define SHARED_FUNCTION static inline
#define SHARED_CONSTANT SHARED_FUNCTION
#endif

/* Before a function that is part of every one that calls it, compiled anew for its constants and its processor. */
#define TEMPLATE static inline __attribute__((always_inline))

/* Before a function whose loops become vector instructions, some for each kind of processor: those that suit it are
 * chosen when the program starts. Functions that it calls are templates, or are compiled for the plainest processor. What
 * IEEE 754 prescribes does not depend on how many numbers are calculated with at once. */
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
