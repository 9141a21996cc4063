/* The command line of hymg-fv: the table of its options. Checks across options are in check.c. */
#define _GNU_SOURCE
#include "hymg-fv/options.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOLVES = 1000000, MAX_DEVICE = 1023 };

static const char usage[] =
    "usage: hymg-fv [options] [LOG2_BOX_DIM BOXES_PER_RANK]\n"
    "       hymg-fv [options] --grid NX,NY,NZ\n"
    "       mpirun -n RANKS hymg-fv ...\n"
    "\n"
    "Solves a u - b div(beta grad u) = f on the unit cube by geometric multigrid, on\n"
    "three sizes (cells of width h, 2h, 4h), and prints the degrees of freedom solved\n"
    "per second of each size and the order of convergence (Richardson). Follows the\n"
    "protocol of the HPGMG-FV benchmark. An option without effect is an error.\n"
    "\n"
    "Sizes:\n"
    "  LOG2_BOX_DIM          boxes of 2^LOG2_BOX_DIM cells a side; 4 ... 9; default 7\n"
    "  BOXES_PER_RANK        boxes per rank at most: the grid is the largest cube of\n"
    "                        boxes that the ranks may hold and that halves to at most\n"
    "                        11 cells per side; 1 ... 1000000; default 1\n";

static const char notes[] =
    "Threads per rank: the environment variable OMP_NUM_THREADS.\n"
    "Exit status: 0 done; 1 failed verdict, not converged or not finite; 2 bad input;\n"
    "3 failure at run time. More: man hymg-fv.\n";

const char *const fv_operator_words[] = {"fv2", "fv4", NULL};
const char *const fv_equation_words[] = {"poisson", "helmholtz", NULL};
const char *const fv_coefficient_words[] = {"constant", "variable", NULL};
const char *const fv_problem_words[] = {"fv", "p6", "sine", "modes", "waves", NULL};

/* ---- readers ---- */

static bool read_device(const command_line *c, const char *option, const char *text, void *target)
{
  const bool shared = strcmp(text, "shared") == 0;
  if (!shared && strcmp(text, "own") != 0)
    return options_int(c, option, text, 0, MAX_DEVICE, target);
  *(int *)target = shared ? HYMG_DEVICE_SHARED : HYMG_DEVICE_OWN;
  return true;
}

static bool read_file_or_none(const command_line *c, const char *option, const char *text,
                              void *target)
{
  if (strcmp(text, "none") != 0) return options_read_file(c, option, text, target);
  *(const char **)target = NULL;
  return true;
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

static bool read_rows(fv_options *o, option_row *rows, int count, int argc, char **argv, int *code)
{
  options_describe_solver(rows, count);
  o->line.rows = rows;
  o->line.count = count;
  const bool read = options_read(&o->line, argc, argv, code);
  o->line.rows = NULL;
  return read;
}

static bool read_options(int argc, char **argv, fv_options *o, int *code)
{
  option_row rows[] = {
      {"grid", "NX,NY,NZ",
       "instead of the two sizes: cells per axis of the unit cube, each 1 ... 1048576",
       .kind = OPTION_CUSTOM, o->grid.n, .read = options_read_triple},
      {"boxes", "NX,NY,NZ", "with --grid: boxes per axis, each dividing the cells of its axis",
       .kind = OPTION_CUSTOM, o->grid.boxes, .read = options_read_triple,
       .otherwise = "one box per rank or the nearest count that fits"},

      {.help = "Equation", .kind = OPTION_GROUP},
      {"operator", NULL, "order of the finite-volume stencil, 7 or 25 points", .kind = OPTION_WORD,
       &o->stencil, .words = fv_operator_words},
      {"problem", NULL,
       "fv: f is a product of sin(2 pi x)^7, u is not known; p6, sine, modes, waves: u is known. "
       "waves has values or derivatives on the walls, with fv4 it needs --solver mg or mgpcg",
       .kind = OPTION_WORD, &o->problem, .words = fv_problem_words},
      {"coefficients", NULL, "beta = 1, or the problem's beta", .kind = OPTION_WORD, &o->variable,
       .words = fv_coefficient_words},
      {"boundary", "dirichlet|periodic|neumann|robin|X-,X+,Y-,Y+,Z-,Z+",
       "on all walls, or one of these words (or its first letter) for each wall; robin needs fv2, "
       "neumann with fv4 --solver mg or mgpcg",
       .kind = OPTION_CUSTOM, o->grid.boundary, .read = options_read_boundary,
       .otherwise = "dirichlet"},
      {"robin", "ALPHA,BETA", "of robin walls, ALPHA u + BETA du/dn = 0", .kind = OPTION_CUSTOM,
       o->robin, .read = options_read_robin, .otherwise = "1,1"},
      {"equation", NULL, "a = 0, b = 1 (poisson) or a = b = 1", .kind = OPTION_WORD, &o->helmholtz,
       .words = fv_equation_words},
      {"a", "NUMBER", "of helmholtz: the factor a >= 0", .kind = OPTION_REAL, &o->a, 0, DBL_MAX,
       "not be negative", .otherwise = "1"},
      {"b", "NUMBER", "the factor b > 0", .kind = OPTION_REAL, &o->b, DBL_TRUE_MIN, DBL_MAX,
       "be greater than 0"},

      {.help = "Solver", .kind = OPTION_GROUP},
      OPTION_OF_SOLVER("solver", &o->solver),
      OPTION_OF_SOLVER("rtol", &o->solver),
      OPTION_OF_SOLVER("max-cycles", &o->solver),
      OPTION_OF_SOLVER("smoother", &o->solver),
      OPTION_OF_SOLVER("sweeps", &o->solver),
      OPTION_OF_SOLVER("precision", &o->solver),
      OPTION_OF_SOLVER("path", &o->solver),
      OPTION_OF_SOLVER("cycle", &o->solver),
      OPTION_OF_SOLVER("bottom", &o->solver),
      OPTION_OF_SOLVER("tuning", &o->solver),

      {.help = "Protocol", .kind = OPTION_GROUP},
      {"official", NULL,
       "the ranked configuration: fv4, variable coefficients, poisson, dirichlet, problem fv, "
       "gsrb, one F-cycle, bicgstab, at least 128 cells per axis, 10 untimed and 10 timed solves "
       "and 60 s per size; refuses options that break it",
       .kind = OPTION_FLAG, &o->official},
      {"warmup", "N", "untimed solves before each size", .kind = OPTION_INT, &o->warmup, 0,
       MAX_SOLVES},
      {"min-solves", "N", "timed solves of each size at least", .kind = OPTION_INT, &o->min_solves,
       1, MAX_SOLVES},
      {"min-seconds", "NUMBER", "and as many as fill this time, 0 ... 86400", .kind = OPTION_REAL,
       &o->min_seconds, 0, 86400, .otherwise = "1, with --official 60"},

      {.help = "Output", .kind = OPTION_GROUP},
      {"quiet", NULL, "print the last line only, the DOF/s of the finest size", .kind = OPTION_FLAG,
       &o->quiet, .letter = 'q'},
      {"verbose", NULL,
       "print also the levels, advice, every cycle's residual with all digits, every row of the "
       "time table",
       .kind = OPTION_FLAG, &o->verbose, .letter = 'v'},
      {"json", "FILE", "write the results as one JSON object, schema hymg-fv/3",
       .kind = OPTION_CUSTOM, &o->json, .read = options_read_file},
      {"save", "FILE",
       "write the last solution u of the finest size and f for ParaView and VTK; the name ends "
       "in .vti or .vtr",
       .kind = OPTION_CUSTOM, &o->save, .read = options_read_file},
      {"energy", NULL,
       "measure the idle power, too, in 3 s of rest before the solves; joules of the timed solves "
       "of "
       "the finest size are told wherever the counters of NVML or RAPL can be read",
       .kind = OPTION_FLAG, &o->energy},
      {"plan", NULL,
       "print the memory that each level needs and what is free on the GPU, take none and exit; "
       "of any size",
       .kind = OPTION_FLAG, &o->plan},

      {.help = "Submission to a ranking", .kind = OPTION_GROUP},
      {"submit", "DIR",
       "write record, log, machine and checksums into the new folder DIR, for hymg-report --rank; "
       "that accepts only what was run with --official",
       .kind = OPTION_CUSTOM, &o->submit, .read = options_read_file},
      {"site", "TEXT", "who owns the machine; required", .kind = OPTION_CUSTOM, &o->site,
       .read = read_text},
      {"machine-name", "TEXT", "its name, which stands for the hosts' names; required",
       .kind = OPTION_CUSTOM, &o->machine_name, .read = read_text},
      {"interconnect", "TEXT", "the network; required of several nodes", .kind = OPTION_CUSTOM,
       &o->interconnect, .read = read_text},
      {"submitter", "TEXT", "who submits", .kind = OPTION_CUSTOM, &o->submitter, .read = read_text},
      {"copy-mb", "N",
       "also with --json: MB (1e6 bytes) of a node or GPU that the measured copy takes; 0: it is "
       "not measured",
       .kind = OPTION_INT, &o->copy_mb, 0, 1000000,
       .otherwise = "4 times the caches and at least 384, on a GPU 1074"},

      {.help = "GPUs", .kind = OPTION_GROUP},
      OPTION_OF_SOLVER("backend", &o->solver),
      {"device", "N|shared|own",
       "CUDA device, counted from 0; shared: one for each rank of a node in turn, by several if "
       "there are fewer; own: likewise, but fewer are an error",
       .kind = OPTION_CUSTOM, &o->device, .read = read_device, .otherwise = "shared"},
      {"devices", NULL, "print the CUDA devices, or why there are none (status 1), and exit",
       .kind = OPTION_LAST, &o->devices},
      OPTION_OF_SOLVER("memory", &o->solver),
      OPTION_OF_SOLVER("host-cells", &o->solver),
      OPTION_OF_SOLVER("tail-cells", &o->solver),
      {"tuning-file", "FILE|none",
       "keeps what was measured: levels for the GPU, schedules of the host", .kind = OPTION_CUSTOM,
       &o->solver.tuning_file, .read = read_file_or_none, .otherwise = "~/.cache/hymg/tuning"},

      {.help = "Several ranks", .kind = OPTION_GROUP},
      {"wait-seconds", "NUMBER",
       "fail on all ranks if one does not answer within so many seconds; 0: no limit",
       .kind = OPTION_REAL, &o->wait_seconds, 0, 1e9},
      OPTION_OF_SOLVER("comm", &o->solver),
      OPTION_OF_SOLVER("gather-cells", &o->solver),
      OPTION_OF_SOLVER("gather", &o->solver),
      OPTION_OF_SOLVER("halo-layers", &o->solver),
      OPTION_OF_SOLVER("peer-seconds", &o->solver),
      {"probe-comm", NULL,
       "try on two ranks whether MPI (with --comm nccl: NCCL) takes device memory, keep the answer "
       "and exit with 0 if it does; where it does not this may end in a crash, which is an answer, "
       "too",
       .kind = OPTION_FLAG, &o->probe},
      {"probe-file", "FILE|none", "what --probe-comm has shown", .kind = OPTION_CUSTOM,
       &o->solver.probe_file, .read = read_file_or_none, .otherwise = "~/.cache/hymg/probe"},

      OPTIONS_HELP_ROWS,
  };
  return read_rows(o, rows, sizeof rows / sizeof *rows, argc, argv, code);
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
                           .example = "hymg-fv --operator fv2 8 1    (256^3 cells, second order)",
                           .notes = notes,
                           .silent = rank > 0,
                           .strict = true,
                           .takes_words = true};
  if (!read_options(argc, argv, o, code)) return false;
  if (o->devices) return true;
  *code = EXIT_BAD_INPUT;
  return read_sizes(o, ranks) && fv_options_check(o);
}
