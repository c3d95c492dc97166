/* Broadcasts from rank 0 (broadcast.h). */
#include "broadcast.h"

#include "world.h"

#include <string.h>

static struct {
    uint8_t *text;
    size_t bytes; /* allocated */
    size_t count; /* numbers sent with each broadcast */
    size_t *of;   /* [engines] numbers reserved for each engine */
    uint32_t engines;
} buffer;

static void reserve(size_t head_bytes) {
    const size_t bytes = head_bytes + buffer.count * sizeof(uint64_t);
    if (bytes <= buffer.bytes)
        return;
    buffer.text = world_memory(buffer.text, bytes);
    memset(buffer.text + buffer.bytes, 0, bytes - buffer.bytes);
    buffer.bytes = bytes;
}

void broadcast_reserve_numbers(uint32_t number, size_t numbers) {
    if (number >= buffer.engines) {
        buffer.of = world_memory(buffer.of, (number + 1) * sizeof *buffer.of);
        for (; buffer.engines <= number; buffer.engines++)
            buffer.of[buffer.engines] = 0;
    }
    buffer.of[number] = numbers;
    buffer.count = 0;
    for (uint32_t n = 0; n < buffer.engines; n++)
        buffer.count = buffer.of[n] > buffer.count ? buffer.of[n] : buffer.count;
}

size_t broadcast_room(uint32_t number) {
    return buffer.of[number];
}

uint64_t *broadcast_numbers(size_t head_bytes) {
    reserve(head_bytes);
    return (uint64_t *)(void *)(buffer.text + head_bytes);
}

void broadcast_send(void *head, size_t head_bytes) {
    reserve(head_bytes);
    memcpy(buffer.text, head, head_bytes);
    world_broadcast(buffer.text, head_bytes + buffer.count * sizeof(uint64_t));
    memcpy(head, buffer.text, head_bytes);
}
