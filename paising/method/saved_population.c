/* Transfers a population between engine and file in pieces of bounded size. Two pieces are in
 * memory: the engine converts one while a second thread writes or reads the other. */
#include "saved_population.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Replicas first .. first + count - 1. */
typedef struct {
    uint64_t first, count;
    uint8_t *spins; /* [count][bytes] */
    uint32_t *families;
} piece;

typedef struct {
    section_file *file;
    const saved_population *population;
    uint64_t bytes;       /* of the spins of a replica */
    uint64_t room;        /* replicas in a piece */
    piece turn[2];        /* used alternately */
    uint32_t last_family; /* last family of the pieces read so far */
} passage;

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* --- the file's side --- */

/* Checks that families are below the number of founders and do not decrease, if that is known. */
static bool families_stand_in_order(passage *way, const piece *x) {
    const uint64_t founders = way->population->founders;
    for (uint64_t n = 0; n < x->count; n++) {
        if (x->families[n] >= founders ||
            (x->families[n] < way->last_family && !way->population->in_any_order))
            return false;
        way->last_family = x->families[n];
    }
    return true;
}

static bool pass_file(passage *way, const piece *x) {
    section_file *const f = way->file;
    return section_transfer(f, x->families, x->count * sizeof *x->families) &&
           section_transfer(f, x->spins, x->count * way->bytes) &&
           (f->mode == SECTION_WRITE ||
            (families_stand_in_order(way, x) &&
             model_has_states(&way->population->worker->model, x->spins, x->count * way->bytes)) ||
            section_altered(f));
}

/* The same in a thread of its own. */
typedef struct {
    passage *way;
    const piece *x;
    bool good;
} file_errand;

static void *run_errand(void *argument) {
    file_errand *const e = argument;
    e->good = pass_file(e->way, e->x);
    return NULL;
}

/* --- the engine's side --- */

bool saved_population_engine_did(section_file *f, const engine *e, engine_status status) {
    if (status == ENGINE_OK)
        return true;
    f->elsewhere = true;
    return section_fail(f, "%s failed: %.200s", e->name, e->error);
}

static engine_status pass_engine(const passage *way, const piece *x) {
    const saved_population *const p = way->population;
    engine *const e = p->worker;
    return way->file->mode == SECTION_WRITE
               ? e->verbs->read(e, x->first, x->count, x->spins, x->families)
               : e->verbs->write(e, x->first, x->count, p->replicas, x->spins, x->families);
}

/* --- both sides --- */

/* Transfers one piece to or from the file and, at the same time, another to or from the engine.
 * Calls of the engine stay on this thread. If no second thread can be created, the two run one
 * after the other. */
static bool transfer_both(passage *way, const piece *at_file, const piece *at_engine) {
    file_errand errand = {way, at_file, false};
    engine_status status = ENGINE_OK;
    pthread_t thread;
    const bool beside = at_file->count > 0 && at_engine->count > 0 &&
                        pthread_create(&thread, NULL, run_errand, &errand) == 0;
    if (!beside)
        run_errand(&errand);
    if (at_engine->count > 0)
        status = pass_engine(way, at_engine);
    if (beside)
        pthread_join(thread, NULL);
    return errand.good && saved_population_engine_did(way->file, way->population->worker, status);
}

/* The source is one piece ahead of the destination. */
static bool pass_all(passage *way, uint64_t replicas) {
    const uint64_t pieces = (replicas + way->room - 1) / way->room;
    bool good = true;
    for (uint64_t n = 0; n <= pieces && good; n++) {
        piece *const next = &way->turn[n % 2], *const before = &way->turn[(n + 1) % 2];
        const uint64_t first = n * way->room;
        next->first = first;
        next->count = n == pieces ? 0 : least(way->room, replicas - first);
        good = way->file->mode == SECTION_WRITE ? transfer_both(way, before, next)
                                                : transfer_both(way, next, before);
    }
    return good;
}

/* --- the section --- */

/* The approximate size of a piece. There are two in memory. */
#define PIECE_BYTES ((uint64_t)16 << 20)

/* The bytes of a replica: of its spins, and its family. */
static uint64_t replica_bytes(const spin_model *model) {
    return model_packed_bytes(model) + sizeof(uint32_t);
}

/* The replicas in a piece. */
static uint64_t piece_room(uint64_t each) {
    return PIECE_BYTES < each ? 1 : PIECE_BYTES / each;
}

uint64_t saved_population_bytes(const spin_model *model) {
    const uint64_t each = replica_bytes(model);
    return 2 * piece_room(each) * each;
}

static bool allocate_pieces(passage *way) {
    bool made = true;
    for (size_t n = 0; n < 2; n++) {
        way->turn[n].spins = malloc(way->room * way->bytes);
        way->turn[n].families = malloc(way->room * sizeof *way->turn[n].families);
        made = made && way->turn[n].spins != NULL && way->turn[n].families != NULL;
    }
    return made || section_fail(way->file, "not enough memory for a piece of the population");
}

static void free_pieces(passage *way) {
    for (size_t n = 0; n < 2; n++) {
        free(way->turn[n].spins);
        free(way->turn[n].families);
    }
}

/* Transfers all pieces by the ranks that hold the replicas, if there are several. *passed tells
 * whether they could. */
static bool pass_together(passage *way, uint64_t replicas, bool *passed) {
    section_file *const f = way->file;
    engine *const e = way->population->worker;
    const uint64_t size = replicas * replica_bytes(&e->model);
    engine_file file = {.replicas = replicas,
                        .piece = way->room,
                        .founders = way->population->founders,
                        .write = f->mode == SECTION_WRITE};
    engine_file_outcome out = {.reached = false};
    *passed = false;
    if (e->verbs->transfer_file == NULL)
        return true;
    if (!section_delegate(f, size, file.path, sizeof file.path, &file.offset) ||
        !saved_population_engine_did(f, e, e->verbs->transfer_file(e, &file, &out)))
        return false;
    *passed = out.reached;
    return !out.reached ||
           (section_take_back(f, size, out.crc) &&
            (file.write || out.in_order || way->population->in_any_order || section_altered(f)));
}

bool saved_population_transfer(section_file *f, const saved_population *p) {
    const uint64_t replicas = p->replicas;
    passage way = {.file = f, .population = p, .bytes = model_packed_bytes(&p->worker->model)};
    const uint64_t each = replica_bytes(&p->worker->model);
    if (f->mode == SECTION_COUNT)
        return section_transfer(f, NULL, replicas * each);
    way.room = least(piece_room(each), replicas);
    bool passed;
    bool good = pass_together(&way, replicas, &passed);
    if (!good || passed)
        return good;
    good = allocate_pieces(&way) && pass_all(&way, replicas);
    free_pieces(&way);
    return good;
}

/* Whether two histograms agree, except for parents and founders, which a loaded population does not
 * know. */
static bool same_population(const histogram *g, const histogram *h) {
    return g->population == h->population && g->families == h->families &&
           g->family_squares == h->family_squares &&
           memcmp(g->block, h->block, sizeof g->block) == 0 && g->first == h->first &&
           g->end == h->end &&
           memcmp(g->level + g->first, h->level + h->first,
                  (g->end - g->first) * sizeof *g->level) == 0;
}

bool saved_population_agrees(section_file *f, engine *e, const histogram *report) {
    histogram measured;
    if (histogram_create(&measured, &e->model))
        return section_fail(f, "not enough memory for a histogram");
    bool good = saved_population_engine_did(f, e, engine_measure(e, &measured));
    if (good && !same_population(&measured, report))
        good = section_fail(f, "altered: sections 'population' and 'histogram' do not agree");
    histogram_destroy(&measured);
    return good;
}
