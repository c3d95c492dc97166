/* Means over replicas of one report, and a record of them over time. */
#ifndef PAISING_MEASUREMENTS_H
#define PAISING_MEASUREMENTS_H

#include "base/section_file.h"
#include "engine/histogram.h"

typedef struct {
    double e, e2, e3, e4; /* of E / N and of its powers */
    double abs_m, m2, m4; /* of |M| / N, (M / N)^2 and (M / N)^4 */
    double s_k;           /* S(k) at the smallest wave vector (structure.h); 0: not measured */
} measurement;

/* Of the replicas of a report, at least one, of a lattice of so many spins. */
measurement measurement_of(const histogram *h, uint64_t spins);

/* Of replicas, at least one, of a lattice that is cut into so many stripes each (model_stripe): [replicas][stripes] their
 * unsatisfied bonds, and their spins up. */
measurement measurement_of_stripes(const uint32_t *unsatisfied, const uint32_t *up,
                                   uint64_t replicas, uint32_t stripes, const spin_model *lattice);

/* The means of the third and fourth power of E / N. */
void energy_powers(const histogram *h, uint64_t spins, double *e3, double *e4);

/* Measurements at several temperatures, in the order in which they were made. */
typedef struct {
    measurement *of;     /* [room][temperatures] */
    size_t temperatures; /* at once */
    size_t count, room;  /* measurements */
} measurement_series;

/* Makes room for `room` measurements. Returns 0, or -1 without memory. */
int measurement_series_create(measurement_series *s, size_t temperatures, size_t room);
void measurement_series_destroy(measurement_series *s);

/* Adds the next measurement of all temperatures, now[temperatures]. Pre: there is room. */
void measurement_series_add(measurement_series *s, const measurement now[]);

/* Writes or reads the measurements so far. Returns false on failure (section_file.h). */
bool measurement_series_transfer(section_file *f, measurement_series *s);

#endif
