/* Several engines as one (devices.h): a thread each, with walkers that are neighbours. */
#include "devices.h"

#include <ctype.h>
#include <omp.h>
#include <stdlib.h>

#define MOST_DEVICES 64

typedef struct {
    helium_system system; /* with these walkers alone; the table is that of all */
    helium_engine *engine;
    helium_shape shape;
    bool good;
} part;

typedef struct {
    helium_engine common;
    uint32_t parts;
    part part[MOST_DEVICES];
    helium_analysis *analysis; /* [rows], of all parts one after another */
    size_t rows;
} composite;

/* --- The engine --- */

typedef enum { RUN, READ, WRITE } task;

typedef struct {
    task task;
    uint32_t times, macroupdates;
    bool analyses;
    uint32_t *coordinate;
} command;

static void serve(const composite *c, part *p, const command *m) {
    helium_engine *const e = p->engine;
    uint32_t *const coordinate =
        m->coordinate == NULL ? NULL
                              : m->coordinate + (size_t)p->system.first * 3 * p->system.p.atoms;
    if (m->task == READ)
        p->good = e->verbs->read(e, coordinate);
    else if (m->task == WRITE)
        p->good = e->verbs->write(e, coordinate);
    else {
        memset(&p->shape, 0, sizeof p->shape);
        e->updates = c->common.updates;
        p->good = e->verbs->run(
            e, m->times, m->macroupdates,
            m->analyses ? c->analysis + (size_t)p->system.first * m->times : NULL, &p->shape);
    }
}

/* All parts at the same time. Each has its share of the threads. */
static bool serve_all(composite *c, const command *m) {
    const int threads = omp_get_max_threads() / (int)c->parts;
    bool good = true;
#pragma omp parallel for num_threads(c->parts) schedule(static, 1)
    for (uint32_t n = 0; n < c->parts; n++) {
        omp_set_num_threads(threads > 1 ? threads : 1);
        serve(c, &c->part[n], m);
    }
    for (uint32_t n = 0; n < c->parts; n++)
        good = good && c->part[n].good;
    return good;
}

static bool make_room(composite *c, size_t rows) {
    if (rows <= c->rows)
        return true;
    free(c->analysis);
    c->analysis = malloc(rows * sizeof *c->analysis);
    c->rows = c->analysis == NULL ? 0 : rows;
    if (c->analysis == NULL)
        complain(STATUS_FAILED, "no memory for the analyses of a block");
    return c->analysis != NULL;
}

static bool run(helium_engine *engine, uint32_t times, uint32_t macroupdates,
                helium_analysis *analysis, helium_shape *shape) {
    composite *const c = (composite *)engine;
    const uint32_t walkers = engine->system->p.walkers;
    const command m = {RUN, times, macroupdates, analysis != NULL, NULL};
    if ((analysis != NULL && !make_room(c, (size_t)times * walkers)) || !serve_all(c, &m))
        return false;
    engine->updates = c->part[0].engine->updates;
    for (uint32_t n = 0; n < c->parts && analysis != NULL; n++) {
        const part *const p = &c->part[n];
        const uint32_t own = p->system.p.walkers, first = p->system.first;
        for (uint32_t t = 0; t < times; t++)
            memcpy(analysis + (size_t)t * walkers + first,
                   c->analysis + (size_t)first * times + (size_t)t * own, own * sizeof *analysis);
        helium_shape_add(shape, &p->shape);
    }
    return true;
}

static bool read(helium_engine *engine, uint32_t *coordinate) {
    return serve_all((composite *)engine, &(command){.task = READ, .coordinate = coordinate});
}

static bool write(helium_engine *engine, const uint32_t *coordinate) {
    return serve_all((composite *)engine,
                     &(command){.task = WRITE, .coordinate = (uint32_t *)(uintptr_t)coordinate});
}

static void destroy(helium_engine *engine) {
    composite *const c = (composite *)engine;
    for (uint32_t n = 0; n < c->parts; n++)
        if (c->part[n].engine != NULL)
            c->part[n].engine->verbs->destroy(c->part[n].engine);
    free(c->analysis);
    free(c);
}

/* --- Names of devices --- */

#define CPU -1

/* Reads a list of devices into number[MOST_DEVICES], CPU or the number of a GPU. Returns how many; 0: it is none. */
static uint32_t read_devices(const char *text, int number[MOST_DEVICES]) {
    for (uint32_t n = 0; n < MOST_DEVICES; n++) {
        const bool again = n > 0 && number[n - 1] != CPU && isdigit((unsigned char)*text);
        const bool named = again || strncmp(text, "cuda:", 5) == 0;
        char *end = NULL;
        if (named) {
            const char *const digits = again ? text : text + 5;
            const unsigned long value = strtoul(digits, &end, 10);
            if (!isdigit((unsigned char)*digits) || value >= MOST_DEVICES)
                return 0;
            number[n] = (int)value;
        } else {
            const size_t length = strcspn(text, ",");
            const bool cpu = length == 3 && memcmp(text, "cpu", 3) == 0;
            if (!cpu && (length != 4 || memcmp(text, "cuda", 4) != 0))
                return 0;
            number[n] = cpu ? CPU : 0;
            end = (char *)(uintptr_t)(text + length);
        }
        if (*end == '\0')
            return n + 1;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
    return 0;
}

/* Reads the name of an analyst. Returns whether there is such a one. */
static bool read_analyst(const char *text, helium_analyst *analyst) {
    static const char *const name[] = {[HELIUM_BY_DEVICE] = "device",
                                       [HELIUM_BY_HOST_MASKED] = "masked",
                                       [HELIUM_SHAPE_BY_HOST_MASKED] = "masked-shape",
                                       [HELIUM_BY_HOST] = "host"};
    for (size_t n = 0; n < sizeof name / sizeof *name; n++)
        if (strcmp(name[n], text) == 0) {
            *analyst = (helium_analyst)n;
            return true;
        }
    return false;
}

static helium_engine *create_one(const helium_request *r, const helium_system *s, int device,
                                 helium_analyst analyst) {
    return device == CPU ? helium_cpu_create(s)
                         : helium_cuda_create(s, device, r->blocks_per_walker, analyst);
}

helium_engine *helium_devices_create(const helium_request *r, const helium_system *s) {
    static const helium_verbs verbs = {run, read, write, destroy};
    int device[MOST_DEVICES];
    const uint32_t parts = read_devices(r->device, device), walkers = s->p.walkers;
    helium_analyst analyst;
    bool gpus = true;
    for (uint32_t n = 0; n < parts; n++)
        gpus = gpus && device[n] != CPU;
    if (parts == 0)
        complain(STATUS_REFUSED,
                 "--device '%s': allowed are cpu, cuda, cuda:N and lists as cuda:0,1", r->device);
    else if (parts > walkers)
        complain(STATUS_REFUSED, "--device '%s': allowed are at most as many as walkers, %u",
                 r->device, walkers);
    else if (!read_analyst(r->analyst, &analyst) || (!gpus && analyst != HELIUM_BY_DEVICE))
        complain(STATUS_REFUSED,
                 "--analyse '%s': allowed are device and, with GPUs, masked, masked-shape and host",
                 r->analyst);
    else if (parts == 1)
        return create_one(r, s, device[0], analyst);
    else {
        composite *const c = calloc(1, sizeof *c);
        if (c == NULL) {
            complain(STATUS_REFUSED, "no memory for engines");
            return NULL;
        }
        c->common = (helium_engine){&verbs, s, 0};
        omp_set_max_active_levels(2);
        for (c->parts = 0; c->parts < parts; c->parts++) {
            part *const p = &c->part[c->parts];
            const uint32_t n = c->parts;
            p->system = *s;
            p->system.first = (uint32_t)((uint64_t)n * walkers / parts);
            p->system.p.walkers = (uint32_t)((n + 1ull) * walkers / parts) - p->system.first;
            p->engine = create_one(r, &p->system, device[n], analyst);
            if (p->engine == NULL) {
                destroy(&c->common);
                return NULL;
            }
        }
        return &c->common;
    }
    return NULL;
}
