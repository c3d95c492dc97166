/* Measured speeds, from which the expected time of a run follows: tables in the format of `make
 * bench`. The header names the device (`# device NAME`) and optionally its memory (`# memory
 * BYTES`). The last line of the header names the columns (`# id device coding L R theta p mode ...
 * stages ... t_SF/ps ...`). */
#ifndef PAISING_BASELINE_H
#define PAISING_BASELINE_H

#include "base/message.h"
#include "settings/parameters.h"

typedef struct {
    double t_sf_ps;     /* time per spin-flip attempt (eq. 11), in ps */
    double size, theta; /* of the measured point */
    double population;
    char file[256]; /* name of the table */
} baseline_point;

/* The device of a table. */
typedef struct {
    char name[256];
    uint64_t memory; /* bytes; UINT64_MAX: unknown */
} baseline_device;

/* Reads the device from the header of NAME.dat in the folder. Returns STATUS_OK, or STATUS_REFUSED
 * after a message on stderr that lists the existing tables. */
exit_status baseline_like(const char *folder, const char *name, baseline_device *device);

/* Finds the point nearest to the parameters in the *.dat files of a folder. Points must be measured
 * on `device` (a GPU or not), with the same coding, random-number mode and stages; nearest is in
 * the ratios of L, R and theta. Returns whether there is one. */
bool baseline_find(const char *folder, const char *device, bool gpu, const parameters *p,
                   baseline_point *nearest);

#endif
