/* The interface of ranks.h for a program built without MPI, which has one rank. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>

exit_status ranks_begin(int argc, char **argv) {
    (void)argc;
    (void)argv;
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        const char *const launched = getenv(sizes[n]);
        if (launched != NULL && atoi(launched) > 1)
            return complain(STATUS_REFUSED,
                            "mpirun -n %s: this program was built without MPI (ci/setup.sh mpi, "
                            "then make); allowed: -n 1",
                            launched);
    }
    return STATUS_OK;
}

void ranks_end(void) {
}

rank_world ranks_world(void) {
    return (rank_world){.count = 1, .neighbours = 1};
}

void ranks_run_worker(const rank_maker *maker) {
    (void)maker;
}

void ranks_prepare(int device) {
    (void)device;
}

engine_config ranks_share(const engine_config *config) {
    return *config;
}

uint64_t ranks_bytes(const engine_config *config) {
    (void)config;
    return 0;
}

uint64_t ranks_device_bytes(const engine_config *config) {
    (void)config;
    return 0;
}

engine *ranks_engine(const engine_config *config, uint64_t population, int device,
                     const rank_maker *maker, char *reason, size_t size) {
    (void)population;
    return maker->make(config, device, reason, size);
}

void ranks_describe(const engine_config *config, int device, const rank_maker *maker,
                    rank_needs needs[]) {
    maker->describe(config, device, needs);
}
