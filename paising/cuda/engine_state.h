/* What a CUDA engine holds. */
#ifndef PAISING_CUDA_ENGINE_STATE_H
#define PAISING_CUDA_ENGINE_STATE_H

#include "groups.h"
#include "hybrid.h"
#include "overlaps.h"
#include "selection.h"
#include "side_stream.h"
#include "spins.h"

#define BOUNDARY_CHILDREN 4096
#define BOUNDARY_BLOCKS   8

/* What the host is told of the children of a share without asking: how many there are, and the parents of the first and
 * the last ones and their families, which as a rule are all that go elsewhere. */
typedef struct {
    selection_count count;
    uint32_t done[BOUNDARY_BLOCKS]; /* by each block of the kernel that tells the others */
    uint32_t first[BOUNDARY_CHILDREN], last[BOUNDARY_CHILDREN];
    uint32_t first_low[BOUNDARY_CHILDREN], last_low[BOUNDARY_CHILDREN];
    uint8_t first_high[BOUNDARY_CHILDREN], last_high[BOUNDARY_CHILDREN];
} cuda_boundary;

/* Families side by side: how many, the sum of the squares of their members, the first and the last. */
typedef struct {
    uint64_t families, family_squares;
    family_run edge[2];
} cuda_families;

/* Those of the children that the parents here have: counted on the device, and told to the host. */
typedef struct {
    cuda_families families;
    uint32_t done; /* blocks that have counted theirs; on the host, 1: all have */
} cuda_family_count;

/* Memory that spins pass through. */
typedef struct {
    uint8_t *bytes;   /* device, of one message */
    cudaEvent_t left; /* it is not needed any more */
} cuda_stage;

/* Of a share (children.cu, share.cu): children, and parents from elsewhere. */
typedef struct {
    engine_step step;         /* whose children are noted */
    offspring_list offspring; /* there, */
    uint32_t *list;           /* within these lists, */
    family_list list_families;
    uint64_t list_margin;      /* with so much room on either side, */
    cuda_boundary *edges;      /* pinned, */
    parent_list first, last;   /* in them */
    child_assignment assigned; /* the children of the next step, */
    bool begun;                /* of which some are being made, */
    prelaunch prelaunch;       /* before a launch for these that is queued ahead, */
    engine_step ahead;         /* for this step, */
    bool boundary_with_step;   /* and the host is told of the edges by the gate's launch; */
    cuda_families attached[2]; /* and families of those of guests, below and above, */
    cuda_family_count *count;  /* device: and of the others; */
    cuda_family_count *told;   /* pinned: the same; */
    cuda_families families;    /* all of the last report */
    uint32_t *leaving; /* [PARTITION_PARENTS] device: places of parents that are guests elsewhere */
    cuda_stage stage[2];
    uint32_t stages;              /* that were used so far */
    side_stream beside, counting; /* guests, and families */
} cuda_remote;

/* What an engine has noted for a departure with others (bundle.h). */
typedef struct launch_batch launch_batch;
typedef struct {
    launch_batch *batch;    /* NULL: it goes alone */
    uint32_t place;         /* in it */
    bool allowed;           /* engines of this configuration may be in one */
    bool steps, asks;       /* for a step, for overlaps */
    overlap_sums *overlaps; /* where these will stand, until they do; NULL: none are to come */
} batch_member;

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
    cuda_remote remote;
    batch_member batched;
    engine_step step;        /* the one that was begun */
    double started;          /* when it began, for STAGES_FUSED */
    cudaEvent_t mark[MARKS]; /* for the others */
    bool follows;            /* the end of the step before is marked */
    bool reports_share;      /* the last report is of children that a share had adopted */
    char name[300];
    char driver[32];
};

/* The whole population as a range. */
cuda_range cuda_whole_population(const cuda_engine *self);

/* What was queued ahead is not meant: whatever is queued next need not wait for the host. */
void cuda_engine_cancel_prelaunched(cuda_engine *self);

/* Says in base.error which call failed. */
engine_status cuda_engine_failure(cuda_engine *self);

/* The same, if one has; else ENGINE_OK. */
engine_status cuda_engine_outcome(cuda_engine *self);

#endif
