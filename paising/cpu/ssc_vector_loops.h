/* Sweeps and measurements of a lattice of vectors, for one kind of components: REAL and OF are those of engine/vector_math.h.
 * ssc_vectors.c alone reads this, once for each kind; so there is no include guard. spin[N][n]. */

TEMPLATE OF(spin) OF(load)(uint32_t n, const REAL *spin, size_t i) {
    return (OF(spin)){{spin[n * i], spin[n * i + 1], n == 2 ? 0 : spin[n * i + 2]}};
}

TEMPLATE void OF(store)(uint32_t n, REAL *spin, size_t i, OF(spin) s) {
    for (uint32_t c = 0; c < n; c++)
        spin[n * i + c] = s.at[c];
}

/* J of the bond of site i to around[d]: a bond backwards is that of the site there. */
TEMPLATE REAL OF(coupling)(const vector_lattice *l, uint32_t i, uint32_t d,
                           const uint32_t around[]) {
    return ((const REAL *)l->couplings)[d / 2 * l->sites + (d % 2 == 0 ? i : around[d])];
}

/* J s of that neighbour. */
TEMPLATE OF(spin) OF(pull)(const vector_lattice *l, uint32_t n, const REAL *spin, uint32_t i,
                           uint32_t d, const uint32_t around[]) {
    const OF(spin) s = OF(load)(n, spin, around[d]);
    return l->couplings == NULL ? s : OF(scaled)(n, s, OF(coupling)(l, i, d, around));
}

TEMPLATE OF(spin) OF(field)(const vector_lattice *l, uint32_t n, const REAL *spin, uint32_t i,
                            uint32_t x, uint32_t y, uint32_t z) {
    uint32_t around[2 * MODEL_MAX_DIMENSION];
    vector_neighbours(l, i, x, y, z, around);
    OF(spin) h = OF(pull)(l, n, spin, i, 0, around);
    for (uint32_t d = 1; d < 2 * l->dimension; d++)
        h = OF(sum)(h, OF(pull)(l, n, spin, i, d, around));
    return h;
}

/* Updates the sites of one sub-lattice in a box, or reflects their spins. */
TEMPLATE void OF(box)(const vector_lattice *l, uint32_t n, bool heat_bath, bool reflect,
                      uint32_t parity, const uint32_t first[], const uint32_t edge[], REAL *spin,
                      vector_numbers of, REAL beta) {
    for (uint32_t z = first[2]; z < first[2] + edge[2]; z++)
        for (uint32_t y = first[1]; y < first[1] + edge[1]; y++)
            for (uint32_t x = first[0] + ((first[0] + y + z + parity) & 1); x < first[0] + edge[0];
                 x += 2) {
                const uint32_t i = of.site = (z * l->edge[1] + y) * l->edge[0] + x;
                const OF(spin) s = OF(load)(n, spin, i), h = OF(field)(l, n, spin, i, x, y, z);
                OF(store)
                (n, spin, i,
                 reflect ? OF(reflected)(n, s, h) : OF(updated)(n, heat_bath, beta, s, h, &of));
            }
}

/* The same of the lattice, whose rows are divided among so many threads. */
TEMPLATE void OF(half)(const vector_lattice *l, uint32_t n, bool heat_bath, bool reflect,
                       uint32_t parity, uint32_t threads, REAL *spin, vector_numbers of,
                       REAL beta) {
    const uint32_t rows = l->edge[1] * l->edge[2];
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t first[] = {0, row % l->edge[1], row / l->edge[1]},
                       edge[] = {l->edge[0], 1, 1};
        OF(box)(l, n, heat_bath, reflect, parity, first, edge, spin, of, beta);
    }
}

/* Makes the hits of a stage in the tiles of its colour, which threads share. */
TEMPLATE void OF(stage)(const vector_lattice *l, uint32_t n, bool heat_bath, const visit_plan *plan,
                        const visit_stage *stage, uint32_t threads, REAL *spin, vector_numbers of,
                        REAL beta) {
    const uint32_t t = plan->tile, edge[] = {t, t, l->dimension == 3 ? t : 1};
    uint32_t tiles[MODEL_MAX_DIMENSION];
    const uint32_t all = visit_tiles(plan, l->dimension, l->edge, tiles);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (uint32_t tile = 0; tile < all; tile++) {
        const uint32_t x = tile % tiles[0], y = tile / tiles[0] % tiles[1],
                       z = tile / tiles[0] / tiles[1];
        const uint32_t first[] = {x * t, y * t, z * t};
        vector_numbers own = of;
        for (uint32_t hit = stage->first; hit < stage->end && (x + y + z) % 2 == stage->colour;
             hit++) {
            own.sweep = of.sweep + hit;
            OF(box)(l, n, heat_bath, false, stage->odd_first, first, edge, spin, own, beta);
            OF(box)(l, n, heat_bath, false, !stage->odd_first, first, edge, spin, own, beta);
        }
    }
}

TEMPLATE void OF(sweep_of)(const vector_lattice *l, uint32_t n, bool heat_bath,
                           const visit_plan *plan, uint32_t threads, REAL *spin, vector_numbers of,
                           REAL beta) {
    visit_stage stage[MOST_VISIT_STAGES];
    const uint32_t stages = plan->order == VISIT_TILES ? visit_stages(plan, stage) : 0;
    for (uint32_t k = 0; k < stages; k++)
        OF(stage)(l, n, heat_bath, plan, &stage[k], threads, spin, of, beta);
    for (uint32_t parity = 0; parity < 2 && stages == 0; parity++)
        OF(half)(l, n, heat_bath, false, parity, threads, spin, of, beta);
    for (uint32_t half = 0; half < 2 * l->reflections; half++)
        OF(half)(l, n, heat_bath, true, half % 2, threads, spin, of, beta);
}

static void OF(sweep)(const vector_lattice *l, const vector_rule *rule, const visit_plan *plan,
                      uint32_t threads, REAL *spin, vector_numbers of) {
    const REAL beta = (REAL)rule->beta;
    if (l->components == 2 && rule->heat_bath)
        OF(sweep_of)(l, 2, true, plan, threads, spin, of, beta);
    else if (l->components == 2)
        OF(sweep_of)(l, 2, false, plan, threads, spin, of, beta);
    else if (rule->heat_bath)
        OF(sweep_of)(l, 3, true, plan, threads, spin, of, beta);
    else
        OF(sweep_of)(l, 3, false, plan, threads, spin, of, beta);
}

/* --- clusters (U. Wolff, Phys. Rev. Lett. 62, 361, 1989) --- */

/* Labels each site with the first one of its cluster. The signs of r . s are Ising spins, whose bonds have the couplings |r . s|
 * |r . s'|: a bond between equal signs is left out with the probability exp(-2 beta (r . s) (r . s')). */
TEMPLATE void OF(label)(const vector_lattice *l, uint32_t n, const REAL *spin, OF(spin) r,
                        vector_numbers of, REAL beta, uint32_t *label) {
    for (uint32_t i = 0; i < l->sites; i++)
        label[i] = i;
    for (uint32_t z = 0, i = 0; z < l->edge[2]; z++)
        for (uint32_t y = 0; y < l->edge[1]; y++)
            for (uint32_t x = 0; x < l->edge[0]; x++, i++) {
                uint32_t around[2 * MODEL_MAX_DIMENSION];
                const stream_block b =
                    stream_draw(of.key, STREAM_BONDS, i, of.replica, of.sweep, of.temperature);
                const REAL own = 2 * beta * OF(product)(n, r, OF(load)(n, spin, i));
                vector_neighbours(l, i, x, y, z, around);
                for (uint32_t d = 0; d < l->dimension; d++) {
                    const uint32_t to = around[2 * d];
                    const REAL cost = own * OF(product)(n, r, OF(load)(n, spin, to));
                    if (!OF(happens)(-cost, b.number[d]))
                        join(label, i, to);
                }
            }
    for (uint32_t i = 0; i < l->sites; i++) /* those before it have their labels */
        label[i] = label[label[i]];
}

/* Reflects the cluster of a random site, or each one with probability 1/2, at the plane across a random direction r. */
TEMPLATE void OF(clusters_of)(const vector_lattice *l, uint32_t n, cluster_flips which, REAL *spin,
                              vector_numbers of, REAL beta, uint32_t *label) {
    const stream_block b =
        stream_draw(of.key, STREAM_SITE, 0, of.replica, of.sweep, of.temperature);
    const OF(spin) r = OF(any)(n, b.number + 2);
    OF(label)(l, n, spin, r, of, beta, label);
    const uint32_t chosen =
        label[cluster_site(of.key, of.replica, of.sweep, of.temperature, l->sites)];
    for (uint32_t i = 0; i < l->sites; i++) {
        const stream_block first =
            stream_draw(of.key, STREAM_BONDS, label[i], of.replica, of.sweep, of.temperature);
        if (which == CLUSTERS_ONE ? label[i] == chosen : first.number[3] >> 31)
            OF(store)(n, spin, i, OF(mirrored)(n, OF(load)(n, spin, i), r));
    }
    for (uint32_t half = 0; half < 2 * l->reflections; half++)
        OF(half)(l, n, false, true, half % 2, 1, spin, of, beta);
}

static void OF(clusters)(const vector_lattice *l, const vector_rule *rule, cluster_flips which,
                         REAL *spin, vector_numbers of, uint32_t *label) {
    if (l->components == 2)
        OF(clusters_of)(l, 2, which, spin, of, (REAL)rule->beta, label);
    else
        OF(clusters_of)(l, 3, which, spin, of, (REAL)rule->beta, label);
}

static void OF(randomise)(const vector_lattice *l, REAL *spin, stream_key key, uint32_t replica) {
    for (uint32_t i = 0; i < l->sites; i++) {
        const stream_block b = stream_draw(key, STREAM_RANDOMISE, i, replica, 0, 0);
        OF(store)(l->components, spin, i, OF(any)(l->components, b.number));
    }
}

/* Each site counts its bonds to the next sites. */
static void OF(measure)(const vector_lattice *l, const REAL *spin, int64_t *energy,
                        int64_t sum[3]) {
    const uint32_t n = l->components;
    for (uint32_t z = 0, i = 0; z < l->edge[2]; z++)
        for (uint32_t y = 0; y < l->edge[1]; y++)
            for (uint32_t x = 0; x < l->edge[0]; x++, i++) {
                uint32_t around[2 * MODEL_MAX_DIMENSION];
                const OF(spin) s = OF(load)(n, spin, i);
                vector_neighbours(l, i, x, y, z, around);
                for (uint32_t d = 0; d < l->dimension; d++) {
                    const double J = l->couplings == NULL ? 1 : OF(coupling)(l, i, 2 * d, around);
                    *energy -=
                        vector_fixed(J * OF(product)(n, s, OF(load)(n, spin, around[2 * d])));
                }
                for (uint32_t c = 0; c < 3; c++)
                    sum[c] += vector_fixed(s.at[c]);
            }
}

/* --- overlaps --- */

STREAM_FUNCTION vector_double_spin OF(spin_at)(const vector_lattice *l, uint32_t n,
                                               const REAL *spin, uint32_t i) {
    (void)l;
    return (vector_double_spin){
        {(double)spin[n * i], (double)spin[n * i + 1], n == 2 ? 0 : (double)spin[n * i + 2]}};
}

STREAM_FUNCTION double OF(bond_at)(const vector_lattice *l, uint32_t i, uint32_t d) {
    return l->couplings == NULL ? 1 : (double)((const REAL *)l->couplings)[d * l->sites + i];
}

#include "engine/vector_pairs.h"

/* Adds the products of a row of sites, and their waves in x. */
TEMPLATE void OF(add_row)(uint32_t n, uint32_t sites, const REAL *a, const REAL *b,
                          const overlap_waves *w, int64_t row[VECTOR_PRODUCTS], vector_pair *pair) {
    for (uint32_t x = 0; x < sites; x++) {
        int32_t product[VECTOR_PRODUCTS];
        const vector_double_spin s = OF(spin_at)(NULL, n, a, x), t = OF(spin_at)(NULL, n, b, x);
        vector_products(n, &s, &t, product);
        for (uint32_t k = 0; k < VECTOR_PRODUCTS; k++) {
            row[k] += product[k];
            pair->cosine[0][k] += (int64_t)product[k] * w->cosine[0][x];
            pair->sine[0][k] += (int64_t)product[k] * w->sine[0][x];
        }
    }
}

TEMPLATE void OF(add_pair_of)(const vector_lattice *l, uint32_t n, const REAL *a, const REAL *b,
                              const overlap_waves *w, vector_pair *pair) {
    for (uint32_t z = 0; z < l->edge[2]; z++)
        for (uint32_t y = 0; y < l->edge[1]; y++) {
            int64_t row[VECTOR_PRODUCTS] = {0};
            const size_t first = ((size_t)z * l->edge[1] + y) * l->edge[0];
            const uint32_t place[] = {0, y, z};
            OF(add_row)(n, l->edge[0], a + n * first, b + n * first, w, row, pair);
            for (uint32_t k = 0; k < VECTOR_PRODUCTS; k++) {
                pair->product[k] += row[k];
                for (uint32_t d = 1; d < l->dimension; d++) {
                    pair->cosine[d][k] += row[k] * w->cosine[d][place[d]];
                    pair->sine[d][k] += row[k] * w->sine[d][place[d]];
                }
            }
            for (uint32_t x = 0; x < l->edge[0]; x++)
                OF(add_bonds)
            (l, n, l->dimension, a, b, (const uint32_t[]){x, y, z}, &pair->link, &pair->self,
             &pair->chirality);
        }
}

static void OF(add_pair)(const vector_lattice *l, const REAL *a, const REAL *b,
                         const overlap_waves *w, vector_pair *pair) {
    if (l->components == 2)
        OF(add_pair_of)(l, 2, a, b, w, pair);
    else
        OF(add_pair_of)(l, 3, a, b, w, pair);
}
