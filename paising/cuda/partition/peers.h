/* Device memory shared between processes of a host (peer_verbs in engine/partition.h). */
#ifndef PAISING_CUDA_PARTITION_PEERS_H
#define PAISING_CUDA_PARTITION_PEERS_H

#include "engine/partition.h"

extern const peer_verbs cuda_peers;

#endif
