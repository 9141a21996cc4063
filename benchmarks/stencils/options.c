/* The command line: every refusal names the option, what it got and what it may be. */
#define _GNU_SOURCE
#include "stencils/options.h"

#include "stencils/output.h"
#include "stencils/studies/image.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_BAD_INPUT = 2, LONGEST = 32768, MOST_STEPS = 100000, MOST_THREADS = 1024 };

static const char help[] =
    "usage: hymg-stencil CASE [options]\n"
    "The finite-difference studies that led to this library's kernels, each kernel verified "
    "against plain loops\nand measured beside a copy (CPU: a triad).\n"
    "cases:\n"
    "  a    3D, order 2 to 12 in space: the Laplacian, or a leap-frog wave step (--wave)\n"
    "  b    2D heat equation, explicit Euler, orders 2, 4, 8\n"
    "  c    first derivative of order 8 in x, y and z, periodic\n"
    "  d    second derivative of order 8 in x, y and z; sweeps the slab of the window\n"
    "  all  the whole set, with the published figures beside\n"
    "options:\n"
    "  --backend WORD      cuda (default where there is a GPU), host, or both\n"
    "  --size X[xY[xZ]]    points along x, y, z; one number: the same along all; 1 to 32768\n"
    "  --precision WORD    float, double or both; default float\n"
    "  --order N[,N..]     2 to 12, even (b: 2, 4, 8); default all; c and d: 8\n"
    "  --kernel TEXT       kernels whose name holds TEXT alone\n"
    "  --tile XxY          threads of a block, for kernels that let one choose (CPU: points of a\n"
    "                      tile)\n"
    "  --slab N            planes (b: rows; d: n_w) that a block marches\n"
    "  --tune              times some slabs (CPU: rows of a tile) of kernels that choose one, and\n"
    "                      takes the quickest; else from tables made on an H200\n"
    "  --wave              a: leap-frog steps of the wave equation\n"
    "  --steps N           b: time steps of the error's run, default 10; with --snapshot or "
    "--gather\n"
    "                      those of the wave, default 400\n"
    "  --snapshot FILE     a: runs a wave from a point, writes a slice as image (.png or .pgm)\n"
    "  --gather FILE       a: ... what a row of receivers saw, as image or as .csv\n"
    "  --scaling           a: z shared out among the ranks of mpirun, a GPU each; with and "
    "without\n"
    "                      overlap\n"
    "  --repeat R          times that each kernel is measured, 1 to 64; default 7\n"
    "  --threads T         of the CPU; default OpenMP's\n"
    "  --csv FILE, --json FILE   the rows, as comma separated values or JSON\n"
    "  --list              names of the kernels\n"
    "  --quiet             no progress on stderr\n"
    "  --help\n";

static bool refuse(const char *option, const char *text, const char *wanted)
{
  fprintf(stderr, "hymg-stencil: %s '%s': must be %s\nTry 'hymg-stencil --help'.\n", option, text,
          wanted);
  return false;
}

static bool contradict(const char *what)
{
  fprintf(stderr, "hymg-stencil: %s\nTry 'hymg-stencil --help'.\n", what);
  return false;
}

static bool read_count(const char *option, const char *text, int most, int *value)
{
  char *end, wanted[64];
  errno = 0;
  const long number = strtol(text, &end, 10);
  snprintf(wanted, sizeof wanted, "a whole number from 1 to %d", most);
  if (end == text || *end || errno || number < 1 || number > most)
    return refuse(option, text, wanted);
  *value = (int)number;
  return true;
}

/* "AxB": as many as are there, up to `most`. 0: refused. */
static int read_sides(const char *option, const char *text, int most, int largest, int side[])
{
  char copy[64], *rest = copy;
  int count = 0;
  if (strlen(text) >= sizeof copy) return refuse(option, text, "numbers with x between them");
  strcpy(copy, text);
  for (const char *part = strsep(&rest, "x"); part; part = strsep(&rest, "x")) {
    if (count == most) {
      char wanted[64];
      snprintf(wanted, sizeof wanted, "at most %d numbers with x between them", most);
      return refuse(option, text, wanted);
    }
    if (!read_count(option, part, largest, &side[count++])) return 0;
  }
  return count;
}

static bool read_size(const char *text, stencil_options *o)
{
  const int count = read_sides("--size", text, 3, LONGEST, o->n);
  if (count == 0) return false;
  if (count < 2) o->n[1] = o->n[0];
  if (count < 3) o->n[2] = o->n[1];
  return true;
}

static bool read_tile(const char *text, stencil_options *o)
{
  const int count = read_sides("--tile", text, 2, MOST_THREADS, o->tile);
  if (count == 0) return false;
  if (count == 1) return refuse("--tile", text, "two numbers with x between them");
  return o->tile[0] * o->tile[1] <= MOST_THREADS || refuse("--tile", text, "1024 threads at most");
}

static bool read_orders(const char *text, stencil_options *o)
{
  char copy[64], *rest = copy;
  const char *const wanted = "even numbers from 2 to 12 with commas between them";
  if (strlen(text) >= sizeof copy) return refuse("--order", text, wanted);
  strcpy(copy, text);
  for (const char *part = strsep(&rest, ","); part; part = strsep(&rest, ",")) {
    int order;
    if (!read_count("--order", part, 2 * STENCIL_RADIUS, &order)) return false;
    if (order % 2) return refuse("--order", part, wanted);
    o->radius[order / 2] = o->any_radius = true;
  }
  return true;
}

/* One of two words, or both. */
static bool read_pair(const char *option, const char *text, const char *const word[2], bool pair[2])
{
  char wanted[64];
  snprintf(wanted, sizeof wanted, "%s, %s or both", word[0], word[1]);
  const bool both = strcmp(text, "both") == 0;
  pair[0] = both || strcmp(text, word[0]) == 0;
  pair[1] = both || strcmp(text, word[1]) == 0;
  return pair[0] || pair[1] || refuse(option, text, wanted);
}

static bool read_precision(const char *text, stencil_options *o)
{
  static const char *const words[] = {"float", "double"};
  o->any_precision = true;
  return read_pair("--precision", text, words, o->precision);
}

static bool read_backend(const char *text, stencil_options *o)
{
  static const char *const words[] = {"cuda", "host"};
  bool pair[2];
  if (!read_pair("--backend", text, words, pair)) return false;
  o->cuda = pair[0], o->host = pair[1], o->chosen = true;
  return true;
}

enum { LIST = 256, SLAB, SNAPSHOT, GATHER, SCALING, CSV, JSON, TUNE };

static const struct option long_options[] = {{"backend", required_argument, NULL, 'b'},
                                             {"size", required_argument, NULL, 'n'},
                                             {"precision", required_argument, NULL, 'p'},
                                             {"order", required_argument, NULL, 'o'},
                                             {"kernel", required_argument, NULL, 'k'},
                                             {"tile", required_argument, NULL, 't'},
                                             {"slab", required_argument, NULL, SLAB},
                                             {"tune", no_argument, NULL, TUNE},
                                             {"wave", no_argument, NULL, 'w'},
                                             {"steps", required_argument, NULL, 's'},
                                             {"snapshot", required_argument, NULL, SNAPSHOT},
                                             {"gather", required_argument, NULL, GATHER},
                                             {"scaling", no_argument, NULL, SCALING},
                                             {"repeat", required_argument, NULL, 'r'},
                                             {"threads", required_argument, NULL, 'j'},
                                             {"csv", required_argument, NULL, CSV},
                                             {"json", required_argument, NULL, JSON},
                                             {"list", no_argument, NULL, LIST},
                                             {"quiet", no_argument, NULL, 'q'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

static bool take_text(int option, const char *text, stencil_options *o)
{
  const char **const at = option == 'k'        ? &o->kernel
                          : option == SNAPSHOT ? &o->snapshot
                          : option == GATHER   ? &o->gather
                          : option == CSV      ? &o->csv
                                               : &o->json;
  *at = text;
  return true;
}

static bool take(int option, const char *text, stencil_options *o)
{
  switch (option) {
  case 'b':
    return read_backend(text, o);
  case 'n':
    return read_size(text, o);
  case 'p':
    return read_precision(text, o);
  case 'o':
    return read_orders(text, o);
  case 't':
    return read_tile(text, o);
  case SLAB:
    return read_count("--slab", text, LONGEST, &o->slab);
  case 's':
    return read_count("--steps", text, MOST_STEPS, &o->steps);
  case 'r':
    return read_count("--repeat", text, 64, &o->repeat);
  case 'j':
    return read_count("--threads", text, 4096, &o->threads);
  case 'w':
    return o->wave = true;
  case TUNE:
    return o->tune = true;
  case SCALING:
    return o->scaling = true;
  case LIST:
    return o->list = true;
  case 'q':
    return o->quiet = true;
  default:
    return take_text(option, text, o);
  }
}

static bool read_case(int argc, char **argv, stencil_options *o)
{
  if (optind == argc) return o->list || contradict("which case? a, b, c, d or all");
  const char *word = argv[optind];
  if (optind + 1 < argc) {
    fprintf(stderr, "hymg-stencil: '%s': one case at a time\n", argv[optind + 1]);
    return false;
  }
  if (strcmp(word, "all") == 0) return true;
  if (strlen(word) != 1 || *word < 'a' || *word > 'd')
    return refuse("case", word, "a, b, c, d or all");
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

/* Options that the chosen case has no use for. */
static bool agree(const stencil_options *o)
{
  if (o->which == 0 && !o->list && (o->n[0] || o->any_radius || o->tile[0] || o->slab || o->kernel))
    return contradict("'all' has its own sizes, orders and kernels; name a case to choose");
  if (o->which != 'a' && (o->wave || o->snapshot || o->gather || o->scaling) && !o->list)
    return contradict("--wave, --snapshot, --gather and --scaling are for case a");
  if (o->tune && o->slab) return contradict("--tune looks for the slab that --slab gives");
  if (o->tune && (o->scaling || o->snapshot || o->gather))
    return contradict("--tune is for a case's table: not with --scaling, --snapshot or --gather");
  if (o->which == 'b' && (o->radius[3] || o->radius[5] || o->radius[6]))
    return contradict("--order: case b has 2, 4 and 8");
  if ((o->which == 'c' || o->which == 'd') && o->any_radius)
    return contradict("--order: cases c and d have order 8");
  if (o->json && json_rows_missing()) {
    fprintf(stderr, "hymg-stencil: --json: this build is without %s\n", json_rows_missing());
    return false;
  }
  return can_write("--snapshot", o->snapshot) && can_write("--gather", o->gather);
}

bool stencil_options_parse(int argc, char **argv, stencil_options *o, int *code)
{
  *o = (stencil_options){.repeat = 7, .precision = {true, false}, .argc = argc, .argv = argv};
  *code = EXIT_BAD_INPUT;
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (option == 'h') {
      fputs(help, stdout);
      *code = 0;
      return false;
    }
    if (option == '?') {
      fputs("Try 'hymg-stencil --help'.\n", stderr);
      return false;
    }
    if (!take(option, optarg, o)) return false;
  }
  return read_case(argc, argv, o) && agree(o);
}
