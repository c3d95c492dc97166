/* Places to write to (folder.h). */
#include "folder.h"

#include "base/safe_file.h"
#include "base/section_file.h"
#include "results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Locks a file for `option` and its value. */
static exit_status take(lock_file *lock, const char *path, const char *option, const char *value) {
    char holder[LOCK_HOLDER_SIZE];
    switch (lock_file_take(lock, path, holder)) {
    case LOCK_TAKEN:
    case LOCK_UNSUPPORTED:
        return STATUS_OK;
    case LOCK_HELD:
        return complain(STATUS_REFUSED, "%s %s: in use by %s", option, value, holder);
    case LOCK_FOREIGN:
        return complain(STATUS_REFUSED, "%s %s: %s is in the way", option, value, path);
    case LOCK_FAILED:
        break;
    }
    return complain(status_of_error(errno), "%s %s: %s", option, value, strerror(errno));
}

/* Removes unfinished files of this name, which begin with start[size]. */
static exit_status remove_unfinished(const char *path, const char *start, size_t size) {
    char foreign[NAME_MAX + 1];
    return safe_file_remove_stale(path, start, size, foreign)
               ? STATUS_OK
               : complain(STATUS_REFUSED, "%s: %s is in the way", path, foreign);
}

/* --- The checkpoint --- */

/* Whether there is nothing at the path, the file to resume from, or with --force another file. */
static bool may_be_replaced(const helium_request *r) {
    struct stat there, resumed;
    if (lstat(r->checkpoint, &there) != 0)
        return true;
    if (stat(r->checkpoint, &there) != 0 || !S_ISREG(there.st_mode))
        return false;
    return r->force || (r->resume != NULL && stat(r->resume, &resumed) == 0 &&
                        there.st_dev == resumed.st_dev && there.st_ino == resumed.st_ino);
}

/* Whether the checkpoint has the place of a file of the result. */
static bool is_in_result(const helium_request *r, const char *folder, const char *name) {
    struct stat own, result;
    if (stat(folder, &own) != 0 || stat(r->output, &result) != 0 || own.st_dev != result.st_dev ||
        own.st_ino != result.st_ino)
        return false;
    for (size_t n = 0; helium_result_files[n] != NULL; n++)
        if (strcmp(name, helium_result_files[n]) == 0)
            return true;
    return false;
}

static exit_status open_checkpoint(helium_folder *f, const helium_request *r) {
    char lock[PATH_MAX];
    const char *const slash = strrchr(r->checkpoint, '/');
    const char *const name = slash == NULL ? r->checkpoint : slash + 1;
    char *const folder = safe_file_folder(r->checkpoint);
    const bool writable = folder != NULL && access(folder, W_OK) == 0;
    const bool taken = writable && is_in_result(r, folder, name);
    free(folder);
    if (taken)
        return complain(STATUS_REFUSED,
                        "--checkpoint %s: a name of a file of the result; allowed is another one",
                        r->checkpoint);
    if (!writable)
        return complain(STATUS_REFUSED,
                        "--checkpoint %s: %s; allowed is a file in a folder to write to",
                        r->checkpoint, strerror(errno));
    if (!may_be_replaced(r))
        return complain(STATUS_REFUSED,
                        "--checkpoint %s: it is there already; allowed are another name, "
                        "--resume to go on from it, or --force to replace a file",
                        r->checkpoint);
    if (strlen(r->checkpoint) + sizeof "..4194304.tmp" > PATH_MAX ||
        strlen(name) + sizeof "..4194304.tmp" > NAME_MAX)
        return complain(STATUS_REFUSED, "--checkpoint: the name is too long");
    snprintf(lock, sizeof lock, "%.*s.%s.lock", (int)(name - r->checkpoint), r->checkpoint, name);
    const exit_status status = take(&f->checkpoint, lock, "--checkpoint", r->checkpoint);
    return status ? status : remove_unfinished(r->checkpoint, SECTION_MAGIC, SECTION_MAGIC_SIZE);
}

/* --- The folder --- */

static exit_status check_result(helium_folder *f, const helium_request *r) {
    char path[PATH_MAX];
    struct stat there;
    snprintf(path, sizeof path, "%s/run.json", r->output);
    if (stat(path, &there) != 0 || r->force)
        return STATUS_OK;
    f->finished = r->go_on && helium_results_are_of(r);
    if (f->finished)
        return STATUS_OK;
    return complain(STATUS_REFUSED,
                    r->go_on ? "--output %s: a result of other options is there; allowed is "
                               "another folder"
                             : "--output %s: a result is there; allowed are another folder, or "
                               "--force",
                    r->output);
}

static exit_status open_result(helium_folder *f, const helium_request *r) {
    char path[PATH_MAX];
    if (strlen(r->output) + sizeof "/.paising-helium.lock" + NAME_MAX > PATH_MAX)
        return complain(STATUS_REFUSED, "--output: the name is too long");
    if (mkdir(r->output, 0777) == 0)
        f->made = r->output;
    else if (errno != EEXIST)
        return complain(status_of_error(errno), "--output %s: %s", r->output, strerror(errno));
    exit_status status = check_result(f, r);
    snprintf(path, sizeof path, "%s/.paising-helium.lock", r->output);
    if (!status && !f->finished)
        status = take(&f->result, path, "--output", r->output);
    for (size_t n = 0; !status && !f->finished && helium_result_files[n] != NULL; n++) {
        const bool json = strcmp(helium_result_files[n], "run.json") == 0;
        const char *const start =
            json ? "{\n  \"program\": \"paising-helium\"" : "# paising-helium ";
        snprintf(path, sizeof path, "%s/%s", r->output, helium_result_files[n]);
        status = remove_unfinished(path, start, strlen(start));
    }
    return status;
}

exit_status helium_folder_open(helium_folder *f, const helium_request *r) {
    *f = (helium_folder){.result = {.descriptor = -1}, .checkpoint = {.descriptor = -1}};
    exit_status status = open_result(f, r);
    if (!status && !f->finished && r->checkpoint != NULL)
        status = open_checkpoint(f, r);
    return status;
}

void helium_folder_close(helium_folder *f) {
    lock_file_release(&f->checkpoint);
    lock_file_release(&f->result);
    if (f->made != NULL)
        rmdir(f->made);
}
