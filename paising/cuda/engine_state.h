/* What a CUDA engine holds. */
#ifndef PAISING_CUDA_ENGINE_STATE_H
#define PAISING_CUDA_ENGINE_STATE_H

#include "engine/share.h"
#include "groups.h"
#include "hybrid.h"
#include "overlaps.h"
#include "spins.h"

#define EDGE_CHILDREN 4096

/* What the host is told of the children of a share without asking: how many there are, and the parents of the first and
 * the last ones, which as a rule are all that go elsewhere. */
typedef struct {
    uint64_t children;
    uint32_t first[EDGE_CHILDREN], last[EDGE_CHILDREN];
} cuda_edges;

/* Of a share (share.cu): children, and parents from elsewhere. */
typedef struct {
    engine_step step;    /* whose children stand there, */
    uint64_t skip;       /* in parent[] from this one on */
    cuda_edges *edges;   /* pinned */
    foster_parent *from; /* [room] pinned: of children whose parents are guests */
    uint64_t room;
    uint32_t *leaving; /* [leaving_room] device: places of parents that are guests elsewhere */
    uint64_t leaving_room;
} cuda_guests;

/* Where the stages begin and end in the stream. */
enum { MARK_LAST_STEP, MARK_BEGUN, MARK_RESAMPLED, MARK_SWEPT, MARK_MEASURED, MARKS };

struct cuda_engine {
    engine base;
    const cuda_spins *spins; /* who keeps the spins ... */
    void *state;             /* ... and where */
    stage_mode stages;
    uint64_t group_unit; /* replicas that groups consist of */
    cuda_population population;
    cuda_hybrid hybrid; /* of STAGES_HYBRID */
    cuda_groups groups;
    cuda_overlaps pairs;
    cuda_guests guests;
    engine_step step;        /* the one that was begun */
    double started;          /* when it began, for STAGES_FUSED */
    cudaEvent_t mark[MARKS]; /* for the others */
    bool follows;            /* the end of the step before is marked */
    char name[300];
    char driver[32];
};

/* Says in base.error which call failed. */
engine_status cuda_engine_failure(cuda_engine *self);

#endif
