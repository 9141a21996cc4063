/* Smoother calls of the robust path as z wavefronts, with what comes before and after them. */
#include "cpu/robust.h"
#include "cpu/sweep/wavefront.h"

/* Restriction reads four planes of the residual, while a fifth one is written. */
enum { TILE_ROWS = 128, RING = 8 };

/* Stages of a smoother call with what comes before and after it. */
static int robust_stages(const hymgi_level *level)
{
  return hymgi_sweeps(level) + 3;
}

static bool can_fuse(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  if (level->num_boxes != 1 || hymgi_operator_halo(level) || m->smoother != HYMG_GSRB) return false;
  const int threads = hymgi_cpu_threads(level), ny = level->box[0].n[1];
  const int last = ny - (hymgi_tiles_of(ny, TILE_ROWS < ny ? TILE_ROWS : ny) - 1) * TILE_ROWS;
  const int tile = last < TILE_ROWS ? last : TILE_ROWS;
  return hymgi_sweeps(level) <= MAX_STAGES &&
         (threads == 1 || tile / threads >= (robust_stages(level) + 1) / 2 + EXTRAPOLATION_REACH);
}

static wave robust_wave(hymgi_level *level, barrier *all)
{
  hymgi_real *now[2] = {level->x, level->x}, *next[2] = {level->y, level->y};
  wave w = {.barrier = all,
            .level = level,
            .g = level->box,
            .stages = hymgi_sweeps(level),
            .lag = 1,
            .lean = 1,
            .tile_rows = TILE_ROWS,
            .gsrb = true,
            .robust = true};
  hymgi_cpu_wave_stages(&w, 0, now, next);
  return w;
}

bool hymgi_cpu_robust_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_after after,
                                      hymgi_real *coarse)
{
  if (!can_fuse(level)) return false;
  barrier all = {0};
  wave w = robust_wave(level, &all);
  const bool from_f = from_zero && level->box->split && hymgi_cpu_starts_from_f(level);
  if (from_f) w.stage[0].pass.kind = HOST_FIRST;
  w.before = from_zero && !from_f, w.total = w.before + w.stages + 2;
  w.coarse = coarse, w.after = after;
  w.ring = level->box->n[1] <= TILE_ROWS ? RING : 0;
  hymgi_cpu_wave_run(&w);
  return true;
}

bool hymgi_cpu_robust_interpolate_smooth(hymgi_level *fine, const hymgi_real *source)
{
  if (!can_fuse(fine)) return false;
  barrier all = {0};
  hymgi_geom *const box = fine->box;
  fine->box = fine->exchanged;
  wave w = robust_wave(fine, &all);
  w.before = 1, w.total = 1 + w.stages;
  w.source = source;
  hymgi_cpu_wave_run(&w);
  fine->box = box;
  return true;
}
