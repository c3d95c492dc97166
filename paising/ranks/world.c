/* Beginning and end of MPI (world.h). */
#include "world.h"

#include "base/commit.h"
#include "processors.h"

#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static MPI_Comm comm = MPI_COMM_NULL, host = MPI_COMM_NULL;
static int *place_of; /* [ranks] */
static enum {
    EXCHANGE_HOST,
    EXCHANGE_PEER,
    EXCHANGE_ANY
} way; /* the kind of exchange that all ranks were asked for */
static rank_world world = {.count = 1, .neighbours = 1};

MPI_Comm world_comm(void) {
    return comm;
}

MPI_Comm world_host(void) {
    return host;
}

int world_place(uint32_t rank) {
    return place_of[rank];
}

rank_world ranks_world(void) {
    return world;
}

void *world_memory(void *old, size_t bytes) {
    void *const made = realloc(old, bytes);
    if (made == NULL) {
        complain(STATUS_FAILED, "rank %u: not enough memory", (unsigned)world.rank);
        MPI_Abort(comm, STATUS_FAILED);
    }
    return made;
}

/* Finds which ranks are on this host, and their numbers there. */
static void find_places(int count) {
    MPI_Group all, here;
    int *const ranks = world_memory(NULL, (size_t)count * sizeof *ranks);
    place_of = world_memory(NULL, (size_t)count * sizeof *place_of);
    for (int rank = 0; rank < count; rank++)
        ranks[rank] = rank;
    MPI_Comm_group(comm, &all);
    MPI_Comm_group(host, &here);
    MPI_Group_translate_ranks(all, count, ranks, here, place_of);
    MPI_Group_free(&all);
    MPI_Group_free(&here);
    free(ranks);
}

/* Whether mpirun or a batch system started this process. */
static bool was_launched(void) {
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t n = 0; n < sizeof signs / sizeof *signs; n++)
        if (getenv(signs[n]) != NULL)
            return true;
    return false;
}

/* Reads PAISING_EXCHANGE, and agrees with all ranks. Writes an error to wrong[size]. */
static void find_way(char *wrong, size_t size) {
    const char *const named = getenv("PAISING_EXCHANGE");
    int own = EXCHANGE_ANY;
    if (named != NULL)
        own = strcmp(named, "host") == 0 ? EXCHANGE_HOST : EXCHANGE_PEER;
    if (own == EXCHANGE_PEER && strcmp(named, "peer") != 0)
        snprintf(wrong, size, "PAISING_EXCHANGE=%s: allowed: host, peer", named);
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_MIN, comm);
    way = own;
}

/* Checks that this rank has the version and arguments of rank 0. Writes an error to wrong[size]. */
static void compare_starts(int count, char **argument, char *wrong, size_t size) {
    static const char version[] = PAISING_VERSION;
    uLong mine = crc32_z(0, (const Bytef *)version, sizeof version);
    for (int n = 1; n < count; n++)
        mine = crc32_z(mine, (const Bytef *)argument[n], strlen(argument[n]) + 1);
    uLong theirs = mine;
    world_broadcast(&theirs, sizeof theirs);
    if (mine != theirs)
        snprintf(wrong, size,
                 "started with other options than rank 0, or another version of the "
                 "program; allowed: the same on all ranks");
}

bool world_allows_peers(void) {
    return way != EXCHANGE_HOST;
}

bool world_asks_for_peers(void) {
    return way == EXCHANGE_PEER;
}

/* Raises Open MPI's eager limit so that the counts of all levels go at once. Messages above 4 KiB
 * would be fetched by the receiver, which takes microseconds longer within a host. Settings of the
 * user take precedence. */
static void send_at_once(void) {
    static const char *const settings[] = {"OMPI_MCA_btl_vader_eager_limit",
                                           "OMPI_MCA_btl_sm_eager_limit"};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        setenv(settings[n], "32768", 0);
}

exit_status ranks_begin(int argc, char **argv) {
    int provided, rank, count, place, neighbours;
    char wrong[200] = "", reason[300];
    if (!was_launched())
        return STATUS_OK;
    send_at_once();
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED)
        return complain(STATUS_REFUSED, "this MPI has no threads beside the one that calls it");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &count);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN); /* an MPI error is reported, not fatal */
    MPI_Comm_rank(host, &place);
    MPI_Comm_size(host, &neighbours);
    world = (rank_world){(uint32_t)rank, (uint32_t)count, (uint32_t)place, (uint32_t)neighbours};
    const int processors = processors_of_rank(host, count);
    if (getenv("OMP_NUM_THREADS") == NULL)
        omp_set_num_threads(processors);
    find_places(count);
    find_way(wrong, sizeof wrong);
    compare_starts(argc, argv, wrong, sizeof wrong);
    if (world_agrees(wrong[0] != '\0' ? wrong : NULL, reason, sizeof reason))
        return STATUS_OK;
    if (rank == 0)
        complain(STATUS_REFUSED, "%s", reason);
    world_close();
    return STATUS_REFUSED;
}

void world_close(void) {
    free(place_of);
    MPI_Comm_free(&host);
    MPI_Comm_free(&comm);
    MPI_Finalize();
}

bool world_agrees(const char *wrong, char *text, size_t size) {
    char line[256] = "";
    const int mine = wrong != NULL ? (int)(world.count - world.rank) : 0;
    int most;
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm);
    if (most == 0)
        return true;
    const int first = (int)world.count - most;
    if (wrong != NULL)
        snprintf(line, sizeof line, "%s", wrong);
    MPI_Bcast(line, sizeof line, MPI_CHAR, first, comm);
    snprintf(text, size, "rank %d: %s", first, line);
    return false;
}

/* MPI counts bytes by an int. */
void world_broadcast(void *data, size_t size) {
    for (size_t done = 0, now; done < size; done += now) {
        now = size - done < INT_MAX ? size - done : INT_MAX;
        MPI_Bcast((uint8_t *)data + done, (int)now, MPI_BYTE, 0, comm);
    }
}
