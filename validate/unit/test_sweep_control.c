/* Claims about sweeps that are decided in the first run (resample/sweep_control.h), and the schedules made of them:
 *  - R / R_eff is n of a population of n-fold replicas, whatever blocks of the population they fill, and of
 *    strangers 1: within 7 standard deviations of 256 blocks, which a chance exceeds with a probability below 1e-11;
 *    that of 3 n-fold replicas is not;
 *  - theta moves to where a sweep more is worth the gain, by a factor of 4 at most, between 1 and the maximum;
 *  - where relaxation stays as slow as it is theta converges, going no more than a tenth too far on the way, and with the
 *    noise of a population it stays about there; a control without a look ahead goes too far;
 *  - a schedule decides theta once, one temperature ahead, and comes out of its section of a checkpoint as it was;
 *    what no schedule can come to is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "resample/schedule.h"
#include "resample/sweep_control.h"
#include "validate/lib/paramagnet.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- R / R_eff --- */

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 22;
}

/* Replicas in families of `members`, all of one energy, but for those of every `lost`-th founder, which are none. */
static double redundancy_of_families(uint32_t seed, uint64_t founders, uint64_t members,
                                     uint64_t lost) {
    const spin_model model = square_model(64);
    histogram h;
    assert_int_equal(histogram_create(&h, &model), 0);
    for (uint64_t f = 0; f < founders; f++)
        h.population += f % lost != 0 ? members : 0;
    uint64_t k = 0;
    for (uint32_t f = 0; f < founders; f++) {
        size_t level = 0;
        for (int n = 0; n < 4; n++)
            level += next_random(&seed);
        for (uint64_t m = 0; m < members && f % lost != 0; m++) {
            histogram_add(&h, k++, level, 0);
            histogram_add_founder(&h, f, founders, level);
        }
    }
    const double redundancy = sweep_control_redundancy(&h);
    histogram_destroy(&h);
    return redundancy;
}

static void families_make_a_population_redundant(void **state) {
    (void)state;
    static const struct {
        uint64_t founders, members, lost;
    } made[] = {{256, 1, 257}, {4096, 1, 5}, {4096, 8, 5}, {3000, 3, 2}, {1000, 20, 3}};
    const double sigma = sqrt(2. / 255);
    for (size_t n = 0; n < COUNT(made); n++)
        for (uint32_t seed = 1; seed <= 5; seed++) {
            const double members = (double)made[n].members;
            const double redundancy =
                redundancy_of_families(seed, made[n].founders, made[n].members, made[n].lost);
            if (!(fabs(redundancy / members - 1) < 7 * sigma && redundancy >= 1))
                fail_msg("%g members: R / R_eff = %g", members, redundancy);
            const double thrice =
                redundancy_of_families(seed, made[n].founders, 3 * made[n].members, made[n].lost);
            assert_true(thrice / members - 1 > 7 * sigma);
        }
}

/* Strangers that descend from three blocks: R / R_eff is distributed as exp(-x), so that its mean, as it is 1 at least,
 * is 1 + 1 / e; its standard deviation 0.775. */
static void few_blocks_of_strangers_are_strangers(void **state) {
    (void)state;
    const spin_model model = square_model(64);
    const double expected = 1 + exp(-1);
    histogram h;
    uint32_t seed = 1;
    double sum = 0;
    assert_int_equal(histogram_create(&h, &model), 0);
    for (int n = 0; n < 2000; n++) {
        histogram_clear(&h);
        h.population = 300;
        for (uint32_t k = 0; k < 300; k++) {
            size_t level = 0;
            for (int i = 0; i < 4; i++)
                level += next_random(&seed);
            histogram_add(&h, k, level, 0);
            histogram_add_founder(&h, k % 3, 256, level);
        }
        sum += sweep_control_redundancy(&h);
    }
    histogram_destroy(&h);
    print_message("  mean of R / R_eff: %.3f, expected %.3f\n", sum / 2000, expected);
    assert_true(fabs(sum / 2000 - expected) < 7 * 0.775 / sqrt(2000));
}

static void a_population_without_energies_or_families_has_a_redundancy(void **state) {
    (void)state;
    paramagnet spins = paramagnet_create(100, 500, 1);
    paramagnet_start(&spins, 50); /* all in the ground state */
    assert_true(sweep_control_redundancy(&spins.report) == 1);
    paramagnet_start(&spins, 0);
    assert_true(sweep_control_redundancy(&spins.report) < 2);
    founder_sums all = {0};
    for (size_t b = 0; b < POPULATION_BLOCKS; b++) {
        all.replicas += spins.report.founder[b].replicas;
        all.energy += spins.report.founder[b].energy;
        spins.report.founder[b] = (founder_sums){0};
    }
    spins.report.founder[7] = all;
    assert_true(sweep_control_redundancy(&spins.report) == 500);
    paramagnet_destroy(&spins);
}

/* --- theta --- */

static void theta_follows_the_redundancy(void **state) {
    (void)state;
    static const struct {
        double redundancy;
        uint32_t theta;
    } at[] = {{1, 1},      {2, 2},  {2, 1}, {8, 5}, {8, 7}, {64, 27}, {1000, 100},
              {1000, 100}, {1, 25}, {1, 6}, {1, 2}, {1, 1}, {1, 1}};
    sweep_control c = sweep_control_start(1, 100);
    for (size_t n = 0; n < COUNT(at); n++) {
        const uint32_t theta = sweep_control_next(&c, at[n].redundancy);
        if (theta != at[n].theta)
            fail_msg("number %zu: theta = %u, not %u", n, theta, at[n].theta);
    }
    c = sweep_control_start(1, 1);
    for (int n = 0; n < 10; n++)
        assert_int_equal(sweep_control_next(&c, 1e9), 1);
}

/* What resampling and sweeps do to X = R / R_eff - 1: every step adds to it, a sweep takes a part away. */
typedef struct {
    double added, tau, noise; /* of ln of the R / R_eff that is seen, its standard deviation */
    bool look_ahead;
} made_up_relatives;

/* theta for which the X that remains is the gain times theta. */
static double stationary_theta(const made_up_relatives *r, double gain) {
    double low = 1e-3, high = 1e9;
    while (high > low * (1 + 1e-9)) {
        const double theta = sqrt(low * high), left = exp(-2 * theta / r->tau);
        if (r->added * left / (1 - left) > gain * theta)
            low = theta;
        else
            high = theta;
    }
    return low;
}

/* ln(theta / stationary theta) at its highest on the way there, and then its mean and standard deviation. */
typedef struct {
    double highest, mean, deviation;
} course;

#define STEPS 2000
#define THERE 200

/* 12 numbers from 0 to 1023, summed: nearly Gaussian. */
static double gauss(uint32_t *seed) {
    double sum = 0;
    for (int n = 0; n < 12; n++)
        sum += (next_random(seed) + 0.5) / 1024;
    return sum - 6;
}

static course follow(made_up_relatives r, double gain) {
    const double stationary = stationary_theta(&r, gain);
    sweep_control c = sweep_control_start(gain, UINT32_MAX);
    course of = {.highest = -INFINITY};
    double excess = 0, sum = 0, squares = 0, redundancy = 1;
    uint32_t seed = 1;
    for (int n = 0; n < STEPS; n++) {
        if (!r.look_ahead)
            c.redundancy = redundancy;
        const uint32_t theta = sweep_control_next(&c, redundancy);
        const double off = log(c.theta / stationary);
        excess = (excess + r.added) * exp(-2.0 * theta / r.tau);
        redundancy = fmax(1, (1 + excess) * exp(r.noise * gauss(&seed)));
        of.highest = n < THERE ? fmax(of.highest, off) : of.highest;
        sum += n < THERE ? 0 : off;
        squares += n < THERE ? 0 : off * off;
    }
    of.mean = sum / (STEPS - THERE);
    of.deviation = sqrt(fmax(0, squares / (STEPS - THERE) - of.mean * of.mean));
    return of;
}

static void theta_converges(void **state) {
    (void)state;
    static const double added[] = {0.05, 0.2, 1}, taus[] = {100, 1000, 10000},
                        gains[] = {0.05, 0.1, 0.2};
    double highest = 0, highest_without = 0, last = 0, deviation = 0, mean = 0;
    for (size_t a = 0; a < COUNT(added); a++)
        for (size_t t = 0; t < COUNT(taus); t++)
            for (size_t g = 0; g < COUNT(gains); g++) {
                made_up_relatives r = {.added = added[a], .tau = taus[t], .look_ahead = true};
                const course quiet = follow(r, gains[g]);
                r.noise = 0.1;
                const course noisy = follow(r, gains[g]);
                r = (made_up_relatives){.added = added[a], .tau = taus[t]};
                highest = fmax(highest, quiet.highest);
                highest_without = fmax(highest_without, follow(r, gains[g]).highest);
                last = fmax(last, fmax(fabs(quiet.mean), quiet.deviation));
                mean = fmax(mean, fabs(noisy.mean));
                deviation = fmax(deviation, noisy.deviation);
            }
    print_message(
        "  ln theta: at most %.2f too large on the way, %.2f without a look ahead; then off "
        "by %.3f, with noise of a tenth by %.2f +- %.2f\n",
        highest, highest_without, last, mean, deviation);
    assert_true(highest < 0.1 && highest_without > 0.2);
    assert_true(last < 0.03);
    assert_true(mean < 0.05 && deviation < 0.3);
}

/* --- schedules --- */

/* A schedule that is decided from populations of free spins of which fewer and fewer founders are left. */
static beta_schedule decided(schedule_plan plan, paramagnet *spins, size_t steps) {
    beta_schedule s;
    assert_int_equal(schedule_create(&s, &plan), SCHEDULE_NEXT);
    assert_int_equal(s.swept, 1);
    assert_int_equal(s.sweeps[0], 1);
    paramagnet_start(spins, 0);
    for (size_t i = 0; i < steps; i++) {
        assert_int_equal(schedule_next(&s, i, &spins->report), SCHEDULE_NEXT);
        assert_int_equal(s.swept, i + 2);
        const uint32_t theta = s.sweeps[i + 1];
        assert_int_equal(schedule_next(&s, i, &spins->report), SCHEDULE_NEXT); /* of another run */
        assert_true(s.swept == i + 2 && s.sweeps[i + 1] == theta);
        for (size_t b = i + 1; b < POPULATION_BLOCKS; b++) { /* what was two blocks' is one's */
            spins->report.founder[i].replicas += spins->report.founder[b].replicas;
            spins->report.founder[i].energy += spins->report.founder[b].energy;
            spins->report.founder[b] = (founder_sums){0};
        }
    }
    return s;
}

static bool pass_schedule(section_file *f, void *state) {
    return schedule_transfer(f, state);
}

/* Writes it, with one of its values altered: 0, none; and reads it back. Returns whether that is possible. */
static bool pass(beta_schedule *s, schedule_plan plan, beta_schedule *read, int altered) {
    section_file f;
    FILE *const stream = tmpfile();
    const beta_schedule before = *s;
    const uint32_t first = s->sweeps[1];
    s->control.theta = altered == 1 ? 0.5 : altered == 2 ? 51 : s->control.theta;
    s->control.redundancy = altered == 3 ? 0.5 : altered == 4 ? INFINITY : s->control.redundancy;
    s->sweeps[1] = altered == 5 ? 0 : altered == 6 ? 51 : first;
    assert_non_null(stream);
    assert_true(section_file_write(&f, stream) && section_pass(&f, "schedule", pass_schedule, s) &&
                section_file_end(&f));
    s->control = before.control;
    s->sweeps[1] = first;
    rewind(stream);
    assert_int_equal(schedule_create(read, &plan), SCHEDULE_NEXT);
    const bool good = section_file_read(&f, stream) &&
                      section_pass(&f, "schedule", pass_schedule, read) && section_file_end(&f);
    fclose(stream);
    return good;
}

static void a_schedule_decides_theta_once_and_is_read_back(void **state) {
    (void)state;
    const schedule_plan plans[] = {
        {.beta_end = 1, .dbeta = 0.125, .sweeps = 50, .sweep_gain = 0.1},
        {.beta_end = 1, .overlap = 0.9, .sweeps = 50, .sweep_gain = 0.1}};
    for (size_t n = 0; n < COUNT(plans); n++) {
        beta_schedule read;
        paramagnet spins = paramagnet_create(100, 2000, 1);
        beta_schedule s = decided(plans[n], &spins, 5);
        assert_true(!schedule_is_whole(&s));
        assert_true(s.sweeps[5] > 1);
        for (int altered = 0; altered <= 6; altered++) {
            assert_int_equal(pass(&s, plans[n], &read, altered), altered == 0);
            if (altered == 0) {
                assert_true(read.swept == 6 && read.count == s.count);
                assert_memory_equal(read.sweeps, s.sweeps, 6 * sizeof *s.sweeps);
                const sweep_control *const a = &read.control, *const b = &s.control;
                assert_true(a->gain == b->gain && a->most == b->most && a->theta == b->theta &&
                            a->redundancy == b->redundancy);
            }
            schedule_destroy(&read);
        }
        size_t i = 5;
        while (schedule_next(&s, i, &spins.report) == SCHEDULE_NEXT)
            i++;
        assert_true(schedule_is_whole(&s) && s.swept == i + 1);
        paramagnet_destroy(&spins);
        schedule_destroy(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_make_a_population_redundant),
        cmocka_unit_test(few_blocks_of_strangers_are_strangers),
        cmocka_unit_test(a_population_without_energies_or_families_has_a_redundancy),
        cmocka_unit_test(theta_follows_the_redundancy),
        cmocka_unit_test(theta_converges),
        cmocka_unit_test(a_schedule_decides_theta_once_and_is_read_back),
    };
    return cmocka_run_group_tests_name("adaptive sweeps", tests, NULL, NULL);
}
