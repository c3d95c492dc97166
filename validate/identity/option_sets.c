/* Drawing sets of options. */
#include "option_sets.h"

#include "dice.h"
#include "engine/kinds.h"
#include "model/model.h"
#include "update/update.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array)       (sizeof(array) / sizeof(array)[0])
#define PICK(dice, choice) ((choice)[roll(dice, COUNT(choice))])

#define SITE_SWEEPS    1000000 /* of a population at a temperature */
#define MAX_REPLICAS   5000
#define WHOLE_WORDS    64  /* replicas that are whole machine words of every p */
#define FEWEST_ADAPTED 100 /* replicas whose overlap says enough for steps of their own */

/* The coding of a set: every sixth is ssc; the others go through the modes, and p changes from one round of modes
 * to the next. Returns whether it is one that every model has. */
static bool write_coding(uint32_t n, char *text, size_t size) {
    const uint32_t modes = RNG_LCG + 1, words = 4, msc = n - (n + 1) / 6;
    if (n % 6 == 5)
        snprintf(text, size, "-c ssc");
    else
        snprintf(text, size, "-c msc -p %u -g %s", 8u << msc / modes % words,
                 rng_name((rng_mode)(msc % modes)));
    return n % 6 == 5 || msc % modes == RNG_INDEPENDENT;
}

/* Writes the edges of a lattice; any_edges: in two dimensions of any even length. Returns the number of its sites. */
static uint32_t draw_lattice(dice *d, const model_kind *kind, bool any_edges, char *text,
                             size_t size) {
    static const uint32_t any_sizes[] = {4, 6, 10, 16, 22, 32, 40, 64};
    static const uint32_t whole_sizes[] = {16, 16, 32, 32, 48, 64, 80, 128};
    static const uint32_t cubic_sizes[] = {4, 4, 6, 6, 8, 10, 12, 16};
    lattice_size given = {{0}};
    const uint32_t edges = chance(d, 30) ? kind->dimension : 1;
    for (uint32_t n = 0; n < edges; n++)
        given.edge[n] = kind->dimension == 3 ? PICK(d, cubic_sizes)
                        : any_edges          ? PICK(d, any_sizes)
                                             : PICK(d, whole_sizes);
    uint32_t edge[MODEL_MAX_DIMENSION];
    char lattice[LATTICE_TEXT_SIZE];
    lattice_edges(given, kind->dimension, edge);
    snprintf(text, size, "--model %s -L %s", kind->name, lattice_text(lattice, given));
    return edge[0] * edge[1] * edge[2];
}

/* Writes which samples of a glass. Returns how many. */
static uint32_t draw_disorder(dice *d, char *text, size_t size) {
    static const char *const shares[] = {"", "", " --ferromagnetic 0.7"};
    const uint32_t seed = roll(d, 1000000), sample = roll(d, 3), samples = 1 + roll(d, 2);
    snprintf(text, size, " --disorder %" PRIu32 " --sample %" PRIu32 " --samples %" PRIu32 "%s",
             seed, sample, samples, PICK(d, shares));
    return samples;
}

/* Writes boundaries and dilution, of one set in three. */
static void draw_bonds(dice *d, const model_kind *kind, char *text, size_t size) {
    static const char *const flat[] = {"open", "antiperiodic", "open,periodic",
                                       "antiperiodic,open"};
    static const char *const solid[] = {"open", "antiperiodic", "periodic,open,antiperiodic"};
    if (!chance(d, 33))
        return;
    const size_t length = (size_t)snprintf(text, size, " --boundary %s",
                                           kind->dimension == 2 ? PICK(d, flat) : PICK(d, solid));
    if (kind->disordered && chance(d, 50))
        snprintf(text + length, size - length, " --dilution 0.%u", 1 + roll(d, 4));
}

/* Whether the coding of a set is one in which replicas are not reordered. */
static bool keeps_order(uint32_t n) {
    const rng_mode rng = (rng_mode)((n - (n + 1) / 6) % (RNG_LCG + 1));
    return n % 6 == 5 || (rng != RNG_SHARED_REORDER && rng != RNG_LCG);
}

/* Whether a model has an update in a coding. */
static bool has_update(const update_kind *update, const model_kind *kind, bool ssc) {
    return update->order == VISIT_CHECKERBOARD &&
           (update->clusters == CLUSTERS_NONE || (ssc && !kind->disordered));
}

/* Writes a set of a method of fixed temperatures: whole machine words of any p, three temperatures at least. */
static const char *draw_series(dice *d, char text[OPTION_SET_SIZE], const char *coding, bool ssc,
                               const char *lattice, uint32_t sites, const model_kind *kind,
                               bool any_model) {
    static const char *const methods[] = {"canonical", "tempering"};
    static const char *const ranges[] = {"-b 0 -f 0.6 -d 0.3", "-b 0.3 -f 1.3 -d 0.1",
                                         "-b 0.4 -f 0.48 -d 0.01"};
    static const char *const updates[] = {"",
                                          " --update swendsen-wang",
                                          " --update wolff",
                                          " --update sequential --acceptance heat-bath",
                                          " --update random --common-sites",
                                          " --update random --acceptance heat-bath"};
    char sample[64] = "", bonds[100] = "";
    if (kind->disordered)
        snprintf(sample, sizeof sample, " --disorder %" PRIu32 " --sample %" PRIu32,
                 roll(d, 1000000), roll(d, 3));
    if (kind->disordered && any_model)
        draw_bonds(d, kind, bonds, sizeof bonds);
    const bool fine = ssc && kind->disordered && chance(d, 50);
    const uint32_t most = SITE_SWEEPS / (WHOLE_WORDS * sites),
                   sweeps = 1 + roll(d, most < 3 ? most : 3),
                   words = 1 + roll(d, most / sweeps < 8 ? most / sweeps : 8);
    const char *const update = ssc && !kind->disordered ? PICK(d, updates) : "";
    snprintf(text, OPTION_SET_SIZE,
             "%s %s%s --method %s%s -t %" PRIu32 " -R %" PRIu32 " %s --thermalisation %" PRIu32
             " --measurements %" PRIu32 " -P 17 -s %" PRIu32 "%s%s",
             coding, lattice, sample, PICK(d, methods), update, sweeps, WHOLE_WORDS * words,
             PICK(d, ranges), roll(d, 10), 1 + roll(d, 40), roll(d, 1000000), bonds,
             fine ? " --couplings-type gaussian" : "");
    return text;
}

/* Writes a set of samples in words, of which sums are kept: two machine words or three, and up to four chains. */
static const char *draw_words(dice *d, char text[OPTION_SET_SIZE], const char *lattice) {
    static const char *const ranges[] = {"-b 0.1 -f 0.7 -d 0.3", "-b 0.3 -f 1.3 -d 0.1",
                                         "-b 0.4 -f 2.4 -d 0.08"};
    snprintf(text, OPTION_SET_SIZE,
             "%s --disorder %" PRIu32 " --sample %" PRIu32 " --samples %" PRIu32
             " --method tempering --words samples --record bins -c msc -R %" PRIu32 " -t %" PRIu32
             " %s --thermalisation %" PRIu32 " --measurements %" PRIu32 " -P 17 -s %" PRIu32,
             lattice, roll(d, 1000000), roll(d, 40), 1 + roll(d, 60), 2 + 2 * roll(d, 2),
             1 + roll(d, 3), PICK(d, ranges), roll(d, 4), 1 + roll(d, 40), roll(d, 1000000));
    return text;
}

/* Writes a set of a flat-histogram method: walkers that fill no words, one window or three, all energies or some, weights that need
 * not get ready. */
static const char *draw_flat(dice *d, char text[OPTION_SET_SIZE], const char *lattice,
                             bool disordered) {
    static const char *const methods[] = {"multicanonical --divergence 0.5", "multicanonical",
                                          "wang-landau --last-ln-f 0.01",
                                          "wang-landau --block-attempts 37 --flatness 0.3"};
    static const char *const windows[] = {"", " --windows 3", " --windows 3 --window-overlap 0.8"};
    static const char *const ranges[] = {"", "", " --highest-energy -8"};
    static const char *const records[] = {"", " --record walkers", " --record states"};
    char sample[64] = "";
    if (disordered)
        snprintf(sample, sizeof sample, " --disorder %" PRIu32 " --sample %" PRIu32,
                 roll(d, 1000000), roll(d, 3));
    const char *const method = PICK(d, methods),
                      *const divided = disordered ? "" : PICK(d, windows),
                      *const record = PICK(d, records);
    snprintf(text, OPTION_SET_SIZE,
             "%s%s --method %s%s%s -t %" PRIu32 " -R %" PRIu32 " -d 0.25 --thermalisation %" PRIu32
             " --iteration-length %" PRIu32 " --iterations 5 --measurements %" PRIu32
             " -P 17 -s %" PRIu32 "%s",
             lattice, sample, method, divided, PICK(d, ranges), 1 + roll(d, 3), 1 + roll(d, 70),
             roll(d, 3), 1 + roll(d, 8), 1 + roll(d, 8), roll(d, 1000000), record);
    return text;
}

/* Writes a set of microcanonical annealing, of any model that has levels: two and three colours, odd edges. */
static const char *draw_ceilings(dice *d, char text[OPTION_SET_SIZE]) {
    static const char *const lattices[] = {"square -L 6 --spin-observables",
                                           "square -L 5x7",
                                           "cubic -L 4 --heating",
                                           "glass2d -L 6 --disorder 3",
                                           "glass3d -L 4 --disorder 5 --heating",
                                           "potts2d --states 5 -L 6",
                                           "potts2d --states 10 -L 5x7 --spin-observables",
                                           "potts3d --states 3 -L 4 --heating",
                                           "blume-capel2d --crystal-field 3/2 -L 6",
                                           "baxter-wu -L 6 --spin-observables"};
    const char *const lattice = PICK(d, lattices);
    snprintf(text, OPTION_SET_SIZE,
             "--method microcanonical --model %s -t %" PRIu32 " -R %" PRIu32 " -M %" PRIu32
             " --cull 0.%" PRIu32 " -f 1.%" PRIu32 " -d 0.25 -P 17 -s %" PRIu32,
             lattice, 1 + roll(d, 3), 20 + roll(d, 80), 1 + roll(d, 3), 2 + roll(d, 5), roll(d, 6),
             roll(d, 1000000));
    return text;
}

/* A population that dies is one, too: the program must then say the same on both sides. */
const char *identity_option_set(char text[OPTION_SET_SIZE], uint64_t seed, uint32_t n) {
    static const uint32_t sweeps_of[] = {1, 1, 2, 3, 5, 8};
    static const char *const ends[] = {"0.6", "1", "1.3"};
    static const char *const fixed_steps[] = {"-d 0.01", "-d 0.025", "-d 0.05", "-d 0.1"};
    static const char *const adaptive_steps[] = {"-a 0.75", "-a 0.85", "-a 0.9"};
    static const char *const in_flight[] = {"", "", " --in-flight 1", " --in-flight 2"};
    dice d = dice_of(seed, DICE_OPTIONS, n);
    char coding[32], lattice[64], samples[96] = "", bonds[64] = "";
    const bool any_model = write_coding(n, coding, sizeof coding);
    const model_kind *const kind = any_model
                                       ? model_kinds[roll(&d, MODEL_potts2d)] /* of Ising spins */
                                   : chance(&d, 50) ? &square_kind
                                                    : &glass2d_kind;
    const uint32_t sites = draw_lattice(&d, kind, any_model, lattice, sizeof lattice);
    if (strcmp(coding, "-c msc -p 32 -g independent") == 0 && kind->disordered && sites <= 1024 &&
        chance(&d, 60))
        return draw_words(&d, text, lattice);
    if (keeps_order(n) && WHOLE_WORDS * sites <= SITE_SWEEPS && chance(&d, 25))
        return draw_series(&d, text, coding, n % 6 == 5, lattice, sites, kind, any_model);
    if (n % 6 == 5 && chance(&d, 25))
        return draw_flat(&d, text, lattice, kind->disordered);
    if (n % 6 == 5 && chance(&d, 25))
        return draw_ceilings(&d, text);
    const uint32_t count = kind->disordered ? draw_disorder(&d, samples, sizeof samples) : 1;
    const uint32_t sweeps = PICK(&d, sweeps_of), most = SITE_SWEEPS / (sites * count) / sweeps;
    const uint32_t population = 1 + roll(&d, most < MAX_REPLICAS ? most : MAX_REPLICAS);
    const char *const end = PICK(&d, ends);
    const char *const step = population >= FEWEST_ADAPTED && count == 1 && chance(&d, 33)
                                 ? PICK(&d, adaptive_steps)
                                 : PICK(&d, fixed_steps);
    const char *const start = chance(&d, 33) ? " -b 0.35" : "";
    const char *const reweighted = chance(&d, 50) ? " -m0.02" : "";
    const uint32_t runs = 1 + roll(&d, 3), program_seed = roll(&d, 1000000);
    const char *const beside = PICK(&d, in_flight);
    const resampling_rule rule = (resampling_rule)roll(&d, RESAMPLING_RULES);
    const uint32_t any = roll(&d, UPDATES);
    const update_kind *const update = any_model && has_update(update_kinds[any], kind, n % 6 == 5)
                                          ? update_kinds[any]
                                          : &metropolis_update;
    if (any_model && update->clusters == CLUSTERS_NONE)
        draw_bonds(&d, kind, bonds, sizeof bonds);
    const bool fine = n % 6 == 5 && kind->disordered && *reweighted == '\0' &&
                      strstr(samples, "--ferromagnetic") == NULL && chance(&d, 50);
    /* A GPU adds weights where no pre-launched selection has room for all energies. */
    const uint32_t replicas = fine && sites <= 64 ? population + 4096 : population;
    snprintf(text, OPTION_SET_SIZE,
             "%s %s%s -t %" PRIu32 " -R %" PRIu32 " -f %s %s%s -M %" PRIu32 "%s%s -P 17 -s %" PRIu32
             " --resampling %s --update %s%s%s",
             coding, lattice, samples, sweeps, replicas, end, step, start, runs, beside, reweighted,
             program_seed, resampling_name(rule), update->name, bonds,
             fine ? " --couplings-type gaussian" : "");
    return text;
}
