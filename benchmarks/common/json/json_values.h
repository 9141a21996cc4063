/* Helpers to fill JSON objects. */
#ifndef JSON_VALUES_H
#define JSON_VALUES_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>

/* null for a value that is not finite. */
static inline json_t *json_number(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

static inline json_t *json_text(const char *text)
{
  return text && *text ? json_string(text) : json_null();
}

/* Moves the members of `more` into `object` and frees `more`. NULL: out of memory. */
static inline json_t *json_merge(json_t *object, json_t *more)
{
  const bool ok = json_object_update(object, more) == 0;
  json_decref(more);
  if (ok) return object;
  json_decref(object);
  return NULL;
}

/* Writes reals with 17 significant digits and frees the object. False: it is NULL, or could not be
 * written. */
static inline bool json_print(json_t *object, int indent, FILE *file)
{
  const size_t flags = JSON_INDENT(indent) | JSON_REAL_PRECISION(17);
  const bool ok = object && json_dumpf(object, file, flags) == 0 && fputc('\n', file) != EOF;
  json_decref(object);
  return ok && fflush(file) == 0;
}

#endif
