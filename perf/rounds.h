/* What the programs of this folder share: figures are medians of several rounds, and the unit of the
 * CPU's figures is one scalar Philox4x32-10 call. */
#ifndef PAISING_ROUNDS_H
#define PAISING_ROUNDS_H

#define ROUNDS 5

/* Sorts the figures, and returns the middle one. */
double median(double x[ROUNDS]);

/* CPU time of the process. */
double cpu_seconds(void);

/* Nanoseconds of one Philox4x32-10 call of Random123 (four numbers) in a plain loop on one core. */
double philox_unit_ns(void);

#endif
