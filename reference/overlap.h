/* Exact moments of the overlap of two replicas, q = sum over sites of s_i s'_i / N, the order
 * parameter of a glass, on lattices of at most 24 sites with any couplings. */
#ifndef PAISING_OVERLAP_H
#define PAISING_OVERLAP_H

#include "model/couplings.h"

#define OVERLAP_MAX_SITES 24

typedef struct {
    double abs_q; /* <|q|> */
    double q2;    /* <q^2> */
    double q4;    /* <q^4> */
} overlap_moments;

/* The moments with both replicas at the same beta, with a relative error of 1e-12. 2^N numbers are
 * transformed: a second at 4 x 6. Returns false without memory. */
bool overlap_thermodynamics(const couplings *c, double beta, overlap_moments *moments);

#endif
