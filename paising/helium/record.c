/* The record of a run, and its checkpoints (record.h). */
#include "record.h"

#include "base/input_file.h"
#include "base/safe_file.h"
#include "base/section_file.h"

#include <stdlib.h>

static size_t rows_of_block(const helium_request *r) {
    return (size_t)r->analyses * r->p.walkers;
}

exit_status helium_record_make(helium_record *record, const helium_request *r,
                               const helium_system *s) {
    const size_t numbers = (size_t)3 * r->p.atoms;
    *record = (helium_record){.row = calloc(rows_of_block(r) * r->blocks, sizeof *record->row),
                              .coordinate = malloc(numbers * r->p.walkers * sizeof(uint32_t))};
    if (record->row == NULL || record->coordinate == NULL) {
        helium_record_free(record);
        return complain(STATUS_REFUSED, "no memory for %u blocks of %u analyses of %u walkers",
                        r->blocks, r->analyses, r->p.walkers);
    }
    for (uint32_t w = 0; w < r->p.walkers; w++)
        helium_start(s, record->coordinate + w * numbers);
    return STATUS_OK;
}

void helium_record_free(helium_record *record) {
    free(record->row);
    free(record->coordinate);
    *record = (helium_record){0};
}

helium_analysis *helium_record_next(const helium_record *record, const helium_request *r) {
    return record->row + record->blocks * rows_of_block(r);
}

/* --- Checkpoints --- */

typedef struct {
    helium_record *record;
    const helium_request *request;
} checkpoint_state;

static bool parameters_section(section_file *f, void *state) {
    const checkpoint_state *const c = state;
    helium_request there = *c->request;
    if (!SECTION_VALUE(f, there.p) || !SECTION_VALUE(f, there.density) ||
        !SECTION_VALUE(f, there.analyses) || !SECTION_VALUE(f, there.macroupdates) ||
        !SECTION_VALUE(f, there.warm_up))
        return false;
    const char *const other = helium_options_differ(&there, c->request);
    return other == NULL || section_fail(f, "written for another --%s", other);
}

static bool progress_section(section_file *f, void *state) {
    helium_record *const record = ((checkpoint_state *)state)->record;
    if (!SECTION_VALUE(f, record->blocks))
        return false;
    if (record->blocks > ((checkpoint_state *)state)->request->blocks)
        return section_fail(f, "it has %u blocks, more than --blocks", record->blocks);
    return SECTION_VALUE(f, record->updates) && SECTION_VALUE(f, record->shape);
}

static bool rows_section(section_file *f, void *state) {
    const checkpoint_state *const c = state;
    return section_transfer(f, c->record->row,
                            c->record->blocks * rows_of_block(c->request) * sizeof *c->record->row);
}

static bool walkers_section(section_file *f, void *state) {
    const checkpoint_state *const c = state;
    const size_t numbers = (size_t)3 * c->request->p.atoms * c->request->p.walkers;
    if (!section_transfer(f, c->record->coordinate, numbers * sizeof *c->record->coordinate))
        return false;
    uint32_t bits = 0;
    for (size_t n = 0; n < numbers; n++)
        bits |= c->record->coordinate[n];
    return bits % (1 << HELIUM_COARSE) == 0 || section_fail(f, "a coordinate between the steps");
}

static bool pass_all(section_file *f, checkpoint_state *state) {
    return section_pass(f, "helium", parameters_section, state) &&
           section_pass(f, "progress", progress_section, state) &&
           section_pass(f, "rows", rows_section, state) &&
           section_pass(f, "walkers", walkers_section, state) && section_file_end(f);
}

exit_status helium_record_save(helium_record *record, const helium_request *r) {
    checkpoint_state state = {record, r};
    safe_file file;
    section_file f;
    exit_status status = safe_file_open(&file, r->checkpoint);
    if (status)
        return status;
    if (!section_file_write(&f, file.stream) || !pass_all(&f, &state)) {
        safe_file_abort(&file);
        return complain(STATUS_FAILED, "%s: the checkpoint is not written: %s", r->checkpoint,
                        f.reason);
    }
    status = safe_file_sync(&file);
    if (!status)
        status = safe_file_close(&file);
    if (!status)
        status = safe_file_publish(&file);
    safe_file_abort(&file);
    return status;
}

exit_status helium_record_load(helium_record *record, const helium_request *r) {
    checkpoint_state state = {record, r};
    section_file f = {.reason = ""};
    const char *why;
    FILE *const stream = input_file_open(r->resume, &why);
    if (stream == NULL)
        return complain(STATUS_REFUSED, "--resume %s: %s", r->resume, why);
    const bool good = section_file_read(&f, stream) && pass_all(&f, &state);
    fclose(stream);
    return good ? STATUS_OK : complain(STATUS_REFUSED, "--resume %s: %s", r->resume, f.reason);
}
