/* FV2 red-black Gauss-Seidel on split rows: the black cells beside ghosts that are not beyond a boundary, once
 * more. One pass over both colours (gsrb_fused.cu) updates them before the red ghosts are new; a cell
 * of FV2 does not look at its own colour, so that doing it again is doing it right. */
#include "device/loops.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

struct face_args {
  gsrb_args sweep;
  int faces, face[6]; /* with a neighbour */
};

template <bool VARIABLE>
__device__ __forceinline__ void update(const gsrb_args &a, const hymgi_geom &g, const place &p)
{
  const fv2_betas b = fv2_load_betas<VARIABLE>(a.v, g, p);
  const double alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  const fv2_values x = fv2_load_neighbours(a.v, g, p, a.own);
  a.out[p.own] = fv2_gsrb(a.v, b, x, a.f[p.own], alpha);
}

/* Edges are done by each of their faces, with the same result. */
template <bool VARIABLE>
__global__ void __launch_bounds__(ROW_THREADS) fv2_gsrb_faces(const __grid_constant__ face_args r)
{
  wait_for_predecessors();
  let_successors_start();
  const gsrb_args &a = r.sweep;
  const hymgi_geom &g = a.boxes.one;
  const int face = r.face[blockIdx.y], axis = face / 2;
  const int last = face & 1 ? along(g.n, axis) - 1 : 0;
  const int n[3] = {axis == 0 ? 1 : g.n[0] / 2, axis == 1 ? 1 : g.n[1], axis == 2 ? 1 : g.n[2]};
  each_of_brick(n, [&](int t, int j, int k) {
    if (axis == 0) t = face & 1 ? g.n[0] / 2 - 1 : 0;
    const place p = place_of(g, a.colour, t, axis == 1 ? last : j, axis == 2 ? last : k);
    if (axis != 0 || p.i == last) update<VARIABLE>(a, g, p);
  });
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_gsrb_faces(const hymgi_level *level, double *x)
{
  const hymgi_geom *g = level->box;
  const hymgi_gsrb_half black = {1, x, x, x, false};
  face_args r = {};
  unsigned blocks = 0;
  r.sweep = gsrb_args_of(level, &black);
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    if (g->boundaries >> face & 1) continue;
    r.face[r.faces++] = face;
    const int64_t rows = (axis == 1 ? 1 : (int64_t)g->n[1]) * (axis == 2 ? 1 : g->n[2]);
    const unsigned wanted = row_blocks(rows, axis == 0 ? 1 : g->n[0] / 2);
    if (wanted > blocks) blocks = wanted;
  }
  hymgi_launch(level->context,
               level->method->variable_beta ? fv2_gsrb_faces<true> : fv2_gsrb_faces<false>,
               dim3(blocks, (unsigned)r.faces), dim3(ROW_THREADS), r);
}
