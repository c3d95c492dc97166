/* The sweep of a multi-spin-coded lattice (Sec. 4): every bit operation acts on 32 replicas, every
 * vector on several columns.
 *
 * A flip of a spin with d of z bonds unsatisfied costs the energy 2 z - 4 d. If this is positive,
 * a random decision is needed. Else the spin always flips, or, with DOWNHILL_COMPLEMENT,
 * flips where one with z - d would not. */
#include "msc_sweep.h"

#include "engine/msc_tiles.h"
#include "msc_neighbours.h"
#include "msc_planes.h"

/* Returns the lanes that always flip, d > 1 of four neighbours. A full adder counts three bonds: d
 * = first + fourth + 2 carry, in unsatisfied bonds. *ones = d mod 2. */
TEMPLATE vec32 classify_2d(vec32 s, const vec32 n[4], vec32 *ones) {
    const vec32 odd = n[0] ^ n[1] ^ n[2], carry = vec_majority(n[0], n[1], n[2]) ^ s;
    *ones = odd ^ n[3];
    return carry | ((odd ^ s) & (n[3] ^ s));
}

/* The same for six neighbours, d > 2. Two full adders count three unsatisfied bonds each: d = ones
 * + 2 (a + b + c). d is below 3 if none of a, b, c is set, or if one is set and d is even. */
TEMPLATE vec32 classify_3d(vec32 s, const vec32 n[6], vec32 *ones, vec32 *twos) {
    const vec32 first = n[0] ^ n[1] ^ n[2] ^ s, second = n[3] ^ n[4] ^ n[5] ^ s;
    const vec32 a = vec_majority(n[0], n[1], n[2]) ^ s, b = vec_majority(n[3], n[4], n[5]) ^ s,
                c = first & second;
    *ones = first ^ second;
    *twos = a ^ b ^ c;
    return vec_majority(a, b, c) | (*twos & *ones);
}

/* DOWNHILL_COMPLEMENT: returns the lanes whose flip lowers the energy, d > 2; *ties: d = 2. */
TEMPLATE vec32 compare_2d(vec32 s, const vec32 n[4], vec32 *ones, vec32 *ties) {
    const vec32 three = n[0] ^ n[1] ^ n[2] ^ s, fourth = n[3] ^ s,
                carry = vec_majority(n[0], n[1], n[2]) ^ s;
    *ones = three ^ fourth;
    *ties = (carry ^ (three & fourth)) & ~*ones;
    return carry & (three | fourth);
}

/* The same for six neighbours: d > 3 and d = 3. *twos: d = 2 or 4. */
TEMPLATE vec32 compare_3d(vec32 s, const vec32 n[6], vec32 *ones, vec32 *twos, vec32 *ties) {
    const vec32 first = n[0] ^ n[1] ^ n[2] ^ s, second = n[3] ^ n[4] ^ n[5] ^ s;
    const vec32 a = vec_majority(n[0], n[1], n[2]) ^ s, b = vec_majority(n[3], n[4], n[5]) ^ s,
                c = first & second, two = a ^ b ^ c, four = vec_majority(a, b, c);
    *ones = first ^ second;
    *twos = (two ^ four) & ~*ones;
    *ties = two & *ones;
    return four;
}

/* What compare_* finds of sites with an odd number of bonds, one less than z: a flip lowers the energy where d >= z / 2; there are
 * no ties, and class is the smaller one of d and z - 1 - d. */
TEMPLATE void compare_odd(uint32_t dimension, vec32 odd, vec32 *falls, vec32 *ones, vec32 *twos,
                          vec32 *ties) {
    if (dimension == 3)
        *twos = vec_select(odd, (*twos & ~*falls) | *ties, *twos);
    *falls |= *ties & odd;
    *ones ^= *falls & odd;
    *ties &= ~odd;
}

/* A half sweep: one sub-lattice. */
typedef struct {
    msc_lattice *lattice;
    const msc_flips *flips;
    const msc_thresholds *thresholds; /* NULL in mode `independent` */
    uint32_t sweep;
    sub_lattice sites;
    bernoulli_ranks ranks[2]; /* of all sites, of odd sites */
} sub_sweep;

/* Copies decisions through memory, because what is passed to a function cannot stay in registers. */
TEMPLATE void decide_by_numbers(flip_decision *d, const sub_sweep *s, bool cut, uint32_t top,
                                uint32_t column) {
    const msc_thresholds *const to = s->thresholds;
    const sub_lattice l = s->sites;
    uint32_t ones[STRIP_ROWS][VECTOR_WORDS], accept[2][STRIP_ROWS][VECTOR_WORDS];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++)
        vec_store(ones[i], d->ones[i]);
    decide_by_comparison(s->flips, to->usual.threshold, l.shape, s->sweep, l.parity, top, column,
                         VECTOR_WORDS, ones[0], accept[0][0]);
    if (cut)
        decide_by_comparison(s->flips, to->odd.threshold, l.shape, s->sweep, l.parity, top, column,
                             VECTOR_WORDS, ones[0], accept[1][0]);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++) {
        d->accept[i] = vec_load(accept[0][i]);
        if (cut)
            d->accept[i] = vec_select(vec_load(l.odd + (top + i) * l.pitch + column),
                                      vec_load(accept[1][i]), d->accept[i]);
    }
}

/* Strips that are updated together: those of some rows and columns of words, numbered row by row from `first` on. */
typedef struct {
    uint32_t top, rows;       /* first row, and number of rows */
    uint32_t column, columns; /* first column, and number of columns */
    size_t first;
} strip_block;

/* Updates one sub-lattice in the strips of eight rows, for a vector of columns of the block. */
TEMPLATE void flip_strip(const sub_sweep *s, uint32_t dimension, bond_kind bonds, bool complement,
                         const strip_block *block, uint32_t top, uint32_t column) {
    const sub_lattice l = s->sites;
    const uint32_t in_row = column - block->column, count = block->columns - in_row;
    const size_t first =
        block->first + (size_t)(top - block->top) / STRIP_ROWS * block->columns + in_row;
    const bool cut = bonds == BONDS_CUT;
    vec32 anyway[STRIP_ROWS], falls[STRIP_ROWS]; /* with the complement: ties, and d > z / 2 */
    flip_decision decision;
    uint32_t *const spins = l.own + top * l.pitch + column;
    row_walk walk = walk_from(l, top, STRIP_ROWS, column);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++) {
        vec32 n[2 * MODEL_MAX_DIMENSION];
        const vec32 spin = vec_load(spins + i * l.pitch);
        find_neighbours(l, dimension, bonds, &walk, top + i, column, spin, n);
        if (cut)
            decision.odd[i] = vec_load(l.odd + (top + i) * l.pitch + column);
        if (complement)
            falls[i] = dimension == 2
                           ? compare_2d(spin, n, &decision.ones[i], &anyway[i])
                           : compare_3d(spin, n, &decision.ones[i], &decision.twos[i], &anyway[i]);
        else
            anyway[i] = dimension == 2 ? classify_2d(spin, n, &decision.ones[i])
                                       : classify_3d(spin, n, &decision.ones[i], &decision.twos[i]);
        if (cut && complement)
            compare_odd(dimension, decision.odd[i], &falls[i], &decision.ones[i], &decision.twos[i],
                        &anyway[i]);
    }

    if (s->flips->rng == RNG_INDEPENDENT)
        decide_by_planes(&decision, s->lattice, dimension, cut, first, count, s->flips->rule,
                         s->ranks, complement ? anyway : NULL);
    else
        decide_by_numbers(&decision, s, cut, top, column);

#pragma GCC unroll 8
    for (uint32_t i = 0; i < STRIP_ROWS; i++) {
        uint32_t *const row = spins + i * l.pitch;
        vec_store_first(row,
                        vec_load(row) ^ (complement ? falls[i] ^ decision.accept[i]
                                                    : anyway[i] | decision.accept[i]),
                        count);
    }
}

/* Updates one sub-lattice of a block. */
TEMPLATE void half_sweep(sub_sweep s, uint32_t dimension, bond_kind bonds, bool complement,
                         const strip_block *block) {
    const flip_rule *const rule = s.flips->rule;
    s.ranks[0] = bernoulli_rank(&rule->bernoulli, dimension);
    if (bonds == BONDS_CUT)
        s.ranks[1] = bernoulli_rank_odd(&rule->odd.bernoulli, dimension);
    for (uint32_t n = 0; n < (dimension == 2 ? block->rows : STRIP_ROWS); n += STRIP_ROWS) {
        const uint32_t top = block->top + n;
        for (uint32_t in_row = 0; in_row < block->columns; in_row += VECTOR_WORDS)
            flip_strip(&s, dimension, bonds, complement, block, top, block->column + in_row);
        for (uint32_t i = 0; dimension == 2 && i < STRIP_ROWS; i++)
            lattice_close_row(s.sites.own + (top + i) * s.sites.pitch, s.sites.columns);
    }
    if (dimension == 2)
        lattice_close_column(s.lattice, s.sites.parity);
}

#define HALF_SWEEP(name, dimension, bonds, complement)                                             \
    static void name(msc_lattice *lattice, const msc_flips *flips,                                 \
                     const msc_thresholds *thresholds, uint32_t sweep, uint32_t parity,            \
                     const strip_block *block) {                                                   \
        half_sweep((sub_sweep){.lattice = lattice,                                                 \
                               .flips = flips,                                                     \
                               .thresholds = thresholds,                                           \
                               .sweep = sweep,                                                     \
                               .sites = sub_lattice_of(lattice, parity)},                          \
                   dimension, bonds, complement, block);                                           \
    }
HALF_SWEEP(half_sweep_2d, 2, BONDS_EQUAL, false)
HALF_SWEEP(half_sweep_2d_coupled, 2, BONDS_COUPLED, false)
HALF_SWEEP(half_sweep_2d_cut, 2, BONDS_CUT, false)
HALF_SWEEP(half_sweep_3d, 3, BONDS_EQUAL, false)
HALF_SWEEP(half_sweep_3d_coupled, 3, BONDS_COUPLED, false)
HALF_SWEEP(half_sweep_3d_cut, 3, BONDS_CUT, false)
HALF_SWEEP(complement_2d, 2, BONDS_EQUAL, true)
HALF_SWEEP(complement_2d_coupled, 2, BONDS_COUPLED, true)
HALF_SWEEP(complement_2d_cut, 2, BONDS_CUT, true)
HALF_SWEEP(complement_3d, 3, BONDS_EQUAL, true)
HALF_SWEEP(complement_3d_coupled, 3, BONDS_COUPLED, true)
HALF_SWEEP(complement_3d_cut, 3, BONDS_CUT, true)

typedef void half_sweep_function(msc_lattice *, const msc_flips *, const msc_thresholds *, uint32_t,
                                 uint32_t, const strip_block *);

static half_sweep_function *half_sweep_of(const msc_shape *shape, const flip_rule *rule) {
    /* by complement, dimension, bonds */
    static half_sweep_function *const half[2][2][BOND_KINDS] = {
        {{half_sweep_2d, half_sweep_2d_coupled, half_sweep_2d_cut},
         {half_sweep_3d, half_sweep_3d_coupled, half_sweep_3d_cut}},
        {{complement_2d, complement_2d_coupled, complement_2d_cut},
         {complement_3d, complement_3d_coupled, complement_3d_cut}}};
    return half[rule->downhill == DOWNHILL_COMPLEMENT][shape->dimension - 2][bonds_of_shape(shape)];
}

/* --- tiles: lattices without couplings, mode `independent` (engine/msc_tiles.h) --- */

/* The blocks of a tile: in three dimensions each row of strips, which are columns of the lattice's only row. */
static uint32_t blocks_of_tile(uint32_t dimension, const msc_tiles *t) {
    return dimension == 2 ? 1 : t->rows * t->layers;
}

static strip_block block_of_tile(uint32_t dimension, const msc_tiles *t, uint32_t colour,
                                 uint32_t n, uint32_t block) {
    const msc_tile_place at = msc_tile_at(t, colour, n);
    strip_block b = {.rows = t->rows * STRIP_ROWS,
                     .column = at.column * t->columns,
                     .columns = t->columns,
                     .first = msc_colour_first(t, colour) + n * t->strips + block * t->columns};
    if (dimension == 2) {
        b.top = at.row * b.rows;
    } else {
        const uint32_t row = at.row * t->rows + block % t->rows,
                       layer = at.layer * t->layers + block / t->rows;
        b.column += (layer * t->down * t->rows + row) * t->across * t->columns;
    }
    return b;
}

/* Makes the hits of a stage in `count` tiles of a colour from tile `from` on. Their strips are whole groups but for the last. */
static void hit_tiles(msc_lattice *lattice, const msc_flips *flips, const msc_tiles *t,
                      const visit_stage *stage, uint32_t sweep, uint32_t from, uint32_t count) {
    half_sweep_function *const half = half_sweep_of(lattice->shape, flips->rule);
    const uint32_t half_sweeps = 2 * flips->step->sweeps * flips->visits->hits;
    const uint32_t dimension = lattice->shape->dimension, blocks = blocks_of_tile(dimension, t);
    const uint32_t begin = msc_colour_first(t, stage->colour) + from * t->strips,
                   end = begin + count * t->strips;
    for (uint32_t h = 2 * (sweep + stage->first); h < 2 * (sweep + stage->end); h++) {
        MSC_NAME(throw_points)(lattice, flips->rule, begin, end, h, half_sweeps);
        for (uint32_t n = from * blocks; n < (from + count) * blocks; n++) {
            const strip_block block =
                block_of_tile(dimension, t, stage->colour, n / blocks, n % blocks);
            half(lattice, flips, NULL, 0, (h + stage->odd_first) % 2, &block);
        }
    }
}

/* Tiles whose strips make up groups together stay in the cache. */
static void sweep_tiles(msc_lattice *lattice, const msc_flips *flips) {
    const msc_shape *const shape = lattice->shape;
    const msc_tiles t = msc_tiles_of(flips->visits->tile, shape->dimension, shape->edge);
    const uint32_t group = flips->rule->bernoulli.group,
                   together = t.strips < group ? group / t.strips : 1;
    visit_stage stage[MOST_VISIT_STAGES];
    const uint32_t stages = visit_stages(flips->visits, stage);
    for (uint32_t update = 0; update < flips->step->sweeps && !step_is_stopped(flips->step);
         update++)
        for (uint32_t s = 0; s < stages; s++) {
            const uint32_t tiles = msc_colour_strips(&t, stage[s].colour) / t.strips;
            for (uint32_t n = 0; n < tiles; n += together)
                hit_tiles(lattice, flips, &t, &stage[s], update * flips->visits->hits, n,
                          n + together <= tiles ? together : tiles - n);
        }
}

/* --- the checkerboard --- */

static void sweep_checkerboard(msc_lattice *lattice, const msc_flips *flips) {
    const msc_shape *const shape = lattice->shape;
    half_sweep_function *const half = half_sweep_of(shape, flips->rule);
    const strip_block all = {.rows = shape->rows, .columns = shape->columns};
    for (uint32_t sweep = 0; sweep < flips->step->sweeps && !step_is_stopped(flips->step);
         sweep++) {
        const msc_thresholds to = {
            round_thresholds(&flips->thresholds, flips->machine_word, sweep),
            round_thresholds(&flips->odd_thresholds, flips->machine_word, sweep)};
        for (uint32_t parity = 0; parity < 2; parity++) {
            if (flips->rng == RNG_INDEPENDENT)
                MSC_NAME(throw_points)
            (lattice, flips->rule, 0, shape_strips(shape), 2 * sweep + parity,
             2 * flips->step->sweeps);
            half(lattice, flips, &to, sweep, parity, &all);
        }
    }
}

void MSC_NAME(msc_sweep)(msc_lattice *lattice, const msc_flips *flips) {
    if (flips->rng == RNG_INDEPENDENT)
        MSC_NAME(seed_strips)(lattice, flips);
    if (flips->visits->order == VISIT_TILES)
        sweep_tiles(lattice, flips);
    else
        sweep_checkerboard(lattice, flips);
}
