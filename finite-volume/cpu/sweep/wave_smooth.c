/* Smoother calls of the standard path as z wavefronts: the stages, and where they apply. */
#include "cpu/sweep/wavefront.h"

void hymgi_cpu_wave_stages(wave *w, int first, hymgi_real *now[2], hymgi_real *next[2])
{
  hymgi_level *level = w->level;
  for (int m = 0; m < w->stages; m++) {
    stage *s = w->stage + m;
    const int c = (first + m) & 1;
    if (w->gsrb) {
      *s = (stage){{HOST_GSRB, level, level->f, now[c], now[1 - c], {.residual = 1}},
                   .out = w->fv4 ? next[c] : level->x,
                   .colour = c};
    } else {
      *s = (stage){hymgi_cpu_relaxation(level, first + m), .out = level->y};
      hymgi_swap_buffers(level);
    }
    if (w->gsrb && w->fv4) {
      hymgi_real *const old = now[c];
      now[c] = next[c], next[c] = old;
    }
    /* an iterate held in two buffers: the base is the buffer of colour 0 */
    s->g = *w->g;
    if (w->gsrb && w->g->split) s->g.half += host_distance(now[0], now[1]);
    s->after = w->gsrb ? now[0] : level->x;
  }
}

/* Does each thread have rows in every stage, and the ends of a tile the rows that extrapolations read? */
static bool has_rows(const hymgi_level *level, int stages)
{
  const int ny = level->box[0].n[1], wanted = level->tuning.wave_rows;
  const int height = wanted > 0 && wanted < ny ? wanted : ny;
  const int last = ny - (hymgi_tiles_of(ny, height) - 1) * height;
  const int tile = last < height ? last : height, lean = level->op->stencil == HYMG_FV4 ? 3 : 1;
  if (height != ny && height % 2) return false;  /* restriction combines pairs of rows */
  const int left = height - lean * (stages - 2); /* of the first tile, for the last sweep */
  if (height != ny && left <= EXTRAPOLATION_REACH) return false;
  return tile / hymgi_cpu_most_threads(level) >= lean * stages / 2 + EXTRAPOLATION_REACH;
}

void hymgi_cpu_wave_neighbours(const hymgi_level *level, unsigned *self, unsigned *cut)
{
  const hymgi_geom *g = level->box;
  const bool in_place = level->op->stencil == HYMG_FV2 && level->method->smoother == HYMG_GSRB;
  *self = *cut = 0;
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    const bool itself = level->periodic >> axis & 1 && g->n[axis] == level->n[axis];
    if (itself && (in_place || axis < 2))
      *self |= 1u << axis;
    else if (!(g->boundaries >> face & 1) &&
             (in_place ? hymgi_sends(level) : hymgi_operator_halo(level) != NULL))
      *cut |= 1u << face;
  }
}

/* gsrb beside neighbours: all that a cell of FV2 reads is of the other colour, and half sweeps of FV4 know
 * which colour a ghost has. */
bool hymgi_cpu_wave_possible(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  if (level->num_boxes != 1 || m->smoother == HYMG_SYMGS || level->wide) return false;
  return !hymgi_operator_halo(level) || m->smoother != HYMG_GSRB ||
         hymgi_keeps_colours_apart(level);
}

/* Along an axis on which the box is its own neighbour: one tile alone along y; along z stages must
 * not come round to each other. */
static bool periods_allow(const hymgi_level *level)
{
  const hymgi_tuning *t = &level->tuning;
  const int *n = level->box[0].n;
  unsigned self, cut;
  hymgi_cpu_wave_neighbours(level, &self, &cut);
  if (self & 2 && t->wave_rows > 0 && t->wave_rows < n[1]) return false;
  return !(self & 4) || n[2] > t->wave_stages + 4;
}

/* Is there a cell that the last stage does not leave out? */
static bool leaves_cells(const hymgi_level *level, int stages)
{
  const hymgi_geom *g = level->box;
  unsigned self, cut;
  hymgi_cpu_wave_neighbours(level, &self, &cut);
  for (int axis = 0; axis < 3; axis++) {
    const int n = axis == 0 ? host_slots(g) : g->n[axis];
    if (hymgi_cpu_cut_layers(g, cut, axis, stages - 1) >= n) return false;
  }
  return true;
}

/* One thread alone gains with FV2 from boxes of this side on; more wait for each other. */
enum { SIDE_ALONE = 64 };

static double smallest_side(const hymgi_level *level)
{
  const int from = level->tuning.wave_from;
  const bool alone = level->op->stencil == HYMG_FV2 && hymgi_cpu_most_threads(level) == 1;
  return alone && from > SIDE_ALONE ? SIDE_ALONE : from;
}

bool hymgi_cpu_wave_applies(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  const hymgi_tuning *t = &level->tuning;
  if (t->wave_from == 0 || !hymgi_cpu_wave_possible(level) || !periods_allow(level)) return false;
  const hymgi_geom *g = level->box;
  if (m->smoother == HYMG_GSRB && !g->split) return false;
  const double from = smallest_side(level);
  if ((double)g->n[0] * g->n[1] * g->n[2] < from * from * from) return false;
  return g->n[2] >= 2 * EXTRAPOLATION_REACH && t->wave_stages >= 1 &&
         t->wave_stages <= MAX_STAGES && has_rows(level, t->wave_stages + 1) &&
         leaves_cells(level, t->wave_stages);
}

/* If the level has the coarse level's boxes: else the interpolated values may be where restriction
 * writes. */
bool hymgi_cpu_interpolate_later(hymgi_level *fine, const hymgi_interpolation *what)
{
  if (!fine->direct || !hymgi_cpu_wave_applies(fine) || hymgi_cpu_wave_cut(fine)) return false;
  if (!has_rows(fine, fine->tuning.wave_stages + 2)) return false;
  fine->start = *what;
  return true;
}

static wave standard_wave(hymgi_level *level, barrier *all)
{
  const hymgi_method *m = level->method;
  const bool fv4 = level->op->stencil == HYMG_FV4, gsrb = m->smoother == HYMG_GSRB;
  return (wave){.barrier = all,
                .level = level,
                .g = level->box,
                .lag = fv4    ? 3
                       : gsrb ? 1
                              : 2,
                .lean = fv4 ? 3 : 1,
                .tile_rows = level->tuning.wave_rows,
                .fv4 = fv4,
                .gsrb = gsrb};
}

bool hymgi_cpu_wave_smooth(hymgi_level *level, bool from_f, hymgi_real *coarse, double *max)
{
  hymgi_cpu_watch(level->context);
  if (!hymgi_cpu_wave_applies(level)) return false;
  const int sweeps = hymgi_sweeps(level), group = level->tuning.wave_stages;
  barrier all = {0};
  wave w = standard_wave(level, &all);
  hymgi_cpu_wave_neighbours(level, &w.self, &w.cut);
  const unsigned whole = level->uneven ? 63 : 3; /* faces beside which coarse rows would be parts */
  if (coarse && w.cut & whole) return false;
  hymgi_real *now[2] = {level->x, level->x}, *next[2] = {level->y, level->y};
  w.start = level->start, w.x = level->x;
  level->start.source = NULL;
  if (w.fv4 && !w.start.source && !w.cut) hymgi_cpu_update_ghosts(level, level->x);
  for (int first = 0; first < sweeps; first += group) {
    w.stages = sweeps - first < group ? sweeps - first : group;
    const host_iterate start = {w.gsrb ? now[0] : level->x,
                                w.gsrb && w.g->split ? host_distance(now[0], now[1]) : 0};
    hymgi_cpu_wave_stages(&w, first, now, next);
    if (from_f && first == 0) w.stage[0].pass.kind = HOST_FIRST;
    if (first + w.stages == sweeps) {
      if (w.gsrb && w.fv4)
        level->x = now[0], level->y = next[0]; /* both colours were swapped equally often */
      w.coarse = coarse, w.norm = max != NULL;
    }
    w.before = w.start.source != NULL;
    w.total = w.before + w.stages + (w.coarse || w.norm);
    if (w.cut)
      hymgi_cpu_wave_run_cut(&w, start);
    else
      hymgi_cpu_wave_run(&w);
    w.start.source = NULL;
  }
  if (max) *max = w.max;
  return true;
}
