/* What all parts of a flat-histogram method need of its state. */
#include "flat.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool flat_fail(flat *f, const char *format, ...) {
    va_list arguments;
    if (f->failure[0] != '\0')
        return false;
    va_start(arguments, format);
    vsnprintf(f->failure, sizeof f->failure, format, arguments);
    va_end(arguments);
    return false;
}

stream_key flat_key(const flat *f) {
    return stream_sample_run_key(f->given->seed, f->given->sample, 0);
}

bool flat_engine_did(flat *f, engine_status status) {
    const engine *const e = f->steps.engine;
    return status == ENGINE_OK ||
           flat_fail(f, "%s failed at step %" PRIu32 ": %.200s", e->name, f->taken, e->error);
}

bool flat_measures(const flat *f) {
    return f->found && f->produced >= f->given->thermalisation;
}
