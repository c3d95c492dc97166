/* From settings to a graph (graphs.h). */
#include "graphs.h"

#include "engine/streams.h"
#include "fraction.h"
#include "model/bond_file.h"
#include "plans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static exit_status refuse_fraction(const char *option, const char *text) {
    return complain(STATUS_REFUSED,
                    "%s %.100s: a fraction H/U of whole numbers up to %d is allowed, like 3/10 or "
                    "0.3, U from 1",
                    option, text, FRACTION_MOST);
}

/* --- lists --- */

static exit_status no_memory(const parameters *p) {
    const char *const name = p->graph_file != NULL ? p->graph_file : parameters_kind(p)->name;
    return complain(STATUS_REFUSED, "%s %.200s: not enough memory",
                    p->graph_file != NULL ? "--graph" : "--model", name);
}

/* Refuses edges that no lattice has. */
static exit_status check_edges(const parameters *p) {
    const model_kind *const kind = parameters_kind(p);
    uint32_t edge[MODEL_MAX_DIMENSION];
    char size[LATTICE_TEXT_SIZE];
    bool good = lattice_edges(p->size, kind->dimension, edge);
    for (uint32_t d = 0; d < kind->dimension && good; d++)
        good = edge[d] >= SHORTEST_EDGE && edge[d] <= kind->edges[CODING_SSC].largest;
    if (good)
        return STATUS_OK;
    return complain(STATUS_REFUSED,
                    "-L %s: an edge of the model %s in a field, below an energy ceiling, or one "
                    "that is odd, must be from %d to %" PRIu32 ": " WHY_SHORTEST_EDGE
                    "; one for all is allowed, or each with an x between them",
                    lattice_edges_text(size, p->size), kind->name, SHORTEST_EDGE,
                    kind->edges[CODING_SSC].largest);
}

/* J of a bond in units of 1 / unit, a multiple of that of couplings with values. */
static int64_t value_of(const couplings *c, uint64_t site, uint32_t direction, uint32_t unit) {
    return c->value != NULL
               ? c->value[site * c->dimension + direction] * (int64_t)(unit / FINE_UNIT)
               : couplings_sign(c, site, direction) * (int64_t)unit;
}

/* Adds the bonds of a lattice that are there, J in units of 1 / list->unit. */
static bool add_bonds(bond_list *list, const couplings *c) {
    bool good = true;
    for (uint64_t i = 0; good && i < c->sites; i++)
        for (uint32_t d = 0; good && d < c->dimension; d++)
            good = couplings_sign(c, i, d) == 0 ||
                   bond_list_add(list, (uint32_t)i, (uint32_t)couplings_neighbour(c, i, d),
                                 value_of(c, i, d, list->unit));
    return good;
}

/* Adds a field to all sites, and another with random signs, which each sample has of its own. */
static bool add_fields(bond_list *list, int64_t uniform, int64_t random, const parameters *p) {
    const stream_key key = stream_disorder_key(p->field_seed, p->sample);
    stream_block draw = {{0}};
    bool good = true;
    for (uint32_t i = 0; good && i < list->sites; i++) {
        if (i % 128 == 0)
            draw = stream_draw(key, STREAM_FIELD, i / 128, 0, 0, 0);
        const bool down = draw.number[i / 32 % 4] >> i % 32 & 1;
        good = bond_list_add_field(list, i, uniform + (down ? -random : random));
    }
    return good;
}

/* The bonds and fields of a lattice. */
static exit_status list_lattice(parameters *p, bond_list *list) {
    const fraction uniform = fraction_read(p->field), random = fraction_read(p->random_field);
    couplings c;
    exit_status status = check_edges(p);
    if (status)
        return status;
    if (uniform.unit == 0)
        return refuse_fraction("--field", p->field);
    if (random.unit == 0)
        return refuse_fraction("--random-field", p->random_field);
    const spin_model lattice = parameters_model(p);
    const bool given = parameters_couplings(p, &c, &status) != NULL;
    if (status)
        return status;
    if (!given && !couplings_create(&c, lattice.dimension, lattice.edge))
        return no_memory(p);
    *list = bond_list_of((uint32_t)lattice.sites);
    list->unit = uniform.unit == random.unit ? uniform.unit : uniform.unit * random.unit;
    if (c.value != NULL && list->unit > INT32_MAX / FINE_UNIT) {
        couplings_destroy(&c);
        return complain(STATUS_REFUSED,
                        "--field, --random-field: with real couplings, which are multiples of "
                        "2^-20, fields are multiples of 1 / U with U up to %" PRIu32,
                        INT32_MAX / FINE_UNIT);
    }
    list->unit *= c.value != NULL ? FINE_UNIT : 1;
    const int64_t of_uniform = uniform.number * (int64_t)(list->unit / uniform.unit),
                  of_random = random.number * (int64_t)(list->unit / random.unit);
    const bool good = add_bonds(list, &c) && add_fields(list, of_uniform, of_random, p);
    couplings_destroy(&c);
    return good ? STATUS_OK : no_memory(p);
}

/* --- graphs --- */

/* Sets the fingerprint of the file, which must equal that of the checkpoint. */
static exit_status take_fingerprint(parameters *p) {
    const uint32_t saved = p->graph_print;
    p->graph_print = p->graph->fingerprint;
    if (p->resume == NULL || saved == p->graph_print)
        return STATUS_OK;
    return complain(STATUS_REFUSED,
                    "--graph %.200s: fingerprint %" PRIu32
                    "; allowed is the graph of the checkpoint %.100s, fingerprint %" PRIu32,
                    p->graph_file, p->graph_print, p->resume, saved);
}

exit_status parameters_make_graph(parameters *p) {
    char reason[200];
    bond_list list = bond_list_of(0);
    p->graph = NULL;
    if (!parameters_ask_for_graph(p))
        return STATUS_OK;
    bond_origin origin = {.text = ""};
    const bond_reading how = {p->couplings_format, p->couplings_from};
    exit_status status = p->graph_file != NULL ? bond_file_read(&list, &origin, NULL, "--graph",
                                                                how, 0, p->graph_file)
                                               : list_lattice(p, &list);
    spin_graph *const graph = malloc(sizeof *graph);
    if (!status && graph == NULL)
        status = no_memory(p);
    if (!status && !graph_create(graph, &list, reason, sizeof reason))
        status = p->graph_file != NULL
                     ? complain(STATUS_REFUSED, "--graph %.200s: %s", p->graph_file, reason)
                     : complain(STATUS_REFUSED, "--model %s: as a graph: %s",
                                parameters_kind(p)->name, reason);
    bond_list_destroy(&list);
    if (status) {
        free(graph);
        return status;
    }
    graph->origin = origin;
    p->graph = graph;
    return p->graph_file != NULL ? take_fingerprint(p) : STATUS_OK;
}

exit_status parameters_take_sample(parameters *p, uint32_t number) {
    p->sample = number;
    p->samples = 1;
    return parameters_make_graph(p);
}

void parameters_end(parameters *p) {
    if (p->graph != NULL) {
        graph_destroy((spin_graph *)p->graph);
        free((spin_graph *)p->graph);
    }
    p->graph = NULL;
}
