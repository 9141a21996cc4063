/* Smoother calls of the robust path as z wavefronts, with what comes before and after them. */
#include "cpu/robust.h"
#include "cpu/sweep/wavefront.h"

/* Restriction reads four planes of the residual, while a fifth one is written. SIDE_BESIDE: the cells per side
 * (cube root) of a box from which on beside other ranks fewer passes over memory pay for the cells that are
 * done afterwards (docs/tuning-log.md). */
enum { TILE_ROWS = 128, RING = 8, SIDE_BESIDE = 64 };

/* Stages of a smoother call with what comes before and after it. */
static int robust_stages(const hymgi_level *level)
{
  return hymgi_sweeps(level) + 3;
}

/* Beside other ranks: rows of one colour, and at most half of the cells along an axis for afterwards. */
static bool fuses_beside(const hymgi_level *level)
{
  const hymgi_geom *g = level->box;
  const int wanted = level->tuning.wave_from;
  const double from = wanted < SIDE_BESIDE ? wanted : SIDE_BESIDE;
  if (from == 0 || (double)g->n[0] * g->n[1] * g->n[2] < from * from * from) return false;
  unsigned self, cut;
  hymgi_cpu_wave_neighbours(level, &self, &cut);
  if (self || cut & 3 || !g->split || hymgi_sweeps(level) < 2) return false;
  for (int axis = 1; axis < 3; axis++)
    if (2 * hymgi_cpu_cut_layers(g, cut, axis, hymgi_sweeps(level) + 1) > g->n[axis]) return false;
  return hymgi_keeps_colours_apart(level);
}

bool hymgi_cpu_robust_fuses(const hymgi_level *level)
{
  if (level->num_boxes != 1 || level->method->smoother != HYMG_GSRB || level->wide) return false;
  if (hymgi_operator_halo(level) && !fuses_beside(level)) return false;
  const int threads = hymgi_cpu_most_threads(level), ny = level->box[0].n[1];
  const int last = ny - (hymgi_tiles_of(ny, TILE_ROWS < ny ? TILE_ROWS : ny) - 1) * TILE_ROWS;
  const int tile = last < TILE_ROWS ? last : TILE_ROWS;
  return hymgi_sweeps(level) <= MAX_STAGES &&
         (threads == 1 || tile / threads >= (robust_stages(level) + 1) / 2 + EXTRAPOLATION_REACH);
}

static wave robust_wave(hymgi_level *level, barrier *all)
{
  hymgi_real *now[2] = {level->x, level->x}, *next[2] = {level->y, level->y};
  hymgi_cpu_watch(level->context);
  wave w = {.barrier = all,
            .level = level,
            .g = level->box,
            .stages = hymgi_sweeps(level),
            .lag = 1,
            .lean = 1,
            .tile_rows = TILE_ROWS,
            .gsrb = true,
            .robust = true};
  hymgi_cpu_wave_neighbours(level, &w.self, &w.cut);
  hymgi_cpu_wave_stages(&w, 0, now, next);
  return w;
}

static void run(wave *w)
{
  if (w->cut)
    hymgi_cpu_wave_run_cut(w, (host_iterate){w->level->x, 0});
  else
    hymgi_cpu_wave_run(w);
}

bool hymgi_cpu_robust_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_after after,
                                      hymgi_real *coarse)
{
  if (!hymgi_cpu_robust_fuses(level)) return false;
  barrier all = {0};
  wave w = robust_wave(level, &all);
  const bool from_f = from_zero && level->box->split && hymgi_cpu_starts_from_f(level);
  if (from_f) w.stage[0].pass.kind = HOST_FIRST;
  w.before = from_zero && !from_f, w.total = w.before + w.stages + 2;
  w.coarse = coarse, w.after = after;
  w.ring = level->box->n[1] <= TILE_ROWS && !w.cut ? RING : 0;
  run(&w);
  return true;
}

/* Interpolates to what neighbours read. */
static void start_edges(const wave *w)
{
  const hymgi_level *level = w->level;
  const int nj = host_children(level, 1), nk = host_children(level, 2), *n = w->g->n;
  const int low[2] = {hymgi_cpu_left_out(w, 2, -1), hymgi_cpu_left_out(w, 4, -1)};
  const int high[2] = {n[1] - hymgi_cpu_left_out(w, 3, -1), n[2] - hymgi_cpu_left_out(w, 5, -1)};
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
  for (int k = 0; k < n[2]; k += nk)
    for (int j = 0; j < n[1]; j += nj) {
      if (j >= low[0] && j < high[0] && k >= low[1] && k < high[1]) continue;
      const int from[2] = {j, k},
                to[2] = {j + nj < n[1] ? j + nj : n[1], k + nk < n[2] ? k + nk : n[2]};
      hymgi_cpu_interpolate_weighted_rows(level, 0, from, to, 1, w->source, level->x);
    }
}

bool hymgi_cpu_robust_interpolate_smooth(hymgi_level *fine, const hymgi_real *source)
{
  if (!hymgi_cpu_robust_fuses(fine)) return false;
  barrier all = {0};
  hymgi_geom *const box = fine->box;
  fine->box = fine->exchanged;
  wave w = robust_wave(fine, &all);
  w.before = 1, w.total = 1 + w.stages;
  w.source = source;
  if (w.cut) start_edges(&w);
  run(&w);
  fine->box = box;
  return true;
}
