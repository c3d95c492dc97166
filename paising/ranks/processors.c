/* The processors of a rank (processors.h). */
#include "processors.h"

#include <ctype.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Up to this number of ranks Open MPI binds each rank to a core by default. From version 5 on it
 * does not pass its options on to the ranks, so that a default looks like a request. */
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
#define BOUND_TO_CORES 2
#else
#define BOUND_TO_CORES 0
#endif

static size_t first_of(const cpu_set_t *set) {
    size_t first = 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, set))
        first++;
    return first;
}

/* The number of processors on the same core as this one; 1 if the system does not say. */
static int threads_of_core(size_t processor) {
    char name[96], mask[512] = "";
    int threads = 0;
    snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings",
             processor);
    FILE *const file = fopen(name, "r");
    if (file == NULL)
        return 1;
    if (fgets(mask, sizeof mask, file) != NULL)
        for (const char *digit = mask; *digit != '\0'; digit++)
            if (isxdigit((unsigned char)*digit))
                threads += __builtin_popcountl(strtoul((char[]){*digit, '\0'}, NULL, 16));
    fclose(file);
    return threads > 0 ? threads : 1;
}

static bool begins_with(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Whether Open MPI's mpirun started this process without options about binding. mpirun passes such
 * options on in the environment. */
static bool is_bound_by_default(void) {
    static const char *const words[] = {"OMPI_MCA_hwloc_base_", "OMPI_MCA_rmaps_base_mapping",
                                        "OMPI_MCA_rmaps_base_cpus", "OMPI_MCA_orte_rankfile"};
    bool started = false, asked = false;
    for (char **variable = environ; *variable != NULL; variable++) {
        started = started || begins_with(*variable, "OMPI_COMM_WORLD_SIZE=");
        for (size_t n = 0; n < sizeof words / sizeof *words; n++)
            asked = asked || begins_with(*variable, words[n]);
    }
    return started && !asked;
}

/* The processors that this process may run on. A default binding to one core is replaced by the
 * processors of mpirun. */
static cpu_set_t own_set(int count) {
    cpu_set_t mine, launcher;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_SET(0, &mine);
    if (count <= BOUND_TO_CORES && is_bound_by_default() &&
        CPU_COUNT(&mine) <= threads_of_core(first_of(&mine)) &&
        sched_getaffinity(getppid(), sizeof launcher, &launcher) == 0 &&
        sched_setaffinity(0, sizeof launcher, &launcher) == 0)
        mine = launcher;
    return mine;
}

int processors_of_rank(MPI_Comm host, int count) {
    const cpu_set_t mine = own_set(count);
    int ranks_on[CPU_SETSIZE]; /* includes this rank */
    for (size_t n = 0; n < CPU_SETSIZE; n++)
        ranks_on[n] = CPU_ISSET(n, &mine) != 0;
    MPI_Allreduce(MPI_IN_PLACE, ranks_on, CPU_SETSIZE, MPI_INT, MPI_SUM, host);
    const int own = CPU_COUNT(&mine) / ranks_on[first_of(&mine)];
    return own > 0 ? own : 1;
}
