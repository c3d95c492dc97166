/* The simulations that validation makes. */
#ifndef PAISING_PHYSICS_CASES_H
#define PAISING_PHYSICS_CASES_H

#include "claims.h"

/* How much is simulated: some cases with a quarter of the runs, as in `make check`; all; four times the replicas and runs. */
typedef enum { PROFILE_SHORT, PROFILE_QUICK, PROFILE_FULL } profile;

#define SHORT_CASES 10 /* of the short profile, controls counted in */

typedef struct {
    char name[64];
    parameters given;
    fault_kind fault;
    int independent; /* no replicas of a run share random numbers: it knows its errors */
    bool left_out;   /* of this profile */
    bool lends;      /* its |m|, m2 and m4 are what is expected of other cases of its lattice */
    /* Of negative controls: what is wrong, and the checks that are to show it, as a set of bits. */
    const char *wrong;
    unsigned shown_by;
    int errors_without_blocks; /* the errors of e are replaced by those of independent replicas */
} validation_case;

/* Number n of the cases, of the negative controls. Returns 0, or -1 when there is none. `base` says
 * the device. */
int case_get(size_t n, profile effort, const parameters *base, validation_case *out);
int control_get(size_t n, profile effort, const parameters *base, validation_case *out);

#endif
