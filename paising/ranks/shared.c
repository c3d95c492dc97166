/* Such memory is made and freed by all ranks of a host together. So it is kept until the end, and the next engine takes
 * what was given back. */
#include "shared.h"

#include "peers.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BESIDE_BYTES (UINT64_C(4) << 20) /* that MPI may take for a window, beside it */

struct shared_memory {
    shared_memory *next;      /* made before */
    const share_peers *peers; /* how it is seen on devices; NULL: it is a window */
    MPI_Win window;
    uint64_t bytes; /* of each rank */
    bool taken;
    uint8_t
        *seen[]; /* [neighbours] that of each rank of the host; in a window one behind the other */
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
    MPI_Win_shared_query(m->window, 0, &size, &unit, &m->seen[0]);
    for (uint32_t n = 1; n < ranks_world().neighbours; n++)
        m->seen[n] = m->seen[n - 1] + m->bytes;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, m->window);
    return true;
}

/* One that was given back. NULL: there is none. */
static shared_memory *find(uint64_t bytes, const share_peers *peers) {
    shared_memory *m = made;
    while (m != NULL && (m->taken || m->bytes != bytes || m->peers != peers))
        m = m->next;
    return m;
}

/* Makes one. NULL: that cannot be. */
static shared_memory *make(uint64_t bytes, const share_peers *peers) {
    const size_t seen = ranks_world().neighbours * sizeof(uint8_t *);
    shared_memory *const m = world_memory(NULL, sizeof *m + seen);
    *m = (shared_memory){.next = made, .bytes = bytes, .peers = peers};
    memset(m->seen, 0, seen);
    if (peers != NULL ? peers_open(peers, bytes, m->seen) : make_window(m))
        return made = m;
    free(m);
    return NULL;
}

static shared_memory *take(uint64_t bytes, const share_peers *peers) {
    shared_memory *m = find(bytes, peers);
    if (m == NULL)
        m = make(bytes, peers);
    if (m != NULL)
        m->taken = true;
    return m;
}

shared_memory *shared_take(uint64_t bytes) {
    return ranks_world().neighbours > 1 ? take(bytes, NULL) : NULL;
}

shared_memory *shared_take_on_devices(uint64_t bytes, const share_peers *peers) {
    return ranks_world().neighbours > 1 && peers_can(peers) ? take(bytes, peers) : NULL;
}

void shared_return(shared_memory *m) {
    m->taken = false;
}

uint8_t *shared_of(const shared_memory *m, uint32_t rank) {
    const int place = m != NULL ? world_place(rank) : MPI_UNDEFINED;
    return place != MPI_UNDEFINED ? m->seen[place] : NULL;
}

void shared_wake(const shared_memory *m, uint32_t rank) {
    const uint8_t *const seen = shared_of(m, rank);
    if (seen != NULL && m->peers != NULL)
        m->peers->wake(seen, m->bytes);
}

uint8_t *shared_begin(const shared_memory *m, uint64_t *bytes) {
    *bytes = ranks_world().neighbours * m->bytes;
    return m->peers == NULL ? m->seen[0] : NULL;
}

void shared_sync(const shared_memory *m) {
    if (m->peers == NULL)
        MPI_Win_sync(m->window);
}

void shared_free(void) {
    while (made != NULL) {
        shared_memory *const m = made;
        made = m->next;
        if (m->peers != NULL)
            peers_close(m->peers, m->seen);
        else {
            MPI_Win_unlock_all(m->window);
            MPI_Win_free(&m->window);
        }
        free(m);
    }
}
