/* Shell completion. Bash gets a function with a case for each option that takes a value; zsh gets a
 * specification of _arguments for each option. */
#include "completion.h"

#include "base/commit.h"
#include "settings/settings.h"

#include <stdbool.h>
#include <string.h>

/* Whether the value is the name of a file or folder. */
static bool is_path(const setting *s) {
    return s->value != NULL && (strcmp(s->value, "FILE") == 0 || strcmp(s->value, "FOLDER") == 0);
}

/* Whether the value may be the next word; an optional value may not. */
static bool takes_word(const setting *s) {
    return s->value != NULL && s->flag.size == 0;
}

/* The choices of a setting, separated by blanks. */
static void print_choices(FILE *file, const setting *s) {
    for (uint32_t n = 0; n < s->choices; n++)
        fprintf(file, "%s%s", n > 0 ? " " : "", s->choice(n));
}

/* --- bash --- */

/* A pattern of case: the option's names. */
static void print_pattern(FILE *file, const setting *s) {
    if (s->short_name != 0)
        fprintf(file, "-%c | ", s->short_name);
    fprintf(file, "--%s", s->name);
}

static void print_bash(FILE *file) {
    fputs("_paising() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    # --name=value is three words of bash\n"
          "    [ \"$option\" != = ] || option=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    [ \"$word\" != = ] || word=\n"
          "    case $option in\n",
          file);
    for (size_t i = 0; i < settings_count; i++) {
        const setting *const s = &settings[i];
        if (s->help == NULL || !takes_word(s))
            continue;
        fputs("    ", file);
        print_pattern(file, s);
        fputs(")", file);
        if (s->choice != NULL) {
            fputs(" mapfile -t COMPREPLY < <(compgen -W '", file);
            print_choices(file, s);
            fputs("' -- \"$word\")", file);
        } else if (is_path(s))
            fputs(" compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")", file);
        else
            fputs(" COMPREPLY=()", file);
        fputs(" ;;\n", file);
    }
    fputs("    *) mapfile -t COMPREPLY < <(compgen -W '", file);
    for (size_t i = 0; i < settings_count; i++)
        if (settings[i].help != NULL)
            fprintf(file, "%s--%s", i > 0 ? " " : "", settings[i].name);
    fputs("' -- \"$word\") ;;\n    esac\n}\ncomplete -F _paising paising\n", file);
}

/* --- zsh --- */

/* Prints a text inside '...', in which _arguments gives no character a meaning. */
static void print_quoted(FILE *file, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\'", file);
        else if (strchr("[]:\\", *text) != NULL)
            fputc('\\', file);
        fputc(*text, file);
    }
}

static void print_zsh_option(FILE *file, const setting *s) {
    fputs(" \\\n    ", file);
    if (s->short_name != 0)
        fprintf(file, "'(-%c --%s)'{-%c%s,--%s%s}'[", s->short_name, s->name, s->short_name,
                takes_word(s)      ? "+"
                : s->value != NULL ? "-"
                                   : "",
                s->name,
                takes_word(s)      ? "="
                : s->value != NULL ? "=-"
                                   : "");
    else
        fprintf(file, "'--%s%s[", s->name, takes_word(s) ? "=" : s->value != NULL ? "=-" : "");
    print_quoted(file, s->help);
    fputs("]", file);
    if (s->value != NULL) {
        fputs(takes_word(s) ? ":" : "::", file);
        print_quoted(file, s->value);
        fputs(":", file);
        if (s->choice != NULL) {
            fputs("(", file);
            print_choices(file, s);
            fputs(")", file);
        } else if (is_path(s))
            fputs("_files", file);
    }
    fputs("'", file);
}

static void print_zsh(FILE *file) {
    fputs("_arguments -s", file);
    for (size_t i = 0; i < settings_count; i++)
        if (settings[i].help != NULL)
            print_zsh_option(file, &settings[i]);
    fputc('\n', file);
}

exit_status completion_print(FILE *file, const char *shell) {
    const bool bash = strcmp(shell, "bash") == 0;
    if (!bash && strcmp(shell, "zsh") != 0)
        return complain(STATUS_REFUSED, "--completion '%.100s': bash or zsh is expected", shell);
    fprintf(file, "%s of paising %s, printed by paising --completion %s\n",
            bash ? "# bash completion" : "#compdef paising\n# zsh completion", PAISING_VERSION,
            shell);
    if (bash)
        print_bash(file);
    else
        print_zsh(file);
    return STATUS_OK;
}
