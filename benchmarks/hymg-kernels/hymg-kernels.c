/* hymg-kernels: writes the heads of the outputs and runs one mode. Exit status: 0 done; 1 a result
 * is wrong; 2 bad input; 3 failure at run time. */
#include "hymg-kernels/kernels.h"

#include "common/kit/launcher.h"
#include "common/kit/machine.h"
#include "common/kit/options.h"

/* ---- heads ---- */

static void describe_run(kernels_bench *bench, int argc, char **argv)
{
  run_info *const run = &bench->run;
  hymg_device_info d;
  fv_host host;
  *run = (run_info){.program = "hymg-kernels",
                    .argc = argc,
                    .argv = argv,
                    .threads = hymg_context_threads(bench->context)};
  bench->csv = (csv_table){.run = run, .name = bench->options->csv};
  if (!bench->copy || hymg_device_get(bench->context, -1, &d) != HYMG_OK) return;
  snprintf(run->gpu[0], sizeof run->gpu[0],
           "gpu: %.120s, compute capability %d.%d, %d multiprocessors, %.1f GB", d.name,
           d.capability[0], d.capability[1], d.multiprocessors, 1e-9 * d.memory_bytes);
  host = fv_host_info();
  snprintf(run->gpu[1], sizeof run->gpu[1], "driver: %s, CUDA %s, started in %.3f s",
           *host.gpu_driver ? host.gpu_driver : "unknown", hymg_build_info().cuda,
           bench->start_seconds);
}

/* The rate is measured again before every group of rows; this is the first time. */
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
    printf("%s %s\n%s %s\n", kernels_smooth.name, kernels_smoother_names[s],
           kernels_smooth_restrict.name, kernels_smoother_names[s]);
  for (int v = 0; v < kernels_num_operations; v++)
    puts(kernels_operations[v].name);
  puts(KERNELS_TRIAD_ROW);
  for (int gpu = 0; gpu <= 1; gpu++)
    kernels_list_steps(gpu);
  kernels_list_forms();
}

/* ---- run ---- */

static bool run_mode(kernels_bench *bench)
{
  run_info_print(&bench->run, stdout, "");
  print_rate(bench);
  switch (bench->options->mode) {
  case KERNELS_TABLE:
    return kernels_run_table(bench);
  case KERNELS_LADDER:
  case KERNELS_ABLATION:
  case KERNELS_ABLATION_SOLVE:
    return kernels_run_ladder(bench);
  case KERNELS_LEVELS:
    return kernels_run_list(bench);
  case KERNELS_CYCLE:
    return kernels_run_cycle(bench);
  case KERNELS_SOLVE:
    return kernels_run_solve(bench);
  case KERNELS_ARRAYS:
    return kernels_run_arrays(bench);
  case KERNELS_BATCH:
    return kernels_run_batch(bench);
  case KERNELS_THRESHOLD:
    return kernels_run_threshold(bench);
  default:
    return true;
  }
}

/* Initialises CUDA, so that no row includes that time. */
static bool open_gpu(kernels_bench *bench)
{
  hymg_device_info device;
  const double start = fv_clock();
  const hymg_status status = hymg_device_get(bench->context, -1, &device);
  bench->start_seconds = fv_clock() - start;
  if (status == HYMG_OK)
    bench->copy = kernels_copy_create(bench->context, 1e6 * bench->options->triad_mb);
  if (bench->copy && !kernels_take_forms(bench->context, bench->options, NULL)) return false;
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
  bench->triad =
      kernels_triad_create(1e6 * options->triad_mb, hymg_context_threads(bench->context));
  if (!bench->triad) fprintf(stderr, "hymg-kernels: no memory for the triad\n");
  return bench->triad;
}

static int run(const kernels_options *options, int argc, char **argv)
{
  kernels_bench bench = {.options = options};
  if (!output_check("hymg-kernels", "--csv", options->csv)) return EXIT_BAD_INPUT;
  bool ok = open_bench(&bench);
  if (ok) {
    describe_run(&bench, argc, argv);
    ok = run_mode(&bench);
    ok = rows_close(&bench.csv, ok) && ok;
  }
  kernels_triad_destroy(&bench.triad);
  kernels_copy_destroy(&bench.copy);
  hymg_context_destroy(&bench.context);
  if (bench.wrong > 0)
    fprintf(stderr, "hymg-kernels: %lld results are wrong\n", (long long)bench.wrong);
  return !ok ? EXIT_AT_RUN_TIME : bench.wrong > 0 ? EXIT_WRONG : 0;
}

int main(int argc, char **argv)
{
  kernels_options options;
  int code;
  if (!fv_stdout_begin("hymg-kernels")) return EXIT_AT_RUN_TIME;
  if (kernels_options_read(argc, argv, &options, &code)) {
    if (!fv_launched_as_one("hymg-kernels", 1, NULL))
      code = EXIT_AT_RUN_TIME;
    else if (options.mode == KERNELS_LIST)
      list_rows();
    else
      code = run(&options, argc, argv);
  }
  return fv_stdout_end("hymg-kernels", code);
}
