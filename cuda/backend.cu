/* The CUDA backend's tables: fields in device memory, or in managed memory. */
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

constexpr hymgi_robust_ops robust_table()
{
  hymgi_robust_ops r = {};
  r.shares = hymgi_cuda_shares;
  r.share_sums = hymgi_cuda_share_sums;
  r.largest_step = hymgi_cuda_largest_step;
  r.alpha_step = hymgi_cuda_alpha_step;
  r.noise = hymgi_cuda_noise;
  r.resistances = hymgi_cuda_resistances;
  r.weights = hymgi_cuda_weights;
  r.makes_resistances = true;
  r.coarse_faces = hymgi_cuda_coarse_faces;
  r.sum_children = hymgi_cuda_sum_children;
  r.mark_jumps = hymgi_cuda_mark_jumps;
  r.spread_marks = hymgi_cuda_spread_marks;
  r.continue_cells = hymgi_cuda_continue_cells;
  r.scale_faces = hymgi_cuda_scale_faces;
  r.scale_volumes = hymgi_cuda_scale_volumes;
  r.take_fixed = hymgi_cuda_take_fixed;
  r.cut_faces = hymgi_cuda_cut_faces;
  r.set_fixed = hymgi_cuda_set_fixed;
  r.mark_empty_rows = hymgi_cuda_mark_empty_rows;
  r.restrict_weighted = hymgi_cuda_restrict_weighted;
  r.interpolate_weighted = hymgi_cuda_interpolate_weighted;
  r.interpolate_uneven = hymgi_cuda_interpolate_uneven;
  r.smooth_from_zero = hymgi_cuda_smooth_from_zero;
  r.residual_red = hymgi_cuda_residual_red;
  r.apply_sum = hymgi_cuda_apply_sum;
  r.advance = hymgi_cuda_advance;
  return r;
}

const hymgi_robust_ops robust_ops = robust_table();

constexpr hymgi_backend table(const hymgi_memory *memory)
{
  hymgi_backend b = {};
  b.id = HYMG_BACKEND_CUDA;
  b.name = "cuda";
  b.line = HYMGI_GPU_LINE;
  b.extrapolates_in_loads = true;
  b.interpolates_around = true;
  b.mover = {hymgi_cuda_local, hymgi_cuda_pack,    hymgi_cuda_unpack,  hymgi_device_sync,
             hymgi_peer_begin, hymgi_device_enter, hymgi_device_leave, hymgi_nccl_queue};
  b.memory = memory;
  b.single = &hymgi_cuda_single_backend;
  b.crossing = &hymgi_pinned_memory;
  b.sharing = &hymgi_device_peer_memory;
  b.nccl_ops = &hymgi_device_nccl;
  b.share = hymgi_device_share;
  b.unshare = hymgi_device_unshare;
  b.sync = hymgi_device_sync;
  b.zero = hymgi_cuda_zero;
  b.copy = hymgi_cuda_copy;
  b.brick = hymgi_cuda_brick;
  b.gather = hymgi_cuda_gather;
  b.examine = hymgi_cuda_examine;
  b.clear = hymgi_cuda_clear;
  b.scale = hymgi_cuda_scale;
  b.scratch_doubles = no_scratch;
  b.finish_coefficients = hymgi_cuda_finish_coefficients;
  b.restrict_faces = hymgi_cuda_restrict_faces;
  b.boundary_term = hymgi_cuda_boundary_term;
  b.add_boundary_terms = hymgi_cuda_add_boundary_terms;
  b.fluxes = hymgi_cuda_fluxes;
  b.apply = hymgi_cuda_apply;
  b.residual = hymgi_cuda_residual;
  b.residual_max = hymgi_cuda_residual_max;
  b.joins = hymgi_cuda_joins;
  b.starts_alone = hymgi_cuda_starts_alone;
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
  b.bottom = hymgi_cuda_bottom;
  b.tail = hymgi_cuda_coarse_end;
  b.make_matrix = hymgi_cuda_make_matrix;
  b.coarse_multiply = hymgi_cuda_coarse_multiply;
  b.begin_cycle = hymgi_device_begin_cycle;
  b.end_cycle = hymgi_device_end_cycle;
  b.queue_max = hymgi_cuda_queue_max;
  b.queue_restrict_max = hymgi_cuda_queue_restrict_max;
  b.queue_residual_max = hymgi_cuda_queue_residual_max;
  b.queued = hymgi_cuda_queued;
  b.queue_remove_mean = hymgi_cuda_queue_remove_mean;
  b.begin_range = hymgi_device_begin_range;
  b.end_range = hymgi_device_end_range;
  b.stepwise = hymgi_device_direct;
  b.kernel_names = hymgi_cuda_kernel_names;
  b.attach = hymgi_cuda_attach;
  b.detach = hymgi_cuda_detach;
  b.robust = &robust_ops;
  b.fill = hymgi_cuda_fill;
  b.axpby = hymgi_cuda_axpby;
  b.shift = hymgi_cuda_shift;
  b.precondition = hymgi_cuda_precondition;
  b.max = hymgi_cuda_max;
  b.sum = hymgi_cuda_sum;
  return b;
}

const hymgi_backend device_backend = table(&hymgi_device_memory);
const hymgi_backend managed_backend = table(&hymgi_managed_memory);

} /* namespace */

extern "C" hymg_status hymgi_cuda_backend(hymg_context *context, bool managed,
                                          const hymgi_backend **backend)
{
  TRY(hymgi_device_open(context));
  hymgi_kernel_table_load(context->gpu);
  if (managed && !context->gpu->concurrent)
    return hymgi_fail(
        context, HYMG_EUNSUPPORTED,
        "memory managed: on CUDA device %d the host may not touch it while kernels run "
        "(concurrentManagedAccess is 0): memory device",
        context->gpu->ordinal);
  *backend = managed ? &managed_backend : &device_backend;
  return HYMG_OK;
}
