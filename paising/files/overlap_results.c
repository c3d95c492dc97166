/* The data files of disordered models. */
#include "overlap_results.h"

#include "base/number.h"
#include "result_header.h"
#include "result_names.h"
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Begins a file of a run, with title, run and parameters. Returns NULL after a message on stderr. */
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

void results_print_overlap_columns(FILE *file, const spin_model *model, const char *share,
                                   const char *error) {
    const overlap_scale s = overlap_scale_of(model);
    fprintf(file,
            "# P(q) and P(q_l) at each beta: pairs of replicas of different families, by their "
            "overlap and link overlap\n"
            "# a bin of q has %u values, %.10g apart; one of q_l has %u, %.10g apart; bins without "
            "pairs are left out\n"
            "# column 1: beta, inverse temperature, in 1/J\n"
            "# column 2: kind, %d: overlap q; %d: link overlap q_l\n"
            "# column 3: q, the middle of the bin of q or q_l\n"
            "# column 4: count, pairs in it\n"
            "# column 5: share, %s; divided by the width of the bin a density\n"
            "# column 6: err_share, error of share, %s; few pairs in a bin, or "
            "outside of it,\n"
            "#   have the error of their count too\n",
            s.differ_width, 2 / (double)overlap_steps(model),
            s.wall_width / overlap_wall_step(model),
            2.0 * overlap_wall_step(model) / (double)overlap_link_steps(model), (int)KIND_OVERLAP,
            (int)KIND_LINK, share, error);
}

static void print_row(FILE *file, size_t number, const row_text *row) {
    if (number > 0)
        fputs(OVERLAP_BLOCKS_APART, file);
    if (row->begin != NULL)
        fwrite(row->begin, 1, (size_t)(row->end - row->begin), file);
}

static exit_status no_memory(void) {
    return complain(STATUS_FAILED, "not enough memory to print the overlaps");
}

/* Prints a text, and frees it. */
static exit_status print_text(FILE *file, size_t number, row_text text) {
    const bool made = text.begin != NULL;
    print_row(file, number, &text);
    free(text.begin);
    return made ? STATUS_OK : no_memory();
}

exit_status results_print_overlap_row(FILE *file, const parameters *p, const spin_model *model,
                                      size_t number, double beta, double pairs, const char *of,
                                      const overlap_share share[]) {
    return print_text(file, number,
                      overlap_text_of_shares(p->precision, model, beta, pairs, of, share));
}

/* Texts are printed when all are made: threads that print in turn would wait for the slowest again and again. */
exit_status results_print_overlap_rows(FILE *file, size_t first, size_t count,
                                       row_text make_text(const void *of, size_t n),
                                       const void *of) {
    exit_status status = STATUS_OK;
    if (first >= count)
        return STATUS_OK;
    row_text *const text = calloc(count - first, sizeof *text);
    if (text == NULL)
        return no_memory();
#pragma omp parallel for schedule(dynamic)
    for (size_t n = first; n < count; n++)
        text[n - first] = make_text(of, n);
    for (size_t n = first; n < count; n++)
        if (print_text(file, n, text[n - first]))
            status = STATUS_FAILED;
    free(text);
    return status;
}

/* The rows of a run. */
typedef struct {
    int precision;
    const spin_model *model;
    const observables *rows;
    const overlap_record *overlaps;
} run_rows;

static row_text text_of_row(const void *of, size_t n) {
    const run_rows *const r = of;
    return overlap_text_of_row(r->precision, r->model, r->rows[n].beta, r->overlaps, n);
}

exit_status results_write_overlaps(result_folder *folder, const parameters *p,
                                   const spin_model *model, uint32_t run, const observables rows[],
                                   const overlap_record *overlaps, const overlap_text *text) {
    FILE *const file = begin(folder, "overlap", p, model, run);
    const size_t made = text != NULL ? text->rows : 0;
    char blocks[40];
    snprintf(blocks, sizeof blocks, "from %d blocks of pairs", OVERLAP_PARTS);
    if (file == NULL)
        return STATUS_FAILED;
    results_print_overlap_columns(file, model, "of all pairs", blocks);
    for (size_t i = 0; i < made && i < overlaps->count; i++)
        print_row(file, i, &text->row[i]);
    const run_rows all = {p->precision, model, rows, overlaps};
    return results_print_overlap_rows(file, made, overlaps->count, text_of_row, &all);
}

exit_status results_write_overlap_average(result_folder *folder, const parameters *p,
                                          const spin_model *model, const weighted_average *runs,
                                          const observables rows[],
                                          const overlap_record *overlaps) {
    FILE *const file = results_begin(folder, OVERLAP_FILE, model);
    overlap_share *const share = calloc(overlaps->bins, sizeof *share);
    exit_status status = file != NULL ? STATUS_OK : STATUS_FAILED;
    if (!status && share == NULL)
        status = complain(STATUS_FAILED, "not enough memory for the averages over runs");
    if (!status) {
        fprintf(file, "# averages over %zu runs, weighted by their free energies (eqs. 6, 7)\n",
                runs->runs);
        result_header_print_parameters(file, p);
        results_print_overlap_columns(file, model, "the average of those of the runs",
                                      "from the scatter of the runs");
    }
    for (size_t i = 0; i < weighted_rows(runs) && !status; i++) {
        double pairs;
        size_t count;
        char of[40];
        if (overlap_record_shares(overlaps, runs, i, share, &pairs, &count))
            status = complain(STATUS_FAILED, "not enough memory for the averages over runs");
        snprintf(of, sizeof of, " of %zu runs", count);
        if (!status)
            status = results_print_overlap_row(file, p, model, i, rows[i].beta, pairs, of, share);
    }
    free(share);
    return status;
}

/* --- ground states --- */

/* The site of spin i of a packed replica (engine.h): of a lattice row by row, x first; of a graph its number in the list. */
static uint64_t site_of_spin(const spin_model *model, uint64_t i) {
    if (model->graph != NULL)
        return model->graph->number[i];
    const uint64_t half = model->sites / 2, columns = model->edge[0] / 2, row = i % half / columns,
                   y = row % model->edge[1], z = row / model->edge[1];
    return row * model->edge[0] + 2 * (i % columns) + (i / half + y + z) % 2;
}

/* Prints a line for each site and its spin. Returns STATUS_FAILED, after a message, without memory. */
static exit_status print_spins(FILE *file, const spin_model *model, const uint8_t *spins) {
    const uint32_t lx = model->edge[0], ly = model->edge[1];
    int8_t *const at = malloc(model->sites);
    if (at == NULL)
        return complain(STATUS_FAILED, "not enough memory for the spins of a state");
    for (uint64_t i = 0; i < model->sites; i++)
        at[site_of_spin(model, i)] = spins[i / 8] >> i % 8 & 1 ? 1 : -1;
    for (uint64_t n = 0; n < model->sites; n++)
        if (model->dimension > 0)
            fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n", n % lx, n / lx % ly,
                    n / lx / ly, at[n]);
        else
            fprintf(file, "%" PRIu64 " %d\n", n, at[n]);
    free(at);
    return STATUS_OK;
}

/* A probability as text; one too small for a double is not printed as 0. */
static const char *probability_text(char text[NUMBER_TEXT_SIZE], double p) {
    return p == 0 ? "below 1e-300" : number_rounded_text(text, p, 3);
}

/* Prints how many distinct states there are: those seen, and what the free energy says. */
static void print_number_of_states(FILE *file, const ground_states *g) {
    char share[NUMBER_TEXT_SIZE], ln_g[NUMBER_TEXT_SIZE], error[NUMBER_TEXT_SIZE];
    fprintf(file, "# distinct states with it that were seen, but for a global flip: %s%" PRIu64,
            g->more ? "at least " : "", g->distinct);
    if (ground_states_all_seen(g))
        fprintf(file, " (all, as it seems: each in several families)\n");
    else
        fprintf(file, " (a lower bound: of the states of a further family %s would be new)\n",
                number_rounded_text(share, ground_states_new(g), 2));
    fprintf(file,
            "# ln g, g the number of states with it, global flips among them: %s +- %s\n"
            "# (from the free energy: ln Z + beta E + ln of the share of the replicas with it)\n",
            number_rounded_text(ln_g, g->ln_g, 5), number_rounded_text(error, g->ln_g_error, 2));
}

static const char *reason_for_nan(const ground_states *g) {
    return ground_states_doubt(g) == GROUND_SOUND ? "" : " (see the warning)";
}

static void print_summary(FILE *file, const spin_model *model, const ground_states *g) {
    char text[NUMBER_TEXT_SIZE];
    fprintf(file, "# lowest energy of the run: %.12g\n", g->seen);
    result_header_print_cut(file, model, g->seen);
    fprintf(file, "# lowest energy at the last temperature: %.12g\n", g->energy);
    fprintf(file, "# replicas with it: %" PRIu64 "\n# families with it: %" PRIu64 "\n", g->replicas,
            g->families);
    print_number_of_states(file, g);
    fprintf(file,
            "# probability that the lowest state of the run was missed by a run like it: %s%s\n"
            "# (exp(-n), n = (sum m)^2 / sum m^2 of the families with m replicas in it)\n",
            probability_text(text, ground_states_missed(g)), reason_for_nan(g));
    ground_states_print(file, g);
}

exit_status results_write_ground_states(result_folder *folder, const parameters *p,
                                        const spin_model *model, uint32_t run, const char *remark,
                                        const ground_states *g) {
    FILE *const file = begin(folder, "ground_state", p, model, run);
    const bool lattice = model->dimension > 0;
    if (file == NULL)
        return STATUS_FAILED;
    if (remark[0] != '\0')
        fprintf(file, "# %s\n", remark);
    print_summary(file, model, g);
    fprintf(file,
            "# one of the states: a line for each site\n"
            "# %s\n"
            "# column %d: spin, 1 up, -1 down\n"
            "# %s spin\n",
            lattice ? "columns 1 to 3: x, y, z, the site"
                    : "column 1: site, its number in the list of bonds, from 0",
            lattice ? 4 : 2, lattice ? "x y z" : "site");
    return print_spins(file, model, g->spins);
}
