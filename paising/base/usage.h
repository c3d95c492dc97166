/* How a program is used: said on stdout when it is asked for, with status 0. */
#ifndef PAISING_USAGE_H
#define PAISING_USAGE_H

/* Prints the text, which begins with "usage:", and ends the program. */
_Noreturn void usage_show(const char *text);

/* The same if the first word of the command line is --help or -h. */
void usage_show_if_asked(int argc, char **argv, const char *text);

#endif
