/* Reads a data file of build/paising back: the parameters in its header and its rows. */
#ifndef PAISING_RESULT_FILE_H
#define PAISING_RESULT_FILE_H

#include "base/message.h"

#include <stddef.h>
#include <stdint.h>

/* Columns of PA_results_run_K.dat and PA_results_weighted.dat (paising/files/results.c), found by
 * their names. Of a glass |q|, q2, q4 are in the place of |m|, m2, m4. */
enum {
    RESULT_BETA,
    RESULT_E,
    RESULT_C,
    RESULT_ABS_M,
    RESULT_M2,
    RESULT_M4,
    RESULT_BETA_F,
    RESULT_S,
    RESULT_R,
    RESULT_LN_Q,
    RESULT_ERR_E,
    RESULT_ERR_C,
    RESULT_ERR_ABS_M,
    RESULT_ERR_BETA_F,
    RESULT_FAMILIES,
    RESULT_RHO_T,
    RESULT_R_EFF,
    RESULT_TRUSTED,
    RESULT_ERR_M2,
    RESULT_ERR_M4,
    RESULT_ERR_S,
    RESULT_BLOCKS,
    RESULT_COLUMNS
};
#define RESULT_VALUE_SIZE 32

typedef struct {
    char *header; /* its `#` lines, without that of the names of the columns on top */
    size_t rows;
    double (*row)[RESULT_COLUMNS]; /* [rows], by rising beta */
} result_file;

/* Reads a file. Returns STATUS_OK, or STATUS_FAILED after a line that names the file and what is
 * wrong with it. It cannot be opened; its last line is not its checksum (checked_text.h); there is no row; no line names the columns;
 * or a row lacks one or holds what no result does. To be given to result_file_free in either case. */
exit_status result_file_read(result_file *result, const char *path);

/* Sees that a data file of any kind is all that was written. Returns STATUS_OK or, after a line that names
 * the file, STATUS_FAILED. */
exit_status result_file_verify(const char *path);

void result_file_free(result_file *result);

/* Copies what the header says of a parameter ("size", "rng", ...: the name of the long option).
 * Returns value, which is empty if the header does not say. */
const char *result_file_parameter(const result_file *result, const char *name,
                                  char value[RESULT_VALUE_SIZE]);

/* The same of a whole number; 0 if the header does not say, or something else. */
uint64_t result_file_number(const result_file *result, const char *name);

#endif
