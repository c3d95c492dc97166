/* A population that a test writes and reads spin by spin: loaded into an engine, advanced by a
 * step, and saved again. */
#ifndef PAISING_REPLICAS_H
#define PAISING_REPLICAS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "replica_sites.h"
#include "some_models.h"

typedef struct {
    engine *worker;
    uint32_t size;      /* L */
    uint64_t capacity;  /* of the arrays and of the engine */
    uint64_t count;     /* replicas at hand */
    uint64_t founders;  /* of the first population; families are numbered 0 .. founders-1 */
    size_t bytes;       /* of one replica in spins[], as engine->save writes it */
    uint8_t *spins;     /* [capacity][bytes] */
    uint32_t *families; /* [capacity] */
    uint64_t *tau_hat;  /* [levels] tau-hat, one copy each to begin with */
    histogram report;
} replicas;

static inline replicas replicas_create(engine_config config, uint64_t count) {
    replicas r = {.size = config.model.edge[0],
                  .capacity = config.capacity,
                  .count = count,
                  .founders = count};
    r.worker = engine_cpu_create(&config);
    assert_non_null(r.worker);
    r.bytes = model_packed_bytes(&config.model);
    r.spins = calloc(config.capacity, r.bytes);
    r.families = calloc(config.capacity, sizeof *r.families);
    r.tau_hat = malloc(r.worker->model.levels.count * sizeof *r.tau_hat);
    assert_true(r.spins && r.families && r.tau_hat);
    for (size_t n = 0; n < r.worker->model.levels.count; n++)
        r.tau_hat[n] = UINT64_C(1) << 32;
    for (uint64_t k = 0; k < count; k++)
        r.families[k] = (uint32_t)k;
    assert_int_equal(histogram_create(&r.report, &r.worker->model), 0);
    return r;
}

static inline void replicas_destroy(replicas *r) {
    r->worker->verbs->destroy(r->worker);
    histogram_destroy(&r->report);
    free(r->spins);
    free(r->families);
    free(r->tau_hat);
}

static inline void replicas_load(replicas *r) {
    engine *const e = r->worker;
    assert_int_equal(e->verbs->write(e, 0, r->count, r->count, r->spins, r->families), ENGINE_OK);
    assert_int_equal(engine_measure(e, &r->report), ENGINE_OK);
}

static inline void replicas_save(replicas *r) {
    engine *const e = r->worker;
    r->count = r->report.population;
    assert_true(r->count <= r->capacity);
    assert_int_equal(e->verbs->read(e, 0, r->count, r->spins, r->families), ENGINE_OK);
}

/* Draws a population of `count` at beta = 0 and reads it. */
static inline void replicas_randomise(replicas *r, stream_key key, uint64_t count) {
    assert_int_equal(r->worker->verbs->randomise(r->worker, key, count, &r->report), ENGINE_OK);
    r->founders = count;
    replicas_save(r);
}

/* Advances the engine's population by a step with r->copies. */
static inline void replicas_step(replicas *r, engine_step step) {
    step.parts = WHOLE_STEP;
    step.tau_hat = r->tau_hat;
    step.founders = r->founders;
    assert_int_equal(r->worker->verbs->step(r->worker, &step, &r->report), ENGINE_OK);
}

/* 1 if the spin of replica k is up. */
static inline int spin_up(const replicas *r, uint64_t k, uint32_t x, uint32_t y) {
    return bit_of_site(r->spins + k * r->bytes, site_index(r->size, x, y));
}

static inline void set_spin(replicas *r, uint64_t k, uint32_t x, uint32_t y, int up) {
    const uint32_t i = site_index(r->size, x, y);
    uint8_t *const byte = &r->spins[k * r->bytes + i / 8];
    *byte = (uint8_t)((*byte & ~(1u << i % 8)) | (unsigned)up << i % 8);
}

/* The same of a site of any model: its spin, the opposite of it, and its unsatisfied bonds. */
static inline int spin_of(const replicas *r, uint64_t k, lattice_site s) {
    return bit_of_site(r->spins + k * r->bytes, (uint32_t)site_number(&r->worker->model, s));
}

static inline void flip_spin_at(replicas *r, uint64_t k, uint32_t number) {
    r->spins[k * r->bytes + number / 8] ^= (uint8_t)(1u << number % 8);
}

static inline void flip_spin(replicas *r, uint64_t k, lattice_site s) {
    flip_spin_at(r, k, (uint32_t)site_number(&r->worker->model, s));
}

/* Where the bonds of a site lead: the same in all replicas. */
typedef struct {
    uint32_t count;
    uint32_t here, beside[2 * MODEL_MAX_DIMENSION]; /* numbers of sites */
    bool negative[2 * MODEL_MAX_DIMENSION];
} site_bonds; /* those that are there */

static inline site_bonds bonds_of(const spin_model *m, lattice_site s) {
    site_bonds b = {.here = (uint32_t)site_number(m, s)};
    for (uint32_t n = 0; n < m->coordination; n++) {
        int j;
        b.beside[b.count] = (uint32_t)site_number(m, site_beside(m, s, n / 2, n % 2, &j));
        b.negative[b.count] = j < 0;
        b.count += j != 0;
    }
    return b;
}

static inline uint32_t unsatisfied_of(const replicas *r, uint64_t k, const site_bonds *b) {
    const uint8_t *const spins = r->spins + k * r->bytes;
    const int here = bit_of_site(spins, b->here);
    uint32_t d = 0;
    for (uint32_t n = 0; n < b->count; n++)
        d += (here != bit_of_site(spins, b->beside[n])) != b->negative[n];
    return d;
}

/* The number of the change of energy (flip_rule, engine.h) that a flip makes which leaves the other bonds of a site
 * unsatisfied, instead of d: among those of sites with an even number of bonds, or with an odd one. */
static inline uint32_t change_of(const spin_model *m, const site_bonds *b, uint32_t d) {
    const int most = 2 * (int)m->coordination - (b->count % 2 ? 2 : 0);
    return (uint32_t)(most - 2 * (int)b->count + 4 * (int)d) / 4;
}

static inline uint32_t unsatisfied_bonds(const replicas *r, uint64_t k, lattice_site s) {
    const site_bonds b = bonds_of(&r->worker->model, s);
    return unsatisfied_of(r, k, &b);
}

/* How many of a spin's four neighbours are antiparallel to it. */
static inline int antiparallel_neighbours(const replicas *r, uint64_t k, uint32_t x, uint32_t y) {
    const uint32_t size = r->size;
    const int here = spin_up(r, k, x, y);
    return (here != spin_up(r, k, (x + 1) % size, y)) +
           (here != spin_up(r, k, (x + size - 1) % size, y)) +
           (here != spin_up(r, k, x, (y + 1) % size)) +
           (here != spin_up(r, k, x, (y + size - 1) % size));
}

#endif
