/* What stands in a folder. */
#include "result_survey.h"

#include "base/checked_text.h"
#include "publication.h"
#include "result_header.h"
#include "result_names.h"
#include "run_state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a file for reading if it is one: not a link, a device or a pipe. */
static FILE *open_regular(const char *path) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat s;
    FILE *file = NULL;
    if (descriptor >= 0 && fstat(descriptor, &s) == 0 && S_ISREG(s.st_mode))
        file = fdopen(descriptor, "r");
    if (descriptor >= 0 && file == NULL)
        close(descriptor);
    return file;
}

/* Whether run.json says that its simulation did not come to its end; `unread` where it cannot be read. */
static bool says_interrupted(const char *folder, bool unread) {
    FILE *const file = open_regular(path_in(folder, RUN_STATE_FILE).text);
    if (file == NULL)
        return unread;
    const bool interrupted = run_state_interrupted(file);
    fclose(file);
    return interrupted;
}

data_survey survey_data(const char *folder, const parameters *p) {
    DIR *const dir = opendir(folder);
    data_survey found = {.readable = false};
    const char *name;
    while (dir != NULL && (name = result_name_next(dir)) != NULL) {
        if (!result_name_is_data(name))
            continue;
        FILE *const file = open_regular(path_in(folder, name).text);
        found.files++;
        if (file == NULL) {
            found.foreign++;
            continue;
        }
        const bool whole = checked_text_verify(file) == CHECKED_TEXT_WHOLE;
        const header_match of = p != NULL ? result_header_match(file, p) : HEADER_OF_OTHERS;
        found.whole += whole;
        found.own += whole && of == HEADER_OWN;
        found.remains += !whole && of != HEADER_OF_OTHERS;
        found.foreign += !whole && !result_header_begins(file);
        fclose(file);
    }
    if (dir != NULL) {
        found.readable = errno == 0;
        closedir(dir);
    }
    return found;
}

/* Whether the files found in a folder are all of a result, and whole. */
static bool is_whole(const char *folder, const data_survey *found) {
    if (found->files == 0 || found->whole < found->files)
        return false;
    FILE *const file = open_regular(path_in(folder, RUN_STATE_FILE).text);
    const bool ended =
        file != NULL && run_state_is_whole(file) && run_state_data_files(file) <= found->files;
    if (file != NULL)
        fclose(file);
    return ended;
}

bool survey_finds_own(const char *folder, const parameters *p) {
    const data_survey found = survey_data(folder, p);
    return found.readable && found.own == found.files;
}

bool survey_finds_own_whole(const char *folder, const parameters *p) {
    const data_survey found = survey_data(folder, p);
    return found.own == found.files && is_whole(folder, &found) && !says_interrupted(folder, true);
}

bool survey_finds_own_part(const char *folder, const parameters *p) {
    return survey_finds_own(folder, p) && says_interrupted(folder, false);
}

bool survey_finds_own_remains(const char *folder, const parameters *p) {
    const data_survey found = survey_data(folder, p);
    return found.readable && found.own + found.remains == found.files;
}

bool survey_finds_complete(const char *folder) {
    const data_survey found = survey_data(folder, NULL);
    return !found.readable || (found.files > 0 && !says_interrupted(folder, false));
}

bool survey_finds_whole(const char *folder) {
    const data_survey found = survey_data(folder, NULL);
    return is_whole(folder, &found);
}
