/* The backend's table for levels in single precision: what a cycle does on them. Rows are laid out as in
 * double precision, so that a cell has the same place in the vectors of both. */
#include "exchange/exchange.h"
#include "kernels/kernels.h"
#include "kernels/robust/robust.h"
#include "level_ops.h"

namespace
{

size_t no_scratch(const hymgi_level *level, ptrdiff_t *row)
{
  (void)level;
  *row = 0;
  return 0;
}

void nothing_to_tune(hymgi_level *level)
{
  (void)level;
}

constexpr hymgi_single_ops conversions = {hymgi_single_narrow, hymgi_single_widen,
                                          hymgi_cuda_narrow_residual};

constexpr hymgi_robust_ops robust_table()
{
  hymgi_robust_ops r = {};
  r.sum_children = hymgi_cuda_sum_children;
  r.restrict_weighted = hymgi_cuda_restrict_weighted;
  r.interpolate_weighted = hymgi_cuda_interpolate_weighted;
  r.interpolate_uneven = hymgi_cuda_interpolate_uneven;
  r.smooth_from_zero = hymgi_cuda_smooth_from_zero;
  r.residual_red = hymgi_cuda_residual_red;
  return r;
}

const hymgi_robust_ops robust_ops = robust_table();

constexpr hymgi_backend table()
{
  hymgi_backend b = {};
  b.id = HYMG_BACKEND_CUDA;
  b.name = "cuda";
  b.line = HYMGI_GPU_LINE;
  b.conversions = &conversions;
  b.extrapolates_in_loads = true;
  b.interpolates_around = true;
  b.mover = {hymgi_cuda_local, hymgi_cuda_pack,    hymgi_cuda_unpack,  hymgi_device_sync,
             hymgi_peer_begin, hymgi_device_enter, hymgi_device_leave, hymgi_nccl_queue};
  b.share = hymgi_device_share;
  b.unshare = hymgi_device_unshare;
  b.sync = hymgi_device_sync;
  b.zero = hymgi_cuda_zero;
  b.clear = hymgi_cuda_clear;
  b.fill = hymgi_cuda_fill;
  b.scratch_doubles = no_scratch;
  b.residual = hymgi_cuda_residual;
  b.splits = hymgi_cuda_splits;
  b.second_buffer = hymgi_cuda_second_buffer;
  b.spare_buffers = hymgi_cuda_spare_buffers;
  b.smooth = hymgi_cuda_smooth;
  b.tune = nothing_to_tune;
  b.smooth_restrict = hymgi_cuda_smooth_restrict;
  b.starts_unread = hymgi_cuda_starts_unread;
  b.zeroes = true;
  b.residual_restrict = hymgi_cuda_residual_restrict;
  b.restrict_cells = hymgi_cuda_restrict_cells;
  b.fill_ghosts = hymgi_cuda_fill_ghosts;
  b.interpolate = hymgi_cuda_interpolate;
  b.begin_range = hymgi_device_begin_range;
  b.end_range = hymgi_device_end_range;
  b.kernel_names = hymgi_cuda_kernel_names;
  b.robust = &robust_ops;
  return b;
}

} /* namespace */

extern "C" {
const hymgi_backend hymgi_cuda_single_backend = table();
}
