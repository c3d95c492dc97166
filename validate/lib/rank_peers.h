/* Memory that processes of a host see of each other, in place of that of GPUs (peer_verbs in engine/partition.h): a file
 * without a name each, which the others find among those of its owner. It tells what is done wrong: memory that is
 * withdrawn before all have closed it, or never, and ways that lead nowhere. */
#ifndef PAISING_RANK_PEERS_H
#define PAISING_RANK_PEERS_H

#include "engine/partition.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PEER_HEAD 4096 /* bytes before the memory: how many have it open */

/* What a handle is here. */
typedef struct {
    uint64_t bytes;
    char path[100];
} peer_offer;

static struct {
    uint8_t *memory; /* NULL: nothing */
    uint64_t bytes;
    int file; /* that of an offer; -1: it is another one's */
} peer_memory[64];

static bool peer_fails_to_offer, peer_fails_to_open; /* faults */
static unsigned peer_wrongs, peer_warms_up;

static inline size_t peer_find(const void *memory) {
    size_t n = 0;
    while (n < sizeof peer_memory / sizeof *peer_memory && peer_memory[n].memory != memory)
        n++;
    return n;
}

static inline uint64_t *peer_openers(void *memory) {
    return (uint64_t *)((uint8_t *)memory - PEER_HEAD);
}

/* Maps and notes a file. */
static inline void *peer_map(int file, uint64_t bytes, bool own) {
    const size_t n = peer_find(NULL);
    uint8_t *const begin =
        mmap(NULL, PEER_HEAD + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (begin == MAP_FAILED || n == sizeof peer_memory / sizeof *peer_memory)
        return NULL;
    peer_memory[n].memory = begin + PEER_HEAD;
    peer_memory[n].bytes = bytes;
    peer_memory[n].file = own ? file : -1;
    return peer_memory[n].memory;
}

static inline void peer_unmap(void *memory) {
    const size_t n = peer_find(memory);
    munmap((uint8_t *)memory - PEER_HEAD, PEER_HEAD + peer_memory[n].bytes);
    peer_memory[n].memory = NULL;
}

static inline void *peer_offers(uint64_t bytes, peer_handle *handle) {
    peer_offer o = {.bytes = bytes};
    const int file = peer_fails_to_offer ? -1 : memfd_create("paising", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)(PEER_HEAD + bytes)) != 0)
        return NULL;
    snprintf(o.path, sizeof o.path, "/proc/%d/fd/%d", (int)getpid(), file);
    memcpy(handle, &o, sizeof o);
    return peer_map(file, bytes, true);
}

static inline void peer_withdraws(void *memory) {
    const int file = peer_memory[peer_find(memory)].file;
    peer_wrongs += __atomic_load_n(peer_openers(memory), __ATOMIC_SEQ_CST) != 0;
    peer_unmap(memory);
    close(file);
}

static inline void *peer_opens(const peer_handle *handle) {
    peer_offer o;
    memcpy(&o, handle, sizeof o);
    const int file = peer_fails_to_open ? -1 : open(o.path, O_RDWR | O_CLOEXEC);
    void *const seen = file >= 0 ? peer_map(file, o.bytes, false) : NULL;
    if (seen != NULL)
        __atomic_fetch_add(peer_openers(seen), 1, __ATOMIC_SEQ_CST);
    if (file >= 0)
        close(file);
    return seen;
}

static inline void peer_closes(void *seen) {
    __atomic_fetch_sub(peer_openers(seen), 1, __ATOMIC_SEQ_CST);
    peer_unmap(seen);
}

/* Whether bytes are of the own offers, or of another one's that was opened. */
static inline bool peer_has(const void *memory, uint64_t bytes, bool own) {
    const uint8_t *const begin = memory;
    for (size_t n = 0; n < sizeof peer_memory / sizeof *peer_memory; n++)
        if (peer_memory[n].memory != NULL && begin >= peer_memory[n].memory &&
            begin + bytes <= peer_memory[n].memory + peer_memory[n].bytes)
            return (peer_memory[n].file >= 0) == own;
    return false;
}

static inline void peer_wakes_way(const void *seen, uint64_t bytes) {
    peer_warms_up++;
    peer_wrongs += !peer_has(seen, bytes, false);
}

static const peer_verbs peers_in_files = {peer_offers, peer_withdraws, peer_opens, peer_closes,
                                          peer_wakes_way};

/* What went wrong in this process, and what it left, at its end. */
static inline unsigned peer_faults(void) {
    unsigned left = 0;
    for (size_t n = 0; n < sizeof peer_memory / sizeof *peer_memory; n++)
        left += peer_memory[n].memory != NULL;
    if (peer_wrongs + left > 0)
        fprintf(
            stderr,
            "memory of peers: %u withdrawn while it was open, or looked for elsewhere, %u left\n",
            peer_wrongs, left);
    return peer_wrongs + left;
}

#endif
