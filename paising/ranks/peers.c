/* Each rank offers memory of its device; MPI carries the handles; each opens those of the others. After each of these
 * steps all say whether they could, so that none goes on where another one cannot. */
#include "peers.h"

#include "world.h"

#include <stdlib.h>

/* What a rank may lack. */
typedef enum { NOTHING, NO_VERBS, NO_OFFER, NO_SIGHT } lack;

/* Says once, if this way was asked for by its name, why it is not taken. */
static void say(lack what, uint32_t rank) {
    static const char *const texts[] = {
        [NO_VERBS] = "has no GPU",
        [NO_OFFER] = "cannot offer memory of its GPU to the others of its host",
        [NO_SIGHT] = "does not see the memory of all GPUs of its host"};
    static bool said;
    if (!said && ranks_world().place == 0 && world_was_asked_for(EXCHANGE_PEER))
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

bool peers_can(const share_peers *peers) {
    return all_have(peers != NULL, NO_VERBS);
}

/* Opens what the others offer. Returns whether all could be opened. */
static bool open_all(const share_peers *peers, const share_handle handles[], uint8_t *seen[]) {
    const rank_world world = ranks_world();
    bool good = true;
    for (uint32_t n = 0; n < world.neighbours; n++)
        if (n != world.place) {
            seen[n] = peers->open(&handles[n]);
            good = good && seen[n] != NULL;
        }
    return good;
}

bool peers_open(const share_peers *peers, uint64_t bytes, uint8_t *seen[]) {
    const rank_world world = ranks_world();
    share_handle *const handles = world_memory(NULL, world.neighbours * sizeof *handles);
    seen[world.place] = peers->offer(bytes, &handles[world.place]);
    bool good = all_have(seen[world.place] != NULL, NO_OFFER);
    if (good) {
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, handles, sizeof *handles, MPI_BYTE,
                      world_host());
        good = all_have(open_all(peers, handles, seen), NO_SIGHT);
    }
    if (!good)
        peers_close(peers, seen);
    free(handles);
    return good;
}

void peers_close(const share_peers *peers, uint8_t *seen[]) {
    const rank_world world = ranks_world();
    for (uint32_t n = 0; n < world.neighbours; n++)
        if (n != world.place && seen[n] != NULL)
            peers->close(seen[n]);
    MPI_Barrier(world_host());
    if (seen[world.place] != NULL)
        peers->withdraw(seen[world.place]);
}
