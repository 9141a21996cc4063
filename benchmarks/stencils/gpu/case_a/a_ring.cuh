/* Case A: one pass over tiles in shared memory, with several planes in flight. Every plane is
 * loaded once: its points are added to the results of the planes around it, and these partial
 * results are the column that a thread keeps in registers.
 *
 * A plane arrives by one TMA copy: no thread spends registers or instructions on a load, and no
 * barrier stops the block. A warp continues when the next plane has arrived, and the warps take
 * turns in requesting the plane that replaces one that all have finished with. The limit is the
 * number of requests to the second-level cache: a tile's rows start on whole sectors, as one that
 * starts within a sector costs a tenth. APART: ghosts along x are separate TMA boxes, only for the
 * rows that need them, and the tile's rows are whole lines. */
#ifndef STENCIL_A_RING_CUH
#define STENCIL_A_RING_CUH

#include "stencils/gpu/launch.cuh"

#include "device/tma.cuh"

namespace
{

enum { SECTOR = 32 }; /* bytes */

/* TX x TY threads with V x Y points each. A plane in shared memory: rows of ghosts, points, ghosts;
 * or the rows of points, then the ghosts on the left, then those on the right. */
template <typename T, int R, int Y, int TX, int TY, bool APART_> struct ring_shape {
  static constexpr bool APART = APART_;
  static constexpr int EACH = (int)sizeof(T), V = 16 / EACH;
  static constexpr int THREADS = TX * TY, WARPS = THREADS / 32;
  static constexpr int WIDE = TX * V, HIGH = TY * Y, ROWS = HIGH + 2 * R;
  static constexpr int GHOSTS = (R * EACH + SECTOR - 1) / SECTOR * SECTOR / EACH;
  static constexpr int FIRST = APART ? 0 : GHOSTS, PITCH = WIDE + 2 * FIRST;
  /* TMA boxes start on lines */
  static constexpr int SIDE_DONE = APART ? HIGH * GHOSTS : 0;
  static constexpr int LEFT =
      (PITCH * ROWS * EACH + STENCIL_LINE - 1) / STENCIL_LINE * STENCIL_LINE / EACH;
  static constexpr int RIGHT =
      LEFT + (SIDE_DONE * EACH + STENCIL_LINE - 1) / STENCIL_LINE * STENCIL_LINE / EACH;
  static constexpr int PLANE = 2 * RIGHT - LEFT;
  static constexpr int ARRIVING = (PITCH * ROWS + 2 * SIDE_DONE) * EACH;
};

/* Entries to the left of the first point in the tensor map of a grid. */
enum { MAP_LEFT = 8 };

/* tile: TMA boxes of a tile's rows; beside: of its ghosts along x, if separate */
struct ring_maps {
  grid_map tile, beside;
};

template <typename T, typename S, int R, int STAGES> struct ring_source {
  static constexpr int RING = STAGES * S::PLANE * S::EACH;
  static constexpr int BYTES = RING + 2 * STAGES * (int)sizeof(byte_barrier);
  const ring_maps *maps;
  T *ring;
  byte_barrier *full, *empty;
  int start; /* the first plane */

  __device__ __forceinline__ ring_source(const ring_maps *m, int k)
      : maps(m), ring(reinterpret_cast<T *>(launched_shared())),
        full(reinterpret_cast<byte_barrier *>(launched_shared() + RING)), empty(full + STAGES),
        start(k)
  {
    if (threadIdx.x == 0) {
      for (int s = 0; s < STAGES; s++) {
        barrier_start(&full[s], 1);
        barrier_start(&empty[s], S::WARPS);
      }
      barriers_started();
    }
    __syncthreads();
  }

  /* Requests plane k of the block, by one thread. */
  __device__ __forceinline__ void bring(int stage, int k)
  {
    T *const to = ring + stage * S::PLANE;
    const int i = (int)blockIdx.x * S::WIDE + MAP_LEFT, j = (int)blockIdx.y * S::HIGH;
    barrier_announce(&full[stage], S::ARRIVING);
    copy_box(to, &maps->tile, i - S::FIRST, j, start + k, &full[stage]);
    if constexpr (S::APART) {
      copy_box(to + S::LEFT, &maps->beside, i - S::GHOSTS, j + R, start + k, &full[stage]);
      copy_box(to + S::RIGHT, &maps->beside, i + S::WIDE, j + R, start + k, &full[stage]);
    }
  }
};

/* A thread's partial results: adds the plane that has arrived to those around it. */
template <typename T, int R, int Y, typename S> struct ring_sums {
  typedef pack<T, S::V> points;
  column_window<points, R, R> sum[Y];
  points done[Y];
  int tx, ty, own; /* own: the thread's first point in a plane */

  __device__ __forceinline__ ring_sums(int column, int line) : tx(column), ty(line)
  {
    own = (ty * Y + R) * S::PITCH + tx * S::V + S::FIRST;
#pragma unroll
    for (int y = 0; y < Y; y++)
      sum[y].fill([](int) { return points(); });
  }

  static __device__ __forceinline__ points at(const T *x)
  {
    return *reinterpret_cast<const points *>(x);
  }

  /* Adds neighbouring rows, each as it is loaded. */
  __device__ __forceinline__ void add_rows(const device_job<T> &job, const T *plane,
                                           points centre[Y])
  {
#pragma unroll
    for (int d = -R; d < Y + R; d++) {
      const points row = at(plane + own + d * S::PITCH);
      if (d >= 0 && d < Y) centre[d < 0 || d >= Y ? 0 : d] = row;
#pragma unroll
      for (int y = 0; y < Y; y++) {
        const int far = d < y ? y - d : d - y;
        if (far <= R) add(&sum[y].seen[R], job.c[far], row);
      }
    }
  }

  /* The pack at distance s from the thread's own on row y. */
  __device__ __forceinline__ points beside(const T *plane, int y, int s) const
  {
    int place = own + y * S::PITCH + s * S::V;
    if constexpr (S::APART) {
      const int i = (tx + s) * S::V, row = ty * Y + y;
      if (i < 0) place = S::LEFT + row * S::GHOSTS + S::GHOSTS + i;
      if (i >= S::WIDE) place = S::RIGHT + row * S::GHOSTS + i - S::WIDE;
    }
    return at(plane + place);
  }

  /* done: the results R planes below. Adding also shifts the column by one, which saves the copies
   * of a separate shift. */
  __device__ __forceinline__ void add_plane(const device_job<T> &job, const T *plane)
  {
    points centre[Y];
    add_rows(job, plane, centre);
#pragma unroll
    for (int y = 0; y < Y; y++) {
      points *const column = sum[y].seen;
      add_along_x<R>(
          job.c, [&](int s) { return s ? beside(plane, y, s) : centre[y]; }, &column[R]);
      done[y] = column[0];
      add(&done[y], job.c[R], centre[y]);
#pragma unroll
      for (int k = 1; k < 2 * R; k++) {
        column[k - 1] = column[k];
        if (k != R) add(&column[k - 1], job.c[k < R ? R - k : k - R], centre[y]);
      }
      column[2 * R - 1] = points();
      add(&column[2 * R - 1], job.c[R], centre[y]);
    }
  }
};

/* The wave's other arrays, and x again, in the plane whose results are complete. */
template <typename T, int V, int Y, bool WAVE> struct ring_wave {
  pack<T, V> x[Y], prev[Y], speed[Y];

  __device__ __forceinline__ void arrive(const device_job<T> &job, ptrdiff_t at)
  {
#pragma unroll
    for (int y = 0; y < Y; y++) {
      x[y] = load<T, V>(job.x + at + y * job.pitch);
      prev[y] = load<T, V>(job.prev + at + y * job.pitch);
      speed[y] = load<T, V>(job.speed + at + y * job.pitch);
    }
  }
  __device__ __forceinline__ void step(pack<T, V> *done, int y) const
  {
#pragma unroll
    for (int v = 0; v < V; v++)
      done->v[v] = leap(done->v[v], x[y].v[v], prev[y].v[v], speed[y].v[v]);
  }
};
template <typename T, int V, int Y> struct ring_wave<T, V, Y, false> {
  __device__ __forceinline__ void arrive(const device_job<T> &, ptrdiff_t) {}
  __device__ __forceinline__ void step(pack<T, V> *, int) const {}
};

template <typename T, int R, int Y, bool WAVE, int STAGES, int TX, int TY, bool APART>
__global__ void __launch_bounds__(TX *TY)
    a_ring(const __grid_constant__ device_job<T> job, const __grid_constant__ ring_maps maps)
{
  typedef ring_shape<T, R, Y, TX, TY, APART> S;
  const int start = (int)blockIdx.z * job.slab;
  const int steps = (start + job.slab < job.n[2] ? job.slab : job.n[2] - start) + 2 * R;
  ring_source<T, S, R, STAGES> source(&maps, start);
  if (threadIdx.x == 0)
    for (int k = 0; k < STAGES && k < steps; k++)
      source.bring(k, k);

  const int tx = (int)threadIdx.x % TX, ty = (int)threadIdx.x / TX;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  const int i = (int)blockIdx.x * S::WIDE + tx * S::V;
  const int j = (int)blockIdx.y * S::HIGH + ty * Y;
  const bool inside = i < job.n[0] && j < job.n[1];
  ring_sums<T, R, Y, S> sums(tx, ty);
  ring_wave<T, S::V, Y, WAVE> wave = {};
  ptrdiff_t to = i + j * job.pitch + (start - 2 * R) * job.plane;
  int stage = 0, turn = warp + 1;
  unsigned parity = 0;
#pragma unroll 1
  for (int k = 0; k < steps; k++, to += job.plane) {
    const bool stored = inside && k >= 2 * R;
    if (turn == 0) { /* replaces the plane of the previous step */
      const int last = stage > 0 ? stage - 1 : STAGES - 1;
      if (lane == 0 && k - 1 + STAGES < steps) {
        barrier_wait(&source.empty[last], stage > 0 ? parity : parity ^ 1);
        source.bring(last, k - 1 + STAGES);
      }
      turn = S::WARPS;
    }
    turn--;
    if (WAVE && stored) wave.arrive(job, to);
    barrier_wait(&source.full[stage], parity);
    sums.add_plane(job, source.ring + stage * S::PLANE);
#pragma unroll
    for (int y = 0; y < Y; y++)
      if (stored && j + y < job.n[1]) {
        if (WAVE) wave.step(&sums.done[y], y);
        store<T, S::V>(job.out + to + y * job.pitch, sums.done[y], job.n[0] - i);
      }
    reads_done(); /* only now: directly after the loads it would wait for them */
    __syncwarp();
    if (lane == 0) barrier_arrive(&source.empty[stage]);
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
}

} /* namespace */

#endif
