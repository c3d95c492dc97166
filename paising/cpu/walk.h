/* Walks of flat-histogram methods in single-spin coding (engine/walk.h). */
#ifndef PAISING_CPU_WALK_H
#define PAISING_CPU_WALK_H

#include "engine/engine.h"
#include "engine/walk.h"

/* What they need beside the population. */
typedef struct {
    uint32_t origin; /* number of the first walker in the whole population (streams.h) */
    uint32_t *bond;  /* [N][z] walk_bonds; NULL: it is a graph, which has the next two */
    walk_site_of_graph *of_graph;
    walk_link *link;
    uint32_t changes;     /* walk_changes */
    state_lattice states; /* of spins other than Ising's */
    uint32_t *site;       /* [WALK_PIECE] of some attempts */
    uint64_t *visits;     /* [threads][rows] of each thread; rows: levels of all windows */
    size_t rows;
} walk_space;

/* Attempts between which threads meet. */
#define WALK_PIECE 8192

/* Makes what does not depend on the walk. Returns 0, or -1 without memory; walk_space_destroy may be called in each case. */
int walk_space_create(walk_space *space, const spin_model *model);
void walk_space_destroy(walk_space *space);
uint64_t walk_space_bytes(const engine_config *config, uint32_t threads);

/* Makes a walk of the lattices at spins[replicas][N], whose levels are level[]. Spins are bytes +1 and -1, or states, in the order of
 * couplings.h, and of a graph in that of its places. Returns ENGINE_OK; or ENGINE_FAILED, with the reason in e->error. */
engine_status cpu_walk(engine *e, walk_space *space, const engine_walk *walk, int8_t *spins,
                       uint32_t *level);

#endif
