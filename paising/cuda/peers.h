/* Memory of GPUs that other processes of the host see (share_peers in engine/share.h). */
#ifndef PAISING_CUDA_PEERS_H
#define PAISING_CUDA_PEERS_H

#include "engine/share.h"

extern const share_peers cuda_peers;

#endif
