/* What a file of bonds is read as, and what is said of it (bond_file.h). */
#ifndef PAISING_BOND_ORIGIN_H
#define PAISING_BOND_ORIGIN_H

#include "base/portable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a file before it is read: both 0 where nothing is. */
typedef enum {
    BONDS_RECOGNISED, /* by what stands in the file */
    BONDS_OURS,
    BONDS_RUDY,
    BONDS_COO,
    BONDS_MATRIX_MARKET,
    BONDS_ISAKOV,
    BOND_DIALECTS
} bond_dialect;

typedef enum { FIRST_SITE_RECOGNISED, FIRST_SITE_0, FIRST_SITE_1, FIRST_SITES } first_site;

typedef struct {
    bond_dialect dialect;
    first_site first;
} bond_reading;

/* Where bonds are from. A file of a cut (rudy) has W, the sum of its weights: the cut is (W - E) / 2. */
#define BOND_ORIGIN_SIZE 200
typedef struct {
    char text
        [BOND_ORIGIN_SIZE]; /* "rudy format, 512 sites from 1, E = sum w s s"; empty: of no such file */
    uint32_t first;         /* number of the first site in it */
    bool is_cut;
    double weight;  /* W, in units of J */
    double offset;  /* the energy by the file is E + offset, in units of J */
    size_t rounded; /* its numbers that had too many decimals */
} bond_origin;

/* The cut of a configuration with energy E, in J. */
static inline double bond_origin_cut(const bond_origin *origin, double energy) {
    return (origin->weight - energy) / 2;
}

C_DECLARATIONS_BEGIN

/* The names of the options' values: "auto", "ours", ...; "auto", "0", "1". */
const char *bond_dialect_name(bond_dialect dialect);
const char *first_site_name(first_site first);

C_DECLARATIONS_END

#endif
