/* paising-helium: variational Monte Carlo of liquid helium-4 (docs/helium.md).
 *
 *   options -> system (potential, wave function) -> engine of a CPU or of GPUs (engine.h, devices.h)
 *   blocks of analyses -> record (record.h) -> data files (results.h), checkpoint */
#include "base/ieee_rules.h"
#include "base/open_files.h"
#include "base/signals.h"
#include "devices.h"
#include "folder.h"
#include "results.h"

#include <omp.h>

/* Makes the blocks that are left. *number: the signal that has ended it, and the block under way is lost; 0: none. */
static exit_status make_blocks(helium_engine *e, helium_record *record, const helium_request *r,
                               int *number) {
    exit_status status = STATUS_OK;
    e->updates = record->updates;
    if (!e->verbs->write(e, record->coordinate) ||
        (record->updates == 0 && !e->verbs->run(e, 1, r->warm_up, NULL, NULL)))
        status = STATUS_FAILED;
    while (!status && record->blocks < r->blocks && (*number = signals_pending()) == 0) {
        if (!e->verbs->run(e, r->analyses, r->macroupdates, helium_record_next(record, r),
                           &record->shape))
            return STATUS_FAILED;
        if ((*number = signals_pending()) != 0)
            break;
        if (!e->verbs->read(e, record->coordinate))
            return STATUS_FAILED;
        record->updates = e->updates;
        record->blocks++;
        if (r->checkpoint != NULL)
            status = helium_record_save(record, r);
    }
    return status;
}

static exit_status simulate(const helium_request *r, const helium_system *s, int *number) {
    helium_record record;
    exit_status status = helium_record_make(&record, r, s);
    if (!status && r->resume != NULL)
        status = helium_record_load(&record, r);
    helium_engine *const e = status ? NULL : helium_devices_create(r, s);
    if (!status && e == NULL)
        status = STATUS_REFUSED;
    const double begin = omp_get_wtime();
    if (!status)
        status = make_blocks(e, &record, r, number);
    if (!status && *number == 0)
        status = helium_results_write(&record, r, s, omp_get_wtime() - begin);
    if (e != NULL)
        e->verbs->destroy(e);
    helium_record_free(&record);
    return status;
}

int main(int argc, char **argv) {
    open_files_fill_standard();
    const char *const broken = ieee_broken_rule();
    if (broken != NULL)
        return (int)complain(STATUS_REFUSED, "compiled or linked with a part of -ffast-math: %s",
                             broken);
    helium_request r;
    helium_system s;
    helium_folder folder;
    int number = 0;
    exit_status status = helium_options(&r, argc, argv);
    if (!status)
        status = helium_system_make(&s, &r.p);
    if (status)
        return (int)status;
    if (r.threads > 0)
        omp_set_num_threads((int)r.threads);
    signals_catch();
    status = helium_folder_open(&folder, &r);
    if (!status && folder.finished)
        warn("%s: the result is there already: nothing is left to do", r.output);
    else if (!status)
        status = simulate(&r, &s, &number);
    helium_folder_close(&folder);
    helium_system_free(&s);
    return !status && number != 0 ? signals_die(number) : (int)status;
}
