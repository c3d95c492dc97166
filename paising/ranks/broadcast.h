/* Broadcasts from rank 0 to all other ranks. A broadcast buffer has a head of fixed size and,
 * behind it, room for numbers that each engine reserves. All ranks know the size, so that head and
 * numbers go as one message. */
#ifndef PAISING_RANKS_BROADCAST_H
#define PAISING_RANKS_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

/* Reserves `numbers` numbers for engine `number`, in place of an earlier reservation. Called by all
 * ranks. */
void broadcast_reserve_numbers(uint32_t number, size_t numbers);

/* The first returns how many numbers an engine has reserved. The second returns where numbers
 * stand: those to send next, or those received last. head_bytes is the size of the head, a multiple
 * of 8. */
size_t broadcast_room(uint32_t number);
uint64_t *broadcast_numbers(size_t head_bytes);

/* Sends head and numbers. Called by all ranks; on ranks other than 0, *head receives the head. */
void broadcast_send(void *head, size_t head_bytes);

#endif
