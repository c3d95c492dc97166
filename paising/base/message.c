/* Error lines and exit statuses. */
#include "message.h"

#include "caller.h"
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Waits until stderr can take a line, because a pipe may be full. Returns false if a signal asks
 * for the end in the meantime. */
static bool may_say(void) {
    struct pollfd to = {.fd = STDERR_FILENO, .events = POLLOUT};
    int ready = poll(&to, 1, 0);
    while ((ready == 0 || (ready < 0 && errno == EINTR)) && signals_pending() == 0)
        ready = poll(&to, 1, 100);
    return ready > 0 || (ready < 0 && errno != EINTR);
}

/* Prints one line. */
static void say(const char *format, va_list arguments) {
    char *line, shortened[500];
    va_list again;
    va_copy(again, arguments);
    /* vasprintf may fail: often the message is that memory has run out. */
    if (vasprintf(&line, format, arguments) < 0) {
        vsnprintf(shortened, sizeof shortened, format, again);
        line = shortened;
    }
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    if (caller_here() != NULL)
        caller_keep(caller_here(), line);
    else if (may_say())
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

void tell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (caller_here() == NULL)
        vprintf(format, arguments);
    va_end(arguments);
}

exit_status status_of_error(int error) {
    return error == ENOSPC || error == EDQUOT ? STATUS_FAILED : STATUS_REFUSED;
}

exit_status close_stdout(void) {
    const int failed_before = ferror(stdout); /* the errno of that failure is lost */
    if (fflush(stdout) != 0 || fclose(stdout) != 0)
        return complain(STATUS_FAILED, "standard output: %s", strerror(errno));
    return failed_before ? complain(STATUS_FAILED, "standard output: write error") : STATUS_OK;
}
