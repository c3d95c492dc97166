/* A transition of first order in a density of states. In a lattice of finite size ln g(E) is not concave there: at some beta the probability
 * of an energy, g(E) exp(-beta E), has two peaks (K. Binder, D. P. Landau, Phys. Rev. B 30, 1477, 1984; J. Lee, J. M. Kosterlitz, Phys. Rev. Lett. 65, 137,
 * 1990). Both lie on the concave hull of ln g, and the line from one to the other has the slope beta at which they are equally high. */
#ifndef PAISING_TRANSITION_H
#define PAISING_TRANSITION_H

#include "model/levels.h"

#include <stdbool.h>
#include <stddef.h>

#define TRANSITION_SMOOTHED                                                                        \
    5 /* bins of 1 J, of which ln g is averaged before peaks are looked for */
#define TRANSITION_BINS                                                                            \
    20 /* the peaks are apart: few levels at an end of the spectrum are not concave either */

/* Energies are those of the lattice, in J. */
typedef struct {
    double beta_height;       /* at which the two peaks are equally high, */
    double barrier;           /* ln of their height over that of the lowest energy between them, */
    double low, valley, high; /* and the energies of the peaks and of that one */
    double beta_weight;       /* at which energies up to `valley` have the probability 1/2, */
    double heat;              /* and the mean energy above it less that of the others */
} transition;

/* Finds the two peaks of a beta > 0 with the largest area between ln g and the line that joins them. ln_g[levels.count]: NAN where it is not known. Returns false where ln g is
 * concave, or without memory. */
bool transition_find(const double ln_g[], energy_levels levels, transition *t);

#endif
