/* The command line of build/exact. */
#ifndef PAISING_EXACT_REQUEST_H
#define PAISING_EXACT_REQUEST_H

#include "engine/disorder.h"
#include "model/model.h"

/* How results are computed. */
typedef enum {
    BY_KAUFMAN, /* exact.h */
    BY_STATES,  /* energy_states.h */
    BY_LAYERS,  /* layers.h */
    BY_COUNTS   /* transfer_matrix.h: of the order parameter, too */
} exact_method;

typedef struct {
    const model_kind *model;
    const char *size; /* -L, and what it says */
    uint32_t edge[COUPLINGS_MAX_DIMENSION];
    const char *file; /* --couplings */
    bool drawn;       /* couplings, of a glass without --couplings */
    disorder from;
    bool states, layers, magnetic, overlap; /* --states ... */
    const char *alone;                      /* an option that is of use where couplings are drawn */
    exact_method method;
    double *beta;
    int betas;
} exact_request;

/* Reads a command line, beta[argc]. Ends the program with status 2 if there is anything wrong with it. */
void exact_request_read(exact_request *r, int argc, char **argv, double *beta);

#endif
