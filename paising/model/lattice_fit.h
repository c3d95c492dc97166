/* Which lattices a list of bonds could be of, for messages. */
#ifndef PAISING_LATTICE_FIT_H
#define PAISING_LATTICE_FIT_H

#include "bond_list.h"

#define LATTICE_FIT_SIZE 200

/* Names up to three periodic lattices of the same number of sites, numbered as in couplings.h, on which both ends of every
 * bond are neighbours: ": all are with -L 8x100". Says that there is none if so. Returns text. */
const char *lattice_fit(const bond_list *list, char text[LATTICE_FIT_SIZE]);

#endif
