/* hymg-kernels: parses the command line, writes the heads of the outputs, runs one mode. Exit: 0 done; 1 a result is wrong; 2 bad
 * input; 3 failure at run time. */
#define _GNU_SOURCE
#include "kernels.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_WRONG = 1, EXIT_BAD_INPUT = 2, EXIT_AT_RUN_TIME = 3, SMALLEST = 16, LARGEST = 1024 };

static const char help[] =
    "usage: hymg-kernels [options]\n"
    "Times the verbs of libhymg beside a triad of the same run and checks their results.\n"
    "  --size N        sizes 32, 64, 128, 256 up to N cells per side; default 256\n"
    "  --only N[,N..]  these sizes alone, multiples of 16 from 16 to 1024\n"
    "  --operator WORD fv2 or fv4 alone\n"
    "  --verb TEXT     rows whose name holds TEXT alone\n"
    "  --ladder        what each tuning step brings, at 128 and 256: a smoother call, one with "
    "the\n"
    "                  residual's restriction, and the F-cycle\n"
    "  --cycle         the F-cycle, at 128 and 256: bytes by the model, memory and set-up\n"
    "  --smoother NAME of --ladder and --cycle: gsrb (default), chebyshev, jacobi, l1jacobi, "
    "symgs\n"
    "  --triad         the triad alone\n"
    "  --triad-mb MB   size of its three arrays together; default four times the last cache\n"
    "  --threads T     default: OpenMP's\n"
    "  --repeat R      each row is timed R times at least; default 7\n"
    "  --seconds S     ... and for S seconds; default 0.2\n"
    "  --csv FILE      the same rows as comma separated values\n"
    "  --list          names of the rows\n"
    "  --help\n";

/* ---- command line ---- */

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

static bool read_smoother(const char *text, kernels_options *o)
{
  for (int s = HYMG_GSRB; s <= HYMG_SYMGS; s++)
    if (strcmp(text, kernels_smoother_names[s]) == 0) {
      o->smoother = (hymg_smoother)s;
      return true;
    }
  return refuse("--smoother", text, "gsrb, chebyshev, jacobi, l1jacobi or symgs");
}

static const struct option long_options[] = {
    {"size", required_argument, NULL, 'n'},     {"only", required_argument, NULL, 'o'},
    {"operator", required_argument, NULL, 'p'}, {"verb", required_argument, NULL, 'v'},
    {"ladder", no_argument, NULL, 'l'},         {"cycle", no_argument, NULL, 'c'},
    {"smoother", required_argument, NULL, 'm'}, {"triad", no_argument, NULL, 't'},
    {"triad-mb", required_argument, NULL, 'b'}, {"threads", required_argument, NULL, 'j'},
    {"repeat", required_argument, NULL, 'r'},   {"seconds", required_argument, NULL, 's'},
    {"csv", required_argument, NULL, 'f'},      {"list", no_argument, NULL, 'i'},
    {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0}};

static bool take(int code, const char *text, kernels_options *o)
{
  const double triad_range[2] = {1, 1e6}, seconds_range[2] = {0, 3600};
  switch (code) {
  case 'n':
    return read_largest(text, o);
  case 'o':
    return read_sizes(text, o);
  case 'p':
    return read_operator(text, o);
  case 'm':
    return read_smoother(text, o);
  case 'v':
    o->verb = text;
    return true;
  case 'l':
    o->mode = KERNELS_LADDER;
    return true;
  case 'c':
    o->mode = KERNELS_CYCLE;
    return true;
  case 't':
    o->mode = KERNELS_TRIAD;
    return true;
  case 'i':
    o->mode = KERNELS_LIST;
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
  case 'b':
    if (!read_number("--triad-mb", text, triad_range, &o->triad_bytes)) return false;
    o->triad_bytes *= 1e6;
    return true;
  default:
    fprintf(stderr, "Try 'hymg-kernels --help'.\n");
    return false;
  }
}

static bool parse(int argc, char **argv, kernels_options *o, int *code)
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
  if (o->num_sizes == 0) {
    read_largest("256", o);
    if (o->mode != KERNELS_TABLE) read_sizes("128,256", o);
  }
  *code = 0;
  return true;
}

/* ---- heads ---- */

static void write_head(FILE *out, const char *prefix, const kernels_bench *bench)
{
  const fv_machine m = fv_machine_info();
  const hymg_build build = hymg_build_info();
  fprintf(out, "%smachine: %s, %d cores\n%sdate: %s\n%scommit: %s\n%scompiler: %s\n%sflags: %s\n",
          prefix, m.cpu, m.cores, prefix, m.date, prefix, *build.commit ? build.commit : "unknown",
          prefix, build.compiler, prefix, build.flags);
  fprintf(out, "%scommand: hymg-kernels", prefix);
  for (int i = 1; i < bench->options->argc; i++)
    fprintf(out, " %s", bench->options->argv[i]);
  fprintf(out, "\n%sthreads: %d\n", prefix, hymg_context_threads(bench->context));
}

/* The triad is read again before every group of rows; this is the first. */
static void print_triad(const kernels_bench *bench)
{
  const double rate = kernels_triad_run(bench->triad, 0);
  printf("triad     a = b + s c, three arrays of %.0f MB together: %.1f GB/s counted at 24 B per\n"
         "          element, %.1f at 32 B (with the read before the write)\n",
         1e-6 * kernels_triad_bytes(bench->triad), 24e-9 * rate, 32e-9 * rate);
}

static void list_rows(void)
{
  for (int s = HYMG_GSRB; s <= HYMG_SYMGS; s++)
    printf("%s %s\n%s %s\n", kernels_smooth_verb.name, kernels_smoother_names[s],
           kernels_smooth_restrict_verb.name, kernels_smoother_names[s]);
  for (int v = 0; v < kernels_num_verbs; v++)
    puts(kernels_verbs[v].name);
}

/* ---- run ---- */

static bool run_mode(kernels_bench *bench)
{
  write_head(stdout, "", bench);
  if (bench->csv) write_head(bench->csv, "# ", bench);
  print_triad(bench);
  switch (bench->options->mode) {
  case KERNELS_TABLE:
    return kernels_run_table(bench);
  case KERNELS_LADDER:
    return kernels_run_ladder(bench);
  case KERNELS_CYCLE:
    return kernels_run_cycle(bench);
  default:
    return true;
  }
}

static bool close_csv(kernels_bench *bench)
{
  if (!bench->csv) return true;
  const bool failed = ferror(bench->csv);
  if (fclose(bench->csv) == 0 && !failed) return true;
  fprintf(stderr, "hymg-kernels: %s: could not be written\n", bench->options->csv);
  return false;
}

static int run(const kernels_options *options)
{
  kernels_bench bench = {.options = options};
  hymg_context_options context_options = hymg_context_options_default();
  if (options->csv && !(bench.csv = fopen(options->csv, "w"))) {
    fprintf(stderr, "hymg-kernels: --csv %s: %s\n", options->csv, strerror(errno));
    return EXIT_BAD_INPUT;
  }
  context_options.threads = options->threads;
  bool ok = hymg_context_create(&context_options, &bench.context) == HYMG_OK;
  if (ok)
    bench.triad = kernels_triad_create(options->triad_bytes, hymg_context_threads(bench.context));
  if (!bench.triad) {
    fprintf(stderr, "hymg-kernels: no memory for the triad\n");
    ok = false;
  }
  ok = ok && run_mode(&bench);
  ok = close_csv(&bench) && ok;
  kernels_triad_destroy(&bench.triad);
  hymg_context_destroy(&bench.context);
  if (bench.wrong > 0)
    fprintf(stderr, "hymg-kernels: %lld results are wrong\n", (long long)bench.wrong);
  return !ok ? EXIT_AT_RUN_TIME : bench.wrong > 0 ? EXIT_WRONG : 0;
}

int main(int argc, char **argv)
{
  kernels_options options;
  int code;
  if (!parse(argc, argv, &options, &code)) return code;
  if (options.mode == KERNELS_LIST)
    list_rows();
  else
    code = run(&options);
  return fflush(stdout) == 0 && !ferror(stdout) ? code : EXIT_AT_RUN_TIME;
}
