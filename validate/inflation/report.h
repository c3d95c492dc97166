/* The files of the comparison: FOLDER/inflation.dat for gnuplot, FOLDER/inflation.md to be read. */
#ifndef PAISING_INFLATION_REPORT_H
#define PAISING_INFLATION_REPORT_H

#include "claims.h"
#include "curve.h"

/* The windows over which ln of the ratio is averaged: below the transition temperature, where the
 * paper's Table 1 is from, and above it; of a glass, where it relaxes slowly and where it does not. */
enum { COLD, WARM, WINDOWS };
typedef struct {
    double first, last;
} beta_window;

/* Those of a curve's model. */
const beta_window *report_windows(const curve *c);

/* What became of a curve. */
typedef struct {
    const curve *ssc; /* the reference of its model; NULL: it is not made, or is this curve */
    measured ratio[WINDOWS];
    bool claimed[WINDOWS]; /* whether there is a claim ... */
    claim expected[WINDOWS];
    double z[WINDOWS]; /* ... and how far the ratio is from it */
    claim_outcome outcome[WINDOWS];
    bool control[WINDOWS]; /* a negative control: "ratio = 1" must be refuted in the window ... */
    double control_z[WINDOWS]; /* ... and is, if this exceeds the limit */
} judgement;

typedef enum { REPORT_PASS, REPORT_FAIL, REPORT_INCOMPLETE } report_verdict;

typedef struct {
    const curve *curves;         /* [count] */
    const judgement *judgements; /* [count] */
    size_t count;
    double limit; /* for |z| */
    report_verdict verdict;
} report;

/* Write FOLDER/inflation.dat and FOLDER/inflation.md. Return STATUS_OK, or STATUS_FAILED after a
 * line on stderr. */
exit_status report_write_data(const report *r, const char *folder);
exit_status report_write_table(const report *r, const char *folder);

#endif
