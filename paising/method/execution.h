/* One simulation, from its parameters to its result: the way of the command and of a handle of the library, which differ in
 * where the files go (files/result_folder.h). */
#ifndef PAISING_EXECUTION_H
#define PAISING_EXECUTION_H

#include "base/message.h"
#include "files/result_folder.h"
#include "last_population.h"
#include "model/couplings.h"

typedef struct {
    parameters *given;
    couplings drawn;
    const couplings *sample; /* NULL: the model has none */
} execution;

/* Bytes of memory; device: of the GPU, 0 without one. */
typedef struct {
    uint64_t host, device;
} execution_needs;

/* Draws or reads the couplings. The parameters are complete (command/options.h), and stay the caller's. Returns STATUS_OK, or after
 * a message STATUS_REFUSED; execution_end may be called in both cases. */
exit_status execution_begin(execution *x, parameters *p);
void execution_end(execution *x);

/* Finds the device and says what the simulation takes there and on the host, with all runs in flight. Returns STATUS_OK, or after a
 * message STATUS_REFUSED: there is no such device, or too little memory. */
exit_status execution_check(const execution *x, execution_needs *needs);

/* Makes the simulation and puts its result into the folder. last: takes the last population, NULL: nobody wants it. *signal becomes
 * the number of the signal that ended it early, or stays. Returns STATUS_OK, or after a message STATUS_REFUSED or STATUS_FAILED. */
exit_status execution_run(execution *x, result_folder *folder, last_population *last, int *signal);

#endif
