/* Exit statuses, and messages of one line: on stderr, or for a program that called the library (caller.h). */
#ifndef PAISING_MESSAGE_H
#define PAISING_MESSAGE_H

typedef enum {
    STATUS_OK = 0,
    STATUS_FAILED = 1,    /* after work had started: writes, a full disk, device, populations */
    STATUS_REFUSED = 2,   /* before work started: values, existing files, memory, the device */
    STATUS_UNFINISHED = 3 /* ended by --time-limit, with what there is so far */
} exit_status;

/* Prints "<program>: <message>" as one line on stderr, with control characters replaced. Returns
 * the status, so that a failing function can end with `return complain(...)`. */
exit_status complain(exit_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for warnings: the work goes on. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints on stdout, unless a program called the library (caller.h). */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The status for a file that cannot be created because of `error`: STATUS_FAILED for a full disk,
 * which is not the user's choice, else STATUS_REFUSED. */
exit_status status_of_error(int error);

/* Closes stdout; a program that prints on stdout calls it last. Returns STATUS_FAILED after a
 * message if not everything was written. */
exit_status close_stdout(void);

#endif
