/* Words that blocks of one launch send each other through device memory. Each goes with a number, by which the reader recognises it. */
#ifndef PAISING_CUDA_MSC_SENT_WORDS_CUH
#define PAISING_CUDA_MSC_SENT_WORDS_CUH

#include <stdint.h>

typedef uint2 sent_word;

static __device__ __forceinline__ void send_word(sent_word *to, uint32_t word, uint32_t number) {
    __stcg(to, make_uint2(word, number));
}

/* Waits for the word with a number. The block that sends it must be resident. */
static __device__ __forceinline__ uint32_t await_word(const sent_word *from, uint32_t number) {
    const volatile unsigned long long *const both = (const volatile unsigned long long *)from;
    unsigned long long word = *both; /* both halves in one load */
    while ((uint32_t)(word >> 32) != number)
        word = *both;
    return (uint32_t)word;
}

#endif
