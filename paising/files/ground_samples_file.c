/* The row of each sample whose lowest energy was searched (ground_samples_file.h). */
#include "ground_samples_file.h"

#include "base/number.h"
#include "data_columns.h"
#include "estimate/success.h"
#include "publication.h"
#include "result_names.h"
#include "results.h"
#include "samples_file.h"
#include "series_results.h"

#include <stdlib.h>

static const file_column columns[] = {
    {"sample", "number of the sample"},
    {"couplings", "CRC-32 of its couplings, as --couplings shows it"},
    {"E_0",
     "lowest energy seen, of the lattice, in J (no search can say that there is none below)"},
    {"e_0", "the same per spin"},
    {"runs", "runs that count, which are made after it was first seen"},
    {"hits", "those among them that reach it"},
    {"missed", "probability that such a run misses it; nan: no run counts"},
    {"missed_least", "its interval (95%, Wilson): from"},
    {"missed_most", "to"},
    {"ln_g", "ln of the number of states of this energy"},
    {"err_ln_g", "error of ln_g"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

exit_status results_read_ground_sample(const char *folder, const parameters *p, uint32_t number,
                                       ground_sample *sample) {
    static const char *const behind[] = {
        "# lowest energy seen: ", "# runs behind it that count: ", "of which reached it: ",
        "global flips among them: ", " +- "};
    double found[5];
    const exit_status status =
        data_header_read(path_in(folder, GROUND_FILE).text, behind, found, 5);
    if (status)
        return status;
    *sample = (ground_sample){.number = number,
                              .lowest = found[0],
                              .counted = found[1],
                              .hits = found[2],
                              .ln_g = found[3],
                              .ln_g_error = found[4]};
    return results_fingerprint_of(p, number, &sample->fingerprint);
}

static miss_estimate missed_by(const ground_sample *s) {
    return success_missed((size_t)s->hits, (size_t)s->counted);
}

/* Of how many samples the probability is known to the width that was asked for. */
static size_t count_known(const parameters *p, const ground_sample sample[], size_t samples) {
    size_t known = 0;
    for (size_t n = 0; n < samples; n++) {
        const miss_estimate missed = missed_by(&sample[n]);
        known += sample[n].counted > 0 && missed.most - missed.least <= p->miss_width;
    }
    return known;
}

static void print_row(FILE *file, const parameters *p, double sites, const ground_sample *s) {
    const miss_estimate missed = missed_by(s);
    const double x[COLUMNS] = {s->number,   s->fingerprint, s->lowest,     s->lowest / sites,
                               s->counted,  s->hits,        missed.missed, missed.least,
                               missed.most, s->ln_g,        s->ln_g_error};
    results_print_row(file, p->precision, x, COLUMNS);
}

exit_status results_write_ground_samples(result_folder *folder, const parameters *p,
                                         const ground_sample sample[], size_t samples) {
    const spin_model model = parameters_model(p);
    const double sites = (double)model.sites;
    double *const lowest = calloc(samples, sizeof *lowest);
    char text[400], mean[SAMPLE_MEAN_SIZE], width[NUMBER_TEXT_SIZE];
    if (lowest == NULL)
        return complain(STATUS_FAILED, "not enough memory for the rows of samples");
    for (size_t n = 0; n < samples; n++)
        lowest[n] = sample[n].lowest / sites;
    results_mean_text(mean, "e_0", lowest, samples);
    free(lowest);
    snprintf(text, sizeof text,
             "a row for each of %zu samples of the disorder\n# %s\n# samples of which the "
             "probability to miss the lowest energy is known to %s: %zu",
             samples, mean, number_text(width, p->miss_width), count_known(p, sample, samples));
    FILE *const file =
        series_results_begin(folder, GROUND_SAMPLES_FILE, p, &model, text, columns, COLUMNS);
    for (size_t n = 0; file != NULL && n < samples; n++)
        print_row(file, p, sites, &sample[n]);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}
