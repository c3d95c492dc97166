/* Such memory is made by all ranks of a host together, and that of devices is freed so, too. So it is kept until the end,
 * and the next engine takes what was given back. */
#include "shared.h"

#include "peers.h"
#include "world.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct shared_memory {
    shared_memory *next;      /* made before */
    const share_peers *peers; /* how it is seen on devices; NULL: it is mapped, of the host */
    uint64_t bytes;           /* of each rank */
    bool taken;
    uint8_t *seen[]; /* [neighbours] that of each rank of the host; mapped one behind the other */
};

static shared_memory *made; /* the last one */

/* Whether this is so on all ranks of the host. */
static bool everywhere(int good) {
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, world_host());
    return good != 0;
}

/* The bytes of all ranks of the host. */
static uint64_t whole(const shared_memory *m) {
    return ranks_world().neighbours * m->bytes;
}

/* A file in memory that all ranks of the host have open, and whose name is gone; -1: this one has not. */
static int open_file(void) {
    char path[] = "/dev/shm/paising-XXXXXX";
    int file = ranks_world().place == 0 ? mkostemp(path, O_CLOEXEC) : -1;
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, world_host());
    if (ranks_world().place > 0)
        file = open(path, O_RDWR | O_CLOEXEC);
    MPI_Barrier(world_host());
    if (ranks_world().place == 0 && file >= 0)
        unlink(path);
    return file;
}

/* Maps memory of the host, of which each rank asks for its part itself, to have it near, and before it is touched, since
 * none may be left. MPI's windows are made by all ranks or not at all: where one of them has no memory, others would wait
 * for it, or keep a window that cannot be freed without it. Returns false where there is none, on all ranks of the
 * host. */
static bool map_memory(shared_memory *m) {
    const rank_world world = ranks_world();
    const int file = open_file();
    const off_t own = (off_t)(world.place * m->bytes);
    void *begin = MAP_FAILED;
    if (everywhere(file >= 0 && posix_fallocate(file, own, (off_t)m->bytes) == 0))
        begin = mmap(NULL, whole(m), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    const bool good = everywhere(begin != MAP_FAILED);
    if (!good && begin != MAP_FAILED)
        munmap(begin, whole(m));
    for (uint32_t n = 0; n < world.neighbours && good; n++)
        m->seen[n] = (uint8_t *)begin + n * m->bytes;
    return good;
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
    if (peers != NULL ? peers_open(peers, bytes, m->seen) : map_memory(m))
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

uint8_t *shared_begin(const shared_memory *m, uint64_t *bytes) {
    *bytes = whole(m);
    return m->peers == NULL ? m->seen[0] : NULL;
}

void shared_sync(const shared_memory *m) {
    if (m->peers == NULL)
        atomic_thread_fence(memory_order_seq_cst);
}

void shared_free(void) {
    while (made != NULL) {
        shared_memory *const m = made;
        made = m->next;
        if (m->peers != NULL)
            peers_close(m->peers, m->seen);
        else
            munmap(m->seen[0], whole(m));
        free(m);
    }
}
