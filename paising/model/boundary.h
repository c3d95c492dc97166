/* Boundaries of a lattice, one for each direction: what becomes of the bonds around its edge. */
#ifndef PAISING_BOUNDARY_H
#define PAISING_BOUNDARY_H

#include "model.h"

typedef enum {
    BOUNDARY_PERIODIC,    /* they are as the others */
    BOUNDARY_OPEN,        /* they are missing */
    BOUNDARY_ANTIPERIODIC /* their J is multiplied by -1 */
} boundary_kind;
#define BOUNDARIES 3

/* The requested boundaries: `given` of them, one for all directions or one for each. */
typedef struct {
    uint32_t given;
    boundary_kind of[MODEL_MAX_DIMENSION];
} lattice_boundary;

C_DECLARATIONS_BEGIN

/* The boundary of a direction, and whether any of so many directions is of a kind. */
boundary_kind boundary_of(lattice_boundary b, uint32_t direction);
bool boundary_any(lattice_boundary b, uint32_t dimension, boundary_kind kind);

/* Reads words like "open" or "open,periodic"; returns false if they are others, or too many. Writes them as one word if all are
 * the same; returns text. */
bool boundary_read(lattice_boundary *b, const char *text);
#define BOUNDARY_TEXT_SIZE 40
const char *boundary_text(char text[BOUNDARY_TEXT_SIZE], lattice_boundary b);

/* Applies them to the bonds around the edges. Returns false without memory. */
bool boundary_apply(lattice_boundary b, couplings *c);

C_DECLARATIONS_END

#endif
