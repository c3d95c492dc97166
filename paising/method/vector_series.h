/* What canonical simulation records of spins that are vectors (--vector-observables). */
#ifndef PAISING_VECTOR_SERIES_H
#define PAISING_VECTOR_SERIES_H

#include "series.h"

/* Reads the spins of each replica after each measurement, and writes MC_vectors.dat. */
extern const series_method vector_series;

/* Host memory that it takes. */
uint64_t vector_series_bytes(const parameters *p);

#endif
