/* build/exact: exact e, C, betaF/N and S/N of finite lattices with periodic boundaries, a row for each beta, with
 * 17 digits. Of the ferromagnet on L x L by Kaufman's solution (exact.h), of all others from the number of states
 * of every energy (energy_states.h), which --states prints. Status 2: a bad command line; status 1: the output was
 * not written. */
#include "base/commit.h"
#include "base/message.h"
#include "base/usage.h"
#include "energy_states.h"
#include "engine/disorder.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KAUFMAN_MAX_SIZE 16384
#define CUBIC_EDGE       4
#define ALLOWED_BETAS    "a number from 0 to 8.98e307"
#define ALLOWED_EDGES    "an even number from 4, or several (8x12, 4x4x4)"

static const char usage[] =
    "usage: exact [--model M] -L L [OPTION...] BETA...\n"
    "Exact results of Ising models on finite lattices with periodic boundaries, per spin.\n"
    "\n"
    "  -L, --size L          lattice edges, even: L for all of them, or LxL, LxLxL\n"
    "      --model M         square (default), cubic: ferromagnets; glass2d, glass3d: J = +1 and "
    "-1\n"
    "      --couplings FILE  of a glass: x y z direction J, or i j J, a line a bond\n"
    "      --disorder SEED   of a glass: couplings drawn at random, as paising draws them\n"
    "      --sample S        which of the seed's samples: 0 (default) to 4294967295\n"
    "      --ferromagnetic P with the probability P of J = +1, 0.5 without it\n"
    "      --states          the number of states of every energy: a row E, states\n"
    "  -h, --help            this text\n"
    "  BETA                  inverse temperatures: from 0 to 8.98e307\n"
    "\n"
    "Prints a row for each BETA: beta, energy e, specific heat C, betaF/N, entropy S/N.\n"
    "Square lattices: up to 16384 x 16384 the ferromagnet with equal edges, all others up to 1600\n"
    "sites (32 x 32 takes minutes). Cubic lattices: 4 x 4 x 4.\n";

/* Ends the program: which argument is wrong, its value, what is allowed. */
_Noreturn static void refuse(const char *what, const char *value, const char *allowed) {
    exit(complain(STATUS_REFUSED, "%s '%s': %s", what, value, allowed));
}

typedef struct {
    const char *name;
    uint32_t dimension;
    bool glass;
} model_name;

static const model_name models[] = {
    {"square", 2, false}, {"cubic", 3, false}, {"glass2d", 2, true}, {"glass3d", 3, true}};

/* The command line. */
typedef struct {
    const model_name *model;
    const char *size;
    uint32_t edge[COUPLINGS_MAX_DIMENSION];
    const char *file;  /* --couplings */
    bool drawn;        /* --disorder */
    const char *alone; /* an option that is of use with --disorder only */
    disorder from;
    bool states;
    double *beta;
    int betas;
} request;

/* --- Values --- */

/* The text as a whole number up to `most`. */
static uint64_t parse_whole(const char *what, const char *text, uint64_t most,
                            const char *allowed) {
    char *end = NULL;
    errno = 0;
    const unsigned long long number = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (end == NULL || *end != '\0' || errno != 0 || number > most)
        refuse(what, text, allowed);
    return number;
}

static double parse_number(const char *what, const char *text, double most, const char *allowed) {
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || isspace((unsigned char)*text) ||
        !(number >= 0 && number <= most))
        refuse(what, text, allowed);
    return fabs(number); /* of -0 */
}

static const model_name *parse_model(const char *text) {
    for (size_t n = 0; n < sizeof models / sizeof *models; n++)
        if (strcmp(text, models[n].name) == 0)
            return &models[n];
    refuse("--model", text, "the models are square, cubic, glass2d and glass3d");
}

/* The edges of a lattice: one number for all, or as many as there are. */
static void parse_size(request *r) {
    uint32_t count = 0;
    for (const char *text = r->size; text != NULL && count <= COUPLINGS_MAX_DIMENSION; count++) {
        char *end = NULL;
        const unsigned long edge = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
        if (end == NULL || (*end != '\0' && *end != 'x') || edge < EXACT_MIN_SIZE ||
            edge > KAUFMAN_MAX_SIZE || edge % 2 != 0 || count == COUPLINGS_MAX_DIMENSION)
            refuse("-L", r->size, "the lattice edge must be an even number from 4 to 16384");
        r->edge[count] = (uint32_t)edge;
        text = *end == 'x' ? end + 1 : NULL;
    }
    if (count == 1)
        r->edge[1] = r->edge[2] = r->edge[0];
    else if (count != r->model->dimension)
        refuse("-L", r->size,
               r->model->dimension == 2 ? "the model has two edges" : "the model has three edges");
}

/* --- The command line --- */

enum { MODEL = 256, COUPLINGS, DISORDER, SAMPLE, FERROMAGNETIC, STATES };

static void take_option(request *r, int option, const char *value) {
    switch (option) {
    case 'L':
        r->size = value;
        break;
    case MODEL:
        r->model = parse_model(value);
        break;
    case COUPLINGS:
        r->file = value;
        break;
    case DISORDER:
        r->from.seed = parse_whole("--disorder", value, UINT64_MAX, "a whole number below 2^64");
        r->drawn = true;
        break;
    case SAMPLE:
        r->from.sample =
            (uint32_t)parse_whole("--sample", value, UINT32_MAX, "a whole number below 2^32");
        r->alone = "--sample";
        break;
    case FERROMAGNETIC:
        r->from.ferromagnetic = parse_number("--ferromagnetic", value, 1, "a number from 0 to 1");
        r->alone = "--ferromagnetic";
        break;
    case STATES:
        r->states = true;
        break;
    default:
        usage_show(usage);
    }
}

/* Whether an argument is an inverse temperature: -0.4 is a (bad) number. */
static bool is_number(const char *text) {
    return text[0] != '-' || text[1] == '\0' || text[1] == '.' || isdigit((unsigned char)text[1]);
}

static void parse_arguments(request *r, int argc, char **argv) {
    static const struct option known[] = {{"size", required_argument, NULL, 'L'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"model", required_argument, NULL, MODEL},
                                          {"couplings", required_argument, NULL, COUPLINGS},
                                          {"disorder", required_argument, NULL, DISORDER},
                                          {"sample", required_argument, NULL, SAMPLE},
                                          {"ferromagnetic", required_argument, NULL, FERROMAGNETIC},
                                          {"states", no_argument, NULL, STATES},
                                          {NULL, 0, NULL, 0}};
    static const char betas[] = "an inverse temperature must be " ALLOWED_BETAS;
    opterr = 0;
    for (bool options = true; optind < argc;) {
        const char *const word = argv[optind];
        if (!options || is_number(word)) {
            r->beta[r->betas++] = parse_number("BETA", word, EXACT_MAX_BETA, betas);
            optind++;
            continue;
        }
        const int option = getopt_long(argc, argv, "+:L:h", known, NULL);
        if (option == -1)
            options = false; /* after -- */
        else if (option == ':')
            refuse(word, "", "a value is missing");
        else if (option == '?')
            refuse("unknown option", word, "exact --help lists the options");
        else
            take_option(r, option, optarg);
    }
    if (r->size == NULL)
        refuse("-L", "", "the lattice edge is missing, " ALLOWED_EDGES);
    parse_size(r);
    if (r->betas == 0 && !r->states)
        refuse("BETA", "", "give one inverse temperature or more, each " ALLOWED_BETAS);
}

/* What the options do not say by themselves. */
static void check_request(const request *r) {
    const char *const name = r->model->name;
    if (r->model->glass && r->drawn == (r->file != NULL))
        refuse("--model", name, "needs its couplings: --couplings FILE or --disorder SEED");
    if (!r->model->glass && (r->drawn || r->file != NULL))
        refuse("--model", name, "has no couplings to be given; glass2d and glass3d have");
    if (r->alone != NULL && !r->drawn)
        refuse(r->alone, "", "says which couplings --disorder draws");
}

/* --- Results --- */

static void make_couplings(const request *r, couplings *c) {
    const uint32_t dimension = r->model->dimension;
    if (r->file != NULL) {
        if (couplings_read(c, dimension, r->edge, r->file) != STATUS_OK)
            exit(STATUS_REFUSED);
        return;
    }
    if (!couplings_create(c, dimension, r->edge))
        exit(complain(STATUS_REFUSED, "no memory for the couplings"));
    if (r->drawn)
        disorder_draw(c, r->from);
}

/* Counts the states, and prints where the couplings are from. */
static energy_states count_states(const request *r) {
    const uint32_t *const edge = r->edge;
    const bool square = r->model->dimension == 2;
    if (square && (uint64_t)edge[0] * edge[1] > SQUARE_STATES_MAX_SITES)
        refuse("-L", r->size, "without Kaufman's solution (square, L x L) at most 1600 sites");
    if (!square && (edge[0] != CUBIC_EDGE || edge[1] != CUBIC_EDGE || edge[2] != CUBIC_EDGE))
        refuse("-L", r->size, "of three dimensions the 4 x 4 x 4 lattice alone is counted");
    couplings c;
    make_couplings(r, &c);
    if (r->model->glass) {
        char text[DISORDER_TEXT_SIZE];
        printf("# couplings: %s; %llu of %llu with J = -1, crc32 %08x\n",
               r->drawn ? disorder_text(text, r->from) : r->file,
               (unsigned long long)couplings_count_negative(&c), (unsigned long long)c.bonds,
               (unsigned)couplings_fingerprint(&c));
    }
    energy_states states;
    if (!(square ? square_states_count : cubic_states_count)(&states, &c))
        exit(complain(STATUS_FAILED, "no memory to count the states"));
    couplings_destroy(&c);
    return states;
}

static void print_states(const energy_states *states) {
    printf("# E states\n");
    for (uint64_t u = 0; u <= states->bonds; u++) {
        char *const text = energy_states_text(states, u);
        if (text == NULL)
            exit(complain(STATUS_FAILED, "no memory for a number"));
        if (strcmp(text, "0") != 0)
            printf("%lld %s\n", 2 * (long long)u - (long long)states->bonds, text);
        free(text);
    }
}

int main(int argc, char **argv) {
    request r = {.model = &models[0],
                 .from.ferromagnetic = 0.5,
                 .beta = malloc(((size_t)argc + 1) * sizeof *r.beta)};
    if (r.beta == NULL)
        return complain(STATUS_REFUSED, "no memory for %d inverse temperatures", argc);
    parse_arguments(&r, argc, argv);
    check_request(&r);
    const bool kaufman =
        r.model->dimension == 2 && !r.model->glass && r.edge[0] == r.edge[1] && !r.states;
    energy_states states = {.count = NULL};
    if (!kaufman)
        states = count_states(&r);
    if (r.states)
        print_states(&states);
    if (r.betas > 0)
        printf("# exact (paising " PAISING_VERSION ") model %s, L=%s: beta e C betaF/N S/N\n",
               r.model->name, r.size);
    for (int i = 0; i < r.betas; i++) {
        const exact_result x = kaufman ? exact_thermodynamics(r.edge[0], r.beta[i])
                                       : energy_states_thermodynamics(&states, r.beta[i]);
        printf("%.17g %.17g %.17g %.17g %.17g\n", r.beta[i], x.e, x.c, x.beta_f, x.s);
    }
    energy_states_destroy(&states);
    free(r.beta);
    return close_stdout();
}
