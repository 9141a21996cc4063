/* Case A: one pass over tiles in shared memory, with several planes on their way at once. Every
 * plane is loaded once: its points add to the results of the planes around, and those partial
 * results are the column that a thread keeps in registers. What limits it is the traffic of the
 * second-level cache, so tiles are large and a warp's loads lie on whole lines. */
#ifndef STENCIL_A_RING_CUH
#define STENCIL_A_RING_CUH

#include "launch.cuh"

namespace
{

__device__ __forceinline__ void copy_async(void *to, const void *from)
{
#if defined(__CUDA_ARCH__)
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
      "l"(from));
#else
  memcpy(to, from, 16);
#endif
}

__device__ __forceinline__ void close_group()
{
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* All groups but the last N have arrived. */
template <int N> __device__ __forceinline__ void wait_for_groups()
{
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

/* TX x TY threads with V x Y points each, STAGES planes. A row: ghosts, points, ghosts. */
template <typename T, int R, int Y, int STAGES, int TX, int TY> struct ring_shape {
  static constexpr int V = 16 / (int)sizeof(T), SIDE = (R + V - 1) / V, THREADS = TX * TY;
  static constexpr int WIDE = TX * V, HIGH = TY * Y;
  static constexpr int PITCH = WIDE + 2 * SIDE * V, ROWS = HIGH + 2 * R, PLANE = PITCH * ROWS;
  static constexpr int BYTES = STAGES * PLANE * (int)sizeof(T);
};

/* Brings planes of a tile: a row of points by TX threads each, then the ghosts along x. */
template <typename T, int R, typename S, int STAGES, int TX, int TY> struct ring_source {
  const device_job<T> &job;
  T *ring;
  const T *from; /* the tile's first point in the plane that comes next */
  int tx, ty, i0, j0, stage;

  __device__ __forceinline__ ring_source(const device_job<T> &a, T *shared, int k)
      : job(a), ring(shared), tx((int)threadIdx.x % TX), ty((int)threadIdx.x / TX),
        i0((int)blockIdx.x * S::WIDE), j0((int)blockIdx.y * S::HIGH), stage(0)
  {
    from = a.x + i0 + j0 * a.pitch + k * a.plane;
  }

  __device__ __forceinline__ void bring()
  {
    T *const plane = ring + stage * S::PLANE + R * S::PITCH + S::SIDE * S::V;
    const bool near = i0 + tx * S::V < job.n[0] + R;
#pragma unroll
    for (int row = -R; row < S::HIGH + R; row += TY)
      if (near && row + ty < S::HIGH + R && j0 + row + ty < job.n[1] + R)
        copy_async(plane + (row + ty) * S::PITCH + tx * S::V,
                   from + (row + ty) * job.pitch + tx * S::V);
    enum { GHOSTS = 2 * S::SIDE };
#pragma unroll
    for (int g = 0; g < S::HIGH * GHOSTS; g += S::THREADS) {
      const int chunk = g + (int)threadIdx.x, row = chunk / GHOSTS, c = chunk % GHOSTS;
      const int at = c < S::SIDE ? (c - S::SIDE) * S::V : S::WIDE + (c - S::SIDE) * S::V;
      if (chunk < S::HIGH * GHOSTS && j0 + row < job.n[1] && i0 + at < job.n[0] + R)
        copy_async(plane + row * S::PITCH + at, from + row * job.pitch + at);
    }
  }

  /* The next plane, if there is one; a group either way, so that they can be counted. */
  __device__ __forceinline__ void next(bool there)
  {
    if (there) bring();
    close_group();
    from += job.plane;
    stage = stage + 1 < STAGES ? stage + 1 : 0;
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

  /* Rows beside, each as it comes. */
  __device__ __forceinline__ void add_rows(const device_job<T> &job, const T *x, points centre[Y])
  {
#pragma unroll
    for (int d = -R; d < Y + R; d++) {
      const points row = *reinterpret_cast<const points *>(x + d * S::PITCH);
      if (d >= 0 && d < Y) centre[d < 0 || d >= Y ? 0 : d] = row;
#pragma unroll
      for (int y = 0; y < Y; y++) {
        const int far = d < y ? y - d : d - y;
        if (far <= R) add(&sum[y].seen[R], job.c[far], row);
      }
    }
  }

  __device__ __forceinline__ void add_along_x(const device_job<T> &job, const T *x,
                                              const points &centre, points *to)
  {
    T beside[(2 * S::SIDE + 1) * S::V];
#pragma unroll
    for (int s = -S::SIDE; s <= S::SIDE; s++) {
      const points p = s ? *reinterpret_cast<const points *>(x + s * S::V) : centre;
#pragma unroll
      for (int v = 0; v < S::V; v++)
        beside[(s + S::SIDE) * S::V + v] = p.v[v];
    }
#pragma unroll
    for (int r = 1; r <= R; r++)
#pragma unroll
      for (int v = 0; v < S::V; v++) {
        const int at = S::SIDE * S::V + v;
        to->v[v] = multiply_add(job.c[r], beside[at - r] + beside[at + r], to->v[v]);
      }
  }

  /* x: the thread's first point in the plane's tile. done: the results R planes below. */
  __device__ __forceinline__ void add_plane(const device_job<T> &job, const T *x)
  {
    points centre[Y];
    add_rows(job, x, centre);
#pragma unroll
    for (int y = 0; y < Y; y++) {
      add_along_x(job, x + y * S::PITCH, centre[y], &sum[y].seen[R]);
      points up = points();
      done[y] = sum[y].at(-R);
      add(&done[y], job.c[R], centre[y]);
      add(&up, job.c[R], centre[y]);
#pragma unroll
      for (int r = 1; r < R; r++) {
        add(&sum[y].seen[R - r], job.c[r], centre[y]);
        add(&sum[y].seen[R + r], job.c[r], centre[y]);
      }
      sum[y].shift(up);
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

template <typename T, int R, int Y, bool WAVE, int STAGES, int TX, int TY, int BLOCKS>
__global__ void __launch_bounds__(TX *TY, BLOCKS) a_ring(const __grid_constant__ device_job<T> job)
{
  typedef ring_shape<T, R, Y, STAGES, TX, TY> S;
  T *const ring = reinterpret_cast<T *>(launched_shared());
  const int start = (int)blockIdx.z * job.slab;
  const int steps = (start + job.slab < job.n[2] ? job.slab : job.n[2] - start) + 2 * R;
  ring_source<T, R, S, STAGES, TX, TY> source(job, ring, start - R);
#pragma unroll
  for (int k = 0; k < STAGES - 1; k++)
    source.next(k < steps);

  ring_sums<T, R, Y, S> sums;
  ring_wave<T, S::V, Y, WAVE> wave = {};
  const int i = source.i0 + source.tx * S::V, j = source.j0 + source.ty * Y;
  const bool inside = i < job.n[0] && j < job.n[1];
  const T *const own = ring + (source.ty * Y + R) * S::PITCH + (source.tx + S::SIDE) * S::V;
  ptrdiff_t to = i + j * job.pitch + (start - 2 * R) * job.plane;
  int here = 0;
#pragma unroll 1
  for (int k = 0; k < steps; k++, to += job.plane) {
    const bool stored = inside && k >= 2 * R;
    if (WAVE && stored) wave.arrive(job, to);
    wait_for_groups<STAGES - 2>();
    __syncthreads();
    source.next(k + STAGES - 1 < steps);
    sums.add_plane(job, own + here * S::PLANE);
    here = here + 1 < STAGES ? here + 1 : 0;
#pragma unroll
    for (int y = 0; y < Y; y++)
      if (stored && j + y < job.n[1]) {
        if (WAVE) wave.step(&sums.done[y], y);
        store<T, S::V>(job.out + to + y * job.pitch, sums.done[y], job.n[0] - i);
      }
  }
}

} /* namespace */

#endif
