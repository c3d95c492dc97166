/* The program and the parameters of a checkpoint. */
#include "checkpoint_head.h"
#include "base/commit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

checkpoint_origin checkpoint_origin_here(void) {
    checkpoint_origin o = {.program = PAISING_VERSION, .libc = "unknown", .host = "unknown"};
#ifdef __GLIBC__
    snprintf(o.libc, sizeof o.libc, "glibc %s", gnu_get_libc_version());
#endif
    if (gethostname(o.host, sizeof o.host - 1) != 0)
        strcpy(o.host, "unknown");
    return o;
}

static bool program_section(section_file *f, void *state) {
    checkpoint_origin *const o = &((checkpoint_head *)state)->origin;
    return section_text(f, o->program, sizeof o->program) &&
           section_text(f, o->libc, sizeof o->libc) && section_text(f, o->host, sizeof o->host);
}

static bool transfer_kinds(section_file *f, parameters *p) {
    uint64_t coding = p->coding, rng = p->rng, device = p->device, stages = p->stages;
    if (!section_choice(f, &coding, CODING_MSC) || !section_choice(f, &rng, RNG_LCG) ||
        !section_choice(f, &device, DEVICE_CUDA) || !section_choice(f, &stages, STAGES_HYBRID))
        return false;
    p->coding = (spin_coding)coding;
    p->rng = (rng_mode)rng;
    p->device = (device_kind)device;
    p->stages = (stage_mode)stages;
    return true;
}

static bool parameters_section(section_file *f, void *state) {
    checkpoint_head *const head = state;
    parameters *const p = &head->parameters;
    const bool good = SECTION_VALUE(f, p->size) && SECTION_VALUE(f, p->population) &&
                      SECTION_VALUE(f, p->sweeps) && SECTION_VALUE(f, p->beta_start) &&
                      SECTION_VALUE(f, p->beta_end) && SECTION_VALUE(f, p->dbeta) &&
                      SECTION_VALUE(f, p->overlap) && SECTION_VALUE(f, p->runs) &&
                      SECTION_VALUE(f, p->seed) && SECTION_VALUE(f, p->precision) &&
                      SECTION_VALUE(f, p->word) && SECTION_VALUE(f, p->reweight_step) &&
                      section_bool(f, &p->reweight) && section_bool(f, &p->force) &&
                      transfer_kinds(f, p) && SECTION_VALUE(f, p->device_number) &&
                      SECTION_VALUE(f, p->checkpoint_every.seconds) &&
                      SECTION_VALUE(f, p->checkpoint_every.steps) &&
                      section_text(f, head->output, sizeof head->output);
    p->output = head->output[0] != '\0' ? head->output : NULL;
    return good;
}

bool checkpoint_head_transfer(section_file *f, checkpoint_head *head) {
    if (!section_pass(f, "program", program_section, head))
        return false;
    if (strcmp(head->origin.program, PAISING_VERSION) != 0)
        return section_fail(f, "written by paising %s; this is paising " PAISING_VERSION,
                            head->origin.program);
    return section_pass(f, "parameters", parameters_section, head);
}

exit_status checkpoint_refuse(const char *path, const char *reason) {
    return complain(STATUS_REFUSED, "--resume %s: %s", path, reason);
}

exit_status checkpoint_read_parameters(const char *path, parameters *p, char output[PATH_MAX]) {
    section_file f = {.reason = ""};
    FILE *const stream = fopen(path, "re");
    if (stream == NULL)
        return checkpoint_refuse(path, strerror(errno));
    checkpoint_head *const head = calloc(1, sizeof *head);
    exit_status status = STATUS_OK;
    if (head == NULL)
        status = checkpoint_refuse(path, strerror(ENOMEM));
    else if (!section_file_read(&f, stream) || !checkpoint_head_transfer(&f, head))
        status = checkpoint_refuse(path, f.reason);
    if (!status) {
        head->parameters.checkpoint = p->checkpoint;
        head->parameters.resume = p->resume;
        head->parameters.dry_run = p->dry_run;
        *p = head->parameters;
        memcpy(output, head->output, sizeof head->output);
        p->output = output[0] != '\0' ? output : NULL;
    }
    free(head);
    fclose(stream);
    return status;
}
