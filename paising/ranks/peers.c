/* Exported device memory. Each rank exports memory of its device, MPI distributes the handles, and
 * each rank opens those of the others. After each of these steps all ranks agree whether it
 * succeeded on every rank. Memory must not be freed while another rank has it open. Therefore it is
 * kept until the end, and later engines reuse it. */
#include "peers.h"

#include "world.h"

#include <stdlib.h>
#include <string.h>

struct peer_memory {
    peer_memory *next; /* list of all that were made */
    const peer_verbs *peers;
    uint64_t bytes; /* on each rank */
    bool taken;
    uint8_t *seen[]; /* [neighbours] address of each rank's memory on this rank */
};

static peer_memory *made; /* head of the list */

/* The reasons why a rank cannot take part. */
typedef enum { NOTHING, NO_VERBS, NO_EXPORT, NO_SIGHT } lack;

/* Warns once if the exchange was requested by name and is not possible. */
static void say(lack what, uint32_t rank) {
    static const char *const texts[] = {
        [NO_VERBS] = "has no GPU",
        [NO_EXPORT] = "cannot offer memory of its GPU to the others of its host",
        [NO_SIGHT] = "does not see the memory of all GPUs of its host"};
    static bool said;
    if (!said && ranks_world().place == 0 && world_asks_for_peers())
        warn("PAISING_EXCHANGE=peer: rank %u %s; spins go another way", (unsigned)rank,
             texts[what]);
    said = true;
}

/* Whether no rank of the host lacks anything. */
static bool all_have(bool good, lack what) {
    struct {
        int lacks, rank;
    } own = {good ? NOTHING : (int)what, (int)ranks_world().rank}, first;
    MPI_Allreduce(&own, &first, 1, MPI_2INT, MPI_MAXLOC, world_host());
    if (first.lacks != NOTHING)
        say((lack)first.lacks, (uint32_t)first.rank);
    return first.lacks == NOTHING;
}

/* Opens the memory of the other ranks. Returns whether all could be opened. */
static bool open_all(const peer_memory *m, const peer_handle handles[], uint8_t *seen[]) {
    const rank_world world = ranks_world();
    bool good = true;
    for (uint32_t n = 0; n < world.neighbours; n++)
        if (n != world.place) {
            seen[n] = m->peers->open(&handles[n]);
            good = good && seen[n] != NULL;
        }
    return good;
}

/* Closes the memory of the other ranks, waits for them to do the same, and frees this rank's own. */
static void close_all(peer_memory *m) {
    const rank_world world = ranks_world();
    for (uint32_t n = 0; n < world.neighbours; n++)
        if (n != world.place && m->seen[n] != NULL)
            m->peers->close(m->seen[n]);
    MPI_Barrier(world_host());
    if (m->seen[world.place] != NULL)
        m->peers->free_exported(m->seen[world.place]);
}

/* Exports this rank's memory and opens that of the others on this host. Returns false if any rank
 * fails. */
static bool open_memory(peer_memory *m) {
    const rank_world world = ranks_world();
    peer_handle *const handles = world_memory(NULL, world.neighbours * sizeof *handles);
    m->seen[world.place] = m->peers->export_memory(m->bytes, &handles[world.place]);
    bool good = all_have(m->seen[world.place] != NULL, NO_EXPORT);
    if (good) {
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, handles, sizeof *handles, MPI_BYTE,
                      world_host());
        good = all_have(open_all(m, handles, m->seen), NO_SIGHT);
    }
    if (!good)
        close_all(m);
    free(handles);
    return good;
}

/* Memory that was returned and fits; NULL if there is none. */
static peer_memory *find(uint64_t bytes, const peer_verbs *peers) {
    peer_memory *m = made;
    while (m != NULL && (m->taken || m->bytes != bytes || m->peers != peers))
        m = m->next;
    return m;
}

static peer_memory *make(uint64_t bytes, const peer_verbs *peers) {
    const size_t seen = ranks_world().neighbours * sizeof(uint8_t *);
    peer_memory *const m = world_memory(NULL, sizeof *m + seen);
    *m = (peer_memory){.next = made, .bytes = bytes, .peers = peers};
    memset(m->seen, 0, seen);
    if (open_memory(m))
        return made = m;
    free(m);
    return NULL;
}

peer_memory *peer_memory_take(uint64_t bytes, const peer_verbs *peers) {
    if (ranks_world().neighbours == 1 || !world_allows_peers() ||
        !all_have(peers != NULL, NO_VERBS))
        return NULL;
    peer_memory *m = find(bytes, peers);
    if (m == NULL)
        m = make(bytes, peers);
    if (m != NULL)
        m->taken = true;
    return m;
}

void peer_memory_return(peer_memory *m) {
    m->taken = false;
}

uint8_t *peer_memory_of(const peer_memory *m, uint32_t rank) {
    const int place = m != NULL ? world_place(rank) : MPI_UNDEFINED;
    return place != MPI_UNDEFINED ? m->seen[place] : NULL;
}

void peer_memory_warm_up(const peer_memory *m, uint32_t rank) {
    const uint8_t *const seen = peer_memory_of(m, rank);
    if (seen != NULL)
        m->peers->warm_up(seen, m->bytes);
}

void peer_memory_free(void) {
    while (made != NULL) {
        peer_memory *const m = made;
        made = m->next;
        close_all(m);
        free(m);
    }
}
