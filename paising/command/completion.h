/* Shell completion of the command, from the table of settings. */
#ifndef PAISING_COMPLETION_H
#define PAISING_COMPLETION_H

#include "base/message.h"

#include <stdio.h>

/* Prints the script that completes options, choices and file names in `shell`: "bash" or "zsh".
 * Returns STATUS_REFUSED after a message for any other shell, else STATUS_OK. */
exit_status completion_print(FILE *file, const char *shell);

#endif
