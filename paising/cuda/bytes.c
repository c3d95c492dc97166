/* The memory that the CUDA engines take. */
#include "bytes.h"

#include "cpu/population.h"
#include "engine/msc_layout.h"
#include "report.h"

/* More multiprocessors than any GPU has, and more than a prefix sum takes: 8 bytes for each of its
 * tiles, of more than 256 numbers, and some for all. */
#define MOST_BLOCKS           256
#define MOST_SCAN_BYTES(size) ((size) / 32 + 4096)

uint64_t cuda_msc_spin_bytes(const engine_config *config) {
    return msc_machine_words(config->word, config->capacity) * config->model.sites *
           sizeof(uint32_t);
}

uint64_t cuda_msc_stream_bytes(uint32_t size, uint32_t blocks) {
    return (uint64_t)blocks * size * size / 16 * sizeof(uint64_t);
}

uint32_t cuda_ssc_half_bytes(uint32_t size) {
    return (size * size / 2 + 15) / 16 * 16;
}

/* The spins of one of the two populations of SSC. */
static uint64_t ssc_spin_bytes(const engine_config *config) {
    return 2 * config->capacity * cuda_ssc_half_bytes(config->model.edge[0]);
}

/* tau-hat and the report, on either side. */
static uint64_t report_bytes(const engine_config *config) {
    return config->model.levels.count * (sizeof(uint64_t) + sizeof(level_sums)) +
           sizeof(cuda_report);
}

uint64_t cuda_device_bytes(const engine_config *config, cuda_needs needs) {
    const uint64_t bookkeeping = 5 * sizeof(uint32_t) * config->capacity + needs.scan_bytes;
    const uint64_t spins =
        config->coding == CODING_MSC
            ? 2 * cuda_msc_spin_bytes(config) +
                  cuda_msc_stream_bytes(config->model.edge[0], needs.stream_blocks)
            : 2 * ssc_spin_bytes(config);
    return bookkeeping + report_bytes(config) + spins;
}

uint64_t cuda_host_bytes(const engine_config *config) {
    const uint64_t hybrid = 2 * ssc_spin_bytes(config) + population_bytes(config->capacity);
    return report_bytes(config) + (config->stages == STAGES_HYBRID ? hybrid : 0);
}

uint64_t cuda_device_bytes_at_most(const engine_config *config) {
    const cuda_needs needs = {MOST_SCAN_BYTES(config->capacity), MOST_BLOCKS};
    return cuda_device_bytes(config, needs);
}
