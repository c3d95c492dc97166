/* From files to an engine (spin_loader.h). */
#include "spin_loader.h"

#include "engine/capacity.h"
#include "engine/site_order.h"
#include "files/spins_files.h"

#include <inttypes.h>
#include <stdlib.h>

/* Limits of a piece, as of those that are saved. */
#define PIECE_BYTES    ((size_t)4 << 20)
#define PIECE_REPLICAS ((size_t)1 << 16)

/* What is needed for a piece. */
typedef struct {
    size_t room; /* replicas */
    site_order order;
    uint8_t *spins;
    uint32_t *levels;
} piece;

static bool piece_create(piece *x, const spin_model *model) {
    const size_t bytes = model_packed_bytes(model), fit = PIECE_BYTES / bytes + 1;
    const int none = site_order_create(&x->order, model);
    x->room = fit < PIECE_REPLICAS ? fit : PIECE_REPLICAS;
    x->spins = malloc(x->room * bytes);
    x->levels = malloc(x->room * sizeof *x->levels);
    return !none && x->spins != NULL && x->levels != NULL;
}

static void piece_destroy(piece *x) {
    site_order_destroy(&x->order);
    free(x->spins);
    free(x->levels);
}

/* Numbers families by their first members. Returns false unless the numbers in the file rise. */
static bool number_families(saved_spins *s) {
    uint32_t number = 0;
    for (uint64_t n = 1, last = s->families[0]; n < s->replicas; n++) {
        if (s->families[n] < last)
            return false;
        if (s->families[n] > last)
            number = (uint32_t)n;
        last = s->families[n];
        s->families[n] = number;
    }
    s->families[0] = 0;
    return true;
}

/* Makes each replica a family. Returns false without memory. */
static bool make_families(saved_spins *s) {
    s->families = malloc(s->replicas * sizeof *s->families);
    for (uint64_t n = 0; n < s->replicas && s->families != NULL; n++)
        s->families[n] = (uint32_t)n;
    return s->families != NULL;
}

static exit_status engine_did(const engine *e, engine_status status) {
    return status == ENGINE_OK ? STATUS_OK
                               : complain(STATUS_FAILED, "%s failed: %.200s", e->name, e->error);
}

static uint64_t replicas_of(const piece *x, const saved_spins *s, uint64_t first) {
    const uint64_t left = s->replicas - first;
    return left < x->room ? left : x->room;
}

static exit_status give(engine *e, piece *x, const saved_spins *s) {
    exit_status status = STATUS_OK;
    for (uint64_t first = 0; first < s->replicas && !status; first += x->room) {
        const uint64_t count = replicas_of(x, s, first);
        site_order_pack(&x->order, s->spins + first * x->order.bytes, x->spins, count);
        status = engine_did(
            e, e->verbs->write(e, first, count, s->replicas, x->spins, s->families + first));
    }
    return status;
}

/* Compares the energies with those of the file. */
static exit_status compare(const parameters *p, engine *e, piece *x, const saved_spins *s,
                           const histogram *report) {
    exit_status status = STATUS_OK;
    for (uint64_t first = 0; first < s->replicas && !status; first += x->room) {
        const uint64_t count = replicas_of(x, s, first);
        status = engine_did(e, e->verbs->read_levels(e, first, count, x->levels));
        for (uint64_t n = 0; n < count && !status; n++) {
            const int64_t energy = histogram_energy(report, x->levels[n]);
            if (energy != s->energies[first + n])
                status = complain(STATUS_REFUSED,
                                  "--load-spins %.300s: replica %" PRIu64 " has energy %" PRId64
                                  ", and the file of energies says %" PRId64
                                  ": another lattice, or other couplings",
                                  p->load_spins, first + n, energy, s->energies[first + n]);
        }
    }
    return status;
}

static exit_status load(const parameters *p, engine *e, piece *x, saved_spins *s,
                        histogram *report) {
    exit_status status = STATUS_OK;
    if (s->families != NULL && !number_families(s))
        status = complain(STATUS_REFUSED,
                          "--load-spins %.300s: the numbers of the families beside it do not rise",
                          p->load_spins);
    else if (s->families == NULL && !make_families(s))
        status = complain(STATUS_REFUSED, "--load-spins %.300s: not enough memory", p->load_spins);
    if (s->energies == NULL && !status)
        warn("warning: --load-spins %.300s: no energies beside it: whether the population is of "
             "this model is not known",
             p->load_spins);
    if (!status)
        status = give(e, x, s);
    if (!status)
        status = engine_did(e, engine_measure(e, report));
    if (!status && s->energies != NULL)
        status = compare(p, e, x, s, report);
    return status;
}

exit_status spin_loader_load(const parameters *p, engine *e, histogram *report) {
    saved_spins s;
    piece x;
    exit_status status = results_read_spins(&s, p->load_spins, &e->model,
                                            population_capacity(p->population, p->word));
    if (status)
        return status;
    if (piece_create(&x, &e->model))
        status = load(p, e, &x, &s, report);
    else
        status = complain(STATUS_REFUSED, "--load-spins %.300s: not enough memory", p->load_spins);
    piece_destroy(&x);
    saved_spins_destroy(&s);
    return status;
}
