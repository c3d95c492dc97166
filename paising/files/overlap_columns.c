/* Columns of overlaps (overlap_columns.h). */
#include "overlap_columns.h"

#include <math.h>
#include <string.h>

/* With a disordered model: columns that replace those of the magnetisation. */
static const struct {
    size_t place; /* index in the row */
    overlap_value value;
    bool is_error;
    heading shown;
} overlaps_in_place[] = {
    {3,
     OVERLAP_ABS_Q,
     false,
     {"|q|", "overlap of pairs of replicas of different families, mean of its absolute value",
      NULL}},
    {4, OVERLAP_Q2, false, {"q2", "mean of its square", NULL}},
    {5, OVERLAP_Q4, false, {"q4", "mean of its fourth power", NULL}},
    {12, OVERLAP_ABS_Q, true, {"err_|q|", "error of |q|", NULL}},
    {18, OVERLAP_Q2, true, {"err_q2", "error of q2", NULL}},
    {19, OVERLAP_Q4, true, {"err_q4", "error of q4", NULL}},
};
enum { OVERLAPS_IN_PLACE = sizeof overlaps_in_place / sizeof *overlaps_in_place };

/* With a disordered model: columns behind all others. */
static const heading overlap_columns[] = {
    {"Binder", "Binder parameter (3 - q4 / q2^2) / 2; U4 = q4 / q2^2, of samples [q4] / [q2]^2",
     NULL},
    {"err_Binder", "error of Binder", NULL},
    {"q_l", "link overlap of these pairs, 1 - 2 (bonds whose ends overlap differently) / bonds",
     NULL},
    {"err_q_l", "error of q_l", NULL},
    {"chi_SG", "spin-glass susceptibility N q2", NULL},
    {"err_chi_SG", "error of chi_SG", NULL},
    {"xi/L",
     "second-moment correlation length, sqrt(chi_SG / chi(k) - 1) / (2 L sin(pi / L)), k = 2 pi / "
     "L; "
     "nan if chi(k) > chi_SG",
     NULL},
    {"err_xi/L",
     "error of xi/L; nan where all pairs less some block of them have no xi/L: chi(k) is not known "
     "to be "
     "below chi_SG, or not known to be above 0",
     NULL},
    {"chi(k)", "N |q(k)|^2, the mean over the directions of the longest edge", NULL},
    {"err_chi(k)", "error of chi(k)", NULL},
    {"S_f", "family entropy, -sum of f ln f over the families, f their shares of the population",
     "family entropy, -sum of f ln f over the families of all runs, f their shares of the weights"},
    {"rho_s", "entropic family size, R exp(-S_f)",
     "entropic family size, R of all runs together times exp(-S_f)"},
    {"pairs",
     "pairs of different families; blocks of them, half as many as of the population but 16 at "
     "least, make the errors of the overlaps",
     "pairs of different families, in all runs"},
    {"E_min", "the lowest energy in the population, of the lattice",
     "the lowest energy in the populations"},
};
enum { OVERLAP_COLUMNS = sizeof overlap_columns / sizeof *overlap_columns };

/* Of vectors, behind these. */
static const heading vector_columns[] = {
    {"q_s", "mean of (s . s')^2 over the bonds of both replicas", NULL},
    {"err_q_s", "error of q_s", NULL},
    {"q_k2", "mean square of the overlap q_k of chiralities", NULL},
    {"err_q_k2", "error of q_k2", NULL},
    {"q_k4", "mean of its fourth power", NULL},
    {"err_q_k4", "error of q_k4", NULL},
    {"Binder_k", "Binder parameter (3 - q_k4 / q_k2^2) / 2 of chiralities", NULL},
    {"err_Binder_k", "error of Binder_k", NULL},
};
enum { VECTOR_COLUMNS = sizeof vector_columns / sizeof *vector_columns };
_Static_assert(OVERLAP_COLUMNS + VECTOR_COLUMNS == OVERLAP_COLUMNS_MOST, "room for all");

/* What their other columns mean: that of Binder and of q_l. */
static const heading vector_binder = {
    "Binder", "Binder parameter (n^2 + 2 - n^2 q4 / q2^2) / 2 of n components", NULL};
static const heading vector_link = {
    "q_l", "link overlap of these pairs, mean of the product of both s . s' over the bonds", NULL};
enum { BINDER = 0, LINK = 2 };

const heading *overlap_heading_in_place(size_t place) {
    for (size_t n = 0; n < OVERLAPS_IN_PLACE; n++)
        if (overlaps_in_place[n].place == place)
            return &overlaps_in_place[n].shown;
    return NULL;
}

size_t overlap_columns_count(const spin_model *model) {
    const size_t of_bits = OVERLAP_COLUMNS, all = OVERLAP_COLUMNS_MOST;
    return !model->disordered ? 0 : overlap_is_of_bits(model) ? of_bits : all;
}

void overlap_columns_list(heading to[OVERLAP_COLUMNS_MOST], const spin_model *model) {
    memcpy(to, overlap_columns, sizeof overlap_columns);
    memcpy(to + OVERLAP_COLUMNS, vector_columns, sizeof vector_columns);
    if (overlap_is_of_bits(model))
        return;
    to[BINDER] = vector_binder;
    to[LINK] = vector_link;
}

void overlap_columns_fill(double in_place[], double behind[], const overlap_row *o,
                          const spin_model *model, bool errors_known) {
    const double spins = (double)model->sites, *const value = o->value;
    double error[OVERLAP_VALUES];
    for (size_t n = 0; n < OVERLAP_VALUES; n++)
        error[n] = errors_known ? o->error[n] : NAN;
    for (size_t n = 0; n < OVERLAPS_IN_PLACE; n++)
        in_place[overlaps_in_place[n].place] =
            (overlaps_in_place[n].is_error ? error : value)[overlaps_in_place[n].value];
    const double all[OVERLAP_COLUMNS_MOST] = {
        value[OVERLAP_BINDER],
        error[OVERLAP_BINDER],
        value[OVERLAP_LINK],
        error[OVERLAP_LINK],
        value[OVERLAP_CHI],
        error[OVERLAP_CHI],
        value[OVERLAP_XI],
        error[OVERLAP_XI],
        spins * value[OVERLAP_WAVE],
        spins * error[OVERLAP_WAVE],
        o->family_entropy,
        o->rho_s,
        o->pairs,
        o->lowest,
        value[OVERLAP_SELF],
        error[OVERLAP_SELF],
        value[OVERLAP_CHIRAL2],
        error[OVERLAP_CHIRAL2],
        value[OVERLAP_CHIRAL4],
        error[OVERLAP_CHIRAL4],
        value[OVERLAP_CHIRAL_BINDER],
        error[OVERLAP_CHIRAL_BINDER],
    };
    memcpy(behind, all, overlap_columns_count(model) * sizeof *all);
}
