/* Isoenergetic cluster moves (engine/houdayer.h) on 4 x 4 and 4 x 4 x 4 glasses, whole, diluted and with Gaussian couplings. For each pair of states and each
 * site that can be drawn:
 *  - the sum of the two energies stays, and the first energy rises by what is said, energies being added up bond by bond;
 *  - the set of sites in which the two differ stays, but for the spins of both;
 *  - as many sites lead back from the new pair as have led to it, so that detailed balance holds.
 * On 4 x 4 the differences are every 13th of all 2^16, with states drawn at random. Without any bond a cluster is a site.
 *
 * Planted faults that must be found: a cluster turned over in one replica alone; one site of it alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disorder.h"
#include "engine/houdayer.h"
#include "engine/streams.h"

#define MOST_BYTES 8
#define MOST_SITES 64

typedef struct {
    uint8_t one[MOST_BYTES], other[MOST_BYTES];
} state_pair;

typedef void mover(const houdayer_lattice *l, state_pair *p, uint64_t number, void *work,
                   houdayer_outcome *out);

/* What is wrong with some moves. */
typedef struct {
    size_t moves, energy, rise, set, balance;
} faults;

static int spin_at(const couplings *c, const uint8_t *spins, uint64_t site) {
    const uint64_t x = site % c->edge[0], row = site / c->edge[0], y = row % c->edge[1],
                   z = row / c->edge[1],
                   i = (x + y + z) % 2 * (c->sites / 2) + row * (c->edge[0] / 2) + x / 2;
    return spins[i / 8] >> i % 8 & 1 ? 1 : -1;
}

static int64_t energy_of(const couplings *c, const uint8_t *spins) {
    int64_t e = 0;
    for (uint64_t site = 0; site < c->sites; site++)
        for (uint32_t d = 0; d < c->dimension; d++) {
            const int64_t j =
                c->value != NULL ? c->value[site * c->dimension + d] : couplings_sign(c, site, d);
            e -= j * spin_at(c, spins, site) * spin_at(c, spins, couplings_neighbour(c, site, d));
        }
    return e;
}

static void right(const houdayer_lattice *l, state_pair *p, uint64_t number, void *work,
                  houdayer_outcome *out) {
    *out = houdayer_move(l, p->one, p->other, number, work);
}

static void one_replica_alone(const houdayer_lattice *l, state_pair *p, uint64_t number, void *work,
                              houdayer_outcome *out) {
    const state_pair before = *p;
    *out = houdayer_move(l, p->one, p->other, number, work);
    memcpy(p->other, before.other, sizeof p->other);
}

/* The first site of the cluster alone. */
static void one_site_alone(const houdayer_lattice *l, state_pair *p, uint64_t number, void *work,
                           houdayer_outcome *out) {
    const state_pair before = *p;
    *out = houdayer_move(l, p->one, p->other, number, work);
    for (uint32_t n = 0; n < MOST_BYTES; n++) {
        const uint8_t turned = p->one[n] ^ before.one[n];
        if (turned == 0)
            continue;
        *p = before;
        p->one[n] ^= turned & (uint8_t)-turned;
        p->other[n] ^= turned & (uint8_t)-turned;
        return;
    }
}

/* The number that draws site n of a set of so many. */
static uint64_t number_for(uint32_t n, uint32_t set) {
    return (uint64_t)(((double)n + 0.5) / set * 0x1p64);
}

/* From how many sites a pair goes to another one. */
static uint32_t ways(mover *move, const houdayer_lattice *l, const state_pair *from,
                     const state_pair *to, uint32_t set, void *work) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < set; n++) {
        state_pair p = *from;
        houdayer_outcome out;
        move(l, &p, number_for(n, set), work, &out);
        count += memcmp(&p, to, sizeof p) == 0;
    }
    return count;
}

static void try_pair(mover *move, const couplings *c, const houdayer_lattice *l,
                     const state_pair *from, void *work, faults *found) {
    state_pair p = *from;
    houdayer_outcome out;
    move(l, &p, 0, work, &out);
    const uint32_t set = out.set;
    for (uint32_t n = 0; n < set; n++) {
        p = *from;
        move(l, &p, number_for(n, set), work, &out);
        const int64_t rise = energy_of(c, p.one) - energy_of(c, from->one),
                      fall = energy_of(c, from->other) - energy_of(c, p.other);
        bool differ = false;
        for (uint32_t b = 0; b < MOST_BYTES; b++)
            differ |= (p.one[b] ^ p.other[b]) != (from->one[b] ^ from->other[b]);
        found->moves++;
        found->energy += rise != fall;
        found->rise += rise != out.rise;
        found->set += differ;
        found->balance += ways(move, l, from, &p, set, work) != ways(move, l, &p, from, set, work);
    }
}

/* Random bytes of the states. */
static void draw(uint8_t *spins, uint64_t sites, uint32_t number) {
    const stream_block b = stream_draw((stream_key){{4, 5}}, STREAM_RANDOMISE, 0, number, 0, 0);
    memset(spins, 0, MOST_BYTES);
    memcpy(spins, b.number, sites / 8);
}

static faults try_all(mover *move, const couplings *c, uint32_t step) {
    const uint32_t all = c->sites == 16 ? 65536 : 2000;
    const uint32_t edge[MODEL_MAX_DIMENSION] = {c->edge[0], c->edge[1], c->edge[2]};
    const spin_model lattice = model_of_sample(
        model_with_couplings(lattice_model("glass", "", c->dimension, edge), c->missing != NULL),
        c);
    houdayer_lattice l;
    faults found = {0};
    void *const work = malloc(houdayer_work_bytes(&lattice));
    assert_non_null(work);
    assert_int_equal(houdayer_lattice_create(&l, &lattice), 0);
    for (uint32_t n = 0; n < all; n += step) {
        state_pair p;
        draw(p.one, c->sites, n);
        draw(p.other, c->sites, n + all);
        if (c->sites == 16) { /* difference n */
            p.other[0] = p.one[0] ^ (uint8_t)n;
            p.other[1] = p.one[1] ^ (uint8_t)(n >> 8);
        }
        try_pair(move, c, &l, &p, work, &found);
    }
    houdayer_lattice_destroy(&l);
    free(work);
    return found;
}

static couplings sample_of(uint32_t dimension, double dilution) {
    const uint32_t edge[COUPLINGS_MAX_DIMENSION] = {4, 4, dimension == 3 ? 4 : 1};
    couplings c;
    assert_true(couplings_create(&c, dimension, edge));
    for (uint64_t b = 0; b < c.bonds; b++) {
        const stream_block x = stream_disorder((stream_key){{7, dimension}}, b);
        if (x.number[0] < dilution * 0x1p32)
            assert_true(couplings_remove(&c, b));
        else
            couplings_set(&c, b, x.number[1] >> 31);
    }
    return c;
}

static void assert_right(couplings c, uint32_t step) {
    const faults found = try_all(right, &c, step);
    couplings_destroy(&c);
    assert_true(found.moves > 1000);
    assert_int_equal(found.energy + found.rise + found.set + found.balance, 0);
}

static void test_moves(void **state) {
    (void)state;
    couplings gaussian = sample_of(2, 0);
    assert_true(disorder_draw_gaussian(&gaussian, (disorder){.seed = 7}, 0, 1));
    assert_right(gaussian, 13);
    assert_right(sample_of(2, 0), 13);
    assert_right(sample_of(2, 0.3), 13);
    assert_right(sample_of(3, 0), 25);
    assert_right(sample_of(3, 0.4), 25);
}

/* A lattice of which all bonds are missing. */
static void test_clusters_end_at_missing_bonds(void **state) {
    (void)state;
    couplings c = sample_of(2, 1);
    const spin_model lattice =
        model_of_sample(model_with_couplings(lattice_model("glass", "", 2, c.edge), true), &c);
    uint8_t one[MOST_BYTES], other[MOST_BYTES];
    houdayer_lattice l;
    void *const work = malloc(houdayer_work_bytes(&lattice));
    assert_non_null(work);
    assert_int_equal(houdayer_lattice_create(&l, &lattice), 0);
    for (uint32_t n = 0; n < 100; n++) {
        draw(one, c.sites, n);
        draw(other, c.sites, n + 100);
        const houdayer_outcome out =
            houdayer_move(&l, one, other, (uint64_t)n << 57 /* any site */, work);
        assert_int_equal(out.cluster, out.set > 0);
        assert_int_equal(out.rise, 0);
    }
    houdayer_lattice_destroy(&l);
    free(work);
    couplings_destroy(&c);
}

static void test_faults(void **state) {
    (void)state;
    couplings c = sample_of(2, 0);
    const faults alone = try_all(one_replica_alone, &c, 131),
                 site = try_all(one_site_alone, &c, 131);
    couplings_destroy(&c);
    assert_true(alone.energy > 100 && alone.set > 100);
    assert_true(site.energy > 100 && site.rise > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves),
                                       cmocka_unit_test(test_clusters_end_at_missing_bonds),
                                       cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
