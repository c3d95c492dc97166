/* What words of samples (--words samples) ask of the other settings. */
#ifndef PAISING_SETTINGS_WORDS_H
#define PAISING_SETTINGS_WORDS_H

#include "parameters.h"
#include "refuse.h"

/* Returns 0, or -1 with a message. */
int check_words(const parameters *p, message m);

#endif
