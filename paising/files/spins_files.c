/* Files of saved populations (spins_files.h). */
#include "spins_files.h"

#include "base/input_file.h"
#include "base/npy.h"
#include "publication.h"
#include "result_names.h"
#include "settings/plans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define ARRAYS 3

uint64_t saved_spins_bytes(const spin_model *model) {
    return model_packed_bytes(model) + sizeof(int64_t) + sizeof(uint32_t);
}

void saved_spins_destroy(saved_spins *s) {
    free(s->spins);
    free(s->energies);
    free(s->families);
    *s = (saved_spins){.spins = NULL};
}

/* --- writing --- */

static exit_status write_array(result_folder *folder, const saved_spins *s, const char *array,
                               npy_shape shape, const void *numbers, size_t width) {
    char name[RESULT_NAME_MOST];
    FILE *const file =
        result_folder_begin(folder, result_name_of_array(name, array, s->run, s->beta));
    if (file == NULL)
        return STATUS_FAILED;
    npy_write(file, shape);
    fwrite(numbers, width, s->replicas, file);
    return STATUS_OK;
}

exit_status results_write_spins(result_folder *folder, const spin_model *model,
                                const saved_spins *s) {
    const size_t bytes = model_packed_bytes(model);
    exit_status status =
        write_array(folder, s, "spins", (npy_shape){NPY_BYTE, s->replicas, bytes}, s->spins, bytes);
    if (!status)
        status = write_array(folder, s, "energies", (npy_shape){NPY_INT64, s->replicas, 0},
                             s->energies, sizeof *s->energies);
    if (!status)
        status = write_array(folder, s, "families", (npy_shape){NPY_UINT32, s->replicas, 0},
                             s->families, sizeof *s->families);
    return status;
}

/* --- reading --- */

static exit_status refuse(const char *path, const char *why) {
    return complain(STATUS_REFUSED, "--load-spins %.300s: %s", path, why);
}

/* Says what an array has, and what it should have: spins of another lattice, or something else. */
static exit_status refuse_shape(const char *path, const npy_shape *shape,
                                const npy_shape *expected) {
    char columns[40] = "";
    if (strcmp(shape->type, expected->type) == 0 && shape->columns > 0 && expected->columns > 0)
        return complain(
            STATUS_REFUSED,
            "--load-spins %.300s: %" PRIu64 " bytes a replica, of %" PRIu64 " to %" PRIu64
            " sites; the lattice of this run (-L) has %" PRIu64 " bytes a replica, 8 sites a byte",
            path, shape->columns, 8 * shape->columns - 7, 8 * shape->columns, expected->columns);
    if (shape->columns > 0)
        snprintf(columns, sizeof columns, " x %" PRIu64, shape->columns);
    return complain(STATUS_REFUSED,
                    "--load-spins %.300s: an array of type %s and shape %" PRIu64
                    "%s; needed are %s of type %s%s",
                    path, shape->type, shape->rows, columns,
                    expected->columns > 0 ? "packed spins" : "numbers of as many replicas",
                    expected->type, expected->columns > 0 ? ", replicas x bytes" : "");
}

/* Reads an array of this shape; rows 0: of any number, which is stored. */
static exit_status read_array(const char *path, npy_shape *expected, size_t width, uint64_t most,
                              void **numbers) {
    npy_shape shape;
    const char *why;
    FILE *const file = input_file_open(path, &why);
    if (file == NULL)
        return refuse(path, why);
    const bool good = npy_read(file, &shape);
    exit_status status = STATUS_OK;
    if (!good)
        status = refuse(path, "no whole .npy file of spins, energies or families");
    else if (strcmp(shape.type, expected->type) != 0 || shape.columns != expected->columns ||
             (expected->rows > 0 && shape.rows != expected->rows))
        status = refuse_shape(path, &shape, expected);
    else if (shape.rows == 0 || shape.rows > most)
        status = complain(STATUS_REFUSED,
                          "--load-spins %.300s: %" PRIu64 " replicas; allowed are 1 to %" PRIu64
                          ", for which -R has room",
                          path, shape.rows, most);
    if (!status) {
        expected->rows = shape.rows;
        *numbers = malloc(shape.rows * width);
        if (*numbers == NULL || fread(*numbers, width, shape.rows, file) != shape.rows)
            status = refuse(path, *numbers == NULL ? "not enough memory" : "it cannot be read");
    }
    fclose(file);
    return status;
}

/* The path of another array of the population; empty if the name says nothing of `spins`. */
static path_name path_beside(const char *path, const char *array) {
    path_name other = {""};
    const char *const slash = strrchr(path, '/'), *const name = slash != NULL ? slash + 1 : path,
                      *const at = strstr(name, "spins");
    if (at != NULL)
        snprintf(other.text, sizeof other.text, "%.*s%s%s", (int)(at - path), path, array,
                 at + strlen("spins"));
    return other;
}

/* Reads an array beside the spins, unless it is not there. */
static exit_status read_beside(const char *path, const char *array, npy_shape shape, size_t width,
                               void **numbers) {
    const path_name other = path_beside(path, array);
    if (!path_exists(other.text))
        return STATUS_OK;
    return read_array(other.text, &shape, width, shape.rows, numbers);
}

exit_status results_read_spins(saved_spins *s, const char *path, const spin_model *model,
                               uint64_t most) {
    const size_t bytes = model_packed_bytes(model);
    npy_shape shape = {NPY_BYTE, 0, bytes};
    void *spins = NULL, *energies = NULL, *families = NULL;
    exit_status status = read_array(path, &shape, bytes, most, &spins);
    if (!status)
        status = read_beside(path, "energies", (npy_shape){NPY_INT64, shape.rows, 0},
                             sizeof *s->energies, &energies);
    if (!status)
        status = read_beside(path, "families", (npy_shape){NPY_UINT32, shape.rows, 0},
                             sizeof *s->families, &families);
    *s = (saved_spins){
        .replicas = shape.rows, .spins = spins, .energies = energies, .families = families};
    if (status)
        saved_spins_destroy(s);
    return status;
}

/* --- room --- */

uint64_t results_spins_bytes(const parameters *p, uint64_t *files) {
    double beta[SAVED_BETAS_MOST];
    bool known;
    const spin_model model = parameters_model(p);
    const uint64_t populations =
        parameters_saved_steps(p, beta, &known) * (uint64_t)p->runs * (uint64_t)p->samples;
    *files = ARRAYS * populations;
    return populations * p->population * saved_spins_bytes(&model);
}

char *results_spins_plan(const parameters *p) {
    double beta[SAVED_BETAS_MOST];
    bool known;
    uint64_t files;
    char *text = NULL;
    size_t size;
    const size_t count = parameters_saved_steps(p, beta, &known);
    FILE *const line = count > 0 ? open_memstream(&text, &size) : NULL;
    if (line == NULL)
        return NULL;
    const uint64_t bytes = results_spins_bytes(p, &files);
    fprintf(line, "%s%" PRIu64 " files of %" PRIu64 " bytes together", known ? "" : "at most ",
            files, bytes);
    for (size_t n = 0; n < count && known; n++)
        fprintf(line, "%s%.15g", n == 0 ? ", at beta = " : ", ", beta[n]);
    if (fclose(line) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

exit_status results_check_spins(const parameters *p, const char *folder) {
    uint64_t files;
    struct statvfs disk;
    const uint64_t bytes = results_spins_bytes(p, &files);
    if (files == 0)
        return STATUS_OK;
    const path_name above = path_in(folder, "..");
    const bool known = statvfs(folder, &disk) == 0 || statvfs(above.text, &disk) == 0;
    const double room = known ? (double)disk.f_bavail * (double)disk.f_frsize : (double)UINT64_MAX;
    if ((double)bytes > room)
        return complain(STATUS_REFUSED,
                        "--save-spins %.100s: %" PRIu64 " files of %" PRIu64
                        " bytes together, and the disk of %.300s has room for %.0f",
                        p->save_spins, files, bytes, folder, room);
    char *const plan = p->silent ? NULL : results_spins_plan(p);
    if (plan != NULL)
        warn("--save-spins %.100s: %s", p->save_spins, plan);
    free(plan);
    return STATUS_OK;
}
