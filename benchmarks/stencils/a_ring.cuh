/* Case A: one pass over tiles in shared memory, with several planes on their way at once. Every
 * plane is loaded once: its points add to the results of the planes around, and those partial
 * results are the column that a thread keeps in registers.
 *
 * A plane comes by one tensor copy: no thread spends registers or instructions on a load, and no
 * barrier stops the block. A warp goes on when the next plane is there, and the warps take turns in
 * asking for the plane that takes the place of one which all have done with. What limits it is the
 * number of requests to the second-level cache: a tile's rows start on whole sectors, one that
 * starts within a sector costs a tenth. */
#ifndef STENCIL_A_RING_CUH
#define STENCIL_A_RING_CUH

#include "boxes.cuh"

namespace
{

enum { SECTOR = 32 }; /* bytes */

/* TX x TY threads with V x Y points each. A row: ghosts, points, ghosts. */
template <typename T, int R, int Y, int TX, int TY> struct ring_shape {
  static constexpr int EACH = (int)sizeof(T), V = 16 / EACH, SIDE = (R + V - 1) / V;
  static constexpr int THREADS = TX * TY, WARPS = THREADS / 32;
  static constexpr int WIDE = TX * V, HIGH = TY * Y;
  static constexpr int GHOSTS = (R * EACH + SECTOR - 1) / SECTOR * SECTOR / EACH;
  static constexpr int PITCH = WIDE + 2 * GHOSTS, ROWS = HIGH + 2 * R, LINE = STENCIL_LINE / EACH;
  static constexpr int PLANE = (PITCH * ROWS + LINE - 1) / LINE * LINE; /* boxes start on lines */
};

/* What is on the left of the first point in the map of a grid. */
enum { MAP_LEFT = 8 };

template <typename T, typename S, int STAGES> struct ring_source {
  static constexpr int RING = STAGES * S::PLANE * S::EACH;
  static constexpr int BYTES = RING + 2 * STAGES * (int)sizeof(byte_barrier);
  const grid_map *map;
  T *ring;
  byte_barrier *full, *empty;
  int start; /* the first plane */

  __device__ __forceinline__ ring_source(const grid_map *grid, int k)
      : map(grid), ring(reinterpret_cast<T *>(launched_shared())),
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

  /* Plane k of the block's, by one thread. */
  __device__ __forceinline__ void bring(int stage, int k)
  {
    barrier_announce(&full[stage], S::PITCH * S::ROWS * S::EACH);
    copy_box(ring + stage * S::PLANE, map, (int)blockIdx.x * S::WIDE + MAP_LEFT - S::GHOSTS,
             (int)blockIdx.y * S::HIGH, start + k, &full[stage]);
  }
};

/* A thread's partial results: what the plane that has arrived adds to those around it. */
template <typename T, int R, int Y, typename S> struct ring_sums {
  typedef pack<T, S::V> points;
  column_window<points, R, R> sum[Y];
  points done[Y];

  __device__ __forceinline__ ring_sums()
  {
#pragma unroll
    for (int y = 0; y < Y; y++)
      sum[y].fill([](int) { return points(); });
  }

  static __device__ __forceinline__ points at(const T *x)
  {
    return *reinterpret_cast<const points *>(x);
  }

  /* Rows beside, each as it comes. */
  __device__ __forceinline__ void add_rows(const device_job<T> &job, const T *own, points centre[Y])
  {
#pragma unroll
    for (int d = -R; d < Y + R; d++) {
      const points row = at(own + d * S::PITCH);
      if (d >= 0 && d < Y) centre[d < 0 || d >= Y ? 0 : d] = row;
#pragma unroll
      for (int y = 0; y < Y; y++) {
        const int far = d < y ? y - d : d - y;
        if (far <= R) add(&sum[y].seen[R], job.c[far], row);
      }
    }
  }

  __device__ __forceinline__ void add_along_x(const device_job<T> &job, const T *own,
                                              const points &centre, points *to)
  {
    T x[(2 * S::SIDE + 1) * S::V];
#pragma unroll
    for (int s = -S::SIDE; s <= S::SIDE; s++) {
      const points p = s ? at(own + s * S::V) : centre;
#pragma unroll
      for (int v = 0; v < S::V; v++)
        x[(s + S::SIDE) * S::V + v] = p.v[v];
    }
#pragma unroll
    for (int r = 1; r <= R; r++)
#pragma unroll
      for (int v = 0; v < S::V; v++) {
        const int at = S::SIDE * S::V + v;
        to->v[v] = multiply_add(job.c[r], x[at - r] + x[at + r], to->v[v]);
      }
  }

  /* own: the thread's first point in the plane's tile. done: the results R planes below. The column goes up by one as it is added to, which spares the
   * copies of a shift. */
  __device__ __forceinline__ void add_plane(const device_job<T> &job, const T *own)
  {
    points centre[Y];
    add_rows(job, own, centre);
#pragma unroll
    for (int y = 0; y < Y; y++) {
      points *const column = sum[y].seen;
      add_along_x(job, own + y * S::PITCH, centre[y], &column[R]);
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

/* A wave's other arrays, and x once more, of the plane whose results are done. */
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

template <typename T, int R, int Y, bool WAVE, int STAGES, int TX, int TY>
__global__ void __launch_bounds__(TX *TY)
    a_ring(const __grid_constant__ device_job<T> job, const __grid_constant__ grid_map map)
{
  typedef ring_shape<T, R, Y, TX, TY> S;
  const int start = (int)blockIdx.z * job.slab;
  const int steps = (start + job.slab < job.n[2] ? job.slab : job.n[2] - start) + 2 * R;
  ring_source<T, S, STAGES> source(&map, start);
  if (threadIdx.x == 0)
    for (int k = 0; k < STAGES && k < steps; k++)
      source.bring(k, k);

  const int tx = (int)threadIdx.x % TX, ty = (int)threadIdx.x / TX;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  const int i = (int)blockIdx.x * S::WIDE + tx * S::V;
  const int j = (int)blockIdx.y * S::HIGH + ty * Y;
  const bool inside = i < job.n[0] && j < job.n[1];
  ring_sums<T, R, Y, S> sums;
  const T *const own = source.ring + (ty * Y + R) * S::PITCH + tx * S::V + S::GHOSTS;
  ring_wave<T, S::V, Y, WAVE> wave = {};
  ptrdiff_t to = i + j * job.pitch + (start - 2 * R) * job.plane;
  int stage = 0, turn = warp + 1;
  unsigned parity = 0;
#pragma unroll 1
  for (int k = 0; k < steps; k++, to += job.plane) {
    const bool stored = inside && k >= 2 * R;
    if (turn == 0) { /* in place of the plane of the step before */
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
    sums.add_plane(job, own + stage * S::PLANE);
#pragma unroll
    for (int y = 0; y < Y; y++)
      if (stored && j + y < job.n[1]) {
        if (WAVE) wave.step(&sums.done[y], y);
        store<T, S::V>(job.out + to + y * job.pitch, sums.done[y], job.n[0] - i);
      }
    reads_done(); /* by now: right after the loads it would wait for them */
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
