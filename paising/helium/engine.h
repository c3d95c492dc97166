/* The engine interface: walkers on one device. An engine moves atoms and sums over pairs, in integers alone; it belongs to one
 * thread. A macroupdate is N proposed moves of a walker. Update number n of a walker has random numbers of its own
 * (engine/streams.h), so that results have the same bits on all engines, and however walkers are divided among them. */
#ifndef PAISING_HELIUM_ENGINE_H
#define PAISING_HELIUM_ENGINE_H

#include "system.h"

/* Of a walker. */
typedef struct {
    helium_sums sums;
    uint64_t accepted; /* moves since the analysis before */
} helium_analysis;

/* Sums over walkers and analyses. */
typedef struct {
    uint64_t radial[HELIUM_RADIAL_BINS]; /* pairs, each counted twice */
    uint64_t structure[HELIUM_WAVE_NUMBERS]
                      [2]; /* |rho_k|^2 over three axes, in HELIUM_POWER_UNIT: of its lower 32 bits,
                            * and of those above */
} helium_shape;

typedef struct helium_engine helium_engine;

typedef struct {
    /* Makes `macroupdates` of each walker and then, unless `analysis` is NULL, analyses each into analysis[walkers], and adds
     * its shape to *shape; `times` times, analysis[times][walkers]. Returns false after a message. Once a signal is pending
     * (base/signals.h), an engine may return before all is done: then neither walkers nor sums are of use. */
    bool (*run)(helium_engine *e, uint32_t times, uint32_t macroupdates, helium_analysis *analysis,
                helium_shape *shape);
    /* Coordinates of all walkers, coordinate[walkers][3][atoms], and the number of updates that each has made. */
    bool (*read)(helium_engine *e, uint32_t *coordinate);
    bool (*write)(helium_engine *e, const uint32_t *coordinate);
    void (*destroy)(helium_engine *e);
} helium_verbs;

struct helium_engine {
    const helium_verbs *verbs;
    const helium_system *system;
    uint64_t updates; /* of each walker so far */
};

/* Who analyses walkers that a GPU moves: the device; the host, while the moves go on in a kernel that stays; the device the
 * energies and such a host g(r) and S(k); or the host, and the device waits for it. */
typedef enum {
    HELIUM_BY_DEVICE,
    HELIUM_BY_HOST_MASKED,
    HELIUM_SHAPE_BY_HOST_MASKED,
    HELIUM_BY_HOST
} helium_analyst;

/* NULL after a message. The system must outlive the engine. */
helium_engine *helium_cpu_create(const helium_system *s);
/* On GPU number `device`, with so many blocks a walker; 0: as many as fill the GPU. Without CUDA: NULL after a message. */
helium_engine *helium_cuda_create(const helium_system *s, int device, uint32_t blocks,
                                  helium_analyst analyst);

/* What an analysis by the host finds: all, or g(r) and S(k) alone. */
typedef enum { HELIUM_ALL, HELIUM_SHAPE } helium_extent;

/* Sums over so many walkers at coordinate[walkers][3][atoms] into analysis[walkers], and adds to *shape. By all threads;
 * `accepted` stays. */
void helium_analyse(const helium_system *s, helium_extent extent, uint32_t walkers,
                    const uint32_t *coordinate, helium_analysis *analysis, helium_shape *shape);

/* Adds a shape of less than 2^32 terms to another; carries go up. */
void helium_shape_add(helium_shape *to, const helium_shape *shape);

#endif
