/* The head of a checkpoint (checkpoint_head.h). */
#include "checkpoint_head.h"
#include "base/commit.h"
#include "settings/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool program_section(section_file *f, void *state) {
    checkpoint_head *const head = state;
    if (f->mode != SECTION_READ)
        strcpy(head->program, PAISING_VERSION);
    return section_text(f, head->program, sizeof head->program);
}

static bool transfer_choice(section_file *f, const setting *s, void *field) {
    uint32_t choice;
    memcpy(&choice, field, sizeof choice); /* the enum type differs between settings */
    uint64_t wide = choice;
    if (!section_choice(f, &wide, s->choices - 1))
        return false;
    choice = (uint32_t)wide;
    memcpy(field, &choice, sizeof choice);
    return true;
}

static const char **text_field(const setting *s, parameters *p) {
    return (const char **)((char *)p + s->field.offset);
}

/* Whether the setting is a text that checkpoints contain. */
static bool is_kept_text(const setting *s) {
    return s->type == SETTING_TEXT && s->checkpoint > 0;
}

/* The buffer for such a text. */
static char *kept_text(checkpoint_texts *texts, const setting *s) {
    size_t n = 0;
    for (const setting *before = settings; before < s; before++)
        n += is_kept_text(before);
    return texts->text[n];
}

/* Sets the texts of *p to point into the buffers. */
static void point_to_texts(parameters *p, checkpoint_texts *texts) {
    for (const setting *s = settings; s < settings + settings_count; s++)
        if (is_kept_text(s)) {
            const char *const text = kept_text(texts, s);
            *text_field(s, p) = text[0] != '\0' ? text : NULL;
        }
}

void checkpoint_head_fill(checkpoint_head *head, const parameters *p) {
    head->given = *p;
    for (const setting *s = settings; s < settings + settings_count; s++) {
        const char *const text = is_kept_text(s) ? *text_field(s, &head->given) : NULL;
        if (text != NULL)
            snprintf(kept_text(&head->texts, s), PATH_MAX, "%s", text);
    }
}

/* Transfers the value of a setting, without its flag. */
static bool transfer_value(section_file *f, const setting *s, checkpoint_head *head) {
    void *const field = (char *)&head->given + s->field.offset;
    checkpoint_interval *const every = field;
    switch (s->type) {
    case SETTING_WHOLE:
    case SETTING_INT:
    case SETTING_SEED:
    case SETTING_EDGES:
    case SETTING_REAL:
        return section_transfer(f, field, s->field.size);
    case SETTING_CHOICE:
    case SETTING_DEVICE:
        return transfer_choice(f, s, field);
    case SETTING_FLAG:
        return section_bool(f, field);
    case SETTING_INTERVAL:
        return SECTION_VALUE(f, every->seconds) && SECTION_VALUE(f, every->steps);
    case SETTING_TEXT:
        return section_text(f, kept_text(&head->texts, s), PATH_MAX);
    case SETTING_SHOW:
        break;
    }
    return false;
}

static bool parameters_section(section_file *f, void *state) {
    checkpoint_head *const head = state;
    for (int place = 1; setting_in_checkpoint(place) != NULL; place++) {
        const setting *const s = setting_in_checkpoint(place);
        bool *const flag = (bool *)((char *)&head->given + s->flag.offset);
        if (!transfer_value(f, s, head) || (s->flag.size > 0 && !section_bool(f, flag)))
            return false;
    }
    return true;
}

/* Copies from *p the settings that a checkpoint does not contain. */
static void keep_others(parameters *read, const parameters *p) {
    for (size_t i = 0; i < settings_count; i++) {
        const setting_field fields[] = {settings[i].field, settings[i].flag};
        for (size_t n = 0; settings[i].checkpoint == 0 && n < 2; n++)
            memcpy((char *)read + fields[n].offset, (const char *)p + fields[n].offset,
                   fields[n].size);
    }
}

bool checkpoint_head_transfer(section_file *f, checkpoint_head *head) {
    if (!section_pass(f, "program", program_section, head))
        return false;
    if (strcmp(head->program, PAISING_VERSION) != 0)
        return section_fail(f, "written by paising %s; this is paising " PAISING_VERSION,
                            head->program);
    return section_pass(f, "parameters", parameters_section, head);
}

FILE *checkpoint_open_to_read(const char *path) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *const stream = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (stream == NULL && descriptor >= 0)
        close(descriptor);
    return stream;
}

exit_status checkpoint_refuse(const char *path, const char *reason) {
    return complain(STATUS_REFUSED, "--resume %s: %s", path, reason);
}

exit_status checkpoint_read_parameters(const char *path, parameters *p, checkpoint_texts *texts) {
    section_file f = {.reason = ""};
    FILE *const stream = checkpoint_open_to_read(path);
    if (stream == NULL)
        return checkpoint_refuse(path, strerror(errno));
    checkpoint_head *const head = calloc(1, sizeof *head);
    exit_status status = STATUS_OK;
    if (head == NULL)
        status = checkpoint_refuse(path, strerror(ENOMEM));
    else if (!section_file_read(&f, stream) || !checkpoint_head_transfer(&f, head))
        status = checkpoint_refuse(path, f.reason);
    if (!status) {
        keep_others(&head->given, p);
        *p = head->given;
        *texts = head->texts;
        point_to_texts(p, texts);
    }
    free(head);
    fclose(stream);
    return status;
}
