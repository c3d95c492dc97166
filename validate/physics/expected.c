/* Exact values from reference/, and from the tables of what takes it minutes. */
#include "expected.h"

#include "reference/energy_states.h"
#include "reference/exact.h"
#include "reference/overlap.h"
#include "reference/transfer_matrix.h"
#include "validate/lib/cubic_tables.h"

#include <math.h>
#include <stdlib.h>

#define SAME_BETA  1e-9
#define SAME_VALUE 1e-9 /* of two exact methods */

/* What is known of a lattice; what is not has no counts. */
typedef struct {
    const ensemble *s;
    energy_states states; /* by energy, of glasses */
    state_counts counts;  /* by energy and magnetisation, of ferromagnets */
} knowledge;

static bool is_cube(const spin_model *m) {
    return m->dimension == 3 && m->edge[0] == 4 && m->edge[1] == 4 && m->edge[2] == 4;
}

/* Takes the numbers of states of a sample of 4 x 4 x 4, if it is in the table. */
static bool take_cubic_states(knowledge *k) {
    uint64_t count[CUBIC_BONDS + 1];
    const parameters *const p = &k->s->given;
    if (p->disorder != CUBIC_SEED || cubic_states_read(p->sample, count) != p->ferromagnetic)
        return true;
    if (!energy_states_create(&k->states, &k->s->sample))
        return false;
    for (uint64_t u = 0; u <= CUBIC_BONDS; u++)
        energy_states_count(&k->states, u)[0] = count[u];
    return true;
}

static bool learn(knowledge *k) {
    const spin_model *const m = &k->s->model;
    if (m->disordered)
        return m->dimension == 2 ? square_states_count(&k->states, &k->s->sample)
                                 : !is_cube(m) || take_cubic_states(k);
    if (m->dimension == 3)
        return !is_cube(m) || cubic_counts_read(&k->counts);
    return m->edge[0] > STATE_COUNTS_MAX_SIZE || !state_counts_create(&k->counts, m->edge[0]);
}

static void forget(knowledge *k) {
    energy_states_destroy(&k->states);
    state_counts_destroy(&k->counts);
}

/* --- At one temperature --- */

static void take_thermodynamics(expectation *at, exact_result x) {
    at->value[ENERGY] = x.e;
    at->value[SPECIFIC_HEAT] = x.c;
    at->value[BETA_F] = x.beta_f;
    at->value[ENTROPY] = x.s;
}

/* All values of a ferromagnet of which the states are counted. Where energies are known otherwise, too, the
 * two exact methods had better agree. */
static void take_counts(expectation *at, const state_counts *counts, double beta) {
    const exact_moments m = state_counts_moments(counts, beta);
    const double beta_f = -m.ln_z / counts->sites;
    if (isnan(at->value[ENERGY]))
        take_thermodynamics(at, (exact_result){m.e, m.c, beta_f, beta * m.e - beta_f});
    else if (fabs(m.e - at->value[ENERGY]) > SAME_VALUE ||
             fabs(beta_f - at->value[BETA_F]) > SAME_VALUE)
        at->value[ENERGY] = at->value[BETA_F] = INFINITY;
    at->value[ABS_M] = m.abs_m;
    at->value[M2] = m.m2;
    at->value[M4] = m.m4;
}

/* The values of a long lattice, if this temperature is in the table. */
static void take_layers(expectation *at, const ensemble *s, double beta) {
    const parameters *const p = &s->given;
    layer_value v;
    if (p->disorder != CUBIC_SEED || p->ferromagnetic != 0.5 || s->model.edge[0] != 4 ||
        s->model.edge[1] != 4)
        return;
    for (size_t n = 0; layer_value_read(n, &v); n++)
        if (v.edge == s->model.edge[2] && v.sample == p->sample && fabs(v.beta - beta) < SAME_BETA)
            take_thermodynamics(at, v.x);
}

/* Returns false without memory. */
static bool expect_at(const knowledge *k, double beta, expectation *at) {
    const spin_model *const m = &k->s->model;
    overlap_moments q;
    for (quantity n = 0; n < QUANTITIES; n++)
        at->value[n] = NAN;
    if (!m->disordered && m->dimension == 2)
        take_thermodynamics(at, exact_thermodynamics(m->edge[0], beta));
    if (k->counts.count)
        take_counts(at, &k->counts, beta);
    if (k->states.count)
        take_thermodynamics(at, energy_states_thermodynamics(&k->states, beta));
    else if (m->disordered)
        take_layers(at, k->s, beta);
    if (!m->disordered || m->sites > OVERLAP_MAX_SITES)
        return true;
    if (!overlap_thermodynamics(&k->s->sample, beta, &q))
        return false;
    at->value[ABS_M] = q.abs_q;
    at->value[M2] = q.q2;
    at->value[M4] = q.q4;
    return true;
}

expectation *expect_exact(const ensemble *s, const weighted_average *rows) {
    expectation *const expected = calloc(rows->temperatures, sizeof *expected);
    knowledge k = {.s = s};
    bool good = expected && learn(&k);
    for (size_t i = 0; good && i < rows->temperatures; i++)
        good = expect_at(&k, rows->row[i].beta, &expected[i]);
    forget(&k);
    if (good)
        return expected;
    complain(STATUS_FAILED, "exact values: not enough memory, or no table of them");
    free(expected);
    return NULL;
}
