/* The coarse end for FV2's red-black Gauss-Seidel where all sides of its levels but the coarsest are
 * even: V- and F-cycles in one launch of a single block, with the bits of coarse.cu. A thread owns a red
 * and a black cell of one level and keeps in registers what their half sweeps need, all of it loaded
 * before the kernel waits for its predecessor. Levels below the finest one have at most 64 cells; each
 * belongs to a warp of its own, where a barrier is that of a warp. */
#include "coarse/bottom.cuh"
#include "coarse/interpolation.cuh"
#include "coarse/one_cell.cuh"
#include "coarse/red_black_cells.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* ---- interpolation, quadratic ---- */

/* Fills the ghosts of x of the level below the finest one or, by a warp, below its own. */
template <bool BLOCK>
__device__ __forceinline__ void fill_ghosts(const coarse_level &t, const red_black &own, bool data)
{
  constexpr int TEAM = BLOCK ? (int)FINEST_THREADS : (int)COARSE_WARP;
  const bool works = !BLOCK || own.level == 0;
  double *const x = coarse_arena() + t.x_at;
  if (data) {
    fill_ghost_list(t.f_ghosts, 3, TEAM, t.data, x, works ? own.thread : t.f_ghosts.end[2]);
    return;
  }
  meet<BLOCK>();
  if (!works) return;
#pragma unroll
  for (int m = 0; m < OWN_GHOSTS; m++)
    if (own.ghost[m].to >= 0) x[own.ghost[m].to] = product_of(own.ghost[m], t, x);
#pragma unroll 1
  for (int m = own.thread + OWN_GHOSTS * TEAM; m < t.products.count; m += TEAM) {
    const coarse_product next = entry_at(t.products.ghost + m);
    x[next.to] = product_of(next, t, x);
  }
}

/* To x of level l, added except in an F-cycle: to black cells alone, since the half sweep that follows
 * sets the red ones. */
template <bool BLOCK>
__device__ __forceinline__ void interpolate(const red_black_run &run, int l, const red_black &own,
                                            bool f_cycle)
{
  const coarse_level &coarse = run.level[l + 1];
  double *const x = coarse_arena() + own.black.at;
  fill_ghosts<BLOCK>(coarse, own, f_cycle && coarse.has_data);
  meet<BLOCK>();
  if (!own.works<BLOCK>()) return;
  const double value =
      interpolated<HYMGI_GHOSTS_V2>(coarse, own.parent, own.odd); /* the black cell's */
  *x = f_cycle ? value : *x + value;
}

/* ---- the cycle ---- */

__device__ __forceinline__ void solve_coarsest(const red_black_run &run, const red_black &own)
{
  __syncwarp();
  const krylov_one one = {run.method.has_alpha,
                          run.method.singular,
                          own.red.alpha,
                          own.red.b,
                          own.red.diagonal,
                          NULL,
                          NULL,
                          NULL};
  if (run.one_cell)
    solve_one(one, run.level[run.last], run.bottom);
  else if (run.bottom == HYMG_CG)
    solve_resident<HYMG_CG, HYMG_FV2, true, COARSE_WARP>(run.last);
  else
    solve_resident<HYMG_BICGSTAB, HYMG_FV2, true, COARSE_WARP>(run.last);
}

/* By the level's warp; restricts: f is the restricted residual, x is 0. */
__device__ __forceinline__ void go_down(const red_black_run &run, int l, bool restricts,
                                        red_black *own)
{
  const coarse_level &t = run.level[l];
  if (restricts) {
    own->red.take_mean(run.level[l - 1], t);
    own->black.take_mean(run.level[l - 1], t);
  }
  if (l == run.last) {
    solve_coarsest(run, *own);
  } else {
    if (!restricts) interpolate<false>(run, l, *own, true);
    own->smooth<false>(run.method.sweeps);
    own->store_residual<false>(run.method, t);
  }
}

/* A V-cycle from level `first` down. */
__device__ __forceinline__ void v_cycle(const red_black_run &run, int first, red_black *own)
{
  const int below = first > 0 ? first : 1;
  if (first == 0) {
    own->smooth<true>(run.method.sweeps);
    own->store_residual<true>(run.method, run.level[0]);
  }
#pragma unroll 1
  for (int l = below; l <= run.last; l++) {
    meet<true>();
    if (own->level == l) go_down(run, l, l > first, own);
  }
#pragma unroll 1
  for (int l = run.last - 1; l >= below; l--) {
    meet<true>();
    if (own->level != l) continue;
    interpolate<false>(run, l, *own, false);
    own->smooth<false>(run.method.sweeps);
  }
  if (first > 0) return;
  interpolate<true>(run, 0, *own, false);
  own->smooth<true>(run.method.sweeps);
}

__device__ __forceinline__ void cycle(const red_black_run &run, red_black *own)
{
#pragma unroll 1
  for (int first = run.f_cycle ? run.last : 0; first >= 0; first--) {
    if (run.f_cycle && first == 0) interpolate<true>(run, 0, *own, true);
    v_cycle(run, first, own);
  }
}

/* ---- the kernel ---- */

__device__ __forceinline__ void load_f(const red_black_run &run, int l, red_black_cell *c)
{
  const coarse_level &t = run.level[l];
  if (!c->mine || (l > 0 && !run.f_cycle)) return;
  c->f = (l > 0 ? t.field_f : run.f)[c->field];
  if (l == run.last) coarse_arena()[c->at + t.f_at - t.x_at] = c->f;
}

__device__ __forceinline__ void store_x(const red_black_run &run, const red_black &own)
{
  run.x[own.red.field] = coarse_arena()[own.red.at];
  run.x[own.black.field] = coarse_arena()[own.black.at];
}

/* The first warp has the coarsest level, warp l level l, the threads behind them the finest one. */
__device__ __forceinline__ void choose_level(const red_black_run &run, red_black *own)
{
  const int warp = thread_of() / COARSE_WARP;
  own->level = warp == 0 ? run.last : warp < run.last ? warp : 0;
  own->thread = thread_of() - (own->level > 0 ? warp : run.last) * COARSE_WARP;
}

__global__ void __launch_bounds__(RED_BLACK_THREADS, 1)
    coarse_red_black(const __grid_constant__ red_black_run run)
{
  red_black own = {};
  let_successors_start();
  prefetch_lists(run.lists, run.listed, (int)blockDim.x);
  choose_level(run, &own);
  own.load(run);
  if (!run.one_cell) share_levels(run.level, run.last + 1, run.method); /* for solve_resident */
  if (thread_of() == 0) coarse_arena()[ZERO_AT] = 0;
  wait_for_predecessors();
  load_f(run, own.level, &own.red);
  load_f(run, own.level, &own.black);
  const bool finest = own.level == 0 && own.red.mine;
  if (finest && !run.f_cycle) coarse_arena()[own.black.at] = run.x[own.black.field];
  cycle(run, &own);
  if (!finest) return;
  store_x(run, own);
}

} /* namespace */

/* ---- for coarse.cu ---- */

bool hymgi_coarse_red_black(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists)
{
  const hymgi_method &m = lists->method;
  const hymg_bottom bottom = h->options.bottom;
  const int last = lists->last - lists->first;
  if (lists->on_host[0].stencil != HYMG_FV2 || m.smoother != HYMG_GSRB || m.sweeps < 1 ||
      last < 1 || m.interpolation_v != HYMGI_GHOSTS_V2 || m.interpolation_f != HYMGI_GHOSTS_V2 ||
      (bottom != HYMG_BICGSTAB && bottom != HYMG_CG) || lists->on_host[last].cells > COARSE_WARP)
    return false;
  for (int l = 0; l < last; l++)
    if (!lists->on_host[l].in_place || lists->on_host[l].uneven) return false;
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
  run.one_cell = is_one_cell(run.level[run.last]);
  run.lists = lists->memory;
  run.listed = lists->doubles;
  run.x = level->x;
  run.f = level->f;
  const int threads = (int)FINEST_THREADS + run.last * (int)COARSE_WARP;
  hymgi_launch_shared(level->context, coarse_red_black, dim3(1), dim3((unsigned)threads),
                      (size_t)lists->arena * sizeof(double), run);
}
