/* Even subgraphs of a torus by four Pfaffians (torus.h).
 *
 * Each site has four Grassmann variables R, L, U, D, in this order, site after site. An
 * antisymmetric matrix A has these entries between the variables of a site
 *
 *              R   L   U   D
 *          R   0   1  -1  -1
 *          L  -1   0   1  -1
 *          U   1  -1   0   1
 *          D   1   1  -1   0
 *
 * and, for the bonds, A(R of x, L of x + 1) = A(U of y, D of y + 1) = J t. A perfect matching of
 * the variables is an even subgraph. Its bonds are the matched ones. An even number of variables is
 * left at a site, and is matched there (four of them in three ways, whose signs add up to -1; but
 * the number of sites is even). With Kasteleyn's orientation every contractible subgraph counts +1.
 * A subgraph that winds around the torus counts with a sign that depends only on its winding
 * numbers modulo 2. The bonds that close the rows have J t or -J t, and so do those that close the
 * columns, which gives four Pfaffians, and
 *
 *     S = (Pf(-, -) + Pf(-, +) + Pf(+, -) - Pf(+, +)) / 2
 *
 * counts each subgraph once.
 *
 * Only a frontier of the matrix is stored. Sites are added row by row. A variable whose entries are
 * complete is eliminated with another such variable, by Pf A = A(k, l) Pf A' and
 *
 *     A'(i, j) = A(i, j) - (A(k, i) A(l, j) - A(l, i) A(k, j)) / A(k, l).
 *
 * The variables D of the first row, U of the last one, and a few more must be kept: 2 Lx. In
 * floating point this would need many digits at low temperature, where terms of both signs are much
 * larger than their sum. Modulo a prime nothing is rounded. */
#include "torus.h"

#include <stdlib.h>
#include <string.h>

enum { R, L, U, D, VARIABLES };

static const int of_site[VARIABLES][VARIABLES] = {
    {0, 1, -1, -1}, {-1, 0, 1, -1}, {1, -1, 0, 1}, {1, 1, -1, 0}};

/* Spare places besides the 2 Lx + 6 variables that exist at a time if elimination is never delayed. */
#define SPARE_PLACES 40

/* The stored part of the matrix. */
typedef struct {
    const couplings *c;
    modulus m;
    uint64_t t[2];   /* t, -t */
    uint64_t value;  /* product of the pivots so far, with the signs of their positions */
    size_t room, n;  /* number of places; places 0 .. n-1 are taken */
    uint32_t *name;  /* [place]: number of the variable, site * VARIABLES + R, L, U or D */
    bool *complete;  /* [place]: whether all its entries are known */
    uint32_t *place; /* [name] */
    uint64_t *entry; /* [place i][place j], i < j: A(i, j) */
    uint64_t *row[2];
} frontier;

static uint64_t *entry_of(frontier *f, size_t i, size_t j) {
    return &f->entry[i * f->room + j];
}

static uint64_t get(frontier *f, size_t i, size_t j) {
    return i < j ? *entry_of(f, i, j) : i > j ? modular_negate(&f->m, *entry_of(f, j, i)) : 0;
}

static void set(frontier *f, size_t i, size_t j, uint64_t value) {
    if (i < j)
        *entry_of(f, i, j) = value;
    else if (i > j)
        *entry_of(f, j, i) = modular_negate(&f->m, value);
}

/* --- Elimination --- */

/* Moves the last variable to the place of one that was eliminated. */
static void remove_place(frontier *f, size_t k) {
    const size_t last = --f->n;
    if (k == last)
        return;
    for (size_t j = 0; j < last; j++)
        if (j != k)
            set(f, k, j, get(f, last, j));
    f->name[k] = f->name[last];
    f->complete[k] = f->complete[last];
    f->place[f->name[k]] = (uint32_t)k;
}

/* Eliminates the variables at places k and l, whose entry is not 0. */
static void eliminate(frontier *f, size_t k, size_t l) {
    const modulus *const m = &f->m;
    const uint64_t pivot = get(f, k, l), inverse = modular_inverse(m, pivot);
    const uint32_t first = f->name[k] < f->name[l] ? f->name[k] : f->name[l];
    const uint32_t second = f->name[k] < f->name[l] ? f->name[l] : f->name[k];
    int between = f->name[k] > f->name[l]; /* then the pivot is -A(first, second) */
    for (size_t i = 0; i < f->n; i++)
        between += f->name[i] > first && f->name[i] < second;
    f->value = modular_multiply(m, f->value, pivot);
    if (between % 2 == 1)
        f->value = modular_negate(m, f->value);

    uint64_t *const a = f->row[0], *const b = f->row[1];
    for (size_t j = 0; j < f->n; j++) {
        a[j] = modular_multiply(m, get(f, k, j), inverse);
        b[j] = get(f, l, j);
    }
    for (size_t i = 0; i < f->n; i++) {
        const uint64_t ai = modular_negate(m, a[i]), bi = b[i];
        uint64_t *const row = entry_of(f, i, 0);
        for (size_t j = i + 1; j < f->n; j++)
            row[j] =
                modular_add(m, row[j], modular_reduce(m, (uint128)ai * b[j] + (uint128)bi * a[j]));
    }
    remove_place(f, k > l ? k : l);
    remove_place(f, k > l ? l : k);
}

/* Eliminates all pairs of complete variables with an entry that is not 0. */
static void eliminate_complete(frontier *f) {
    for (size_t k = 0; k < f->n; k++)
        for (size_t l = 0; l < k && f->complete[k]; l++)
            if (f->complete[l] && get(f, k, l) != 0) {
                eliminate(f, k, l);
                k = l = 0;
            }
}

/* --- Sites and bonds --- */

static void join(frontier *f, uint32_t from, uint32_t to, bool negative) {
    const size_t i = f->place[from], j = f->place[to];
    set(f, i, j, modular_add(&f->m, get(f, i, j), f->t[negative]));
    f->complete[i] = f->complete[j] = true;
}

/* Adds a site, with the bonds to sites that exist already. twisted[d]: -J t on the bonds that close
 * the lattice in direction d. Returns false if there is no place. */
static bool add_site(frontier *f, uint32_t site, const bool twisted[2]) {
    const couplings *const c = f->c;
    if (f->n + VARIABLES > f->room)
        return false;
    for (uint32_t v = 0; v < VARIABLES; v++) {
        const size_t at = f->n++;
        f->name[at] = site * VARIABLES + v;
        f->place[f->name[at]] = (uint32_t)at;
        f->complete[at] = false;
        for (size_t j = 0; j < at; j++)
            *entry_of(f, j, at) = 0;
        for (uint32_t w = 0; w < v; w++)
            *entry_of(f, at - v + w, at) =
                of_site[w][v] > 0 ? f->m.one : modular_negate(&f->m, f->m.one);
    }
    static const uint32_t from[2] = {R, U}, to[2] = {L, D};
    const uint32_t at[2] = {site % c->edge[0], site / c->edge[0]}, stride[2] = {1, c->edge[0]};
    for (uint32_t d = 0; d < 2; d++) {
        const uint32_t before = site - stride[d];
        if (at[d] > 0)
            join(f, before * VARIABLES + from[d], site * VARIABLES + to[d],
                 couplings_negative(c, (uint64_t)before * 2 + d));
        if (at[d] == c->edge[d] - 1)
            join(f, site * VARIABLES + from[d],
                 (uint32_t)couplings_neighbour(c, site, d) * VARIABLES + to[d],
                 couplings_negative(c, (uint64_t)site * 2 + d) != twisted[d]);
    }
    eliminate_complete(f);
    return true;
}

static bool add_sites(frontier *f, uint32_t first, uint32_t end, bool twisted_x, bool twisted_y) {
    bool good = true;
    for (uint32_t site = first; site < end && good; site++)
        good = add_site(f, site, (bool[]){twisted_x, twisted_y});
    return good;
}

/* --- The four Pfaffians --- */

static bool frontier_create(frontier *f, const couplings *c, const modulus *m, uint64_t t) {
    const size_t room = 2 * (size_t)c->edge[0] + SPARE_PLACES;
    *f = (frontier){.c = c, .m = *m, .t = {t, modular_negate(m, t)}, .value = m->one, .room = room};
    f->name = calloc(room, sizeof *f->name);
    f->complete = calloc(room, sizeof *f->complete);
    f->place = calloc(c->sites * VARIABLES, sizeof *f->place);
    f->entry = calloc(room * (room + 2), sizeof *f->entry);
    if (f->entry != NULL)
        for (int n = 0; n < 2; n++)
            f->row[n] = f->entry + room * (room + (size_t)n);
    return f->name != NULL && f->complete != NULL && f->place != NULL && f->entry != NULL;
}

static void frontier_destroy(frontier *f) {
    free(f->name);
    free(f->complete);
    free(f->place);
    free(f->entry);
}

static void frontier_copy(frontier *to, const frontier *from) {
    to->value = from->value;
    to->n = from->n;
    memcpy(to->name, from->name, from->room * sizeof *from->name);
    memcpy(to->complete, from->complete, from->room * sizeof *from->complete);
    memcpy(to->place, from->place, from->c->sites * VARIABLES * sizeof *from->place);
    memcpy(to->entry, from->entry, from->room * from->room * sizeof *from->entry);
}

bool torus_sum(const couplings *c, const modulus *m, uint64_t t, uint64_t *sum) {
    const uint32_t sites = (uint32_t)c->sites, last_row = sites - c->edge[0];
    frontier f, copy = {0};
    bool good = frontier_create(&f, c, m, t) && frontier_create(&copy, c, m, t);
    uint64_t twice = 0;
    for (int twisted_x = 0; twisted_x < 2 && good; twisted_x++) {
        /* The bonds that close the columns belong to the last row. */
        f.value = m->one;
        f.n = 0;
        good = add_sites(&f, 0, last_row, twisted_x, false);
        for (int twisted_y = 0; twisted_y < 2 && good; twisted_y++) {
            frontier_copy(&copy, &f);
            good = add_sites(&copy, last_row, sites, twisted_x, twisted_y);
            /* If variables are left over, the matrix is singular. */
            const uint64_t pfaffian = copy.n == 0 ? copy.value : 0;
            twice = twisted_x || twisted_y ? modular_add(m, twice, pfaffian)
                                           : modular_subtract(m, twice, pfaffian);
        }
    }
    frontier_destroy(&f);
    frontier_destroy(&copy);
    const uint64_t half = modular_from(m, (m->p + 1) / 2);
    *sum = modular_multiply(m, twice, half);
    return good;
}
