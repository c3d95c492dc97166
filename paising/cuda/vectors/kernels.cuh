/* Kernels of spins that are vectors, for one kind of components: REAL and OF are those of engine/vector_math.h. exact.cu and fast.cu
 * alone read this, once for each kind; so there is no include guard. They equal cpu/ssc_vector_loops.h bit for bit, but for the fast
 * kind.
 *
 * A thread updates a spin. Its neighbours are in the other sub-lattice, which is not written meanwhile. Each flip takes a call of
 * Philox. In device memory a half sweep reads the other sub-lattice and its own, and writes its own: 36 bytes a flip of three
 * floats, less what the caches keep. In shared memory all sweeps of a step are made between reading and writing once. */

/* The site number j of a sub-lattice, in row `row` of all, z Ly + y. */
struct OF(place) {
    uint32_t site, here; /* in the lattice; in the sub-lattice */
    uint32_t
        around[2 * MODEL_MAX_DIMENSION]; /* in the other one, in the order of vector_neighbours */
};

static __device__ __forceinline__ OF(place) OF(place_of)(const vector_lattice &l, uint32_t parity,
                                                         uint32_t column, uint32_t y, uint32_t z) {
    const uint32_t columns = l.edge[0] / 2, ly = l.edge[1], lz = l.edge[2], row = z * ly + y;
    const uint32_t shift = (y + z + parity) & 1; /* x = 2 column + shift */
    OF(place) p;
    p.here = row * columns + column;
    p.site = 2 * p.here + shift;
    const uint32_t right = column + shift, left = column + shift;
    p.around[0] = row * columns + (right < columns ? right : 0);
    p.around[1] = row * columns + (left > 0 ? left : columns) - 1;
    p.around[2] = (y + 1 < ly ? row + 1 : row + 1 - ly) * columns + column;
    p.around[3] = (y > 0 ? row - 1 : row + ly - 1) * columns + column;
    if (l.dimension == 3) {
        p.around[4] = (z + 1 < lz ? row + ly : y) * columns + column;
        p.around[5] = (z > 0 ? row - ly : row + (lz - 1) * ly) * columns + column;
    }
    return p;
}

/* Spin j of a sub-lattice of `half` sites. */
template <uint32_t n>
static __device__ __forceinline__ OF(spin) OF(load)(const REAL *spin, uint32_t half, uint32_t j) {
    return OF(spin){{spin[j], spin[half + j], n == 2 ? 0 : spin[2 * half + j]}};
}

template <uint32_t n>
static __device__ __forceinline__ void OF(store)(REAL *spin, uint32_t half, uint32_t j,
                                                 OF(spin) s) {
    spin[j] = s.at[0];
    spin[half + j] = s.at[1];
    if (n == 3)
        spin[2 * half + j] = s.at[2];
}

/* Updates a spin of a replica, or reflects it. */
template <uint32_t n, bool heat_bath, bool reflect>
static __device__ __forceinline__ void OF(visit)(const vector_lattice &l, REAL *spin,
                                                 uint32_t parity, const OF(place) & p, REAL beta,
                                                 vector_numbers of) {
    const uint32_t half = l.sites / 2;
    REAL *const own = spin + (size_t)parity * n * half;
    const REAL *const other = spin + (size_t)(1 - parity) * n * half;
    OF(spin) h = OF(load)<n>(other, half, p.around[0]);
    for (uint32_t d = 1; d < 4; d++)
        h = OF(sum)(h, OF(load) < n > (other, half, p.around[d]));
    if (l.dimension == 3) {
        h = OF(sum)(h, OF(load) < n > (other, half, p.around[4]));
        h = OF(sum)(h, OF(load) < n > (other, half, p.around[5]));
    }
    const OF(spin) s = OF(load)<n>(own, half, p.here);
    of.site = p.site;
    OF(store)<n>(own, half, p.here,
                 reflect ? OF(reflected)(n, s, h) : OF(updated)(n, heat_bath, beta, s, h, &of));
}

/* --- sweeps --- */

/* One thread a site of a sub-lattice: x the column, y the row, z layer and replica. */
template <uint32_t n, bool heat_bath, bool reflect>
static __global__ void OF(half_sweep)(vector_pass pass, uint32_t parity, REAL beta,
                                      uint32_t sweep) {
    const vector_lattice &l = pass.lattice;
    const uint32_t column = blockIdx.x * blockDim.x + threadIdx.x, lz = l.edge[2];
    const uint32_t z = l.dimension == 3 ? blockIdx.z % lz : 0;
    const uint64_t k = pass.first + (l.dimension == 3 ? blockIdx.z / lz : blockIdx.z);
    if (column >= l.edge[0] / 2)
        return;
    const vector_numbers of = {pass.key, pass.origin + (uint32_t)k, sweep, pass.temperature, 0};
    OF(visit)<n, heat_bath, reflect>(l, (REAL *)pass.spins + k * n * l.sites, parity,
                                     OF(place_of)(l, parity, column, blockIdx.y, z), beta, of);
}

/* floor(a / b) by 2^32 / b, rounded up, a b < 2^32; b = 1 has no such number. */
static __device__ __forceinline__ uint32_t OF(ratio)(uint32_t a, uint32_t b, uint32_t inverse) {
    return b == 1 ? a : __umulhi(a, inverse);
}

/* One block a replica, whose spins are in shared memory meanwhile. */
template <uint32_t n, bool heat_bath>
static __global__ void OF(shared_sweeps)(vector_pass pass, REAL beta, uint32_t sweeps,
                                         uint32_t inverse_columns, uint32_t inverse_rows) {
    extern __shared__ double room[]; /* aligned for either kind */
    REAL *const spin = (REAL *)room;
    const vector_lattice &l = pass.lattice;
    const uint32_t half = l.sites / 2, columns = l.edge[0] / 2, numbers = n * l.sites;
    const uint64_t k = pass.first + blockIdx.x;
    REAL *const stored = (REAL *)pass.spins + k * numbers;
    for (uint32_t i = threadIdx.x; i < numbers; i += blockDim.x)
        spin[i] = stored[i];
    vector_numbers of = {pass.key, pass.origin + (uint32_t)k, 0, pass.temperature, 0};
    for (; of.sweep < sweeps; of.sweep++)
        for (uint32_t turn = 0; turn < 2 + 2 * l.reflections; turn++) {
            const uint32_t parity = turn % 2;
            __syncthreads();
            for (uint32_t j = threadIdx.x; j < half; j += blockDim.x) {
                const uint32_t row = OF(ratio)(j, columns, inverse_columns);
                const uint32_t z = l.dimension == 3 ? OF(ratio)(row, l.edge[1], inverse_rows) : 0;
                const OF(place) p =
                    OF(place_of)(l, parity, j - row * columns, row - z * l.edge[1], z);
                if (turn < 2)
                    OF(visit)<n, heat_bath, false>(l, spin, parity, p, beta, of);
                else
                    OF(visit)<n, heat_bath, true>(l, spin, parity, p, beta, of);
            }
        }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < numbers; i += blockDim.x)
        stored[i] = spin[i];
}

template <uint32_t n, bool heat_bath>
static void OF(launch_shared)(const vector_pass *pass, REAL beta, uint32_t sweeps, size_t bytes) {
    const uint32_t half = pass->lattice.sites / 2, columns = pass->lattice.edge[0] / 2,
                   rows = pass->lattice.edge[1];
    const unsigned threads = half < 512 ? (half + 31) / 32 * 32 : 512;
    cudaFuncSetAttribute(OF(shared_sweeps) < n, heat_bath >,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    OF(shared_sweeps)<n, heat_bath><<<(unsigned)pass->count, threads, bytes, pass->stream>>>(
        *pass, beta, sweeps, (uint32_t)(UINT64_C(0xffffffff) / columns + 1),
        (uint32_t)(UINT64_C(0xffffffff) / rows + 1));
}

/* The cell of a tile with its border of neighbours, `wide` cells in each direction: those of a sub-lattice are apart, so that the
 * threads of a warp find their spins side by side. Returns its number among those of its sub-lattice. */
static __device__ __forceinline__ uint32_t OF(cell)(uint32_t wide, uint32_t x, uint32_t y,
                                                    uint32_t z) {
    return (z * wide + y) * (wide / 2) + x / 2;
}

/* Hits of a stage in the tiles of its colour: block x a tile, blocks y replicas. Spins of the tile and its border are in shared
 * memory, [2][n][cells]; the border has the other colour, and stays as it is. */
template <uint32_t n, bool heat_bath>
static __global__ void OF(hit_tiles)(vector_pass pass, visit_plan plan, visit_stage stage,
                                     REAL beta, uint32_t sweep) {
    extern __shared__ double room[];
    REAL *const spin = (REAL *)room;
    const vector_lattice &l = pass.lattice;
    const uint32_t t = plan.tile, wide = t + 2, deep = l.dimension == 3 ? wide : 1,
                   inside = l.dimension == 3 ? t : 1, border = l.dimension == 3 ? 1 : 0;
    const uint32_t cells = wide * wide * deep / 2, half = l.sites / 2, columns = l.edge[0] / 2;
    const uint32_t tiles_x = l.edge[0] / t, tiles_y = l.edge[1] / t;
    /* pairs of tiles in x, of which one has the colour */
    const uint32_t ty = blockIdx.x / (tiles_x / 2) % tiles_y,
                   tz = blockIdx.x / (tiles_x / 2) / tiles_y;
    const uint32_t tx = 2 * (blockIdx.x % (tiles_x / 2)) + ((ty + tz + stage.colour) & 1);
    const uint64_t k = pass.first + blockIdx.y;
    REAL *const stored = (REAL *)pass.spins + k * n * l.sites;
    for (uint32_t i = threadIdx.x; i < 2 * cells; i += blockDim.x) {
        const uint32_t cx = i % wide, cy = i / wide % wide, cz = i / wide / wide;
        const uint32_t x = (tx * t + cx + l.edge[0] - 1) % l.edge[0],
                       y = (ty * t + cy + l.edge[1] - 1) % l.edge[1],
                       z = l.dimension == 3 ? (tz * t + cz + l.edge[2] - 1) % l.edge[2] : 0;
        const uint32_t parity = (x + y + z) & 1, to = OF(cell)(wide, cx, cy, cz);
        OF(store)<n>(spin + parity * n * cells, cells, to,
                     OF(load) < n > (stored + (size_t)parity * n * half, half,
                                     (z * l.edge[1] + y) * columns + x / 2));
    }
    vector_numbers of = {pass.key, pass.origin + (uint32_t)k, 0, pass.temperature, 0};
    for (uint32_t turn = 2 * stage.first; turn < 2 * stage.end; turn++) {
        const uint32_t parity = (turn & 1) ^ (stage.odd_first ? 1 : 0);
        REAL *const own = spin + parity * n * cells;
        const REAL *const other = spin + (1 - parity) * n * cells;
        of.sweep = sweep + turn / 2;
        __syncthreads();
        for (uint32_t j = threadIdx.x; j < t * t * inside / 2; j += blockDim.x) {
            const uint32_t iy = j / (t / 2) % t, iz = j / (t / 2) / t;
            const uint32_t y = ty * t + iy, z = l.dimension == 3 ? tz * t + iz : 0;
            const uint32_t ix = 2 * (j % (t / 2)) + ((y + z + parity) & 1); /* tx t is even */
            const uint32_t cx = ix + 1, cy = iy + 1, cz = iz + border;
            OF(spin) h = OF(load)<n>(other, cells, OF(cell)(wide, cx + 1, cy, cz));
            h = OF(sum)(h, OF(load) < n > (other, cells, OF(cell)(wide, cx - 1, cy, cz)));
            h = OF(sum)(h, OF(load) < n > (other, cells, OF(cell)(wide, cx, cy + 1, cz)));
            h = OF(sum)(h, OF(load) < n > (other, cells, OF(cell)(wide, cx, cy - 1, cz)));
            if (l.dimension == 3) {
                h = OF(sum)(h, OF(load) < n > (other, cells, OF(cell)(wide, cx, cy, cz + 1)));
                h = OF(sum)(h, OF(load) < n > (other, cells, OF(cell)(wide, cx, cy, cz - 1)));
            }
            const uint32_t here = OF(cell)(wide, cx, cy, cz);
            of.site = (z * l.edge[1] + y) * l.edge[0] + tx * t + ix;
            OF(store)<n>(
                own, cells, here,
                OF(updated)(n, heat_bath, beta, OF(load) < n > (own, cells, here), h, &of));
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < t * t * inside; i += blockDim.x) {
        const uint32_t ix = i % t, iy = i / t % t, iz = i / t / t;
        const uint32_t x = tx * t + ix, y = ty * t + iy, z = l.dimension == 3 ? tz * t + iz : 0;
        const uint32_t parity = (x + y + z) & 1, from = OF(cell)(wide, ix + 1, iy + 1, iz + border);
        OF(store)<n>(stored + (size_t)parity * n * half, half,
                     (z * l.edge[1] + y) * columns + x / 2,
                     OF(load) < n > (spin + parity * n * cells, cells, from));
    }
}

/* One launch for half sweep `turn` of an update: even sub-lattice, odd one, then those that reflect. So many replicas a launch that
 * grids have at most 65535 blocks in z. */
template <uint32_t n, bool heat_bath>
static void OF(launch_half)(const vector_pass *pass, REAL beta, uint32_t sweep, uint32_t turn) {
    const vector_lattice *const l = &pass->lattice;
    const uint32_t columns = l->edge[0] / 2, layers = l->dimension == 3 ? l->edge[2] : 1;
    const unsigned threads = columns < 256 ? (columns + 31) / 32 * 32 : 256;
    for (uint64_t done = 0; done < pass->count;) {
        vector_pass part = *pass;
        part.first += done;
        part.count = pass->count - done < 65535 / layers ? pass->count - done : 65535 / layers;
        const dim3 grid((columns + threads - 1) / threads, l->edge[1],
                        (unsigned)part.count * layers);
        if (turn < 2)
            OF(half_sweep)<n, heat_bath, false>
                <<<grid, threads, 0, part.stream>>>(part, turn % 2, beta, sweep);
        else
            OF(half_sweep)<n, heat_bath, true>
                <<<grid, threads, 0, part.stream>>>(part, turn % 2, beta, sweep);
        done += part.count;
    }
}

/* The hits of a stage of one tile, which is the lattice. */
template <uint32_t n, bool heat_bath>
static void OF(hit_lattice)(const vector_pass *pass, const visit_stage *stage, REAL beta,
                            uint32_t sweep) {
    for (uint32_t hit = stage->first; hit < stage->end && stage->colour == 0; hit++) {
        OF(launch_half)<n, heat_bath>(pass, beta, sweep + hit, stage->odd_first);
        OF(launch_half)<n, heat_bath>(pass, beta, sweep + hit, !stage->odd_first);
    }
}

/* The stages of an update by tiles: of one tile, or of an even number in x. */
template <uint32_t n, bool heat_bath>
static void OF(launch_tiles)(const vector_pass *pass, const visit_plan *plan, REAL beta,
                             uint32_t sweep) {
    const vector_lattice *const l = &pass->lattice;
    const uint32_t wide = plan->tile + 2, deep = l->dimension == 3 ? wide : 1;
    const size_t bytes = (size_t)n * wide * wide * deep * sizeof(REAL);
    visit_stage stage[MOST_VISIT_STAGES];
    uint32_t tiles[MODEL_MAX_DIMENSION];
    const uint32_t all = visit_tiles(plan, l->dimension, l->edge, tiles);
    cudaFuncSetAttribute(OF(hit_tiles) < n, heat_bath >,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    for (uint32_t k = 0; k < visit_stages(plan, stage); k++) {
        if (all == 1)
            OF(hit_lattice)<n, heat_bath>(pass, &stage[k], beta, sweep);
        for (uint64_t done = 0; done < pass->count && all > 1;) {
            vector_pass part = *pass;
            part.first += done;
            part.count = pass->count - done < 65535 ? pass->count - done : 65535;
            OF(hit_tiles)<n, heat_bath>
                <<<dim3(all / 2, (unsigned)part.count), 256, bytes, part.stream>>>(
                    part, *plan, stage[k], beta, sweep);
            done += part.count;
        }
    }
}

template <uint32_t n, bool heat_bath>
static void OF(launch_sweeps)(const vector_pass *pass, const vector_rule *rule,
                              const visit_plan *plan, uint32_t sweeps, size_t shared) {
    const size_t bytes = (size_t)n * pass->lattice.sites * sizeof(REAL);
    const REAL beta = (REAL)rule->beta;
    const uint32_t halves = 2 + 2 * pass->lattice.reflections;
    const bool in_tiles = plan->order == VISIT_TILES;
    if (bytes <= shared && !in_tiles) {
        OF(launch_shared)<n, heat_bath>(pass, beta, sweeps, bytes);
        return;
    }
    for (uint32_t update = 0; update < sweeps; update++) {
        if (in_tiles)
            OF(launch_tiles)<n, heat_bath>(pass, plan, beta, update * plan->hits);
        for (uint32_t turn = in_tiles ? 2 : 0; turn < halves; turn++)
            OF(launch_half)<n, heat_bath>(pass, beta, update, turn);
    }
}

static void OF(run_sweeps)(const vector_pass *pass, const vector_rule *rule, const visit_plan *plan,
                           uint32_t sweeps, size_t shared) {
    if (pass->lattice.components == 2 && rule->heat_bath)
        OF(launch_sweeps)<2, true>(pass, rule, plan, sweeps, shared);
    else if (pass->lattice.components == 2)
        OF(launch_sweeps)<2, false>(pass, rule, plan, sweeps, shared);
    else if (rule->heat_bath)
        OF(launch_sweeps)<3, true>(pass, rule, plan, sweeps, shared);
    else
        OF(launch_sweeps)<3, false>(pass, rule, plan, sweeps, shared);
}

/* --- founders, measurements, copies: blocks x of a replica y --- */

#define OF_THREADS 256

/* The number of a site in the lattice and its place in a replica, of site number `at` of both sub-lattices. */
static __device__ __forceinline__ OF(place)
    OF(place_at)(const vector_lattice &l, uint32_t at, uint32_t *parity) {
    const uint32_t half = l.sites / 2, columns = l.edge[0] / 2, j = at % half;
    const uint32_t row = j / columns;
    *parity = at / half;
    return OF(place_of)(l, *parity, j % columns, row % l.edge[1], row / l.edge[1]);
}

static __global__ void OF(draw)(vector_pass pass) {
    const vector_lattice &l = pass.lattice;
    const uint32_t n = l.components, half = l.sites / 2;
    for (uint64_t k = blockIdx.y; k < pass.count; k += gridDim.y)
        for (uint32_t at = blockIdx.x * OF_THREADS + threadIdx.x; at < l.sites;
             at += gridDim.x * OF_THREADS) {
            uint32_t parity;
            const OF(place) p = OF(place_at)(l, at, &parity);
            const stream_block b = stream_draw(pass.key, STREAM_RANDOMISE, p.site,
                                               pass.origin + (uint32_t)(pass.first + k), 0, 0);
            REAL *const own = (REAL *)pass.spins + ((pass.first + k) * 2 + parity) * n * half;
            if (n == 2)
                OF(store)<2>(own, half, p.here, OF(any)(2, b.number));
            else
                OF(store)<3>(own, half, p.here, OF(any)(3, b.number));
        }
}

/* Copies to packed[count][N][n], or from there. */
static __global__ void OF(copy)(vector_pass pass, REAL *packed, bool load) {
    const vector_lattice &l = pass.lattice;
    const uint32_t n = l.components, half = l.sites / 2;
    for (uint64_t k = blockIdx.y; k < pass.count; k += gridDim.y)
        for (uint32_t at = blockIdx.x * OF_THREADS + threadIdx.x; at < l.sites;
             at += gridDim.x * OF_THREADS) {
            uint32_t parity;
            const OF(place) p = OF(place_at)(l, at, &parity);
            REAL *const own =
                (REAL *)pass.spins + ((pass.first + k) * 2 + parity) * n * half + p.here;
            REAL *const apart = packed + (k * l.sites + p.site) * n;
            for (uint32_t c = 0; c < n; c++)
                if (load)
                    own[c * half] = apart[c];
                else
                    apart[c] = own[c * half];
        }
}

/* Adds the sums of a warp to sums[4]: energy, then the components. */
static __device__ __forceinline__ void OF(add_warp)(const int64_t own[4],
                                                    unsigned long long *sums) {
    for (int c = 0; c < 4; c++) {
        unsigned long long sum = (unsigned long long)own[c];
        for (int far = 16; far > 0; far /= 2)
            sum += __shfl_down_sync(~0u, sum, far);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&sums[c], sum);
    }
}

/* Whole numbers, so that the order of the additions does not matter. */
template <uint32_t n>
static __global__ void OF(add_up)(vector_pass pass, unsigned long long *sums) {
    const vector_lattice &l = pass.lattice;
    const uint32_t half = l.sites / 2;
    for (uint64_t k = blockIdx.y; k < pass.count; k += gridDim.y) {
        const REAL *const spin = (const REAL *)pass.spins + (pass.first + k) * n * l.sites;
        int64_t own[4] = {0, 0, 0, 0};
        for (uint32_t at = blockIdx.x * OF_THREADS + threadIdx.x; at < l.sites;
             at += gridDim.x * OF_THREADS) {
            uint32_t parity;
            const OF(place) p = OF(place_at)(l, at, &parity);
            const OF(spin) s = OF(load)<n>(spin + (size_t)parity * n * half, half, p.here);
            const REAL *const other = spin + (size_t)(1 - parity) * n * half;
            for (uint32_t d = 0; d < l.dimension; d++)
                own[0] -=
                    vector_fixed(OF(product)(n, s, OF(load) < n > (other, half, p.around[2 * d])));
            for (uint32_t c = 0; c < n; c++)
                own[1 + c] += vector_fixed(s.at[c]);
        }
        OF(add_warp)(own, sums + 4 * (pass.first + k));
    }
}

static __global__ void OF(finish)(vector_pass pass, const unsigned long long *sums, int64_t *energy,
                                  uint32_t *order) {
    const uint64_t k = (uint64_t)blockIdx.x * OF_THREADS + threadIdx.x;
    if (k >= pass.count)
        return;
    const unsigned long long *const of = sums + 4 * (pass.first + k);
    const int64_t sum[3] = {(int64_t)of[1], (int64_t)of[2], (int64_t)of[3]};
    energy[pass.first + k] = (int64_t)of[0];
    order[pass.first + k] = vector_order(&pass.lattice, sum);
}

/* Enough blocks for replicas of any size. */
static dim3 OF(grid_of)(const vector_pass *pass) {
    const uint32_t wanted = (pass->lattice.sites + OF_THREADS - 1) / OF_THREADS;
    const uint64_t most = 4096 / (pass->count < 4096 ? pass->count : 4096);
    return dim3(wanted < most ? wanted : (unsigned)most,
                pass->count < 65535 ? (unsigned)pass->count : 65535);
}

static void OF(run_randomise)(const vector_pass *pass) {
    OF(draw)<<<OF(grid_of)(pass), OF_THREADS, 0, pass->stream>>>(*pass);
}

static void OF(run_measure)(const vector_pass *pass, unsigned long long *sums, int64_t *energy,
                            uint32_t *order) {
    cudaMemsetAsync(sums + 4 * pass->first, 0, 4 * pass->count * sizeof *sums, pass->stream);
    if (pass->lattice.components == 2)
        OF(add_up)<2><<<OF(grid_of)(pass), OF_THREADS, 0, pass->stream>>>(*pass, sums);
    else
        OF(add_up)<3><<<OF(grid_of)(pass), OF_THREADS, 0, pass->stream>>>(*pass, sums);
    OF(finish)<<<(unsigned)((pass->count + OF_THREADS - 1) / OF_THREADS), OF_THREADS, 0,
                 pass->stream>>>(*pass, sums, energy, order);
}

static void OF(run_copy)(const vector_pass *pass, void *packed, bool load) {
    OF(copy)<<<OF(grid_of)(pass), OF_THREADS, 0, pass->stream>>>(*pass, (REAL *)packed, load);
}

const vector_kernels OF(kernels) = {OF(run_randomise), OF(run_sweeps), OF(run_measure),
                                    OF(run_copy)};
#undef OF_THREADS
