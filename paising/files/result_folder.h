/* The folder that takes the result of a simulation: as a whole or not at all, and from one process at a
 * time. Its path may be that of a link to a folder.
 *
 * The files of a result get into their places as publication.h says. What the folder cannot take at the
 * end is not thrown away: it goes into a new folder beside it, FOLDER.1 and so on, or into one of
 * $TMPDIR. */
#ifndef PAISING_RESULT_FOLDER_H
#define PAISING_RESULT_FOLDER_H

#include "result_files.h"

/* Makes the folder p->output, or the one named after the parameters (result_name_of_folder), if it is not there, but not the folders
 * above it. Takes its lock, and puts in order what killed processes have left in it. Returns STATUS_OK, or after a line on stderr
 *
 *     STATUS_REFUSED  it cannot be made or written to, is in use by another process, or holds unfinished work of another simulation;
 *                     or it holds a result, and p->force is not set
 *     STATUS_FAILED   the disk is full
 *
 * With p->resume an interrupted result of the same parameters may be replaced, and a whole one is that of the simulation:
 * folder->there, where the folder need not be one to write to. To be closed after STATUS_OK only. */
exit_status result_folder_open(result_folder *folder, const parameters *p);

/* The same for samples first .. first + p->samples - 1, p->sample being 0. A whole result of them is there as above if it is one of bins, or the
 * folder cannot be written to; else the averages are made again. */
exit_status result_folder_open_samples(result_folder *folder, const parameters *p, uint32_t first);

/* Whether the folder that was opened has the whole result already; a line on stderr says so then, and one on stdout the folder. */
bool result_folder_is_finished(const result_folder *folder);

/* A result that goes into *files, which is empty, and into no folder. */
void result_folder_in_memory(result_folder *folder, const parameters *p, memory_files *files);

/* The same for the result of one of several samples, in the folder of all, which this process owns. A whole result of these
 * parameters stays, and *there says that there is one. A part of one may be replaced. A folder that is not there is made when
 * the result is whole. It does not wait for the disk: publication_sync does, before the result of all is put into its folder. The
 * folder of all (p->samples) may hold averages over other samples of the same disorder: they are replaced. */
exit_status result_folder_open_part(result_folder *folder, const parameters *p, bool *there);

/* Writes the files of a result with result_folder_begin, run.json last. May be called again, for another folder. */
typedef exit_status result_writer(result_folder *folder, void *state);

/* Has the result written and puts it into the folder, in place of an older one. What the folder cannot
 * take goes elsewhere, and a line on stderr says where. Returns STATUS_OK or, after a line on stderr,
 * STATUS_FAILED: the folder could not take it. A partial result does not replace a complete one: that it
 * goes elsewhere is no failure. */
exit_status result_folder_put(result_folder *folder, result_writer *write, void *state,
                              bool partial);

/* The folder that took the result. */
const char *result_folder_place(const result_folder *folder);

/* Removes everything that was not published, the folder too if it is new and empty, and gives up its
 * lock. */
void result_folder_close(result_folder *folder);

#endif
