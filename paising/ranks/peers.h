/* Memory of the devices of a host's ranks that all of these see, as their engines know how (share_peers in
 * engine/share.h). All is called by all ranks of a host, and all learn the same. */
#ifndef PAISING_RANKS_PEERS_H
#define PAISING_RANKS_PEERS_H

#include "engine/share.h"

/* Whether every rank has an engine that knows how; NULL: this one's does not. */
bool peers_can(const share_peers *peers);

/* Offers so many bytes to the others of the host, and opens what they offer: seen[neighbours]. Returns false, with
 * nothing left of it, where a rank cannot. Closes all, and frees this rank's own. */
bool peers_open(const share_peers *peers, uint64_t bytes, uint8_t *seen[]);
void peers_close(const share_peers *peers, uint8_t *seen[]);

#endif
