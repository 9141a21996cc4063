/* Checks across options: the sizes, contradictions, options without effect (errors, so that no run
 * claims what it did not do), defaults that depend on other options, and the rules of --official.
 * */
#include "hymg-fv/options.h"

#include "common/kit/rows.h"
#include <string.h>

enum { LARGEST_ODD_PART = 11, CHEBYSHEV_DEGREE = 6 };

static int odd_part(int n)
{
  while (n % 2 == 0)
    n /= 2;
  return n;
}

bool fv_log2_grid(fv_options *o, int ranks)
{
  const command_line *const c = &o->line;
  const int box = 1 << o->log2_box_dim;
  const int64_t most = (int64_t)o->boxes_per_rank * ranks;
  int side = 1;
  for (int b = 1; (int64_t)b * b * b <= most; b++)
    if (odd_part(b) <= LARGEST_ODD_PART) side = b;
  if (side > MAX_CELLS_PER_AXIS / box)
    return options_refuse(c, "%d %d: %d boxes of %d cells per side; the limit is %d cells per side",
                          o->log2_box_dim, o->boxes_per_rank, side, box, MAX_CELLS_PER_AXIS);
  for (int axis = 0; axis < 3; axis++) {
    o->grid.n[axis] = box * side;
    o->grid.spacing[axis] = 1.0 / (box * side);
    o->grid.boxes[axis] = side;
  }
  o->grid.extrapolation_box = box;
  return true;
}

static bool check_grid(const fv_options *o)
{
  const command_line *const c = &o->line;
  const hymg_grid_desc *grid = &o->grid;
  for (int axis = 0; axis < 3; axis++)
    if (grid->boxes[axis] > 0 && grid->n[axis] % grid->boxes[axis] != 0)
      return options_refuse(c, "--boxes: %d does not divide the %d cells of axis %c",
                            grid->boxes[axis], grid->n[axis], "xyz"[axis]);
  for (int face = 0; face < 6; face++)
    if (grid->boundary[face] == HYMG_ROBIN && o->stencil == HYMG_FV4)
      return options_refuse(c, "--boundary robin: needs --operator fv2");
  return fv_check_boundary(c, grid->boundary);
}

static bool check_equation(fv_options *o)
{
  static const char *const a[] = {"a", NULL};
  if (!options_given(&o->line, "a")) o->a = o->helmholtz ? 1.0 : 0.0;
  return o->helmholtz || options_idle(&o->line, a, " without --equation helmholtz");
}

/* FV4 with such boundaries takes the robust path, which has no F-cycle. */
static bool check_walls(const fv_options *o)
{
  const command_line *const c = &o->line;
  if (o->stencil != HYMG_FV4 || o->solver.method != HYMG_FMG) return true;
  if (o->problem == PROBLEM_WAVES)
    return options_refuse(c, "--problem waves: with --operator fv4 needs --solver mg or mgpcg");
  for (int face = 0; face < 6; face++)
    if (o->grid.boundary[face] == HYMG_NEUMANN)
      return options_refuse(c,
                            "--boundary neumann: with --operator fv4 needs --solver mg or mgpcg");
  return true;
}

static bool check_cycle(fv_options *o)
{
  static const char *const iterated[] = {"rtol", "max-cycles", NULL};
  const command_line *const c = &o->line;
  hymg_options *s = &o->solver;
  if (s->cycle == HYMG_CYCLE_DEFAULT)
    s->cycle = s->method == HYMG_MGPCG ? HYMG_CYCLE_V : HYMG_CYCLE_F;
  if (s->method == HYMG_FMG && s->cycle != HYMG_CYCLE_F)
    return options_refuse(c, "--cycle %s: --solver fmg takes f only",
                          hymg_enum_name("hymg_cycle", (int)s->cycle));
  if (s->method == HYMG_MGPCG && s->cycle == HYMG_CYCLE_F)
    return options_refuse(c, "--cycle f: --solver mgpcg takes v or w");
  if (s->method == HYMG_FMG && s->precision == HYMG_PRECISION_AUTO) s->precision = HYMG_DOUBLE;
  if (s->max_cycles == -1)
    s->max_cycles = s->path == HYMG_PATH_ROBUST || s->method == HYMG_MGPCG ? 2000 : 100;
  return s->method != HYMG_FMG ||
         options_idle(c, iterated, " with --solver fmg, which is one F-cycle");
}

static bool check_smoother(const fv_options *o)
{
  const command_line *const c = &o->line;
  const hymg_options *s = &o->solver;
  if (s->sweeps == -1) return true;
  if ((s->smoother == HYMG_GSRB || s->smoother == HYMG_SYMGS) && s->sweeps % 2 != 0)
    return options_refuse(c, "--sweeps %d: %s takes an even number", s->sweeps,
                          hymg_enum_name("hymg_smoother", (int)s->smoother));
  if (s->smoother == HYMG_CHEBYSHEV && s->sweeps % CHEBYSHEV_DEGREE != 0)
    return options_refuse(c, "--sweeps %d: chebyshev takes a multiple of its degree %d", s->sweeps,
                          CHEBYSHEV_DEGREE);
  return true;
}

/* Options that only apply to GPUs. */
static bool check_backend(const fv_options *o)
{
  const command_line *const c = &o->line;
  static const char *const gpu[] = {"device",     "memory",     "host-cells",
                                    "tail-cells", "comm",       "peer-seconds",
                                    "probe-file", "probe-comm", NULL};
  static const char *const kept[] = {"tuning-file", NULL};
  const bool measured = o->solver.tuning == HYMG_TUNE_MEASURE; /* on the host, too */
  const bool built = *hymg_build_info().cuda != '\0', symgs = o->solver.smoother == HYMG_SYMGS;
  const char *const why = o->solver.backend == HYMG_BACKEND_HOST ? " with --backend host"
                          : !built ? ": this program was built without CUDA"
                          : symgs  ? " with --smoother symgs, which runs on the host"
                                   : NULL;
  if (o->solver.backend == HYMG_BACKEND_CUDA && !built)
    return options_refuse(c, "--backend cuda: this program was built without CUDA");
  if (o->solver.backend == HYMG_BACKEND_CUDA && symgs)
    return options_refuse(c, "--backend cuda: --smoother symgs runs on the host only");
  if (why && !options_idle(c, gpu, why)) return false;
  if (why && !measured && !options_idle(c, kept, why)) return false;
  if (o->solver.transport == HYMG_TRANSPORT_NCCL && !*hymg_build_info().nccl)
    return options_refuse(c, "--comm nccl: this program was built without NCCL");
  if (o->probe && options_given(c, "comm") && o->solver.transport != HYMG_TRANSPORT_DEVICE &&
      o->solver.transport != HYMG_TRANSPORT_NCCL)
    return options_refuse(c, "--probe-comm: of --comm only device or nccl, not %s",
                          hymg_enum_name("hymg_transport", (int)o->solver.transport));
  if (o->probe && options_given(c, "probe-file") && !o->solver.probe_file)
    return options_refuse(c, "--probe-file none: --probe-comm needs a file");
  if (options_given(c, "peer-seconds") && (o->solver.transport == HYMG_TRANSPORT_DEVICE ||
                                           o->solver.transport == HYMG_TRANSPORT_STAGED))
    return options_refuse(c, "--peer-seconds has no effect with --comm %s",
                          hymg_enum_name("hymg_transport", (int)o->solver.transport));
  if (options_given(c, "tuning-file") && !measured && o->solver.host_cells >= 0 &&
      o->solver.tail_cells >= 0)
    return options_refuse(c, "--tuning-file has no effect with both --host-cells and --tail-cells");
  return true;
}

static bool check_official(fv_options *o)
{
  const command_line *const c = &o->line;
  const struct {
    bool broken;
    const char *rule;
  } rules[] = {
      {o->stencil != HYMG_FV4, "--operator fv4"},
      {o->helmholtz, "--equation poisson"},
      {o->b != 1.0, "--b 1"},
      {strcmp(fv_boundary_string(o->grid.boundary).text, "dirichlet") != 0, "--boundary dirichlet"},
      {!o->variable, "--coefficients variable"},
      {o->problem != PROBLEM_FV, "--problem fv"},
      {o->solver.smoother != HYMG_GSRB, "--smoother gsrb"},
      {o->solver.sweeps != -1 && o->solver.sweeps != 6, "--sweeps 6"},
      {o->solver.method != HYMG_FMG, "--solver fmg"},
      {o->solver.bottom != HYMG_BICGSTAB, "--bottom bicgstab"},
      {o->solver.precision != HYMG_DOUBLE, "--precision double"},
      {!o->log2_sizes, "sizes as LOG2_BOX_DIM BOXES_PER_RANK, not --grid"},
      {o->log2_sizes && o->grid.n[0] < 128, "at least 128 cells per axis"},
      {o->warmup < 10, "--warmup of at least 10"},
      {o->min_solves < 10, "--min-solves of at least 10"},
      {options_given(c, "min-seconds") && o->min_seconds < 60.0, "--min-seconds of at least 60"},
  };
  if (!o->official) return true;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].broken) return options_refuse(c, "--official requires %s", rules[i].rule);
  if (!*hymg_build_info().commit)
    return options_refuse(
        c, "--official requires a program that knows its commit, and this one was built without "
           "git's word or a source package; make said why");
  if (!options_given(c, "min-seconds")) o->min_seconds = 60.0;
  return true;
}

/* --plan solves nothing: options about solving are refused. */
static bool check_plan(const fv_options *o)
{
  static const char *const idle[] = {
      "problem", "rtol",  "max-cycles", "warmup", "min-solves", "min-seconds", "official", "json",
      "save",    "quiet", "verbose",    "submit", "copy-mb",    "energy",      NULL};
  return !o->plan || options_idle(&o->line, idle, " with --plan");
}

static bool check_submission(const fv_options *o)
{
  const command_line *const c = &o->line;
  static const char *const names[] = {"site", "machine-name", "interconnect", "submitter", NULL};
  if (!o->submit && !options_idle(c, names, " without --submit")) return false;
  if (o->copy_mb >= 0 && !o->json && !o->submit)
    return options_refuse(c, "--copy-mb has no effect without --json or --submit");
  if (!o->submit) return true;
  if (json_missing())
    return options_refuse(c, "--submit: this program was built without %s", json_missing());
  if (!o->site) return options_refuse(c, "--submit needs --site");
  if (!o->machine_name) return options_refuse(c, "--submit needs --machine-name");
  return !o->quiet || options_refuse(c, "--submit keeps what is printed: not with --quiet");
}

static bool check_output(const fv_options *o)
{
  const command_line *const c = &o->line;
  const char *const end = o->save ? strrchr(o->save, '.') : NULL;
  if (o->save && (!end || (strcmp(end, ".vti") != 0 && strcmp(end, ".vtr") != 0)))
    return options_refuse(c, "--save %s: the file name must end in .vti or .vtr", o->save);
  if (o->quiet && o->verbose)
    return options_refuse(c, "--quiet and --verbose contradict each other");
  if (o->energy && o->quiet && !o->json)
    return options_refuse(c, "--energy has no effect with --quiet and without --json");
  if (o->json && json_missing())
    return options_refuse(c, "--json: this program was built without %s", json_missing());
  return true;
}

bool fv_options_check(fv_options *o)
{
  return check_grid(o) && check_equation(o) && check_walls(o) && check_cycle(o) &&
         check_smoother(o) && check_backend(o) && check_plan(o) && check_official(o) &&
         check_output(o) && check_submission(o);
}

hymg_operator_desc fv_operator_desc(const fv_options *o)
{
  hymg_operator_desc desc = hymg_operator_desc_default();
  desc.stencil = o->stencil;
  desc.a = o->a;
  desc.b = o->b;
  for (int face = 0; face < 6; face++) {
    desc.robin_alpha_constant[face] = o->robin[0];
    desc.robin_beta_constant[face] = o->robin[1];
  }
  return desc;
}
