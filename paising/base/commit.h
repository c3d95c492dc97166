/* Which version and which commit of the program this is. */
#ifndef PAISING_COMMIT_H
#define PAISING_COMMIT_H

#define PAISING_VERSION "1.0.0"

/* As `git describe --always --dirty` names it; "unknown" when it was built outside a repository. */
const char *commit_name(void);

#endif
