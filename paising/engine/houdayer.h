/* Isoenergetic cluster moves of two replicas of one lattice (J. Houdayer, Eur. Phys. J. B 22, 479, 2001; Z. Zhu, A. J.
 * Ochoa, H. G. Katzgraber, Phys. Rev. Lett. 115, 077201, 2015). The sites at which the two differ, or those at which they
 * agree if these are fewer, are the set. A site of it is drawn, and the cluster of the set that it belongs to, joined by
 * bonds that are there, is turned over in both replicas.
 *
 * Outside the cluster the two have opposite products with its spins, so that what one replica gains the other loses: the sum
 * of the two energies stays, exactly. Neither the set nor its clusters change, so that the move back has the same
 * probability. It keeps the product of two Boltzmann distributions at one temperature, without any decision. It needs a
 * lattice without fields. */
#ifndef PAISING_HOUDAYER_H
#define PAISING_HOUDAYER_H

#include "model/model.h"

/* The bonds of a lattice, by the numbers of sites that `read` of an engine has. */
typedef struct {
    uint32_t sites, bonds; /* N, and 2 dimension of each site */
    uint32_t *neighbour;   /* [N][bonds] */
    int32_t *bond;         /* [N][bonds] J in units of J / unit, 0 where the bond is missing */
} houdayer_lattice;

/* Makes the tables of a model with couplings. Returns 0, or -1 without memory. */
int houdayer_lattice_create(houdayer_lattice *l, const spin_model *model);
void houdayer_lattice_destroy(houdayer_lattice *l);

/* Bytes of the tables; and of the work array of a move, one for each thread. */
uint64_t houdayer_lattice_bytes(const spin_model *model);
uint64_t houdayer_work_bytes(const spin_model *model);

typedef struct {
    uint32_t cluster, set; /* sites in them */
    /* of the energy of the first replica, in J / unit; the second one falls by as much */
    int64_t rise;
} houdayer_outcome;

/* Makes a move of the replicas one[] and other[], ceil(N / 8) bytes each as `read` gives them. `number` draws the site.
 * Nothing happens where the set is empty. */
houdayer_outcome houdayer_move(const houdayer_lattice *l, uint8_t *one, uint8_t *other,
                               uint64_t number, void *work);

#endif
