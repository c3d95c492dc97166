/* Errors of counts of rare events (counting.h). */
#include "counting.h"

#include <math.h>
#include <stdbool.h>

/* The least error of a count. */
#define COUNT_ERROR 1.545

/* From this number of events on, the counting error would add less than 1%. */
#define MANY_EVENTS 100

/* Events are rare if there are fewer than replicas / RARE. */
#define RARE 10

double counting_error(double jackknife, double replicas, double events, double one) {
    const bool few = events < MANY_EVENTS && RARE * events < replicas;
    const double counted = COUNT_ERROR * one / replicas;
    return few ? sqrt(jackknife * jackknife + counted * counted) : jackknife;
}
