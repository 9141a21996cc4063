/* Sides are bisected into patches. Between patches that are far apart, potentials and charges are those at Chebyshev nodes of
 * both; next to each other it is faces on faces. docs/numerics.md has the error and the cost. */
#include "multigrid/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "multigrid/boundary_data.h"

enum {
  ORDER = 6,
  NODES = ORDER * ORDER,
  LEAF = 8,
  FACES = LEAF * LEAF,
  DEPTH = 6,
  GROUPS = 6 << DEPTH
};
#define CLOSE   2.1  /* longer sides of a face, within which its mean is the integral */
#define ROUNDED 0.99 /* a gap as wide as a patch, but for rounding, is enough */
#define PI      3.14159265358979323846

typedef struct patch {
  int face, low[2], high[2]; /* of faces, along the side's axes */
  int child[2];              /* 0: none */
  double from[3], to[3];
  double node[2][ORDER];
  double charge[NODES], potential[NODES];
} patch;

typedef struct tree {
  const hymgi_surface *s;
  patch *patch; /* NULL: they are only counted */
  int count, root[6];
} tree;

/* ---- patches ---- */

/* The axis along which a patch is cut: the longer one of those with more than LEAF faces; -1: none. */
static int cut_of(const hymgi_surface *s, const int axis[2], const int low[2], const int high[2])
{
  int best = -1;
  double longest = 0;
  for (int t = 0; t < 2; t++) {
    const double length = s->edge[axis[t]][high[t]] - s->edge[axis[t]][low[t]];
    if (high[t] - low[t] > LEAF && length > longest) longest = length, best = t;
  }
  return best;
}

static void place(const hymgi_surface *s, const int axis[2], patch *p)
{
  const int normal = p->face / 2;
  p->from[normal] = p->to[normal] = s->edge[normal][p->face & 1 ? s->n[normal] : 0];
  for (int t = 0; t < 2; t++) {
    const double from = s->edge[axis[t]][p->low[t]], to = s->edge[axis[t]][p->high[t]];
    p->from[axis[t]] = from, p->to[axis[t]] = to;
    for (int k = 0; k < ORDER; k++)
      p->node[t][k] = 0.5 * (from + to) - 0.5 * (to - from) * cos(PI * (k + 0.5) / ORDER);
  }
}

static int build(tree *t, int face, const int low[2], const int high[2])
{
  const int me = t->count++;
  int axis[2], child[2] = {0, 0};
  hymgi_boundary_axes(face, axis, axis + 1);
  const int cut = cut_of(t->s, axis, low, high);
  for (int side = 0; cut >= 0 && side < 2; side++) {
    int from[2] = {low[0], low[1]}, to[2] = {high[0], high[1]};
    (side ? from : to)[cut] = low[cut] + (high[cut] - low[cut]) / 2;
    child[side] = build(t, face, from, to);
  }
  if (!t->patch) return me;
  patch *const p = t->patch + me;
  *p = (patch){.face = face,
               .low = {low[0], low[1]},
               .high = {high[0], high[1]},
               .child = {child[0], child[1]}};
  place(t->s, axis, p);
  return me;
}

static void build_sides(tree *t)
{
  t->count = 0;
  for (int face = 0; face < 6; face++) {
    int axis[2];
    hymgi_boundary_axes(face, axis, axis + 1);
    const int low[2] = {0, 0}, high[2] = {t->s->n[axis[0]], t->s->n[axis[1]]};
    t->root[face] = build(t, face, low, high);
  }
}

/* ---- interpolation between nodes and what is in a patch ---- */

/* Of polynomials along an axis, each 1 at its node, at up to LEAF places. */
typedef struct weights {
  int count;
  double of[LEAF][ORDER];
} weights;

static void add_basis(const double node[ORDER], double x, double factor, double value[ORDER])
{
  for (int k = 0; k < ORDER; k++) {
    double product = factor;
    for (int m = 0; m < ORDER; m++)
      if (m != k) product *= (x - node[m]) / (node[k] - node[m]);
    value[k] += product;
  }
}

/* At the nodes of a child. */
static void weigh_child(const patch *p, const patch *child, weights w[2])
{
  memset(w, 0, 2 * sizeof *w);
  for (int t = 0; t < 2; t++) {
    w[t].count = ORDER;
    for (int k = 0; k < ORDER; k++)
      add_basis(p->node[t], child->node[t][k], 1, w[t].of[k]);
  }
}

/* At the centres of faces, or the means over them of two points along each axis, which have a parabola's. */
static void weigh_faces(const hymgi_surface *s, const patch *p, bool means, weights w[2])
{
  int axis[2];
  hymgi_boundary_axes(p->face, axis, axis + 1);
  memset(w, 0, 2 * sizeof *w);
  for (int t = 0; t < 2; t++) {
    w[t].count = p->high[t] - p->low[t];
    for (int i = 0; i < w[t].count; i++) {
      const double *const edge = s->edge[axis[t]] + p->low[t] + i,
                          middle = 0.5 * (edge[0] + edge[1]),
                          off = means ? (edge[1] - edge[0]) / sqrt(12) : 0;
      add_basis(p->node[t], middle - off, 0.5, w[t].of[i]);
      add_basis(p->node[t], middle + off, 0.5, w[t].of[i]);
    }
  }
}

static void gather(const weights w[2], const double *inside, double node[NODES])
{
  for (int j = 0; j < w[1].count; j++)
    for (int i = 0; i < w[0].count; i++)
      for (int m = 0; m < NODES; m++)
        node[m] += w[0].of[i][m % ORDER] * w[1].of[j][m / ORDER] * inside[j * w[0].count + i];
}

static void spread(const weights w[2], const double node[NODES], double *inside)
{
  for (int j = 0; j < w[1].count; j++)
    for (int i = 0; i < w[0].count; i++)
      for (int m = 0; m < NODES; m++)
        inside[j * w[0].count + i] += w[0].of[i][m % ORDER] * w[1].of[j][m / ORDER] * node[m];
}

/* Of face i, j of a patch in the arrays of its side. */
static size_t face_at(const hymgi_surface *s, const patch *p, int i, int j)
{
  const int along = s->n[p->face < 2 ? 1 : 0];
  return (size_t)(p->low[1] + j) * (size_t)along + (size_t)(p->low[0] + i);
}

static void collect(const tree *t, int me)
{
  patch *const p = t->patch + me;
  weights w[2];
  for (int side = 0; p->child[0] && side < 2; side++) {
    collect(t, p->child[side]);
    weigh_child(p, t->patch + p->child[side], w);
    gather(w, t->patch[p->child[side]].charge, p->charge);
  }
  if (p->child[0]) return;
  double inside[FACES];
  weigh_faces(t->s, p, true, w);
  for (int j = 0; j < w[1].count; j++)
    for (int i = 0; i < w[0].count; i++)
      inside[j * w[0].count + i] = t->s->charge[p->face][face_at(t->s, p, i, j)];
  gather(w, inside, p->charge);
}

static void distribute(const tree *t, int me)
{
  const patch *const p = t->patch + me;
  weights w[2];
  for (int side = 0; p->child[0] && side < 2; side++) {
    weigh_child(p, t->patch + p->child[side], w);
    spread(w, p->potential, t->patch[p->child[side]].potential);
    distribute(t, p->child[side]);
  }
  if (p->child[0]) return;
  double inside[FACES] = {0};
  weigh_faces(t->s, p, false, w);
  spread(w, p->potential, inside);
  for (int j = 0; j < w[1].count; j++)
    for (int i = 0; i < w[0].count; i++)
      t->s->potential[p->face][face_at(t->s, p, i, j)] += inside[j * w[0].count + i];
}

/* ---- far apart: nodes on nodes ---- */

static bool are_apart(const patch *p, const patch *q)
{
  double size = 0, square = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double gap = fmax(p->from[axis] - q->to[axis], q->from[axis] - p->to[axis]);
    if (gap > 0) square += gap * gap;
    size = fmax(size, fmax(p->to[axis] - p->from[axis], q->to[axis] - q->from[axis]));
  }
  return square >= ROUNDED * (size * size);
}

typedef struct points {
  double x[3][NODES];
} points;

static void points_of(const patch *p, points *all)
{
  int axis[2];
  hymgi_boundary_axes(p->face, axis, axis + 1);
  for (int m = 0; m < NODES; m++) {
    all->x[p->face / 2][m] = p->from[p->face / 2];
    all->x[axis[0]][m] = p->node[0][m % ORDER];
    all->x[axis[1]][m] = p->node[1][m / ORDER];
  }
}

static void nodes_on_nodes(patch *target, const patch *source)
{
  points to, from;
  points_of(target, &to);
  points_of(source, &from);
  for (int m = 0; m < NODES; m++) {
    const double charge = source->charge[m], x = from.x[0][m], y = from.x[1][m], z = from.x[2][m];
#pragma omp simd
    for (int t = 0; t < NODES; t++) {
      const double dx = to.x[0][t] - x, dy = to.x[1][t] - y, dz = to.x[2][t] - z;
      target->potential[t] += charge / sqrt((dx * dx + dy * dy) + dz * dz);
    }
  }
}

/* ---- next to each other: faces on faces ---- */

/* The centres of a patch's faces. */
typedef struct centres {
  int count;
  double x[3][FACES], potential[FACES];
} centres;

static void centres_of(const hymgi_surface *s, const patch *p, centres *all)
{
  int axis[2];
  hymgi_boundary_axes(p->face, axis, axis + 1);
  all->count = 0;
  for (int j = p->low[1]; j < p->high[1]; j++)
    for (int i = p->low[0]; i < p->high[0]; i++, all->count++) {
      const double *const a = s->edge[axis[0]] + i, *const b = s->edge[axis[1]] + j;
      all->x[p->face / 2][all->count] = p->from[p->face / 2];
      all->x[axis[0]][all->count] = 0.5 * (a[0] + a[1]);
      all->x[axis[1]][all->count] = 0.5 * (b[0] + b[1]);
      all->potential[all->count] = 0;
    }
}

/* A face with a charge: its centre, its widths along `axis`, and the square of the distance within which it is close. */
typedef struct panel {
  int axis[2], normal;
  double x[3], width[2], charge, close;
} panel;

static panel panel_of(const hymgi_surface *s, const patch *p, int i, int j)
{
  panel q = {.normal = p->face / 2, .charge = s->charge[p->face][face_at(s, p, i, j)]};
  hymgi_boundary_axes(p->face, q.axis, q.axis + 1);
  q.x[q.normal] = p->from[q.normal];
  for (int t = 0; t < 2; t++) {
    const double *const edge = s->edge[q.axis[t]] + p->low[t] + (t ? j : i);
    q.x[q.axis[t]] = 0.5 * (edge[0] + edge[1]), q.width[t] = edge[1] - edge[0];
  }
  const double reach = CLOSE * fmax(q.width[0], q.width[1]);
  q.close = reach * reach;
  return q;
}

/* Of 1 / distance over the rectangle between the foot of the normal and (a, b). */
static double corner(double a, double b, double off)
{
  const double along_a = a == 0 ? 0 : a * asinh(b / hypot(a, off)),
               along_b = b == 0 ? 0 : b * asinh(a / hypot(b, off));
  const double angle = off == 0 ? 0 : off * atan(a * b / (off * sqrt((a * a + b * b) + off * off)));
  return (along_a + along_b) - angle;
}

static double mean_nearby(const panel *q, double a, double b, double off)
{
  const double low = a - 0.5 * q->width[0], high = a + 0.5 * q->width[0],
               below = b - 0.5 * q->width[1], above = b + 0.5 * q->width[1];
  return ((corner(high, above, off) - corner(low, above, off)) -
          (corner(high, below, off) - corner(low, below, off))) /
         (q->width[0] * q->width[1]);
}

/* Further away 1 / distance is its parabola over the face. */
static void panel_on_centres(const panel *q, centres *c)
{
  const double *const a = c->x[q->axis[0]], *const b = c->x[q->axis[1]],
                      *const off = c->x[q->normal];
  const double wide = q->width[0] * q->width[0] / 24, high = q->width[1] * q->width[1] / 24;
  double square[FACES];
  int close = 0;
#pragma omp simd reduction(+ : close)
  for (int t = 0; t < c->count; t++) {
    const double da = a[t] - q->x[q->axis[0]], db = b[t] - q->x[q->axis[1]],
                 dn = off[t] - q->x[q->normal];
    const double rr = (da * da + db * db) + dn * dn, inverse = 1 / rr;
    const double bent = wide * (3 * da * da * inverse - 1) + high * (3 * db * db * inverse - 1);
    const double far = q->charge * sqrt(inverse) * (1 + bent * inverse);
    square[t] = rr;
    c->potential[t] += rr < q->close ? 0 : far;
    close += rr < q->close;
  }
  for (int t = 0; close > 0 && t < c->count; t++)
    if (square[t] < q->close)
      c->potential[t] +=
          q->charge * mean_nearby(q, a[t] - q->x[q->axis[0]], b[t] - q->x[q->axis[1]],
                                  fabs(off[t] - q->x[q->normal]));
}

static void faces_on_faces(const hymgi_surface *s, const patch *target, const patch *source)
{
  centres c;
  centres_of(s, target, &c);
  for (int j = 0; j < source->high[1] - source->low[1]; j++)
    for (int i = 0; i < source->high[0] - source->low[0]; i++) {
      const panel q = panel_of(s, source, i, j);
      panel_on_centres(&q, &c);
    }
  const int along = target->high[0] - target->low[0];
  for (int t = 0; t < c.count; t++)
    s->potential[target->face][face_at(s, target, t % along, t / along)] += c.potential[t];
}

/* ---- all of it ---- */

static double length_of(const patch *p)
{
  double length = 0;
  for (int axis = 0; axis < 3; axis++)
    length = fmax(length, p->to[axis] - p->from[axis]);
  return length;
}

static void act(const tree *t, int target, int source)
{
  patch *const p = t->patch + target;
  const patch *const q = t->patch + source;
  if (are_apart(p, q)) {
    nodes_on_nodes(p, q);
    return;
  }
  if (!p->child[0] && !q->child[0]) {
    faces_on_faces(t->s, p, q);
    return;
  }
  const bool cut_target = p->child[0] && (!q->child[0] || length_of(p) > length_of(q));
  for (int side = 0; side < 2; side++)
    act(t, cut_target ? p->child[side] : target, cut_target ? source : q->child[side]);
}

/* Patches whose potentials are made independently: those at a depth, and leaves above it. */
static int list_groups(const tree *t, int me, int depth, int *group, int count)
{
  const patch *const p = t->patch + me;
  if (depth == 0 || !p->child[0]) {
    group[count] = me;
    return count + 1;
  }
  count = list_groups(t, p->child[0], depth - 1, group, count);
  return list_groups(t, p->child[1], depth - 1, group, count);
}

static void run(const tree *t, int part, int parts, int threads)
{
  int group[GROUPS], count = 0;
  (void)threads; /* without OpenMP */
  for (int face = 0; face < 6; face++) {
    collect(t, t->root[face]);
    count = list_groups(t, t->root[face], DEPTH, group, count);
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int m = part; m < count; m += parts) {
    for (int face = 0; face < 6; face++)
      act(t, group[m], t->root[face]);
    distribute(t, group[m]);
  }
}

bool hymgi_surface_potential(const hymgi_surface *s, int part, int parts, int threads)
{
  tree t = {.s = s};
  build_sides(&t);
  t.patch = malloc((size_t)t.count * sizeof *t.patch);
  if (!t.patch) return false;
  build_sides(&t);
  run(&t, part, parts, threads);
  free(t.patch);
  return true;
}
