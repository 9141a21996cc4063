/* Which coarse ends red_black.cuh does, and its launches. */
#include "coarse/red_black_fv2.cuh"
#include "coarse/red_black_fv4.cuh"
#include "kernels/gsrb_args.cuh"

/* ---- for coarse.cu ---- */

/* FV4: do the threads of a team have room for the lines of ghosts? */
static bool has_room(const coarse_level &t, int faces, int edges, int team)
{
  const int *const end = t.operator_ghosts.end;
  return end[0] <= faces * team && end[1] - end[0] <= edges * team;
}

static bool is_for(const coarse_level &t, const hymgi_method &m, bool finest)
{
  if (m.stencil == HYMG_FV2) return t.in_place;
  return t.cells == 2 * t.reds &&
         (finest ? has_room(t, BLOCK_FACE_LINES, BLOCK_EDGE_LINES, FINEST_THREADS)
                 : has_room(t, FACE_LINES, EDGE_LINES, COARSE_WARP));
}

bool hymgi_coarse_red_black(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists)
{
  const hymgi_method &m = lists->method;
  const hymg_bottom bottom = h->options.bottom;
  const int last = lists->last - lists->first;
  const int f_order = m.stencil == HYMG_FV2 ? HYMGI_GHOSTS_V2 : HYMGI_GHOSTS_V4;
  if (m.interpolation_v != HYMGI_GHOSTS_V2 || m.interpolation_f != f_order) return false;
  if (m.smoother != HYMG_GSRB || m.sweeps < 1 || last < 1 ||
      (bottom != HYMG_BICGSTAB && bottom != HYMG_CG) || lists->on_host[last].cells > COARSE_WARP)
    return false;
  for (int l = 0; l < last; l++)
    if (!is_for(lists->on_host[l], m, l == 0) || !is_for(lists->on_host[l], m, true)) return false;
  return true;
}

void hymgi_coarse_launch_red_black(const hymgi_coarse_lists *lists, const hymgi_level *level,
                                   hymg_bottom bottom, bool f_cycle)
{
  red_black_run run = {};
  const int first = level->index - lists->first;
  run.method = lists->method;
  run.bottom = bottom;
  run.last = lists->last - level->index;
  for (int l = 0; l <= run.last; l++)
    run.level[l] = lists->on_host[first + l];
  run.f_cycle = f_cycle;
  run.one_cell = is_one_cell(run.level[run.last], run.method.stencil == HYMG_FV4);
  run.lists = lists->memory;
  run.listed = lists->doubles;
  run.x = level->x;
  run.f = level->f;
  const auto kernel = run.method.stencil == HYMG_FV2 ? coarse_red_black<red_black_fv2>
                      : run.method.variable_beta     ? coarse_red_black<red_black_fv4<true>>
                                                     : coarse_red_black<red_black_fv4<false>>;
  launch_large(level->context, kernel, dim3(1),
               dim3((unsigned)(FINEST_THREADS + run.last * COARSE_WARP)),
               lists->arena * (int)sizeof(double), run);
}
