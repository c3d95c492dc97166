#include "graph_file.h"

#include "base/line_file.h"
#include "graph.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A line: sites i and j, J or h. */
typedef struct {
    int64_t column[3];
} graph_line;

/* Parses a word as a whole number of at most 15 digits. */
static bool read_number(const char *word, size_t length, int64_t *number) {
    const size_t sign = *word == '-' || *word == '+' ? 1 : 0;
    *number = 0;
    for (size_t n = sign; n < length; n++) {
        if (!isdigit((unsigned char)word[n]) || n - sign == 15)
            return false;
        *number = 10 * *number + (word[n] - '0');
    }
    if (*word == '-')
        *number = -*number;
    return length > sign;
}

static bool read_columns(line_file *f, const char *text, graph_line *line) {
    size_t columns = 0;
    for (; *text != '\0'; text += strspn(text, LINE_BLANKS)) {
        const size_t length = strcspn(text, LINE_BLANKS);
        if (columns == 3)
            return line_file_wrong(f, "more than 3 columns; allowed: i j J, or i i h");
        if (!read_number(text, length, &line->column[columns++]))
            return line_file_wrong(f, "'%.*s' is not a whole number below 10^15",
                                   length < 20 ? (int)length : 20, text);
        text += length;
    }
    return columns == 3 || line_file_wrong(f, "%zu columns; allowed: i j J, or i i h", columns);
}

static bool take_line(line_file *f, const graph_line *line, bond_list *list) {
    const int64_t i = line->column[0], j = line->column[1], value = line->column[2];
    for (int n = 0; n < 2; n++)
        if (line->column[n] < 0 || line->column[n] >= GRAPH_MOST_SITES)
            return line_file_wrong(f, "site %lld is not from 0 to %lu", (long long)line->column[n],
                                   (unsigned long)GRAPH_MOST_SITES - 1);
    const uint32_t largest = (uint32_t)(i > j ? i : j);
    if (largest >= list->sites)
        list->sites = largest + 1;
    if (bond_list_add(list, (uint32_t)i, (uint32_t)j, value))
        return true;
    return line_file_refuse(f, "not enough memory for %zu bonds", list->bonds);
}

/* Makes fields of the lines with i = j, which are in the list as bonds. */
static bool take_fields(line_file *f, bond_list *list) {
    const size_t lines = list->bonds;
    list->bonds = 0;
    for (size_t n = 0; n < lines; n++) {
        const bond b = list->bond[n];
        if (b.i != b.j)
            list->bond[list->bonds++] = b;
        else if (!bond_list_add_field(list, b.i, b.value))
            return line_file_refuse(f, "not enough memory for %lu sites",
                                    (unsigned long)list->sites);
    }
    return true;
}

exit_status bond_list_read(bond_list *list, const char *option, const char *path) {
    line_file f;
    *list = bond_list_of(0);
    if (!line_file_open(&f, option, path))
        return STATUS_REFUSED;
    bool good = true;
    for (const char *text; good && (text = line_file_next(&f)) != NULL;) {
        graph_line line;
        good = read_columns(&f, text, &line) && take_line(&f, &line, list);
    }
    good = good && !f.failed && take_fields(&f, list);
    if (good && list->sites == 0)
        good = line_file_refuse(&f, "no bonds");
    line_file_close(&f);
    if (!good)
        bond_list_destroy(list);
    return good ? STATUS_OK : STATUS_REFUSED;
}
