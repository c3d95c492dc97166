/* Overlaps of pairs of replicas (engine/vector_overlaps.h), as sums of whole numbers for the host. They equal `add_pair` of
 * cpu/ssc_vector_loops.h.
 *
 * Blocks of threads share a pair; a thread takes a site at a time. Products of all components are added up with the waves of one
 * direction after the other, so that a thread has 18 sums at a time; then those of the bonds. A pair costs some 100 operations and 8 n
 * bytes a site and direction. */

#define PAIR_THREADS 64
#define PAIR_SITES   2048 /* of a block */

STREAM_FUNCTION vector_double_spin OF(spin_at)(const vector_lattice *l, uint32_t n,
                                               const REAL *spins, uint32_t site) {
    const REAL *const at = spins + place_of(*l, site);
    vector_double_spin s;
    s.at[0] = at[0];
    s.at[1] = at[l->sites];
    s.at[2] = n == 2 ? 0 : at[2 * l->sites];
    return s;
}

/* J to the next site is the first of the two of a direction, whatever x is. */
STREAM_FUNCTION double OF(bond_at)(const vector_lattice *l, uint32_t site, uint32_t d) {
    return l->couplings ? ((const REAL *)l->couplings)[2 * d * l->sites + place_of(*l, site)] : 1;
}

#include "engine/vector_pairs.h"

/* Adds a number of each thread of a block, whose warps are whole. */
static __device__ __forceinline__ void add_number(int64_t mine, int64_t *to) {
    uint64_t all = (uint64_t)mine;
    for (uint32_t distance = 16; distance; distance /= 2)
        all += __shfl_down_sync(0xffffffffu, all, distance);
    if (threadIdx.x % 32 == 0)
        atomic_add((uint64_t *)to, all);
}

/* Products of the sites first .. end - 1, and their waves in direction d. */
template <uint32_t n>
static __device__ __forceinline__ void add_products(const pair_request &q, const REAL *a,
                                                    const REAL *b, uint32_t first, uint32_t end,
                                                    uint32_t d, vector_pair *to) {
    const vector_lattice &l = q.lattice;
    const uint32_t apart = d == 0 ? 1 : d == 1 ? l.edge[0] : l.edge[0] * l.edge[1];
    int64_t sum[VECTOR_PRODUCTS] = {}, cosine[VECTOR_PRODUCTS] = {}, sine[VECTOR_PRODUCTS] = {};
    for (uint32_t i = first + threadIdx.x; i < end; i += PAIR_THREADS) {
        const vector_double_spin s = OF(spin_at)(&l, n, a, i), t = OF(spin_at)(&l, n, b, i);
        const int2 wave = q.wave[d][i / apart % l.edge[d]];
        int32_t product[VECTOR_PRODUCTS];
        vector_products(n, &s, &t, product);
#pragma unroll
        for (uint32_t k = 0; k < VECTOR_PRODUCTS; k++) {
            sum[k] += product[k];
            cosine[k] += (int64_t)product[k] * wave.x;
            sine[k] += (int64_t)product[k] * wave.y;
        }
    }
#pragma unroll
    for (uint32_t k = 0; k < VECTOR_PRODUCTS; k++) {
        if (k / 3 >= n || k % 3 >= n)
            continue;
        if (d == 0)
            add_number(sum[k], &to->product[k]);
        add_number(cosine[k], &to->cosine[d][k]);
        add_number(sine[k], &to->sine[d][k]);
    }
}

/* blockIdx.x: the pair, from the first of the launch on; blockIdx.y: a part of its sites. */
template <uint32_t n, uint32_t D>
static __global__ void __launch_bounds__(PAIR_THREADS)
    measure_pairs(const __grid_constant__ pair_request q) {
    const vector_lattice &l = q.lattice;
    const uint64_t at_pair = (uint64_t)blockIdx.x * l.sites * n;
    const REAL *const a = (const REAL *)q.own + at_pair, *const b = (const REAL *)q.other + at_pair;
    const uint32_t first = blockIdx.y * PAIR_SITES, end = min(first + PAIR_SITES, l.sites);
    vector_pair *const to = q.pair + blockIdx.x;
    int64_t link = 0, self = 0, chirality = 0;
#pragma unroll 1
    for (uint32_t d = 0; d < D; d++)
        add_products<n>(q, a, b, first, end, d, to);
    for (uint32_t i = first + threadIdx.x; i < end; i += PAIR_THREADS) {
        const uint32_t row = i / l.edge[0],
                       at[3] = {i % l.edge[0], row % l.edge[1], row / l.edge[1]};
        OF(add_bonds)(&l, n, D, a, b, at, &link, &self, &chirality);
    }
    add_number(link, &to->link);
    add_number(self, &to->self);
    add_number(chirality, &to->chirality);
}

/* A launch of measure_pairs. */
struct launch_of_pairs {
    cuda_population *p;
    pair_request q;
    unsigned pairs;
};

template <uint32_t n, uint32_t D> static void launch_pairs(const launch_of_pairs &l) {
    const dim3 blocks(l.pairs, blocks_for(l.q.lattice.sites, PAIR_SITES));
    measure_pairs<n, D><<<blocks, PAIR_THREADS, 0, l.p->stream>>>(l.q);
}

static void pairs(cuda_population *p, const pair_request *q, unsigned count) {
    const launch_of_pairs all = {p, *q, count};
    const vector_lattice &l = q->lattice;
    CUDA_CHECK(p, cudaMemsetAsync(q->pair, 0, count * sizeof *q->pair, p->stream));
    if (l.components == 3)
        l.dimension == 3 ? launch_pairs<3, 3>(all) : launch_pairs<3, 2>(all);
    else
        l.dimension == 3 ? launch_pairs<2, 3>(all) : launch_pairs<2, 2>(all);
    cuda_check_launch(p, "measure_pairs (vectors)");
}
