/* The options of a solver: defaults and validation. */
#include <math.h>

#include "problem/problem.h"

hymg_options hymg_options_default(void)
{
  const hymg_options options = {.method = HYMG_FMG,
                                .cycle = HYMG_CYCLE_DEFAULT,
                                .sweeps = -1,
                                .interpolation_v = HYMG_INTERPOLATION_DEFAULT,
                                .interpolation_f = HYMG_INTERPOLATION_DEFAULT,
                                .rtol = 1e-10,
                                .max_cycles = -1,
                                .stagnation = -1,
                                .host_cells = -1,
                                .tail_cells = -1,
                                .gather_cells = -1,
                                .peer_seconds = 60,
                                .precision = HYMG_PRECISION_AUTO};
  return options;
}

hymg_options hymg_options_preconditioner(void)
{
  hymg_options options = hymg_options_default();
  options.method = HYMG_MG;
  options.cycle = HYMG_CYCLE_V;
  options.smoother = HYMG_CHEBYSHEV;
  options.bottom = HYMG_BOTTOM_SWEEPS;
  options.interpolation_v = HYMG_P0;
  return options;
}

static const char *cycle_name(hymg_cycle cycle)
{
  return cycle == HYMG_CYCLE_V ? "V" : cycle == HYMG_CYCLE_W ? "W" : "F";
}

static hymg_status check_choices(hymg_context *c, const hymg_options *o)
{
  const struct {
    const char *what;
    int value, first, last;
    const char *first_name, *last_name;
  } choice[] = {
      {"method", (int)o->method, HYMG_FMG, HYMG_MGPCG, "fmg", "mgpcg"},
      {"cycle", (int)o->cycle, HYMG_CYCLE_DEFAULT, HYMG_CYCLE_F, "default", "F"},
      {"smoother", (int)o->smoother, HYMG_GSRB, HYMG_SYMGS, "gsrb", "symgs"},
      {"bottom solver", (int)o->bottom, HYMG_BICGSTAB, HYMG_BOTTOM_SWEEPS, "bicgstab", "sweeps"},
      {"tuning", (int)o->tuning, HYMG_TUNE_MEASURE, HYMG_TUNE_ESTIMATE, "measure", "estimate"},
      {"memory", (int)o->memory, HYMG_MEMORY_DEVICE, HYMG_MEMORY_MANAGED, "device", "managed"},
      {"transport", (int)o->transport, HYMG_TRANSPORT_AUTO, HYMG_TRANSPORT_NCCL, "auto", "nccl"},
      {"path", (int)o->path, HYMG_PATH_AUTO, HYMG_PATH_ROBUST, "auto", "robust"},
      {"transfer", (int)o->transfer, HYMG_TRANSFER_AUTO, HYMG_TRANSFER_TENSOR, "auto", "tensor"},
      {"precision", (int)o->precision, HYMG_PRECISION_AUTO, HYMG_MIXED, "auto", "mixed"},
      {"norm", (int)o->norm, HYMG_NORM_MAX, HYMG_NORM_2, "max", "2"},
      {"rhs_mean", (int)o->rhs_mean, HYMG_MEAN_SUBTRACT, HYMG_MEAN_ERROR, "subtract", "error"},
      {"backend", (int)o->backend, HYMG_BACKEND_AUTO, HYMG_BACKEND_CUDA, "auto", "cuda"}};
  for (size_t m = 0; m < sizeof choice / sizeof *choice; m++)
    if (choice[m].value < choice[m].first || choice[m].value > choice[m].last)
      return hymgi_fail(c, HYMG_EINVAL, "%s %d: %d (%s) to %d (%s)", choice[m].what,
                        choice[m].value, choice[m].first, choice[m].first_name, choice[m].last,
                        choice[m].last_name);
  return HYMG_OK;
}

static hymg_status check_sweeps(hymg_context *c, const hymg_options *o)
{
  if (o->sweeps == -1) return HYMG_OK;
  if (o->sweeps < 1 || o->sweeps > 1000)
    return hymgi_fail(c, HYMG_EINVAL, "sweeps %d: 1 to 1000, or -1 for the default", o->sweeps);
  if ((o->smoother == HYMG_GSRB || o->smoother == HYMG_SYMGS) && o->sweeps % 2)
    return hymgi_fail(c, HYMG_EINVAL, "sweeps %d: gsrb and symgs need an even number", o->sweeps);
  if (o->smoother == HYMG_CHEBYSHEV && o->sweeps % 6)
    return hymgi_fail(c, HYMG_EINVAL, "sweeps %d: chebyshev needs a multiple of its degree, 6",
                      o->sweeps);
  return HYMG_OK;
}

static hymg_status check_interpolation(hymg_context *c, hymg_stencil stencil, hymg_interpolation i)
{
  if (i == HYMG_INTERPOLATION_DEFAULT || i == HYMG_P0 || i == HYMG_P1 || i == HYMG_V2)
    return HYMG_OK;
  if (i != HYMG_V4)
    return hymgi_fail(c, HYMG_EINVAL,
                      "interpolation %d: -1 (default), 0 (p0), 1 (p1), 2 (v2) or 4 (v4)", (int)i);
  if (stencil == HYMG_FV4) return HYMG_OK;
  return hymgi_fail(c, HYMG_EUNSUPPORTED,
                    "interpolation v4 with FV2: it needs FV4's halo of two layers");
}

static hymg_status check_cells(hymg_context *c, const char *name, int64_t cells,
                               const char *automatic)
{
  if (cells >= -1) return HYMG_OK;
  return hymgi_fail(c, HYMG_EINVAL, "%s %lld: at least 0, or -1 (%s)", name, (long long)cells,
                    automatic);
}

hymg_status hymgi_options_check(hymg_context *c, hymg_stencil stencil, const hymg_options *o)
{
  TRY(check_choices(c, o));
  if (o->method == HYMG_FMG && o->cycle != HYMG_CYCLE_F)
    return hymgi_fail(c, HYMG_EINVAL, "cycle %s with FMG: F only", cycle_name(o->cycle));
  if (o->method == HYMG_MGPCG && o->cycle == HYMG_CYCLE_F)
    return hymgi_fail(c, HYMG_EINVAL, "cycle F with MGPCG: V or W only");
  TRY(check_sweeps(c, o));
  TRY(check_interpolation(c, stencil, o->interpolation_v));
  TRY(check_interpolation(c, stencil, o->interpolation_f));
  if (!(o->rtol > 0) || !isfinite(o->rtol))
    return hymgi_fail(c, HYMG_EINVAL, "rtol %g: above 0 and finite", o->rtol);
  if (o->max_cycles != -1 && (o->max_cycles < 1 || o->max_cycles > 10000))
    return hymgi_fail(c, HYMG_EINVAL, "max_cycles %d: 1 to 10000, or -1 for the default",
                      o->max_cycles);
  if (o->stagnation < -1 || o->stagnation > 10000)
    return hymgi_fail(c, HYMG_EINVAL, "stagnation %d: 0 (never) to 10000, or -1 for the default",
                      o->stagnation);
  if (!(o->atol >= 0) || !isfinite(o->atol))
    return hymgi_fail(c, HYMG_EINVAL, "atol %g: at least 0 and finite", o->atol);
  if (o->initial_guess && (o->method == HYMG_FMG || o->cycle == HYMG_CYCLE_F))
    return hymgi_fail(c, HYMG_EINVAL, "an initial guess with an F-cycle, which overwrites it");
  TRY(check_cells(c, "host_cells", o->host_cells, "measured"));
  TRY(check_cells(c, "gather_cells", o->gather_cells, "as fits"));
  TRY(check_cells(c, "tail_cells", o->tail_cells, "measured"));
  if (!(o->peer_seconds > 0) || o->peer_seconds > 1e6)
    return hymgi_fail(c, HYMG_EINVAL, "peer_seconds %g: more than 0, at most 1e6", o->peer_seconds);
  return HYMG_OK;
}

hymg_options hymgi_options_resolve(const hymg_options *options)
{
  hymg_options o = options ? *options : hymg_options_default();
  if (o.cycle != HYMG_CYCLE_DEFAULT) return o;
  const bool overwrites = o.method == HYMG_FMG || (o.method == HYMG_MG && !o.initial_guess);
  o.cycle = overwrites ? HYMG_CYCLE_F : HYMG_CYCLE_V;
  return o;
}
