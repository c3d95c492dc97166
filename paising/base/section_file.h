/* A binary file of sections. Each has a name, a length and a CRC-32, so that a truncated or changed
 * file is detected, and where. A CRC-32 over all sections detects sections from different files.
 *
 *     magic, format version, 0            8 + 4 + 4 bytes
 *     name, length, CRC of these two      16 + 8 + 4 bytes, once for each section ...
 *     content, CRC of the content         length + 4 bytes
 *     CRC of all names, lengths, contents 4 bytes, at the end
 *
 * Numbers are little-endian. The content of a section is described once, by a function that gives
 * each part to section_transfer, for writing and for reading. */
#ifndef PAISING_SECTION_FILE_H
#define PAISING_SECTION_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SECTION_FORMAT_VERSION 9
#define SECTION_NAME_SIZE      16

/* Contains bytes that a transfer as text would change, as in PNG. */
#define SECTION_MAGIC      "\211PAck\r\n\032"
#define SECTION_MAGIC_SIZE (sizeof SECTION_MAGIC - 1)

typedef enum { SECTION_COUNT, SECTION_WRITE, SECTION_READ } section_mode;

typedef struct {
    FILE *stream;
    section_mode mode;
    const char *name; /* of the current section */
    uint64_t length;  /* COUNT, WRITE: bytes of the section so far */
    uint64_t left;    /* READ: bytes to the end of the section */
    uint64_t rest;    /* READ: bytes to the end of the file */
    uint32_t crc;     /* of the section's content so far */
    uint32_t whole;   /* of all sections so far, without their own checksums */
    char reason[300]; /* the first failure; empty: none */
    bool elsewhere;   /* the failure is not one of the file */
} section_file;

/* The content of a section: gives every part of *state to section_transfer, in the same order in
 * each mode. Returns false on failure. */
typedef bool section_content(section_file *f, void *state);

/* One section of a file. */
typedef struct {
    const char *name; /* at most SECTION_NAME_SIZE characters */
    section_content *content;
    void *state;
    section_content *check; /* called after the last section was read, to check consistency
                             * with other sections; NULL: nothing to check */
} section_entry;

/* Every function that returns bool returns false on failure, with the reason in f->reason. */

/* Begin a file that is written, or read from its beginning. */
bool section_file_write(section_file *f, FILE *stream);
bool section_file_read(section_file *f, FILE *stream);

/* Writes or reads one section. A section that is read must have this name, be consumed completely,
 * and match its checksum. */
bool section_pass(section_file *f, const char *name, section_content *content, void *state);

/* Called after the last section: writes the checksum of the whole; or checks it, and that the file
 * ends there. */
bool section_file_end(section_file *f);

/* Reads a file from beginning to end and checks all checksums, whatever its sections hold. */
bool section_file_verify(section_file *f, FILE *stream);

/* Counts, writes or reads `size` bytes of the current section. */
bool section_transfer(section_file *f, void *data, size_t size);

/* The same for one value; for a number from 0 to `most`; for a bool; and for a text of less than
 * `size` bytes. */
#define SECTION_VALUE(f, value) section_transfer(f, &(value), sizeof(value))
bool section_choice(section_file *f, uint64_t *value, uint64_t most);
bool section_bool(section_file *f, bool *value);
bool section_text(section_file *f, char *text, size_t size);

/* The same for a number whose value is known; another value in the file is a failure. */
bool section_known(section_file *f, uint64_t expected);

/* The same for items *first .. *end-1 of an array of `count` items of `size` bytes, and for these
 * two numbers. */
bool section_range(section_file *f, size_t *first, size_t *end, void *array, size_t count,
                   size_t size);

/* Allocates `count` zeroed items of `size` bytes that are to be read from the current section.
 * Returns NULL if the section is too short, without memory, and in other modes. */
void *section_allocate(section_file *f, uint64_t count, size_t size);

/* For a direct transfer of the next `size` bytes of the current section by other processes. The first
 * returns the path of the file, path[room], and the offset of these bytes. No other function may be
 * called before the second one, which continues behind them; crc is their CRC-32. */
bool section_delegate(section_file *f, uint64_t size, char *path, size_t room, uint64_t *offset);
bool section_take_back(section_file *f, uint64_t size, uint32_t crc);

/* Sets the reason of failure unless there is one. Returns false. */
bool section_fail(section_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for missing memory. */
bool section_no_memory(section_file *f);

/* Fails because the section that is read does not hold what it should. Returns false. */
bool section_altered(section_file *f);

#endif
