/* The coarse end for red-black Gauss-Seidel where all sides of its levels but the coarsest are even:
 * V- and F-cycles in one launch of a single block, with the bits of coarse.cu. A thread owns a red and
 * a black cell of one level, neighbours along x, and keeps in registers what their half sweeps need, all
 * of it loaded before the kernel waits for its predecessor. Levels below the finest one have at most
 * 64 cells, so that each belongs to a warp of its own, where a barrier is that of a warp. */
#ifndef HYMGI_COARSE_RED_BLACK_CUH
#define HYMGI_COARSE_RED_BLACK_CUH

#include "coarse/bottom.cuh"
#include "coarse/one_cell.cuh"

namespace
{

enum { FINEST_THREADS = COARSE_THREADS / 2, ZERO_AT = 0 };
/* Those of the finest level come after a warp for each of the others. */
enum { RED_BLACK_THREADS = FINEST_THREADS + (COARSE_LEVELS - 1) * COARSE_WARP };

/* The arguments of a launch; level[0] is the finest level of the cycle. */
struct red_black_run {
  hymgi_method method;
  hymg_bottom bottom;
  coarse_level level[COARSE_LEVELS];
  int last;
  bool f_cycle, one_cell;
  const double *lists; /* and coefficients, `listed` doubles */
  size_t listed;
  double *x;
  const double *f;
};

__device__ __forceinline__ int lane_of()
{
  return thread_of() % COARSE_WARP;
}

/* The level to which a thread's cells belong: those of the first warp to the coarsest one, of warp l to
 * level l. */
__device__ __forceinline__ int level_of(const red_black_run &run)
{
  const int warp = thread_of() / COARSE_WARP;
  return warp == 0 ? run.last : warp < run.last ? warp : 0;
}

/* Waits for the block or for the warp. */
template <bool BLOCK> __device__ __forceinline__ void meet()
{
  __syncwarp(); /* a division may diverge; a block's barrier needs whole warps */
  if (BLOCK) __syncthreads();
}

/* ---- cells ---- */

/* A cell; positions are those in the arena. */
struct red_black_cell {
  bool mine;
  int at, field, child; /* child: the first one, in y of the next finer level */
  double f;

  __device__ __forceinline__ coarse_cell load_place(const red_black_run &run, int l, int index,
                                                    int end)
  {
    const coarse_level &t = run.level[l];
    mine = index < end;
    if (!mine) return {};
    const coarse_cell cell = entry_at(t.cell + index);
    at = t.x_at + cell.at;
    field = cell.field;
    if (l > 0) child = run.level[l - 1].y_at + cell.child;
    return cell;
  }
};

/* Where both cells of a thread are interpolated from. */
struct red_black_parent {
  int at;       /* in x of the next coarser level */
  unsigned odd; /* bit per axis: the black cell is the odd child */

  __device__ __forceinline__ void load(const coarse_level &t, const coarse_level &coarse, int black)
  {
    const int height = t.plane / t.row, g = t.ghost, i = black % t.row - g,
              j = black / t.row % height - g, k = black / t.plane - g;
    at = coarse.x_at + (i / 2 + g) + (j / 2 + g) * coarse.row + (k / 2 + g) * coarse.plane;
    odd = (i & 1u) | (j & 1u) << 1 | (k & 1u) << 2;
  }
  __device__ __forceinline__ double sign(int axis) const
  {
    return odd >> axis & 1 ? -1 : 1;
  }
};

/* f of a coarse cell: the mean of its children's residuals in y; x: 0. RED: those of black cells are
 * zero and have not been stored. */
template <bool RED>
__device__ __forceinline__ void take_mean(const coarse_level &fine, const coarse_level &coarse,
                                          red_black_cell *c)
{
  if (!c->mine) return;
  double *const arena = coarse_arena();
  const auto pair = [&](int j, int k) {
    const double *const r = arena + c->child + j * fine.row + k * fine.plane;
    return RED ? r[(j + k + fine.parity) & 1] : r[0] + r[1];
  };
  c->f = hymgi_mean_of_8(pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1));
  arena[c->at + coarse.f_at - coarse.x_at] = c->f;
  arena[c->at] = 0;
}

/* ---- interpolation ---- */

/* A ghost from the two cells next to the boundary; kind 0: no boundary along this axis. */
__device__ __forceinline__ double extrapolated(unsigned kind, double x1, double x2)
{
  const double quadratic = hymgi_ghost_v2(x1, x2);
  return kind == HYMGI_QUADRATIC_GHOST                 ? quadratic
         : kind == ((unsigned)HYMGI_LINEAR_GHOST & 15) ? -x1
                                                       : x1;
}

__device__ __forceinline__ double product_of(const coarse_product &g, const coarse_level &t,
                                             const double *x)
{
  const unsigned kind[3] = {g.what & 15, g.what >> 4 & 15, g.what >> 8 & 15};
  const int stride[3] = {1, t.row, t.plane};
  int step[3];
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const int in = g.what >> (12 + axis) & 1 ? -stride[axis] : stride[axis];
    step[axis] = kind[axis] == HYMGI_QUADRATIC_GHOST ? in : 0;
  }
  double along_x[2];
#pragma unroll
  for (int i = 0; i < 2; i++) {
    double along_y[2];
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const double *const from = x + g.from + i * step[0] + j * step[1];
      along_y[j] = extrapolated(kind[2], from[0], from[step[2]]);
    }
    along_x[i] = extrapolated(kind[1], along_y[0], along_y[1]);
  }
  return extrapolated(kind[0], along_x[0], along_x[1]);
}

template <bool BLOCK>
__device__ __forceinline__ void fill_ghosts(const coarse_level &t, bool f_cycle)
{
  const int team = BLOCK ? (int)blockDim.x : (int)COARSE_WARP;
  const int thread = BLOCK ? thread_of() : lane_of();
  const coarse_products &list = f_cycle ? t.f_products : t.v_products;
  const coarse_extrapolation &passes = f_cycle ? t.f_ghosts : t.v_ghosts;
  double *const x = coarse_arena() + t.x_at;
  if (!list.ghost) { /* boundary data, or two layers */
    fill_ghost_list(passes, 3, team, t.data, x, thread);
    return;
  }
  int m = thread;
  coarse_product next = {};
  if (m < list.count) next = entry_at(list.ghost + m);
  meet<BLOCK>();
#pragma unroll 1
  while (m < list.count) {
    x[next.to] = product_of(next, t, x);
    m += team;
    if (m < list.count) next = entry_at(list.ghost + m);
  }
}

/* The values along the x axis of a cell's parent, interpolated along z, then y. */
template <hymgi_ghosts ORDER>
__device__ __forceinline__ void
interpolate_row(const coarse_level &coarse, const red_black_parent &p,
                double (&row)[2 * HYMGI_INTERPOLATION_REACH(ORDER) + 1])
{
  constexpr int r = HYMGI_INTERPOLATION_REACH(ORDER), width = 2 * r + 1;
  const double *const x = coarse_arena() + p.at;
#pragma unroll
  for (int i = -r; i <= r; i++) {
    double column[width];
#pragma unroll
    for (int j = -r; j <= r; j++) {
      double v[width];
#pragma unroll
      for (int k = -r; k <= r; k++)
        v[k + r] = x[i + j * coarse.row + k * coarse.plane];
      column[j + r] = hymgi_child(ORDER, p.sign(2), v + r);
    }
    row[i + r] = hymgi_child(ORDER, p.sign(1), column + r);
  }
}

/* Adds to x, in an F-cycle sets it; of the red cell only if both. */
template <hymgi_ghosts ORDER>
__device__ __forceinline__ void interpolate_to(const coarse_level &coarse,
                                               const red_black_parent &p, const red_black_cell &red,
                                               const red_black_cell &black, bool both, bool sets)
{
  constexpr int r = HYMGI_INTERPOLATION_REACH(ORDER);
  double row[2 * r + 1], *const x = coarse_arena();
  interpolate_row<ORDER>(coarse, p, row);
  const double to_black = hymgi_child(ORDER, p.sign(0), row + r);
  x[black.at] = sets ? to_black : x[black.at] + to_black;
  if (!both) return;
  const double to_red = hymgi_child(ORDER, -p.sign(0), row + r);
  x[red.at] = sets ? to_red : x[red.at] + to_red;
}

/* To level l; OWN::BOTH: to red cells too, else the half sweep that follows sets them. */
template <bool BLOCK, typename OWN>
__device__ __forceinline__ void interpolate(const red_black_run &run, int l, const OWN &own,
                                            bool f_cycle)
{
  const coarse_level &coarse = run.level[l + 1];
  fill_ghosts<BLOCK>(coarse, f_cycle);
  meet<BLOCK>();
  if (!own.red.mine || own.level != l) return;
  if (OWN::F_ORDER != HYMGI_GHOSTS_V2 && f_cycle)
    interpolate_to<OWN::F_ORDER>(coarse, own.parent, own.red, own.black, OWN::BOTH, f_cycle);
  else
    interpolate_to<HYMGI_GHOSTS_V2>(coarse, own.parent, own.red, own.black, OWN::BOTH, f_cycle);
}

/* ---- the cycle ---- */

template <typename OWN>
__device__ __forceinline__ void solve_coarsest(const red_black_run &run, const OWN &own)
{
  __syncwarp();
  if (run.one_cell)
    solve_one(run.method.singular, own.one_cell(run), run.level[run.last], run.bottom);
  else if (run.bottom == HYMG_CG)
    solve_resident<HYMG_CG, OWN::STENCIL, OWN::VARIABLE, COARSE_WARP>(run.last);
  else
    solve_resident<HYMG_BICGSTAB, OWN::STENCIL, OWN::VARIABLE, COARSE_WARP>(run.last);
}

/* By the level's warp; restricts: f is the restricted residual, x is 0. */
template <typename OWN>
__device__ __forceinline__ void go_down(const red_black_run &run, int l, bool restricts, OWN *own)
{
  const coarse_level &t = run.level[l];
  if (restricts) {
    take_mean<!OWN::BOTH>(run.level[l - 1], t, &own->red);
    take_mean<!OWN::BOTH>(run.level[l - 1], t, &own->black);
  }
  if (l == run.last) {
    solve_coarsest(run, *own);
  } else {
    if (!restricts) interpolate<false>(run, l, *own, true);
    own->template smooth<false>(run, t);
    own->template store_residual<false>(run, t);
  }
}

/* A V-cycle from level `first` down. */
template <typename OWN>
__device__ __forceinline__ void v_cycle(const red_black_run &run, int first, OWN *own)
{
  const int below = first > 0 ? first : 1;
  if (first == 0) {
    own->template smooth<true>(run, run.level[0]);
    own->template store_residual<true>(run, run.level[0]);
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
    own->template smooth<false>(run, run.level[l]);
  }
  if (first > 0) return;
  interpolate<true>(run, 0, *own, false);
  own->template smooth<true>(run, run.level[0]);
}

template <typename OWN> __device__ __forceinline__ void cycle(const red_black_run &run, OWN *own)
{
#pragma unroll 1
  for (int first = run.f_cycle ? run.last : 0; first >= 0; first--) {
    if (run.f_cycle && first == 0) interpolate<true>(run, 0, *own, true);
    v_cycle(run, first, own);
  }
}

/* ---- the kernel ---- */

/* Loads f and, of the finest level, x. */
__device__ __forceinline__ void load_fields(const red_black_run &run, red_black_cell *c, int l,
                                            bool x)
{
  const coarse_level &t = run.level[l];
  if (!c->mine || (l > 0 && !run.f_cycle)) return;
  c->f = (l > 0 ? t.field_f : run.f)[c->field];
  if (l == run.last) coarse_arena()[c->at + t.f_at - t.x_at] = c->f;
  if (x && !run.f_cycle) coarse_arena()[c->at] = run.x[c->field];
}

/* What solve_resident reads. */
__device__ __forceinline__ void share_levels(const red_black_run &run)
{
  const int words = (run.last + 1) * (int)(sizeof(coarse_level) / 8);
  const long long *const from = (const long long *)(const void *)run.level;
  long long *const to = (long long *)(void *)shared.level;
  for (int w = thread_of(); w < words; w += (int)blockDim.x)
    to[w] = from[w];
  if (thread_of() == 0) shared.method = run.method;
}

template <typename OWN>
__global__ void __launch_bounds__(RED_BLACK_THREADS, 1)
    coarse_red_black(const __grid_constant__ red_black_run run)
{
  OWN own = {};
  let_successors_start();
  prefetch_lists(run.lists, run.listed, (int)blockDim.x);
  own.level = level_of(run);
  own.load(run, own.level > 0 ? lane_of() : thread_of() - run.last * COARSE_WARP,
           own.level > 0 ? (int)COARSE_WARP : (int)FINEST_THREADS);
  if (!run.one_cell) share_levels(run);
  if (thread_of() == 0) coarse_arena()[ZERO_AT] = 0;
  wait_for_predecessors();
  load_fields(run, &own.red, own.level, OWN::BOTH && own.level == 0);
  load_fields(run, &own.black, own.level, own.level == 0);
  cycle(run, &own);
  if (own.level > 0) return;
  if (own.red.mine) run.x[own.red.field] = coarse_arena()[own.red.at];
  if (own.black.mine) run.x[own.black.field] = coarse_arena()[own.black.at];
}

} /* namespace */

#endif
