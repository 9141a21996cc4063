/* The command line of hymg-fv: the table of its options. Checks across options are in check.c. */
#define _GNU_SOURCE
#include "hymg-fv/options.h"

#include <float.h>
#include <stdio.h>
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
  const bool none = strcmp(text, "none") == 0 && strstr(option, "-file");
  *(const char **)target = none ? NULL : text;
  return *text || options_refuse(c, "%s: the file name is empty", option);
}

/* Is this valid UTF-8 without control characters? JSON takes nothing else. */
static bool is_text(const char *text)
{
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c < 0x20 || *c == 0x7f) return false;
    if (*c < 0x80) continue;
    int more = *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : 1;
    const bool overlong = *c < 0xc2 || (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xf0 && c[1] < 0x90);
    if (overlong || *c > 0xf4 || (*c == 0xed && c[1] > 0x9f) || (*c == 0xf4 && c[1] > 0x8f))
      return false;
    for (; more > 0; more--)
      if ((*++c & 0xc0) != 0x80) return false;
  }
  return true;
}

static bool read_text(const command_line *c, const char *option, const char *text, void *target)
{
  enum { MOST = 120 };
  *(const char **)target = text;
  if (!text[strspn(text, " ")]) return options_refuse(c, "%s: the text is empty", option);
  if (strlen(text) > MOST) return options_refuse(c, "%s: longer than %d bytes", option, MOST);
  return is_text(text) ||
         options_refuse(c, "%s: must be UTF-8 on one line, without control characters", option);
}

/* The solver's options, which the library reads; some have other names here. */
static const struct {
  const char *key, *name;
} solver_options[] = {{"method", "solver"},
                      {"cycle", "cycle"},
                      {"path", "path"},
                      {"precision", "precision"},
                      {"smoother", "smoother"},
                      {"sweeps", "sweeps"},
                      {"bottom", "bottom"},
                      {"rtol", "rtol"},
                      {"max-cycles", "max-cycles"},
                      {"backend", "backend"},
                      {"memory", "memory"},
                      {"host-cells", "host-cells"},
                      {"tail-cells", "tail-cells"},
                      {"tuning", "tuning"},
                      {"transport", "comm"},
                      {"gather-cells", "gather-cells"},
                      {"peer-seconds", "peer-seconds"}};
enum { SOLVER_OPTIONS = sizeof solver_options / sizeof *solver_options };

static bool read_solver(const command_line *c, const char *option, const char *text, void *target)
{
  char word[128], error[512];
  const char *key = NULL;
  for (int m = 0; m < SOLVER_OPTIONS; m++)
    if (strcmp(option + 2, solver_options[m].name) == 0) key = solver_options[m].key;
  if (!*text || strpbrk(text, " ,\t\n"))
    return options_refuse(c, "%s '%s': needs one word", option, text);
  if (snprintf(word, sizeof word, "%s=%s", key, text) >= (int)sizeof word)
    return options_refuse(c, "%s: the value is too long", option);
  if (hymg_options_parse(target, word, error, sizeof error) == HYMG_OK) return true;
  return options_refuse(c, "%s%s", option, error + strlen(key)); /* which begins with the key */
}

static void add_solver_rows(hymg_options *solver, option_row *row)
{
  hymg_option_info info;
  for (int m = 0; m < SOLVER_OPTIONS; m++)
    for (int n = 0; hymg_option_get(n, &info); n++)
      if (strcmp(info.key, solver_options[m].key) == 0)
        row[m] = (option_row){solver_options[m].name, info.values, info.help,
                              .kind = OPTION_CUSTOM,  solver,      .read = read_solver};
}

/* ---- the table ---- */

static fv_options defaults(void)
{
  fv_options o = {
      .stencil = HYMG_FV4, .b = 1.0, .variable = true, .problem = PROBLEM_FV, .robin = {1, 1}};
  o.grid = hymg_grid_desc_default();
  o.solver = hymg_options_default();
  o.device = HYMG_DEVICE_SHARED;
  o.wait_seconds = hymg_context_options_default().wait_seconds;
  o.warmup = 10;
  o.min_solves = 10;
  o.min_seconds = 1.0;
  o.copy_mb = -1;
  return o;
}

static bool read_options(int argc, char **argv, fv_options *o, int *code)
{
  hymg_options *const s = &o->solver;
  const option_row own[] = {
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
       "dirichlet (default), periodic, neumann or robin on all walls, or six of these for x-,x+,\n"
       "y-,y+,z-,z+ separated by commas; periodic on both walls of an axis or on none; robin\n"
       "needs fv2, and neumann with fv4 --solver mg",
       .kind = OPTION_CUSTOM, o->grid.boundary, .read = options_read_boundary},
      {"robin", "ALPHA,BETA", "of robin walls, ALPHA u + BETA du/dn = 0; default 1,1",
       .kind = OPTION_CUSTOM, o->robin, .read = options_read_robin},
      {"coefficients", "variable|constant", "beta of the problem (default) or beta = 1",
       .kind = OPTION_WORD, &o->variable, .words = fv_coefficient_words},
      {"problem", "fv|p6|sine|modes|waves",
       "fv: f = product of sin(2 pi x)^7, no exact solution (default); p6: u = product of\n"
       "sextics; sine: u = product of sin(2 pi x)^13 + product of sin(6 pi x)^13; modes: u =\n"
       "product of cos(k x + p) with k and p that fit the walls; waves: the same with k and p\n"
       "that do not: walls have their values, derivatives or what robin says as data, beta is\n"
       "1.5 + 0.4 product of cos(q x + s); with fv4 --solver mg",
       .kind = OPTION_WORD, &o->problem, .words = fv_problem_words},
      {"device", "N|shared|own",
       "CUDA device, counted from 0; shared (default): one for each rank of a node in turn, by\n"
       "several if there are fewer; own: likewise, but fewer are an error",
       .kind = OPTION_CUSTOM, &o->device, .read = read_device},
      {"wait-seconds", "NUMBER",
       "fail on all ranks if one does not answer within so many seconds; 0: no limit; default 600",
       .kind = OPTION_REAL, &o->wait_seconds, 0, 1e9},
      {"tuning-file", "FILE|none",
       "with CUDA: keeps what was measured for --host-cells and --tail-cells; default\n"
       "$XDG_CACHE_HOME/hymg/tuning or ~/.cache/hymg/tuning",
       .kind = OPTION_CUSTOM, &s->tuning_file, .read = read_file},
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
      {"json", "FILE", "write the results as one JSON object, schema hymg-fv/2",
       .kind = OPTION_CUSTOM, &o->json, .read = read_file},
      {"save", "FILE.vti",
       "write the last solution u of the finest size and f to a file for ParaView and VTK, .vti\n"
       "or .vtr",
       .kind = OPTION_CUSTOM, &o->save, .read = read_file},
      {"submit", "DIR",
       "write a submission into the new folder DIR: record, log, machine and checksums, for\n"
       "hymg-report --rank; that accepts only what was run with --official",
       .kind = OPTION_CUSTOM, &o->submit, .read = read_file},
      {"site", "TEXT", "with --submit: who owns the machine", .kind = OPTION_CUSTOM, &o->site,
       .read = read_text},
      {"machine-name", "TEXT", "with --submit: its name, which stands for the hosts' names",
       .kind = OPTION_CUSTOM, &o->machine_name, .read = read_text},
      {"interconnect", "TEXT", "with --submit: the network; required of several nodes",
       .kind = OPTION_CUSTOM, &o->interconnect, .read = read_text},
      {"submitter", "TEXT", "with --submit: who submits", .kind = OPTION_CUSTOM, &o->submitter,
       .read = read_text},
      {"copy-mb", "N",
       "with --json and --submit: MB (1e6 bytes) of a node or GPU that the measured copy takes;\n"
       "0: it is not measured. Default: 4 times the caches and at least 384, on a GPU 1074",
       .kind = OPTION_INT, &o->copy_mb, 0, 1000000},
      {"quiet", NULL, "print the last line only, the DOF/s of the finest size", .kind = OPTION_FLAG,
       &o->quiet, .letter = 'q'},
      {"verbose", NULL,
       "also the levels, advice, every cycle's residual with all digits, every row of the "
       "time\ntable",
       .kind = OPTION_FLAG, &o->verbose, .letter = 'v'},
      {"version", NULL, "print the version and how it was built", .kind = OPTION_LAST, &o->version,
       .letter = 'V'},
      {"help", NULL, "print this text", .kind = OPTION_HELP, .letter = 'h'},
  };
  enum {
    OWN = sizeof own / sizeof *own,
    FIRST = 10 /* of the solver's options, after the problem's */
  };
  option_row rows[OWN + SOLVER_OPTIONS];
  memcpy(rows, own, FIRST * sizeof *rows);
  add_solver_rows(s, rows + FIRST);
  memcpy(rows + FIRST + SOLVER_OPTIONS, own + FIRST, (OWN - FIRST) * sizeof *rows);
  o->line.rows = rows;
  o->line.count = OWN + SOLVER_OPTIONS;
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
