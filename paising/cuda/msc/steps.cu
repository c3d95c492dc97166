/* The multi-spin-coded engine (Sec. 4): its steps, one by one, in launch batches and in rounds. */
#include "cuda/msc/state.h"

#include "cuda/device/arrays.h"
#include "cuda/msc/resident.h"
#include "cuda/msc/stripes.h"
#include "cuda/msc/tiles.h"

#include <stdlib.h>
#include <string.h>

/* --- the arguments of kernels --- */

/* Those of a range, ... */
static msc_place place_of(const cuda_population *p, const cuda_range *range) {
    const uint64_t number = p->device.interval.origin + range->first;
    return msc_place{.interval = range->replicas.interval,
                     .inherited = range->inherited,
                     .words = every_word,
                     .first_word = (uint32_t)(number / MACHINE_LANES)};
}

/* ... for a population, ... */
static msc_population population_of(const cuda_msc *m, const cuda_population *p,
                                    const engine_step *step, step_parts parts,
                                    const cuda_range *range) {
    uint32_t *const children = parts & PART_SELECT ? m->next : m->spins;
    return msc_population{.replicas = range->replicas,
                          .place = place_of(p, range),
                          .parents = m->spins,
                          .children = children + range->first / MACHINE_LANES * words_each(m),
                          .scratch = m->scratch,
                          .parent_count = p->replicas,
                          .shape = m->launches.shape,
                          .word = m->word,
                          .lattices = 0,
                          .rng = m->rng,
                          .complement = range->rule->downhill == DOWNHILL_COMPLEMENT,
                          .sweeps = step->sweeps,
                          .temperature = step->temperature,
                          .key = step->key,
                          .levels = m->levels};
}

/* ... and for a step. */
static msc_step request_of(const cuda_msc *m, const cuda_population *p, const engine_step *step,
                           step_parts parts, const cuda_range *range) {
    const uint32_t classes = m->launches.kernels->classes;
    msc_step s = {.own = population_of(m, p, step, parts, range),
                  .points = points_of(&range->rule->bernoulli, classes)};
    if (m->launches.kernels->cut) {
        s.at_sites = site_rule_of(&range->rule->bernoulli, &range->rule->odd.bernoulli);
        s.points = site_points_of(&range->rule->bernoulli, classes);
    } else if (m->rng == RNG_INDEPENDENT) {
        s.planes = branches_of(&range->rule->bernoulli, classes);
    } else {
        s.thresholds = step_rounding(step, range->rule);
    }
    return s;
}

/* Restricts a place to some machine words. */
static void take_words(msc_place *place, const word_range *words) {
    place->words = msc_words{(uint32_t)words->first, (uint32_t)words->count, (uint32_t)words->all};
}

/* --- steps --- */

/* Queues the whole step in its place, by the pre-launched kernel where there is one. */
static void launch_place(cuda_msc *m, cuda_population *p, msc_step *step, uint64_t words) {
    if (!msc_launch_prelaunched(&m->launches, p, step, words, NULL))
        msc_launch_step(&m->launches, p, step, WHOLE_STEP, words);
}

/* Releases a pre-launched step, with its place. Returns false if none waits. */
static bool release_place(prelaunch *prelaunch, const msc_place *place) {
    static_assert(sizeof *place % sizeof(uint64_t) == 0 &&
                      sizeof *place <= sizeof prelaunch->host->head,
                  "whole numbers, as many as there is room for");
    if (prelaunch->waits)
        memcpy(prelaunch->host->head, place, sizeof *place);
    return prelaunch_release(prelaunch, sizeof *place / sizeof(uint64_t));
}

/* Kernels with lattices in device memory cannot be split in two launches, which would share the
 * random streams there. */
bool msc_begin(void *state, cuda_population *p, const engine_step *step, const cuda_range *range,
               const child_assignment *children, prelaunch *prelaunch) {
    cuda_msc *const m = (cuda_msc *)state;
    const bool complement = range->rule->downhill == DOWNHILL_COMPLEMENT;
    const msc_kernel *const kernel = m->launches.launch[complement][WHOLE_STEP].kernel;
    const word_range words =
        words_of_own(children, msc_machine_words(m->word, assigned_children(children)));
    if (p->failed || words.count == 0 || !kernel || !kernel->in_shared)
        return false;
    msc_place place = place_of(p, range);
    take_words(&place, &words);
    m->begun = words;
    if (release_place(prelaunch, &place))
        return true;
    msc_step s = request_of(m, p, step, WHOLE_STEP, range);
    s.own.place = place;
    launch_place(m, p, &s, words.count);
    return true;
}

bool msc_ahead(void *state, cuda_population *p, const engine_step *step, const cuda_range *range,
               const prelaunch *prelaunch) {
    cuda_msc *const m = (cuda_msc *)state;
    msc_step s = request_of(m, p, step, WHOLE_STEP, range);
    return msc_launch_prelaunched(&m->launches, p, &s, msc_machine_words(m->word, range->most),
                                  prelaunch);
}

/* Makes the children the next parents; a second call makes these the population again. */
void msc_exchange(void *state) {
    cuda_msc *const m = (cuda_msc *)state;
    uint32_t *const parents = m->spins;
    m->spins = m->next;
    m->next = parents;
}

/* Sweeps and counts stripes, or sweeps lattices by tiles, of machine words which have a row of blocks each, from word `first` of the
 * population on. */
static void advance_rows(cuda_msc *m, cuda_population *p, const msc_step &step, step_parts parts,
                         uint64_t first, uint32_t words) {
    strip_stream *const streams = (strip_stream *)m->scratch + first * step.own.shape.strips;
    if (parts & PART_SWEEP && m->visits.order == VISIT_TILES)
        msc_sweep_tiles(p, step, m->visits, streams, words);
    else if (parts & PART_SWEEP && m->launches.resident &&
             step.own.sweeps > 1) /* a single sweep takes longer than two launches */
        msc_sweep_resident(p, step, streams, words, m->launches.resident);
    else if (parts & PART_SWEEP)
        msc_sweep_stripes(p, step, streams, words);
    if (parts & PART_MEASURE && m->counts)
        msc_count_stripes(p, step, m->counts + first, words);
}

/* The same for all words of a range. Returns the parts of the step that are left. */
static step_parts advance_in_memory(cuda_msc *m, cuda_population *p, const msc_step &step,
                                    step_parts parts, const cuda_range *range) {
    const uint64_t words = msc_machine_words(m->word, range->most);
    if (m->visits.order != VISIT_TILES && m->counts == NULL)
        return parts;
    msc_step rows = step;
    for (uint64_t done = 0; done < words; done += MOST_ROWS_OF_BLOCKS) {
        const uint64_t left = words - done;
        rows.own.children = step.own.children + done * words_each(m);
        rows.own.place.first_word = step.own.place.first_word + (uint32_t)done;
        advance_rows(m, p, rows, parts, range->first / MACHINE_LANES + done,
                     (uint32_t)(left < MOST_ROWS_OF_BLOCKS ? left : MOST_ROWS_OF_BLOCKS));
    }
    return m->counts ? (step_parts)0 : (step_parts)(parts & ~PART_SWEEP);
}

void msc_advance(void *state, cuda_population *p, const engine_step *step, step_parts parts,
                 const cuda_range *range) {
    cuda_msc *const m = (cuda_msc *)state;
    const word_range begun = m->begun;
    msc_step s = request_of(m, p, step, parts, range);
    const word_range others = {begun.first + begun.count, begun.all - begun.count, begun.all};
    const step_parts left = advance_in_memory(m, p, s, parts, range);
    if (begun.count > 0) {
        take_words(&s.own.place, &others);
        if (others.count > 0)
            launch_place(m, p, &s, others.count);
    } else if (left) {
        msc_launch_step(&m->launches, p, &s, left, msc_machine_words(m->word, range->most));
    }
    m->begun = word_range{};
    if (parts & PART_SELECT)
        msc_exchange(m);
}

/* --- launch batches --- */

static_assert(sizeof(msc_population) <= REQUEST_BYTES, "a request fits into its slot");

static bool msc_can_batch(const void *state, const void *other) {
    const cuda_msc *const m = (const cuda_msc *)state, *const o = (const cuda_msc *)other;
    return m->word == o->word && m->rng == o->rng && m->machine_words == o->machine_words &&
           msc_launches_match(&m->launches, &o->launches);
}

static void msc_record_step(void *state, cuda_population *p, const engine_step *step,
                            const cuda_range *range, void *request) {
    cuda_msc *const m = (cuda_msc *)state;
    *(msc_population *)request = population_of(m, p, step, WHOLE_STEP, range);
    msc_exchange(m);
}

static void msc_launch_steps(void *state, cuda_population *p, const engine_step *step,
                             const cuda_range *range, const batch_requests &all) {
    const cuda_msc *const m = (const cuda_msc *)state;
    msc_step s = request_of(m, p, step, WHOLE_STEP, range);
    msc_launch_batch(&m->launches, p, &s, m->machine_words, all);
}

const cuda_batch_spins msc_batch = {msc_can_batch, msc_record_step, msc_launch_steps};

/* --- rounds --- */

/* Whether there are kernels with the flips of all groups. */
static bool can_round(const cuda_msc *m, const round_plan *plan) {
    bool can = !m->counts && plan->replicas % MACHINE_LANES == 0;
    for (size_t k = 0; k < plan->groups; k++) {
        const flip_rule *const rule = &plan->group[k].rule;
        can = can && rule->clusters == CLUSTERS_NONE &&
              m->launches.of_groups[rule->downhill == DOWNHILL_COMPLEMENT].kernel != NULL;
    }
    return can && !m->launches.kernels->cut && msc_group_unit(m->word, m->rng) == MACHINE_LANES;
}

static bool msc_prepare_rounds(void *state, cuda_population *p, const round_plan *plan) {
    cuda_msc *const m = (cuda_msc *)state;
    const uint32_t classes = m->launches.kernels->classes;
    const size_t bytes = BERNOULLI_MOST_POINTS * sizeof *m->more_than;
    if (!can_round(m, plan))
        return false;
    cuda_array_give(m->more_than, ON_DEVICE);
    free(m->rules);
    free(m->complement);
    m->more_than = NULL;
    m->rules = (group_rule *)calloc(plan->groups, sizeof *m->rules);
    m->complement = (bool *)calloc(plan->groups, sizeof *m->complement);
    if (!m->rules || !m->complement)
        cuda_check(p, cudaErrorMemoryAllocation, "host memory for rounds");
    CUDA_CHECK(p, cuda_take(&m->more_than, plan->groups * bytes, ON_DEVICE));
    for (size_t k = 0; k < plan->groups && !p->failed; k++) {
        const bernoulli_table *const table = &plan->group[k].rule.bernoulli;
        m->rules[k] = group_rule{branches_of(table, classes), points_of(table, classes)};
        m->complement[k] = plan->group[k].rule.downhill == DOWNHILL_COMPLEMENT;
        CUDA_CHECK(p, cudaMemcpy(m->more_than + k * BERNOULLI_MOST_POINTS, table->more_than, bytes,
                                 cudaMemcpyHostToDevice));
    }
    return !p->failed;
}

static void msc_make_round(void *state, cuda_population *p, const engine_round *round,
                           const cuda_round *sees) {
    cuda_msc *const m = (cuda_msc *)state;
    const flip_rule none = {};
    const engine_step step = {
        .key = round->key, .temperature = round->temperature, .sweeps = round->sweeps};
    const cuda_range all = {p->device, 0, p->replicas, &none};
    msc_round r = {.own = population_of(m, p, &step, PART_SELECT, &all),
                   .round = *sees,
                   .more_than = m->more_than};
    for (uint32_t k = 0, groups = 0; k < sees->groups; k++) {
        const bool last = k + 1 == sees->groups || m->complement[k + 1] != m->complement[k];
        r.rule[groups++] = m->rules[k];
        if (!last && groups < ROUND_GROUPS)
            continue;
        r.first = k + 1 - groups;
        msc_launch_round(&m->launches, p, &r, groups, m->complement[k]);
        groups = 0;
    }
    msc_exchange(m);
}

const cuda_round_spins msc_rounds = {msc_prepare_rounds, msc_make_round, NULL};
