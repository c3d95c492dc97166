/* What walkers of flat histograms ask of the lattice, its energies and the windows. */
#ifndef PAISING_SETTINGS_WALKERS_H
#define PAISING_SETTINGS_WALKERS_H

#include "parameters.h"
#include "refuse.h"

/* Checks the parameters of a method that has walkers. Returns 0, or -1 with a message. */
int check_walkers(const parameters *p, message m);

#endif
