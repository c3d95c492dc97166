/* The folder that takes the result of a simulation. */
#include "result_folder.h"

#include "base/checked_text.h"
#include "base/safe_file.h"
#include "publication.h"
#include "result_files.h"
#include "result_names.h"
#include "result_survey.h"
#include "spare_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME ".paising.lock"

/* --- what stands in the folder --- */

/* Refuses a folder that cannot be read, or holds something else under the name of a file of a result. held[] becomes the
 * name of such a file; empty: there is none. */
static exit_status check_names(const result_folder *folder, exit_status status,
                               char held[RESULT_NAME_MOST]) {
    DIR *const dir = opendir(folder->path);
    const char *name;
    struct stat s;
    held[0] = '\0';
    while (dir != NULL && (name = result_name_next(dir)) != NULL) {
        snprintf(held, RESULT_NAME_MOST, "%s", name);
        if (fstatat(dirfd(dir), name, &s, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(s.st_mode))
            continue;
        closedir(dir);
        return complain(status, "-o %s: %s in it is not a regular file; allowed is another folder",
                        folder->path, held);
    }
    const int error = errno;
    if (dir != NULL)
        closedir(dir);
    return dir != NULL && error == 0 ? STATUS_OK
                                     : complain(status, "-o %s: the folder cannot be read: %s",
                                                folder->path, strerror(error));
}

/* Whether the folder holds a table of results, which averages over samples have in the folders of the samples only; or cannot be read. */
static bool holds_one_simulation(const result_folder *folder) {
    DIR *const dir = opendir(folder->path);
    const char *name = NULL;
    errno = 0;
    while (dir != NULL && (name = result_name_next(dir)) != NULL &&
           strstr(name, "_results") == NULL)
        continue;
    const bool holds = dir == NULL || name != NULL || errno != 0;
    if (dir != NULL)
        closedir(dir);
    return holds;
}

/* Whether a result that the folder holds may be replaced without --force. Averages over samples are made again from those, but of
 * bins, which have no folders of samples. */
static bool may_replace(const result_folder *folder, const result_survey *found) {
    const parameters *const p = folder->given;
    const bool again = p->record != RECORD_BINS || found->interrupted;
    return (folder->part && survey_is_own_remains(found)) ||
           ((p->resume != NULL || p->continues) && survey_is_own(found) && found->interrupted) ||
           (p->samples > 1 && survey_is_own(found) && !holds_one_simulation(folder) && again);
}

/* The first file of averages over samples that is not as it was written; NULL: there is none, or other files are
 * not so either, or not of these parameters. */
static const char *changed_average(const result_folder *folder, const result_survey *found) {
    static const char *const averages[] = {DISORDER_FILE, DISORDER_OVERLAP_FILE, SAMPLES_FILE};
    const char *first = NULL;
    size_t changed = 0;
    for (size_t n = 0; n < sizeof averages / sizeof *averages; n++) {
        FILE *const file = fopen(path_in(folder->path, averages[n]).text, "re");
        if (file == NULL)
            continue;
        if (checked_text_verify(file) != CHECKED_TEXT_WHOLE && changed++ == 0)
            first = averages[n];
        fclose(file);
    }
    return folder->given->samples > 1 && found->own == found->whole &&
                   found->whole + changed == found->files
               ? first
               : NULL;
}

/* Whether a whole result of the simulation is there, of all its samples. */
static bool is_there(const result_folder *folder, const result_survey *found) {
    const uint32_t count = folder->given->samples;
    return survey_is_whole(found) && survey_is_own(found) && !found->interrupted &&
           (count <= 1 || (found->samples == count && found->first == folder->first));
}

/* Refuses a folder as check_names does, or that holds a result which must not be replaced. *stays: NULL, or a whole result
 * of the simulation may stay, and this becomes whether there is one. */
static exit_status check_for_result(const result_folder *folder, exit_status status, bool *stays) {
    char held[RESULT_NAME_MOST];
    const exit_status named = check_names(folder, status, held);
    if (named || held[0] == '\0' || folder->given->force)
        return named;
    const result_survey found = survey_folder(folder->path, folder->given);
    if (stays != NULL)
        *stays = is_there(folder, &found);
    if ((stays != NULL && *stays) || may_replace(folder, &found))
        return STATUS_OK;
    /* Averages over samples are made again from these, but where they are not as they were written. */
    const char *const changed = changed_average(folder, &found);
    if (changed != NULL)
        return complain(status,
                        "-o %s: %s in it was changed or cut off; allowed are another folder, or to "
                        "move that file away: the same command makes it again from the samples",
                        folder->path, changed);
    return complain(status,
                    "-o %s: the folder holds a result already (%s); allowed are another folder, or "
                    "--force to replace it",
                    folder->path, held);
}

/* --- what killed processes have left --- */

/* Puts a result that stands into its place. */
static exit_status publish(const result_folder *folder, publication_stage reached) {
    return folder->fresh ? publication_finish_part(folder->path)
                         : publication_finish(folder->path, reached, result_files_safety(folder));
}

/* The same of one that a killed process has left; it may not have waited for the disk. */
static exit_status publish_left(const result_folder *folder, const char *staged,
                                publication_stage reached) {
    if (result_files_safety(folder) == SAFE_FROM_CRASHES &&
        (publication_sync(staged) || safe_file_sync_path(folder->path)))
        return STATUS_REFUSED;
    if (publish(folder, reached))
        return STATUS_REFUSED;
    warn("%s: the result that a killed process was moving into its place is there now",
         folder->path);
    return STATUS_OK;
}

/* Sees to what is left: a result that stands gets its place. Unfinished files go that this simulation will make again, or that
 * were cut off; whole ones of another simulation, and those that this program has not begun, stay unless they may be
 * replaced; what is no file of a result stays. */
static exit_status recover_staged(const result_folder *folder) {
    const path_name path = result_files_path(folder);
    char held[RESULT_NAME_MOST];
    if (!path_exists(path.text))
        return STATUS_OK;
    if (!folder->fresh && check_names(folder, STATUS_REFUSED, held))
        return STATUS_REFUSED;
    if (!path_is_folder(path.text) || publication_holds_others(path.text))
        return complain(STATUS_REFUSED,
                        "-o %s: %s is in the way: no folder of files of a result alone; allowed "
                        "are another folder, or to move it away",
                        folder->path, path.text);
    const result_survey staged = survey_folder(path.text, folder->given),
                        placed = folder->fresh ? (result_survey){.readable = true}
                                               : survey_folder(folder->path, NULL);
    if (!staged.readable || !placed.readable)
        return complain(STATUS_REFUSED, "-o %s: %s and the folder cannot be read", folder->path,
                        path.text);
    const publication_stage reached = publication_reached(&staged, &placed);
    if (reached != STAGED_IN_PART)
        return publish_left(folder, path.text, reached);
    if ((staged.whole > staged.own || staged.foreign > 0) && !folder->given->force)
        return complain(STATUS_REFUSED,
                        "-o %s: %s holds files of an unfinished result that a killed process has "
                        "left; allowed are another folder, or --force to remove them",
                        folder->path, path.text);
    publication_discard(path.text);
    return STATUS_OK;
}

/* --- opening --- */

/* Says that the folder cannot be used because of `error`. */
static exit_status refuse_folder(const result_folder *folder, int error) {
    return complain(status_of_error(error),
                    "-o %s: %s; allowed is a folder to write to, which is made if the folder above "
                    "it is there",
                    folder->path, strerror(error));
}

/* Makes the folder unless it is there. */
static exit_status make_folder(result_folder *folder) {
    struct stat s;
    temporary_file *const made = temporary_folder_make(folder->path);
    if (made != NULL) {
        folder->removal = made;
        return STATUS_OK;
    }
    const int error = errno;
    if (error == EEXIST && stat(folder->path, &s) == 0)
        return S_ISDIR(s.st_mode) ? STATUS_OK : refuse_folder(folder, ENOTDIR);
    return refuse_folder(folder, error);
}

static exit_status take_lock(result_folder *folder) {
    char holder[LOCK_HOLDER_SIZE];
    const path_name lock = path_in(folder->path, LOCK_NAME);
    switch (lock_file_take(&folder->lock, lock.text, holder)) {
    case LOCK_TAKEN:
        return STATUS_OK;
    case LOCK_UNSUPPORTED:
        warn("warning: -o %s: no locks on this file system: nothing keeps another process out",
             folder->path);
        return STATUS_OK;
    case LOCK_HELD:
        return complain(STATUS_REFUSED, "-o %s: the folder is in use by %s; allowed is another one",
                        folder->path, holder);
    case LOCK_FOREIGN:
        return complain(STATUS_REFUSED,
                        "-o %s: %s is in the way: no lock of paising, or one of another user; "
                        "allowed are another folder, or to move it away",
                        folder->path, lock.text);
    case LOCK_FAILED:
        break;
    }
    return refuse_folder(folder, errno);
}

/* Whether something can be removed from the folder again is not known before it is tried. */
static exit_status try_removal(const result_folder *folder) {
    const path_name probe = path_in(folder->path, STAGED_FOLDER);
    exit_status status = STATUS_OK;
    temporary_file *const made = temporary_folder_make(probe.text);
    if (made != NULL && !temporary_folder_remove(made))
        status = complain(STATUS_REFUSED, "-o %s: files cannot be removed from it: %s: %s",
                          folder->path, probe.text, strerror(errno));
    return status;
}

/* Makes the folder and takes its lock. Another process may remove a new folder in between. */
static exit_status own_folder(result_folder *folder) {
    exit_status status = make_folder(folder);
    if (!status)
        status = take_lock(folder);
    return status ? status : try_removal(folder);
}

static void start(result_folder *folder, const parameters *p, char *path) {
    *folder = (result_folder){.given = p, .path = path, .lock = {.descriptor = -1}};
}

static exit_status begin(result_folder *folder) {
    const char *const path = folder->path;
    if (path == NULL)
        return complain(STATUS_FAILED, "-o: %s", strerror(ENOMEM));
    if (strlen(path) + sizeof "/" STAGED_PART "/" + RESULT_NAME_MOST > PATH_MAX)
        return refuse_folder(folder, ENAMETOOLONG);
    folder->fresh = folder->part && !path_exists(path);
    return folder->fresh ? STATUS_OK : own_folder(folder);
}

/* Sees to what stands in the folder. A new part that was left whole is there then, and is seen to in its turn. */
static exit_status check_contents(result_folder *folder, bool *stays) {
    exit_status status = STATUS_OK;
    if (folder->fresh) {
        status = recover_staged(folder);
        folder->fresh = !path_exists(folder->path);
        if (status || folder->fresh)
            return status;
        status = own_folder(folder);
    }
    if (!status)
        status = recover_staged(folder);
    return status ? status : check_for_result(folder, STATUS_REFUSED, stays);
}

/* Opens a folder that was started; `there`: NULL, or a whole result may stay. In a new one another process may have been
 * first. */
static exit_status open_started(result_folder *folder, bool *there) {
    bool stays = false;
    exit_status status = begin(folder);
    if (!status)
        status = check_contents(folder, there != NULL ? &stays : NULL);
    if (there != NULL)
        *there = stays;
    if (status)
        result_folder_close(folder);
    return status;
}

/* Whether a whole result is there, and the folder cannot be written to. */
static bool is_finished_for_good(const result_folder *folder) {
    if (folder->path == NULL || folder->given->force || access(folder->path, W_OK) == 0 ||
        (errno != EACCES && errno != EROFS))
        return false;
    const result_survey found = survey_folder(folder->path, folder->given);
    return is_there(folder, &found);
}

/* Opens the folder; `stays`: a whole result may stay, even if the folder can be written to. */
static exit_status open_whole(result_folder *folder, const parameters *p, uint32_t first,
                              bool stays) {
    start(folder, p, p->output != NULL ? strdup(p->output) : result_name_of_folder(p));
    folder->first = first;
    folder->there = (stays || p->samples > 1) && is_finished_for_good(folder);
    return folder->there ? STATUS_OK : open_started(folder, stays ? &folder->there : NULL);
}

exit_status result_folder_open(result_folder *folder, const parameters *p) {
    return open_whole(folder, p, p->sample, p->resume != NULL || p->continues);
}

exit_status result_folder_open_samples(result_folder *folder, const parameters *p, uint32_t first) {
    return open_whole(folder, p, first, p->record == RECORD_BINS);
}

bool result_folder_is_finished(const result_folder *folder) {
    if (folder->there) {
        warn("%s: the result is there already, whole: nothing is left to do", folder->path);
        tell("%s\n", folder->path);
    }
    return folder->there;
}

void result_folder_in_memory(result_folder *folder, const parameters *p, memory_files *files) {
    start(folder, p, NULL);
    folder->memory = files;
}

exit_status result_folder_open_part(result_folder *folder, const parameters *p, bool *there) {
    start(folder, p, strdup(p->output));
    folder->part = true;
    return open_started(folder, there);
}

/* --- samples of an older result --- */

/* Whether the folder of a sample goes with an older result (--force): no sample of the simulation whose result has come, nor
 * anything but files of a result in it. */
static bool is_older_sample(const result_folder *folder, const char *name) {
    const path_name path = path_in(folder->path, name);
    parameters of_sample = *folder->given;
    of_sample.samples = 1;
    char same[SAMPLE_NAME_SIZE];
    if (sscanf(name, "sample_%" SCNu32, &of_sample.sample) != 1 ||
        strcmp(name, result_name_of_sample(same, of_sample.sample)) != 0 ||
        !path_is_folder(path.text) || publication_holds_others(path.text))
        return false;
    const result_survey found = survey_folder(path.text, &of_sample);
    return folder->given->samples <= 1 || !survey_is_own(&found);
}

static void remove_older_samples(const result_folder *folder) {
    DIR *const dir = opendir(folder->path);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (is_older_sample(folder, entry->d_name))
            publication_discard(path_in(folder->path, entry->d_name).text);
    if (dir != NULL)
        closedir(dir);
}

/* --- the result --- */

/* Brings the names of the staged files to the disk, where they are waited for. */
static exit_status sync_names(const result_folder *folder) {
    if (result_files_safety(folder) == SAFE_FROM_KILLS)
        return STATUS_OK;
    const exit_status status = safe_file_sync_path(folder->staging->name);
    return status ? status : safe_file_sync_path(folder->path);
}

static exit_status write_and_publish(result_folder *folder, result_writer *write, void *state) {
    if (write(folder, state) || result_files_end(folder) || sync_names(folder)) {
        result_files_discard(folder); /* a full disk wants the room */
        return STATUS_FAILED;
    }
    signals_hold(); /* the result stands: no signal removes it */
    const exit_status status = publish(folder, STAGED_WHOLE);
    folder->published = status == STATUS_OK;
    folder->waits = status && !folder->fresh;
    if (status && folder->fresh)
        result_files_discard(folder);
    else
        result_files_forget(folder);
    signals_release();
    return status;
}

/* Whether the folder is still this process's, and may take the result. */
static exit_status check_again(const result_folder *folder) {
    if (!lock_file_stands(&folder->lock))
        return complain(STATUS_FAILED, "-o %s: somebody has removed or replaced the folder",
                        folder->path);
    return check_for_result(folder, STATUS_FAILED, NULL);
}

/* --- elsewhere --- */

/* Puts the result into a new folder, which is freed and goes again unless the result is there. */
static bool put_into_new(result_folder *folder, char *path, result_writer *write, void *state) {
    result_folder other;
    if (path == NULL)
        return false;
    start(&other, folder->given, path);
    memcpy(other.note, folder->note, sizeof other.note);
    other.removal = temporary_file_add(path);
    exit_status status = other.removal != NULL ? begin(&other) : refuse_folder(&other, ENOMEM);
    if (!status)
        status = write_and_publish(&other, write, state);
    if (!status) {
        folder->elsewhere = strdup(path);
        warn("the result is in %s", path);
    }
    result_folder_close(&other);
    return status == STATUS_OK;
}

static exit_status put_here(result_folder *folder, result_writer *write, void *state) {
    exit_status status = folder->fresh ? STATUS_OK : check_again(folder);
    if (!status)
        status = write_and_publish(folder, write, state);
    return status;
}

/* Whether a complete result stands there, which a part does not replace. A sample that is spoilt is none: it is made
 * again. */
static bool holds_complete(const result_folder *folder) {
    if (folder->fresh)
        return false;
    const result_survey found = survey_folder(folder->path, NULL);
    return survey_is_complete(&found) && (!folder->part || survey_is_whole(&found));
}

exit_status result_folder_put(result_folder *folder, result_writer *write, void *state,
                              bool partial) {
    exit_status status = STATUS_OK;
    if (folder->memory != NULL)
        return write(folder, state) || result_files_end(folder) ? STATUS_FAILED : STATUS_OK;
    if (partial && holds_complete(folder))
        warn("-o %s: a part of a result does not replace a complete one", folder->path);
    else
        status = put_here(folder, write, state);
    if (folder->published && folder->given->force && !folder->part && !partial)
        remove_older_samples(folder);
    if (folder->published || folder->waits)
        return status;
    return put_into_new(folder, spare_folder_beside(folder->path), write, state) ||
                   put_into_new(folder, spare_folder_temporary(), write, state)
               ? status
               : STATUS_FAILED;
}

const char *result_folder_place(const result_folder *folder) {
    return folder->elsewhere != NULL ? folder->elsewhere : folder->path;
}

void result_folder_close(result_folder *folder) {
    result_files_discard(folder);
    lock_file_release(&folder->lock);
    if (folder->removal != NULL && !folder->published)
        rmdir(folder->path); /* fails if there is something in it, as it should */
    if (folder->removal != NULL)
        temporary_file_remove(folder->removal);
    free(folder->buffer);
    free(folder->elsewhere);
    free(folder->path);
    *folder = (result_folder){.lock = {.descriptor = -1}};
}
