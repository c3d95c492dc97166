/* Claims: on the Nishimori line the exact energy of the square glass, averaged over samples, is what
 * reference/nishimori.h says: 800 samples of 4 x 4 and 100 of 6 x 4 for each of three P (false-alarm
 * probability 1e-6), so that couplings are drawn with the probability P and their energies are right;
 * averaged over all 2^4 samples of a ring of four bonds it is so to 14 digits. And so is the energy of samples that
 * are annealed to the line, glasses of two and three dimensions in both codings. Negative controls: another beta, and
 * samples of another P. */
#include "reference/nishimori.h"

#include "engine/disorder.h"
#include "reference/energy_states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <omp.h>

#include "validate/lib/annealer.h"
#include "validate/lib/statistics.h"

static const double ps[] = {0.6, 0.75, 0.89};

/* z of the mean energy of samples drawn with p at beta against that of the line at P. */
static double energy_z(const uint32_t edge[3], uint32_t samples, double p, double beta, double P) {
    sample energies = {0, 0, 0};
    double bonds = 0;
    for (uint32_t s = 0; s < samples; s++) {
        couplings c;
        energy_states states;
        assert_true(couplings_create(&c, 2, edge));
        disorder_draw(&c, (disorder){1981, s, p});
        assert_true(square_states_count(&states, &c));
        sample_add(&energies, energy_states_thermodynamics(&states, beta).e * (double)c.sites);
        bonds = (double)c.bonds;
        energy_states_destroy(&states);
        couplings_destroy(&c);
    }
    return sample_z(&energies, nishimori_energy(P, bonds));
}

static void samples_have_the_energy_of_the_line(void **state) {
    (void)state;
    static const uint32_t edges[2][3] = {{4, 4, 1}, {6, 4, 1}}, samples[] = {800, 100};
    z_series series = {.name = "energy", .limit = z_limit(6), .planned = 6};
    z_series control = {.name = "energy", .limit = z_limit(6), .planned = 2};
    for (size_t n = 0; n < 3; n++) {
        const double P = ps[n], beta = nishimori_beta(P);
        for (size_t k = 0; k < 2; k++)
            z_add(&series, energy_z(edges[k], samples[k], P, beta, P), "P = %g", P);
    }
    z_add(&control, energy_z(edges[0], 800, 0.75, 1.2 * nishimori_beta(0.75), 0.75), "1.2 beta");
    z_add(&control, energy_z(edges[0], 800, 0.84, nishimori_beta(0.89), 0.89), "P - 0.05");
    assert_true(z_passed(&series));
    assert_true(z_detected(&control));
    assert_int_equal(control.exceeded, control.planned);
}

/* The energy of a ring of n bonds, an odd number of them negative or not: with t = tanh beta it has
 * Z = 2^n cosh^n (1 +- t^n), so that E = -n t - n t^(n-1) (1 - t^2) / (+-1 + t^n). */
static void rings_have_it_exactly(void **state) {
    (void)state;
    const int n = 4;
    for (size_t k = 0; k < 3; k++) {
        const double P = ps[k], t = tanh(nishimori_beta(P));
        double mean = 0, other = 0;
        for (uint32_t negative = 0; negative < 1u << n; negative++) {
            const int count = __builtin_popcount(negative);
            const double sign = count % 2 ? -1 : 1;
            const double energy =
                -n * t - n * pow(t, n - 1) * (1 - t * t) * sign / (1 + sign * pow(t, n));
            mean += energy * pow(P, n - count) * pow(1 - P, count);
            other += energy * pow(P - 0.1, n - count) * pow(1.1 - P, count);
        }
        assert_true(fabs(mean - nishimori_energy(P, n)) < 1e-13);
        assert_true(fabs(other - nishimori_energy(P, n)) > 1e-8); /* negative control */
    }
}

/* --- Simulations --- */

typedef struct {
    const model_kind *kind;
    uint32_t edge[3];
    spin_coding coding;
    uint32_t samples;
    double P;
} annealed_line;

static const annealed_line lines[] = {{&glass2d_kind, {6, 8, 1}, CODING_SSC, 60, 0.85},
                                      {&glass2d_kind, {16, 16, 1}, CODING_MSC, 100, 0.89},
                                      {&glass3d_kind, {4, 4, 4}, CODING_SSC, 60, 0.75},
                                      {&glass3d_kind, {6, 4, 8}, CODING_MSC, 150, 0.75},
                                      {&glass3d_kind, {6, 6, 6}, CODING_MSC, 150, 0.68}};
#define LINES (sizeof lines / sizeof *lines)

/* z of the mean energy of samples drawn with p and annealed to beta against that of the line at P. */
static double annealed_z(const annealed_line *line, double p, double beta) {
    enum { STEPS = 12 };
    sample energies = {0, 0, 0};
    double bonds = 0;
    for (uint32_t s = 0; s < line->samples; s++) {
        couplings c;
        run_averages row[STEPS + 1];
        assert_true(couplings_create(&c, line->kind->dimension, line->edge));
        disorder_draw(&c, (disorder){1982, s, p});
        const engine_config config = {.coding = line->coding,
                                      .model = model_of_sample(line->kind->create(line->edge), &c),
                                      .capacity = 256,
                                      .word = 32};
        const annealing_plan plan = {.seed = s,
                                     .population = 128,
                                     .sweeps = 3,
                                     .steps = STEPS,
                                     .dbeta = beta / STEPS,
                                     .threshold_factor = 1};
        engine *const e = engine_cpu_create(&config);
        assert_non_null(e);
        anneal(e, &plan, 0, row);
        sample_add(&energies, row[STEPS].e * (double)c.sites);
        bonds = (double)c.bonds;
        e->verbs->destroy(e);
        couplings_destroy(&c);
    }
    return sample_z(&energies, nishimori_energy(line->P, bonds));
}

static void annealed_samples_have_it(void **state) {
    (void)state;
    z_series series = z_begin("annealed", LINES), control = z_begin("annealed, elsewhere", 4);
    for (size_t n = 0; n < LINES; n++) {
        const annealed_line *const line = &lines[n];
        const double beta = nishimori_beta(line->P);
        z_add(&series, annealed_z(line, line->P, beta), "%s, P = %g", line->kind->name, line->P);
        if (line->coding == CODING_SSC)
            continue;
        z_add(&control, annealed_z(line, line->P, 0.85 * beta), "0.85 beta");
        if (line->kind == &glass2d_kind) /* in three dimensions e is nearly the same for all P */
            z_add(&control, annealed_z(line, line->P - 0.06, beta), "P - 0.06");
    }
    assert_true(z_passed(&series));
    assert_true(z_detected(&control));
    assert_int_equal(control.exceeded, control.planned);
}

int main(void) {
    omp_set_num_threads(1); /* these populations are too small to share out */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_the_energy_of_the_line),
        cmocka_unit_test(annealed_samples_have_it),
        cmocka_unit_test(rings_have_it_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
