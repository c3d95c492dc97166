/* Parts of a result on their way into its folder. */
#include "part_folder.h"

#include "result_names.h"
#include "result_survey.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PREFIX ".paising.part."

path_name part_folder_staged(const char *path) {
    const char *const slash = strrchr(path, '/');
    const int above = slash != NULL ? (int)(slash - path) + 1 : 0;
    path_name staged;
    snprintf(staged.text, sizeof staged.text, "%.*s" PREFIX "%s", above, path, path + above);
    return staged;
}

exit_status part_folder_finish(const char *path) {
    return path_rename(part_folder_staged(path).text, path);
}

exit_status part_folder_recover(const char *folder) {
    DIR *const dir = opendir(folder);
    const struct dirent *entry;
    exit_status status = STATUS_OK;
    if (dir == NULL)
        return complain(STATUS_FAILED, "%s: %s", folder, strerror(errno));
    while (!status && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        const char *const name = entry->d_name + strlen(PREFIX);
        const path_name part = path_in(folder, name), staged = path_in(folder, entry->d_name);
        if (result_name_is_sample(name) && !path_exists(part.text) && path_is_folder(staged.text) &&
            survey_finds_whole(staged.text))
            status = path_rename(staged.text, part.text);
    }
    closedir(dir);
    return status;
}
