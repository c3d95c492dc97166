/* How the rules of settings refuse. */
#ifndef PAISING_REFUSE_H
#define PAISING_REFUSE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* The buffer for a message. */
typedef struct {
    char *text;
    size_t size;
} message;

/* Formats the message. Returns -1. */
__attribute__((format(printf, 2, 3))) static inline int refuse(message m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m.text, m.size, format, arguments);
    va_end(arguments);
    return -1;
}

#endif
