/* The simulated model: Ising spins on a lattice, described by integers only.
 *
 * The model alone knows the numbers of spins, bonds, neighbours, energies and dimensions; other
 * code asks it. A kind of model is a line in model_list.h and a file, such as square.c. */
#ifndef PAISING_MODEL_H
#define PAISING_MODEL_H

#include "base/portable.h"
#include "couplings.h"
#include "graph.h"
#include "levels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_MAX_DIMENSION 3
#define MODEL_MAX_GAPS      3
#define MODEL_MAX_CHANGES   (2 * MODEL_MAX_GAPS + 1) /* of the energy, by a flip */

/* What a spin is. But for Ising it has more than two states, or its energy is no sum over bonds of s s; it then has a byte and
 * sweep functions of its own (engine/states.h). */
typedef enum {
    SPINS_ISING,
    SPINS_POTTS,
    SPINS_BLUME_CAPEL,
    SPINS_BAXTER_WU,
    SPINS_VECTOR /* unit vectors, with sweep functions of their own and fine energies (engine/vectors.h) */
} spin_family;

/* The components of vectors: binary floating-point numbers of IEEE 754. REAL_FAST: floats, with functions of a GPU's hardware. */
typedef enum { REAL_FLOAT, REAL_DOUBLE, REAL_FAST, REALS } real_kind;

/* What a model of other spins than Ising's leaves open. */
typedef struct {
    uint32_t states; /* q of Potts */
    int64_t field;   /* the crystal field of Blume and Capel, in units of J / unit */
    uint32_t unit;
    real_kind real; /* of vectors, with the next */
    uint32_t reflections;
} state_choice;

/* Single-spin coding (Sec. 3) stores a spin in a byte, multi-spin coding (Sec. 4) in a bit. */
typedef enum { CODING_SSC, CODING_MSC } spin_coding;
#define SPIN_CODINGS 2

/* The requested edges of a lattice: one for all directions, or one for each; 0: not given. */
typedef struct {
    uint32_t edge[MODEL_MAX_DIMENSION];
} lattice_size;

typedef struct {
    const char *name;
    const char *title; /* in the headers of data files */
    uint32_t dimension;
    uint32_t edge[MODEL_MAX_DIMENSION]; /* Lx, Ly, Lz; 1 beyond the dimension */
    uint64_t sites;                     /* N, one spin each */
    uint64_t bonds;        /* those that are there; of any sample at most, without one */
    uint32_t coordination; /* z, the neighbours of a site, across bonds that may be missing */
    energy_levels levels;
    size_t gaps;                  /* number of energies above 0 that a flip can cost */
    uint32_t gap[MODEL_MAX_GAPS]; /* those energies: with equal bonds, gap[n] for n antiparallel
                                   * neighbours */
    uint32_t order_unit;          /* |M| is a multiple of this: 2 if N is even */
    uint32_t order_share;         /* |m| = |M| / (N order_share); 0: 1 */
    spin_family spins;
    uint32_t states; /* of a spin; 0: 2; 1 of vectors, whose directions have a total weight of 1 */
    uint32_t components;   /* of a vector */
    real_kind real;        /* likewise */
    uint32_t reflections;  /* of vectors: sweeps of over-relaxation after each sweep */
    int64_t crystal_field; /* of Blume and Capel, in units of J / levels.unit */
    /* Ising spins or vectors with couplings different in each sample: replicas have overlaps */
    bool disordered;
    const couplings *sample; /* couplings of the sample, which outlive the model; NULL: all +1 */
    const couplings *const *
        lanes; /* [32] in place of `sample` (MSC): bit b of each machine word is of the sample with couplings lanes[b], all
                * bonds of which are there; lanes[b] NULL: all +1. NULL: words are of one sample */

    bool coupled;    /* its bonds have a J each, as those of disordered models always have */
    bool incomplete; /* bonds may be missing */
    /* of the sample: some site has an odd number of bonds. The energies above 0 that a flip costs are there gap[n] - 2 */
    bool odd_sites;

    /* one stripe of so many that a lattice is cut into (model_stripe); 0: a lattice */
    uint32_t stripes;

    /* bonds and fields of a graph, which outlives the model; NULL: it is the lattice above. Of a graph `gap` has one
     * entry, its `cheapest`, and the flips are those of its changes */
    const spin_graph *graph;
} spin_model;

/* The allowed edges of a coding: multiples of `multiple` from `smallest` to `largest`. */
typedef struct {
    uint32_t smallest, multiple, largest;
} edge_rule;

/* A kind of model. */
typedef struct {
    const char *name;
    uint32_t dimension;
    bool disordered; /* its models have samples */
    edge_rule edges[SPIN_CODINGS];
    spin_model (*create)(const uint32_t edge[MODEL_MAX_DIMENSION]);
    spin_family spins;
    void (*choose)(spin_model *m, const state_choice *choice); /* NULL: it leaves nothing open */
} model_kind;

/* How many kinds there are. */
enum {
#define MODEL(name) MODEL_##name,
#include "model_list.h"
#undef MODEL
    MODEL_KINDS
};

C_DECLARATIONS_BEGIN

#define MODEL(name) extern const model_kind name##_kind;
#include "model_list.h"
#undef MODEL

/* All kinds; the first is the default. NULL ends the table. */
extern const model_kind *const model_kinds[MODEL_KINDS + 1];

/* The kind with this name, or NULL. */
const model_kind *model_kind_named(const char *name);

/* Whether an edge obeys the rule. */
int edge_is_allowed(edge_rule rule, uint32_t edge);

/* The number of edges given. */
uint32_t lattice_edges_given(lattice_size size);

/* Fills the edge of each direction, 1 beyond the dimension. Returns false unless one edge was
 * given, or as many as the lattice has dimensions. */
bool lattice_edges(lattice_size size, uint32_t dimension, uint32_t edge[MODEL_MAX_DIMENSION]);

/* The edges of a model; and edges as text. The text is one number if all edges are equal, else of
 * the form 8x8x12. lattice_edges_text writes all edges given. */
lattice_size model_size(const spin_model *m);
#define LATTICE_TEXT_SIZE 40
const char *lattice_text(char text[LATTICE_TEXT_SIZE], lattice_size size);
const char *lattice_edges_text(char text[LATTICE_TEXT_SIZE], lattice_size size);

/* A model with bonds of +1 between nearest neighbours, on a periodic lattice of `dimension` even
 * edges: N spins with 2 * dimension neighbours each. */
spin_model lattice_model(const char *name, const char *title, uint32_t dimension,
                         const uint32_t edge[MODEL_MAX_DIMENSION]);

/* One of n stripes that a lattice is cut into along its last edge, Ly or Lz: rows or layers b Lz / n to (b + 1) Lz / n - 1
 * for stripe b. Its last layer is bound to the first layer of the next stripe. Engines treat a stripe as a replica, and its
 * unsatisfied bonds, those of its even sites, as its level: lanes n k to n k + n - 1 of the machine words are replica k. n:
 * a power of two up to 32. Edges: stripe_edges. */
spin_model model_stripe(spin_model lattice, uint32_t n);

/* What the first and the last edge of a lattice that is cut into stripes are multiples of: the last one of last * n. Other
 * edges are even. */
typedef struct {
    uint32_t first, last, largest;
} stripe_rule;

stripe_rule stripe_edges(uint32_t dimension);

/* The model with bonds that have a J each and, if `incomplete`, may be missing. */
spin_model model_with_couplings(spin_model model, bool incomplete);

/* The model with energies of any size, in units of J / unit, of which a flip costs at least `cheapest` where it costs most. */
spin_model model_without_levels(spin_model model, uint32_t unit, uint32_t cheapest);

/* The model with the couplings of a sample, which decide the levels. model_most_levels: the largest
 * number of levels that any sample has. */
spin_model model_of_sample(spin_model model, const couplings *sample);
size_t model_most_levels(const spin_model *m);

/* What engines add up over the bonds of all even sites in level 0. Of the missing bonds of a site they take half, rounded
 * down, as unsatisfied, and the others as satisfied. So a site with an even number of bonds flips at the costs of z bonds, and one
 * with an odd number at those of z - 1 (docs/theory.md). */
uint64_t model_counted_at_lowest(const spin_model *m);

/* The ferromagnet on the square lattice (eq. 10, J = 1; square.c); and what lattices may have. */
spin_model square_model(uint32_t edge);
#define SQUARE_MAX_EDGE 3072
#define SQUARE_GAPS     2 /* `gaps` of the square lattice, for its kernels */
#define CUBIC_MAX_EDGE  210
/* The same in SSC: N <= 2^26. */
#define SQUARE_MAX_EDGE_SSC 8192
#define CUBIC_MAX_EDGE_SSC  406

/* The model of a graph: with `lattice` NULL of that alone, without dimension and edges; or of a lattice that is simulated as a
 * graph, whose name and edges stay. The graph must outlive it. */
spin_model graph_model(const spin_graph *graph, const spin_model *lattice);

/* Where a model is, for messages: "L = 8x8x12", or "N = 1000 sites". */
const char *model_size_text(char text[LATTICE_TEXT_SIZE], const spin_model *m);

/* The file that the bonds of a model are from; NULL: none. */
const bond_origin *model_origin(const spin_model *m);

/* The states of a spin; and the largest |M|, of which |m| is a part. */
uint32_t model_states(const spin_model *m);

/* Whether packed spins of any replicas have states of the model; of vectors, whether no component is above 2. */
bool model_has_states(const spin_model *m, const uint8_t *spins, size_t bytes);
uint64_t model_largest_order(const spin_model *m);

/* Bytes of the spins of one replica: one bit each; of vectors their components; of others a byte. */
size_t model_packed_bytes(const spin_model *m);

C_DECLARATIONS_END

#endif
