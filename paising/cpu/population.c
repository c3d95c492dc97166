#include "population.h"

#include <stdlib.h>
#include <string.h>

uint64_t population_bytes(uint64_t capacity) {
    return 5 * sizeof(uint32_t) * capacity;
}

int population_create(population *p, uint64_t capacity) {
    *p = (population){.capacity = capacity};
    uint32_t **const arrays[] = {&p->level, &p->half_m, &p->family, &p->parent, &p->scratch};
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
    free(p->half_m);
    free(p->family);
    free(p->parent);
    free(p->scratch);
    *p = (population){0};
}

void population_found(population *p, uint64_t replicas) {
    p->replicas = replicas;
    for (uint64_t k = 0; k < replicas; k++)
        p->family[k] = (uint32_t)k;
}

engine_status population_resample(population *p, const engine_step *step, histogram *out) {
    uint32_t *const old_family = p->family;
    uint64_t children = 0;
    stream_block draw = {{0}};

    histogram_clear(out);
    for (uint64_t j = 0; j < p->replicas; j++) {
        if (j % 4 == 0)
            draw =
                stream_draw(step->key, STREAM_RESAMPLE, 0, (uint32_t)(j / 4), 0, step->temperature);
        const uint64_t tau_hat = step->copies[p->level[j]];
        parent_sums *const block = &out->parent[population_block(old_family[j], step->founders)];
        block->parents++;
        block->copies += tau_hat;

        const uint64_t copies = (tau_hat >> 32) + (draw.number[j % 4] < (uint32_t)tau_hat);
        if (copies > p->capacity - children)
            return ENGINE_OUTGROWN;
        for (uint64_t k = children; k < children + copies; k++) {
            p->parent[k] = (uint32_t)j;
            p->scratch[k] = old_family[j];
        }
        children += copies;
    }
    p->family = p->scratch;
    p->scratch = old_family;
    p->replicas = children;
    return children ? ENGINE_OK : ENGINE_EXTINCT;
}

void population_report(const population *p, histogram *out) {
    uint64_t members = 0; /* of the family at hand; families are contiguous */
    out->population = p->replicas;
    for (uint64_t k = 0; k < p->replicas; k++) {
        histogram_add(out, k, p->level[k], p->half_m[k]);
        members++;
        if (k + 1 == p->replicas || p->family[k + 1] != p->family[k]) {
            out->families++;
            out->family_squares += members * members;
            members = 0;
        }
    }
}
