/* The host's functions for levels in single precision: those of a cycle from zero. Set-up, norms, sums
 * and bottom solves are of levels in double precision. Compiled with HYMGI_SINGLE alone. */
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/robust.h"

static void nothing_to_wait_for(hymg_context *context)
{
  (void)context;
}

static void zero_words(hymg_context *context, double *data, size_t words)
{
  (void)context;
  memset(data, 0, words * sizeof(double));
}

static const hymgi_robust_ops robust = {.sum_children = hymgi_cpu_sum_children,
                                        .interpolate_uneven = hymgi_cpu_interpolate_uneven,
                                        .restrict_weighted = hymgi_cpu_restrict_weighted,
                                        .interpolate_weighted = hymgi_cpu_interpolate_weighted,
                                        .residual_red = hymgi_cpu_residual_red,
                                        .smooth_from_zero = hymgi_cpu_smooth_from_zero,
                                        .smooth_restrict = hymgi_cpu_robust_smooth_restrict,
                                        .interpolate_smooth = hymgi_cpu_robust_interpolate_smooth};

const hymgi_backend hymgi_cpu_single_backend = {
    .id = HYMG_BACKEND_HOST,
    .name = "host",
    .line = HOST_LINE,
    .conversions = &hymgi_cpu_conversions,
    .mover = {.local = hymgi_cpu_copy_local, .pack = hymgi_cpu_pack, .unpack = hymgi_cpu_unpack},
    .sync = nothing_to_wait_for,
    .zero = zero_words,
    .clear = hymgi_cpu_clear,
    .scratch_doubles = hymgi_cpu_scratch_doubles,
    .finish_coefficients = hymgi_cpu_constant_rows,
    .residual = hymgi_cpu_residual,
    .smooth = hymgi_cpu_smooth,
    .tune = hymgi_cpu_tune,
    .smooth_restrict = hymgi_cpu_smooth_restrict,
    .fill_ghosts = hymgi_cpu_fill_ghosts,
    .interpolate = hymgi_cpu_interpolate,
    .interpolate_later = hymgi_cpu_interpolate_later,
    .robust = &robust,
    .fill = hymgi_cpu_fill,
};
