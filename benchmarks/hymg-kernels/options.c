/* The command line of hymg-kernels. */
#define _GNU_SOURCE
#include "hymg-kernels/kernels.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_BAD_INPUT = 2, SMALLEST = 16, LARGEST = 1024 };

static const char help[] =
    "usage: hymg-kernels [options]\n"
    "Times the verbs of libhymg beside a triad (GPU: a copy) of the same run, checks their "
    "results.\n"
    "  --backend WORD  host (default) or cuda\n"
    "  --size N        sizes 32, 64 ... up to N cells per side; default 256, GPU 512\n"
    "  --only N[,N..]  these sizes alone, multiples of 16 from 16 to 1024\n"
    "  --operator WORD fv2 or fv4 alone\n"
    "  --smoother NAME gsrb, chebyshev, jacobi, l1jacobi or symgs (host): in the table this one\n"
    "                  alone, in other modes instead of gsrb\n"
    "  --verb TEXT     rows whose name holds TEXT alone\n"
    "  --ladder        what each step of the tuning brings: a smoother call, one with the\n"
    "                  residual's restriction, and the F-cycle; at 128 and 256, GPU 64 to 512\n"
    "  --cycle         the F-cycle, at the same sizes: bytes by the model, memory and set-up; "
    "GPU:\n"
    "                  against the figures to beat and to reach\n"
    "  --solve         solves to 1e-8, at the same sizes\n"
    "  --threshold     GPU: V-cycles from 4^3 ... 64^3 down, by kernels, in one launch, on the "
    "host\n"
    "  --triad         the triad (copy) alone\n"
    "  --triad-mb MB   size of its arrays together; default four times the last cache, GPU 1074\n"
    "  --threads T     default: OpenMP's\n"
    "  --repeat R      each row is timed R times at least; default 7\n"
    "  --seconds S     ... and for S seconds; default 0.2\n"
    "  --csv FILE      the same rows as comma separated values\n"
    "  --list          names of the rows, then those of the ladder\n"
    "  --help\n";

static bool refuse(const char *option, const char *text, const char *wanted)
{
  fprintf(stderr, "hymg-kernels: %s '%s': must be %s\nTry 'hymg-kernels --help'.\n", option, text,
          wanted);
  return false;
}

static bool read_number(const char *option, const char *text, const double range[2], double *value)
{
  char *end, wanted[64];
  errno = 0;
  const double number = strtod(text, &end);
  snprintf(wanted, sizeof wanted, "a number from %g to %g", range[0], range[1]);
  if (end == text || *end || errno || !(number >= range[0] && number <= range[1]))
    return refuse(option, text, wanted);
  *value = number;
  return true;
}

static bool read_count(const char *option, const char *text, int most, int *value)
{
  const double range[2] = {1, most};
  double number;
  if (!read_number(option, text, range, &number)) return false;
  if (number != (int)number) return refuse(option, text, "a whole number");
  *value = (int)number;
  return true;
}

static bool read_sizes(const char *text, kernels_options *o)
{
  char copy[128], *rest = copy;
  if (strlen(text) >= sizeof copy) return refuse("--only", text, "at most 8 sizes");
  strcpy(copy, text);
  o->num_sizes = 0;
  for (const char *part = strsep(&rest, ","); part; part = strsep(&rest, ",")) {
    int n;
    if (!read_count("--only", part, LARGEST, &n)) return false;
    if (n % SMALLEST) return refuse("--only", part, "a multiple of 16 from 16 to 1024");
    if (o->num_sizes == KERNELS_SIZES) return refuse("--only", text, "at most 8 sizes");
    o->sizes[o->num_sizes++] = n;
  }
  return true;
}

static bool read_largest(const char *text, kernels_options *o)
{
  int most;
  if (!read_count("--size", text, LARGEST, &most)) return false;
  if (most < 32) return refuse("--size", text, "at least 32");
  o->num_sizes = 0;
  for (int n = 32; n <= most && n <= LARGEST; n *= 2)
    o->sizes[o->num_sizes++] = n;
  return true;
}

static bool read_operator(const char *text, kernels_options *o)
{
  o->stencil[HYMG_FV2] = strcmp(text, "fv2") == 0;
  o->stencil[HYMG_FV4] = strcmp(text, "fv4") == 0;
  return o->stencil[HYMG_FV2] || o->stencil[HYMG_FV4] || refuse("--operator", text, "fv2 or fv4");
}

static bool read_backend(const char *text, kernels_options *o)
{
  o->cuda = strcmp(text, "cuda") == 0;
  return o->cuda || strcmp(text, "host") == 0 || refuse("--backend", text, "host or cuda");
}

static bool read_smoother(const char *text, kernels_options *o)
{
  o->one_smoother = true;
  for (int s = HYMG_GSRB; s <= HYMG_SYMGS; s++)
    if (strcmp(text, kernels_smoother_names[s]) == 0) {
      o->smoother = (hymg_smoother)s;
      return true;
    }
  return refuse("--smoother", text, "gsrb, chebyshev, jacobi, l1jacobi or symgs");
}

static const struct option long_options[] = {{"size", required_argument, NULL, 'n'},
                                             {"only", required_argument, NULL, 'o'},
                                             {"operator", required_argument, NULL, 'p'},
                                             {"verb", required_argument, NULL, 'v'},
                                             {"backend", required_argument, NULL, 'k'},
                                             {"smoother", required_argument, NULL, 'm'},
                                             {"ladder", no_argument, NULL, 'l'},
                                             {"cycle", no_argument, NULL, 'c'},
                                             {"solve", no_argument, NULL, 'e'},
                                             {"threshold", no_argument, NULL, 'd'},
                                             {"triad", no_argument, NULL, 't'},
                                             {"triad-mb", required_argument, NULL, 'b'},
                                             {"threads", required_argument, NULL, 'j'},
                                             {"repeat", required_argument, NULL, 'r'},
                                             {"seconds", required_argument, NULL, 's'},
                                             {"csv", required_argument, NULL, 'f'},
                                             {"list", no_argument, NULL, 'i'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

static bool read_triad(const char *text, kernels_options *o)
{
  const double range[2] = {1, 1e6};
  if (!read_number("--triad-mb", text, range, &o->triad_bytes)) return false;
  o->triad_bytes *= 1e6;
  return true;
}

/* Options with a value; the others choose the mode. */
static bool take_value(int code, const char *text, kernels_options *o)
{
  const double seconds_range[2] = {0, 3600};
  switch (code) {
  case 'n':
    return read_largest(text, o);
  case 'o':
    return read_sizes(text, o);
  case 'p':
    return read_operator(text, o);
  case 'k':
    return read_backend(text, o);
  case 'm':
    return read_smoother(text, o);
  case 'v':
    o->verb = text;
    return true;
  case 'f':
    o->csv = text;
    return true;
  case 'j':
    return read_count("--threads", text, 4096, &o->threads);
  case 'r':
    return read_count("--repeat", text, 100000, &o->repeat);
  case 's':
    return read_number("--seconds", text, seconds_range, &o->seconds);
  default:
    return read_triad(text, o);
  }
}

static bool take(int code, const char *text, kernels_options *o)
{
  static const struct {
    int code;
    kernels_mode mode;
  } modes[] = {{'l', KERNELS_LADDER},    {'c', KERNELS_CYCLE}, {'e', KERNELS_SOLVE},
               {'d', KERNELS_THRESHOLD}, {'t', KERNELS_TRIAD}, {'i', KERNELS_LIST}};
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
    if (code == modes[m].code) {
      o->mode = modes[m].mode;
      return true;
    }
  if (code != '?') return take_value(code, text, o);
  fprintf(stderr, "Try 'hymg-kernels --help'.\n");
  return false;
}

/* What depends on more than one option. */
static bool complete(kernels_options *o)
{
  if (o->mode == KERNELS_THRESHOLD) o->cuda = true;
  if (o->cuda && o->smoother == HYMG_SYMGS)
    return refuse("--smoother", "symgs", "another one on a GPU: symgs is for the host");
  if ((o->mode == KERNELS_TABLE && !kernels_table_has_rows(o)) ||
      (o->mode == KERNELS_LADDER && !kernels_ladder_has_rows(o)))
    return refuse("--verb", o->verb, "part of the name of a row; --list shows them");
  if (o->num_sizes > 0) return true;
  if (o->mode == KERNELS_TABLE) return read_largest(o->cuda ? "512" : "256", o);
  if (o->mode == KERNELS_THRESHOLD) return read_largest("64", o);
  return read_sizes(o->cuda ? "64,128,256,512" : "128,256", o);
}

bool kernels_options_parse(int argc, char **argv, kernels_options *o, int *code)
{
  *o = (kernels_options){
      .stencil = {true, true}, .repeat = 7, .seconds = 0.2, .argc = argc, .argv = argv};
  *code = EXIT_BAD_INPUT;
  for (int c; (c = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
    if (c == 'h') {
      fputs(help, stdout);
      *code = 0;
      return false;
    }
    if (!take(c, optarg, o)) return false;
  }
  if (optind < argc) return refuse("argument", argv[optind], "an option");
  if (!complete(o)) return false;
  *code = 0;
  return true;
}
