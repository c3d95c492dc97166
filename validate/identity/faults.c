/* The verbs of engine/engine.h, handed on with one thing changed. */
#include "faults.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    engine base;
    engine *inner;
    identity_fault fault;
    uint32_t temperature; /* of the population at hand */
    uint32_t runs;        /* begun */
    uint64_t *tau_hat;    /* [levels] what the inner engine is told */
} faulty_engine;

/* Whether the fault is of this kind and strikes now. */
static bool strikes(const faulty_engine *self, identity_fault_kind kind) {
    return self->fault.kind == kind && self->fault.temperature == self->temperature;
}

static engine_status handed_on(faulty_engine *self, engine_status status) {
    memcpy(self->base.error, self->inner->error, sizeof self->base.error);
    return status;
}

static void spoil_report(const faulty_engine *self, histogram *out) {
    const uint64_t n = self->fault.index;
    if (strikes(self, FAULT_LEVEL) || (strikes(self, FAULT_SECOND_RUN) && self->runs > 1))
        out->level[n].replicas++;
    if (strikes(self, FAULT_BLOCK))
        out->block[n].energy++;
    if (strikes(self, FAULT_FAMILIES))
        out->families++;
}

static engine_status randomise(engine *base, stream_key key, uint64_t replicas, histogram *out) {
    faulty_engine *const self = (faulty_engine *)base;
    self->temperature = 0;
    self->runs++;
    const engine_status status = self->inner->verbs->randomise(self->inner, key, replicas, out);
    spoil_report(self, out);
    return handed_on(self, status);
}

static engine_status make_step(engine *base, const engine_step *step, histogram *out) {
    faulty_engine *const self = (faulty_engine *)base;
    const uint64_t n = self->fault.index;
    engine_step spoilt = *step;
    self->temperature = step->temperature;
    if (strikes(self, FAULT_THRESHOLD)) {
        spoilt.rule.threshold[n]++;
        spoilt.rule =
            flip_rule_with(spoilt.rule.downhill, &self->inner->model, spoilt.rule.threshold);
    }
    if (strikes(self, FAULT_PLANE))
        spoilt.rule.bernoulli.bits[n] ^= 1;
    if (strikes(self, FAULT_KEY))
        spoilt.key.word[n / 32] ^= 1u << n % 32;
    if (strikes(self, FAULT_COPIES)) {
        memcpy(self->tau_hat, step->tau_hat, self->base.model.levels.count * sizeof *self->tau_hat);
        self->tau_hat[n]++;
        spoilt.tau_hat = self->tau_hat;
    }
    const engine_status status = self->inner->verbs->step(self->inner, &spoilt, out);
    spoil_report(self, out);
    return strikes(self, FAULT_STATUS) ? ENGINE_EXTINCT : handed_on(self, status);
}

/* Turns the spin of the fault in replicas first .. first+count-1, if it is there. */
static void turn_spin(const faulty_engine *self, uint64_t first, uint64_t count, uint8_t *spins) {
    const size_t bytes = model_packed_bytes(&self->base.model);
    const uint64_t n = self->fault.index - first;
    if (self->fault.index >= first && n < count)
        spins[n * bytes + self->fault.site / 8] ^= (uint8_t)(1u << self->fault.site % 8);
}

static engine_status save(engine *base, uint64_t first, uint64_t count, uint8_t *spins,
                          uint32_t *families) {
    faulty_engine *const self = (faulty_engine *)base;
    const engine_status status =
        self->inner->verbs->read(self->inner, first, count, spins, families);
    if (strikes(self, FAULT_SAVED_SPIN))
        turn_spin(self, first, count, spins);
    return handed_on(self, status);
}

/* Loads what the fault makes of the replicas. */
static engine_status load(engine *base, uint64_t first, uint64_t count, uint64_t replicas,
                          const uint8_t *spins, const uint32_t *families) {
    faulty_engine *const self = (faulty_engine *)base;
    const size_t bytes = model_packed_bytes(&base->model);
    uint8_t *const wrong_spins = malloc(count * bytes);
    uint32_t *const wrong_families = malloc(count * sizeof *families);
    engine_status status = ENGINE_FAILED;
    if (wrong_spins && wrong_families) {
        memcpy(wrong_spins, spins, count * bytes);
        memcpy(wrong_families, families, count * sizeof *families);
        if (self->fault.kind == FAULT_LOADED_SPIN)
            turn_spin(self, first, count, wrong_spins);
        if (self->fault.kind == FAULT_LOADED_FAMILY && self->fault.index >= first &&
            self->fault.index - first < count)
            wrong_families[self->fault.index - first]++;
        status = self->inner->verbs->write(self->inner, first, count, replicas, wrong_spins,
                                           wrong_families);
    }
    free(wrong_spins);
    free(wrong_families);
    return handed_on(self, status);
}

static engine_status overlaps(engine *base, overlap_sums *out) {
    faulty_engine *const self = (faulty_engine *)base;
    return handed_on(self, self->inner->verbs->overlaps(self->inner, out));
}

static engine_status read_levels(engine *base, uint64_t first, uint64_t count, uint32_t *levels) {
    faulty_engine *const self = (faulty_engine *)base;
    return handed_on(self, self->inner->verbs->read_levels(self->inner, first, count, levels));
}

static void destroy(engine *base) {
    faulty_engine *const self = (faulty_engine *)base;
    self->inner->verbs->destroy(self->inner);
    free(self->tau_hat);
    free(self);
}

static const struct engine_verbs faulty_verbs = {.randomise = randomise,
                                                 .step = make_step,
                                                 .overlaps = overlaps,
                                                 .read_levels = read_levels,
                                                 .read = save,
                                                 .write = load,
                                                 .destroy = destroy};

engine *identity_plant_fault(engine *inner, const identity_fault *fault) {
    faulty_engine *const self = calloc(1, sizeof *self);
    uint64_t *const tau_hat = malloc(inner->model.levels.count * sizeof *tau_hat);
    if (!self || !tau_hat) {
        inner->verbs->destroy(inner);
        free(tau_hat);
        free(self);
        return NULL;
    }
    *self = (faulty_engine){.base = *inner, .inner = inner, .fault = *fault, .tau_hat = tau_hat};
    engine *const e = &self->base;
    e->verbs = &faulty_verbs;
    return e;
}
