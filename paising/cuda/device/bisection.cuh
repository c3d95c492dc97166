/* Binary search in increasing numbers by one thread. */
#ifndef PAISING_CUDA_DEVICE_BISECTION_CUH
#define PAISING_CUDA_DEVICE_BISECTION_CUH

#include <stdint.h>

/* Returns the index of the first of numbers[0 .. high-1] that exceeds x; `high` if none does. */
template <typename NUMBER>
static __device__ uint32_t first_above(const NUMBER *numbers, uint32_t high, NUMBER x) {
    uint32_t low = 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (numbers[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Returns the index of the first of numbers[0 .. high-1] that equals x; `high` if none does. Pre:
 * none exceeds x. */
template <typename NUMBER>
static __device__ uint32_t first_equal(const NUMBER *numbers, uint32_t high, NUMBER x) {
    return x ? first_above(numbers, high, x - 1) : 0;
}

#endif
