/* Parameters in the words of the layers below. */
#include "plans.h"

#include "engine/disorder.h"

schedule_plan parameters_schedule(const parameters *p) {
    return (schedule_plan){.beta_start = p->beta_start,
                           .beta_end = p->beta_end,
                           .dbeta = p->dbeta,
                           .overlap = p->overlap};
}

beta_grid parameters_grid(const parameters *p) {
    return (beta_grid){p->beta_start, p->beta_end, p->reweight_step};
}

/* Takes the fingerprint of a file, which a checkpoint must have too. */
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
        *status = couplings_read(c, model.dimension, model.edge, p->couplings);
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
