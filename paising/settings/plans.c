/* Converts parameters to the arguments of other folders (plans.h). */
#include "plans.h"

#include "engine/disorder.h"

/* Reads the file `path`, if not NULL, and compares its fingerprint with `print`, if known. A
 * resumed checkpoint has either the fingerprint or no such file. */
static exit_status read_file(beta_profile *file, profile_kind kind, const char *path,
                             uint32_t print, const char *resume) {
    *file = (beta_profile){.count = 0};
    if (path == NULL)
        return STATUS_OK;
    if (resume != NULL && print == 0)
        return complain(STATUS_REFUSED,
                        "%s %.200s: the checkpoint %.100s has none; leave the option out",
                        profile_option(kind), path, resume);
    if (profile_read(file, kind, path))
        return STATUS_REFUSED;
    if (print == 0 || print == file->fingerprint)
        return STATUS_OK;
    complain(STATUS_REFUSED,
             "%s %.200s: fingerprint %lu; allowed are the numbers of the %s%.100s, fingerprint %lu",
             profile_option(kind), path, (unsigned long)file->fingerprint,
             resume != NULL ? "checkpoint " : "start", resume != NULL ? resume : "",
             (unsigned long)print);
    profile_destroy(file);
    return STATUS_REFUSED;
}

/* Reads both files of a plan. */
static exit_status read_plan_files(const parameters *p, schedule_plan *plan) {
    const bool of_sweeps = p->sweeps_file != NULL;
    exit_status status =
        read_file(&plan->betas, PROFILE_BETAS, p->betas, p->betas_print, p->resume);
    if (!status) {
        status = read_file(&plan->sweeps_at, of_sweeps ? PROFILE_SWEEPS : PROFILE_RELAXATION,
                           of_sweeps ? p->sweeps_file : p->relaxation,
                           of_sweeps ? p->sweeps_print : p->relaxation_print, p->resume);
        if (status)
            profile_destroy(&plan->betas);
    }
    return status;
}

exit_status parameters_schedule(const parameters *p, schedule_plan *plan) {
    *plan = (schedule_plan){.beta_start = p->beta_start,
                            .beta_end = p->beta_end,
                            .dbeta = p->dbeta,
                            .overlap = p->culling > 0 ? 1 - p->culling : p->overlap,
                            .energy_step = p->energy_step,
                            .sweeps = p->sweeps,
                            .sweep_gain = p->sweep_gain};
    return read_plan_files(p, plan);
}

exit_status parameters_read_files(parameters *p) {
    schedule_plan plan;
    if (read_plan_files(p, &plan))
        return STATUS_REFUSED;
    if (p->betas != NULL) {
        p->betas_print = plan.betas.fingerprint;
        p->beta_start = plan.betas.beta[0];
        p->beta_end = plan.betas.beta[plan.betas.count - 1];
    }
    if (p->sweeps_file != NULL)
        p->sweeps_print = plan.sweeps_at.fingerprint;
    else if (p->relaxation != NULL)
        p->relaxation_print = plan.sweeps_at.fingerprint;
    profile_destroy(&plan.betas);
    profile_destroy(&plan.sweeps_at);
    return STATUS_OK;
}

uint64_t parameters_temperatures(const parameters *p, double *sweeps) {
    schedule_plan plan;
    beta_schedule s;
    uint64_t count = 0;
    *sweeps = 0;
    if (p->method != METHOD_annealing) {
        count = parameters_populations(p);
        *sweeps = (double)count * p->sweeps * ((double)p->thermalisation + p->measurements);
        return count;
    }
    if (parameters_steps(p) == STEPS_FIXED && p->sweeps_file == NULL && p->relaxation == NULL) {
        const double steps = schedule_steps(p->beta_start, p->dbeta) +
                             schedule_steps(p->beta_end - p->beta_start, p->dbeta);
        *sweeps = steps * p->sweeps;
        return 1 + (uint64_t)steps;
    }
    if (parameters_steps_are_adaptive(p) || parameters_schedule(p, &plan))
        return 0;
    if (schedule_create(&s, &plan) == SCHEDULE_NEXT) {
        count = s.count;
        for (size_t i = 1; i < s.count; i++)
            *sweeps += p->sweep_gain > 0 ? p->sweeps : s.sweeps[i];
        schedule_destroy(&s);
    }
    return count;
}

uint64_t parameters_populations(const parameters *p) {
    schedule_plan plan;
    beta_schedule s;
    uint64_t count = 1;
    if (p->method == METHOD_annealing)
        return 1;
    if (parameters_steps(p) == STEPS_FIXED)
        return 1 + (uint64_t)schedule_steps(p->beta_end - p->beta_start, p->dbeta);
    if (parameters_steps_are_adaptive(p) || parameters_schedule(p, &plan))
        return 1;
    if (schedule_create(&s, &plan) == SCHEDULE_NEXT) {
        count = s.count - s.first_row;
        schedule_destroy(&s);
    }
    return count;
}

beta_grid parameters_grid(const parameters *p) {
    return (beta_grid){p->beta_start, p->beta_end, p->reweight_step};
}

steps_advice parameters_advice(const parameters *p) {
    return (steps_advice){parameters_smaller_steps(p), parameters_steps_are_adaptive(p)};
}

/* Sets the fingerprint of the couplings file, which must equal that of the checkpoint. */
static exit_status take_fingerprint(parameters *p, const couplings *c) {
    const uint32_t saved = p->fingerprint;
    p->fingerprint = couplings_fingerprint(c);
    if (p->resume == NULL || saved == p->fingerprint)
        return STATUS_OK;
    return complain(STATUS_REFUSED,
                    "--couplings %s: fingerprint %lu; allowed are the couplings of the checkpoint "
                    "%s, fingerprint %lu",
                    p->couplings, (unsigned long)p->fingerprint, p->resume, (unsigned long)saved);
}

const couplings *parameters_couplings(parameters *p, couplings *c, exit_status *status) {
    const spin_model model = parameters_model(p);
    *c = (couplings){.negative = NULL};
    *status = STATUS_OK;
    if (!model.disordered)
        return NULL;
    if (p->couplings != NULL)
        *status =
            couplings_read(c, model.dimension, model.edge,
                           (bond_reading){p->couplings_format, p->couplings_from}, p->couplings);
    else if (!couplings_create(c, model.dimension, model.edge))
        *status =
            complain(STATUS_REFUSED, "--model %s: not enough memory for its couplings", model.name);
    if (*status)
        return NULL;
    if (p->couplings == NULL)
        disorder_draw(c, (disorder){.seed = p->disorder,
                                    .sample = p->sample,
                                    .ferromagnetic = p->ferromagnetic});
    else
        *status = take_fingerprint(p, c);
    if (*status)
        couplings_destroy(c);
    return *status ? NULL : c;
}
