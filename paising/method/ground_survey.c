/* Searches a population in pieces: energy levels first, then the hashes of pieces that have a lowest state. */
#include "ground_survey.h"

#include "engine/spins_hash.h"

#include <math.h>
#include <stdlib.h>

#define PIECE_REPLICAS ((size_t)1 << 18)
#define PIECE_BYTES                                                                                \
    ((size_t)4 << 20) /* of the spins that are read together, at most, but for one replica */

#define NEAR 4096 /* replicas that are copied in the time of one more call */

typedef struct {
    size_t replicas, read; /* of a piece; whose spins are read together */
    uint32_t *levels;
    uint32_t *families;
    uint64_t *hashes;
    uint8_t *spins;
} piece;

/* Allocates a piece. Returns 0, or -1 without memory. */
static int piece_create(piece *p, const spin_model *model, uint64_t replicas) {
    const size_t bytes = model_packed_bytes(model);
    p->replicas = replicas < PIECE_REPLICAS ? (size_t)replicas : PIECE_REPLICAS;
    p->read = PIECE_BYTES / bytes + 1;
    p->levels = malloc(p->replicas * sizeof *p->levels);
    p->families = malloc(p->replicas * sizeof *p->families);
    p->hashes = malloc(p->replicas * sizeof *p->hashes);
    p->spins = malloc(p->read * bytes);
    return p->levels && p->families && p->hashes && p->spins ? 0 : -1;
}

static void piece_destroy(piece *p) {
    free(p->levels);
    free(p->families);
    free(p->hashes);
    free(p->spins);
}

/* Reads families and hashes of replicas first .. first + count - 1. */
static engine_status read_hashes(engine *e, const piece *p, uint64_t first, uint64_t count) {
    const uint64_t sites = e->model.sites, bytes = model_packed_bytes(&e->model);
    if (e->verbs->read_hashes != NULL)
        return e->verbs->read_hashes(e, first, count, p->hashes, p->families);
    engine_status status = ENGINE_OK;
    for (uint64_t n = 0; n < count && status == ENGINE_OK; n += p->read) {
        const uint64_t some = count - n < p->read ? count - n : p->read;
        status = e->verbs->read(e, first + n, some, p->spins, p->families + n);
        for (uint64_t k = 0; k < some && status == ENGINE_OK; k++)
            p->hashes[n + k] = spins_hash(p->spins + k * bytes, sites);
    }
    return status;
}

/* The lowest occupied level. */
static size_t lowest_level(const histogram *h) {
    size_t n = h->first;
    while (n + 1 < h->end && h->level[n].replicas == 0)
        n++;
    return n;
}

/* The replicas of a piece from number `from` on that are read together: the first in the lowest level, and what follows up to
 * the last that has another at most NEAR replicas before it. Returns how many, 0 if there is none in the level; *from becomes
 * the first. */
static uint64_t next_range(const piece *p, uint64_t count, size_t lowest, uint64_t *from) {
    uint64_t last;
    while (*from < count && p->levels[*from] != lowest)
        ++*from;
    last = *from;
    for (uint64_t n = *from; n < count && n - last <= NEAR; n++)
        if (p->levels[n] == lowest)
            last = n;
    return *from < count ? last + 1 - *from : 0;
}

/* Adds the lowest states among replicas first .. first + count - 1. Before the first of them, *spins receives its spins. */
static engine_status survey_piece(engine *e, const piece *p, uint64_t first, uint64_t count,
                                  size_t lowest, ground_search *search, uint8_t *spins) {
    engine_status status = e->verbs->read_levels(e, first, count, p->levels);
    uint64_t some;
    for (uint64_t from = 0; status == ENGINE_OK && (some = next_range(p, count, lowest, &from)) > 0;
         from += some) {
        if (search->found.replicas == 0)
            status = e->verbs->read(e, first + from, 1, spins, p->families);
        if (status == ENGINE_OK)
            status = read_hashes(e, p, first + from, some);
        size_t kept = 0;
        for (uint64_t n = 0; n < some && status == ENGINE_OK; n++) {
            p->hashes[kept] = p->hashes[n];
            p->families[kept] = p->families[n];
            kept += p->levels[from + n] == lowest;
        }
        ground_search_add(search, kept, p->hashes, p->families);
    }
    return status;
}

/* The lowest energy of any row. */
static double lowest_seen(const annealing *a) {
    double seen = INFINITY;
    for (size_t n = 0; n < a->rows.count; n++)
        seen = fmin(seen, a->rows.row[n].lowest);
    return seen;
}

engine_status ground_survey(const annealing *a, ground_states *found) {
    engine *const e = a->steps.engine;
    const uint64_t replicas = a->steps.report.population;
    const size_t lowest = lowest_level(&a->steps.report);
    const double energy =
        (double)histogram_energy(&a->steps.report, lowest) / level_unit(a->steps.report.levels);
    piece p;
    ground_search search;
    engine_status status = ENGINE_OK;
    uint8_t *const spins = malloc(model_packed_bytes(&e->model));
    const int no_piece = piece_create(&p, &e->model, replicas);
    if (ground_search_begin(&search, energy, a->steps.report.level[lowest].replicas, a->founders) ||
        no_piece || spins == NULL)
        status = ENGINE_OUTGROWN;
    for (uint64_t first = 0; first < replicas && status == ENGINE_OK; first += p.replicas) {
        const uint64_t left = replicas - first;
        status = survey_piece(e, &p, first, left < p.replicas ? left : p.replicas, lowest, &search,
                              spins);
    }
    if (status == ENGINE_OK)
        ground_search_estimate(&search, &a->steps.report, &a->free_energy,
                               a->schedule->beta[a->temperature]);
    ground_search_end(&search, status == ENGINE_OK ? found : NULL);
    if (status == ENGINE_OK) {
        found->spins = spins;
        found->seen = lowest_seen(a);
        found->ln_g_error = parameters_replicas_correlated(a->given) ? NAN : found->ln_g_error;
        if (a->given->load_spins != NULL) /* ln Z is not known */
            found->ln_g = found->ln_g_error = NAN;
    } else
        free(spins);
    piece_destroy(&p);
    return status;
}
