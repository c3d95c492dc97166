/* What is known of the files of a result in a folder, as far as they say it themselves. */
#ifndef PAISING_RESULT_SURVEY_H
#define PAISING_RESULT_SURVEY_H

#include "settings/parameters.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool readable; /* the folder */
    size_t
        files; /* with the name of a data file, of an archive, or of an array of a saved population */
    size_t
        whole; /* those that end with their checksum, archives with all their checksums, arrays that have the size they say */
    size_t own;     /* those of them that the parameters give */
    size_t remains; /* not whole, with a header that the parameters give, as far as it is there */
    size_t
        foreign; /* not whole, and not begun by this program; or a file that cannot be opened, run.json too */
    bool stated;             /* run.json is there, */
    bool ended;              /* to its last byte */
    size_t promised;         /* so many data files there are, as it says; 0: it does not say it */
    uint32_t first, samples; /* and so many samples, from this one on; 0: it is of no samples */
    bool interrupted;        /* it says that the simulation did not come to its end */
} result_survey;

/* Looks at the files of a folder. p may be NULL: then none is its own. */
result_survey survey_folder(const char *folder, const parameters *p);

/* Whether all files of a result are there, each of them whole: run.json is written last. */
bool survey_is_whole(const result_survey *found);

/* Whether there is a result that is not known to be a part, or the folder cannot be read. */
bool survey_is_complete(const result_survey *found);

/* Whether all data files are of a result that the parameters give; so too by their headers as far as they go: a
 * crash of the machine may have cost some their end, or everything, and of others the name. Without any there may be a
 * run.json, which alone is nobody's. */
bool survey_is_own(const result_survey *found);
bool survey_is_own_remains(const result_survey *found);

#endif
