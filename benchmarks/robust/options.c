/* The command line of hymg-robust. A named problem's keys are read in front of it, so that options
 * override them. */
#define _GNU_SOURCE
#include "robust/hymg-robust.h"

#include "common/start.h"
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 24, LONGEST_KEYS = 192 };

static const char usage[] =
    "usage: hymg-robust [NAME ... | all | sources | masks] [options]\n"
    "       mpirun -n RANKS hymg-robust ...\n"
    "\n"
    "Solves a u - div(beta grad u) = f in hard cases and prints a line for each: odd\n"
    "sizes, spacings, stretched grids, jumps of beta, point sources. Without a NAME\n"
    "options describe the problem.\n"
    "\n"
    "Names:\n"
    "  NAME                  one of --list: sets options of a problem, which further\n"
    "                        options override\n"
    "  all                   every problem that has a name but those below\n"
    "  sources               point sources, held values, weak sinks, ponds\n"
    "  masks                 bodies, an ocean, porous media, closed rooms, cut cells\n";

static const char notes[] =
    "Columns: cycles or iterations (it); work units (WU), 1 the residual on the\n"
    "finest cells; seconds of set-up and of the solve; cells per second of the solve;\n"
    "path; whether it converged; final residual over f.\n"
    "\n"
    "Exit status: 0 done; 1 a problem that was given did not converge (not with all\n"
    "sources or masks); 2 bad input; 3 failure at run time.\n";

const char *const robust_rhs_words[] = {"one", "noise", "point", "active", "zero", "bowl", NULL};
const char *const robust_alpha_words[] = {"all", "cell", "plane", "cells", "active", "sink", NULL};
static const char *const cut_words[] = {"none", "sphere", "held", "lattice", NULL};
static const char *const axes_words[] = {"z", "xyz", NULL};
static const char *const extrapolation_words[] = {"linear", "quadratic", "vertex", NULL};
static const char *const operator_words[] = {"fv2", "fv4", NULL};
static const char *const norm_words[] = {"max", "2", NULL};
static const char *const method_words[] = {"mg", "mgpcg", NULL};

/* ---- readers ---- */

static bool read_spacing(const command_line *c, const char *option, const char *text, void *target)
{
  static const char *const wanted = "three numbers HX,HY,HZ, each greater than 0";
  double *const spacing = target;
  char *end = NULL;
  for (int axis = 0; axis < 3; axis++, text = end + (axis < 3)) {
    const double value = strtod(text, &end);
    if (end == text || !(value > 0) || !isfinite(value) || *end != (axis < 2 ? ',' : '\0'))
      return options_unwanted(c, option, text, wanted);
    spacing[axis] = value;
  }
  return true;
}

static bool read_limiter(const command_line *c, const char *option, const char *text, void *target)
{
  char *end = NULL;
  const double value = strtod(text, &end);
  if (end == text || *end || !(value >= 1))
    return options_unwanted(c, option, text, "a number of at least 1, or inf");
  *(double *)target = value;
  return true;
}

/* ---- the table ---- */

static robust_options defaults(void)
{
  robust_options o = {.n = {64, 64, 64},
                      .rhs = ROBUST_RHS_NOISE,
                      .ratio = 10,
                      .aspect = 100,
                      .largest = 1,
                      .block = 8,
                      .porosity = 0.4,
                      .repeat = 1,
                      .robin = {1, 1}};
  o.solver = hymg_options_default();
  o.solver.max_cycles = 100;
  o.solver.norm = HYMG_NORM_2;
  return o;
}

static bool read_table(robust_options *o, int argc, char **argv, int *code)
{
  static const char *const positive = "a number greater than 0";
  hymg_options *const s = &o->solver;
  option_row rows[] = {
      {.help = "Problem", .kind = OPTION_GROUP},
      {"list", NULL, "print the names with the options that they stand for, and exit",
       .kind = OPTION_LAST, &o->list},
      {"grid", "NX,NY,NZ", "cells per axis", .kind = OPTION_CUSTOM, o->n,
       .read = options_read_triple, .otherwise = "64,64,64"},
      {"coefficients", NULL, "beta", .kind = OPTION_WORD, &o->coefficients,
       .words = robust_coefficient_words},
      {"ratio", "R", "beta inside over beta outside; logn: exp(R gauss)", .kind = OPTION_REAL,
       &o->ratio, DBL_MIN, DBL_MAX, positive},
      {"blk", "N",
       "checker, layers: blocks per axis; wires: cells between them; rlayers: 1 + N / 8 planes a "
       "layer",
       .kind = OPTION_INT, &o->block, 1, MAX_CELLS_PER_AXIS},
      {"rhs", NULL,
       "f: one; noise, 1 + noise of one cell; point, 1 in one cell; active, noise where beta is "
       "at least 1; zero; bowl, 1 + x y + z^2",
       .kind = OPTION_WORD, &o->rhs, .words = robust_rhs_words},
      {"mask", NULL,
       "cells in which nothing flows: outside of a sphere, a lattice of N^3 spheres (--blk), an "
       "ocean, ...; "
       "spheres: what is between random ones; grains: in them",
       .kind = OPTION_WORD, &o->mask, .words = robust_mask_words},
      {"cut", NULL,
       "cells cut by a sphere, one with u = 0 on it, or a lattice of spheres, parts to 1e-6",
       .kind = OPTION_WORD, &o->cut, .words = cut_words},
      {"porosity", "P", "the part of cells that a random mask leaves", .kind = OPTION_REAL,
       &o->porosity, 0, 1},
      {"radius", "R",
       "lattice: over a period; random spheres: cells, 0: a tenth of NX; blobs: cells",
       .kind = OPTION_REAL, &o->radius, 0, 1e6},
      {"loops", "P", "maze: the part of walls that is open", .kind = OPTION_REAL, &o->loops, 0, 1},
      {"low-value", "U", "u on the low z wall", .kind = OPTION_REAL, &o->low_value, -1e12, 1e12},
      {"boundary", "dirichlet|periodic|neumann|robin|X-,X+,Y-,Y+,Z-,Z+",
       "on all walls, or one of these words (or its first letter) for each wall",
       .kind = OPTION_CUSTOM, o->boundary, .read = options_read_boundary, .otherwise = "dirichlet"},
      {"robin", "ALPHA,BETA", "of robin walls, ALPHA u + BETA du/dn = 0", .kind = OPTION_CUSTOM,
       o->robin, .read = options_read_robin, .otherwise = "1,1"},
      {"alpha", "A", "A u is added to the operator", .kind = OPTION_REAL, &o->alpha, 0, DBL_MAX,
       "a number of at least 0"},
      {"alpha-wave", "W",
       "with --alpha: A (1 + W sin(2 pi x) cos(2 pi y) cos(2 pi z)) in place of A",
       .kind = OPTION_REAL, &o->alpha_wave, 0, 1},
      {"alpha-in", NULL,
       "cells with A: all, cell, plane (the first across x), cells (1 % of them), active (beta is "
       "at least 1), sink (the last active one, and 1 in those that are not)",
       .kind = OPTION_WORD, &o->alpha_in, .words = robust_alpha_words},
      {"hold", "U", "where --alpha-in says: f = A U, which holds u at U; 0: f as elsewhere",
       .kind = OPTION_REAL, &o->hold, -1e12, 1e12},

      {.help = "Cells", .kind = OPTION_GROUP},
      {"spacing", "HX,HY,HZ", "of the cells", .kind = OPTION_CUSTOM, o->spacing,
       .read = read_spacing, .otherwise = "1 / cells"},
      {"stretch", "G", "cells grow from both z walls by this factor; 0: they do not",
       .kind = OPTION_REAL, &o->stretch, 0, 1e3},
      {"stretched", NULL, "xyz: along all axes, of length 1", .kind = OPTION_WORD, &o->all_axes,
       .words = axes_words},
      {"aspect", "A", "largest over smallest width along z", .kind = OPTION_REAL, &o->aspect, 1,
       1e12},
      {"largest", "L", "largest width along z over HX", .kind = OPTION_REAL, &o->largest, DBL_MIN,
       1e12, positive},

      {.help = "Discretisation", .kind = OPTION_GROUP},
      {"operator", NULL, "order of the finite-volume stencil", .kind = OPTION_WORD, &o->fv4,
       .words = operator_words},
      {"limiter", "L",
       "of fv4, at least 1: where beta varies by more than L a face has the flux of fv2; inf: no "
       "face",
       .kind = OPTION_CUSTOM, &o->limiter, .read = read_limiter,
       .otherwise = "8 on the robust path, else inf"},
      {"extrapolation", NULL,
       "of fv2 at Dirichlet and Robin walls; vertex: linear, with the wall a whole spacing away",
       .kind = OPTION_WORD, &o->extrapolation, .words = extrapolation_words},

      {.help = "Solver", .kind = OPTION_GROUP},
      OPTION_OF_SOLVER("path", s),
      {"method", NULL, "standard path: cycles, or conjugate gradients", .kind = OPTION_WORD,
       &o->method, .words = method_words},
      {"rtol", "NUMBER", "stop at |r| <= NUMBER |f|", .kind = OPTION_REAL, &s->rtol, DBL_MIN,
       1 - DBL_EPSILON / 2, "a number greater than 0 and less than 1"},
      OPTION_OF_SOLVER("atol", s),
      {"norm", NULL, "of r and f", .kind = OPTION_WORD, &s->norm, .words = norm_words},
      {"max-cycles", "N", "give up after so many", .kind = OPTION_INT, &s->max_cycles, 1, 10000},
      OPTION_OF_SOLVER("smoother", s),
      OPTION_OF_SOLVER("sweeps", s),
      OPTION_OF_SOLVER("transfer", s),
      OPTION_OF_SOLVER("precision", s),
      OPTION_OF_SOLVER("backend", s),
      OPTION_OF_SOLVER("tuning", s),
      {"threads", "N", "per rank", .kind = OPTION_INT, &o->threads, 1, 4096,
       .otherwise = "OMP_NUM_THREADS"},

      {.help = "Measurements", .kind = OPTION_GROUP},
      {"repeat", "N", "times of set-up and solve are medians of N", .kind = OPTION_INT, &o->repeat,
       1, 1000},
      {"again", NULL,
       "then update the solver, solve twice more and time single cycles; prints the times of the "
       "update, a cycle and the last solve",
       .kind = OPTION_FLAG, &o->again},
      {"profile", NULL, "then a profiled solve; prints the time of each level's operations",
       .kind = OPTION_FLAG, &o->profile},
      {"hypre", NULL, "in turn with hypre's PFMG-CG on the same matrix", .kind = OPTION_FLAG,
       &o->hypre},
      {"boomeramg", NULL, "with --hypre: BoomerAMG-CG in place of PFMG-CG", .kind = OPTION_FLAG,
       &o->boomeramg},

      {.help = "Output", .kind = OPTION_GROUP},
      {"csv", "FILE", "write the lines as a table", .kind = OPTION_CUSTOM, &o->csv,
       .read = options_read_file},
      {"json", "FILE", "write the results as one JSON object, schema hymg-robust/1",
       .kind = OPTION_CUSTOM, &o->json, .read = options_read_file},
      {"verbose", NULL, "also each problem's levels and the solver's notes", .kind = OPTION_FLAG,
       &o->verbose, .letter = 'v'},

      OPTIONS_HELP_ROWS};
  options_describe_solver(rows, sizeof rows / sizeof *rows);
  o->line.rows = rows;
  o->line.count = sizeof rows / sizeof *rows;
  optind = 0; /* getopt_long begins anew */
  const bool read = options_read(&o->line, argc, argv, code);
  o->line.rows = NULL;
  return read;
}

/* What no single option tells. */
static bool check(const robust_options *o)
{
  const command_line *c = &o->line;
  const char *no_json = o->json ? json_missing() : NULL;
  const char *no_hypre = o->hypre ? robust_hypre_missing() : NULL;
  if (!fv_check_boundary(c, o->boundary)) return false;
  if (o->stretch > 0 && o->stretch < 1)
    return options_refuse(c, "--stretch %g: must be 0 or at least 1", o->stretch);
  if (no_json) return options_refuse(c, "--json needs %s", no_json);
  if (no_hypre) return options_refuse(c, "--hypre needs %s", no_hypre);
  if (o->boomeramg && !o->hypre)
    return options_refuse(c, "--boomeramg has no effect without --hypre");
  if (o->alpha_wave > 0 && o->alpha == 0)
    return options_refuse(c, "--alpha-wave %g has no effect without --alpha", o->alpha_wave);
  if (o->alpha_in && o->alpha == 0)
    return options_refuse(c, "--alpha-in %s has no effect without --alpha",
                          robust_alpha_words[o->alpha_in]);
  if (o->alpha_in && o->alpha_wave > 0)
    return options_refuse(c, "--alpha-in %s: not with --alpha-wave",
                          robust_alpha_words[o->alpha_in]);
  if (o->hold != 0 && !o->alpha_in)
    return options_refuse(c, "--hold %g has no effect without --alpha-in", o->hold);
  if (o->limiter != 0 && !o->fv4)
    return options_refuse(c, "--limiter %g with --operator fv2: with fv4 only", o->limiter);
  if (o->fv4 && o->extrapolation)
    return options_refuse(c, "--extrapolation quadratic with --operator fv4, which has its own");
  if (o->cut == ROBUST_CUT_HELD && o->alpha > 0)
    return options_refuse(c, "--cut held with --alpha %g: one of them", o->alpha);
  if (o->cut && (o->stretch > 0 || o->mask))
    return options_refuse(c, "--cut with --stretch or --mask: equal cells, and one of the two");
  return !o->hypre || (o->extrapolation == 0 && !o->fv4) ||
         options_refuse(c, "--hypre: its matrix is fv2's with linear extrapolation only");
}

bool robust_options_read(int argc, char **argv, const robust_name *name, robust_options *o,
                         int *code)
{
  char keys[LONGEST_KEYS] = "", *rest = keys;
  char **words = malloc((size_t)(argc + MOST_KEYS + 1) * sizeof *words);
  int count = 0;
  *code = EXIT_AT_RUN_TIME;
  *o = (robust_options){.words = words};
  if (!words) return false;
  words[count++] = argv[0];
  if (name) strncpy(keys, name->keys, sizeof keys - 1);
  for (char *key = strsep(&rest, " "); key && *key && count <= MOST_KEYS; key = strsep(&rest, " "))
    words[count++] = key;
  for (int i = 1; i <= argc; i++)
    words[count++] = argv[i];
  *o = defaults();
  o->words = words; /* o->line.word points into it */
  o->line = (command_line){.program = "hymg-robust",
                           .usage = usage,
                           .example = "hymg-robust ball_1e3 --grid 100,90,80",
                           .notes = notes,
                           .silent = start_rank() > 0,
                           .takes_words = true};
  bool ok = read_table(o, count - 1, words, code);
  if (!ok || o->list) return ok;
  *code = EXIT_BAD_INPUT;
  o->solver.method = o->method ? HYMG_MGPCG : HYMG_MG;
  return check(o);
}

void robust_options_free(robust_options *o)
{
  free(o->words);
  o->words = NULL;
}
