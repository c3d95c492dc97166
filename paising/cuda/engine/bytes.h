/* The memory that the CUDA engines take, as arithmetic that every build has: what they allocate, and
 * what a GPU that is not here would need. */
#ifndef PAISING_CUDA_ENGINE_BYTES_H
#define PAISING_CUDA_ENGINE_BYTES_H

#include "engine/engine.h"

/* The driver gives memory in pages of so many bytes. */
#define CUDA_PAGE_BYTES ((uint64_t)2 << 20)

C_DECLARATIONS_BEGIN

/* Device memory in bytes that an engine of this configuration takes, and host memory. MSC: so many blocks keep
 * MWC states in device memory, which depends on the device; 0: they have room for them in shared memory. */
uint64_t cuda_device_bytes(const engine_config *config, uint32_t stream_blocks);
uint64_t cuda_host_bytes(const engine_config *config);

/* Device memory on a device of which nothing is known: it takes at most this. */
uint64_t cuda_device_bytes_at_most(const engine_config *config);

/* Bytes of the parts: the spins of one of the two populations, which is also the room for save and load
 * (spins.h), the MWC states of so many blocks, from the even to the odd sub-lattice of SSC, and its tables of
 * sites, of which an engine has one: their bits, and their neighbours, 0 if their words have too large numbers. */
uint64_t cuda_msc_spin_bytes(const engine_config *config);
uint64_t cuda_ssc_spin_bytes(const engine_config *config);
uint64_t cuda_msc_stream_bytes(const spin_model *model, uint32_t blocks);
uint32_t cuda_ssc_half_bytes(const spin_model *model);
uint64_t cuda_ssc_site_bytes(const spin_model *model);
uint64_t cuda_ssc_neighbour_bytes(const spin_model *model);

/* What is reported of overlaps, and the cosines and sines for it; 0 for models without couplings. */
uint64_t cuda_overlap_bytes(const spin_model *model);
uint64_t cuda_wave_bytes(const spin_model *model);

/* Numbers that the body of a selection's gate may have (gate.h): tau-hat of the levels, if it is to be told of so many. */
uint64_t prelaunch_numbers(const spin_model *model);

/* At most so many bytes are before that body, on either side. */
#define PRELAUNCH_BYTES 1024

/* Each of the two sets of counts of points in bins (point_bins.h); 0 by rules without points, and where the host selects. */
uint64_t cuda_point_bytes(const engine_config *config);

C_DECLARATIONS_END

#endif
