/* Fuzz target: the command line. Bytes are split into words at newlines. What is accepted must obey
 * the rules, and be accepted again as it is; nothing else may happen than an answer. */
#include "base/message.h"
#include "command/options.h"
#include "engine/capacity.h"
#include "resample/schedule.h"
#include "settings/exclusions.h"
#include "settings/rules.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds for every set of parameters that was accepted. */
static void check_accepted(const parameters *p) {
    char message[300];
    if (parameters_validate(p, message, sizeof message) != 0 ||
        settings_excluded(p, NULL, message, sizeof message) != 0)
        abort();
    if (p->population < 1 || population_capacity(p->population, p->word) > UINT32_MAX)
        abort();
    if (parameters_steps(p) == STEPS_FIXED &&
        !(schedule_steps(p->beta_start, p->dbeta) +
              schedule_steps(p->beta_end - p->beta_start, p->dbeta) <
          SCHEDULE_MAX_TEMPERATURES))
        abort();
    if (p->output != NULL && p->output[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char program[] = "paising", *words[MAX_WORDS + 2] = {program};
    char *const text = malloc(size + 1), *rest = text;
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int count = 1;
    while (count <= MAX_WORDS && rest != NULL)
        words[count++] = strsep(&rest, "\n");
    parameters p;
    const int answer = parameters_parse(&p, count, words);
    if (answer == STATUS_OK)
        check_accepted(&p);
    else if (answer != STATUS_REFUSED && answer != OPTIONS_SHOWN)
        abort();
    free(text);
    return 0;
}
