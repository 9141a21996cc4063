/* Vector operations on the device, on cells only (ghosts untouched), and reductions whose results
 * do not depend on the order. */
#include "device/loops.cuh"
#include "device/reduce.cuh"
#include "kernels/kernels.h"

extern "C" {
#include "base/exact_sum.h"
}

namespace
{

/* ---- whole vectors, ghosts included ---- */

template <bool ZERO>
__global__ void __launch_bounds__(ROW_THREADS)
    scale_entries(double factor, double *x, int64_t count)
{
  let_successors_start();
  wait_for_predecessors();
  const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (t < count) x[t] = ZERO ? 0 : factor * x[t];
}

/* ---- cells ---- */

/* z = a, x, x + a, x y, a x + b y */
enum cell_job { FILL, COPY, SHIFT, MULTIPLY, COMBINE };

struct cell_args {
  const double *x, *y;
  double *z;
  double a, b;
};

template <cell_job JOB>
__global__ void __launch_bounds__(ROW_THREADS)
    on_cells(box_set boxes, const __grid_constant__ cell_args c)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const ptrdiff_t at = hymgi_row(&g, colour, j, k) + t;
      c.z[at] = JOB == FILL       ? c.a
                : JOB == COPY     ? c.x[at]
                : JOB == SHIFT    ? c.x[at] + c.a
                : JOB == MULTIPLY ? c.x[at] * c.y[at]
                                  : hymgi_fma(c.a, c.x[at], c.b * c.y[at]);
    });
  });
}

template <cell_job JOB> void for_cells(const hymgi_level *level, const cell_args &c)
{
  hymgi_launch(level->context, on_cells<JOB>, cells_grid(level), dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), c);
}

template <bool VARIABLE>
__global__ void __launch_bounds__(ROW_THREADS)
    divide_by_diagonal(box_set boxes, operator_view v, const double *r, double *z)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const place p = place_of(g, colour, t, j, k);
      const fv2_betas b = fv2_load_betas<VARIABLE>(v, g, p);
      z[p.own] = r[p.own] / fv2_diagonal(v, b, alpha_at(v, p.own));
    });
  });
}

/* ---- reductions ---- */

template <bool PRODUCT>
__global__ void __launch_bounds__(REDUCE_THREADS)
    largest_cell(box_set boxes, const double *x, const double *y, hymgi_reduction r)
{
  let_successors_start();
  wait_for_predecessors();
  unsigned long long mine = 0;
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const ptrdiff_t at = hymgi_row(&g, colour, j, k) + t;
      mine = larger(mine, bits_of(PRODUCT ? x[at] * y[at] : x[at]));
    });
  });
  reduce_max(r, mine);
}

template <bool PRODUCT>
__global__ void __launch_bounds__(REDUCE_THREADS)
    sum_cells(box_set boxes, const double *x, const double *y, hymgi_sum_scale scale,
              hymgi_reduction r)
{
  let_successors_start();
  wait_for_predecessors();
  int64_t mine[HYMGI_SUM_RESULT] = {0};
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const ptrdiff_t at = hymgi_row(&g, colour, j, k) + t;
      hymgi_sum_add_below(PRODUCT ? x[at] * y[at] : x[at], &scale, mine);
    });
  });
  reduce_sum(r, mine);
}

/* u += a p, r -= a w; the largest |r| or the sum of r r. */
struct advance_args {
  double a;
  const double *p, *w;
  double *u, *r;
};

template <bool LARGEST>
__global__ void __launch_bounds__(REDUCE_THREADS)
    advance_cells(box_set boxes, const __grid_constant__ advance_args c, hymgi_sum_scale scale,
                  hymgi_reduction reduction)
{
  let_successors_start();
  wait_for_predecessors();
  unsigned long long largest = 0;
  int64_t words[HYMGI_SUM_RESULT] = {0};
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const ptrdiff_t at = hymgi_row(&g, colour, j, k) + t;
      const double r = hymgi_fma(-c.a, c.w[at], c.r[at]);
      c.u[at] = hymgi_fma(c.a, c.p[at], c.u[at]);
      c.r[at] = r;
      if (LARGEST)
        largest = larger(largest, bits_of(r));
      else
        hymgi_sum_add_below(r * r, &scale, words);
    });
  });
  if (LARGEST)
    reduce_max(reduction, largest);
  else
    reduce_sum(reduction, words);
}

bool launch_max(const hymgi_level *level, const double *x, const double *y)
{
  const dim3 grid = reduction_grid(level);
  if (grid.x == 0) return false;
  hymgi_launch(level->context, y ? largest_cell<true> : largest_cell<false>, grid,
               dim3(REDUCE_THREADS), box_set_of(level->box, level->num_boxes), x, y,
               level->context->gpu->reduction);
  return true;
}

} /* namespace */

extern "C" void hymgi_cuda_zero(hymg_context *context, double *data, size_t doubles)
{
  hymgi_launch(context, scale_entries<true>, dim3(blocks_for((int64_t)doubles, ROW_THREADS)),
               dim3(ROW_THREADS), 0, data, doubles);
}

extern "C" void hymgi_cuda_clear(const hymgi_level *level, double *x)
{
  if (level->num_boxes) hymgi_cuda_zero(level->context, x, (size_t)level->vector_size);
}

extern "C" void hymgi_cuda_scale(const hymgi_level *level, double factor, double *x)
{
  if (level->num_boxes == 0) return;
  hymgi_launch(level->context, scale_entries<false>,
               dim3(blocks_for(level->vector_size, ROW_THREADS)), dim3(ROW_THREADS), factor, x,
               level->vector_size);
}

extern "C" void hymgi_cuda_fill(const hymgi_level *level, double value, double *x)
{
  for_cells<FILL>(level, {NULL, NULL, x, value, 0});
}

extern "C" void hymgi_cuda_axpby(const hymgi_level *level, double a, const double *x, double b,
                                 const double *y, double *z)
{
  if (b == 0 && a == 1)
    hymgi_cuda_copy_cells(level, x, z);
  else
    for_cells<COMBINE>(level, {x, y, z, a, b});
}

extern "C" void hymgi_cuda_copy_cells(const hymgi_level *level, const double *x, double *y)
{
  for_cells<COPY>(level, {x, NULL, y, 1, 0});
}

extern "C" void hymgi_cuda_shift(const hymgi_level *level, double c, double *x)
{
  for_cells<SHIFT>(level, {x, NULL, x, c, 0});
}

extern "C" void hymgi_cuda_precondition(const hymgi_level *level, const double *r, double *z)
{
  if (level->c.dinv) {
    for_cells<MULTIPLY>(level, {level->c.dinv, r, z, 0, 0});
    return;
  }
  hymgi_launch(level->context,
               level->c.beta[0] ? divide_by_diagonal<true> : divide_by_diagonal<false>,
               cells_grid(level), dim3(ROW_THREADS), box_set_of(level->box, level->num_boxes),
               view_of(level), r, z);
}

extern "C" double hymgi_cuda_max(const hymgi_level *level, const double *x, const double *y)
{
  return launch_max(level, x, y) ? reduced_max(level->context) : 0;
}

extern "C" void hymgi_cuda_queue_max(const hymgi_level *level, const double *x, int slot)
{
  const result_slot there(level->context, slot);
  launch_max(level, x, NULL);
}

extern "C" double hymgi_cuda_queued(hymg_context *context, int slot)
{
  const result_slot there(context, slot);
  return reduced_max(context);
}

extern "C" void hymgi_cuda_sum(const hymgi_level *level, const double *x, const double *y,
                               int exponent, int bits, int64_t words[HYMGI_SUM_RESULT])
{
  for (int m = 0; m < HYMGI_SUM_RESULT; m++)
    words[m] = 0;
  const dim3 grid = reduction_grid(level);
  if (grid.x == 0) return;
  hymg_context *const context = level->context;
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
  hymgi_launch(context, y ? sum_cells<true> : sum_cells<false>, grid, dim3(REDUCE_THREADS),
               box_set_of(level->box, level->num_boxes), x, y, scale, context->gpu->reduction);
  hymgi_cuda_words(context, 1, words);
}

extern "C" void hymgi_cuda_words(hymg_context *context, int sums, int64_t *words)
{
  hymgi_device_sync(context);
  for (int m = 0; m < sums * HYMGI_SUM_RESULT && context->status == HYMG_OK; m++)
    words[m] = (int64_t)context->gpu->reduction.result[m];
}

extern "C" double hymgi_cuda_advance(const hymgi_level *level, double a, const double *p,
                                     const double *w, double *u, double *r, int exponent, int bits,
                                     int64_t *words)
{
  const dim3 grid = reduction_grid(level);
  if (grid.x == 0) return 0;
  hymgi_launch(level->context, words ? advance_cells<false> : advance_cells<true>, grid,
               dim3(REDUCE_THREADS), box_set_of(level->box, level->num_boxes),
               advance_args{a, p, w, u, r}, hymgi_sum_scale_of(words ? exponent : 0, bits),
               level->context->gpu->reduction);
  if (!words) return reduced_max(level->context);
  hymgi_cuda_words(level->context, 1, words);
  return 0;
}
