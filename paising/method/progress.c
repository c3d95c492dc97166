/* The announcement and the progress line (progress.h). */
#include "progress.h"

#include "base/caller.h"
#include "base/clock.h"
#include "base/message.h"
#include "settings/exclusions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_BETWEEN_UPDATES 0.25 /* of the line on a terminal */
#define SECONDS_BETWEEN_LINES   60   /* elsewhere */

/* Whether the announcement contains an option: if it decides the data, or differs from its default. */
static bool is_shown(const setting *s, const parameters *p, const char *text) {
    if (s->help == NULL || s->type == SETTING_INTERVAL || !setting_holds(s, p))
        return false;
    if (s->type == SETTING_FLAG)
        return strcmp(text, "true") == 0;
    const bool usual = s->fallback != NULL && strcmp(text, s->fallback) == 0;
    return !usual || (s->effect == DECIDES_DATA && !s->quiet);
}

/* Prints an option as on a command line. */
static void print_option(FILE *stream, const setting *s, const char *text) {
    char option[SETTING_OPTION_SIZE];
    fprintf(stream, " %s", setting_option(option, s));
    if (s->type != SETTING_FLAG)
        fprintf(stream, "%s%s", s->flag.size > 0 ? "" : " ", text);
}

void progress_announce(const parameters *p, const char *device) {
    char room[SETTING_TEXT_SIZE], *line = NULL;
    size_t size;
    if (p->silent)
        return;
    FILE *const stream = open_memstream(&line, &size);
    for (size_t i = 0; stream != NULL && i < settings_count; i++) {
        const setting *const s = &settings[i];
        const char *const text = s->type != SETTING_SHOW ? setting_text(room, s, p) : "";
        if (s->type != SETTING_SHOW && is_shown(s, p, text))
            print_option(stream, s, text);
    }
    if (stream != NULL && fclose(stream) == 0)
        warn("%s:%s", device, line);
    free(line);
}

void progress_begin(progress_line *self, const parameters *p) {
    *self = (progress_line){.shown = !p->silent,
                            .to_terminal = isatty(STDERR_FILENO) == 1,
                            .runs = p->runs,
                            .beta_end = p->beta_end,
                            .start = clock_seconds()};
    self->last = self->start;
}

void progress_of_part(progress_line *self, bool shown, size_t first, size_t count, size_t all,
                      double start) {
    self->shown = self->shown && shown;
    self->first = first;
    self->count = count;
    self->all = all;
    self->start = start;
}

/* Prints "sample 4 to 6 of 100  ": the numbers count the samples that are made. */
static void print_samples(const progress_line *self) {
    fprintf(stderr, "sample %zu", self->first + 1);
    if (self->count > 1)
        fprintf(stderr, " to %zu", self->first + self->count);
    fprintf(stderr, " of %zu  ", self->all);
}

/* Whether the line is due; then it begins. */
static bool begins_line(progress_line *self) {
    const double between = self->to_terminal ? SECONDS_BETWEEN_UPDATES : SECONDS_BETWEEN_LINES;
    if (!self->shown || clock_seconds() - self->last < between)
        return false;
    self->last = clock_seconds();
    fputs(self->to_terminal ? "\r" : "paising: ", stderr);
    return true;
}

/* Ends it, with the time that is left if the share `done` is behind. */
static void end_line(const progress_line *self, double done) {
    if (done > 0) {
        const double left = (self->last - self->start) * (1 - done) / done;
        const uint64_t seconds = (uint64_t)(left + 0.5);
        fprintf(stderr, "  %" PRIu64 ":%02d:%02d left", seconds / 3600, (int)(seconds / 60 % 60),
                (int)(seconds % 60));
    }
    fputs(self->to_terminal ? "\033[K" : "\n", stderr); /* clears the rest of a longer line */
    fflush(stderr);
}

void progress_of_steps(progress_line *self, uint32_t taken, uint32_t steps) {
    if (!begins_line(self))
        return;
    fprintf(stderr, "step %" PRIu32 " of %" PRIu32, taken, steps);
    end_line(self, (double)taken / steps);
}

void progress_of_samples(progress_line *self, uint32_t made) {
    if (!begins_line(self))
        return;
    fprintf(stderr, "sample %" PRIu32 " of %zu", made, self->all);
    end_line(self, (double)made / (double)self->all);
}

void progress_of_walkers(progress_line *self, uint32_t taken, uint32_t steps, bool found) {
    if (found) {
        progress_of_steps(self, taken, steps);
        return;
    }
    if (!begins_line(self))
        return;
    fprintf(stderr, "step %" PRIu32 ", looking for weights", taken);
    end_line(self, 0);
}

const char *progress_how_to_go_on(char text[PROGRESS_TEXT_SIZE], const parameters *p, bool saved) {
    if (!saved || p->checkpoint == NULL)
        text[0] = '\0';
    else if (p->continues)
        snprintf(text, PROGRESS_TEXT_SIZE, "; to go on: the same command again");
    else
        snprintf(text, PROGRESS_TEXT_SIZE, "; to go on: --resume %.500s", p->checkpoint);
    return text;
}

void progress_update(progress_line *self, uint32_t run, size_t in_flight, double beta,
                     uint64_t population, double ln_q) {
    const caller *const program = caller_here();
    if (program != NULL && program->progress != NULL)
        program->progress(program->state, beta);
    if (!begins_line(self))
        return;
    /* Assumes equal time per beta: exact for equal steps, approximate for adaptive ones. */
    const double part = self->beta_end > 0 ? beta / self->beta_end : 1;
    double done = (run + part * (double)in_flight) / self->runs;
    if (self->all > 0) {
        done = ((double)self->first + done * (double)self->count) / (double)self->all;
        print_samples(self);
    }
    fprintf(stderr, "run %" PRIu32, run + 1);
    if (in_flight > 1)
        fprintf(stderr, " to %" PRIu32, run + (uint32_t)in_flight);
    fprintf(stderr, " of %" PRIu32 "  beta %.4f  R %" PRIu64 "  ln Q %.3f", self->runs, beta,
            population, ln_q);
    end_line(self, done);
}

void progress_end(progress_line *self) {
    if (self->shown && self->to_terminal) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    self->shown = false;
}
