/* A generator of your own, for `make rng GENERATOR=my.c`: three definitions, example_generator.c has them. */
#ifndef PAISING_EXTERNAL_H
#define PAISING_EXTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* sizeof the state of one thread. */
extern const size_t external_state_bytes;

/* Prepares the state of a thread (aligned to 8 bytes), of which all its numbers are made. Threads of a seed, from 0, and those of
 * other seeds are to be independent of one another. */
void external_seed(void *state, uint64_t seed, uint64_t thread);

/* The next 32 random bits. */
uint32_t external_next(void *state);

#endif
