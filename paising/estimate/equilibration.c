/* Warnings about spin glasses out of equilibrium (equilibration.h). */
#include "equilibration.h"

#include "base/ieee_math.h"
#include "base/message.h"
#include "base/number.h"

#define LINE_SIZE 300

bool equilibration_holds(double family_entropy, double rho_t, double replicas) {
    return family_entropy >= ieee_log(EQUILIBRATION_FAMILIES) &&
           rho_t / replicas * EQUILIBRATION_FAMILIES <= 1;
}

equilibration equilibration_of_rows(const observables rows[], const overlap_row overlaps[],
                                    size_t count, size_t runs) {
    equilibration e = {.rows = count};
    for (size_t i = 0; i < count; i++) {
        const double replicas = rows[i].population * (double)runs;
        if (equilibration_holds(overlaps[i].family_entropy, rows[i].rho_t, replicas))
            continue;
        if (e.failed++ == 0) {
            e.failed_at = rows[i].beta;
            e.entropy = overlaps[i].family_entropy;
            e.rho_share = rows[i].rho_t / replicas;
        }
    }
    return e;
}

/* Writes the warning into `line`. Returns false if there is none. */
static bool say(char line[LINE_SIZE], const equilibration *e) {
    char at[NUMBER_TEXT_SIZE];
    if (e->failed == 0)
        return false;
    snprintf(line, LINE_SIZE,
             "too few families for a glass in equilibrium at %zu of %zu temperatures, the first "
             "beta = %s: S_f = %.3g there, at least ln %d = %.3g is asked for, and rho_t = R / "
             "%.3g, at most "
             "R / %d; a larger population (-R) or more sweeps (-t) would help",
             e->failed, e->rows, number_short_text(at, e->failed_at), e->entropy,
             EQUILIBRATION_FAMILIES, ieee_log(EQUILIBRATION_FAMILIES), 1 / e->rho_share,
             EQUILIBRATION_FAMILIES);
    return true;
}

void equilibration_print(FILE *file, const equilibration *e) {
    char line[LINE_SIZE];
    if (say(line, e))
        fprintf(file, "# warning: %s\n", line);
}

void equilibration_warn(const equilibration *e) {
    char line[LINE_SIZE];
    if (say(line, e))
        warn("warning: %s", line);
}
