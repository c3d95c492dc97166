/* New folders, for a result that its own folder cannot take. */
#include "spare_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BESIDE 1000

char *spare_folder_beside(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    for (int n = 1; n <= MOST_BESIDE; n++) {
        char *beside;
        if (asprintf(&beside, "%.*s.%d", (int)length, path, n) < 0)
            return NULL;
        if (mkdir(beside, 0777) == 0)
            return beside;
        free(beside);
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

char *spare_folder_temporary(void) {
    const char *const above = getenv("TMPDIR");
    char *path;
    if (asprintf(&path, "%s/paising.XXXXXX", above != NULL ? above : "/tmp") < 0)
        return NULL;
    if (mkdtemp(path) != NULL)
        return path;
    free(path);
    return NULL;
}
