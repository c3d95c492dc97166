/* Data files, read back by the names of their columns. */
#ifndef PAISING_DATA_COLUMNS_H
#define PAISING_DATA_COLUMNS_H

#include "base/message.h"

#include <stddef.h>

typedef struct {
    double *value; /* [rows][columns], to be freed */
    size_t rows;
} data_columns;

/* Reads the columns of these names, in their order, from a whole data file. Returns STATUS_OK, or STATUS_FAILED
 * after a line on stderr: it is not whole, does not have them, or memory is not enough; then there is nothing to
 * free. */
exit_status data_columns_read(data_columns *d, const char *path, const char *const name[],
                              size_t columns);

#endif
