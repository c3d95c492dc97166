/* Random sets of options of build/paising, for comparing the whole program: set number n of a seed. */
#ifndef PAISING_IDENTITY_OPTION_SETS_H
#define PAISING_IDENTITY_OPTION_SETS_H

#include <stdint.h>

/* Sets in turn that have every p in every mode, and single-spin coding; every model is among them. */
#define OPTION_SETS_ROUND 24

/* Writes a set as words with a space between them, from -c to -s; without device and output. Some
 * second on one core. Returns text. */
#define OPTION_SET_SIZE 360
const char *identity_option_set(char text[OPTION_SET_SIZE], uint64_t seed, uint32_t n);

#endif
