/* The command line of hymg-stencil. */
#include "stencils/options.h"

#include "common/kit/launcher.h"
#include "common/kit/options.h"
#include "common/kit/rows.h"
#include "stencils/studies/image.h"

#include <string.h>

enum { LONGEST = 32768, MOST_STEPS = 100000, MOST_THREADS = 1024 };

static const char usage[] =
    "usage: hymg-stencil a|b|c|d|all [options]\n"
    "\n"
    "The finite-difference studies that led to this library's kernels, each kernel\n"
    "verified against plain loops and measured beside a copy (CPU: a triad).\n"
    "\n"
    "Cases:\n"
    "  a                     3D, order 2 to 12 in space: the Laplacian, or a\n"
    "                        leap-frog wave step (--wave)\n"
    "  b                     2D heat equation, explicit Euler, orders 2, 4, 8\n"
    "  c                     first derivative of order 8 in x, y and z, periodic\n"
    "  d                     second derivative of order 8 in x, y and z; sweeps the\n"
    "                        slab of the window\n"
    "  all                   the whole set, with the published figures beside\n";

static const char notes[] =
    "Exit status: 0 done; 1 a result is wrong; 2 bad input; 3 failure at run time.\n";

static bool read_size(const command_line *c, const char *option, const char *text, void *target)
{
  static const int range[2] = {1, LONGEST};
  static const char wanted[] = "at most 3 numbers with x between them";
  stencil_options *const o = target;
  int *const n = o->n, count = options_ints(c, option, text, 'x', wanted, 3, range, n);
  o->num_sides = count;
  if (count == 1) n[1] = n[0];
  if (count < 3) n[2] = n[1];
  return count > 0;
}

static bool read_tile(const command_line *c, const char *option, const char *text, void *target)
{
  static const int range[2] = {1, MOST_THREADS};
  static const char wanted[] = "two numbers with x between them";
  int *const tile = target;
  const int count = options_ints(c, option, text, 'x', wanted, 2, range, tile);
  if (count == 1) return options_unwanted(c, option, text, wanted);
  return count == 2 && (tile[0] * tile[1] <= MOST_THREADS ||
                        options_unwanted(c, option, text, "1024 threads at most"));
}

static bool read_orders(const command_line *c, const char *option, const char *text, void *target)
{
  static const int range[2] = {1, 2 * STENCIL_RADIUS};
  static const char wanted[] = "even numbers from 2 to 12 with commas between them";
  bool *const radius = target;
  int order[32];
  const int count = options_ints(c, option, text, ',', wanted, 32, range, order);
  for (int i = 0; i < count; i++) {
    if (order[i] % 2) return options_unwanted(c, option, text, wanted);
    radius[order[i] / 2] = true;
  }
  return count > 0;
}

/* bool[2]: one of two words, or both. */
static bool read_pair(const command_line *c, const char *option, const char *text, void *target)
{
  static const char *const words[2][4] = {{"float", "double", "both", NULL},
                                          {"cuda", "host", "both", NULL}};
  bool *const pair = target;
  const int word = options_word(c, option, text, words[strcmp(option, "--backend") == 0]);
  pair[0] = word != 1, pair[1] = word != 0;
  return word >= 0;
}

static bool read_table(command_line *c, int argc, char **argv, stencil_options *o, int *code)
{
  const option_row rows[] = {
      {.help = "What is measured", .kind = OPTION_GROUP},
      {"size", "X[xY[xZ]]", "points along x, y, z; one number: the same along all; 1 ... 32768",
       .kind = OPTION_CUSTOM, o, .read = read_size, .otherwise = "the case's"},
      {"precision", "float|double|both", "", .kind = OPTION_CUSTOM, o->precision, .read = read_pair,
       .otherwise = "float"},
      {"order", "N[,N...]", "2 to 12, even; b: 2, 4, 8; c and d: 8", .kind = OPTION_CUSTOM,
       o->radius, .read = read_orders, .otherwise = "all"},
      {"kernel", "TEXT", "kernels whose name holds TEXT alone", .kind = OPTION_TEXT, &o->kernel},
      {"list", NULL, "print the names of the kernels and exit", .kind = OPTION_FLAG, &o->list},
      {"backend", "cuda|host|both", "GPU, CPU or both in turn", .kind = OPTION_CUSTOM, o->backend,
       .read = read_pair, .otherwise = "cuda where there is a GPU"},
      {"threads", "T", "of the CPU", .kind = OPTION_INT, &o->threads, 1, 4096,
       .otherwise = "OpenMP's"},
      {"repeat", "R", "times that each kernel is measured", .kind = OPTION_INT, &o->repeat, 1, 64},

      {.help = "How kernels run", .kind = OPTION_GROUP},
      {"tile", "XxY", "threads of a block, for kernels that let one choose (CPU: points of a tile)",
       .kind = OPTION_CUSTOM, o->tile, .read = read_tile, .otherwise = "the kernel's"},
      {"slab", "N", "planes (b: rows; d: n_w) that a block marches", .kind = OPTION_INT, &o->slab,
       1, LONGEST, .otherwise = "from tables made on an H200"},
      {"tune", NULL,
       "time some slabs (CPU: rows of a tile) of kernels that choose one, and take the quickest",
       .kind = OPTION_FLAG, &o->tune},

      {.help = "Waves, case a", .kind = OPTION_GROUP},
      {"wave", NULL, "leap-frog steps of the wave equation, not the Laplacian", .kind = OPTION_FLAG,
       &o->wave},
      {"snapshot", "FILE", "run a wave from a point and write a slice as image (.png or .pgm)",
       .kind = OPTION_TEXT, &o->snapshot},
      {"gather", "FILE", "likewise what a row of receivers saw, as image or as .csv",
       .kind = OPTION_TEXT, &o->gather},
      {"scaling", NULL,
       "z shared out among the ranks of mpirun, a GPU each; with and without overlap",
       .kind = OPTION_FLAG, &o->scaling},
      {"steps", "N", "of --snapshot and --gather; in case b time steps of the error's run",
       .kind = OPTION_INT, &o->steps, 1, MOST_STEPS, .otherwise = "400, in case b 10"},

      {.help = "Output", .kind = OPTION_GROUP},
      {"csv", "FILE", "the rows as comma separated values", .kind = OPTION_TEXT, &o->csv},
      {"json", "FILE", "the rows as JSON", .kind = OPTION_TEXT, &o->json},
      {"quiet", NULL, "no progress on stderr", .kind = OPTION_FLAG, &o->quiet},

      OPTIONS_HELP_ROWS};
  c->rows = rows;
  c->count = sizeof rows / sizeof *rows;
  return options_read(c, argc, argv, code);
}

static bool read_case(const command_line *c, stencil_options *o)
{
  if (c->num_words == 0) return o->list || options_refuse(c, "which case? a, b, c, d or all");
  const char *word = c->word[0];
  if (c->num_words > 1) return options_refuse(c, "'%s': one case at a time", c->word[1]);
  if (strcmp(word, "all") == 0) return true;
  if (strlen(word) != 1 || *word < 'a' || *word > 'd')
    return options_unwanted(c, "case", word, "a, b, c, d or all");
  o->which = *word;
  return true;
}

/* The gather can be a table instead of an image. */
static bool can_write(const char *option, const char *name)
{
  const bool gather = strcmp(option, "--gather") == 0;
  const bool table = name && gather && image_ends_in(name, ".csv");
  const char *why = name && !table ? image_refuses(name, gather) : NULL;
  if (why) fprintf(stderr, "hymg-stencil: %s %s: %s\n", option, name, why);
  return !why;
}

/* One wave is run, not a table. */
static bool is_one_wave(const command_line *c, const stencil_options *o)
{
  int orders = 0;
  if (!o->scaling && !o->snapshot && !o->gather) return true;
  for (int r = 1; r <= STENCIL_RADIUS; r++)
    orders += o->radius[r];
  if (orders > 1)
    return options_refuse(c, "--order: one order with --scaling, --snapshot and --gather");
  return !(o->precision[0] && o->precision[1]) ||
         options_refuse(
             c, "--precision both: float or double with --scaling, --snapshot and --gather");
}

/* Options without effect in the chosen case. */
static bool agree(const command_line *c, const stencil_options *o)
{
  if (o->which == 0 && !o->list && (o->n[0] || o->any_radius || o->tile[0] || o->slab || o->kernel))
    return options_refuse(c, "'all' has its own sizes, orders and kernels; name a case to choose");
  if (o->which == 'b' && o->num_sides == 3)
    return options_refuse(c, "--size: case b is two-dimensional, XxY");
  if (o->which != 'a' && (o->wave || o->snapshot || o->gather || o->scaling) && !o->list)
    return options_refuse(c, "--wave, --snapshot, --gather and --scaling are for case a");
  if (o->tune && o->slab) return options_refuse(c, "--tune looks for the slab that --slab gives");
  if (o->tune && (o->scaling || o->snapshot || o->gather))
    return options_refuse(
        c, "--tune is for a case's table: not with --scaling, --snapshot or --gather");
  if (o->which == 'b' && (o->radius[3] || o->radius[5] || o->radius[6]))
    return options_refuse(c, "--order: case b has 2, 4 and 8");
  if ((o->which == 'c' || o->which == 'd') && o->any_radius)
    return options_refuse(c, "--order: cases c and d have order 8");
  if (o->json && json_missing()) {
    fprintf(stderr, "hymg-stencil: --json: this build is without %s\n", json_missing());
    return false;
  }
  return is_one_wave(c, o) && can_write("--snapshot", o->snapshot) &&
         can_write("--gather", o->gather);
}

bool stencil_options_read(int argc, char **argv, stencil_options *o, int *code)
{
  command_line c = {.program = "hymg-stencil",
                    .usage = usage,
                    .example = "hymg-stencil a --size 256 --order 4,8",
                    .notes = notes,
                    .silent = fv_launched_rank() > 0,
                    .takes_words = true};
  *o = (stencil_options){.repeat = 7, .precision = {true, false}, .argc = argc, .argv = argv};
  if (!read_table(&c, argc, argv, o, code)) return false;
  o->chosen = options_given(&c, "backend");
  o->any_precision = options_given(&c, "precision");
  o->any_radius = options_given(&c, "order");
  *code = EXIT_BAD_INPUT;
  return read_case(&c, o) && agree(&c, o);
}
