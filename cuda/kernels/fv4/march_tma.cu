/* The march of cuda/kernels/fv4/march_memory.cu with planes that TMA brings to shared memory
 * (sm_90), for one box with variable beta. Loads in flight take no registers, so that there can be
 * enough threads for large tiles, which have less halo: the time is that of the traffic from L2 to
 * shared memory. What a step can read again from shared memory it does not keep in registers. */
#include "device/tma.cuh"
#include "kernels/fv4/march_2cells.cuh"

namespace
{

/* ---- the ring of planes in shared memory ---- */

/* Planes in flight; rows and planes, and slots of 16 bytes, before the box where maps begin. */
enum {
  AHEAD = 2,
  MAP_LOW = 2,
  WHOLE = 16 / (int)sizeof(hymgi_real),
  MAP_LEFT = WHOLE > 2 ? WHOLE : 2
};

/* Tiles of COUNT planes in shared memory, one after the other from START on. Each begins LEFT slots
 * and LOW rows before the block's first cell and holds the red cells, then the black ones. Copies start
 * at multiples of 16 bytes and take whole ones of a row: LEFT_ and WIDE_ are rounded up. */
template <int WIDE_, int HIGH_, int LEFT_, int LOW_, int COUNT, int START> struct tiles {
  static constexpr int LEFT = (LEFT_ + WHOLE - 1) / WHOLE * WHOLE;
  static constexpr int WIDE = (WIDE_ + LEFT - LEFT_ + WHOLE - 1) / WHOLE * WHOLE;
  static constexpr int HIGH = HIGH_, LOW = LOW_, COLOUR = WIDE * HIGH;
  static constexpr int BYTES = 2 * COLOUR * (int)sizeof(hymgi_real);
  static constexpr int SIZE = (BYTES + 127) / 128 * 128 / (int)sizeof(hymgi_real);
  static constexpr int END = START + COUNT * SIZE;

  /* that of the block's plane m */
  static __device__ __forceinline__ hymgi_real *of(hymgi_real *ring, int m)
  {
    return ring + START + m % (COUNT ? COUNT : 1) * SIZE;
  }
};

/* What a block of X slots x Y rows reads. While plane m is computed, the ring holds x and the x-
 * and y-faces from plane m on, z-faces from m + 1, the rest from m. */
template <typename JOB_, bool ALPHA_, bool LIMITED_ = false> struct tma_shape {
  typedef JOB_ JOB;
  static constexpr bool RELAXES = std::is_same_v<JOB, relax>;
  static constexpr bool ALPHA = ALPHA_, LIMITED = LIMITED_;
  static constexpr int X = 32, Y = 16, THREADS = X * Y;
  typedef tiles<X + 4, Y + 4, 2, 2, AHEAD + 2, 0> values;
  typedef tiles<X + 2, Y + 2, 0, 1, AHEAD + 1, values::END> faces_x;
  typedef tiles<X + 4, Y + 1, 2, 0, AHEAD + 1, faces_x::END> faces_y;
  typedef tiles<X + 4, Y + 2, 2, 1, AHEAD, faces_y::END> faces_z;
  typedef tiles<X, Y, 0, 0, READS_F<JOB> ? AHEAD : 0, faces_z::END> f;
  typedef tiles<X, Y, 0, 0, RELAXES ? AHEAD : 0, f::END> prev;
  typedef tiles<X, Y, 0, 0, RELAXES ? AHEAD : 0, prev::END> scale;
  typedef tiles<X, Y, 0, 0, ALPHA ? AHEAD : 0, scale::END> alpha;
  static constexpr int SHARED =
      alpha::END * (int)sizeof(hymgi_real) + (2 * AHEAD + 1) * (int)sizeof(byte_barrier);
};

struct tma_maps {
  grid_map x, beta[3], f, prev, scale, alpha;
};

/* A slot in a tile: where its even cell is, and its odd one. */
template <typename Tiles> struct slot_view {
  hymgi_real *even, *odd;

  __device__ __forceinline__ slot_view(hymgi_real *tile, int t, int j, bool swapped)
  {
    hymgi_real *const red = tile + (j + Tiles::LOW) * Tiles::WIDE + t + Tiles::LEFT;
    even = swapped ? red + Tiles::COLOUR : red;
    odd = swapped ? red : red + Tiles::COLOUR;
  }
  /* as slot_place has it */
  __device__ __forceinline__ hymgi_real &at(int u, int dj, int dk) const
  {
    return ((u + dj + dk) & 1 ? odd : even)[(u >> 1) + dj * Tiles::WIDE];
  }
};

/* Where a march loads from: the ring, in the step of the block's plane m; (t, j): in the tile. */
template <typename Shape> struct tma_source {
  hymgi_real *ring;
  int m, t, j;
  bool swapped;
  const operator_view &v;

  template <typename Tiles> __device__ __forceinline__ hymgi_real load(int u, int dj, int dk) const
  {
    return slot_view<Tiles>(Tiles::of(ring, m + dk), t, j, swapped).at(u, dj, dk);
  }
  __device__ __forceinline__ hymgi_real x(int u, int dj, int dk) const
  {
    return load<typename Shape::values>(u, dj, dk);
  }
  __device__ __forceinline__ hymgi_real beta(int axis, int u, int dj, int dk) const
  {
    return axis == 0   ? load<typename Shape::faces_x>(u, dj, dk)
           : axis == 1 ? load<typename Shape::faces_y>(u, dj, dk)
                       : load<typename Shape::faces_z>(u, dj, dk);
  }
  __device__ __forceinline__ hymgi_real f(int u) const
  {
    return load<typename Shape::f>(u, 0, 0);
  }
  __device__ __forceinline__ hymgi_real prev(int u) const
  {
    return load<typename Shape::prev>(u, 0, 0);
  }
  __device__ __forceinline__ hymgi_real scale(int u) const
  {
    return load<typename Shape::scale>(u, 0, 0);
  }
  __device__ __forceinline__ hymgi_real alpha(int u) const
  {
    if (!Shape::ALPHA) return 0;
    const hymgi_real here =
        load<typename Shape::alpha>(u, 0, 0); /* undefined without an alpha vector */
    return v.alpha ? here : v.alpha_constant;
  }
};

/* The copies of a block, which one thread issues. */
template <typename Shape> struct tma_copies {
  const tma_maps &maps;
  hymgi_real *ring;
  byte_barrier *full, *empty, *first;
  int t, j, k, planes; /* where the block begins */
  bool prev, alpha;    /* are there such vectors? */

  template <typename Tiles>
  __device__ __forceinline__ void copy(const grid_map &map, int m, byte_barrier *b) const
  {
    copy_boxes(Tiles::of(ring, m), &map, t + MAP_LEFT - Tiles::LEFT, j + MAP_LOW - Tiles::LOW,
               k + m + MAP_LOW, b);
  }
  /* What step m is the first to read. */
  __device__ __forceinline__ void bring(int m) const
  {
    byte_barrier *const b = full + m % AHEAD;
    const int cells =
        READS_F<typename Shape::JOB> + (Shape::RELAXES ? 1 + prev : 0) + (Shape::ALPHA && alpha);
    barrier_announce(b, Shape::values::BYTES + Shape::faces_x::BYTES + Shape::faces_y::BYTES +
                            Shape::faces_z::BYTES + cells * Shape::f::BYTES);
    copy<typename Shape::values>(maps.x, m + 2, b);
    copy<typename Shape::faces_x>(maps.beta[0], m + 1, b);
    copy<typename Shape::faces_y>(maps.beta[1], m + 1, b);
    copy<typename Shape::faces_z>(maps.beta[2], m + 1, b);
    if (READS_F<typename Shape::JOB>) copy<typename Shape::f>(maps.f, m, b);
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

/* ---- the march ---- */

/* What the window has of the plane itself, read again rather than kept from the step before. */
template <typename Source> __device__ __forceinline__ void read_again(const Source &from, window *w)
{
  w->w[1] = from.x(-1, 0, 0), w->e[1] = from.x(2, 0, 0);
#pragma unroll
  for (int u = 0; u < 2; u++) {
    w->s[u][1] = from.x(u, -1, 0), w->n[u][1] = from.x(u, 1, 0);
    w->face_s[u][1] = from.beta(1, u, 0, 0), w->face_n[u][1] = from.beta(1, u, 1, 0);
  }
#pragma unroll
  for (int u = 0; u < 3; u++)
    w->face_x[u][1] = from.beta(0, u, 0, 0);
}

/* A thread's place: slot and row in the block's tile, and in the box. */
struct tma_place {
  int t, j, slot, row;
  row_end end; /* of its warp */
};

/* Fills the ghosts along x of a plane in its tile: each warp at an end of the rows does its two
 * rows and, at the edge of the tile, the adjacent halo row. Other warps read these rows only two
 * steps later, and that step waits for a copy that is issued after all warps finished this one. */
template <typename Shape>
__device__ __forceinline__ void fill_tile_ghosts(hymgi_real *tile, const hymgi_geom &g,
                                                 const tma_place &p, int k)
{
  static_assert(AHEAD <= 2, "the step after the next would not wait for this one");
  const int lane = (int)threadIdx.x % 32, first = p.j - lane / SLOTS, low = p.row - p.j;
  const int j = first - 1 + lane;
  const bool mine = lane == 1 || lane == 2 || (lane == 0 && first == 0) ||
                    (lane == 3 && first + ROWS == Shape::Y);
  if (p.end == NO_END || !mine) return;
  const bool east = p.end == EAST_END, swapped = (low + j + k + g.parity) & 1;
  const int t = east ? g.n[0] / 2 - 1 - (p.slot - p.t) : 0;
  const slot_view<typename Shape::values> x(tile, t, j, swapped);
  const inside v = east ? inside{x.at(1, 0, 0), x.at(0, 0, 0), x.at(-1, 0, 0), x.at(-2, 0, 0)}
                        : inside{x.at(0, 0, 0), x.at(1, 0, 0), x.at(2, 0, 0), x.at(3, 0, 0)};
  (east ? x.at(2, 0, 0) : x.at(-1, 0, 0)) = first_ghost(HYMGI_QUARTIC_GHOST, v);
  (east ? x.at(3, 0, 0) : x.at(-2, 0, 0)) = second_ghost(HYMGI_QUARTIC_GHOST, v);
}

template <bool LIMITED, row_end END>
__device__ __forceinline__ window window_of(const gsrb_args &a, const hymgi_geom &g,
                                            const tma_place &at, int k)
{
  const int last = g.n[0] / 2 - 1;
  const bool at_end = at.slot == (END == WEST_END ? 0 : last);
  const slot_place<0> p(g, at.slot < last ? at.slot : last, at.row < g.n[1] ? at.row : g.n[1] - 1,
                        k);
  return window_at<true, LIMITED, END>(memory_source<0, END>(a, p, at_end), at_end,
                                       walls_of_slot(g, at.slot, at.row, k));
}

template <typename Shape>
__device__ __forceinline__ unsigned long long march_tma(const gsrb_args &a,
                                                        const tma_copies<Shape> &copies,
                                                        const hymgi_geom &g, const tma_place &at)
{
  using JOB = typename Shape::JOB;
  const int from = copies.k;
  const bool inside = at.slot < g.n[0] / 2 && at.row < g.n[1];
  constexpr bool LIMITED = Shape::LIMITED;
  window w = at.end == WEST_END   ? window_of<LIMITED, WEST_END>(a, g, at, from)
             : at.end == EAST_END ? window_of<LIMITED, EAST_END>(a, g, at, from)
                                  : window_of<LIMITED, NO_END>(a, g, at, from);
  ptrdiff_t red = hymgi_row(&g, 0, at.row, from) + at.slot;
  bool swapped = (at.row + from + g.parity) & 1;
  unsigned long long norm = 0;
  hymgi_real below = 0;
  barrier_wait(copies.first, 0);
  for (int m = 0; m < 2; m++)
    fill_tile_ghosts<Shape>(Shape::values::of(copies.ring, m), g, at, from + m);
  __syncthreads();
#pragma unroll 1
  for (int m = 0; m < copies.planes; m++) {
    if (threadIdx.x == 0) copies.go_on(m);
    barrier_wait(copies.full + m % AHEAD, (unsigned)(m / AHEAD & 1));
    const tma_source<Shape> here = {copies.ring, m, at.t, at.j, swapped, a.v};
    read_again(here, &w);
    const arrivals now = arrive<JOB, true>(here);
    const unsigned walls = LIMITED ? walls_of_slot(g, at.slot, at.row, from + m) : 0;
    const hymgi_real even = value_of<JOB, true, LIMITED, 0>(a, now, walls, &w);
    const hymgi_real odd = value_of<JOB, true, LIMITED, 1>(a, now, walls, &w);
    shift<true>(&w, now);
    if (STORES<JOB> && inside) {
      store_result<JOB>(a, red, swapped ? odd : even);
      store_result<JOB>(a, red + g.half, swapped ? even : odd);
    }
    if (HAS_NORM<JOB> && inside) norm = larger(norm, larger(bits_of(even), bits_of(odd)));
    if (std::is_same_v<JOB, residual_mean> && (m & 1))
      store_mean(a, a.patches.one, inside, at.slot, at.row, from + m, below, even + odd);
    below = even + odd;
    red += g.plane;
    swapped = !swapped;
    fill_tile_ghosts<Shape>(Shape::values::of(copies.ring, m + 2), g, at, from + m + 2);
    reads_done();
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier_arrive(copies.empty + m % AHEAD);
  }
  return norm;
}

template <typename Shape>
__global__ void __launch_bounds__(Shape::THREADS, 1)
    fv4_march_tma(const __grid_constant__ gsrb_args a, const __grid_constant__ tma_maps maps)
{
  HYMGI_DYNAMIC_SHARED(ring);
  const hymgi_geom &g = a.boxes.one;
  byte_barrier *const barriers = reinterpret_cast<byte_barrier *>(ring + Shape::alpha::END);
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const int from = z * a.slab, to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  const tma_copies<Shape> copies = {maps,
                                    ring,
                                    barriers,
                                    barriers + AHEAD,
                                    barriers + 2 * AHEAD,
                                    (int)blockIdx.x * Shape::X,
                                    (int)blockIdx.y * Shape::Y,
                                    from,
                                    to - from,
                                    a.prev != NULL,
                                    a.v.alpha != NULL};
  if (threadIdx.x == 0) {
    for (int m = 0; m < AHEAD; m++) {
      barrier_start(copies.full + m, 1);
      barrier_start(copies.empty + m, Shape::THREADS / 32);
    }
    barrier_start(copies.first, 1);
    barriers_started();
  }
  __syncthreads();
  wait_for_predecessors();
  let_successors_start();
  if (threadIdx.x == 0) copies.begin();
  tma_place p;
  place_of_thread<Shape::X>(&p.t, &p.j);
  p.slot = copies.t + p.t, p.row = copies.j + p.j;
  const int t0 = __shfl_sync(~0u, p.slot, 0);
  p.end = !a.fills_along_x           ? NO_END
          : t0 == 0                  ? WEST_END
          : t0 + SLOTS == g.n[0] / 2 ? EAST_END
                                     : NO_END;
  const unsigned long long norm = march_tma<Shape>(a, copies, g, p);
  if (HAS_NORM<typename Shape::JOB>) reduce_max(a.reduction, norm);
}

/* ---- launches ---- */

template <typename Tile>
bool map_of(void **encoder, const hymgi_geom &g, const hymgi_real *vector, grid_map *map)
{
  const int n[3] = {g.n[0] / 2 + 2 * MAP_LEFT, g.n[1] + 2 * MAP_LOW, g.n[2] + 2 * MAP_LOW};
  const hymgi_real *const first = vector + hymgi_row(&g, 0, -MAP_LOW, -MAP_LOW) - MAP_LEFT;
  return !make_map(encoder, map, first, n, g.pitch, g.plane, Tile::WIDE, Tile::HIGH, g.half);
}

template <typename Shape>
bool make_tma_maps(const hymgi_level *level, const gsrb_args &a, tma_maps *maps)
{
  void **const e = &level->context->gpu->map_encoder;
  const hymgi_geom &g = a.boxes.one;
  const operator_view &v = a.v;
  bool made = map_of<typename Shape::values>(e, g, a.own, &maps->x) &&
              map_of<typename Shape::faces_x>(e, g, v.beta[0], &maps->beta[0]) &&
              map_of<typename Shape::faces_y>(e, g, v.beta[1], &maps->beta[1]) &&
              map_of<typename Shape::faces_z>(e, g, v.beta[2], &maps->beta[2]);
  if (READS_F<typename Shape::JOB>) made = made && map_of<typename Shape::f>(e, g, a.f, &maps->f);
  if (Shape::RELAXES)
    made = made && map_of<typename Shape::scale>(e, g, a.scale, &maps->scale) &&
           (!a.prev || map_of<typename Shape::prev>(e, g, a.prev, &maps->prev));
  return made && (!v.alpha || map_of<typename Shape::alpha>(e, g, v.alpha, &maps->alpha));
}

/* TMA needs 16-byte alignment. */
bool aligned(const hymgi_geom &g)
{
  return (g.pitch | g.plane | g.half | g.base | g.offset) % WHOLE == 0 && g.half > 0;
}

template <typename Shape> void run_shape(const hymgi_level *level, gsrb_args a)
{
  hymg_context *const context = level->context;
  if (!may_launch(context)) return;
  tma_maps maps = {};
  if (!make_tma_maps<Shape>(level, a, &maps))
    context->status = hymgi_fail(context, HYMG_ECUDA, "the driver refuses TMA for this level");
  const int *const n = a.extent;
  const unsigned layer = blocks_for(n[0] / 2, Shape::X) * blocks_for(n[1], Shape::Y);
  const int slab = slab_for(a.boxes, layer, context->gpu->multiprocessors, n[2], 2, 8, 2);
  const dim3 grid = slabs_grid(&a, n[0] / 2, Shape::X, Shape::Y, slab);
  hymgi_launch_shared(context, fv4_march_tma<Shape>, grid, dim3(Shape::THREADS), Shape::SHARED, a,
                      maps);
}

} /* namespace */

extern "C" bool hymgi_cuda_fv4_fits_tma(const hymgi_level *level)
{
  const hymgi_device *d = level->context->gpu;
  const hymgi_geom *g = level->box;
  return level->num_boxes == 1 && tma_shape<relax, true>::SHARED <= d->shared_bytes &&
         level->method->variable_beta && g->ghost == MAP_LOW && aligned(*g);
}

extern "C" void hymgi_cuda_fv4_march_tma(const hymgi_level *level, const hymgi_sweep *sweep)
{
  const gsrb_args a = gsrb_args_of(level, sweep);
  with_job<relax, residual, residual_norm, residual_narrow, residual_mean, apply>(
      sweep, [&](auto job) {
        using JOB = decltype(job);
        if constexpr (MAY_LIMIT<JOB>)
          if (level->c.limited) return run_shape<tma_shape<JOB, true, true>>(level, a);
        with_bools([&](auto alpha) { run_shape<tma_shape<JOB, alpha>>(level, a); },
                   level->method->has_alpha);
      });
}
