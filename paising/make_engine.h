/* From parameters to an engine: which device, and whether the population fits. */
#ifndef PAISING_MAKE_ENGINE_H
#define PAISING_MAKE_ENGINE_H

#include "engine.h"

/* Makes the engine that the parameters ask for. Returns NULL after a line on stderr: the device is
 * not there, or the population is too large for its memory (with the size that would fit). *start is
 * when the making began (clock.h), the opening of the device not counted. */
engine *make_engine(const parameters *p, double *start);

#endif
