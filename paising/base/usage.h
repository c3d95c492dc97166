/* Help texts: printed on stdout, with exit status 0. */
#ifndef PAISING_USAGE_H
#define PAISING_USAGE_H

/* Prints the text, which begins with "usage:", and ends the program. */
_Noreturn void usage_show(const char *text);

/* The same if the first argument is --help or -h; else returns. */
void usage_show_if_asked(int argc, char **argv, const char *text);

#endif
