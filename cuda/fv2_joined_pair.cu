/* FV2 red-black Gauss-Seidel, both colours in one pass (fv2_pair.cu), with the exchange in what is done
 * beside the neighbours. The pass does not see their new red cells, and so its black cells beside them
 * are wrong. Before it the red cells at their faces are computed from the black ones that come, and
 * sent: they travel while the pass runs. After it the black cells there are computed once more, from
 * the red ones that have come, and sent. Exchanges are those of half sweeps (fv2_joined.cu): another
 * rank may work so. */
#include "fv2_joined.cuh"

namespace
{

/* The half sweep of one colour at a place; the cell itself is stored in the second of a pair. */
template <bool VARIABLE>
__device__ __forceinline__ void update(const joined_args &r, const hymgi_geom &g, const place &p,
                                       unsigned faces, unsigned long long exchange)
{
  const gsrb_args &a = r.sweep;
  const fv2_betas b = fv2_load_betas<VARIABLE>(a.v, g, p);
  const double alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0, f = a.f[p.own];
  fv2_values x = around(a, p);
  take_all(r, g, p, faces, exchange, &x);
  fv2_close(a.v, g, p, &x);
  const double value = fv2_gsrb(a.v, b, x, f, alpha);
  if (a.colour == 1) a.out[p.own] = value;
  if (r.sends) put_all(r, g, p, faces, exchange + 1, value);
}

/* The cells of a colour at neighbours' faces; a cell at several is the first one's. */
template <bool VARIABLE>
__global__ void __launch_bounds__(ROW_THREADS) beside(const __grid_constant__ joined_args r)
{
  wait_for_predecessors();
  let_successors_start();
  const int face = (int)blockIdx.y;
  const hymgi_geom &g = r.sweep.boxes.one;
  const unsigned long long exchange = read_word(r.zero ? r.end : r.base) + (unsigned)r.step;
  if (r.zero && threadIdx.x + blockIdx.x + blockIdx.y == 0)
    *(volatile unsigned long long *)r.base = exchange;
  if (r.ends && threadIdx.x + blockIdx.x + blockIdx.y == 0)
    *(volatile unsigned long long *)r.end = exchange + r.sends;
  if (!(r.faces >> face & 1)) return;
  each_at_face(g, r.sweep.colour, face, [&](const place &p) {
    const unsigned faces = faces_at(r, g, p);
    if ((faces & ((1u << face) - 1)) == 0) update<VARIABLE>(r, g, p, faces, exchange);
  });
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_joined_pairs(hymgi_level *level, bool zero, bool with_ghosts)
{
  const hymgi_plan *plan = level->halo[HYMGI_HALO_FACES];
  const int sweeps = level->method->sweeps;
  const auto kernel = level->method->variable_beta ? beside<true> : beside<false>;
  joined_args r = joined_args_of(level, plan);
  const dim3 grid = faces_grid(level->box, r.faces), block(ROW_THREADS);
  if (!zero) launch(level, plan, send_colour, grid, block, r, 1);
  for (int s = 0; s < sweeps; s++) {
    r.zero = zero && s == 0;
    r.step = s;
    r.ends = s + 1 == sweeps;
    r.sends = !r.ends || with_ghosts;
    r.sweep.colour = s & 1;
    launch(level, plan, kernel, grid, block, r);
    if (s & 1) continue;
    hymgi_cuda_fv2_pair(level, s & 2, level->x, level->y);
    double *const x = level->x;
    level->x = level->y, level->y = x;
    r.sweep.own = r.sweep.other = r.sweep.out = level->x;
  }
  /* black ones, which red cells lie beside */
  if (with_ghosts) launch(level, plan, take_ghosts, grid, block, r, 0);
}
