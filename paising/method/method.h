/* What a method of simulation is (--method): a line in settings/method_list.h and a file. */
#ifndef PAISING_METHOD_H
#define PAISING_METHOD_H

#include "base/message.h"
#include "device/pool.h"
#include "files/result_folder.h"

typedef struct {
    /* Simulates on the engines of a pool and puts the result into the folder. *signal becomes the number of the signal that
     * ended it early, or 0. Returns STATUS_OK; or after a line on stderr STATUS_REFUSED or STATUS_FAILED. */
    exit_status (*run)(const parameters *p, const engine_pool *engines, result_folder *folder,
                       int *signal);

    /* Host memory that it needs beside its engines. */
    memory_share (*bytes)(const parameters *p);
} method;

/* The method of the parameters. */
const method *method_of(const parameters *p);

#endif
