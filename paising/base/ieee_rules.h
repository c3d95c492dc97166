/* Whether this program computes with doubles as written. ieee_math.h refuses flags that compilers
 * report. Others are not reported (clang's -fno-signed-zeros), and linked objects may change the
 * mode of the processor. */
#ifndef PAISING_IEEE_RULES_H
#define PAISING_IEEE_RULES_H

/* The name of the first rule that is broken, or NULL. */
const char *ieee_broken_rule(void);

#endif
