/* The rules of --tile, --hits and --palindrome. */
#ifndef PAISING_TILES_H
#define PAISING_TILES_H

#include "parameters.h"
#include "refuse.h"

/* Checks the tiles of an order of sites that has any. Returns 0; or -1 with the message. */
int check_tiles(const parameters *p, message m);

#endif
