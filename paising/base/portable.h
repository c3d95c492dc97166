/* Functions in headers that C, CUDA's host side and its kernels share. */
#ifndef PAISING_PORTABLE_H
#define PAISING_PORTABLE_H

#ifdef __CUDACC__
#define SHARED_FUNCTION static __host__ __device__ __forceinline__
#define SHARED_CONSTANT SHARED_FUNCTION constexpr /* whose value templates ask for */
#else
#define SHARED_FUNCTION static inline
#define SHARED_CONSTANT SHARED_FUNCTION
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
