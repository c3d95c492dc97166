/* New folders, for a result that its own folder cannot take. */
#ifndef PAISING_SPARE_FOLDER_H
#define PAISING_SPARE_FOLDER_H

/* Makes a folder beside the one of this path: PATH.1, or the first number that is free. To be freed; NULL: it cannot be
 * made. */
char *spare_folder_beside(const char *path);

/* The same in $TMPDIR. */
char *spare_folder_temporary(void);

#endif
