/* Drawing sets of options. */
#include "option_sets.h"

#include "dice.h"
#include "engine/kinds.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNT(array)       (sizeof(array) / sizeof(array)[0])
#define PICK(dice, choice) ((choice)[roll(dice, COUNT(choice))])

#define SITE_SWEEPS    1000000 /* of a population at a temperature */
#define MAX_REPLICAS   5000
#define FEWEST_ADAPTED 100 /* replicas whose overlap says enough for steps of their own */

/* Every sixth set is ssc; the others go through the modes, and p changes from one round of modes to
 * the next. Writes coding, lattice and MSC's options. Returns L. */
static uint32_t draw_coding(dice *d, uint32_t n, char *text, size_t size) {
    static const uint32_t ssc_sizes[] = {4, 6, 10, 16, 22, 32, 40, 64};
    static const uint32_t msc_sizes[] = {16, 16, 32, 32, 48, 64, 80, 128};
    const uint32_t modes = RNG_LCG + 1, words = 4, msc = n - (n + 1) / 6;
    const uint32_t edge = n % 6 == 5 ? PICK(d, ssc_sizes) : PICK(d, msc_sizes);
    if (n % 6 == 5)
        snprintf(text, size, "-c ssc -L %" PRIu32, edge);
    else
        snprintf(text, size, "-c msc -L %" PRIu32 " -p %u -g %s", edge, 8u << msc / modes % words,
                 rng_name((rng_mode)(msc % modes)));
    return edge;
}

/* A population that dies is one, too: the program must then say the same on both sides. */
const char *identity_option_set(char text[OPTION_SET_SIZE], uint64_t seed, uint32_t n) {
    static const uint32_t sweeps_of[] = {1, 1, 2, 3, 5, 8};
    static const char *const ends[] = {"0.6", "1", "1.3"};
    static const char *const fixed_steps[] = {"-d 0.01", "-d 0.025", "-d 0.05", "-d 0.1"};
    static const char *const adaptive_steps[] = {"-a 0.75", "-a 0.85", "-a 0.9"};
    static const char *const in_flight[] = {"", "", " --in-flight 1", " --in-flight 2"};
    dice d = dice_of(seed, DICE_OPTIONS, n);
    char coding[64];
    const uint32_t edge = draw_coding(&d, n, coding, sizeof coding);
    const uint32_t sweeps = PICK(&d, sweeps_of), most = SITE_SWEEPS / (edge * edge) / sweeps;
    const uint32_t population = 1 + roll(&d, most < MAX_REPLICAS ? most : MAX_REPLICAS);
    const char *const end = PICK(&d, ends);
    const char *const step = population >= FEWEST_ADAPTED && chance(&d, 33)
                                 ? PICK(&d, adaptive_steps)
                                 : PICK(&d, fixed_steps);
    const char *const start = chance(&d, 33) ? " -b 0.35" : "";
    const char *const reweighted = chance(&d, 50) ? " -m0.02" : "";
    const uint32_t runs = 1 + roll(&d, 3), program_seed = roll(&d, 1000000);
    const char *const beside = PICK(&d, in_flight);
    const resampling_rule rule = (resampling_rule)roll(&d, RESAMPLE_POISSON + 1);
    snprintf(text, OPTION_SET_SIZE,
             "%s -t %" PRIu32 " -R %" PRIu32 " -f %s %s%s -M %" PRIu32 "%s%s -P 17 -s %" PRIu32
             " --resampling %s",
             coding, sweeps, population, end, step, start, runs, beside, reweighted, program_seed,
             resampling_name(rule));
    return text;
}
