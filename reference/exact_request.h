/* The command line of build/exact. */
#ifndef PAISING_EXACT_REQUEST_H
#define PAISING_EXACT_REQUEST_H

#include "engine/disorder.h"
#include "model/model.h"

/* The methods. */
typedef enum {
    BY_KAUFMAN, /* exact.h */
    BY_STATES,  /* energy_states.h */
    BY_LAYERS,  /* layers.h */
    BY_COUNTS,  /* transfer_matrix.h; also gives the order parameter */
    BY_GRAPH    /* graph_states.h; likewise */
} exact_method;

typedef struct {
    const model_kind *model;
    const char *size; /* the argument of -L; its edges are below */
    uint32_t edge[COUPLINGS_MAX_DIMENSION];
    const char *file;  /* --couplings */
    const char *graph; /* --graph: in place of a model and its edges */
    bool drawn;        /* a glass without --couplings: couplings are drawn */
    disorder from;
    bool states, layers, magnetic, overlap; /* whether these options were given */
    const char *lattice;                    /* --model if it was given; NULL: it was not */
    const char *alone; /* an option that is only allowed with drawn couplings; NULL: none */
    exact_method method;
    double *beta;
    int betas;
} exact_request;

/* Parses a command line; beta[argc] receives the temperatures. Ends the program with status 2 after
 * a message if the command line is invalid. */
void exact_request_read(exact_request *r, int argc, char **argv, double *beta);

#endif
