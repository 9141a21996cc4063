/* Maxima and sums over singular pieces on the device. Maxima are those of bits, and sums are of integers, so that
 * atomics give the same bits in any order. A thread that meets cells of one piece in a row adds them up first. */
#include "device/reduce.cuh"
#include "kernels/robust/each.cuh"
#include "kernels/setup.h"

extern "C" {
#include "base/exact_sum.h"
}

namespace
{

__device__ __forceinline__ void flush_words(int piece, int64_t (&mine)[HYMGI_SUM_RESULT],
                                            unsigned long long *words)
{
  for (int m = 0; m < HYMGI_SUM_RESULT; m++) {
    if (piece >= 0 && mine[m] != 0)
      atomicAdd(words + (ptrdiff_t)HYMGI_SUM_RESULT * piece + m, (unsigned long long)mine[m]);
    mine[m] = 0;
  }
}

__global__ void __launch_bounds__(REDUCE_THREADS)
    sum_pieces(box_set boxes, const double *piece, const double *x, hymgi_sum_scale scale,
               unsigned long long *words)
{
  let_successors_start();
  wait_for_predecessors();
  int64_t mine[HYMGI_SUM_RESULT] = {0};
  int last = -1;
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const ptrdiff_t at = hymgi_row(&g, colour, j, k) + t;
      const int here = (int)piece[at];
      if (here < 0) return;
      if (here != last) flush_words(last, mine, words);
      last = here;
      hymgi_sum_add_below(x[at], &scale, mine);
    });
  });
  flush_words(last, mine, words);
}

__global__ void __launch_bounds__(REDUCE_THREADS)
    largest_of_pieces(box_set boxes, const double *piece, const double *x, unsigned long long *most)
{
  let_successors_start();
  wait_for_predecessors();
  unsigned long long mine = 0;
  int last = -1;
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const ptrdiff_t at = hymgi_row(&g, colour, j, k) + t;
      const int here = (int)piece[at];
      if (here < 0) return;
      if (here != last && last >= 0) atomicMax(most + last, mine);
      mine = here == last ? larger(mine, bits_of(x[at])) : bits_of(x[at]);
      last = here;
    });
  });
  if (last >= 0) atomicMax(most + last, mine);
}

__global__ void __launch_bounds__(ROW_THREADS)
    add_to_pieces(box_set boxes, const double *piece, const double *value, const double *with,
                  double *x)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const ptrdiff_t at = hymgi_row(&g, colour, j, k) + t;
      const int here = (int)piece[at];
      if (here >= 0) x[at] = hymgi_fma_double(value[here], with ? with[at] : 1, x[at]);
    });
  });
}

} /* namespace */

extern "C" void hymgi_cuda_piece_maxima(const hymgi_level *level, const double *x, double *most)
{
  hymgi_launch(level->context, largest_of_pieces, reduction_grid(level), dim3(REDUCE_THREADS),
               box_set_of(level->box, level->num_boxes), (const double *)level->fixed.piece, x,
               (unsigned long long *)most);
}

extern "C" void hymgi_cuda_piece_sums(const hymgi_level *level, const double *x, int exponent,
                                      int bits, int64_t *words)
{
  hymgi_launch(level->context, sum_pieces, reduction_grid(level), dim3(REDUCE_THREADS),
               box_set_of(level->box, level->num_boxes), (const double *)level->fixed.piece, x,
               hymgi_sum_scale_of(exponent, bits), (unsigned long long *)words);
}

extern "C" void hymgi_cuda_piece_add(const hymgi_level *level, const double *value,
                                     const double *with, double *x)
{
  hymgi_launch(level->context, add_to_pieces, cells_grid(level), dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), (const double *)level->fixed.piece, value,
               with, x);
}
