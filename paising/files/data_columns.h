/* Columns of data files, read by name. */
#ifndef PAISING_DATA_COLUMNS_H
#define PAISING_DATA_COLUMNS_H

#include "base/message.h"

#include <stddef.h>

typedef struct {
    double *value; /* [rows][columns]; the caller frees it */
    size_t rows;
} data_columns;

/* Reads the columns name[columns], in this order, from a data file. Returns STATUS_OK; or
 * STATUS_FAILED after a message on stderr if the file is not whole, a column is missing, or memory
 * runs out. In that case there is nothing to free. */
exit_status data_columns_read(data_columns *d, const char *path, const char *const name[],
                              size_t columns);

/* Reads value[count], the numbers behind the texts behind[count] of header lines. Returns the same statuses; STATUS_FAILED also if
 * a text is missing. */
exit_status data_header_read(const char *path, const char *const behind[], double value[],
                             size_t count);

#endif
