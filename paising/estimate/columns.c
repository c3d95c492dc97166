/* The table of columns (columns.h). */
#include "columns.h"

/* The susceptibility of a finite lattice without a field. <M> vanishes by symmetry; below the
 * critical temperature <|M|> takes its place, and the result is that of one ordered phase. */
static double susceptibility(const moments *a) {
    return a->beta * a->spins * (a->m2 - a->abs_m * a->abs_m);
}

/* The fourth-order cumulant of K. Binder, Z. Phys. B 43, 119 (1981): 2/3 in the ordered phase, 0
 * for Gaussian M. */
static double binder_parameter(const moments *a) {
    return 1 - a->m4 / (3 * a->m2 * a->m2);
}

const moment_column moment_columns[] = {
    {"chi", "susceptibility per spin, beta N (m2 - |m|^2)", "1/J", susceptibility, true},
    {"U4", "Binder parameter, 1 - m4 / (3 m2^2)", NULL, binder_parameter, true},
};
const size_t moment_columns_count = sizeof moment_columns / sizeof *moment_columns;
_Static_assert(sizeof moment_columns / sizeof *moment_columns <= COLUMNS_MOST,
               "room for each error in a row");
