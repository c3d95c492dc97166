/* The manual page. say() prints plain text and escapes it; requests of man(7) are printed directly. */
#include "manual.h"

#include "base/commit.h"
#include "settings/settings.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Whether a '-' between these characters is a minus sign or begins an option. Such a character must
 * survive copying, and is no hyphen. */
static bool is_minus(char before, char after) {
    return !isalpha((unsigned char)before) || !isalpha((unsigned char)after);
}

/* Prints a text at the beginning of a line, escaped so that no character begins a request. */
static void say(FILE *file, const char *text) {
    char before = ' ';
    if (*text == '.' || *text == '\'')
        fputs("\\&", file);
    for (; *text != '\0'; before = *text++) {
        switch (*text) {
        case '\\':
            fputs("\\e", file);
            break;
        case '\'':
            fputs("\\(aq", file);
            break;
        case '"':
            fputs("\\(dq", file);
            break;
        case '-':
            fputs(is_minus(before, text[1]) ? "\\-" : "-", file);
            break;
        default:
            fputc(*text, file);
        }
    }
    fputc('\n', file);
}

/* Prints a word in which every '-' must survive copying. */
static void say_word(FILE *file, const char *word) {
    for (; *word != '\0'; word++)
        fprintf(file, *word == '-' ? "\\-" : "%c", *word);
}

/* Prints a paragraph with a tag in bold. */
static void say_item(FILE *file, const char *tag, const char *text) {
    fputs(".TP\n.B ", file);
    say_word(file, tag);
    fputc('\n', file);
    say(file, text);
}

static void say_option(FILE *file, const setting *s) {
    fputs(".TP\n", file);
    if (s->short_name != 0)
        fprintf(file, "\\fB\\-%c\\fR, ", s->short_name);
    fputs("\\fB\\-\\-", file);
    say_word(file, s->name);
    fputs("\\fR", file);
    if (s->value != NULL)
        fprintf(file, s->flag.size > 0 ? "[=\\fI%s\\fR]" : " \\fI%s\\fR", s->value);
    fputc('\n', file);
    say(file, s->help);
    if (s->fallback != NULL) {
        fputs("[", file);
        say_word(file, s->fallback);
        fputs("]\n", file);
    }
}

typedef struct {
    const char *tag, *text;
} item;

static const item files[] = {
    {"PA_results_run_K.dat",
     "Run K, from 0: a row for each temperature with energy, specific heat, magnetisation, free "
     "energy, entropy, population and their errors. The header says what each column is."},
    {"PA_results_weighted.dat",
     "The averages over all runs, weighted by their estimates of the partition function, and how "
     "many runs trust each row."},
    {"PA_MHR_results_run_K.dat", "The multi-histogram analysis of run K, with -m. Its errors come "
                                 "from the scatter of the runs."},
    {"PA_MHR_results_weighted.dat", "The averages over the analyses, weighted likewise."},
    {"PA_schedule.dat",
     "The temperatures and the sweeps at each, as --betas and --sweeps-file take them, where the "
     "options do not say them."},
    {"PA_couplings.dat", "The couplings of a glass, as --couplings takes them."},
    {"PA_overlap_run_K.dat",
     "Histograms of the overlap and the link overlap of a glass in run K, at each temperature."},
    {"PA_overlap_weighted.dat", "The same, averaged over several runs."},
    {"PA_ground_state_run_K.dat",
     "The states of lowest energy that run K of a glass ended with, how many distinct ones were "
     "seen, how many there are by the free energy, whether the run was too warm for lower ones, "
     "and "
     "one of them."},
    {"PA_ground_states.dat", "With --ground-states: the lowest energy seen, how often runs miss "
                             "it, and a row for each run."},
    {"PA_ground_samples.dat", "With --ground-states and --samples: a row for each sample, and the "
                              "mean of the lowest energies per spin."},
    {"sample_N", "A folder with a whole result for each sample of the disorder, with --samples."},
    {"PA_disorder_averages.dat",
     "The averages over these samples at each temperature, with errors over the samples."},
    {"PA_disorder_overlap.dat",
     "The averages of the histograms of the overlap over these samples."},
    {"PA_samples.dat",
     "A row for each of these samples: couplings, states of lowest energy, and the "
     "averages over its runs at the last temperature."},
    {"PA_results_run_K.npz", "With --format npz and text,npz, the archive of such a data file: an "
                             "array for each column, and "
                             "its header."},
    {"PA_spins_run_K_beta_B.npy",
     "With --save-spins, the population of run K at inverse temperature B, an array of bytes for "
     "numpy.load: a row for each replica, a bit for each spin, row by row of the lattice. "
     "PA_energies_... has its energies, PA_families_... the numbers of its families."},
    {"MC_results.dat, MC_results_run_K.dat",
     "Of --method canonical and tempering: averages and errors, a row for each temperature; of run "
     "K with -M."},
    {"MC_series.dat, MC_series_run_K.dat", "Every measurement, a row for each temperature."},
    {"MC_vectors.dat", "With --vector-observables: stiffness, vortices, chirality, norms."},
    {"MC_energies.dat, MC_MHR_results.dat",
     "With -m: how often each energy was met, and the multi-histogram analysis."},
    {"MC_exchanges.dat", "Of --method tempering: acceptances of exchanges, and round trips."},
    {"MC_free_energy.dat, MC_equilibration.dat",
     "Free energy and entropy; averages over logarithmic bins of the measurements."},
    {"MC_schedule_acceptance.dat, MC_schedule_round_trips.dat",
     "Temperatures for the --betas of a further run."},
    {"MC_overlap_results.dat, MC_overlap.dat",
     "Overlaps of chains of a glass at the same temperature, and their histograms."},
    {"MC_clusters.dat", "With --moves houdayer: the sizes of clusters."},
    {"MC_disorder_averages.dat, MC_disorder_overlap.dat, MC_samples.dat",
     "With --samples: averages over the samples, and a row for each."},
    {"MA_results.dat, MA_entropy.dat, MA_ceilings.dat",
     "Of --method microcanonical: averages on a grid of temperatures, the number of states of each "
     "energy, and the ceilings of all runs."},
    {"FH_density.dat, FH_results.dat, FH_iterations.dat",
     "Of --method multicanonical and wang-landau: the number of states of each energy, averages at "
     "each temperature, and a row for each iteration of the weights."},
    {"FH_transition.dat",
     "Of the same: the two peaks of the energy at a transition of first order, and the barrier "
     "between them."},
    {"FH_series.dat, FH_spins.npy", "With --record walkers and states: energy and order of each "
                                    "walker behind each measurement, and its spins."},
    {"FH_exchanges.dat", "With --windows: acceptances of exchanges between neighbouring ones."},
    {"run.json",
     "What may differ between identical results: device, host, date, times, and how it was run."},
};

static const item formats[] = {
    {"ours", "No header, sites from 0: v = J; a line i i v is a field, -v s."},
    {"rudy", "First line n m or n m 0, sites from 1: v = w = -J, the weights of a cut (W - E) / 2 "
             "with W the sum of all weights. Gset and DIMACS torus files."},
    {"coo", "A line # vartype=SPIN, sites from 0: v = -J, and i i v is +v s. With # "
            "vartype=BINARY E = sum v x x + sum v x, x = (1 + s) / 2. Files of dimod."},
    {"matrix-market", "A banner, sites from 1: v = J, and i i v is -v s."},
    {"isakov", "First line a name, sites from 0 or 1: v = -J, and i i v is +v s. Files of SimAn."},
};

static const item models[] = {
    {"square, cubic", "Ferromagnets in two and three dimensions: J = 1 on all bonds."},
    {"glass2d, glass3d",
     "Spin glasses of Edwards and Anderson: J = +1 or -1 on each bond, drawn at "
     "random (--disorder, --sample, --ferromagnetic) or read (--couplings)."},
    {"potts2d, potts3d", "Q states a spin (--states): a bond has the energy -1 if both are equal."},
    {"blume-capel2d, blume-capel3d",
     "Spins -1, 0 and 1: E = -sum s s + D sum s^2, with D of --crystal-field."},
    {"baxter-wu", "Ising spins on a triangular lattice, E = -sum s s s over its triangles."},
    {"heisenberg2d, heisenberg3d, xy2d, xy3d",
     "Unit vectors with three and two components: E = -sum J s.s."},
    {"heisenberg-glass2d, heisenberg-glass3d, xy-glass2d, xy-glass3d",
     "The same with J as in glass2d and glass3d."},
    {"--graph FILE", "Any graph with fields, E = -sum J s s - sum h s, with -c ssc."},
};

static const item columns[] = {
    {"beta, e, C", "Inverse temperature, energy per spin, specific heat per spin."},
    {"|m|, m2, m4", "Means of |M|/N, (M/N)^2, (M/N)^4; of a glass |q|, q2, q4 of the overlap."},
    {"betaF/N, S/N", "beta times the free energy per spin, entropy per spin."},
    {"R, lnQ", "Population size; ln of Z over Z at the temperature before."},
    {"families, rho_t, R_eff", "Families that survive, mean family size, effective population "
                               "size."},
    {"trusted", "1: at least 100 effective families stand behind this row and the next. 0: the "
                "errors of this row mean little. Averages have trusting, too: how many runs trust "
                "it."},
    {"chi, U4", "Ferromagnets: susceptibility per spin and Binder parameter."},
    {"Binder, q_l, chi_SG, xi/L, chi(k)",
     "Glasses: Binder parameter, link overlap, spin-glass susceptibility, correlation length over "
     "L, and N |q(k)|^2 at k = 2 pi / L."},
    {"S_f, rho_s, pairs, E_min",
     "Glasses: family entropy, entropic family size, pairs of replicas, "
     "lowest energy of the whole lattice in the population."},
    {"err_X", "The error of X, one standard deviation, from blocks of the population or from the "
              "runs."},
};

static const item statuses[] = {
    {"0", "The result is there."},
    {"1",
     "Something failed after work had begun: a write, a full disk, the device, populations that "
     "died out in all runs, a multi-histogram analysis without a solution."},
    {"2",
     "Refused before work began: an option, a file in the way, memory, or the device. One line "
     "on standard error names the option, its value and what is allowed."},
    {"3", "Ended by --time-limit, with the rows so far, and a checkpoint with --checkpoint."},
    {"128 + N", "Ended by signal N, as a shell shows it."},
};

static const item variables[] = {
    {"OMP_NUM_THREADS",
     "Threads of the CPU engines, of each process under mpirun; at most one for each processor. "
     "Without it as many as there are processors, which the processes of a host share."},
    {"PAISING_EXCHANGE",
     "Under mpirun, how replicas go between processes, to compare: host (messages of MPI) or peer "
     "(GPUs of a host read each other's memory; the default where they can)."},
    {"TMPDIR",
     "Where a result is left, with a line that says so, that can be written neither to its folder "
     "nor beside it; /tmp without it."},
};

static const item examples[] = {
    {"paising -L 64 -R 20000 -a 0.85 -M 8 -m",
     "Adaptive steps, 8 weighted runs, multi-histogram analysis."},
    {"paising -R 1e8 --dry-run --like nvidia-h200",
     "What that would take on an H200, which need not be there."},
    {"paising -R 1e8 --checkpoint ck --checkpoint-every 10m",
     "A long run, with a checkpoint every ten minutes."},
    {"paising --resume ck", "And on, after whatever ended it."},
    {"mpirun -n 4 paising -R 1e8", "One population on four processes, each with a GPU of its host "
                                   "or its share of the CPU: the same bytes."},
};

static void say_items(FILE *file, const char *section, const item items[], size_t count) {
    if (section != NULL)
        fprintf(file, ".SH %s\n", section);
    for (size_t i = 0; i < count; i++)
        say_item(file, items[i].tag, items[i].text);
}
#define SAY_ITEMS(file, section, items)                                                            \
    say_items(file, section, items, sizeof(items) / sizeof *(items))

void manual_print(FILE *file) {
    fprintf(file, ".TH PAISING 1 \"\" \"paising %s\" \"User Commands\"\n", PAISING_VERSION);
    fputs(".SH NAME\npaising \\- Monte Carlo simulation of spin models and spin glasses\n"
          ".SH SYNOPSIS\n.B paising\n[\\fIoption\\fR ...]\n"
          ".SH DESCRIPTION\n",
          file);
    say(file,
        "Simulates Ising ferromagnets, spin glasses and other spin models in two or three "
        "dimensions, or Ising spins on a "
        "graph, on the CPU or on an NVIDIA GPU, and writes averages with their errors into a "
        "folder. Without --method it anneals a population of replicas from infinite temperature "
        "to low temperatures. The same options and seed give the same bytes in every "
        "data file, on any device and on any number of threads.");
    fputs(".SH OPTIONS\n", file);
    say(file,
        "Values in brackets hold without the option. Of an option that is given several times "
        "the last one counts.");
    for (size_t i = 0; i < settings_count; i++)
        if (settings[i].help != NULL)
            say_option(file, &settings[i]);
    fputs(".SH MODELS\n", file);
    say(file,
        "The Hamiltonian is E = -sum J_ij s_i s_j over bonds of nearest neighbours, with s_i = "
        "+1 or -1 where nothing else is said, and periodic boundaries (--boundary, --dilution and "
        "--field change that). Energies are in units of J, and beta is in 1/J.");
    say_items(file, NULL, models, sizeof models / sizeof *models);
    fputs(".SH COUPLINGS\n", file);
    say(file,
        "Site (z Ly + y) Lx + x, from 0, has the bonds of "
        "directions 0, 1 and 2, to x + 1, y + 1 and z + 1. A file of --couplings has lines 'x y z "
        "direction J', or 'i j v'. By what else stands in it, or by --couplings-format, v means:");
    say_items(file, NULL, formats, sizeof formats / sizeof *formats);
    SAY_ITEMS(file, "FILES", files);
    fputs(".SH COLUMNS\n", file);
    say(file,
        "Of PA_results_run_K.dat and PA_results_weighted.dat. Lines with # are the header, which "
        "names every column. Look for the name of a column, not for its number.");
    say_items(file, NULL, columns, sizeof columns / sizeof *columns);
    SAY_ITEMS(file, "EXIT STATUS", statuses);
    fputs(".SH SIGNALS\n", file);
    say(file,
        "SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1 and SIGUSR2 end the program after the "
        "temperature at hand; a step that would take long is given up, where it can be. The "
        "program writes a checkpoint, if there are to be any, and the results so far, which say "
        "so, and ends by that signal. A second signal ends it at once; nothing half-written is "
        "left.");
    SAY_ITEMS(file, "ENVIRONMENT", variables);
    SAY_ITEMS(file, "EXAMPLES", examples);
    fputs(".SH SEE ALSO\n", file);
    say(file, "L. Yu. Barash, M. Weigel, M. Borovsky, W. Janke, L. N. Shchur, GPU accelerated "
              "population annealing algorithm, Computer Physics Communications 220, 341 (2017).");
    fputs(".PP\n.BR paising-exact (1),\n.BR paising-compare (1),\n.BR paising-helium (1),\n.BR "
          "gnuplot (1)\n",
          file);
}
