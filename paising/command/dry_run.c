/* --dry-run: the needs of a simulation (dry_run.h). */
#include "dry_run.h"

#include "base/clock.h"
#include "baseline.h"
#include "device/pool.h"
#include "files/result_header.h"
#include "files/spins_files.h"
#include "method/method.h"
#include "method/simulation_state.h"
#include "settings/plans.h"
#include "settings/settings.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEASURED_SECONDS 0.1
#define MEASURED_SPINS   (UINT64_C(1) << 21) /* a sweep of these takes about 0.01 s at most */

static void show_memory(const char *name, uint64_t bytes, uint64_t available) {
    printf("%-14s %.1f MB needed, ", name, 1e-6 * (double)bytes);
    if (available == UINT64_MAX)
        printf("not known how much is available\n");
    else
        printf("%.1f MB available\n", 1e-6 * (double)available);
}

/* Prints the memory that each rank needs, if there are several. */
static exit_status show_ranks(const device_placement *place, uint32_t in_flight) {
    const uint32_t count = ranks_world().count;
    if (count == 1)
        return STATUS_OK;
    rank_needs *const needs = calloc(count, sizeof *needs);
    if (needs == NULL)
        return complain(STATUS_REFUSED, "not enough memory");
    placement_describe_ranks(place, needs);
    printf("%-14s %" PRIu32 ", each with room for %" PRIu64 " replicas\n", "ranks", count,
           ranks_share(&place->config).capacity);
    for (uint32_t rank = 0; rank < count; rank++) {
        const rank_needs *const n = &needs[rank];
        printf("rank %-9" PRIu32 " %s\n", rank, n->device);
        show_memory("  host memory", in_flight * n->host_bytes, n->host_available);
        if (n->gpu)
            show_memory("  device memory", in_flight * n->device_bytes, n->device_available);
    }
    free(needs);
    return STATUS_OK;
}

/* Prints a time in seconds, minutes or hours. */
static void show_time(double seconds) {
    if (seconds < 120)
        printf("%.3g s", seconds);
    else if (seconds < 7200)
        printf("%.3g min", seconds / 60);
    else
        printf("%.4g h", seconds / 3600);
}

/* Measures ps per flip on this CPU with all threads, with a small population and for a tenth of a
 * second. Replicas of a lattice in stripes are its stripes. Returns 0 on failure. */
static double measure_flip(const parameters *p, device_placement place, const couplings *sample,
                           uint64_t *replicas) {
    const uint64_t threads = (uint64_t)omp_get_max_threads(), sites = place.config.model.sites,
                   least = p->coding == CODING_SSC ? 1 : 32 * threads,
                   enough = MEASURED_SPINS / sites > least ? MEASURED_SPINS / sites : least,
                   all =
                       p->population * p->stripes * parameters_lanes(p) * parameters_populations(p);
    char reason[300];
    histogram h;
    double flips = 0, start = 0, seconds = 0;
    *replicas = all < enough ? all : enough;
    place.config.capacity = population_capacity(*replicas, p->word);
    if (sample != NULL)
        place.config.model = model_of_sample(place.config.model, sample);
    if (ranks_world().count > 1)
        return 0;
    engine *const e = placement_engine(&place, reason, sizeof reason);
    /* An engine says how many fine energies it has room for. */
    if (histogram_create(&h, e != NULL ? &e->model : &place.config.model)) {
        if (e != NULL)
            e->verbs->destroy(e);
        return 0;
    }
    engine_step step = {.parts = PART_SWEEP,
                        .key = stream_sample_run_key(p->seed, p->sample, 0),
                        .sweeps = 1,
                        .founders = *replicas,
                        .rule = flip_rule_at(parameters_acceptance(p), &place.config.model,
                                             (p->beta_start + p->beta_end) / 2)};
    bool good = e != NULL && e->verbs->randomise(e, step.key, *replicas, &h) == ENGINE_OK;
    for (; good && seconds < MEASURED_SECONDS; seconds = clock_seconds() - start) {
        good = e->verbs->step(e, &step, &h) == ENGINE_OK;
        if (step.temperature++ == 0) { /* the first step starts the threads */
            start = clock_seconds();
            continue;
        }
        flips += (double)*replicas * (double)sites * step.sweeps * parameters_visits(p).hits;
        step.sweeps = step.sweeps < p->sweeps / 2 ? 2 * step.sweeps : p->sweeps;
    }
    if (e != NULL)
        e->verbs->destroy(e);
    histogram_destroy(&h);
    return good ? 1e12 * seconds / flips : 0;
}

/* Prints the expected time of `spin_flips` spin flips. at_most: a text that marks an upper limit,
 * or empty. */
static void show_expected_time(const parameters *p, const device_placement *place,
                               const couplings *sample, double spin_flips, const char *at_most,
                               const char *baselines) {
    baseline_point b;
    uint64_t replicas;
    const double ps = place->gpu ? 0 : measure_flip(p, *place, sample, &replicas);
    printf("%-14s ", "expected time");
    if (ps > 0) {
        printf("%s", at_most);
        show_time(1e-12 * ps * spin_flips);
        printf(" at %.3g ps a flip, measured here with %" PRIu64 " %s\n", ps, replicas,
               p->stripes > 1 ? "stripes" : "replicas");
        return;
    }
    if (!baseline_find(baselines, place->device, place->gpu, p, &b)) {
        printf("not known: no baseline of this device, coding and mode can be read in %s\n",
               baselines);
        return;
    }
    printf("%s", at_most);
    show_time(1e-12 * b.t_sf_ps * spin_flips);
    printf(" at %.3g ps a flip, measured at L = %g, R = %g, theta = %g (%s)\n", b.t_sf_ps, b.size,
           b.population, b.theta, b.file);
}

/* Prints temperatures, spin flips and time if the steps are known. All populations are assumed to
 * have size R. */
static void show_work(const parameters *p, const device_placement *place, const couplings *sample,
                      const char *baselines) {
    char option[SETTING_OPTION_SIZE];
    double sweeps;
    const uint64_t temperatures = parameters_temperatures(p, &sweeps);
    if (temperatures == 0) {
        printf("%-14s not known: ", "temperatures");
        if (parameters_steps_are_adaptive(p))
            printf("adaptive steps (%s) are decided in the first run\n",
                   setting_option(option, setting_of_steps(p)));
        else if (p->method == METHOD_microcanonical)
            printf("a run has energy ceilings instead, as many as it chooses\n");
        else
            printf("their files could not be read again\n");
        return;
    }
    const double spin_flips = sweeps * parameters_visits(p).hits * p->samples * p->runs *
                              (double)p->population * (double)parameters_model(p).sites;
    const bool adaptive = p->sweep_gain > 0;
    const char *const at_most = adaptive ? "at most " : "";
    printf("%-14s %.0f\n%-14s %s%.6g%s\n", parameters_have_walkers(p) ? "windows" : "temperatures",
           (double)temperatures, parameters_have_walkers(p) ? "flips of production" : "spin flips",
           at_most, spin_flips,
           adaptive ? ": adaptive sweeps (--adaptive-sweeps) are decided in the first run" : "");
    show_expected_time(p, place, sample, spin_flips, at_most, baselines);
}

/* Prints the size of the populations to be saved. */
static void show_saved_spins(const parameters *p) {
    char *const plan = results_spins_plan(p);
    if (plan != NULL)
        printf("%-14s %s\n", "saved spins", plan);
    free(plan);
}

/* Finds this device, or that of a baseline. */
static exit_status find_place(const parameters *p, const char *baselines, device_placement *place) {
    if (p->like == NULL)
        return placement_find(p, place);
    baseline_device device;
    if (p->model != 0 || p->graph != NULL)
        return complain(STATUS_REFUSED,
                        "--like %.100s: allowed with --model %s only, of which the "
                        "baselines are",
                        p->like, model_kinds[0]->name);
    if (baseline_like(baselines, p->like, &device))
        return STATUS_REFUSED;
    *place = placement_like(p, device.name, device.memory);
    return STATUS_OK;
}

exit_status dry_run(const parameters *p, const couplings *sample, const char *baselines) {
    device_placement place;
    if (find_place(p, baselines, &place))
        return STATUS_REFUSED;
    result_header_print_parameters(stdout, p);
    printf("%-14s %s", "device", place.device);
    if (p->like != NULL)
        printf(", as in %s.dat; not looked for here", p->like);
    if (place.no_gpu[0] != '\0')
        printf(" (%s)", place.no_gpu);
    putchar('\n');
    const memory_share own = method_of(p)->bytes(p);
    const uint32_t in_flight = pool_size(p, &place, own);
    const bool several = p->samples > 1;
    printf("%-14s %" PRIu32 " of %" PRIu32 "%s\n", several ? "samples in flight" : "runs in flight",
           in_flight * (several ? 1 : parameters_series_runs(p)), several ? p->samples : p->runs,
           p->like != NULL && p->in_flight == 0 ? "; how many would fill the GPU is not known"
                                                : "");
    show_memory("host memory", pool_host_bytes(&place, own, in_flight), place.host_available);
    if (p->reweight)
        printf("%-14s up to %.1f MB more for the multi-histogram analysis\n", "",
               1e-6 * (double)simulation_analysis_bytes(p));
    show_saved_spins(p);
    if (place.gpu)
        show_memory("device memory", pool_device_bytes(&place, in_flight), place.device_available);
    if (p->like == NULL && show_ranks(&place, in_flight))
        return STATUS_REFUSED;
    show_work(p, &place, sample, baselines);
    return pool_check(p, &place, own);
}

const char *dry_run_baselines(char path[BASELINES_PATH_SIZE]) {
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    path[0] = '\0';
    if (length < 0)
        return path;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    char *folder = strrchr(program, '/');
    const bool installed = folder && strcmp(folder, "/bin") == 0;
    if (folder)
        *folder = '\0';
    snprintf(path, BASELINES_PATH_SIZE, "%s/%s", program,
             installed ? "share/paising/baselines" : "perf/baselines");
    return path;
}
