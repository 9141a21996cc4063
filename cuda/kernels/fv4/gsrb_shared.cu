/* FV4's red-black Gauss-Seidel on small levels: all half sweeps of a smoother call in one launch, in
 * place. A block keeps x and the betas of a tile with their halo in shared memory, so that a half
 * sweep takes from memory only the neighbours' cells of the colour that changed before it: 1248 of 16
 * bytes for 32 x 8 x 8 cells. */
#include "device/ghosts.cuh"
#include "device/shared_tile.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

enum { REACH = 2 };

struct shared_args {
  shared_level level;
  operator_view v;
  extrapolation c;
  const hymgi_real *f;
  hymgi_real *x;
  int sweeps;
};

/* ---- ghosts ---- */

/* A line off a boundary: its cells are first, second + step, first + stride, second + step + stride;
 * its ghosts second + step - stride and first - stride. */
struct ghost_line {
  unsigned short first_and_face, second;
  short step, stride;
};

enum { FACE_SHIFT = 13 };

/* The lines of a tile in shared memory, those of each thread by itself: of faces, then of edges where
 * two boundaries meet, whose cells are ghosts of the first kind. */
template <typename TILE> struct ghost_lines {
  static constexpr int X = TILE::x + 2, Y = TILE::y + 2, Z = TILE::z + 2, THREADS = TILE::THREADS,
                       FACES = (2 * (X * Y + X * Z + Y * Z) + THREADS - 1) / THREADS,
                       EDGES = (4 * (TILE::x + TILE::y + TILE::z) + THREADS - 1) / THREADS,
                       BYTES = (FACES + EDGES) * THREADS * (int)sizeof(ghost_line);
  static_assert(TILE::SIZE <= 1 << FACE_SHIFT, "a place and a face in 16 bits");

  ghost_line *table;
  int faces, edges; /* this thread's */
  bool any;         /* the tile's */

  /* The line from cell (x, y, z) of a face. */
  static __device__ __forceinline__ ghost_line line_from(int face, int x, int y, int z)
  {
    const int at = TILE::at(x, y, z), parity = (x + y + z) & 1, axis = face / 2;
    const int step = axis == 0 ? 0 : axis == 1 ? TILE::PITCH : TILE::PLANE;
    const int stride = axis == 0 ? 1 : 2 * step;
    ghost_line l;
    l.first_and_face = (unsigned short)(at | face << FACE_SHIFT);
    l.second = (unsigned short)(at + (parity ? -TILE::HALF : TILE::HALF));
    l.step = (short)(face & 1 ? -step : step);
    l.stride = (short)(face & 1 ? -stride : stride);
    return l;
  }

  __device__ __forceinline__ void add(int *count, int base, const ghost_line &l)
  {
    table[(base + *count) * THREADS + (int)threadIdx.x] = l;
    ++*count;
  }

  __device__ __forceinline__ void find(const hymgi_geom &g, const tile_place<TILE> &t)
  {
    constexpr int n[3] = {TILE::x, TILE::y, TILE::z};
    int last[3]; /* cells of the tile, and whether the next ones are ghosts */
    bool wall[6];
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      last[axis] = g.n[axis] - 1 - t.low[axis];
      wall[2 * axis] = t.low[axis] == 0;
      wall[2 * axis + 1] = last[axis] < n[axis];
      if (last[axis] >= n[axis]) last[axis] = n[axis] - 1;
    }
    any = wall[0] || wall[1] || wall[2] || wall[3] || wall[4] || wall[5];
    faces = edges = 0;
    int e = (int)threadIdx.x;
#pragma unroll
    for (int face = 0; face < 6; face++) {
      if (!wall[face]) continue;
      const int axis = face / 2, u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
      const int nu = n[u] + 2, nv = n[v] + 2; /* with a cell beyond either side */
#pragma unroll 1
      for (; e < nu * nv; e += THREADS) {
        const int cu = e % nu - 1, cv = e / nu - 1;
        const bool out_u = cu < 0 || cu > last[u], out_v = cv < 0 || cv > last[v];
        if ((out_u && out_v) || cu > last[u] + 1 || cv > last[v] + 1 ||
            (out_u && wall[2 * u + (cu > 0)]) || (out_v && wall[2 * v + (cv > 0)]))
          continue;
        const int c = face & 1 ? last[axis] : 0;
        add(&faces, 0,
            axis == 0   ? line_from(face, c, cu, cv)
            : axis == 1 ? line_from(face, cu, c, cv)
                        : line_from(face, cu, cv, c));
      }
      e -= nu * nv;
    }
    e = (int)threadIdx.x;
    /* lines along axis u off the ghosts beyond a face of axis v > u */
#pragma unroll
    for (int pair = 0; pair < 12; pair++) {
      const int u = pair / 4 == 2 ? 1 : 0, v = pair / 4 == 0 ? 1 : 2, w = 3 - u - v;
      const int at_u = pair & 1, at_v = pair >> 1 & 1;
      if (!wall[2 * u + at_u] || !wall[2 * v + at_v]) continue;
      for (; e <= last[w]; e += THREADS) {
        int c[3];
        c[u] = at_u ? last[u] : 0;
        c[v] = at_v ? last[v] + 1 : -1;
        c[w] = e;
        add(&edges, FACES, line_from(2 * u + at_u, c[0], c[1], c[2]));
      }
      e -= last[w] + 1;
    }
  }

  __device__ __forceinline__ void fill(const extrapolation &c, int begin, int count,
                                       hymgi_real *tile) const
  {
    for (int m = begin; m < begin + count; m++) {
      const ghost_line l = table[m * THREADS + (int)threadIdx.x];
      const hymgi_extrapolation kind = boundary_of(c, l.first_and_face >> FACE_SHIFT);
      hymgi_real *const first = tile + (l.first_and_face & ((1 << FACE_SHIFT) - 1));
      hymgi_real *const second = tile + l.second + l.step;
      const inside v = {first[0], second[0], first[l.stride], second[l.stride]};
      second[-l.stride] = first_ghost(kind, v);
      first[-l.stride] = second_ghost(kind, v);
    }
  }

  __device__ __forceinline__ void fill_all(const extrapolation &c, hymgi_real *tile) const
  {
    if (!any) return;
    fill(c, 0, faces, tile);
    __syncthreads();
    fill(c, FACES, edges, tile);
    __syncthreads();
  }
};

/* ---- cells ---- */

template <typename TILE> struct shared_cell : tile_cell<TILE> {
  hymgi_real f, scale;

  template <bool VARIABLE>
  __device__ __forceinline__ hymgi_real updated(const operator_view &v, int parity,
                                                const hymgi_real *tile) const
  {
    const hymgi_real *const x = tile + this->at, *const beta = x + TILE::SIZE;
    const int other = this->other_half(parity), west = this->before();
    const auto to = [&](int di, int dj, int dk) {
      const int slot = di == 0 ? 0 : di == 1 ? west + 1 : di == -1 ? west : di / 2;
      return ((di + dj + dk) & 1 ? other : 0) + slot + dj * TILE::PITCH + dk * TILE::PLANE;
    };
    const hymgi_real ax = fv4_apply_with<VARIABLE>(
        [&](int di, int dj, int dk) { return x[to(di, dj, dk)]; },
        [&](int axis, int di, int dj, int dk) {
          return VARIABLE ? beta[axis * TILE::SIZE + to(di, dj, dk)] : v.beta_constant[axis];
        });
    const hymgi_real alpha = v.has_alpha ? alpha_at(v, this->own) : 0;
    return hymgi_relax(x[0], scale, f - fv4_with_alpha(v, ax, x[0], alpha));
  }
};

/* ---- the kernel ---- */

template <typename TILE, bool VARIABLE>
__global__ void __launch_bounds__(TILE::THREADS, 1)
    fv4_gsrb_shared(const __grid_constant__ shared_args a)
{
  HYMGI_DYNAMIC_SHARED(tile);
  let_successors_start();
  const tile_place<TILE> t(a.level);
  if constexpr (VARIABLE)
    each_pair<1>(a.level.box, t, [&](int at, int from) {
#pragma unroll
      for (int axis = 0; axis < 3; axis++)
        copy_pair(tile + (1 + axis) * TILE::SIZE + at, a.v.beta[axis] + from);
    });
  shared_cell<TILE> cell[2][TILE::updates]; /* by colour */
  halo_share<TILE> halo;
  halo.find(a.level, t);
  ghost_lines<TILE> ghosts;
  ghosts.table = reinterpret_cast<ghost_line *>(tile + (VARIABLE ? 4 : 1) * TILE::SIZE);
  ghosts.find(a.level.box, t);
#pragma unroll
  for (int colour = 0; colour < 2; colour++)
#pragma unroll
    for (int m = 0; m < TILE::updates; m++) {
      cell[colour][m].find(a.level, t, colour, m);
      cell[colour][m].scale = a.v.dinv[cell[colour][m].own];
    }
  wait_for_predecessors();
  const unsigned long long before = *(const volatile unsigned long long *)a.level.numbers;
  each_pair<0>(a.level.box, t, [&](int at, int from) { copy_pair(tile + at, a.x + from); });
#pragma unroll
  for (int colour = 0; colour < 2; colour++)
#pragma unroll
    for (int m = 0; m < TILE::updates; m++)
      cell[colour][m].f = a.f[cell[colour][m].own];
  wait_for_copies();
  const auto half_sweep = [&](auto which, int s) {
    constexpr int COLOUR = decltype(which)::value;
    const int parity = COLOUR ^ t.parity;
    if (s > 0) halo.template receive<1 - COLOUR>(a.level, before + (unsigned)s, tile);
    __syncthreads();
    if (s + 1 == a.sweeps && threadIdx.x == 0) finish(a.level, before + (unsigned)a.sweeps);
    ghosts.fill_all(a.c, tile);
    hymgi_real value[TILE::updates];
#pragma unroll
    for (int m = 0; m < TILE::updates; m++)
      value[m] = cell[COLOUR][m].template updated<VARIABLE>(a.v, parity, tile);
#pragma unroll
    for (int m = 0; m < TILE::updates; m++) {
      const shared_cell<TILE> &c = cell[COLOUR][m];
      if (s + 1 < a.sweeps) c.pass_on(a.level, parity, m, value[m], before + (unsigned)s + 1);
      if (s + 2 >= a.sweeps && c.is_there()) a.x[c.own] = value[m];
    }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < TILE::updates; m++)
      if (cell[COLOUR][m].is_there()) tile[cell[COLOUR][m].at] = value[m];
  };
#pragma unroll 1
  for (int s = 0; s < a.sweeps; s += 2) {
    half_sweep(std::integral_constant<int, 0>(), s);
    if (s + 1 < a.sweeps) half_sweep(std::integral_constant<int, 1>(), s + 1);
  }
}

using large_tile = shared_tile<32, 8, 8, REACH, 2>;
using small_tile = shared_tile<8, 8, 8, REACH, 1>;

template <typename TILE> int bytes_of(const hymgi_level *level)
{
  const int arrays = level->method->variable_beta ? 4 : 1;
  return arrays * TILE::SIZE * (int)sizeof(hymgi_real) + ghost_lines<TILE>::BYTES;
}

template <typename TILE> bool fits(const hymgi_level *level)
{
  return fits_shared<TILE>(level, bytes_of<TILE>(level));
}

/* Tiles that are partly empty take as long as full ones (48^3: no gain). */
bool fits_large(const hymgi_level *level)
{
  return level->box->n[0] % large_tile::x == 0 && fits<large_tile>(level);
}

template <typename TILE> void launch(const hymgi_level *level)
{
  const shared_args a = {shared_level_of<TILE>(level),
                         view_of(level),
                         extrapolation_of(level, HYMGI_GHOSTS_V4),
                         level->f,
                         level->x,
                         hymgi_sweeps(level)};
  with_bools(
      [&](auto variable) {
        hymgi_launch_as({true, (size_t)bytes_of<TILE>(level), 0}, level->context,
                        fv4_gsrb_shared<TILE, variable>, dim3((unsigned)blocks_of(a.level)),
                        dim3(TILE::THREADS), a);
      },
      level->method->variable_beta);
}

} /* namespace */

extern "C" bool hymgi_cuda_fv4_fits_shared(const hymgi_level *level, bool large)
{
  return large ? fits_large(level) : fits<small_tile>(level);
}

extern "C" void hymgi_cuda_fv4_gsrb_shared(const hymgi_level *level)
{
  const bool large = hymgi_has_variant(level, HYMGI_FV4_GSRB_SHARED_LARGE);
  (large ? launch<large_tile> : launch<small_tile>)(level);
}
