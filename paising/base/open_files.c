/* The limit of open files. */
#include "open_files.h"

#include <sys/resource.h>

uint64_t open_files_allow(uint64_t files) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return UINT64_MAX; /* none is known */
    struct rlimit more = limit;
    more.rlim_cur = files < limit.rlim_max ? files : limit.rlim_max;
    if (more.rlim_cur > limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &more) == 0)
        limit = more;
    return limit.rlim_cur;
}
