/* The devices of a run: one engine, or several with a part of the walkers each. */
#ifndef PAISING_HELIUM_DEVICES_H
#define PAISING_HELIUM_DEVICES_H

#include "engine.h"
#include "options.h"

/* The engine for r->device: a device, or a list as cuda:0,1 that divides the walkers; a device may be named more than once. Results do
 * not depend on it. NULL after a message. The system must outlive the engine. */
helium_engine *helium_devices_create(const helium_request *r, const helium_system *s);

#endif
