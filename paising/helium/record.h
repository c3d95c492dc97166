/* What a run has found so far: exact sums of each analysis of each walker. All results are made from it. */
#ifndef PAISING_HELIUM_RECORD_H
#define PAISING_HELIUM_RECORD_H

#include "engine.h"
#include "options.h"

typedef struct {
    uint32_t blocks;      /* finished */
    uint64_t updates;     /* of each walker */
    helium_analysis *row; /* [blocks asked for][analyses][walkers] */
    helium_shape shape;
    uint32_t *coordinate; /* [walkers][3][atoms], after the last block */
} helium_record;

/* Allocates an empty record with the start of all walkers. Returns STATUS_OK or, after a message, STATUS_REFUSED. */
exit_status helium_record_make(helium_record *record, const helium_request *r,
                               const helium_system *s);
void helium_record_free(helium_record *record);

/* The rows of the block that comes next, [analyses][walkers]. */
helium_analysis *helium_record_next(const helium_record *record, const helium_request *r);

/* Writes a checkpoint to r->checkpoint; reads one from r->resume. Return STATUS_OK; or STATUS_FAILED, STATUS_REFUSED after a
 * message: the file cannot be written, or is damaged or of other parameters. */
exit_status helium_record_save(helium_record *record, const helium_request *r);
exit_status helium_record_load(helium_record *record, const helium_request *r);

#endif
