/* Selects the MSC kernels for this processor. */
#include "msc_kernels.h"

#include <string.h>

extern const msc_kernels msc_kernels_base;

#if defined(__x86_64__)
#include <cpuid.h>

extern const msc_kernels msc_kernels_v3, msc_kernels_v4;

/* Whether the processor has all features that x86-64-v3 allows compilers to use. Some have no name
 * for __builtin_cpu_supports in every compiler. */
static int runs_v3(void) {
    const unsigned in_1 = bit_MOVBE | bit_F16C;
    unsigned a, b, c, d, extended;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
           __get_cpuid(1, &a, &b, &c, &d) && (c & in_1) == in_1 &&
           __get_cpuid(0x80000001, &a, &b, &extended, &d) && (extended & bit_LZCNT) != 0;
}

/* The same for x86-64-v4. */
static int runs_v4(void) {
    return runs_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

static int runs_base(void) {
    return 1;
}

/* Widest first. */
static const struct {
    const msc_kernels *kernels;
    int (*runs)(void);
} sets[] = {
#if defined(__x86_64__)
    {&msc_kernels_v4, runs_v4},
    {&msc_kernels_v3, runs_v3},
#endif
    {&msc_kernels_base, runs_base},
};

const msc_kernels *msc_kernels_best(void) {
    size_t n = 0;
    while (!sets[n].runs())
        n++;
    return sets[n].kernels;
}

const msc_kernels *msc_kernels_named(const char *name) {
    for (size_t n = 0; n < sizeof sets / sizeof *sets; n++)
        if (!strcmp(sets[n].kernels->name, name) && sets[n].runs())
            return sets[n].kernels;
    return NULL;
}
