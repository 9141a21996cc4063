/* The ring of planes in shared memory that FV4's march by TMA reads: its layout, the loads from it,
 * and the copies that fill it. */
#ifndef HYMGI_KERNELS_FV4_MARCH_TMA_CUH
#define HYMGI_KERNELS_FV4_MARCH_TMA_CUH

#include "device/tma.cuh"
#include "kernels/fv4/march_2cells.cuh"

namespace
{

/* Planes in flight; slots, rows and planes before the box where maps begin. */
enum { AHEAD = 2, MAP_LOW = 2 };

/* Tiles of COUNT planes in shared memory, one after the other from START on. Each begins LEFT slots
 * and LOW rows before the block's first cell and holds the red cells, then the black ones. Copies
 * start at even slots. */
template <int WIDE_, int HIGH_, int LEFT_, int LOW_, int COUNT, int START> struct tiles {
  static constexpr int WIDE = WIDE_, HIGH = HIGH_, LEFT = LEFT_, LOW = LOW_, COLOUR = WIDE * HIGH;
  static constexpr int BYTES = 2 * COLOUR * (int)sizeof(double);
  static constexpr int SIZE = (BYTES + 127) / 128 * 128 / (int)sizeof(double);
  static constexpr int END = START + COUNT * SIZE;

  /* that of the block's plane m */
  static __device__ __forceinline__ double *of(double *ring, int m)
  {
    return ring + START + m % (COUNT ? COUNT : 1) * SIZE;
  }
};

/* What a block of X slots x Y rows reads. While plane m is computed, the ring holds x and the x- and y-faces
 * from plane m on, z-faces from m + 1, the rest from m. */
template <typename JOB_, bool ALPHA_> struct tma_shape {
  typedef JOB_ JOB;
  static constexpr bool RELAXES = std::is_same_v<JOB, relax>;
  static constexpr bool ALPHA = ALPHA_;
  static constexpr int X = 32, Y = 16, THREADS = X * Y;
  typedef tiles<X + 4, Y + 4, 2, 2, AHEAD + 2, 0> values;
  typedef tiles<X + 2, Y + 2, 0, 1, AHEAD + 1, values::END> faces_x;
  typedef tiles<X + 4, Y + 1, 2, 0, AHEAD + 1, faces_x::END> faces_y;
  typedef tiles<X + 4, Y + 2, 2, 1, AHEAD, faces_y::END> faces_z;
  typedef tiles<X, Y, 0, 0, AHEAD, faces_z::END> f;
  typedef tiles<X, Y, 0, 0, RELAXES ? AHEAD : 0, f::END> prev;
  typedef tiles<X, Y, 0, 0, RELAXES ? AHEAD : 0, prev::END> scale;
  typedef tiles<X, Y, 0, 0, ALPHA ? AHEAD : 0, scale::END> alpha;
  static constexpr int SHARED =
      alpha::END * (int)sizeof(double) + (2 * AHEAD + 1) * (int)sizeof(byte_barrier);
};

struct tma_maps {
  grid_map x, beta[3], f, prev, scale, alpha;
};

/* A slot in a tile: where its even cell is, and its odd one. */
template <typename Tiles> struct slot_view {
  double *even, *odd;

  __device__ __forceinline__ slot_view(double *tile, int t, int j, bool swapped)
  {
    double *const red = tile + (j + Tiles::LOW) * Tiles::WIDE + t + Tiles::LEFT;
    even = swapped ? red + Tiles::COLOUR : red;
    odd = swapped ? red : red + Tiles::COLOUR;
  }
  /* as slot_place has it */
  __device__ __forceinline__ double &at(int u, int dj, int dk) const
  {
    return ((u + dj + dk) & 1 ? odd : even)[(u >> 1) + dj * Tiles::WIDE];
  }
};

/* Where a march loads from: the ring, in the step of the block's plane m; (t, j): in the tile. */
template <typename Shape> struct tma_source {
  double *ring;
  int m, t, j;
  bool swapped;
  const operator_view &v;

  template <typename Tiles> __device__ __forceinline__ double load(int u, int dj, int dk) const
  {
    return slot_view<Tiles>(Tiles::of(ring, m + dk), t, j, swapped).at(u, dj, dk);
  }
  __device__ __forceinline__ double x(int u, int dj, int dk) const
  {
    return load<typename Shape::values>(u, dj, dk);
  }
  __device__ __forceinline__ double beta(int axis, int u, int dj, int dk) const
  {
    return axis == 0   ? load<typename Shape::faces_x>(u, dj, dk)
           : axis == 1 ? load<typename Shape::faces_y>(u, dj, dk)
                       : load<typename Shape::faces_z>(u, dj, dk);
  }
  __device__ __forceinline__ double f(int u) const
  {
    return load<typename Shape::f>(u, 0, 0);
  }
  __device__ __forceinline__ double prev(int u) const
  {
    return load<typename Shape::prev>(u, 0, 0);
  }
  __device__ __forceinline__ double scale(int u) const
  {
    return load<typename Shape::scale>(u, 0, 0);
  }
  __device__ __forceinline__ double alpha(int u) const
  {
    if (!Shape::ALPHA) return 0;
    const double here =
        load<typename Shape::alpha>(u, 0, 0); /* undefined without an alpha vector */
    return v.alpha ? here : v.alpha_constant;
  }
};

/* The copies of a block, which one thread issues. */
template <typename Shape> struct tma_copies {
  const tma_maps &maps;
  double *ring;
  byte_barrier *full, *empty, *first;
  int t, j, k, planes; /* where the block begins */
  bool prev, alpha;    /* are there such vectors? */

  template <typename Tiles>
  __device__ __forceinline__ void copy(const grid_map &map, int m, byte_barrier *b) const
  {
    copy_boxes(Tiles::of(ring, m), &map, t + MAP_LOW - Tiles::LEFT, j + MAP_LOW - Tiles::LOW,
               k + m + MAP_LOW, b);
  }
  /* What step m is the first to read. */
  __device__ __forceinline__ void bring(int m) const
  {
    byte_barrier *const b = full + m % AHEAD;
    const int cells = 1 + (Shape::RELAXES ? 1 + prev : 0) + (Shape::ALPHA && alpha);
    barrier_announce(b, Shape::values::BYTES + Shape::faces_x::BYTES + Shape::faces_y::BYTES +
                            Shape::faces_z::BYTES + cells * Shape::f::BYTES);
    copy<typename Shape::values>(maps.x, m + 2, b);
    copy<typename Shape::faces_x>(maps.beta[0], m + 1, b);
    copy<typename Shape::faces_y>(maps.beta[1], m + 1, b);
    copy<typename Shape::faces_z>(maps.beta[2], m + 1, b);
    copy<typename Shape::f>(maps.f, m, b);
    if (Shape::RELAXES) copy<typename Shape::scale>(maps.scale, m, b);
    if (Shape::RELAXES && prev) copy<typename Shape::prev>(maps.prev, m, b);
    if (Shape::ALPHA && alpha) copy<typename Shape::alpha>(maps.alpha, m, b);
  }
  __device__ __forceinline__ void begin() const
  {
    barrier_announce(first,
                     2 * Shape::values::BYTES + Shape::faces_x::BYTES + Shape::faces_y::BYTES);
    copy<typename Shape::values>(maps.x, 0, first);
    copy<typename Shape::values>(maps.x, 1, first);
    copy<typename Shape::faces_x>(maps.beta[0], 0, first);
    copy<typename Shape::faces_y>(maps.beta[1], 0, first);
    for (int m = 0; m < AHEAD && m < planes; m++)
      bring(m);
  }
  /* In step m: refills what all threads finished reading in the step before. */
  __device__ __forceinline__ void go_on(int m) const
  {
    if (m == 0 || m - 1 + AHEAD >= planes) return;
    barrier_wait(empty + (m - 1) % AHEAD, (unsigned)((m - 1) / AHEAD & 1));
    bring(m - 1 + AHEAD);
  }
};

} /* namespace */

#endif
