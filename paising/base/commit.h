/* Which commit of the program this is. */
#ifndef PAISING_COMMIT_H
#define PAISING_COMMIT_H

/* As `git describe --always --dirty` names it; "unknown" when it was built outside a repository. */
const char *commit_name(void);

#endif
