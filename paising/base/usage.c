/* Help texts (usage.h). */
#include "usage.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void usage_show(const char *text) {
    fputs(text, stdout);
    exit((int)close_stdout());
}

void usage_show_if_asked(int argc, char **argv, const char *text) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        usage_show(text);
}
