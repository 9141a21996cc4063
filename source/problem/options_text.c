/* Options from text, by their rows in options.c. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/problem.h"

typedef struct message {
  char *text;
  size_t size;
} message;

static bool refuse(const message *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const message *m, const char *format, ...)
{
  va_list arguments;
  if (m->size == 0) return false;
  va_start(arguments, format);
  vsnprintf(m->text, m->size, format, arguments);
  va_end(arguments);
  return false;
}

static bool read_name(const hymgi_member *e, const char *value, double *number, const message *m)
{
  char list[160] = "";
  const char *name;
  for (int n = 0, known; hymg_enum_entry(e->type, n, &name, &known) && known <= e->high; n++) {
    if (strcmp(value, name) == 0) {
      *number = known;
      return true;
    }
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", name);
  }
  return refuse(m, "%s '%s': must be one of %s", e->name, value, list);
}

static bool read_cells(const hymgi_member *e, const char *value, int64_t *target, const message *m)
{
  char *end;
  errno = 0;
  const long long number = strtoll(value, &end, 10);
  if (end == value || *end || errno == ERANGE || number < 0)
    return refuse(m, "%s '%s': must be 'auto' or a number of cells >= 0", e->name, value);
  *target = number;
  return true;
}

static bool read_number(const hymgi_member *e, const char *value, double *target, const message *m)
{
  char *end;
  const double number = strtod(value, &end);
  const bool whole = e->kind == HYMGI_INT;
  const char *const key = e->name;
  if (end == value || *end || !isfinite(number) || (whole && number != rint(number)))
    return refuse(m, "%s '%s': not a %s", key, value, whole ? "whole number" : "finite number");
  if (whole && (number < e->low || number > e->high))
    return refuse(m, "%s %s: must be %.12g ... %.12g", key, value, e->low, e->high);
  if (number < e->low)
    return refuse(m, "%s %s: must be %s 0", key, value, e->low > 0 ? "greater than" : "at least");
  if (number > e->high) return refuse(m, "%s %s: must be at most %.12g", key, value, e->high);
  *target = number;
  return true;
}

static bool read_value(const hymgi_member *e, const char *value, hymg_options *options,
                       const message *m)
{
  double number = e->standard; /* what auto stands for */
  const bool whole = e->kind == HYMGI_INT || e->kind == HYMGI_INT64;
  if (whole && strcmp(value, "auto") == 0)
    ;
  else if (e->kind == HYMGI_INT64)
    return read_cells(e, value, (int64_t *)((char *)options + e->at), m);
  else if (e->kind <= HYMGI_EACH) {
    if (!read_name(e, value, &number, m)) return false;
  } else if (e->kind == HYMGI_BOOL) {
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
      return refuse(m, "%s '%s': must be one of yes, no", e->name, value);
    number = *value == 'y';
  } else if (!read_number(e, value, &number, m))
    return false;
  hymgi_member_set(e, 0, options, number);
  return true;
}

/* - and _ are the same in keys. */
static bool same_key(const char *key, const char *text, size_t length)
{
  if (strlen(key) != length) return false;
  for (size_t m = 0; m < length; m++)
    if (key[m] != (text[m] == '_' ? '-' : text[m])) return false;
  return true;
}

static bool read_word(const char *word, size_t length, hymg_options *options, const message *m)
{
  char value[64];
  const char *const equals = memchr(word, '=', length);
  const size_t key = equals ? (size_t)(equals - word) : length;
  size_t used = 0;
  char keys[400] = "";
  hymg_option_info o;
  for (int n = 0; hymg_option_get(n, &o); n++) {
    used += (size_t)snprintf(keys + used, sizeof keys - used, "%s%s", n ? ", " : "", o.key);
    if (!same_key(o.key, word, key)) continue;
    if (!equals)
      return refuse(m, "'%.*s': needs a value, %s=%s", (int)length, word, o.key, o.values);
    if (length - key > sizeof value)
      return refuse(m, "%s: the value is longer than %d characters", o.key, (int)sizeof value - 1);
    memcpy(value, equals + 1, length - key - 1);
    value[length - key - 1] = '\0';
    return read_value(&hymgi_option_at(n)->member, value, options, m);
  }
  return refuse(m, "'%.*s': no such option; there are %s", (int)key, word, keys);
}

static bool read_words(const char *text, hymg_options *options, const message *m)
{
  static const char between[] = " ,\t\n";
  for (text += strspn(text, between); *text; text += strspn(text, between)) {
    const size_t length = strcspn(text, between);
    if (!read_word(text, length, options, m)) return false;
    text += length;
  }
  return true;
}

/* Numbers have a decimal point, whatever the program's locale. */
hymg_status hymg_options_parse(hymg_options *options, const char *text, char *error, size_t size)
{
  const message m = {error, error ? size : 0};
  if (!options || !text) {
    refuse(&m, "hymg_options_parse: options or text is NULL");
    return HYMG_EINVAL;
  }
  hymg_options changed = *options;
  const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  const locale_t users = uselocale(plain); /* without memory for another, the program's stays */
  const bool read = read_words(text, &changed, &m);
  uselocale(users);
  if (plain) freelocale(plain);
  if (!read) return HYMG_EINVAL;
  *options = changed;
  return HYMG_OK;
}
