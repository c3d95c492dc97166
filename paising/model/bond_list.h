/* Bonds and fields as a list, of any graph: what a file gives, and what a lattice or a graph is made of.
 *
 * E = -sum J_ij s_i s_j - sum h_i s_i over the bonds and sites of the list, in units of 1 / unit: J and h are whole numbers, and
 * the energy in units of J is E / unit. */
#ifndef PAISING_BOND_LIST_H
#define PAISING_BOND_LIST_H

#include "base/portable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t i, j; /* sites, i < j */
    int64_t value; /* J, which may be 0 */
} bond;

typedef struct bond_list {
    uint32_t sites;
    size_t bonds, room;
    bond *bond;     /* [bonds]; no pair of sites twice */
    int64_t *field; /* [sites] h; NULL: all are 0 */
    uint32_t unit;
} bond_list;

C_DECLARATIONS_BEGIN

/* Creates a list of so many sites without bonds and fields, of unit 1. It has no memory of its own yet. */
bond_list bond_list_of(uint32_t sites);

/* Adds a bond of two different sites, in either order. Returns false without memory. Whether the pair was there before is
 * not looked at: bond_list_sort tells. */
bool bond_list_add(bond_list *list, uint32_t i, uint32_t j, int64_t value);

/* Adds to the field of a site. Returns false without memory. */
bool bond_list_add_field(bond_list *list, uint32_t i, int64_t value);

/* Puts the bonds in the order of i, then j. Returns the place of the first bond whose pair stands before it as well, or `bonds`
 * if there is none. */
size_t bond_list_sort(bond_list *list);

void bond_list_destroy(bond_list *list);

C_DECLARATIONS_END

#endif
