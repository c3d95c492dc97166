/* build/exact: exact e, C, betaF/N and S/N of finite lattices with periodic boundaries. Prints one
 * row for each beta, with 17 digits. Exit status 2: invalid command line; 1: the output was not
 * written. */
#include "base/commit.h"
#include "base/message.h"
#include "energy_states.h"
#include "exact_request.h"
#include "graph_states.h"
#include "layers.h"
#include "model/bond_file.h"
#include "overlap.h"
#include "transfer_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Computed once for all temperatures --- */

typedef struct {
    couplings c;
    energy_states states;
    state_counts counts;
    graph_states of_graph;
} knowledge;

static void make_couplings(const exact_request *r, couplings *c) {
    const uint32_t dimension = r->model->dimension;
    if (r->file != NULL) {
        if (couplings_read(c, dimension, r->edge, (bond_reading){0}, r->file) != STATUS_OK)
            exit(STATUS_REFUSED);
        if (c->missing != NULL)
            exit(complain(STATUS_REFUSED, "%s: bonds are missing, which is not known here",
                          r->file));
        return;
    }
    if (!couplings_create(c, dimension, r->edge))
        exit(complain(STATUS_REFUSED, "no memory for the couplings"));
    if (r->drawn)
        disorder_draw(c, r->from);
}

static void print_origin(const exact_request *r, const couplings *c) {
    char text[DISORDER_TEXT_SIZE];
    printf("# couplings: %s; %llu of %llu with J = -1, crc32 %08x\n",
           r->drawn ? disorder_text(text, r->from) : r->file,
           (unsigned long long)couplings_count_negative(c), (unsigned long long)c->bonds,
           (unsigned)couplings_fingerprint(c));
}

/* Counts the states of the graph of a file. */
static void learn_graph(const exact_request *r, graph_states *states) {
    bond_list list = bond_list_of(0);
    bond_origin origin;
    spin_graph g;
    char reason[200];
    if (bond_file_read(&list, &origin, NULL, "--graph", (bond_reading){0}, 0, r->graph))
        exit(STATUS_REFUSED);
    if (!graph_create(&g, &list, reason, sizeof reason))
        exit(complain(STATUS_REFUSED, "--graph %s: %s", r->graph, reason));
    bond_list_destroy(&list);
    if (g.sites > GRAPH_STATES_MAX_SITES || g.levels.fine)
        exit(complain(STATUS_REFUSED, "--graph %s: at most %d sites and %zu energies are allowed",
                      r->graph, GRAPH_STATES_MAX_SITES, GRAPH_MOST_LEVELS));
    if (!graph_states_count(states, &g))
        exit(complain(STATUS_FAILED, "no memory to count the states"));
    printf("# graph: %s; %u sites, %zu bonds, crc32 %08x\n", r->graph, (unsigned)g.sites, g.bonds,
           (unsigned)g.fingerprint);
    graph_destroy(&g);
}

static void learn(const exact_request *r, knowledge *k) {
    if (r->method == BY_GRAPH) {
        learn_graph(r, &k->of_graph);
        return;
    }
    const bool square = r->model->dimension == 2;
    const bool by_kaufman = !r->model->disordered && r->edge[0] == r->edge[1];
    bool good = true;
    if (r->method == BY_COUNTS)
        good = (square ? state_counts_create(&k->counts, r->edge[0])
                       : state_counts_create_cubic(&k->counts)) == 0;
    if (r->method == BY_STATES || r->method == BY_LAYERS)
        make_couplings(r, &k->c);
    if (r->model->disordered)
        print_origin(r, &k->c);
    if (r->method == BY_STATES)
        good = (!square      ? cubic_states_count
                : by_kaufman ? kaufman_states_count
                             : square_states_count)(&k->states, &k->c);
    if (!good)
        exit(complain(STATUS_FAILED, "no memory to count the states"));
}

/* --- Output --- */

static void print_states(const energy_states *states) {
    printf("# E states\n");
    for (uint64_t u = 0; u <= states->bonds; u++) {
        char *const text = energy_states_text(states, u);
        if (text == NULL)
            exit(complain(STATUS_FAILED, "no memory for a number"));
        if (strcmp(text, "0") != 0)
            printf("%lld %s\n", 2 * (long long)u - (long long)states->bonds, text);
        free(text);
    }
}

/* Counts for M < 0 are not printed: they equal those for -M. */
static void print_counts(const state_counts *counts) {
    printf("# E M states\n");
    for (uint32_t pairs = 0; pairs <= counts->bonds / 2; pairs++)
        for (uint32_t up = (counts->sites + 1) / 2; up <= counts->sites; up++)
            if (state_count(counts, pairs, up) != 0)
                printf("%d %d %llu\n", 4 * (int)pairs - (int)counts->bonds,
                       2 * (int)up - (int)counts->sites,
                       (unsigned long long)state_count(counts, pairs, up));
}

static void print_graph_states(const graph_states *states, bool magnetic) {
    printf("# E states%s\n", magnetic ? " |m| m2 m4" : "");
    for (size_t n = 0; n < states->levels.count; n++) {
        if (states->level[n].states == 0)
            continue;
        const graph_order m = graph_states_order(states, n);
        printf("%.15g %llu", (double)level_energy(states->levels, n) / level_unit(states->levels),
               (unsigned long long)states->level[n].states);
        if (magnetic)
            printf(" %.17g %.17g %.17g", m.abs_m, m.m2, m.m4);
        printf("\n");
    }
}

static void print_row(const exact_request *r, const knowledge *k, double beta) {
    exact_result x = {0};
    graph_order order;
    if (r->method == BY_COUNTS) {
        const exact_moments m = state_counts_moments(&k->counts, beta);
        const double beta_f = -m.ln_z / k->counts.sites;
        printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", beta, m.e, m.c, beta_f,
               beta * m.e - beta_f, m.abs_m, m.m2, m.m4);
        return;
    }
    if (r->method == BY_GRAPH)
        x = graph_states_thermodynamics(&k->of_graph, beta, &order);
    else if (r->method == BY_KAUFMAN)
        x = exact_thermodynamics(r->edge[0], beta);
    else if (r->method == BY_STATES)
        x = energy_states_thermodynamics(&k->states, beta);
    else if (!layers_thermodynamics(&k->c, beta, &x))
        exit(complain(STATUS_FAILED, "no memory for the layers"));
    printf("%.17g %.17g %.17g %.17g %.17g", beta, x.e, x.c, x.beta_f, x.s);
    if (r->method == BY_GRAPH && r->magnetic)
        printf(" %.17g %.17g %.17g", order.abs_m, order.m2, order.m4);
    if (r->overlap) {
        overlap_moments m;
        if (!overlap_thermodynamics(&k->c, beta, &m))
            exit(complain(STATUS_FAILED, "no memory for the overlaps"));
        printf(" %.17g %.17g %.17g", m.abs_q, m.q2, m.q4);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    double *const beta = malloc(((size_t)argc + 1) * sizeof *beta);
    if (beta == NULL)
        return complain(STATUS_REFUSED, "no memory for %d inverse temperatures", argc);
    exact_request r;
    knowledge k = {0};
    exact_request_read(&r, argc, argv, beta);
    learn(&r, &k);
    if (r.states && r.method == BY_GRAPH)
        print_graph_states(&k.of_graph, r.magnetic);
    else if (r.states && r.method == BY_COUNTS)
        print_counts(&k.counts);
    else if (r.states)
        print_states(&k.states);
    if (r.betas > 0 && r.method == BY_GRAPH)
        printf("# exact (paising " PAISING_VERSION ") graph: beta e C betaF/N S/N%s\n",
               r.magnetic ? " |m| m2 m4" : "");
    else if (r.betas > 0)
        printf("# exact (paising " PAISING_VERSION ") model %s, L=%s: beta e C betaF/N S/N%s\n",
               r.model->name, r.size,
               r.method == BY_COUNTS ? " |m| m2 m4"
               : r.overlap           ? " |q| q2 q4"
                                     : "");
    for (int i = 0; i < r.betas; i++)
        print_row(&r, &k, r.beta[i]);
    couplings_destroy(&k.c);
    energy_states_destroy(&k.states);
    state_counts_destroy(&k.counts);
    graph_states_destroy(&k.of_graph);
    free(beta);
    return close_stdout();
}
