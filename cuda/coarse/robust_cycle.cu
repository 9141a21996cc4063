/* The coarse end of the robust path: a V-cycle from a small level down in one launch of one thread block,
 * with any sizes, axes and boundaries. The vectors stay in global memory, which is in the caches; the
 * formulas are those of the other kernels, a cell a thread. */
#include "coarse/robust_cycle.h"

#include "device/stencil_access.cuh"

extern "C" {
#include "formulas/conductance.h"
}

namespace
{

/* More cells take longer than a launch for each step does (measured on an H200). */
enum { THREADS = 512, MOST_LEVELS = 12, MOST_CELLS = 512 };

struct small_level {
  hymgi_geom g, patch;
  operator_view v;
  const double *weight[3];
  double *x, *y, *f;
  unsigned coarsened, periodic;
  int sweeps; /* half sweeps of a smoother call */
  bool apart; /* neighbours have different colours */
  bool red;   /* after smoothing only red cells have a residual */
};

struct small_levels {
  int count;
  bool singular;
  small_level of[MOST_LEVELS];
};

/* each(i, j, k) for n[0] n[1] n[2] entries. */
template <typename Each>
__device__ __forceinline__ void each_of(int nx, int ny, int nz, const Each &each)
{
  for (int m = (int)threadIdx.x; m < nx * ny * nz; m += THREADS)
    each(m % nx, m / nx % ny, m / nx / ny);
}

__device__ __forceinline__ place cell_place(const hymgi_geom &g, int i, int j, int k)
{
  return g.split ? place_of(g, (i + j + k + g.parity) & 1, i / 2, j, k) : place_of(g, 0, i, j, k);
}

/* Copies what lies across the ends of periodic axes to the ghosts of x. */
__device__ void wrap(const small_level &l, double *x)
{
  const hymgi_geom &g = l.g;
  for (int axis = 0; axis < 3; axis++) {
    if (!(l.periodic >> axis & 1)) continue;
    const int n = axis == 0 ? g.n[0] : axis == 1 ? g.n[1] : g.n[2];
    each_of(axis == 0 ? 2 : g.n[0], axis == 1 ? 2 : g.n[1], axis == 2 ? 2 : g.n[2],
            [&](int i, int j, int k) {
              const int side = axis == 0 ? i : axis == 1 ? j : k;
              const int from = side ? 0 : n - 1, to = side ? n : -1;
              x[hymgi_at(&g, axis == 0 ? to : i, axis == 1 ? to : j, axis == 2 ? to : k)] =
                  x[hymgi_at(&g, axis == 0 ? from : i, axis == 1 ? from : j, axis == 2 ? from : k)];
            });
  }
  __syncthreads();
}

/* ---- smoother ---- */

__device__ void half_sweep(const small_level &l, const hymgi_geom &g, int colour, bool from_zero)
{
  each_of((g.n[0] + 1) / 2, g.n[1], g.n[2], [&](int t, int j, int k) {
    const int i = 2 * t + hymgi_first(&g, colour, j, k);
    if (i >= g.n[0]) return;
    const place p = cell_place(g, i, j, k);
    const fv2_betas b = fv2_load_betas<true>(l.v, g, p);
    fv2_values x = {};
    if (!from_zero) x = fv2_load_neighbours(l.v, g, p, l.x);
    l.x[p.own] = fv2_gsrb(l.v, b, x, l.f[p.own], l.v.has_alpha ? alpha_at(l.v, p.own) : 0);
  });
  __syncthreads();
}

__device__ void smooth(const small_level &l, bool from_zero, bool transposed)
{
  hymgi_geom g = l.g;
  if (transposed) g.parity ^= 1, g.base += g.half, g.half = -g.half;
  if (from_zero && !l.apart) {
    each_of(l.g.n[0], l.g.n[1], l.g.n[2],
            [&](int i, int j, int k) { l.x[hymgi_at(&l.g, i, j, k)] = 0; });
    __syncthreads();
    from_zero = false;
  }
  for (int s = 0; s < l.sweeps; s++) {
    if (l.periodic && (s > 0 || !from_zero)) wrap(l, l.x);
    half_sweep(l, g, s & 1, from_zero && s == 0);
  }
}

/* ---- transfers ---- */

__device__ void residual(const small_level &l)
{
  const hymgi_geom &g = l.g;
  if (l.periodic) wrap(l, l.x);
  each_of(g.n[0], g.n[1], g.n[2], [&](int i, int j, int k) {
    const place p = cell_place(g, i, j, k);
    if (l.red && ((i + j + k + g.parity) & 1)) return;
    const fv2_betas b = fv2_load_betas<true>(l.v, g, p);
    fv2_values x = fv2_load_neighbours(l.v, g, p, l.x);
    x.c = l.x[p.own];
    l.y[p.own] = fv2_residual(l.v, b, x, l.f[p.own], l.v.has_alpha ? alpha_at(l.v, p.own) : 0);
  });
  __syncthreads();
  if (l.periodic) wrap(l, l.y);
}

/* Collects for a coarse cell, in the order of kernels/robust/restrict.cu. */
struct small_collector {
  const small_level &l;
  int i, rows, planes;
  bool halved, single;
  double even = 0, odd = 0, below = 0, above = 0;

  __device__ __forceinline__ small_collector(const small_level &level, int I, int J, int K)
      : l(level), i(hymgi_first_child(l.coarsened, 0, I)),
        rows(hymgi_children(l.coarsened, &l.g, 1, J)),
        planes(hymgi_children(l.coarsened, &l.g, 2, K)), halved(l.coarsened & 1),
        single(i + 1 == l.g.n[0])
  {
  }
  __device__ __forceinline__ bool counts(int i_, int j, int k) const
  {
    return !l.red || ((i_ + j + k + l.g.parity) & 1) == 0;
  }
  __device__ __forceinline__ double weight(int axis, ptrdiff_t at) const
  {
    const double *const w = axis == 0 ? l.weight[0] : axis == 1 ? l.weight[1] : l.weight[2];
    return w ? __ldg(w + at) : 0;
  }
  __device__ __forceinline__ void keep(int i_, int j, int k, double *sum) const
  {
    if (!counts(i_, j, k)) return;
    const ptrdiff_t at = hymgi_at(&l.g, i_, j, k);
    const double part = hymgi_kept_part(weight(0, at), weight(1, at), weight(2, at));
    *sum = hymgi_fma(part, l.y[at], *sum);
  }
  __device__ __forceinline__ void take(int axis, int i_, int j, int k, double *sum) const
  {
    if (!counts(i_, j, k)) return;
    const ptrdiff_t at = hymgi_at(&l.g, i_, j, k);
    *sum = hymgi_fma(weight(axis, at), l.y[at], *sum);
  }
  __device__ __forceinline__ void add_children(int j, int k)
  {
    keep(i, j, k, &even);
    if (!halved) return;
    if (!single) keep(i + 1, j, k, &odd);
    if (!l.weight[0]) return;
    const int end = single ? i + 1 : i + 2;
    if (i > 0 || !(l.g.boundaries & 1)) take(0, i - 1, j, k, &below);
    if (end < l.g.n[0] || !(l.g.boundaries >> 1 & 1)) take(0, end, j, k, &above);
  }
  __device__ __forceinline__ void add_neighbour(int axis, int j, int k)
  {
    const int at = axis == 1 ? j : k, n = axis == 1 ? l.g.n[1] : l.g.n[2];
    if (at < 0 && (l.g.boundaries >> (2 * axis) & 1)) return;
    if (at >= n && (l.g.boundaries >> (2 * axis + 1) & 1)) return;
    take(axis, i, j, k, &even);
    if (halved && !single) take(axis, i + 1, j, k, &odd);
  }
  __device__ __forceinline__ double sum(int j, int k)
  {
    for (int c = 0; c < planes; c++)
      for (int b = 0; b < rows; b++)
        add_children(j + b, k + c);
    for (int c = 0; c < planes && l.weight[1]; c++) {
      add_neighbour(1, j - 1, k + c);
      add_neighbour(1, j + rows, k + c);
    }
    for (int b = 0; b < rows && l.weight[2]; b++) {
      add_neighbour(2, j + b, k - 1);
      add_neighbour(2, j + b, k + planes);
    }
    if (!halved) return even;
    return l.weight[0] ? hymgi_coarse_sum(even, odd, below, above) : single ? even : even + odd;
  }
};

__device__ void restrict_to(const small_level &l, double *coarse)
{
  const hymgi_geom &patch = l.patch;
  each_of(patch.n[0], patch.n[1], patch.n[2], [&](int I, int J, int K) {
    small_collector c(l, I, J, K);
    coarse[hymgi_at(&patch, I, J, K)] =
        c.sum(hymgi_first_child(l.coarsened, 1, J), hymgi_first_child(l.coarsened, 2, K));
  });
  __syncthreads();
}

/* Adds what a cell takes from its parent and the parent's neighbours. */
__device__ void interpolate_from(const small_level &l, const double *coarse)
{
  const hymgi_geom &g = l.g, &patch = l.patch;
  each_of(g.n[0], g.n[1], g.n[2], [&](int i, int j, int k) {
    const int at[3] = {i, j, k}, own[3] = {l.coarsened & 1 ? i / 2 : i, l.coarsened & 2 ? j / 2 : j,
                                           l.coarsened & 4 ? k / 2 : k};
    const ptrdiff_t cell = hymgi_at(&g, i, j, k);
    const double parent = coarse[hymgi_at(&patch, own[0], own[1], own[2])];
    double e = parent;
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      if (!l.weight[axis]) continue;
      const int odd = at[axis] & 1, step = odd ? 1 : -1;
      double next = 0;
      if (!hymgi_ends(&patch, axis, odd, own[axis]))
        next = coarse[hymgi_at(&patch, own[0] + (axis == 0 ? step : 0),
                               own[1] + (axis == 1 ? step : 0), own[2] + (axis == 2 ? step : 0))];
      e = hymgi_fma(__ldg(l.weight[axis] + cell), next - parent, e);
    }
    l.x[cell] += e;
  });
  __syncthreads();
}

/* ---- the cycle ---- */

__device__ void solve_bottom(const small_level &l, bool singular)
{
  each_of(l.g.n[0], l.g.n[1], l.g.n[2], [&](int i, int j, int k) {
    const place p = cell_place(l.g, i, j, k);
    const fv2_betas b = fv2_load_betas<true>(l.v, l.g, p);
    l.x[p.own] = singular ? 0 : l.f[p.own] / fv2_diagonal(l.v, b, alpha_at(l.v, p.own));
  });
  __syncthreads();
}

__global__ void __launch_bounds__(THREADS) robust_v_cycle(const __grid_constant__ small_levels a)
{
  let_successors_start();
  wait_for_predecessors();
  const int bottom = a.count - 1;
  for (int l = 0; l < bottom; l++) {
    smooth(a.of[l], true, false);
    residual(a.of[l]);
    restrict_to(a.of[l], a.of[l + 1].f);
  }
  solve_bottom(a.of[bottom], a.singular);
  for (int l = bottom - 1; l >= 0; l--) {
    const small_level &coarse = a.of[l + 1];
    if (coarse.periodic) wrap(coarse, coarse.x);
    interpolate_from(a.of[l], coarse.x);
    smooth(a.of[l], false, true);
  }
}

/* Is the level in the kernel's scope? A periodic axis of one cell couples nothing. */
bool fits(const hymgi_level *level, const hymgi_backend *fine)
{
  for (int axis = 0; axis < 3; axis++)
    if ((level->periodic >> axis & 1) && level->n[axis] % 2 && level->n[axis] > 1) return false;
  return level->backend == fine && level->num_boxes == 1 && hymgi_is_alone(level) &&
         level->cells <= MOST_CELLS && (level->direct || !level->coarsened) &&
         level->method->variable_beta && hymgi_line_axis(level) < 0;
}

small_level small_level_of(const hymgi_level *level)
{
  small_level l = {};
  l.g = level->box[0];
  if (level->patch) l.patch = level->patch[0];
  l.v = view_of(level);
  for (int axis = 0; axis < 3; axis++)
    l.weight[axis] = level->transfer->weights ? level->weight[axis] : NULL;
  l.x = level->x, l.y = level->y, l.f = level->f;
  l.coarsened = level->coarsened, l.periodic = level->periodic;
  l.apart = hymgi_keeps_colours_apart(level);
  l.sweeps = hymgi_sweeps(level);
  l.red = l.apart && l.sweeps % 2 == 0;
  return l;
}

} /* namespace */

extern "C" int hymgi_cuda_robust_tail(const hymgi_hierarchy *h)
{
  const int64_t wanted = h->options.tail_cells, below = wanted < 0 ? MOST_CELLS + 1 : wanted;
  int first = h->num_levels;
  if (!hymgi_form_takes(h->context, HYMGI_ROBUST_V_CYCLE, h->level[first - 1].cells)) return first;
  if (h->method.smoother != HYMG_GSRB || h->options.cycle != HYMG_CYCLE_V ||
      h->method.transfer->series)
    return first;
  while (first > 0 && h->num_levels - first < MOST_LEVELS && h->level[first - 1].cells < below &&
         fits(h->level + first - 1, h->placement.fine))
    first--;
  return first < h->num_levels - 1 ? first : h->num_levels;
}

extern "C" void hymgi_cuda_robust_cycle(const hymgi_hierarchy *h, int l)
{
  small_levels a = {};
  a.count = h->num_levels - l;
  a.singular = h->method.singular;
  for (int m = 0; m < a.count; m++)
    a.of[m] = small_level_of(h->level + l + m);
  hymgi_launch(h->context, robust_v_cycle, dim3(1), dim3(THREADS), a);
}
