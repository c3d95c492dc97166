/* Error lines and exit statuses. */
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints one line. */
static void say(const char *format, va_list arguments) {
    char *line, shortened[500];
    va_list again;
    va_copy(again, arguments);
    /* Often what there is to say is that memory has run out. */
    if (vasprintf(&line, format, arguments) < 0) {
        vsnprintf(shortened, sizeof shortened, format, again);
        line = shortened;
    }
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    if (line != shortened)
        free(line);
    va_end(again);
}

exit_status complain(exit_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return status;
}

void warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

exit_status status_of_error(int error) {
    return error == ENOSPC || error == EDQUOT ? STATUS_FAILED : STATUS_REFUSED;
}

exit_status close_stdout(void) {
    const int failed_before = ferror(stdout); /* its errno is gone */
    if (fflush(stdout) != 0 || fclose(stdout) != 0)
        return complain(STATUS_FAILED, "standard output: %s", strerror(errno));
    return failed_before ? complain(STATUS_FAILED, "standard output: write error") : STATUS_OK;
}
