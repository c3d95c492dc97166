/* Fuzz target: the checkpoint reader. The input is taken for a checkpoint whose names and checksums are
 * made to fit, since random bytes would not get past them. Nothing may happen but a refusal: the engine
 * here takes what it is given, holds it against what engines rely on, and at the end fails. */
#include "base/clock.h"
#include "engine/capacity.h"
#include "files/checkpoint_head.h"
#include "method/simulation.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_HEAD    16
#define SECTION_HEAD 28 /* name 16, length 8, checksum 4 */

/* The checkpoints of the corpus were written for these parameters, with one run in flight or two:
 * -D cpu -c ssc -L 4 -R 3 -t 2 -d 0.125 -M 2 -m */
static const parameters given = {.size = {{4}},
                                 .population = 3,
                                 .sweeps = 2,
                                 .beta_end = 1,
                                 .dbeta = 0.125,
                                 .runs = 2,
                                 .seed = 2017,
                                 .precision = 11,
                                 .coding = CODING_SSC,
                                 .device = DEVICE_CPU,
                                 .word = 32,
                                 .reweight = true,
                                 .reweight_step = 0.125};

static engine_status take(engine *self, uint64_t first, uint64_t count, uint64_t replicas,
                          const uint8_t *spins, const uint32_t *families) {
    (void)self;
    const uint64_t capacity = population_capacity(given.population, given.word);
    if (replicas < 1 || replicas > capacity || first > replicas || count > replicas - first)
        abort();
    volatile uint8_t last = 0;
    for (uint64_t n = 0; n < count; n++) {
        if (families[n] >= given.population)
            abort();
        last = spins[2 * n + 1];
    }
    (void)last;
    return ENGINE_OK;
}

static engine_status fail(engine *self, const engine_step *step, histogram *out) {
    (void)self;
    (void)step;
    (void)out;
    return ENGINE_FAILED;
}

/* Puts the checksum of bytes[size] behind them, and adds them to that of the whole. */
static void fit(uint8_t *bytes, size_t size, uint32_t *whole) {
    const uint32_t crc = (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, size);
    *whole = (uint32_t)crc32_z(*whole, bytes, size);
    memcpy(bytes + size, &crc, sizeof crc);
}

/* Gives a checkpoint its magic, version, names and checksums, as far as it goes. */
static void fit_all(uint8_t *bytes, size_t size) {
    static const char *const names[] = {
        "program",     "parameters", "schedule",      "position",      "times",
        "free energy", "rows",       "finished runs", "analysed runs", "multi-histogram",
        "histogram",   "population", "saved spins"};
    static const char head[FILE_HEAD] = {
        '\211', 'P', 'A', 'c', 'k', '\r', '\n', '\032', SECTION_FORMAT_VERSION};
    size_t at = FILE_HEAD;
    uint32_t whole = (uint32_t)crc32_z(0, NULL, 0);
    if (size < FILE_HEAD)
        return;
    memcpy(bytes, head, FILE_HEAD);
    for (size_t n = 0; n < sizeof names / sizeof *names && size - at >= SECTION_HEAD; n++) {
        uint64_t length;
        memset(bytes + at, 0, 16);
        memcpy(bytes + at, names[n], strlen(names[n]));
        memcpy(&length, bytes + at + 16, sizeof length);
        fit(bytes + at, 24, &whole);
        at += SECTION_HEAD;
        if (length > size - at || size - at - length < 4)
            return;
        fit(bytes + at, length, &whole);
        at += length + 4;
    }
    if (size - at >= sizeof whole)
        memcpy(bytes + at, &whole, sizeof whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[40];
    static checkpoint_head head;
    uint8_t *const bytes = malloc(size + 1);
    const int file = memfd_create("checkpoint", 0);
    if (bytes == NULL || file < 0)
        abort();
    memcpy(bytes, data, size);
    fit_all(bytes, size);
    if (write(file, bytes, size) != (ssize_t)size)
        abort();
    free(bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);

    parameters read = {.resume = path}, p = given;
    checkpoint_read_parameters(path, &read, &head);
    p.resume = path;
    static const struct engine_verbs verbs = {.write = take, .step = fail};
    engine e = {.verbs = &verbs, .name = "none", .model = square_model(given.size.edge[0])};
    engine *const engines[] = {&e, &e};
    simulation s;
    if (simulation_begin(&s, &p, engines, 2, clock_seconds()) == STATUS_OK)
        abort();
    close(file);
    return 0;
}
