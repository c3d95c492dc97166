/* Archives of NumPy's arrays (npz.h). */
#include "npz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LOCAL_SIZE   30
#define CENTRAL_SIZE 46
#define END_SIZE     22
#define VERSION      20         /* 2.0 */
#define DAY          0x21       /* 1 January 1980, the first that a zip file knows */
#define LARGEST      0xfffffffe /* bytes, without the extensions for 64 bits */
#define SUFFIX       ".npy"

/* A member: name and all that the directory says of it. */
typedef struct {
    char name[NPZ_NAME_MOST + sizeof SUFFIX];
    uint32_t crc, size, at; /* of its bytes; `at`: where its header stands in the file */
} member;

/* --- records --- */

/* Puts a number of `bytes` bytes, the lowest first. Returns the end. */
static unsigned char *put(unsigned char *to, uint32_t number, int bytes) {
    for (int n = 0; n < bytes; n++)
        *to++ = (unsigned char)(number >> 8 * n);
    return to;
}

static uint32_t get(const unsigned char *from, int bytes) {
    uint32_t number = 0;
    for (int n = 0; n < bytes; n++)
        number |= (uint32_t)from[n] << 8 * n;
    return number;
}

/* Puts what both headers of a member have: version to name length, and no extra field. */
static unsigned char *put_common(unsigned char *to, const member *m) {
    to = put(to, VERSION, 2);
    to = put(to, 0, 2); /* flags */
    to = put(to, 0, 2); /* stored */
    to = put(to, 0, 2); /* time */
    to = put(to, DAY, 2);
    to = put(to, m->crc, 4);
    to = put(to, m->size, 4);
    to = put(to, m->size, 4);
    to = put(to, (uint32_t)strlen(m->name), 2);
    return put(to, 0, 2);
}

/* Puts the header in front of the bytes of a member. Returns its size. */
static size_t put_local(unsigned char to[LOCAL_SIZE + sizeof(member)], const member *m) {
    unsigned char *const name = put_common(put(to, 0x04034b50, 4), m);
    return (size_t)((unsigned char *)stpcpy((char *)name, m->name) - to);
}

/* Puts the entry of a member in the directory. Returns its size. */
static size_t put_central(unsigned char to[CENTRAL_SIZE + sizeof(member)], const member *m) {
    unsigned char *end = put_common(put(put(to, 0x02014b50, 4), VERSION, 2), m);
    end = put(end, 0, 2); /* no comment */
    end = put(end, 0, 2); /* disk */
    end = put(end, 0, 2); /* attributes, of two kinds */
    end = put(end, 0, 4);
    end = put(end, m->at, 4);
    return (size_t)((unsigned char *)stpcpy((char *)end, m->name) - to);
}

/* Puts the end of the file. */
static void put_end(unsigned char to[END_SIZE], size_t count, size_t at, size_t size) {
    unsigned char *end = put(to, 0x06054b50, 4);
    end = put(end, 0, 4); /* disks */
    end = put(end, (uint32_t)count, 2);
    end = put(end, (uint32_t)count, 2);
    end = put(end, (uint32_t)size, 4);
    end = put(end, (uint32_t)at, 4);
    put(end, 0, 2);
}

/* --- writing --- */

/* Writes a member at the place m->at, and fills *m. Returns its end; 0: no memory, or too large. */
static size_t write_member(FILE *file, const npz_array *a, member *m) {
    unsigned char header[LOCAL_SIZE + sizeof(member)];
    const size_t columns = a->shape.columns > 0 ? a->shape.columns : 1,
                 bytes = npy_width(a->shape.type) * a->shape.rows * columns;
    char *shape = NULL;
    size_t length;
    FILE *const stream = open_memstream(&shape, &length);
    if (stream == NULL)
        return 0;
    npy_write(stream, a->shape);
    /* Without memory fclose may return 0 although the text was not stored. */
    if (fclose(stream) != 0 || shape == NULL ||
        m->at + LOCAL_SIZE + sizeof(member) + length + bytes > LARGEST) {
        free(shape);
        return 0;
    }
    snprintf(m->name, sizeof m->name, "%.*s" SUFFIX, NPZ_NAME_MOST, a->name);
    m->size = (uint32_t)(length + bytes);
    m->crc = (uint32_t)crc32_z(crc32_z(0, (const Bytef *)shape, length), a->numbers, bytes);
    const size_t before = put_local(header, m);
    fwrite(header, 1, before, file);
    fwrite(shape, 1, length, file);
    fwrite(a->numbers, 1, bytes, file);
    free(shape);
    return m->at + before + m->size;
}

/* Writes the directory and the end behind the members, at the place `at`. */
static void write_directory(FILE *file, const member m[], size_t count, size_t at) {
    unsigned char record[CENTRAL_SIZE + sizeof(member)];
    size_t size = 0;
    for (size_t n = 0; n < count; n++) {
        const size_t bytes = put_central(record, &m[n]);
        fwrite(record, 1, bytes, file);
        size += bytes;
    }
    put_end(record, count, at, size);
    fwrite(record, 1, END_SIZE, file);
}

bool npz_write(FILE *file, const npz_array array[], size_t count) {
    member *const m = calloc(count + 1, sizeof *m);
    bool good = m != NULL;
    for (size_t n = 0; n < count && good; n++) {
        const size_t end = write_member(file, &array[n], &m[n]);
        good = end > 0 && end + (count + 1) * (CENTRAL_SIZE + sizeof *m) <= LARGEST;
        m[n + 1].at = (uint32_t)end;
    }
    if (good)
        write_directory(file, m, count, m[count].at);
    free(m);
    return good && !ferror(file);
}

/* --- reading --- */

/* The bytes of a file. */
typedef struct {
    unsigned char *bytes;
    size_t size;
} contents;

static contents read_all(FILE *file) {
    contents c = {.bytes = NULL};
    rewind(file);
    if (fseek(file, 0, SEEK_END) != 0)
        return c;
    const long size = ftell(file);
    rewind(file);
    if (size < 0 || (uint64_t)size > LARGEST || (c.bytes = malloc((size_t)size + 1)) == NULL)
        return c;
    c.size = fread(c.bytes, 1, (size_t)size, file);
    rewind(file);
    return c;
}

/* Reads the header at m->at. Returns the place of the bytes of the member; 0: there is no such header. */
static size_t read_local(const contents *c, member *m) {
    unsigned char expected[LOCAL_SIZE + sizeof(member)];
    if (c->size < (size_t)m->at + LOCAL_SIZE)
        return 0;
    const unsigned char *const header = c->bytes + m->at;
    const uint32_t length = get(header + 26, 2);
    m->crc = get(header + 14, 4);
    m->size = get(header + 18, 4);
    if (length >= sizeof m->name || c->size < (size_t)m->at + LOCAL_SIZE + length)
        return 0;
    memcpy(m->name, header + LOCAL_SIZE, length);
    m->name[length] = '\0';
    const size_t size = put_local(expected, m);
    return size == LOCAL_SIZE + length && memcmp(header, expected, size) == 0 ? m->at + size : 0;
}

/* Whether all members from the first to the directory are whole, and the directory names them. */
static bool is_whole(const contents *c) {
    unsigned char record[CENTRAL_SIZE + sizeof(member)];
    if (c->size < END_SIZE)
        return false;
    const unsigned char *const end = c->bytes + c->size - END_SIZE;
    const size_t count = get(end + 8, 2), at = get(end + 16, 4);
    size_t entry = at;
    member m = {.at = 0};
    for (size_t n = 0; n < count; n++) {
        const size_t from = read_local(c, &m);
        if (from == 0 || from > at || m.size > at - from ||
            crc32_z(0, c->bytes + from, m.size) != m.crc)
            return false;
        const size_t bytes = put_central(record, &m);
        if (entry + bytes > c->size || memcmp(c->bytes + entry, record, bytes) != 0)
            return false;
        entry += bytes;
        m.at = (uint32_t)(from + m.size);
    }
    put_end(record, count, at, entry - at);
    return count > 0 && m.at == at && entry + END_SIZE == c->size &&
           memcmp(end, record, END_SIZE) == 0;
}

/* Copies the numbers of the first array, as far as they are there. */
static void copy_text(const contents *c, npz_look *l) {
    member m = {.at = 0};
    const size_t from = read_local(c, &m);
    if (from == 0)
        return;
    const size_t end = m.size < c->size - from ? from + m.size : c->size,
                 begin = from + npy_numbers_begin(c->bytes + from, end - from);
    if (begin == from || (l->text = malloc(end - begin + 1)) == NULL)
        return;
    l->length = end - begin;
    memcpy(l->text, c->bytes + begin, l->length);
}

npz_look npz_look_at(FILE *file) {
    static const unsigned char magic[4] = {'P', 'K', 3, 4};
    npz_look l = {.whole = false};
    const contents c = read_all(file);
    if (c.bytes == NULL)
        return l;
    l.begins = memcmp(c.bytes, magic, c.size < sizeof magic ? c.size : sizeof magic) == 0;
    l.whole = is_whole(&c);
    copy_text(&c, &l);
    free(c.bytes);
    return l;
}
