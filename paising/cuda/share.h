/* The share of a population in a CUDA engine (engine/share.h). */
#ifndef PAISING_CUDA_SHARE_H
#define PAISING_CUDA_SHARE_H

#include "engine_state.h"

extern const struct share_verbs cuda_share_verbs;

/* What it has beside a population: made unless it is there, and freed. p->failed is set without memory. */
void cuda_share_create(cuda_guests *g, cuda_population *p, const spin_model *model);
void cuda_share_destroy(cuda_guests *g);

#endif
