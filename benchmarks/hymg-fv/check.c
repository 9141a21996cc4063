/* What options mean together: the sizes, contradictions, options without effect (errors, so that no
 * run claims what it did not do), defaults that depend on other options, and the rules of
 * --official. */
#include "hymg-fv/options.h"

#include "common/json.h"
#include <string.h>

enum { LARGEST_ODD_PART = 11, CHEBYSHEV_DEGREE = 6 };

static int odd_part(int n)
{
  while (n % 2 == 0)
    n /= 2;
  return n;
}

bool fv_log2_grid(fv_options *o, int ranks, fv_error *error)
{
  const int box = 1 << o->log2_box_dim;
  const int64_t most = (int64_t)o->boxes_per_rank * ranks;
  int side = 1;
  for (int b = 1; (int64_t)b * b * b <= most; b++)
    if (odd_part(b) <= LARGEST_ODD_PART) side = b;
  if (side > MAX_CELLS_PER_AXIS / box)
    return fv_refuse(error, "%d %d: %d boxes of %d cells per side; the limit is %d cells per side",
                     o->log2_box_dim, o->boxes_per_rank, side, box, MAX_CELLS_PER_AXIS);
  for (int axis = 0; axis < 3; axis++) {
    o->grid.n[axis] = box * side;
    o->grid.spacing[axis] = 1.0 / (box * side);
    o->grid.boxes[axis] = side;
  }
  o->grid.extrapolation_box = box;
  return true;
}

static bool check_grid(const fv_options *o, fv_error *error)
{
  const hymg_grid_desc *grid = &o->grid;
  for (int axis = 0; axis < 3; axis++) {
    const bool low = grid->boundary[2 * axis] == HYMG_PERIODIC;
    const bool high = grid->boundary[2 * axis + 1] == HYMG_PERIODIC;
    if (low != high)
      return fv_refuse(error, "--boundary: axis %c is periodic on one wall only", "xyz"[axis]);
    if (grid->boxes[axis] > 0 && grid->n[axis] % grid->boxes[axis] != 0)
      return fv_refuse(error, "--boxes: %d does not divide the %d cells of axis %c",
                       grid->boxes[axis], grid->n[axis], "xyz"[axis]);
  }
  for (int face = 0; face < 6; face++)
    if (grid->boundary[face] == HYMG_NEUMANN && o->stencil == HYMG_FV4)
      return fv_refuse(error, "--boundary neumann: needs --operator fv2");
  return true;
}

static bool check_equation(fv_options *o, fv_error *error)
{
  if (o->given[FV_A] && !o->helmholtz)
    return fv_refuse(error, "--a has no effect without --equation helmholtz");
  if (!o->given[FV_A]) o->a = o->helmholtz ? 1.0 : 0.0;
  return true;
}

static bool check_cycle(fv_options *o, fv_error *error)
{
  hymg_options *s = &o->solver;
  if (!o->given[FV_CYCLE]) s->cycle = s->method == HYMG_MGPCG ? HYMG_CYCLE_V : HYMG_CYCLE_F;
  if (s->method == HYMG_FMG && s->cycle != HYMG_CYCLE_F)
    return fv_refuse(error, "--cycle %s: --solver fmg takes f only", fv_cycle_words[s->cycle]);
  if (s->method == HYMG_MGPCG && s->cycle == HYMG_CYCLE_F)
    return fv_refuse(error, "--cycle f: --solver mgpcg takes v or w");
  if (s->method == HYMG_FMG && o->given[FV_RTOL])
    return fv_refuse(error, "--rtol has no effect with --solver fmg, which is one F-cycle");
  if (s->method == HYMG_FMG && o->given[FV_MAX_CYCLES])
    return fv_refuse(error, "--max-cycles has no effect with --solver fmg, which is one F-cycle");
  return true;
}

static bool check_smoother(fv_options *o, fv_error *error)
{
  hymg_options *s = &o->solver;
  if (!o->given[FV_SWEEPS]) s->sweeps = s->smoother == HYMG_SYMGS ? 4 : 6;
  if ((s->smoother == HYMG_GSRB || s->smoother == HYMG_SYMGS) && s->sweeps % 2 != 0)
    return fv_refuse(error, "--sweeps %d: %s takes an even number", s->sweeps,
                     fv_smoother_words[s->smoother]);
  if (s->smoother == HYMG_CHEBYSHEV && s->sweeps % CHEBYSHEV_DEGREE != 0)
    return fv_refuse(error, "--sweeps %d: chebyshev takes a multiple of its degree %d", s->sweeps,
                     CHEBYSHEV_DEGREE);
  return true;
}

/* Options for GPUs alone. */
static bool check_backend(const fv_options *o, fv_error *error)
{
  static const struct {
    fv_option option;
    const char *name;
  } gpu[] = {{FV_DEVICE, "--device"},
             {FV_MEMORY, "--memory"},
             {FV_HOST_CELLS, "--host-cells"},
             {FV_TAIL_CELLS, "--tail-cells"},
             {FV_TUNING_FILE, "--tuning-file"},
             {FV_COMM, "--comm"},
             {FV_GATHER_CELLS, "--gather-cells"},
             {FV_PEER_SECONDS, "--peer-seconds"},
             {FV_PROBE_FILE, "--probe-file"},
             {FV_PROBE_COMM, "--probe-comm"}};
  const bool built = *hymg_build_info().cuda != '\0', symgs = o->solver.smoother == HYMG_SYMGS;
  if (o->solver.backend == HYMG_BACKEND_CUDA && !built)
    return fv_refuse(error, "--backend cuda: this program was built without CUDA");
  if (o->solver.backend == HYMG_BACKEND_CUDA && symgs)
    return fv_refuse(error, "--backend cuda: --smoother symgs runs on the host only");
  for (size_t i = 0; i < sizeof gpu / sizeof *gpu; i++) {
    if (!o->given[gpu[i].option]) continue;
    if (o->solver.backend == HYMG_BACKEND_HOST)
      return fv_refuse(error, "%s has no effect with --backend host", gpu[i].name);
    if (!built)
      return fv_refuse(error, "%s has no effect: this program was built without CUDA", gpu[i].name);
    if (symgs)
      return fv_refuse(error, "%s has no effect with --smoother symgs, which runs on the host",
                       gpu[i].name);
  }
  if (o->solver.transport == HYMG_TRANSPORT_NCCL && !*hymg_build_info().nccl)
    return fv_refuse(error, "--comm nccl: this program was built without NCCL");
  if (o->given[FV_PROBE_COMM] && o->given[FV_COMM])
    return fv_refuse(error, "--comm has no effect with --probe-comm");
  if (o->given[FV_PROBE_COMM] && o->given[FV_PROBE_FILE] && !o->solver.probe_file)
    return fv_refuse(error, "--probe-file none: --probe-comm needs a file");
  if (o->given[FV_PEER_SECONDS] && (o->solver.transport == HYMG_TRANSPORT_DEVICE ||
                                    o->solver.transport == HYMG_TRANSPORT_STAGED))
    return fv_refuse(error, "--peer-seconds has no effect with --comm %s",
                     fv_comm_words[o->solver.transport]);
  if (o->given[FV_TUNING_FILE] && o->solver.host_cells >= 0 && o->solver.tail_cells >= 0)
    return fv_refuse(error, "--tuning-file has no effect with both --host-cells and --tail-cells");
  return true;
}

static bool check_official(fv_options *o, fv_error *error)
{
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
      {o->solver.sweeps != 6, "--sweeps 6"},
      {o->solver.method != HYMG_FMG, "--solver fmg"},
      {o->solver.bottom != HYMG_BICGSTAB, "--bottom bicgstab"},
      {!o->log2_sizes, "sizes as LOG2_BOX_DIM BOXES_PER_RANK, not --grid"},
      {o->log2_sizes && o->grid.n[0] < 128, "at least 128 cells per axis"},
      {o->warmup < 10, "--warmup of at least 10"},
      {o->min_solves < 10, "--min-solves of at least 10"},
      {o->given[FV_MIN_SECONDS] && o->min_seconds < 60.0, "--min-seconds of at least 60"},
  };
  if (!o->given[FV_OFFICIAL]) return true;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].broken) return fv_refuse(error, "--official requires %s", rules[i].rule);
  if (!o->given[FV_MIN_SECONDS]) o->min_seconds = 60.0;
  return true;
}

/* A plan solves nothing. */
static bool check_plan(const fv_options *o, fv_error *error)
{
  static const struct {
    fv_option option;
    const char *name;
  } idle[] = {{FV_PROBLEM, "--problem"},       {FV_RTOL, "--rtol"},
              {FV_MAX_CYCLES, "--max-cycles"}, {FV_WARMUP, "--warmup"},
              {FV_MIN_SOLVES, "--min-solves"}, {FV_MIN_SECONDS, "--min-seconds"},
              {FV_OFFICIAL, "--official"},     {FV_JSON, "--json"},
              {FV_QUIET, "--quiet"},           {FV_VERBOSE, "--verbose"}};
  for (size_t i = 0; o->given[FV_PLAN] && i < sizeof idle / sizeof *idle; i++)
    if (o->given[idle[i].option])
      return fv_refuse(error, "%s has no effect with --plan", idle[i].name);
  return true;
}

static bool check_output(const fv_options *o, fv_error *error)
{
  if (o->given[FV_QUIET] && o->given[FV_VERBOSE])
    return fv_refuse(error, "--quiet and --verbose contradict each other");
  if (o->json && json_missing())
    return fv_refuse(error, "--json: this program was built without %s", json_missing());
  return true;
}

bool fv_options_check(fv_options *o, fv_error *error)
{
  return check_grid(o, error) && check_equation(o, error) && check_cycle(o, error) &&
         check_smoother(o, error) && check_backend(o, error) && check_plan(o, error) &&
         check_official(o, error) && check_output(o, error);
}
