/* Memory that the CUDA engines allocate. */
#include "cuda/engine/bytes.h"

#include "cpu/population.h"
#include "cuda/device/batch_requests.cuh"
#include "cuda/fine/tables.h"
#include "cuda/graph/slices.h"
#include "cuda/graph/tables.h"
#include "cuda/msc/couplings.h"
#include "cuda/report/report.h"
#include "cuda/select/point_bins.h"
#include "cuda/select/tile.h"
#include "engine/msc_layout.h"
#include "engine/strips.h"
#include "engine/vector_overlaps.h"
#include "resample/rules.h"

/* More multiprocessors than any GPU has. */
#define MOST_BLOCKS 256

/* One block copies them to the device; above this number a plain copy is faster. */
#define MOST_PRELAUNCH_LEVELS 4096

/* Of a launch batch: larger lattices occupy more levels than fit into a kernel's arguments. */
#define MOST_BATCHED_SITES 4096

/* An array takes whole pages. Small arrays share pages (arrays.h), and take less than this. */
static uint64_t whole_pages(uint64_t bytes) {
    return (bytes + CUDA_PAGE_BYTES - 1) / CUDA_PAGE_BYTES * CUDA_PAGE_BYTES;
}

uint64_t cuda_msc_spin_bytes(const engine_config *config) {
    const uint64_t sites = config->model.sites, strips = lattice_strips(&config->model),
                   each = config->model.dimension == 2 ? strips * STRIP_SITES : sites;
    return msc_machine_words(config->word, config->capacity) * each * sizeof(uint32_t);
}

uint64_t cuda_msc_stream_bytes(const spin_model *model, uint32_t blocks) {
    return blocks * lattice_strips(model) * 4 * sizeof(uint32_t);
}

bool cuda_msc_words_have_streams(const engine_config *config) {
    return config->model.stripes > 1 || config->visits.order == VISIT_TILES;
}

uint32_t cuda_ssc_half_bytes(const spin_model *model) {
    return (uint32_t)(model->sites / 2 + 15) / 16 * 16;
}

uint64_t cuda_ssc_spin_bytes(const engine_config *config) {
    return 2 * config->capacity * cuda_ssc_half_bytes(&config->model);
}

uint64_t cuda_ssc_label_bytes(const engine_config *config) {
    return engine_has_clusters(config) ? config->capacity * config->model.sites * sizeof(uint32_t)
                                       : 0;
}

/* A level of each window has thresholds and a count. */
static uint64_t cuda_walk_bytes(const engine_config *config) {
    const spin_model *const m = &config->model;
    const uint64_t windows = engine_populations(config),
                   words = config->capacity / MACHINE_LANES + windows;
    const uint64_t of_site = m->spins == SPINS_ISING ? 1 : MACHINE_LANES / sizeof(uint32_t);
    const uint64_t bonds = m->graph != NULL ? m->sites * sizeof(walk_site_of_graph) +
                                                  (2 * m->bonds + 1) * sizeof(walk_link)
                                            : m->sites * m->coordination * sizeof(uint32_t);
    return !engine_has_walkers(config)
               ? 0
               : bonds + m->sites * of_site * words * sizeof(uint32_t) +
                     windows * m->levels.count *
                         (walk_changes(m) * sizeof(uint32_t) + sizeof(uint64_t)) +
                     2 * config->capacity * sizeof(uint32_t);
}

uint64_t cuda_ssc_site_bytes(const spin_model *model) {
    const uint64_t missing = model->incomplete ? sizeof(uint8_t) : 0;
    return 2 * cuda_ssc_half_bytes(model) * (sizeof(uint16_t) + missing);
}

uint32_t cuda_states_stride(const spin_model *model) {
    return (uint32_t)(model->sites + 3) / 4 * 4;
}

uint64_t cuda_states_spin_bytes(const engine_config *config) {
    return config->capacity * cuda_states_stride(&config->model);
}

uint64_t cuda_vector_spin_bytes(const engine_config *config) {
    return config->capacity * model_packed_bytes(&config->model);
}

uint32_t cuda_graph_stride(const spin_model *model) {
    return (uint32_t)(model->sites + 3) / 4 * 4;
}

/* Behind the last word, three are read that no site has. Packed replicas begin at bytes of their own. */
uint64_t cuda_graph_spin_bytes(const engine_config *config) {
    const uint64_t words = (config->capacity + MACHINE_LANES - 1) / MACHINE_LANES,
                   spins = (words * cuda_graph_stride(&config->model) + 4) * sizeof(uint32_t),
                   packed = config->capacity * model_packed_bytes(&config->model);
    return spins > packed ? spins : packed;
}

uint64_t cuda_graph_table_bytes(const spin_graph *graph) {
    const graph_sizes sizes = graph_sizes_of(graph);
    const graph_slices slices = graph_slices_of(graph);
    return sizes.rows * sizeof(graph_row) +
           sizes.quads * (sizeof(graph_quad) + 4 * sizeof(int32_t)) +
           slices.groups * (sizeof(slice_group) + SLICE_PLACES * sizeof(int32_t)) +
           slices.rows * SLICE_PLACES * sizeof(uint32_t) + graph->sites * sizeof(int64_t);
}

uint64_t cuda_graph_flip_bytes(const spin_graph *graph) {
    return (2 * (uint64_t)graph->most_change + 1) * (2 * sizeof(uint64_t) + sizeof(uint32_t));
}

/* Behind the last word, three are read that no site has. */
uint64_t cuda_fine_spin_bytes(const engine_config *config) {
    const uint64_t words = (config->capacity + MACHINE_LANES - 1) / MACHINE_LANES,
                   spins = (words * config->model.sites + 4) * sizeof(uint32_t),
                   packed = config->capacity * model_packed_bytes(&config->model);
    return spins > packed ? spins : packed;
}

uint64_t cuda_fine_table_bytes(const spin_model *model) {
    const uint64_t quads = 2 * fine_quads((uint32_t)model->sites);
    return quads * (2 * model->dimension * sizeof(graph_row) + 4 * sizeof(int32_t));
}

uint64_t cuda_fine_threshold_bytes(const spin_model *model) {
    return model->dimension == 3 ? model->sites * FINE_PATTERNS * sizeof(uint32_t) : 0;
}

uint64_t cuda_fine_groups(const engine_config *config) {
    return config->group > 0 ? (config->capacity + config->group - 1) / config->group : 1;
}

/* Arrays of a population, sums of squares, and what the library that sorts takes: less than 1 byte a replica and 4 MiB. */
static uint64_t fine_level_bytes(const engine_config *config) {
    const uint64_t each[] = {sizeof(int64_t),  sizeof(uint32_t), sizeof(uint64_t), sizeof(uint64_t),
                             sizeof(uint32_t), sizeof(uint32_t), sizeof(uint32_t), sizeof(int64_t)};
    uint64_t bytes =
        whole_pages(cuda_fine_groups(config) * POPULATION_BLOCKS * 3 * sizeof(uint64_t)) +
        whole_pages(4 * sizeof(weight_units)) + whole_pages(config->capacity + (4 << 20));
    for (size_t n = 0; n < sizeof each / sizeof *each; n++)
        bytes += whole_pages(config->capacity * each[n]);
    return bytes;
}

/* J of each site to all its neighbours. */
uint64_t cuda_vector_coupling_bytes(const spin_model *model) {
    const uint64_t each = model->real == REAL_DOUBLE ? sizeof(double) : sizeof(float);
    return model->coupled ? 2 * model->dimension * model->sites * each : 0;
}

uint64_t cuda_vector_pairs(const engine_config *config) {
    const uint64_t all = overlap_pairs(config->capacity);
    if (!config->model.disordered)
        return 0;
    return all < MOST_VECTOR_PAIRS ? all : MOST_VECTOR_PAIRS;
}

/* Cosines and sines of a wave along each edge. */
static uint64_t wave_bytes(const spin_model *model) {
    uint64_t edges = 0;
    for (uint32_t d = 0; d < model->dimension; d++)
        edges += model->edge[d];
    return 2 * sizeof(int32_t) * edges;
}

uint64_t cuda_vector_wave_bytes(const spin_model *model) {
    return model->disordered ? wave_bytes(model) : 0;
}

/* Beside the spins four sums for each replica, labels of clusters, and what is known of pairs. */
static uint64_t vector_bytes(const engine_config *config) {
    return 2 * whole_pages(cuda_vector_spin_bytes(config)) +
           whole_pages(cuda_vector_coupling_bytes(&config->model)) +
           whole_pages(cuda_ssc_label_bytes(config)) +
           whole_pages(cuda_vector_pairs(config) * sizeof(vector_pair)) +
           whole_pages(cuda_vector_wave_bytes(&config->model)) +
           whole_pages(4 * sizeof(uint64_t) * config->capacity) + fine_level_bytes(config);
}

uint64_t cuda_levels(const engine_config *config) {
    return config->model.levels.fine ? config->capacity : model_most_levels(&config->model);
}

uint64_t cuda_report_levels(const engine_config *config) {
    return histogram_room(cuda_levels(config), config->capacity);
}

/* Four numbers a word; above 2^16 words a number exceeds 16 bits. */
uint64_t cuda_ssc_neighbour_bytes(const spin_model *model) {
    const uint64_t words = 2 * cuda_ssc_half_bytes(model);
    return words <= 1u << 16 ? words * 4 * sizeof(uint32_t) : 0;
}

uint64_t cuda_overlap_bytes(const spin_model *model) {
    const overlap_scale scale = overlap_scale_of(model);
    return overlap_is_of_bits(model)
               ? sizeof(overlap_report) +
                     OVERLAP_PARTS * sizeof(uint32_t) * (scale.differ_bins + scale.wall_bins)
               : 0;
}

uint64_t cuda_wave_bytes(const spin_model *model) {
    return overlap_is_of_bits(model) ? wave_bytes(model) : 0;
}

uint64_t cuda_order_bytes(const spin_model *model) {
    const uint64_t rows = model->sites / model->edge[0];
    const uint64_t missing = model->incomplete ? model->sites : 0;
    return overlap_is_of_bits(model) ? sizeof(uint32_t) * rows * (model->edge[0] + 1) + missing : 0;
}

uint64_t prelaunch_numbers(const engine_config *config) {
    const uint64_t levels = cuda_levels(config);
    return levels < MOST_PRELAUNCH_LEVELS ? levels : MOST_PRELAUNCH_LEVELS;
}

uint64_t cuda_point_bytes(const engine_config *config) {
    const bool counts =
        resampling_way_of(config->resampling) == BY_POINTS && config->stages != STAGES_HYBRID;
    return counts ? sizeof(uint32_t) * point_bins_of(config->capacity) : 0;
}

/* Size of the larger one of the two site tables. */
static uint64_t site_table_bytes(const spin_model *model) {
    const uint64_t bits = cuda_ssc_site_bytes(model), neighbours = cuda_ssc_neighbour_bytes(model);
    return neighbours > bits ? neighbours : bits;
}

/* Size of a mailbox, on the host and on the device. */
static uint64_t prelaunch_bytes(const engine_config *config) {
    return sizeof(uint64_t) * prelaunch_numbers(config) + PRELAUNCH_BYTES;
}

size_t cuda_group_levels(bool fine, size_t levels, uint64_t replicas) {
    return histogram_room(fine && replicas < levels ? replicas : levels, replicas);
}

/* The room of a group's report; 0: there are no groups. Walkers are reported together. */
static size_t room_of_group(const engine_config *config) {
    return config->group == 0 || engine_has_walkers(config)
               ? 0
               : cuda_group_levels(config->model.levels.fine, cuda_levels(config), config->group);
}

/* Sizes of the reports of groups on the device, and of those in pinned memory. */
static uint64_t device_group_bytes(const engine_config *config) {
    const uint64_t room = room_of_group(config), groups = engine_populations(config);
    return room == 0 ? 0
                     : whole_pages(groups * sizeof(cuda_report)) +
                           whole_pages(groups * room * sizeof(level_sums));
}

static uint64_t host_group_bytes(const engine_config *config) {
    const uint64_t room = room_of_group(config);
    return room == 0 ? 0 : engine_populations(config) * published_bytes(room);
}

bool launch_batch_serves(const engine_config *config) {
    return config->coding == CODING_MSC && config->rng == RNG_INDEPENDENT &&
           config->stages == STAGES_FUSED && cuda_point_bytes(config) == 0 &&
           config->model.sites <= MOST_BATCHED_SITES;
}

/* Sizes of tau-hat, the reports with their sums, the mailbox, and the requests of a launch batch. */
static uint64_t host_report_bytes(const engine_config *config) {
    const uint64_t levels = cuda_levels(config);
    return levels * sizeof(uint64_t) + 2 * published_bytes(cuda_report_levels(config)) +
           cuda_overlap_bytes(&config->model) + prelaunch_bytes(config) +
           (launch_batch_serves(config) ? BATCH_REQUESTS * REQUEST_BYTES : 0);
}

static uint64_t device_report_bytes(const engine_config *config) {
    const uint64_t levels = cuda_levels(config);
    return whole_pages(levels * sizeof(uint64_t)) +
           whole_pages(level_sum_sets(levels, config->capacity) * cuda_report_levels(config) *
                       sizeof(level_sums)) +
           2 * whole_pages(sizeof(cuda_report)) + whole_pages(cuda_overlap_bytes(&config->model)) +
           whole_pages(cuda_wave_bytes(&config->model)) +
           2 * whole_pages(cuda_order_bytes(&config->model)) + whole_pages(CUDA_LOG_BYTES) +
           whole_pages(prelaunch_bytes(config));
}

uint64_t cuda_device_bytes(const engine_config *config, uint32_t stream_blocks) {
    const uint64_t bookkeeping =
        4 * whole_pages(sizeof(uint32_t) * config->capacity) +
        2 * whole_pages(cuda_point_bytes(config)) +
        whole_pages(sizeof(selection_tile) * selection_tiles(config->capacity));
    const spin_graph *const graph = config->model.graph;
    const uint64_t spins =
        config->model.spins == SPINS_VECTOR ? vector_bytes(config)
        : config->model.spins != SPINS_ISING
            ? 2 * whole_pages(cuda_states_spin_bytes(config)) +
                  whole_pages(cuda_ssc_label_bytes(config)) + whole_pages(cuda_walk_bytes(config))
        : graph != NULL
            ? 2 * whole_pages(cuda_graph_spin_bytes(config)) +
                  whole_pages(cuda_graph_table_bytes(graph)) +
                  whole_pages(cuda_walk_bytes(config)) + whole_pages(cuda_graph_flip_bytes(graph))
        : config->model.levels.fine ? 2 * whole_pages(cuda_fine_spin_bytes(config)) +
                                          whole_pages(cuda_fine_table_bytes(&config->model)) +
                                          whole_pages(cuda_fine_threshold_bytes(&config->model)) +
                                          whole_pages(sizeof(fine_flips)) + fine_level_bytes(config)
        : config->coding == CODING_MSC
            ? 2 * whole_pages(cuda_msc_spin_bytes(config)) +
                  whole_pages(cuda_msc_stream_bytes(&config->model, stream_blocks)) +
                  whole_pages(msc_coupling_bytes(&config->model))
            : 2 * whole_pages(cuda_ssc_spin_bytes(config)) +
                  whole_pages(cuda_ssc_label_bytes(config)) + whole_pages(cuda_walk_bytes(config)) +
                  whole_pages(site_table_bytes(&config->model));
    return bookkeeping + device_report_bytes(config) + device_group_bytes(config) + spins;
}

uint64_t cuda_host_bytes(const engine_config *config) {
    const uint64_t hybrid =
        2 * cuda_ssc_spin_bytes(config) + population_bytes(config->capacity, config->resampling);
    const uint64_t energies = 3 * config->capacity * sizeof(int64_t) +
                              cuda_fine_groups(config) * POPULATION_BLOCKS * 3 * sizeof(uint64_t) +
                              config->capacity * sizeof(level_sums) + sizeof(next_weights) +
                              sizeof(uint64_t);
    return host_report_bytes(config) + host_group_bytes(config) +
           (config->stages == STAGES_HYBRID ? hybrid : 0) +
           (config->model.levels.fine ? energies : 0) +
           (config->model.spins == SPINS_VECTOR && config->model.disordered
                ? cuda_vector_pairs(config) * sizeof(vector_pair) +
                      2 * config->capacity * sizeof(uint32_t)
                : 0);
}

uint64_t cuda_device_bytes_at_most(const engine_config *config) {
    return cuda_device_bytes(config,
                             config->coding == CODING_MSC && cuda_msc_words_have_streams(config)
                                 ? (uint32_t)msc_machine_words(config->word, config->capacity)
                                 : MOST_BLOCKS);
}
