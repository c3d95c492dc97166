/* run.json, with plain fprintf: there is nothing to read, and little to write. */
#include "run_json.h"

#include "base/commit.h"
#include "run_state.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

void json_string(FILE *stream, const char *text) {
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(stream, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            fprintf(stream, "\\u%04x", c);
        else
            fputc(c, stream);
    }
    fputc('"', stream);
}

void json_number(FILE *stream, double x) {
    char text[NUMBER_TEXT_SIZE];
    fputs(isfinite(x) ? number_text(text, x) : "null", stream);
}

/* --- members of an object: each prints its name, its value and the comma to the next --- */

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

static void print_parameters(FILE *file, const parameters *p, const char *folder, bool gpu) {
    const bool msc = p->coding == CODING_MSC;
    fputs("  \"parameters\": {\n", file);
    print_whole(file, 4, "size", p->size);
    print_whole(file, 4, "population", p->population);
    print_whole(file, 4, "sweeps", p->sweeps);
    print_real(file, 4, "beta-start", p->beta_start);
    print_real(file, 4, "beta-end", p->beta_end);
    print_real(file, 4, "dbeta", p->overlap > 0 ? NAN : p->dbeta);
    print_real(file, 4, "overlap", p->overlap > 0 ? p->overlap : NAN);
    print_whole(file, 4, "runs", p->runs);
    print_whole(file, 4, "seed", p->seed);
    print_whole(file, 4, "precision", (uint64_t)p->precision);
    print_text(file, 4, "output", folder);
    print_text(file, 4, "coding", coding_name(p->coding));
    print_text(file, 4, "device", device_name(p->device));
    print_whole(file, 4, "device-number", (uint64_t)p->device_number);
    print_text(file, 4, "stages", gpu ? stages_name(p->stages) : NULL);
    print_real(file, 4, "word", msc ? (double)p->word : NAN);
    print_text(file, 4, "rng", msc ? rng_name(p->rng) : NULL);
    print_real(file, 4, "reweight", p->reweight ? p->reweight_step : NAN);
    fprintf(file, "    \"force\": %s\n  },\n", p->force ? "true" : "false");
}

static void print_seconds(FILE *file, const run_report *report) {
    fputs("  \"seconds\": {\n", file);
    print_real(file, 4, "resample", report->seconds[STAGE_RESAMPLE]);
    print_real(file, 4, "sweep", report->seconds[STAGE_SWEEP]);
    print_real(file, 4, "measure", report->seconds[STAGE_MEASURE]);
    print_real(file, 4, "step", report->seconds[STAGE_STEP]);
    print_real(file, 4, "round_trip", report->seconds[STAGE_ROUND_TRIP]);
    print_real(file, 4, "checkpoint", report->checkpoint_seconds);
    fputs("    \"total\": ", file);
    json_number(file, report->total_seconds);
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
    run_state_print(file, report->interrupted);
    print_whole(file, 2, "parts", report->parts);
    print_whole(file, 2, "temperatures", report->temperatures);
    print_real(file, 2, "spin_flips", report->spin_flips);
    print_seconds(file, report);
    fputs("  \"t_SF_ns\": ", file); /* eq. (11); 0 / 0 becomes null */
    json_number(file, 1e9 * report->total_seconds / report->spin_flips);
    fputs("\n}\n", file);
    return STATUS_OK;
}
