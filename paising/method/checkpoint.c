/* Checkpoints. Each section is described by one function, for writing and for reading; on reading,
 * every number is held against what it must be before it is used. */
#include "checkpoint.h"
#include "engine/capacity.h"

#include "base/section_file.h"
#include "checkpoint_population.h"
#include "files/checkpoint_head.h"
#include "settings/plans.h"
#include "settings/values.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the sections hold. */
typedef struct {
    simulation *simulation;
    checkpoint_head head;
    checkpoint_population population;
} checkpoint;

/* --- parts of sections --- */

/* A number that is known before it is read. */
static bool transfer_known(section_file *f, uint64_t expected) {
    uint64_t number = expected;
    return section_transfer(f, &number, sizeof number) &&
           (number == expected || section_altered(f));
}

/* Makes room for `count` items that are to be read from the section; NULL when they are not there,
 * without memory, and when nothing is read. */
static void *make_room(section_file *f, uint64_t count, size_t size) {
    if (f->mode != SECTION_READ || !section_holds(f, count, size))
        return NULL;
    void *const items = calloc(count > 0 ? count : 1, size);
    if (items == NULL)
        section_fail(f, "not enough memory for section '%s'", f->name);
    return items;
}

_Static_assert(offsetof(observables, trusted) == 18 * sizeof(double) &&
                   sizeof(observables) == 19 * sizeof(double),
               "a row is written as its numbers and then `trusted`");

static bool transfer_rows(section_file *f, observables *row, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!section_transfer(f, &row[i], offsetof(observables, trusted)) ||
            !section_bool(f, &row[i].trusted))
            return false;
    return true;
}

/* The rows of the finished runs, of `temperatures` temperatures each. */
static bool transfer_finished(section_file *f, weighted_average *table, size_t runs,
                              size_t temperatures) {
    if (!transfer_known(f, runs) || !transfer_known(f, runs > 0 ? temperatures : 0))
        return false;
    if (f->mode != SECTION_READ)
        return transfer_rows(f, table->row, runs * table->temperatures);
    if (runs == 0)
        return true;
    observables *const rows = make_room(f, temperatures, sizeof *rows);
    bool good = rows != NULL;
    for (size_t run = 0; run < runs && good; run++)
        good = transfer_rows(f, rows, temperatures) &&
               (!weighted_add(table, rows, temperatures) ||
                section_fail(f, "not enough memory for section '%s'", f->name));
    free(rows);
    return good;
}

/* --- sections --- */

static bool schedule_section(section_file *f, void *state) {
    schedule *const s = &((checkpoint *)state)->simulation->annealing.schedule;
    uint64_t count = s->count;
    if (!section_choice(f, &count, SCHEDULE_MAX_TEMPERATURES))
        return false;
    if (f->mode != SECTION_READ)
        return section_transfer(f, s->beta, count * sizeof *s->beta);
    double *const beta = make_room(f, count, sizeof *beta);
    bool good = beta != NULL && section_transfer(f, beta, count * sizeof *beta);
    if (good) {
        const schedule_status status = schedule_restore(s, beta, count);
        if (status == SCHEDULE_NO_MEMORY)
            good = section_fail(f, "not enough memory for the temperatures");
        else
            good = status == SCHEDULE_NEXT || section_altered(f);
    }
    free(beta);
    return good;
}

/* Which run, and how far it is. */
static bool position_section(section_file *f, void *state) {
    const checkpoint *const c = state;
    annealing *const a = &c->simulation->annealing;
    const schedule *const s = &a->schedule;
    uint64_t run = a->run, temperature = a->temperature;
    if (!section_choice(f, &run, a->parameters->runs - 1) ||
        !section_choice(f, &temperature, s->count - 1) || !SECTION_VALUE(f, a->spin_flips))
        return false;
    /* The first run has decided all temperatures. */
    if (run > 0 && s->beta[s->count - 1] < s->beta_end)
        return section_altered(f);
    a->run = (uint32_t)run;
    a->temperature = temperature;
    return true;
}

static bool times_section(section_file *f, void *state) {
    simulation *const s = ((checkpoint *)state)->simulation;
    simulation_times times = f->mode == SECTION_READ ? s->before : simulation_spent(s);
    if (!SECTION_VALUE(f, times.parts) || !SECTION_VALUE(f, times.seconds) ||
        !SECTION_VALUE(f, times.checkpoint_seconds) || !SECTION_VALUE(f, times.total_seconds))
        return false;
    if (f->mode == SECTION_READ)
        s->before = times;
    return true;
}

static bool free_energy_section(section_file *f, void *state) {
    free_energy *const e = &((checkpoint *)state)->simulation->annealing.free_energy;
    return SECTION_VALUE(f, e->beta_f) && SECTION_VALUE(f, e->ln_q) &&
           SECTION_VALUE(f, e->overlap) && SECTION_VALUE(f, e->ln_z);
}

/* How many rows there are from beta_start to the temperature before the one at hand. */
static size_t rows_before(const annealing *a) {
    const size_t first = a->schedule.first_row;
    return a->temperature > first ? a->temperature - first : 0;
}

static bool rows_section(section_file *f, void *state) {
    annealing *const a = &((checkpoint *)state)->simulation->annealing;
    annealing_rows *const rows = &a->rows;
    const size_t count = rows_before(a);
    if (!transfer_known(f, count))
        return false;
    if (f->mode == SECTION_READ) {
        rows->row = make_room(f, count, sizeof *rows->row);
        if (rows->row == NULL)
            return false;
        rows->count = rows->room = count;
    }
    return transfer_rows(f, rows->row, count);
}

static bool finished_section(section_file *f, void *state) {
    simulation *const s = ((checkpoint *)state)->simulation;
    const schedule *const betas = &s->annealing.schedule;
    return transfer_finished(f, &s->finished, s->annealing.run, betas->count - betas->first_row);
}

static bool analysed_section(section_file *f, void *state) {
    simulation *const s = ((checkpoint *)state)->simulation;
    const parameters *const p = s->parameters;
    const beta_grid grid = parameters_grid(p);
    const size_t runs = p->reweight ? s->annealing.run : 0;
    return transfer_finished(f, &s->analysed, runs, runs > 0 ? beta_grid_size(&grid) : 0);
}

/* The levels first .. end-1, with room for `count` of `size` bytes each. */
static bool transfer_levels(section_file *f, size_t *first, size_t *end, void *level, size_t count,
                            size_t size) {
    uint64_t from = *first, to = *end;
    if (!section_choice(f, &to, count) || !section_choice(f, &from, to))
        return false;
    *first = from;
    *end = to;
    return section_transfer(f, (char *)level + from * size, (to - from) * size);
}

/* The sums of the multi-histogram analysis. */
static bool reweighting_section(section_file *f, void *state) {
    annealing *const a = &((checkpoint *)state)->simulation->annealing;
    reweighting *const r = &a->reweighting;
    if (!a->parameters->reweight)
        return true;
    if (!transfer_levels(f, &r->first, &r->end, r->level, r->levels.count, sizeof *r->level) ||
        !transfer_known(f, a->rows.count))
        return false;
    if (f->mode == SECTION_READ) {
        r->temperature = make_room(f, a->rows.count, sizeof *r->temperature);
        if (r->temperature == NULL)
            return false;
        r->temperatures = r->room = a->rows.count;
    }
    return section_transfer(f, r->temperature, r->temperatures * sizeof *r->temperature);
}

static bool histogram_section(section_file *f, void *state) {
    const annealing *const a = &((checkpoint *)state)->simulation->annealing;
    const parameters *const p = a->parameters;
    histogram *const h = &((checkpoint *)state)->simulation->annealing.histogram;
    return section_choice(f, &h->population, population_capacity(p->population, p->word)) &&
           (h->population > 0 || section_altered(f)) && SECTION_VALUE(f, h->families) &&
           SECTION_VALUE(f, h->family_squares) && SECTION_VALUE(f, h->block) &&
           SECTION_VALUE(f, h->parent) &&
           transfer_levels(f, &h->first, &h->end, h->level, h->levels.count, sizeof *h->level);
}

/* --- files --- */

static bool make_body(section_file *f, checkpoint *c) {
    return section_make(f, "schedule", schedule_section, c) &&
           section_make(f, "position", position_section, c) &&
           section_make(f, "times", times_section, c) &&
           section_make(f, "free energy", free_energy_section, c) &&
           section_make(f, "rows", rows_section, c) &&
           section_make(f, "finished runs", finished_section, c) &&
           section_make(f, "analysed runs", analysed_section, c) &&
           section_make(f, "multi-histogram", reweighting_section, c) &&
           section_make(f, "histogram", histogram_section, c) &&
           section_make(f, "population", checkpoint_population_section, &c->population);
}

/* --- writing --- */

exit_status checkpoint_check_path(const parameters *p) {
    const char *const path = p->checkpoint;
    struct stat s, resumed;
    if (path == NULL)
        return STATUS_OK;
    if (stat(path, &s) == 0) {
        if (S_ISDIR(s.st_mode))
            return complain(STATUS_REFUSED, "--checkpoint %s: a folder; allowed is a file", path);
        const bool same = p->resume != NULL && stat(p->resume, &resumed) == 0 &&
                          s.st_dev == resumed.st_dev && s.st_ino == resumed.st_ino;
        if (S_ISREG(s.st_mode) && !same && !p->force)
            return complain(STATUS_REFUSED,
                            "--checkpoint %s: the file is there already; allowed are another name, "
                            "--resume to go on from it, or --force to replace it",
                            path);
    }
    char *const folder = safe_file_folder(path);
    char *left = NULL;
    const int error = folder == NULL ? ENOMEM : safe_file_try_folder(folder, &left);
    free(left);
    free(folder);
    if (error != 0 && !safe_file_is_device(AT_FDCWD, path))
        return complain(STATUS_REFUSED,
                        "--checkpoint %s: %s; allowed is a file in a folder to write to", path,
                        strerror(error));
    safe_file_remove_stale(path);
    return STATUS_OK;
}

/* Brings a written checkpoint to the disk, and there into the place of the one before. */
static exit_status replace_checkpoint(safe_file *file) {
    char *const folder = safe_file_folder(file->path);
    exit_status status = folder == NULL
                             ? complain(STATUS_FAILED, "%s: %s", file->path, strerror(ENOMEM))
                             : STATUS_OK;
    if (!status)
        status = safe_file_sync(file);
    if (!status)
        status = safe_file_close(file);
    if (!status)
        status = safe_file_publish(file);
    if (!status)
        status = safe_file_sync_folder(folder);
    safe_file_abort(file);
    free(folder);
    return status;
}

/* A checkpoint is large: it lives on the heap. */
static checkpoint *checkpoint_of(simulation *s) {
    checkpoint *const c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    const parameters *const p = s->parameters;
    c->simulation = s;
    c->population.annealing = &s->annealing;
    c->head.origin = checkpoint_origin_here();
    c->head.parameters = *p;
    if (p->output != NULL)
        snprintf(c->head.output, sizeof c->head.output, "%s", p->output);
    return c;
}

exit_status checkpoint_write(simulation *s) {
    const char *const path = s->parameters->checkpoint;
    safe_file file;
    section_file f;
    checkpoint *const c = checkpoint_of(s);
    if (c == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(ENOMEM));
    exit_status status = safe_file_open(&file, path);
    if (!status) {
        const bool good = section_file_write(&f, file.stream) &&
                          checkpoint_head_make(&f, &c->head) && make_body(&f, c);
        if (good) {
            status = replace_checkpoint(&file);
        } else {
            status =
                complain(STATUS_FAILED, "%s: the checkpoint is not written: %s", path, f.reason);
            safe_file_abort(&file);
        }
    }
    free(c);
    return status;
}

/* --- reading --- */

static bool parameters_agree(section_file *f, const checkpoint *c) {
    const parameters *const p = c->simulation->parameters;
    const setting *const s = settings_differ(p, &c->head.parameters);
    char option[SETTING_OPTION_SIZE], asked[SETTING_TEXT_SIZE], written[SETTING_TEXT_SIZE];
    return s == NULL ||
           section_fail(f, "written for other parameters: %s is %s there, not %s",
                        setting_option(option, s), setting_text(written, s, &c->head.parameters),
                        setting_text(asked, s, p));
}

static void warn_of_other_host(const char *path, const checkpoint_origin *there) {
    const checkpoint_origin here = checkpoint_origin_here();
    if (strcmp(there->host, here.host) == 0 && strcmp(there->libc, here.libc) == 0)
        return;
    complain(STATUS_OK,
             "warning: %s was written on %s with %s, and this is %s with %s: if their exp and log "
             "round differently, so will the results",
             path, there->host, there->libc, here.host, here.libc);
}

exit_status checkpoint_resume(simulation *s) {
    const char *const path = s->parameters->resume;
    section_file f = {.reason = ""};
    FILE *const stream = fopen(path, "re");
    if (stream == NULL)
        return checkpoint_refuse(path, strerror(errno));
    checkpoint *const c = checkpoint_of(s);
    exit_status status = STATUS_OK;
    if (c == NULL)
        status = checkpoint_refuse(path, strerror(ENOMEM));
    else if (!section_file_read(&f, stream) || !checkpoint_head_make(&f, &c->head) ||
             !parameters_agree(&f, c) || !make_body(&f, c) || !section_file_ends(&f) ||
             !checkpoint_population_agrees(&f, &c->population))
        status = c->population.engine_failed
                     ? complain(STATUS_FAILED, "--resume %s: %s", path, f.reason)
                     : checkpoint_refuse(path, f.reason);
    else
        warn_of_other_host(path, &c->head.origin);
    free(c);
    fclose(stream);
    return status;
}
