/* Families, parents and the resampling of eq. (2) on the CPU. What select_by_copies() computes, bit for
 * bit: resample() in reference/plain.c. */
#include "population.h"

#include "resample/rules.h"

#include <stdlib.h>
#include <string.h>

uint64_t population_bytes(uint64_t capacity) {
    return 5 * sizeof(uint32_t) * capacity;
}

int population_create(population *p, uint64_t capacity) {
    *p = (population){.capacity = capacity};
    uint32_t **const arrays[] = {&p->level, &p->order, &p->family, &p->parent, &p->scratch};
    for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++) {
        *arrays[n] = malloc(capacity * sizeof(uint32_t));
        if (!*arrays[n]) {
            population_destroy(p);
            return -1;
        }
    }
    return 0;
}

void population_destroy(population *p) {
    free(p->level);
    free(p->order);
    free(p->family);
    free(p->parent);
    free(p->scratch);
    *p = (population){0};
}

void population_found(population *p, uint64_t replicas) {
    p->replicas = p->founders = replicas;
    p->scattered = false;
    memset(p->parent_block, 0, sizeof p->parent_block);
    for (uint64_t k = 0; k < replicas; k++)
        p->family[k] = (uint32_t)k;
}

/* Eq. (2). Returns the number of children, or UINT64_MAX if there is no room for them. */
static uint64_t select_by_copies(population *p, const engine_step *step) {
    uint64_t children = 0;
    stream_block draw = {{0}};
    for (uint64_t j = 0; j < p->replicas; j++) {
        if (j % 4 == 0)
            draw =
                stream_draw(step->key, STREAM_RESAMPLE, 0, (uint32_t)(j / 4), 0, step->temperature);
        const uint64_t tau_hat = step->copies[p->level[j]];
        parent_sums *const block = &p->parent_block[population_block(p->family[j], step->founders)];
        block->parents++;
        block->copies += tau_hat;

        const uint64_t copies = copies_by_rule(step->resampling, tau_hat, draw.number[j % 4]);
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
