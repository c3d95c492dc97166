/* Negative controls: faults planted in the second of two engines, which the comparison must find,
 * and find where they are. */
#ifndef PAISING_IDENTITY_CONTROLS_H
#define PAISING_IDENTITY_CONTROLS_H

#include "lockstep.h"

/* How many there are. */
size_t identity_controls(void);

/* What became of one. */
typedef struct {
    char name[96];
    bool found;             /* and located; and without the fault nothing differs */
    identity_result result; /* with the fault */
} identity_finding;

/* Runs control number n with engines of these devices. */
identity_finding identity_control(size_t n, const identity_device device[2]);

#endif
