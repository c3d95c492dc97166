/* What is known of the files of a result in a folder, as far as they say it themselves. */
#ifndef PAISING_RESULT_SURVEY_H
#define PAISING_RESULT_SURVEY_H

#include "settings/parameters.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t files;   /* with the name of a data file */
    size_t whole;   /* those that end with their checksum */
    size_t own;     /* those of them that the parameters give */
    size_t remains; /* not whole, with a header that the parameters give, as far as it is there */
    size_t foreign; /* not whole, and not begun by this program; or it cannot be opened */
    bool readable;  /* the folder */
} data_survey;

/* Looks at the data files of a folder. p may be NULL: then none is its own. */
data_survey survey_data(const char *folder, const parameters *p);

/* Whether all data files in a folder are of a result that these parameters give; whether there is such a result, and
 * it came to its end. */
bool survey_finds_own(const char *folder, const parameters *p);
bool survey_finds_own_whole(const char *folder, const parameters *p);

/* Whether the result in a folder is an interrupted one that these parameters give: whoever takes the
 * simulation up again makes all of it. */
bool survey_finds_own_part(const char *folder, const parameters *p);

/* Whether all data files in a folder are of a result that these parameters give, by their headers as far as they go: a
 * crash of the machine may have cost some their end, or everything, and of others the name. Without any there may be a
 * run.json, which alone is nobody's. */
bool survey_finds_own_remains(const char *folder, const parameters *p);

/* Whether a folder holds a result that is not known to be a part, or cannot be read. */
bool survey_finds_complete(const char *folder);

/* Whether a folder holds all files of a result, each of them whole: run.json is written last. */
bool survey_finds_whole(const char *folder);

#endif
