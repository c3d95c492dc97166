/* Memory that the CUDA engines allocate, as plain arithmetic. Every build has it: `--dry-run` needs
 * the sizes for a GPU that is not in this machine. */
#ifndef PAISING_CUDA_ENGINE_BYTES_H
#define PAISING_CUDA_ENGINE_BYTES_H

#include "engine/engine.h"

/* The driver hands out memory in pages of this size. */
#define CUDA_PAGE_BYTES ((uint64_t)2 << 20)

C_DECLARATIONS_BEGIN

/* Device memory and host memory in bytes that an engine of this configuration allocates. For MSC,
 * `stream_blocks` blocks keep their MWC states in device memory, as many as the device has
 * multiprocessors. 0: the states fit into shared memory. */
uint64_t cuda_device_bytes(const engine_config *config, uint32_t stream_blocks);
uint64_t cuda_host_bytes(const engine_config *config);

/* Whether populations of this configuration can be launched as a batch (launch_batch.h). Such
 * populations are too small to fill a device. */
bool launch_batch_serves(const engine_config *config);

/* An upper bound of the device memory on a device that is not known. */
uint64_t cuda_device_bytes_at_most(const engine_config *config);

/* The parts of it, in bytes. Spins are those of one of the two populations, which is also the size of the buffer of save()
 * and load() (spins.h). */

/* MSC: spins; the MWC states of so many blocks; and whether each machine word keeps its states in device memory, as with
 * stripes and tiles, where many blocks update a word. */
uint64_t cuda_msc_spin_bytes(const engine_config *config);
uint64_t cuda_msc_stream_bytes(const spin_model *model, uint32_t blocks);
bool cuda_msc_words_have_streams(const engine_config *config);

/* SSC: spins; from the even to the odd sub-lattice; labels of clusters. */
uint64_t cuda_ssc_spin_bytes(const engine_config *config);
uint32_t cuda_ssc_half_bytes(const spin_model *model);
uint64_t cuda_ssc_label_bytes(const engine_config *config);

/* An engine of SSC has one of two tables: bits of sites, or the numbers of their neighbours, which is 0 where word numbers exceed
 * 16 bits. */
uint64_t cuda_ssc_site_bytes(const spin_model *model);
uint64_t cuda_ssc_neighbour_bytes(const spin_model *model);

/* Spins that are not Ising's: of a replica; spins. */
uint32_t cuda_states_stride(const spin_model *model);
uint64_t cuda_states_spin_bytes(const engine_config *config);

/* Vectors: spins; couplings, 0: they have none. Pairs that are measured together, and the waves of their overlaps; 0: they
 * have none. */
uint64_t cuda_vector_spin_bytes(const engine_config *config);
uint64_t cuda_vector_coupling_bytes(const spin_model *model);
#define MOST_VECTOR_PAIRS 8192u
uint64_t cuda_vector_pairs(const engine_config *config);
uint64_t cuda_vector_wave_bytes(const spin_model *model);

/* Graphs: 32-bit words of 32 replicas; spins; tables of neighbours; probabilities of flips. */
uint32_t cuda_graph_stride(const spin_model *model);
uint64_t cuda_graph_spin_bytes(const engine_config *config);
uint64_t cuda_graph_table_bytes(const spin_graph *graph);
uint64_t cuda_graph_flip_bytes(const spin_graph *graph);

/* Lattices without energy levels: spins; tables of neighbours and couplings; thresholds of patterns, which cubes of some
 * edges need; and the largest number of groups of a population. */
uint64_t cuda_fine_spin_bytes(const engine_config *config);
uint64_t cuda_fine_table_bytes(const spin_model *model);
uint64_t cuda_fine_threshold_bytes(const spin_model *model);
uint64_t cuda_fine_groups(const engine_config *config);

/* The largest number of levels that a report has. */
uint64_t cuda_levels(const engine_config *config);

/* The levels that the report of a whole population has room for. */
uint64_t cuda_report_levels(const engine_config *config);

/* The same of the report of a group of so many replicas. */
size_t cuda_group_levels(bool fine, size_t levels, uint64_t replicas);

/* Sizes of the overlap report and of that of cosines and sines; 0 for models without
 * couplings. */
uint64_t cuda_overlap_bytes(const spin_model *model);
uint64_t cuda_wave_bytes(const spin_model *model);
#define CUDA_LOG_BYTES ((uint64_t)1024 * sizeof(uint32_t)) /* of logarithms of small families */
uint64_t cuda_order_bytes(const spin_model *model); /* of the places in words of differences */

/* Capacity of a mailbox body (prelaunch.h) in 64-bit numbers: tau-hat of all levels, up to a
 * limit. */
uint64_t prelaunch_numbers(const engine_config *config);

/* Upper bound of the bytes of a mailbox that precede its body, on the host and on the device. */
#define PRELAUNCH_BYTES 1024

/* Size of each of the two sets of point counts (point_bins.h). 0 for rules without points, and
 * where the host resamples. */
uint64_t cuda_point_bytes(const engine_config *config);

C_DECLARATIONS_END

#endif
