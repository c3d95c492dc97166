/* The settings, and which of them exclude each other: the only list of them. No include guard: it is
 * included for the fields of `parameters` (parameters.h), for the rows of settings[] and for those of
 * exclusions[] (table.c). Whoever includes it defines the macros of the rows that he wants:
 *
 *   SETTING(C type, field, .name = "NAME", ...)  a field of `parameters` and a row (struct setting)
 *   OPTION(.name = "NAME", ...)                  a row without a field: something is printed
 *   ONLY_WITH("A", "B", why)                     A is refused without B
 *   NOT_WITH("A", "B", why)                      A is refused with B
 *
 * A and B are settings: "NAME", that are in use; "NAME=X|Y", that have one of these values;
 * "NAME!=X|Y", that have none of them (exclusions.h). why: the end of the message, or NULL. While a row
 * forbids A, its value has no meaning, and headers do not show it. Help lists settings in this order. */
#ifndef SETTING
#define SETTING(type, field, ...)
#endif
#ifndef OPTION
#define OPTION(...)
#endif
#ifndef ONLY_WITH
#define ONLY_WITH(one, other, why)
#endif
#ifndef NOT_WITH
#define NOT_WITH(one, other, why)
#endif

/* Reasons of several rows. */
#define DRAWN      "they are read, not drawn"
#define STEPS      "steps are of one kind"
#define SWEEPS     "the sweeps are of one kind"
#define PILOTS     "nothing is simulated but pilots"
#define GRAPHS     "the file is the model"
#define BIT_PLANES "msc has no fields, no graphs, and J = 1 and -1 alone"
#define NO_BITS    "spins of the other models are not bits"
#define NO_ORDER   "other models have no kernels for this order of sites"
#define ON_HOST    "these are not resampled on the host"

#define FLAT "method=multicanonical|wang-landau"

/* --- method, model --- */

SETTING(method_kind, method, .name = "method", .type = SETTING_CHOICE, .effect = DECIDES_DATA,
        .value = "METHOD", .fallback = "annealing", .help = help_of_method,
        .choice = choice_of_method, .choices = METHODS, .quiet = true)

SETTING(uint32_t, model, .name = "model", .type = SETTING_CHOICE, .effect = DECIDES_DATA,
        .value = "MODEL", .fallback = "square",
        .help =
            "square or cubic (ferromagnets), glass2d or glass3d (couplings +1 and -1), potts2d, "
            "potts3d, blume-capel2d, blume-capel3d, baxter-wu, heisenberg2d, heisenberg3d, xy2d, "
            "xy3d, and glasses of these like heisenberg-glass3d (SSC)",
        .choice = choice_of_model, .choices = MODEL_KINDS, .quiet = true, .is_kind = model_is_kind)
SETTING(lattice_size, size, .name = "size", .short_name = 'L', .type = SETTING_EDGES,
        .effect = DECIDES_DATA, .value = "L", .fallback = "64",
        .help = "lattice edge, or edges like 8x8x12: even from 4; in 2D multiples of 16 with -g "
                "but independent")
SETTING(uint32_t, states, .name = "states", .type = SETTING_WHOLE, .effect = DECIDES_DATA,
        .value = "Q", .fallback = "3", .help = "states of a spin, from 2 to 64; Potts models only",
        .subject = "the number of states", .least = 2, .most = 64)
SETTING(
    const char *, crystal_field, .name = "crystal-field", .type = SETTING_TEXT,
    .effect = DECIDES_DATA, .value = "D/U",
    .help = "the crystal field D/U of the model of Blume and Capel, whole numbers like 19/10 [0]")
SETTING(real_kind, real, .name = "real", .type = SETTING_CHOICE, .effect = DECIDES_DATA,
        .value = "KIND", .fallback = "float",
        .help = "components of spins that are vectors: float, double, or fast (floats, functions "
                "of a GPU's hardware); Heisenberg and XY models",
        .choice = choice_of_real, .choices = REALS, .quiet = true)
SETTING(uint32_t, over_relaxation, .name = "over-relaxation", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "K", .fallback = "0",
        .help = "sweeps of over-relaxation after each sweep, which do not change the energy; "
                "Heisenberg and XY models",
        .subject = "the number of sweeps of over-relaxation", .least = 0, .most = 1000,
        .quiet = true)
ONLY_WITH("states", "model=potts", NULL)
ONLY_WITH("real", "model=vector", NULL)
NOT_WITH("real=fast", "device=cpu", "its functions are those of a GPU")
ONLY_WITH("over-relaxation", "model=vector", NULL)
SETTING(bool, vector_observables, .name = "vector-observables", .type = SETTING_FLAG,
        .effect = DECIDES_DATA,
        .help = "with --method canonical: MC_vectors.dat with the beta that the spins themselves "
                "tell, stiffness, vortices and norms; Heisenberg and XY models")
ONLY_WITH("vector-observables", "model=vector", NULL)
ONLY_WITH("crystal-field", "model=blume-capel", NULL)
/* Samples are drawn by a key that is independent of the seed of the runs. */
SETTING(uint64_t, disorder, .name = "disorder", .type = SETTING_SEED, .effect = DECIDES_DATA,
        .value = "SEED", .fallback = "1",
        .help = "64-bit seed of the couplings, on which -s has no influence; glasses only")
SETTING(
    uint32_t, sample, .name = "sample", .type = SETTING_WHOLE, .effect = DECIDES_DATA, .value = "S",
    .fallback = "0",
    .help = "number of the sample of the disorder, from 0; of --samples the first; glasses only",
    .subject = "the number of the sample", .least = 0, .most = UINT32_MAX, .quiet = true)
SETTING(uint32_t, samples, .name = "samples", .type = SETTING_WHOLE, .value = "K", .fallback = "1",
        .help = "samples of the disorder, from 1: a folder in that of -o for each, and averages; "
                "those that are there already stay; glasses only",
        .subject = "the number of samples", .least = 1, .most = 1000000)
SETTING(
    couplings_type, couplings_type, .name = "couplings-type", .type = SETTING_CHOICE,
    .effect = DECIDES_DATA, .value = "TYPE", .fallback = "bimodal",
    .help =
        "bimodal (+1 and -1), gaussian, or real (any J, of the file of --couplings); the last two "
        "with ssc; glasses only",
    .choice = choice_of_couplings_type, .choices = COUPLINGS_TYPES, .quiet = true)
SETTING(double, couplings_mean, .name = "couplings-mean", .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "J0", .fallback = "0",
        .help = "mean of gaussian couplings, from -16 to 16",
        .subject = "the mean of the couplings", .least = -16, .most = 16, .quiet = true)
SETTING(double, couplings_width, .name = "couplings-width", .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "W", .fallback = "1",
        .help = "standard deviation of gaussian couplings, from 0 to 8",
        .subject = "the width of the couplings", .least = 0, .most = 8, .quiet = true)
SETTING(double, ferromagnetic, .name = "ferromagnetic", .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "P", .fallback = "0.5",
        .help = "probability of a coupling +1, from 0 to 1; glasses only",
        .subject = "the probability of a coupling +1", .least = 0, .most = 1)
SETTING(lattice_boundary, boundary, .name = "boundary", .type = SETTING_BOUNDARY,
        .effect = DECIDES_DATA, .value = "WORD", .fallback = "periodic",
        .help =
            "periodic, open (the bonds around the edge are missing) or antiperiodic (their J is "
            "multiplied by -1), or a word for each direction, like open,periodic",
        .quiet = true)
SETTING(double, dilution, .name = "dilution", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "P", .fallback = "0",
        .help = "probability that a bond is missing, from 0 to 1; glasses only",
        .subject = "the probability that a bond is missing", .least = 0, .most = 1, .quiet = true)
SETTING(const char *, couplings, .name = "couplings", .type = SETTING_TEXT, .value = "FILE",
        .help = "couplings from a file with a line 'x y z direction J' or 'i j J' for each bond; "
                "glasses only")
/* Of the couplings in the file. */
SETTING(uint32_t, fingerprint, .name = "fingerprint", .type = SETTING_WHOLE, .effect = DECIDES_DATA)
SETTING(bond_dialect, couplings_format, .name = "couplings-format", .type = SETTING_CHOICE,
        .value = "FORMAT", .fallback = "auto",
        .help = "what the lines i j w of that file, or of --graph, mean: ours (sites from 0, E = "
                "-sum w s s), rudy "
                "(from 1, E = sum w s s), coo, matrix-market, isakov, or auto: what stands in it",
        .choice = choice_of_dialect, .choices = BOND_DIALECTS)
SETTING(first_site, couplings_from, .name = "couplings-from", .type = SETTING_CHOICE,
        .value = "0|1", .fallback = "auto",
        .help = "the number of the first site in that file, or auto",
        .choice = choice_of_first_site, .choices = FIRST_SITES)
ONLY_WITH("disorder", "model=disordered", NULL)
ONLY_WITH("sample", "model=disordered", NULL)
ONLY_WITH("samples", "model=disordered", NULL)
ONLY_WITH("ferromagnetic", "model=disordered", NULL)
ONLY_WITH("couplings-type", "model=disordered", NULL)
ONLY_WITH("couplings-type!=bimodal", "coding=ssc", BIT_PLANES)
ONLY_WITH("couplings-mean", "couplings-type=gaussian", NULL)
ONLY_WITH("couplings-width", "couplings-type=gaussian", NULL)
NOT_WITH("ferromagnetic", "couplings-type=gaussian", "+1 and -1 are not drawn")
ONLY_WITH("couplings-type=real", "couplings", NULL)
NOT_WITH("stages=hybrid", "couplings-type!=bimodal", ON_HOST)
NOT_WITH("couplings-type=gaussian", "couplings", DRAWN)
ONLY_WITH("dilution", "model=disordered", NULL)
ONLY_WITH("couplings", "model=disordered", NULL)
ONLY_WITH("fingerprint", "couplings", NULL)
NOT_WITH("disorder", "couplings", DRAWN)
NOT_WITH("sample", "couplings", DRAWN)
NOT_WITH("samples", "couplings", DRAWN)
NOT_WITH("ferromagnetic", "couplings", DRAWN)
NOT_WITH("dilution", "couplings", DRAWN)
NOT_WITH("boundary", "couplings", "the file says which bonds there are")
ONLY_WITH("model!=ising", "coding=ssc", NO_BITS)
ONLY_WITH("update=swendsen-wang|wolff", "model=ferromagnet",
          "clusters of a glass have most of its spins far above the temperature where it freezes; "
          "bonds of other models set none")
ONLY_WITH("update=tiles", "model=square|cubic|heisenberg2d|heisenberg3d|xy2d|xy3d", NO_ORDER)
ONLY_WITH("update=sequential|random|double-tiling|dead-border", "model=square|cubic", NO_ORDER)
ONLY_WITH("model!=ising", "stages!=hybrid", ON_HOST)
ONLY_WITH("boundary", "model=ising", NULL)
ONLY_WITH("field", "model=ising", NULL)
ONLY_WITH("random-field", "model=ising", NULL)
ONLY_WITH("save-spins", "model=ising", NO_BITS)
ONLY_WITH("load-spins", "model=ising", NO_BITS)

/* --- graphs and fields --- */

SETTING(const char *, graph_file, .name = "graph", .type = SETTING_TEXT, .value = "FILE",
        .help =
            "in place of a lattice: any graph, from a file with a line 'i j J' for each bond and "
            "'i i h' for each field, or as --couplings-format says; ssc")
/* Of bonds and fields in the file. */
SETTING(uint32_t, graph_print, .name = "graph-fingerprint", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA)
SETTING(const char *, field, .name = "field", .type = SETTING_TEXT, .effect = DECIDES_DATA,
        .value = "H/U",
        .help = "a field H/U on all sites of a lattice, whole numbers like 3/10; ssc")
SETTING(const char *, random_field, .name = "random-field", .type = SETTING_TEXT,
        .effect = DECIDES_DATA, .value = "H/U",
        .help = "a field of +H/U or -H/U, drawn for each site of a lattice; ssc")
SETTING(
    uint64_t, field_seed, .name = "field-seed", .type = SETTING_SEED, .effect = DECIDES_DATA,
    .value = "SEED", .fallback = "1",
    .help =
        "64-bit seed of the signs of --random-field, which each --sample has of its own; -s has "
        "no influence on them")
ONLY_WITH("graph-fingerprint", "graph", NULL)
ONLY_WITH("field-seed", "random-field", NULL)
NOT_WITH("model", "graph", GRAPHS)
NOT_WITH("size", "graph", GRAPHS)
NOT_WITH("boundary", "graph", GRAPHS)
NOT_WITH("field", "graph", "the file has the fields")
NOT_WITH("random-field", "graph", "the file has the fields")
ONLY_WITH("graph", "coding=ssc", BIT_PLANES)
ONLY_WITH("field", "coding=ssc", BIT_PLANES)
ONLY_WITH("random-field", "coding=ssc", BIT_PLANES)
NOT_WITH("stages=hybrid", "graph", ON_HOST)
NOT_WITH("stages=hybrid", "field", ON_HOST)
NOT_WITH("stages=hybrid", "random-field", ON_HOST)

/* --- population, sweeps, temperatures --- */

/* R, theta; the maximum of theta if sweeps are adaptive. */
SETTING(uint64_t, population, .name = "population", .short_name = 'R', .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "R", .fallback = "20000",
        .help = "target population size, from 1")
SETTING(uint32_t, sweeps, .name = "sweeps", .short_name = 't', .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "THETA", .fallback = "100",
        .help = "sweeps per temperature, from 1", .subject = "the number of sweeps", .least = 1,
        .most = UINT32_MAX)
SETTING(uint32_t, update, .name = "update", .type = SETTING_CHOICE, .effect = DECIDES_DATA,
        .value = "UPDATE", .fallback = "metropolis", .help = help_of_update,
        .choice = choice_of_update, .choices = UPDATES, .quiet = true)
SETTING(uint32_t, acceptance, .name = "acceptance", .type = SETTING_CHOICE, .effect = DECIDES_DATA,
        .value = "UPDATE", .fallback = "metropolis",
        .help = "whose probabilities of flips the updates tiles, sequential, random, double-tiling "
                "and dead-border have: metropolis or heat-bath",
        .choice = choice_of_update, .choices = ACCEPTANCES, .quiet = true)
SETTING(uint32_t, tile, .name = "tile", .type = SETTING_WHOLE, .effect = DECIDES_DATA, .value = "T",
        .fallback = "16", .help = "edge of the tiles, even", .subject = "the edge of a tile",
        .least = 2, .most = 1024, .quiet = true)
SETTING(uint32_t, hits, .name = "hits", .type = SETTING_WHOLE, .effect = DECIDES_DATA, .value = "K",
        .fallback = "1", .help = "sweeps of an update by tiles, from 1: -t counts updates",
        .subject = "the number of hits", .least = 1, .most = 1000000, .quiet = true)
SETTING(bool, palindrome, .name = "palindrome", .type = SETTING_FLAG, .effect = DECIDES_DATA,
        .help = "the second half of an update by tiles is the first one backwards: it has detailed "
                "balance")
SETTING(bool, common_sites, .name = "common-sites", .type = SETTING_FLAG, .effect = DECIDES_DATA,
        .help = "all replicas visit the same random sites")
ONLY_WITH("acceptance", "update=tiles|sequential|random|double-tiling|dead-border",
          "the others name their own")
ONLY_WITH("tile", "update=tiles|double-tiling|dead-border", NULL)
ONLY_WITH("hits", "update=tiles|double-tiling|dead-border", NULL)
ONLY_WITH("palindrome", "update=tiles", NULL)
ONLY_WITH("common-sites", "update=random|double-tiling|dead-border", NULL)
SETTING(resampling_rule, resampling, .name = "resampling", .type = SETTING_CHOICE,
        .effect = DECIDES_DATA, .value = "RULE", .fallback = "nearest", .help = help_of_resampling,
        .choice = choice_of_resampling, .choices = RESAMPLING_RULES, .quiet = true)
SETTING(double, beta_start, .name = "beta-start", .short_name = 'b', .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "BETA", .fallback = "0",
        .help = "first inverse temperature, from 0", .subject = "the first inverse temperature",
        .least = 0, .most = PARAMETERS_MAX_BETA)
SETTING(double, beta_end, .name = "beta-end", .short_name = 'f', .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "BETA", .fallback = "1",
        .help = "last inverse temperature, from BETA of -b",
        .subject = "the last inverse temperature", .least = 0, .most = PARAMETERS_MAX_BETA)
SETTING(double, dbeta, .name = "dbeta", .short_name = 'd', .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "STEP", .fallback = "0.005",
        .help = "fixed step of the inverse temperature, above 0")
/* Targets of adaptive steps: alpha* of eq. (8), 1 - alpha*, dbeta sigma_E; 0: none. */
SETTING(double, overlap, .name = "overlap", .short_name = 'a', .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "ALPHA",
        .help = "adaptive steps with this overlap, above 0 and below 1; not with -d")
SETTING(double, culling, .name = "culling", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "FRACTION",
        .help =
            "adaptive steps in which this fraction of the replicas is lost, above 0 and below 1: "
            "1 - ALPHA")
SETTING(double, energy_step, .name = "energy-step", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "X",
        .help = "adaptive steps of X, from 1e-16 to 1000, over the standard deviation of the "
                "energy")
SETTING(const char *, betas, .name = "betas", .type = SETTING_TEXT, .value = "FILE",
        .help =
            "inverse temperatures from a file with a line for each and nothing else in it, or from "
            "PA_schedule.dat of a result; not with -b, -f")
SETTING(uint32_t, betas_print, .name = "betas-fingerprint", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA)
ONLY_WITH("betas-fingerprint", "betas", NULL)
NOT_WITH("dbeta", "overlap", STEPS)
NOT_WITH("dbeta", "culling", STEPS)
NOT_WITH("dbeta", "energy-step", STEPS)
NOT_WITH("dbeta", "betas", STEPS)
NOT_WITH("overlap", "culling", STEPS)
NOT_WITH("overlap", "energy-step", STEPS)
NOT_WITH("overlap", "betas", STEPS)
NOT_WITH("culling", "energy-step", STEPS)
NOT_WITH("culling", "betas", STEPS)
NOT_WITH("energy-step", "betas", STEPS)
NOT_WITH("betas", "beta-start", "the file says the first one")
NOT_WITH("betas", "beta-end", "the file says the last one")

SETTING(const char *, sweeps_file, .name = "sweeps-file", .type = SETTING_TEXT, .value = "FILE",
        .help = "sweeps from a file with a line 'beta theta' for those from each beta on, as "
                "PA_schedule.dat; not with -t")
SETTING(uint32_t, sweeps_print, .name = "sweeps-fingerprint", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA)
SETTING(const char *, relaxation, .name = "relaxation", .type = SETTING_TEXT, .value = "FILE",
        .help =
            "THETA times tau sweeps, from a file with lines 'beta tau' and straight lines between "
            "them; not with --sweeps-file")
SETTING(uint32_t, relaxation_print, .name = "relaxation-fingerprint", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA)
SETTING(double, sweep_gain, .name = "adaptive-sweeps", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "GAIN",
        .help = "from 1 to THETA sweeps, as many as take GAIN each, above 0 and at most 1, off R / "
                "R_eff; not with --sweeps-file, --relaxation")
ONLY_WITH("sweeps-fingerprint", "sweeps-file", NULL)
ONLY_WITH("relaxation-fingerprint", "relaxation", NULL)
NOT_WITH("sweeps", "sweeps-file", "the file says the sweeps")
NOT_WITH("relaxation", "sweeps-file", SWEEPS)
NOT_WITH("adaptive-sweeps", "sweeps-file", SWEEPS)
NOT_WITH("adaptive-sweeps", "relaxation", SWEEPS)
NOT_WITH("adaptive-sweeps", "rng=shared|shared-reorder",
         "replicas of a word share random numbers, and are alike whatever the sweeps are")

SETTING(uint32_t, measurements, .name = "measurements", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "N", .fallback = "1000",
        .help =
            "measurements at each temperature, THETA sweeps apart, from 1; with flat histograms "
            "the steps of THETA sweeps with fixed weights; not with annealing",
        .subject = "the number of measurements", .least = 1, .most = 100000000)
SETTING(uint32_t, thermalisation, .name = "thermalisation", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "N", .fallback = "100",
        .help =
            "as many times THETA sweeps before the first measurement, and behind each change of "
            "multicanonical weights; not with annealing",
        .subject = "the thermalisation", .least = 0, .most = 100000000)
SETTING(bool, correlation_length, .name = "correlation-length", .type = SETTING_FLAG,
        .effect = DECIDES_DATA,
        .help = "measure S(k) at the smallest wave vector, and with it the correlation length: "
                "columns S_k and xi; square and cubic, --method canonical and tempering")
SETTING(double, geometric, .name = "geometric", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "X",
        .help =
            "steps of X beta in place of equal ones, above 0: neighbours have a constant ratio; "
            "--method canonical and tempering")
SETTING(chain_moves, moves, .name = "moves", .type = SETTING_CHOICE, .effect = DECIDES_DATA,
        .value = "MOVES", .fallback = "none",
        .help = "with --method tempering, before each exchange: none, or houdayer: a cluster move "
                "of the overlap of chains r and r + R/2; glasses only",
        .choice = choice_of_moves, .choices = MOVES, .quiet = true)
SETTING(
    double, moves_from, .name = "moves-from", .type = SETTING_REAL, .effect = DECIDES_DATA,
    .value = "BETA", .fallback = "0",
    .help = "the lowest beta with such moves; 0: all in two dimensions, from 1 on in three, since "
            "clusters percolate at higher temperatures",
    .subject = "the lowest beta with moves", .least = 0, .most = PARAMETERS_MAX_BETA, .quiet = true)
ONLY_WITH("geometric", "method=canonical|tempering", NULL)
ONLY_WITH("correlation-length", "method=canonical|tempering", NULL)
ONLY_WITH("correlation-length", "model=square|cubic", "glasses have that of overlaps")
NOT_WITH("correlation-length", "field", "it is that of lattices without a field")
NOT_WITH("correlation-length", "random-field", "it is that of lattices without a field")
NOT_WITH("correlation-length", "boundary", "waves are those of periodic boundaries")
NOT_WITH("dbeta", "geometric", STEPS)
NOT_WITH("geometric", "betas", STEPS)
ONLY_WITH("moves", "method=tempering", NULL)
ONLY_WITH("moves", "model=glass2d|glass3d", NULL)
NOT_WITH("moves", "field", "a field has no clusters that keep the energy")
NOT_WITH("moves", "random-field", "a field has no clusters that keep the energy")
ONLY_WITH("moves-from", "moves=houdayer", NULL)
SETTING(word_content, words, .name = "words", .type = SETTING_CHOICE, .effect = DECIDES_DATA,
        .value = "CONTENT", .fallback = "chains",
        .help = "with --method tempering, what the bits of machine words are of: chains of one "
                "sample, or 32 samples, of which -R then may be small; glasses, msc",
        .choice = choice_of_words, .choices = WORD_CONTENTS, .quiet = true)
ONLY_WITH("words=samples", "method=tempering", NULL)
ONLY_WITH("words=samples", "model=glass2d|glass3d", NULL)
ONLY_WITH("words=samples", "coding=msc", "ssc has no words")
NOT_WITH("words=samples", "word!=32", "a word has 32 samples")
ONLY_WITH("words=samples", "rng=independent", "the samples of a word would share random numbers")
NOT_WITH("words=samples", "moves", "chains are moved where words are of one sample")
NOT_WITH("words=samples", "dilution", "all bonds must be there")
NOT_WITH("words=samples", "boundary", "all bonds must be there")
NOT_WITH("words=samples", "couplings", "the number of a sample says which bit it is")
SETTING(record_kind, record, .name = "record", .type = SETTING_CHOICE, .effect = DECIDES_DATA,
        .value = "RECORD", .fallback = "series",
        .help = "what is kept of measurements; series: what the method always keeps; bins, with "
                "--words samples: sums over logarithmic bins in place of series; walkers, with "
                "flat histograms: energy and order of each walker behind each measurement, too; "
                "states: and its spins",
        .choice = choice_of_record, .choices = RECORDS, .quiet = true)
ONLY_WITH("record=bins", "words=samples", NULL)
ONLY_WITH("record=bins", "update=metropolis", "the kernels have its flips alone")
NOT_WITH("record=bins", "reweight", "there are no histograms of the energy")
/* Flat histograms. */
SETTING(uint32_t, windows, .name = "windows", .type = SETTING_WHOLE, .effect = DECIDES_DATA,
        .value = "N", .fallback = "1", .help = "windows of the energy, R walkers in each",
        .subject = "the number of windows", .least = 1, .most = 1000)
SETTING(double, window_overlap, .name = "window-overlap", .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "X", .fallback = "0.5",
        .help = "the part of a window that it shares with the next one, from 0 to 0.9",
        .subject = "the overlap of windows", .least = 0, .most = 0.9)
SETTING(double, lowest_energy, .name = "lowest-energy", .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "E", .fallback = "-1e+15",
        .help = "the energy of the lattice below which no walker goes, in J",
        .subject = "the lowest energy", .least = -1e15, .most = 1e15, .quiet = true)
SETTING(double, highest_energy, .name = "highest-energy", .type = SETTING_REAL,
        .effect = DECIDES_DATA, .value = "E", .fallback = "1e+15",
        .help = "the energy of the lattice above which no walker goes, in J",
        .subject = "the highest energy", .least = -1e15, .most = 1e15, .quiet = true)
SETTING(const char *, weights, .name = "weights", .type = SETTING_TEXT, .value = "FILE",
        .help = "begin with the weights 1/g of FH_density.dat of an earlier run of this lattice")
SETTING(uint32_t, weights_print, .name = "weights-fingerprint", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA)
SETTING(uint32_t, iteration_length, .name = "iteration-length", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "N", .fallback = "100",
        .help = "steps of THETA sweeps that an iteration of the weights counts; of multicanonical "
                "simulation twice as many from one to the next, once no new energy comes",
        .subject = "the length of an iteration", .least = 1, .most = 100000000)
SETTING(uint32_t, iterations, .name = "iterations", .type = SETTING_WHOLE, .effect = DECIDES_DATA,
        .value = "N", .fallback = "1000",
        .help = "the search for weights takes as many times the first length of an iteration at "
                "most, in steps; 0: those of --weights stay as they are",
        .subject = "the number of iterations", .least = 0, .most = 1000000)
SETTING(double, divergence, .name = "divergence", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "D", .fallback = "0.02",
        .help = "weights are ready when the histogram is as near to a flat one: the sum of h ln(h "
                "K) over its K levels",
        .subject = "the divergence", .least = 0, .most = 10)
SETTING(double, flatness, .name = "flatness", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "X", .fallback = "0.8",
        .help = "ln f is halved when the smallest count of a level is X times the mean",
        .subject = "the flatness", .least = 0, .most = 0.999)
SETTING(refinement_rule, refinement, .name = "refinement", .type = SETTING_CHOICE,
        .effect = DECIDES_DATA, .value = "RULE", .fallback = "1/t",
        .help = "how ln f falls: halved at each flat histogram, or 1/t, levels over attempts once "
                "that is larger",
        .choice = choice_of_refinement, .choices = REFINEMENTS)
SETTING(double, last_ln_f, .name = "last-ln-f", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "X", .fallback = "1e-6", .help = "weights are ready when ln f is below X",
        .subject = "the last ln f", .least = 1e-15, .most = 1)
SETTING(uint32_t, block_attempts, .name = "block-attempts", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "N", .fallback = "100",
        .help = "attempts of each walker between changes of ln g",
        .subject = "the attempts of a block", .least = 1, .most = 67108864)
ONLY_WITH("windows", FLAT, NULL)
ONLY_WITH("window-overlap", FLAT, NULL)
ONLY_WITH("lowest-energy", FLAT, NULL)
ONLY_WITH("highest-energy", FLAT, NULL)
ONLY_WITH("weights", FLAT, NULL)
ONLY_WITH("weights-fingerprint", "weights", NULL)
ONLY_WITH("iteration-length", FLAT, NULL)
ONLY_WITH("iterations", FLAT, NULL)
ONLY_WITH("iterations=0", "weights", "without a search there are no others")
ONLY_WITH("divergence", "method=multicanonical", NULL)
ONLY_WITH("flatness", "method=wang-landau", NULL)
ONLY_WITH("refinement", "method=wang-landau", NULL)
ONLY_WITH("last-ln-f", "method=wang-landau", NULL)
ONLY_WITH("block-attempts", "method=wang-landau", NULL)
ONLY_WITH("record=walkers|states", FLAT, NULL)
ONLY_WITH(FLAT, "coding=ssc", "walkers have sites and weights of their own")
NOT_WITH("update", FLAT, "flips are decided by the weights")
NOT_WITH("couplings-type!=bimodal", FLAT, "flat histograms need energy levels")
NOT_WITH(FLAT, "model=vector", "flat histograms need energy levels")
ONLY_WITH("measurements", "method=canonical|tempering|multicanonical|wang-landau", NULL)
ONLY_WITH("thermalisation", "method=canonical|tempering|multicanonical|wang-landau", NULL)
ONLY_WITH("samples", "method=annealing|tempering", NULL)
ONLY_WITH("resampling", "method=annealing", NULL)
NOT_WITH("resampling=none", "adaptive-sweeps", "R_eff stays R")
NOT_WITH("resampling=none", "plan", "it counts families")
ONLY_WITH("overlap", "method=annealing", NULL)
ONLY_WITH("culling", "method=annealing", NULL)
ONLY_WITH("energy-step", "method=annealing", NULL)
ONLY_WITH("sweeps-file", "method=annealing", NULL)
ONLY_WITH("relaxation", "method=annealing", NULL)
ONLY_WITH("adaptive-sweeps", "method=annealing", NULL)
ONLY_WITH("runs", "method=annealing|microcanonical|canonical", NULL)
ONLY_WITH("reweight", "method=annealing|tempering|canonical", NULL)
ONLY_WITH("plan", "method=annealing", NULL)
ONLY_WITH("in-flight", "method=annealing", NULL)
ONLY_WITH("stages!=fused|apart", "method=annealing", NULL)
ONLY_WITH("rng!=independent|philox|shared", "method=annealing", "the other modes reorder replicas")

SETTING(double, cull, .name = "cull", .type = SETTING_REAL, .effect = DECIDES_DATA,
        .value = "FRACTION", .fallback = "0.1",
        .help = "the part of the replicas that is above the next ceiling, at least; "
                "--method microcanonical",
        .subject = "the part that is culled", .least = 0.001, .most = 0.9)
ONLY_WITH("cull", "method=microcanonical", NULL)
SETTING(bool, heating, .name = "heating", .type = SETTING_FLAG, .effect = DECIDES_DATA,
        .help = "let the ceiling rise again behind each run, as another estimate of the numbers of "
                "states; --method microcanonical")
ONLY_WITH("heating", "method=microcanonical", NULL)
SETTING(bool, spin_observables, .name = "spin-observables", .type = SETTING_FLAG,
        .effect = DECIDES_DATA,
        .help = "measure what the spins say beyond |m|, by energy and by temperature: sub-lattices "
                "and polarisation of baxter-wu, the largest cluster of equal neighbours of others; "
                "--method microcanonical, not glasses")
ONLY_WITH("spin-observables", "method=microcanonical", NULL)
ONLY_WITH("spin-observables", "model=square|cubic|potts|blume-capel|baxter-wu",
          "clusters of equal spins say nothing of a glass")
ONLY_WITH("method=microcanonical", "coding=ssc", "a ceiling is one of each replica's energy")
NOT_WITH("couplings-type!=bimodal", "method=microcanonical", "ceilings are levels of the energy")
NOT_WITH("method=microcanonical", "model=vector", "ceilings are levels of the energy")
NOT_WITH("betas", "method=microcanonical", "its rows are a grid of -d")
NOT_WITH("update!=metropolis", "method=microcanonical", "what stays below the ceiling is accepted")

/* --- runs and results --- */

SETTING(uint32_t, runs, .name = "runs", .short_name = 'M', .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "M", .fallback = "1", .help = "independent runs, from 1",
        .subject = "the number of runs", .least = 1, .most = 1000000,
        .quiet_with = METHOD_canonical)
SETTING(
    bool, ground_states, .name = "ground-states", .type = SETTING_FLAG, .effect = DECIDES_DATA,
    .help =
        "search the lowest energy of a glass, a graph or a model in a field: cool and enlarge "
        "from -f and -R on until runs are not in doubt, then repeat them, M at a time, until "
        "it is known how often a run "
        "misses it; begins with -R 256 -t 12 --culling 0.2 -f 1.6 -M 40 where they are not given")
SETTING(double, miss_width, .name = "miss-width", .type = SETTING_REAL, .value = "W",
        .fallback = "0.1",
        .help = "with --ground-states: how wide the interval (95%) of that probability may be",
        .subject = "the width", .least = 0.001, .most = 1)
SETTING(checkpoint_interval, time_limit, .name = "time-limit", .type = SETTING_INTERVAL,
        .effect = DECIDES_COMMAND, .value = "TIME",
        .help =
            "end before a temperature step that would end later, with a checkpoint and status 3: "
            "whole seconds, or like 0.5s, 90s, 3h30m; with --samples before a sample that would, "
            "without a "
            "checkpoint; with --ground-states before a run that would, of each sample [60s there]")
ONLY_WITH("ground-states", "method=annealing", NULL)
NOT_WITH("ground-states", "betas", "it chooses the last temperature")
NOT_WITH("ground-states", "reweight", "runs have temperatures of their own")
NOT_WITH("ground-states", "plan", "it chooses theta and R")
ONLY_WITH("miss-width", "ground-states", NULL)
NOT_WITH("time-limit", "plan", PILOTS)
SETTING(uint64_t, seed, .name = "seed", .short_name = 's', .type = SETTING_SEED,
        .effect = DECIDES_DATA, .value = "SEED", .fallback = "2017",
        .help = "64-bit seed, decimal or 0x...")
SETTING(int, precision, .name = "precision", .short_name = 'P', .type = SETTING_INT,
        .effect = DECIDES_DATA, .value = "DIGITS", .fallback = "11",
        .help = "significant digits in the data files, 1 to 17",
        .subject = "the digits in the output", .least = 1, .most = 17)
SETTING(const char *, output, .name = "output", .short_name = 'o', .type = SETTING_TEXT,
        .value = "FOLDER", .help = "where the results go [named after the parameters]")
SETTING(file_format, format, .name = "format", .type = SETTING_CHOICE, .value = "FORMAT",
        .fallback = "text",
        .help = "data files as text, npz (archives of NumPy's arrays) or text,npz (both)",
        .choice = choice_of_format, .choices = FORMATS)
SETTING(bool, force, .name = "force", .type = SETTING_FLAG, .effect = DECIDES_COMMAND,
        .help = "replace a result or a checkpoint that is there already")
SETTING(bool, dry_run, .name = "dry-run", .type = SETTING_FLAG, .effect = DECIDES_COMMAND,
        .help = "say what the run would take (memory, spin flips, time), and end")
SETTING(checkpoint_interval, plan, .name = "plan", .type = SETTING_INTERVAL,
        .effect = DECIDES_COMMAND, .value = "TIME",
        .help =
            "say which -R and -t to choose for a time like 600s, 10m, 2h, from short pilot runs, "
            "and end")
SETTING(
    const char *, like, .name = "like", .type = SETTING_TEXT, .effect = DECIDES_COMMAND,
    .value = "NAME",
    .help = "with --dry-run: on the GPU that perf/baselines/NAME.dat was measured on, here or not")
NOT_WITH("plan", "population", "it proposes one")
NOT_WITH("plan", "sweeps", "it proposes them")
NOT_WITH("plan", "sweeps-file", "it proposes the sweeps")
NOT_WITH("plan", "adaptive-sweeps", "it proposes the sweeps")
NOT_WITH("plan", "dry-run", PILOTS)
NOT_WITH("plan", "resume", PILOTS)
NOT_WITH("plan", "checkpoint", PILOTS)
ONLY_WITH("like", "dry-run", NULL)
NOT_WITH("like", "device=cpu", NULL)

SETTING(const char *, save_spins, .name = "save-spins", .type = SETTING_TEXT,
        .value = "BETA[,BETA...]",
        .help = "the population at the first temperature step from each BETA on, as .npy files: "
                "spins, energies and families")
SETTING(const char *, load_spins, .name = "load-spins", .type = SETTING_TEXT, .value = "FILE",
        .help = "begin with the population of a file PA_spins_run_K_beta_B.npy of --save-spins, at "
                "B, or at BETA of -b where the name has none")
SETTING(uint32_t, load_print, .name = "load-spins-fingerprint", .type = SETTING_WHOLE,
        .effect = DECIDES_DATA)
ONLY_WITH("load-spins-fingerprint", "load-spins", NULL)
ONLY_WITH("save-spins", "method=annealing", NULL)
ONLY_WITH("load-spins", "method=annealing", NULL)
NOT_WITH("save-spins", "plan", PILOTS)
NOT_WITH("load-spins", "checkpoint", "the saved population is the checkpoint")
NOT_WITH("load-spins", "plan", "it begins at beta = 0")
NOT_WITH("save-spins", "ground-states", "of its runs one state is kept")
NOT_WITH("load-spins", "ground-states", "runs would not be independent")
NOT_WITH("load-spins", "runs!=1", "one file has one population")
NOT_WITH("load-spins", "samples!=1", "one file has one population")
NOT_WITH("load-spins", "betas", "the file says the first temperature")
NOT_WITH("load-spins", "reweight", "the analysis begins at beta = 0")
NOT_WITH("load-spins", "rng=shared-reorder|lcg", "these modes reorder replicas")

/* --- how it is made --- */

SETTING(spin_coding, coding, .name = "coding", .short_name = 'c', .type = SETTING_CHOICE,
        .effect = DECIDES_DATA, .value = "CODING", .fallback = "msc",
        .help = "ssc (one byte a spin) or msc (one bit a spin)", .choice = choice_of_coding,
        .choices = CODING_MSC + 1)
SETTING(device_kind, device, .name = "device", .short_name = 'D', .type = SETTING_DEVICE,
        .value = "DEVICE", .fallback = "auto",
        .help = "cpu, cuda, cuda:N, or auto: a GPU if there is one", .choice = choice_of_device,
        .choices = DEVICE_CUDA + 1)
SETTING(int, device_number, .name = "device-number", .type = SETTING_INT)
SETTING(stage_mode, stages, .name = "stages", .type = SETTING_CHOICE, .value = "MODE",
        .fallback = "fused",
        .help =
            "how a GPU makes a step: fused, apart (each timed) or hybrid (resampling on the CPU; "
            "ssc only)",
        .choice = choice_of_stages, .choices = STAGES_HYBRID + 1, .only_on_gpu = true)
ONLY_WITH("stages!=fused|apart", "coding=ssc", NULL)

SETTING(
    uint32_t, in_flight, .name = "in-flight", .type = SETTING_WHOLE, .value = "N", .fallback = "0",
    .help = "runs of -M that are made side by side, or samples if there are several, 0: at most as "
            "many as fill a GPU, or 1 on a CPU (of samples, one a processor)",
    .subject = "the number of runs in flight", .least = 0, .most = 1000000)
SETTING(uint32_t, word, .name = "word", .short_name = 'p', .type = SETTING_WHOLE,
        .effect = DECIDES_DATA, .value = "P", .fallback = "32",
        .help = "replicas a word, 8, 16, 32 or 64; msc only")
SETTING(rng_mode, rng, .name = "rng", .short_name = 'g', .type = SETTING_CHOICE,
        .effect = DECIDES_DATA, .value = "MODE", .fallback = "independent",
        .help = "independent, philox, shared, shared-reorder or lcg; msc only",
        .choice = choice_of_rng, .choices = RNG_LCG + 1)
SETTING(uint32_t, stripes, .name = "stripes", .type = SETTING_WHOLE, .effect = DECIDES_DATA,
        .value = "N", .fallback = "1",
        .help = "stripes that each lattice is cut into, lanes of a word: 32 for one large lattice "
                "[1, or what few or large lattices need]",
        .subject = "the number of stripes", .least = 1, .most = 32, .quiet = true)
ONLY_WITH("word", "coding=msc", "ssc has no words")
ONLY_WITH("stripes", "coding=msc", "ssc has no words")
ONLY_WITH("stripes", "model=square|cubic", NULL)
ONLY_WITH("stripes", "method=canonical", NULL)
ONLY_WITH("vector-observables", "method=canonical", NULL)
NOT_WITH("vector-observables", "runs!=1", "its averages are over the time of one run")
ONLY_WITH("stripes", "rng=independent", "the lanes of a word would share random numbers")
NOT_WITH("stripes", "boundary", NULL)
ONLY_WITH("rng", "coding=msc", "ssc has no choice of them")
ONLY_WITH("rng!=independent", "model=2D", NULL)

/* --- analysis --- */

SETTING(bool, reweight, .name = "multi-histogram", .type = SETTING_FLAG)
SETTING(double, reweight_step, .name = "reweight", .short_name = 'm', .type = SETTING_REAL,
        .flag = FIELD(reweight), .effect = DECIDES_DATA, .value = "STEP",
        .help = "multi-histogram analysis on a grid of this step, above 0 [step of -d, or 0.005]")

/* --- checkpoints --- */

SETTING(const char *, checkpoint, .name = "checkpoint", .type = SETTING_TEXT,
        .effect = DECIDES_COMMAND, .value = "FILE",
        .help = "a new file for checkpoints, written between temperatures [FILE of --resume]")
SETTING(checkpoint_interval, checkpoint_every, .name = "checkpoint-every", .type = SETTING_INTERVAL,
        .value = "TIME", .fallback = "10m",
        .help = "how often: a time above 0 like 600s, 10m, 2h, or a whole number of temperature "
                "steps, from 1")
SETTING(const char *, resume, .name = "resume", .type = SETTING_TEXT, .effect = DECIDES_COMMAND,
        .value = "FILE",
        .help = "go on from a checkpoint, whose options hold; others than -D, -o, --stages, "
                "--in-flight, --force and --checkpoint... must not differ")
SETTING(bool, continues, .name = "continue", .type = SETTING_FLAG, .effect = DECIDES_COMMAND,
        .help =
            "go on from the file of --checkpoint if it is there, else begin; a finished run says "
            "so: the same command again and again until it is")
ONLY_WITH("continue", "checkpoint", NULL)
NOT_WITH("continue", "force", "one goes on, the other begins anew")
NOT_WITH("checkpoint", "samples!=1",
         "of several samples, those that are missing are made when the same command is given again")
ONLY_WITH("checkpoint-every", "checkpoint", NULL)

/* --- what is printed --- */

SETTING(bool, silent, .name = "quiet", .type = SETTING_FLAG, .effect = DECIDES_COMMAND,
        .help = "print no announcement and no progress on stderr: warnings and errors alone")

OPTION(.name = "help", .short_name = 'h', .type = SETTING_SHOW, .effect = DECIDES_COMMAND,
       .help = "print this")
OPTION(.name = "version", .short_name = 'V', .type = SETTING_SHOW, .effect = DECIDES_COMMAND,
       .help = "print the version")
OPTION(.name = "manual", .type = SETTING_SHOW, .effect = DECIDES_COMMAND,
       .help = "print the manual page, for man -l")
OPTION(.name = "completion", .type = SETTING_SHOW, .effect = DECIDES_COMMAND, .value = "SHELL",
       .help = "print a script that completes these options in the shell, bash or zsh")

#undef SETTING
#undef OPTION
#undef ONLY_WITH
#undef NOT_WITH
#undef DRAWN
#undef STEPS
#undef SWEEPS
#undef PILOTS
#undef GRAPHS
#undef BIT_PLANES
#undef NO_CHAINS
#undef ON_HOST
#undef NO_BITS
#undef FLAT
