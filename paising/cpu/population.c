/* Families, parents and resampling on the CPU. For the rule of eq. (2) select_by_tau_hat()
 * computes, bit for bit, what resample() in reference/plain.c does. */
#include "population.h"

#include "engine/msc_layout.h"
#include "resample/rules.h"

#include <stdlib.h>
#include <string.h>

static bool has_points(resampling_rule rule) {
    return resampling_way_of(rule) == BY_POINTS;
}

uint64_t population_bytes(uint64_t capacity, resampling_rule rule) {
    const uint64_t of_points = has_points(rule) ? sizeof(uint64_t) + sizeof(uint32_t) : 0;
    return (5 * sizeof(uint32_t) + of_points) * capacity;
}

uint64_t population_energy_bytes(uint64_t capacity) {
    return 2 * sizeof(int64_t) * capacity;
}

int population_create(population *p, uint64_t capacity, resampling_rule rule) {
    *p = (population){.rule = rule, .capacity = capacity};
    uint32_t **const array[] = {&p->level,  &p->order,   &p->family,
                                &p->parent, &p->scratch, &p->fallen};
    const size_t without = has_points(rule) ? 0 : 1; /* the last array is for points */
    bool good = true;
    for (size_t n = 0; n < sizeof array / sizeof *array - without; n++) {
        *array[n] = malloc(capacity * sizeof(uint32_t));
        good = good && *array[n] != NULL;
    }
    if (has_points(rule)) {
        p->ends = malloc(capacity * sizeof *p->ends);
        good = good && p->ends != NULL;
    }
    if (!good)
        population_destroy(p);
    return good ? 0 : -1;
}

int population_create_energies(population *p) {
    p->energy = malloc(p->capacity * sizeof *p->energy);
    p->sorted = malloc(p->capacity * sizeof *p->sorted);
    return p->energy != NULL && p->sorted != NULL ? 0 : -1;
}

void population_destroy(population *p) {
    free(p->level);
    free(p->energy);
    free(p->sorted);
    free(p->order);
    free(p->family);
    free(p->parent);
    free(p->scratch);
    free(p->ends);
    free(p->fallen);
    *p = (population){0};
}

/* The size of the whole population, of which this may be a share. */
static uint64_t whole(const population *p) {
    return p->all > 0 ? p->all : p->replicas;
}

void population_found(population *p, uint64_t replicas) {
    p->replicas = replicas;
    p->founders = whole(p);
    p->scattered = false;
    memset(p->parent_block, 0, sizeof p->parent_block);
    for (uint64_t k = 0; k < replicas; k++)
        p->family[k] = (uint32_t)(p->origin + k);
}

void population_load(population *p, uint64_t first, uint64_t count, uint64_t replicas,
                     const uint32_t *families) {
    p->replicas = replicas;
    p->founders = 0;
    p->scattered = false;
    memcpy(p->family + first, families, count * sizeof *families);
}

/* Computes where each parent ends on the line, and clears its points. Returns the end of the last
 * parent. */
static uint64_t stand_on_line(population *p, const engine_step *step) {
    uint64_t end = step->line.before;
    for (uint64_t j = 0; j < p->replicas; j++) {
        end += resampling_weight(p->rule, step->tau_hat[p->level[j]]);
        p->ends[j] = end;
        p->fallen[j] = 0;
    }
    return end;
}

/* Counts the points in bins first .. first + bins - 1. */
static void count_bins(const fall *f, uint64_t first, uint64_t bins, uint32_t *count) {
    memset(count, 0, bins * sizeof *count);
    for (uint64_t k = 0; k < f->line.points; k += 4) {
        const stream_block four = fall_four(f, k / 4);
        for (uint64_t n = 0; n < 4 && k + n < f->line.points; n++) {
            const uint64_t bin = fall_bin(f, four.number[n]) - first;
            if (bin < bins)
                count[bin]++;
        }
    }
}

/* The first of parents first .. end - 1 that ends behind a weight of the line; `end` if there is
 * none. */
static uint64_t parent_at(const population *p, uint64_t first, uint64_t end, uint64_t weight) {
    for (uint64_t count = end - first; count > 0;) {
        const uint64_t half = count / 2;
        const bool before = p->ends[first + half] <= weight;
        first = before ? first + half + 1 : first;
        count = before ? count - half - 1 : half;
    }
    return first;
}

/* Drops the points of a bin. `first` is the first local parent that ends behind the beginning of
 * the bin; returns that of the next bin. */
static uint64_t drop_bin(population *p, const fall *f, uint64_t bin, uint64_t points,
                         uint64_t first) {
    const uint64_t last = fall_place(f, bin, UINT64_MAX);
    uint64_t end = first; /* end of the parents that end in the bin */
    while (end < p->replicas && p->ends[end] <= last)
        end++;
    for (uint64_t k = 0; k < points; k += 2) {
        uint64_t place[2];
        fall_pair(f, bin, (uint32_t)(k / 2), place);
        for (uint64_t n = 0; n < 2 && k + n < points; n++) {
            const uint64_t parent = parent_at(p, first, end, place[n]);
            if (place[n] >= f->line.before && parent < p->replicas)
                p->fallen[parent]++;
        }
    }
    return end;
}

/* Drops all points on the line, and counts those on each local parent. scratch[] holds the numbers
 * of points of as many bins as fit. */
static void drop_points(population *p, const engine_step *step, selection_numbers numbers) {
    const fall f = fall_of(step->line, numbers);
    const uint64_t end = stand_on_line(p, step);
    const bin_range all = fall_bins(&f, step->line.before, end);
    uint64_t parent = 0;
    for (uint64_t first = all.first; first < all.end; first += p->capacity) {
        const uint64_t left = all.end - first, bins = left < p->capacity ? left : p->capacity;
        count_bins(&f, first, bins, p->scratch);
        for (uint64_t n = 0; n < bins; n++)
            parent = drop_bin(p, &f, first + n, p->scratch[n], parent);
    }
}

/* State of a selection: what is known of the parents already processed. */
typedef struct {
    selection_numbers numbers;
    stream_block four; /* random numbers shared by four parents */
    uint64_t offset;   /* of systematic resampling */
    uint64_t weight;   /* end on the line of the parents processed */
    uint64_t before;   /* children of the parents processed */
} turns;

static turns begin_turns(population *p, const engine_step *step) {
    turns t = {.numbers = {step->key, step->temperature}, .weight = step->line.before};
    t.offset = systematic_offset(step->line, t.numbers);
    t.before = resampling_before(p->rule, step->line, t.numbers, t.offset, t.weight);
    if (has_points(p->rule))
        drop_points(p, step, t.numbers);
    return t;
}

/* The number of children of local parent j by the rule. Parents must be processed in order. */
static uint64_t copies_of(population *p, const engine_step *step, turns *t, uint64_t j) {
    const uint64_t tau_hat = step->tau_hat[p->level[j]];
    const uint64_t number = p->origin + j;
    parent_sums *const block = &p->parent_block[population_block(p->family[j], step->founders)];
    block->parents++;
    block->tau_hat += tau_hat;
    switch (resampling_way_of(p->rule)) {
    case BY_PLACE: {
        const uint64_t before = t->before;
        t->weight += resampling_weight(p->rule, tau_hat);
        t->before = resampling_before(p->rule, step->line, t->numbers, t->offset, t->weight);
        return t->before - before;
    }
    case BY_POINTS:
        return resampling_sure(p->rule, tau_hat) + p->fallen[j];
    case BY_THEMSELVES:
        break;
    }
    if (j % 4 == 0)
        t->four = resampling_shared(t->numbers, number);
    return resampling_copies_of(p->rule, t->numbers, (uint32_t)number, &t->four, tau_hat);
}

/* Selects by the rule. Returns the number of children, or UINT64_MAX if they exceed the capacity. */
static uint64_t select_by_tau_hat(population *p, const engine_step *step) {
    turns t = begin_turns(p, step);
    uint64_t children = 0;
    for (uint64_t j = 0; j < p->replicas; j++) {
        const uint64_t copies = copies_of(p, step, &t, j);
        if (copies > p->capacity - children)
            return UINT64_MAX;
        for (uint64_t k = children; k < children + copies; k++) {
            p->parent[k] = (uint32_t)j;
            p->scratch[k] = p->family[j];
        }
        children += copies;
    }
    return children;
}

static uint64_t select_by_parents(population *p, const engine_step *step) {
    if (step->children > p->capacity)
        return UINT64_MAX;
    for (uint64_t k = 0; k < step->children; k++) {
        p->parent[k] = step->parents[k];
        p->scratch[k] = p->family[step->parents[k]];
    }
    p->scattered = true;
    return step->children;
}

/* Clears the sums over parents, and notes the founders. */
static void begin_selection(population *p, const engine_step *step) {
    memset(p->parent_block, 0, sizeof p->parent_block);
    p->founders = step->founders;
}

/* Replaces the population by `children` children, whose families are in scratch[]. */
static void replace_parents(population *p, uint64_t children) {
    uint32_t *const old_family = p->family;
    p->family = p->scratch;
    p->scratch = old_family;
    p->replicas = children;
}

engine_status population_select(population *p, const engine_step *step) {
    if (step->tau_hat == NULL && step->parents == NULL) {
        replace_parents(p, assigned_children(&p->assigned));
        return ENGINE_OK;
    }
    begin_selection(p, step);
    const uint64_t children =
        step->tau_hat != NULL ? select_by_tau_hat(p, step) : select_by_parents(p, step);
    if (children == UINT64_MAX)
        return ENGINE_OUTGROWN;
    replace_parents(p, children);
    return children ? ENGINE_OK : ENGINE_EXTINCT;
}

void population_take_back(population *p, uint64_t parents) {
    replace_parents(p, parents);
}

/* --- shares --- */

void population_hold(population *p, uint64_t origin, uint64_t all) {
    p->origin = origin;
    p->all = all;
}

engine_status population_count_offspring(population *p, const engine_step *step,
                                         uint64_t *children) {
    begin_selection(p, step);
    turns t = begin_turns(p, step);
    *children = 0;
    for (uint64_t j = 0; j < p->replicas; j++) {
        *children += copies_of(p, step, &t, j);
        if (*children > UINT32_MAX)
            return ENGINE_OUTGROWN;
        p->scratch[j] = (uint32_t)*children;
    }
    return ENGINE_OK;
}

void population_parents(const population *p, uint64_t first, uint64_t count, uint32_t *places) {
    uint64_t parent = 0, above = p->replicas; /* search interval for the parent of child `first` */
    while (parent < above) {
        const uint64_t middle = (parent + above) / 2;
        if (p->scratch[middle] > first)
            above = middle;
        else
            parent = middle + 1;
    }
    for (uint64_t n = 0; n < count; n++) {
        while (p->scratch[parent] <= first + n)
            parent++;
        places[n] = (uint32_t)parent;
    }
}

engine_status population_assign(population *p, const child_assignment *children) {
    const uint64_t below = children->below, own = children->own;
    if (assigned_children(children) > p->capacity)
        return ENGINE_OUTGROWN;
    population_parents(p, children->first, own, p->parent + below);
    for (uint64_t k = below; k < below + own; k++)
        p->scratch[k] = p->family[p->parent[k]];
    p->assigned = *children;
    population_hold(p, children->origin, children->population);
    return ENGINE_OK;
}

/* Notes the parents and families of children from number k on. */
static void list_parents(population *p, uint64_t k, parent_list of, uint64_t count) {
    for (uint64_t n = 0; n < count; n++) {
        p->parent[k + n] = of.place[n];
        p->scratch[k + n] = of.family[n];
    }
}

void population_attach(population *p, parent_list below, parent_list above) {
    const child_assignment *const a = &p->assigned;
    list_parents(p, 0, below, a->below);
    list_parents(p, a->below + a->own, above, a->above);
}

void population_families(const population *p, uint64_t first, uint64_t words, uint32_t *to) {
    const uint64_t left = p->replicas - first, most = words * MACHINE_LANES;
    const uint64_t count = left < most ? left : most;
    memcpy(to, p->family + first, count * sizeof *to);
}

/* --- reports --- */

static void report_founders(const population *p, histogram *out) {
    if (p->founders > 0)
        for (uint64_t k = 0; k < p->replicas; k++)
            histogram_add_founder(out, p->family[k], p->founders, p->level[k]);
}

/* Counts families, which are contiguous. */
static void count_families(const population *p, histogram *out) {
    uint64_t members = 0; /* of the current family */
    for (uint64_t k = 0; k < p->replicas; k++) {
        members++;
        if (k + 1 == p->replicas || p->family[k + 1] != p->family[k]) {
            out->edge[1] = (family_run){p->family[k], (uint32_t)members};
            out->edge[0] = out->families == 0 ? out->edge[1] : out->edge[0];
            out->families++;
            out->family_squares += members * members;
            members = 0;
        }
    }
}

static int compare_energies(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Lists the energies that replicas first .. end - 1 have, each once and rising, and sets the level of each replica. */
static void rank_energies(population *p, uint64_t first, uint64_t end, histogram *out) {
    const size_t replicas = end - first;
    size_t count = 0;
    memcpy(p->sorted, p->energy + first, replicas * sizeof *p->sorted);
    qsort(p->sorted, replicas, sizeof *p->sorted, compare_energies);
    for (size_t k = 0; k < replicas; k++)
        if (k == 0 || p->sorted[k] != p->sorted[k - 1])
            out->energy[count++] = p->sorted[k];
    for (uint64_t k = first; k < end; k++) {
        const int64_t *const at =
            bsearch(&p->energy[k], out->energy, count, sizeof *out->energy, compare_energies);
        p->level[k] = (uint32_t)(at - out->energy);
    }
}

/* Fills *out for replicas first .. end - 1. The first of them has number `number` in a population
 * of `all`. */
static void report_range(population *p, uint64_t first, uint64_t end, uint64_t number, uint64_t all,
                         histogram *out) {
    histogram_clear(out);
    out->population = all;
    if (p->energy != NULL)
        rank_energies(p, first, end, out);
    for (uint64_t k = first; k < end; k++)
        histogram_add(out, number + k - first, p->level[k], p->order[k]);
}

void population_report(population *p, const engine_step *step, histogram *out) {
    for (size_t g = 0; g < step->groups; g++) {
        const uint64_t first = step->group[g].first;
        const uint64_t end = g + 1 < step->groups ? step->group[g + 1].first : p->replicas;
        report_range(p, first, end, 0, end - first, &out[g]);
    }
    if (step->groups == 0) {
        report_range(p, 0, p->replicas, p->origin, whole(p), out);
        report_founders(p, out);
        memcpy(out->parent, p->parent_block, sizeof out->parent);
        if (!p->scattered)
            count_families(p, out);
    }
    memset(p->parent_block, 0, sizeof p->parent_block);
}

uint64_t population_family_logs(const population *p) {
    return overlap_family_logs(p->family, p->replicas);
}
