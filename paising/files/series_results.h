/* The data files of methods of fixed temperatures. Each function writes one file of the result, and returns STATUS_OK, or
 * STATUS_FAILED after a message on stderr. */
#ifndef PAISING_SERIES_RESULTS_H
#define PAISING_SERIES_RESULTS_H

#include "estimate/series_rows.h"
#include "result_folder.h"

/* The columns of such a file, besides its header. */
typedef struct {
    const char *name, *meaning;
} file_column;

/* Columns whose texts are made here, from { .count = 0 } on. */
#define COLUMN_LIST_MOST (2 * SERIES_COLUMNS_MOST + 6)
typedef struct {
    file_column column[COLUMN_LIST_MOST];
    char text[2 * COLUMN_LIST_MOST][80];
    size_t count, texts;
} column_list;

/* Adds a column; a column and that of its error. */
void column_list_add(column_list *list, const char *name, const char *meaning);
void column_list_add_pair(column_list *list, const moment_column *c);

/* Begins a file with its title, remarks, parameters and columns. Returns the stream, or NULL after a message. */
FILE *series_results_begin(result_folder *folder, const char *name, const parameters *p,
                           const spin_model *model, const char *remark, const file_column column[],
                           size_t columns);

/* MC_results.dat, or another of this kind: a row for each temperature. */
exit_status series_results_write_rows(result_folder *folder, const char *name, const parameters *p,
                                      const spin_model *model, const char *remark,
                                      const double beta[], const series_row row[],
                                      size_t temperatures);

/* MC_series.dat, or that of one run: a row for each measurement and temperature, of numbers `first` on of the series. */
exit_status series_results_write_series(result_folder *folder, const char *name,
                                        const parameters *p, const spin_model *model,
                                        const double beta[], const measurement_series *s,
                                        size_t first, size_t temperatures);

#endif
