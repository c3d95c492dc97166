/* Whether this program calculates with doubles as it was written. What compilers say of their flags ieee_math.h refuses;
 * some say nothing (clang of -fno-signed-zeros), and what a program is linked with may change the processor's mode. */
#ifndef PAISING_IEEE_RULES_H
#define PAISING_IEEE_RULES_H

/* The first rule that does not hold, in words; NULL: all hold. */
const char *ieee_broken_rule(void);

#endif
