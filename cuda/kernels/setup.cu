/* Coefficients of a level on the device: boundaries folded into FV2's betas, beta ghosts of FV4,
 * exact diagonal, Gershgorin bound; restriction of face coefficients to the next coarser level;
 * checks of the user's values. */
#include "device/loops.cuh"
#include "device/reduce.cuh"
#include "kernels/kernels.h"
#include "kernels/setup.h"
#include "kernels/transfer/row_sums.cuh"
#include "runtime/launch.cuh"

extern "C" {
#include "formulas/coefficients.h"
#include "formulas/extrapolation.h"
}

namespace
{

/* A grid over planes of every box; blocks stride over the rows that do not fit. */
dim3 planes_grid(const hymgi_level *level, int planes)
{
  int n[3];
  int64_t most = 0;
  box_extent(level->box, level->num_boxes, n);
  for (int axis = 0; axis < 3; axis++) {
    const int64_t u = n[(axis + 1) % 3], v = n[(axis + 2) % 3], cells = u * v + (u > v ? u : v);
    if (cells > most) most = cells;
  }
  return dim3(blocks_for(most, ROW_THREADS), grid_share(level->num_boxes), (unsigned)planes);
}

/* ---- boundaries in the betas ---- */

__global__ void __launch_bounds__(ROW_THREADS)
    fv2_scale_boundaries(box_set boxes, operator_view v, double *bx, double *by, double *bz)
{
  let_successors_start();
  wait_for_predecessors();
  const int face = (int)blockIdx.z, axis = face / 2;
  const double weight = v.boundary_weight[face];
  double *const beta = axis == 0 ? bx : axis == 1 ? by : bz;
  each_box(boxes, [&](const hymgi_geom &g, int) {
    if (!(g.boundaries >> face & 1)) return;
    int n[3] = {g.n[0], g.n[1], g.n[2]};
    set_along(n, axis, 1);
    each_of_brick(n, [&](int i, int j, int k) {
      int at[3] = {i, j, k};
      if (face & 1) set_along(at, axis, along(g.n, axis));
      beta[hymgi_at(&g, at[0], at[1], at[2])] *= weight;
    });
  });
}

/* An array as a kernel's argument. */
struct three {
  int of[3];
};

/* The ghost of beta beyond a face, extrapolated from the cells inwards of `at`. */
__device__ __forceinline__ void beta_beyond(const hymgi_geom &g, int face, int dim, const int at[3],
                                            double *beta)
{
  const int axis = face / 2, step = face & 1 ? -1 : 1;
  const int boundary = face & 1 ? along(g.n, axis) - 1 : 0;
  int ijk[3] = {at[0], at[1], at[2]};
  double b[5] = {0};
  for (int m = 0; m < 5; m++) {
    set_along(ijk, axis, boundary + m * step);
    if (m < dim) b[m] = beta[hymgi_at(&g, ijk[0], ijk[1], ijk[2])];
  }
  set_along(ijk, axis, boundary - step);
  beta[hymgi_at(&g, ijk[0], ijk[1], ijk[2])] = hymgi_beta_beyond(dim, b);
}

/* Ghosts are extrapolated from faces inside the box: no ghost is read. */
__global__ void __launch_bounds__(ROW_THREADS)
    fv4_beta_ghosts(box_set boxes, three extrapolation_dim, double *bx, double *by, double *bz)
{
  let_successors_start();
  wait_for_predecessors();
  const int axis = (int)blockIdx.z / 6, face = (int)blockIdx.z % 6, t = face / 2;
  double *const beta = axis == 0 ? bx : axis == 1 ? by : bz;
  const int dim = along(extrapolation_dim.of, t);
  if (t == axis) return;
  each_box(boxes, [&](const hymgi_geom &g, int) {
    if (!(g.boundaries >> face & 1)) return;
    int n[3] = {g.n[0], g.n[1], g.n[2]};
    set_along(n, axis, along(n, axis) + 1);
    set_along(n, t, 1);
    each_of_brick(n, [&](int i, int j, int k) {
      const int at[3] = {i, j, k};
      beta_beyond(g, face, dim, at, beta);
    });
  });
}

/* The same of cells, next to all boundaries. */
__global__ void __launch_bounds__(ROW_THREADS)
    fv4_cell_ghosts(box_set boxes, three extrapolation_dim, double *x)
{
  let_successors_start();
  wait_for_predecessors();
  const int face = (int)blockIdx.z, t = face / 2;
  const int dim = along(extrapolation_dim.of, t);
  each_box(boxes, [&](const hymgi_geom &g, int) {
    if (!(g.boundaries >> face & 1)) return;
    int n[3] = {g.n[0], g.n[1], g.n[2]};
    set_along(n, t, 1);
    each_of_brick(n, [&](int i, int j, int k) {
      const int at[3] = {i, j, k};
      beta_beyond(g, face, dim, at, x);
    });
  });
}

/* FV4: fills the betas' ghosts. */
void continue_betas(const hymgi_level *level)
{
  double *const *beta = level->c.beta;
  const int *dim = level->extrapolation_dim;
  if (!beta[0] || level->num_boxes == 0) return;
  hymgi_launch(level->context, fv4_beta_ghosts, planes_grid(level, 18), dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), three{{dim[0], dim[1], dim[2]}}, beta[0],
               beta[1], beta[2]);
}

/* FV2: folds boundaries into the betas. */
void close_betas(hymgi_level *level)
{
  double *const *beta = level->c.beta;
  hymgi_fv2_boundaries(level);
  if (!beta[0] || level->num_boxes == 0) return;
  hymgi_launch(level->context, fv2_scale_boundaries, planes_grid(level, 6), dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), view_of(level), beta[0], beta[1], beta[2]);
  hymgi_cuda_robin_betas(level);
}

/* ---- diagonal and bound ---- */

/* Where the results of a cell go; either may be NULL. */
struct row_targets {
  double *dinv, *l1inv;
};

__device__ __forceinline__ void finish_row(const row_sums &s, const row_targets &to, ptrdiff_t at,
                                           double *bound)
{
  const double lambda = (s.diagonal + s.others) / s.diagonal;
  if (lambda > *bound) *bound = lambda;
  if (to.dinv) to.dinv[at] = 1 / s.diagonal;
  if (to.l1inv) to.l1inv[at] = hymgi_l1_scale(s.diagonal, s.others);
}

/* FV4: without the cells near ends. */
template <bool FV2, bool VARIABLE>
__global__ void __launch_bounds__(REDUCE_THREADS)
    scan(box_set boxes, operator_view v, const __grid_constant__ folding f, row_targets to,
         hymgi_reduction r)
{
  let_successors_start();
  wait_for_predecessors();
  double bound = 0;
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const place p = place_of(g, colour, t, j, k);
      if (!FV2 && (near_end(f, g, 0, p.i) || near_end(f, g, 1, p.j) || near_end(f, g, 2, p.k)))
        return;
      finish_row(FV2 ? fv2_row_sums<VARIABLE>(v, g, p) : fv4_row_sums<VARIABLE>(v, p), to, p.own,
                 &bound);
    });
  });
  reduce_max(r, bits_of(bound));
}

/* Those cells; each for the first axis (the grid's z) with an end near it. */
template <bool VARIABLE>
__global__ void __launch_bounds__(NEAR_THREADS, 4)
    fv4_scan_near(box_set boxes, operator_view v, const __grid_constant__ folding f, row_targets to,
                  hymgi_reduction r)
{
  __shared__ double point[FV4_POINTS * NEAR_THREADS];
  let_successors_start();
  wait_for_predecessors();
  const int axis = (int)blockIdx.z;
  double bound = 0;
  each_box(boxes, [&](const hymgi_geom &g, int) {
    int n[3] = {g.n[0], g.n[1], g.n[2]};
    const int count = near_count(f, g, axis);
    set_along(n, axis, count);
    each_of_brick(n, [&](int i, int j, int k) {
      int at[3] = {i, j, k};
      set_along(at, axis, near_index(g, axis, count, along(at, axis)));
      i = at[0], j = at[1], k = at[2];
      if ((axis > 0 && near_end(f, g, 0, i)) || (axis > 1 && near_end(f, g, 1, j))) return;
      const int colour = g.split ? (i + j + k + g.parity) & 1 : 0;
      const place p = place_of(g, colour, g.split ? i / 2 : i, j, k);
      finish_row(fv4_near_sums<VARIABLE>(v, f, g, p, point), to, p.own, &bound);
    });
  });
  reduce_max(r, bits_of(bound));
}

folding folding_of(const hymgi_level *level)
{
  folding f = {};
  for (int axis = 0; axis < 3; axis++)
    if (level->periodic >> axis & 1 && level->n[axis] < 2 * FV4_REACH + 1) f.wraps |= 1u << axis;
  for (int face = 0; face < 6; face++)
    for (int layer = 0; layer < 2; layer++)
      hymgi_ghost_weights(hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V4), layer + 1,
                          f.weight[face][layer]);
  return f;
}

double bound_of(const hymgi_level *level)
{
  const bool fv2 = level->op->stencil == HYMG_FV2, variable = level->c.beta[0];
  const row_targets to = {level->c.dinv, level->c.l1inv};
  const folding f = fv2 ? folding{} : folding_of(level);
  const box_set boxes = box_set_of(level->box, level->num_boxes);
  hymg_context *const context = level->context;
  const hymgi_reduction &r = context->gpu->reduction;
  with_bools(
      [&](auto of_fv2, auto of_variable) {
        launch_reduction(level, scan<of_fv2, of_variable>, view_of(level), f, to);
      },
      fv2, variable);
  const double inner = reduced_max(context);
  bool ends = f.wraps != 0;
  for (int b = 0; b < level->num_boxes; b++)
    ends = ends || level->box[b].boundaries;
  if (fv2 || !ends) return inner;
  hymgi_launch(context, variable ? fv4_scan_near<true> : fv4_scan_near<false>,
               planes_grid(level, 3), dim3(NEAR_THREADS), boxes, view_of(level), f, to, r);
  const double outer = reduced_max(context);
  return outer > inner ? outer : inner;
}

/* ---- restriction ---- */

__global__ void __launch_bounds__(ROW_THREADS)
    restrict_axis(box_set boxes, box_set patches, int axis, const double *fine, double *coarse)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(boxes, [&](const hymgi_geom &g, int q) {
    const hymgi_geom patch = box_at(patches, q);
    int n[3] = {patch.n[0], patch.n[1], patch.n[2]};
    set_along(n, axis, along(n, axis) + 1);
    each_of_brick(n, [&](int i, int j, int k) {
      coarse[hymgi_at(&patch, i, j, k)] = hymgi_mean_face(&g, axis, fine, i, j, k);
    });
  });
}

/* ---- the user's values ---- */

enum { FOUND = 3 };

/* Word 0: the largest valid value among the first `limit` entries; word 1: the number of the first
 * invalid one, inverted so that the first is the largest; word 2: the least valid value, likewise. */
__global__ void __launch_bounds__(REDUCE_THREADS)
    look_at(hymgi_geom g, three n, hymgi_valid valid, int64_t limit, const double *data,
            hymgi_reduction r)
{
  let_successors_start();
  wait_for_predecessors();
  unsigned long long mine[FOUND] = {0, 0, 0};
  each_of_brick(n.of, [&](int i, int j, int k) {
    const int64_t number = ((int64_t)k * n.of[1] + j) * n.of[0] + i;
    if (number >= limit) return;
    const double v = data[hymgi_at(&g, i, j, k)];
    if (hymgi_is_valid(valid, v)) {
      if (isnan(v)) return;
      mine[0] = larger(mine[0], bits_of(v));
      mine[2] = larger(mine[2], ~bits_of(v));
    } else {
      mine[1] = larger(mine[1], ~(unsigned long long)number);
    }
  });
  reduce_words<false>(r, mine);
}

} /* namespace */

extern "C" hymg_status hymgi_cuda_finish_coefficients(hymgi_level *level)
{
  if (level->op->stencil == HYMG_FV2)
    close_betas(level);
  else
    continue_betas(level);
  level->lambda_max = level->num_boxes ? bound_of(level) : 0;
  return level->context->status;
}

/* Of FV2 its layers need nothing but the owners' coefficients. */
extern "C" hymg_status hymgi_cuda_finish_layers(hymgi_level *view)
{
  if (view->op->stencil == HYMG_FV4) continue_betas(view);
  return view->context->status;
}

extern "C" void hymgi_cuda_continue_cells(const hymgi_level *level, double *x)
{
  const int *dim = level->extrapolation_dim;
  hymgi_launch(level->context, fv4_cell_ghosts, planes_grid(level, 6), dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), three{{dim[0], dim[1], dim[2]}}, x);
}

extern "C" void hymgi_cuda_restrict_faces(const hymgi_level *level, int axis, const double *fine,
                                          const hymgi_geom *patch, double *coarse)
{
  hymgi_launch(level->context, restrict_axis, cells_grid(level), dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), box_set_of(patch, level->num_boxes), axis,
               fine, coarse);
}

/* Invalid values are rare: only then a second pass finds the largest value before. */
extern "C" void hymgi_cuda_examine(const hymgi_level *view, const hymgi_geom *box, const int n[3],
                                   hymgi_valid valid, const double *data, hymgi_finding *finding)
{
  hymg_context *const context = view->context;
  const hymgi_reduction &r = context->gpu->reduction;
  const three e = {{n[0], n[1], n[2]}};
  const int64_t count = (int64_t)n[0] * n[1] * n[2];
  const dim3 grid(blocks_for(count, 8 * REDUCE_THREADS));
  *finding = {};
  finding->least = (double)INFINITY;
  if (count == 0) return;
  hymgi_launch(context, look_at, grid, dim3(REDUCE_THREADS), *box, e, valid, count, data, r);
  unsigned long long found[FOUND];
  if (!hymgi_device_result(context, FOUND, found)) return;
  memcpy(&finding->largest, found, sizeof *found);
  const unsigned long long least = ~found[2];
  if (found[1] == 0) memcpy(&finding->least, &least, sizeof least);
  if (found[1] == 0) return;
  const int64_t first = (int64_t)~found[1];
  hymgi_launch(context, look_at, grid, dim3(REDUCE_THREADS), *box, e, valid, first, data, r);
  if (!hymgi_device_result(context, FOUND, found)) return;
  memcpy(&finding->largest, found, sizeof *found);
  finding->bad = true;
  finding->at[0] = (int)(first % n[0]);
  finding->at[1] = (int)(first / n[0] % n[1]);
  finding->at[2] = (int)(first / n[0] / n[1]);
  hymgi_cuda_copy(context, data + hymgi_at(box, finding->at[0], finding->at[1], finding->at[2]),
                  &finding->value, 1);
}
