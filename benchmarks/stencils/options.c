/* The command line of hymg-stencil. */
#include "stencils/options.h"

#include "common/kit/options.h"
#include "common/kit/rows.h"
#include "stencils/studies/image.h"

#include <string.h>

enum { LONGEST = 32768, MOST_STEPS = 100000, MOST_THREADS = 1024 };

static const char usage[] =
    "usage: hymg-stencil CASE [options]\n"
    "The finite-difference studies that led to this library's kernels, each kernel verified "
    "against plain loops\nand measured beside a copy (CPU: a triad).\n"
    "cases:\n"
    "  a    3D, order 2 to 12 in space: the Laplacian, or a leap-frog wave step (--wave)\n"
    "  b    2D heat equation, explicit Euler, orders 2, 4, 8\n"
    "  c    first derivative of order 8 in x, y and z, periodic\n"
    "  d    second derivative of order 8 in x, y and z; sweeps the slab of the window\n"
    "  all  the whole set, with the published figures beside\n"
    "options:\n";

static bool read_size(const command_line *c, const char *option, const char *text, void *target)
{
  static const int range[2] = {1, LONGEST};
  static const char wanted[] = "at most 3 numbers with x between them";
  int *const n = target;
  const int count = options_ints(c, option, text, 'x', wanted, 3, range, n);
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
      {"backend", "WORD", "cuda (default where there is a GPU), host, or both",
       .kind = OPTION_CUSTOM, o->backend, .read = read_pair},
      {"size", "X[xY[xZ]]", "points along x, y, z; one number: the same along all; 1 to 32768",
       .kind = OPTION_CUSTOM, o->n, .read = read_size},
      {"precision", "WORD", "float, double or both; default float", .kind = OPTION_CUSTOM,
       o->precision, .read = read_pair},
      {"order", "N[,N..]", "2 to 12, even (b: 2, 4, 8); default all; c and d: 8",
       .kind = OPTION_CUSTOM, o->radius, .read = read_orders},
      {"kernel", "TEXT", "kernels whose name holds TEXT alone", .kind = OPTION_TEXT, &o->kernel},
      {"tile", "XxY",
       "threads of a block, for kernels that let one choose (CPU: points of a\n"
       "tile)",
       .kind = OPTION_CUSTOM, o->tile, .read = read_tile},
      {"slab", "N", "planes (b: rows; d: n_w) that a block marches", .kind = OPTION_INT, &o->slab,
       1, LONGEST},
      {"tune", NULL,
       "times some slabs (CPU: rows of a tile) of kernels that choose one, and\n"
       "takes the quickest; else from tables made on an H200",
       .kind = OPTION_FLAG, &o->tune},
      {"wave", NULL, "a: leap-frog steps of the wave equation", .kind = OPTION_FLAG, &o->wave},
      {"steps", "N",
       "b: time steps of the error's run, default 10; with --snapshot or --gather\n"
       "those of the wave, default 400",
       .kind = OPTION_INT, &o->steps, 1, MOST_STEPS},
      {"snapshot", "FILE", "a: runs a wave from a point, writes a slice as image (.png or .pgm)",
       .kind = OPTION_TEXT, &o->snapshot},
      {"gather", "FILE", "a: ... what a row of receivers saw, as image or as .csv",
       .kind = OPTION_TEXT, &o->gather},
      {"scaling", NULL,
       "a: z shared out among the ranks of mpirun, a GPU each; with and without\n"
       "overlap",
       .kind = OPTION_FLAG, &o->scaling},
      {"repeat", "R", "times that each kernel is measured, 1 to 64; default 7", .kind = OPTION_INT,
       &o->repeat, 1, 64},
      {"threads", "T", "of the CPU; default OpenMP's", .kind = OPTION_INT, &o->threads, 1, 4096},
      {"csv", "FILE", "the rows as comma separated values", .kind = OPTION_TEXT, &o->csv},
      {"json", "FILE", "the rows as JSON", .kind = OPTION_TEXT, &o->json},
      {"list", NULL, "names of the kernels", .kind = OPTION_FLAG, &o->list},
      {"quiet", NULL, "no progress on stderr", .kind = OPTION_FLAG, &o->quiet},
      {"help", NULL, "", .kind = OPTION_HELP}};
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
  const size_t n = name ? strlen(name) : 0;
  const bool table = n >= 4 && strcmp(option, "--gather") == 0 && strcmp(name + n - 4, ".csv") == 0;
  const char *why = name && !table ? image_refuses(name, strcmp(option, "--gather") == 0) : NULL;
  if (why) fprintf(stderr, "hymg-stencil: %s %s: %s\n", option, name, why);
  return !why;
}

/* Options without effect in the chosen case. */
static bool agree(const command_line *c, const stencil_options *o)
{
  if (o->which == 0 && !o->list && (o->n[0] || o->any_radius || o->tile[0] || o->slab || o->kernel))
    return options_refuse(c, "'all' has its own sizes, orders and kernels; name a case to choose");
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
  return can_write("--snapshot", o->snapshot) && can_write("--gather", o->gather);
}

bool stencil_options_read(int argc, char **argv, stencil_options *o, int *code)
{
  command_line c = {.program = "hymg-stencil", .usage = usage, .column = 22, .takes_words = true};
  *o = (stencil_options){.repeat = 7, .precision = {true, false}, .argc = argc, .argv = argv};
  if (!read_table(&c, argc, argv, o, code)) return false;
  o->chosen = options_given(&c, "backend");
  o->any_precision = options_given(&c, "precision");
  o->any_radius = options_given(&c, "order");
  *code = EXIT_BAD_INPUT;
  return read_case(&c, o) && agree(&c, o);
}
