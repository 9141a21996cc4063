/* The options of a solver: one row for each, of which defaults, ranges, texts and what ranks compare
 * are made. Files and the monitor have none. */
#include "problem/problem.h"

#define AT(member)                offsetof(hymg_options, member)
#define ENUM(member, type, value) HYMGI_ENUM, AT(member), #type, value, #member, HYMGI_ANY, 0
#define COUNT(member, low, high, range)                                                            \
  HYMGI_INT, AT(member), NULL, -1, #member, low, high, range, 0
#define CELLS(member, automatic)                                                                   \
  HYMGI_INT64, AT(member), NULL, -1, #member, 0, (double)INT64_MAX,                                \
      "at least 0, or -1 (" automatic ")", 0

static const hymgi_option table[] = {
    {{"method", 1, ENUM(method, hymg_method, HYMG_FMG)},
     "fmg|mg|mgpcg",
     "fmg: one F-cycle and nothing after it (default); mg: cycles down to rtol; mgpcg:\n"
     "conjugate gradients preconditioned with one cycle, down to rtol"},
    {{"cycle", 1, ENUM(cycle, hymg_cycle, HYMG_CYCLE_DEFAULT)},
     "default|f|v|w",
     "fmg takes f; mg f (default: an F-cycle, then V-cycles), v or w (from zero); mgpcg v\n"
     "(default) or w"},
    {{"path", 1, ENUM(path, hymg_path, HYMG_PATH_AUTO)},
     "auto|standard|robust",
     "standard: all axes are halved together; robust: any size and coefficient, for mg and "
     "mgpcg\n"
     "with fv2; auto (default): robust where standard does not suit"},
    {{"transfer", 1, ENUM(transfer, hymg_transfer, HYMG_TRANSFER_AUTO)},
     "auto|constant|weighted|tensor|pairs",
     "interpolation of the robust path: auto (default: weighted, or tensor or pairs where that\n"
     "is slow), constant; pairs: graphs in place of coarse grids"},
    {{"precision", 1, HYMGI_ENUM, AT(precision), "hymg_precision", HYMG_PRECISION_AUTO, "precision",
      0, HYMG_MIXED, NULL, 0},
     "auto|double|mixed",
     "mixed: cycles in single precision on levels of more than 32^3 cells, inside a residual in\n"
     "double; auto (default): mixed for mg and mgpcg from 10^6 cells on"},
    {{"smoother", 1, ENUM(smoother, hymg_smoother, HYMG_GSRB)},
     "gsrb|chebyshev|jacobi|l1jacobi|symgs",
     "gsrb (default): red-black Gauss-Seidel; symgs: symmetric Gauss-Seidel, on the host alone"},
    {{"sweeps", 1, COUNT(sweeps, 1, 1000, "1 to 1000, or -1 for the default")},
     "N|auto",
     "stencil passes of each pre- and post-smooth, 1 ... 1000; auto (default): 6, symgs 4, gsrb\n"
     "of mg 4 on finest levels of more than 32^3 cells without walls of linear extrapolation,\n"
     "on the robust path on all; even for gsrb and symgs, a multiple of the degree 6 for\n"
     "chebyshev"},
    {{"bottom", 1, HYMGI_ENUM, AT(bottom), "hymg_bottom", HYMG_BICGSTAB, "bottom solver", HYMGI_ANY,
      0},
     "bicgstab|cg|cabicgstab|cacg|smoother|sweeps",
     "on the coarsest level: bicgstab (default) or another one; sweeps: a fixed number of\n"
     "smoother calls"},
    {{"interpolation-v", 1, HYMGI_EACH, AT(interpolation_v), "hymg_interpolation",
      HYMG_INTERPOLATION_DEFAULT, "interpolation", HYMGI_ANY, 0},
     "default|p0|p1|v2|v4",
     "of corrections: default, p0, p1, v2, v4"},
    {{"interpolation-f", 1, HYMGI_EACH, AT(interpolation_f), "hymg_interpolation",
      HYMG_INTERPOLATION_DEFAULT, "interpolation", HYMGI_ANY, 0},
     "default|p0|p1|v2|v4",
     "of an F-cycle's initial guesses: default, p0, p1, v2, v4"},
    {{"rtol", 1, HYMGI_DOUBLE, AT(rtol), NULL, 1e-10, "rtol", HYMGI_ABOVE_0, 0},
     "NUMBER",
     "mg and mgpcg stop at |r| <= NUMBER |f|; default 1e-10"},
    {{"atol", 1, HYMGI_DOUBLE, AT(atol), NULL, 0, "atol", HYMGI_NOT_NEGATIVE, 0},
     "NUMBER",
     "mg and mgpcg stop also at |r| <= NUMBER; default 0"},
    {{"norm", 1, ENUM(norm, hymg_norm, HYMG_NORM_MAX)},
     "max|2",
     "of r and f: the largest absolute value (default) or the 2-norm"},
    {{"max-cycles", 1, COUNT(max_cycles, 1, 10000, "1 to 10000, or -1 for the default")},
     "N|auto",
     "mg and mgpcg give up after N cycles, 1 ... 10000; auto (default): 100, of Krylov "
     "iterations\n"
     "(mgpcg, robust path) 2000"},
    {{"stagnation", 1, COUNT(stagnation, 0, 10000, "0 (never) to 10000, or -1 for the default")},
     "N|auto",
     "mg and mgpcg end after N cycles without a gain of 5 %, 0 ... 10000; 0: never; auto "
     "(default):\n"
     "after as many as were needed for the last gain, at least 10, with Krylov iterations 200"},
    {{"initial-guess", 1, HYMGI_BOOL, AT(initial_guess), NULL, 0, HYMGI_UNCHECKED, 0},
     "yes|no",
     "start from u; default no, from zero"},
    {{"rhs-mean", 1, ENUM(rhs_mean, hymg_mean, HYMG_MEAN_SUBTRACT)},
     "subtract|error",
     "what happens to the mean of f in a singular system"},
    {{"backend", 1, ENUM(backend, hymg_backend, HYMG_BACKEND_AUTO)},
     "auto|host|cuda",
     "auto (default): the GPU where every rank has one and the smoother runs there (symgs does\n"
     "not), else the host"},
    {{"memory", 1, ENUM(memory, hymg_memory, HYMG_MEMORY_DEVICE)},
     "device|managed",
     "with CUDA: vectors in device memory (default) or in managed memory"},
    {{"host-cells", 1, CELLS(host_cells, "measured")},
     "N|auto",
     "with CUDA: the first level whose largest share per rank has fewer cells, and all below,\n"
     "run on the host; 0: none; default auto: as tuned"},
    {{"tail-cells", 1, CELLS(tail_cells, "measured")},
     "N|auto",
     "with CUDA: V-cycles from the first level with fewer cells than this take one launch, if\n"
     "none is on the host; 0: none; default auto: as tuned"},
    {{"tuning", 1, ENUM(tuning, hymg_tuning, HYMG_TUNE_AUTO)},
     "auto|measure|estimate",
     "how the fastest way to run levels is found: by trying, or from the sizes of caches and a\n"
     "table; auto (default): trying on a GPU, else not"},
    {{"transport", 1, HYMGI_ENUM, AT(transport), "hymg_transport", HYMG_TRANSPORT_AUTO, "transport",
      0, HYMG_TRANSPORT_NCCL, NULL, 0},
     "auto|device|staged|peer|nccl",
     "how ranks with GPUs exchange cells: peer: kernels write into the GPUs of the same node,\n"
     "no two ranks on one; staged: MPI gets pinned host memory; device: MPI gets device memory\n"
     "(a CUDA-aware MPI); nccl: NCCL's sends and receives, no two ranks on one GPU (--version\n"
     "says if it is built in); auto (default): peer on a node where that is possible, else\n"
     "staged; between nodes device if --probe-comm worked, else staged"},
    {{"gather-cells", 1, HYMGI_INT64, AT(gather_cells), NULL, -1, "gather_cells", 0,
      (double)INT64_MAX, "at least 0, or -1 (as fits)", 0},
     "N|auto",
     "on several ranks: levels of fewer cells in all are one box; 0: only where boxes can be "
     "neither\n"
     "halved nor paired; default auto: as fits the exchange"},
    {{"gather", 1, ENUM(gather, hymg_gather, HYMG_GATHER_AUTO)},
     "auto|root|all",
     "a level of one box is on one rank, or on each that holds part of the finer one (GPUs: not\n"
     "with peers); auto (default): the latter between nodes, and on GPUs with nccl"},
    {{"halo-layers", 1, COUNT(halo_layers, 0, 64, "0 to 64, or -1 (where that saves time)")},
     "N|auto",
     "on several ranks: layers of neighbours' cells that a rank computes as well, to exchange "
     "once\n"
     "for as many half sweeps; 0: none; auto (default): where that saves time"},
    {{"peer-seconds", 1, HYMGI_DOUBLE, AT(peer_seconds), NULL, 60, "peer_seconds", DBL_TRUE_MIN,
      1e6, "more than 0, at most 1e6", 0},
     "NUMBER",
     "with peer and nccl: a GPU, or who waits for it, gives up after so long; default 60"}};

enum { OPTIONS = sizeof table / sizeof *table };

const hymgi_option *hymgi_option_at(int index)
{
  return index >= 0 && index < OPTIONS ? table + index : NULL;
}

bool hymg_option_get(int index, hymg_option_info *info)
{
  const hymgi_option *const o = hymgi_option_at(index);
  if (!o || !info) return false;
  *info = (hymg_option_info){o->member.name, o->values, o->help};
  return true;
}

void hymgi_options_arguments(hymgi_arguments *a, const hymg_options *options)
{
  for (int n = 0; n < OPTIONS; n++)
    hymgi_member_argument(a, &table[n].member, options);
  hymgi_arguments_text(a, "a monitor", options->monitor ? "yes" : "no");
}

hymg_options hymg_options_default(void)
{
  hymg_options options = {.method = HYMG_FMG};
  for (int n = 0; n < OPTIONS; n++)
    hymgi_member_default(&table[n].member, &options);
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

static hymg_status check_sweeps(hymg_context *c, const hymg_options *o)
{
  if (o->sweeps == -1) return HYMG_OK;
  const int multiple = hymgi_smoother_kind_of(o->smoother)->multiple;
  if (o->sweeps % multiple == 0) return HYMG_OK;
  if (multiple == HYMGI_DEGREE)
    return hymgi_fail(c, HYMG_EINVAL, "sweeps %d: %s needs a multiple of its degree, %d", o->sweeps,
                      hymg_enum_name("hymg_smoother", (int)o->smoother), multiple);
  return hymgi_fail(c, HYMG_EINVAL, "sweeps %d: gsrb and symgs need an even number", o->sweeps);
}

hymg_status hymgi_options_check(hymg_context *c, hymg_stencil stencil, const hymg_options *o)
{
  for (int n = 0; n < OPTIONS; n++)
    TRY(hymgi_member_check(c, &table[n].member, 0, o));
  if (o->method == HYMG_FMG && o->cycle != HYMG_CYCLE_F)
    return hymgi_fail(c, HYMG_EINVAL, "cycle %s with FMG: F only",
                      hymgi_enum_word("hymg_cycle", (int)o->cycle));
  if (o->method == HYMG_MGPCG && o->cycle == HYMG_CYCLE_F)
    return hymgi_fail(c, HYMG_EINVAL, "cycle F with MGPCG: V or W only");
  TRY(check_sweeps(c, o));
  if (stencil != HYMG_FV4 && (o->interpolation_v == HYMG_V4 || o->interpolation_f == HYMG_V4))
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "interpolation v4 with FV2: it needs FV4's halo of two layers");
  if (o->initial_guess && (o->method == HYMG_FMG || o->cycle == HYMG_CYCLE_F))
    return hymgi_fail(c, HYMG_EINVAL, "an initial guess with an F-cycle, which overwrites it");
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
