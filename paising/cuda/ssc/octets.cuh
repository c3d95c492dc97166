/* Eight lattices in one register, one site of all eight: for any lattice, with or without
 * couplings. Neighbours and couplings of a site are looked up once for eight spins
 * (octet_spins.cuh). */
#ifndef PAISING_CUDA_SSC_OCTETS_CUH
#define PAISING_CUDA_SSC_OCTETS_CUH

#include "cuda/ssc/octet_spins.cuh"

#include <type_traits>

#define OCTET_THREADS       1024
#define LEAST_OCTET_GROUP   8   /* threads: one for the facts of each replica */
#define USUAL_OCTET_THREADS 256 /* threads of a block */
#define MOST_OCTETS         (USUAL_OCTET_THREADS / LEAST_OCTET_GROUP)

/* What decides the flips of an octet: for each replica the thresholds of a rounding turn by d, with
 * 0 where a spin always flips (DOWNHILL_ALWAYS); and the moments of this sweep and of the next. The thresholds fill
 * 256 bytes, aligned to 256 bytes in shared memory. So the lowest byte of a threshold's address is
 * that of the octet's first replica plus four times d. */
#define MOST_UNSATISFIED 8
struct octet_facts {
    uint32_t threshold[OCTET][MOST_UNSATISFIED];
    uint4 moment[2][OCTET]; /* high, low, b, unused */
};
static_assert(sizeof(octet_facts) % 256 == 0, "thresholds begin at a multiple");

/* The same with the thresholds of sites that have an odd number of bonds. */
struct cut_octet_facts : octet_facts {
    uint32_t odd_threshold[OCTET][MOST_UNSATISFIED];
};
static_assert(sizeof(cut_octet_facts) == sizeof(octet_facts) + 256, "as those of the other sites");

/* COUPLED: bonds have a J each. ALWAYS: for the flips of DOWNHILL_ALWAYS, or of the others. CUT: bonds may be missing. */
template <uint32_t DIMENSION, bool COUPLED, bool IN_SHARED, bool ALWAYS, bool CUT = false>
struct ssc_octets {
    typedef typename std::conditional<CUT, cut_octet_facts, octet_facts>::type facts_of_octet;
    static constexpr uint32_t together = OCTET, dimension = DIMENSION, most_threads = OCTET_THREADS,
                              blocks_at_once = 1, most_replicas = OCTET * MOST_OCTETS;
    static constexpr bool in_place = !IN_SHARED, always = ALWAYS, cut = CUT;

    octet_spins<IN_SHARED> spins;
    uint8_t *shared;       /* shared memory of the block */
    facts_of_octet *facts; /* in shared memory */
    uint32_t thresholds;   /* offset of the thresholds in it */
    const uint4 *moments;  /* of the current sweep */
    uint32_t member;

    static __device__ __forceinline__ uint32_t group(const ssc_step &step) {
        return step.group;
    }

    static __device__ __forceinline__ uint32_t threads() {
        return blockDim.x;
    }

    static __device__ __forceinline__ uint8_t *child(const ssc_step &step, uint64_t first,
                                                     uint64_t last, uint32_t n) {
        return step.children + min(first + n, last) * (2 * step.half_bytes);
    }

    /* Shared memory holds the facts of the block's octets, and then their spins. */
    __device__ __forceinline__ ssc_octets(const ssc_step &step, uint4 *block, uint64_t first,
                                          uint64_t last) {
        const uint32_t octet = threadIdx.x / step.group, octets = blockDim.x / step.group;
        shared = (uint8_t *)block;
        member = threadIdx.x % step.group;
        facts = (facts_of_octet *)shared + octet;
        thresholds = octet * (uint32_t)sizeof(facts_of_octet);
        spins.half_bytes = step.half_bytes;
        if constexpr (IN_SHARED) {
            spins.shared = shared;
            spins.first = octets * (uint32_t)sizeof(facts_of_octet) + octet * (8 * step.half_bytes);
        } else {
            for (uint32_t n = 0; n < OCTET / 2; n++)
                spins.pair[n] = child(step, first, last, 2 * n);
        }
    }

    /* Calls `work` for the thread's quads of both sub-lattices, with padding. */
    template <typename WORK>
    __device__ __forceinline__ void for_each_quad(const ssc_step &step, WORK work) const {
        const uint32_t quads = step.half_bytes / 4;
        for (uint32_t n = member; n < 2 * quads; n += step.group)
            work(n, n >= quads, n >= quads ? n - quads : n);
    }

    template <bool COLLECTS>
    __device__ __forceinline__ void load(const ssc_step &step, uint64_t first, uint64_t last) {
        const uint32_t *from[OCTET];
#pragma unroll
        for (uint32_t n = 0; n < OCTET; n++) {
            from[n] = (const uint32_t *)child(step, first, last, n);
            if (COLLECTS)
                from[n] = (const uint32_t *)(step.parents +
                                             (uint64_t)step.replicas.parent[min(first + n, last)] *
                                                 (2 * step.half_bytes));
        }
        for_each_quad(step, [&](uint32_t n, uint32_t parity, uint32_t quad) {
            const four_registers pairs = {
                {from[0][n] | from[1][n] << 4, from[2][n] | from[3][n] << 4,
                 from[4][n] | from[5][n] << 4, from[6][n] | from[7][n] << 4}};
            spins.put_quad(parity, quad, transposed(pairs));
        });
    }

    __device__ __forceinline__ void store(const ssc_step &step, uint64_t first,
                                          uint64_t last) const {
        for_each_quad(step, [&](uint32_t n, uint32_t parity, uint32_t quad) {
            const four_registers pair = transposed(spins.quad(parity, quad));
#pragma unroll
            for (uint32_t k = 0; k < OCTET; k++)
                ((uint32_t *)child(step, first, last, k))[n] =
                    pair.of[k / 2] >> 4 * (k % 2) & 0x01010101u;
        });
    }

    /* Synchronises the threads of the octet, which are a part of a warp, or whole warps. */
    __device__ __forceinline__ void wait(const ssc_step &step) const {
        if (step.group <= 32)
            __syncwarp();
        else
            asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / step.group), "r"(step.group)
                         : "memory");
    }

    /* Returns the replica whose facts this thread finds, for the first OCTET threads. */
    __device__ __forceinline__ uint32_t replica_of(const ssc_step &step, uint64_t first,
                                                   uint64_t last) const {
        return step.first_replica + (uint32_t)min(first + member, last);
    }

    __device__ __forceinline__ void find_moment(const ssc_step &step, uint64_t first, uint64_t last,
                                                uint32_t sweep) const {
        if (member >= OCTET)
            return;
        const ssc_moment m = ssc_moment_of(&step.keys, replica_of(step, first, last), sweep);
        facts->moment[sweep % 2][member] = uint4{m.high, m.low, m.b, 0};
    }

    /* Returns the threshold for d unsatisfied bonds. Those of the complement decide whether a flip is not made. */
    static __device__ __forceinline__ uint32_t threshold_for(const ssc_step &step,
                                                             const threshold_set &rounded,
                                                             uint32_t d) {
        if (ALWAYS)
            return d < DIMENSION ? rounded.threshold[d] : 0;
        if (d > 2 * DIMENSION)
            return 0;
        return step.downhill == DOWNHILL_COMPLEMENT && d > DIMENSION
                   ? rounded.threshold[2 * DIMENSION - d]
                   : rounded.threshold[d];
    }

    /* The same of sites with an odd number of bonds, which one bond less than 2 DIMENSION leaves. */
    static __device__ __forceinline__ uint32_t odd_threshold_for(const ssc_step &step,
                                                                 const threshold_set &rounded,
                                                                 uint32_t d) {
        if (d >= (ALWAYS ? DIMENSION : 2 * DIMENSION))
            return 0;
        return step.downhill == DOWNHILL_COMPLEMENT && d >= DIMENSION
                   ? rounded.threshold[2 * DIMENSION - 1 - d]
                   : rounded.threshold[d];
    }

    /* Returns 1 for spins that flip without a threshold, or, of the complement, that flip unless their number is below
     * it. `odd`: 1 for a site with an odd number of bonds. */
    static __device__ __forceinline__ uint32_t flips_before(const ssc_step &step, uint32_t d,
                                                            uint32_t odd) {
        if (ALWAYS)
            return at_least<DIMENSION>(d);
        if (CUT && odd && step.downhill == DOWNHILL_COMPLEMENT)
            return at_least<DIMENSION>(d);
        return step.downhill == DOWNHILL_COMPLEMENT ? at_least<DIMENSION + 1>(d) : 0;
    }

    __device__ __forceinline__ void begin_turn(const ssc_step &step, uint64_t first, uint64_t last,
                                               uint32_t sweep) {
        if (member < OCTET) {
            const threshold_set rounded =
                round_thresholds(&step.thresholds, replica_of(step, first, last), sweep);
#pragma unroll
            for (uint32_t d = 0; d < MOST_UNSATISFIED; d++)
                facts->threshold[member][d] = threshold_for(step, rounded, d);
        }
        if constexpr (CUT) {
            if (member < OCTET) {
                const threshold_set rounded =
                    round_thresholds(&step.odd_thresholds, replica_of(step, first, last), sweep);
#pragma unroll
                for (uint32_t d = 0; d < MOST_UNSATISFIED; d++)
                    facts->odd_threshold[member][d] = odd_threshold_for(step, rounded, d);
            }
        }
        if (sweep == 0)
            find_moment(step, first, last, 0);
        wait(step);
    }

    /* Finds the moments of the next sweep; their buffer is not read during this one. */
    __device__ __forceinline__ void begin_sweep(const ssc_step &step, uint64_t first, uint64_t last,
                                                uint32_t sweep) {
        find_moment(step, first, last, sweep + 1);
        moments = facts->moment[sweep % 2];
    }

    /* Whether a bond to a neighbour favours spin up, for the eight spins of a site. A missing one favours the spin itself, or
     * with the bit of J = -1 its opposite. */
    static __device__ __forceinline__ uint32_t
    wanted_up(uint32_t up, uint32_t own, const typename octet_spins<IN_SHARED>::site_facts &site,
              uint32_t bond) {
        if (CUT) {
            const uint32_t missing = octet_spins<IN_SHARED>::missing(site, bond);
            up = (up & ~missing) | (own & missing);
        }
        return COUPLED ? (up ^ octet_spins<IN_SHARED>::negative(site, bond)) & 0x11111111u : up;
    }

    /* Returns the unsatisfied bonds of the n-th site of a quad. `across`: the spins across. odd: 1 if the site has an odd
     * number of bonds. */
    __device__ __forceinline__ uint32_t unsatisfied_at(const ssc_step &step, uint32_t parity,
                                                       uint32_t quad, uint32_t n, uint32_t own,
                                                       uint32_t across, uint32_t &odd) const {
        auto site = spins.site(step, parity, quad, n);
        if (CUT)
            spins.add_missing(site, step, parity, quad, n);
        odd = CUT ? spins.is_odd(site) : 0;
        uint32_t ups = wanted_up(across, own, site, TO_ACROSS);
#pragma unroll
        for (uint32_t bond = TO_NEXT; bond < 2 * DIMENSION; bond++)
            ups += wanted_up(spins.get(spins.neighbour(site, bond)), own, site, bond);
        return unsatisfied<DIMENSION>(own, ups);
    }

    /* Returns the threshold of replica k. times[k % 2] has four times d in byte k / 2, which
     * replaces the lowest byte of the address. odd: 1 for a site with an odd number of bonds. */
    __device__ __forceinline__ uint32_t threshold_of(const uint32_t times[2], uint32_t k,
                                                     uint32_t odd) const {
        const uint32_t table = CUT ? thresholds + odd * (uint32_t)sizeof(octet_facts) : thresholds;
        const uint32_t at = __byte_perm(times[k % 2], table, 0x7650 + k / 2);
        return *(const uint32_t *)(shared + k * (MOST_UNSATISFIED * sizeof(uint32_t)) + at);
    }

    /* Updates the thread's part of one sub-lattice: d of all spins of a quad, then their decisions,
     * replica by replica. */
    __device__ __forceinline__ void sweep_sub_lattice(const ssc_step &step, uint32_t parity) const {
        const uint32_t quads = (step.half_sites + 3) / 4;
        for (uint32_t quad = member; quad < quads; quad += step.group) {
            const ssc_place place =
                ssc_place_of(&step.keys, parity * quads + quad, step.temperature);
            four_registers own = spins.quad(parity, quad);
            const four_registers across = spins.quad(1 - parity, quad);
            uint32_t flips[4], times[4][2], odd[4];
#pragma unroll
            for (uint32_t n = 0; n < 4; n++) {
                const uint32_t d =
                    unsatisfied_at(step, parity, quad, n, own.of[n], across.of[n], odd[n]);
                flips[n] = flips_before(step, d, odd[n]);
                times[n][0] = d << 2 & 0x3c3c3c3cu;
                times[n][1] = d >> 2 & 0x3c3c3c3cu;
            }
#pragma unroll
            for (uint32_t k = 0; k < OCTET; k++) {
                const uint4 moment = moments[k];
                const stream_block b =
                    ssc_numbers(&step.keys, place, ssc_moment{moment.x, moment.y, moment.z});
#pragma unroll
                for (uint32_t n = 0; n < 4; n++)
                    add_if_below(flips[n], b.number[n], threshold_of(times[n], k, odd[n]),
                                 1u << 4 * k);
            }
#pragma unroll
            for (uint32_t n = 0; n < 4; n++)
                own.of[n] ^= ALWAYS ? flips[n] : flips[n] & 0x11111111u; /* 1 + 1 is no flip */
            spins.put_quad(parity, quad, own);
        }
    }

    /* Whether a quad has more than n sites. In three dimensions all quads are full. Padding behind
     * the last site of a plane is swept, but not counted. */
    static __device__ __forceinline__ bool has(const ssc_step &step, uint32_t quad, uint32_t n) {
        return DIMENSION == 3 || 4 * quad + n < step.half_sites;
    }

    __device__ __forceinline__ void measure(spin_counts seen[OCTET], const ssc_step &step) const {
        for (uint32_t quad = member; 4 * quad < step.half_sites; quad += step.group) {
            uint32_t bonds[2] = {}, ups[2] = {}; /* of even and of odd replicas */
            const four_registers even = spins.quad(0, quad), other = spins.quad(1, quad);
#pragma unroll
            for (uint32_t n = 0; n < 4; n++)
                if (has(step, quad, n)) {
                    uint32_t odd;
                    const uint32_t d = unsatisfied_at(step, 0, quad, n, even.of[n], other.of[n],
                                                      odd),
                                   up = even.of[n] + other.of[n];
#pragma unroll
                    for (uint32_t k = 0; k < 2; k++) {
                        bonds[k] += d >> 4 * k & 0x0f0f0f0fu;
                        ups[k] += up >> 4 * k & 0x0f0f0f0fu;
                    }
                }
#pragma unroll
            for (uint32_t k = 0; k < OCTET; k++) {
                seen[k].bonds = __dp4a(bonds[k % 2], 1u << 8 * (k / 2), seen[k].bonds);
                seen[k].ups = __dp4a(ups[k % 2], 1u << 8 * (k / 2), seen[k].ups);
            }
        }
    }
};

#endif
