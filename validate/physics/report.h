/* What a validation prints and writes: tables that gnuplot reads. */
#ifndef PAISING_PHYSICS_REPORT_H
#define PAISING_PHYSICS_REPORT_H

#include "base/safe_file.h"
#include "cases.h"

/* Makes the folder, finds out the device where base->device leaves it open, and prints the head of
 * the table of findings. Returns STATUS_OK or, after a line on stderr, STATUS_REFUSED. */
exit_status report_begin(const char *folder, parameters *base);

/* A line of the table. */
void report_finding(const char *name, const finding *f, double limit);

/* What a negative control came to: `flagged`, a set of bits, are the checks that exceed the limit. */
void report_control(const validation_case *c, unsigned flagged, const finding *worst, int right);

/* FOLDER/NAME.dat: begins and ends a file. */
exit_status report_open(safe_file *file, const char *folder, const char *name);
exit_status report_close(safe_file *file);

/* FOLDER/NAME.dat: at each temperature the averages beside what is expected, and the errors that
 * runs give themselves beside the scatter of the runs. */
exit_status report_case(const char *folder, const char *name, const ensemble *s,
                        const expectation expected[], const estimate estimates[]);

#endif
