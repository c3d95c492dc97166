#include "bond_list.h"

#include <stdlib.h>

bond_list bond_list_of(uint32_t sites) {
    return (bond_list){.sites = sites, .unit = 1};
}

bool bond_list_add(bond_list *list, uint32_t i, uint32_t j, int64_t value) {
    if (list->bonds == list->room) {
        const size_t room = list->room ? 2 * list->room : 256;
        bond *const more = realloc(list->bond, room * sizeof *more);
        if (more == NULL)
            return false;
        list->bond = more;
        list->room = room;
    }
    list->bond[list->bonds++] = (bond){i < j ? i : j, i < j ? j : i, value};
    return true;
}

bool bond_list_add_field(bond_list *list, uint32_t i, int64_t value) {
    if (list->field == NULL && (list->field = calloc(list->sites, sizeof *list->field)) == NULL)
        return false;
    list->field[i] += value;
    return true;
}

static int compare(const void *a, const void *b) {
    const bond *const x = a, *const y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

size_t bond_list_sort(bond_list *list) {
    if (list->bonds > 0)
        qsort(list->bond, list->bonds, sizeof *list->bond, compare);
    size_t n = 1;
    while (n < list->bonds && compare(&list->bond[n - 1], &list->bond[n]) != 0)
        n++;
    return n < list->bonds ? n : list->bonds;
}

void bond_list_destroy(bond_list *list) {
    free(list->bond);
    free(list->field);
    list->bond = NULL;
    list->field = NULL;
}
