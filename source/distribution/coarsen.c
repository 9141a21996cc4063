/* The number of boxes: the default for the finest level, and when coarser levels keep, merge or
 * gather their boxes. On a level that is distributed and coarsened again boxes have even sides,
 * so that the coarse image of a box consists of whole cells. */
#include "distribution/decomposition.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A box wider than NARROW is halved rather than merged. A level with fewer cells than MANY_CELLS
 * may be gathered on one rank. */
enum { NARROW = 8, NARROWEST_DEFAULT = 4, MANY_CELLS = 1 << 18 };

/* ---- default boxes ---- */

/* The allowed numbers of boxes along an axis of n cells, ascending; the list has room for all
 * divisors of an int. */
enum { MAX_DIVISORS = 1600 };

static int allowed_counts(const int n[3], int axis, int limit, int *list)
{
  const bool coarsens = n[0] % 2 == 0 && n[1] % 2 == 0 && n[2] % 2 == 0;
  int count = 0;
  list[count++] = 1;
  for (int b = 2; b <= n[axis] / NARROWEST_DEFAULT && b <= limit; b++)
    if (n[axis] % b == 0 && (!coarsens || n[axis] / b % 2 == 0)) list[count++] = b;
  return count;
}

typedef struct shape {
  int boxes[3];
  int64_t off;    /* |boxes - ranks| */
  int64_t count;  /* boxes */
  int odd;        /* cut axes with an odd side */
  double surface; /* of a box */
} shape;

static shape measure(const int n[3], int64_t ranks, int bx, int by, int bz)
{
  shape s = {.boxes = {bx, by, bz}, .count = (int64_t)bx * by * bz};
  double m[3];
  s.off = s.count > ranks ? s.count - ranks : ranks - s.count;
  for (int a = 0; a < 3; a++) {
    s.odd += s.boxes[a] > 1 && n[a] / s.boxes[a] % 2 != 0;
    m[a] = n[a] / s.boxes[a];
  }
  s.surface = m[0] * m[1] + m[1] * m[2] + m[2] * m[0];
  return s;
}

static bool better(const shape *s, const shape *than)
{
  if (s->off != than->off) return s->off < than->off;
  if (s->count != than->count) return s->count > than->count;
  if (s->odd != than->odd) return s->odd < than->odd;
  return s->surface < than->surface;
}

void hymgi_decomp_default_boxes(const int n[3], int ranks, int boxes[3])
{
  int list[3][MAX_DIVISORS], count[3];
  const int limit = ranks < INT_MAX / 2 ? 2 * ranks : INT_MAX;
  for (int a = 0; a < 3; a++)
    count[a] = allowed_counts(n, a, limit, list[a]);
  shape best = measure(n, ranks, 1, 1, 1);
  /* x and y in ascending order: among equivalent shapes the one that divides z wins, because its
   * rows are longest */
  for (int i = 0; i < count[0]; i++)
    for (int j = 0; j < count[1]; j++) {
      const int64_t plane = (int64_t)list[0][i] * list[1][j];
      if (plane > limit) break;
      for (int k = 0; k < count[2]; k++) {
        const shape s = measure(n, ranks, list[0][i], list[1][j], list[2][k]);
        if (better(&s, &best)) best = s;
        if (s.count > ranks) break; /* the next ones are farther off */
      }
    }
  memcpy(boxes, best.boxes, sizeof best.boxes);
}

/* ---- default boxes of unlike sizes ---- */

/* Is nothing gained by halving these sides but where they are even? */
static bool halves_well(const int n[3])
{
  int m[3] = {n[0], n[1], n[2]};
  while (m[0] % 2 == 0 && m[1] % 2 == 0 && m[2] % 2 == 0)
    for (int a = 0; a < 3; a++)
      m[a] /= 2;
  return (double)m[0] * m[1] * m[2] <= HYMGI_COARSEST_CELLS;
}

/* The time of the rank with the largest box, in cells: a cell next to another box costs as much as so many others. */
#define COST_OF_A_FACE 4
#define WORTH_IT       0.9

static double cost(const int n[3], const int boxes[3])
{
  double m[3], faces = 0;
  for (int a = 0; a < 3; a++)
    m[a] = 2 * ceil(n[a] / 2.0 / boxes[a]);
  const double cells = m[0] * m[1] * m[2];
  for (int a = 0; a < 3; a++)
    faces += boxes[a] > 1 ? cells / m[a] : 0;
  return cells + COST_OF_A_FACE * faces;
}

bool hymgi_decomp_unlike_boxes(const int n[3], int ranks, int boxes[3])
{
  const int64_t equal = (int64_t)boxes[0] * boxes[1] * boxes[2];
  if (ranks == 1 || halves_well(n)) return false;
  double least = WORTH_IT * cost(n, boxes) * (double)((equal + ranks - 1) / ranks);
  bool found = false;
  int b[3];
  for (b[0] = 1; b[0] <= ranks && b[0] * NARROWEST_DEFAULT <= n[0]; b[0]++)
    for (b[1] = 1; b[0] * b[1] <= ranks && b[1] * NARROWEST_DEFAULT <= n[1]; b[1]++) {
      const int most = n[2] / NARROWEST_DEFAULT, rest = ranks / (b[0] * b[1]);
      b[2] = rest < most ? rest : most;
      if (b[2] < 1 || !(cost(n, b) < least)) continue;
      least = cost(n, b), found = true;
      memcpy(boxes, b, sizeof b);
    }
  return found;
}

/* ---- coarser levels ---- */

typedef struct axis_choice {
  bool cut;  /* several boxes */
  bool wide; /* halving leaves a box of a good size */
  bool keep; /* boxes can stay, half as wide */
  bool pair; /* two boxes can become one, as wide as before */
} axis_choice;

static axis_choice choices(const hymgi_decomp *finer, int axis, int min_box)
{
  const int *n = finer->n, b = finer->boxes[axis], m = n[axis] / b;
  /* the next level is the coarsest */
  const bool last = n[0] / 2 % 2 || n[1] / 2 % 2 || n[2] / 2 % 2;
  axis_choice c = {.cut = b > 1, .wide = m > NARROW};
  c.keep = b == 1 || (m % 2 == 0 && m / 2 >= min_box && (last || m / 2 % 2 == 0));
  c.pair = b == 1 || (b % 2 == 0 && (b == 2 || m >= min_box));
  return c;
}

/* A rank that gathers a level gets a message from each owner of a box, and sends one back: at most so many at once, and so
 * many boxes along an axis if there are more. Where such numbers do not divide the boxes all become one at once, if they are
 * no more than MOST_AT_ONCE. */
enum { MOST_PEERS = 64, MOST_ALONG = 4, MOST_AT_ONCE = 512 };

/* How many boxes along an axis become one on the way to a single box. */
static int gathered(const hymgi_decomp *finer, int axis, int min_box, bool whole)
{
  const int *b = finer->boxes, n = finer->n[axis] / 2;
  if (whole || (int64_t)b[0] * b[1] * b[2] <= MOST_PEERS) return b[axis];
  for (int merge = MOST_ALONG; merge > 1 && b[axis] > MOST_ALONG; merge--) {
    const int side = n / (b[axis] / merge);
    if (b[axis] % merge == 0 && side % 2 == 0 && side >= min_box) return merge;
  }
  return b[axis];
}

/* Keep the boxes while they are wide, else merge 2 x 2 x 2, else gather; a level that is too
 * large for one rank chooses for each axis separately first. */
static void choose_merge(const hymgi_decomp *finer, int min_box, const hymgi_gathering *gather,
                         int merge[3])
{
  bool keep = true, wide = true, pair = true, either = true;
  int mixed[3];
  double cells = 1;
  for (int a = 0; a < 3; a++) {
    const axis_choice c = choices(finer, a, min_box);
    keep = keep && c.keep;
    wide = wide && (c.wide || !c.cut);
    pair = pair && c.pair;
    either = either && (c.keep || c.pair);
    mixed[a] = c.keep ? 1 : 2;
    cells *= finer->n[a] / 2;
  }
  for (int a = 0; a < 3; a++) {
    const int all = gathered(finer, a, min_box, cells < (double)gather->whole);
    if (cells < (double)gather->below)
      merge[a] = all;
    else if (keep && wide)
      merge[a] = 1;
    else if (pair)
      merge[a] = finer->boxes[a] > 1 ? 2 : 1;
    else
      merge[a] = either && cells > MANY_CELLS ? mixed[a] : all;
  }
}

/* How many boxes along each axis of a level that is gathered become one: all, or MOST_PEERS of them. */
static void choose_groups(const int boxes[3], bool at_once, int merge[3])
{
  const bool all = at_once || (int64_t)boxes[0] * boxes[1] * boxes[2] <= MOST_PEERS;
  for (int a = 0; a < 3; a++)
    merge[a] = all ? boxes[a] : 1;
  for (int peers = 1; !all && peers < MOST_PEERS; peers *= 2) {
    int most = 0;
    for (int a = 1; a < 3; a++)
      if ((int64_t)boxes[a] * merge[most] > (int64_t)boxes[most] * merge[a]) most = a;
    merge[most] *= 2;
  }
}

/* The boxes along one axis, of at least so many cells: cuts at the images of every so many finer ones, moved to even
 * cells. */
static bool coarsen_axis(const hymgi_decomp *finer, int axis, bool halved, int merge, int least,
                         hymgi_decomp *d)
{
  const int most = finer->boxes[axis], n = d->n[axis];
  int *cut = d->cut[axis] = malloc(((size_t)most + 1) * sizeof *cut);
  int *origin = d->origin[axis] = malloc((size_t)most * sizeof *origin);
  if (!cut || !origin) return false;
  int count = 0;
  for (int i = 0; i < most; i += merge) {
    const int low = hymgi_decomp_low(finer, axis, i), image = halved ? low / 2 : low;
    const int even = image + image % 2;
    d->same = d->same && even == image;
    if (count > 0 && (even > n - least || even < cut[count - 1] + least)) continue;
    origin[count] = i;
    cut[count++] = even;
  }
  d->same = d->same && count == most;
  cut[count] = n;
  d->boxes[axis] = count;
  return true;
}

/* All axes are halved; groups of equal numbers of boxes and the rest of them become one, so that boxes are unequal from
 * here on. */
static bool coarsen_into_groups(const hymgi_decomp *finer, int min_box, bool at_once,
                                hymgi_decomp *d)
{
  bool made = true;
  choose_groups(finer->boxes, at_once, d->merge);
  for (int a = 0; a < 3; a++)
    made = made && coarsen_axis(finer, a, true, d->merge[a], min_box, d);
  return made;
}

/* Would each rank get its own copy if it is one box? */
static bool is_small(const hymgi_decomp *d, const hymgi_gathering *gather)
{
  return (double)d->n[0] * d->n[1] * d->n[2] < (double)gather->whole;
}

static bool is_whole(const hymgi_decomp *d, const hymgi_gathering *gather)
{
  const bool one = d->boxes[0] == 1 && d->boxes[1] == 1 && d->boxes[2] == 1;
  return d->finer->whole || (one && !d->same && is_small(d, gather));
}

hymg_status hymgi_decomp_coarsen(hymg_context *context, const hymgi_decomp *finer, int min_box,
                                 const hymgi_gathering *gather, hymgi_decomp **coarse)
{
  for (int a = 0; a < 3; a++)
    if (finer->n[a] % 2 != 0)
      return hymgi_fail(context, HYMG_EINVAL,
                        "a level of %d x %d x %d cells cannot be coarsened: odd", finer->n[0],
                        finer->n[1], finer->n[2]);
  hymgi_decomp *d = calloc(1, sizeof *d);
  if (!d) return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a decomposition");
  d->finer = finer;
  d->ranks = finer->ranks;
  choose_merge(finer, min_box, gather, d->merge);
  for (int a = 0; a < 3; a++) {
    d->n[a] = finer->n[a] / 2;
    d->boxes[a] = finer->boxes[a] / d->merge[a];
  }
  d->same = d->merge[0] == 1 && d->merge[1] == 1 && d->merge[2] == 1;
  const bool many = (int64_t)d->merge[0] * d->merge[1] * d->merge[2] > MOST_AT_ONCE,
             at_once = is_small(d, gather);
  if ((finer->cut[0] || (many && !at_once)) && !coarsen_into_groups(finer, min_box, at_once, d))
    hymgi_decomp_destroy(&d);
  if (d) d->whole = is_whole(d, gather);
  *coarse = d;
  return d ? HYMG_OK : hymgi_fail(context, HYMG_ENOMEM, "out of memory for a decomposition");
}

hymg_status hymgi_decomp_coarsen_axes(hymg_context *context, const hymgi_decomp *finer,
                                      unsigned axes, const hymgi_gathering *gather,
                                      hymgi_decomp **coarse)
{
  hymgi_decomp *d = calloc(1, sizeof *d);
  if (!d) return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a decomposition");
  d->finer = finer;
  d->ranks = finer->ranks;
  d->same = true;
  bool made = true;
  int merge[3] = {1, 1, 1};
  double cells = 1;
  for (int a = 0; a < 3; a++) {
    d->n[a] = axes >> a & 1 ? finer->n[a] / 2 + finer->n[a] % 2 : finer->n[a];
    cells *= d->n[a];
  }
  if (cells < (double)gather->below)
    choose_groups(finer->boxes, gather->below == INT64_MAX || cells < (double)gather->whole, merge);
  for (int a = 0; a < 3 && made; a++) {
    d->merge[a] = finer->boxes[a];
    d->boxes[a] = 1;
    if (gather->uncut >> a & 1) merge[a] = finer->boxes[a];
    if (merge[a] < finer->boxes[a])
      made = coarsen_axis(finer, a, axes >> a & 1, merge[a], 1, d);
    else
      d->same = d->same && finer->boxes[a] == 1;
  }
  if (made) d->whole = is_whole(d, gather);
  if (!made) hymgi_decomp_destroy(&d);
  *coarse = d;
  return made ? HYMG_OK : hymgi_fail(context, HYMG_ENOMEM, "out of memory for a decomposition");
}
