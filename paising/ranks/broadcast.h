/* Letters from rank 0 to all others: a head of so many bytes, with room behind it for numbers that each engine may have. How many
 * all ranks know, so that both go as one message. */
#ifndef PAISING_RANKS_BROADCAST_H
#define PAISING_RANKS_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

/* From now on there is room for so many numbers of an engine, of those that there have been; called by all ranks. */
void broadcast_reserve_numbers(uint32_t number, size_t numbers);

/* How many these are; and where the numbers stand that go with the next letter, or came with the last one, behind a head of so many
 * bytes, a multiple of 8. */
size_t broadcast_room(uint32_t number);
uint64_t *broadcast_numbers(size_t head_bytes);

/* Sends a letter; called by all ranks. */
void broadcast_send(void *head, size_t head_bytes);

#endif
