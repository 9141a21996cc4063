/* The command line of hymg-kernels. */
#include "hymg-kernels/kernels.h"

#include <string.h>

#include "common/kit/launcher.h"
#include "common/kit/options.h"
#include "kernel_table.h"

enum { SMALLEST = 16, LARGEST = 1024 };

static const char usage[] =
    "usage: hymg-kernels [options]\n"
    "       hymg-kernels --kernels [N[,N...]]\n"
    "\n"
    "Times the level operations of libhymg beside a triad (GPU: a copy) of the same\n"
    "run, and checks their results.\n";

static const char notes[] =
    "Exit status: 0 done; 1 a result is wrong; 2 bad input; 3 failure at run time.\n";

static void double_up_to(int most, kernels_options *o)
{
  o->num_sizes = 0;
  for (int n = 32; n <= most; n *= 2)
    o->sizes[o->num_sizes++] = n;
}

static bool read_largest(const command_line *c, const char *option, const char *text, void *target)
{
  int most;
  if (!options_int(c, option, text, 32, LARGEST, &most)) return false;
  if ((most & (most - 1)) != 0)
    return options_unwanted(c, option, text,
                            "32, 64, 128, 256, 512 or 1024 (32, 64 ... up to it are timed); --only "
                            "takes multiples of 16");
  double_up_to(most, target);
  return true;
}

static bool read_sizes(const command_line *c, const char *option, const char *text, void *target)
{
  static const int range[2] = {1, LARGEST};
  kernels_options *const o = target;
  o->num_sizes =
      options_ints(c, option, text, ',', "at most 8 sizes", KERNELS_SIZES, range, o->sizes);
  for (int i = 0; i < o->num_sizes; i++)
    if (o->sizes[i] % SMALLEST != 0)
      return options_unwanted(c, option, text, "multiples of 16 from 16 to 1024");
  return o->num_sizes > 0;
}

static bool read_without(const command_line *c, const char *option, const char *text, void *target)
{
  kernels_options *const o = target;
  bool known = false;
  for (int f = 0; hymgi_kernel_form_name(f) && !known; f++)
    known = strcmp(text, hymgi_kernel_form_name(f)) == 0;
  if (!known || o->num_without == KERNELS_WITHOUT)
    return options_unwanted(c, option, text, "a form of the GPU's kernels; --list shows them");
  o->without[o->num_without++] = text;
  return true;
}

static bool read_table(command_line *c, int argc, char **argv, kernels_options *o, int *code)
{
  static const char *const backends[] = {"host", "cuda", NULL};
  const option_row rows[] = {
      {.help = "What is timed", .kind = OPTION_GROUP},
      {"size", "N", "sizes 32, 64 ... up to N cells per side, which is one of them; at most 1024",
       .kind = OPTION_CUSTOM, o, .read = read_largest, .otherwise = "256, GPU 512"},
      {"only", "N[,N...]", "these sizes alone, multiples of 16 from 16 to 1024",
       .kind = OPTION_CUSTOM, o, .read = read_sizes},
      {"operator", "fv2|fv4", "this one alone", .kind = OPTION_CUSTOM, o->stencil,
       .read = options_read_stencil, .otherwise = "both"},
      {"smoother", NULL,
       "in the table this one alone, in other modes instead of gsrb; symgs is for the host",
       .kind = OPTION_WORD, &o->smoother, .words = kernels_smoother_names, .otherwise = "all"},
      {"operation", "TEXT", "rows whose name holds TEXT alone", .kind = OPTION_TEXT, &o->operation},
      {"backend", NULL, "the CPU or a GPU", .kind = OPTION_WORD, &o->cuda, .words = backends},
      {"threads", "T", "of the CPU", .kind = OPTION_INT, &o->threads, 1, 4096,
       .otherwise = "OpenMP's"},
      {"list", NULL, "print the names of the rows, then those of the ladder, and exit",
       .kind = OPTION_SET, &o->mode, KERNELS_LIST},

      {.help = "Instead of the table", .kind = OPTION_GROUP},
      {"cycle", NULL,
       "the F-cycle, at the same sizes: bytes by the model, memory and set-up; GPU: against the "
       "figures to beat and to reach",
       .kind = OPTION_SET, &o->mode, KERNELS_CYCLE},
      {"solve", NULL, "solves to 1e-8, at the same sizes", .kind = OPTION_SET, &o->mode,
       KERNELS_SOLVE},
      {"arrays", NULL,
       "solves to 1e-8, F then V, with fields of the solver in turn with arrays of doubles and of "
       "floats in the solver's "
       "memory",
       .kind = OPTION_SET, &o->mode, KERNELS_ARRAYS},
      {"batch", NULL,
       "--systems systems of one size, solved to 1e-8 in turn and by hymg_solve_batch",
       .kind = OPTION_SET, &o->mode, KERNELS_BATCH},
      {"ladder", NULL,
       "what each step of the tuning brings: a smoother call, one with the residual's "
       "restriction, and the F-cycle; at 128 and 256, GPU 64 to 512",
       .kind = OPTION_SET, &o->mode, KERNELS_LADDER},
      {"triad", NULL, "the triad (copy) alone", .kind = OPTION_SET, &o->mode, KERNELS_TRIAD},
      {"kernels", NULL,
       "GPU: the kernels that each level runs, by the names that a profiler shows; N[,N...] "
       "after it: for other sizes",
       .kind = OPTION_SET, &o->mode, KERNELS_LEVELS},
      {"ablation", NULL,
       "GPU: the ladder without each form of its kernels, in turn with the library's choice",
       .kind = OPTION_SET, &o->mode, KERNELS_ABLATION},
      {"ablation-solve", NULL, "the same with solves to 1e-8 in place of F-cycles",
       .kind = OPTION_SET, &o->mode, KERNELS_ABLATION_SOLVE},
      {"without", "FORM", "GPU: no level takes this form of its kernels; again for others",
       .kind = OPTION_CUSTOM, o, .read = read_without},
      {"threshold", NULL,
       "GPU: V-cycles from 4^3 ... 64^3 down, by kernels, in one launch, on the host",
       .kind = OPTION_SET, &o->mode, KERNELS_THRESHOLD},

      {"systems", "N", "of --batch", .kind = OPTION_INT, &o->systems, 1, 4096},

      {.help = "How long", .kind = OPTION_GROUP},
      {"repeat", "R", "each row is timed R times at least", .kind = OPTION_INT, &o->repeat, 1,
       100000},
      {"seconds", "S", "and for S seconds, at most 3600", .kind = OPTION_REAL, &o->seconds, 0,
       3600},
      {"triad-mb", "MB", "size of the triad's arrays together", .kind = OPTION_REAL, &o->triad_mb,
       1, 1e6, .otherwise = "four times the last cache, GPU 1074"},

      {.help = "Output", .kind = OPTION_GROUP},
      {"csv", "FILE", "the same rows as comma separated values", .kind = OPTION_TEXT, &o->csv},

      OPTIONS_HELP_ROWS};
  c->rows = rows;
  c->count = sizeof rows / sizeof *rows;
  return options_read(c, argc, argv, code);
}

/* Checks across options. */
static bool complete(const command_line *c, kernels_options *o)
{
  const bool sizes = o->mode == KERNELS_LEVELS && c->num_words == 1;
  if (c->num_words > 0 && !sizes) return options_unwanted(c, "argument", *c->word, "an option");
  if (sizes && !read_sizes(c, "--kernels", *c->word, o)) return false;
  o->one_smoother = options_given(c, "smoother");
  const bool ablation = o->mode == KERNELS_ABLATION || o->mode == KERNELS_ABLATION_SOLVE;
  if (o->mode == KERNELS_THRESHOLD || ablation || o->mode == KERNELS_LEVELS || o->num_without > 0)
    o->cuda = true;
  if (o->mode == KERNELS_THRESHOLD && options_given(c, "only"))
    return options_refuse(c, "--only has no effect with --threshold, which takes 4 ... --size");
  if (o->cuda && o->smoother == HYMG_SYMGS)
    return options_unwanted(c, "--smoother", "symgs",
                            "another one on a GPU: symgs is for the host");
  if ((o->mode == KERNELS_TABLE && !kernels_table_has_rows(o)) ||
      (o->mode == KERNELS_LADDER && !kernels_ladder_has_rows(o)))
    return options_unwanted(c, "--operation", o->operation,
                            "part of the name of a row; --list shows them");
  if (o->num_sizes > 0) return true;
  if (o->mode == KERNELS_TABLE || o->mode == KERNELS_THRESHOLD) {
    double_up_to(o->mode == KERNELS_THRESHOLD ? 64 : o->cuda ? 512 : 256, o);
    return true;
  }
  if (o->mode == KERNELS_BATCH) {
    double_up_to(64, o);
    return true;
  }
  for (int n = ablation ? 32 : o->cuda ? 64 : 128; n <= (o->cuda ? 512 : 256); n *= 2)
    o->sizes[o->num_sizes++] = n;
  return true;
}

bool kernels_options_read(int argc, char **argv, kernels_options *o, int *code)
{
  command_line c = {.program = "hymg-kernels",
                    .usage = usage,
                    .example = "hymg-kernels --only 128 --operator fv4 --csv rows.csv",
                    .notes = notes,
                    .silent = fv_launched_rank() > 0,
                    .takes_words = true};
  *o = (kernels_options){.stencil = {true, true}, .repeat = 7, .seconds = 0.2, .systems = 64};
  if (!read_table(&c, argc, argv, o, code)) return false;
  const bool ok = complete(&c, o);
  *code = ok ? 0 : EXIT_BAD_INPUT;
  return ok;
}
