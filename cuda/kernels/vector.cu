/* Vector operations on the device, on cells only (ghosts untouched), and reductions whose results
 * do not depend on the order. */
#include "device/loops.cuh"
#include "device/reduce.cuh"
#include "kernels/kernels.h"
#include "kernels/setup.h"

extern "C" {
#include "base/exact_sum.h"
}

namespace
{

static_assert((int)ROW_THREADS == (int)REDUCE_THREADS, "launch_reduction() serves reduce_words()");

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
  each_place(boxes, [&](ptrdiff_t at) {
    c.z[at] = JOB == FILL       ? c.a
              : JOB == COPY     ? c.x[at]
              : JOB == SHIFT    ? c.x[at] + c.a
              : JOB == MULTIPLY ? c.x[at] * c.y[at]
                                : hymgi_fma(c.a, c.x[at], c.b * c.y[at]);
  });
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
  each_place(boxes,
             [&](ptrdiff_t at) { mine = larger(mine, bits_of(PRODUCT ? x[at] * y[at] : x[at])); });
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
  each_place(boxes, [&](ptrdiff_t at) {
    hymgi_sum_add_below(PRODUCT ? x[at] * y[at] : x[at], &scale, mine);
  });
  reduce_sum(r, mine);
}

/* ---- x minus its mean, without the host: what each launch needs is what the one before it kept ---- */

enum { KEPT_LARGEST, KEPT_SUM }; /* words of what is kept: max |x|, then the sum */

__device__ __forceinline__ double kept_largest(const unsigned long long *kept)
{
  return __longlong_as_double((long long)kept[KEPT_LARGEST]);
}

__device__ __forceinline__ bool has_sum(double largest)
{
  return isfinite(largest) && largest > 0;
}

__global__ void __launch_bounds__(REDUCE_THREADS)
    sum_cells_kept(box_set boxes, const double *x, int bits, const unsigned long long *kept,
                   hymgi_reduction r)
{
  let_successors_start();
  wait_for_predecessors();
  int64_t mine[HYMGI_SUM_RESULT] = {0};
  const double largest = kept_largest(kept);
  if (has_sum(largest)) {
    const hymgi_sum_scale scale = hymgi_sum_scale_of(hymgi_sum_exponent(largest, bits), bits);
    each_place(boxes, [&](ptrdiff_t at) { hymgi_sum_add_below(x[at], &scale, mine); });
  }
  reduce_sum(r, mine);
}

/* told: where the host finds the mean and, in the next result, max |x|; or NULL. */
__global__ void __launch_bounds__(ROW_THREADS)
    subtract_kept_mean(box_set boxes, double *x, double cells, int bits,
                       const unsigned long long *kept, double *told)
{
  let_successors_start();
  wait_for_predecessors();
  const double largest = kept_largest(kept);
  double mean = largest == 0 ? 0 : (double)NAN;
  if (has_sum(largest)) {
    int64_t words[HYMGI_SUM_WORDS];
    for (int m = 0; m < HYMGI_SUM_WORDS; m++)
      words[m] = (int64_t)kept[KEPT_SUM + m];
    mean = hymgi_sum_value(words, hymgi_sum_exponent(largest, bits), bits) / cells;
  }
  each_place(boxes, [&](ptrdiff_t at) { x[at] += -mean; });
  if (!told || blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.x > 0) return;
  told[0] = mean;
  told[HYMGI_RESULT_WORDS] = largest;
  __threadfence_system();
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
  each_place(boxes, [&](ptrdiff_t at) {
    const double r = hymgi_fma(-c.a, c.w[at], c.r[at]);
    c.u[at] = hymgi_fma(c.a, c.p[at], c.u[at]);
    c.r[at] = r;
    if (LARGEST)
      largest = larger(largest, bits_of(r));
    else
      hymgi_sum_add_below(r * r, &scale, words);
  });
  if (LARGEST)
    reduce_max(reduction, largest);
  else
    reduce_sum(reduction, words);
}

bool launch_max(const hymgi_level *level, const double *x, const double *y)
{
  return launch_reduction(level, y ? largest_cell<true> : largest_cell<false>, x, y);
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
  launch_cells(level, on_cells<FILL>, cell_args{NULL, NULL, x, value, 0});
}

extern "C" void hymgi_cuda_axpby(const hymgi_level *level, double a, const double *x, double b,
                                 const double *y, double *z)
{
  if (b == 0 && a == 1)
    hymgi_cuda_copy_cells(level, x, z);
  else
    launch_cells(level, on_cells<COMBINE>, cell_args{x, y, z, a, b});
}

extern "C" void hymgi_cuda_copy_cells(const hymgi_level *level, const double *x, double *y)
{
  launch_cells(level, on_cells<COPY>, cell_args{x, NULL, y, 1, 0});
}

extern "C" void hymgi_cuda_shift(const hymgi_level *level, double c, double *x)
{
  launch_cells(level, on_cells<SHIFT>, cell_args{x, NULL, x, c, 0});
}

extern "C" void hymgi_cuda_precondition(const hymgi_level *level, const double *r, double *z)
{
  if (level->c.dinv) {
    launch_cells(level, on_cells<MULTIPLY>, cell_args{level->c.dinv, r, z, 0, 0});
    return;
  }
  launch_cells(level, level->c.beta[0] ? divide_by_diagonal<true> : divide_by_diagonal<false>,
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
  const result_slot there(context, slot, false);
  return reduced_max(context);
}

extern "C" void hymgi_cuda_queue_remove_mean(const hymgi_level *level, double *x, int slot)
{
  enum {
    BLOCKS_EACH = 4
  }; /* 32, as for other reductions, take 3 to 8 % of an F-cycle more up to 128^3 */
  const unsigned most = BLOCKS_EACH * (unsigned)level->context->gpu->multiprocessors;
  dim3 grid = reduction_grid(level);
  if (grid.x == 0) return;
  if (grid.x > most) grid.x = most;
  hymg_context *const context = level->context;
  const box_set boxes = box_set_of(level->box, level->num_boxes);
  const int bits = hymgi_sum_bits(level->cells);
  unsigned long long *const kept = context->gpu->kept;
  hymgi_reduction r = context->gpu->reduction;
  double *const told =
      slot < 0 ? NULL : reinterpret_cast<double *>(r.result + (1 + slot) * HYMGI_RESULT_WORDS);
  r.result = kept + KEPT_LARGEST;
  hymgi_launch(context, largest_cell<false>, grid, dim3(REDUCE_THREADS), boxes,
               static_cast<const double *>(x), static_cast<const double *>(NULL), r);
  r.result = kept + KEPT_SUM;
  hymgi_launch(context, sum_cells_kept, grid, dim3(REDUCE_THREADS), boxes,
               static_cast<const double *>(x), bits, kept, r);
  launch_cells(level, subtract_kept_mean, x, (double)level->cells, bits, kept, told);
}

extern "C" void hymgi_cuda_sum(const hymgi_level *level, const double *x, const double *y,
                               int exponent, int bits, int64_t words[HYMGI_SUM_RESULT])
{
  for (int m = 0; m < HYMGI_SUM_RESULT; m++)
    words[m] = 0;
  if (launch_reduction(level, y ? sum_cells<true> : sum_cells<false>, x, y,
                       hymgi_sum_scale_of(exponent, bits)))
    hymgi_cuda_words(level->context, 1, words);
}

extern "C" void hymgi_cuda_words(hymg_context *context, int sums, int64_t *words)
{
  unsigned long long result[HYMGI_RESULT_WORDS];
  if (!hymgi_device_result(context, sums * HYMGI_SUM_RESULT, result)) return;
  for (int m = 0; m < sums * HYMGI_SUM_RESULT; m++)
    words[m] = (int64_t)result[m];
}

extern "C" double hymgi_cuda_advance(const hymgi_level *level, double a, const double *p,
                                     const double *w, double *u, double *r, int exponent, int bits,
                                     int64_t *words)
{
  if (!launch_reduction(level, words ? advance_cells<false> : advance_cells<true>,
                        advance_args{a, p, w, u, r},
                        hymgi_sum_scale_of(words ? exponent : 0, bits)))
    return 0;
  if (!words) return reduced_max(level->context);
  hymgi_cuda_words(level->context, 1, words);
  return 0;
}
