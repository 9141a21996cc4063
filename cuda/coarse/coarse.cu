/* The coarse end of a cycle in one launch of a single block: V-, W- and F-cycles from a given level
 * down, and the bottom solve alone. All threads follow the same schedule; the scalars of a bottom
 * solve are the same on every thread. */
#include <stdlib.h>

#include "coarse/bottom.cuh"
#include "coarse/interpolation.cuh"
#include "coarse/multiply.cuh"
#include "coarse/resident.cuh"
#include "coarse/robust_cycle.h"

extern "C" {
#include "formulas/conductance.h"
}

namespace
{

/* ---- transfer between a level and the next coarser one ---- */

/* The part of the children's residuals that their parent gets where a side is odd, in the host's order. */
__device__ __forceinline__ double part_of_children(const coarse_level &fine, const double *r,
                                                   const int first[3])
{
  int count[3];
#pragma unroll
  for (int axis = 0; axis < 3; axis++)
    count[axis] = first[axis] + 1 < fine.n[axis] ? 2 : 1;
  double sum = 0;
  for (int k = 0; k < count[2]; k++)
    for (int j = 0; j < count[1]; j++)
      for (int i = 0; i < count[0]; i++)
        sum += r[i + j * fine.row + k * fine.plane];
  return fine.part_of_sum * sum;
}

/* f of the next coarser level: the mean of the 8 children's residuals, which are in y of level l.
 * After FV2's gsrb the residual of black cells is zero and is left out. x of the coarser level: 0. f is
 * in its y, too, as multiply() reads it. */
__device__ __noinline__ void restrict_residual(int l, bool red)
{
  const coarse_level &fine = shared.level[l], &coarse = shared.level[l + 1];
  double *const arena = coarse_arena();
  sync_team(fine.team);
  if (thread_of() >= coarse.cells) return;
  const coarse_cell cell = cell_at(l + 1, thread_of());
  const double *const r = arena + fine.y_at + cell.child;
  double mean;
  if (fine.uneven) {
    int first[3];
    index_of(fine, cell.child, first);
    mean = part_of_children(fine, r, first);
  } else {
    mean = red ? mean_of_children<true>(r, fine.row, fine.plane, fine.parity)
               : mean_of_children<false>(r, fine.row, fine.plane, fine.parity);
  }
  arena[coarse.f_at + cell.at] = arena[coarse.y_at + thread_of()] = mean;
  arena[coarse.x_at + cell.at] = 0;
}

/* Along z, then y, then x; each thread computes two children adjacent in x. */
template <hymgi_ghosts ORDER> __device__ __noinline__ void interpolate_cells(int l, bool add)
{
  const coarse_level &fine = shared.level[l], &coarse = shared.level[l + 1];
  constexpr int r = HYMGI_INTERPOLATION_REACH(ORDER), width = 2 * r + 1;
  double *const arena = coarse_arena();
  const int q = thread_of(), j = q & 1, k = q >> 1 & 1;
  if (q >= 4 * coarse.cells) return;
  const coarse_cell cell = cell_at(l + 1, q >> 2);
  const double *const x = arena + coarse.x_at + cell.at;
  double row[width];
  interpolate_row<ORDER>(x, coarse, j ? -1. : 1., k ? -1. : 1., row);
  double *const to = arena + fine.x_at + cell.child + j * fine.row + k * fine.plane;
  const double even = hymgi_child(ORDER, 1., row + r), odd = hymgi_child(ORDER, -1., row + r);
  to[0] = add ? to[0] + even : even;
  to[1] = add ? to[1] + odd : odd;
}

/* The step from a cell of a coarse level to its neighbour along an axis, to itself beyond a boundary. */
__device__ __forceinline__ int step_to(const coarse_level &t, int axis, int at, int step)
{
  const int stride = axis == 0 ? 1 : axis == 1 ? t.row : t.plane;
  const bool ends = at == (step > 0 ? t.n[axis] - 1 : 0);
  if (!ends) return step * stride;
  return t.periodic >> axis & 1 ? -step * t.wrap[axis] : 0;
}

/* Where a side of the finer level is odd: along z, then y, then x on parabolas; each thread computes its own cell. */
__device__ __noinline__ void interpolate_uneven(int l, bool constant, bool add)
{
  const coarse_level &fine = shared.level[l], &coarse = shared.level[l + 1];
  double *const arena = coarse_arena();
  if (thread_of() >= fine.cells) return;
  const coarse_cell cell = cell_at(l, thread_of());
  unsigned odd;
  const double *const x = arena + parent_of(fine, coarse, cell.at, &odd);
  double value = *x;
  if (!constant) {
    int at[3], step[3][3];
    double w[3][3], plane[3][3], row[3];
    index_of(fine, cell.at, at);
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
#pragma unroll
      for (int m = 0; m < 3; m++) {
        w[axis][m] = __ldg(fine.parabolas[axis] + 3 * at[axis] + m);
        step[axis][m] = m == 1 ? 0 : step_to(coarse, axis, at[axis] / 2, m - 1);
      }
#pragma unroll
    for (int i = 0; i < 3; i++) {
#pragma unroll
      for (int j = 0; j < 3; j++) {
        const double *const column = x + step[0][i] + step[1][j];
        plane[i][j] = hymgi_on_parabola(w[2], column[step[2][0]], *column, column[step[2][2]]);
      }
      row[i] = hymgi_on_parabola(w[1], plane[i][0], plane[i][1], plane[i][2]);
    }
    value = hymgi_on_parabola(w[0], row[0], row[1], row[2]);
  }
  double *const to = arena + fine.x_at + cell.at;
  *to = add ? *to + value : value;
}

/* x of level l += P_V x of the next coarser level, or = P_F x */
__device__ __noinline__ void interpolate(int l, bool f_cycle)
{
  const coarse_level &fine = shared.level[l], &coarse = shared.level[l + 1];
  const int order = f_cycle ? shared.method.interpolation_f : shared.method.interpolation_v;
  if (thread_of() < coarse.team && !fine.uneven)
    fill_ghost_list(f_cycle ? coarse.f_ghosts : coarse.v_ghosts, 3, coarse.team, coarse.data,
                    coarse_arena() + coarse.x_at);
  if (thread_of() >= fine.team) return;
  sync_team(fine.team);
  if (fine.uneven)
    interpolate_uneven(l, order == HYMGI_GHOSTS_P0, !f_cycle);
  else if (order == HYMGI_GHOSTS_P0)
    interpolate_cells<HYMGI_GHOSTS_P0>(l, !f_cycle);
  else if (order == HYMGI_GHOSTS_P1)
    interpolate_cells<HYMGI_GHOSTS_P1>(l, !f_cycle);
  else if (order == HYMGI_GHOSTS_V2)
    interpolate_cells<HYMGI_GHOSTS_V2>(l, !f_cycle);
  else
    interpolate_cells<HYMGI_GHOSTS_V4>(l, !f_cycle);
}

/* ---- cycles ---- */

/* The arguments of a launch. */
struct coarse_run {
  hymgi_method method;
  hymg_bottom bottom;
  const coarse_level *level; /* the finest level of the cycle */
  int count;                 /* levels */
  int visits;                /* 1: V, 2: W, 0: F */
  const double *v, *f_cycle; /* the coarse matrices, if the last level is theirs; else NULL */
  size_t matrix_doubles;
  double *columns;     /* a matrix to be made; then the finest level is its own */
  const double *lists; /* and coefficients, `listed` doubles */
  size_t listed;
  double *x; /* of the finest level */
  const double *f;
};

/* If `restricts`, computes the residual afterwards and restricts it. */
__device__ __noinline__ void smooth(int l, bool restricts)
{
  const hymgi_method &m = shared.method;
  if (thread_of() >= shared.level[l].team) return;
  sweep_resident(l, m.sweeps, restricts);
  if (restricts)
    restrict_residual(l, shared.level[l].stencil == HYMG_FV2 && m.smoother == HYMG_GSRB);
}

/* The last level of the cycle. */
__device__ __forceinline__ void solve_last(const coarse_run &run, const double *matrix)
{
  const int last = run.count - 1;
  if (!matrix) {
    solve_coarsest(last, run.bottom);
    return;
  }
  __syncthreads();
  product<COARSE_THREADS> rows;
  rows.load(matrix, shared.level[last].cells, thread_of());
  multiply(shared.level[last], rows, thread_of());
  __syncthreads();
}

/* As v_cycle() in multigrid/cycle.c. Bit l of `again`: level l is to be visited once more. */
__device__ __noinline__ void v_cycle(const coarse_run &run, int first, int visits)
{
  const int last = run.count - 1;
  unsigned again = 0;
  int l = first;
  do {
    for (; l < last; l++) {
      smooth(l, true);
      if (visits == 2 && l + 1 < last) again |= 2u << l;
    }
    solve_last(run, run.v);
    while (l > first && !(again >> l & 1)) {
      interpolate(--l, false);
      smooth(l, false);
    }
    again &= ~(1u << l);
  } while (l > first);
}

__device__ __forceinline__ void cycle(const coarse_run &run)
{
  if (run.visits > 0) {
    v_cycle(run, 0, run.visits);
    return;
  }
  solve_last(run, run.f_cycle);
  for (int l = run.count - 2; l >= 0; l--) {
    interpolate(l, true);
    v_cycle(run, l, 1);
  }
}

/* ---- the kernel ---- */

__device__ __forceinline__ void load_fields(const coarse_run &run)
{
  double *const arena = coarse_arena();
#pragma unroll 1
  for (int l = 0; l < (run.visits > 0 ? 1 : run.count); l++) {
    const coarse_level &t = shared.level[l];
    if (thread_of() >= t.cells) continue;
    const coarse_cell cell = cell_at(l, thread_of());
    const double f = (l == 0 ? run.f : t.field_f)[cell.field];
    arena[t.f_at + cell.at] = arena[t.y_at + thread_of()] = f;
    if (l == 0) arena[t.x_at + cell.at] = run.x[cell.field];
  }
}

/* f of the block's column of a matrix, on all levels if an F-cycle makes it. */
__device__ __forceinline__ void load_unit(const coarse_run &run)
{
  double *const arena = coarse_arena();
#pragma unroll 1
  for (int l = 0; l < (run.visits > 0 ? 1 : run.count); l++) {
    const coarse_level &t = shared.level[l];
    if (l > 0) restrict_residual(l - 1, false);
    __syncthreads();
    if (thread_of() >= t.cells) continue;
    const int at = cell_at(l, thread_of()).at;
    if (l == 0) arena[t.f_at + at] = thread_of() == (int)blockIdx.x, arena[t.x_at + at] = 0;
    arena[t.y_at + at] = arena[t.f_at + at];
  }
  __syncthreads();
}

__device__ __forceinline__ void store_x(const coarse_run &run)
{
  const coarse_level &t = shared.level[0];
  const int column = (int)blockIdx.x, sums = HYMGI_MATRIX_SUMS;
  if (thread_of() >= t.cells) return;
  const coarse_cell cell = cell_at(0, thread_of());
  double *const to =
      run.columns ? run.columns + (column / sums * t.cells + thread_of()) * sums + column % sums
                  : run.x + cell.field;
  *to = coarse_arena()[t.x_at + cell.at];
}

__global__ void __launch_bounds__(COARSE_THREADS)
    coarse_v_cycle(const __grid_constant__ coarse_run run)
{
  let_successors_start();
  prefetch_lists(run.lists, run.listed, COARSE_THREADS);
  share_levels(run.level, run.count, run.method);
  __syncthreads();
  if (run.v) prefetch_lists(run.v, run.matrix_doubles, COARSE_THREADS);
  if (run.f_cycle) prefetch_lists(run.f_cycle, run.matrix_doubles, COARSE_THREADS);
  wait_for_predecessors();
  if (run.columns)
    load_unit(run);
  else
    load_fields(run);
  cycle(run);
  store_x(run);
}

/* The cells of a matrix's level by itself. */
struct matrix_cells {
  int count, at[HYMGI_MATRIX_CELLS];
};

__global__ void __launch_bounds__(COARSE_THREADS)
    coarse_multiply(const double *matrix, const double *f, double *x,
                    const __grid_constant__ matrix_cells cells)
{
  __shared__ double values[HYMGI_MATRIX_CELLS];
  product<COARSE_THREADS> rows;
  const int lanes = rows.LANES, row = thread_of() / lanes;
  let_successors_start();
  rows.load(matrix, cells.count, thread_of());
  wait_for_predecessors();
  if (thread_of() < cells.count) values[thread_of()] = f[cells.at[thread_of()]];
  __syncthreads();
  const double value = rows.times(values, cells.count, thread_of());
  if (row < cells.count && thread_of() % lanes == 0) x[cells.at[row]] = value;
}

/* From level `from` down to level `to`. */
coarse_run run_of(const hymgi_coarse_lists *lists, const hymgi_level *from, int to,
                  hymg_bottom bottom, int visits)
{
  coarse_run run = {};
  run.method = lists->method;
  run.bottom = bottom;
  run.level = lists->level + (from->index - lists->first);
  run.count = to - from->index + 1;
  run.visits = visits;
  run.lists = lists->memory;
  run.listed = lists->doubles;
  run.x = from->x;
  run.f = from->f;
  return run;
}

void launch_coarse(const hymgi_coarse_lists *lists, const hymgi_level *level, const coarse_run &run,
                   int blocks)
{
  hymgi_launch_shared(level->context, coarse_v_cycle, dim3((unsigned)blocks), dim3(COARSE_THREADS),
                      (size_t)lists->arena * sizeof(double), run);
}

/* ---- which kernel does a cycle; visits as in coarse_run ---- */

bool is_red_black(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits)
{
  (void)h, (void)l;
  return lists->red_black && visits < 2;
}

bool is_above_matrix(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits)
{
  (void)visits;
  return hymgi_coarse_above_matrix(lists, h->level + l, &h->matrix);
}

bool is_to_bottom(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits)
{
  (void)lists, (void)l, (void)visits;
  return has_bottom(h->options.bottom);
}

void run_red_black(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits)
{
  hymgi_coarse_launch_red_black(lists, h->level + l, h->options.bottom, visits == 0);
}

void run_above_matrix(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits)
{
  hymgi_coarse_launch_above_matrix(lists, h->level + l, visits == 0, &h->matrix);
}

void run_to_matrix(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits)
{
  const hymgi_coarse_matrix &m = h->matrix;
  coarse_run run = run_of(lists, h->level + l, m.level, h->options.bottom, visits);
  run.v = m.v;
  run.f_cycle = visits == 0 ? m.f : NULL;
  run.matrix_doubles = hymgi_matrix_doubles(h->level[m.level].cells);
  launch_coarse(lists, h->level + l, run, 1);
}

void run_to_bottom(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits)
{
  const coarse_run run = run_of(lists, h->level + l, lists->last, h->options.bottom, visits);
  launch_coarse(lists, h->level + l, run, 1);
}

/* The first row that matches does it; without one, the cycle goes on level by level. */
struct coarse_choice {
  hymgi_form form;
  bool matrix; /* ends with a coarse matrix */
  bool (*is_for)(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits);
  const char *name;
  void (*run)(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l, int visits);
};

/* clang-format off */
constexpr coarse_choice CYCLE[] = {
    {HYMGI_COARSE_ABOVE_MATRIX, true, is_above_matrix, "coarse_above_matrix", run_above_matrix},
    {HYMGI_COARSE_MATRIX, true, NULL, "coarse_v_cycle", run_to_matrix},
    {HYMGI_COARSE_RED_BLACK, false, is_red_black, "coarse_red_black", run_red_black},
    {HYMGI_COARSE_V_CYCLE, false, is_to_bottom, "coarse_v_cycle", run_to_bottom},
};
/* clang-format on */

const coarse_choice *choice_for(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l,
                                int visits, bool matrix)
{
  const auto takes = [&](hymgi_form form) {
    return hymgi_form_takes(h->context, form, h->level[l].cells);
  };
  if (matrix && !takes(HYMGI_COARSE_MATRIX)) return NULL;
  for (const coarse_choice &r : CYCLE)
    if (r.matrix == matrix && takes(r.form) && (!r.is_for || r.is_for(h, lists, l, visits)))
      return &r;
  return NULL;
}

const hymgi_coarse_lists *lists_of(const hymgi_hierarchy *h)
{
  const hymgi_attached *kept = (const hymgi_attached *)h->attached;
  return kept ? kept->coarse : NULL;
}

} /* namespace */

/* ---- the backend's entries ---- */

hymg_status hymgi_coarse_arena(hymg_context *context, int *doubles)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaFuncAttributes kernel = {};
  const cudaError_t error = cudaFuncGetAttributes(&kernel, coarse_v_cycle);
  *doubles = (context->gpu->shared_bytes - (int)kernel.sharedSizeBytes) / (int)sizeof(double);
  return hymgi_cuda_check(context, error, "the coarse end's shared memory");
}

bool hymgi_cuda_bottom(hymgi_level *level, hymg_bottom bottom)
{
  const hymgi_attached *kept = (const hymgi_attached *)level->attached;
  if (!kept || !kept->coarse || !has_bottom(bottom)) return false;
  launch_coarse(kept->coarse, level, run_of(kept->coarse, level, level->index, bottom, 0), 1);
  return true;
}

bool hymgi_cuda_coarse_end(hymgi_hierarchy *h, int l, int visits, bool from_zero)
{
  const hymgi_coarse_lists *lists = lists_of(h);
  if (h->method.robust && visits == 1) {
    hymgi_cuda_robust_cycle(h, l);
    return true;
  }
  if (lists && lists->octants && l == lists->first - 1)
    return hymgi_coarse_launch_octants(h, lists, visits, from_zero);
  if (!lists || l < lists->first || l >= lists->last) return false;
  const bool matrix = visits < 2 && hymgi_uses_matrix(h, l);
  const coarse_choice *const choice = choice_for(h, lists, l, visits, matrix);
  if (!choice) return false;
  choice->run(h, lists, l, visits);
  return true;
}

const char *hymgi_coarse_kernel(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l)
{
  if (l < lists->first) return "coarse_octants";
  const coarse_choice *const choice = choice_for(h, lists, l, 1, l < h->matrix.level);
  return choice ? choice->name : NULL;
}

bool hymgi_cuda_make_matrix(hymgi_hierarchy *h, int visits, double *matrix)
{
  const hymgi_coarse_lists *lists = lists_of(h);
  const hymgi_level *level = h->level + h->matrix.level;
  if (!lists || lists->first > level->index || !has_bottom(h->options.bottom)) return false;
  coarse_run run = run_of(lists, level, lists->last, h->options.bottom, visits);
  run.columns = matrix;
  run.method.bottom_goal = h->method.bottom_goal;
  launch_coarse(lists, level, run, (int)level->cells);
  return true;
}

void hymgi_cuda_coarse_multiply(const hymgi_level *level, const double *matrix, const ptrdiff_t *at)
{
  matrix_cells cells = {};
  cells.count = (int)level->cells;
  for (int c = 0; c < cells.count; c++)
    cells.at[c] = (int)at[c];
  hymgi_launch(level->context, coarse_multiply, dim3(1), dim3(COARSE_THREADS), matrix, level->f,
               level->x, cells);
}
