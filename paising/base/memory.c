/* Available memory, from the kernel and its limits. */
#include "memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PATH_SIZE 1024

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t subtract(uint64_t from, uint64_t amount) {
    return from > amount ? from - amount : 0;
}

/* --- files of numbers --- */

/* Opens root/folder/name for reading. Returns NULL on failure. */
static FILE *open_below(const char *root, const char *folder, const char *name) {
    char path[PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    return length < 0 || length >= PATH_SIZE ? NULL : fopen(path, "r");
}

/* Reads the number behind `key` and blanks at the start of a line; with an empty key, the number at
 * the start of the file. Returns false if there is none, also for "max", no limit. */
static bool read_number(const char *root, const char *folder, const char *name, const char *key,
                        uint64_t *value) {
    FILE *const file = open_below(root, folder, name);
    if (file == NULL)
        return false;
    char line[256];
    bool found = false;
    const size_t length = strlen(key);
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, key, length) == 0 && sscanf(line + length, " %" SCNu64, value) == 1;
    fclose(file);
    return found;
}

/* --- control groups --- */

/* Names that differ between versions 1 and 2. */
typedef struct {
    const char *mount;
    const char *limit, *use;
    const char *files[2]; /* page cache, part of the use, which the kernel can free */
} cgroup_version;

static const cgroup_version cgroup_v1 = {"sys/fs/cgroup/memory",
                                         "memory.limit_in_bytes",
                                         "memory.usage_in_bytes",
                                         {"total_inactive_file ", "total_active_file "}};
static const cgroup_version cgroup_v2 = {
    "sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file ", "active_file "}};

/* The memory that a group leaves to its processes; UINT64_MAX without a limit. */
static uint64_t group_available(const char *root, const char *folder,
                                const cgroup_version *version) {
    uint64_t limit, use;
    if (!read_number(root, folder, version->limit, "", &limit) ||
        !read_number(root, folder, version->use, "", &use))
        return UINT64_MAX;
    for (size_t i = 0; i < 2; i++) {
        uint64_t cache;
        if (read_number(root, folder, "memory.stat", version->files[i], &cache))
            use = subtract(use, cache);
    }
    return subtract(limit, use);
}

/* The minimum over a group and all groups above it. In a container the path of the group may be
 * that of the host, which does not exist there; the container's own group is then the topmost. */
static uint64_t groups_available(const char *root, const char *group,
                                 const cgroup_version *version) {
    char folder[PATH_SIZE];
    const int length = snprintf(folder, sizeof folder, "%s%s", version->mount, group);
    if (length < 0 || length >= PATH_SIZE)
        return UINT64_MAX;
    uint64_t available = UINT64_MAX;
    while (strlen(folder) >= strlen(version->mount)) {
        available = smaller(available, group_available(root, folder, version));
        *strrchr(folder, '/') = '\0';
    }
    return available;
}

/* Whether a comma-separated list of controllers contains memory. */
static bool controls_memory(char *list) {
    char *rest = NULL;
    for (char *word = strtok_r(list, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest))
        if (strcmp(word, "memory") == 0)
            return true;
    return false;
}

/* Reads proc/self/cgroup, with lines "number:controllers:path"; version 2 has no controllers. */
static uint64_t all_groups_available(const char *root) {
    FILE *const file = open_below(root, "proc/self", "cgroup");
    if (file == NULL)
        return UINT64_MAX;
    uint64_t available = UINT64_MAX;
    char line[PATH_SIZE];
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *const controllers = strchr(line, ':');
        char *const group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (group == NULL)
            continue;
        *group = '\0';
        if (controllers[1] == '\0')
            available = smaller(available, groups_available(root, group + 1, &cgroup_v2));
        else if (controls_memory(controllers + 1))
            available = smaller(available, groups_available(root, group + 1, &cgroup_v1));
    }
    fclose(file);
    return available;
}

/* --- memory --- */

uint64_t memory_available_below(const char *root) {
    uint64_t kilobytes;
    const uint64_t available = read_number(root, "proc", "meminfo", "MemAvailable:", &kilobytes)
                                   ? kilobytes * 1024
                                   : UINT64_MAX;
    return smaller(available, all_groups_available(root));
}

uint64_t memory_available(uint32_t processes) {
    const uint64_t all = memory_available_below("");
    uint64_t available = all == UINT64_MAX ? all : all / processes;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        uint64_t pages = 0; /* address space in use */
        read_number("", "proc/self", "statm", "", &pages);
        const uint64_t use = pages * (uint64_t)sysconf(_SC_PAGESIZE);
        available = smaller(available, subtract(limit.rlim_cur, use));
    }
    return available;
}

uint64_t memory_of_stack(void) {
    struct rlimit limit;
    const bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known ? limit.rlim_cur : UINT64_MAX;
}
