/* Graphs as text files. */
#ifndef PAISING_GRAPH_FILE_H
#define PAISING_GRAPH_FILE_H

#include "base/message.h"
#include "bond_list.h"

/* Reads bonds and fields of the file that an option names: a line "i j J" for each bond and "i i h" for a field, sites from 0,
 * E = -sum J s s - sum h s. # begins a comment. The sites are those up to the largest number. Returns STATUS_REFUSED after a
 * message that names the line; *list then holds nothing. */
exit_status bond_list_read(bond_list *list, const char *option, const char *path);

#endif
