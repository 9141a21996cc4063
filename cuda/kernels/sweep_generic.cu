/* Operator, residual and smoothers on the GPU. The kernel here does any of them one cell a
 * thread, in either layout and for any boundaries; what a cycle spends its time in has kernels of its
 * own (gsrb.h), which are taken where they apply. */
#include "device/reduce.cuh"
#include "exchange/fv2_gsrb_peer.h"
#include "exchange/fv4_halo.h"
#include "exchange/overlap.h"
#include "kernels/fv2/relax_fused.h"
#include "kernels/fv2/relax_march.h"
#include "kernels/gsrb.h"
#include "kernels/kernels.h"

namespace
{

enum job_kind { APPLY, RESIDUAL, NORM, GSRB, RELAX };

struct sweep_args {
  box_set boxes;
  operator_view v;
  const double *own, *other; /* vectors that hold the cell's colour and the other one */
  const double *f, *prev, *scale;
  double *out;
  int colour; /* GSRB: the one that is updated */
  int planes; /* of the tallest box, times the colours of a row that are computed */
  double residual, momentum;
  hymgi_reduction reduction;
};

enum { TILE_X = 32, TILE_Y = 8 };
static_assert(TILE_X * TILE_Y == REDUCE_THREADS, "the tile is what reductions work on");

template <bool VARIABLE, job_kind JOB>
__device__ __forceinline__ double fv2_cell(const sweep_args &a, const hymgi_geom &g, const place &p)
{
  const fv2_betas b = fv2_load_betas<VARIABLE>(a.v, g, p);
  const double alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  fv2_values x = fv2_load_neighbours(a.v, g, p, a.own);
  if (JOB == GSRB) return fv2_gsrb(a.v, b, x, a.f[p.own], alpha);
  x.c = a.own[p.own];
  if (JOB == APPLY) return fv2_apply(a.v, b, x, alpha);
  const double r = fv2_residual(a.v, b, x, a.f[p.own], alpha);
  if (JOB != RELAX) return r;
  const double step = a.scale ? r * a.scale[p.own] : r / fv2_diagonal(a.v, b, alpha);
  const double relaxed = hymgi_relax(x.c, a.residual, step);
  return a.prev ? hymgi_add_momentum(relaxed, a.momentum, x.c, a.prev[p.own]) : relaxed;
}

template <bool VARIABLE, job_kind JOB>
__device__ __forceinline__ double fv4_cell(const sweep_args &a, const place &p)
{
  const double c = a.own[p.own];
  const double alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  const double ax = fv4_with_alpha(a.v, fv4_apply<VARIABLE>(a.v, p, a.own, a.other), c, alpha);
  if (JOB == APPLY) return ax;
  const double r = a.f[p.own] - ax;
  if (JOB == RESIDUAL || JOB == NORM) return r;
  const double scale = a.scale ? a.scale[p.own] : a.v.dinv[p.own];
  const double relaxed = hymgi_relax(c, a.residual * scale, r);
  return a.prev ? hymgi_add_momentum(relaxed, a.momentum, c, a.prev[p.own]) : relaxed;
}

template <hymg_stencil STENCIL, bool VARIABLE, job_kind JOB>
__device__ __forceinline__ double cell(const sweep_args &a, const hymgi_geom &g, const place &p)
{
  return STENCIL == HYMG_FV2 ? fv2_cell<VARIABLE, JOB>(a, g, p) : fv4_cell<VARIABLE, JOB>(a, p);
}

template <hymg_stencil STENCIL, bool VARIABLE, job_kind JOB>
__global__ void __launch_bounds__(TILE_X *TILE_Y)
    sweep_generic(const __grid_constant__ sweep_args a)
{
  let_successors_start();
  wait_for_predecessors();
  const int t = (int)(blockIdx.x * TILE_X + threadIdx.x);
  const int j = (int)(blockIdx.y * TILE_Y + threadIdx.y);
  unsigned long long norm = 0;
  for (int z = (int)blockIdx.z; z < a.boxes.count * a.planes; z += (int)gridDim.z) {
    const hymgi_geom g = box_at(a.boxes, z / a.planes);
    const bool both = g.split && JOB != GSRB;
    const int plane = z % a.planes, k = both ? plane >> 1 : plane;
    const int colour = !g.split ? 0 : JOB == GSRB ? a.colour : plane & 1;
    const int slots = g.split ? g.n[0] / 2 : g.n[0];
    if (t >= slots || j >= g.n[1] || k >= g.n[2]) continue;
    const place p = place_of(g, colour, t, j, k);
    if (JOB == GSRB && !g.split && hymgi_first(&g, a.colour, j, k) != (t & 1)) {
      if (STENCIL == HYMG_FV4) a.out[p.own] = a.own[p.own];
      continue;
    }
    const double value = cell<STENCIL, VARIABLE, JOB>(a, g, p);
    if (JOB == NORM)
      norm = larger(norm, bits_of(value));
    else
      a.out[p.own] = value;
  }
  if (JOB == NORM) reduce_max(a.reduction, norm);
}

template <job_kind JOB> void run(const hymgi_level *level, const sweep_args &wanted)
{
  if (level->num_boxes == 0) return;
  sweep_args a = wanted;
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  const bool split = level->box[0].split;
  a.boxes = box_set_of(level->box, level->num_boxes);
  a.v = view_of(level);
  a.planes = n[2] * (split && JOB != GSRB ? 2 : 1);
  a.reduction = level->context->gpu->reduction;
  const int64_t z = (int64_t)a.planes * level->num_boxes;
  const dim3 grid(blocks_for(split ? n[0] / 2 : n[0], TILE_X), blocks_for(n[1], TILE_Y),
                  (unsigned)(z < 32768 ? z : 32768));
  const dim3 block(TILE_X, TILE_Y);
  const bool variable = level->method->variable_beta;
  if (level->method->stencil == HYMG_FV2) {
    if (variable)
      hymgi_launch(level->context, sweep_generic<HYMG_FV2, true, JOB>, grid, block, a);
    else
      hymgi_launch(level->context, sweep_generic<HYMG_FV2, false, JOB>, grid, block, a);
  } else {
    if (variable)
      hymgi_launch(level->context, sweep_generic<HYMG_FV4, true, JOB>, grid, block, a);
    else
      hymgi_launch(level->context, sweep_generic<HYMG_FV4, false, JOB>, grid, block, a);
  }
}

/* ---- ghosts ---- */

enum { BOTH = 3 };

/* colours: bits of those whose cells have changed since their ghosts came. sent: a kernel has put these
 * into the messages already. */
void prepare(const hymgi_level *level, const hymgi_geom *box, double *x,
             hymgi_fv4_boundaries boundaries = HYMGI_FV4_ALL, int colours = BOTH, bool sent = false)
{
  const hymgi_plan *halo = hymgi_operator_halo(level);
  const bool fv4 = level->method->stencil == HYMG_FV4;
  if (fv4 && hymgi_cuda_fv4_halo_exchange(level, halo, box, x, colours, boundaries, sent)) return;
  hymgi_run_plan(level, halo, box, x, box, x);
  if (fv4 && boundaries != HYMGI_FV4_NONE)
    hymgi_cuda_fill_operator_ghosts(level, box, x, boundaries == HYMGI_FV4_ALL);
}

/* For kernels that are the marched ones where there are such. */
void prepare_march(const hymgi_level *level, const hymgi_geom *box, double *x, int colours = BOTH,
                   bool sent = false)
{
  const bool along_x = hymgi_cuda_fv4_fills_along_x(level);
  prepare(level, box, x, along_x ? HYMGI_FV4_BUT_X : HYMGI_FV4_ALL, colours, sent);
}

sweep_args args_of(const double *f, const double *x, double *out)
{
  sweep_args a = {};
  a.f = f;
  a.own = a.other = x;
  a.out = out;
  return a;
}

/* r NULL: the norm. The marched kernels do not work in place. */
void compute_residual(const hymgi_level *level, const double *f, double *x, double *r)
{
  const bool fv2 = level->method->stencil == HYMG_FV2;
  if (x != r)
    prepare_march(level, level->box, x);
  else
    prepare(level, level->box, x);
  if (x != r &&
      (hymgi_cuda_plain_residual(level, f, x, r) ||
       (fv2 ? hymgi_cuda_fv2_residual(level, f, x, r) : hymgi_cuda_fv4_residual(level, f, x, r))))
    return;
  if (r)
    run<RESIDUAL>(level, args_of(f, x, r));
  else
    run<NORM>(level, args_of(f, x, NULL));
}

/* ---- smoothers ---- */

void half_sweep(const hymgi_level *level, const hymgi_gsrb_half &half)
{
  const bool split = level->num_boxes > 0 && level->box[0].split;
  const bool fv2 = level->method->stencil == HYMG_FV2;
  if (split && (fv2 ? hymgi_cuda_fv2_gsrb(level, &half) : hymgi_cuda_fv4_gsrb(level, &half)))
    return;
  sweep_args a = args_of(level->f, half.own, half.out);
  a.other = half.other;
  a.colour = half.colour;
  a.residual = 1;
  run<GSRB>(level, a);
}

void half_sweep_of(const hymgi_level *part, const void *half)
{
  half_sweep(part, *(const hymgi_gsrb_half *)half);
}

/* FV2 works in place, or on large levels on both colours at once into the second buffer. */
void fv2_gsrb(hymgi_level *level, bool from_zero)
{
  const hymgi_plan *halo = level->halo[HYMGI_HALO_FACES];
  const bool alone = !halo;
  if (hymgi_cuda_fv2_gsrb_peer(level, from_zero, false)) return;
  if (hymgi_cuda_overlaps(level, halo)) {
    for (int s = 0; s < level->method->sweeps; s++) {
      const hymgi_gsrb_half half = {s & 1, level->x, level->x, level->x, false};
      hymgi_cuda_overlapped(level, halo, level->box, level->x, half_sweep_of, &half);
    }
    return;
  }
  if (hymgi_cuda_fv2_fuses(level)) {
    for (int s = 0; s < level->method->sweeps; s += 2) {
      prepare(level, level->box, level->x);
      hymgi_cuda_fv2_gsrb_fused(level, s & 2, level->x, level->y);
      hymgi_swap_buffers(level);
      prepare(level, level->box, level->x);
      if (!alone) hymgi_cuda_fv2_gsrb_faces(level, level->x);
    }
    return;
  }
  for (int s = 0; s < level->method->sweeps; s++) {
    const hymgi_gsrb_half half = {s & 1, level->x, level->x, level->x, alone && s > 0};
    prepare(level, level->box, level->x);
    half_sweep(level, half);
  }
}

/* Each colour flips between two buffers. Where a level has several boxes a state of two buffers
 * has no name (finite-volume/cpu/sweep.c), so that the other colour is copied along. goes_on: ghosts
 * are wanted next. Returns whether the last colour has been sent for them. */
bool fv4_gsrb(hymgi_level *level, bool from_zero, bool goes_on)
{
  double *now[2] = {level->x, level->x}, *next[2] = {level->y, level->y};
  const bool one = level->num_boxes == 1, split = level->num_boxes > 0 && level->box[0].split;
  const hymgi_plan *halo = level->halo[HYMGI_HALO_EDGES];
  const bool overlaps = one && split && hymgi_cuda_overlaps(level, halo);
  const bool closed = one && split && !overlaps && hymgi_cuda_fv4_closes(level);
  hymgi_geom box = {};
  if (one) box = level->box[0];
  const ptrdiff_t apart = box.half;
  const hymgi_plan *sends = closed && halo && halo->in_sweeps ? halo : NULL;
  int changed = BOTH; /* colours since the last exchange */
  for (int s = 0; s < level->method->sweeps; s++) {
    const int c = s & 1;
    const bool zero = from_zero && s == 0 && one && (!halo || level->starts_alone) &&
                      hymgi_cuda_fv4_starts_alone(level);
    const bool last = s + 1 == level->method->sweeps;
    const hymgi_gsrb_half half = {
        c, now[c], now[1 - c], next[c], closed && s > 0, zero, last && !goes_on ? NULL : sends};
    if (one && split) box.half = apart + (now[1] - now[0]);
    if (zero) {
      half_sweep(level, half);
    } else if (overlaps) {
      hymgi_cuda_overlapped(level, halo, &box, now[0], half_sweep_of, &half);
    } else {
      if (closed)
        prepare(level, &box, now[0], HYMGI_FV4_NONE, changed, sends && s > 0);
      else
        prepare_march(level, one ? &box : level->box, now[0], changed);
      changed = 1 << c;
      if (!one && split) hymgi_cuda_axpby(level, 1, now[0], 0, now[0], next[0]);
      half_sweep(level, half);
    }
    now[c] = next[c];
    next[c] = half.own == level->x ? level->x : level->y;
    if (!one || !split) now[1 - c] = now[c], next[1 - c] = next[c];
  }
  level->x = now[0], level->y = next[0];
  return sends && goes_on;
}

void relax(const hymgi_level *level, const void *relaxation)
{
  const hymgi_relaxation &r = *(const hymgi_relaxation *)relaxation;
  if (hymgi_cuda_plain_relax(level, &r) || hymgi_cuda_fv4_relax_tile(level, &r) ||
      hymgi_cuda_fv4_relax(level, &r))
    return;
  sweep_args a = args_of(r.f, r.x, r.out);
  a.residual = r.residual;
  a.momentum = r.momentum;
  a.prev = r.prev;
  a.scale = r.scale;
  run<RELAX>(level, a);
}

void relax_once(hymgi_level *level, int s)
{
  const hymgi_weights w = hymgi_weights_of(level->method->smoother, level->chebyshev, s);
  const hymgi_plan *halo = hymgi_operator_halo(level);
  const double *const previous = w.momentum != 0 ? level->y : NULL;
  const hymgi_relaxation r = {level->f, level->x,   previous,   level->c.l1inv,
                              level->y, w.residual, w.momentum, s > 0 && !halo};
  if (hymgi_cuda_overlaps(level, halo)) {
    hymgi_cuda_overlapped(level, halo, level->box, level->x, relax, &r);
  } else {
    if (hymgi_cuda_fv4_relax_closes(level))
      prepare(level, level->box, level->x, HYMGI_FV4_NONE);
    else
      prepare_march(level, level->box, level->x);
    relax(level, &r);
  }
  hymgi_swap_buffers(level);
}

} /* namespace */

extern "C" void hymgi_cuda_prepare(const hymgi_level *level, double *x)
{
  prepare(level, level->box, x);
}

extern "C" void hymgi_cuda_prepare_restrict(const hymgi_level *level, double *x, int colours,
                                            bool sent)
{
  if (hymgi_cuda_fv4_restrict_closes(level))
    prepare(level, level->box, x, HYMGI_FV4_NONE, colours, sent);
  else
    prepare_march(level, level->box, x, colours, sent);
}

extern "C" void hymgi_cuda_apply(const hymgi_level *level, double *x, double *y)
{
  prepare(level, level->box, x);
  run<APPLY>(level, args_of(NULL, x, y));
}

extern "C" void hymgi_cuda_residual(const hymgi_level *level, const double *f, double *x, double *r)
{
  compute_residual(level, f, x, r);
}

extern "C" double hymgi_cuda_residual_max(const hymgi_level *level, const double *f, double *x)
{
  if (level->num_boxes == 0) return 0;
  compute_residual(level, f, x, NULL);
  return reduced_max(level->context);
}

extern "C" void hymgi_cuda_queue_residual_max(const hymgi_level *level, const double *f, double *x,
                                              int slot)
{
  if (level->num_boxes == 0) return;
  const result_slot there(level->context, slot);
  compute_residual(level, f, x, NULL);
}

extern "C" bool hymgi_cuda_second_buffer(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  return m->stencil == HYMG_FV2 && m->smoother == HYMG_GSRB && hymgi_cuda_fv2_could_fuse(level);
}

extern "C" bool hymgi_cuda_spare_buffers(const hymgi_level *level)
{
  return level->method->smoother == HYMG_CHEBYSHEV && hymgi_cuda_could_fuse_relax(level);
}

extern "C" void hymgi_cuda_smooth(hymgi_level *level)
{
  hymgi_cuda_smooth_from(level, false, false);
}

extern "C" bool hymgi_cuda_smooth_from(hymgi_level *level, bool from_zero, bool goes_on)
{
  const hymgi_method *m = level->method;
  if (m->smoother == HYMG_GSRB) {
    if (m->stencil == HYMG_FV4) return fv4_gsrb(level, from_zero, goes_on);
    fv2_gsrb(level, from_zero);
    return false;
  }
  for (int s = hymgi_cuda_relax_fused(level); s < m->sweeps; s++)
    relax_once(level, s);
  return false;
}
