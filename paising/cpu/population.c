/* Families, parents and their resampling on the CPU. What select_by_copies() computes by the rule of eq. (2),
 * bit for bit: resample() in reference/plain.c. */
#include "population.h"

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

int population_create(population *p, uint64_t capacity, resampling_rule rule) {
    *p = (population){.rule = rule, .capacity = capacity};
    uint32_t **const arrays[] = {&p->level,  &p->order,   &p->family,
                                 &p->parent, &p->scratch, &p->fallen};
    const size_t count = sizeof arrays / sizeof *arrays - !has_points(rule);
    bool good = true;
    for (size_t n = 0; n < count; n++) {
        *arrays[n] = malloc(capacity * sizeof(uint32_t));
        good = good && *arrays[n] != NULL;
    }
    if (has_points(rule)) {
        p->ends = malloc(capacity * sizeof *p->ends);
        good = good && p->ends != NULL;
    }
    if (!good)
        population_destroy(p);
    return good ? 0 : -1;
}

void population_destroy(population *p) {
    free(p->level);
    free(p->order);
    free(p->family);
    free(p->parent);
    free(p->scratch);
    free(p->ends);
    free(p->fallen);
    *p = (population){0};
}

void population_found(population *p, uint64_t replicas) {
    p->replicas = p->founders = replicas;
    p->scattered = false;
    memset(p->parent_block, 0, sizeof p->parent_block);
    for (uint64_t k = 0; k < replicas; k++)
        p->family[k] = (uint32_t)k;
}

/* Lets the points fall on the line of the parents, and counts those on each; some may fall on parents elsewhere. */
static void drop_points(population *p, const engine_step *step, selection_numbers numbers) {
    uint64_t end = step->line.before;
    for (uint64_t j = 0; j < p->replicas; j++) {
        end += resampling_weight(p->rule, step->copies[p->level[j]]);
        p->ends[j] = end;
        p->fallen[j] = 0;
    }
    for (uint64_t k = 0; k < step->line.points; k++) {
        const uint64_t point = multinomial_point(step->line, numbers, k);
        uint64_t first = 0; /* of the parents that end behind it */
        if (point < step->line.before || point >= end)
            continue;
        for (uint64_t count = p->replicas; count > 0;) {
            const uint64_t half = count / 2;
            const bool before = p->ends[first + half] <= point;
            first = before ? first + half + 1 : first;
            count = before ? count - half - 1 : half;
        }
        p->fallen[first]++;
    }
}

/* What is known of the parents that had their turn. */
typedef struct {
    selection_numbers numbers;
    stream_block four; /* random numbers, of four parents each */
    uint64_t offset;   /* of systematic points */
    uint64_t weight;   /* on the line, of those that had their turn and all before, */
    uint64_t before;   /* and their children */
} turns;

/* The children of parent j, whose turn it is. */
static uint64_t copies_of(const population *p, const engine_step *step, turns *t, uint64_t j,
                          uint64_t tau_hat) {
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
        t->four = resampling_shared(t->numbers, (uint32_t)j);
    return resampling_copies_of(p->rule, t->numbers, (uint32_t)j, &t->four, tau_hat);
}

/* By the rule. Returns the number of children, or UINT64_MAX if there is no room for them. */
static uint64_t select_by_copies(population *p, const engine_step *step) {
    turns t = {.numbers = {step->key, step->temperature}};
    uint64_t children = 0;
    t.offset = systematic_offset(step->line, t.numbers);
    t.weight = step->line.before;
    if (resampling_way_of(p->rule) == BY_PLACE)
        t.before = resampling_before(p->rule, step->line, t.numbers, t.offset, t.weight);
    if (has_points(p->rule))
        drop_points(p, step, t.numbers);
    for (uint64_t j = 0; j < p->replicas; j++) {
        const uint64_t tau_hat = step->copies[p->level[j]];
        parent_sums *const block = &p->parent_block[population_block(p->family[j], step->founders)];
        block->parents++;
        block->copies += tau_hat;

        const uint64_t copies = copies_of(p, step, &t, j, tau_hat);
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

engine_status population_select(population *p, const engine_step *step) {
    uint32_t *const old_family = p->family;
    memset(p->parent_block, 0, sizeof p->parent_block);
    p->founders = step->founders;
    const uint64_t children =
        step->copies != NULL ? select_by_copies(p, step) : select_by_parents(p, step);
    if (children == UINT64_MAX)
        return ENGINE_OUTGROWN;
    p->family = p->scratch;
    p->scratch = old_family;
    p->replicas = children;
    return children ? ENGINE_OK : ENGINE_EXTINCT;
}

static void report_founders(const population *p, histogram *out) {
    if (p->founders > 0)
        for (uint64_t k = 0; k < p->replicas; k++)
            histogram_add_founder(out, p->family[k], p->founders, p->level[k]);
}

/* Families are contiguous. */
static void count_families(const population *p, histogram *out) {
    uint64_t members = 0; /* of the family at hand */
    for (uint64_t k = 0; k < p->replicas; k++) {
        members++;
        if (k + 1 == p->replicas || p->family[k + 1] != p->family[k]) {
            out->families++;
            out->family_squares += members * members;
            members = 0;
        }
    }
}

/* Reports replicas first .. end-1. */
static void report_range(const population *p, uint64_t first, uint64_t end, histogram *out) {
    histogram_clear(out);
    out->population = end - first;
    for (uint64_t k = first; k < end; k++)
        histogram_add(out, k - first, p->level[k], p->order[k]);
}

void population_report(population *p, const engine_step *step, histogram *out) {
    for (size_t g = 0; g < step->groups; g++)
        report_range(p, step->group[g].first,
                     g + 1 < step->groups ? step->group[g + 1].first : p->replicas, &out[g]);
    if (step->groups == 0) {
        report_range(p, 0, p->replicas, out);
        report_founders(p, out);
        memcpy(out->parent, p->parent_block, sizeof out->parent);
        if (!p->scattered)
            count_families(p, out);
    }
    memset(p->parent_block, 0, sizeof p->parent_block);
}
