/* Series and states of production of flat-histogram methods (--record walkers and states), and their files. */
#include "base/npy.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/series_results.h"
#include "flat.h"

#include <stdlib.h>
#include <string.h>

static bool keeps(const parameters *p) {
    return p->record == RECORD_WALKERS || p->record == RECORD_STATES;
}

/* Rows of the measurements so far. */
static uint64_t rows_of(const flat *f) {
    const uint64_t before = f->given->thermalisation;
    return f->produced > before ? (f->produced - before) * f->replicas : 0;
}

/* The first observable that is kept: a disordered model has no order parameter. */
static size_t first_of(const spin_model *m) {
    return m->disordered ? SPIN_ORDER + 1 : SPIN_ORDER;
}

bool flat_record_create(flat *f) {
    const spin_model *const m = &f->steps.engine->model;
    const uint64_t rows = f->given->measurements * f->replicas;
    flat_record *const r = &f->record;
    if (!keeps(f->given))
        return true;
    if (!spin_reader_create(&r->reader, m, first_of(m)))
        return false;
    r->level = calloc(rows, sizeof *r->level);
    r->walker = calloc(rows, sizeof *r->walker);
    r->value = calloc(rows, (r->reader.count + 1) * sizeof *r->value);
    r->spins = f->given->record == RECORD_STATES ? calloc(rows, model_packed_bytes(m)) : NULL;
    return r->level && r->walker && r->value && (r->spins || f->given->record != RECORD_STATES);
}

void flat_record_destroy(flat *f) {
    flat_record *const r = &f->record;
    spin_reader_destroy(&r->reader);
    free(r->level);
    free(r->walker);
    free(r->value);
    free(r->spins);
}

uint64_t flat_record_bytes(const parameters *p, const spin_model *m) {
    const double rows = (double)p->measurements * (double)p->windows * (double)p->population;
    const spin_observable *of[SPIN_OBSERVABLES_MOST];
    const size_t values = spin_observables(m, first_of(m), of) + 1;
    const uint64_t each = 2 * sizeof(uint32_t) + values * sizeof(double) +
                          (p->record == RECORD_STATES ? model_packed_bytes(m) : 0);
    if (!keeps(p))
        return 0;
    const double bytes = rows * (double)each;
    return spin_reader_bytes(m) + (bytes < 0x1p60 ? (uint64_t)bytes : UINT64_C(1) << 60);
}

bool flat_record_measure(flat *f) {
    engine *const e = f->steps.engine;
    flat_record *const r = &f->record;
    const uint64_t first = rows_of(f);
    if (r->level == NULL)
        return true;
    memcpy(r->walker + first, f->walker, f->replicas * sizeof *r->walker);
    return flat_engine_did(f, e->verbs->read_levels(e, 0, f->replicas, r->level + first)) &&
           flat_engine_did(
               f, spin_reader_read(
                      &r->reader, e, f->replicas, r->value + first * r->reader.count,
                      r->spins != NULL ? r->spins + first * model_packed_bytes(&e->model) : NULL));
}

bool flat_record_section(section_file *s, void *state) {
    flat *const f = state;
    flat_record *const r = &f->record;
    const uint64_t rows = rows_of(f);
    if (!section_transfer(s, r->level, rows * sizeof *r->level) ||
        !section_transfer(s, r->walker, rows * sizeof *r->walker) ||
        !section_transfer(s, r->value, rows * r->reader.count * sizeof *r->value))
        return false;
    return r->spins == NULL ||
           section_transfer(s, r->spins, rows * model_packed_bytes(&f->steps.engine->model));
}

/* --- files --- */

static exit_status write_series(const flat *f, result_folder *folder) {
    static const file_column own[] = {
        {"step", "number of the measurement, from 1, theta sweeps apart"},
        {"window", "number of the window of energies, from 0"},
        {"walker", "number of the walker, from 0, which stays its own in exchanges"},
        {"E", "its energy, in J"},
    };
    enum { OWN = sizeof own / sizeof *own };
    const flat_record *const r = &f->record;
    const energy_levels levels = f->steps.engine->model.levels;
    file_column column[OWN + SPIN_OBSERVABLES_MOST];
    memcpy(column, own, sizeof own);
    for (size_t k = 0; k < r->reader.count; k++)
        column[OWN + k] = (file_column){r->reader.of[k]->name, r->reader.of[k]->meaning};
    FILE *const file = series_results_begin(folder, WALKERS_FILE, f->given, &f->steps.engine->model,
                                            "", column, OWN + r->reader.count);
    for (uint64_t row = 0; row < rows_of(f) && file != NULL; row++) {
        double x[OWN + SPIN_OBSERVABLES_MOST] = {
            (double)(row / f->replicas + 1), (double)(row % f->replicas / f->given->population),
            r->walker[row], (double)level_energy(levels, r->level[row]) / level_unit(levels)};
        memcpy(x + OWN, r->value + row * r->reader.count, r->reader.count * sizeof *x);
        results_print_row(file, f->given->precision, x, OWN + r->reader.count);
    }
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

static exit_status write_states(const flat *f, result_folder *folder) {
    const size_t bytes = model_packed_bytes(&f->steps.engine->model);
    FILE *const file = result_folder_begin(folder, WALKERS_SPINS_FILE);
    if (file == NULL)
        return STATUS_FAILED;
    npy_write(file, (npy_shape){NPY_BYTE, rows_of(f), bytes});
    fwrite(f->record.spins, bytes, rows_of(f), file);
    return STATUS_OK;
}

exit_status flat_record_write(const flat *f, result_folder *folder) {
    if (f->record.level == NULL)
        return STATUS_OK;
    const exit_status status = write_series(f, folder);
    return status || f->record.spins == NULL ? status : write_states(f, folder);
}
