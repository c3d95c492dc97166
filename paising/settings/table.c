/* The tables that the list of settings makes, and the names of choices. */
#include "exclusions.h"

#include <string.h>

#define FIELD(name)                                                                                \
    { offsetof(parameters, name), sizeof((parameters *)NULL)->name }

static const char *choice_of_model(uint32_t n) {
    return model_kinds[n]->name;
}

static const char *choice_of_dialect(uint32_t n) {
    return bond_dialect_name((bond_dialect)n);
}

static const char *choice_of_first_site(uint32_t n) {
    return first_site_name((first_site)n);
}

static const char *choice_of_couplings_type(uint32_t n) {
    static const char *const names[COUPLINGS_TYPES] = {"bimodal", "gaussian", "real"};
    return n < COUPLINGS_TYPES ? names[n] : NULL;
}

static const char *choice_of_real(uint32_t n) {
    static const char *const names[REALS] = {"float", "double", "fast"};
    return n < REALS ? names[n] : NULL;
}

static const char *choice_of_update(uint32_t n) {
    return update_kinds[n]->name;
}

/* Kinds of models for exclusions: "disordered", "2D", "ferromagnet" (of bonds between two spins), "ising", "potts", "blume-capel",
 * "vector". */
static bool model_is_kind(uint32_t n, const char *kind) {
    const model_kind *const m = model_kinds[n];
    return (strcmp(kind, "disordered") == 0 && m->disordered) ||
           (strcmp(kind, "2D") == 0 && m->dimension == 2) ||
           (strcmp(kind, "ferromagnet") == 0 && !m->disordered &&
            (m->spins == SPINS_ISING || m->spins == SPINS_POTTS || m->spins == SPINS_VECTOR)) ||
           (strcmp(kind, "ising") == 0 && m->spins == SPINS_ISING) ||
           (strcmp(kind, "potts") == 0 && m->spins == SPINS_POTTS) ||
           (strcmp(kind, "blume-capel") == 0 && m->spins == SPINS_BLUME_CAPEL) ||
           (strcmp(kind, "vector") == 0 && m->spins == SPINS_VECTOR);
}

static const char *choice_of_coding(uint32_t n) {
    return coding_name((spin_coding)n);
}

static const char *choice_of_moves(uint32_t n) {
    static const char *const names[MOVES] = {"none", "houdayer"};
    return n < MOVES ? names[n] : NULL;
}

static const char *choice_of_words(uint32_t n) {
    static const char *const names[WORD_CONTENTS] = {"chains", "samples"};
    return n < WORD_CONTENTS ? names[n] : NULL;
}

static const char *choice_of_record(uint32_t n) {
    static const char *const names[RECORDS] = {"series", "bins", "walkers", "states"};
    return n < RECORDS ? names[n] : NULL;
}

static const char *choice_of_format(uint32_t n) {
    static const char *const names[FORMATS] = {"text", "npz", "text,npz"};
    return n < FORMATS ? names[n] : NULL;
}

static const char *choice_of_device(uint32_t n) {
    return device_name((device_kind)n);
}

static const char *choice_of_stages(uint32_t n) {
    return stages_name((stage_mode)n);
}

static const char *choice_of_rng(uint32_t n) {
    return rng_name((rng_mode)n);
}

static const char *choice_of_resampling(uint32_t n) {
    return resampling_name((resampling_rule)n);
}

static const char *choice_of_method(uint32_t n) {
    return method_name((method_kind)n);
}

static const char *choice_of_refinement(uint32_t n) {
    return n == REFINEMENT_HALVED ? "halved" : "1/t";
}

static const char help_of_method[] = "the method"
#define METHOD(file, name, title, meaning) "; " name ": " meaning
#include "method_list.h"
    ;
#undef METHOD

static const char help_of_resampling[] = "how children are counted"
#define RULE(NAME, name, way, meaning) "; " #name ": " meaning
#include "engine/rule_list.h"
    ;
#undef RULE

static const char help_of_update[] = "the update of a spin"
#define UPDATE(file, name, meaning) "; " name ": " meaning
#include "update/update_list.h"
    ;
#undef UPDATE

const setting settings[] = {
#define SETTING(type, name, ...) {.field = FIELD(name), __VA_ARGS__},
#define OPTION(...)              {__VA_ARGS__},
#include "list.h"
};

const exclusion exclusions[] = {
#define ONLY_WITH(one, other, why) {one, true, other, why},
#define NOT_WITH(one, other, why)  {one, false, other, why},
#include "list.h"
};

const size_t settings_count = sizeof settings / sizeof *settings;
const size_t exclusions_count = sizeof exclusions / sizeof *exclusions;
_Static_assert(sizeof model_kinds / sizeof *model_kinds == MODEL_KINDS + 1, "a choice for each");
_Static_assert(sizeof settings / sizeof *settings <= SETTINGS_MOST, "SETTINGS_MOST is too small");
