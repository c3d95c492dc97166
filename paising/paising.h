/* libpaising: Monte Carlo simulation of spin models as a library. What the command `paising` does for one sample, with the same
 * numbers: a handle is given settings by their names, is run, and then holds the tables of the result in memory.
 *
 * The library prints nothing, installs no signal handlers and does not end the program. Handles share nothing: two may run in two
 * threads at a time. One handle is for one thread at a time, but for paising_stop. Sites count from 0; energies are in units of J,
 * inverse temperatures in 1/J; the Hamiltonian is H = -sum_(ij) J_ij s_i s_j - sum_i h_i s_i. */
#ifndef PAISING_H
#define PAISING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAISING_API __attribute__((visibility("default")))

typedef struct paising paising;

/* Functions that return a status return one of these. Of PAISING_FAILED and PAISING_REFUSED, paising_text says why. */
enum {
    PAISING_OK = 0,
    PAISING_FAILED = 1,  /* after work had begun: memory, the device, a population that died out */
    PAISING_REFUSED = 2, /* before: a name, a value, settings that exclude each other */
    PAISING_STOPPED = 3  /* by paising_stop: the tables hold the rows so far */
};

/* A new handle with the settings that the command has without options; NULL without memory. */
PAISING_API paising *paising_new(void);
PAISING_API void paising_free(paising *p);

/* The version, as in "1.0.0". */
PAISING_API const char *paising_version(void);

/* Sets a value by the long name of the option: paising_set(p, "population", "1e5"). value: NULL for an option without one. Refused
 * are options of files and of the command alone: output, force, continue, samples, time-limit, quiet, dry-run, like, plan; and format:
 * paising_values gives columns as arrays.
 *
 * A run that may have to go on in another handle, or process, has a "checkpoint", a name of a file. It is written when the run is stopped, and
 * every "checkpoint-every". The first setting of the handle that goes on is "resume" with that name: the others are then those of the
 * checkpoint, and the result has the bytes of a run that was not stopped. Bonds (paising_bond) are to be added again. */
PAISING_API int paising_set(paising *p, const char *name, const char *value);

/* Adds the coupling J of sites i and j; i = j: a field J at site i. The bonds are a graph of their own, or those of the lattice if the
 * setting "model" was given: then all its bonds, J = -1 or 1, in any order. Refused where i or j is above 2^32 - 1. */
PAISING_API int paising_bond(paising *p, uint64_t i, uint64_t j, int64_t J);

/* The same with any J, which is read as a decimal number of a file is: below 10^15, rounded to 8 decimals, as paising_text then says;
 * refused by the run if it becomes 0 that was not. On a lattice the setting "couplings-type" is "real", J is from -128 to 128, and is rounded to a
 * multiple of 2^-20. */
PAISING_API int paising_bond_real(paising *p, uint64_t i, uint64_t j, double J);

/* Checks the settings and the files that they name, finds the device, and says how many bytes of memory the run takes of the host, and of
 * a GPU, 0 without one; host_bytes, device_bytes: NULL for a number that is not wanted. Refused are settings that exclude each other, and a run
 * that does not fit. After it nothing more can be set. paising_run checks the same without it. */
PAISING_API int paising_prepare(paising *p, uint64_t *host_bytes, uint64_t *device_bytes);

/* Before a run: has it keep the spins of its last population (paising_spins). */
PAISING_API void paising_keep_spins(paising *p);

/* Called during a run, in its thread, with the inverse temperature that it has come to. It may call paising_stop. */
typedef void paising_progress(void *state, double beta);

/* Runs the simulation, once a handle, and returns its status. progress: NULL for none. */
PAISING_API int paising_run(paising *p, paising_progress *progress, void *state);

/* Ends the run: at the next temperature, or at once where the step under way can be given up (docs/files.md). May be called from any
 * thread while the handle is there, before the run too. */
PAISING_API void paising_stop(paising *p);

/* Messages so far, a line each: warnings, or why something was refused. Empty: none. They name options as the command does, -R for
 * "population", and bonds that were added as lines of a file: line 1 is the first bond. */
PAISING_API const char *paising_text(const paising *p);

/* The result: the files that the command writes (docs/files.md), in memory. Their number; the name of number n; its bytes, of which
 * *size becomes the number. NULL: there is no such file. Pointers live as long as the handle. */
PAISING_API size_t paising_files(const paising *p);
PAISING_API const char *paising_file_name(const paising *p, size_t n);
PAISING_API const char *paising_file(const paising *p, const char *name, size_t *size);

/* The last population, if it was to be kept: its replicas and the sites of each, 0 if there is none: of a run that failed or died out, of
 * stripes. Of methods with several temperatures they are those of the first temperature, then those of the next; of several runs, those of
 * the last one. */
PAISING_API size_t paising_replicas(const paising *p);
PAISING_API size_t paising_sites(const paising *p);

/* Copies the spins of replicas first .. first + count - 1, or as many as there are, to spins[count][sites]: 1 or -1; of a Potts model the
 * states, of Blume and Capel's S + 1, of Baxter and Wu's 1 for spin up and 0. Sites are those of couplings: (z Ly + y) Lx + x, or of the
 * graph. Returns the number of replicas. */
PAISING_API size_t paising_spins(const paising *p, size_t first, size_t count, int8_t spins[]);

/* A data file as a table, also a series of measurements (MC_series.dat): its rows, its columns and their names; NULL behind the last.
 * 0 rows: there is no such table. */
PAISING_API size_t paising_rows(const paising *p, const char *name);
PAISING_API const char *paising_column(paising *p, const char *name, size_t n);

/* Copies a column to values[rows], or as much of it as has room. Returns the number of rows; 0: there is no such column. */
PAISING_API size_t paising_values(const paising *p, const char *name, const char *column,
                                  double values[], size_t room);

#ifdef __cplusplus
}
#endif

#endif
