/* Letters from rank 0 to all others. */
#include "letter.h"

#include "world.h"

#include <string.h>

static struct {
    uint8_t *text;
    size_t bytes; /* that there is memory for */
    size_t count; /* numbers that go with each */
    size_t *of;   /* [engines] numbers of each */
    uint32_t engines;
} letter;

static void reserve(size_t head_bytes) {
    const size_t bytes = head_bytes + letter.count * sizeof(uint64_t);
    if (bytes <= letter.bytes)
        return;
    letter.text = world_memory(letter.text, bytes);
    memset(letter.text + letter.bytes, 0, bytes - letter.bytes);
    letter.bytes = bytes;
}

void letter_attach(uint32_t number, size_t numbers) {
    if (number >= letter.engines) {
        letter.of = world_memory(letter.of, (number + 1) * sizeof *letter.of);
        for (; letter.engines <= number; letter.engines++)
            letter.of[letter.engines] = 0;
    }
    letter.of[number] = numbers;
    letter.count = 0;
    for (uint32_t n = 0; n < letter.engines; n++)
        letter.count = letter.of[n] > letter.count ? letter.of[n] : letter.count;
}

size_t letter_room(uint32_t number) {
    return letter.of[number];
}

uint64_t *letter_numbers(size_t head_bytes) {
    reserve(head_bytes);
    return (uint64_t *)(void *)(letter.text + head_bytes);
}

void letter_tell(void *head, size_t head_bytes) {
    reserve(head_bytes);
    memcpy(letter.text, head, head_bytes);
    world_tell(letter.text, head_bytes + letter.count * sizeof(uint64_t));
    memcpy(head, letter.text, head_bytes);
}
