/* CPU threads and GPUs. */
#include "devices.h"

#include "device/placement.h"
#ifdef PAISING_CUDA
#include "cuda/engine/engine.h"
#endif

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER_DIGITS 4

identity_device identity_all_threads(void) {
    /* The first call counts: identity_use_device changes what OpenMP answers. */
    static int threads;
    if (threads == 0) {
        placement_limit_threads();
        threads = omp_get_max_threads();
    }
    return (identity_device){false, threads};
}

bool identity_read_device(identity_device *device, const char *text) {
    const bool cuda = strncmp(text, "cuda", 4) == 0;
    if (!cuda && strncmp(text, "cpu", 3) != 0)
        return false;
    *device = cuda ? (identity_device){true, 0} : identity_all_threads();
    const char *const rest = text + (cuda ? 4 : 3);
    if (*rest == '\0')
        return true;
    const size_t digits = strspn(rest + 1, "0123456789");
    if (*rest != ':' || digits < 1 || digits > MAX_NUMBER_DIGITS || rest[1 + digits] != '\0')
        return false;
    device->number = atoi(rest + 1);
    return cuda || device->number > 0;
}

const char *identity_device_text(char text[DEVICE_TEXT_SIZE], identity_device device) {
    snprintf(text, DEVICE_TEXT_SIZE, "%s:%d", device.cuda ? "cuda" : "cpu", device.number);
    return text;
}

#ifdef PAISING_CUDA

static bool gpu_is_there(int number, char *reason, size_t size) {
    cuda_device device;
    const int count = cuda_device_count(reason, size);
    if (count > 0 && number >= count)
        snprintf(reason, size, "the GPUs here are cuda:0 to cuda:%d", count - 1);
    return number < count && cuda_device_open(number, &device, reason, size) == 0;
}

static void use_gpu(int number) {
    static int in_use = -1;
    char reason[300];
    cuda_device device;
    if (number != in_use && cuda_device_open(number, &device, reason, sizeof reason) == 0)
        in_use = number;
}

static engine *make_gpu_engine(const engine_config *config, char *reason, size_t size) {
    return engine_cuda_create(config, reason, size);
}

#else

static bool gpu_is_there(int number, char *reason, size_t size) {
    (void)number;
    snprintf(reason, size, "this program was built without CUDA");
    return false;
}

static void use_gpu(int number) {
    (void)number;
}

static engine *make_gpu_engine(const engine_config *config, char *reason, size_t size) {
    gpu_is_there(config->device_number, reason, size);
    return NULL;
}

#endif

bool identity_device_is_there(identity_device device, char *reason, size_t size) {
    return !device.cuda || gpu_is_there(device.number, reason, size);
}

void identity_use_device(identity_device device) {
    if (device.cuda)
        use_gpu(device.number);
    else
        omp_set_num_threads(device.number);
}

engine *identity_make_engine(identity_device device, engine_config config, char *reason,
                             size_t size) {
    identity_use_device(device);
    config.device_number = device.cuda ? device.number : 0;
    if (device.cuda)
        return make_gpu_engine(&config, reason, size);
    engine *const e = engine_cpu_create(&config);
    if (!e)
        snprintf(reason, size, "not enough memory");
    return e;
}
