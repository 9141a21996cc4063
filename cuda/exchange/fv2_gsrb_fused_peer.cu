/* FV2 fused red-black Gauss-Seidel (gsrb_fused.cu) with a fused exchange. The fused pass does not
 * see the neighbours' updated red cells, so the black cells at neighbours' faces come out wrong.
 * Therefore the red cells at these faces are computed first, from the black ones received, and
 * sent: they travel while the pass runs. Afterwards the black cells at the faces are computed
 * again, from the red ones received, and sent. The exchanges are those of the separate half sweeps
 * (fv2_gsrb_peer.cu), so that ranks may choose either form. If ghosts are exchanged in another way,
 * the black cells next to them are computed again from the ghosts in memory. */
#include "exchange/fv2_gsrb_peer.cuh"

namespace
{

/* A cell at a neighbour's face, with its data that is valid before the preceding kernels end. */
template <bool VARIABLE, bool EXCHANGES> struct face_cell {
  bool there;
  place p;
  unsigned faces;
  fv2_betas b;
  double alpha, f;

  __device__ __forceinline__ void load(const fused_exchange_args &r, const hymgi_geom &g,
                                       const place &at)
  {
    const gsrb_args &a = r.sweep;
    there = true;
    p = at;
    b = fv2_load_betas<VARIABLE>(a.v, g, p);
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (a.f_is_old) f = a.f[p.own];
  }

  /* A half sweep of this cell. Red cells are only sent: the fused pass stores them. */
  __device__ __forceinline__ void update(const fused_exchange_args &r, const hymgi_geom &g,
                                         unsigned long long exchange) const
  {
    const gsrb_args &a = r.sweep;
    fv2_values x = around(a, p);
    if (EXCHANGES) receive_all(r, g, p, faces, exchange, &x);
    fv2_extrapolate(a.v, g, p, &x);
    const double value = fv2_gsrb(a.v, b, x, f, alpha);
    if (a.colour == 1) a.out[p.own] = value;
    if (EXCHANGES && r.sends) send_all(r, g, p, faces, exchange + 1, value);
  }
};

/* Updates the cells of a colour at neighbours' faces; a cell at several faces belongs to the first.
 * From the second half sweep on, base was written before any kernel that may still be running. */
template <bool VARIABLE, bool EXCHANGES>
__global__ void __launch_bounds__(ROW_THREADS)
    fv2_gsrb_faces(const __grid_constant__ fused_exchange_args r)
{
  const int face = (int)blockIdx.y;
  const bool first = EXCHANGES && threadIdx.x + blockIdx.x + blockIdx.y == 0;
  const hymgi_geom &g = r.sweep.boxes.one;
  face_cell<VARIABLE, EXCHANGES> cell = {};
  if (r.faces >> face & 1)
    each_at_face(g, r.sweep.colour, face, [&](const place &p) {
      cell.faces = faces_at(r, g, p);
      if ((cell.faces & ((1u << face) - 1)) == 0) cell.load(r, g, p);
    });
  unsigned long long exchange = 0;
  if (EXCHANGES && cell.there && r.step > 0) exchange = read_word(r.base) + (unsigned)r.step;
  wait_for_predecessors();
  let_successors_start();
  if (first && r.zero) *(volatile unsigned long long *)r.base = read_word(r.end);
  if (first && r.ends) *r.end = read_word(r.base) + (unsigned)(r.step + r.sends);
  if (!cell.there) return;
  if (EXCHANGES && r.step == 0) exchange = read_word(r.zero ? r.end : r.base);
  if (!r.sweep.f_is_old) cell.f = r.sweep.f[cell.p.own];
  cell.update(r, g, exchange);
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_gsrb_fused_peer(hymgi_level *level, bool from_zero, bool with_ghosts)
{
  const auto kernel =
      level->method->variable_beta ? fv2_gsrb_faces<true, true> : fv2_gsrb_faces<false, true>;
  sweep_and_exchange(level, from_zero, with_ghosts, [&](fused_exchange_args &r) {
    launch(level, level->halo[HYMGI_HALO_FACES], kernel, faces_grid(level->box, r.faces),
           dim3(ROW_THREADS), r);
    if (r.sweep.colour == 1) return;
    hymgi_cuda_fv2_gsrb_fused(level, r.step & 2, level->x, level->y);
    double *const x = level->x;
    level->x = level->y, level->y = x;
    r.sweep.own = r.sweep.other = r.sweep.out = level->x;
  });
}

extern "C" void hymgi_cuda_fv2_gsrb_faces(const hymgi_level *level, double *x)
{
  const hymgi_sweep black = {HYMGI_HALF_SWEEP, level->f, x, x, x, 1};
  fused_exchange_args r = {};
  r.sweep = gsrb_args_of(level, &black);
  r.faces = ~level->box->boundaries & 63;
  hymgi_launch(level->context,
               level->method->variable_beta ? fv2_gsrb_faces<true, false>
                                            : fv2_gsrb_faces<false, false>,
               faces_grid(level->box, r.faces), dim3(ROW_THREADS), r);
}
