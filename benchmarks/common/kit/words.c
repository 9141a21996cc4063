/* See words.h. */
#define _GNU_SOURCE
#include "common/kit/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fv_boundary_words[] = {"dirichlet", "periodic", "neumann", "robin", NULL};
const char *const fv_smoother_words[] = {"gsrb", "chebyshev", "jacobi", "l1jacobi", "symgs", NULL};
const char *const fv_backend_words[] = {"auto", "host", "cuda", NULL};
const char *const fv_tuning_words[] = {"measure", "estimate", NULL};

fv_boundary_text fv_boundary_string(const hymg_boundary boundary[6])
{
  fv_boundary_text out = {""};
  bool same = true;
  for (int face = 1; face < 6; face++)
    same = same && boundary[face] == boundary[0];
  for (int face = 0; face < (same ? 1 : 6); face++) {
    if (face > 0) strcat(out.text, ",");
    strcat(out.text, fv_boundary_words[boundary[face]]);
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
  for (int kind = 0; fv_boundary_words[kind]; kind++)
    if (word[0] == fv_boundary_words[kind][0] && !word[1]) return kind;
  return options_word(c, option, word, fv_boundary_words);
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
