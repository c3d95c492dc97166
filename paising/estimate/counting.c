/* The errors that counting gives. */
#include "counting.h"

#include <math.h>
#include <stdbool.h>

/* Of a count, at least. */
#define COUNT_ERROR 1.545

/* From so many events on it would add a hundredth. */
#define MANY_EVENTS 100

/* Events are rare among this times as many replicas. */
#define RARE 10

double counting_error(double jackknife, double replicas, double events, double one) {
    const bool few = events < MANY_EVENTS && RARE * events < replicas;
    const double counted = COUNT_ERROR * one / replicas;
    return few ? sqrt(jackknife * jackknife + counted * counted) : jackknife;
}
