/* Counts distinct states in a table of their hashes (ground_states.h). */
#include "ground_states.h"

#include "base/ieee_math.h"
#include "base/message.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE_SIZE    300
#define MOST_PLACES  (GROUND_STATES_BYTES / sizeof(ground_visits))
#define FIRST_PLACES 16384             /* so that regions of a table are about equally full */
#define SEEN_AHEAD   16                /* states whose table entries are fetched ahead */
#define FEW          4096              /* replicas that one thread counts as soon as many do */
#define LARGE_PAGE   ((size_t)2 << 20) /* bytes */
#define MOST_THREADS 8                 /* more wait for the last of them as long as they gain */

/* Places for so many states: a power of two, at most half full. */
static size_t places_for(uint64_t states) {
    size_t places = FIRST_PLACES;
    while (places < 2 * states && places < MOST_PLACES)
        places *= 2;
    return places;
}

uint64_t ground_search_bytes(uint64_t replicas) {
    return places_for(replicas) * sizeof(ground_visits);
}

static int few_threads(void) {
    const int all = omp_get_max_threads();
    return all < MOST_THREADS ? all : MOST_THREADS;
}

/* Allocates an empty table. Entries are found at random places: in pages of the usual size each would be a page fault, which takes
 * longer than all else. Returns NULL without memory. */
static ground_visits *create_table(size_t places) {
    const size_t bytes = places * sizeof(ground_visits), region = bytes / GROUND_REGIONS;
    uint8_t *const table = aligned_alloc(bytes < LARGE_PAGE ? region : LARGE_PAGE, bytes);
    if (table == NULL)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= LARGE_PAGE)
        madvise(table, bytes, MADV_HUGEPAGE); /* a system that refuses has small pages */
#endif
#pragma omp parallel for if (bytes >= LARGE_PAGE) num_threads(few_threads())
    for (size_t n = 0; n < GROUND_REGIONS; n++)
        memset(table + n * region, 0, region);
    return (ground_visits *)table;
}

/* Without memory for all states the table has fewer places. */
int ground_search_begin(ground_search *g, double energy, uint64_t replicas, uint64_t founders) {
    *g = (ground_search){
        .found = {.energy = energy}, .founders = founders, .places = places_for(replicas)};
    while ((g->state = create_table(g->places)) == NULL && g->places > FIRST_PLACES)
        g->places /= 2;
    return g->state != NULL ? 0 : -1;
}

/* The region of the table where a state is; and the place in it where the search for its entry begins. */
static size_t region_of(uint64_t hash) {
    return hash / (UINT64_MAX / GROUND_REGIONS + 1);
}

static ground_visits *first_entry(const ground_search *g, uint64_t hash) {
    const size_t places = g->places / GROUND_REGIONS;
    return g->state + region_of(hash) * places + (hash & (places - 1));
}

/* The entry of a state, or the free one that it would get. */
static ground_visits *entry_of(const ground_search *g, uint64_t hash) {
    const size_t places = g->places / GROUND_REGIONS;
    ground_visits *const region = g->state + region_of(hash) * places;
    size_t n = hash & (places - 1);
    while (region[n].families > 0 && region[n].hash != hash)
        n = (n + 1) & (places - 1);
    return &region[n];
}

/* Counts the visit of a family to a state. A region takes states until it is three quarters full: it has an equal share of all
 * states, half of its places at most, but for chance. */
static void visit(ground_search *g, uint64_t hash, uint32_t family) {
    ground_region *const r = &g->region[region_of(hash)];
    ground_visits *const v = entry_of(g, hash);
    const bool new = v->families == 0;
    if (new && r->distinct >= g->places / GROUND_REGIONS / 4 * 3)
        r->more = true;
    else if (new || v->last != family) {
        r->distinct += new;
        r->visits++;
        r->once += new;
        r->once -= v->families == 1;
        *v = (ground_visits){hash, family, v->families + 1};
    }
}

static void end_family(ground_search *g) {
    if (g->members == 0)
        return;
    g->found.families++;
    g->found.squares += g->members * g->members;
    g->founder[population_block(g->family, g->founders)] += g->members;
    g->members = 0;
}

/* Counts the visits to states of some regions. */
static void visit_regions(ground_search *g, const bool mine[], size_t count, const uint64_t hash[],
                          const uint32_t family[]) {
    uint64_t last = g->hash;
    bool member = g->members > 0 && family[0] == g->family;
    for (size_t n = 0; n < count; n++) {
        if (n + SEEN_AHEAD < count && mine[region_of(hash[n + SEEN_AHEAD])])
            __builtin_prefetch(first_entry(g, hash[n + SEEN_AHEAD]), 1);
        member = n > 0 ? family[n] == family[n - 1] : member;
        if (mine[region_of(hash[n])] && !(member && hash[n] == last))
            visit(g, hash[n], family[n]); /* siblings often have the same state */
        last = hash[n];
    }
}

/* Threads share the regions. */
void ground_search_add(ground_search *g, size_t count, const uint64_t hash[],
                       const uint32_t family[]) {
    if (count == 0)
        return;
#pragma omp parallel if (count > FEW) num_threads(few_threads())
    {
        const size_t threads = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        bool mine[GROUND_REGIONS];
        for (size_t n = 0; n < GROUND_REGIONS; n++)
            mine[n] = n % threads == me;
        if (me < GROUND_REGIONS)
            visit_regions(g, mine, count, hash, family);
    }
    for (size_t n = 0; n < count; n++) {
        if (family[n] != g->family)
            end_family(g);
        g->family = family[n];
        g->members++;
    }
    g->hash = hash[count - 1];
    g->found.replicas += count;
}

/* Adds the numbers of adjacent blocks: [blocks] become [blocks / 2]. */
static void halve(uint64_t number[], size_t blocks) {
    for (size_t b = 0; b < blocks / 2; b++)
        number[b] = number[2 * b] + number[2 * b + 1];
}

/* The effective number of families in the lowest state: (sum m)^2 / sum m^2 of their members m. */
static double families_that_count(const ground_states *g) {
    const double members = (double)g->replicas;
    return members * members / (double)g->squares;
}

/* The jackknife error of ln g over blocks of founders, each of which is left out of the replicas
 * with the energy, of all replicas, and of the free energy. nan if blocks do not tell. */
static double error_of_ln_g(const ground_search *s, const histogram *h, const free_energy_path *f) {
    const size_t blocks = blocking_choose(h);
    uint64_t lowest[POPULATION_BLOCKS], all[POPULATION_BLOCKS];
    double without[POPULATION_BLOCKS];
    if (blocks == 0)
        return NAN;
    memcpy(lowest, s->founder, sizeof lowest);
    for (size_t b = 0; b < POPULATION_BLOCKS; b++)
        all[b] = h->founder[b].replicas;
    for (size_t n = POPULATION_BLOCKS; n > blocks; n /= 2) {
        halve(lowest, n);
        halve(all, n);
    }
    free_energy_without(f, blocks, without);
    for (size_t b = 0; b < blocks; b++)
        without[b] += ieee_log((double)(s->found.replicas - lowest[b])) -
                      ieee_log((double)(h->population - all[b]));
    const double error = jackknife_error(without, blocks);
    return isfinite(error) ? error : NAN;
}

void ground_search_estimate(ground_search *s, const histogram *h, const free_energy_path *f,
                            double beta) {
    ground_states *const g = &s->found;
    end_family(s);
    g->below = ground_states_below(g, h);
    g->ln_g = ieee_log((double)g->replicas) - ieee_log((double)h->population) - f->beta_f +
              beta * g->energy;
    g->ln_g_error = families_that_count(g) < GROUND_FAMILIES ? NAN : error_of_ln_g(s, h, f);
}

void ground_search_end(ground_search *g, ground_states *found) {
    end_family(g);
    for (const ground_region *r = g->region; r < g->region + GROUND_REGIONS; r++) {
        g->found.distinct += r->distinct;
        g->found.visits += r->visits;
        g->found.once += r->once;
        g->found.more = g->found.more || r->more;
    }
    if (found != NULL)
        *found = g->found;
    free(g->state);
}

void ground_states_destroy(ground_states *g) {
    free(g->spins);
    g->spins = NULL;
}

double ground_states_missed(const ground_states *g) {
    return ground_states_doubt(g) == GROUND_SOUND ? ieee_exp(-families_that_count(g)) : NAN;
}

ground_doubt ground_states_doubt(const ground_states *g) {
    if (g->replicas == 0)
        return GROUND_UNKNOWN;
    if (g->seen < g->energy)
        return GROUND_LOST;
    if (families_that_count(g) < GROUND_FAMILIES)
        return GROUND_FEW;
    return g->below < GROUND_FAMILIES ? GROUND_WARM : GROUND_SOUND;
}

double ground_states_new(const ground_states *g) {
    return (double)g->once / (double)g->visits;
}

bool ground_states_all_seen(const ground_states *g) {
    const double states = (double)g->distinct, each = (double)g->visits / states;
    const double ln_states = ieee_log(2 * states);
    return !g->more && g->once == 0 && states * ieee_exp(-each) < GROUND_UNSEEN &&
           !(g->ln_g - GROUND_SIGMAS * g->ln_g_error > ln_states);
}

/* The number of replicas of a level; 1 where there are none, because it is a divisor. */
static double occupation(const histogram *h, size_t level) {
    const bool any = level < h->end && h->level[level].replicas > 0;
    return any ? (double)h->level[level].replicas : 1;
}

double ground_states_below(const ground_states *g, const histogram *h) {
    size_t lowest = h->first;
    while (h->level[lowest].replicas == 0)
        lowest++;
    if (2 * h->level[lowest].replicas >= h->population)
        return families_that_count(g);
    const double n = occupation(h, lowest), next = occupation(h, lowest + 1);
    const double fall = n / next, fall_before = next / occupation(h, lowest + 2);
    return families_that_count(g) * fmin(1, fall * fall / fall_before);
}

/* Writes the warning into `line`. Returns false if there is none. */
static bool say(char line[LINE_SIZE], const ground_states *g) {
    switch (ground_states_doubt(g)) {
    case GROUND_UNKNOWN:
    case GROUND_SOUND:
        return false;
    case GROUND_LOST:
        snprintf(line, LINE_SIZE, "a lower energy was seen at a higher temperature, and lost");
        break;
    case GROUND_FEW:
        snprintf(
            line, LINE_SIZE,
            "too few families to tell whether there is a lower energy: the lowest one has %.2g "
            "that count, fewer than %d; a larger population (-R), more sweeps (-t) or a larger "
            "beta (-f) would help",
            families_that_count(g), GROUND_FAMILIES);
        break;
    case GROUND_WARM:
        snprintf(line, LINE_SIZE,
                 "too warm to tell whether there is a lower energy: %" PRIu64
                 " replicas have the lowest one, and a level below would have about %.2g "
                 "independent families, fewer than %d; a larger beta (-f) or population (-R) would "
                 "help",
                 g->replicas, g->below, GROUND_FAMILIES);
        break;
    }
    return true;
}

void ground_states_print(FILE *file, const ground_states *g) {
    char line[LINE_SIZE];
    if (say(line, g))
        fprintf(file, "# warning: %s\n", line);
}

size_t ground_states_doubtful(const ground_states ground[], size_t runs) {
    char line[LINE_SIZE];
    size_t count = 0;
    for (size_t run = 0; run < runs; run++)
        count += say(line, &ground[run]);
    return count;
}

void ground_states_warn(const ground_states ground[], size_t runs) {
    char line[LINE_SIZE];
    const size_t count = ground_states_doubtful(ground, runs);
    size_t first = 0;
    while (first < runs && !say(line, &ground[first]))
        first++;
    if (count > 0 && runs == 1)
        warn("warning: ground states: %s", line);
    else if (count > 0)
        warn("warning: ground states of %zu of %zu runs, the first run %zu: %s", count, runs, first,
             line);
}

bool ground_states_transfer(section_file *f, ground_states *g, const spin_model *model) {
    const size_t bytes = model_packed_bytes(model);
    if (!SECTION_VALUE(f, g->seen) || !SECTION_VALUE(f, g->energy) ||
        !SECTION_VALUE(f, g->replicas) || !SECTION_VALUE(f, g->families) ||
        !SECTION_VALUE(f, g->squares) || !SECTION_VALUE(f, g->below) ||
        !SECTION_VALUE(f, g->distinct) || !section_bool(f, &g->more) ||
        !SECTION_VALUE(f, g->visits) || !SECTION_VALUE(f, g->once) || !SECTION_VALUE(f, g->ln_g) ||
        !SECTION_VALUE(f, g->ln_g_error))
        return false;
    if (g->replicas == 0)
        return true;
    if (f->mode == SECTION_READ && (g->spins = section_allocate(f, bytes, 1)) == NULL)
        return false;
    return section_transfer(f, g->spins, bytes);
}
