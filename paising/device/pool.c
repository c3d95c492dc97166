/* The engine pool (pool.h). */
#include "pool.h"

#include "base/clock.h"
#include "engine/stepper.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>

#define FEW           32 /* number of engines that always pays */
#define SAMPLES_EACH  4  /* samples per engine beyond that */
#define BATCH_THREADS 16 /* threads that drive engines of launch batches */

/* --- how many --- */

uint64_t pool_host_bytes(const device_placement *place, memory_share own, uint32_t count) {
    return own.once + count * (own.each + place->host_bytes);
}

uint64_t pool_device_bytes(const device_placement *place, uint32_t count) {
    return count * place->device_bytes;
}

static bool fits(const device_placement *place, memory_share own, uint32_t count) {
    return pool_host_bytes(place, own, count) <= place->host_available &&
           pool_device_bytes(place, count) <= place->device_available;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The number of samples that fill a device. While a thread makes the rows and files of its batch, the device makes steps of other
 * batches, which must be there. */
static uint64_t samples_to_fill(const device_placement *place) {
    return place->batched && place->fill > 1 ? 5 * (uint64_t)place->fill / 2 : place->fill;
}

/* As many as fill the device, with two limits. Creating an engine on a GPU takes a part of a
 * millisecond, in which other threads wait: beyond a few, each engine must process several samples.
 * And the host computes the rows of a limited number of engines while the device makes their steps.
 * That number is larger with more sweeps. */
static uint32_t worth_making(const parameters *p, const device_placement *place) {
    if (p->samples <= 1 || !place->gpu)
        return place->fill;
    const uint64_t in_turn = p->samples / SAMPLES_EACH, keep_up = FEW + 4 * (uint64_t)p->sweeps,
                   worth = smaller(in_turn > FEW ? in_turn : FEW, keep_up);
    return (uint32_t)smaller(worth, samples_to_fill(place));
}

/* The number in flight if memory were unlimited. */
static uint32_t wanted(const parameters *p, const device_placement *place) {
    const uint32_t asked = p->in_flight > 0 ? p->in_flight : worth_making(p, place);
    const uint32_t all = p->samples > 1 ? p->samples : p->runs / parameters_series_runs(p);
    return asked < all ? asked : all;
}

uint32_t pool_size(const parameters *p, const device_placement *place, memory_share own) {
    uint32_t count = wanted(p, place);
    while (count > 1 && !fits(place, own, count))
        count--;
    return count;
}

/* Warns that fewer runs fit than were requested, and how much memory all would need. Nothing is
 * printed if no number was requested. */
static exit_status explain_fewer(const parameters *p, const device_placement *place,
                                 memory_share own, uint32_t count) {
    const uint32_t asked = wanted(p, place);
    if (count == asked || p->in_flight == 0)
        return STATUS_OK;
    const bool of_device = place->gpu && pool_device_bytes(place, asked) > place->device_available;
    const uint64_t bytes =
        of_device ? pool_device_bytes(place, asked) : pool_host_bytes(place, own, asked);
    const char *const memory = of_device ? "device" : "host";
    if (p->resume != NULL)
        return complain(STATUS_REFUSED,
                        "--in-flight %" PRIu32 ": so many populations need %.1f MB of %s memory, "
                        "and there is room for %" PRIu32,
                        asked, 1e-6 * (double)bytes, memory, count);
    warn("--in-flight %" PRIu32 ": so many populations need %.1f MB of %s memory: %" PRIu32
         " at a time",
         asked, 1e-6 * (double)bytes, memory, count);
    return STATUS_OK;
}

exit_status pool_check(const parameters *p, const device_placement *place, memory_share own) {
    const exit_status one = placement_check(p, place, own.once + own.each);
    return one ? one : explain_fewer(p, place, own, pool_size(p, place, own));
}

/* --- creation --- */

exit_status pool_find(engine_pool *f, parameters *p, memory_share own) {
    *f = (engine_pool){.member = NULL};
    if (placement_find(p, &f->place) || pool_check(p, &f->place, own))
        return STATUS_REFUSED;
    if (f->place.no_gpu[0] != '\0')
        warn("%s: running on the CPU", f->place.no_gpu);
    f->start = clock_seconds();
    f->room = pool_size(p, &f->place, own);
    f->member = calloc(f->room, sizeof *f->member);
    if (f->member == NULL)
        return complain(STATUS_REFUSED, "-M %" PRIu32 ": not enough memory", p->runs);
    p->in_flight = f->room;
    return STATUS_OK;
}

int pool_threads(const engine_pool *f) {
    const uint32_t processors = (uint32_t)omp_get_max_threads(),
                   most =
                       f->place.batched ? (uint32_t)smaller(processors, BATCH_THREADS) : processors;
    if (ranks_world().count > 1 || (!f->place.gpu && f->room < most))
        return 1;
    return (int)(f->room < most ? f->room : most);
}

exit_status pool_divide(const engine_pool *f, uint32_t threads, uint32_t n, engine_pool *part) {
    *part = *f;
    part->room = (f->room + threads - 1 - n) / threads;
    part->count = part->made = 0;
    part->member = calloc(part->room, sizeof *part->member);
    if (part->member == NULL)
        return complain(STATUS_FAILED, "not enough memory");
    return placement_use(&f->place) ? STATUS_OK
                                    : complain(STATUS_FAILED, "the device does not answer");
}

/* Destroys the engines that are not in use. */
static void dismiss(engine_pool *f) {
    for (; f->made > f->count; f->made--)
        f->member[f->made - 1]->verbs->destroy(f->member[f->made - 1]);
}

/* Creates one more engine, for a model. */
static engine *make_engine(engine_pool *f, const spin_model *model, char *reason, size_t size) {
    device_placement at = f->place;
    at.config.model = *model;
    engine *const e = placement_engine(&at, reason, size);
    if (e != NULL && f->made > 0 && f->place.together)
        stepper_join_batch(e, f->member[f->made - 1]);
    if (e != NULL)
        f->member[f->made++] = e;
    return e;
}

engine *pool_add(engine_pool *f, const couplings *sample, char *reason, size_t size) {
    engine *e = f->made > f->count ? f->member[f->count] : NULL;
    if (e != NULL &&
        (e->verbs->take_sample == NULL || e->verbs->take_sample(e, sample) != ENGINE_OK)) {
        dismiss(f);
        e = NULL;
    }
    if (e == NULL) {
        const spin_model *const model = &f->place.config.model,
                                of_sample =
                                    sample != NULL ? model_of_sample(*model, sample) : *model;
        e = make_engine(f, &of_sample, reason, size);
    }
    f->count += e != NULL;
    return e;
}

engine *pool_add_graph(engine_pool *f, const spin_model *model, char *reason, size_t size) {
    dismiss(f);
    engine *const e = make_engine(f, model, reason, size);
    f->count += e != NULL;
    return e;
}

exit_status pool_create(engine_pool *f, parameters *p, const couplings *sample, memory_share own) {
    char reason[300];
    const parameters asked = *p;
    exit_status status = pool_find(f, p, own);
    if (status)
        return status;
    while (f->count < f->room && pool_add(f, sample, reason, sizeof reason) != NULL)
        p->in_flight = f->count;
    if (f->count == 0)
        status = complain(STATUS_REFUSED, "%s", reason);
    else if (f->count < f->room)
        status = explain_fewer(&asked, &f->place, own, f->count);
    if (status)
        pool_destroy(f);
    return status;
}

void pool_clear(engine_pool *f) {
    f->count = 0;
}

void pool_destroy(engine_pool *f) {
    pool_clear(f);
    dismiss(f);
    free(f->member);
    *f = (engine_pool){.member = NULL};
}
