/* Version and commit of the program. */
#ifndef PAISING_COMMIT_H
#define PAISING_COMMIT_H

#define PAISING_VERSION "1.0.0"

/* The name by `git describe --always --dirty`; "unknown" if built outside a repository. */
const char *commit_name(void);

#endif
