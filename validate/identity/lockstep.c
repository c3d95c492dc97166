/* Two engines in lockstep. */
#include "lockstep.h"

#include "engine/disorder.h"
#include "engine/spins_hash.h"
#include "engine/stepper.h"
#include "resample/resampling.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the two. */
typedef struct {
    identity_device device;
    const identity_fault *fault;
    engine *worker;
    stepper steps;  /* of the engine, with the report of the population at hand */
    uint8_t *spins; /* of up to `piece` replicas */
    uint32_t *families;
    uint64_t *hashes; /* [piece] */
} subject;

/* Both, on their way through a case. */
typedef struct {
    const identity_case *c;
    spin_model model;
    couplings sample; /* of the model, if it has any */
    size_t bytes;     /* of a saved replica */
    subject side[2];
    uint64_t *tau_hat; /* [levels] of the step at hand */
    identity_result *result;
} lockstep;

/* --- engines --- */

/* Makes the model of the case. Returns whether there was memory for its couplings. */
static bool make_model(lockstep *l) {
    const model_kind *const kind = l->c->model;
    uint32_t edge[MODEL_MAX_DIMENSION];
    lattice_edges(l->c->size, kind->dimension, edge);
    l->model = kind->create(edge);
    l->bytes = model_packed_bytes(&l->model);
    const lattice_boundary boundary = l->c->boundary;
    const disorder from = {l->c->disorder, 0, kind->disordered ? IDENTITY_FERROMAGNETIC : 1};
    if (!kind->disordered && !boundary_any(boundary, kind->dimension, BOUNDARY_OPEN) &&
        !boundary_any(boundary, kind->dimension, BOUNDARY_ANTIPERIODIC))
        return true;
    if (!couplings_create(&l->sample, kind->dimension, edge))
        return false;
    disorder_draw(&l->sample, from);
    if (!disorder_dilute(&l->sample, from, l->c->dilution) || !boundary_apply(boundary, &l->sample))
        return false;
    l->model = model_of_sample(l->model, &l->sample);
    return true;
}

/* Makes the engine of a subject. Returns whether it is there. */
static bool make_engine_of(lockstep *l, subject *s) {
    const identity_case *const c = l->c;
    const engine_config config = {.coding = c->coding,
                                  .model = l->model,
                                  .capacity = c->capacity,
                                  .word = c->word,
                                  .rng = c->rng,
                                  .resampling = c->resampling,
                                  .clusters = c->update->clusters != CLUSTERS_NONE,
                                  .visits = c->visits,
                                  .stages = c->stages};
    identity_result *const r = l->result;
    s->worker = identity_make_engine(s->device, config, r->error, sizeof r->error);
    if (s->worker && s->fault)
        s->worker = identity_plant_fault(s->worker, s->fault);
    if (!s->worker)
        r->verdict = IDENTITY_NOT_COMPARED;
    s->steps.engine = s->worker;
    return s->worker != NULL;
}

static void destroy_engine_of(subject *s) {
    identity_use_device(s->device);
    if (s->worker)
        s->worker->verbs->destroy(s->worker);
    s->worker = NULL;
}

static bool create_subject(lockstep *l, subject *s) {
    if (!make_engine_of(l, s))
        return false;
    s->spins = malloc(l->c->piece * l->bytes);
    s->families = malloc(l->c->piece * sizeof *s->families);
    s->hashes = malloc(l->c->piece * sizeof *s->hashes);
    if (s->spins && s->families && s->hashes && stepper_create(&s->steps, s->worker) == 0)
        return true;
    l->result->verdict = IDENTITY_NOT_COMPARED;
    snprintf(l->result->error, sizeof l->result->error, "not enough memory");
    return false;
}

static void destroy_subject(subject *s) {
    destroy_engine_of(s);
    stepper_destroy(&s->steps);
    free(s->spins);
    free(s->families);
    free(s->hashes);
}

static engine_status randomise(subject *s, stream_key key, uint64_t replicas) {
    identity_use_device(s->device);
    return stepper_randomise(&s->steps, key, replicas);
}

static engine_status submit(subject *s, const engine_step *step) {
    identity_use_device(s->device);
    return stepper_submit(&s->steps, step);
}

static engine_status wait_for(subject *s) {
    identity_use_device(s->device);
    const engine_status status = stepper_wait(&s->steps);
    return status == ENGINE_OK ? stepper_wait_all(&s->steps) : status;
}

static engine_status save(subject *s, uint64_t first, uint64_t count) {
    identity_use_device(s->device);
    return s->worker->verbs->read(s->worker, first, count, s->spins, s->families);
}

/* The replicas from `first` on that make the next piece of `count`. */
static uint64_t piece_of(const identity_case *c, uint64_t first, uint64_t count) {
    return count - first < c->piece ? count - first : c->piece;
}

/* --- comparing --- */

/* Compares the hashes of a piece, if the engine makes them, with those of its spins. */
static engine_status compare_hashes(const lockstep *l, subject *s, uint64_t first, uint64_t part,
                                    identity_difference *d) {
    if (s->worker->verbs->read_hashes == NULL)
        return ENGINE_OK;
    identity_use_device(s->device);
    const engine_status status =
        s->worker->verbs->read_hashes(s->worker, first, part, s->hashes, s->families);
    for (uint64_t k = 0; k < part && status == ENGINE_OK && d->quantity == QUANTITY_NONE; k++) {
        const uint64_t right = spins_hash(s->spins + k * l->bytes, l->model.sites);
        if (s->hashes[k] != right)
            *d = (identity_difference){QUANTITY_HASH, first + k, 0, {right, s->hashes[k]}};
    }
    return status;
}

/* Compares the replicas that both populations have. */
static engine_status compare_populations(lockstep *l, identity_difference *d) {
    subject *const a = &l->side[0], *const b = &l->side[1];
    const uint64_t in_a = a->steps.report.population, in_b = b->steps.report.population;
    const uint64_t count = in_a < in_b ? in_a : in_b;
    *d = (identity_difference){.quantity = QUANTITY_NONE};
    for (uint64_t first = 0; first < count && d->quantity == QUANTITY_NONE; first += l->c->piece) {
        const uint64_t part = piece_of(l->c, first, count);
        /* An engine that writes less than it should is not to find the other's bytes there. */
        memset(a->spins, 0x55, part * l->bytes);
        memset(b->spins, 0xaa, part * l->bytes);
        memset(a->families, 0x55, part * sizeof *a->families);
        memset(b->families, 0xaa, part * sizeof *b->families);
        if (save(a, first, part) != ENGINE_OK || save(b, first, part) != ENGINE_OK)
            return ENGINE_FAILED;
        *d = identity_compare_replicas((identity_replicas){a->spins, a->families},
                                       (identity_replicas){b->spins, b->families}, first, part,
                                       l->bytes);
        if (compare_hashes(l, a, first, part, d) != ENGINE_OK ||
            compare_hashes(l, b, first, part, d) != ENGINE_OK)
            return ENGINE_FAILED;
    }
    return ENGINE_OK;
}

/* Notes what a verb of both engines returned, and if a device failed, what it says. Returns whether
 * both populations are there. */
static bool both_well(lockstep *l, engine_status a, engine_status b) {
    identity_result *const r = l->result;
    const bool first = a == ENGINE_FAILED && l->side[0].worker->error[0] != '\0';
    const subject *const failed = &l->side[first ? 0 : 1]; /* of reading, either may have failed */
    r->status = a;
    if (a == ENGINE_FAILED || b == ENGINE_FAILED)
        snprintf(r->error, sizeof r->error, "%s: %s", failed->worker->name, failed->worker->error);
    if (a != b) {
        r->verdict = IDENTITY_DIFFERENT;
        r->report = (identity_difference){QUANTITY_STATUS, 0, 0, {a, b}};
    } else if (a == ENGINE_FAILED) {
        r->verdict = IDENTITY_NOT_COMPARED;
    }
    return a == ENGINE_OK && b == ENGINE_OK;
}

/* Compares all that there is at this temperature. Returns whether it is the same. */
static bool same(lockstep *l, bool loaded) {
    identity_result *const r = l->result;
    r->loaded = loaded;
    r->report =
        identity_compare_reports(&l->side[0].steps.report, &l->side[1].steps.report, !loaded);
    const engine_status saved = compare_populations(l, &r->population);
    if (!both_well(l, saved, saved))
        return false;
    if (r->report.quantity != QUANTITY_NONE || r->population.quantity != QUANTITY_NONE)
        r->verdict = IDENTITY_DIFFERENT;
    return r->verdict == IDENTITY_SAME;
}

/* --- a case --- */

/* The step number i, from 1 on, of a population that is reported; fills tau_hat[levels]. */
static engine_step step_of(const identity_case *c, const engine *e, uint32_t i, const histogram *h,
                           uint64_t *tau_hat) {
    resampling_tau_hat(h, c->dbeta, c->target, tau_hat);
    return (engine_step){.parts = WHOLE_STEP,
                         .key = c->key,
                         .temperature = c->temperature + i - 1,
                         .sweeps = c->sweeps,
                         .founders = c->founders,
                         .tau_hat = tau_hat,
                         .line = resampling_line(h, c->resampling, tau_hat, c->target),
                         .rule = c->rule ? *c->rule
                                 : c->fixed_thresholds
                                     ? flip_rule_with(c->update->downhill, &e->model, c->threshold)
                                     : flip_rule_at(c->update, &e->model, c->beta + c->dbeta * i)};
}

/* Resamples, sweeps and measures on both at the same time. */
static bool advance(lockstep *l, uint32_t i) {
    const identity_case *const c = l->c;
    subject *const a = &l->side[0], *const b = &l->side[1];
    engine_step step = step_of(c, a->worker, i, &a->steps.report, l->tau_hat);
    l->result->temperature = step.temperature;
    if (!both_well(l, submit(a, &step), submit(b, &step)))
        return false;
    step = (engine_step){.tau_hat = l->tau_hat}; /* an engine must have kept what it needs */
    return both_well(l, wait_for(a), wait_for(b));
}

/* Fills an engine with a population that has nothing to do with the case. */
static engine_status disturb(lockstep *l, subject *s) {
    identity_case other = *l->c;
    other.key.word[0] = ~other.key.word[0];
    other.founders = other.target = other.founders / 2 + 1;
    other.dbeta = 0;
    engine_status status = randomise(s, other.key, other.founders);
    if (status != ENGINE_OK)
        return status;
    const engine_step step = step_of(&other, s->worker, 1, &s->steps.report, l->tau_hat);
    status = submit(s, &step);
    status = status == ENGINE_OK ? wait_for(s) : status;
    return status == ENGINE_FAILED ? status : ENGINE_OK; /* it may end, by the rule poisson */
}

/* Hands the population of one engine to the other, which has another one then. */
static bool hand_over(lockstep *l) {
    const identity_case *const c = l->c;
    subject *const to = &l->side[c->receiver], *const from = &l->side[!c->receiver];
    const uint64_t replicas = from->steps.report.population;
    engine_status status = disturb(l, to);
    for (uint64_t first = 0; first < replicas && status == ENGINE_OK; first += c->piece) {
        const uint64_t part = piece_of(c, first, replicas);
        status = save(from, first, part);
        if (status != ENGINE_OK)
            break;
        identity_use_device(to->device);
        status = to->worker->verbs->write(to->worker, first, part, replicas, from->spins,
                                          from->families);
    }
    if (status == ENGINE_OK) {
        identity_use_device(to->device);
        status = engine_measure(to->worker, &to->steps.report);
    }
    return c->receiver ? both_well(l, ENGINE_OK, status) : both_well(l, status, ENGINE_OK);
}

/* Takes both through the case, from its beginning to its end or to the first difference. */
static void take_through(lockstep *l) {
    const identity_case *const c = l->c;
    l->result->temperature = 0;
    if (!both_well(l, randomise(&l->side[0], c->key, c->founders),
                   randomise(&l->side[1], c->key, c->founders)) ||
        !same(l, false))
        return;
    for (uint32_t i = 0; i <= c->steps; i++) {
        if (i > 0 && (!advance(l, i) || !same(l, false)))
            return;
        if (c->receiver >= 0 && i == c->handover && (!hand_over(l) || !same(l, true)))
            return;
    }
}

identity_result identity_run(const identity_case *c, const identity_pair *pair) {
    identity_result result = {.verdict = IDENTITY_SAME};
    lockstep l = {.c = c, .result = &result};
    l.side[0].device = pair->device[0];
    l.side[1].device = pair->device[1];
    l.side[1].fault = pair->fault;
    if (make_model(&l) && create_subject(&l, &l.side[0]) && create_subject(&l, &l.side[1])) {
        l.tau_hat = calloc(l.side[0].worker->model.levels.count, sizeof *l.tau_hat);
        if (l.tau_hat)
            take_through(&l);
        if (l.tau_hat && result.verdict == IDENTITY_SAME && c->kept >= 0) {
            subject *const renewed = &l.side[!c->kept];
            result.again = true;
            destroy_engine_of(renewed);
            if (make_engine_of(&l, renewed))
                take_through(&l);
        }
    }
    if (result.verdict == IDENTITY_SAME && !l.tau_hat) {
        result.verdict = IDENTITY_NOT_COMPARED;
        snprintf(result.error, sizeof result.error, "not enough memory");
    }
    for (size_t n = 0; n < 2; n++)
        destroy_subject(&l.side[n]);
    free(l.tau_hat);
    couplings_destroy(&l.sample);
    return result;
}

/* --- words --- */

static const char *status_name(uint64_t status) {
    static const char *const names[] = {[ENGINE_OK] = "well",
                                        [ENGINE_EXTINCT] = "died out",
                                        [ENGINE_OUTGROWN] = "outgrown",
                                        [ENGINE_FAILED] = "failed"};
    return names[status];
}

static void different_text(char text[RESULT_TEXT_SIZE], const identity_result *r) {
    char report[DIFFERENCE_TEXT_SIZE], population[DIFFERENCE_TEXT_SIZE];
    char when[64];
    snprintf(when, sizeof when, "%s%s", r->again ? ", in an engine used before" : "",
             r->loaded ? ", after a load" : "");
    if (r->report.quantity == QUANTITY_STATUS)
        snprintf(text, RESULT_TEXT_SIZE,
                 "DIFFERENT at temperature %" PRIu32 "%s: %s against %s%s%s", r->temperature, when,
                 status_name(r->report.value[0]), status_name(r->report.value[1]),
                 r->error[0] ? ": " : "", r->error);
    else
        snprintf(text, RESULT_TEXT_SIZE,
                 "DIFFERENT at temperature %" PRIu32 "%s: in the report %s; in the replicas %s",
                 r->temperature, when, identity_difference_text(report, &r->report),
                 identity_difference_text(population, &r->population));
}

const char *identity_result_text(char text[RESULT_TEXT_SIZE], const identity_result *r) {
    if (r->verdict == IDENTITY_NOT_COMPARED)
        snprintf(text, RESULT_TEXT_SIZE, "NOT COMPARED: %s", r->error);
    else if (r->verdict == IDENTITY_DIFFERENT)
        different_text(text, r);
    else if (r->status != ENGINE_OK)
        snprintf(text, RESULT_TEXT_SIZE, "same, %s at temperature %" PRIu32, status_name(r->status),
                 r->temperature);
    else
        snprintf(text, RESULT_TEXT_SIZE, "same");
    return text;
}
