/* Drawing cases. */
#include "grid.h"
#include "engine/capacity.h"

#include "base/ieee_math.h"
#include "dice.h"
#include "engine/msc_layout.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_REPLICAS    40000
#define MAX_SPINS       20000000 /* of a population */
#define MAX_SWEEPS      20
#define MAX_STEPS       12
#define MAX_PIECES      16
#define MAX_EDGE_3D     48
#define MAX_INDEX       1000000 /* of a temperature */
#define MAX_NANOSECONDS 4e8     /* of an engine, on one core */

/* --- the parts of a case --- */

static void draw_coding(dice *d, identity_case *c) {
    c->coding = chance(d, 35) ? CODING_SSC : CODING_MSC;
    c->word = 32;
    if (c->coding == CODING_MSC) {
        c->word = 8u << roll(d, 4);
        c->rng = (rng_mode)roll(d, RNG_LCG + 1);
    }
}

/* An edge in two dimensions, often of a size that has kernels of its own; in three. */
static uint32_t draw_edge(dice *d, edge_rule rule, uint32_t dimension) {
    if (dimension == 2 && chance(d, 30))
        return 16u << roll(d, 5);
    const uint32_t largest = dimension == 2 ? rule.largest : MAX_EDGE_3D;
    return (uint32_t)spread(d, rule.smallest, largest + 1, 2) / rule.multiple * rule.multiple;
}

/* Half of the cases are of the square ferromagnet; in three dimensions MSC has one mode. */
static void draw_model(dice *d, identity_case *c) {
    const uint32_t kind = chance(d, 50) ? 0 : 1 + roll(d, MODEL_potts2d - 1); /* of Ising spins */
    c->model = model_kinds[kind];
    c->disorder = draw(d);
    if (c->model->dimension == 3)
        c->rng = RNG_INDEPENDENT;
    edge_rule rule = c->model->edges[c->coding];
    if (c->coding == CODING_MSC && c->rng != RNG_INDEPENDENT && c->model->dimension == 2)
        rule.smallest = rule.multiple = 16; /* other edges are not for all modes */
    const uint32_t edges = chance(d, 30) ? c->model->dimension : 1;
    for (uint32_t n = 0; n < edges; n++)
        c->size.edge[n] = draw_edge(d, rule, c->model->dimension);
}

static double sites_of(const identity_case *c) {
    uint32_t edge[MODEL_MAX_DIMENSION];
    lattice_edges(c->size, c->model->dimension, edge);
    return (double)edge[0] * edge[1] * edge[2];
}

/* Takes 16 from the longest edge. Returns false for a lattice on which that cannot be done. */
static bool shrink(identity_case *c) {
    uint32_t *longest = &c->size.edge[0];
    for (uint32_t n = 1; n < c->model->dimension; n++)
        if (c->size.edge[n] > *longest)
            longest = &c->size.edge[n];
    if (*longest < 32)
        return false;
    *longest -= 16;
    return true;
}

/* A population of up to `most`: tiny, around a multiple of what a word, a warp, a block or the
 * blocks of the error bars hold, or any. */
static uint64_t draw_population(dice *d, uint64_t most, uint32_t word) {
    const uint64_t units[] = {word, 8, 32, 64, 128, 256, 512, 1024, 4096};
    const uint64_t unit = units[roll(d, sizeof units / sizeof *units)];
    if (chance(d, 15))
        return 1 + roll(d, most < 3 ? (uint32_t)most : 3);
    if (chance(d, 50) && unit < most)
        return unit * spread_whole(d, 1, (most - 1) / unit) + roll(d, 3) - 1;
    return spread_whole(d, 1, most);
}

static void draw_populations(dice *d, identity_case *c) {
    const uint64_t fit = MAX_SPINS / (uint64_t)sites_of(c);
    const uint64_t most = fit < 1 ? 1 : fit < MAX_REPLICAS ? fit : MAX_REPLICAS;
    c->founders = c->target = draw_population(d, most, c->word);
    if (chance(d, 10)) /* it shrinks or grows */
        c->target = draw_population(d, most, c->word);
    else if (chance(d, 10)) /* it is to die out */
        c->target = 1;
    const uint64_t larger = c->founders > c->target ? c->founders : c->target;
    /* Now and then it outgrows its capacity. */
    c->capacity = chance(d, 85) ? population_capacity(larger, c->word) : larger + roll(d, 3);
    c->piece = c->founders / (1 + roll(d, MAX_PIECES)) + 1 + roll(d, 2);
}

/* An update with probabilities that do not follow from each other, and do not rise as dE falls. */
static double any_probability(double beta, double delta_e) {
    return delta_e > 4 ? 0.3 : (delta_e < -4 ? 0.4 : 0.7) / (1 + ieee_exp(beta * delta_e));
}
static const update_kind any_update = {"any", any_probability, DOWNHILL_OF_ITS_OWN, CLUSTERS_NONE,
                                       VISIT_CHECKERBOARD};

/* One that the coding has. Thresholds of a complement are at most 1/2. */
static void draw_update(dice *d, identity_case *c) {
    c->update = &metropolis_update;
    if (chance(d, 60) || (c->coding == CODING_MSC && c->rng != RNG_INDEPENDENT))
        return;
    c->update = c->coding == CODING_SSC && chance(d, 40) ? &any_update : &heat_bath_update;
    for (uint32_t n = 0; n < MODEL_MAX_CHANGES && c->fixed_thresholds; n++)
        c->threshold[n] = c->update == &any_update ? draw(d) >> roll(d, 32) : c->threshold[n] / 2;
}

/* Whether a case may have cluster updates: of ferromagnets with all bonds. */
static bool may_have_clusters(const identity_case *c) {
    return c->coding == CODING_SSC && !c->model->disordered && !c->fixed_thresholds &&
           c->boundary.given == 1;
}

/* Half of such cases have them. */
static void draw_clusters(dice *d, identity_case *c) {
    if (may_have_clusters(c) && chance(d, 50))
        c->update = chance(d, 50) ? &swendsen_wang_update : &wolff_update;
}

/* Half of those with local updates visit sites in another order. Of all tiles that fit one is drawn; without any, an order without. */
static void draw_visits(dice *d, identity_case *c) {
    visit_plan v = {.hits = 1};
    uint32_t edge[MODEL_MAX_DIMENSION], fitting[8], count = 0;
    if (!may_have_clusters(c) || c->update->clusters != CLUSTERS_NONE || chance(d, 50))
        return;
    v.order = (visit_order)(1 + roll(d, VISIT_DEAD_BORDER));
    v.common = chance(d, 30);
    lattice_edges(c->size, c->model->dimension, edge);
    for (uint32_t tile = v.order == VISIT_TILES ? 2 : 4; tile <= 64; tile *= 2) {
        const uint32_t unit = v.order == VISIT_TILES ? 2 * tile : tile;
        bool fits = true;
        for (uint32_t k = 0; k < c->model->dimension; k++)
            fits = fits && edge[k] % unit == 0;
        if (fits)
            fitting[count++] = tile;
    }
    if (v.order == VISIT_SEQUENTIAL || count == 0) {
        v.order = chance(d, 50) ? VISIT_SEQUENTIAL : VISIT_RANDOM;
    } else if (v.order != VISIT_RANDOM) {
        v.tile = fitting[roll(d, count)];
        v.hits = 1 + roll(d, 4);
        v.palindrome = v.order == VISIT_TILES && v.hits % 2 == 0 && chance(d, 50);
    }
    c->sweeps = c->sweeps / v.hits + 1;
    c->visits = v;
}

/* The width of the energies is some sqrt(N), so that sqrt(N) dbeta says how strong the selection is. */
static void draw_temperatures(dice *d, identity_case *c) {
    c->dbeta = chance(d, 10) ? 0 : spread(d, 0.01, 100, 1) / sqrt(sites_of(c));
    c->beta = chance(d, 50) ? 0 : chance(d, 50) ? uniform(d) : spread(d, 0.5, 20, 1);
    c->temperature = chance(d, 75) ? 1 : (uint32_t)spread_whole(d, 1, MAX_INDEX);
    c->fixed_thresholds = chance(d, 15);
    if (c->fixed_thresholds) {
        uint32_t n = c->model->dimension - 1; /* the last one */
        c->threshold[n] = chance(d, 20) ? roll(d, 3) : draw(d) >> roll(d, 32);
        for (; n > 0; n--)
            c->threshold[n - 1] = chance(d, 20) ? c->threshold[n] : roll(d, c->threshold[n]);
    }
}

/* Boundaries, and missing bonds of glasses, for the codings that have them on a GPU. */
static void draw_bonds(dice *d, identity_case *c) {
    static const double dilutions[] = {0, 0.02, 0.3};
    c->boundary.given = 1;
    if (chance(d, 70) || (c->coding == CODING_MSC && c->rng != RNG_INDEPENDENT))
        return;
    c->boundary.given = c->model->dimension;
    for (uint32_t n = 0; n < c->boundary.given; n++)
        c->boundary.of[n] = (boundary_kind)roll(d, BOUNDARIES);
    if (c->model->disordered)
        c->dilution = dilutions[roll(d, sizeof dilutions / sizeof *dilutions)];
}

/* --- what it costs --- */

/* Nanoseconds of one core for all steps, measured (perf/): a spin flip, and beside the sweeps what
 * resampling, measuring and saving for the comparison take of a spin. */
static double cost(const identity_case *c) {
    static const double msc_flip[] = {[RNG_INDEPENDENT] = 0.3,
                                      [RNG_PHILOX] = 5,
                                      [RNG_SHARED] = 0.5,
                                      [RNG_SHARED_REORDER] = 0.5,
                                      [RNG_LCG] = 1};
    const bool msc = c->coding == CODING_MSC;
    const double sites = sites_of(c), steps = c->steps + 2;
    const double larger = (double)(c->founders > c->target ? c->founders : c->target);
    const double lanes = msc ? 32 * (double)msc_machine_words(c->word, (uint64_t)larger) : larger;
    const double flip = msc ? msc_flip[c->rng] : 12;
    return steps * sites * (lanes * (c->sweeps * flip + (msc ? 0.5 : 4)) + larger * 3);
}

/* Draws the numbers of steps and sweeps, and takes from them, and then from the lattice, what costs
 * too much. */
static void draw_length(dice *d, identity_case *c) {
    c->sweeps = chance(d, 10) ? 0 : (uint32_t)spread_whole(d, 1, MAX_SWEEPS);
    c->steps = 1 + roll(d, MAX_STEPS);
    while (cost(c) > MAX_NANOSECONDS) {
        if (c->steps > 2 && c->steps >= c->sweeps)
            c->steps--;
        else if (c->sweeps > 1)
            c->sweeps--;
        else if (c->founders > 64 || c->target > 64)
            c->founders = c->target = 1 + roll(d, 64);
        else if (!shrink(c))
            return;
    }
}

identity_case identity_grid_case(uint64_t seed, uint32_t n) {
    dice d = dice_of(seed, DICE_CASE, n);
    identity_case c = {.key = {{0, 0}}};
    c.key.word[0] = draw(&d);
    c.key.word[1] = draw(&d);
    draw_coding(&d, &c);
    draw_model(&d, &c);
    draw_populations(&d, &c);
    draw_temperatures(&d, &c);
    draw_length(&d, &c);
    c.receiver = chance(&d, 50) ? (int)roll(&d, 2) : -1;
    c.handover = roll(&d, c.steps); /* at least one step follows */
    c.kept = chance(&d, 30) ? (int)roll(&d, 2) : -1;
    if (chance(&d, 40))
        c.stages = c.coding == CODING_SSC && chance(&d, 50) ? STAGES_HYBRID : STAGES_APART;
    c.resampling = chance(&d, 30) ? RESAMPLE_NEAREST : (resampling_rule)roll(&d, RESAMPLING_RULES);
    draw_update(&d, &c);
    draw_bonds(&d, &c);
    draw_clusters(&d, &c);
    draw_visits(&d, &c); /* the last one: the other parts of a case are as they were */
    return c;
}

/* --- words --- */

const char *identity_case_columns(void) {
    return "model   coding L            p mode           founders target capacity theta steps "
           "first    beta   "
           "dbeta  update        thresholds                 piece load after again stages rule "
           "dilution boundary";
}

const char *identity_case_text(char text[CASE_TEXT_SIZE], const identity_case *c) {
    const bool msc = c->coding == CODING_MSC;
    char word[12] = "-", thresholds[40] = "-", size[LATTICE_TEXT_SIZE], handover[24] = "-",
         kept[12] = "-", boundary[BOUNDARY_TEXT_SIZE], update[64];
    const visit_plan *const v = &c->visits;
    if (msc)
        snprintf(word, sizeof word, "%" PRIu32, c->word);
    if (c->fixed_thresholds)
        snprintf(thresholds, sizeof thresholds, "%" PRIx32 ",%" PRIx32 ",%" PRIx32, c->threshold[0],
                 c->threshold[1], c->threshold[2]);
    if (c->receiver >= 0)
        snprintf(handover, sizeof handover, "%d<%d@%" PRIu32, c->receiver, !c->receiver,
                 c->handover);
    if (c->kept >= 0)
        snprintf(kept, sizeof kept, "%d", c->kept);
    snprintf(update, sizeof update, "%s", c->update->name);
    if (v->order != VISIT_CHECKERBOARD)
        snprintf(update, sizeof update, "%s/%d,T%" PRIu32 ",k%" PRIu32 "%s%s", c->update->name,
                 v->order, v->tile, v->hits, v->palindrome ? "p" : "", v->common ? "c" : "");
    snprintf(text, CASE_TEXT_SIZE,
             "%-7s %-6s %-11s %2s %-14s %8" PRIu64 " %6" PRIu64 " %8" PRIu64 " %5" PRIu32
             " %5" PRIu32 " %6" PRIu32 " %7.4f %8.5f %-13s %-25s %5" PRIu64
             " %-10s %-5s %-6s %s %g %s",
             c->model->name, coding_name(c->coding), lattice_text(size, c->size), word,
             msc ? rng_name(c->rng) : "-", c->founders, c->target, c->capacity, c->sweeps, c->steps,
             c->temperature, c->beta, c->dbeta, update, thresholds, c->piece, handover, kept,
             stages_name(c->stages), resampling_name(c->resampling), c->dilution,
             boundary_text(boundary, c->boundary));
    return text;
}
