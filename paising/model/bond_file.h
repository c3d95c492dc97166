/* Files of bonds and fields that other programs write, in several dialects:
 *
 *   dialect        header                      first site    energy by the numbers v of a line    i i
 *   ours           none                        0             -v s_i s_j                           field, -v s_i
 *   rudy           n m, or n m 0, or none      1             v = w: +w s_i s_j, a cut             refused
 *   coo            # vartype=SPIN              0             +v s_i s_j                           +v s_i
 *                  # vartype=BINARY            0             +v x_i x_j, x = (1 + s) / 2          +v x_i
 *   matrix-market  %%MatrixMarket matrix ...   1             -v s_i s_j                           field, -v s_i
 *   isakov         a line with a name          0 or 1        +v s_i s_j                           +v s_i
 *
 * Sources. rudy: the generator of that name, Gset and the DIMACS torus instances; the cut of a configuration is
 * (W - sum w s_i s_j) / 2, W the sum of all w. coo: dimod, serialization/coo.py. Matrix Market: the NIST format,
 * coordinate, real, integer or pattern, symmetric or general. isakov: README.txt, lattice.h and algorithm.h of SimAn
 * v1.0 (Isakov, Zintchenko, Ronnow, Troyer, Comput. Phys. Commun. 192, 265 (2015)).
 *
 * A file without header and site 0 is of rudy, or ours counted from 1. Both have the same energies if the graph is
 * bipartite and has no field; it is read as rudy then, and refused otherwise. */
#ifndef PAISING_BOND_FILE_H
#define PAISING_BOND_FILE_H

#include "base/message.h"
#include "bond_list.h"
#include "bond_origin.h"

C_DECLARATIONS_BEGIN

/* Reads a file that `option` names into a list, which is sorted and has no pair twice, and whose energy is that of the
 * file less the offset. A matrix with both triangles gives each bond once. `sites` is how many sites are expected,
 * 0: not known; the list has as many as the header says, or else at least these. *line becomes the lines of the bonds, [list->bonds], to be freed; NULL: not wanted.
 * Returns STATUS_REFUSED after a message on stderr that names the line, for a file that is malformed, of no dialect, or
 * of several; *list then has no memory. */
exit_status bond_file_read(bond_list *list, bond_origin *origin, unsigned long **line,
                           const char *option, bond_reading how, uint64_t sites, const char *path);

C_DECLARATIONS_END

#endif
