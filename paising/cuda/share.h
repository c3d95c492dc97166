/* The share of a population in a CUDA engine (engine/share.h). */
#ifndef PAISING_CUDA_SHARE_H
#define PAISING_CUDA_SHARE_H

#include "engine_state.h"

extern const struct share_verbs cuda_share_verbs;

void cuda_share_destroy(cuda_guests *g);

#endif
