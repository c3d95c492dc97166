/* Measured speeds, for the expected time of a run: tables as `make bench` writes them. Their header
 * names the device (`# device NAME`) and maybe its memory (`# memory BYTES`), its last line the columns
 * (`# id device coding L R theta p mode ... stages ... t_SF/ps ...`). */
#ifndef PAISING_BASELINE_H
#define PAISING_BASELINE_H

#include "base/message.h"
#include "settings/parameters.h"

typedef struct {
    double t_sf_ps;     /* one spin-flip attempt (eq. 11), in ps */
    double size, theta; /* of the point that was measured */
    double population;
    char file[256]; /* the name of the table */
} baseline_point;

/* The device of a table. */
typedef struct {
    char name[256];
    uint64_t memory; /* bytes; UINT64_MAX: the table does not say */
} baseline_device;

/* Reads what NAME.dat of the folder says of its device: `# device NAME`, and `# memory BYTES` where
 * it is a GPU. Returns STATUS_OK, or STATUS_REFUSED after a line on stderr that lists the tables
 * there are. */
exit_status baseline_like(const char *folder, const char *name, baseline_device *device);

/* Looks in the *.dat files of a folder for the point measured on the device called `device` (a GPU
 * or not) that is nearest to the parameters: the same coding, mode of random numbers and stages, and
 * the closest ratios of L, R and theta. Returns whether there is one. */
bool baseline_find(const char *folder, const char *device, bool gpu, const parameters *p,
                   baseline_point *nearest);

#endif
