/* Whether a trusted row is right: how often it is off by less than one and two of its errors, of those
 * rows alone that are trusted. Coverage over all rows can be sound while the flag chooses the wrong ones. */
#ifndef PAISING_PHYSICS_TRUSTED_H
#define PAISING_PHYSICS_TRUSTED_H

#include "base/message.h"
#include "claims.h"

/* Makes runs near and far from the transition, with populations that are and are not large enough, and
 * finds, at each temperature with TRUSTED_ENOUGH trusted rows, by how much their coverage of e, C and betaF
 * falls short of Student's t by more than TRUSTED_TOLERANCE. Errors that cover more, as those of
 * rare excitations do (counting.h), are no fault. One setting claims this only where half of the rows are trusted:
 * where fewer are, they were chosen by chance, and their errors of betaF cover less.
 * Writes FOLDER/trusted.dat. */
#define TRUSTED_ENOUGH    30
#define TRUSTED_TOLERANCE 0.02

typedef struct {
    double value, error;
} estimated;

typedef struct {
    /* the negative control: the z-score of the largest shortfall when R / rho_t >= 100 is the flag, as it once was */
    double seen;
    /* the shortfall of betaF within one sigma where 1 to 15% of the runs trust a row */
    estimated of_few;
} trusted_controls;

exit_status trusted_check(const char *folder, const parameters *base, int full, findings *found,
                          trusted_controls *controls);

#endif
