/* Binary files of sections (section_file.h). */
#include "section_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they stand");

static const char magic[SECTION_MAGIC_SIZE] = SECTION_MAGIC;

bool section_fail(section_file *f, const char *format, ...) {
    if (f->reason[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(f->reason, sizeof f->reason, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool section_altered(section_file *f) {
    return section_fail(f, "altered: section '%s' is not as it was written", f->name);
}

bool section_no_memory(section_file *f) {
    return section_fail(f, "not enough memory for section '%s'", f->name);
}

static bool truncated(section_file *f) {
    return section_fail(f, "truncated: it ends within section '%s'", f->name);
}

/* --- bytes --- */

/* Parts of this size are sent to disk at once, while the next part is prepared. */
#define LARGE_BYTES ((size_t)1 << 20)

static bool put(section_file *f, const void *data, size_t size) {
    if (fwrite(data, 1, size, f->stream) != size)
        return section_fail(f, "%s", strerror(errno));
    if (size >= LARGE_BYTES)
        sync_file_range(fileno(f->stream), 0, 0,
                        SYNC_FILE_RANGE_WRITE); /* only a hint; it may fail */
    return true;
}

static bool get(section_file *f, void *data, size_t size) {
    if (size > f->rest)
        return truncated(f);
    errno = 0;
    if (fread(data, 1, size, f->stream) != size)
        return errno ? section_fail(f, "%s", strerror(errno)) : truncated(f);
    f->rest -= size;
    return true;
}

/* Reads or writes bytes of a section's content, and updates their checksum. */
static bool pass(section_file *f, void *data, size_t size) {
    const bool passed = f->mode == SECTION_READ ? get(f, data, size) : put(f, data, size);
    if (passed)
        f->crc = (uint32_t)crc32_z(f->crc, data, size);
    return passed;
}

bool section_transfer(section_file *f, void *data, size_t size) {
    f->length += size;
    if (f->mode == SECTION_COUNT)
        return true;
    if (f->mode == SECTION_READ) {
        if (size > f->left)
            return section_altered(f);
        f->left -= size;
    }
    /* In parts that stay in the cache between transfer and checksum. */
    bool good = true;
    for (size_t part; size > 0 && good; size -= part, data = (char *)data + part) {
        part = size < LARGE_BYTES ? size : LARGE_BYTES;
        good = pass(f, data, part);
    }
    return good;
}

/* Finds the path of the stream's file, from the kernel. */
static bool find_path(section_file *f, char *path, size_t room) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(f->stream));
    const ssize_t length = readlink(link, path, room - 1);
    if (length < 0)
        return section_fail(f, "%s", strerror(errno));
    path[length] = '\0';
    return true;
}

bool section_delegate(section_file *f, uint64_t size, char *path, size_t room, uint64_t *offset) {
    if (f->mode == SECTION_READ && size > f->left)
        return section_altered(f);
    if (f->mode == SECTION_READ && size > f->rest)
        return truncated(f);
    const off_t here = f->mode == SECTION_READ || fflush(f->stream) == 0 ? ftello(f->stream) : -1;
    if (here < 0)
        return section_fail(f, "%s", strerror(errno));
    *offset = (uint64_t)here;
    return find_path(f, path, room);
}

bool section_take_back(section_file *f, uint64_t size, uint32_t crc) {
    if (fseeko(f->stream, (off_t)size, SEEK_CUR) != 0)
        return section_fail(f, "%s", strerror(errno));
    if (f->mode == SECTION_READ) {
        f->left -= size;
        f->rest -= size;
    }
    f->length += size;
    f->crc = (uint32_t)crc32_combine(f->crc, crc, (z_off_t)size);
    return true;
}

bool section_choice(section_file *f, uint64_t *value, uint64_t most) {
    return section_transfer(f, value, sizeof *value) && (*value <= most || section_altered(f));
}

bool section_bool(section_file *f, bool *value) {
    uint64_t number = *value;
    if (!section_choice(f, &number, 1))
        return false;
    *value = number != 0;
    return true;
}

bool section_text(section_file *f, char *text, size_t size) {
    uint32_t length = f->mode == SECTION_READ ? 0 : (uint32_t)strnlen(text, size);
    if (!section_transfer(f, &length, sizeof length))
        return false;
    if (length >= size)
        return section_altered(f);
    if (f->mode == SECTION_READ)
        text[length] = '\0';
    return section_transfer(f, text, length);
}

bool section_known(section_file *f, uint64_t expected) {
    uint64_t number = expected;
    return section_transfer(f, &number, sizeof number) &&
           (number == expected || section_altered(f));
}

bool section_range(section_file *f, size_t *first, size_t *end, void *array, size_t count,
                   size_t size) {
    uint64_t from = *first, to = *end;
    if (!section_choice(f, &to, count) || !section_choice(f, &from, to))
        return false;
    *first = from;
    *end = to;
    return section_transfer(f, (char *)array + from * size, (to - from) * size);
}

void *section_allocate(section_file *f, uint64_t count, size_t size) {
    if (f->mode != SECTION_READ)
        return NULL;
    if (count > f->left / size) {
        section_altered(f);
        return NULL;
    }
    void *const items = calloc(count > 0 ? count : 1, size);
    if (items == NULL)
        section_no_memory(f);
    return items;
}

/* --- files --- */

bool section_file_write(section_file *f, FILE *stream) {
    *f = (section_file){.stream = stream, .mode = SECTION_WRITE};
    const uint32_t version[2] = {SECTION_FORMAT_VERSION, 0};
    return put(f, magic, sizeof magic) && put(f, version, sizeof version);
}

bool section_file_read(section_file *f, FILE *stream) {
    *f = (section_file){.stream = stream, .mode = SECTION_READ, .name = "head"};
    struct stat s;
    if (fstat(fileno(stream), &s) != 0)
        return section_fail(f, "%s", strerror(errno));
    f->rest = (uint64_t)s.st_size;
    char start[sizeof magic] = {0};
    uint32_t version[2];
    if (f->rest < sizeof magic || !get(f, start, sizeof start) ||
        memcmp(start, magic, sizeof magic) != 0)
        return section_fail(f, "not a checkpoint of paising");
    if (!get(f, version, sizeof version))
        return false;
    if (version[0] != SECTION_FORMAT_VERSION || version[1] != 0)
        return section_fail(f, "of format version %" PRIu32 "; this program reads version %d",
                            version[0], SECTION_FORMAT_VERSION);
    return true;
}

/* Adds content with this checksum to the checksum of the whole. The checksums of sections are left
 * out: content followed by its own CRC has the same effect on a CRC for any content. */
static void add_to_whole(section_file *f, uint32_t crc, uint64_t length) {
    f->whole = (uint32_t)crc32_combine(f->whole, crc, (z_off_t)length);
}

bool section_file_end(section_file *f) {
    uint32_t whole = f->whole;
    f->name = "end";
    if (f->mode != SECTION_READ)
        return put(f, &whole, sizeof whole);
    if (!get(f, &whole, sizeof whole))
        return false;
    if (whole != f->whole)
        return section_fail(f, "altered: its sections are not of one checkpoint");
    return f->rest == 0 || section_fail(f, "altered: it goes on after its end");
}

/* --- sections --- */

typedef struct {
    char name[SECTION_NAME_SIZE];
    uint64_t length;
} section_head;

static uint32_t head_crc(const section_head *head) {
    return (uint32_t)crc32_z(0, (const Bytef *)head, sizeof *head);
}

static section_head head_of(const char *name, uint64_t length) {
    section_head head = {.length = length};
    memcpy(head.name, name, strnlen(name, sizeof head.name));
    return head;
}

static bool write_section(section_file *f, section_content *content, void *state) {
    f->mode = SECTION_COUNT;
    const bool counted = content(f, state);
    f->mode = SECTION_WRITE;
    const section_head head = head_of(f->name, f->length);
    const uint32_t crc = head_crc(&head);
    if (!counted || !put(f, &head, sizeof head) || !put(f, &crc, sizeof crc) ||
        !content(f, state) || !put(f, &f->crc, sizeof f->crc))
        return false;
    add_to_whole(f, crc, sizeof head);
    add_to_whole(f, f->crc, head.length);
    return true;
}

static bool read_section(section_file *f, section_content *content, void *state) {
    section_head head;
    uint32_t crc;
    if (!get(f, &head, sizeof head) || !get(f, &crc, sizeof crc))
        return false;
    const section_head expected = head_of(f->name, head.length);
    if (crc != head_crc(&head) || memcmp(&head, &expected, sizeof head) != 0)
        return section_altered(f);
    if (head.length > f->rest || f->rest - head.length < sizeof crc)
        return truncated(f);
    f->left = head.length;
    if (!content(f, state))
        return false;
    if (f->left != 0)
        return section_altered(f);
    add_to_whole(f, crc, sizeof head);
    add_to_whole(f, f->crc, head.length);
    return get(f, &crc, sizeof crc) && (crc == f->crc || section_altered(f));
}

bool section_pass(section_file *f, const char *name, section_content *content, void *state) {
    f->name = name;
    f->length = 0;
    f->crc = (uint32_t)crc32_z(0, NULL, 0);
    return f->mode == SECTION_READ ? read_section(f, content, state)
                                   : write_section(f, content, state);
}

/* Reads a section with any name, to check it. */
static bool skip_section(section_file *f) {
    section_head head;
    uint32_t crc;
    char part[4096];
    f->name = "behind the head";
    f->crc = (uint32_t)crc32_z(0, NULL, 0);
    if (!get(f, &head, sizeof head) || !get(f, &crc, sizeof crc))
        return false;
    if (crc != head_crc(&head))
        return section_altered(f);
    if (head.length > f->rest)
        return truncated(f);
    add_to_whole(f, crc, sizeof head);
    for (f->left = head.length; f->left > 0;)
        if (!section_transfer(f, part, f->left < sizeof part ? f->left : sizeof part))
            return false;
    add_to_whole(f, f->crc, head.length);
    return get(f, &crc, sizeof crc) && (crc == f->crc || section_altered(f));
}

bool section_file_verify(section_file *f, FILE *stream) {
    bool good = section_file_read(f, stream);
    while (good && f->rest > sizeof f->whole)
        good = skip_section(f);
    return good && section_file_end(f);
}
