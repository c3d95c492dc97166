/* Parallel tempering (replica exchange): R chains of replicas, one replica at each temperature. Before each step the replicas of
 * neighbouring temperatures beta < beta' are exchanged with probability min[1, exp((beta - beta') (E - E'))], at even and odd
 * temperatures in turn (Hukushima and Nemoto, J. Phys. Soc. Jpn. 65, 1604). An exchange is a selection with given parents. */
#include "tempering.h"

#include "engine/sample_lanes.h"
#include "sample_bins.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <stdlib.h>

/* The bins of energies. */
static energy_levels bins_of(const series *s) {
    const energy_levels levels = s->model.levels;
    return levels.fine
               ? energy_bins(reweighting_bound(&s->model), levels.unit, s->beta, s->temperatures)
               : levels;
}

/* Makes room for the energies of replicas, and for their visits. Returns false without memory. */
static bool create_energies(series *s) {
    tempering *const t = s->state;
    t->bins = bins_of(s);
    if (s->model.levels.fine)
        t->energy = calloc(t->replicas, sizeof *t->energy);
    else
        t->level = calloc(t->replicas, sizeof *t->level);
    return (t->level != NULL || t->energy != NULL) &&
           !block_counts_create(&t->energies, s->temperatures, t->bins.count) &&
           (!s->model.levels.fine || !block_counts_add_energies(&t->energies));
}

static bool create(series *s) {
    tempering *const t = s->state;
    const uint64_t R = s->given->population;
    t->replicas = s->temperatures * R;
    t->words = round_words(R);
    t->swaps = calloc(s->temperatures * t->words, sizeof *t->swaps);
    t->begun = calloc(s->temperatures * t->words, sizeof *t->begun);
    t->turned = calloc(s->temperatures * t->words, sizeof *t->turned);
    t->accepted = calloc(s->given->measurements * (s->temperatures - 1), sizeof *t->accepted);
    t->up = calloc(s->temperatures, sizeof *t->up);
    t->down = calloc(s->temperatures, sizeof *t->down);
    t->lowest = malloc(s->temperatures * sizeof *t->lowest);
    for (size_t k = 0; k < s->temperatures && t->lowest != NULL; k++)
        t->lowest[k] = INT64_MAX;
    t->plan = (round_plan){.group = s->group,
                           .groups = s->temperatures,
                           .replicas = R,
                           .overlaps = tempering_has_overlaps(s)};
    return create_energies(s) && t->swaps && t->begun && t->turned && t->accepted && t->up &&
           t->down && t->lowest && !chain_means_create(&t->chains, s->temperatures, R) &&
           !exchange_table_create(&t->plan.exchanges, &s->model, s->beta, s->temperatures) &&
           !stepper_plan_rounds(&s->steps, &t->plan) &&
           (!tempering_has_overlaps(s) ||
            !overlap_series_create(&t->overlaps, &s->model, s->temperatures, s->given->measurements,
                                   parameters_pairs(s->given))) &&
           tempering_moves_create(s);
}

static void destroy(series *s) {
    tempering *const t = s->state;
    free(t->level);
    free(t->energy);
    free(t->swaps);
    free(t->begun);
    free(t->turned);
    free(t->accepted);
    free(t->up);
    free(t->down);
    free(t->lowest);
    free(t->plan.exchanges.threshold);
    block_counts_destroy(&t->energies);
    chain_means_destroy(&t->chains);
    overlap_series_destroy(&t->overlaps);
    tempering_moves_destroy(t);
}

/* Not where the replicas at hand are to be read. */
static bool ahead(const series *s) {
    const uint32_t before = s->given->thermalisation;
    return !tempering_has_moves(s) &&
           (s->taken <= before || !chain_means_take(s->taken - before, s->given->measurements));
}

static bool next_round(series *s, engine_round *round) {
    tempering *const t = s->state;
    if (tempering_has_moves(s)) {
        if (!tempering_read_energies(s) || !tempering_move(s))
            return false;
        round->now = (replica_energies){t->level, t->energy};
    }
    round->first = s->taken % 2;
    round->overlaps = t->plan.overlaps && s->taken >= s->given->thermalisation;
    round->accepted = t->swaps;
    return true;
}

/* --- the way of each replica --- */

/* Exchanges bits of two words. */
static void swap_bits(uint32_t *a, uint32_t *b, uint32_t mask) {
    const uint32_t differ = (*a ^ *b) & mask;
    *a ^= differ;
    *b ^= differ;
}

/* Moves what is known of the replicas of temperatures k and k + 1, which chains swaps[words] have exchanged. */
static void swap_ways(tempering *t, size_t k, const uint32_t swaps[]) {
    uint32_t *const begun = t->begun + k * t->words, *const turned = t->turned + k * t->words;
    for (size_t w = 0; w < t->words; w++) {
        swap_bits(&begun[w], &begun[w + t->words], swaps[w]);
        swap_bits(&turned[w], &turned[w + t->words], swaps[w]);
    }
}

/* The number of bits in words. */
static uint32_t bits_of(const uint32_t word[], size_t words) {
    uint32_t bits = 0;
    for (size_t w = 0; w < words; w++) {
        uint32_t in = word[w] - (word[w] >> 1 & 0x55555555);
        in = (in & 0x33333333) + (in >> 2 & 0x33333333);
        bits += ((in + (in >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
    }
    return bits;
}

/* The bits of word w of R chains. */
static uint32_t chains_of(uint64_t R, size_t w) {
    return R - 32 * w < 32 ? (UINT32_C(1) << (R - 32 * w)) - 1 : UINT32_MAX;
}

/* Notes which replicas are at the ends, and counts those that have come back to the lowest beta from the highest. */
static void turn_at_ends(series *s, bool counts) {
    tempering *const t = s->state;
    const size_t last = (s->temperatures - 1) * t->words;
    t->round_trips += counts ? bits_of(t->turned, t->words) : 0;
    for (size_t w = 0; w < t->words; w++) {
        t->begun[w] = chains_of(s->given->population, w);
        t->turned[w] = 0;
        t->turned[last + w] |= t->begun[last + w];
        t->begun[last + w] = 0;
    }
}

/* Counts the replicas of each temperature by the end where they were last. */
static void count_ways(series *s) {
    tempering *const t = s->state;
    for (size_t k = 0; k < s->temperatures; k++) {
        t->up[k] += bits_of(t->begun + k * t->words, t->words);
        t->down[k] += bits_of(t->turned + k * t->words, t->words);
    }
}

static void exchanged(series *s) {
    tempering *const t = s->state;
    const uint32_t time = s->taken - 1, before = s->given->thermalisation;
    const bool counts = time >= before;
    for (size_t k = time % 2; k + 1 < s->temperatures; k += 2) {
        const uint32_t *const swaps = t->swaps + k * t->words;
        swap_ways(t, k, swaps);
        if (counts)
            t->accepted[(time - before) * (s->temperatures - 1) + k] = bits_of(swaps, t->words);
    }
    turn_at_ends(s, counts);
    if (counts)
        count_ways(s);
}

static bool transfer(section_file *f, series *s) {
    tempering *const t = s->state;
    const uint32_t before = s->given->thermalisation;
    const uint64_t made = s->taken > before ? s->taken - before : 0;
    const size_t words = s->temperatures * t->words;
    if (!section_transfer(f, t->begun, words * sizeof *t->begun) ||
        !section_transfer(f, t->turned, words * sizeof *t->turned) ||
        !section_transfer(f, t->accepted, made * (s->temperatures - 1) * sizeof *t->accepted) ||
        !SECTION_VALUE(f, t->round_trips) ||
        !section_transfer(f, t->up, s->temperatures * sizeof *t->up) ||
        !section_transfer(f, t->down, s->temperatures * sizeof *t->down) ||
        !section_transfer(f, t->lowest, s->temperatures * sizeof *t->lowest) ||
        !section_transfer(f, t->moves.sums, s->temperatures * sizeof *t->moves.sums) ||
        !block_counts_transfer(f, &t->energies) || !chain_means_transfer(f, &t->chains) ||
        (tempering_has_overlaps(s) && !overlap_series_transfer(f, &t->overlaps, made)))
        return false;
    for (size_t n = 0; n < words; n++)
        if (t->begun[n] & t->turned[n] ||
            (t->begun[n] | t->turned[n]) & ~chains_of(s->given->population, n % t->words))
            return section_altered(f);
    return true;
}

void tempering_warn_of_no_pairs(const parameters *p) {
    if (parameters_replica(p).disordered && p->graph == NULL && parameters_pairs(p) == 0)
        warn("warning: %" PRIu64 " chains (-R) have no pairs, so that no overlap is measured; more "
             "than 32 have pairs",
             p->population);
}

static void warn_of_no_pairs(const series *s) {
    tempering_warn_of_no_pairs(s->given);
}

static const series_method way = {.state_bytes = sizeof(tempering),
                                  .create = create,
                                  .destroy = destroy,
                                  .next_round = next_round,
                                  .exchanged = exchanged,
                                  .ahead = ahead,
                                  .measured = tempering_record,
                                  .judge = tempering_judge,
                                  .transfer = transfer,
                                  .write = tempering_write,
                                  .warn = warn_of_no_pairs};

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    if (p->moves != MOVES_NONE && p->graph != NULL)
        return complain(STATUS_REFUSED,
                        "--moves houdayer: an odd edge makes a lattice a graph; even edges are "
                        "needed");
    if (p->moves != MOVES_NONE && tempering_moves_start(p) > p->beta_end)
        return complain(STATUS_REFUSED,
                        "--moves houdayer: moves begin at beta = %.10g (--moves-from), and "
                        "temperatures end at %.10g (-f)",
                        tempering_moves_start(p), p->beta_end);
    if (p->words == WORDS_CHAINS)
        return series_run(p, engines, folder, &way, signal);
    if (p->record == RECORD_BINS)
        return sample_bins_run(p, &engines->place, folder, signal);
    series_start one = {p, NULL, folder, engines->start};
    return tempering_run_word(&one, 1, engines, signal);
}

exit_status tempering_run_word(series_start start[], size_t count, const engine_pool *engines,
                               int *signal) {
    const parameters *const p = start->given;
    engine *const shared = engines->member[0];
    sample_lanes *const word = sample_lanes_create(
        shared, stream_sample_run_key(p->seed, p->sample / SAMPLE_LANES * SAMPLE_LANES, 0));
    bool made = word != NULL;
    for (size_t n = 0; n < count && made; n++) {
        const uint32_t lane = start[n].given->sample % SAMPLE_LANES;
        const couplings *const bonds =
            shared->model.lanes != NULL ? shared->model.lanes[lane] : shared->model.sample;
        spin_model model = shared->model;
        model.lanes = NULL;
        if (bonds != shared->model.sample)
            model = model_of_sample(model, bonds);
        start[n].worker = sample_lanes_add(word, lane, &model);
        made = start[n].worker != NULL;
    }
    const exit_status status =
        made ? series_run_together(start, count, engines, &way, signal)
             : complain(STATUS_REFUSED, "not enough memory for %zu samples", count);
    sample_lanes_destroy(word);
    return status;
}

static memory_share bytes(const parameters *p) {
    const uint64_t temperatures = parameters_populations(p);
    const spin_model model = parameters_replica(p);
    const bool overlaps = model.disordered && parameters_pairs(p) > 0;
    const uint64_t bins = model.levels.fine ? 2 * ENERGY_BINS_MOST : model.levels.count;
    memory_share share = series_bytes(p);
    share.each +=
        temperatures * (p->population * (model.levels.fine ? sizeof(int64_t) : sizeof(uint32_t)) +
                        3 * round_words(p->population) * sizeof(uint32_t)) +
        stepper_round_bytes(&model, temperatures, p->population, overlaps) +
        temperatures * (bins * sizeof(uint64_t) + p->population * sizeof(double)) +
        (temperatures - 1) * p->measurements * sizeof(uint32_t) +
        temperatures * TIME_BLOCKS * bins * sizeof(uint64_t) +
        (overlaps ? overlap_series_bytes(&model, temperatures, p->measurements) : 0) +
        tempering_moves_bytes(p);
    share.each *= parameters_lanes(p);
    return share;
}

extern const method tempering_method;
const method tempering_method = {.run = run, .bytes = bytes};
