/* FV2 red-black Gauss-Seidel on split rows: several half sweeps in one launch, out of place, for
 * small levels, where a launch takes longer than its work. A block does a tile and as many cells
 * around it as its half sweeps need; the neighbouring blocks do these, too. A thread keeps what it
 * needs of a red and of a black cell in registers, loaded before the kernel waits for its
 * predecessor; new values are passed on in shared memory. */
#include "device/fast_division.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* ---- cells ---- */

/* A cell of the region, relative to the tile; away: steps from there. */
struct region_cell {
  signed char x, y, z, away;
};

__host__ __device__ constexpr int steps_outside(int at, int count)
{
  return at < 0 ? -at : at >= count ? at - count + 1 : 0;
}

/* A tile of X x Y x Z cells and what SWEEPS half sweeps need around it: the first one updates cells of
 * up to HALO steps away, each later one a step less. */
template <int SWEEPS, int X, int Y, int Z> struct region {
  static constexpr int HALO = SWEEPS - 1, WIDE = X + 2 * HALO, HIGH = Y + 2 * HALO,
                       DEEP = Z + 2 * HALO, PLACES = WIDE * HIGH * DEEP;
  static_assert(SWEEPS % 2 == 0 && X % 2 == 0 && Y % 2 == 0 && Z % 2 == 0,
                "as many red as black cells");

  static constexpr int away(int x, int y, int z)
  {
    return steps_outside(x, X) + steps_outside(y, Y) + steps_outside(z, Z);
  }

  /* Cells of a colour at most so far away. */
  static constexpr int count(int most)
  {
    int cells = 0;
    for (int z = -most; z < Z + most; z++)
      for (int y = -most; y < Y + most; y++)
        for (int x = -most; x < X + most; x++)
          cells += away(x, y, z) <= most;
    return cells / 2;
  }

  static constexpr int RED = count(HALO), BLACK = count(HALO - 1), THREADS = (RED + 31) / 32 * 32;

  /* Those with an even sum of x, y and z, then those with an odd one; each by distance, so that the
   * later half sweeps are done by the first threads. */
  struct list {
    region_cell even[RED], odd[BLACK];
  };

  static constexpr list make_list()
  {
    list l = {};
    int count[2] = {0, 0};
    for (int d = 0; d <= HALO; d++)
      for (int z = -d; z < Z + d; z++)
        for (int y = -d; y < Y + d; y++)
          for (int x = -d; x < X + d; x++) {
            if (away(x, y, z) != d) continue;
            const region_cell cell = {(signed char)x, (signed char)y, (signed char)z,
                                      (signed char)d};
            if (((x + y + z) & 1) == 0)
              l.even[count[0]++] = cell;
            else if (d < HALO)
              l.odd[count[1]++] = cell;
          }
    return l;
  }
};

/* How many steps outside the tile's part of the box a cell beyond a face is; where the box does not
 * wrap, there is none. */
__device__ __forceinline__ int steps_around(bool wraps, int at, int count, int index, int n)
{
  enum { NONE = 64 };
  const int out = steps_outside(index, n), from_tile = steps_outside(at, count);
  return out > 0 && !wraps ? NONE : out > from_tile ? out : from_tile;
}

template <int X, int Y, int Z>
__device__ __forceinline__ int away_around(const hymgi_geom &g, const region_cell &c, int i, int j,
                                           int k)
{
  return steps_around(g.wraps & 1, c.x, X, i, g.n[0]) +
         steps_around(g.wraps & 2, c.y, Y, j, g.n[1]) +
         steps_around(g.wraps & 4, c.z, Z, k, g.n[2]);
}

template <int SWEEPS, int X, int Y, int Z>
__device__ const typename region<SWEEPS, X, Y, Z>::list
    list_of = region<SWEEPS, X, Y, Z>::make_list();

/* What the kernel reads. */
struct tile_args {
  hymgi_geom box;
  operator_view v;
  const hymgi_real *f, *own; /* own NULL: the old iterate is 0 */
  hymgi_real *out;
};

/* A thread's cell of one colour. */
struct tile_cell {
  int away;      /* more than any half sweep's distance: there is none */
  int at, to[6]; /* in shared memory: the cell, its neighbours; and factors of these */
  hymgi_real factor[6], f;
  fv2_betas b;
  divisors<1> diagonal;
  place p;

  template <bool VARIABLE> __device__ __forceinline__ void load_coefficients(const tile_args &a)
  {
    b = fv2_load_betas<VARIABLE>(a.v, a.box, p);
    diagonal.take({{fv2_diagonal(a.v, b, a.v.has_alpha ? alpha_at(a.v, p.own) : 0)}});
  }

  /* A neighbour beyond a boundary is a multiple of the opposite one, or 0: then place 0 is read. */
  __device__ __forceinline__ void find_neighbours(const tile_args &a, const int step[3])
  {
    const unsigned walls = walls_of(a.box, p.i, p.j, p.k);
#pragma unroll
    for (int face = 0; face < 6; face++) {
      const int out = face & 1 ? step[face / 2] : -step[face / 2];
      const bool wall = walls >> face & 1;
      const hymgi_real ghost = a.v.boundary_ghost[face];
      to[face] = wall && ghost == 0 ? 0 : wall ? at - out : at + out;
      factor[face] = wall && ghost != 0 ? ghost : 1;
    }
  }

  __device__ __forceinline__ fv2_values neighbours(const hymgi_real *x) const
  {
    return {0,
            factor[0] * x[to[0]],
            factor[1] * x[to[1]],
            factor[2] * x[to[2]],
            factor[3] * x[to[3]],
            factor[4] * x[to[4]],
            factor[5] * x[to[5]]};
  }
};

/* ---- the kernel ---- */

template <bool VARIABLE, bool AROUND, int SWEEPS, int X, int Y, int Z>
__global__ void __launch_bounds__(region<SWEEPS, X, Y, Z>::THREADS)
    fv2_gsrb_tile(const __grid_constant__ tile_args a)
{
  typedef region<SWEEPS, X, Y, Z> R;
  __shared__ hymgi_real x[1 + R::PLACES]; /* x[0] is 0 */
  const int t = (int)threadIdx.x, step[3] = {1, R::WIDE, R::WIDE * R::HIGH};
  const hymgi_geom &g = a.box;
  tile_cell cell[2];
  let_successors_start();
#pragma unroll
  for (int colour = 0; colour < 2; colour++) {
    tile_cell &c = cell[colour];
    c.away = SWEEPS;
    if (t >= (colour ? R::BLACK : R::RED)) continue;
    region_cell from = colour ? list_of<SWEEPS, X, Y, Z>.odd[t] : list_of<SWEEPS, X, Y, Z>.even[t];
    if (g.parity & 1) from.x = (signed char)(X - 1 - from.x);
    const int i = (int)blockIdx.x * X + from.x, j = (int)blockIdx.y * Y + from.y,
              k = (int)blockIdx.z * Z + from.z;
    const bool inside = i >= 0 && i < g.n[0] && j >= 0 && j < g.n[1] && k >= 0 && k < g.n[2];
    const int away = !AROUND || inside ? from.away : away_around<X, Y, Z>(g, from, i, j, k);
    if (AROUND ? away > R::HALO : !inside) continue;
    c.away = away;
    c.p = !AROUND || inside ? place_of(g, colour, i >> 1, j, k)
                            : place_of(g, colour, index_around(i, g.n[0]) >> 1,
                                       index_around(j, g.n[1]), index_around(k, g.n[2]));
    c.at = 1 + from.x + R::HALO + (from.y + R::HALO) * step[1] + (from.z + R::HALO) * step[2];
    c.load_coefficients<VARIABLE>(a);
    c.find_neighbours(a, step);
  }
  if (t == 0) x[0] = 0;
  wait_for_predecessors();
#pragma unroll
  for (int colour = 0; colour < 2; colour++)
    if (cell[colour].away < SWEEPS) cell[colour].f = a.f[cell[colour].p.own];
#pragma unroll
  for (int s = 0; s < SWEEPS; s++) {
    const tile_cell &c = cell[s & 1];
    if (c.away <= R::HALO - s) {
      fv2_values v = {};
      if (s > 0)
        v = c.neighbours(x);
      else if (a.own)
        v = fv2_load_neighbours<AROUND>(a.v, g, c.p, a.own);
      const hymgi_real value = c.diagonal.quotients({{fv2_gsrb_sum(c.b, v, c.f)}}, true).at[0];
      if (s + 1 < SWEEPS) x[c.at] = value;
      if (s + 2 >= SWEEPS && c.away == 0) a.out[c.p.own] = value;
    }
    if (s + 1 < SWEEPS) __syncthreads();
  }
}

enum { TILE_SWEEPS = 2, TILE_X = 16, TILE_Y = 4, TILE_Z = 4 };

} /* namespace */

extern "C" void hymgi_cuda_fv2_gsrb_tile(const hymgi_level *level, const hymgi_real *x,
                                         hymgi_real *out)
{
  const hymgi_geom &g = level->box[0];
  const tile_args a = {g, view_of(level), level->f, x, out};
  const dim3 grid(blocks_for(g.n[0], TILE_X), blocks_for(g.n[1], TILE_Y),
                  blocks_for(g.n[2], TILE_Z));
  with_bools(
      [&](auto variable, auto around) {
        hymgi_launch(level->context,
                     fv2_gsrb_tile<variable, around, TILE_SWEEPS, TILE_X, TILE_Y, TILE_Z>, grid,
                     dim3(region<TILE_SWEEPS, TILE_X, TILE_Y, TILE_Z>::THREADS), a);
      },
      level->method->variable_beta, goes_around(level));
}
