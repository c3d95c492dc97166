/* A binary file of sections, each with its name, its length and a CRC-32, so that a file that was
 * cut off or changed is known as such, and where; and with a CRC-32 over all of them, so that sections
 * of different files do not pass for one.
 *
 *     magic, format version, 0            8 + 4 + 4 bytes
 *     name, length, CRC of these two      16 + 8 + 4 bytes, once for each section ...
 *     content, CRC of the content         length + 4 bytes
 *     CRC of all names, lengths, contents 4 bytes, at the end
 *
 * Numbers are little-endian. What a section holds is described once, by a function that hands each
 * part of it to section_transfer, whether the file is written or read. */
#ifndef PAISING_SECTION_FILE_H
#define PAISING_SECTION_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SECTION_FORMAT_VERSION 6
#define SECTION_NAME_SIZE      16

/* Bytes that a transfer of a text as text would change, as in PNG. */
#define SECTION_MAGIC      "\211PAck\r\n\032"
#define SECTION_MAGIC_SIZE (sizeof SECTION_MAGIC - 1)

typedef enum { SECTION_COUNT, SECTION_WRITE, SECTION_READ } section_mode;

typedef struct {
    FILE *stream;
    section_mode mode;
    const char *name; /* of the section at hand */
    uint64_t length;  /* COUNT, WRITE: bytes of the section so far */
    uint64_t left;    /* READ: bytes to its end */
    uint64_t rest;    /* READ: bytes of the file from here on */
    uint32_t crc;     /* of its content so far */
    uint32_t whole;   /* of the sections so far, their own checksums left out */
    char reason[300]; /* what failed first; empty: nothing did */
    bool elsewhere;   /* what failed is not the file */
} section_file;

/* The content of a section: hands every part of *state to section_transfer in the same order in each
 * mode. Returns false when something failed. */
typedef bool section_content(section_file *f, void *state);

/* A section of a file. */
typedef struct {
    const char *name; /* of at most SECTION_NAME_SIZE characters */
    section_content *content;
    void *state;
    section_content
        *check; /* after the last section was read: whether what was read agrees with the
                               rest; NULL: there is nothing to check */
} section_entry;

/* Every function returns false when something failed, with the reason in f->reason. */

/* Begins a file that is written, or read from its beginning. */
bool section_file_write(section_file *f, FILE *stream);
bool section_file_read(section_file *f, FILE *stream);

/* Writes or reads one section. A section that is read must have this name, be consumed to its end,
 * and be as it was written. */
bool section_pass(section_file *f, const char *name, section_content *content, void *state);

/* After the last section: writes the checksum of the whole; or reads it, and nothing may stand behind
 * it. */
bool section_file_end(section_file *f);

/* Reads a file from its beginning to its end, whatever its sections hold: whether it is whole. */
bool section_file_verify(section_file *f, FILE *stream);

/* Counts, writes or reads size bytes of the section at hand. */
bool section_transfer(section_file *f, void *data, size_t size);

/* The same for one value, for a number from 0 to `most`, and for a text of less than size bytes. */
#define SECTION_VALUE(f, value) section_transfer(f, &(value), sizeof(value))
bool section_choice(section_file *f, uint64_t *value, uint64_t most);
bool section_bool(section_file *f, bool *value);
bool section_text(section_file *f, char *text, size_t size);

/* The same for a number that is known before it is read. */
bool section_known(section_file *f, uint64_t expected);

/* The same for the items *first .. *end-1 of an array of `count` items of `size` bytes, and for these
 * two numbers. */
bool section_range(section_file *f, size_t *first, size_t *end, void *array, size_t count,
                   size_t size);

/* Allocates `count` items of `size` bytes, zeroed, that are to be read from the section at hand. NULL
 * when the section does not hold them, without memory, and when nothing is read. */
void *section_allocate(section_file *f, uint64_t count, size_t size);

/* Lets others write or read the next `size` bytes of the section at hand, where they stand in the file: says which file
 * that is, path[room], and where they begin. Nothing else may be done with it until they are taken back, with
 * their CRC-32. */
bool section_lend(section_file *f, uint64_t size, char *path, size_t room, uint64_t *offset);
bool section_take_back(section_file *f, uint64_t size, uint32_t crc);

/* Gives up with a reason; the first one stays. Returns false. */
bool section_fail(section_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same: memory is missing for what the section holds. */
bool section_no_memory(section_file *f);

/* The section that is being read does not hold what it should. Returns false. */
bool section_altered(section_file *f);

#endif
