/* The limit of open files (open_files.h). */
#include "open_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

void open_files_fill_standard(void) {
    for (int n = STDIN_FILENO; n <= STDERR_FILENO; n++)
        if (fcntl(n, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", n == STDIN_FILENO ? O_WRONLY : O_RDONLY) != n)
            return; /* without /dev/null it stays as it is */
}

uint64_t open_files_allow(uint64_t files) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return UINT64_MAX; /* unknown */
    struct rlimit more = limit;
    more.rlim_cur = files < limit.rlim_max ? files : limit.rlim_max;
    if (more.rlim_cur > limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &more) == 0)
        limit = more;
    return limit.rlim_cur;
}

/* Tries it with pipes, each of which takes two descriptors and no name in a folder. */
bool open_files_spare(uint32_t files) {
    int ends[OPEN_FILES_MOST / 2][2];
    const uint32_t wanted = files < OPEN_FILES_MOST ? (files + 1) / 2 : OPEN_FILES_MOST / 2;
    uint32_t pipes = 0;
    while (pipes < wanted && pipe2(ends[pipes], O_CLOEXEC) == 0)
        pipes++;
    for (uint32_t n = 0; n < pipes; n++) {
        close(ends[n][0]);
        close(ends[n][1]);
    }
    return pipes == wanted;
}
