/* Sweeps, measurements and copies of a lattice in single-spin coding. For the square ferromagnet
 * they equal, bit for bit, sweep_lattice() and measure_lattice() in reference/plain.c. */
#include "ssc_lattice.h"

#include "base/portable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t ssc_replica_bytes(const spin_model *model) {
    return model->spins == SPINS_VECTOR ? model_packed_bytes(model) : (size_t)model->sites;
}

uint64_t ssc_lattice_bytes(const spin_model *model) {
    const uint64_t size = model->spins == SPINS_VECTOR
                              ? (model->real == REAL_DOUBLE ? sizeof(double) : sizeof(float))
                          : model->levels.fine ? sizeof(int32_t)
                                               : sizeof(int8_t);
    return model->coupled ? model->dimension * model->sites * size : 0;
}

void ssc_lattice_destroy(ssc_lattice *lattice) {
    free(lattice->bonds);
    free(lattice->values);
    free(lattice->vectors.couplings);
}

/* Sorts the values of the bonds by their direction. */
static int take_values(ssc_lattice *lattice, const spin_model *model) {
    lattice->values = malloc(ssc_lattice_bytes(model));
    for (uint32_t d = 0; lattice->values && d < model->dimension; d++)
        for (size_t site = 0; site < lattice->sites; site++)
            lattice->values[d * lattice->sites + site] =
                model->sample->value[site * model->dimension + d];
    return lattice->values ? 0 : -1;
}

int ssc_lattice_create(ssc_lattice *lattice, const spin_model *model) {
    *lattice = (ssc_lattice){.dimension = model->dimension,
                             .sites = model->sites,
                             .graph = model->graph,
                             .kernels = msc_kernels_best()};
    memcpy(lattice->edge, model->edge, sizeof lattice->edge);
    lattice->bytes = ssc_replica_bytes(model);
    if (model->spins == SPINS_VECTOR)
        lattice->vectors = vector_lattice_of(model);
    else if (model->spins != SPINS_ISING)
        lattice->states = state_lattice_of(model);
    if (model->sample == NULL || model->spins == SPINS_VECTOR)
        return 0;
    if (model->levels.fine)
        return take_values(lattice, model);
    lattice->bonds = malloc(ssc_lattice_bytes(model));
    for (uint32_t d = 0; lattice->bonds && d < model->dimension; d++)
        for (size_t site = 0; site < lattice->sites; site++)
            lattice->bonds[d * lattice->sites + site] =
                (int8_t)couplings_sign(model->sample, site, d);
    return lattice->bonds ? 0 : -1;
}

static uint32_t quads_of(uint64_t sites) {
    return (uint32_t)(sites / 2 + 3) / 4;
}

static uint32_t whole_vectors(uint32_t quads) {
    return (quads + DRAWN_CALLS - 1) / DRAWN_CALLS * DRAWN_CALLS;
}

uint32_t ssc_calls(const spin_model *model) {
    return whole_vectors(quads_of(model->sites));
}

/* --- neighbours --- */

/* A row of a lattice, of spins or bonds, and the adjacent rows. */
typedef struct {
    const int8_t *here, *above, *below, *before, *behind;
} row_set;

TEMPLATE row_set row_of(const ssc_lattice *l, uint32_t dimension, const int8_t *site, uint32_t y,
                        uint32_t z) {
    const size_t lx = l->edge[0], ly = l->edge[1], lz = l->edge[2], layer = lx * ly;
    const int8_t *const first = site + z * layer;
    row_set row = {.here = first + y * lx,
                   .above = first + (y ? y - 1 : ly - 1) * lx,
                   .below = first + (y + 1 < ly ? y + 1 : 0) * lx};
    if (dimension == 3) {
        row.before = site + (z ? z - 1 : lz - 1) * layer + y * lx;
        row.behind = site + (z + 1 < lz ? z + 1 : 0) * layer + y * lx;
    }
    return row;
}

/* Rows of bonds in each direction. */
typedef struct {
    row_set x, y, z;
} bond_rows;

TEMPLATE bond_rows bonds_of(const ssc_lattice *l, uint32_t dimension, bool disordered, uint32_t y,
                            uint32_t z) {
    bond_rows rows = {.x = {NULL}};
    if (disordered) {
        rows.x = row_of(l, dimension, l->bonds, y, z);
        rows.y = row_of(l, dimension, l->bonds + l->sites, y, z);
    }
    if (disordered && dimension == 3)
        rows.z = row_of(l, dimension, l->bonds + 2 * l->sites, y, z);
    return rows;
}

/* The local field at site x of a row: the sum of its neighbours, each times its coupling. */
TEMPLATE int field_at(uint32_t dimension, bool disordered, row_set s, bond_rows j, size_t x,
                      size_t left, size_t right) {
    if (!disordered) {
        const int plane = s.above[x] + s.below[x] + s.here[left] + s.here[right];
        return dimension < 3 ? plane : plane + s.before[x] + s.behind[x];
    }
    const int plane = j.y.above[x] * s.above[x] + j.y.here[x] * s.below[x] +
                      j.x.here[left] * s.here[left] + j.x.here[x] * s.here[right];
    return dimension < 3 ? plane : plane + j.z.before[x] * s.before[x] + j.z.here[x] * s.behind[x];
}

/* --- sweeps --- */

/* Thresholds indexed by the product of a spin and its field, which is z - 2 d with d of z = 2 dimension bonds
 * unsatisfied. A site with an odd number of bonds has an odd product, z - 1 - 2 d: the missing ones are counted so that
 * this holds (model_counted_at_lowest). */
typedef struct {
    uint64_t of[4 * MODEL_MAX_DIMENSION + 1];
} product_thresholds;

TEMPLATE product_thresholds by_product(uint32_t dimension, const ssc_flips *flips) {
    product_thresholds t = {{0}};
    for (uint32_t d = 0; d <= 2 * dimension; d++) {
        const bool mirrored = flips->downhill == DOWNHILL_COMPLEMENT && d > dimension,
                   always = flips->downhill == DOWNHILL_ALWAYS && d >= dimension;
        t.of[4 * dimension - 2 * d] =
            always ? UINT64_C(1) << 32
                   : flips->thresholds.threshold[mirrored ? 2 * dimension - d : d];
    }
    for (uint32_t d = 0; d < 2 * dimension; d++) {
        const bool mirrored = flips->downhill == DOWNHILL_COMPLEMENT && d >= dimension,
                   always = flips->downhill == DOWNHILL_ALWAYS && d >= dimension;
        t.of[4 * dimension - 1 - 2 * d] =
            always ? UINT64_C(1) << 32 : flips->odd.threshold[mirrored ? 2 * dimension - 1 - d : d];
    }
    return t;
}

/* Decides the flip of site x of a row, `here`; `complement`: the opposite if the energy falls. */
TEMPLATE void flip_site(uint32_t dimension, bool disordered, bool complement, row_set row,
                        bond_rows bonds, int8_t *here, size_t x, size_t left, size_t right,
                        const uint64_t *threshold, const uint32_t *number) {
    const int field = field_at(dimension, disordered, row, bonds, x, left, right);
    const int product = here[x] * field;
    const int flip = (*number < threshold[product]) ^ (complement && product < 0);
    here[x] = (int8_t)(here[x] ^ -2 * flip); /* 1 ^ -2 is -1, and back */
}

TEMPLATE void sweep_lattice(const ssc_lattice *l, uint32_t dimension, bool disordered,
                            bool complement, int8_t *spin, const ssc_flips *flips,
                            uint32_t *numbers) {
    const uint32_t quads = quads_of(l->sites), calls = whole_vectors(quads);
    const size_t last = l->edge[0] - 1;
    const uint32_t ly = l->edge[1], lz = dimension < 3 ? 1 : l->edge[2];
    const product_thresholds thresholds = by_product(dimension, flips);
    const uint64_t *const threshold = thresholds.of + 2 * dimension;
    for (uint32_t parity = 0; parity < 2; parity++) {
        const uint32_t *number = numbers;
        l->kernels->draw(numbers, parity * quads, calls, flips->step->key, flips->replica,
                         flips->sweep, flips->step->temperature);
        for (uint32_t z = 0; z < lz; z++)
            for (uint32_t y = 0; y < ly; y++) {
                const row_set row = row_of(l, dimension, spin, y, z);
                const bond_rows bonds = bonds_of(l, dimension, disordered, y, z);
                int8_t *const here = spin + (row.here - spin);
                size_t x = (z + y + parity) % 2;
                if (x == 0) {
                    flip_site(dimension, disordered, complement, row, bonds, here, 0, last, 1,
                              threshold, number++);
                    x = 2;
                }
                for (; x < last; x += 2)
                    flip_site(dimension, disordered, complement, row, bonds, here, x, x - 1, x + 1,
                              threshold, number++);
                if (x == last)
                    flip_site(dimension, disordered, complement, row, bonds, here, last, last - 1,
                              0, threshold, number++);
            }
    }
}

/* noinline: inlined into its caller, a sweep shares its registers and takes more instructions. */
#define SWEEP(name, dimension, disordered)                                                         \
    __attribute__((noinline)) static void name(const ssc_lattice *l, int8_t *spin,                 \
                                               const ssc_flips *flips, uint32_t *numbers) {        \
        sweep_lattice(l, dimension, disordered, false, spin, flips, numbers);                      \
    }                                                                                              \
    __attribute__((noinline)) static void name##_complement(                                       \
        const ssc_lattice *l, int8_t *spin, const ssc_flips *flips, uint32_t *numbers) {           \
        sweep_lattice(l, dimension, disordered, true, spin, flips, numbers);                       \
    }
SWEEP(sweep_square, 2, false)
SWEEP(sweep_square_sample, 2, true)
SWEEP(sweep_cubic, 3, false)
SWEEP(sweep_cubic_sample, 3, true)

/* Whether flip_half() of msc_kernels.h makes these flips: thresholds may fall where those of improbable flips are cut off. */
static bool flips_by_vectors(const ssc_lattice *l, const ssc_flips *flips) {
    const uint32_t *const t = flips->thresholds.threshold;
    bool rises = flips->downhill != DOWNHILL_OF_ITS_OWN;
    for (uint32_t d = 1; d + (flips->downhill == DOWNHILL_ALWAYS) <= l->dimension; d++)
        rises = rises && t[d - 1] <= t[d];
    return rises && l->bonds == NULL && l->edge[0] % SSC_VECTOR_SITES == 0;
}

static void sweep_by_vectors(const ssc_lattice *l, int8_t *spin, const ssc_flips *flips,
                             uint32_t *numbers) {
    const uint32_t quads = quads_of(l->sites);
    ssc_half half = {.dimension = l->dimension,
                     .complement = flips->downhill == DOWNHILL_COMPLEMENT,
                     .threshold = flips->thresholds.threshold};
    memcpy(half.edge, l->edge, sizeof half.edge);
    for (half.parity = 0; half.parity < 2; half.parity++) {
        l->kernels->draw(numbers, half.parity * quads, whole_vectors(quads), flips->step->key,
                         flips->replica, flips->sweep, flips->step->temperature);
        l->kernels->flip_half(spin, &half, numbers);
    }
}

void ssc_sweep(const ssc_lattice *l, int8_t *spin, const ssc_flips *flips, uint32_t *numbers) {
    /* by dimension, couplings, complement */
    static void (*const sweep[2][2][2])(const ssc_lattice *, int8_t *, const ssc_flips *,
                                        uint32_t *) = {
        {{sweep_square, sweep_square_complement},
         {sweep_square_sample, sweep_square_sample_complement}},
        {{sweep_cubic, sweep_cubic_complement},
         {sweep_cubic_sample, sweep_cubic_sample_complement}}};
    if (l->graph != NULL)
        ssc_graph_sweep(l->graph, spin, flips);
    else if (l->values != NULL)
        ssc_fine_sweep(l, spin, flips);
    else if (flips_by_vectors(l, flips))
        sweep_by_vectors(l, spin, flips, numbers);
    else
        sweep[l->dimension - 2][l->bonds != NULL][flips->downhill == DOWNHILL_COMPLEMENT](
            l, spin, flips, numbers);
}

/* --- measurements --- */

/* Each site counts its bonds to the right, downwards and backwards. */
TEMPLATE int64_t measure_bonds(const ssc_lattice *l, uint32_t dimension, bool disordered,
                               const int8_t *spin) {
    const uint32_t lx = l->edge[0], lz = dimension < 3 ? 1 : l->edge[2];
    int64_t energy = 0;
    for (uint32_t z = 0; z < lz; z++)
        for (uint32_t y = 0; y < l->edge[1]; y++) {
            const row_set row = row_of(l, dimension, spin, y, z);
            const bond_rows j = bonds_of(l, dimension, disordered, y, z);
            for (uint32_t x = 0; x < lx; x++) {
                const int right = row.here[x + 1 < lx ? x + 1 : 0], below = row.below[x],
                          behind = dimension < 3 ? 0 : row.behind[x];
                const int jx = disordered ? j.x.here[x] : 1, jy = disordered ? j.y.here[x] : 1,
                          jz = disordered && dimension == 3 ? j.z.here[x] : 1;
                energy -= row.here[x] * (jx * right + jy * below + jz * behind);
            }
        }
    return energy;
}

void ssc_measure(const ssc_lattice *l, const int8_t *spin, int64_t *energy,
                 int64_t *magnetisation) {
    if (l->graph != NULL)
        *energy = graph_energy(l->graph, spin);
    else if (l->values != NULL)
        *energy = ssc_fine_energy(l, spin);
    else if (l->dimension == 2)
        *energy = l->bonds ? measure_bonds(l, 2, true, spin) : measure_bonds(l, 2, false, spin);
    else
        *energy = l->bonds ? measure_bonds(l, 3, true, spin) : measure_bonds(l, 3, false, spin);
    *magnetisation = 0;
    for (size_t site = 0; site < l->sites; site++)
        *magnetisation += spin[site];
}

/* --- copies --- */

void ssc_set_spin(const ssc_lattice *l, int8_t *spin, size_t i, int up) {
    if (l->graph != NULL) {
        spin[i] = up ? 1 : -1;
        return;
    }
    const size_t half = l->sites / 2, columns = l->edge[0] / 2;
    const size_t row = i % half / columns, y = row % l->edge[1], z = row / l->edge[1];
    const size_t x = 2 * (i % columns) + ((z + y + i / half) & 1);
    spin[row * l->edge[0] + x] = up ? 1 : -1;
}

/* Copies a lattice so that its sub-lattices come one after the other; a graph's places as they are. */
static void divide_lattice(const ssc_lattice *l, const int8_t *restrict spin,
                           int8_t *restrict even) {
    if (l->graph != NULL) {
        memcpy(even, spin, l->sites);
        return;
    }
    const uint32_t half = l->edge[0] / 2;
    int8_t *restrict odd = even + l->sites / 2;
    for (uint32_t row = 0; row < l->edge[1] * l->edge[2]; row++) {
        const bool swapped = (row % l->edge[1] + row / l->edge[1]) % 2;
        int8_t *const left = swapped ? odd : even, *const right = swapped ? even : odd;
        for (uint32_t x = 0; x < half; x++) {
            left[x] = spin[2 * x];
            right[x] = spin[2 * x + 1];
        }
        spin += l->edge[0];
        even += half;
        odd += half;
    }
}

/* The inverse of divide_lattice. */
static void join_lattice(const ssc_lattice *l, int8_t *restrict spin, const int8_t *restrict even) {
    if (l->graph != NULL) {
        memcpy(spin, even, l->sites);
        return;
    }
    const uint32_t half = l->edge[0] / 2;
    const int8_t *restrict odd = even + l->sites / 2;
    for (uint32_t row = 0; row < l->edge[1] * l->edge[2]; row++) {
        const bool swapped = (row % l->edge[1] + row / l->edge[1]) % 2;
        const int8_t *const left = swapped ? odd : even, *const right = swapped ? even : odd;
        for (uint32_t x = 0; x < half; x++) {
            spin[2 * x] = left[x];
            spin[2 * x + 1] = right[x];
        }
        spin += l->edge[0];
        even += half;
        odd += half;
    }
}

/* Packs eight spins into a byte. The product moves all signs to the top byte. */
static uint8_t pack_spins(const int8_t spin[8]) {
    uint64_t spins;
    memcpy(&spins, spin, sizeof spins);
    const uint64_t down = spins & UINT64_C(0x8080808080808080);
    return (uint8_t) ~(down * UINT64_C(0x0002040810204081) >> 56);
}

/* The inverse. Of eight copies of the byte, each keeps its own bit; the sum moves the bit to the
 * sign. */
static void unpack_spins(int8_t spin[8], uint8_t packed) {
    const uint64_t every = UINT64_C(0x0101010101010101);
    const uint64_t bits = packed * every & UINT64_C(0x8040201008040201);
    const uint64_t up = (bits + 0x7f * every) >> 7 & every;
    const uint64_t spins = ~(0xfe * up);
    memcpy(spin, &spins, sizeof spins);
}

void ssc_pack(const ssc_lattice *l, const int8_t *spin, int8_t *apart, uint8_t *packed) {
    const size_t bytes = (l->sites + 7) / 8;
    if (l->states.sites + l->vectors.sites > 0) {
        memcpy(packed, spin, l->bytes);
        return;
    }
    memset(apart + l->sites, -1, 8 * bytes - l->sites); /* bits behind the last site are 0 */
    divide_lattice(l, spin, apart);
    for (size_t n = 0; n < bytes; n++)
        packed[n] = pack_spins(apart + 8 * n);
}

void ssc_unpack(const ssc_lattice *l, int8_t *spin, int8_t *apart, const uint8_t *packed) {
    const size_t bytes = (l->sites + 7) / 8;
    if (l->states.sites + l->vectors.sites > 0) {
        memcpy(spin, packed, l->bytes);
        return;
    }
    for (size_t n = 0; n < bytes; n++)
        unpack_spins(apart + 8 * n, packed[n]);
    join_lattice(l, spin, apart);
}
