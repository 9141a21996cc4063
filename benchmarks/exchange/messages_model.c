/* The messages of an F-cycle derived from the decomposition, for one box per rank and boundaries on
 * all sides. Every sweep and every residual exchanges the stencil's halo (FV2: 6 faces, one layer;
 * FV4: 6 faces and 12 edges, two layers), every interpolation all 26 neighbours of the coarse
 * level, one message per neighbour. Where the coarse level has fewer boxes, the coarse image of
 * each box goes to the owner of the merged one and comes back with its ghosts.
 *
 * Where every rank gets the coarse level whole, the images go to all in rounds: in each a rank sends what it knows to up to seven
 * others, so that it then knows eight times as many images. Nothing comes back.
 *
 * On levels with layers of neighbours' cells (hymg_level_info.halo_layers) all 26 neighbours send the layers and the
 * stencil's ghosts of f once a visit, and of x as often as half sweeps have used them up; what the last one leaves serves
 * the residual and the interpolation if it is as deep as the stencil. GPUs interpolate to layers as well. */
#include "exchange/messages.h"

#include <stdlib.h>

typedef struct shape {
  int boxes[3], n[3]; /* boxes per axis, cells of one per axis */
} shape;

static shape shape_of(const hymg_level_info *level)
{
  shape s;
  for (int axis = 0; axis < 3; axis++) {
    s.n[axis] = level->box[axis];
    s.boxes[axis] = level->cells[axis] / level->box[axis];
  }
  return s;
}

static void add(messages_count *sum, double times, const messages_count *c)
{
  sum->first += times * c->first;
  sum->first_bytes += times * c->first_bytes;
  sum->all += times * c->all;
  sum->all_bytes += times * c->all_bytes;
}

/* One exchange with the neighbours at faces (most_axes 1), also edges (2), also corners (3). Rank 0
 * has box 0. */
static messages_count halo_of(const shape *s, int most_axes, int depth)
{
  messages_count c = {0, 0, 0, 0};
  for (int offset = 0; offset < 27; offset++) {
    const int o[3] = {offset % 3 - 1, offset / 3 % 3 - 1, offset / 9 - 1};
    double boxes = 1, cells = 1, first = 1;
    int axes = 0;
    for (int axis = 0; axis < 3; axis++) {
      axes += o[axis] != 0;
      boxes *= o[axis] ? s->boxes[axis] - 1 : s->boxes[axis];
      cells *= o[axis] ? depth : s->n[axis];
      if (o[axis] < 0 || (o[axis] > 0 && s->boxes[axis] == 1)) first = 0;
    }
    if (axes == 0 || axes > most_axes) continue;
    const messages_count part = {first, 8 * cells * first, boxes, 8 * cells * boxes};
    add(&c, 1, &part);
  }
  return c;
}

static bool same_boxes(const shape *a, const shape *b)
{
  return a->boxes[0] == b->boxes[0] && a->boxes[1] == b->boxes[1] && a->boxes[2] == b->boxes[2];
}

static int count_boxes(const shape *s)
{
  return s->boxes[0] * s->boxes[1] * s->boxes[2];
}

/* Images of all boxes go to the owners of the merged ones; a merged box belongs to the owner of its
 * first child, and rank 0 owns the first. */
static messages_count gather_of(const shape *fine, const shape *coarse)
{
  messages_count c = {0, 0, 0, 0};
  if (same_boxes(fine, coarse)) return c;
  c.all = count_boxes(fine) - count_boxes(coarse);
  c.all_bytes = c.all * fine->n[0] * fine->n[1] * fine->n[2]; /* 8 bytes, an eighth of the cells */
  return c;
}

/* Is one box held by several ranks? */
static bool is_whole(const hymg_level_info *level)
{
  return level->boxes == 1 && level->ranks > 1;
}

/* Rank by rank all images but the own one arrive once, in as many messages. */
static messages_count all_gather_of(const shape *fine)
{
  const double ranks = count_boxes(fine),
               bytes = (ranks - 1) * fine->n[0] * fine->n[1] * fine->n[2];
  int messages = 0;
  for (int64_t known = 1; known < ranks; known *= 8)
    for (int64_t away = known; away < ranks && away < 8 * known; away += known)
      messages++;
  return (messages_count){messages, bytes, messages * ranks, bytes * ranks};
}

/* Cells of fine box f's image, with `depth` ghosts, that lie in coarse box b or its boundary
 * ghosts. */
static double overlap(const shape *fine, const shape *coarse, const int f[3], const int b[3],
                      int depth)
{
  double cells = 1;
  for (int axis = 0; axis < 3; axis++) {
    const int half = fine->n[axis] / 2, n = coarse->n[axis];
    const int low = f[axis] * half - depth, high = (f[axis] + 1) * half + depth;
    const int from = b[axis] == 0 ? -depth : b[axis] * n;
    const int to = (b[axis] + 1) * n + (b[axis] == coarse->boxes[axis] - 1 ? depth : 0);
    const int a = low > from ? low : from, z = high < to ? high : to;
    cells *= z > a ? z - a : 0;
  }
  return cells;
}

static void box_of(const shape *s, int index, int box[3])
{
  box[0] = index % s->boxes[0];
  box[1] = index / s->boxes[0] % s->boxes[1];
  box[2] = index / s->boxes[0] / s->boxes[1];
}

static messages_count scatter_of(const shape *fine, const shape *coarse, int depth)
{
  messages_count c = {0, 0, 0, 0};
  if (same_boxes(fine, coarse)) return c;
  for (int i = 0; i < count_boxes(coarse); i++)
    for (int j = 0; j < count_boxes(fine); j++) {
      int b[3], f[3];
      box_of(coarse, i, b);
      box_of(fine, j, f);
      bool own = true; /* the same rank holds both */
      for (int axis = 0; axis < 3; axis++)
        own = own && f[axis] == b[axis] * (fine->boxes[axis] / coarse->boxes[axis]);
      const double cells = overlap(fine, coarse, f, b, depth);
      if (own || cells == 0) continue;
      const messages_count part = {i == 0, i == 0 ? 8 * cells : 0, 1, 8 * cells};
      add(&c, 1, &part);
    }
  return c;
}

/* One exchange of so many layers with all boxes that hold some of them; a box may be less wide than they are deep. */
static messages_count layers_of(const shape *s, int depth)
{
  messages_count c = {0, 0, 0, 0};
  int most = 0; /* boxes that layers reach */
  for (int axis = 0; axis < 3; axis++)
    most = (depth - 1) / s->n[axis] + 1 > most ? (depth - 1) / s->n[axis] + 1 : most;
  for (int x = -most; x <= most; x++)
    for (int y = -most; y <= most; y++)
      for (int z = -most; z <= most; z++) {
        const int o[3] = {x, y, z};
        double boxes = 1, cells = 1, first = x || y || z;
        for (int axis = 0; axis < 3; axis++) {
          const int away = abs(o[axis]), n = s->n[axis], deep = depth - (away - 1) * n;
          boxes *= s->boxes[axis] > away ? s->boxes[axis] - away : 0;
          cells *= away == 0 || deep > n ? n : deep > 0 ? deep : 0;
          if (o[axis] < 0 || away >= s->boxes[axis]) first = 0;
        }
        if (cells == 0 || (!x && !y && !z)) continue;
        const messages_count part = {first, 8 * cells * first, boxes, 8 * cells * boxes};
        add(&c, 1, &part);
      }
  return c;
}

/* Half sweeps on a level with layers: so many in a call, of which `step` are done at once and each uses up `reach` layers. */
typedef struct calls {
  int sweeps, step, layers, halo, reach;
  bool gpu;
} calls;

/* GPUs do a red and a black one at once, each of which uses up a layer. */
static calls calls_on(const hymg_level_info *level, int sweeps, int halo)
{
  const bool gpu = level->backend == HYMG_BACKEND_CUDA;
  return (calls){sweeps, gpu ? 2 : 1, level->halo_layers, halo, gpu ? 1 : halo, gpu};
}

/* A call that begins with so many layers of x, or none, and a use of the stencil's ghosts: how often layers are exchanged,
 * and what is left of them. Hosts compute no more of them than are read. */
static int exchanges_of(const calls *c, int *known)
{
  int count = 0;
  const int fresh = c->layers + c->reach;
  if (*known > fresh) *known = fresh;
  for (int done = c->step; done <= c->sweeps; done += c->step) {
    const int read = c->step * c->reach, wanted = c->halo * (c->sweeps - done + 1);
    if (*known < read) count++, *known = fresh;
    *known = c->gpu || *known - read < wanted ? *known - read : wanted;
  }
  return count;
}

/* Layers of x that an interpolation leaves, of GPUs, which do it in fours of them: all where this GPU has the coarse level whole,
 * else where it knows that one's layers, of which so many are left. */
static int interpolated(const calls *c, bool whole, int left, int before)
{
  enum { REACH = 2, SLOTS = 4 };
  const int around = whole            ? c->layers
                     : left < c->halo ? 0
                                      : 2 * (left - REACH),
            layers = (around < c->layers ? around : c->layers) / SLOTS * SLOTS;
  if (!c->gpu || layers <= 0) return 0;
  return (before < layers ? before : layers) - (c->halo - c->reach);
}

enum { MOST_VISITS = 40 };

/* Exchanges of x and f in the visits of level l in an F-cycle: the first begins with what was interpolated, the others with x = 0.
 * left: layers of x after each of the l + 1 visits. */
static double layer_exchanges(const hymg_level_info *levels, int num_levels, int l, int sweeps,
                              int halo, int left[MOST_VISITS])
{
  const calls c = calls_on(levels + l, sweeps, halo);
  int below[MOST_VISITS] = {0};
  double count = 0;
  for (int visit = 0; visit <= l; visit++)
    left[visit] = 0;
  if (!c.layers) return 0;
  const bool last = l + 1 == num_levels, whole = !last && is_whole(levels + l + 1) &&
                                                 levels[l + 1].backend == levels[l].backend;
  if (!last && levels[l + 1].ranks > 1)
    layer_exchanges(levels, num_levels, l + 1, sweeps, halo, below);
  for (int visit = 0; visit <= l; visit++) {
    const int all = c.layers + c.halo;
    int known = visit == 0 ? interpolated(&c, whole, below[0], all) : all;
    count += 1 + exchanges_of(&c, &known);
    if (known < c.halo) count++, known = c.layers + c.reach;
    known = interpolated(&c, whole, below[visit + 1], known);
    count += exchanges_of(&c, &known);
    left[visit] = known;
  }
  return count;
}

bool messages_model(const hymg_level_info *levels, int num_levels, int l, int sweeps, int halo,
                    messages_count *expected)
{
  const shape fine = shape_of(levels + l);
  messages_count sum = {0, 0, 0, 0};
  *expected = sum;
  if (is_whole(levels + l)) return true;
  if (levels[l].boxes != levels[l].ranks) return false;
  if (l + 1 == num_levels || levels[l].ranks == 1) return true;
  const shape coarse = shape_of(levels + l + 1);
  /* V-cycles start on levels l, l - 1, ... 0; each smooths twice here and restricts one residual */
  const double visits = l + 1, exchanges = visits * (2 * sweeps + 1) + (l == 0);
  const bool all = is_whole(levels + l + 1);
  const messages_count none = {0, 0, 0, 0}, stencil = halo_of(&fine, halo, halo),
                       full = halo_of(&coarse, 3, halo),
                       up = all ? all_gather_of(&fine) : gather_of(&fine, &coarse),
                       down = all ? none : scatter_of(&fine, &coarse, halo);
  const int layers = levels[l].halo_layers;
  const messages_count deep = layers_of(&fine, layers + halo);
  int left[MOST_VISITS];
  if (layers)
    add(&sum, layer_exchanges(levels, num_levels, l, sweeps, halo, left), &deep);
  else
    add(&sum, exchanges, &stencil);
  if (layers && l == 0) { /* the residual after the cycle */
    const bool gpu = calls_on(levels, sweeps, halo).gpu;
    add(&sum, !gpu || left[0] < halo, gpu ? &deep : &stencil);
  }
  layer_exchanges(levels, num_levels, l + 1, sweeps, halo, left);
  /* corrections, and the start of the V-cycle from here */
  for (int visit = 0; visit <= l + 1; visit++)
    if (left[visit] < halo) add(&sum, 1, &full);
  add(&sum, visits + 1, &up); /* residuals, and f */
  add(&sum, visits + 1, &down);
  *expected = sum;
  return true;
}
