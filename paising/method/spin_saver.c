/* Copies of populations (spin_saver.h). */
#include "spin_saver.h"

#include "engine/capacity.h"
#include "engine/site_order.h"
#include "settings/plans.h"

#include <stdlib.h>
#include <string.h>

/* Limits of a piece, as of the survey of ground states. */
#define PIECE_BYTES    ((size_t)4 << 20)
#define PIECE_REPLICAS ((size_t)1 << 16)

/* What replicas are read into, of an engine whose sites have an order of their own. */
typedef struct {
    site_order order;
    uint8_t *spins;
    uint32_t *levels;
} piece;

/* Reads levels, families and spins of replicas first .. first + count - 1. */
static engine_status read_piece(piece *of, engine *e, const histogram *report, uint64_t first,
                                uint64_t count, saved_spins *s) {
    const size_t bytes = model_packed_bytes(&e->model);
    engine_status status = e->verbs->read_levels(e, first, count, of->levels);
    if (status == ENGINE_OK)
        status = e->verbs->read(e, first, count, of->spins, s->families + first);
    for (uint64_t n = 0; n < count && status == ENGINE_OK; n++)
        s->energies[first + n] = histogram_energy(report, of->levels[n]);
    if (status == ENGINE_OK)
        site_order_unpack(&of->order, of->spins, s->spins + first * bytes, count);
    return status;
}

engine_status spin_saver_add(spin_copies *copies, engine *e, const histogram *report, uint32_t run,
                             double beta) {
    const uint64_t replicas = report->population;
    const size_t bytes = model_packed_bytes(&e->model), fit = PIECE_BYTES / bytes + 1,
                 room = fit < PIECE_REPLICAS ? fit : PIECE_REPLICAS;
    saved_spins *const grown = realloc(copies->of, (copies->count + 1) * sizeof *grown);
    if (grown == NULL)
        return ENGINE_OUTGROWN;
    copies->of = grown;
    saved_spins s = {.run = run,
                     .beta = beta,
                     .replicas = replicas,
                     .spins = malloc(replicas * bytes),
                     .energies = malloc(replicas * sizeof *s.energies),
                     .families = malloc(replicas * sizeof *s.families)};
    piece one = {.spins = malloc(room * bytes), .levels = malloc(room * sizeof *one.levels)};
    const bool made = !site_order_create(&one.order, &e->model) && s.spins != NULL &&
                      s.energies != NULL && s.families != NULL && one.spins != NULL &&
                      one.levels != NULL;
    engine_status status = made ? ENGINE_OK : ENGINE_OUTGROWN;
    for (uint64_t first = 0; first < replicas && status == ENGINE_OK; first += room) {
        const uint64_t left = replicas - first;
        status = read_piece(&one, e, report, first, left < room ? left : room, &s);
    }
    if (status == ENGINE_OK)
        copies->of[copies->count++] = s;
    else
        saved_spins_destroy(&s);
    site_order_destroy(&one.order);
    free(one.levels);
    free(one.spins);
    return status;
}

/* Copies of a run are neighbours, and their temperatures rise. */
uint32_t spin_copies_runs(const spin_copies *copies, double asked) {
    uint32_t runs = 0;
    for (size_t n = 0; n < copies->count; n++) {
        const saved_spins *const s = &copies->of[n];
        const bool before =
            n > 0 && s[-1].run == s->run && saved_beta_is_reached(asked, s[-1].beta);
        runs += saved_beta_is_reached(asked, s->beta) && !before;
    }
    return runs;
}

int spin_copies_move(spin_copies *to, spin_copies *from) {
    if (from->count == 0)
        return 0;
    saved_spins *const grown = realloc(to->of, (to->count + from->count) * sizeof *grown);
    if (grown == NULL)
        return -1;
    to->of = grown;
    memcpy(to->of + to->count, from->of, from->count * sizeof *grown);
    to->count += from->count;
    from->count = 0;
    return 0;
}

/* One of them. Its arrays are made when they are read. */
static bool transfer_copy(section_file *f, saved_spins *s, const spin_model *model, uint64_t most,
                          uint32_t last_run) {
    const uint64_t bytes = model_packed_bytes(model);
    uint64_t run = s->run;
    if (!section_choice(f, &run, last_run) || !SECTION_VALUE(f, s->beta) ||
        !section_choice(f, &s->replicas, most))
        return false;
    s->run = (uint32_t)run;
    if (f->mode == SECTION_READ) {
        s->spins = malloc(s->replicas * bytes + 1);
        s->energies = malloc(s->replicas * sizeof *s->energies + 1);
        s->families = malloc(s->replicas * sizeof *s->families + 1);
        if (s->spins == NULL || s->energies == NULL || s->families == NULL)
            return section_no_memory(f);
    }
    return section_transfer(f, s->spins, s->replicas * bytes) &&
           section_transfer(f, s->energies, s->replicas * sizeof *s->energies) &&
           section_transfer(f, s->families, s->replicas * sizeof *s->families);
}

bool spin_copies_transfer(section_file *f, spin_copies *copies, const spin_model *model,
                          uint64_t most, uint32_t last_run) {
    uint64_t count = copies->count;
    if (!section_choice(f, &count, ((uint64_t)last_run + 1) * SAVED_BETAS_MOST))
        return false;
    if (f->mode == SECTION_READ) {
        copies->of = calloc(count + 1, sizeof *copies->of);
        if (copies->of == NULL)
            return section_no_memory(f);
        copies->count = count; /* what is not read yet is empty */
    }
    for (size_t n = 0; n < count; n++)
        if (!transfer_copy(f, &copies->of[n], model, most, last_run))
            return false;
    return true;
}

void spin_copies_destroy(spin_copies *copies) {
    for (size_t n = 0; n < copies->count; n++)
        saved_spins_destroy(&copies->of[n]);
    free(copies->of);
    *copies = (spin_copies){.count = 0};
}

uint64_t spin_saver_bytes(const parameters *p) {
    double beta[SAVED_BETAS_MOST];
    const spin_model model = parameters_model(p);
    return parameters_saved_betas(p, beta) * population_capacity(p->population, p->word) *
           saved_spins_bytes(&model);
}
