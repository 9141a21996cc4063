/* FV2 red-black Gauss-Seidel on split rows, one cell per thread, with the exchange fused into the
 * half sweep: the thread of a cell at another GPU's box reads the neighbour's value from the
 * message as soon as it arrives and stores its own new value directly into the neighbour's message.
 * A half sweep is then one kernel instead of three. Received values are also stored in the ghosts,
 * for the kernels that follow. Planes are swept upwards and downwards in turn, so that a face sent
 * late is also needed late. */
#include "exchange/fv2_gsrb_peer.cuh"

namespace
{

/* Enough resident blocks that a box of 64^3 cells runs in a single wave. */
enum { HALF_THREADS = 128, HALF_BLOCKS = 8 };

/* From the second half sweep on (from zero: the third), base was written before any kernel that may
 * still be running. */
template <bool VARIABLE>
__global__ void __launch_bounds__(HALF_THREADS, HALF_BLOCKS)
    fv2_gsrb_peer(const __grid_constant__ fused_exchange_args r)
{
  const gsrb_args &a = r.sweep;
  const hymgi_geom &g = a.boxes.one;
  const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int k = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const bool inside = t < g.n[0] / 2 && j < g.n[1];
  const bool first = threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y + blockIdx.z == 0;
  place p = {};
  fv2_betas b = {};
  double alpha = 0, f = 0;
  unsigned faces = 0;
  unsigned long long exchange = 0;
  if (inside) {
    p = place_of(g, a.colour, t, j, k);
    b = fv2_load_betas<VARIABLE>(a.v, g, p);
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (a.f_is_old) f = a.f[p.own];
    faces = faces_at(r, g, p);
    if (faces && r.step >= r.known) exchange = read_word(r.base) + (unsigned)r.step;
  }
  wait_for_predecessors();
  let_successors_start();
  if (first && r.zero) *r.base = read_word(r.end);
  if (first && r.ends) *r.end = read_word(r.base) + (unsigned)(r.step + r.sends);
  if (!inside) return;
  if (!a.f_is_old) f = a.f[p.own];
  if (faces && r.step < r.known) exchange = read_word(r.zero ? r.end : r.base) + (unsigned)r.step;
  fv2_values x = around(a, p);
  if (faces) receive_all(r, g, p, faces, exchange, &x);
  fv2_extrapolate(a.v, g, p, &x);
  const double value = fv2_gsrb(a.v, b, x, f, alpha);
  a.out[p.own] = value;
  if (faces && r.sends) send_all(r, g, p, faces, exchange + 1, value);
}

/* ---- the level ---- */

/* Is each brick a whole face, and is no face listed twice? */
bool are_faces(const hymgi_geom *g, const hymgi_piece *piece, int count, int depth)
{
  unsigned seen = 0;
  for (int m = 0; m < count; m++) {
    const int face = face_of(g, piece + m, depth);
    if (face < 0 || seen >> face & 1) return false;
    seen |= 1u << face;
  }
  return true;
}

} /* namespace */

extern "C" bool hymgi_cuda_fv2_could_fuse_exchange(const hymgi_level *level, const hymgi_plan *halo)
{
  const hymgi_method *m = level->method;
  const hymgi_geom *g = level->box;
  if (m->stencil != HYMG_FV2 || m->smoother != HYMG_GSRB || level->num_boxes != 1 || !g->split ||
      !hymgi_keeps_colours_apart(level))
    return false;
  return g->n[1] > 1 && g->n[2] > 1 && halo->num_local == 0 && halo->num_pack == halo->num_unpack &&
         are_faces(g, halo->unpack, halo->num_unpack, 1) &&
         are_faces(g, halo->pack, halo->num_pack, 0);
}

extern "C" void hymgi_cuda_fv2_gsrb_peer(hymgi_level *level, bool from_zero, bool with_ghosts)
{
  const hymgi_plan *plan = level->halo[HYMGI_HALO_FACES];
  const hymgi_geom *g = level->box;
  const int wide = g->n[0] / 2;
  const unsigned x = wide >= 32 ? 32 : wide >= 16 ? 16 : wide >= 8 ? 8 : 4, y = HALF_THREADS / x;
  const dim3 grid(blocks_for(wide, (int)x), blocks_for(g->n[1], (int)y), (unsigned)g->n[2]);
  const auto kernel = level->method->variable_beta ? fv2_gsrb_peer<true> : fv2_gsrb_peer<false>;
  sweep_and_exchange(level, from_zero, with_ghosts, [&](const fused_exchange_args &r) {
    launch(level, plan, kernel, grid, dim3(x, y), r);
  });
}
