/* Canonical simulation: R independent replicas at each of fixed temperatures, in runs side by side. With --reweight it counts the energies
 * that it meets, with |M|, for the multi-histogram analysis. It looks for replicas that never move. Spins that are vectors have sums of
 * their own (vector_series.h). */
#include "estimate/chain_means.h"
#include "files/result_names.h"
#include "files/results.h"
#include "files/series_results.h"
#include "series.h"
#include "settings/plans.h"
#include "vector_series.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Energies are counted in a window, which grows: large lattices have many more levels than those that they meet. */
#define BINS_STEP 256
#define BINS_MOST ((size_t)1 << 20) /* of all temperatures together */

/* Small lattices have states that Metropolis' rule never leaves: no flip costs energy, and each sweep makes all of them. Their energy is 0.
 * A replica that shows no other one in so many measurements is in such a state. Larger lattices hardly ever begin there. */
#define TRAP_SITES  64
#define TRAP_VALUES 64

typedef struct {
    block_counts
        energies; /* of all runs together, at each temperature of one; bin n is level first + n */
    size_t first;
    uint32_t *level;   /* [temperatures R] of the replicas at hand; NULL: nobody looks for traps */
    chain_means moved; /* of |E|, of each replica */
} canonical;

static size_t temperatures_of_run(const series *s) {
    return s->temperatures / s->runs;
}

/* Whether replicas may be in states that they never leave. */
static bool has_traps(const parameters *p, const spin_model *m) {
    const update_kind *const rule = parameters_acceptance(p);
    return m->sites <= TRAP_SITES && m->spins == SPINS_ISING && !m->levels.fine &&
           rule->downhill == DOWNHILL_ALWAYS && rule->clusters == CLUSTERS_NONE;
}

static bool create(series *s) {
    canonical *const c = s->state;
    const size_t replicas = s->temperatures * s->given->population;
    c->energies.temperatures = temperatures_of_run(s);
    if (!has_traps(s->given, &s->model))
        return true;
    c->level = calloc(replicas, sizeof *c->level);
    return c->level != NULL &&
           !chain_means_create(&c->moved, s->temperatures, s->given->population);
}

static void destroy(series *s) {
    canonical *const c = s->state;
    block_counts_destroy(&c->energies);
    chain_means_destroy(&c->moved);
    free(c->level);
}

/* Widens the window to levels first .. end - 1, and somewhat more. */
static bool make_room(series *s, size_t first, size_t end) {
    canonical *const c = s->state;
    block_counts *const e = &c->energies;
    const size_t before = c->first, there = before + e->bins;
    if (e->bins > 0 && first >= before && end <= there)
        return true;
    const size_t from = e->bins > 0 && before < first ? before : first,
                 to = e->bins > 0 && there > end ? there : end, spare = (to - from) / 4 + BINS_STEP,
                 low = from == before && e->bins > 0 ? from
                       : from > spare                ? from - spare
                                                     : 0,
                 wide = to == there && e->bins > 0 ? to : to + spare,
                 high = wide < s->model.levels.count ? wide : s->model.levels.count;
    if ((high - low) * e->temperatures > BINS_MOST)
        return series_fail(s,
                           "-m: measured energies are spread over %zu levels at %zu temperatures; "
                           "a longer thermalisation, or fewer temperatures, would help",
                           high - low, e->temperatures);
    if (block_counts_widen(e, e->bins > 0 ? before - low : 0, high - (e->bins > 0 ? there : low)))
        return series_fail(s, "not enough memory for the energies");
    c->first = low;
    return true;
}

/* Counts replicas of level n with this sum of |M|. */
static void count(canonical *c, size_t block, size_t k, size_t n, uint64_t replicas,
                  uint64_t order) {
    const block_counts *const e = &c->energies;
    const size_t at = (block * e->temperatures + k) * e->bins + n - c->first;
    e->count[at] += replicas;
    e->order[at] += order;
}

/* The level and |M| of a lattice that is cut into stripes. */
static void look_at_stripes(const series *s, size_t lattice, size_t *level, uint64_t *order) {
    const uint32_t stripes = s->given->stripes;
    int64_t bonds = 0, up = 0;
    for (size_t n = lattice * stripes; n < (lattice + 1) * stripes; n++) {
        bonds += s->unsatisfied[n];
        up += s->up[n];
    }
    const int64_t energy = 2 * bonds - (int64_t)s->model.bonds;
    *level = (size_t)((energy - s->model.levels.lowest) / s->model.levels.spacing);
    *order = (uint64_t)llabs(2 * up - (int64_t)s->model.sites);
}

static bool count_stripes(series *s, size_t block, size_t k) {
    for (size_t r = 0; r < s->given->population; r++) {
        size_t level;
        uint64_t order;
        look_at_stripes(s, k * s->given->population + r, &level, &order);
        if (!make_room(s, level, level + 1))
            return false;
        count(s->state, block, k % temperatures_of_run(s), level, 1, order);
    }
    return true;
}

static bool count_replicas(series *s, size_t block, size_t k) {
    const histogram *const h = &s->steps.group[k];
    if (!make_room(s, h->first, h->end))
        return false;
    for (size_t n = h->first; n < h->end; n++)
        count(s->state, block, k % temperatures_of_run(s), n, histogram_level(h, n)->replicas,
              histogram_level(h, n)->abs_m);
    return true;
}

/* Adds |E| of each replica. */
static bool look_for_moves(series *s) {
    canonical *const c = s->state;
    engine *const e = s->steps.engine;
    const size_t replicas = s->temperatures * s->given->population;
    if (c->level == NULL || !chain_means_take((uint32_t)s->record.count, s->given->measurements))
        return true;
    if (e->verbs->read_levels(e, 0, replicas, c->level) != ENGINE_OK)
        return series_fail(s, "%s failed: %.200s", e->name, e->error);
    for (size_t r = 0; r < replicas; r++)
        c->moved.sum[r] += fabs((double)level_energy(s->model.levels, c->level[r]));
    c->moved.values++;
    return true;
}

/* The replicas in traps, of temperatures from .. to - 1 of all runs. */
static size_t count_trapped(const series *s, size_t from, size_t to) {
    const canonical *const c = s->state;
    size_t trapped = 0;
    for (size_t r = from * c->moved.chains; r < to * c->moved.chains; r++)
        trapped += c->moved.values >= TRAP_VALUES && c->moved.sum[r] == 0;
    return trapped;
}

/* Trusts no row of a run with replicas in traps; of the averages, of any run. */
static bool judge(const series *s, size_t run, series_row row[]) {
    const size_t each = temperatures_of_run(s);
    for (size_t n = 0; n < s->temperatures; n++)
        if ((run == s->runs || n / each == run) && count_trapped(s, n, n + 1) > 0)
            row[n % each].trusted = false;
    return true;
}

static void warn_of_traps(const series *s) {
    const size_t trapped = count_trapped(s, 0, s->temperatures);
    if (trapped > 0)
        warn("warning: %zu of %zu replicas never leave states of energy 0, where Metropolis' rule "
             "flips each spin in each sweep; --update heat-bath would help",
             trapped, s->temperatures * s->given->population);
}

static bool measured(series *s) {
    const size_t block = time_block_of(s->record.count - 1, s->record.room);
    bool good = look_for_moves(s);
    for (size_t k = 0; k < s->temperatures && good && s->given->reweight; k++)
        good = s->given->stripes > 1 ? count_stripes(s, block, k) : count_replicas(s, block, k);
    return good;
}

static bool transfer(section_file *f, series *s) {
    canonical *const c = s->state;
    uint64_t first = c->first, bins = c->energies.bins;
    if (c->level != NULL && !chain_means_transfer(f, &c->moved))
        return false;
    if (!s->given->reweight)
        return true;
    if (!section_choice(f, &first, s->model.levels.count) || !section_choice(f, &bins, BINS_MOST))
        return false;
    if (f->mode == SECTION_READ && bins > 0) {
        if (first + bins > s->model.levels.count)
            return section_altered(f);
        c->first = first;
        if (block_counts_widen(&c->energies, 0, bins))
            return section_fail(f, "not enough memory for the energies");
    }
    return block_counts_transfer(f, &c->energies);
}

/* --- results --- */

/* The model, whose levels are the bins. */
static spin_model model_of_bins(const series *s) {
    const canonical *const c = s->state;
    spin_model m = s->model;
    m.levels.lowest = level_energy(m.levels, c->first);
    m.levels.count = (uint32_t)c->energies.bins;
    return m;
}

static exit_status write_energies(const series *s, const spin_model *m, result_folder *folder) {
    static const file_column column[] = {
        {"beta", "inverse temperature, in 1/J"},
        {"E", "energy of the lattice, in J"},
        {"count", "replicas that had it, in all measurements of all runs"},
        {"|m|", "mean of the absolute magnetisation per spin of these"},
    };
    const canonical *const c = s->state;
    const size_t columns = m->disordered ? 3 : 4, all = c->energies.temperatures * c->energies.bins;
    uint64_t *const sum = malloc(2 * all * sizeof *sum);
    if (sum == NULL)
        return complain(STATUS_FAILED, "not enough memory for the energies");
    block_counts_sum(&c->energies, TIME_BLOCKS, sum);
    block_counts_sum_order(&c->energies, TIME_BLOCKS, sum + all);
    FILE *const file =
        series_results_begin(folder, ENERGIES_FILE, s->given, m, "", column, columns);
    for (size_t n = 0; n < all && file != NULL; n++) {
        if (sum[n] == 0)
            continue;
        const double counted = (double)sum[n],
                     x[] = {s->beta[n / c->energies.bins],
                            (double)level_energy(m->levels, n % c->energies.bins) /
                                level_unit(m->levels),
                            counted,
                            (double)sum[all + n] / counted / (double)model_largest_order(m)};
        results_print_row(file, s->given->precision, x, columns);
    }
    free(sum);
    return file != NULL ? STATUS_OK : STATUS_FAILED;
}

/* The width of the energies at a temperature of the first run. */
static double width_at(const series *s, size_t k) {
    double e = 0, e2 = 0;
    for (size_t t = 0; t < s->record.count; t++) {
        e += s->record.of[t * s->temperatures + k].e;
        e2 += s->record.of[t * s->temperatures + k].e2;
    }
    e /= (double)s->record.count;
    return (double)s->model.sites * sqrt(fmax(0, e2 / (double)s->record.count - e * e));
}

/* The grid of --reweight, with further steps at both ends: as long as the mean energy moves by less than its width, so that the energies
 * that were counted are those of the other temperature. */
static beta_grid grid_of(const series *s) {
    beta_grid grid = parameters_grid(s->given);
    const double low = width_at(s, 0), high = width_at(s, temperatures_of_run(s) - 1);
    if (low > 0)
        grid.start -= floor(fmin(1 / low, grid.start) / grid.step) * grid.step;
    if (high > 0)
        grid.end += floor(1 / high / grid.step) * grid.step;
    return grid;
}

static exit_status write_histograms(const series *s, result_folder *folder) {
    const canonical *const c = s->state;
    if (!s->given->reweight)
        return STATUS_OK;
    const spin_model bins = model_of_bins(s);
    const beta_grid grid = grid_of(s);
    const exit_status status = write_energies(s, &bins, folder);
    return status ? status : series_write_reweighted(s, &c->energies, &bins, &grid, folder);
}

/* --- method --- */

static const series_method way = {.state_bytes = sizeof(canonical),
                                  .create = create,
                                  .destroy = destroy,
                                  .measured = measured,
                                  .judge = judge,
                                  .warn = warn_of_traps,
                                  .transfer = transfer,
                                  .write = write_histograms};

static exit_status run(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal) {
    return series_run(p, engines, folder, p->vector_observables ? &vector_series : &way, signal);
}

static memory_share bytes(const parameters *p) {
    const spin_model model = parameters_model(p);
    const uint64_t temperatures = parameters_populations(p) / parameters_series_runs(p),
                   levels = model.levels.count,
                   bins = levels < BINS_MOST / temperatures ? levels : BINS_MOST / temperatures;
    memory_share share = series_bytes(p);
    share.each += p->vector_observables ? vector_series_bytes(p) : 0;
    share.each += has_traps(p, &model) ? parameters_populations(p) * p->population *
                                             (sizeof(uint32_t) + sizeof(double))
                                       : 0;
    share.each += p->reweight ? 2 * temperatures * TIME_BLOCKS * bins * sizeof(uint64_t) : 0;
    return share;
}

extern const method canonical_method;
const method canonical_method = {.run = run, .bytes = bytes};
