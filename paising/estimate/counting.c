/* The errors that counting gives. */
#include "counting.h"

#include <math.h>
#include <stdbool.h>

/* Of a count, at least. */
#define COUNT_ERROR 1.545

/* From so many excitations on it would add a hundredth. */
#define MANY_EXCITATIONS 100

/* Excitations are rare if a ground state has this times as many replicas. */
#define RARE 10

double counting_error(double jackknife, double replicas, double excited, double one) {
    const bool few = excited < MANY_EXCITATIONS && RARE * excited < replicas;
    const double counted = COUNT_ERROR * one / replicas;
    return few ? sqrt(jackknife * jackknife + counted * counted) : jackknife;
}
