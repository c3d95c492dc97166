/* The state of a CUDA engine. */
#ifndef PAISING_CUDA_ENGINE_STATE_H
#define PAISING_CUDA_ENGINE_STATE_H

#include "cuda/engine/groups.h"
#include "cuda/engine/hybrid.h"
#include "cuda/engine/round_state.h"
#include "cuda/engine/side_stream.h"
#include "cuda/engine/spins.h"
#include "cuda/report/overlaps.h"
#include "cuda/select/selection.h"

#define BOUNDARY_CHILDREN 4096
#define BOUNDARY_BLOCKS   8

/* Boundary offspring in pinned memory: the number of children, and parents and families of the
 * first and the last children. As a rule these are all that other ranks ask for. A kernel writes
 * them without being asked. */
typedef struct {
    selection_count count;
    uint32_t done[BOUNDARY_BLOCKS]; /* 1: this block of publish_boundary has written its part */
    uint32_t first[BOUNDARY_CHILDREN], last[BOUNDARY_CHILDREN];
    uint32_t first_family[BOUNDARY_CHILDREN], last_family[BOUNDARY_CHILDREN];
} cuda_boundary;

/* Statistics of adjacent families: their number, the sum of their squared sizes, the first and the
 * last. */
typedef struct {
    uint64_t families, family_squares;
    family_run edge[2];
} cuda_families;

/* The same for children of local parents: counted on the device, then copied to pinned memory. */
typedef struct {
    cuda_families families;
    uint32_t done; /* device: blocks that have counted; pinned: 1, complete */
} cuda_family_count;

/* A staging buffer for packed spins. */
typedef struct {
    uint8_t *bytes;   /* device, one message */
    cudaEvent_t done; /* the last use of the buffer */
} cuda_stage;

/* State of an engine that holds an interval of a population (partition.cu, children.cu). */
typedef struct {
    engine_step step;         /* the step whose offspring are listed */
    offspring_list offspring; /* view into the lists below */
    uint32_t *list;           /* device: parents of the children */
    uint32_t *list_families;
    uint64_t list_margin;            /* entries before and behind the view, for remote ones */
    cuda_boundary *boundary;         /* pinned */
    parent_list first, last;         /* in *boundary */
    child_assignment assigned;       /* children of the next step */
    bool begun;                      /* some of these are in production */
    prelaunch prelaunch;             /* mailbox of their pre-launched step, ... */
    engine_step prelaunched_step;    /* ... which expects this step */
    bool boundary_with_step;         /* publish_boundary was queued with the pre-launched step */
    cuda_families attached[2];       /* of children of remote parents, below and above */
    cuda_family_count *family_count; /* device: of the other children */
    cuda_family_count *host_family_count; /* pinned copy of *family_count */
    cuda_families families;               /* of the last report */
    /* [PARTITION_PARENTS] device: places of the parents that are sent to other ranks */
    uint32_t *sent_places;
    cuda_stage stage[2];
    uint32_t stages;                 /* staging buffers used so far; they alternate */
    side_stream transfers, counting; /* for remote parents; for families */
} cuda_remote;

/* Membership of an engine in a launch batch (launch_batch.h). */
typedef struct launch_batch launch_batch;
typedef struct {
    launch_batch *batch;             /* NULL: its work is launched alone */
    uint32_t place;                  /* slot in the batch */
    char *requests;                  /* pinned, [BATCH_REQUESTS][REQUEST_BYTES] */
    bool allowed;                    /* engines of this configuration can be batched */
    bool wants_step, wants_overlaps; /* a step or overlaps are recorded */
    overlap_sums *overlaps;          /* destination of the recorded overlaps; NULL: none */
} batch_member;

/* Room for the profiles of some replicas (engine/profiles.h). */
typedef struct {
    uint32_t *up; /* device; NULL: none was asked for */
} cuda_profiles;

/* The pieces of a long step (long_step.h). */
typedef struct {
    /* device: the size of a piece, where kernels look for that of a population */
    cuda_report *report;
    uint64_t least, unit;  /* replicas of a piece at least, in whole units */
    double flip_seconds;   /* per attempted flip, of the last step or piece */
    bool under_way;        /* the step at hand is cut ... */
    engine_status status;  /* ... and has children, or none */
    uint64_t parents;      /* size of the population before it */
    uint64_t first, count; /* replicas of the last piece that was queued ... */
    double started;        /* ... and when */
} cuda_long_step;

/* Events in the stream, between the stages of a step. */
enum {
    MARK_LAST_STEP,
    MARK_BEGUN,
    MARK_RESAMPLED,
    MARK_SWEPT,
    MARK_MEASURED,
    MARK_OVERLAPS,
    MARK_COMPARED,
    MARKS
};

struct cuda_engine {
    engine base;
    const cuda_spins *spins; /* functions of the coding ... */
    void *state;             /* ... and its state */
    stage_mode stages;
    uint64_t group_unit; /* replicas in a unit of groups */
    downhill_flips most_general_flips;
    bool clusters;      /* it has cluster updates */
    bool may_prelaunch; /* kernels that wait for the host hold up nobody else */
    cuda_population population;
    cuda_hybrid hybrid; /* for STAGES_HYBRID */
    cuda_groups groups;
    cuda_long_step long_step;
    cuda_rounds rounds;
    cuda_overlaps pairs;
    cuda_profiles profiles;
    cuda_remote remote;
    batch_member batched;
    engine_step step;        /* the step in progress */
    double first_width;      /* of the step behind `randomise`, hinted at; 0: not known */
    uint64_t first_target;   /* likewise, children */
    double started;          /* start time, for STAGES_FUSED */
    bool overlaps_marked;    /* the events of overlaps that were begun are recorded */
    double overlaps_before;  /* seconds of overlaps that were begun after `started` */
    cudaEvent_t mark[MARKS]; /* for the other modes */
    bool follows;            /* the event of the end of the previous step is valid */
    bool reports_assigned;   /* the last report covers children that were assigned */
    char name[300];
    char driver[32];
};

/* Returns the whole population as a range. */
cuda_range cuda_whole_population(const cuda_engine *self);

/* Cancels pre-launched kernels, so that what is queued next does not wait for the host. */
void cuda_engine_cancel_prelaunched(cuda_engine *self);

/* Writes the failed call to base.error. Returns ENGINE_FAILED. */
engine_status cuda_engine_failure(cuda_engine *self);

/* Returns cuda_engine_failure if a call has failed, else ENGINE_OK. */
engine_status cuda_engine_outcome(cuda_engine *self);

#endif
