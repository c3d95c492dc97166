/* build/energy: the joules that a GPU uses while a command runs, by the device's own counter (NVML's
 * total energy consumption: the whole board, in mJ since the driver was loaded).
 *
 * The counter advances in steps (some 20 to 100 ms on a data-centre GPU), so that it is read at an
 * advance before the command begins and at the next one after its end. What is counted is therefore
 * the energy of `counted_s`, a step or two more than the command's own time. It includes what the
 * device uses while the command's process starts and ends: some 0.3 s at idle power for a CUDA program.
 * NVML and the driver are loaded when the program runs; to build it, nothing is needed. */
#include "base/clock.h"
#include "base/message.h"
#include "base/usage.h"
#include "command/options.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADVANCE_MOST_SECONDS 0.5
#define POLL_MICROSECONDS    1000

typedef struct {
    int (*energy)(void *device, unsigned long long *millijoules);
    void *device;
    const char *unknown; /* why there are no joules, or NULL */
} meter;

/* A function of a library that was loaded; a data pointer is not a function pointer in C. */
static void look_up(void *library, const char *name, void *function) {
    void *const found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
}

/* The bus address of CUDA device `number`: NVML counts the devices in another order. */
static bool find_device(int number, char *address, int size) {
    int (*initialise)(unsigned), (*get)(int *, int), (*bus_address)(char *, int, int), device = 0;
    void *const cuda = dlopen("libcuda.so.1", RTLD_NOW);
    look_up(cuda, "cuInit", &initialise);
    look_up(cuda, "cuDeviceGet", &get);
    look_up(cuda, "cuDeviceGetPCIBusId", &bus_address);
    return initialise && get && bus_address && initialise(0) == 0 && get(&device, number) == 0 &&
           bus_address(address, size, device) == 0;
}

static void open_meter(meter *m, int number) {
    int (*initialise)(void), (*get)(const char *, void **);
    char address[64];
    void *const nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    look_up(nvml, "nvmlInit_v2", &initialise);
    look_up(nvml, "nvmlDeviceGetHandleByPciBusId_v2", &get);
    look_up(nvml, "nvmlDeviceGetTotalEnergyConsumption", &m->energy);
    unsigned long long millijoules;
    if (!nvml)
        m->unknown = "NVML (libnvidia-ml.so.1) is not there";
    else if (!initialise || !get || !m->energy)
        m->unknown = "this NVML has no energy counter";
    else if (!find_device(number, address, sizeof address))
        m->unknown = "the CUDA driver does not know this device";
    else if (initialise() || get(address, &m->device))
        m->unknown = "NVML does not know this device";
    else if (m->energy(m->device, &millijoules))
        m->unknown = "the device has no energy counter";
}

/* The counter's value in joules when it next advances, or when it will not; and the time of that. */
static double read_at_advance(const meter *m, double *at) {
    unsigned long long first = 0, now = 0;
    const double start = clock_seconds();
    if (m->unknown || m->energy(m->device, &first))
        now = 0;
    else
        do {
            usleep(POLL_MICROSECONDS);
            if (m->energy(m->device, &now))
                break;
        } while (now == first && clock_seconds() - start < ADVANCE_MOST_SECONDS);
    *at = clock_seconds();
    return 1e-3 * (double)now;
}

/* Runs the command; returns its exit status, 128 + n if signal n ended it. */
static int run(char **command) {
    const pid_t child = fork();
    if (child < 0)
        return (int)complain(STATUS_FAILED, "fork: %s", strerror(errno));
    if (child == 0) {
        execvp(command[0], command);
        complain(STATUS_FAILED, "%s: %s", command[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    /* Ctrl-C is meant for the command, whose energy is wanted all the same. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static const char usage[] =
    "usage: energy [-D cuda:N] [-o FILE] -- COMMAND...\n"
    "Runs the command, then prints the joules that the GPU has used: to FILE, or on\n"
    "standard error. The status is the command's.\n";

/* Options; returns the place of the command in argv, or 0 with *status set. */
static int read_options(int argc, char **argv, int *number, const char **file, int *status) {
    char device_option[] = "-D", first[] = "cuda:0";
    char *device[] = {argv[0], device_option, first, NULL};
    static const struct option known[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    parameters p;
    opterr = 0;
    *status = STATUS_REFUSED;
    for (int c; (c = getopt_long(argc, argv, "+D:o:h", known, NULL)) != -1;)
        switch (c) {
        case 'D':
            device[2] = optarg;
            break;
        case 'o':
            *file = optarg;
            break;
        case 'h':
            usage_show(usage);
        default:
            complain(STATUS_REFUSED, "%s: allowed: -D cuda:N, -o FILE, -- COMMAND",
                     argv[optind - 1]);
            return 0;
        }
    const int command = optind;
    if (command == argc) {
        complain(STATUS_REFUSED, "no command: allowed: -D cuda:N, -o FILE, -- COMMAND");
        return 0;
    }
    optind = 1; /* the device is read as the program reads it */
    if (parameters_parse(&p, 3, device))
        return 0;
    if (p.device != DEVICE_CUDA) {
        complain(STATUS_REFUSED, "-D %s: allowed: cuda, cuda:N", device[2]);
        return 0;
    }
    *number = p.device_number;
    return command;
}

int main(int argc, char **argv) {
    const char *file = NULL;
    int number = 0, status = 0;
    const int command = read_options(argc, argv, &number, &file, &status);
    if (command == 0)
        return status;
    FILE *const out = file ? fopen(file, "w") : stderr;
    if (!out)
        return (int)complain(STATUS_REFUSED, "-o %s: %s", file, strerror(errno));

    meter m = {0};
    open_meter(&m, number);
    if (m.unknown)
        fprintf(stderr, "energy: cuda:%d: %s\n", number, m.unknown);
    double begun, ended;
    const double before = read_at_advance(&m, &begun), start = clock_seconds();
    status = run(argv + command);
    const double seconds = clock_seconds() - start, after = read_at_advance(&m, &ended);
    fprintf(out, "# joules counted_s command_s\n%.6g %.6g %.6g\n", m.unknown ? NAN : after - before,
            ended - begun, seconds);
    if (file && fclose(out))
        return (int)complain(STATUS_FAILED, "-o %s: %s", file, strerror(errno));
    return status;
}
