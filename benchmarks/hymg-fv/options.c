/* The command line of hymg-fv: the table of its options. Checks across options are in check.c. */
#define _GNU_SOURCE
#include "hymg-fv/options.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOLVES = 1000000, MAX_DEVICE = 1023 };

static const char usage[] =
    "usage: hymg-fv [options] LOG2_BOX_DIM BOXES_PER_RANK\n"
    "       hymg-fv [options] --grid NX,NY,NZ\n"
    "       mpirun -n RANKS hymg-fv ...\n"
    "\n"
    "Solves a u - b div(beta grad u) = f on the unit cube by geometric multigrid, on three "
    "sizes\n"
    "(cells of width h, 2h, 4h), and prints the degrees of freedom solved per second of each "
    "size\n"
    "and the order of convergence (Richardson). Follows the protocol of the HPGMG-FV benchmark.\n"
    "\n"
    "  LOG2_BOX_DIM    boxes of 2^LOG2_BOX_DIM cells per side, 4 ... 9\n"
    "  BOXES_PER_RANK  boxes per rank at most, 1 ... 1000000: the grid is the largest cube of\n"
    "                  boxes that the ranks may hold and that halves to at most 11 cells per "
    "side\n"
    "\n"
    "Without sizes: 7 1, which on one rank is 128 x 128 x 128 cells, a few seconds. Threads per\n"
    "rank: the environment variable OMP_NUM_THREADS.\n"
    "\n"
    "options (an option that would have no effect is an error):\n";

static const char notes[] =
    "\n"
    "The order must be at least 1.8 (fv2) or 3.5 (fv4); judged with gsrb and chebyshev for "
    "problem\n"
    "fv from 128 and p6 from 64 cells per axis, else there is no verdict.\n"
    "\n"
    "exit status: 0 done; 1 failed verdict, not converged or not finite; 2 bad input; 3 failure "
    "at\n"
    "run time\n";

/* ---- readers ---- */

static bool read_cells(const command_line *c, const char *option, const char *text, void *target)
{
  char *end;
  errno = 0;
  const bool tuned = strcmp(text, "auto") == 0;
  const long long value = strtoll(text, &end, 10);
  if (!tuned && (end == text || *end || errno == ERANGE || value < 0))
    return options_refuse(c, "%s '%s': must be 'auto' or a number of cells >= 0", option, text);
  *(int64_t *)target = tuned ? -1 : value;
  return true;
}

static bool read_device(const command_line *c, const char *option, const char *text, void *target)
{
  const bool shared = strcmp(text, "shared") == 0;
  if (!shared && strcmp(text, "own") != 0)
    return options_int(c, option, text, 0, MAX_DEVICE, target);
  *(int *)target = shared ? HYMG_DEVICE_SHARED : HYMG_DEVICE_OWN;
  return true;
}

static bool read_file(const command_line *c, const char *option, const char *text, void *target)
{
  const bool none = strcmp(text, "none") == 0 && strcmp(option, "--json") != 0;
  *(const char **)target = none ? NULL : text;
  return *text || options_refuse(c, "%s: the file name is empty", option);
}

/* ---- the table ---- */

static fv_options defaults(void)
{
  fv_options o = {.stencil = HYMG_FV4, .b = 1.0, .variable = true, .problem = PROBLEM_FV};
  o.grid = hymg_grid_desc_default();
  o.solver = hymg_options_default();
  o.device = HYMG_DEVICE_SHARED;
  o.warmup = 10;
  o.min_solves = 10;
  o.min_seconds = 1.0;
  return o;
}

static bool read_options(int argc, char **argv, fv_options *o, int *code)
{
  hymg_options *const s = &o->solver;
  const option_row rows[] = {
      {"grid", "NX,NY,NZ",
       "cells per axis of the unit cube, each 1 ... 1048576, instead of the two sizes; the\n"
       "spacing of an axis is 1 over its cells. All axes are halved together. With fv4\n"
       "odd factors stay on the coarsest level; more than 4096 cells there are announced.",
       .kind = OPTION_CUSTOM, o->grid.n, .read = options_read_triple},
      {"boxes", "NX,NY,NZ",
       "with --grid: boxes per axis, each dividing the cells of its axis. Where all axes are\n"
       "even, boxes need even sides; FV4 needs boxes of 3 cells. Default: one box per rank or\n"
       "the nearest count that fits",
       .kind = OPTION_CUSTOM, o->grid.boxes, .read = options_read_triple},
      {"operator", "fv2|fv4", "order of the finite-volume stencil, 7 or 25 points; default fv4",
       .kind = OPTION_WORD, &o->stencil, .words = fv_operator_words},
      {"equation", "poisson|helmholtz",
       "a u - b div(beta grad u) = f with a = 0, b = 1 (poisson, the default) or a = b = 1",
       .kind = OPTION_WORD, &o->helmholtz, .words = fv_equation_words},
      {"a", "NUMBER", "the factor a >= 0 of helmholtz", .kind = OPTION_REAL, &o->a, 0, DBL_MAX,
       "not be negative"},
      {"b", "NUMBER", "the factor b > 0", .kind = OPTION_REAL, &o->b, DBL_TRUE_MIN, DBL_MAX,
       "be greater than 0"},
      {"boundary", "KIND",
       "dirichlet (default), periodic or neumann on all walls, or six of these for x-,x+,y-,y+,\n"
       "z-,z+ separated by commas; periodic on both walls of an axis or on none; neumann needs\n"
       "fv2",
       .kind = OPTION_CUSTOM, o->grid.boundary, .read = options_read_boundary},
      {"coefficients", "variable|constant", "beta of the problem (default) or beta = 1",
       .kind = OPTION_WORD, &o->variable, .words = fv_coefficient_words},
      {"problem", "fv|p6|sine",
       "fv: f = product of sin(2 pi x)^7, no exact solution (default); p6: u = product of\n"
       "sextics; sine: u = product of sin(2 pi x)^13 + product of sin(6 pi x)^13",
       .kind = OPTION_WORD, &o->problem, .words = fv_problem_words},
      {"solver", "fmg|mg|mgpcg",
       "fmg: one F-cycle and nothing after it (default); mg: cycles down to --rtol; mgpcg:\n"
       "conjugate gradients preconditioned with one cycle, down to --rtol",
       .kind = OPTION_WORD, &s->method, .words = fv_solver_words},
      {"cycle", "f|v|w",
       "fmg takes f; mg f (default: an F-cycle, then V-cycles), v or w (from zero); mgpcg v\n"
       "(default) or w",
       .kind = OPTION_WORD, &s->cycle, .words = fv_cycle_words},
      {"path", "auto|standard|robust",
       "standard: all axes are halved together; robust: any size and coefficient, for mg and "
       "mgpcg\n"
       "with fv2, runs the finest size alone; auto (default): robust where standard does not suit",
       .kind = OPTION_WORD, &s->path, .words = fv_path_words},
      {"smoother", "NAME", "gsrb (default), chebyshev, jacobi, l1jacobi, symgs",
       .kind = OPTION_WORD, &s->smoother, .words = fv_smoother_words},
      {"sweeps", "N",
       "stencil passes of each pre- and post-smooth, 1 ... 1000; default 6, symgs 4; even for\n"
       "gsrb and symgs, a multiple of the degree 6 for chebyshev",
       .kind = OPTION_INT, &s->sweeps, 1, 1000},
      {"bottom", "NAME", "coarsest level: bicgstab (default), cg, cabicgstab, cacg, smoother",
       .kind = OPTION_WORD, &s->bottom, .words = fv_bottom_words},
      {"rtol", "NUMBER", "mg and mgpcg stop at max|r| <= NUMBER max|f|; default 1e-10",
       .kind = OPTION_REAL, &s->rtol, DBL_TRUE_MIN, 1 - DBL_EPSILON / 2,
       "be greater than 0 and less than 1"},
      {"max-cycles", "N",
       "mg and mgpcg give up after N cycles, 1 ... 10000; default 20, with\n"
       "--path robust 100",
       .kind = OPTION_INT, &s->max_cycles, 1, 10000},
      {"backend", "auto|host|cuda",
       "auto (default): the GPU where every rank has one and the smoother runs there (symgs does\n"
       "not), else the host",
       .kind = OPTION_WORD, &s->backend, .words = fv_backend_words},
      {"device", "N|shared|own",
       "CUDA device, counted from 0; shared (default): one for each rank of a node in turn, by\n"
       "several if there are fewer; own: likewise, but fewer are an error",
       .kind = OPTION_CUSTOM, &o->device, .read = read_device},
      {"memory", "device|managed",
       "with CUDA: vectors in device memory (default) or in managed memory", .kind = OPTION_WORD,
       &s->memory, .words = fv_memory_words},
      {"host-cells", "N|auto",
       "with CUDA: the first level whose largest share per rank has fewer cells, and all below,\n"
       "run on the host; 0: none; default auto: as tuned",
       .kind = OPTION_CUSTOM, &s->host_cells, .read = read_cells},
      {"tail-cells", "N|auto",
       "with CUDA: V-cycles from the first level with fewer cells than this take one launch, if\n"
       "none is on the host; 0: none; default auto: as tuned",
       .kind = OPTION_CUSTOM, &s->tail_cells, .read = read_cells},
      {"tuning", "measure|estimate",
       "how the fastest way to run levels is found: by trying (default) or from a table",
       .kind = OPTION_WORD, &s->tuning, .words = fv_tuning_words},
      {"tuning-file", "FILE|none",
       "with CUDA: keeps what was measured for --host-cells and --tail-cells; default\n"
       "$XDG_CACHE_HOME/hymg/tuning or ~/.cache/hymg/tuning",
       .kind = OPTION_CUSTOM, &s->tuning_file, .read = read_file},
      {"comm", "KIND",
       "how ranks with GPUs exchange cells: peer: kernels write into the GPUs of the same node,\n"
       "no two ranks on one; staged: MPI gets pinned host memory; device: MPI gets device memory\n"
       "(a CUDA-aware MPI); nccl: NCCL's sends and receives, no two ranks on one GPU (--version\n"
       "says if it is built in); auto (default): peer on a node where that is possible, else\n"
       "staged; between nodes device if --probe-comm worked, else staged",
       .kind = OPTION_WORD, &s->transport, .words = fv_comm_words},
      {"gather-cells", "N|auto",
       "with CUDA and several ranks: levels of fewer cells in all are on one rank; 0: as on the\n"
       "host; default auto: as fits the exchange",
       .kind = OPTION_CUSTOM, &s->gather_cells, .read = read_cells},
      {"peer-seconds", "NUMBER",
       "with peer and nccl: a GPU, or who waits for it, gives up after so long; default 60",
       .kind = OPTION_REAL, &s->peer_seconds, DBL_TRUE_MIN, 1e6, "be greater than 0, 1e6 at most"},
      {"probe-file", "FILE|none",
       "what --probe-comm has shown; default $XDG_CACHE_HOME/hymg/probe or ~/.cache/hymg/probe",
       .kind = OPTION_CUSTOM, &s->probe_file, .read = read_file},
      {"warmup", "N", "untimed solves before each size, 0 ... 1000000; default 10",
       .kind = OPTION_INT, &o->warmup, 0, MAX_SOLVES},
      {"min-solves", "N", "timed solves of each size at least, 1 ... 1000000; default 10",
       .kind = OPTION_INT, &o->min_solves, 1, MAX_SOLVES},
      {"min-seconds", "NUMBER",
       "... and as many as fill this time, 0 ... 86400; default 1, with --official 60",
       .kind = OPTION_REAL, &o->min_seconds, 0, 86400},
      {"official", NULL,
       "the ranked configuration (fv4, variable, poisson, dirichlet, fv, gsrb, one F-cycle,\n"
       "bicgstab; warm-up 10, at least 10 solves and 60 s per size; at least 128 cells per\n"
       "axis); refuses options that break it",
       .kind = OPTION_FLAG, &o->official},
      {"plan", NULL,
       "print the memory that each level needs and what is free on the GPU, take none and exit;\n"
       "of any size",
       .kind = OPTION_FLAG, &o->plan},
      {"probe-comm", NULL,
       "try on two ranks whether MPI takes device memory, keep the answer and exit with 0 if it\n"
       "does; where it does not this may end in a crash, which is an answer, too",
       .kind = OPTION_FLAG, &o->probe},
      {"devices", NULL, "print the CUDA devices, or why there are none (status 1), and exit",
       .kind = OPTION_LAST, &o->devices},
      {"json", "FILE", "write the results as one JSON object, schema hymg-fv/1",
       .kind = OPTION_CUSTOM, &o->json, .read = read_file},
      {"quiet", NULL, "print the last line only, the DOF/s of the finest size", .kind = OPTION_FLAG,
       &o->quiet, .letter = 'q'},
      {"verbose", NULL,
       "also the levels, every cycle's residual with all digits, every row of the time table",
       .kind = OPTION_FLAG, &o->verbose, .letter = 'v'},
      {"version", NULL, "print the version and how it was built", .kind = OPTION_LAST, &o->version,
       .letter = 'V'},
      {"help", NULL, "print this text", .kind = OPTION_HELP, .letter = 'h'},
  };
  o->line.rows = rows;
  o->line.count = sizeof rows / sizeof *rows;
  const bool read = options_read(&o->line, argc, argv, code);
  o->line.rows = NULL;
  return read;
}

static bool read_sizes(fv_options *o, int ranks)
{
  const command_line *c = &o->line;
  const bool grid = options_given(c, "grid");
  if (grid && c->num_words > 0)
    return options_refuse(c, "--grid and LOG2_BOX_DIM BOXES_PER_RANK both give the size");
  for (int axis = 0; axis < 3 && grid; axis++)
    o->grid.spacing[axis] = 1.0 / o->grid.n[axis];
  if (grid) return true;
  if (c->num_words == 1)
    return options_refuse(c, "LOG2_BOX_DIM %s needs BOXES_PER_RANK after it", c->word[0]);
  if (c->num_words > 2) return options_refuse(c, "unexpected argument '%s'", c->word[2]);
  if (options_given(c, "boxes"))
    return options_refuse(c, "--boxes needs --grid: LOG2_BOX_DIM BOXES_PER_RANK fix the boxes");
  o->log2_sizes = true;
  o->log2_box_dim = 7;
  o->boxes_per_rank = 1;
  if (c->num_words == 2 &&
      (!options_int(c, "LOG2_BOX_DIM", c->word[0], 4, 9, &o->log2_box_dim) ||
       !options_int(c, "BOXES_PER_RANK", c->word[1], 1, 1000000, &o->boxes_per_rank)))
    return false;
  return fv_log2_grid(o, ranks);
}

bool fv_options_read(int argc, char **argv, int rank, int ranks, fv_options *o, int *code)
{
  *o = defaults();
  o->line = (command_line){.program = "hymg-fv",
                           .usage = usage,
                           .notes = notes,
                           .column = 32,
                           .silent = rank > 0,
                           .strict = true,
                           .takes_words = true};
  if (!read_options(argc, argv, o, code)) return false;
  if (o->version || o->devices) return true;
  *code = EXIT_BAD_INPUT;
  return read_sizes(o, ranks) && fv_options_check(o);
}
