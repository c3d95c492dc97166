/* From parameters to an engine: which device, and whether the population fits. */
#ifndef PAISING_MAKE_ENGINE_H
#define PAISING_MAKE_ENGINE_H

#include "engine.h"

/* Makes the engine that the parameters ask for. Returns NULL after a line on stderr: the device is
 * not there, or the population is too large for its memory (with the size that would fit). */
engine *make_engine(const parameters *p);

#endif
