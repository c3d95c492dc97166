/* Rounds of groups of replicas at fixed temperatures: exchanges between neighbouring groups, sweeps, a measurement and the overlaps of
 * each group. Replicas stay where they are as far as the host knows: it gets sums, and which exchanges were accepted.
 *
 * An exchange of replica r of group k and replica r of group k + 1, of levels n and n', is accepted if n <= n', or if a number of 64
 * bits is below the threshold of the rise n - n'. So the host makes a table of 2^64 exp[-(beta' - beta) dE], and an engine decides by
 * integers. Fine energies rise by any number, whose threshold is a product (fine_flips.h). */
#ifndef PAISING_ROUNDS_H
#define PAISING_ROUNDS_H

#include "engine.h"
#include "streams.h"

/* threshold[groups - 1][each]: of groups k and k + 1, of a rise of d + 1 levels; UINT64_MAX: always. More are never accepted. Of fine
 * energies the factors of a threshold, [FINE_MOST_BYTES][256]. */
typedef struct {
    uint64_t *threshold;
    uint32_t each;
    bool fine;
} exchange_table;

/* The energies of replicas: levels, or of fine energies themselves. The other pointer is NULL. */
typedef struct {
    const uint32_t *level;
    const int64_t *energy;
} replica_energies;

/* What all rounds have in common. What the pointers point to stays as it is. */
typedef struct {
    const engine_group *group; /* [groups], of `replicas` each */
    size_t groups;
    uint64_t replicas;
    exchange_table exchanges;
    bool overlaps; /* some rounds measure overlaps */
} round_plan;

typedef struct {
    stream_key key;
    uint32_t temperature; /* as in engine_step */
    uint32_t sweeps;
    uint32_t time;        /* that counts the random numbers of exchanges */
    size_t first;         /* groups k and k + 1 exchange, k = first, first + 2, ... */
    replica_energies now; /* [groups replicas]; both NULL: as they were measured last */
    bool overlaps;        /* are measured */
    const int *stop; /* as in engine_step; engines that make rounds by themselves do not heed it */
    uint32_t *accepted; /* [groups - 1][round_words], bit r % 32 of word r / 32: set for the pairs
                            * that may exchange, when the round is waited for */
} engine_round;

C_DECLARATIONS_BEGIN

/* Makes the table for inverse temperatures beta[groups]. Returns 0, or -1 without memory; threshold[] is to be freed. */
int exchange_table_create(exchange_table *t, const spin_model *model, const double beta[],
                          size_t groups);

/* The same exchanges as given parents: of energies [groups replicas], to round->accepted and parent[groups replicas]. */
void round_exchange(const round_plan *plan, const engine_round *round, replica_energies energies,
                    uint32_t parent[]);

C_DECLARATIONS_END

/* Words of a bit for each replica of a group. */
SHARED_FUNCTION uint64_t round_words(uint64_t replicas) {
    return (replicas + 31) / 32;
}

/* By how much the energy of replica `one` is above that of `other`: in levels, or in the unit of fine energies. */
SHARED_FUNCTION int64_t energy_difference(replica_energies of, uint64_t one, uint64_t other) {
    return of.energy != NULL ? of.energy[one] - of.energy[other]
                             : (int64_t)of.level[one] - of.level[other];
}

/* The threshold of a rise above 0. */
SHARED_FUNCTION uint64_t exchange_threshold(exchange_table t, uint32_t k, int64_t rise) {
    const uint64_t *const of = t.threshold + (size_t)k * t.each;
    if (t.fine)
        return fine_product((const uint64_t(*)[256])of, FINE_MOST_BYTES, (uint64_t)rise);
    return rise > (int64_t)t.each ? 0 : of[rise - 1];
}

/* Whether replica r of groups k and k + 1 are exchanged, whose energy falls by `rise` from the one to the other. */
STREAM_FUNCTION bool exchange_is_accepted(exchange_table t, stream_key key, uint32_t time,
                                          uint32_t k, uint32_t r, int64_t rise) {
    if (rise <= 0)
        return true;
    const uint64_t threshold = exchange_threshold(t, k, rise);
    if (threshold == 0)
        return false;
    const stream_block b = stream_draw(key, STREAM_EXCHANGE, k, r / 2, 0, time);
    const uint32_t high = r % 2 ? b.number[2] : b.number[0],
                   low = r % 2 ? b.number[3] : b.number[1];
    const uint64_t u = (uint64_t)high << 32 | low;
    return u < threshold || threshold == UINT64_MAX;
}

#endif
