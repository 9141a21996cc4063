/* Levels that stay on the multiprocessors during a smoother call. Each block of a launch whose blocks
 * all run at once keeps a tile of cells, split by colour, with a halo in shared memory, and the blocks
 * pass new values on through memory, each with a number that says which half sweep made it. */
#ifndef HYMGI_DEVICE_SHARED_TILE_CUH
#define HYMGI_DEVICE_SHARED_TILE_CUH

#include "device/stencil_access.cuh"

namespace
{

/* ---- values that blocks pass on ---- */

/* Written and read as one word, so that a value that has its number has arrived. */
struct alignas(16) numbered {
  unsigned long long bits, number;
};

} /* namespace */

#ifndef __CUDACC__
#include "device/shared_tile_emulation.h"
#else

namespace
{

__device__ __forceinline__ void post_bits(numbered *to, unsigned long long bits,
                                          unsigned long long number)
{
  asm volatile(
      "{ .reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word; }" ::"l"(
          to),
      "l"(bits), "l"(number)
      : "memory");
}

__device__ __forceinline__ numbered load_numbered(const numbered *at)
{
  numbered n;
  asm volatile(
      "{ .reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word; }"
      : "=l"(n.bits), "=l"(n.number)
      : "l"(at)
      : "memory");
  return n;
}

/* Where blocks take turns, as emulated ones do. */
__device__ __forceinline__ void let_others_run() {}

/* Copies two values into shared memory without waiting for them. */
__device__ __forceinline__ void copy_pair(hymgi_real *shared, const hymgi_real *from)
{
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(shared)),
      "l"(from), "n"(2 * sizeof(hymgi_real))
      : "memory");
}

__device__ __forceinline__ void wait_for_copies()
{
  asm volatile("cp.async.wait_all;" ::: "memory");
}

} /* namespace */

#endif

namespace
{

__device__ __forceinline__ void post(numbered *to, hymgi_real value, unsigned long long number)
{
  unsigned long long bits;
  if constexpr (SINGLE)
    bits = (unsigned long long)__float_as_uint((float)value);
  else
    bits = (unsigned long long)__double_as_longlong((double)value);
  post_bits(to, bits, number);
}

__device__ __forceinline__ hymgi_real value_of(const numbered &n)
{
  if constexpr (SINGLE)
    return (hymgi_real)__uint_as_float((unsigned)n.bits);
  else
    return (hymgi_real)__longlong_as_double((long long)n.bits);
}

/* ---- tiles ---- */

/* Relative to a tile, 8 bits each. */
struct tile_offset {
  unsigned packed;

  __host__ __device__ static constexpr tile_offset of(int x, int y, int z)
  {
    return {(unsigned)(x & 255) | (unsigned)(y & 255) << 8 | (unsigned)(z & 255) << 16};
  }
  __device__ __forceinline__ int at(int axis) const
  {
    return (int)(packed << (24 - 8 * axis)) >> 24;
  }
};

__host__ __device__ constexpr int steps_out(int at, int count)
{
  return at < 0 ? -at : at >= count ? at - count + 1 : 0;
}

/* A tile of X x Y x Z cells, even numbers, and the cells at most REACH steps away; a thread has UPDATES
 * cells of each colour. In shared memory (x, y, z) is in slot (x + 4) / 2 of the half row of its parity
 * x + y + z, so that pairs of slots lie on as many bytes as in a vector. */
template <int X, int Y, int Z, int REACH, int UPDATES> struct shared_tile {
  static constexpr int x = X, y = Y, z = Z, reach = REACH, updates = UPDATES;
  static constexpr int SLOTS = X / 2, COLOUR = X * Y * Z / 2, THREADS = COLOUR / UPDATES;
  /* half a warp reads rows (y, z) and (y + 1, z + 1 or z - 1) in turn, which begin SLOTS banks apart */
  static constexpr int HALF = SLOTS + (SLOTS == 4 ? 6 : 4), PITCH = 2 * HALF,
                       PLANE = PITCH * (Y + 2 * REACH), SIZE = PLANE * (Z + 2 * REACH);
  static_assert(X % 2 == 0 && Y % 2 == 0 && Z % 2 == 0 && COLOUR % UPDATES == 0, "even numbers");
  static_assert(SLOTS == 16 ||
                    ((PITCH % 16 == SLOTS || PITCH % 16 == 16 - SLOTS) && PLANE % 16 == 0),
                "no conflicts");

  static __device__ __forceinline__ int row(int ty, int tz)
  {
    return (tz + REACH) * PLANE + (ty + REACH) * PITCH;
  }
  static __device__ __forceinline__ int at(int tx, int ty, int tz)
  {
    return row(ty, tz) + ((tx + ty + tz) & 1) * HALF + (tx + 4) / 2;
  }

  /* The u-th cell of a parity; and back. */
  static __device__ __forceinline__ void find_cell(int parity, int u, int (&cell)[3])
  {
    const int r = u / SLOTS;
    cell[1] = r % Y;
    cell[2] = r / Y ^ (cell[1] & 1);
    cell[0] = 2 * (u % SLOTS) + ((parity + cell[1] + cell[2]) & 1);
  }
  static __device__ __forceinline__ int number_of(int tx, int ty, int tz)
  {
    return ((tz ^ (ty & 1)) * Y + ty) * SLOTS + tx / 2;
  }

  /* Cells of the halo of one parity. */
  static constexpr int count_halo()
  {
    int cells = 0;
    for (int tz = -REACH; tz < Z + REACH; tz++)
      for (int ty = -REACH; ty < Y + REACH; ty++)
        for (int tx = -REACH; tx < X + REACH; tx++) {
          const int away = steps_out(tx, X) + steps_out(ty, Y) + steps_out(tz, Z);
          cells += away > 0 && away <= REACH;
        }
    return cells / 2;
  }
  static constexpr int HALO = count_halo(), ARRIVALS = (HALO + THREADS - 1) / THREADS;

  struct halo_list {
    tile_offset of[2][HALO]; /* by parity */
  };
  static constexpr halo_list make_halo()
  {
    halo_list l = {};
    int count[2] = {0, 0};
    for (int tz = -REACH; tz < Z + REACH; tz++)
      for (int ty = -REACH; ty < Y + REACH; ty++)
        for (int tx = -REACH; tx < X + REACH; tx++) {
          const int away = steps_out(tx, X) + steps_out(ty, Y) + steps_out(tz, Z),
                    parity = (tx + ty + tz) & 1;
          if (away > 0 && away <= REACH)
            l.of[parity][count[parity]++] = tile_offset::of(tx, ty, tz);
        }
    return l;
  }
};

template <typename TILE> __device__ const typename TILE::halo_list halo_of = TILE::make_halo();

/* What the blocks of a launch share. */
struct shared_level {
  hymgi_geom box;
  int tiles[3];
  numbered *posts;             /* COLOUR of each parity for each block */
  unsigned long long *numbers; /* the last number that was used */
  unsigned *finished;          /* blocks */
};

/* Where a block's tile is. */
template <typename TILE> struct tile_place {
  int tile[3], low[3], parity; /* parity of the box's colour 0 in the tile */

  __device__ __forceinline__ explicit tile_place(const shared_level &a)
  {
    const int block = (int)blockIdx.x;
    tile[0] = block % a.tiles[0];
    tile[1] = block / a.tiles[0] % a.tiles[1];
    tile[2] = block / a.tiles[0] / a.tiles[1];
    low[0] = tile[0] * TILE::x, low[1] = tile[1] * TILE::y, low[2] = tile[2] * TILE::z;
    parity = a.box.parity & 1;
  }
};

__device__ __forceinline__ bool in_box(const hymgi_geom &g, int i, int j, int k)
{
  return i >= 0 && i < g.n[0] && j >= 0 && j < g.n[1] && k >= 0 && k < g.n[2];
}

/* A thread's part of the halo, by colour: places in shared memory (at < 0: none) and posts. */
template <typename TILE> struct halo_share {
  int at[2][TILE::ARRIVALS], post[2][TILE::ARRIVALS];

  static __device__ __forceinline__ tile_offset offset(int parity, int m)
  {
    const int e = (int)threadIdx.x + m * TILE::THREADS;
    return halo_of<TILE>.of[parity][e < TILE::HALO ? e : 0];
  }

  __device__ __forceinline__ void find(const shared_level &a, const tile_place<TILE> &t)
  {
    tile_offset c[2][TILE::ARRIVALS];
#pragma unroll
    for (int colour = 0; colour < 2; colour++)
#pragma unroll
      for (int m = 0; m < TILE::ARRIVALS; m++)
        c[colour][m] = offset(colour ^ t.parity, m);
#pragma unroll
    for (int colour = 0; colour < 2; colour++)
#pragma unroll
      for (int m = 0; m < TILE::ARRIVALS; m++) {
        const int x = c[colour][m].at(0), y = c[colour][m].at(1), z = c[colour][m].at(2);
        const int dx = x < 0 ? -1 : x >= TILE::x, dy = y < 0 ? -1 : y >= TILE::y,
                  dz = z < 0 ? -1 : z >= TILE::z;
        const int block =
            ((t.tile[2] + dz) * a.tiles[1] + t.tile[1] + dy) * a.tiles[0] + t.tile[0] + dx;
        const bool there = (int)threadIdx.x + m * TILE::THREADS < TILE::HALO &&
                           in_box(a.box, t.low[0] + x, t.low[1] + y, t.low[2] + z);
        at[colour][m] = there ? TILE::at(x, y, z) : -1;
        post[colour][m] = (2 * block + (colour ^ t.parity)) * TILE::COLOUR +
                          TILE::number_of(x - dx * TILE::x, y - dy * TILE::y, z - dz * TILE::z);
      }
  }

  /* Waits for the values of a colour with this number and puts them into the tile. They are still there:
   * a block posts its half sweep s + 2 in their place after it has received what its neighbours made in
   * s + 1, after they had read those of s. */
  template <int COLOUR>
  __device__ __forceinline__ void receive(const shared_level &a, unsigned long long number,
                                          hymgi_real *tile) const
  {
    numbered got[TILE::ARRIVALS];
    for (bool all = false; !all;) {
      all = true;
#pragma unroll
      for (int m = 0; m < TILE::ARRIVALS; m++)
        if (at[COLOUR][m] >= 0) got[m] = load_numbered(a.posts + post[COLOUR][m]);
#pragma unroll
      for (int m = 0; m < TILE::ARRIVALS; m++)
        all = all && (at[COLOUR][m] < 0 || got[m].number == number);
      if (!all) let_others_run();
    }
#pragma unroll
    for (int m = 0; m < TILE::ARRIVALS; m++)
      if (at[COLOUR][m] >= 0) tile[at[COLOUR][m]] = value_of(got[m]);
  }
};

/* Calls each(at, from) for pairs of places, in shared memory and in a vector, that together are the
 * tile's part of the rows in the box and so many layers around it, with their ends. In 32 bits, since
 * this is most of what a launch does before it waits. */
template <int LAYERS, typename TILE, typename Each>
__device__ __forceinline__ void each_pair(const hymgi_geom &g, const tile_place<TILE> &t,
                                          const Each &each)
{
  constexpr int PAIRS = TILE::SLOTS / 2 + 2, HIGH = TILE::y + 2 * TILE::reach,
                DEEP = TILE::z + 2 * TILE::reach;
  const int pitch = (int)g.pitch, plane = (int)g.plane, half = (int)g.half;
  const int low = t.low[0] / 2 - 2;
  const int corner = (int)(g.offset + g.base) + (t.low[2] - TILE::reach) * plane +
                     (t.low[1] - TILE::reach) * pitch + low;
#pragma unroll 2
  for (int e = (int)threadIdx.x; e < 2 * PAIRS * HIGH * DEEP; e += TILE::THREADS) {
    const int slot = 2 * (e % PAIRS), rows = e / PAIRS, parity = rows & 1;
    const int y = (rows >> 1) % HIGH, z = (rows >> 1) / HIGH;
    const int j = t.low[1] - TILE::reach + y, k = t.low[2] - TILE::reach + z;
    if (low + slot <= g.n[0] / 2 && j >= -LAYERS && j < g.n[1] + LAYERS && k >= -LAYERS &&
        k < g.n[2] + LAYERS)
      each(z * TILE::PLANE + y * TILE::PITCH + parity * TILE::HALF + slot,
           corner + z * plane + y * pitch + (parity ^ t.parity) * half + slot);
  }
}

/* Does a neighbouring block read this cell? */
template <typename TILE> __device__ __forceinline__ bool is_read_outside(const int (&c)[3])
{
  return c[0] < TILE::reach || c[0] >= TILE::x - TILE::reach || c[1] < TILE::reach ||
         c[1] >= TILE::y - TILE::reach || c[2] < TILE::reach || c[2] >= TILE::z - TILE::reach;
}

/* A thread's cell of a colour. One that is not in the box is computed all the same, from some place in
 * it, and stored nowhere. */
template <typename TILE> struct tile_cell {
  enum { THERE = 1, IS_READ = 2, ODD = 4 };
  int at, own; /* in shared memory; in a vector */
  unsigned flags;

  /* The m-th one. */
  __device__ __forceinline__ void find(const shared_level &a, const tile_place<TILE> &t, int colour,
                                       int m)
  {
    const hymgi_geom &g = a.box;
    int c[3];
    TILE::find_cell(colour ^ t.parity, (int)threadIdx.x + m * TILE::THREADS, c);
    const int i = t.low[0] + c[0], j = t.low[1] + c[1], k = t.low[2] + c[2];
    const bool there = i < g.n[0] && j < g.n[1] && k < g.n[2];
    at = TILE::at(c[0], c[1], c[2]);
    own = (int)(there ? hymgi_row(&g, colour, j, k) + i / 2
                      : hymgi_row(&g, colour, t.low[1], t.low[2]) + t.low[0] / 2);
    flags = c[0] & 1 ? ODD : 0;
    if (there) flags |= THERE | (is_read_outside<TILE>(c) ? IS_READ : 0);
  }

  __device__ __forceinline__ bool is_there() const
  {
    return flags & THERE;
  }

  /* The same slot of the other colour; parity: the cell's. The cell's neighbours along x are in the slots
   * before() and before() + 1 from there. */
  static __device__ __forceinline__ int other_half(int parity)
  {
    return parity ? -TILE::HALF : TILE::HALF;
  }
  __device__ __forceinline__ int before() const
  {
    return flags & ODD ? 0 : -1;
  }

  /* Passes a value on if a neighbouring block reads it. */
  __device__ __forceinline__ void pass_on(const shared_level &a, int parity, int m,
                                          hymgi_real value, unsigned long long number) const
  {
    if (flags & IS_READ)
      post(a.posts + (2 * (int)blockIdx.x + parity) * TILE::COLOUR + (int)threadIdx.x +
               m * TILE::THREADS,
           value, number);
  }
};

/* By one thread of each block, once its block has read the number and received its last values: the
 * last block advances the number for the next launch. */
__device__ __forceinline__ void finish(const shared_level &a, unsigned long long last)
{
  if (atomicAdd(a.finished, 1u) != gridDim.x - 1) return;
  *a.finished = 0;
  *a.numbers = last;
}

/* ---- launches ---- */

template <typename TILE> shared_level shared_level_of(const hymgi_level *level)
{
  const hymgi_device *const d = level->context->gpu;
  const hymgi_geom &g = *level->box;
  return {g,
          {(int)blocks_for(g.n[0], TILE::x), (int)blocks_for(g.n[1], TILE::y),
           (int)blocks_for(g.n[2], TILE::z)},
          (numbered *)d->posts.values,
          d->posts.number,
          d->posts.finished};
}

inline int64_t blocks_of(const shared_level &a)
{
  return (int64_t)a.tiles[0] * a.tiles[1] * a.tiles[2];
}

/* Do all blocks run at once, with what they keep in shared memory? A tile at a boundary must hold the
 * cells from which ghosts are extrapolated. */
template <typename TILE> bool fits_shared(const hymgi_level *level, int bytes)
{
  const hymgi_device *const d = level->context->gpu;
  static_assert(2 * TILE::COLOUR * sizeof(numbered) <= HYMGI_POSTED_BYTES,
                "a block's part of the posts");
  for (int axis = 0; axis < 3; axis++) {
    const int rest = level->box->n[axis] % (axis == 0 ? TILE::x : axis == 1 ? TILE::y : TILE::z);
    if (rest > 0 && rest < 4) return false;
  }
  return blocks_of(shared_level_of<TILE>(level)) <= d->multiprocessors && bytes <= d->shared_bytes;
}

} /* namespace */

#endif
