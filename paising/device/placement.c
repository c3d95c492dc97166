/* Finds the device, compares the memory that an engine needs with what is available, and creates
 * engines. Only this file knows whether the program was built with CUDA. */
#include "placement.h"

#include "base/memory.h"
#include "cuda/engine/bytes.h"
#include "cuda/engine/fill.h"
#include "engine/capacity.h"
#include "engine/partition.h"
#include "settings/plans.h"
#ifdef PAISING_CUDA
#include "cuda/engine/engine.h"
#include "cuda/samples/samples.h"
#endif

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

/* --- devices --- */

/* Writes the kernel's name of the processor to text[size]. */
static void name_processor(char *text, size_t size) {
    static const char key[] = "model name";
    snprintf(text, size, "unknown CPU");
    FILE *const file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *const colon = strchr(line, ':');
        if (strncmp(line, key, sizeof key - 1) == 0 && colon != NULL) {
            const char *const name = colon + 1 + strspn(colon + 1, " \t");
            snprintf(text, size, "%.*s", (int)strcspn(name, "\n"), name);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

/* Reports why there is no GPU. */
static exit_status refuse_cuda(const parameters *p, const char *reason) {
    return complain(STATUS_REFUSED, "-D cuda: %s; allowed: cpu, auto%s", reason,
                    p->dry_run ? ", or an estimate for a GPU that was measured, --like NAME" : "");
}

/* Host memory of a rank's CPU engine. */
static uint64_t rank_cpu_bytes(const engine_config *config) {
    const engine_config own = ranks_share(config);
    return engine_cpu_bytes(&own) + ranks_bytes(config);
}

/* Sets the functions that compute the memory needs, and the needs. device_need is NULL without a
 * GPU. */
static void set_needs(device_placement *place, memory_need *host_need, memory_need *device_need) {
    place->host_need = host_need;
    place->device_need = device_need;
    place->host_bytes = host_need(&place->config);
    place->device_bytes = device_need ? device_need(&place->config) : 0;
}

#ifdef PAISING_CUDA

static uint64_t rank_host_bytes(const engine_config *config) {
    const engine_config own = ranks_share(config);
    return cuda_host_bytes(&own) + ranks_bytes(config);
}

static uint64_t rank_cuda_bytes(const engine_config *config) {
    const engine_config own = ranks_share(config);
    const uint64_t bytes = engine_cuda_bytes(&own);
    return bytes == UINT64_MAX ? bytes : bytes + ranks_device_bytes(config);
}

/* The number of usable GPUs; if 0, with the reason. */
static int gpus(char *reason, size_t size) {
    return cuda_device_count(reason, size);
}

/* The number of a rank's GPU: ranks of a host take GPUs in turn. */
static int gpu_of_rank(int count) {
    return (int)ranks_world().place % count;
}

/* Whether a GPU supports the engine; if not, with the reason. */
static bool gpu_can(const engine_config *config, char *reason, size_t size) {
    if (engine_cuda_has(config))
        return gpus(reason, size) > 0;
    snprintf(reason, size, "no CUDA engine with coding %s sweeps this lattice of the model %s",
             coding_name(config->coding), config->model.name);
    return false;
}

/* Opens the GPU of a rank. Returns its number, or -1 with the reason. */
static int open_gpu_of_rank(cuda_device *device, char *reason, size_t size) {
    const int count = gpus(reason, size);
    if (count == 0)
        return -1;
    const int number = gpu_of_rank(count);
    return cuda_device_open(number, device, reason, size) ? -1 : number;
}

static void prepare_gpu_of_rank(void) {
    char reason[300];
    cuda_device device;
    open_gpu_of_rank(&device, reason, sizeof reason); /* a failure is reported later */
}

static engine *gpu_engine_of_rank(const engine_config *config, char *reason, size_t size) {
    engine_config own = *config;
    char failed[300];
    cuda_device device;
    own.device_is_shared = ranks_world().neighbours > (uint32_t)gpus(failed, sizeof failed);
    own.device_number = open_gpu_of_rank(&device, failed, sizeof failed);
    engine *const e =
        own.device_number < 0 ? NULL : engine_cuda_create(&own, failed, sizeof failed);
    if (e == NULL)
        snprintf(reason, size, "-D cuda: %.250s", failed);
    return e;
}

static void describe_gpu_of_rank(const engine_config *config, rank_needs *needs) {
    cuda_device device;
    if (open_gpu_of_rank(&device, needs->device, sizeof needs->device) < 0)
        return;
    needs->gpu = true;
    snprintf(needs->device, sizeof needs->device, "%s", device.name);
    needs->host_bytes = cuda_host_bytes(config);
    needs->device_bytes = engine_cuda_bytes(config);
    needs->device_available = device.free_bytes;
}

static exit_status find_gpu(const parameters *p, device_placement *place) {
    char reason[300];
    cuda_device device;
    const int count = gpus(reason, sizeof reason);
    if (count == 0 || !gpu_can(&place->config, reason, sizeof reason))
        return refuse_cuda(p, reason);
    const bool several = ranks_world().count > 1;
    if (several && p->device_number > 0)
        return complain(STATUS_REFUSED,
                        "-D cuda:%d: under mpirun each rank takes the GPU of its number on its "
                        "host; allowed: cuda",
                        p->device_number);
    const int number = several ? gpu_of_rank(count) : p->device_number;
    if (number >= count)
        return complain(STATUS_REFUSED, "-D cuda:%d: allowed: cuda:0 to cuda:%d", p->device_number,
                        count - 1);
    if (cuda_device_open(number, &device, reason, sizeof reason))
        return complain(STATUS_REFUSED, "-D cuda:%d: %s", number, reason);
    place->gpu = true;
    snprintf(place->device, sizeof place->device, "%s", device.name);
    place->device_available = device.free_bytes;
    const engine_config own = ranks_share(&place->config);
    place->together = !several && !(p->samples > 1 && p->sweep_gain > 0);
    place->batched = place->together && launch_batch_serves(&own);
    place->fill = cuda_populations_to_fill(&own, device.multiprocessors, place->together);
    set_needs(place, rank_host_bytes, rank_cuda_bytes);
    if (place->device_bytes == UINT64_MAX)
        return complain(STATUS_REFUSED, "-D cuda:%d: the device does not say what it has",
                        p->device_number);
    return STATUS_OK;
}

static bool use_gpu(const device_placement *place) {
    return cuda_device_use(place->config.device_number);
}

static engine *gpu_engine(const device_placement *place, char *reason, size_t size) {
    char failed[200];
    engine *const e = engine_cuda_create(&place->config, failed, sizeof failed);
    if (!e)
        snprintf(reason, size, "-D cuda:%d: %s", place->config.device_number, failed);
    return e;
}

static sample_engine *gpu_sample_engine(const sample_plan *plan, char *reason, size_t size) {
    return sample_cuda_create(plan, reason, size);
}

#else

static int gpus(char *reason, size_t size) {
    snprintf(reason, size, "this program was built without CUDA");
    return 0;
}

static bool gpu_can(const engine_config *config, char *reason, size_t size) {
    (void)config;
    return gpus(reason, size) > 0;
}

static exit_status find_gpu(const parameters *p, device_placement *place) {
    char reason[100];
    (void)place;
    gpus(reason, sizeof reason);
    return refuse_cuda(p, reason);
}

static bool use_gpu(const device_placement *place) {
    (void)place;
    return false;
}

static engine *gpu_engine(const device_placement *place, char *reason, size_t size) {
    (void)place;
    gpus(reason, size);
    return NULL;
}

static sample_engine *gpu_sample_engine(const sample_plan *plan, char *reason, size_t size) {
    (void)plan;
    gpus(reason, size);
    return NULL;
}

static void prepare_gpu_of_rank(void) {
}

static engine *gpu_engine_of_rank(const engine_config *config, char *reason, size_t size) {
    (void)config;
    gpus(reason, size);
    return NULL;
}

static void describe_gpu_of_rank(const engine_config *config, rank_needs *needs) {
    (void)config;
    gpus(needs->device, sizeof needs->device);
}

#endif

/* --- places --- */

/* The replicas of an engine's population, or of each of its populations. */
static uint64_t group_of(const parameters *p) {
    return p->population * p->stripes * parameters_lanes(p);
}

static engine_config config_of(const parameters *p) {
    return (engine_config){.coding = p->coding,
                           .model = parameters_replica(p),
                           .capacity = parameters_capacity(p, group_of(p)),
                           .group = parameters_populations(p) > 1 ? group_of(p) : 0,
                           .word = p->word,
                           .resampling = p->resampling,
                           .rng = p->rng,
                           .clusters = update_kinds[p->update]->clusters != CLUSTERS_NONE,
                           .visits = parameters_visits(p),
                           .walkers = parameters_have_walkers(p),
                           .device_number = p->device_number,
                           .stages = p->stages};
}

void placement_limit_threads(void) {
    const int asked = omp_get_max_threads(), processors = omp_get_num_procs();
    if (asked <= processors)
        return;
    if (ranks_world().rank == 0)
        warn("OMP_NUM_THREADS=%d: running on %d thread%s, one for each processor", asked,
             processors, processors > 1 ? "s" : "");
    omp_set_num_threads(processors);
}

/* Refuses parameters for which the population cannot be divided among ranks. */
static exit_status refuse_ranks(const parameters *p, const device_placement *place) {
    if (partition_unit(&place->config) == 0)
        return complain(STATUS_REFUSED,
                        "-g %s: under mpirun allowed: independent, philox, shared; the other modes "
                        "reorder the whole population at every step",
                        rng_name(p->rng));
    if (p->stripes > 1)
        return complain(STATUS_REFUSED,
                        "--stripes %" PRIu32 ": under mpirun lattices are not cut: ranks report "
                        "whole lattices alone; -R a multiple of 32, or one process",
                        p->stripes);
    if (place->config.model.levels.fine && place->config.capacity > INT32_MAX)
        return complain(STATUS_REFUSED,
                        "-R %" PRIu64 ": under mpirun energies without levels are listed by 31 "
                        "bits: %d replicas at most, with those that the population may grow by",
                        p->population, INT32_MAX);
    if (p->words == WORDS_SAMPLES)
        return complain(STATUS_REFUSED, "--words samples: under mpirun allowed: chains; ranks "
                                        "divide the chains of one sample");
    if (p->stages == STAGES_HYBRID)
        return complain(STATUS_REFUSED, "--stages hybrid: under mpirun allowed: fused, apart");
    return STATUS_OK;
}

/* Whether GPUs have what the words of a run hold. */
static bool can_words(const parameters *p) {
    return p->words == WORDS_CHAINS || p->record == RECORD_BINS;
}

exit_status placement_find(const parameters *p, device_placement *place) {
    placement_limit_threads();
    *place = (device_placement){.config = config_of(p),
                                .population = group_of(p),
                                .populations = parameters_populations(p),
                                .fill = 1,
                                .asked = p->device,
                                .host_available = memory_available(ranks_world().neighbours)};
    char reason[300] = "--words samples";
    if (ranks_world().count > 1 && refuse_ranks(p, place))
        return STATUS_REFUSED;
    ranks_prepare((int)p->device);
    if (p->device == DEVICE_CUDA || (p->device == DEVICE_AUTO && can_words(p) &&
                                     gpu_can(&place->config, reason, sizeof reason)))
        return find_gpu(p, place);
    if (p->stages != STAGES_FUSED)
        return complain(
            STATUS_REFUSED,
            "--stages %s: allowed on a GPU only; the CPU engines time their stages anyway",
            stages_name(p->stages));
    if (!engine_cpu_has(&place->config))
        return complain(STATUS_REFUSED,
                        "-c %s: no CPU engine with this coding sweeps the model %s%s",
                        coding_name(p->coding), place->config.model.name,
                        place->config.model.real == REAL_FAST
                            ? " with --real fast, whose functions are those of a GPU"
                            : "");
    if (p->device == DEVICE_AUTO)
        snprintf(place->no_gpu, sizeof place->no_gpu, "%s", reason);
    const uint32_t processors = (uint32_t)omp_get_max_threads();
    if (p->samples >= processors && ranks_world().count == 1)
        place->fill = processors;
    name_processor(place->device, sizeof place->device);
    set_needs(place, rank_cpu_bytes, NULL);
    return STATUS_OK;
}

bool placement_use(const device_placement *place) {
    return !place->gpu || use_gpu(place);
}

device_placement placement_like(const parameters *p, const char *device, uint64_t memory) {
    device_placement place = {.config = config_of(p),
                              .population = group_of(p),
                              .populations = parameters_populations(p),
                              .gpu = true,
                              .fill = 1,
                              .host_available = UINT64_MAX,
                              .device_available = memory};
    snprintf(place.device, sizeof place.device, "%s", device);
    set_needs(&place, cuda_host_bytes, cuda_device_bytes_at_most);
    return place;
}

exit_status placement_check(const parameters *p, const device_placement *place, uint64_t own) {
    char size[LATTICE_TEXT_SIZE];
    if (own > place->host_available)
        return complain(STATUS_REFUSED,
                        "%s, -M %" PRIu32 ": histograms and rows need %.1f MB of memory, "
                        "%.1f MB are available; smaller ones or larger steps (-d) would fit",
                        model_size_text(size, &place->config.model), p->runs, 1e-6 * (double)own,
                        1e-6 * (double)place->host_available);
    const uint64_t host =
        place->host_available == UINT64_MAX ? UINT64_MAX : place->host_available - own;
    if (place->gpu && capacity_check(&place->config, p->population, place->populations,
                                     place->device_available, place->device_need))
        return STATUS_REFUSED;
    return capacity_check(&place->config, p->population, place->populations, host,
                          place->host_need);
}

static engine *cpu_engine(const engine_config *config, char *reason, size_t size) {
    engine *const e = engine_cpu_create(config);
    if (!e)
        snprintf(reason, size, "not enough memory for %" PRIu64 " replicas", config->capacity);
    return e;
}

/* Whether a rank uses a GPU. */
static bool takes_gpu(const engine_config *config, int device) {
    char no_gpu[300];
    return device == DEVICE_CUDA ||
           (device == DEVICE_AUTO && gpu_can(config, no_gpu, sizeof no_gpu));
}

static void prepare_rank(int device) {
    if (device != DEVICE_CPU)
        prepare_gpu_of_rank();
}

static engine *make_rank(const engine_config *config, int device, char *reason, size_t size) {
    placement_limit_threads();
    return takes_gpu(config, device) ? gpu_engine_of_rank(config, reason, size)
                                     : cpu_engine(config, reason, size);
}

static void describe_rank(const engine_config *config, int device, rank_needs *needs) {
    needs->host_available = memory_available(ranks_world().neighbours);
    if (takes_gpu(config, device)) {
        describe_gpu_of_rank(config, needs);
        return;
    }
    name_processor(needs->device, sizeof needs->device);
    needs->host_bytes = engine_cpu_bytes(config);
}

const rank_maker placement_of_rank = {prepare_rank, make_rank, describe_rank};

void placement_describe_ranks(const device_placement *place, rank_needs needs[]) {
    ranks_describe(&place->config, (int)place->asked, &placement_of_rank, needs);
}

uint64_t placement_largest_population(const device_placement *place, uint64_t own) {
    if (own > place->host_available)
        return 0;
    const uint64_t rest =
        place->host_available == UINT64_MAX ? UINT64_MAX : place->host_available - own;
    const uint64_t host =
        capacity_largest_population(place->config, place->populations, rest, place->host_need);
    if (!place->gpu)
        return host;
    const uint64_t device = capacity_largest_population(
        place->config, place->populations, place->device_available, place->device_need);
    return device < host ? device : host;
}

sample_engine *placement_sample_engine(const device_placement *place, const sample_plan *plan,
                                       char *reason, size_t size) {
    if (place->gpu)
        return gpu_sample_engine(plan, reason, size);
    sample_engine *const e = sample_cpu_create(plan);
    if (!e)
        snprintf(reason, size, "not enough memory for %" PRIu32 " words of samples", plan->words);
    return e;
}

engine *placement_engine(const device_placement *place, char *reason, size_t size) {
    if (ranks_world().count > 1)
        return ranks_engine(&place->config, place->population, (int)place->asked,
                            &placement_of_rank, reason, size);
    if (place->gpu)
        return gpu_engine(place, reason, size);
    engine *const e = engine_cpu_create(&place->config);
    if (!e)
        snprintf(reason, size, "-R %" PRIu64 ": not enough memory", place->population);
    return e;
}
