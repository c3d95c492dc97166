/* Files of numbers against the inverse temperature, a line each: the temperatures themselves (--betas), the sweeps at
 * each (--sweeps-file), or times of relaxation to which the sweeps are proportional (--relaxation). PA_schedule.dat of a
 * result is a file of the first two kinds: it begins with comments, the last of which names its columns. */
#ifndef PAISING_PROFILE_H
#define PAISING_PROFILE_H

#include "base/message.h"

#include <stddef.h>
#include <stdint.h>

/* The comment that names the columns of PA_schedule.dat. */
#define PROFILE_SCHEDULE "beta theta"

typedef enum {
    PROFILE_BETAS,     /* beta; or beta theta below the comment PROFILE_SCHEDULE */
    PROFILE_SWEEPS,    /* beta theta, whole: from this beta on, up to that of the next line */
    PROFILE_RELAXATION /* beta tau: a straight line to the next */
} profile_kind;

typedef struct {
    profile_kind kind;
    size_t count;         /* 0: there is none */
    double *beta, *value; /* [count] rising betas */
    uint32_t fingerprint; /* of these numbers; not 0 */
} beta_profile;

/* The option that names such a file. */
const char *profile_option(profile_kind kind);

/* Reads one. Returns STATUS_OK, or after a line on stderr, which names the line of the file, STATUS_REFUSED. */
exit_status profile_read(beta_profile *p, profile_kind kind, const char *path);
void profile_destroy(beta_profile *p);

/* theta at beta, at least 1: that of the file, or `sweeps` times the time of relaxation, rounded up; `sweeps` if
 * there is no file. */
uint32_t profile_sweeps(const beta_profile *p, uint32_t sweeps, double beta);

#endif
