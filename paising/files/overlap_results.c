/* The data files of disordered models. */
#include "overlap_results.h"

#include "base/number.h"
#include "result_header.h"
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Begins the file of a run: title, run and parameters. NULL after a line on stderr. */
static FILE *begin(result_folder *folder, const char *kind, const parameters *p,
                   const spin_model *model, uint32_t run) {
    FILE *const file = results_begin_run(folder, kind, model, run);
    if (file == NULL)
        return NULL;
    fprintf(file, "# run %" PRIu32 "\n", run);
    result_header_print_parameters(file, p);
    return file;
}

/* --- histograms --- */

/* Text of the histograms at a temperature, as long as it may get: what there is of it ends at `end`. */
typedef struct {
    char *begin, *end;
    int precision;
    double pairs;
} histogram_text;

enum { BIN_COLUMNS = 4 };

static void put_bin(histogram_text *t, double at, overlap_bin bin) {
    const double x[BIN_COLUMNS] = {at, bin.count, bin.count / t->pairs, (double)bin.error};
    t->end = results_put_row(t->end, t->precision, x, BIN_COLUMNS);
}

/* P(q), by rising q. */
static void put_overlaps(histogram_text *t, const spin_model *model, overlap_scale s,
                         const overlap_bin bin[]) {
    const double side = s.differ_side, step = 2.0 * s.differ_width / (double)model->sites;
    for (size_t n = s.differ_bins; n-- > 0;)
        if (bin[n].count > 0)
            put_bin(t, (side - (double)n) * step, bin[n]);
}

/* P(q_l), by rising q_l. */
static void put_links(histogram_text *t, const spin_model *model, overlap_scale s,
                      const overlap_bin bin[]) {
    for (size_t n = s.wall_bins; n-- > 0;) {
        if (bin[n].count == 0)
            continue;
        const double walls = 2.0 * (double)n * s.wall_width + (s.wall_width - 1);
        put_bin(t, 1 - 2 * walls / (double)model->bonds, bin[n]);
    }
}

static void print_histograms_header(FILE *file, const spin_model *model, overlap_scale s) {
    fprintf(file,
            "# P(q) and P(q_l) at each beta: pairs of replicas of different families, by their "
            "overlap and link overlap\n"
            "# a bin of q has %u values, %.10g apart; one of q_l has %u, %.10g apart; bins without "
            "pairs are left out\n"
            "# column 1: q or q_l, the middle of the bin\n"
            "# column 2: count, pairs in it\n"
            "# column 3: share, of all pairs; divided by the width of the bin a density\n"
            "# column 4: err_share, error of share, from %d blocks of pairs\n",
            s.differ_width, 2 / (double)model->sites, s.wall_width, 4 / (double)model->bonds,
            OVERLAP_PARTS);
}

#define HEADING_SIZE 128

static void put_heading(histogram_text *t, double beta, const char *of) {
    char at[NUMBER_TEXT_SIZE];
    t->end += snprintf(t->end, HEADING_SIZE, "\n\n# beta = %s: %s of %" PRIu64 " pairs\n",
                       number_text(at, beta), of, (uint64_t)t->pairs);
}

/* The histograms of row i; text.begin is NULL without memory for them, and to be freed. */
static histogram_text put_histograms(int precision, const spin_model *model, double beta,
                                     const overlap_record *overlaps, size_t i) {
    const overlap_scale s = overlap_scale_of(model);
    const overlap_bin *const bin = overlaps->bin + i * overlaps->bins;
    histogram_text t = {.precision = precision, .pairs = overlaps->row[i].pairs};
    size_t rows = 0;
    for (size_t n = 0; n < overlaps->bins; n++)
        rows += bin[n].count > 0;
    t.begin = t.end = malloc(2 * HEADING_SIZE + rows * BIN_COLUMNS * NUMBER_TEXT_SIZE);
    if (t.begin == NULL)
        return t;
    put_heading(&t, beta, "P(q)");
    put_overlaps(&t, model, s, bin);
    put_heading(&t, beta, "P(q_l)");
    put_links(&t, model, s, bin + s.differ_bins);
    return t;
}

/* There are a hundred thousand numbers to print, a tenth of the time of a short run on a GPU: all processors print, a
 * temperature each. */
exit_status results_write_overlaps(result_folder *folder, const parameters *p,
                                   const spin_model *model, uint32_t run, const observables rows[],
                                   const overlap_record *overlaps) {
    FILE *const file = begin(folder, "overlap", p, model, run);
    bool printed = true;
    if (file == NULL)
        return STATUS_FAILED;
    print_histograms_header(file, model, overlap_scale_of(model));
#pragma omp parallel for ordered schedule(dynamic)
    for (size_t i = 0; i < overlaps->count; i++) {
        const histogram_text text = put_histograms(p->precision, model, rows[i].beta, overlaps, i);
#pragma omp ordered
        {
            printed = printed && text.begin != NULL;
            if (text.begin != NULL)
                fwrite(text.begin, 1, (size_t)(text.end - text.begin), file);
        }
        free(text.begin);
    }
    return printed ? STATUS_OK : complain(STATUS_FAILED, "not enough memory to print the overlaps");
}

/* --- ground states --- */

/* A row of the lattice: + for spin up, - for spin down. */
static void print_spins(FILE *file, const spin_model *model, const uint8_t *spins, uint32_t y,
                        uint32_t z) {
    const size_t row = (size_t)z * model->edge[1] + y;
    for (uint32_t x = 0; x < model->edge[0]; x++) {
        const size_t i = (x + y + z) % 2 * (model->sites / 2) + row * (model->edge[0] / 2) + x / 2;
        fputc(spins[i / 8] >> i % 8 & 1 ? '+' : '-', file);
    }
    fputc('\n', file);
}

static void print_summary(FILE *file, const ground_states *g) {
    fprintf(file, "# lowest energy of the run: %.0f\n", g->seen);
    fprintf(file, "# lowest energy at the last temperature: %.0f\n", g->energy);
    fprintf(file, "# replicas with it: %" PRIu64 "\n# families with it: %" PRIu64 "\n", g->replicas,
            g->families);
    fprintf(file, "# distinct states with it, but for a global flip: %s%" PRIu64 "\n",
            g->more ? "at least " : "", g->distinct);
    if (g->seen < g->energy)
        fprintf(file, "# warning: a lower energy was seen at a higher temperature, and lost\n");
    else
        fprintf(file,
                "# probability that the lowest state of the run was missed by a run like it: %.3g\n"
                "# (exp(-n), n = (sum m)^2 / sum m^2 of the families with m replicas in it)\n",
                ground_states_missed(g));
}

exit_status results_write_ground_states(result_folder *folder, const parameters *p,
                                        const spin_model *model, uint32_t run,
                                        const ground_states *g) {
    FILE *const file = begin(folder, "ground_state", p, model, run);
    if (file == NULL)
        return STATUS_FAILED;
    print_summary(file, g);
    fprintf(file, "# one of the states: a line for each row y, x to the right, + up, - down%s\n",
            model->dimension > 2 ? ", layer z after layer" : "");
    for (uint32_t z = 0; z < model->edge[2]; z++) {
        if (model->dimension > 2)
            fprintf(file, "# z = %" PRIu32 "\n", z);
        for (uint32_t y = 0; y < model->edge[1]; y++)
            print_spins(file, model, g->spins, y, z);
    }
    return STATUS_OK;
}
