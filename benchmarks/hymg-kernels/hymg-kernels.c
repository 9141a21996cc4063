/* hymg-kernels: writes the heads of the outputs, runs one mode. Exit: 0 done; 1 a result is wrong;
 * 2 bad input; 3 failure at run time. */
#include "hymg-kernels/kernels.h"

#include <errno.h>
#include <string.h>

enum { EXIT_WRONG = 1, EXIT_BAD_INPUT = 2, EXIT_AT_RUN_TIME = 3 };

double kernels_full_rate(const kernels_bench *bench)
{
  return bench->copy ? kernels_copy_run(bench->copy) : 24 * kernels_triad_run(bench->triad, 0);
}

kernels_text kernels_rate_text(const kernels_bench *bench, double rate)
{
  kernels_text out;
  if (bench->copy)
    snprintf(out.text, sizeof out.text, "copy %.0f GB/s, read + written", 1e-9 * rate);
  else
    snprintf(out.text, sizeof out.text, "triad %.1f GB/s at 24 B per element, %.1f at 32 B",
             1e-9 * rate, 32e-9 / 24 * rate);
  return out;
}

const char *kernels_stencil_name(hymg_stencil stencil)
{
  return stencil == HYMG_FV2 ? "fv2" : "fv4";
}

/* ---- heads ---- */

/* As the driver's own file has it: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65 ...". */
static kernels_text driver_version(void)
{
  kernels_text out = {"unknown"};
  char line[256];
  FILE *file = fopen("/proc/driver/nvidia/version", "r");
  if (file && fgets(line, sizeof line, file))
    for (const char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n"))
      if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.')) {
        snprintf(out.text, sizeof out.text, "%.40s", word);
        break;
      }
  if (file) fclose(file);
  return out;
}

static void write_gpu(FILE *out, const char *prefix, const kernels_bench *bench)
{
  hymg_device_info d;
  if (hymg_device_get(bench->context, -1, &d) != HYMG_OK) return;
  fprintf(out, "%sgpu: %s, compute capability %d.%d, %d multiprocessors, %.1f GB\n", prefix, d.name,
          d.capability[0], d.capability[1], d.multiprocessors, 1e-9 * d.memory_bytes);
  fprintf(out, "%sdriver: %s, CUDA %s, started in %.3f s\n", prefix, driver_version().text,
          hymg_build_info().cuda, bench->start_seconds);
}

static void write_head(FILE *out, const char *prefix, const kernels_bench *bench)
{
  const fv_machine m = fv_machine_info();
  const hymg_build build = hymg_build_info();
  fprintf(out, "%smachine: %s, %d cores\n", prefix, m.cpu, m.cores);
  if (bench->options->cuda) write_gpu(out, prefix, bench);
  fprintf(out, "%sdate: %s\n%scommit: %s\n%scompiler: %s\n%sflags: %s\n", prefix, m.date, prefix,
          *build.commit ? build.commit : "unknown", prefix, build.compiler, prefix, build.flags);
  fprintf(out, "%scommand: hymg-kernels", prefix);
  for (int i = 1; i < bench->options->argc; i++)
    fprintf(out, " %s", bench->options->argv[i]);
  fprintf(out, "\n%sthreads: %d\n", prefix, hymg_context_threads(bench->context));
}

/* The rate is read again before every group of rows; this is the first. */
static void print_rate(const kernels_bench *bench)
{
  const kernels_text rate = kernels_rate_text(bench, kernels_full_rate(bench));
  if (bench->copy)
    printf("%s; z = x\n", rate.text);
  else
    printf("%s; a = b + s c, three arrays of %.0f MB together\n", rate.text,
           1e-6 * kernels_triad_bytes(bench->triad));
}

static void list_rows(void)
{
  for (int s = HYMG_GSRB; s <= HYMG_SYMGS; s++)
    printf("%s %s\n%s %s\n", kernels_smooth_verb.name, kernels_smoother_names[s],
           kernels_smooth_restrict_verb.name, kernels_smoother_names[s]);
  for (int v = 0; v < kernels_num_verbs; v++)
    puts(kernels_verbs[v].name);
  puts(KERNELS_TRIAD_ROW);
  for (int gpu = 0; gpu <= 1; gpu++)
    kernels_list_steps(gpu);
}

/* ---- run ---- */

static bool run_mode(kernels_bench *bench)
{
  write_head(stdout, "", bench);
  if (bench->csv) write_head(bench->csv, "# ", bench);
  print_rate(bench);
  switch (bench->options->mode) {
  case KERNELS_TABLE:
    return kernels_run_table(bench);
  case KERNELS_LADDER:
    return kernels_run_ladder(bench);
  case KERNELS_CYCLE:
    return kernels_run_cycle(bench);
  case KERNELS_SOLVE:
    return kernels_run_solve(bench);
  case KERNELS_THRESHOLD:
    return kernels_run_threshold(bench);
  default:
    return true;
  }
}

/* An older file is lost here, so all else that a run needs is there by now. */
static bool open_csv(kernels_bench *bench)
{
  const char *const name = bench->options->csv;
  if (name) bench->csv = fopen(name, "w");
  if (!name || bench->csv) return true;
  fprintf(stderr, "hymg-kernels: --csv %s: %s\n", name, strerror(errno));
  return false;
}

static bool close_csv(kernels_bench *bench)
{
  return !bench->csv || fv_close_file("hymg-kernels", bench->options->csv, bench->csv);
}

/* Starts CUDA, so that no row pays for that. */
static bool open_gpu(kernels_bench *bench)
{
  hymg_device_info device;
  const double start = fv_clock();
  const hymg_status status = hymg_device_get(bench->context, -1, &device);
  bench->start_seconds = fv_clock() - start;
  if (status == HYMG_OK)
    bench->copy = kernels_copy_create(bench->context, bench->options->triad_bytes);
  if (!bench->copy) fprintf(stderr, "hymg-kernels: %s\n", hymg_context_error(bench->context));
  return bench->copy;
}

static bool open_bench(kernels_bench *bench)
{
  const kernels_options *options = bench->options;
  hymg_context_options context_options = hymg_context_options_default();
  context_options.threads = options->threads;
  if (hymg_context_create(&context_options, &bench->context) != HYMG_OK) {
    fprintf(stderr, "hymg-kernels: no memory for a context\n");
    return false;
  }
  if (options->cuda) return open_gpu(bench);
  bench->triad = kernels_triad_create(options->triad_bytes, hymg_context_threads(bench->context));
  if (!bench->triad) fprintf(stderr, "hymg-kernels: no memory for the triad\n");
  return bench->triad;
}

static int run(const kernels_options *options)
{
  kernels_bench bench = {.options = options};
  int code = EXIT_AT_RUN_TIME;
  if (open_bench(&bench))
    code = !open_csv(&bench) ? EXIT_BAD_INPUT : run_mode(&bench) ? 0 : EXIT_AT_RUN_TIME;
  if (!close_csv(&bench)) code = EXIT_AT_RUN_TIME;
  kernels_triad_destroy(&bench.triad);
  kernels_copy_destroy(&bench.copy);
  hymg_context_destroy(&bench.context);
  if (bench.wrong > 0)
    fprintf(stderr, "hymg-kernels: %lld results are wrong\n", (long long)bench.wrong);
  return code == 0 && bench.wrong > 0 ? EXIT_WRONG : code;
}

int main(int argc, char **argv)
{
  kernels_options options;
  int code;
  if (!fv_stdout_begin("hymg-kernels")) return EXIT_AT_RUN_TIME;
  if (kernels_options_parse(argc, argv, &options, &code)) {
    if (options.mode == KERNELS_LIST)
      list_rows();
    else
      code = run(&options);
  }
  return fv_stdout_end("hymg-kernels", code);
}
