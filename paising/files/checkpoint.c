/* Checkpoints as files: their head, their sections one after another, and their safe way to the disk. */
#include "checkpoint.h"

#include "base/safe_file.h"
#include "checkpoint_head.h"
#include "settings/values.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The head of a checkpoint that is written here. It is large, and lives on the heap; NULL without
 * memory. */
static checkpoint_head *head_of(const parameters *p) {
    checkpoint_head *const head = calloc(1, sizeof *head);
    if (head == NULL)
        return NULL;
    head->given = *p;
    if (p->output != NULL)
        snprintf(head->output, sizeof head->output, "%s", p->output);
    return head;
}

static bool pass_sections(section_file *f, const section_entry section[], size_t count) {
    for (size_t n = 0; n < count; n++)
        if (!section_pass(f, section[n].name, section[n].content, section[n].state))
            return false;
    return true;
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

exit_status checkpoint_write(const parameters *p, const section_entry section[], size_t count) {
    const char *const path = p->checkpoint;
    safe_file file;
    section_file f;
    checkpoint_head *const head = head_of(p);
    if (head == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(ENOMEM));
    exit_status status = safe_file_open(&file, path);
    if (!status) {
        const bool good = section_file_write(&f, file.stream) &&
                          checkpoint_head_transfer(&f, head) && pass_sections(&f, section, count);
        if (good) {
            status = replace_checkpoint(&file);
        } else {
            status =
                complain(STATUS_FAILED, "%s: the checkpoint is not written: %s", path, f.reason);
            safe_file_abort(&file);
        }
    }
    free(head);
    return status;
}

/* --- reading --- */

static bool parameters_agree(section_file *f, const parameters *p, const parameters *there) {
    const setting *const s = settings_differ(p, there);
    char option[SETTING_OPTION_SIZE], asked[SETTING_TEXT_SIZE], written[SETTING_TEXT_SIZE];
    return s == NULL || section_fail(f, "written for other parameters: %s is %s there, not %s",
                                     setting_option(option, s), setting_text(written, s, there),
                                     setting_text(asked, s, p));
}

static bool sections_agree(section_file *f, const section_entry section[], size_t count) {
    for (size_t n = 0; n < count; n++)
        if (section[n].check != NULL && !section[n].check(f, section[n].state))
            return false;
    return true;
}

exit_status checkpoint_read(const parameters *p, const section_entry section[], size_t count) {
    const char *const path = p->resume;
    section_file f = {.reason = ""};
    FILE *const stream = fopen(path, "re");
    if (stream == NULL)
        return checkpoint_refuse(path, strerror(errno));
    checkpoint_head *const head = head_of(p);
    exit_status status = STATUS_OK;
    if (head == NULL)
        status = checkpoint_refuse(path, strerror(ENOMEM));
    else if (!section_file_read(&f, stream) || !checkpoint_head_transfer(&f, head) ||
             !parameters_agree(&f, p, &head->given) || !pass_sections(&f, section, count) ||
             !section_file_ends(&f) || !sections_agree(&f, section, count))
        status = f.elsewhere ? complain(STATUS_FAILED, "--resume %s: %s", path, f.reason)
                             : checkpoint_refuse(path, f.reason);
    free(head);
    fclose(stream);
    return status;
}
