/* Restriction and interpolation between a level of the coarse end and the next coarser one. */
#ifndef HYMGI_COARSE_TRANSFER_CUH
#define HYMGI_COARSE_TRANSFER_CUH

#include "coarse/coarse.cuh"

namespace
{

/* f of the next coarser level: the mean of the 8 children's residuals, which are in y of level l.
 * After FV2's gsrb the residual of black cells is zero and is left out. x of the coarser level: 0.
 * */
__device__ __noinline__ void restrict_residual(int l, bool red)
{
  const coarse_level &fine = shared.level[l], &coarse = shared.level[l + 1];
  double *const arena = coarse_arena();
  sync_team(fine.team);
  if (thread_of() >= coarse.cells) return;
  const coarse_cell cell = cell_at(l + 1, thread_of());
  const double *const r = arena + fine.y_at + cell.child;
  const auto pair = [&](int j, int k) {
    const int at = j * fine.row + k * fine.plane;
    return red ? r[at + ((j + k + fine.parity) & 1)] : r[at] + r[at + 1];
  };
  arena[coarse.f_at + cell.at] = hymgi_mean_of_8(pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1));
  arena[coarse.x_at + cell.at] = 0;
}

/* Along z, then y, then x; each thread computes two children adjacent in x. */
template <hymgi_ghosts ORDER> __device__ __noinline__ void interpolate_cells(int l, bool add)
{
  const coarse_level &fine = shared.level[l], &coarse = shared.level[l + 1];
  constexpr int r = HYMGI_INTERPOLATION_REACH(ORDER), width = 2 * r + 1;
  double *const arena = coarse_arena();
  const int q = thread_of(), j = q & 1, k = q >> 1 & 1;
  if (q >= 4 * coarse.cells) return;
  const coarse_cell cell = cell_at(l + 1, q >> 2);
  const double *const x = arena + coarse.x_at + cell.at;
  double row[width];
#pragma unroll
  for (int i = -r; i <= r; i++) {
    double column[width];
#pragma unroll
    for (int jj = -r; jj <= r; jj++) {
      double v[width];
#pragma unroll
      for (int kk = -r; kk <= r; kk++)
        v[kk + r] = x[i + jj * coarse.row + kk * coarse.plane];
      column[jj + r] = hymgi_child(ORDER, k ? -1. : 1., v + r);
    }
    row[i + r] = hymgi_child(ORDER, j ? -1. : 1., column + r);
  }
  double *const to = arena + fine.x_at + cell.child + j * fine.row + k * fine.plane;
  const double even = hymgi_child(ORDER, 1., row + r), odd = hymgi_child(ORDER, -1., row + r);
  to[0] = add ? to[0] + even : even;
  to[1] = add ? to[1] + odd : odd;
}

/* x of level l += P_V x of the next coarser level, or = P_F x */
__device__ __noinline__ void interpolate(int l, bool f_cycle)
{
  const coarse_level &fine = shared.level[l], &coarse = shared.level[l + 1];
  const int order = f_cycle ? shared.method.interpolation_f : shared.method.interpolation_v;
  if (thread_of() < coarse.team)
    fill_ghost_list(f_cycle ? coarse.f_ghosts : coarse.v_ghosts, 3, coarse.team, coarse.data,
                    coarse_arena() + coarse.x_at);
  if (thread_of() >= fine.team) return;
  sync_team(fine.team);
  if (order == HYMGI_GHOSTS_P0)
    interpolate_cells<HYMGI_GHOSTS_P0>(l, !f_cycle);
  else if (order == HYMGI_GHOSTS_P1)
    interpolate_cells<HYMGI_GHOSTS_P1>(l, !f_cycle);
  else if (order == HYMGI_GHOSTS_V2)
    interpolate_cells<HYMGI_GHOSTS_V2>(l, !f_cycle);
  else
    interpolate_cells<HYMGI_GHOSTS_V4>(l, !f_cycle);
}

} /* namespace */

#endif
