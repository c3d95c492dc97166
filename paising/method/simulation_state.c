/* What a simulation takes: time and memory. */
#include "simulation_state.h"

#include "base/clock.h"
#include "saved_population.h"

simulation_times simulation_spent(const simulation *s) {
    simulation_times t = s->before;
    t.parts++;
    for (size_t stage = 0; stage < STAGES; stage++)
        t.seconds[stage] += s->at_hand.worker->seconds[stage];
    t.checkpoint_seconds += s->checkpoint_seconds;
    t.total_seconds += clock_seconds() - s->start;
    return t;
}

bool simulation_times_transfer(section_file *f, simulation_times *t) {
    return SECTION_VALUE(f, t->parts) && SECTION_VALUE(f, t->seconds) &&
           SECTION_VALUE(f, t->checkpoint_seconds) && SECTION_VALUE(f, t->total_seconds);
}

/* Temperatures of a run; 0 if they are not known. */
static uint64_t known_temperatures(const parameters *p) {
    if (p->overlap > 0)
        return 0;
    return 1 + (uint64_t)(schedule_steps(p->beta_start, p->dbeta) +
                          schedule_steps(p->beta_end - p->beta_start, p->dbeta));
}

uint64_t simulation_bytes(const parameters *p) {
    const uint64_t levels = parameters_model(p).levels.count, temperatures = known_temperatures(p);
    uint64_t bytes = sizeof(histogram) + levels * (sizeof(level_sums) + sizeof(uint64_t));
    /* Arrays that grow are twice as long as they must be, at most. */
    bytes += 2 * temperatures * (sizeof(double) + sizeof(observables));
    bytes += (2 * (uint64_t)p->runs + 1) * temperatures * sizeof(observables);
    if (p->reweight) {
        const double rows = 1 + schedule_steps(p->beta_end - p->beta_start, p->reweight_step);
        bytes += levels * (sizeof(reweighting_level) + sizeof(fixed));
        bytes += 2 * temperatures * sizeof(reweighting_temperature);
        /* Analyses as they come, and again those that are averaged. */
        bytes += (4 * (uint64_t)p->runs + 2) * (uint64_t)rows * sizeof(observables);
        bytes += p->runs * sizeof(histogram_gap);
    }
    if (p->checkpoint != NULL)
        bytes += 2 * SAVED_POPULATION_PIECE_BYTES;
    return bytes;
}

uint64_t simulation_analysis_bytes(const parameters *p) {
    return parameters_model(p).levels.count * sizeof(double) * known_temperatures(p);
}
