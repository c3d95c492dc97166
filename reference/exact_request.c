/* The command line of build/exact (exact_request.h). */
#include "exact_request.h"

#include "base/message.h"
#include "base/usage.h"
#include "energy_states.h"
#include "graph_states.h"
#include "layers.h"
#include "overlap.h"
#include "transfer_matrix.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KAUFMAN_MAX_SIZE 16384
#define CUBIC_EDGE       4
#define ALLOWED_BETAS    "a number from 0 to 8.98e307"
#define ALLOWED_EDGES    "an even number from 4, or several (8x12, 4x4x4)"

static const char usage[] =
    "usage: exact [--model M] -L L [OPTION...] BETA...\n"
    "       exact --graph FILE [OPTION...] BETA...\n"
    "Exact results of Ising models on finite lattices with periodic boundaries, per spin.\n"
    "\n"
    "  -L, --size L          lattice edges, even: L for all of them, or LxL, LxLxL\n"
    "      --model M         square (default), cubic: ferromagnets; glass2d, glass3d: J = +1 and "
    "-1\n"
    "      --couplings FILE  of a glass: x y z direction J, or i j J, a line a bond\n"
    "      --disorder SEED   of a glass: couplings drawn at random, as paising draws them; 1 "
    "without "
    "it\n"
    "      --sample S        which of the seed's samples: 0 (default) to 4294967295\n"
    "      --ferromagnetic P with the probability P of J = +1, 0.5 without it\n"
    "      --graph FILE      of a graph of at most 28 sites, as paising reads it: i j J, a line a "
    "bond\n"
    "      --states          the number of states of every energy: a row E, states\n"
    "      --magnetic        also |m|, m2, m4 of graphs, and of ferromagnets (with --states: M): "
    "square up to 8x8, 4x4x4\n"
    "      --overlap         also |q|, q2, q4 of two replicas: of at most 24 sites\n"
    "      --layers          4x4xLz, beta up to 3: by a transfer matrix, minutes for each BETA\n"
    "  -h, --help            this text\n"
    "  BETA                  inverse temperatures: from 0 to 8.98e307\n"
    "\n"
    "Prints a row for each BETA: beta, energy e, specific heat C, betaF/N, entropy S/N.\n"
    "Square lattices: up to 16384 x 16384 the ferromagnet with equal edges, all others up to 1600\n"
    "sites (32 x 32 takes minutes). Cubic lattices: 4 x 4 x 4; with --layers longer ones.\n";

/* Ends the program with a message: the wrong argument, its value, and what is allowed. */
static _Noreturn void refuse(const char *what, const char *value, const char *allowed) {
    exit(complain(STATUS_REFUSED, "%s '%s': %s", what, value, allowed));
}

/* --- Values --- */

/* Parses the text as a whole number up to `most`. */
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
    return fabs(number); /* turns -0 into 0 */
}

static const model_kind *parse_model(const char *text) {
    const model_kind *const kind = model_kind_named(text);
    if (kind == NULL)
        refuse("--model", text, "the models are square, cubic, glass2d and glass3d");
    return kind;
}

/* Parses the edges of the lattice: one number for all, or one for each. */
static void parse_size(exact_request *r) {
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

enum {
    MODEL = 256,
    COUPLINGS,
    GRAPH,
    DISORDER,
    SAMPLE,
    FERROMAGNETIC,
    STATES,
    MAGNETIC,
    OVERLAP,
    LAYERS
};

static void take_option(exact_request *r, int option, const char *value) {
    switch (option) {
    case 'L':
        r->size = value;
        break;
    case MODEL:
        r->model = parse_model(value);
        r->lattice = "--model";
        break;
    case GRAPH:
        r->graph = value;
        break;
    case COUPLINGS:
        r->file = value;
        break;
    case DISORDER:
        r->from.seed = parse_whole("--disorder", value, UINT64_MAX, "a whole number below 2^64");
        r->alone = "--disorder";
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
    case MAGNETIC:
        r->magnetic = true;
        break;
    case OVERLAP:
        r->overlap = true;
        break;
    case LAYERS:
        r->layers = true;
        break;
    default:
        usage_show(usage);
    }
}

/* Whether an argument is an inverse temperature. -0.4 is an (invalid) number, not an option. */
static bool is_number(const char *text) {
    return text[0] != '-' || text[1] == '\0' || text[1] == '.' || isdigit((unsigned char)text[1]);
}

static void parse_arguments(exact_request *r, int argc, char **argv) {
    static const struct option known[] = {{"size", required_argument, NULL, 'L'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"model", required_argument, NULL, MODEL},
                                          {"couplings", required_argument, NULL, COUPLINGS},
                                          {"graph", required_argument, NULL, GRAPH},
                                          {"disorder", required_argument, NULL, DISORDER},
                                          {"sample", required_argument, NULL, SAMPLE},
                                          {"ferromagnetic", required_argument, NULL, FERROMAGNETIC},
                                          {"states", no_argument, NULL, STATES},
                                          {"magnetic", no_argument, NULL, MAGNETIC},
                                          {"overlap", no_argument, NULL, OVERLAP},
                                          {"layers", no_argument, NULL, LAYERS},
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
    if (r->size == NULL && r->graph == NULL)
        refuse("-L", "", "the lattice edge is missing, " ALLOWED_EDGES);
    if (r->graph == NULL)
        parse_size(r);
    if (r->betas == 0 && !r->states)
        refuse("BETA", "", "give one inverse temperature or more, each " ALLOWED_BETAS);
}

/* Checks that couplings are given in at most one way. */
static void check_couplings(const exact_request *r) {
    const char *const other = r->size != NULL    ? "-L"
                              : r->file != NULL  ? "--couplings"
                              : r->overlap       ? "--overlap"
                              : r->layers        ? "--layers"
                              : r->alone != NULL ? r->alone
                                                 : r->lattice;
    if (r->graph != NULL && other != NULL)
        refuse(other, "", "not allowed with --graph, which has no lattice");
    if (r->graph != NULL)
        return;
    if (!r->model->disordered && (r->alone != NULL || r->file != NULL))
        refuse("--model", r->model->name, "has no couplings to be given; glass2d and glass3d have");
    if (r->alone != NULL && r->file != NULL)
        refuse(r->alone, "", "says which couplings are drawn, and --couplings gives others");
}

/* The method for the requested results. */
static exact_method choose_method(const exact_request *r) {
    const uint32_t *const edge = r->edge;
    const bool square = r->model->dimension == 2, equal = edge[0] == edge[1];
    for (int i = 0; i < r->betas && r->graph != NULL; i++)
        if (r->beta[i] > GRAPH_STATES_MAX_BETA)
            refuse("--graph", r->graph, "inverse temperatures from 0 to 1e290");
    if (r->graph != NULL)
        return BY_GRAPH;
    if (r->overlap && (!square || edge[0] * edge[1] > OVERLAP_MAX_SITES || r->magnetic))
        refuse("--overlap", r->size, "4x4, 4x6 or 6x4, without --magnetic");
    const bool cube = !square && equal && edge[0] == CUBIC_EDGE && edge[2] == CUBIC_EDGE;
    if (r->layers) {
        if (square || !equal || edge[0] != CUBIC_EDGE || edge[2] > LAYERS_MAX_EDGE)
            refuse("--layers", r->size, "a lattice 4x4xLz of three dimensions, Lz up to 64");
        for (int i = 0; i < r->betas; i++)
            if (r->beta[i] > LAYERS_MAX_BETA)
                refuse("--layers", "", "inverse temperatures from 0 to 3");
        if (r->states || r->magnetic)
            refuse("--layers", "", "neither --states nor --magnetic");
        return BY_LAYERS;
    }
    if (r->magnetic) {
        if (r->model->disordered || (square && (!equal || edge[0] > STATE_COUNTS_MAX_SIZE)) ||
            (!square && !cube))
            refuse("--magnetic", r->size, "ferromagnets, L x L up to 8 x 8 and 4 x 4 x 4");
        return BY_COUNTS;
    }
    if (square && !r->model->disordered && equal && !r->states && !r->overlap)
        return BY_KAUFMAN;
    if (square && (uint64_t)edge[0] * edge[1] > SQUARE_STATES_MAX_SITES)
        refuse("-L", r->size, "without Kaufman's solution (square, L x L) at most 1600 sites");
    if (!square && !cube)
        refuse("-L", r->size, "of three dimensions 4x4x4, or 4x4xLz with --layers");
    return BY_STATES;
}

void exact_request_read(exact_request *r, int argc, char **argv, double *beta) {
    *r = (exact_request){
        .model = model_kinds[0], .from = {.seed = 1, .ferromagnetic = 0.5}, .beta = beta};
    parse_arguments(r, argc, argv);
    check_couplings(r);
    r->drawn = r->model->disordered && r->file == NULL;
    r->method = choose_method(r);
}
