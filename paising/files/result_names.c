/* Names of the files of a result. */
#include "result_names.h"

#include "base/number.h"
#include "run_state.h"
#include "settings/exclusions.h"
#include "settings/plans.h"
#include "settings/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define TEXT_SUFFIX    ".dat"
#define ARCHIVE_SUFFIX ".npz"

/* Whether a name is `prefix` K `suffix` with a whole number K. */
static bool is_numbered(const char *name, const char *prefix, const char *suffix) {
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    const size_t digits = strspn(name + length, "0123456789");
    return digits > 0 && strcmp(name + length + digits, suffix) == 0;
}

static bool is_of_tempering(const char *name) {
    static const char *const names[] = {
        FREE_ENERGIES_FILE,   EQUILIBRATION_FILE,      EQUAL_SCHEDULE_FILE, FLOW_SCHEDULE_FILE,
        OVERLAP_ROWS_FILE,    OVERLAP_HISTOGRAMS_FILE, CLUSTERS_FILE,       MC_REWEIGHTED_FILE,
        SERIES_DISORDER_FILE, SERIES_SAMPLES_FILE,     SERIES_OVERLAP_FILE, ENERGIES_FILE};
    size_t n = 0;
    while (n < sizeof names / sizeof *names && strcmp(name, names[n]) != 0)
        n++;
    return n < sizeof names / sizeof *names;
}

bool result_name_is_data(const char *name) {
    return strcmp(name, WEIGHTED_FILE) == 0 || strcmp(name, REWEIGHTED_FILE) == 0 ||
           strcmp(name, COUPLINGS_FILE) == 0 || strcmp(name, SCHEDULE_FILE) == 0 ||
           strcmp(name, DISORDER_FILE) == 0 || strcmp(name, DISORDER_OVERLAP_FILE) == 0 ||
           strcmp(name, SAMPLES_FILE) == 0 || strcmp(name, OVERLAP_FILE) == 0 ||
           strcmp(name, GROUND_FILE) == 0 || strcmp(name, GROUND_SAMPLES_FILE) == 0 ||
           strcmp(name, SERIES_ROWS_FILE) == 0 || strcmp(name, SERIES_FILE) == 0 ||
           strcmp(name, EXCHANGES_FILE) == 0 || strcmp(name, VECTORS_FILE) == 0 ||
           is_of_tempering(name) || strcmp(name, CEILING_ROWS_FILE) == 0 ||
           strcmp(name, ENTROPY_FILE) == 0 || strcmp(name, CEILINGS_FILE) == 0 ||
           strcmp(name, DENSITY_FILE) == 0 || strcmp(name, AVERAGES_FILE) == 0 ||
           strcmp(name, ITERATIONS_FILE) == 0 || strcmp(name, WINDOW_EXCHANGES_FILE) == 0 ||
           strcmp(name, WALKERS_FILE) == 0 || strcmp(name, TRANSITION_FILE) == 0 ||
           is_numbered(name, "PA_results_run_", ".dat") ||
           is_numbered(name, SERIES_ROWS_PREFIX, ".dat") ||
           is_numbered(name, SERIES_PREFIX, ".dat") ||
           is_numbered(name, "PA_overlap_run_", ".dat") ||
           is_numbered(name, "PA_ground_state_run_", ".dat") ||
           is_numbered(name, "PA_MHR_results_run_", ".dat");
}

bool result_name_is_archive(const char *name) {
    char text[RESULT_NAME_MOST];
    const size_t length = strlen(name), suffix = strlen(ARCHIVE_SUFFIX);
    if (length < suffix || length >= sizeof text ||
        strcmp(name + length - suffix, ARCHIVE_SUFFIX) != 0)
        return false;
    snprintf(text, sizeof text, "%.*s" TEXT_SUFFIX, (int)(length - suffix), name);
    return result_name_is_data(text);
}

const char *result_name_of_archive(char archive[RESULT_NAME_MOST], const char *text) {
    snprintf(archive, RESULT_NAME_MOST, "%.*s" ARCHIVE_SUFFIX,
             (int)(strlen(text) - strlen(TEXT_SUFFIX)), text);
    return archive;
}

const char *result_name_of_array(char text[RESULT_NAME_MOST], const char *array, uint32_t run,
                                 double beta) {
    char at[NUMBER_TEXT_SIZE];
    snprintf(text, RESULT_NAME_MOST, "PA_%s_run_%" PRIu32 "_beta_%s.npy", array, run,
             number_short_text(at, beta));
    return text;
}

bool result_name_is_array(const char *name) {
    static const char *const begins[] = {"PA_spins_run_", "PA_energies_run_", "PA_families_run_"};
    double beta;
    bool numbered = false;
    for (size_t n = 0; n < sizeof begins / sizeof *begins && !numbered; n++) {
        const size_t length = strlen(begins[n]);
        if (strncmp(name, begins[n], length) != 0)
            continue;
        const size_t digits = strspn(name + length, "0123456789");
        numbered = digits > 0 && strncmp(name + length + digits, "_beta_", strlen("_beta_")) == 0;
    }
    return (numbered && saved_name_beta(name, &beta)) || strcmp(name, WALKERS_SPINS_FILE) == 0;
}

/* Whether the name of the published program says it: model, coding, edges, R, theta, and of these numbers as much as %f shows. */
static bool is_in_name(const setting *s, const parameters *p) {
    static const char *const said[] = {"method", "model", "coding", "size", "population", "sweeps"};
    const struct {
        const char *name;
        double value;
        bool said;
    } number[] = {{"dbeta", p->dbeta, true},
                  {"beta-start", p->beta_start, p->method != METHOD_annealing},
                  {"beta-end", p->beta_end, p->method != METHOD_annealing}};
    char shown[400];
    for (size_t n = 0; n < sizeof said / sizeof *said; n++)
        if (strcmp(said[n], s->name) == 0)
            return true;
    for (size_t n = 0; n < sizeof number / sizeof *number; n++)
        if (strcmp(number[n].name, s->name) == 0) {
            snprintf(shown, sizeof shown, "%f", number[n].value);
            return number[n].said && strtod(shown, NULL) == number[n].value;
        }
    return false;
}

/* The value of a setting that decides the data and is not as without its option, in room[]; NULL: another setting. */
static const char *difference(char room[SETTING_TEXT_SIZE], const setting *s, const parameters *p) {
    if (s->effect != DECIDES_DATA || is_in_name(s, p) || !setting_holds(s, p) ||
        !setting_has_value(s, p))
        return NULL;
    const char *const text = setting_text(room, s, p);
    return s->fallback != NULL && strcmp(text, s->fallback) == 0 ? NULL : text;
}

/* What a folder's name says of its settings at most, in bytes; then follows a number that all of them make. */
#define DIFFERENCES_SIZE 120

/* Writes what else decides the data, "_disorder3_seed5": settings in the order of the list that have other values than without
 * their options. A slash becomes a minus. Those that are too long, and all that follow them, are a CRC-32 in place of
 * their names. */
static void put_differences(char to[DIFFERENCES_SIZE], const parameters *p) {
    char room[SETTING_TEXT_SIZE], one[SETTING_TEXT_SIZE + 50];
    size_t length = 0;
    bool fits = true;
    uLong crc = crc32_z(0, NULL, 0);
    to[0] = '\0';
    for (const setting *s = settings; s < settings + settings_count; s++) {
        const char *const text = difference(room, s, p);
        if (text == NULL)
            continue;
        snprintf(one, sizeof one, "_%s%s", s->name, text);
        for (char *c = one; *c != '\0'; c++)
            *c = *c == '/' ? '-' : *c;
        crc = crc32_z(crc, (const Bytef *)one, strlen(one));
        fits = fits && length + strlen(one) + sizeof "_and01234567" <= DIFFERENCES_SIZE;
        if (fits)
            length += (size_t)snprintf(to + length, DIFFERENCES_SIZE - length, "%s", one);
    }
    if (!fits)
        snprintf(to + length, DIFFERENCES_SIZE - length, "_and%08lx", crc);
}

char *result_name_of_folder(const parameters *p) {
    char betas[100] = "";
    if (p->method != METHOD_annealing)
        snprintf(betas, sizeof betas, "_B%f-%f", p->beta_start, p->beta_end);
    if (parameters_steps(p) == STEPS_FIXED &&
        (p->method == METHOD_annealing || p->beta_end > p->beta_start))
        snprintf(betas + strlen(betas), sizeof betas - strlen(betas), "_dB%f", p->dbeta);
    char *path, size[LATTICE_TEXT_SIZE] = "", differences[DIFFERENCES_SIZE];
    put_differences(differences, p);
    const bool square = p->model == 0 && p->graph_file == NULL;
    const char *const model = square                  ? ""
                              : p->graph_file != NULL ? "graph"
                                                      : parameters_kind(p)->name;
    if (p->graph_file != NULL)
        snprintf(size, sizeof size, "N%" PRIu32, p->graph->sites);
    else
        snprintf(size, sizeof size, "L%.30s", lattice_text((char[LATTICE_TEXT_SIZE]){""}, p->size));
    return asprintf(&path, "data%s%s%s%s_%s_R%" PRIu64 "_EqSw%" PRIu32 "%s%s",
                    p->method == METHOD_annealing ? "" : method_name(p->method),
                    p->coding == CODING_SSC ? "SSC" : "MSC", square ? "" : "_", model, size,
                    p->population, p->sweeps, betas, differences) < 0
               ? NULL
               : path;
}

const char *result_name_of_sample(char text[SAMPLE_NAME_SIZE], uint32_t sample) {
    snprintf(text, SAMPLE_NAME_SIZE, "sample_%04" PRIu32, sample);
    return text;
}

bool result_name_is(const char *name) {
    return strcmp(name, RUN_STATE_FILE) == 0 || result_name_is_data(name) ||
           result_name_is_archive(name) || result_name_is_array(name);
}

const char *result_name_next(DIR *dir) {
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(dir);
    } while (entry != NULL && !result_name_is(entry->d_name));
    return entry != NULL ? entry->d_name : NULL;
}
