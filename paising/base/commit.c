/* The Makefile says which commit is built; only this file is compiled again when it changes. */
#include "commit.h"

const char *commit_name(void) {
    return PAISING_COMMIT;
}
