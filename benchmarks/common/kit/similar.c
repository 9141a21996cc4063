/* Which options a mistyped one may have meant. */
#include "common/kit/options.h"

#include <string.h>

enum { LONGEST = 32 };

static int least(int a, int b)
{
  return a < b ? a : b;
}

/* How many letters must be changed, added, left out or exchanged with their neighbour. */
static int distance(const char *a, const char *b)
{
  const int m = (int)strlen(a), n = (int)strlen(b);
  int d[LONGEST + 1][LONGEST + 1];
  if (m > LONGEST || n > LONGEST) return LONGEST;
  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= n; j++) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

static int beginning(const command_line *c, const char *name, const char *found[OPTIONS_SIMILAR])
{
  const size_t length = strlen(name);
  int count = 0;
  for (int r = 0; r < c->count && length > 0; r++) {
    if (!c->rows[r].name || strncmp(c->rows[r].name, name, length) != 0) continue;
    if (count == OPTIONS_SIMILAR) return 0; /* too many to say */
    found[count++] = c->rows[r].name;
  }
  return count;
}

int options_similar(const command_line *c, const char *name, const char *found[OPTIONS_SIMILAR])
{
  const int length = (int)strlen(name), count = beginning(c, name, found);
  int fewest = length < 6 ? 2 : length < 10 ? 3 : 4; /* from so many on it is another word */
  bool any = false;
  for (int r = 0; r < c->count && count == 0 && length > 1; r++) {
    const int changes = c->rows[r].name ? distance(name, c->rows[r].name) : LONGEST;
    if (changes >= fewest) continue;
    fewest = changes;
    found[0] = c->rows[r].name;
    any = true;
  }
  return count + any;
}
