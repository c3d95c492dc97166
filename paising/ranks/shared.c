/* Windows are made and freed by all ranks of a host together. So they are kept until the end, and the next engine takes
 * one that was given back. */
#include "shared.h"

#include "world.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BESIDE_BYTES (UINT64_C(4) << 20) /* that MPI may take for a window, beside it */

struct shared_memory {
    shared_memory *next; /* made before */
    MPI_Win window;
    uint8_t *begin; /* of the first rank of the host; the others' follow */
    uint64_t bytes; /* of each */
    bool taken;
};

static shared_memory *made; /* the last one */

/* Whether this is so on all ranks of the host. */
static bool everywhere(int good) {
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, world_host());
    return good != 0;
}

/* Whether this process may map so many bytes more. Where it may not, Open MPI 4.1 says that a window is made, and does
 * not say where. */
static bool may_map(uint64_t bytes) {
    void *const place = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return place != MAP_FAILED && munmap(place, bytes) == 0;
}

/* Makes a window, of which each rank touches its part first, to have it near. Returns false where there is no memory for
 * it, on all ranks of the host. */
static bool make_window(shared_memory *m) {
    void *mine;
    MPI_Aint size;
    int unit;
    if (!everywhere(may_map(ranks_world().neighbours * m->bytes + BESIDE_BYTES)))
        return false;
    const bool good = MPI_Win_allocate_shared((MPI_Aint)m->bytes, 1, MPI_INFO_NULL, world_host(),
                                              &mine, &m->window) == MPI_SUCCESS;
    if (good)
        memset(mine, 0, m->bytes);
    if (!everywhere(good))
        return false;
    MPI_Win_shared_query(m->window, 0, &size, &unit, &m->begin);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, m->window);
    return true;
}

shared_memory *shared_take(uint64_t bytes) {
    shared_memory *m = made;
    while (m != NULL && (m->taken || m->bytes != bytes))
        m = m->next;
    if (m == NULL && ranks_world().neighbours > 1) {
        m = world_memory(NULL, sizeof *m);
        *m = (shared_memory){.next = made, .bytes = bytes};
        if (!make_window(m)) {
            free(m);
            return NULL;
        }
        made = m;
    }
    if (m != NULL)
        m->taken = true;
    return m;
}

void shared_return(shared_memory *m) {
    if (m != NULL)
        m->taken = false;
}

uint8_t *shared_of(const shared_memory *m, uint32_t rank) {
    const int place = m != NULL ? world_place(rank) : MPI_UNDEFINED;
    return place != MPI_UNDEFINED ? m->begin + (uint64_t)place * m->bytes : NULL;
}

uint8_t *shared_begin(const shared_memory *m, uint64_t *bytes) {
    *bytes = ranks_world().neighbours * m->bytes;
    return m->begin;
}

void shared_sync(const shared_memory *m) {
    MPI_Win_sync(m->window);
}

void shared_free(void) {
    while (made != NULL) {
        shared_memory *const m = made;
        made = m->next;
        MPI_Win_unlock_all(m->window);
        MPI_Win_free(&m->window);
        free(m);
    }
}
