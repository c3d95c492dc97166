/* Files with one line per inverse temperature: the temperatures themselves (--betas), the sweeps at
 * each (--sweeps-file), or relaxation times to which the sweeps are proportional (--relaxation).
 * PA_schedule.dat of a result can be read as either of the first two: it begins with comments, the
 * last of which names its columns. */
#ifndef PAISING_PROFILE_H
#define PAISING_PROFILE_H

#include "base/message.h"

#include <stddef.h>
#include <stdint.h>

/* The comment that names the columns of PA_schedule.dat. */
#define PROFILE_SCHEDULE "beta theta"

typedef enum {
    PROFILE_BETAS,     /* beta; or beta theta below the comment PROFILE_SCHEDULE */
    PROFILE_SWEEPS,    /* beta theta: theta sweeps from this beta up to that of the next line */
    PROFILE_RELAXATION /* beta tau: linear interpolation between lines */
} profile_kind;

typedef struct {
    profile_kind kind;
    size_t count;         /* lines; 0: no file */
    double *beta, *value; /* [count] beta increases */
    uint32_t fingerprint; /* checksum of beta and value; not 0 */
} beta_profile;

/* The option that takes a file of this kind. */
const char *profile_option(profile_kind kind);

/* Reads the file at `path` into *p. Returns STATUS_OK; or STATUS_REFUSED after a message on stderr,
 * which names the line of the file. After STATUS_OK the caller calls profile_destroy. */
exit_status profile_read(beta_profile *p, profile_kind kind, const char *path);
void profile_destroy(beta_profile *p);

/* theta at beta, at least 1: the value in the file, or `sweeps` times the relaxation time, rounded
 * up. Without a file: `sweeps`. */
uint32_t profile_sweeps(const beta_profile *p, uint32_t sweeps, double beta);

#endif
