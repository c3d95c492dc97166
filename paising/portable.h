/* Functions in headers that C, CUDA's host side and its kernels share. */
#ifndef PAISING_PORTABLE_H
#define PAISING_PORTABLE_H

#ifdef __CUDACC__
#define SHARED_FUNCTION static __host__ __device__ __forceinline__
#else
#define SHARED_FUNCTION static inline
#endif

#endif
