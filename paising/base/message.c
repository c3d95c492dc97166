/* Error lines and exit statuses. */
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

exit_status complain(exit_status status, const char *format, ...) {
    char *line, shortened[500];
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length < 0) { /* often what there is to say is that memory has run out */
        va_start(arguments, format);
        vsnprintf(shortened, sizeof shortened, format, arguments);
        va_end(arguments);
        line = shortened;
    }
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    if (line != shortened)
        free(line);
    return status;
}

exit_status close_stdout(void) {
    const int failed_before = ferror(stdout); /* its errno is gone */
    if (fflush(stdout) != 0 || fclose(stdout) != 0)
        return complain(STATUS_FAILED, "standard output: %s", strerror(errno));
    return failed_before ? complain(STATUS_FAILED, "standard output: write error") : STATUS_OK;
}
