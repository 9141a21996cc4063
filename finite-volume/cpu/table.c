/* The host's functions (multigrid/backend.h). Levels in single precision have those of a cycle from zero;
 * set-up, norms, sums and bottom solves are of levels in double precision. */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/graph/graph.h"
#include "cpu/robust.h"
#include "cpu/setup.h"

static void nothing_to_wait_for(hymg_context *context)
{
  (void)context;
}

static bool always(const hymgi_level *level)
{
  (void)level;
  return true;
}

static void zero_words(hymg_context *context, double *data, size_t words)
{
  (void)context;
  memset(data, 0, words * sizeof(double));
}

static const hymgi_robust_ops robust = {
    .shares = HYMGI_IN_DOUBLE(hymgi_cpu_shares),
    .share_sums = HYMGI_IN_DOUBLE(hymgi_cpu_share_sums),
    .factor_lines = HYMGI_IN_DOUBLE(hymgi_cpu_factor_lines),
    .solve_lines = hymgi_cpu_solve_lines,
    .largest_step = HYMGI_IN_DOUBLE(hymgi_cpu_largest_step),
    .alpha_step = HYMGI_IN_DOUBLE(hymgi_cpu_alpha_step),
    .noise = HYMGI_IN_DOUBLE(hymgi_cpu_noise),
    .resistances = HYMGI_IN_DOUBLE(hymgi_cpu_resistances),
    .weights = HYMGI_IN_DOUBLE(hymgi_cpu_weights),
    .coarse_faces = HYMGI_IN_DOUBLE(hymgi_cpu_coarse_faces),
    .sum_children = hymgi_cpu_sum_children,
    .mark_jumps = HYMGI_IN_DOUBLE(hymgi_cpu_mark_jumps),
    .find_closed = HYMGI_IN_DOUBLE(hymgi_cpu_find_closed),
    .mark_near_closed = HYMGI_IN_DOUBLE(hymgi_cpu_mark_near_closed),
    .spread_marks = HYMGI_IN_DOUBLE(hymgi_cpu_spread_marks),
    .continue_cells = HYMGI_IN_DOUBLE(hymgi_cpu_continue_cells),
    .scale_faces = HYMGI_IN_DOUBLE(hymgi_cpu_scale_faces),
    .scale_volumes = HYMGI_IN_DOUBLE(hymgi_cpu_scale_volumes),
    .take_fixed = HYMGI_IN_DOUBLE(hymgi_cpu_take_fixed),
    .cut_faces = HYMGI_IN_DOUBLE(hymgi_cpu_cut_faces),
    .set_fixed = HYMGI_IN_DOUBLE(hymgi_cpu_set_fixed),
    .mark_empty_rows = HYMGI_IN_DOUBLE(hymgi_cpu_mark_empty_rows),
    .give_empty_rows = HYMGI_IN_DOUBLE(hymgi_cpu_give_empty_rows),
    .find_parts = HYMGI_IN_DOUBLE(hymgi_cpu_find_parts),
    .piece_maxima = HYMGI_IN_DOUBLE(hymgi_cpu_piece_maxima),
    .piece_sums = HYMGI_IN_DOUBLE(hymgi_cpu_piece_sums),
    .piece_add = HYMGI_IN_DOUBLE(hymgi_cpu_piece_add),
    .interpolate_uneven = hymgi_cpu_interpolate_uneven,
    .smooth_sum_residual = hymgi_cpu_smooth_sum_residual,
    .restrict_weighted = hymgi_cpu_restrict_weighted,
    .interpolate_weighted = hymgi_cpu_interpolate_weighted,
    .restrict_tensor = hymgi_cpu_restrict_tensor,
    .interpolate_tensor = hymgi_cpu_interpolate_tensor,
    .residual_red = hymgi_cpu_residual_red,
    .apply_sum = HYMGI_IN_DOUBLE(hymgi_cpu_apply_sum),
    .advance = HYMGI_IN_DOUBLE(hymgi_cpu_advance),
    .smooth_from_zero = hymgi_cpu_smooth_from_zero,
    .smooth_restrict = hymgi_cpu_robust_smooth_restrict,
    .interpolate_smooth = hymgi_cpu_robust_interpolate_smooth,
};

const hymgi_backend hymgi_cpu_table = {
    .id = HYMG_BACKEND_HOST,
    .name = "host",
    .line = HOST_LINE,
    .splits_odd = always,
    .single = HYMGI_IN_DOUBLE(&hymgi_cpu_table_single),
    .conversions = HYMGI_BY_PRECISION(NULL, &hymgi_cpu_conversions),
    .mover = {.local = hymgi_cpu_copy_local, .pack = hymgi_cpu_pack, .unpack = hymgi_cpu_unpack},
    .memory = HYMGI_IN_DOUBLE(&hymgi_cpu_memory),
    .crossing = HYMGI_IN_DOUBLE(&hymgi_cpu_memory),
    .share = HYMGI_IN_DOUBLE(hymgi_cpu_keep_block),
    .unshare = HYMGI_IN_DOUBLE(free),
    .sync = nothing_to_wait_for,
    .zero = zero_words,
    .copy = HYMGI_IN_DOUBLE(hymgi_cpu_copy),
    .brick = HYMGI_IN_DOUBLE(hymgi_cpu_brick),
    .gather = HYMGI_IN_DOUBLE(hymgi_cpu_gather),
    .examine = HYMGI_IN_DOUBLE(hymgi_cpu_examine),
    .clear = hymgi_cpu_clear,
    .touch = hymgi_cpu_touch,
    .scale = HYMGI_IN_DOUBLE(hymgi_cpu_scale),
    .scratch_doubles = hymgi_cpu_scratch_doubles,
    .finish_coefficients =
        HYMGI_BY_PRECISION(hymgi_cpu_finish_coefficients, hymgi_cpu_constant_rows),
    .finish_layers = HYMGI_IN_DOUBLE(hymgi_cpu_finish_layers),
    .restrict_faces = HYMGI_IN_DOUBLE(hymgi_cpu_restrict_faces),
    .boundary_term = HYMGI_IN_DOUBLE(hymgi_cpu_boundary_term),
    .add_boundary_terms = HYMGI_IN_DOUBLE(hymgi_cpu_add_boundary_terms),
    .moment_sums = HYMGI_IN_DOUBLE(hymgi_cpu_moment_sums),
    .fluxes = HYMGI_IN_DOUBLE(hymgi_cpu_fluxes),
    .apply = HYMGI_IN_DOUBLE(hymgi_cpu_apply),
    .residual = hymgi_cpu_residual,
    .residual_max = HYMGI_IN_DOUBLE(hymgi_cpu_residual_max),
    .smooth = hymgi_cpu_smooth,
    .tune = hymgi_cpu_tune,
    .take_schedule = hymgi_cpu_take_schedule,
    .smooth_restrict = hymgi_cpu_smooth_restrict,
    .residual_restrict = HYMGI_IN_DOUBLE(hymgi_cpu_residual_restrict),
    .restrict_cells = HYMGI_IN_DOUBLE(hymgi_cpu_restrict_cells),
    .queue_restrict_max = HYMGI_IN_DOUBLE(hymgi_cpu_restrict_max),
    .fill_ghosts = hymgi_cpu_fill_ghosts,
    .interpolate = hymgi_cpu_interpolate,
    .interpolate_later = hymgi_cpu_interpolate_later,
    .smooth_norm = HYMGI_IN_DOUBLE(hymgi_cpu_smooth_norm),
    .robust = &robust,
    .graphs = HYMGI_IN_DOUBLE(&hymgi_cpu_graphs),
    .graph_setup = HYMGI_IN_DOUBLE(&hymgi_cpu_graph_setup),
    .coarse_multiply = HYMGI_IN_DOUBLE(hymgi_cpu_coarse_multiply),
    .fill = hymgi_cpu_fill,
    .axpby = HYMGI_IN_DOUBLE(hymgi_cpu_axpby),
    .shift = HYMGI_IN_DOUBLE(hymgi_cpu_shift),
    .precondition = HYMGI_IN_DOUBLE(hymgi_cpu_precondition),
    .max = HYMGI_IN_DOUBLE(hymgi_cpu_max),
    .sum = HYMGI_IN_DOUBLE(hymgi_cpu_sum),
};
