/* Several hosts in place of one: where TEST_RANKS_OF_A_HOST is in the environment, ranks are told that so many in turn share
 * memory, and the others stand elsewhere. Stands before the function of the MPI library (its profiling interface). */
#include <mpi.h>
#include <stdlib.h>

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part) {
    const char *const text = getenv("TEST_RANKS_OF_A_HOST");
    const int each = text != NULL ? atoi(text) : 0;
    int rank;
    if (each <= 0 || type != MPI_COMM_TYPE_SHARED)
        return PMPI_Comm_split_type(comm, type, key, info, part);
    MPI_Comm_rank(comm, &rank);
    return PMPI_Comm_split(comm, rank / each, key, part);
}
