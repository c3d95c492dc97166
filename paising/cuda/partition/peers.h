/* Memory of GPUs that other processes of the host see (peer_verbs in engine/share.h). */
#ifndef PAISING_CUDA_PARTITION_PEERS_H
#define PAISING_CUDA_PARTITION_PEERS_H

#include "engine/partition.h"

extern const peer_verbs cuda_peers;

#endif
