/* Searching in rising numbers on the device, by one thread. */
#ifndef PAISING_CUDA_BISECTION_CUH
#define PAISING_CUDA_BISECTION_CUH

#include <stdint.h>

/* The first of the rising numbers 0 .. high-1 that exceeds x; `high` if none does. */
static __device__ uint32_t first_above(const uint32_t *numbers, uint32_t high, uint32_t x) {
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

/* The first of the rising numbers 0 .. high-1 that is x, if one is, else `high`; none exceeds x. */
static __device__ uint32_t first_equal(const uint32_t *numbers, uint32_t high, uint32_t x) {
    return x ? first_above(numbers, high, x - 1) : 0;
}

/* The first of the rising numbers up to that at `last` which is the same; looked for from there on, as runs are short. */
static __device__ uint64_t first_of_run(const uint32_t *numbers, uint64_t last) {
    const uint32_t x = numbers[last];
    uint64_t step = 1;
    while (step <= last && numbers[last - step] == x)
        step *= 2;
    const uint64_t low = step <= last ? last - step + 1 : 0;
    return low + first_equal(numbers + low, (uint32_t)(last - step / 2 - low), x);
}

#endif
