/* The checkpoint as a file: what is read is what was written; what was cut off, changed, made by
 * another version or for other parameters is refused by a line that says so; and what a wrong program
 * could have written, with checksums that fit, does no harm. Checkpoints are written as often as is asked for, and
 * times of several parts add up, by a clock that this file shows. */
#include "base/clock.h"
#include "device/pool.h"
#include "engine/capacity.h"
#include "files/checkpoint.h"
#include "files/checkpoint_head.h"
#include "method/method.h"
#include "method/simulation.h"
#include "method/simulation_sections.h"
#include "settings/exclusions.h"
#include "validate/lib/capture.h"
#include "validate/lib/command_line.h"
#include "validate/lib/scratch.h"

#include <math.h>
#include <zlib.h>

/* --- a clock --- */

/* What it shows, in seconds. */
static double shown = 100;

/* For the program, in place of that of the C library. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    (void)clock;
    now->tv_sec = (time_t)shown;
    now->tv_nsec = (long)(1e9 * (shown - (double)now->tv_sec));
    return 0;
}

/* --- simulations --- */

/* Three runs of 8 steps; the checkpoint stands in the second and third, which are in flight together. */
#define IN_FLIGHT 2

static parameters some_parameters(spin_coding coding) {
    return (parameters){.stripes = 1,
                        .size = {{16}},
                        .population = 100,
                        .sweeps = 1,
                        .beta_end = 0.5,
                        .dbeta = 0.0625,
                        .runs = 3,
                        .seed = 7,
                        .precision = 6,
                        .output = "out",
                        .coding = coding,
                        .device = DEVICE_CPU,
                        .word = 32,
                        .reweight = true,
                        .reweight_step = 0.125,
                        .iterations = 1,
                        .checkpoint = "ck"};
}

static void make_engines(engine *e[IN_FLIGHT], const parameters *p) {
    const engine_config config = {.coding = p->coding,
                                  .model = parameters_model(p),
                                  .capacity = population_capacity(p->population, p->word),
                                  .word = p->word,
                                  .rng = p->rng};
    for (size_t n = 0; n < IN_FLIGHT; n++)
        assert_non_null(e[n] = engine_cpu_create(&config));
}

static void destroy_engines(engine *e[IN_FLIGHT]) {
    for (size_t n = 0; n < IN_FLIGHT; n++)
        e[n]->verbs->destroy(e[n]);
}

/* Goes on with runs first .. first+count-1 for so many steps. */
static void make_steps(simulation *s, uint32_t first, uint32_t count, uint32_t steps) {
    batch *const b = &s->flight;
    batch_pauses pauses = {.every = {.steps = steps}};
    bool paused;
    batch_clear(b);
    for (uint32_t n = 0; n < count; n++)
        assert_true(batch_add(b, first + n));
    batch_run(b, &pauses, &paused);
    assert_true(paused && b->member->temperature == steps);
}

/* Runs to the end of run 0, whose rows stand for its analysis too, and to step 4 of the two after it. */
static void run_to_pause(simulation *s, const parameters *p, engine *const e[IN_FLIGHT]) {
    assert_int_equal(simulation_begin(s, p, e, IN_FLIGHT, clock_seconds()), STATUS_OK);
    make_steps(s, 0, 1, 8);
    batch_add_rows(&s->flight);
    const annealing_rows *const rows = &s->flight.member->rows;
    assert_int_equal(weighted_add(&s->finished, rows->row, rows->count, 9), 0);
    assert_int_equal(weighted_add(&s->analysed, rows->row, 5, 5), 0);
    s->gaps[0] = (histogram_gap){0.25, 0.5};
    make_steps(s, 1, IN_FLIGHT, 4);
}

/* Leaves a checkpoint "ck" and its length. */
static size_t make_checkpoint(const parameters *p) {
    engine *e[IN_FLIGHT];
    simulation s;
    struct stat file;
    make_engines(e, p);
    run_to_pause(&s, p, e);
    assert_int_equal(simulation_save(&s), STATUS_OK);
    simulation_end(&s);
    destroy_engines(e);
    assert_int_equal(stat("ck", &file), 0);
    assert_int_equal(count_files("."), 1);
    return (size_t)file.st_size;
}

/* --- the bytes of a file --- */

static uint8_t *load(const char *path, size_t size) {
    uint8_t *const bytes = malloc(size);
    FILE *const file = fopen(path, "rb");
    assert_true(bytes && file && fread(bytes, 1, size, file) == size);
    fclose(file);
    return bytes;
}

static void store(const char *path, const uint8_t *bytes, size_t size) {
    FILE *const file = fopen(path, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

#define FILE_HEAD    16
#define SECTION_HEAD 28 /* name 16, length 8, checksum 4 */

/* A section of a file: where its head, its content and what follows it begin. */
typedef struct {
    char name[17];
    size_t head, content, end; /* the checksum of the content stands before the end */
} section;

#define FILE_END 4 /* the checksum of the whole */

/* The section at `head`; false behind the last. */
static bool section_at(const uint8_t *bytes, size_t size, size_t head, section *s) {
    if (head + FILE_END >= size)
        return false;
    uint64_t length;
    memset(s, 0, sizeof *s);
    memcpy(s->name, bytes + head, 16);
    memcpy(&length, bytes + head + 16, sizeof length);
    s->head = head;
    s->content = head + SECTION_HEAD;
    s->end = s->content + length + 4;
    return true;
}

static section find_section(const uint8_t *bytes, size_t size, const char *name) {
    section s;
    for (size_t head = FILE_HEAD; section_at(bytes, size, head, &s); head = s.end)
        if (strcmp(s.name, name) == 0)
            return s;
    fail_msg("no section '%s'", name);
    return s;
}

/* Makes the checksum of the whole fit. */
static void fit_whole(uint8_t *bytes, size_t size) {
    uint32_t crc = (uint32_t)crc32(0, NULL, 0);
    section s;
    for (size_t head = FILE_HEAD; section_at(bytes, size, head, &s); head = s.end) {
        crc = (uint32_t)crc32(crc, bytes + s.head, 24);
        crc = (uint32_t)crc32(crc, bytes + s.content, (uInt)(s.end - 4 - s.content));
    }
    memcpy(bytes + size - FILE_END, &crc, sizeof crc);
}

/* Makes the checksum of a section fit its content, and that of the whole. */
static void fit_checksums(uint8_t *bytes, size_t size, section s) {
    const uint32_t crc = (uint32_t)crc32(0, bytes + s.content, (uInt)(s.end - 4 - s.content));
    memcpy(bytes + s.end - 4, &crc, sizeof crc);
    fit_whole(bytes, size);
}

/* --- reading --- */

/* Takes "it" up with so many engines; what is said ends up in `said`. */
static exit_status take_up(const parameters *given, size_t engines, char said[600]) {
    parameters p = *given;
    p.resume = "it";
    engine *e[IN_FLIGHT];
    simulation s;
    make_engines(e, &p);
    capture c = capture_begin(STDERR_FILENO);
    const exit_status status = simulation_begin(&s, &p, e, engines, clock_seconds());
    capture_end(&c, said, 600);
    if (status == STATUS_OK)
        simulation_end(&s);
    destroy_engines(e);
    return status;
}

/* Claims that bytes[size] are refused by one line that says `says`. */
static void refused(const parameters *p, const uint8_t *bytes, size_t size, const char *says,
                    const char *what, size_t where) {
    char said[600];
    store("it", bytes, size);
    const exit_status status = take_up(p, IN_FLIGHT, said);
    const char *const end = strchr(said, '\n');
    if (status != STATUS_REFUSED || !strstr(said, says) || !end || end[1] != '\0')
        fail_msg("%s, byte %zu: status %d, not refused with \"%s\": %s", what, where, status, says,
                 said);
}

/* --- claims --- */

/* Every part of a run that matters. */
static void assert_same_run(const annealing *a, const annealing *b) {
    assert_int_equal(a->run, b->run);
    assert_int_equal(a->temperature, b->temperature);
    assert_true(a->died_at == b->died_at);
    assert_memory_equal(&a->free_energy, &b->free_energy, sizeof a->free_energy);
    assert_int_equal(a->rows.count, b->rows.count);
    assert_memory_equal(a->rows.row, b->rows.row, a->rows.count * sizeof *a->rows.row);
    assert_int_equal(a->histograms.temperatures, b->histograms.temperatures);
    assert_memory_equal(a->histograms.temperature, b->histograms.temperature,
                        a->histograms.temperatures * sizeof *a->histograms.temperature);
    assert_memory_equal(a->histograms.level, b->histograms.level,
                        a->histograms.levels.count * sizeof *a->histograms.level);
    assert_memory_equal(a->steps.report.block, b->steps.report.block, sizeof a->steps.report.block);
    assert_memory_equal(a->steps.report.parent, b->steps.report.parent,
                        sizeof a->steps.report.parent);
    assert_memory_equal(a->steps.report.level, b->steps.report.level,
                        a->steps.report.levels.count * sizeof *a->steps.report.level);
}

/* Every part of a simulation, and of one that took its checkpoint up. */
static void assert_same(const simulation *s, const simulation *t) {
    const beta_schedule *const betas = &s->flight.schedule, *const others = &t->flight.schedule;
    assert_int_equal(betas->count, others->count);
    assert_int_equal(betas->first_row, others->first_row);
    assert_memory_equal(betas->beta, others->beta, betas->count * sizeof(double));
    assert_true(s->flight.spin_flips == t->flight.spin_flips);
    assert_int_equal(s->flight.count, t->flight.count);
    for (size_t n = 0; n < s->flight.count; n++)
        assert_same_run(&s->flight.member[n], &t->flight.member[n]);
    assert_int_equal(s->finished.runs, t->finished.runs);
    assert_memory_equal(s->finished.row, t->finished.row,
                        s->finished.runs * s->finished.temperatures * sizeof(observables));
    assert_int_equal(s->analysed.runs, t->analysed.runs);
    assert_memory_equal(s->analysed.row, t->analysed.row,
                        s->analysed.runs * s->analysed.temperatures * sizeof(observables));
    assert_memory_equal(s->gaps, t->gaps, s->analysed.runs * sizeof *s->gaps);
}

static void what_is_read_is_what_was_written(void **state) {
    (void)state;
    for (spin_coding coding = CODING_SSC; coding <= CODING_MSC; coding++) {
        const parameters p = some_parameters(coding);
        parameters resumed = p;
        resumed.resume = "ck";
        engine *e[IN_FLIGHT], *others[IN_FLIGHT];
        simulation s, t;
        make_engines(e, &p);
        make_engines(others, &p);
        run_to_pause(&s, &p, e);
        assert_int_equal(simulation_save(&s), STATUS_OK);
        assert_int_equal(simulation_begin(&t, &resumed, others, IN_FLIGHT, clock_seconds()),
                         STATUS_OK);
        assert_same(&s, &t);
        assert_int_equal(t.before.parts, 1);
        simulation_end(&s);
        simulation_end(&t);
        destroy_engines(e);
        destroy_engines(others);
    }
}

/* Takes up "ck" in engines that have spent stage + 1 seconds in each stage. */
static void take_up_part(simulation *s, const parameters *p, engine *e[IN_FLIGHT]) {
    make_engines(e, p);
    assert_int_equal(simulation_begin(s, p, e, IN_FLIGHT, clock_seconds()), STATUS_OK);
    for (size_t n = 0; n < IN_FLIGHT; n++)
        for (size_t stage = 0; stage < STAGES; stage++)
            e[n]->seconds[stage] = (double)stage + 1;
}

/* Three parts of 30, 20 and 10 s, of which checkpoints took 3, 2 and 1: each knows the sums of those before it. */
static void times_add_up_over_parts(void **state) {
    (void)state;
    parameters p = some_parameters(CODING_SSC);
    double total = 0, checkpoints = 0;
    simulation_times first;
    make_checkpoint(&p);
    p.resume = "ck";
    for (uint32_t part = 1; part <= 3; part++) {
        engine *e[IN_FLIGHT];
        simulation s;
        take_up_part(&s, &p, e);
        const simulation_times before = s.before;
        assert_int_equal(before.parts, part);
        assert_true(before.total_seconds == total && before.checkpoint_seconds == checkpoints);
        first = part == 1 ? before : first;
        for (size_t stage = 0; stage < STAGE_STEP; stage++)
            assert_true(fabs(before.seconds[stage] - first.seconds[stage] -
                             (part - 1) * IN_FLIGHT * ((double)stage + 1)) < 1e-9);
        assert_true(isnan(before.seconds[STAGE_STEP])); /* not known in the first part */
        s.checkpoint_seconds = 4 - part;
        shown += 10 * s.checkpoint_seconds;
        total += 10 * s.checkpoint_seconds;
        checkpoints += s.checkpoint_seconds;
        assert_int_equal(simulation_save(&s), STATUS_OK);
        simulation_end(&s);
        destroy_engines(e);
    }
}

/* --- how often --- */

#define TICKS 20 /* steps, of 1 s each */

static simulation *timed;                    /* what is going on, */
static uint32_t tick, checkpoints_at[TICKS]; /* in which step, before which so many were written */
static const struct engine_verbs *true_verbs;

static engine_status timed_step(engine *e, const engine_step *step, histogram *out) {
    if (step->parts == WHOLE_STEP) {
        checkpoints_at[tick++] = timed->checkpoints;
        shown += 1;
    }
    return true_verbs->step(e, step, out);
}

/* A checkpoint takes 3 s, which do not count for the next one. */
static engine_status timed_read(engine *e, uint64_t first, uint64_t count, uint8_t *spins,
                                uint32_t *families) {
    shown += first == 0 ? 3 : 0;
    return true_verbs->read(e, first, count, spins, families);
}

static void checkpoints_come_as_often_as_is_asked_for(void **state) {
    (void)state;
    parameters p = some_parameters(CODING_SSC);
    p.runs = 1;
    p.dbeta = p.beta_end / TICKS;
    for (uint32_t every = 4; every <= 7; every++)
        for (int by_steps = 0; by_steps < 2; by_steps++) {
            engine *e[IN_FLIGHT];
            simulation s;
            p.checkpoint_every = (checkpoint_interval){0};
            if (by_steps)
                p.checkpoint_every.steps = every;
            else
                p.checkpoint_every.seconds = every;
            make_engines(e, &p);
            true_verbs = e[0]->verbs;
            struct engine_verbs timed_verbs = *true_verbs;
            timed_verbs.step = timed_step;
            timed_verbs.read = timed_read;
            e[0]->verbs = &timed_verbs;
            timed = &s;
            tick = 0;
            assert_int_equal(simulation_begin(&s, &p, e, 1, clock_seconds()), STATUS_OK);
            assert_int_equal(simulation_run(&s), STATUS_OK);
            assert_int_equal(tick, TICKS);
            for (uint32_t n = 0; n < TICKS; n++)
                assert_int_equal(checkpoints_at[n], n / every);
            assert_true(s.checkpoint_seconds == 3 * s.checkpoints);
            simulation_end(&s);
            destroy_engines(e);
        }
}

static void the_parameters_come_first(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_SSC);
    make_checkpoint(&p);
    parameters q = {.resume = "ck"};
    static checkpoint_head head;
    assert_int_equal(checkpoint_read_parameters("ck", &q, &head), STATUS_OK);
    assert_null(settings_differ(&p, &q));
    assert_string_equal(q.output, "out");
    assert_string_equal(q.resume, "ck");
    assert_null(q.checkpoint);
    assert_int_equal(q.device, DEVICE_CPU);
}

/* The stages that a command line comes to. */
static stage_mode stages_of(const char *options) {
    parameters p;
    char said[600];
    if (parse_line(&p, options, STDERR_FILENO, said, sizeof said) != STATUS_OK)
        fail_msg("'%s': %s", options, said);
    return p.stages;
}

/* Stages stay with the device that they were chosen for: another one goes on with fused ones, which all have. */
static void another_device_has_its_own_stages(void **state) {
    (void)state;
    parameters p = some_parameters(CODING_MSC);
    p.device = DEVICE_CUDA; /* says the checkpoint; the engines are the CPU's */
    p.stages = STAGES_APART;
    p.samples = 1;
    make_checkpoint(&p);
    assert_int_equal(stages_of("--resume ck"), STAGES_APART);
    assert_int_equal(stages_of("--resume ck -D cpu"), STAGES_FUSED);
    assert_int_equal(stages_of("--resume ck -D cuda:1 --stages apart"), STAGES_APART);
}

/* Cut off at the beginning, within and before the end of every part. */
static void a_truncated_file_is_refused(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_MSC);
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    for (size_t n = 0; n < FILE_HEAD; n++)
        refused(&p, bytes, n, n < 8 ? "not a checkpoint" : "truncated", "head", n);
    size_t sections = 0;
    section s;
    for (size_t head = FILE_HEAD; section_at(bytes, size, head, &s); head = s.end) {
        const size_t cuts[] = {s.head,        s.head + 1, s.content - 1, s.content,
                               s.content + 1, s.end - 5,  s.end - 4,     s.end - 1};
        for (size_t n = 0; n < sizeof cuts / sizeof *cuts; n++)
            if (cuts[n] < s.end)
                refused(&p, bytes, cuts[n], "truncated", s.name, cuts[n]);
        sections++;
    }
    assert_int_equal(sections, 13);
    for (size_t n = 1; n <= FILE_END; n++)
        refused(&p, bytes, size - n, "truncated", "end", n);
    free(bytes);
}

/* One bit, in every byte of what surrounds the contents, and at some places of each. */
static void an_altered_bit_is_refused(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_SSC);
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    section s;
    for (size_t n = 0; n < FILE_HEAD; n++) {
        bytes[n] ^= 1;
        refused(&p, bytes, size, n < 8 ? "not a checkpoint" : "format version", "head", n);
        bytes[n] ^= 1;
    }
    for (size_t head = FILE_HEAD; section_at(bytes, size, head, &s); head = s.end) {
        char says[40];
        snprintf(says, sizeof says, "altered: section '%s'", s.name);
        const size_t length = s.end - s.content;
        for (size_t n = s.head; n < s.end;
             n += n < s.content || n >= s.end - 4 || length < 64 ? 1 : 1 + (length - 4) / 20) {
            const uint8_t bit = (uint8_t)(1u << n % 8);
            bytes[n] ^= bit;
            refused(&p, bytes, size, says, s.name, n);
            bytes[n] ^= bit;
        }
    }
    bytes[size - 1] ^= 1;
    refused(&p, bytes, size, "altered: its sections are not of one checkpoint", "end", size - 1);
    free(bytes);
}

/* Each section of a checkpoint in the place of that of another seed's, all of them whole. */
static void exchanged_sections_are_refused(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_SSC);
    parameters other = p;
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    other.seed = 8;
    const size_t other_size = make_checkpoint(&other);
    uint8_t *const others = load("ck", other_size), *const mixed = malloc(size + other_size);
    size_t exchanged = 0;
    section s, t;
    for (size_t head = FILE_HEAD; section_at(bytes, size, head, &s); head = s.end) {
        t = find_section(others, other_size, s.name);
        const size_t length = t.end - t.head;
        if (length == s.end - s.head && memcmp(bytes + s.head, others + t.head, length) == 0)
            continue;
        memcpy(mixed, bytes, s.head);
        memcpy(mixed + s.head, others + t.head, length);
        memcpy(mixed + s.head + length, bytes + s.end, size - s.end);
        refused(&p, mixed, size - (s.end - s.head) + length, "", s.name, 0);
        exchanged++;
    }
    assert_in_range(exchanged, 6, 12);
    free(mixed);
    free(others);
    free(bytes);
}

static void another_version_is_refused(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_SSC);
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    const section s = find_section(bytes, size, "program");
    bytes[s.content + 4] = '9'; /* the first character of the text */
    fit_checksums(bytes, size, s);
    refused(&p, bytes, size, "written by paising 9", "version", 0);
    free(bytes);
}

static void other_parameters_are_refused(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_MSC);
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    parameters q = p;
    q.population = 101;
    refused(&q, bytes, size, "other parameters: -R is 100 there, not 101", "R", 0);
    q = p;
    q.rng = RNG_LCG;
    refused(&q, bytes, size, "other parameters: -g is independent there, not lcg", "rng", 0);
    q = p;
    q.coding = CODING_SSC;
    refused(&q, bytes, size, "other parameters: -c is msc there, not ssc", "coding", 0);
    free(bytes);
}

/* A number of a section, where the content has it, and what it becomes; the checksum fits. */
typedef struct {
    const char *section;
    size_t place; /* in the content */
    uint64_t value;
    const char *says;
} wrong_number;

static void wrong_numbers_are_refused(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_MSC);
    const size_t size = make_checkpoint(&p);
    const wrong_number wrong[] = {
        {"schedule", 0, UINT64_MAX, "'schedule'"},
        {"schedule", 0, 8, "'schedule'"},
        {"schedule", 16, 0, "'schedule'"},
        {"position", 0, 3, "'position'"},
        {"position", 0, 2, "'position'"}, /* and one behind the last */
        {"position", 0, 0, "'finished runs'"},
        {"position", 8, 0, "'position'"},
        {"position", 8, 1, "'position'"},
        {"position", 8, UINT64_MAX, "'position'"},
        {"position", 16, 9, "'position'"},
        {"position", 16, 5, "'position'"}, /* not in step with the other */
        {"position", 16, 3, "'position'"},
        {"position", 24, 2, "'position'"},
        {"position", 24, 1, "'position'"}, /* died at a temperature that is still to come */
        {"position", 32, 5, "'position'"},
        {"rows", 0, UINT64_MAX, "'rows'"},
        {"finished runs", 0, 0, "'finished runs'"},
        {"finished runs", 8, UINT64_MAX, "'finished runs'"},
        {"analysed runs", 8, 4, "'analysed runs'"},
        {"multi-histogram", 0, 258, "'multi-histogram'"},
        {"multi-histogram", 8, UINT64_MAX, "'multi-histogram'"},
        {"histogram", 0, 0, "'histogram'"},
        {"histogram", 0, 1000000, "'histogram'"},
        {"histogram", 8, 1, "do not agree"},
        {"population", 0, UINT64_MAX, "'population'"}, /* families */
        {"population", 0, 50, "'population'"},         /* not in order */
        {"population", 1000, 1, "do not agree"},       /* spins */
    };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        uint8_t *const bytes = load("ck", size);
        const section s = find_section(bytes, size, wrong[n].section);
        memcpy(bytes + s.content + wrong[n].place, &wrong[n].value, sizeof wrong[n].value);
        fit_checksums(bytes, size, s);
        refused(&p, bytes, size, wrong[n].says, wrong[n].section, wrong[n].place);
        free(bytes);
    }
}

/* As many replicas at each level, in other places: the blocks of error bars know. The spins of the last run stand at the
 * end. */
static void replicas_in_other_places_are_refused(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_SSC);
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    const section s = find_section(bytes, size, "population");
    const spin_model model = square_model(p.size.edge[0]);
    const size_t each = model_packed_bytes(&model);
    uint8_t *const last = bytes + s.end - 4 - each, *const other = last - 40 * each;
    for (size_t n = 0; n < each; n++) {
        const uint8_t byte = other[n];
        other[n] = last[n];
        last[n] = byte;
    }
    fit_checksums(bytes, size, s);
    refused(&p, bytes, size, "sections 'population' and 'histogram' do not agree", "places", 0);
    free(bytes);
}

/* Spins of a Potts model in states that it does not have: tables of states are not written beyond their ends. */
static void states_behind_the_last_one_are_refused(void **state) {
    (void)state;
    parameters p = some_parameters(CODING_SSC);
    p.model = MODEL_potts2d;
    p.states = 3;
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    const section s = find_section(bytes, size, "population");
    static const uint8_t wrong[] = {3, 64, 255};
    for (size_t n = 0; n < sizeof wrong; n++) {
        uint8_t *const spin = bytes + s.end - 5 - n, before = *spin;
        *spin = wrong[n];
        fit_checksums(bytes, size, s);
        refused(&p, bytes, size, "'population'", "states", n);
        *spin = before;
    }
    free(bytes);
}

/* Components of vectors that are not numbers, or so large that their products are no whole number of 64 bits. */
static void vectors_that_are_none_are_refused(void **state) {
    (void)state;
    parameters p = some_parameters(CODING_SSC);
    p.model = MODEL_xy2d;
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    const section s = find_section(bytes, size, "population");
    static const float wrong[] = {NAN, INFINITY, -1e30f};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        memcpy(bytes + s.end - 8, &wrong[n], sizeof wrong[n]);
        fit_checksums(bytes, size, s);
        refused(&p, bytes, size, "section 'population'", "vectors", n);
    }
    free(bytes);
}

/* Makes microcanonical annealing, or goes on with p->resume; what is said ends up in `said`. */
static exit_status anneal_below_ceilings(parameters p, char said[600]) {
    engine_pool engines;
    result_folder folder;
    char shown_text[600];
    int number;
    capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
    assert_int_equal(pool_create(&engines, &p, NULL, method_of(&p)->bytes(&p)), STATUS_OK);
    assert_int_equal(result_folder_open(&folder, &p), STATUS_OK);
    const exit_status status = method_of(&p)->run(&p, &engines, &folder, &number);
    result_folder_close(&folder);
    pool_destroy(&engines);
    capture_end(&err, said, 600);
    capture_end(&out, shown_text, sizeof shown_text);
    return status;
}

/* The same of runs below energy ceilings: no replica, more than there is room for, no ceiling of a run, a ceiling above all levels. */
static void wrong_numbers_of_ceilings_are_refused(void **state) {
    (void)state;
    static const wrong_number wrong[] = {
        {"position", 40, 0, "'position'"},
        {"position", 40, UINT64_MAX / 2, "'position'"},
        {"position", 52, UINT64_MAX, "do not agree"},
        {"runs", 0, 0, "'runs'"},
    };
    parameters p = some_parameters(CODING_SSC);
    struct stat file;
    char said[600];
    p.method = METHOD_microcanonical;
    p.reweight = false;
    p.cull = 0.3;
    p.runs = 2;
    p.force = true;
    p.checkpoint_every = (checkpoint_interval){.steps = 7};
    assert_int_equal(anneal_below_ceilings(p, said), STATUS_OK);
    assert_int_equal(stat("ck", &file), 0);
    p.checkpoint = NULL;
    p.resume = "it";
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        uint8_t *const bytes = load("ck", (size_t)file.st_size);
        const section s = find_section(bytes, (size_t)file.st_size, wrong[n].section);
        memcpy(bytes + s.content + wrong[n].place, &wrong[n].value, sizeof wrong[n].value);
        fit_checksums(bytes, (size_t)file.st_size, s);
        store("it", bytes, (size_t)file.st_size);
        free(bytes);
        assert_int_equal(anneal_below_ceilings(p, said), STATUS_REFUSED);
        assert_non_null(strstr(said, wrong[n].says));
    }
    assert_int_equal(rename("ck", "it"), 0);
    assert_int_equal(anneal_below_ceilings(p, said), STATUS_OK);
}

/* Runs in flight need an engine each, and are not taken up without. */
static void a_batch_needs_its_engines(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_SSC);
    char said[600];
    make_checkpoint(&p);
    assert_int_equal(rename("ck", "it"), 0);
    assert_int_equal(take_up(&p, IN_FLIGHT, said), STATUS_OK);
    assert_int_equal(take_up(&p, 1, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "2 runs in flight, and there is room for 1: --in-flight 2"));
}

/* A pipe is not waited for. */
static void a_pipe_is_no_checkpoint(void **state) {
    (void)state;
    parameters p = some_parameters(CODING_MSC);
    char said[600];
    assert_int_equal(mkfifo("it", 0666), 0);
    assert_int_equal(take_up(&p, IN_FLIGHT, said), STATUS_REFUSED);
    assert_non_null(strstr(said, "not a file"));
}

static void a_failed_write_leaves_the_one_before(void **state) {
    (void)state;
    const parameters p = some_parameters(CODING_SSC);
    const size_t size = make_checkpoint(&p);
    uint8_t *const bytes = load("ck", size);
    parameters full = p;
    full.checkpoint = "missing/ck";
    engine *e[IN_FLIGHT];
    simulation s;
    make_engines(e, &p);
    run_to_pause(&s, &full, e);
    assert_int_equal(simulation_save(&s), STATUS_FAILED);
    simulation_end(&s);
    destroy_engines(e);
    uint8_t *const after = load("ck", size);
    assert_memory_equal(bytes, after, size);
    assert_int_equal(count_files("."), 1);
    free(bytes);
    free(after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_IN_SCRATCH(what_is_read_is_what_was_written),
        TEST_IN_SCRATCH(times_add_up_over_parts),
        TEST_IN_SCRATCH(checkpoints_come_as_often_as_is_asked_for),
        TEST_IN_SCRATCH(the_parameters_come_first),
        TEST_IN_SCRATCH(another_device_has_its_own_stages),
        TEST_IN_SCRATCH(a_truncated_file_is_refused),
        TEST_IN_SCRATCH(an_altered_bit_is_refused),
        TEST_IN_SCRATCH(exchanged_sections_are_refused),
        TEST_IN_SCRATCH(another_version_is_refused),
        TEST_IN_SCRATCH(other_parameters_are_refused),
        TEST_IN_SCRATCH(wrong_numbers_are_refused),
        TEST_IN_SCRATCH(a_failed_write_leaves_the_one_before),
        TEST_IN_SCRATCH(a_pipe_is_no_checkpoint),
        TEST_IN_SCRATCH(replicas_in_other_places_are_refused),
        TEST_IN_SCRATCH(states_behind_the_last_one_are_refused),
        TEST_IN_SCRATCH(vectors_that_are_none_are_refused),
        TEST_IN_SCRATCH(wrong_numbers_of_ceilings_are_refused),
        TEST_IN_SCRATCH(a_batch_needs_its_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
