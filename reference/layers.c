/* Layers of a cubic lattice by a transfer matrix (layers.h).
 *
 * The trace of the product of all layers is a sum over the states of the first layer. Half of them
 * suffice: the inverse states have the same weights. For each first layer there is a vector over
 * the 2^(Lx Ly) states of the current layer. Its elements are three sums over all states of the
 * layers below: of the weight w^u, with w = exp(-2 beta) and u unsatisfied bonds; of u w^u; and of
 * u^2 w^u. e and C follow from these sums of positive terms, without cancellation. A bond between
 * layers changes one spin at a time. Bonds J = -1 between layers are removed by storing all spins
 * above them inverted. */
#include "layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The three sums for every state of a layer. */
typedef struct {
    double *z, *u, *u2;
} sums;

typedef struct {
    const couplings *c;
    uint32_t layer;  /* sites of a layer */
    uint32_t states; /* states of a layer */
    double w;
    double power[3 * LAYERS_MAX_LAYER]; /* w^n */
    uint32_t *turned; /* [z]: mask of the spins that are stored inverted; [Lz]: the same on
                       * return to the first layer */
    uint8_t *inside;  /* [z][stored state]: unsatisfied bonds within layer z */
} lattice;

/* Fills inside[] of layer z, and the mask of the next layer. */
static void prepare_layer(lattice *l, uint32_t z) {
    const uint64_t first = (uint64_t)z * l->layer;
    uint8_t *const inside = l->inside + (size_t)z * l->states;
    l->turned[z + 1] = l->turned[z];
    for (uint32_t site = 0; site < l->layer; site++)
        l->turned[z + 1] ^= (uint32_t)(couplings_sign(l->c, first + site, 2) < 0) << site;
    for (uint32_t stored = 0; stored < l->states; stored++) {
        const uint32_t state = stored ^ l->turned[z];
        uint8_t broken = 0;
        for (uint32_t site = 0; site < l->layer; site++)
            for (uint32_t d = 0; d < 2; d++) {
                const uint32_t other =
                    (uint32_t)(couplings_neighbour(l->c, first + site, d) - first);
                const bool differ = (state >> site ^ state >> other) & 1;
                if (differ != (couplings_sign(l->c, first + site, d) < 0))
                    broken++;
            }
        inside[stored] = broken;
    }
}

/* Applies the weights of the bonds within a layer. */
static void weigh_inside(const lattice *l, uint32_t z, sums s) {
    const uint8_t *const inside = l->inside + (size_t)z * l->states;
    for (uint32_t state = 0; state < l->states; state++) {
        const double n = inside[state], weight = l->power[inside[state]];
        s.u2[state] = weight * (s.u2[state] + n * (2 * s.u[state] + n * s.z[state]));
        s.u[state] = weight * (s.u[state] + n * s.z[state]);
        s.z[state] *= weight;
    }
}

/* Replaces the spin of one site by that above it: the same spin, or the other one with weight w and
 * one more unsatisfied bond. */
static void change_spin(const lattice *l, uint32_t site, sums s) {
    const uint32_t step = 1u << site;
    const double w = l->w;
    for (uint32_t base = 0; base < l->states; base += 2 * step) {
        double *restrict const z0 = s.z + base, *restrict const z1 = z0 + step;
        double *restrict const u0 = s.u + base, *restrict const u1 = u0 + step;
        double *restrict const v0 = s.u2 + base, *restrict const v1 = v0 + step;
        for (uint32_t n = 0; n < step; n++) {
            const double a = z0[n], b = z1[n], ua = u0[n], ub = u1[n], va = v0[n], vb = v1[n];
            z0[n] = a + w * b;
            z1[n] = b + w * a;
            u0[n] = ua + w * (ub + b);
            u1[n] = ub + w * (ua + a);
            v0[n] = va + w * (vb + (2 * ub + b));
            v1[n] = vb + w * (va + (2 * ua + a));
        }
    }
}

/* Computes the three sums over all states whose first layer is `first`. */
static void sum_from(const lattice *l, uint32_t first, sums s, double total[3]) {
    memset(s.z, 0, l->states * sizeof *s.z);
    memset(s.u, 0, l->states * sizeof *s.u);
    memset(s.u2, 0, l->states * sizeof *s.u2);
    s.z[first] = 1;
    for (uint32_t z = 0; z < l->c->edge[2]; z++) {
        weigh_inside(l, z, s);
        for (uint32_t site = 0; site < l->layer; site++)
            change_spin(l, site, s);
    }
    const uint32_t last = first ^ l->turned[l->c->edge[2]];
    total[0] = s.z[last];
    total[1] = s.u[last];
    total[2] = s.u2[last];
}

/* Fills total[first layer][3]. */
static bool sum_all(const lattice *l, double (*total)[3]) {
    bool good = true;
#pragma omp parallel reduction(&& : good)
    {
        double *const room = malloc(3 * (size_t)l->states * sizeof *room);
        good = room != NULL;
#pragma omp for schedule(dynamic, 16)
        for (uint32_t first = 0; first < l->states / 2; first++)
            if (room != NULL)
                sum_from(l, first, (sums){room, room + l->states, room + 2 * l->states},
                         total[first]);
        free(room);
    }
    return good;
}

bool layers_thermodynamics(const couplings *c, double beta, exact_result *result) {
    lattice l = {.c = c, .layer = c->edge[0] * c->edge[1], .w = exp(-2 * beta)};
    l.states = 1u << l.layer;
    for (uint32_t n = 0; n < 3 * LAYERS_MAX_LAYER; n++)
        l.power[n] = exp(-2 * beta * n);
    l.turned = calloc(c->edge[2] + 1, sizeof *l.turned);
    l.inside = malloc((size_t)c->edge[2] * l.states);
    double(*const total)[3] = malloc(l.states / 2 * sizeof *total);
    bool good = l.turned != NULL && l.inside != NULL && total != NULL;
    for (uint32_t z = 0; good && z < c->edge[2]; z++)
        prepare_layer(&l, z);
    good = good && sum_all(&l, total);
    long double sum[3] = {0};
    for (uint32_t first = 0; good && first < l.states / 2; first++)
        for (int n = 0; n < 3; n++)
            sum[n] += total[first][n];
    free(l.turned);
    free(l.inside);
    free(total);
    const long double n = (long double)c->sites, bonds = (long double)c->bonds, b = beta;
    const long double mean = sum[1] / sum[0], e = (2 * mean - bonds) / n;
    const long double ln_z = b * bonds + logl(2 * sum[0]);
    *result = (exact_result){.e = (double)e,
                             .c = (double)(4 * b * b * (sum[2] / sum[0] - mean * mean) / n),
                             .beta_f = (double)(-ln_z / n),
                             .s = (double)(b * e + ln_z / n)};
    return good;
}
