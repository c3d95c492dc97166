/* Saved populations: the arrays PA_spins_run_K_beta_B.npy, PA_energies_... and PA_families_... */
#ifndef PAISING_SPINS_FILES_H
#define PAISING_SPINS_FILES_H

#include "result_folder.h"

#include <stddef.h>
#include <stdint.h>

/* A population at one temperature. */
typedef struct {
    uint32_t run;
    double beta;
    uint64_t replicas;
    uint8_t *spins; /* [replicas][ceil(N / 8)]: bit s % 8 of byte s / 8 is 1 if spin s is up, sites
                         * numbered as couplings.h does, s = (z Ly + y) Lx + x */
    int64_t *energies;  /* [replicas] of the lattice, in J / unit (levels.h) */
    uint32_t *families; /* [replicas] number of the founder */
} saved_spins;

/* Bytes of a replica in the three arrays. */
uint64_t saved_spins_bytes(const spin_model *model);

/* Frees the arrays. */
void saved_spins_destroy(saved_spins *s);

/* Writes the three files of a population. Returns STATUS_OK, or STATUS_FAILED after a message on
 * stderr. */
exit_status results_write_spins(result_folder *folder, const spin_model *model,
                                const saved_spins *s);

/* Reads a population: the file of spins `path`, and those of energies and families beside it, which
 * differ by `spins` in its name. Without a file of energies or families that array is NULL. run and beta
 * are not set. Refuses shapes that are not of this model or of more than `most` replicas. Returns
 * STATUS_OK, or STATUS_REFUSED after a message on stderr. */
exit_status results_read_spins(saved_spins *s, const char *path, const spin_model *model,
                               uint64_t most);

/* Bytes of all files of --save-spins, of all runs and samples, if populations have R replicas; 0:
 * nothing is saved. And the number of files. Where the run decides its temperatures, both are the largest that
 * there can be. */
uint64_t results_spins_bytes(const parameters *p, uint64_t *files);

/* Says in a line, to be freed, how many files and bytes these are, and at which temperatures; NULL: nothing is saved, or no
 * memory. */
char *results_spins_plan(const parameters *p);

/* Refuses populations for which the disk of the folder has no room, and says on stderr how much they
 * take. Returns STATUS_OK or STATUS_REFUSED. */
exit_status results_check_spins(const parameters *p, const char *folder);

#endif
