/* The multi-histogram analysis of a series, by the energies that were counted in it (estimate/energy_counts.h). */
#include "base/ieee_math.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/series_results.h"
#include "series.h"

#include <stdlib.h>

exit_status series_write_reweighted(const series *s, const block_counts *counts,
                                    const spin_model *model, const beta_grid *grid,
                                    result_folder *folder) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"e", "energy per spin, in J, by multi-histogram analysis"},
        {"C", "specific heat per spin, in k_B"},
        {"betaF/N",
         "beta times the free energy per spin, less that of the first temperature; whole "
         "with -b 0"},
        {"err_e", "error of e"},
        {"err_C", "error of C"},
        {"err_betaF/N", "error of betaF/N"},
        {"|m|", "magnetisation per spin, mean of its absolute value"},
        {"err_|m|", "error of |m|"},
    };
    enum { COLUMNS = sizeof column / sizeof *column };
    const size_t columns = counts->order != NULL && !model->disordered ? COLUMNS : COLUMNS - 2;
    const double first = s->beta[0] == 0 ? -ieee_log(model_states(model)) : 0;
    reweighted_row *row;
    size_t rows;
    histogram_gap gap;
    const reweighting_status made =
        energy_counts_reweight(counts, model, s->beta, grid, &row, &rows, &gap);
    if (made == REWEIGHTING_NO_OVERLAP || made == REWEIGHTING_NO_CONVERGENCE)
        warn(made == REWEIGHTING_NO_OVERLAP
                 ? "warning: no multi-histogram analysis: the histograms at beta = %.6g and %.6g "
                   "have no energies in common; more temperatures would help"
                 : "warning: no multi-histogram analysis: its equations do not converge",
             gap.from, gap.to);
    if (made != REWEIGHTING_OK) {
        free(row);
        return made == REWEIGHTING_NO_MEMORY
                   ? complain(STATUS_FAILED, "not enough memory for the multi-histogram analysis")
                   : STATUS_OK;
    }
    FILE *const file = series_results_begin(folder, MC_REWEIGHTED_FILE, s->given,
                                            &s->steps.engine->model, "", column, columns);
    for (size_t i = 0; i < rows && file != NULL; i++) {
        const double x[COLUMNS] = {row[i].beta,           row[i].e,       row[i].c,
                                   row[i].beta_f + first, row[i].error_e, row[i].error_c,
                                   row[i].error_beta_f,   row[i].abs_m,   row[i].error_abs_m};
        results_print_row(file, s->given->precision, x, columns);
    }
    free(row);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}
