/* The table of methods. */
#include "method.h"

#define METHOD(file, name, title, meaning) extern const method file##_method;
#include "settings/method_list.h"
#undef METHOD

#define METHOD(file, name, title, meaning) &file##_method,
static const method *const methods[METHODS] = {
#include "settings/method_list.h"
};

extern const method ground_states_method; /* --ground-states: many runs of annealing */

const method *method_of(const parameters *p) {
    return p->ground_states ? &ground_states_method : methods[p->method];
}
