/* FV2 red-black Gauss-Seidel on split rows: both colours in one pass, out of place. A block marches
 * along z over a tile of slots and rows with a halo of one, in which the red cells are computed
 * too: red of plane k, then black of plane k - 1 from the red ones of three planes. Of the old
 * iterate only the black cells are read. The black cells next to a neighbour's ghosts are done
 * again (exchange/fv2_gsrb_peer.cu) once the red ones have been exchanged. Bytes per cell: x 4, f 8,
 * betas 24 (and the halo's share), written 8; two half sweeps move 72. */
#include "kernels/gsrb_args.cuh"

namespace
{

enum { BLOCKS = 2 }; /* per multiprocessor */

/* A tile of X slots and Y rows with its halo. */
template <int X, int Y> struct tile {
  static constexpr int wide = X + 2, high = Y + 2, threads = wide * high;
};

/* The place of the black cell at the same slot, one plane down. */
__device__ __forceinline__ place black_below(const place &red, int slot)
{
  place p = red;
  p.own = red.other - red.plane;
  p.other = red.own - red.plane;
  p.k = red.k - 1;
  p.i = 2 * slot + red.east; /* one plane down and the other colour: the parity stays */
  return p;
}

/* What the kernel reads. With all of gsrb_args the compiler turns loads of constant betas into selects
 * at boundaries: 7 % of a solve at 256^3. */
struct fused_args {
  box_set boxes;
  operator_view v;
  const double *f, *own;
  double *out;
  bool falling;
  int slab;
};

/* column: the other colour at this slot, in the planes below, here and above; row: at this slot in
 * this plane, where rows are `pitch` apart. ZERO: all of these are 0. */
template <bool VARIABLE, bool ALPHA, bool ZERO>
__device__ __forceinline__ double updated(const fused_args &a, const hymgi_geom &g, const place &p,
                                          const double (&column)[3], const double *row,
                                          ptrdiff_t pitch)
{
  fv2_values x = {};
  if (!ZERO) {
    const double side = row[2 * p.east - 1];
    x = {0,
         p.east ? column[1] : side,
         p.east ? side : column[1],
         row[-pitch],
         row[pitch],
         column[0],
         column[2]};
  }
  const double f = a.f[p.own];
  const fv2_betas b = fv2_load_betas<VARIABLE>(a.v, g, p);
  if (!ZERO) fv2_extrapolate(a.v, g, p, &x);
  return ALPHA ? fv2_gsrb_alpha(b, x, f, alpha_at(a.v, p.own)) : fv2_gsrb_plain(b, x, f);
}

/* ZERO: the old iterate is 0. */
template <bool VARIABLE, bool ALPHA, bool ZERO, int N, int X, int Y>
__global__ void __launch_bounds__(tile<X, Y>::threads, BLOCKS)
    fv2_gsrb_fused(const __grid_constant__ fused_args a)
{
  constexpr int WIDE = tile<X, Y>::wide;
  __shared__ double shared[2][tile<X, Y>::threads];
  wait_for_predecessors();
  let_successors_start();
  const hymgi_geom &g = a.boxes.one;
  const int id = (int)threadIdx.x, x = id % WIDE, y = id / WIDE;
  const int t = (int)blockIdx.x * X - 1 + x, j = (int)blockIdx.y * Y - 1 + y;
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const int from = z * a.slab, to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  const int start = from > 0 ? from - 1 : 0;
  const bool inside = t >= 0 && t < g.n[0] / 2 && j >= 0 && j < g.n[1];
  const bool mine = inside && x > 0 && x <= X && y > 0 && y <= Y;
  place p = place_of(g, 0, inside ? t : 0, inside ? j : 0, start);
  if (N) p.pitch = shape_pitch(N), p.plane = shape_plane(N, 1);
  double black[3] = {0, 0, 0}, red[3] = {0, 0, 0};
  if (inside && !ZERO) black[0] = a.own[p.other - p.plane], black[1] = a.own[p.other];
#pragma unroll 1
  for (int k = start; k <= to; k++) {
    p.k = k;
    p.i = 2 * t + p.east;
    black[2] = red[2] = 0;
    if (inside && k < g.n[2]) {
      const double *const row = a.own + p.other;
      if (!ZERO) black[2] = row[p.plane];
      red[2] = updated<VARIABLE, ALPHA, ZERO>(a, g, p, black, row, p.pitch);
      shared[k & 1][id] = red[2];
      if (mine && k >= from && k < to) a.out[p.own] = red[2];
    }
    if (mine && k > from) {
      const place b = black_below(p, t);
      a.out[b.own] = updated<VARIABLE, ALPHA, false>(a, g, b, red, &shared[(k - 1) & 1][id], WIDE);
    }
    red[0] = red[1], red[1] = red[2];
    black[0] = black[1], black[1] = black[2];
    p.own += p.plane;
    p.other += p.plane;
    p.east = 1 - p.east;
    p.west = p.east - 1;
    __syncthreads();
  }
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_gsrb_fused(const hymgi_level *level, bool falling, const double *x,
                                          double *out)
{
  const hymgi_sweep both = {HYMGI_HALF_SWEEP, level->f, x, x, out};
  gsrb_args a = gsrb_args_of(level, &both);
  a.falling = falling;
  with_shape(level, [&](auto of) {
    constexpr int X = 32, Y = of >= shape(512, 256) ? 14 : 12;
    const unsigned layer = blocks_for(a.extent[0] / 2, X) * blocks_for(a.extent[1], Y);
    const int resident = BLOCKS * level->context->gpu->multiprocessors;
    const int slab = slab_for(layer, resident, a.extent[2]);
    const dim3 grid = slabs_grid(&a, a.extent[0] / 2, X, Y, slab);
    with_bools(
        [&](auto variable, auto alpha, auto zero) {
          const fused_args q = {a.boxes, a.v, a.f, a.own, a.out, a.falling, a.slab};
          hymgi_launch(level->context, fv2_gsrb_fused<variable, alpha, zero, of, X, Y>, grid,
                       dim3(tile<X, Y>::threads), q);
        },
        level->method->variable_beta, level->method->has_alpha, x == NULL);
  });
}
