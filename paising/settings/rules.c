/* The rules that parameters must meet. The list of settings has ranges of single settings, and those
 * that exclude each other; here are the rules that compute. */
#include "rules.h"

#include "engine/capacity.h"
#include "engine/histogram.h"
#include "engine/overlaps.h"
#include "exclusions.h"
#include "fraction.h"
#include "graphs.h"
#include "plans.h"
#include "refuse.h"
#include "resample/schedule.h"
#include "tiles.h"
#include "walkers.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>

#define LEAST_ENERGY_STEP 1e-16
#define MOST_ENERGY_STEP  1000
#define MOST_LEVELS       (1 << 24) /* of a model with a crystal field */
#define MOST_PLAN_SECONDS 1e9       /* about thirty years */

/* Whether single-spin coding takes all edges of the lattice, where odd ones are taken as a graph. */
static bool ssc_takes_edges(const model_kind *kind, const uint32_t edge[]) {
    const edge_rule rule = kind->edges[CODING_SSC];
    bool all = kind->spins == SPINS_ISING;
    for (uint32_t d = 0; d < kind->dimension; d++)
        all = all && (edge_is_allowed(rule, edge[d]) ||
                      (edge[d] % 2 == 1 && edge[d] > 1 && edge[d] <= rule.largest));
    return all;
}

/* Checks that there is a boundary for each direction. */
static int check_boundary(const parameters *p, message m) {
    const model_kind *const kind = parameters_kind(p);
    if (p->boundary.given <= 1 || p->boundary.given == kind->dimension)
        return 0;
    return refuse(m,
                  "--boundary: %" PRIu32 " words, and the model %s has %" PRIu32
                  " directions: one for all is allowed, or each with a comma between them",
                  p->boundary.given, kind->name, kind->dimension);
}

/* Whether a lattice can be cut into its stripes (model_stripe). */
static int check_stripes(const parameters *p, message m, uint32_t dimension,
                         const uint32_t edge[]) {
    const stripe_rule rule = stripe_edges(dimension);
    const uint32_t last = edge[dimension - 1];
    bool good = edge[0] % rule.first == 0 && last % (rule.last * p->stripes) == 0;
    char size[LATTICE_TEXT_SIZE];
    if (p->stripes & (p->stripes - 1))
        return refuse(m, "--stripes %" PRIu32 ": allowed: 1, 2, 4, 8, 16, 32", p->stripes);
    for (uint32_t d = 0; d < dimension; d++)
        good = good && edge[d] >= 4 && edge[d] % 2 == 0 && edge[d] <= rule.largest;
    if (good)
        return 0;
    return refuse(m,
                  "-L %s: with --stripes %" PRIu32 " the last edge must be a multiple of %" PRIu32
                  ", the first one of %" PRIu32 ", all of them even and up to %" PRIu32,
                  lattice_text(size, p->size), p->stripes, rule.last * p->stripes, rule.first,
                  rule.largest);
}

/* Checks the crystal field, which decides how many levels there are. */
static int check_crystal_field(const parameters *p, message m) {
    const fraction field = fraction_read(p->crystal_field);
    char size[LATTICE_TEXT_SIZE];
    if (p->crystal_field == NULL)
        return 0;
    if (field.unit == 0)
        return refuse(
            m,
            "--crystal-field %.100s: a fraction D/U of whole numbers up to %d is allowed, "
            "like 19/10 or 1.9, U from 1",
            p->crystal_field, FRACTION_MOST);
    const spin_model model = parameters_model(p);
    if (model.levels.count <= MOST_LEVELS)
        return 0;
    return refuse(m,
                  "--crystal-field %.100s: more than %d energy levels at %s: allowed are smaller "
                  "numbers, or a smaller lattice",
                  p->crystal_field, MOST_LEVELS, model_size_text(size, &model));
}

/* Refuses ceilings, and flat histograms, of a graph without energy levels. */
static int check_fine_graph(const parameters *p, message m) {
    if (p->graph == NULL || !p->graph->levels.fine ||
        (p->method != METHOD_microcanonical && !parameters_have_walkers(p)))
        return 0;
    return refuse(m,
                  "--method %s: not allowed with a graph of more than %zu energy levels; fewer "
                  "digits of J and h make them fewer",
                  method_name(p->method), GRAPH_MOST_LEVELS);
}

/* The edges that a coding and its random numbers take. In two dimensions the modes of MSC but independent draw for whole strips. */
static edge_rule edges_of(const parameters *p, const model_kind *kind) {
    edge_rule rule = kind->edges[p->coding];
    if (p->coding == CODING_MSC && p->rng != RNG_INDEPENDENT && kind->dimension == 2)
        rule.smallest = rule.multiple = 16;
    return rule;
}

/* Checks the edges of the lattice, which becomes a graph where they are odd. */
static int check_size(const parameters *p, message m) {
    if (p->graph != NULL)
        return 0; /* its maker has */
    const model_kind *const kind = parameters_kind(p);
    const edge_rule rule = edges_of(p, kind);
    const bool by_mode = rule.multiple > kind->edges[p->coding].multiple;
    uint32_t edge[MODEL_MAX_DIMENSION];
    char size[LATTICE_TEXT_SIZE];
    if (!lattice_edges(p->size, kind->dimension, edge))
        return refuse(m,
                      "-L %s: %" PRIu32 " edges, and the model %s has %" PRIu32
                      ": one for all is allowed, or each with an x between them",
                      lattice_edges_text(size, p->size), lattice_edges_given(p->size), kind->name,
                      kind->dimension);
    if (p->stripes > 1)
        return check_stripes(p, m, kind->dimension, edge);
    lattice_text(size, p->size);
    for (uint32_t d = 0; d < kind->dimension; d++)
        if (kind->spins == SPINS_ISING && edge[d] < SHORTEST_EDGE)
            return refuse(m, "-L %s: an edge must be from %d: " WHY_SHORTEST_EDGE, size,
                          SHORTEST_EDGE);
    for (uint32_t d = 0; d < kind->dimension; d++)
        if (!edge_is_allowed(rule, edge[d]))
            return refuse(
                m,
                "-L %s: with coding %s%s%s the lattice edge must be a multiple of %" PRIu32
                " from %" PRIu32 " to %" PRIu32 "%s%s%s",
                size, coding_name(p->coding), by_mode ? " and -g " : "",
                by_mode ? rng_name(p->rng) : "", rule.multiple, rule.smallest, rule.largest,
                kind == model_kinds[0] ? "" : " in the model ",
                kind == model_kinds[0] ? "" : kind->name,
                by_mode                       ? "; -g independent takes any even one from 4"
                : ssc_takes_edges(kind, edge) ? "; -c ssc takes this one"
                                              : "");
    return 0;
}

/* Whether the sum of E^2 over a block of the population fits into 64 bits, which of lattices follows from M^2. */
static bool squares_fit(double capacity, energy_levels levels) {
    const double low = fabs((double)levels.lowest),
                 high = fabs((double)level_energy(levels, levels.count - 1)),
                 most = low > high ? low : high;
    return (capacity / POPULATION_BLOCKS + 1) * (most * most) < 0x1p64;
}

/* Whether replicas can be numbered in 32 bits, and the counters can hold the population: M^2 is
 * summed in 64 bits, and M^4, in units of the fourth power of the order unit, in two halves of 64 bits
 * (histogram.h). */
static bool counters_hold(uint64_t population, const parameters *p, const spin_model *model) {
    if (p->stripes > 1) /* which are counted one by one */
        return population < MOST_REPLICAS / p->stripes / parameters_populations(p);
    const uint64_t most = parameters_capacity(p, population);
    const double capacity = (double)most, order = (double)model_largest_order(model),
                 orders = order / model->order_unit,
                 low = ldexp(1, (int)histogram_low_bits(model)); /* the lower half of M^4 */
    if (model->graph != NULL && model->levels.fine &&
        capacity * (double)model->graph->bound >= 0x1p62)
        return false;
    return most <= MOST_REPLICAS && capacity * order * order < 0x1p64 && capacity * low < 0x1p64 &&
           capacity * (orders * orders) * (orders * orders) < 0x1p64 * low &&
           (model->levels.fine || (model->graph == NULL && model->spins == SPINS_ISING) ||
            squares_fit(capacity, model->levels));
}

static int check_population(const parameters *p, message m) {
    const spin_model model = parameters_model(p);
    const uint64_t populations = parameters_populations(p);
    if (p->population >= 1 && p->population < MOST_REPLICAS / populations &&
        counters_hold(p->population, p, &model))
        return 0;
    uint64_t fits = 1, too_large = MOST_REPLICAS / populations;
    while (too_large - fits > 1) {
        const uint64_t middle = fits + (too_large - fits) / 2;
        if (counters_hold(middle, p, &model))
            fits = middle;
        else
            too_large = middle;
    }
    char size[LATTICE_TEXT_SIZE];
    return refuse(m,
                  "-R %" PRIu64 ": the population must be from 1 to %" PRIu64
                  ", which the counters hold at %s",
                  p->population, fits, model_size_text(size, &model));
}

/* Checks the ranges of all settings of one type that hold. */
static int check_ranges(const parameters *p, setting_type type, message m) {
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (s->type != type || s->subject == NULL || !setting_holds(s, p))
            continue;
        const double x = setting_number(s, p);
        if (x >= s->least && x <= s->most)
            continue;
        char option[SETTING_OPTION_SIZE];
        if (s->most == UINT32_MAX)
            return refuse(m, "%s %.15g: %s must be at least %.15g", setting_option(option, s), x,
                          s->subject, s->least);
        return refuse(m, "%s %.15g: %s must be from %.15g to %.15g", setting_option(option, s), x,
                      s->subject, s->least, s->most);
    }
    return 0;
}

/* Checks a fixed step that goes from `from` over `middle` to `to`. */
static int check_step(message m, const char *option, double step, double from, double middle,
                      double to) {
    if (!(step > 0 && step <= PARAMETERS_MAX_BETA))
        return refuse(m, "%s %.15g: the step must be above 0 and at most %d", option, step,
                      PARAMETERS_MAX_BETA);
    const double temperatures =
        1 + schedule_steps(middle - from, step) + schedule_steps(to - middle, step);
    if (temperatures > SCHEDULE_MAX_TEMPERATURES)
        return refuse(m,
                      "%s %.15g: from %.15g to %.15g this step gives %.9g temperatures, and %d "
                      "are allowed",
                      option, step, from, to, temperatures, SCHEDULE_MAX_TEMPERATURES);
    return 0;
}

/* Checks adaptive steps. */
static int check_adaptive(const parameters *p, message m) {
    const setting *const s = setting_of_steps(p);
    char option[SETTING_OPTION_SIZE];
    if (p->population >= SCHEDULE_FEWEST_REPLICAS)
        return 0;
    return refuse(m,
                  "%s %.15g: %s is measured from the population, which must be at "
                  "least %d, not -R %" PRIu64,
                  setting_option(option, s), setting_number(s, p),
                  p->energy_step > 0 ? "the energy" : "the overlap", SCHEDULE_FEWEST_REPLICAS,
                  p->population);
}

/* Checks the inverse temperatures and steps. */
static int check_betas(const parameters *p, message m) {
    if (check_ranges(p, SETTING_REAL, m))
        return -1;
    if (p->beta_end < p->beta_start)
        return refuse(
            m, "-f %.15g: the last inverse temperature must not be below the first, -b %.15g",
            p->beta_end, p->beta_start);
    if (p->overlap != 0 && !(p->overlap > 0 && p->overlap < 1))
        return refuse(m, "-a %.15g: the overlap must be above 0 and below 1", p->overlap);
    /* The overlap 1 - F must also be below 1 in double precision. */
    if (p->culling != 0 && !(p->culling > 0 && 1 - p->culling < 1 && p->culling < 1))
        return refuse(m, "--culling %.15g: the fraction must be above 1e-16 and below 1",
                      p->culling);
    /* A smaller step would be below the spacing of doubles. */
    if (p->energy_step != 0 &&
        !(p->energy_step >= LEAST_ENERGY_STEP && p->energy_step <= MOST_ENERGY_STEP))
        return refuse(m, "--energy-step %.15g: the step must be from %g to %d", p->energy_step,
                      LEAST_ENERGY_STEP, MOST_ENERGY_STEP);
    if (parameters_steps_are_adaptive(p))
        return check_adaptive(p, m);
    return p->betas != NULL ? 0
                            : check_step(m, "-d", p->dbeta, parameters_beta_first(p), p->beta_start,
                                         p->beta_end);
}

/* Checks the sweeps at each temperature. */
static int check_sweeps(const parameters *p, message m) {
    if (p->sweep_gain == 0)
        return 0;
    if (!(p->sweep_gain > 0 && p->sweep_gain <= 1))
        return refuse(m, "--adaptive-sweeps %.15g: the gain must be above 0 and at most 1",
                      p->sweep_gain);
    if (p->population < SCHEDULE_FEWEST_REPLICAS)
        return refuse(m,
                      "--adaptive-sweeps %.15g: R_eff is measured from the population, which must "
                      "be at least %d, not -R %" PRIu64,
                      p->sweep_gain, SCHEDULE_FEWEST_REPLICAS, p->population);
    return 0;
}

/* Checks the grid of the multi-histogram analysis. */
static int check_reweighting(const parameters *p, message m) {
    if (!p->reweight)
        return 0;
    const spin_model lattice = parameters_model(p);
    if (lattice.bonds / 2 >= UINT32_MAX)
        return refuse(m, "-m: lattices with less than 2^32 energies have their histogram; smaller "
                         "ones (-L) do");
    if (lattice.levels.fine && p->method != METHOD_annealing)
        return refuse(m, "-m: allowed with --method annealing only where energies have no levels");
    return check_step(m, "-m", p->reweight_step, p->beta_start, p->beta_start, p->beta_end);
}

static int check_word(const parameters *p, message m) {
    if (p->word != 8 && p->word != 16 && p->word != 32 && p->word != 64)
        return refuse(m, "-p %" PRIu32 ": the replicas a word must be 8, 16, 32 or 64", p->word);
    return 0;
}

/* Checks that an update of lattices without couplings, by clusters or in an order of its own, has such a lattice. */
static int check_plain_lattice(const parameters *p, message m, const update_kind *update) {
    const bool clusters = update->clusters != CLUSTERS_NONE;
    const char *const name = update->name;
    if (p->coding != CODING_SSC && update->order != VISIT_TILES)
        return refuse(m, "--update %s: allowed with -c ssc only: -c msc updates %s", name,
                      clusters ? "32 replicas at once, and each has clusters of its own"
                               : "the sites of a sub-lattice in strips, not one by one");
    if (!clusters && parameters_ask_for_graph(p))
        return refuse(
            m,
            "--update %s: not allowed with --graph, with fields and with odd edges: "
            "it is an order of the sites of lattices with even edges, and without a field",
            name);
    if (parameters_ask_for_graph(p))
        return refuse(m,
                      "--update %s: not allowed with --graph, with fields and with odd edges: its "
                      "clusters are those of lattices with even edges, and without a field",
                      name);
    for (uint32_t d = 0; d < p->boundary.given; d++)
        if (p->boundary.of[d] != BOUNDARY_PERIODIC)
            return refuse(m,
                          "--update %s: all boundaries must be periodic, so that all bonds are "
                          "there, with J = 1",
                          name);
    return 0;
}

/* Checks the update. */
static int check_update(const parameters *p, message m) {
    const update_kind *const update = update_kinds[p->update];
    const visit_order order = update->order;
    if (update->clusters != CLUSTERS_NONE || order != VISIT_CHECKERBOARD)
        return check_plain_lattice(p, m, update) != 0 ||
                       ((order == VISIT_TILES || order == VISIT_DOUBLE_TILING ||
                         order == VISIT_DEAD_BORDER) &&
                        check_tiles(p, m) != 0)
                   ? -1
                   : 0;
    if (update->downhill <= most_general_flips(p->coding, p->rng))
        return 0;
    if (update->downhill > most_general_flips(p->coding, RNG_INDEPENDENT))
        return refuse(
            m,
            "--update %s: allowed with -c ssc only: -c msc decides flips with dE > 0, and others "
            "follow from them, which those of this update do not",
            update->name);
    return refuse(
        m,
        "--update %s: not allowed with -g %s, which decides flips with dE > 0 alone; allowed: "
        "-g independent, or -c ssc",
        update->name, rng_name(p->rng));
}

/* Checks that there is a file whose format is said. */
static int check_format(const parameters *p, message m) {
    if (p->couplings != NULL || p->graph_file != NULL)
        return 0;
    if (p->couplings_format != BONDS_RECOGNISED)
        return refuse(m, "--couplings-format %s: allowed with --couplings or --graph only",
                      bond_dialect_name(p->couplings_format));
    if (p->couplings_from != FIRST_SITE_RECOGNISED)
        return refuse(m, "--couplings-from %s: allowed with --couplings or --graph only",
                      first_site_name(p->couplings_from));
    return 0;
}

/* Checks several samples of the disorder. */
static int check_samples(const parameters *p, message m) {
    if (p->samples - 1 > UINT32_MAX - p->sample)
        return refuse(
            m, "--samples %" PRIu32 ": from --sample %" PRIu32 " on there are %" PRIu64 " samples",
            p->samples, p->sample, UINT64_C(0x100000000) - p->sample);
    if (p->samples != 1 && !p->ground_states && parameters_steps_are_adaptive(p))
        return refuse(
            m,
            "--samples %" PRIu32
            ": allowed with adaptive steps (-a, --culling, --energy-step) in a "
            "search (--ground-states) only: each sample would have temperatures of its own",
            p->samples);
    return 0;
}

/* Checks that a search of the lowest energy has something to find. */
static int check_search(const parameters *p, message m) {
    const spin_model model = parameters_model(p);
    if (!p->ground_states || overlap_is_of_bits(&model) || parameters_ask_for_graph(p))
        return 0;
    return refuse(m,
                  "--ground-states: allowed with --model glass2d or glass3d, --graph, --field and "
                  "--random-field only: the lowest energy of the others is known");
}

/* Checks the inverse temperatures of populations to be saved. */
static int check_saved(const parameters *p, message m) {
    double beta[SAVED_BETAS_MOST];
    const size_t count = parameters_saved_betas(p, beta);
    if (p->save_spins != NULL && count == 0)
        return refuse(m,
                      "--save-spins %.100s: inverse temperatures from 0 to %.15g (-f) are allowed, "
                      "with commas between them, %d at most",
                      p->save_spins, p->beta_end, SAVED_BETAS_MOST);
    for (size_t n = 0; n < count; n++)
        if (!saved_beta_is_reached(beta[n], p->beta_end))
            return refuse(m, "--save-spins %.100s: %.15g is above the last one, -f %.15g",
                          p->save_spins, beta[n], p->beta_end);
    return 0;
}

/* Checks the time of --plan. */
static int check_plan(const parameters *p, message m) {
    if (p->plan.steps > 0)
        return refuse(m, "--plan %" PRIu32 ": a time is allowed, like 30s, 10m or 2h",
                      p->plan.steps);
    if (p->plan.seconds > MOST_PLAN_SECONDS)
        return refuse(m, "--plan %.10gs: the time must be at most %.10gs", p->plan.seconds,
                      MOST_PLAN_SECONDS);
    return 0;
}

/* Checks what methods of fixed temperatures take. */
static int check_method(const parameters *p, message m) {
    if (p->method == METHOD_annealing || p->method == METHOD_microcanonical)
        return 0;
    const char *const name = method_name(p->method);
    if (p->geometric != 0 && !(p->geometric >= 1e-5 && p->geometric <= 10 && p->beta_start > 0))
        return refuse(m,
                      "--geometric %.15g: the step must be from 1e-5 to 10, and -b %.15g above 0",
                      p->geometric, p->beta_start);
    if (p->moves != MOVES_NONE && (p->population < 2 || p->population % 2 != 0))
        return refuse(m, "-R %" PRIu64 ": --moves houdayer pairs chains: an even number of them",
                      p->population);
    if (p->correlation_length && parameters_ask_for_graph(p))
        return refuse(m, "--correlation-length: an odd edge makes a lattice a graph; even edges "
                         "are needed");
    if (parameters_have_walkers(p))
        return check_walkers(p, m);
    if (p->method == METHOD_tempering && parameters_populations(p) < 2)
        return refuse(
            m,
            "--method %s: two temperatures are needed at least, and -b %.15g to -f %.15g has one",
            name, p->beta_start, p->beta_end);
    if (check_words(p, m))
        return -1;
    const uint32_t unit = p->word > 32 ? p->word : 32;
    if (p->coding == CODING_MSC && p->population * p->stripes * parameters_lanes(p) % unit != 0)
        return refuse(m,
                      "-R %" PRIu64
                      ": --method %s takes whole machine words: a multiple of %" PRIu32
                      ", or -c ssc",
                      p->population, name, unit / p->stripes);
    return 0;
}

int parameters_validate(const parameters *p, char *text, size_t size) {
    const message m = {text, size};
    return check_boundary(p, m) || check_size(p, m) || check_fine_graph(p, m) ||
                   check_ranges(p, SETTING_WHOLE, m) || check_ranges(p, SETTING_INT, m) ||
                   check_crystal_field(p, m) || check_word(p, m) || check_betas(p, m) ||
                   check_method(p, m) || check_population(p, m) || check_sweeps(p, m) ||
                   check_reweighting(p, m) || check_update(p, m) || check_samples(p, m) ||
                   check_search(p, m) || check_format(p, m) || check_plan(p, m) || check_saved(p, m)
               ? -1
               : 0;
}
