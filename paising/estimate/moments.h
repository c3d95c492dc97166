/* Means over replicas of one report, and a record of them over time. */
#ifndef PAISING_MOMENTS_H
#define PAISING_MOMENTS_H

#include "base/section_file.h"
#include "engine/histogram.h"

typedef struct {
    double e, e2;         /* of E / N and of its square */
    double abs_m, m2, m4; /* of |M| / N, (M / N)^2 and (M / N)^4 */
} moments;

/* Of the replicas of a report, at least one, of a lattice of so many spins. */
moments moments_of(const histogram *h, uint64_t spins);

/* Measurements at several temperatures, in the order in which they were made. */
typedef struct {
    moments *of;         /* [room][temperatures] */
    size_t temperatures; /* at once */
    size_t count, room;  /* measurements */
} moment_series;

/* Makes room for `room` measurements. Returns 0, or -1 without memory. */
int moment_series_create(moment_series *s, size_t temperatures, size_t room);
void moment_series_destroy(moment_series *s);

/* Adds the reports of all temperatures, h[temperatures], as the next measurement. Pre: there is room. */
void moment_series_add(moment_series *s, const histogram h[], uint64_t spins);

/* Writes or reads the measurements so far. Returns false on failure (section_file.h). */
bool moment_series_transfer(section_file *f, moment_series *s);

#endif
