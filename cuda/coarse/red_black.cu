/* The coarse end for FV2's red-black Gauss-Seidel where all sides of its levels but the coarsest are
 * even: V- and F-cycles in one launch of a single block, with the bits of coarse.cu. A thread owns a
 * red and a black cell of the finest level and keeps in registers what their half sweeps need, all
 * of it loaded before the kernel waits for its predecessor. The levels below have at most 64 cells,
 * so that each belongs to a single warp in the same way: there a barrier is that of a warp. */
#include "coarse/bottom.cuh"
#include "coarse/one_cell.cuh"
#include "device/fast_division.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

enum { RED_BLACK_THREADS = 256, ZERO_AT = 0 };

/* The arguments of a launch; level[0] is the finest level of the cycle. */
struct red_black_run {
  hymgi_method method;
  hymg_bottom bottom;
  coarse_level level[COARSE_LEVELS];
  int last;
  bool f_cycle, one_cell;
  double *x;
  const double *f;
};

__device__ __forceinline__ int lane_of()
{
  return thread_of() % COARSE_WARP;
}

/* The first warp has the coarsest level, warp l level l. */
__device__ __forceinline__ bool has_level(const red_black_run &run, int l)
{
  return thread_of() / COARSE_WARP == (l < run.last ? l : 0);
}

/* Waits for the block or for the warp. */
template <bool BLOCK> __device__ __forceinline__ void meet()
{
  __syncwarp(); /* a division may diverge; a block's barrier needs whole warps */
  if (BLOCK) __syncthreads();
}

/* ---- cells ---- */

/* A cell, and what its half sweeps and transfers need; positions are those in the arena. */
struct red_black_cell {
  bool mine;
  int at, field, child; /* child: the first one, in y of the next finer level */
  int parent;           /* in x of the next coarser level */
  unsigned odd;         /* bit per axis: it is the odd child */
  int to[6];
  double factor[6];
  fv2_betas b;
  divisors<1> diagonal;
  double alpha, f;
};

struct red_black {
  red_black_cell red, black;
};

/* A neighbour beyond a boundary is a multiple of the opposite one; if that is zero, position
 * ZERO_AT is read, which holds a zero. */
__device__ __forceinline__ void load_neighbours(const coarse_level &t, unsigned sides,
                                                red_black_cell *c)
{
  const int step[3] = {1, t.row, t.plane};
#pragma unroll
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2, out = face & 1 ? step[axis] : -step[axis];
    const int around = face & 1 ? -t.wrap[axis] : t.wrap[axis];
    const bool boundary = sides >> face & 1, wraps = sides >> (6 + face) & 1;
    const double ghost = t.boundary_ghost[face];
    c->to[face] = boundary && ghost == 0 ? (int)ZERO_AT
                                         : c->at + (boundary ? -out : wraps ? around : out);
    c->factor[face] = boundary && ghost != 0 ? ghost : 1;
  }
}

__device__ __forceinline__ void load_coefficients(const red_black_run &run, const coarse_level &t,
                                                  int index, red_black_cell *c)
{
  const double *const rows = t.coefficients + index, *const beta = rows + COARSE_BETA * t.cells;
  operator_view o = {};
  o.has_alpha = run.method.has_alpha;
  c->b.w = __ldg(beta), c->b.e = __ldg(beta + t.cells);
  c->b.s = __ldg(beta + 2 * t.cells), c->b.n = __ldg(beta + 3 * t.cells);
  c->b.d = __ldg(beta + 4 * t.cells), c->b.u = __ldg(beta + 5 * t.cells);
  if (o.has_alpha) c->alpha = __ldg(rows + COARSE_ALPHA * t.cells);
  c->diagonal.take({{fv2_diagonal(o, c->b, c->alpha)}});
}

__device__ __forceinline__ void load_cell(const red_black_run &run, int l, int index, int end,
                                          red_black_cell *c)
{
  const coarse_level &t = run.level[l];
  *c = {};
  c->mine = index < end;
  if (!c->mine) return;
  const coarse_cell cell = entry_at(t.cell + index);
  c->at = t.x_at + cell.at;
  c->field = cell.field;
  if (l > 0) c->child = run.level[l - 1].y_at + cell.child;
  if (l == run.last) return;
  const coarse_level &coarse = run.level[l + 1];
  const int height = t.plane / t.row, g = t.ghost, i = cell.at % t.row - g,
            j = cell.at / t.row % height - g, k = cell.at / t.plane - g;
  c->parent = coarse.x_at + (i / 2 + g) + (j / 2 + g) * coarse.row + (k / 2 + g) * coarse.plane;
  c->odd = (i & 1u) | (j & 1u) << 1 | (k & 1u) << 2;
  load_neighbours(t, cell.sides, c);
  load_coefficients(run, t, index, c);
}

__device__ __forceinline__ void load(const red_black_run &run, int l, int thread, red_black *own)
{
  const coarse_level &t = run.level[l];
  load_cell(run, l, thread, t.reds, &own->red);
  load_cell(run, l, t.reds + thread, t.cells, &own->black);
}

/* ---- operations on a level ---- */

__device__ __forceinline__ fv2_values seen(const red_black_cell &c)
{
  const double *const x = coarse_arena();
  return {x[c.at],
          c.factor[0] * x[c.to[0]],
          c.factor[1] * x[c.to[1]],
          c.factor[2] * x[c.to[2]],
          c.factor[3] * x[c.to[3]],
          c.factor[4] * x[c.to[4]],
          c.factor[5] * x[c.to[5]]};
}

__device__ __forceinline__ void update(const red_black_cell &c)
{
  if (!c.mine) return;
  const cells<1> sum = {{fv2_gsrb_sum(c.b, seen(c), c.f)}};
  coarse_arena()[c.at] = c.diagonal.quotients(sum, true).at[0];
}

template <bool BLOCK>
__device__ __forceinline__ void smooth(const red_black_run &run, const red_black &own)
{
#pragma unroll 1
  for (int s = 0; s < run.method.sweeps; s += 2) {
    meet<BLOCK>();
    update(own.red);
    if (s + 1 == run.method.sweeps) break;
    meet<BLOCK>();
    update(own.black);
  }
}

/* The residual of the red cell goes to y; that of the black one is zero. */
template <bool BLOCK>
__device__ __forceinline__ void store_residual(const red_black_run &run, const coarse_level &t,
                                               const red_black_cell &red)
{
  operator_view o = {};
  o.has_alpha = run.method.has_alpha;
  meet<BLOCK>();
  if (red.mine)
    coarse_arena()[red.at + t.y_at - t.x_at] =
        fv2_residual(o, red.b, seen(red), red.f, red.alpha);
}

/* f of a coarse cell: the mean of its children's residuals; x: 0. */
__device__ __forceinline__ void take_mean(const coarse_level &fine, const coarse_level &coarse,
                                          red_black_cell *c)
{
  if (!c->mine) return;
  double *const arena = coarse_arena();
  const auto red = [&](int j, int k) {
    return arena[c->child + j * fine.row + k * fine.plane + ((j + k + fine.parity) & 1)];
  };
  c->f = hymgi_mean_of_8(red(0, 0), red(1, 0), red(0, 1), red(1, 1));
  arena[c->at + coarse.f_at - coarse.x_at] = c->f;
  arena[c->at] = 0;
}

/* ---- interpolation ---- */

/* A ghost from the two cells next to the boundary; kind 0: no boundary along this axis. */
__device__ __forceinline__ double extrapolated(unsigned kind, double x1, double x2)
{
  const double quadratic = hymgi_ghost_v2(x1, x2);
  return kind == HYMGI_QUADRATIC_GHOST                ? quadratic
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
  constexpr int TEAM = BLOCK ? (int)RED_BLACK_THREADS : (int)COARSE_WARP;
  const int thread = BLOCK ? thread_of() : lane_of();
  const coarse_products &list = f_cycle ? t.f_products : t.v_products;
  double *const x = coarse_arena() + t.x_at;
  if (!list.ghost) { /* boundary data */
    fill_ghost_list(t.f_ghosts, 3, TEAM, t.data, x, thread);
    return;
  }
  int m = thread;
  coarse_product next = {};
  if (m < list.count) next = entry_at(list.ghost + m);
  meet<BLOCK>();
#pragma unroll 1
  while (m < list.count) {
    x[next.to] = product_of(next, t, x);
    m += TEAM;
    if (m < list.count) next = entry_at(list.ghost + m);
  }
}

__device__ __forceinline__ double sign_of(const red_black_cell &c, int axis)
{
  return c.odd >> axis & 1 ? -1 : 1;
}

/* The value at a cell, along z, then y, then x. */
template <hymgi_ghosts ORDER>
__device__ __forceinline__ double interpolated(const coarse_level &coarse, const red_black_cell &c)
{
  constexpr int r = HYMGI_INTERPOLATION_REACH(ORDER), width = 2 * r + 1;
  const double *const x = coarse_arena() + c.parent;
  double row[width];
#pragma unroll
  for (int i = -r; i <= r; i++) {
    double column[width];
#pragma unroll
    for (int j = -r; j <= r; j++) {
      double v[width];
#pragma unroll
      for (int k = -r; k <= r; k++)
        v[k + r] = x[i + j * coarse.row + k * coarse.plane];
      column[j + r] = hymgi_child(ORDER, sign_of(c, 2), v + r);
    }
    row[i + r] = hymgi_child(ORDER, sign_of(c, 1), column + r);
  }
  return hymgi_child(ORDER, sign_of(c, 0), row + r);
}

/* Adds to x of level l, in an F-cycle sets it: in black cells alone, since the half sweep that
 * follows sets the red ones. */
template <bool BLOCK>
__device__ __forceinline__ void interpolate(const red_black_run &run, int l,
                                            const red_black_cell &c, bool f_cycle)
{
  const coarse_level &coarse = run.level[l + 1];
  const int order = f_cycle ? run.method.interpolation_f : run.method.interpolation_v;
  double value = 0, *const x = coarse_arena() + c.at;
  if (order != HYMGI_GHOSTS_P0) fill_ghosts<BLOCK>(coarse, f_cycle);
  meet<BLOCK>();
  if (!c.mine) return;
  if (order == HYMGI_GHOSTS_V2)
    value = interpolated<HYMGI_GHOSTS_V2>(coarse, c);
  else if (order == HYMGI_GHOSTS_P1)
    value = interpolated<HYMGI_GHOSTS_P1>(coarse, c);
  else
    value = interpolated<HYMGI_GHOSTS_P0>(coarse, c);
  *x = f_cycle ? value : *x + value;
}

/* ---- the cycle ---- */

/* A thread's cells: of the finest level, and of the level that its warp has. */
struct red_black_levels {
  red_black finest, below;
  krylov_one one;
};

__device__ __forceinline__ void solve_coarsest(const red_black_run &run, krylov_one *one)
{
  __syncwarp();
  if (run.one_cell)
    solve_one(one, run.bottom);
  else if (run.bottom == HYMG_CG)
    solve_resident<HYMG_CG, HYMG_FV2, true, COARSE_WARP>(run.last);
  else
    solve_resident<HYMG_BICGSTAB, HYMG_FV2, true, COARSE_WARP>(run.last);
}

__device__ __forceinline__ void go_down(const red_black_run &run, red_black_levels *level)
{
  smooth<true>(run, level->finest);
  store_residual<true>(run, run.level[0], level->finest.red);
}

/* By the level's warp; restricts: f is the restricted residual, x is 0. */
__device__ __forceinline__ void go_down(const red_black_run &run, int l, bool restricts,
                                        red_black_levels *level)
{
  const coarse_level &t = run.level[l];
  if (restricts) {
    take_mean(run.level[l - 1], t, &level->below.red);
    take_mean(run.level[l - 1], t, &level->below.black);
  }
  if (l == run.last) {
    solve_coarsest(run, &level->one);
  } else {
    if (!restricts) interpolate<false>(run, l, level->below.black, true);
    smooth<false>(run, level->below);
    store_residual<false>(run, t, level->below.red);
  }
}

/* A V-cycle from level `first` down. */
__device__ __forceinline__ void v_cycle(const red_black_run &run, int first,
                                        red_black_levels *level)
{
  if (first == 0) go_down(run, level);
#pragma unroll 1
  for (int l = first > 0 ? first : 1; l <= run.last; l++) {
    meet<true>();
    if (has_level(run, l)) go_down(run, l, l > first, level);
  }
#pragma unroll 1
  for (int l = run.last - 1; l >= (first > 0 ? first : 1); l--) {
    meet<true>();
    if (!has_level(run, l)) continue;
    interpolate<false>(run, l, level->below.black, false);
    smooth<false>(run, level->below);
  }
  if (first > 0) return;
  interpolate<true>(run, 0, level->finest.black, false);
  smooth<true>(run, level->finest);
}

__device__ __forceinline__ void cycle(const red_black_run &run, red_black_levels *level)
{
#pragma unroll 1
  for (int first = run.f_cycle ? run.last : 0; first >= 0; first--) {
    if (run.f_cycle && first == 0) interpolate<true>(run, 0, level->finest.black, true);
    v_cycle(run, first, level);
  }
}

/* ---- the kernel ---- */

__device__ __forceinline__ void load_f(const coarse_level &t, const double *f, bool coarsest,
                                       red_black_cell *c)
{
  if (!c->mine) return;
  c->f = f[c->field];
  if (coarsest) coarse_arena()[c->at + t.f_at - t.x_at] = c->f;
}

/* What solve_resident reads. */
__device__ __forceinline__ void share_levels(const red_black_run &run)
{
  const int words = (run.last + 1) * (int)(sizeof(coarse_level) / 8);
  const long long *const from = (const long long *)(const void *)run.level;
  long long *const to = (long long *)(void *)shared.level;
  for (int w = thread_of(); w < words; w += RED_BLACK_THREADS)
    to[w] = from[w];
  if (thread_of() == 0) shared.method = run.method;
}

/* Loads f, and x of the finest level, of which only the black cells are read. */
__device__ __forceinline__ void load_fields(const red_black_run &run, int l,
                                            red_black_levels *level)
{
  const red_black_cell &black = level->finest.black;
  load_f(run.level[0], run.f, false, &level->finest.red);
  load_f(run.level[0], run.f, false, &level->finest.black);
  if (run.f_cycle && l > 0) {
    load_f(run.level[l], run.level[l].field_f, l == run.last, &level->below.red);
    load_f(run.level[l], run.level[l].field_f, l == run.last, &level->below.black);
  }
  if (!run.f_cycle && black.mine) coarse_arena()[black.at] = run.x[black.field];
}

__global__ void __launch_bounds__(RED_BLACK_THREADS, 1)
    coarse_red_black(const __grid_constant__ red_black_run run)
{
  red_black_levels level;
  const int warp = thread_of() / COARSE_WARP,
            l = warp == 0 ? run.last : warp < run.last ? warp : 0; /* 0: none */
  let_successors_start();
  load(run, 0, thread_of(), &level.finest);
  level.below = {};
  if (l > 0) load(run, l, lane_of(), &level.below);
  if (run.one_cell && l == run.last) level.one.load(run.method, run.level[l]);
  if (!run.one_cell) share_levels(run);
  if (thread_of() == 0) coarse_arena()[ZERO_AT] = 0;
  wait_for_predecessors();
  load_fields(run, l, &level);
  cycle(run, &level);
  meet<true>();
  const red_black_cell &red = level.finest.red, &black = level.finest.black;
  if (red.mine) run.x[red.field] = coarse_arena()[red.at];
  if (black.mine) run.x[black.field] = coarse_arena()[black.at];
}

} /* namespace */

/* ---- for coarse.cu ---- */

bool hymgi_coarse_red_black(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists)
{
  const hymgi_method *m = &lists->method;
  const hymg_bottom bottom = h->options.bottom;
  const int last = lists->last - lists->first;
  if (m->stencil != HYMG_FV2 || m->smoother != HYMG_GSRB || m->sweeps < 1 || last < 1 ||
      m->interpolation_v == HYMGI_GHOSTS_V4 || m->interpolation_f == HYMGI_GHOSTS_V4 ||
      (bottom != HYMG_BICGSTAB && bottom != HYMG_CG) || lists->on_host[last].cells > COARSE_WARP)
    return false;
  for (int l = 0; l < last; l++)
    if (!lists->on_host[l].in_place) return false;
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
  run.one_cell = reads_no_ghost(run.level[run.last]);
  run.x = level->x;
  run.f = level->f;
  launch_large(level->context, coarse_red_black, dim3(1), dim3(RED_BLACK_THREADS),
               lists->arena * (int)sizeof(double), run);
}
