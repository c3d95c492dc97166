/* Writing and reading of checkpoint files (checkpoint.h). */
#include "checkpoint.h"

#include "base/input_file.h"
#include "base/safe_file.h"
#include "checkpoint_head.h"
#include "result_names.h"
#include "settings/exclusions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool pass_sections(section_file *f, const section_entry section[], size_t count) {
    for (size_t n = 0; n < count; n++)
        if (!section_pass(f, section[n].name, section[n].content, section[n].state))
            return false;
    return true;
}

/* --- the place --- */

static exit_status refuse_path(const char *path, const char *reason) {
    return complain(STATUS_REFUSED, "--checkpoint %s: %s", path, reason);
}

static const char *name_in(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Whether the path is a file of the result: in its folder, under a name that results use. */
static bool is_in_result(const char *path, const char *folder) {
    struct stat there, result;
    char *const above = safe_file_folder(path);
    const bool inside = above != NULL && stat(above, &there) == 0 && stat(folder, &result) == 0 &&
                        there.st_dev == result.st_dev && there.st_ino == result.st_ino;
    free(above);
    return inside && (result_name_is(name_in(path)) || strncmp(name_in(path), ".paising.", 9) == 0);
}

/* Checks what exists at the path. Nothing, a file to be replaced, and links to these are allowed. */
static exit_status check_file(const parameters *p) {
    const char *const path = p->checkpoint;
    struct stat s, resumed;
    if (stat(path, &s) != 0)
        return lstat(path, &s) == 0
                   ? refuse_path(path, "a link to nothing; allowed is one to a file")
                   : STATUS_OK;
    if (S_ISDIR(s.st_mode))
        return refuse_path(path, "a folder; allowed is a file");
    if (!S_ISREG(s.st_mode))
        return refuse_path(path, "a device or a pipe; allowed is a file");
    const bool same = p->resume != NULL && stat(p->resume, &resumed) == 0 &&
                      s.st_dev == resumed.st_dev && s.st_ino == resumed.st_ino;
    return same || p->force
               ? STATUS_OK
               : refuse_path(path, "the file is there already; allowed are another name, --resume "
                                   "to go on from it, or --force to replace it");
}

/* Refuses a file beside the checkpoint whose name is needed. */
static exit_status refuse_name(const char *path, const char *name) {
    return complain(STATUS_REFUSED,
                    "--checkpoint %s: %s beside it is in the way: no file of paising, or one of "
                    "another user; allowed are another name, or to move it away",
                    path, name);
}

/* Removes unfinished checkpoints that killed processes have left. */
static exit_status remove_unfinished(const checkpoint_place *place, const char *path) {
    char foreign[NAME_MAX + 1];
    return safe_file_remove_stale(place->path, SECTION_MAGIC, SECTION_MAGIC_SIZE, foreign)
               ? STATUS_OK
               : refuse_name(path, foreign);
}

/* Locks ".NAME.lock" beside the file. */
static exit_status take_lock(checkpoint_place *place, const char *path) {
    char holder[LOCK_HOLDER_SIZE], lock[PATH_MAX];
    const char *const name = name_in(place->path);
    snprintf(lock, sizeof lock, "%.*s.%s.lock", (int)(name - place->path), place->path, name);
    switch (lock_file_take(&place->lock, lock, holder)) {
    case LOCK_TAKEN:
        return remove_unfinished(place, path);
    case LOCK_UNSUPPORTED:
        warn(
            "warning: --checkpoint %s: no locks on this file system: nothing keeps another process "
            "out",
            path);
        return STATUS_OK;
    case LOCK_HELD:
        return complain(STATUS_REFUSED,
                        "--checkpoint %s: the file is in use by %s; allowed is another one", path,
                        holder);
    case LOCK_FOREIGN:
        return refuse_name(path, name_in(lock));
    case LOCK_FAILED:
        break;
    }
    return complain(status_of_error(errno),
                    "--checkpoint %s: %s; allowed is a file in a folder to write to", path,
                    strerror(errno));
}

exit_status checkpoint_place_open(checkpoint_place *place, const parameters *p,
                                  const char *folder) {
    const char *const path = p->checkpoint;
    *place = (checkpoint_place){.lock = {.descriptor = -1}};
    if (path == NULL)
        return STATUS_OK;
    if (path[strlen(path) - 1] == '/')
        return refuse_path(path, "a folder; allowed is a file");
    if (check_file(p))
        return STATUS_REFUSED;
    struct stat s;
    const bool linked = lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
    place->path = linked ? realpath(path, NULL) : strdup(path);
    if (place->path == NULL)
        return refuse_path(path, strerror(errno));
    if (is_in_result(place->path, folder))
        return refuse_path(path, "a name of a file of the result; allowed is another one");
    if (strlen(name_in(place->path)) + sizeof "..4194304.tmp" > NAME_MAX ||
        strlen(place->path) + sizeof "..4194304.tmp" > PATH_MAX)
        return refuse_path(path, "the name is too long for the file beside it");
    return take_lock(place, path);
}

void checkpoint_place_close(checkpoint_place *place) {
    lock_file_release(&place->lock);
    free(place->path);
    place->path = NULL;
}

/* --- writing --- */

/* Brings a written checkpoint to disk, then renames it over the previous one. */
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
        status = safe_file_sync_path(folder);
    safe_file_abort(file);
    free(folder);
    return status;
}

exit_status checkpoint_write(const parameters *p, const section_entry section[], size_t count) {
    const char *const path = p->checkpoint;
    safe_file file;
    section_file f;
    checkpoint_head *const head = calloc(1, sizeof *head);
    if (head == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(ENOMEM));
    checkpoint_head_fill(head, p);
    exit_status status = safe_file_open(&file, path);
    if (!status) {
        const bool good = section_file_write(&f, file.stream) &&
                          checkpoint_head_transfer(&f, head) && pass_sections(&f, section, count) &&
                          section_file_end(&f);
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
    const char *why;
    FILE *const stream = input_file_open(path, &why);
    if (stream == NULL)
        return checkpoint_refuse(path, why);
    checkpoint_head *const head = calloc(1, sizeof *head);
    parameters there = *p;
    exit_status status = STATUS_OK;
    if (head == NULL)
        status = checkpoint_refuse(path, strerror(ENOMEM));
    else if (!section_file_read(&f, stream) || !checkpoint_head_transfer(&f, head) ||
             !checkpoint_head_take(&f, head, &there) || !parameters_agree(&f, p, &there) ||
             !pass_sections(&f, section, count) || !section_file_end(&f) ||
             !sections_agree(&f, section, count))
        status = f.elsewhere ? complain(STATUS_FAILED, "--resume %s: %s", path, f.reason)
                             : checkpoint_refuse(path, f.reason);
    free(head);
    fclose(stream);
    return status;
}

void checkpoint_look(const char *path) {
    section_file f = {.reason = ""};
    const char *why;
    FILE *const stream = input_file_open(path, &why);
    if (stream == NULL || !section_file_verify(&f, stream))
        warn("warning: the checkpoint %s is not whole, and not needed any more: %s", path,
             stream == NULL ? why : f.reason);
    if (stream != NULL)
        fclose(stream);
}
