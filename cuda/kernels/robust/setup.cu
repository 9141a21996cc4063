/* Set-up of the robust path on the device: couplings, weights of the transfers, coarse conductances;
 * and the fluxes of FV2. One cell a thread, by the formulas that the host uses. */
#include "device/reduce.cuh"
#include "kernels/kernels.h"
#include "kernels/robust/each.cuh"
#include "kernels/setup.h"

extern "C" {
#include "base/exact_sum.h"
#include "formulas/flux.h"
#include "formulas/limiter.h"
#include "formulas/noise.h"
}

namespace
{

/* ---- on the cells of a level ---- */

struct share_of_axis {
  int axis;
  hymgi_conductances c;
  double *out;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    out[hymgi_at(&g, i, j, k)] = hymgi_share(&c, &g, axis, i, j, k);
  }
};

struct resistance_along {
  int axis;
  hymgi_conductances c;
  const double *part;
  double *out;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    with_axis(axis, [&](auto of) {
      out[hymgi_at(&g, i, j, k)] = hymgi_cell_resistance(&c, &g, of, part, i, j, k);
    });
  }
};

struct times_volume {
  hymgi_metric m;
  bool divide;
  double *x;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    const double volume = hymgi_volume(&m, &g, i, j, k);
    double *const v = x + hymgi_at(&g, i, j, k);
    *v = divide ? *v / volume : *v * volume;
  }
};

/* ---- weights ---- */

struct weight_args {
  box_set boxes;
  operator_view v;
  unsigned coarsened;
  bool tensor;
  const double *part[3], *resistance[3];
  double *weight[3];
};

/* The place of an offset along an axis, both literals. */
__device__ __forceinline__ ptrdiff_t along_axis(const place &p, int axis, int offset)
{
  return at(p, axis == 0 ? offset : 0, axis == 1 ? offset : 0, axis == 2 ? offset : 0);
}

/* The resistances of a cell (inner) and of the next one away from its sibling (outer). second: the
 * cell is the second child; the next one's sibling lies behind it. LONE: of a box without neighbours,
 * computed from the conductances; sibling: that of the face between the siblings. */
template <bool LONE>
__device__ __forceinline__ void resistances_at(const weight_args &a, const hymgi_geom &g,
                                               const place &p, int axis, bool second,
                                               double sibling, double *inner, double *outer)
{
  const int index = hymgi_index_along(axis, p.i, p.j, p.k), next = second ? 1 : -1;
  const double *const part = a.part[axis] + along(g.low, axis) + index;
  const bool ends = hymgi_ends(&g, axis, second, index);
  *inner = LONE ? hymgi_resistance(*part, sibling) : a.resistance[axis][p.own];
  *outer = 0;
  if (ends) return;
  const ptrdiff_t up = along_axis(p, axis, LONE ? 2 : 1), down = along_axis(p, axis, -1);
  *outer = LONE ? hymgi_resistance(part[next], __ldg(a.v.beta[axis] + (second ? up : down)))
                : a.resistance[axis][second ? up : down];
}

/* As hymgi_cell_weight, along all axes that are halved. */
template <bool LONE>
__device__ __forceinline__ void weigh_cell(const weight_args &a, const hymgi_geom &g,
                                           const place &p)
{
  const fv2_betas b = fv2_load_betas<true>(a.v, g, p);
  const double low[3] = {b.w, b.s, b.d}, high[3] = {b.e, b.n, b.u};
  double largest = 0;
#pragma unroll
  for (int axis = 0; axis < 3; axis++)
    if (a.coarsened >> axis & 1 && low[axis] + high[axis] > largest)
      largest = low[axis] + high[axis];
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    if (!(a.coarsened >> axis & 1)) continue;
    const bool second = (along(g.low, axis) + hymgi_index_along(axis, p.i, p.j, p.k)) & 1;
    double inner, outer;
    resistances_at<LONE>(a, g, p, axis, second, second ? low[axis] : high[axis], &inner, &outer);
    a.weight[axis][p.own] = hymgi_weight_between(a.tensor, inner, second ? high[axis] : low[axis],
                                                 outer, low[axis] + high[axis], largest);
  }
}

template <bool LONE>
__global__ void __launch_bounds__(ROW_THREADS) weigh(const __grid_constant__ weight_args a)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(a.boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      weigh_cell<LONE>(a, g, place_of(g, colour, t, j, k));
    });
  });
}

/* ---- reductions ---- */

/* A cell's conductances without those at domain boundaries. */
__device__ __forceinline__ fv2_betas betas_inside(const operator_view &v, const hymgi_geom &g,
                                                  const place &p)
{
  fv2_betas b = fv2_load_betas<true>(v, g, p);
  if (at_boundary(g, 0, p.i)) b.w = 0;
  if (at_boundary(g, 1, p.i)) b.e = 0;
  if (at_boundary(g, 2, p.j)) b.s = 0;
  if (at_boundary(g, 3, p.j)) b.n = 0;
  if (at_boundary(g, 4, p.k)) b.d = 0;
  if (at_boundary(g, 5, p.k)) b.u = 0;
  return b;
}

/* As hymgi_share, along all axes; pivot: that of lines, or NULL. */
__global__ void __launch_bounds__(REDUCE_THREADS)
    sum_shares(box_set boxes, operator_view v, const double *pivot, hymgi_sum_scale scale,
               hymgi_reduction r)
{
  let_successors_start();
  wait_for_predecessors();
  int64_t words[3 * HYMGI_SUM_RESULT] = {0};
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const place p = place_of(g, colour, t, j, k);
      if (pivot && pivot[p.own] != 0) return;
      const fv2_betas b = betas_inside(v, g, p);
      const double along[3] = {b.w + b.e, b.s + b.n, b.d + b.u},
                   sum = (along[0] + along[1]) + along[2];
#pragma unroll
      for (int axis = 0; axis < 3; axis++)
        hymgi_sum_add(hymgi_part_of(along[axis], sum), &scale, words + axis * HYMGI_SUM_RESULT);
    });
  });
  reduce_sum(r, words);
}

struct beta_steps {
  hymgi_conductances c;
  __device__ __forceinline__ double operator()(const hymgi_geom &g, int axis, int i, int j,
                                               int k) const
  {
    return hymgi_step(&c, &g, axis, i, j, k);
  }
};

struct alpha_steps {
  hymgi_reaction r;
  __device__ __forceinline__ double operator()(const hymgi_geom &g, int axis, int i, int j,
                                               int k) const
  {
    return hymgi_alpha_step(&r, &g, axis, i, j, k);
  }
};

template <typename Steps>
__global__ void __launch_bounds__(REDUCE_THREADS)
    find_largest_step(box_set boxes, const __grid_constant__ Steps step, hymgi_reduction r)
{
  let_successors_start();
  wait_for_predecessors();
  unsigned long long largest = 0;
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const int i = g.split ? 2 * t + hymgi_first(&g, colour, j, k) : t;
#pragma unroll
      for (int axis = 0; axis < 3; axis++)
        largest = larger(largest, bits_of(step(g, axis, i, j, k)));
    });
  });
  reduce_max(r, largest);
}

template <typename Steps> double largest_of(const hymgi_level *level, const Steps &steps)
{
  if (!launch_reduction(level, find_largest_step<Steps>, steps)) return 1;
  return reduced_max(level->context);
}

struct noise_of_cell {
  int seed;
  double *x;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    x[hymgi_at(&g, i, j, k)] = hymgi_noise(&g, i, j, k, seed);
  }
};

/* ---- on faces and coarse cells ---- */

/* A kernel for each axis: one for all of them spills. */
template <int AXIS> struct coarse_face {
  hymgi_coarse_rule rule;
  const double *fine;
  double *coarse;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, const hymgi_geom &patch, int i,
                                             int j, int k) const
  {
    const int face = patch.low[AXIS] + hymgi_index_along(AXIS, i, j, k);
    coarse[hymgi_at(&patch, i, j, k)] = hymgi_coarse_face(&rule, &g, AXIS, face, fine, i, j, k);
  }
};

struct times_face_scale {
  int axis;
  hymgi_metric m;
  double *beta;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, const hymgi_geom &, int i, int j,
                                             int k) const
  {
    with_axis(axis, [&](auto of) {
      beta[hymgi_at(&g, i, j, k)] *= hymgi_face_scale(&m, &g, of, i, j, k);
    });
  }
};

struct mark_jump {
  int axis;
  double limit;
  const double *faces;
  double *beta;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, const hymgi_geom &, int i, int j,
                                             int k) const
  {
    const int at[3] = {i, j, k};
    with_axis(axis, [&](auto of) {
      if (hymgi_is_at_jump(&g, of, at, limit, faces)) beta[hymgi_at(&g, i, j, k)] *= -1;
    });
  }
};

struct closed_cell {
  double *beta[3], *closed;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    closed[hymgi_at(&g, i, j, k)] = !hymgi_is_open(&g, beta, i, j, k);
  }
};

struct mark_near_closed {
  int axis;
  const double *closed;
  double *beta;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, const hymgi_geom &, int i, int j,
                                             int k) const
  {
    const int at[3] = {i, j, k};
    double *const own = beta + hymgi_at(&g, i, j, k);
    if (hymgi_is_near_closed(&g, axis, at, closed)) *own = -fabs(*own);
  }
};

struct spread_mark {
  int axis;
  const double *faces;
  double *beta;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, const hymgi_geom &, int i, int j,
                                             int k) const
  {
    const int at[3] = {i, j, k};
    double *const own = beta + hymgi_at(&g, i, j, k);
    with_axis(axis, [&](auto of) {
      if (hymgi_is_near_mark(&g, of, at, faces)) *own = -fabs(*own);
    });
  }
};

struct flux_of_face {
  int axis;
  hymgi_flux_view v;
  double *out;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, const hymgi_geom &, int i, int j,
                                             int k) const
  {
    with_axis(axis, [&](auto of) { out[hymgi_at(&g, i, j, k)] = hymgi_flux(&v, &g, of, i, j, k); });
  }
};

} /* namespace */

extern "C" void hymgi_cuda_shares(const hymgi_level *level, int axis, double *out)
{
  for_each_cell(level, share_of_axis{axis, hymgi_conductances_of(level), out});
}

extern "C" void hymgi_cuda_share_sums(const hymgi_level *level, int bits, int64_t *words)
{
  if (launch_reduction(level, sum_shares, view_of(level), level->line.on ? level->line.pivot : NULL,
                       hymgi_sum_scale_of(HYMGI_SHARE_EXPONENT, bits)))
    hymgi_cuda_words(level->context, 3, words);
}

extern "C" double hymgi_cuda_largest_step(const hymgi_level *level)
{
  return largest_of(level, beta_steps{hymgi_conductances_of(level)});
}

extern "C" double hymgi_cuda_alpha_step(const hymgi_level *level)
{
  return largest_of(level, alpha_steps{hymgi_reaction_of(level)});
}

extern "C" void hymgi_cuda_noise(const hymgi_level *level, int seed, double *x)
{
  for_each_cell(level, noise_of_cell{seed, x});
}

extern "C" void hymgi_cuda_resistances(const hymgi_level *level, int axis, double *out)
{
  for_each_cell(level,
                resistance_along{axis, hymgi_conductances_of(level), level->axis[axis].part, out});
}

extern "C" void hymgi_cuda_weights(const hymgi_level *level, double *const resistance[3])
{
  weight_args a = {};
  a.boxes = box_set_of(level->box, level->num_boxes);
  a.v = view_of(level);
  a.coarsened = level->coarsened;
  a.tensor = level->transfer->series;
  bool lone = true;
  for (int axis = 0; axis < 3; axis++) {
    a.part[axis] = level->axis[axis].part;
    a.resistance[axis] = resistance[axis];
    a.weight[axis] = level->weight[axis];
    lone = lone && !resistance[axis];
  }
  hymgi_launch(level->context, lone ? weigh<true> : weigh<false>, cells_grid(level),
               dim3(ROW_THREADS), a);
}

extern "C" void hymgi_cuda_coarse_faces(const hymgi_level *level, int axis, const double *fine,
                                        const hymgi_geom *patch, double *coarse)
{
  const hymgi_coarse_rule rule = hymgi_coarse_rule_of(level, axis);
  if (axis == 0)
    for_each_face(axis, level, patch, coarse_face<0>{rule, fine, coarse});
  else if (axis == 1)
    for_each_face(axis, level, patch, coarse_face<1>{rule, fine, coarse});
  else
    for_each_face(axis, level, patch, coarse_face<2>{rule, fine, coarse});
}

extern "C" void hymgi_cuda_scale_faces(const hymgi_level *level, int axis, double *beta)
{
  for_each_face(axis, level, level->box, times_face_scale{axis, hymgi_metric_of(level), beta});
}

extern "C" void hymgi_cuda_mark_jumps(const hymgi_level *level, int axis, double limit,
                                      const double *faces, double *beta)
{
  if (level->num_boxes == 0) return;
  for_each_face(axis, level, level->box, mark_jump{axis, limit, faces, beta});
}

extern "C" void hymgi_cuda_find_closed(const hymgi_level *level, double *closed)
{
  double *const *const beta = level->c.beta;
  if (level->num_boxes) for_each_cell(level, closed_cell{{beta[0], beta[1], beta[2]}, closed});
}

extern "C" void hymgi_cuda_mark_near_closed(const hymgi_level *level, int axis,
                                            const double *closed, double *beta)
{
  if (level->num_boxes == 0) return;
  for_each_face(axis, level, level->box, mark_near_closed{axis, closed, beta});
}

extern "C" void hymgi_cuda_spread_marks(const hymgi_level *level, int axis, const double *faces,
                                        double *beta)
{
  if (level->num_boxes == 0) return;
  for_each_face(axis, level, level->box, spread_mark{axis, faces, beta});
}

extern "C" void hymgi_cuda_scale_volumes(const hymgi_level *level, bool divide, double *x)
{
  for_each_cell(level, times_volume{hymgi_metric_of(level), divide, x});
}

/* A launch for each box, as each has boundary data of its own. */
extern "C" void hymgi_cuda_fluxes(const hymgi_level *level, int axis, const double *x, double *out)
{
  for (int b = 0; b < level->num_boxes; b++) {
    hymgi_level one = *level;
    one.box += b, one.num_boxes = 1;
    for_each_face(axis, &one, one.box,
                  flux_of_face{axis, hymgi_flux_view_of(level, b, axis, x), out});
  }
}
