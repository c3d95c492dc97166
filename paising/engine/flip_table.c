/* Tables of probabilities of graphs (flip_table.h). */
#include "flip_table.h"

#include "fine_flips.h"

#include <math.h>
#include <stdlib.h>

void probability_split(double probability, uint32_t *threshold, uint64_t *fraction,
                       uint64_t *rest) {
    const double scaled = 0x1p32 * fmin(probability, 1 - 0x1p-32);
    const double behind = 0x1p64 * (scaled - floor(scaled));
    *threshold = (uint32_t)scaled;
    *fraction = (uint64_t)behind;
    *rest = (uint64_t)(0x1p64 * (behind - floor(behind)));
}

/* A table that was made, and what it follows from besides. */
typedef struct made {
    struct made *next;
    double spacing; /* in units of J */
    flip_table table;
} made;

static made *all;

static bool create(flip_table *t, uint32_t most) {
    const size_t changes = 2 * (size_t)most + 1;
    uint64_t *const all_of_it = calloc(changes, 2 * sizeof *all_of_it + sizeof *t->threshold);
    if (all_of_it == NULL)
        return false;
    t->most = most;
    t->fraction = all_of_it;
    t->rest = all_of_it + changes;
    t->threshold = (uint32_t *)(all_of_it + 2 * changes);
    return true;
}

/* The change whose probability decides the flips of change c; of DOWNHILL_ALWAYS there is none for c <= 0. */
static int64_t deciding(downhill_flips downhill, int64_t c) {
    return downhill == DOWNHILL_COMPLEMENT && c < 0 ? -c : c;
}

static void fill(made *m) {
    const downhill_flips downhill = m->table.update->downhill;
    flip_table *const t = &m->table;
    for (int64_t c = -(int64_t)t->most; c <= t->most; c++) {
        const size_t n = (size_t)(c + t->most);
        if (downhill == DOWNHILL_ALWAYS && c <= 0)
            t->threshold[n] = UINT32_MAX;
        else if (downhill == DOWNHILL_COMPLEMENT && c == 0)
            t->threshold[n] = UINT32_C(1) << 31; /* 1/2 */
        else
            probability_split(
                t->update->accept(t->beta, m->spacing * (double)deciding(downhill, c)),
                &t->threshold[n], &t->fraction[n], &t->rest[n]);
    }
}

/* Adds a table to those that stay. */
static made *add(const update_kind *update, double beta, double spacing, uint32_t most) {
    made *const m = calloc(1, sizeof *m);
    if (m == NULL || !create(&m->table, most)) {
        free(m);
        return NULL;
    }
    m->table.update = update;
    m->table.beta = beta;
    m->spacing = spacing;
    m->next = all;
    return all = m;
}

static const flip_table *find_or_make(const update_kind *update, double beta, double spacing,
                                      uint32_t most) {
    made *m = all;
    while (m != NULL && (m->table.update != update || m->table.beta != beta ||
                         m->spacing != spacing || m->table.most != most))
        m = m->next;
    if (m != NULL || (m = add(update, beta, spacing, most)) == NULL)
        return m != NULL ? &m->table : NULL;
    fill(m);
    return &m->table;
}

const flip_table *flip_table_at(const update_kind *update, const spin_model *model, double beta) {
    const double spacing = (double)model->levels.spacing / level_unit(model->levels);
    const flip_table *found;
#pragma omp critical(flip_tables)
    found = find_or_make(update, beta, spacing, model->graph->most_change);
    return found;
}

void flip_tables_forget(void) {
    fine_flips_forget();
    while (all != NULL) {
        made *const m = all;
        all = m->next;
        free(m->table.fraction);
        free(m);
    }
}
