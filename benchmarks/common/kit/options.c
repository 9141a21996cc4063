/* See options.h. */
#define _GNU_SOURCE
#include "common/kit/options.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CODE = 256 };

/* ---- messages ---- */

bool options_refuse(const command_line *c, const char *format, ...)
{
  va_list list;
  if (c->silent) return false;
  fprintf(stderr, "%s: ", c->program);
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fprintf(stderr, "\nTry '%s --help'.\n", c->program);
  return false;
}

bool options_unwanted(const command_line *c, const char *option, const char *text,
                      const char *wanted)
{
  return options_refuse(c, "%s '%s': must be %s", option, text, wanted);
}

/* ---- values ---- */

static bool bad_number(const command_line *c, const char *option, const char *text,
                       const option_row *row, bool parsed)
{
  char range[80];
  const bool whole = row->kind == OPTION_INT;
  if (c->strict && !parsed && whole)
    return options_refuse(c, "%s '%s': not a whole number (%.12g ... %.12g)", option, text,
                          row->low, row->high);
  if (c->strict && !parsed) return options_refuse(c, "%s '%s': not a finite number", option, text);
  if (c->strict && row->wanted)
    return options_refuse(c, "%s %s: must %s", option, text, row->wanted);
  if (c->strict)
    return options_refuse(c, "%s %s: must be %.12g ... %.12g", option, text, row->low, row->high);
  snprintf(range, sizeof range, "a %s from %.12g to %.12g", whole ? "whole number" : "number",
           row->low, row->high);
  return options_unwanted(c, option, text, row->wanted ? row->wanted : range);
}

static bool read_number(const command_line *c, const char *option, const char *text,
                        const option_row *row, double *value)
{
  char *end;
  *value = strtod(text, &end);
  const bool parsed = end != text && !*end && isfinite(*value) &&
                      (row->kind == OPTION_REAL || *value == rint(*value));
  return (parsed && *value >= row->low && *value <= row->high) ||
         bad_number(c, option, text, row, parsed);
}

bool options_int(const command_line *c, const char *option, const char *text, int low, int high,
                 int *value)
{
  const option_row row = {.kind = OPTION_INT, .low = low, .high = high};
  double number;
  if (!read_number(c, option, text, &row, &number)) return false;
  *value = (int)number;
  return true;
}

int options_ints(const command_line *c, const char *option, const char *text, char between,
                 const char *wanted, int most, const int range[2], int *value)
{
  char copy[128], *rest = copy;
  const char separator[2] = {between, '\0'};
  int count = 0;
  if (strlen(text) >= sizeof copy) return options_unwanted(c, option, text, wanted);
  strcpy(copy, text);
  for (const char *part = strsep(&rest, separator); part; part = strsep(&rest, separator)) {
    if (count == most) return options_unwanted(c, option, text, wanted);
    if (!options_int(c, option, part, range[0], range[1], &value[count++])) return 0;
  }
  return count;
}

int options_word(const command_line *c, const char *option, const char *text,
                 const char *const *words)
{
  char list[128] = "";
  for (int i = 0; words[i]; i++) {
    if (strcmp(text, words[i]) == 0) return i;
    const char *between = i == 0 ? "" : c->strict || words[i + 1] ? ", " : " or ";
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", between, words[i]);
  }
  options_refuse(c, "%s '%s': must be %s%s", option, text, c->strict ? "one of " : "", list);
  return -1;
}

bool options_read_stencil(const command_line *c, const char *option, const char *text, void *target)
{
  static const char *const words[] = {"fv2", "fv4", NULL};
  bool *const stencil = target;
  const int word = options_word(c, option, text, words);
  for (int s = 0; s < 2; s++)
    stencil[s] = s == word;
  return word >= 0;
}

/* ---- taking an option ---- */

bool options_takes_value(const option_row *row)
{
  return row->argument || row->kind == OPTION_WORD;
}

static bool take(command_line *c, const option_row *row, const char *text)
{
  char option[32];
  double number;
  int word;
  snprintf(option, sizeof option, "--%s", row->name);
  if (c->strict && c->given[row - c->rows]) return options_refuse(c, "%s is given twice", option);
  c->given[row - c->rows] = row->name;
  switch (row->kind) {
  case OPTION_INT:
    if (!read_number(c, option, text, row, &number)) return false;
    *(int *)row->target = (int)number;
    return true;
  case OPTION_REAL:
    if (!read_number(c, option, text, row, &number)) return false;
    *(double *)row->target = number;
    return true;
  case OPTION_WORD:
    word = options_word(c, option, text, row->words);
    if (word >= 0) *(int *)row->target = word;
    return word >= 0;
  case OPTION_SET:
    *(int *)row->target = (int)row->low;
    return true;
  case OPTION_TEXT:
    *(const char **)row->target = text;
    return true;
  case OPTION_CUSTOM:
    return row->read(c, option, text, row->target);
  default:
    if (row->target) *(bool *)row->target = true;
    return true;
  }
}

/* ---- what getopt_long does not know ---- */

/* `word` as it was given, without its value, and `name` without dashes. */
static bool refuse_unknown(const command_line *c, const char *word, const char *name)
{
  const char *found[OPTIONS_SIMILAR];
  char meant[128] = "";
  const int count = options_similar(c, name, found);
  for (int i = 0; i < count; i++)
    snprintf(meant + strlen(meant), sizeof meant - strlen(meant), "%s--%s",
             i == 0           ? ": did you mean "
             : i + 1 == count ? " or "
                              : ", ",
             found[i]);
  return options_refuse(c, "unknown option '%s'%s%s", word, meant, *meant ? "?" : "");
}

static bool refuse_long(const command_line *c, const char *word)
{
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  return refuse_unknown(c, name, name + strspn(name, "-"));
}

/* A single dash: of letters, one of which is unknown, or of a name that wants two. */
static bool refuse_letters(const command_line *c, int letter, int argc, char **argv)
{
  const char *found[OPTIONS_SIMILAR];
  const char *const word = optind < argc && argv[optind][0] == '-' && argv[optind][1] != '-' &&
                                   strchr(argv[optind], letter)
                               ? argv[optind]
                               : argv[optind - 1];
  if (letter >= '0' && letter <= '9')
    return options_refuse(c, "unknown option '-%c' (sizes are not negative)", letter);
  if (strlen(word) > 3 && options_similar(c, word + 1, found) > 0) return refuse_long(c, word);
  return options_refuse(c, "unknown option '-%c'", letter);
}

/* Why getopt_long returned '?' or ':'. */
static bool refuse_option(const command_line *c, int result, int argc, char **argv)
{
  const char *word = optind > 0 ? argv[optind - 1] : "";
  if (result == ':') return options_refuse(c, "%s needs a value", word);
  if (optopt >= FIRST_CODE)
    return options_refuse(c, "--%s takes no value", c->rows[optopt - FIRST_CODE].name);
  return optopt > 0 ? refuse_letters(c, optopt, argc, argv) : refuse_long(c, word);
}

/* ---- the command line ---- */

/* getopt_long takes any beginning of a name that is unique, which the next option may change. */
static bool is_whole(const command_line *c, int result, char **argv)
{
  if (result < FIRST_CODE) return true;
  const char *const name = c->rows[result - FIRST_CODE].name;
  const char *const word = argv[optind - 1 - (optarg && optarg == argv[optind - 1])];
  const size_t length = strcspn(word, "=");
  if (length == strlen(name) + 2) return true;
  return refuse_long(c, word);
}

static const option_row *row_of(const command_line *c, int result)
{
  const option_row *row = result < FIRST_CODE ? c->rows : c->rows + (result - FIRST_CODE);
  while (result < FIRST_CODE && row->letter != result)
    row++;
  return row;
}

/* The table for getopt_long, whose letters begin with the ':' that leaves the messages to us. */
static void make_table(const command_line *c, struct option *table, char *letter)
{
  *letter++ = ':';
  for (int r = 0; r < c->count; r++) {
    const option_row *const row = c->rows + r;
    if (row->kind == OPTION_GROUP) continue;
    *table++ =
        (struct option){row->name, options_takes_value(row) ? required_argument : no_argument, NULL,
                        FIRST_CODE + r};
    if (row->letter) *letter++ = row->letter;
  }
  *letter = '\0';
}

/* The last of --help and the like, NULL without; false after a message. */
static bool read_rows(command_line *c, int argc, char **argv, const option_row **last)
{
  struct option table[OPTIONS_MOST + 1] = {{0}};
  char letters[OPTIONS_MOST + 2];
  make_table(c, table, letters);
  opterr = 0;
  for (int result; (result = getopt_long(argc, argv, letters, table, NULL)) != -1;) {
    if (result == '?' || result == ':') return refuse_option(c, result, argc, argv);
    const option_row *row = row_of(c, result);
    if (!is_whole(c, result, argv) || !take(c, row, optarg)) return false;
    if (row->kind == OPTION_HELP || row->kind == OPTION_VERSION || row->kind == OPTION_LAST)
      *last = row;
  }
  return true;
}

bool options_read(command_line *c, int argc, char **argv, int *code)
{
  char otherwise[OPTIONS_MOST][OPTIONS_TEXT];
  const option_row *last = NULL;
  options_remember(c, otherwise);
  *code = EXIT_BAD_INPUT;
  if (!read_rows(c, argc, argv, &last)) return false;
  c->num_words = argc - optind;
  c->word = argv + optind;
  if (c->num_words > 0 && !c->takes_words)
    return options_unwanted(c, "argument", *c->word, "an option");
  if (last && c->num_words > 0)
    return options_refuse(c, "unexpected argument '%s' with --%s", *c->word, last->name);
  *code = 0;
  if (!last || last->kind == OPTION_LAST) return true;
  if (!c->silent && last->kind == OPTION_HELP) options_print_help(c, otherwise);
  if (!c->silent && last->kind == OPTION_VERSION) options_print_version(c->program);
  return false;
}

bool options_given(const command_line *c, const char *name)
{
  for (int r = 0; r < c->count; r++)
    if (c->given[r] && strcmp(c->given[r], name) == 0) return true;
  return false;
}

bool options_idle(const command_line *c, const char *const *names, const char *where)
{
  for (; *names; names++)
    if (options_given(c, *names)) return options_refuse(c, "--%s has no effect%s", *names, where);
  return true;
}
