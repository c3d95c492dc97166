/* Sweeps and measurements of a lattice of vectors, for one kind of components: REAL and OF are those of engine/vector_math.h.
 * ssc_vectors.c alone reads this, once for each kind; so there is no include guard. spin[N][n]. */

TEMPLATE OF(spin) OF(load)(uint32_t n, const REAL *spin, size_t i) {
    return (OF(spin)){{spin[n * i], spin[n * i + 1], n == 2 ? 0 : spin[n * i + 2]}};
}

TEMPLATE void OF(store)(uint32_t n, REAL *spin, size_t i, OF(spin) s) {
    for (uint32_t c = 0; c < n; c++)
        spin[n * i + c] = s.at[c];
}

TEMPLATE OF(spin) OF(field)(const vector_lattice *l, uint32_t n, const REAL *spin, uint32_t i,
                            uint32_t x, uint32_t y, uint32_t z) {
    uint32_t around[2 * MODEL_MAX_DIMENSION];
    vector_neighbours(l, i, x, y, z, around);
    OF(spin) h = OF(load)(n, spin, around[0]);
    for (uint32_t d = 1; d < 2 * l->dimension; d++)
        h = OF(sum)(h, OF(load)(n, spin, around[d]));
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
                for (uint32_t d = 0; d < l->dimension; d++)
                    *energy -= vector_fixed(OF(product)(n, s, OF(load)(n, spin, around[2 * d])));
                for (uint32_t c = 0; c < 3; c++)
                    sum[c] += vector_fixed(s.at[c]);
            }
}
