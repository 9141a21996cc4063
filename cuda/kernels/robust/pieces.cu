/* Parts of boxes, maxima and sums over floating pieces, on the device. Maxima are those of bits, and sums are of integers, so that
 * atomics give the same bits in any order. A thread that meets cells of one piece in a row adds them up first. */
#include "device/reduce.cuh"
#include "formulas/fixed.h"
#include "kernels/robust/each.cuh"
#include "kernels/setup.h"

extern "C" {
#include "base/exact_sum.h"
}

namespace
{

/* ---- parts: the smaller number of two joined cells becomes the parent of the larger one, until all cells of a part
 * lead to its first one. Which thread comes first changes the way there, not the end. ---- */

typedef unsigned long long part_number;

__device__ __forceinline__ part_number root_of(part_number *parent, part_number cell)
{
  for (part_number next; (next = parent[cell]) != cell; cell = next)
    parent[cell] = parent[next];
  return cell;
}

__device__ __forceinline__ void join(part_number *parent, part_number a, part_number b)
{
  a = root_of(parent, a), b = root_of(parent, b);
  while (a != b) {
    const part_number larger = a > b ? a : b, smaller = a > b ? b : a;
    const part_number was = atomicCAS(parent + larger, larger, smaller);
    if (was == larger) return;
    a = was, b = smaller; /* another thread has joined it in the meantime */
  }
}

struct part_view {
  hymgi_conductances c;
  const double *given;
  double *parts;
  part_number *parent; /* of a box from its offset on */
};

struct begin_part : part_view {
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    const int64_t number = hymgi_number_in_box(&g, i, j, k);
    parent[g.offset + number] = (part_number)number;
    parts[hymgi_at(&g, i, j, k)] = 0;
  }
};

struct join_part : part_view {
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    const int64_t step[3] = {1, g.n[0], (int64_t)g.n[0] * g.n[1]};
    const int64_t number = hymgi_number_in_box(&g, i, j, k);
    for (int axis = 0; axis < 3; axis++)
      if (hymgi_index_along(axis, i, j, k) + 1 < g.n[axis] &&
          hymgi_face(&c, &g, axis, 1, i, j, k) > 0)
        join(parent + g.offset, (part_number)number, (part_number)(number + step[axis]));
  }
};

struct hold_part : part_view {
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    if (!hymgi_is_held(&c, &g, i, j, k)) return;
    const part_number first =
        root_of(parent + g.offset, (part_number)hymgi_number_in_box(&g, i, j, k));
    parts[hymgi_place_in_box(&g, (int64_t)first)] = 0.5;
  }
};

struct write_part : part_view {
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    const ptrdiff_t at = hymgi_at(&g, i, j, k);
    const part_number first =
        root_of(parent + g.offset, (part_number)hymgi_number_in_box(&g, i, j, k));
    parts[at] = hymgi_is_given(given[at]) ? -1 : (double)first + parts[at];
  }
};

/* ---- maxima and sums ---- */

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
  each_place(boxes, [&](ptrdiff_t at) {
    const int here = (int)piece[at];
    if (here < 0) return;
    if (here != last) flush_words(last, mine, words);
    last = here;
    hymgi_sum_add_below(x[at], &scale, mine);
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
  each_place(boxes, [&](ptrdiff_t at) {
    const int here = (int)piece[at];
    if (here < 0) return;
    if (here != last && last >= 0) atomicMax(most + last, mine);
    mine = here == last ? larger(mine, bits_of(x[at])) : bits_of(x[at]);
    last = here;
  });
  if (last >= 0) atomicMax(most + last, mine);
}

__global__ void __launch_bounds__(ROW_THREADS)
    add_to_pieces(box_set boxes, const double *piece, const double *value, const double *with,
                  double *x)
{
  let_successors_start();
  wait_for_predecessors();
  each_place(boxes, [&](ptrdiff_t at) {
    const int here = (int)piece[at];
    if (here >= 0) x[at] = hymgi_fma_double(value[here], with ? with[at] : 1, x[at]);
  });
}

} /* namespace */

extern "C" void hymgi_cuda_find_parts(const hymgi_level *level, double *scratch, double *parts)
{
  if (level->num_boxes == 0) return;
  const part_view v = {hymgi_conductances_of(level), level->fixed.given, parts,
                       (part_number *)(void *)scratch};
  for_each_cell(level, begin_part{v});
  for_each_cell(level, join_part{v});
  for_each_cell(level, hold_part{v});
  for_each_cell(level, write_part{v});
}

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
  launch_cells(level, add_to_pieces, (const double *)level->fixed.piece, value, with, x);
}
