/* The head of a checkpoint (checkpoint_head.h). */
#include "checkpoint_head.h"
#include "base/commit.h"
#include "base/input_file.h"
#include "settings/values.h"

#include <string.h>

static bool program_section(section_file *f, void *state) {
    checkpoint_head *const head = state;
    if (f->mode != SECTION_READ)
        strcpy(head->program, PAISING_VERSION);
    return section_text(f, head->program, sizeof head->program);
}

/* Whether checkpoints have this setting. */
static bool is_kept(const setting *s) {
    return s->effect != DECIDES_COMMAND;
}

void checkpoint_head_fill(checkpoint_head *head, const parameters *p) {
    head->count = 0;
    for (const setting *s = settings; s < settings + settings_count; s++) {
        char room[SETTING_TEXT_SIZE];
        if (!is_kept(s))
            continue;
        checkpoint_setting *const to = &head->setting[head->count++];
        snprintf(to->name, sizeof to->name, "%s", s->name);
        snprintf(to->value, sizeof to->value, "%s",
                 setting_has_value(s, p) ? setting_value_text(room, s, p) : "");
    }
}

static bool parameters_section(section_file *f, void *state) {
    checkpoint_head *const head = state;
    uint64_t count = head->count;
    if (!section_choice(f, &count, SETTINGS_MOST))
        return false;
    head->count = (size_t)count;
    for (checkpoint_setting *at = head->setting; at < head->setting + count; at++)
        if (!section_text(f, at->name, sizeof at->name) ||
            !section_text(f, at->value, sizeof at->value))
            return false;
    return true;
}

/* The value of the setting with this name; NULL if the head has none before `end`. */
static const char *value_of(const checkpoint_head *head, const char *name, size_t end) {
    for (size_t n = 0; n < end; n++)
        if (strcmp(head->setting[n].name, name) == 0)
            return head->setting[n].value;
    return NULL;
}

bool checkpoint_head_take(section_file *f, const checkpoint_head *head, parameters *p) {
    for (size_t n = 0; n < head->count; n++) {
        const char *const name = head->setting[n].name;
        const setting *const s = setting_named(name);
        if (s == NULL || !is_kept(s))
            return section_fail(f, "setting '%s' is not one of this program", name);
        if (value_of(head, name, n) != NULL)
            return section_fail(f, "setting '%s' is there twice", name);
    }
    for (const setting *s = settings; s < settings + settings_count; s++) {
        if (!is_kept(s))
            continue;
        const char *const value = value_of(head, s->name, head->count);
        if (value == NULL)
            return section_fail(f, "setting '%s' is missing", s->name);
        memset((char *)p + s->field.offset, 0, s->field.size);
        if (value[0] == '\0' ? setting_has_value(s, p) : !setting_read(s, p, value))
            return section_fail(f, "setting '%s' cannot be '%.100s'", s->name, value);
    }
    return true;
}

bool checkpoint_head_transfer(section_file *f, checkpoint_head *head) {
    if (!section_pass(f, "program", program_section, head))
        return false;
    if (strcmp(head->program, PAISING_VERSION) != 0)
        return section_fail(f, "written by paising %s; this is paising " PAISING_VERSION,
                            head->program);
    return section_pass(f, "parameters", parameters_section, head);
}

exit_status checkpoint_refuse(const char *path, const char *reason) {
    return complain(STATUS_REFUSED, "--resume %s: %s", path, reason);
}

exit_status checkpoint_read_parameters(const char *path, parameters *p, checkpoint_head *head) {
    section_file f = {.reason = ""};
    parameters read = *p;
    const char *why;
    FILE *const stream = input_file_open(path, &why);
    if (stream == NULL)
        return checkpoint_refuse(path, why);
    const bool good = section_file_read(&f, stream) && checkpoint_head_transfer(&f, head) &&
                      checkpoint_head_take(&f, head, &read);
    fclose(stream);
    if (!good)
        return checkpoint_refuse(path, f.reason);
    *p = read;
    return STATUS_OK;
}
