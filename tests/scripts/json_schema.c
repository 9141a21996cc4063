/* Checks a file of hymg-fv --json: json_schema SCHEMA FILE [PATH=VALUE | PATH]... SCHEMA gives per
 * value its type ("?": or null, "|": or), per list one element's schema and optionally its length.
 * Keys must match exactly. The text must be what 17 digits give. Then the relations between
 * numbers; PATH=VALUE (runs.0.dof=8) is compared, a bare PATH printed. Prints what is wrong; exit 1
 * if anything is. Built by cli.sh where Jansson is. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 256 };

static int wrong(const char *path, const char *what)
{
  printf("json: %s: %s\n", path, what);
  return 1;
}

static const char *type_of(const json_t *value)
{
  return json_is_string(value)    ? "string"
         : json_is_integer(value) ? "integer"
         : json_is_real(value)    ? "real"
         : json_is_boolean(value) ? "boolean"
                                  : "other";
}

static int check_type(const char *types, const json_t *value, const char *path)
{
  char text[PATH_SIZE];
  if (json_is_null(value)) return strchr(types, '?') ? 0 : wrong(path, "is null");
  if (strstr(types, type_of(value))) return 0;
  snprintf(text, sizeof text, "is %s, not %s", type_of(value), types);
  return wrong(path, text);
}

static int check(json_t *schema, const json_t *value, const char *path);

static int check_list(const json_t *schema, const json_t *value, const char *path)
{
  int failures = 0;
  const char *const key = strrchr(path, '.');
  if (json_is_null(value) && strcmp(key ? key : path, ".throttle_reasons") == 0) return 0;
  if (!json_is_array(value)) return wrong(path, "is no list");
  const json_t *length = json_array_get(schema, 1);
  if (length && (json_int_t)json_array_size(value) != json_integer_value(length))
    failures += wrong(path, "has the wrong length");
  for (size_t i = 0; i < json_array_size(value); i++) {
    char inner[PATH_SIZE];
    snprintf(inner, sizeof inner, "%.200s.%zu", path, i);
    failures += check(json_array_get(schema, 0), json_array_get(value, i), inner);
  }
  return failures;
}

static int check_object(json_t *schema, const json_t *value, const char *path)
{
  const char *key;
  json_t *part;
  int failures = 0;
  const bool optional = strcmp(path, ".richardson") == 0 || strcmp(path, ".placement") == 0 ||
                        strcmp(path, ".bandwidth") == 0 || strcmp(path, ".energy") == 0;
  if (json_is_null(value) && optional) return 0;
  if (!json_is_object(value)) return wrong(path, "is no object");
  if (json_object_size(value) != json_object_size(schema))
    failures += wrong(path, "has other keys");
  json_object_foreach(schema, key, part)
  {
    char inner[PATH_SIZE];
    snprintf(inner, sizeof inner, "%.120s.%.100s", path, key);
    const json_t *found = json_object_get(value, key);
    failures += found ? check(part, found, inner) : wrong(inner, "is missing");
  }
  return failures;
}

static int check(json_t *schema, const json_t *value, const char *path)
{
  if (json_is_string(schema)) return check_type(json_string_value(schema), value, path);
  return json_is_array(schema) ? check_list(schema, value, path)
                               : check_object(schema, value, path);
}

/* Reals have 17 digits: writing the parsed object anew gives the same text. */
static int check_text(const json_t *object, const char *file)
{
  char *again = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_PRESERVE_ORDER);
  FILE *stream = fopen(file, "r");
  int failures = !again || !stream;
  for (const char *c = again; c && stream && *c && !failures; c++)
    failures = fgetc(stream) != *c;
  if (stream) fclose(stream);
  free(again);
  return failures ? wrong("text", "is not what 17 digits give") : 0;
}

static const json_t *find(const json_t *object, const char *path)
{
  char copy[PATH_SIZE];
  snprintf(copy, sizeof copy, "%s", path);
  for (char *part = strtok(copy, "."); part && object; part = strtok(NULL, "."))
    object = json_is_array(object) ? json_array_get(object, (size_t)atoi(part))
                                   : json_object_get(object, part);
  return object;
}

static double number(const json_t *object, const char *key)
{
  return json_number_value(json_object_get(object, key));
}

static double cells(const json_t *object, int axis)
{
  return json_number_value(json_array_get(json_object_get(object, "cells"), (size_t)axis));
}

static int check_run(const json_t *all, const json_t *run, const json_t *finer, int n)
{
  const json_t *level = json_array_get(json_object_get(all, "levels"), (size_t)n);
  int failures = 0;
  if (number(run, "level") != n) failures += wrong("runs", "level out of order");
  if (number(run, "dof") != cells(run, 0) * cells(run, 1) * cells(run, 2))
    failures += wrong("runs", "dof is not the product of cells");
  if (fabs(number(run, "dof_per_second") * number(run, "seconds_mean") / number(run, "dof") - 1.0) >
      1e-12)
    failures += wrong("runs", "dof_per_second is not dof / seconds_mean");
  if (!(number(run, "seconds_min") > 0.0 &&
        number(run, "seconds_min") <= number(run, "seconds_median")))
    failures += wrong("runs", "seconds_min is not the least");
  if (json_is_true(json_object_get(run, "disturbed")) !=
      (number(run, "seconds_mean") > 1.5 * number(run, "seconds_min")))
    failures += wrong("runs", "disturbed is not seconds_mean above 1.5 times seconds_min");
  if (number(run, "solves") < number(json_object_get(all, "protocol"), "min_solves"))
    failures += wrong("runs", "fewer solves than min_solves");
  if (json_array_size(json_object_get(run, "cycles")) == 0) failures += wrong("runs", "no cycles");
  for (int axis = 0; axis < 3; axis++) {
    if (finer && cells(finer, axis) != 2.0 * cells(run, axis))
      failures += wrong("runs", "cells are not halved");
    if (cells(level, axis) != cells(run, axis))
      failures += wrong("runs", "cells are not the level's");
  }
  return failures;
}

static bool are_near(double x, double y)
{
  return fabs(x - y) <= 1e-12 * fabs(y);
}

static int check_energy(const json_t *all)
{
  const json_t *energy = json_object_get(all, "energy"), *parts = json_object_get(energy, "parts"),
               *run = json_array_get(json_object_get(all, "runs"), 0);
  const double joules = number(energy, "joules"), solves = number(run, "solves");
  double sum = 0;
  int failures = 0;
  if (json_is_null(energy)) return 0;
  for (size_t n = 0; n < json_array_size(parts); n++)
    sum += number(json_array_get(parts, n), "joules");
  if (!are_near(joules, sum)) failures += wrong("energy", "joules is not the sum of the parts");
  if (number(energy, "solves") != solves) failures += wrong("energy", "solves is not the run's");
  if (!are_near(number(energy, "joules_per_solve") * solves, joules))
    failures += wrong("energy", "joules_per_solve is not joules / solves");
  if (!are_near(number(energy, "dof_per_joule") * joules, number(run, "dof") * solves))
    failures += wrong("energy", "dof_per_joule is not dof * solves / joules");
  if (number(energy, "seconds") < number(run, "seconds_mean") * solves)
    failures += wrong("energy", "seconds is less than the solves took");
  return failures;
}

static int check_relations(const json_t *all)
{
  const json_t *runs = json_object_get(all, "runs"), *rows = json_object_get(all, "breakdown");
  const char *schema = json_string_value(json_object_get(all, "schema"));
  int failures = 0;
  if (!schema || strcmp(schema, "hymg-fv/3") != 0) failures += wrong("schema", "is not hymg-fv/3");
  for (size_t n = 0; n < json_array_size(runs); n++)
    failures +=
        check_run(all, json_array_get(runs, n), n > 0 ? json_array_get(runs, n - 1) : NULL, (int)n);
  failures += check_energy(all);
  if ((json_array_size(runs) == 3) == json_is_null(json_object_get(all, "richardson")))
    failures += wrong("richardson", "must be there for three sizes only");
  if (json_array_size(rows) == 0) failures += wrong("breakdown", "is empty");
  for (size_t n = 0; n < json_array_size(rows); n++) {
    const json_t *row = json_array_get(rows, n);
    const double bytes = 1e9 * number(row, "gb_per_second") * number(row, "seconds");
    if (number(row, "seconds") > 0.0 && fabs(bytes - number(row, "bytes")) > 1.0 + 1e-9 * bytes)
      failures += wrong("breakdown", "gb_per_second is not bytes / seconds");
  }
  return failures;
}

/* PATH=VALUE compares (a string's value without quotes), PATH prints. */
static int ask(const json_t *all, const char *question)
{
  char path[PATH_SIZE], text[2 * PATH_SIZE];
  const char *equals = strchr(question, '=');
  snprintf(path, sizeof path, "%.*s", (int)(equals ? equals - question : PATH_SIZE - 1), question);
  const json_t *value = find(all, path);
  char *found = value && json_is_string(value) ? strdup(json_string_value(value))
                : value
                    ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17) | JSON_COMPACT)
                    : NULL;
  int failures = 0;
  if (!found) {
    failures = wrong(path, "is missing");
  } else if (!equals) {
    puts(found);
  } else if (strcmp(found, equals + 1) != 0) {
    snprintf(text, sizeof text, "is %.200s, not %.200s", found, equals + 1);
    failures = wrong(path, text);
  }
  free(found);
  return failures;
}

int main(int argc, char **argv)
{
  json_error_t error;
  if (argc < 3) return wrong("usage", "json_schema SCHEMA FILE [PATH=VALUE | PATH]...");
  json_t *schema = json_load_file(argv[1], 0, &error);
  if (!schema) return wrong(argv[1], error.text);
  json_t *all = json_load_file(argv[2], 0, &error);
  int failures = all ? 0 : wrong(argv[2], error.text);
  if (all) failures += check(schema, all, "") + check_text(all, argv[2]);
  if (failures == 0) failures += check_relations(all);
  for (int i = 3; all && i < argc; i++)
    failures += ask(all, argv[i]);
  json_decref(all);
  json_decref(schema);
  return failures > 0;
}
