/* What stands in a folder. */
#include "result_survey.h"

#include "base/checked_text.h"
#include "base/npy.h"
#include "base/npz.h"
#include "result_header.h"
#include "result_names.h"
#include "run_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a file of a folder for reading if it is one: not a link, a device or a pipe. */
static FILE *open_regular(DIR *dir, const char *name) {
    const int descriptor = openat(dirfd(dir), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat s;
    FILE *file = NULL;
    if (descriptor >= 0 && fstat(descriptor, &s) == 0 && S_ISREG(s.st_mode))
        file = fdopen(descriptor, "r");
    if (descriptor >= 0 && file == NULL)
        close(descriptor);
    return file;
}

static void look_at_state(result_survey *found, FILE *file) {
    found->ended = run_state_is_whole(file);
    found->interrupted = run_state_interrupted(file);
    found->promised = run_state_data_files(file);
    run_state_samples(file, &found->first, &found->samples);
}

static void look_at_data(result_survey *found, FILE *file, const parameters *p) {
    const bool whole = checked_text_verify(file) == CHECKED_TEXT_WHOLE;
    const header_match of = p != NULL ? result_header_match(file, p) : HEADER_OF_OTHERS;
    found->whole += whole;
    found->own += whole && of == HEADER_OWN;
    found->remains += !whole && of != HEADER_OF_OTHERS;
    found->foreign += !whole && !result_header_begins(file);
}

/* An archive has the header of its data file. */
static void look_at_archive(result_survey *found, FILE *file, const parameters *p) {
    const npz_look l = npz_look_at(file);
    FILE *const header = l.length > 0 ? fmemopen(l.text, l.length, "r") : NULL;
    header_match of = l.begins && l.text == NULL ? HEADER_CUT_OFF : HEADER_OF_OTHERS;
    if (header != NULL && p != NULL)
        of = result_header_match(header, p);
    found->whole += l.whole;
    found->own += l.whole && of == HEADER_OWN;
    found->remains += !l.whole && of != HEADER_OF_OTHERS;
    found->foreign += !l.whole && !l.begins;
    if (header != NULL)
        fclose(header);
    free(l.text);
}

/* An array does not say of which parameters it is: the data files beside it do. */
static void look_at_array(result_survey *found, FILE *file) {
    npy_shape shape;
    const bool whole = npy_read(file, &shape);
    found->whole += whole;
    found->own += whole;
    found->remains += !whole && npy_begins(file);
    found->foreign += !whole && !npy_begins(file);
}

result_survey survey_folder(const char *folder, const parameters *p) {
    DIR *const dir = opendir(folder);
    result_survey found = {.readable = false};
    const char *name;
    while (dir != NULL && (name = result_name_next(dir)) != NULL) {
        const bool data = strcmp(name, RUN_STATE_FILE) != 0;
        FILE *const file = open_regular(dir, name);
        found.files += data;
        found.stated |= !data;
        found.foreign += file == NULL;
        if (file == NULL)
            continue;
        if (data && result_name_is_array(name))
            look_at_array(&found, file);
        else if (result_name_is_archive(name))
            look_at_archive(&found, file, p);
        else if (data)
            look_at_data(&found, file, p);
        else
            look_at_state(&found, file);
        fclose(file);
    }
    if (dir != NULL) {
        found.readable = errno == 0;
        closedir(dir);
    }
    return found;
}

bool survey_is_whole(const result_survey *found) {
    return found->readable && found->files > 0 && found->whole == found->files && found->ended &&
           found->promised <= found->files;
}

bool survey_is_complete(const result_survey *found) {
    return !found->readable || (found->files > 0 && !found->interrupted);
}

bool survey_is_own(const result_survey *found) {
    return found->readable && found->own == found->files;
}

bool survey_is_own_remains(const result_survey *found) {
    return found->readable && found->own + found->remains == found->files;
}
