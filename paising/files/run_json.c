/* Writes run.json (run_json.h). */
#include "run_json.h"

#include "base/commit.h"
#include "json.h"
#include "run_state.h"
#include "settings/exclusions.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- members of an object: name, value and a comma --- */

static void print_name(FILE *file, int indent, const char *name) {
    fprintf(file, "%*s", indent, "");
    json_string(file, name);
    fputs(": ", file);
}

static void print_text(FILE *file, int indent, const char *name, const char *value) {
    print_name(file, indent, name);
    if (value == NULL)
        fputs("null", file);
    else
        json_string(file, value);
    fputs(",\n", file);
}

static void print_real(FILE *file, int indent, const char *name, double value) {
    print_name(file, indent, name);
    json_number(file, value);
    fputs(",\n", file);
}

static void print_whole(FILE *file, int indent, const char *name, uint64_t value) {
    print_name(file, indent, name);
    fprintf(file, "%" PRIu64 ",\n", value);
}

/* --- the file --- */

/* Prints a setting; null if it does not apply. */
static void print_setting(FILE *file, const setting *s, const parameters *p, bool gpu) {
    char text[SETTING_TEXT_SIZE];
    print_name(file, 4, s->name);
    if (!setting_holds(s, p) || (s->only_on_gpu && !gpu))
        fputs("null", file);
    else if (s->type == SETTING_CHOICE || s->type == SETTING_DEVICE || s->type == SETTING_TEXT ||
             s->type == SETTING_INTERVAL || s->type == SETTING_BOUNDARY ||
             (s->type == SETTING_EDGES && strchr(setting_text(text, s, p), 'x') != NULL))
        json_string(file, setting_text(text, s, p));
    else
        fputs(setting_text(text, s, p), file);
}

static void print_parameters(FILE *file, const parameters *p, const char *folder, bool gpu) {
    parameters shown = *p;
    shown.output = folder;
    fputs("  \"parameters\": {\n", file);
    const char *before = "";
    for (const setting *s = settings; s < settings + settings_count; s++)
        if (s->effect != DECIDES_COMMAND) {
            fputs(before, file);
            print_setting(file, s, &shown, gpu);
            before = ",\n";
        }
    fputs("\n", file);
    fputs("  },\n", file);
}

static void print_seconds(FILE *file, const run_report *report) {
    fputs("  \"seconds\": {\n", file);
    print_real(file, 4, "resample", report->seconds[STAGE_RESAMPLE]);
    print_real(file, 4, "sweep", report->seconds[STAGE_SWEEP]);
    print_real(file, 4, "measure", report->seconds[STAGE_MEASURE]);
    print_real(file, 4, "step", report->seconds[STAGE_STEP]);
    print_real(file, 4, "overlaps", report->seconds[STAGE_OVERLAPS]);
    print_real(file, 4, "round_trip", report->seconds[STAGE_ROUND_TRIP]);
    print_real(file, 4, "checkpoint", report->checkpoint_seconds);
    print_real(file, 4, "ground_states", report->ground_seconds);
    fputs("    \"total\": ", file);
    json_number(file, report->total_seconds);
    fputs("\n  },\n", file);
}

/* Prints the time that ranks spend outside the stages, if there are several ranks. */
static void print_ranks(FILE *file, const run_report *report) {
    if (report->ranks <= 1)
        return;
    fputs("  \"ranks\": {\n", file);
    print_whole(file, 4, "count", report->ranks);
    print_real(file, 4, "exchange", report->phase_seconds[PHASE_EXCHANGE]);
    print_real(file, 4, "wait", report->phase_seconds[PHASE_WAIT]);
    fputs("    \"reduce\": ", file);
    json_number(file, report->phase_seconds[PHASE_REDUCE]);
    fputs("\n  },\n", file);
}

/* Prints the times of a search of the lowest energy, if there was one. */
static void print_ground(FILE *file, const ground_summary *s) {
    if (s == NULL)
        return;
    fputs("  \"ground_states\": {\n", file);
    print_real(file, 4, "lowest_energy", s->lowest);
    print_whole(file, 4, "runs", s->counted);
    print_whole(file, 4, "hits", s->hits);
    print_real(file, 4, "missed", s->missed.missed);
    print_real(file, 4, "missed_least", s->missed.least);
    print_real(file, 4, "missed_most", s->missed.most);
    print_real(file, 4, "run_seconds", s->seconds);
    print_real(file, 4, "solution_seconds", s->seconds * s->solution.runs);
    print_real(file, 4, "solution_error", s->seconds * s->solution.error);
    print_real(file, 4, "solution_least", s->seconds * s->solution.least);
    fputs("    \"solution_most\": ", file);
    json_number(file, s->seconds * s->solution.most);
    fputs("\n  },\n", file);
}

/* Prints what couplings were read as, and the largest cut of a file of one. */
static void print_couplings(FILE *file, const run_report *report) {
    const bond_origin *const origin = report->origin;
    if (origin == NULL)
        return;
    fputs("  \"couplings\": {\n", file);
    print_text(file, 4, "read_as", origin->text);
    if (origin->is_cut) {
        print_real(file, 4, "W", origin->weight);
        print_real(file, 4, "largest_cut", bond_origin_cut(origin, report->lowest));
    }
    fputs("    \"offset\": ", file);
    json_number(file, origin->offset);
    fputs("\n  },\n", file);
}

exit_status run_json_write(result_folder *folder, const parameters *p, const run_report *report) {
    FILE *const file = result_folder_begin(folder, RUN_STATE_FILE);
    if (file == NULL)
        return STATUS_FAILED;
    char host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    char date[32] = "unknown";
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL)
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);

    fputs("{\n", file);
    print_text(file, 2, "program", "paising");
    print_text(file, 2, "version", PAISING_VERSION);
    print_text(file, 2, "commit", commit_name());
    print_text(file, 2, "date", date);
    print_text(file, 2, "host", host);
    print_text(file, 2, "engine", report->engine);
    print_text(file, 2, "driver", report->driver);
    print_whole(file, 2, "threads", report->threads);
    print_parameters(file, p, folder->path, report->driver != NULL);
    print_couplings(file, report);
    run_state_print(file, report->missing, folder->files - 1); /* all files but this one */
    print_whole(file, 2, "parts", report->parts);
    print_whole(file, 2, "temperatures", report->temperatures);
    print_real(file, 2, "spin_flips", report->spin_flips);
    print_seconds(file, report);
    print_ranks(file, report);
    print_ground(file, report->ground);
    fputs("  \"t_SF_ns\": ", file); /* eq. (11); null for 0 / 0 */
    json_number(file, 1e9 * report->total_seconds / report->spin_flips);
    fputs("\n}\n", file);
    return STATUS_OK;
}
