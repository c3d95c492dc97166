/* What the program says when it cannot do what it was asked: the exit status, and one line on
 * stderr. */
#ifndef PAISING_MESSAGE_H
#define PAISING_MESSAGE_H

typedef enum {
    STATUS_OK = 0,
    STATUS_FAILED = 1, /* work had started: a write, a full disk, the device, the populations */
    STATUS_REFUSED = 2 /* known before work starts: values, files in the way, memory, the device */
} exit_status;

/* Prints "<program>: <message>" as one line on stderr, control characters of user input replaced,
 * and returns the status, so that a failing function can end with `return complain(...)`. */
exit_status complain(exit_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what does not stop the work. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The status of what cannot be made because of this error: a full disk is not the user's choice. */
exit_status status_of_error(int error);

/* To be called last by every program that prints on stdout. Returns STATUS_FAILED, having said so,
 * if not everything reached its destination. */
exit_status close_stdout(void);

#endif
