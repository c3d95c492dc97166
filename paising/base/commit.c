/* The commit that is built. Only this file is compiled again when the commit changes. */
#include "commit.h"

const char *commit_name(void) {
    return PAISING_COMMIT;
}
