/* See words.h. */
#define _GNU_SOURCE
#include "common/kit/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the library's enum. */
static const char *const boundary_words[] = {"dirichlet", "periodic", "neumann", "robin", NULL};

fv_boundary_text fv_boundary_string(const hymg_boundary boundary[6])
{
  fv_boundary_text out = {""};
  bool same = true;
  for (int face = 1; face < 6; face++)
    same = same && boundary[face] == boundary[0];
  for (int face = 0; face < (same ? 1 : 6); face++) {
    if (face > 0) strcat(out.text, ",");
    strcat(out.text, boundary_words[boundary[face]]);
  }
  return out;
}

bool options_read_triple(const command_line *c, const char *option, const char *text, void *target)
{
  static const char *const wanted = "%s '%s': not three whole numbers NX,NY,NZ";
  static const int range[2] = {1, MAX_CELLS_PER_AXIS};
  const char *comma = strchr(text, ',');
  const char *second = comma ? strchr(comma + 1, ',') : NULL;
  if (strlen(text) >= 64 || !second || strchr(second + 1, ','))
    return options_refuse(c, wanted, option, text);
  return options_ints(c, option, text, ',', "", 3, range, target) == 3;
}

static int boundary_kind(const command_line *c, const char *option, const char *word)
{
  for (int kind = 0; boundary_words[kind]; kind++)
    if (word[0] == boundary_words[kind][0] && !word[1]) return kind;
  return options_word(c, option, word, boundary_words);
}

bool options_read_boundary(const command_line *c, const char *option, const char *text,
                           void *target)
{
  hymg_boundary *const out = target;
  char copy[128], *rest = copy;
  int count = 0;
  if (strlen(text) >= sizeof copy)
    return options_refuse(c, "%s: longer than six words: '%.80s'", option, text);
  strcpy(copy, text);
  for (const char *part = strsep(&rest, ","); part; part = strsep(&rest, ",")) {
    const int kind = boundary_kind(c, option, part);
    if (kind < 0) return false;
    if (count < 6) out[count] = (hymg_boundary)kind;
    count++;
  }
  if (count != 1 && count != 6)
    return options_refuse(c, "%s '%s': takes one word, or six for x-,x+,y-,y+,z-,z+; not %d",
                          option, text, count);
  for (int face = 1; face < 6 && count == 1; face++)
    out[face] = out[0];
  return true;
}

bool options_read_robin(const command_line *c, const char *option, const char *text, void *target)
{
  static const char *const wanted = "two numbers ALPHA,BETA, at least 0 and not both 0";
  double *const robin = target;
  char *end, *last;
  robin[0] = strtod(text, &end);
  if (end == text || *end != ',') return options_unwanted(c, option, text, wanted);
  robin[1] = strtod(end + 1, &last);
  const bool good =
      robin[0] >= 0 && robin[1] >= 0 && isfinite(robin[0] + robin[1]) && robin[0] + robin[1] > 0;
  if (last == end + 1 || *last || !good) return options_unwanted(c, option, text, wanted);
  return true;
}

bool fv_has_robin(const hymg_boundary boundary[6])
{
  for (int face = 0; face < 6; face++)
    if (boundary[face] == HYMG_ROBIN) return true;
  return false;
}

bool fv_check_boundary(const command_line *c, const hymg_boundary boundary[6])
{
  static const char *const robin[] = {"robin", NULL};
  for (int axis = 0; axis < 3; axis++)
    if ((boundary[2 * axis] == HYMG_PERIODIC) != (boundary[2 * axis + 1] == HYMG_PERIODIC))
      return options_refuse(c, "--boundary: axis %c is periodic on one wall only", "xyz"[axis]);
  return fv_has_robin(boundary) || options_idle(c, robin, " without --boundary robin");
}

bool options_read_file(const command_line *c, const char *option, const char *text, void *target)
{
  *(const char **)target = text;
  return *text || options_refuse(c, "%s: the file name is empty", option);
}

/* ---- the solver's options ---- */

/* The library's key. */
static const char *solver_key(const char *name)
{
  if (strcmp(name, "solver") == 0) return "method";
  return strcmp(name, "comm") == 0 ? "transport" : name;
}

bool options_read_solver(const command_line *c, const char *option, const char *text, void *target)
{
  char word[128], error[512];
  const char *const key = solver_key(option + 2);
  if (!*text || strpbrk(text, " ,\t\n"))
    return options_refuse(c, "%s '%s': needs one word", option, text);
  if (snprintf(word, sizeof word, "%s=%s", key, text) >= (int)sizeof word)
    return options_refuse(c, "%s: the value is too long", option);
  if (hymg_options_parse(target, word, error, sizeof error) == HYMG_OK) return true;
  return options_refuse(c, "%s%s", option, error + strlen(key)); /* which begins with the key */
}

void options_describe_solver(option_row *row, int count)
{
  hymg_option_info info;
  for (int r = 0; r < count; r++) {
    if (row[r].read != options_read_solver) continue;
    for (int n = 0; hymg_option_get(n, &info) && strcmp(info.key, solver_key(row[r].name)) != 0;)
      n++;
    row[r].argument = info.values;
    row[r].help = info.help;
  }
}
