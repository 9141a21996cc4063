/* The coefficients of a level of the coarse end: a row of each kind, in the order of the cells. */
#include "coarse/coarse.h"
#include "device/stencil_access.cuh"

namespace
{

template <hymg_stencil STENCIL, bool VARIABLE>
__device__ __forceinline__ void write_betas(const hymgi_geom &g, const operator_view &v,
                                            const place &p, double *rows, int cells)
{
  double *const beta = rows + COARSE_BETA * cells, *const tangent = rows + COARSE_TANGENT * cells;
  if (STENCIL == HYMG_FV2) {
    const fv2_betas b = fv2_load_betas<VARIABLE>(v, g, p);
    beta[0] = b.w, beta[cells] = b.e;
    beta[2 * cells] = b.s, beta[3 * cells] = b.n;
    beta[4 * cells] = b.d, beta[5 * cells] = b.u;
  } else if (VARIABLE) {
    for (int m = 0; m < 6; m++) { /* face m % 2 of axis m / 2 */
      const int a = m >> 1, up[3] = {m == 1, m == 3, m == 5};
      const int u[3] = {a != 0, a == 0, 0}, w[3] = {0, a == 2, a != 2};
      const double *const b = v.beta[a];
      const auto difference = [&](const int t[3]) {
        return b[at(p, up[0] + t[0], up[1] + t[1], up[2] + t[2])] -
               b[at(p, up[0] - t[0], up[1] - t[1], up[2] - t[2])];
      };
      beta[m * cells] = b[at(p, up[0], up[1], up[2])];
      tangent[2 * m * cells] = difference(u);
      tangent[(2 * m + 1) * cells] = difference(w);
    }
  }
}

template <hymg_stencil STENCIL, bool VARIABLE>
__global__ void __launch_bounds__(COARSE_THREADS)
    write_rows(hymgi_geom g, operator_view v, const coarse_cell *cell, int cells, double *rows)
{
  let_successors_start();
  wait_for_predecessors();
  const int c = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (c >= cells) return;
  const int width = coarse_row_of(&g), height = g.n[1] + 2 * g.ghost, at = cell[c].at;
  const int i = at % width - g.ghost, j = at / width % height - g.ghost,
            k = at / (width * height) - g.ghost;
  const int colour = (i + j + k + g.parity) & 1;
  const place p = g.split ? place_of(g, colour, i / 2, j, k) : place_of(g, 0, i, j, k);
  rows += c;
  rows[COARSE_ALPHA * cells] = v.has_alpha ? alpha_at(v, p.own) : 0;
  rows[COARSE_L1 * cells] = v.l1inv ? v.l1inv[p.own] : 0;
  rows[COARSE_DINV * cells] = v.dinv ? v.dinv[p.own] : 0;
  write_betas<STENCIL, VARIABLE>(g, v, p, rows, cells);
}

} /* namespace */

void hymgi_coarse_fill_coefficients(const hymgi_level *level, const coarse_cell *cell, double *rows)
{
  const hymgi_method *m = level->method;
  const int cells = (int)level->cells;
  const dim3 grid(blocks_for(cells, COARSE_THREADS)), block(COARSE_THREADS);
  const auto kernel =
      level->op->stencil == HYMG_FV2
          ? (m->variable_beta ? write_rows<HYMG_FV2, true> : write_rows<HYMG_FV2, false>)
      : m->variable_beta ? write_rows<HYMG_FV4, true>
                         : write_rows<HYMG_FV4, false>;
  hymgi_launch(level->context, kernel, grid, block, level->box[0], view_of(level), cell, cells,
               rows);
}
