/* Searches a population in pieces: energy levels first, then the spins of pieces that contain a
 * lowest state. */
#include "ground_survey.h"

#include <stdlib.h>

/* Limits of a piece. A population of small lattices takes a few pieces; a piece of large lattices
 * has some replicas. */
#define PIECE_BYTES    ((size_t)4 << 20)
#define PIECE_REPLICAS ((size_t)1 << 16)

typedef struct {
    size_t replicas;
    uint32_t *levels;
    uint32_t *families;
    uint8_t *spins;
} piece;

/* Allocates a piece. Returns 0, or -1 without memory. */
static int piece_create(piece *p, const spin_model *model) {
    const size_t bytes = model_packed_bytes(model), fit = PIECE_BYTES / bytes + 1;
    p->replicas = fit < PIECE_REPLICAS ? fit : PIECE_REPLICAS;
    p->levels = malloc(p->replicas * sizeof *p->levels);
    p->families = malloc(p->replicas * sizeof *p->families);
    p->spins = malloc(p->replicas * bytes);
    return p->levels && p->families && p->spins ? 0 : -1;
}

static void piece_destroy(piece *p) {
    free(p->levels);
    free(p->families);
    free(p->spins);
}

/* The lowest occupied level. */
static size_t lowest_level(const histogram *h) {
    size_t n = h->first;
    while (n + 1 < h->end && h->level[n].replicas == 0)
        n++;
    return n;
}

/* Adds the lowest states among replicas first .. first + count - 1. */
static engine_status survey_piece(engine *e, const piece *p, uint64_t first, uint64_t count,
                                  size_t lowest, ground_search *search) {
    const size_t bytes = model_packed_bytes(&e->model);
    engine_status status = e->verbs->read_levels(e, first, count, p->levels);
    bool any = false;
    for (uint64_t n = 0; n < count && status == ENGINE_OK; n++)
        any = any || p->levels[n] == lowest;
    if (any)
        status = e->verbs->read(e, first, count, p->spins, p->families);
    for (uint64_t n = 0; n < count && any && status == ENGINE_OK; n++)
        if (p->levels[n] == lowest &&
            ground_search_add(search, p->spins + n * bytes, p->families[n]))
            status = ENGINE_OUTGROWN;
    return status;
}

/* The lowest energy of any row. */
static double lowest_seen(const annealing *a) {
    double seen = a->overlaps.row->lowest;
    for (size_t n = 1; n < a->overlaps.count; n++)
        seen = a->overlaps.row[n].lowest < seen ? a->overlaps.row[n].lowest : seen;
    return seen;
}

engine_status ground_survey(const annealing *a, ground_states *found) {
    engine *const e = a->steps.engine;
    const uint64_t replicas = a->steps.report.population;
    const size_t lowest = lowest_level(&a->steps.report);
    const double energy =
        (double)level_energy(a->steps.report.levels, lowest) / level_unit(a->steps.report.levels);
    piece p;
    ground_search search;
    engine_status status = ENGINE_OK;
    const int no_piece = piece_create(&p, &e->model);
    if (ground_search_begin(&search, &e->model, energy) || no_piece)
        status = ENGINE_OUTGROWN;
    for (uint64_t first = 0; first < replicas && status == ENGINE_OK; first += p.replicas) {
        const uint64_t left = replicas - first;
        status = survey_piece(e, &p, first, left < p.replicas ? left : p.replicas, lowest, &search);
    }
    ground_search_end(&search, status == ENGINE_OK ? found : NULL);
    if (status == ENGINE_OK) {
        found->seen = lowest_seen(a);
        found->below = ground_states_below(found, &a->steps.report);
    }
    piece_destroy(&p);
    return status;
}
