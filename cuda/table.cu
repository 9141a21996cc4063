/* The CUDA backend's functions (multigrid/backend.h). Levels in single precision have those of a cycle;
 * their rows are laid out as in double precision, so that a cell has the same place in the vectors of both. */
#include "attach.h"
#include "exchange/exchange.h"
#include "exchange/peers.h"
#include "kernels/graph/graph.h"
#include "kernels/kernels.h"
#include "kernels/robust/robust.h"
#include "kernels/setup.h"
#include "level_ops.h"

namespace
{

size_t no_scratch(const hymgi_level *level, ptrdiff_t *row)
{
  (void)level;
  *row = 0;
  return 0;
}

bool nothing_to_tune(hymgi_level *level, bool measure)
{
  (void)level, (void)measure;
  return false;
}

#ifdef HYMGI_SINGLE
constexpr hymgi_single_ops conversions = {hymgi_cuda_narrow, hymgi_cuda_widen,
                                          hymgi_cuda_narrow_residual};
#endif

constexpr hymgi_robust_ops robust_table()
{
  hymgi_robust_ops r = {};
  r.shares = HYMGI_IN_DOUBLE(hymgi_cuda_shares);
  r.share_sums = HYMGI_IN_DOUBLE(hymgi_cuda_share_sums);
  r.factor_lines = HYMGI_IN_DOUBLE(hymgi_cuda_factor_lines);
  r.solve_lines = hymgi_cuda_solve_lines;
  r.largest_step = HYMGI_IN_DOUBLE(hymgi_cuda_largest_step);
  r.alpha_step = HYMGI_IN_DOUBLE(hymgi_cuda_alpha_step);
  r.noise = HYMGI_IN_DOUBLE(hymgi_cuda_noise);
  r.resistances = HYMGI_IN_DOUBLE(hymgi_cuda_resistances);
  r.weights = HYMGI_IN_DOUBLE(hymgi_cuda_weights);
  r.makes_resistances = HYMGI_BY_PRECISION(true, false);
  r.coarse_faces = HYMGI_IN_DOUBLE(hymgi_cuda_coarse_faces);
  r.sum_children = hymgi_cuda_sum_children;
  r.smooth_sum_residual = hymgi_cuda_smooth_sum_residual;
  r.mark_jumps = HYMGI_IN_DOUBLE(hymgi_cuda_mark_jumps);
  r.find_closed = HYMGI_IN_DOUBLE(hymgi_cuda_find_closed);
  r.mark_near_closed = HYMGI_IN_DOUBLE(hymgi_cuda_mark_near_closed);
  r.spread_marks = HYMGI_IN_DOUBLE(hymgi_cuda_spread_marks);
  r.continue_cells = HYMGI_IN_DOUBLE(hymgi_cuda_continue_cells);
  r.scale_faces = HYMGI_IN_DOUBLE(hymgi_cuda_scale_faces);
  r.scale_volumes = HYMGI_IN_DOUBLE(hymgi_cuda_scale_volumes);
  r.take_fixed = HYMGI_IN_DOUBLE(hymgi_cuda_take_fixed);
  r.cut_faces = HYMGI_IN_DOUBLE(hymgi_cuda_cut_faces);
  r.set_fixed = HYMGI_IN_DOUBLE(hymgi_cuda_set_fixed);
  r.mark_empty_rows = HYMGI_IN_DOUBLE(hymgi_cuda_mark_empty_rows);
  r.give_empty_rows = HYMGI_IN_DOUBLE(hymgi_cuda_give_empty_rows);
  r.find_parts = HYMGI_IN_DOUBLE(hymgi_cuda_find_parts);
  r.piece_maxima = HYMGI_IN_DOUBLE(hymgi_cuda_piece_maxima);
  r.piece_sums = HYMGI_IN_DOUBLE(hymgi_cuda_piece_sums);
  r.piece_add = HYMGI_IN_DOUBLE(hymgi_cuda_piece_add);
  r.restrict_weighted = hymgi_cuda_restrict_weighted;
  r.interpolate_weighted = hymgi_cuda_interpolate_weighted;
  r.restrict_tensor = hymgi_cuda_restrict_tensor;
  r.interpolate_tensor = hymgi_cuda_interpolate_tensor;
  r.interpolate_uneven = hymgi_cuda_interpolate_uneven;
  r.smooth_from_zero = hymgi_cuda_smooth_from_zero;
  r.residual_red = hymgi_cuda_residual_red;
  r.apply_sum = HYMGI_IN_DOUBLE(hymgi_cuda_apply_sum);
  r.advance = HYMGI_IN_DOUBLE(hymgi_cuda_advance);
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
  b.interpolates_layers = true;
  b.mover = {hymgi_cuda_local, hymgi_cuda_pack,    hymgi_cuda_unpack,  hymgi_device_sync,
             hymgi_peer_begin, hymgi_device_enter, hymgi_device_leave, hymgi_nccl_queue};
  b.memory = memory;
  b.single = HYMGI_IN_DOUBLE(&hymgi_cuda_table_single);
  b.conversions = HYMGI_BY_PRECISION(NULL, &conversions);
  b.crossing = HYMGI_IN_DOUBLE(&hymgi_pinned_memory);
  b.sharing = HYMGI_IN_DOUBLE(&hymgi_device_peer_memory);
  b.nccl_ops = HYMGI_IN_DOUBLE(&hymgi_device_nccl);
  b.share = hymgi_device_share;
  b.unshare = hymgi_device_unshare;
  b.sync = hymgi_device_sync;
  b.zero = hymgi_cuda_zero;
  b.copy = HYMGI_IN_DOUBLE(hymgi_cuda_copy);
  b.brick = HYMGI_IN_DOUBLE(hymgi_cuda_brick);
  b.gather = HYMGI_IN_DOUBLE(hymgi_cuda_gather);
  b.examine = HYMGI_IN_DOUBLE(hymgi_cuda_examine);
  b.clear = hymgi_cuda_clear;
  b.scale = HYMGI_IN_DOUBLE(hymgi_cuda_scale);
  b.scratch_doubles = no_scratch;
  b.finish_coefficients = HYMGI_IN_DOUBLE(hymgi_cuda_finish_coefficients);
  b.finish_layers = HYMGI_IN_DOUBLE(hymgi_cuda_finish_layers);
  b.restrict_faces = HYMGI_IN_DOUBLE(hymgi_cuda_restrict_faces);
  b.boundary_term = HYMGI_IN_DOUBLE(hymgi_cuda_boundary_term);
  b.add_boundary_terms = HYMGI_IN_DOUBLE(hymgi_cuda_add_boundary_terms);
  b.moment_sums = HYMGI_IN_DOUBLE(hymgi_cuda_moment_sums);
  b.fluxes = HYMGI_IN_DOUBLE(hymgi_cuda_fluxes);
  b.apply = HYMGI_IN_DOUBLE(hymgi_cuda_apply);
  b.residual = hymgi_cuda_residual;
  b.residual_max = HYMGI_IN_DOUBLE(hymgi_cuda_residual_max);
  b.joins = HYMGI_IN_DOUBLE(hymgi_cuda_joins);
  b.starts_alone = HYMGI_IN_DOUBLE(hymgi_cuda_starts_alone);
  b.splits = hymgi_cuda_splits;
  b.splits_odd = hymgi_cuda_splits_odd;
  b.second_buffer = hymgi_cuda_second_buffer;
  b.spare_buffers = hymgi_cuda_spare_buffers;
  b.smooth = hymgi_cuda_smooth;
  b.smooth_norm = HYMGI_IN_DOUBLE(hymgi_cuda_smooth_norm);
  b.tune = nothing_to_tune;
  b.smooth_restrict = hymgi_cuda_smooth_restrict;
  b.starts_unread = hymgi_cuda_starts_unread;
  b.zeroes = true;
  b.residual_restrict = hymgi_cuda_residual_restrict;
  b.restrict_cells = hymgi_cuda_restrict_cells;
  b.fill_ghosts = hymgi_cuda_fill_ghosts;
  b.interpolate = hymgi_cuda_interpolate;
  b.bottom = HYMGI_IN_DOUBLE(hymgi_cuda_bottom);
  b.tail = HYMGI_IN_DOUBLE(hymgi_cuda_coarse_end);
  b.make_matrix = HYMGI_IN_DOUBLE(hymgi_cuda_make_matrix);
  b.coarse_multiply = HYMGI_IN_DOUBLE(hymgi_cuda_coarse_multiply);
  b.begin_cycle = HYMGI_IN_DOUBLE(hymgi_device_begin_cycle);
  b.end_cycle = HYMGI_IN_DOUBLE(hymgi_device_end_cycle);
  b.queue_max = HYMGI_IN_DOUBLE(hymgi_cuda_queue_max);
  b.queue_restrict_max = HYMGI_IN_DOUBLE(hymgi_cuda_queue_restrict_max);
  b.queue_residual_max = HYMGI_IN_DOUBLE(hymgi_cuda_queue_residual_max);
  b.queued = HYMGI_IN_DOUBLE(hymgi_cuda_queued);
  b.queue_remove_mean = HYMGI_IN_DOUBLE(hymgi_cuda_queue_remove_mean);
  b.begin_range = hymgi_device_begin_range;
  b.end_range = hymgi_device_end_range;
  b.stepwise = HYMGI_IN_DOUBLE(hymgi_device_direct);
  b.kernel_names = hymgi_cuda_kernel_names;
  b.attach = HYMGI_IN_DOUBLE(hymgi_cuda_attach);
  b.detach = HYMGI_IN_DOUBLE(hymgi_cuda_detach);
  b.robust = &robust_ops;
  b.graphs = HYMGI_IN_DOUBLE(&hymgi_cuda_graphs);
  b.graph_setup = HYMGI_IN_DOUBLE(&hymgi_cuda_graph_setup);
  b.fill = hymgi_cuda_fill;
  b.axpby = HYMGI_IN_DOUBLE(hymgi_cuda_axpby);
  b.shift = HYMGI_IN_DOUBLE(hymgi_cuda_shift);
  b.precondition = HYMGI_IN_DOUBLE(hymgi_cuda_precondition);
  b.max = HYMGI_IN_DOUBLE(hymgi_cuda_max);
  b.sum = HYMGI_IN_DOUBLE(hymgi_cuda_sum);
  return b;
}

} /* namespace */

extern "C" {
const hymgi_backend hymgi_cuda_table = table(HYMGI_IN_DOUBLE(&hymgi_device_memory));
#ifndef HYMGI_SINGLE
const hymgi_backend hymgi_cuda_managed_table = table(&hymgi_managed_memory);
#endif
}
