/* The progress line. */
#include "progress.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define SECONDS_BETWEEN_LINES 0.25

void progress_begin(progress_line *self, const parameters *p) {
    *self = (progress_line){.shown = isatty(STDERR_FILENO) == 1,
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

/* Prints "sample 4 to 6 of 100  ": where they stand among the samples that are made. */
static void print_samples(const progress_line *self) {
    fprintf(stderr, "sample %zu", self->first + 1);
    if (self->count > 1)
        fprintf(stderr, " to %zu", self->first + self->count);
    fprintf(stderr, " of %zu  ", self->all);
}

void progress_update(progress_line *self, uint32_t run, size_t in_flight, double beta,
                     uint64_t population, double ln_q) {
    if (!self->shown || clock_seconds() - self->last < SECONDS_BETWEEN_LINES)
        return;
    self->last = clock_seconds();
    /* Equal steps of beta take equal times; adaptive ones do so roughly. */
    const double part = self->beta_end > 0 ? beta / self->beta_end : 1;
    double done = (run + part * (double)in_flight) / self->runs;
    fputc('\r', stderr);
    if (self->all > 0) {
        done = ((double)self->first + done * (double)self->count) / (double)self->all;
        print_samples(self);
    }
    fprintf(stderr, "run %" PRIu32, run + 1);
    if (in_flight > 1)
        fprintf(stderr, " to %" PRIu32, run + (uint32_t)in_flight);
    fprintf(stderr, " of %" PRIu32 "  beta %.4f  R %" PRIu64 "  ln Q %.3f", self->runs, beta,
            population, ln_q);
    if (done > 0) {
        const double left = (self->last - self->start) * (1 - done) / done;
        const uint64_t seconds = (uint64_t)(left + 0.5);
        fprintf(stderr, "  %" PRIu64 ":%02d:%02d left", seconds / 3600, (int)(seconds / 60 % 60),
                (int)(seconds % 60));
    }
    fputs("\033[K", stderr); /* clears what a longer line has left */
    fflush(stderr);
}

void progress_end(progress_line *self) {
    if (self->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    self->shown = false;
}
