/* Lattices of spins that are not Ising's in single-spin coding (engine/states.h). They equal, bit for bit,
 * reference/plain_states.c. */
#include "ssc_states.h"

#include <string.h>

void ssc_states_randomise(const state_lattice *l, uint8_t *spin, stream_key key, uint32_t replica) {
    stream_block draw = {{0}};
    for (uint32_t i = 0; i < l->sites; i++) {
        if (i % 2 == 0)
            draw = stream_draw(key, STREAM_RANDOMISE, i / 2, replica, 0, 0);
        const uint64_t x = (uint64_t)draw.number[i % 2 * 2 + 1] << 32 | draw.number[i % 2 * 2];
        spin[i] = (uint8_t)high_product(x, l->states);
    }
}

/* The numbers that were drawn last. */
typedef struct {
    bool drawn;
    uint32_t position;
    stream_block block;
} last_draw;

static void update_site(const state_lattice *l, uint8_t *spin, const ssc_flips *flips,
                        const state_rule *rule, uint32_t i, uint32_t x, uint32_t y, uint32_t z,
                        last_draw *last, int64_t *energy) {
    uint8_t around[STATE_NEIGHBOURS];
    const uint32_t neighbours = state_neighbours(l, spin, i, x, y, z, around);
    const uint32_t position = state_position(i);
    if (!last->drawn || last->position != position)
        *last = (last_draw){true, position,
                            stream_draw(flips->step->key, STREAM_SSC, position, flips->replica,
                                        flips->sweep, flips->step->temperature)};
    const uint64_t number = state_number(last->block.number, i);
    spin[i] =
        (uint8_t)(rule->bounded ? state_below(l, rule, around, neighbours, spin[i], number, energy)
                                : state_update(l, rule, around, neighbours, spin[i], number));
}

/* Every so many sites of a row have the same colour; 1: they are not equally spaced. */
static uint32_t step_of(const state_lattice *l) {
    return l->spins == SPINS_BAXTER_WU ? 3 : l->colours == 2 ? 2 : 1;
}

/* The first site of a row from which on sites of a colour are. */
static uint32_t first_of(const state_lattice *l, uint32_t colour, uint32_t y, uint32_t z) {
    const uint32_t step = step_of(l);
    return step == 3 ? (colour + y) % 3 : step == 2 ? (colour + y + z) % 2 : 0;
}

void ssc_states_sweep(const state_lattice *l, uint8_t *spin, const ssc_flips *flips,
                      const state_rule *rule) {
    const uint32_t lx = l->edge[0], step = step_of(l);
    last_draw last = {.drawn = false};
    int64_t energy = 0, order;
    if (rule->bounded)
        ssc_states_measure(l, spin, &energy, &order);
    for (uint32_t colour = 0; colour < l->colours; colour++)
        for (uint32_t z = 0, i = 0; z < l->edge[2]; z++)
            for (uint32_t y = 0; y < l->edge[1]; y++, i += lx)
                for (uint32_t x = first_of(l, colour, y, z); x < lx; x += step)
                    if (step > 1 || state_colour(l, x, y, z) == colour)
                        update_site(l, spin, flips, rule, i + x, x, y, z, &last, &energy);
}

/* The state of each cluster: another one with CLUSTERS_ONE, else any. */
void ssc_states_flip(const state_lattice *l, uint8_t *spin, const ssc_flips *flips,
                     cluster_flips which, const uint32_t *label) {
    const stream_key key = flips->step->key;
    const uint32_t temperature = flips->step->temperature;
    const uint32_t chosen =
        which == CLUSTERS_ONE
            ? label[cluster_site(key, flips->replica, flips->sweep, temperature, l->sites)]
            : 0;
    for (uint32_t site = 0; site < l->sites; site++) {
        const uint32_t first = label[site];
        if (first < site) {
            spin[site] = which == CLUSTERS_ALL || first == chosen ? spin[first] : spin[site];
            continue;
        }
        if (which == CLUSTERS_ONE && site != chosen)
            continue;
        const stream_block b =
            stream_draw(key, STREAM_SITE, site, flips->replica, flips->sweep, temperature);
        const uint64_t x = (uint64_t)b.number[3] << 32 | b.number[2];
        const uint32_t other = (uint32_t)high_product(x, l->states - 1);
        spin[site] = (uint8_t)(which == CLUSTERS_ALL ? high_product(x, l->states)
                                                     : other + (other >= spin[site]));
    }
}

void ssc_states_measure(const state_lattice *l, const uint8_t *spin, int64_t *energy,
                        int64_t *order) {
    uint32_t sites_in[STATES_MOST] = {0};
    *energy = 0;
    for (uint32_t z = 0, i = 0; z < l->edge[2]; z++)
        for (uint32_t y = 0; y < l->edge[1]; y++)
            for (uint32_t x = 0; x < l->edge[0]; x++, i++) {
                uint8_t around[STATE_NEIGHBOURS];
                state_neighbours(l, spin, i, x, y, z, around);
                *energy += state_energy(l, around, spin[i]);
                sites_in[spin[i]]++;
            }
    *order = state_order(l, sites_in);
}
