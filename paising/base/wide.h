/* Integers of 128 bits, for sums and products beyond 64. */
#ifndef PAISING_WIDE_H
#define PAISING_WIDE_H

__extension__ typedef unsigned __int128 uint128;

#endif
