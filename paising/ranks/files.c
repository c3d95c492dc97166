/* Transfers the population between all ranks and one file. Each rank writes or reads its own
 * replicas at their offset, and the checksums are combined into that of the whole. */
#include "distributed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* A rank's part of a piece: its replicas, and the file offsets of their families and spins. */
typedef struct {
    rank_range replicas;
    uint64_t families_at, spins_at;
} stretch;

typedef struct {
    distributed_engine *e;
    const engine_file *file;
    int descriptor;
    uint64_t bytes; /* of a replica's spins */
    uint8_t *spins; /* buffers for one piece */
    uint32_t *families;
    uint32_t *crc; /* [pieces][2] checksums of this rank's parts: families, spins */
} passage;

/* What a rank has found about the order of the families that it read. */
typedef struct {
    uint32_t any, first, last, rise;
} family_order;

static uint64_t piece_count(const engine_file *file) {
    return (file->replicas + file->piece - 1) / file->piece;
}

static stretch stretch_of(const passage *p, uint64_t piece, uint64_t rank) {
    const engine_file *const f = p->file;
    const uint64_t first = piece * f->piece,
                   end = first + f->piece < f->replicas ? first + f->piece : f->replicas;
    const rank_range own =
        range_common((rank_range){first, end}, distributed_share(p->e, f->replicas, rank));
    const uint64_t at = f->offset + first * (p->bytes + sizeof *p->families);
    return (stretch){own, at + (own.begin - first) * sizeof *p->families,
                     at + (end - first) * sizeof *p->families + (own.begin - first) * p->bytes};
}

/* Writes or reads `size` bytes at offset `at`. A failure is noted in e->wrong. Returns their
 * checksum. */
static uint32_t pass_bytes(passage *p, void *bytes, uint64_t size, uint64_t at) {
    distributed_engine *const e = p->e;
    for (uint64_t done = 0; done < size && e->wrong[0] == '\0';) {
        uint8_t *const next = (uint8_t *)bytes + done;
        const ssize_t passed = p->file->write
                                   ? pwrite(p->descriptor, next, size - done, (off_t)(at + done))
                                   : pread(p->descriptor, next, size - done, (off_t)(at + done));
        if (passed <= 0)
            snprintf(e->wrong, sizeof e->wrong, "%s", passed < 0 ? strerror(errno) : "truncated");
        else
            done += (uint64_t)passed;
    }
    return (uint32_t)crc32_z(0, bytes, size);
}

/* Checks that families are below the number of founders and do not decrease, also across pieces. */
static void look_at_families(const passage *p, uint64_t count, family_order *order) {
    for (uint64_t n = 0; n < count; n++) {
        const uint32_t family = p->families[n];
        order->first = order->any ? order->first : family;
        order->rise =
            order->rise && family < p->file->founders && (!order->any || family >= order->last);
        order->last = family;
        order->any = 1;
    }
}

static void pass_piece(passage *p, uint64_t piece, family_order *order) {
    distributed_engine *const e = p->e;
    const stretch s = stretch_of(p, piece, ranks_world().rank);
    const rank_range share = distributed_share(e, p->file->replicas, ranks_world().rank);
    const uint64_t count = range_size(s.replicas), first = s.replicas.begin - share.begin;
    if (count == 0 || e->wrong[0] != '\0')
        return;
    if (p->file->write &&
        !distributed_check(e, e->local->verbs->read(e->local, first, count, p->spins, p->families)))
        return;
    p->crc[2 * piece] = pass_bytes(p, p->families, count * sizeof *p->families, s.families_at);
    p->crc[2 * piece + 1] = pass_bytes(p, p->spins, count * p->bytes, s.spins_at);
    if (p->file->write || e->wrong[0] != '\0')
        return;
    look_at_families(p, count, order);
    if (!model_has_states(&e->local->model, p->spins, count * p->bytes)) {
        snprintf(e->wrong, sizeof e->wrong, "spins in states that the model does not have");
        return;
    }
    distributed_check(e, e->local->verbs->write(e->local, first, count, range_size(share), p->spins,
                                                p->families));
}

/* --- all ranks --- */

/* The checksum of the whole on rank 0, from those of all ranks: all[ranks][pieces][2]. */
static uint32_t combine(const passage *p, const uint32_t *all) {
    const uint32_t ranks = ranks_world().count;
    const uint64_t pieces = piece_count(p->file);
    uint32_t crc = 0;
    for (uint64_t piece = 0; piece < pieces; piece++)
        for (uint64_t part = 0; part < 2; part++)
            for (uint32_t rank = 0; rank < ranks; rank++) {
                const uint64_t size = range_size(stretch_of(p, piece, rank).replicas) *
                                      (part == 0 ? sizeof *p->families : p->bytes);
                crc = (uint32_t)crc32_combine(crc, all[2 * (rank * pieces + piece) + part],
                                              (z_off_t)size);
            }
    return crc;
}

/* Whether families do not decrease over all ranks. */
static bool all_rise(const family_order order[]) {
    uint32_t last = 0;
    bool rise = true;
    for (uint32_t rank = 0; rank < ranks_world().count; rank++) {
        if (!order[rank].any)
            continue;
        rise = rise && order[rank].rise && order[rank].first >= last;
        last = order[rank].last;
    }
    return rise;
}

static void pass_pieces(passage *p, engine_file_outcome *out) {
    distributed_engine *const e = p->e;
    const uint64_t pieces = piece_count(p->file);
    const uint32_t ranks = ranks_world().count;
    const bool here = ranks_world().rank == 0;
    family_order mine = {.rise = 1}, orders[ranks];
    uint32_t *const all = here ? malloc(ranks * 2 * pieces * sizeof *all) : NULL;
    if (here && all == NULL)
        snprintf(e->wrong, sizeof e->wrong, "not enough memory for checksums");
    for (uint64_t piece = 0; piece < pieces; piece++)
        pass_piece(p, piece, &mine);
    if (p->file->write && e->wrong[0] == '\0' && fdatasync(p->descriptor) != 0)
        snprintf(e->wrong, sizeof e->wrong, "%s", strerror(errno));
    if (distributed_agree(e) == ENGINE_OK) {
        MPI_Gather(p->crc, (int)(2 * pieces), MPI_UINT32_T, all, (int)(2 * pieces), MPI_UINT32_T, 0,
                   world_comm());
        MPI_Gather(&mine, sizeof mine, MPI_BYTE, orders, sizeof mine, MPI_BYTE, 0, world_comm());
        if (here)
            *out = (engine_file_outcome){true, all_rise(orders), combine(p, all)};
    }
    free(all);
}

/* Whether all ranks have opened the file and have memory for a piece. */
static bool all_are_ready(const passage *p) {
    int ready = p->descriptor >= 0 && p->spins && p->families && p->crc;
    MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, world_comm());
    return ready != 0;
}

engine_status distributed_pass_file(distributed_engine *e, const engine_file *file,
                                    engine_file_outcome *out) {
    const uint64_t bytes = model_packed_bytes(&e->local->model);
    passage p = {.e = e,
                 .file = file,
                 .descriptor = open(file->path, (file->write ? O_WRONLY : O_RDONLY) | O_CLOEXEC),
                 .bytes = bytes,
                 .spins = malloc(file->piece * bytes),
                 .families = malloc(file->piece * sizeof *p.families),
                 .crc = calloc(2 * piece_count(file), sizeof *p.crc)};
    engine_status status = ENGINE_OK;
    if (all_are_ready(&p)) {
        if (!file->write)
            distributed_hold(e, file->replicas);
        pass_pieces(&p, out);
        status = distributed_agree(e);
        if (file->write)
            e->wrong[0] = '\0'; /* the engine is unchanged */
    }
    if (p.descriptor >= 0)
        close(p.descriptor);
    free(p.spins);
    free(p.families);
    free(p.crc);
    return status;
}
