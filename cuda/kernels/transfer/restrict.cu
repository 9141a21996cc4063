/* Restriction. The coarse side is a patch: the image of a fine box on the next coarser level; each
 * of its cells is the mean of 8 fine ones, added up in the host's order. Bytes per fine cell: 8 + 1
 * for a vector; for FV2's residual what the operator reads, f, and 1. */
#include "device/loops.cuh"
#include "device/reduce.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* How the grid's blocks cover the patches: x fastest, then y, then slabs of coarse planes, box by
 * box. */
struct transfer_args : gsrb_args {
  int across[2];   /* blocks along x and y */
  hymgi_real kept; /* of a sum of children */
};

struct block_place {
  int box, x, y, first; /* first: coarse plane */
};

__device__ __forceinline__ block_place place_of_block(const transfer_args &a)
{
  const int row = (int)blockIdx.x / a.across[0], z = row / a.across[1];
  block_place b;
  b.x = (int)blockIdx.x % a.across[0];
  b.y = row % a.across[1];
  b.box = z / a.slabs;
  b.first = z % a.slabs * a.slab;
  return b;
}

enum { BLOCKS_EACH = 24, MOST_PLANES = 8 }; /* per multiprocessor; per block */

/* Blocks that have x of n[0] entries and y of n[1] rows; several planes each where that leaves
 * enough blocks: what two planes both read is then still in a cache. */
transfer_args transfer_args_of(const hymgi_level *level, const hymgi_sweep *sweep, const int n[2],
                               int x, int y, dim3 *grid)
{
  transfer_args a = {gsrb_args_of(level, sweep), {}, (hymgi_real)level->transfer->part_of_sum};
  a.across[0] = (int)blocks_for(n[0], x);
  a.across[1] = (int)blocks_for(n[1], y);
  int coarse[3];
  box_extent(level->patch, level->num_boxes, coarse);
  const int64_t blocks = (int64_t)a.across[0] * a.across[1] * coarse[2] * level->num_boxes;
  const int64_t slab = blocks / (BLOCKS_EACH * level->context->gpu->multiprocessors);
  a.slab = slab < 1 ? 1 : slab < MOST_PLANES ? (int)slab : MOST_PLANES;
  a.slabs = (coarse[2] + a.slab - 1) / a.slab;
  *grid = dim3((unsigned)a.across[0] * (unsigned)a.across[1] * (unsigned)a.slabs *
               (unsigned)a.boxes.count);
  return a;
}

/* ---- cells ---- */

enum { MEAN_THREADS = 128 };

/* The sum of fine cells 2 t and 2 t + 1 of row (j, k); *largest: the maximum of |x| so far. */
__device__ __forceinline__ hymgi_real sum_of_two(const hymgi_geom &g, const hymgi_real *x, int t,
                                                 int j, int k, unsigned long long *largest)
{
  const hymgi_real *even, *odd;
  if (g.split) {
    const int colour = (j + k + g.parity) & 1;
    even = x + hymgi_row(&g, colour, j, k) + t;
    odd = x + hymgi_row(&g, 1 - colour, j, k) + t;
  } else {
    even = x + hymgi_row(&g, 0, j, k) + 2 * t;
    odd = even + 1;
  }
  *largest = larger(*largest, larger(bits_of(*even), bits_of(*odd)));
  return *even + *odd;
}

/* MAX: also max |x|, as the reduction's result. */
template <bool MAX>
__global__ void __launch_bounds__(MEAN_THREADS)
    restrict_mean(const __grid_constant__ transfer_args a)
{
  let_successors_start();
  const block_place b = place_of_block(a);
  const hymgi_geom g = box_at(a.boxes, b.box), patch = box_at(a.patches, b.box);
  const int I = b.x * (int)blockDim.x + (int)threadIdx.x;
  const int J = b.y * (int)blockDim.y + (int)threadIdx.y;
  const int top = b.first + a.slab < patch.n[2] ? b.first + a.slab : patch.n[2];
  unsigned long long largest = 0;
  wait_for_predecessors();
  if (I < patch.n[0] && J < patch.n[1])
    for (int K = b.first; K < top; K++) {
      const hymgi_real p00 = sum_of_two(g, a.own, I, 2 * J, 2 * K, &largest);
      const hymgi_real p10 = sum_of_two(g, a.own, I, 2 * J + 1, 2 * K, &largest);
      const hymgi_real p01 = sum_of_two(g, a.own, I, 2 * J, 2 * K + 1, &largest);
      const hymgi_real p11 = sum_of_two(g, a.own, I, 2 * J + 1, 2 * K + 1, &largest);
      const ptrdiff_t at = hymgi_at(&patch, I, J, K);
      a.coarse[at] = hymgi_mean_of_8(p00, p10, p01, p11);
      if (a.zero) a.zero[at] = 0;
    }
  if (MAX) reduce_max(a.reduction, largest);
}

/* ---- FV2's residual ---- */

/* A thread has an entry of a row: with split rows a slot, of which it does both cells or the red
 * one; with plain rows a cell. It computes what that contributes to the mean. */
enum { SUM_THREADS = 256 };

/* What a coarse cell gets: the mean of 8 cells' residuals, that of the red ones of these, or on an uneven level,
 * of split rows, part of the sum of those that are there. */
enum restricted { MEAN, RED_MEAN, SUM };

template <bool VARIABLE, bool AROUND, int CELLS> struct fv2_cells {
  place p[CELLS];
  fv2_betas b[CELLS];
  hymgi_real alpha[CELLS];

  /* Loads what no kernel of a solve writes. */
  __device__ __forceinline__ void fetch(const operator_view &v, const hymgi_geom &g, int t, int j,
                                        int k)
  {
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
      /* two cells: the even one first */
      const int colour = CELLS == 1 ? 0 : (j + k + g.parity + c) & 1;
      p[c] = place_of(g, colour, t, j, k);
      b[c] = fv2_load_betas<VARIABLE>(v, g, p[c]);
      alpha[c] = v.has_alpha ? alpha_at(v, p[c].own) : 0;
    }
  }

  __device__ __forceinline__ hymgi_real residual(const transfer_args &a, const hymgi_geom &g,
                                                 int c) const
  {
    fv2_values x = fv2_load_neighbours<AROUND>(a.v, g, p[c], a.own);
    x.c = a.own[p[c].own];
    return fv2_residual(a.v, b[c], x, a.f[p[c].own], alpha[c]);
  }
};

/* Sums the parts of a block's threads: [plane][row][slot], as wide as the block; of a SUM [.][.][.][even, odd]. */
template <bool SPLIT, restricted WHAT>
__device__ __forceinline__ void store_means(const transfer_args &a, const block_place &b, int K,
                                            int parity, const hymgi_real *part)
{
  const hymgi_geom patch = box_at(a.patches, b.box);
  const int wide = (int)blockDim.x, rows = (int)blockDim.y, x = (int)threadIdx.x,
            y = (int)threadIdx.y;
  const int coarse = SPLIT ? wide : wide / 2, I = b.x * coarse + x, J = b.y * rows / 2 + y;
  if (threadIdx.z > 0 || x >= coarse || 2 * y >= rows || I >= patch.n[0] || J >= patch.n[1] ||
      K >= patch.n[2])
    return;
  const ptrdiff_t at = hymgi_at(&patch, I, J, K);
  if (WHAT == SUM) {
    hymgi_real sum = 0; /* in the order of hymgi_sum_of_children */
#pragma unroll
    for (int m = 0; m < 8; m++)
      sum += part[2 * (((m >> 2) * rows + 2 * y + (m >> 1 & 1)) * wide + x) + (m & 1)];
    a.coarse[at] = a.kept * sum;
  } else {
    const auto pair = [&](int jj, int kk) {
      const hymgi_real *const row = part + (kk * rows + 2 * y + jj) * wide;
      if (SPLIT) return row[x];
      return WHAT == RED_MEAN ? row[2 * x + ((jj + kk + parity) & 1)] : row[2 * x] + row[2 * x + 1];
    };
    a.coarse[at] = hymgi_mean_of_8(pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1));
  }
  if (a.zero) a.zero[at] = 0;
}

template <bool VARIABLE, bool AROUND, bool SPLIT, restricted WHAT>
__global__ void __launch_bounds__(SUM_THREADS, 3)
    fv2_residual_restrict(const __grid_constant__ transfer_args a)
{
  constexpr bool TWO = SPLIT && WHAT != RED_MEAN;
  __shared__ hymgi_real part[WHAT == SUM ? 2 * SUM_THREADS : SUM_THREADS];
  let_successors_start();
  const block_place b = place_of_block(a);
  const hymgi_geom g = box_at(a.boxes, b.box);
  const int t = b.x * (int)blockDim.x + (int)threadIdx.x;
  const int j = b.y * (int)blockDim.y + (int)threadIdx.y, up = (int)threadIdx.z;
  const int mine = (up * (int)blockDim.y + (int)threadIdx.y) * (int)blockDim.x + (int)threadIdx.x;
  for (int K = b.first; K < b.first + a.slab; K++) {
    const bool inside =
        (SPLIT ? 2 * t : t) < g.n[0] && j < g.n[1] && 2 * K + (WHAT == SUM ? up : 0) < g.n[2];
    fv2_cells<VARIABLE, AROUND, TWO ? 2 : 1> c;
    if (inside) c.fetch(a.v, g, t, j, 2 * K + up);
    if (K == b.first) wait_for_predecessors();
    if (WHAT == SUM) {
      part[2 * mine] = inside ? c.residual(a, g, 0) : 0;
      part[2 * mine + 1] = inside && 2 * t + 1 < g.n[0] ? c.residual(a, g, TWO) : 0;
    } else if (inside) {
      const hymgi_real r = c.residual(a, g, 0);
      part[mine] = TWO ? r + c.residual(a, g, TWO) : r;
    }
    __syncthreads();
    store_means<SPLIT, WHAT>(a, b, K, g.parity, part);
    __syncthreads();
  }
}

/* ---- launches ---- */

template <bool MAX>
void launch_mean(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse,
                 hymgi_real *zero)
{
  if (level->num_boxes == 0) return;
  int n[3];
  box_extent(level->patch, level->num_boxes, n);
  const int x = 1 << row_shift(n[0]), y = MEAN_THREADS / x;
  hymgi_sweep sweep = {HYMGI_RESTRICT, NULL, fine, fine};
  sweep.coarse = coarse, sweep.zero = zero;
  dim3 grid;
  const transfer_args a = transfer_args_of(level, &sweep, n, x, y, &grid);
  hymgi_launch(level->context, restrict_mean<MAX>, grid, dim3((unsigned)x, (unsigned)y), a);
}

/* call(what to restrict, as a template argument) */
template <restricted WHAT> using restricts = std::integral_constant<restricted, WHAT>;
template <typename Call> void with_restricted(const hymgi_level *level, bool red, const Call &call)
{
  if (level->uneven)
    call(restricts<SUM>());
  else if (red)
    call(restricts<RED_MEAN>());
  else
    call(restricts<MEAN>());
}

} /* namespace */

extern "C" void hymgi_cuda_restrict_cells(const hymgi_level *level, const hymgi_real *fine,
                                          hymgi_real *coarse)
{
  launch_mean<false>(level, fine, coarse, NULL);
}

/* A block has threads along a row, at least two rows, and both fine planes of a coarse one. After
 * GSRB the residual of the black cells is zero (up to rounding). */
extern "C" void hymgi_cuda_fv2_restrict(const hymgi_level *level, const hymgi_sweep *restriction)
{
  if (level->num_boxes == 0) return;
  const bool split = level->box[0].split;
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  if (split) n[0] = (n[0] + 1) / 2;
  const int x = 1 << row_shift(n[0]), y = SUM_THREADS / x / 2;
  dim3 grid;
  const transfer_args a = transfer_args_of(level, restriction, n, x, y, &grid);
  with_restricted(level, restriction->after == HYMGI_AFTER_GSRB, [&](auto what) {
    with_bools(
        [&](auto variable, auto around, auto of_split) {
          if constexpr (of_split || what != SUM)
            hymgi_launch(level->context, fv2_residual_restrict<variable, around, of_split, what>,
                         grid, dim3((unsigned)x, (unsigned)y, 2), a);
        },
        level->method->variable_beta, goes_around(level), split);
  });
}

/* Through the second buffer, which is free between smoother calls. */
extern "C" void hymgi_cuda_fv4_restrict(const hymgi_level *level, const hymgi_sweep *restriction)
{
  const hymgi_sweep residual = {HYMGI_RESIDUAL, level->f, level->x, level->x, level->y};
  hymgi_cuda_sweep_generic(level, &residual);
  launch_mean<false>(level, level->y, restriction->coarse, restriction->zero);
}

#ifndef HYMGI_SINGLE
extern "C" void hymgi_cuda_queue_restrict_max(const hymgi_level *level, const hymgi_real *fine,
                                              hymgi_real *coarse, int slot)
{
  const result_slot there(level->context, slot);
  launch_mean<true>(level, fine, coarse, NULL);
}
#endif
