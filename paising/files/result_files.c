/* The files of a result, one after the other: under temporary names, or in memory. */
#include "result_files.h"

#include "npz_results.h"
#include "result_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BUFFER (64 << 10) /* bytes */

path_name result_files_path(const result_folder *folder) {
    return folder->fresh ? publication_staged_part(folder->path)
                         : path_in(folder->path, STAGED_FOLDER);
}

publication_safety result_files_safety(const result_folder *folder) {
    return folder->part ? SAFE_FROM_KILLS : SAFE_FROM_CRASHES;
}

static exit_status cannot(const result_folder *folder, const char *name, int error) {
    return complain(STATUS_FAILED, "%s: %s", path_in(folder->path, name).text, strerror(error));
}

/* Remembers a name under .paising.new that a signal removes. */
static temporary_file *remember(result_folder *folder, const char *path) {
    if (folder->files == folder->room) {
        const size_t room = folder->room == 0 ? 8 : 2 * folder->room;
        temporary_file **const grown = realloc(folder->staged, room * sizeof *grown);
        if (grown == NULL)
            return NULL;
        folder->staged = grown;
        folder->room = room;
    }
    return temporary_file_add(path);
}

/* Brings the open file to the disk, or has the disk begin with it, where nobody waits. Returns whether that failed. */
static bool sync_fails(const result_folder *folder) {
    if (result_files_safety(folder) == SAFE_FROM_CRASHES)
        return fsync(folder->descriptor) != 0;
    sync_file_range(folder->descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); /* a file system may not */
    return false;
}

/* Closes the open file. */
static exit_status close_file(result_folder *folder) {
    if (folder->stream == NULL)
        return STATUS_OK;
    const bool summed = checked_text_end(&folder->sum);
    const bool failed_before = !summed || ferror(folder->stream) != 0;
    int error = 0;
    if (fflush(folder->stream) != 0 || sync_fails(folder))
        error = errno;
    else if (failed_before)
        error = folder->sum.error != 0 ? folder->sum.error : EIO;
    if (fclose(folder->stream) != 0 && error == 0)
        error = errno;
    folder->stream = NULL;
    return error != 0 ? complain(STATUS_FAILED, "%s: %s", folder->staged[folder->files - 1]->name,
                                 strerror(error))
                      : STATUS_OK;
}

/* Lets the open file be written in few pieces, if there is memory. */
static void enlarge_buffer(result_folder *folder) {
    if (folder->buffer == NULL)
        folder->buffer = malloc(FILE_BUFFER);
    if (folder->buffer != NULL)
        setvbuf(folder->stream, folder->buffer, _IOFBF, FILE_BUFFER);
}

/* Begins a file among those that are not in their places yet. NULL after a message on stderr. */
static FILE *begin_staged(result_folder *folder, const char *name) {
    const path_name path = path_in(folder->staging->name, name);
    temporary_file *const file = remember(folder, path.text);
    if (file == NULL) {
        cannot(folder, name, ENOMEM);
        return NULL;
    }
    folder->staged[folder->files++] = file;
    folder->descriptor = open(path.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (folder->descriptor >= 0)
        folder->stream = fdopen(folder->descriptor, "w");
    if (folder->stream != NULL)
        enlarge_buffer(folder);
    if (folder->stream == NULL) {
        cannot(folder, name, errno);
        if (folder->descriptor >= 0)
            close(folder->descriptor);
    }
    return folder->stream;
}

/* Whether a data file is written as text: others read the text of these again. */
static bool keeps_text(const result_folder *folder, const char *name) {
    return folder->given->format != FORMAT_NPZ || folder->part ||
           strcmp(name, SCHEDULE_FILE) == 0 || strcmp(name, COUPLINGS_FILE) == 0 ||
           strcmp(name, EQUAL_SCHEDULE_FILE) == 0 || strcmp(name, FLOW_SCHEDULE_FILE) == 0;
}

/* Removes the file before the last one. */
static exit_status remove_text(result_folder *folder) {
    temporary_file **const of = &folder->staged[folder->files - 2];
    if (unlink((*of)->name) != 0)
        return complain(STATUS_FAILED, "%s: %s", (*of)->name, strerror(errno));
    temporary_file_remove(*of);
    *of = folder->staged[--folder->files];
    return STATUS_OK;
}

/* Writes the archive of the data file that was closed last, beside the text or in its place. */
static exit_status add_archive(result_folder *folder) {
    const char *const path = folder->staged[folder->files - 1]->name, *const name =
                                                                          strrchr(path, '/') + 1;
    char archive[RESULT_NAME_MOST];
    FILE *const text = fopen(path, "re");
    if (text == NULL)
        return complain(STATUS_FAILED, "%s: %s", path, strerror(errno));
    FILE *const npz = begin_staged(folder, result_name_of_archive(archive, name));
    exit_status status = npz != NULL ? npz_results_write(npz, text, name) : STATUS_FAILED;
    fclose(text);
    if (!status)
        status = close_file(folder);
    return status || keeps_text(folder, name) ? status : remove_text(folder);
}

/* Ends the open file. */
static exit_status end_file(result_folder *folder) {
    const bool is_text = folder->sum.stream != NULL;
    const exit_status status = close_file(folder);
    return status || !is_text || folder->given->format == FORMAT_TEXT ? status
                                                                      : add_archive(folder);
}

static exit_status begin_staging(result_folder *folder) {
    const path_name staged = result_files_path(folder);
    if (folder->staging != NULL)
        return STATUS_OK;
    folder->staging = temporary_folder_make(staged.text);
    return folder->staging != NULL
               ? STATUS_OK
               : complain(STATUS_FAILED, "%s: %s", staged.text, strerror(errno));
}

/* Ends the open file in memory, the last one. Without memory fclose may return 0 although its text was not stored. */
static exit_status end_in_memory(result_folder *folder) {
    if (folder->stream == NULL)
        return STATUS_OK;
    const bool summed = checked_text_end(&folder->sum), failed = ferror(folder->stream) != 0;
    const bool closed = fclose(folder->stream) == 0;
    const memory_files *const files = folder->memory;
    const bool stored = closed && files->file[files->count - 1]->text != NULL;
    folder->stream = NULL;
    return summed && !failed && stored ? STATUS_OK
                                       : complain(STATUS_FAILED, "not enough memory for a file");
}

/* Begins a file in memory. */
static FILE *begin_in_memory(result_folder *folder, const char *name) {
    memory_files *const files = folder->memory;
    if (end_in_memory(folder))
        return NULL;
    memory_file **const grown = realloc(files->file, (files->count + 1) * sizeof *grown);
    if (grown != NULL) {
        files->file = grown;
        grown[files->count] = calloc(1, sizeof **grown);
    }
    memory_file *const file = grown != NULL ? grown[files->count] : NULL;
    if (file != NULL) {
        files->count++;
        file->name = strdup(name);
        folder->stream = open_memstream(&file->text, &file->size);
    }
    FILE *lines = folder->stream;
    if (lines != NULL && result_name_is_data(name))
        lines = checked_table_begin(&folder->sum, folder->stream);
    if (lines == NULL || file->name == NULL) {
        complain(STATUS_FAILED, "not enough memory for %s", name);
        return NULL;
    }
    return lines;
}

void memory_files_free(memory_files *files) {
    for (size_t n = 0; n < files->count; n++) {
        free(files->file[n]->name);
        free(files->file[n]->text);
        free(files->file[n]);
    }
    free(files->file);
    *files = (memory_files){.count = 0};
}

FILE *result_folder_begin(result_folder *folder, const char *name) {
    if (folder->memory != NULL)
        return begin_in_memory(folder, name);
    if (end_file(folder) || begin_staging(folder))
        return NULL;
    FILE *const file = begin_staged(folder, name);
    if (file == NULL || !result_name_is_data(name))
        return file;
    FILE *const lines = checked_table_begin(&folder->sum, file);
    if (lines == NULL)
        cannot(folder, name, ENOMEM);
    return lines;
}

exit_status result_files_end(result_folder *folder) {
    return folder->memory != NULL ? end_in_memory(folder) : end_file(folder);
}

void result_files_forget(result_folder *folder) {
    for (size_t i = 0; i < folder->files; i++)
        temporary_file_remove(folder->staged[i]);
    free(folder->staged);
    if (folder->staging != NULL)
        temporary_file_remove(folder->staging);
    folder->staging = NULL;
    folder->staged = NULL;
    folder->files = folder->room = 0;
}

void result_files_discard(result_folder *folder) {
    checked_text_end(&folder->sum);
    if (folder->stream != NULL)
        fclose(folder->stream);
    folder->stream = NULL;
    if (folder->staging != NULL)
        publication_discard(folder->staging->name);
    result_files_forget(folder);
}
