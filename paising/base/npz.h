/* Archives of NumPy's arrays (numpy.savez): a zip file of .npy members, stored and not compressed, without dates: equal
 * arrays give equal bytes. Format: APPNOTE.TXT 6.3 of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16. */
#ifndef PAISING_NPZ_H
#define PAISING_NPZ_H

#include "npy.h"

#include <stddef.h>

/* An array; `name` without .npy, NPZ_NAME_MOST characters at most. */
#define NPZ_NAME_MOST 60
typedef struct {
    const char *name;
    npy_shape shape;
    const void *numbers; /* [rows][columns] */
} npz_array;

/* Writes an archive. Returns false without memory, if it would have 4 GiB or more, or if a write fails. */
bool npz_write(FILE *file, const npz_array array[], size_t count);

/* What a file says of itself. */
typedef struct {
    bool whole;  /* an archive as npz_write makes it, to its last byte, whose checksums hold */
    bool begins; /* it begins as such archives do, as far as it goes */
    /* the numbers of its first array, bytes, as far as they go; to be freed. NULL: none */
    char *text;
    size_t length; /* of the text */
} npz_look;

/* Reads a file from beginning to end, and rewinds it. Without memory it says nothing but false and NULL. */
npz_look npz_look_at(FILE *file);

#endif
