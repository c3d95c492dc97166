/* The command line: what is accepted and how it is read; what is refused, by one line that names
 * the option and its value. */
#include "base/commit.h"
#include "base/message.h"
#include "base/number.h"
#include "settings/rules.h"
#include "validate/lib/command_line.h"

#include <math.h>

/* --- accepted --- */

static parameters accept(const char *options) {
    parameters p;
    char errors[1024];
    if (parse_line(&p, options, STDERR_FILENO, errors, sizeof errors) != STATUS_OK)
        fail_msg("refused: %s\n%s", options, errors);
    assert_string_equal(errors, "");
    return p;
}

static void defaults_are_those_of_the_documentation(void **state) {
    (void)state;
    const parameters p = accept("");
    assert_int_equal(p.size.edge[0], 64);
    assert_int_equal(p.population, 20000);
    assert_int_equal(p.sweeps, 100);
    assert_true(p.beta_start == 0);
    assert_true(p.beta_end == 1);
    assert_true(p.dbeta == 0.005);
    assert_true(p.overlap == 0);
    assert_int_equal(p.runs, 1);
    assert_int_equal(p.precision, 11);
    assert_null(p.output);
    assert_false(p.force);
    assert_int_equal(p.coding, CODING_MSC);
    assert_int_equal(p.device, DEVICE_AUTO);
    assert_int_equal(p.stages, STAGES_FUSED);
    assert_int_equal(p.word, 32);
    assert_int_equal(p.rng, RNG_INDEPENDENT);
    assert_false(p.reweight);
    assert_null(p.checkpoint);
    assert_null(p.resume);
    assert_true(p.checkpoint_every.seconds == 600 && p.checkpoint_every.steps == 0);
}

static void long_and_short_options_are_read(void **state) {
    (void)state;
    const char *const lines[] = {
        "-L 16 -R 1e5 -t 7 -b 0.25 -f 0.5 -d 0.01 -M 3 -s 0 -P 17 -o a --force -c msc -D cuda:2 -p "
        "64 "
        "-g shared-reorder -m0.125",
        "--size 16 --population 100000 --sweeps 7 --beta-start .25 --beta-end 5e-1 --dbeta 1e-2 "
        "--runs 3 --seed 0x0 --precision 17 --output a --force --coding msc --device cuda:2 --word "
        "64 "
        "--rng shared-reorder --reweight=0.125"};
    for (size_t i = 0; i < 2; i++) {
        const parameters p = accept(lines[i]);
        assert_int_equal(p.size.edge[0], 16);
        assert_int_equal(p.population, 100000);
        assert_int_equal(p.sweeps, 7);
        assert_true(p.beta_start == 0.25 && p.beta_end == 0.5 && p.dbeta == 0.01);
        assert_int_equal(p.runs, 3);
        assert_int_equal(p.seed, 0);
        assert_int_equal(p.precision, 17);
        assert_string_equal(p.output, "a");
        assert_true(p.force);
        assert_int_equal(p.device, DEVICE_CUDA);
        assert_int_equal(p.device_number, 2);
        assert_int_equal(p.word, 64);
        assert_int_equal(p.rng, RNG_SHARED_REORDER);
        assert_true(p.reweight && p.reweight_step == 0.125);
    }
}

static void later_options_replace_earlier_ones(void **state) {
    (void)state;
    assert_int_equal(accept("-L 63 -L 32").size.edge[0], 32);
    assert_int_equal(accept("-D cuda:1 -D cuda").device_number, 0);
    assert_true(accept("-a 1.5 -a 0.8").overlap == 0.8);
    assert_true(accept("-m0.25 -m").reweight_step == 0.005);
}

static void reweighting_takes_its_step_from_dbeta(void **state) {
    (void)state;
    assert_true(accept("-m -d 0.02").reweight_step == 0.02);
    assert_true(accept("-a 0.8 -m").reweight_step == 0.005);
    assert_true(accept("-d 0.02 -m0.001").reweight_step == 0.001);
}

static void searches_begin_with_steps_that_suit_any_size(void **state) {
    (void)state;
    static const struct {
        const char *line;
        double culling, dbeta;
        uint32_t sweeps;
    } searches[] = {{"", 0.2, 0, 12},
                    {" -d 0.1", 0, 0.1, 50},
                    {" -R 49", 0, 0.05, 50},
                    {" --culling 0.1", 0.1, 0, 50},
                    {" -a 0.8", 0, 0, 50},
                    {" --resampling none", 0, 0.05, 50},
                    {" -t 7 --samples 2", 0.2, 0, 7}};
    for (size_t n = 0; n < sizeof searches / sizeof *searches; n++) {
        char line[200];
        snprintf(line, sizeof line, "--model glass3d -L 4 --ground-states%s", searches[n].line);
        const parameters p = accept(line);
        assert_true(p.culling == searches[n].culling && p.sweeps == searches[n].sweeps);
        assert_true(searches[n].dbeta == 0 || p.dbeta == searches[n].dbeta);
    }
}

static void intervals_are_times_or_steps(void **state) {
    (void)state;
    assert_true(accept("--checkpoint f --checkpoint-every 600s").checkpoint_every.seconds == 600);
    assert_true(accept("--checkpoint f --checkpoint-every 1.5m").checkpoint_every.seconds == 90);
    assert_true(accept("--checkpoint f --checkpoint-every 2h").checkpoint_every.seconds == 7200);
    const parameters p = accept("--checkpoint f --checkpoint-every 2h --checkpoint-every 25");
    assert_true(p.checkpoint_every.steps == 25 && p.checkpoint_every.seconds == 0);
    assert_string_equal(p.checkpoint, "f");
}

static void limits_are_allowed_values(void **state) {
    (void)state;
    assert_true(accept("-s 18446744073709551615").seed == UINT64_MAX);
    assert_true(accept("-s 0xFFFFFFFFFFFFFFFF").seed == UINT64_MAX);
    assert_int_equal(accept("-s 010").seed, 10);
    accept("-c ssc -L 4");
    assert_int_equal(accept("-c ssc --stages hybrid").stages, STAGES_HYBRID);
    assert_ptr_equal(update_kinds[accept("").update], &metropolis_update);
    assert_ptr_equal(update_kinds[accept("--update heat-bath").update], &heat_bath_update);
    assert_ptr_equal(update_kinds[accept("--update heat-bath -c ssc").update], &heat_bath_update);
    assert_ptr_equal(update_kinds[accept("--update wolff -c ssc --model cubic -L 6").update],
                     &wolff_update);
    assert_ptr_equal(
        update_kinds[accept("--update swendsen-wang -c ssc --boundary periodic").update],
        &swendsen_wang_update);
    accept("-c ssc --update tiles --tile 2 --hits 6 --palindrome --acceptance heat-bath -L 8x12");
    accept("-c ssc --update tiles --tile 64");
    accept("--method canonical --update tiles --tile 16 --hits 10 -L 1024 -R 1");
    accept("--method canonical --update tiles --model cubic --tile 16 -L 64x32x32 -R 32");
    accept("-c ssc --update dead-border --tile 10 -L 30 --common-sites");
    assert_int_equal(accept("-c msc --stages apart").stages, STAGES_APART);
    assert_int_equal(accept("--stages hybrid --stages fused").stages, STAGES_FUSED);
    accept("-c ssc -L 6");
    accept("-L 16 -R 1 -t 1 -M 1 -P 1");
    accept("-L 48");
    accept("-L 48 --");
    accept("-L 48x16");
    accept("-L 4x6 -c ssc");
    accept("--model cubic -L 4");
    accept("--model cubic -L 210 -R 10");
    accept("--model cubic -L 4x6x8");
    accept("--model glass2d -L 16 --disorder 0x7 --ferromagnetic 0");
    accept("--model glass3d -L 6 --couplings file");
    accept("--model glass2d --sample 4294967294 --samples 2");
    accept("--model glass2d --sample 3 --checkpoint ck");
    accept("-b 0.5 -f 0.5");
    accept("-f 0");
    accept("-R 4294443007");
    accept("-L 1024 -R 16744447");
    accept("-L 8192 -R 3584 -c ssc");
    accept("-f 0.999999 -d 1e-6");
    assert_false(signbit(accept("-b -0").beta_start));
}

/* --- refused --- */

typedef struct {
    const char *options;
    const char *says; /* part of the line */
} refusal;

static const refusal refusals[] = {
    /* lattices */
    {"-L 63", "-L 63:"},
    {"-L 0", "-L 0:"},
    {"-L 16x", "-L '16x':"},
    {"-L x16", "-L 'x16':"},
    {"-L 16x0", "-L '16x0':"},
    {"-L 16x16x16x16", "-L '16x16x16x16':"},
    {"-L 16x32x16", "-L 16x32x16: 3 edges, and the model square has 2: "},
    {"-L 16x16x16", "-L 16x16x16: 3 edges, and the model square has 2: "},
    {"-L 16x24 -g shared", "-L 16x24:"},
    {"--model cubic -L 16x32", "-L 16x32: 2 edges, and the model cubic has 3: "},
    {"--model cubic -L 7", "-L 7:"},
    {"--model cubic -L 2", "-L 2:"},
    {"--model cubic -L 212", "-L 212:"},
    {"--model cubic -L 8 -g philox", "-g philox:"},
    {"--model cube", "--model 'cube':"},
    {"--disorder 3", "--disorder 3: allowed with --model glass2d, glass3d, heisenberg-glass2d, "
                     "heisenberg-glass3d, xy-glass2d, xy-glass3d only\n"},
    {"--model cubic -L 8 --ferromagnetic 0.7", "--ferromagnetic 0.7: allowed with --model"},
    {"--couplings file", "--couplings file: allowed with --model"},
    {"--model glass2d --couplings file --disorder 3",
     "--disorder 3: not allowed with --couplings file: they are read, not drawn"},
    {"--model glass2d --ferromagnetic 1.5", "--ferromagnetic 1.5:"},
    {"--samples 2", "--samples 2: allowed with --model glass2d"},
    {"--model glass2d --couplings file --sample 3",
     "--sample 3: not allowed with --couplings file"},
    {"--model glass2d --samples 0", "--samples 0: the number of samples must be from 1 to"},
    {"--model glass2d --sample 4294967295 --samples 2", "--samples 2: from --sample 4294967295 on"},
    {"--model glass2d --samples 2 -a 0.8", "--samples 2: allowed with adaptive steps"},
    {"--model glass2d --samples 2 --checkpoint ck",
     "--checkpoint ck: not allowed with --samples 2: of several"},
    {"--model glass2d --ferromagnetic=-0.5", "--ferromagnetic -0.5:"},
    {"--measurements 7", "--measurements 7: allowed with --method canonical, tempering, "
                         "multicanonical, wang-landau only\n"},
    {"--method tempering -R 128 -M 2",
     "-M 2: allowed with --method annealing, canonical, microcanonical only\n"},
    {"--method multicanonical --model xy2d",
     "--method multicanonical: not allowed with --model xy2d: flat histograms need energy levels"},
    {"--method wang-landau --model heisenberg-glass3d",
     "--method wang-landau: not allowed with --model heisenberg-glass3d: flat"},
    {"--method microcanonical -c msc", "--method microcanonical: allowed with -c ssc only: a"},
    {"--method microcanonical --model glass2d --couplings-type gaussian",
     "--couplings-type gaussian: not allowed with --method microcanonical: ceilings"},
    {"--method tempering -R 128 -g lcg", "-g lcg: allowed with --method annealing only: the other"},
    {"-L 0 -c ssc", "-L 0:"},
    {"-L 2 -c ssc", "-L 2:"},
    {"-L 5 -c msc", "-L 5:"},
    {"-L 1 --field 3/10", "-L 1:"},
    {"-L 8 --field 3/x", "--field 3/x:"},
    {"-L 8 --field 3/0", "--field 3/0:"},
    {"-L 8 -c msc --field 3/10", "--field 3/10:"},
    {"--graph nothing", "--graph nothing:"},
    {"-L 8 -g shared", "-L 8: with coding msc and -g shared"},
    {"-L 24 -g philox", "-L 24: with coding msc and -g philox"},
    {"-L 1", "-L 1:"},
    {"-L 15", "-L 15:"},
    {"-L 65", "-L 65:"},
    {"-L 16384", "-L 16384:"},
    {"-L 65536", "-L 65536:"},
    {"-L -64", "-L '-64':"},
    {"-L 64x", "-L '64x':"},
    {"-L 0x40", "-L '0x40':"},
    {"-L 64.5", "-L '64.5':"},
    {"-L +64", "-L '+64':"},
    {"-L ", "-L '':"},
    {"--size=", "-L '':"},
    {"-L 4294967360", "-L '4294967360':"},
    {"-L 1e9", "-L 1000000000:"},
    {"-L 99999999999999999999", "-L '99999999999999999999':"},
    {"-L \t64", "-L '?64':"},
    {"-L 1e99", "-L '1e99':"},
    {"-L 1e1e1", "-L '1e1e1':"},
    {"-L e2", "-L 'e2':"},
    /* populations, and what counters hold */
    {"-R 0", "-R 0:"},
    {"-R -1", "-R '-1':"},
    {"-R 1.5", "-R '1.5':"},
    {"-R 1e12", "-R 1000000000000:"},
    {"-R 4294443008",
     "-R 4294443008: the population must be from 1 to 4294443007, which the counters "
     "hold at L = 64"},
    {"-R 4294443008 -c ssc", "-R 4294443008: the population must be from 1 to 4294443007,"},
    {"-R 10000000000", "-R 10000000000: the population must be from 1 to 4294443007,"},
    {"-R 9007199254740991", "-R 9007199254740991:"},
    {"-R 9007199254740992", "-R '9007199254740992': not allowed: target population size, from 1; "
                            "whole numbers up to 9007199254740991"},
    {"-R 1e16", "-R '1e16':"},
    {"-R 18446744073709551616", "-R '18446744073709551616':"},
    {"-R 1e400", "-R '1e400':"},
    {"-L 1024 -R 16744448", "-R 16744448:"},
    {"-L 8192 -R 3585 -c ssc",
     "-R 3585: the population must be from 1 to 3584, which the counters hold at L = 8192"},
    {"-L 8194 -c ssc",
     "-L 8194: with coding ssc the lattice edge must be a multiple of 2 from 4 to 8192"},
    {"--model cubic -L 408 -c ssc",
     "-L 408: with coding ssc the lattice edge must be a multiple of 2 from 4 to 406"},
    {"-t 0", "-t 0:"},
    {"-t -3", "-t '-3':"},
    {"-t 1e10", "-t '1e10': not allowed: sweeps per temperature, from 1; whole numbers up to "
                "4294967295"},
    {"-M 0", "-M 0:"},
    {"-M 1e7", "-M 10000000:"},
    /* temperatures */
    {"-b -0.1", "-b -0.1:"},
    {"-b nan", "-b 'nan':"},
    {"-b inf", "-b 'inf':"},
    {"-b 0.1x", "-b '0.1x':"},
    {"-f nan", "-f 'nan':"},
    {"-f -nan", "-f '-nan':"},
    {"-f infinity", "-f 'infinity':"},
    {"-f 1e999", "-f '1e999':"},
    {"-f 1e300", "-f 1e+300:"},
    {"-f 1.2.3", "-f '1.2.3':"},
    {"-f 1-2", "-f '1-2':"},
    {"-f 1e", "-f '1e':"},
    {"-f -1", "-f -1:"},
    {"-b 0.6 -f 0.5", "-f 0.5:"},
    {"-f ", "-f '':"},
    {"-d 0", "-d 0:"},
    {"-d 0 -f 0", "-d 0:"},
    {"-d -0.1", "-d -0.1:"},
    {"-d nan", "-d 'nan':"},
    {"-d 1e-9", "-d 1e-09:"},
    {"-d 1e-6", "-d 1e-06:"},
    {"-d 1e-7 -b 0.999", "-d 1e-07:"}, /* steps below the first row count too */
    {"-a 0", "-a '0':"},
    {"-a 1", "-a 1:"},
    {"-a 1.5", "-a 1.5:"},
    {"--culling 1", "--culling 1:"},
    {"--culling 1e-17", "--culling 1e-17:"}, /* of which the overlap 1 - F knows nothing */
    {"--energy-step 1e-300", "--energy-step 1e-300: the step must be from 1e-16 to 1000"},
    {"--energy-step 1001", "--energy-step 1001: the step must be from 1e-16 to 1000"},
    {"-a -0.5", "-a -0.5:"},
    {"-a nan", "-a 'nan':"},
    {"-a 0.8x", "-a '0.8x':"},
    {"-b +0.5", "-b '+0.5':"},
    {"-L +16", "-L '+16':"},
    {"-a 0.8 -d 0.01", "-a 0.8:"},
    {"-d 0.01 -a 0.8", "-d 0.01:"},
    {"-m0", "-m '0':"},
    {"-m-1", "-m -1:"},
    {"-mnan", "-m 'nan':"},
    {"-m1e-9", "-m 1e-09:"},
    {"--reweight=", "-m '':"},
    /* the rest */
    {"-s -1", "-s '-1':"},
    {"-s 18446744073709551616", "-s '18446744073709551616':"},
    {"-s 0x10000000000000000", "-s '0x10000000000000000':"},
    {"-s 1x", "-s '1x':"},
    {"-s 0x", "-s '0x':"},
    {"-s 1e5", "-s '1e5':"},
    {"-s ", "-s '':"},
    {"-P 0", "-P 0:"},
    {"-P 18", "-P 18:"},
    {"-P 4294967295", "-P '4294967295':"},
    {"-o ", "-o '':"},
    {"-o --force", "-o '--force': a value is missing; a name that begins so is written ./--force"},
    {"--checkpoint --dry-run", "--checkpoint '--dry-run': a value is missing"},
    {"-c foo", "-c 'foo':"},
    {"-c MSC", "-c 'MSC':"},
    {"-D gpu", "-D 'gpu':"},
    {"-D cuda:", "-D 'cuda:':"},
    {"-D cuda:-1", "-D 'cuda:-1':"},
    {"-D cuda:x", "-D 'cuda:x':"},
    {"-D cuda:1x", "-D 'cuda:1x':"},
    {"-D cuda:99999", "-D 'cuda:99999':"},
    {"--stages foo", "--stages 'foo':"},
    {"--stages ", "--stages '':"},
    {"--stages=Apart", "--stages 'Apart':"},
    {"--stages hybrid", "--stages hybrid: allowed with -c ssc only"},
    {"--update heat-bath -g lcg", "--update heat-bath: not allowed with -g lcg"},
    {"--update wolff", "--update wolff: allowed with -c ssc only"},
    {"--update swendsen-wang -c ssc --model glass3d -L 6",
     "--update swendsen-wang: allowed with --model square, cubic, potts2d, potts3d, heisenberg2d, "
     "heisenberg3d, xy2d, xy3d only: clusters of a glass"},
    {"--update wolff --model baxter-wu -L 6", "--update wolff: allowed with --model square, cubic"},
    {"--update tiles --model xy-glass3d -L 32",
     "--update tiles: allowed with --model square, cubic, heisenberg2d, heisenberg3d, xy2d, xy3d "
     "only: other"},
    {"--update sequential --model potts2d",
     "--update sequential: allowed with --model square, cubic only: other models"},
    {"--update wolff -c ssc --boundary periodic,open",
     "--update wolff: all boundaries must be periodic"},
    {"--update swendsen-wang -c ssc -L 5", "--update swendsen-wang: not allowed with --graph"},
    {"--update wolff -c ssc --field 1/2", "--update wolff: not allowed with --graph"},
    {"--update sequential", "--update sequential: allowed with -c ssc only"},
    {"--update tiles", "--update tiles: with -c msc allowed in --method canonical only"},
    {"--update tiles --method canonical --model cubic --tile 32 -L 64 -R 64",
     "--tile 32: with -c msc allowed: 8, 16, whole strips"},
    {"--update tiles --method canonical --tile 64 --hits 3 -R 64 -t 2",
     "--tile 64: with -c msc each edge of the lattice, -L 64, must be a multiple of 128; an update "
     "of a single tile is one by the checkerboard, with -t 6"},
    {"--update tiles --method canonical -g philox -R 64",
     "--update tiles: with -c msc not allowed with -g philox"},
    {"--update tiles --method canonical --tile 4 -R 64",
     "--tile 4: with -c msc allowed: 8, 16, 32, 64"},
    {"--update tiles --method canonical --hits 1000000 -t 3000 -R 64",
     "--hits 1000000: with -t 3000 and -c msc"},
    {"--method canonical -L 512 -R 1 --boundary open",
     "-R 1: --method canonical takes whole machine words: a multiple of 32, or -c ssc"},
    {"--method canonical -L 512 -R 1 --boundary periodic,antiperiodic",
     "-R 1: --method canonical takes whole machine words"},
    {"--update tiles --method canonical --tile 16 --stripes 4 -R 8",
     "--tile 16: with --stripes 4 the last edge of the lattice, -L 64, must be a multiple of 128"},
    {"--update random -c ssc --model glass2d",
     "--update random: allowed with --model square, cubic only: other models"},
    {"--update sequential -c ssc -L 5", "--update sequential: not allowed with --graph"},
    {"--update tiles -c ssc --boundary open", "--update tiles: all boundaries must be periodic"},
    {"--update tiles -c ssc --tile 12",
     "--tile 12: with --update tiles each edge of the lattice, -L 64"},
    {"--update tiles -c ssc --tile 8 -L 16x24", "--tile 8: with --update tiles each edge"},
    {"--update dead-border -c ssc --tile 24", "--tile 24: with --update dead-border each edge"},
    {"--update tiles -c ssc --tile 5",
     "--tile 5: with --update tiles the edge must be even, from 2"},
    {"--update double-tiling -c ssc --tile 2", "--tile 2: with --update double-tiling the edge"},
    {"--update tiles -c ssc --hits 3 --palindrome", "--palindrome: --hits 3 must be even"},
    {"--update tiles -c ssc --hits 1000000 -t 5000", "--hits 1000000: with -t 5000"},
    {"--update random -c ssc --tile 8", "--tile 8: allowed with --update tiles, double-tiling"},
    {"--update tiles -c ssc --common-sites", "--common-sites: allowed with --update random"},
    {"--acceptance heat-bath -c ssc", "--acceptance heat-bath: allowed with --update tiles"},
    {"--acceptance wolff -c ssc --update random", "--acceptance 'wolff': not allowed"},
    {"--update glauber", "--update 'glauber': not allowed: the update of a spin; metropolis"},
    {"--stages hybrid -c msc", "--stages hybrid: allowed with -c ssc only"},
    {"-p 0", "-p 0:"},
    {"-p 7", "-p 7:"},
    {"-p 12", "-p 12:"},
    {"-p 33", "-p 33:"},
    {"-p 32x", "-p '32x':"},
    {"-p 128", "-p 128:"},
    {"-p 32 -c ssc", "-p 32:"},
    {"-g foo", "-g 'foo':"},
    {"-g philox -c ssc", "-g philox:"},
    {"--checkpoint ", "--checkpoint '':"},
    {"--checkpoint-every 10m", "--checkpoint-every 600s: allowed with"},
    {"--checkpoint-every 10", "--checkpoint-every 10: allowed with"},
    {"--checkpoint f --checkpoint-every 0", "--checkpoint-every '0':"},
    {"--checkpoint f --checkpoint-every 0s", "--checkpoint-every '0s':"},
    {"--checkpoint f --checkpoint-every 1e308h", "--checkpoint-every '1e308h':"},
    {"--checkpoint f --checkpoint-every -1s", "--checkpoint-every '-1s':"},
    {"--checkpoint f --checkpoint-every 1.5", "--checkpoint-every '1.5':"},
    {"--checkpoint f --checkpoint-every 1d", "--checkpoint-every '1d':"},
    {"--checkpoint f --checkpoint-every s", "--checkpoint-every 's':"},
    {"--checkpoint f --checkpoint-every nans", "--checkpoint-every 'nans':"},
    {"--checkpoint f --checkpoint-every ", "--checkpoint-every '':"},
    {"--resume ", "--resume '':"},
    {"--plan 10", "--plan 10: a time is allowed"},
    {"--plan 0s", "--plan '0s':"},
    {"--plan -5s", "--plan '-5s':"},
    {"--plan ", "--plan '':"},
    {"--plan 1e300h", "--plan 3.6e+303s: the time must be at most 1000000000s"},
    {"--plan 10s -R 100", "--plan 10s: not allowed with -R 100: it proposes"},
    {"--plan 10s -t 5", "--plan 10s: not allowed with -t 5: it proposes"},
    {"--plan 10s --sweeps-file f", "--plan 10s: not allowed with --sweeps-file f: it proposes"},
    {"--plan 10s --dry-run",
     "--plan 10s: not allowed with --dry-run: nothing is simulated but pilots"},
    {"--plan 1m --checkpoint f",
     "--plan 60s: not allowed with --checkpoint f: nothing is simulated but pilots"},
    {"--like x", "--like x: allowed with --dry-run only"},
    {"--like x --dry-run -D cpu", "--like x: not allowed with -D cpu"},
    {"--like= --dry-run", "--like '':"},
    {"--resume missing/file", "--resume missing/file: No such file"},
    {"--resume .", "--resume .: "},
    {"--resume /dev/null", "--resume /dev/null: not a file"},
    /* the line itself */
    {"-x", "-x: unknown"},
    {"--nothing", "--nothing: unknown"},
    {"--sweep 1", "--sweep: ambiguous: --sweeps, --sweeps-file"},
    {"--sweep=1", "--sweep=1: ambiguous: --sweeps, --sweeps-file"},
    {"--s 1", "--s: ambiguous: --size, --states, --sample, --samples, --sweeps, --sweeps-file, "
              "--spin-observables, --seed, --save-spins, --stages"},
    {"-f 1,5", "-f '1,5': not allowed: a decimal point is meant, as in 1.5\n"},
    {"--checkpoint f --checkpoint-every 1,5h", "a decimal point is meant, as in 1.5h\n"},
    {"-f 1,5,0", "-f '1,5,0': not allowed: last inverse temperature"},
    {"-s 1,5", "-s '1,5': not allowed: 64-bit seed"},
    {"--model glass2d -L 11", " in the model glass2d; -c ssc takes this one\n"},
    {"--force=1", "--force=1: the option takes no value"},
    {"-L", "-L: a value is missing"},
    {"--size", "-L: a value is missing"},
    {"--stages", "--stages: a value is missing"},
    {"-L 64 more", "'more': unexpected"},
    {"more -L 64", "'more': unexpected"},
    {"-- -L 64", "'-L': unexpected"},
    {"-m 0.01", "'0.01': unexpected word"},
    {"-L 6\n4", "-L '6?4':"}, /* still one line */
};

static void wrong_lines_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *const r = &refusals[i];
        parameters p;
        char errors[2048];
        const int status = parse_line(&p, r->options, STDERR_FILENO, errors, sizeof errors);
        const char *const end = strchr(errors, '\n');
        if (status != STATUS_REFUSED || end == NULL || end[1] != '\0' ||
            strstr(errors, r->says) == NULL) {
            fail_msg("'%s' should be refused by one line with \"%s\": status %d, %s", r->options,
                     r->says, status, errors);
        }
    }
}

static void help_and_version_go_to_stdout(void **state) {
    (void)state;
    parameters p;
    char output[16384];
    assert_int_equal(parse_line(&p, "--help", STDOUT_FILENO, output, sizeof output), OPTIONS_SHOWN);
    assert_non_null(strstr(output, "--reweight[=STEP]"));
    assert_non_null(strstr(output, "[20000]"));
    assert_non_null(strstr(output, "\n      --stages MODE"));
    assert_int_equal(parse_line(&p, "-V", STDOUT_FILENO, output, sizeof output), OPTIONS_SHOWN);
    assert_string_equal(output, "paising " PAISING_VERSION "\n");
}

/* The struct as other code may fill it: validation is not left to the reading of texts. */
static void validation_knows_what_parsing_keeps_out(void **state) {
    (void)state;
    char message[300];
    parameters p = accept("");
    assert_int_equal(parameters_validate(&p, message, sizeof message), 0);
    p.beta_end = NAN;
    assert_int_equal(parameters_validate(&p, message, sizeof message), -1);
    assert_non_null(strstr(message, "-f nan"));
    p = accept("");
    p.dbeta = NAN;
    assert_int_equal(parameters_validate(&p, message, sizeof message), -1);
    p = accept("");
    p.overlap = NAN;
    assert_int_equal(parameters_validate(&p, message, sizeof message), -1);
    p = accept("-m");
    p.reweight_step = 0;
    assert_int_equal(parameters_validate(&p, message, sizeof message), -1);
}

static void numbers_are_written_short_and_exactly(void **state) {
    (void)state;
    char text[NUMBER_TEXT_SIZE];
    assert_string_equal(number_text(text, 0.005), "0.005");
    assert_string_equal(number_text(text, 1), "1");
    assert_string_equal(number_text(text, 0.1 + 0.2), "0.30000000000000004");
    assert_string_equal(number_text(text, -NAN), "nan");
    assert_string_equal(number_text(text, -INFINITY), "-inf");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_documentation),
        cmocka_unit_test(long_and_short_options_are_read),
        cmocka_unit_test(later_options_replace_earlier_ones),
        cmocka_unit_test(reweighting_takes_its_step_from_dbeta),
        cmocka_unit_test(searches_begin_with_steps_that_suit_any_size),
        cmocka_unit_test(intervals_are_times_or_steps),
        cmocka_unit_test(limits_are_allowed_values),
        cmocka_unit_test(wrong_lines_are_refused),
        cmocka_unit_test(help_and_version_go_to_stdout),
        cmocka_unit_test(validation_knows_what_parsing_keeps_out),
        cmocka_unit_test(numbers_are_written_short_and_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
