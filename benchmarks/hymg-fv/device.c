/* The GPU of a run: whether there is one for every rank, how long CUDA took to start, where the
 * tuning file and the probe file are, --probe-comm and --devices. */
#define _GNU_SOURCE
#include "hymg-fv/run.h"

#include "common/kit/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Can any level of this run be on a GPU? */
static bool may_use_device(const fv_options *o)
{
  return *hymg_build_info().cuda && o->solver.backend != HYMG_BACKEND_HOST &&
         o->solver.smoother != HYMG_SYMGS;
}

/* Creates the file's folder; if that fails, the library reports that it cannot write the file. */
static void make_folders(char *path)
{
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
}

/* XDG says that a relative XDG_CACHE_HOME is to be ignored. NULL: there is no cache folder. */
static const char *cache_file(const fv_run *run, const char *name, char path[4096])
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = -1;
  if (cache && *cache == '/')
    length = snprintf(path, 4096, "%s/hymg/%s", cache, name);
  else if (home && *home == '/')
    length = snprintf(path, 4096, "%s/.cache/hymg/%s", home, name);
  if (length < 0 || length >= 4096) return NULL;
  if (hymg_context_rank(run->context) == 0 && !run->options->plan) make_folders(path);
  return path;
}

/* Does a profiler or checker run this program? Launches of kernels are slow then, so that what is
 * measured is of no use to other runs. By what compute-sanitizer, nsys and ncu set for the program
 * that they start. */
static bool is_watched(void)
{
  static const char *const signs[] = {"CUDA_INJECTION64_PATH", "NV_SANITIZER_INJECTION_PORT_BASE",
                                      "NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN",
                                      "NSYS_PROFILING_SESSION_ID",
                                      "NV_COMPUTE_PROFILER_PERFWORKS_DIR"};
  for (size_t m = 0; m < sizeof signs / sizeof *signs; m++)
    if (getenv(signs[m])) return true;
  return false;
}

static void find_tuning_file(fv_run *run)
{
  if (!options_given(&run->options->line, "tuning-file") && !is_watched())
    run->solver_options.tuning_file = cache_file(run, "tuning", run->tuning_file);
}

static void find_probe_file(fv_run *run)
{
  if (!options_given(&run->options->line, "probe-file"))
    run->solver_options.probe_file = cache_file(run, "probe", run->probe_file);
}

bool fv_start_device(fv_run *run, fv_report *report)
{
  const fv_options *o = run->options;
  run->solver_options = o->solver;
  if (o->solver.tuning == HYMG_TUNE_MEASURE) find_tuning_file(run);
  if (!may_use_device(o)) return true;
  const double start = fv_clock();
  const hymg_status status = hymg_device_get(run->context, -1, &report->device);
  report->startup_seconds = fv_clock() - start;
  const bool lacking = status == HYMG_EUNSUPPORTED && o->solver.backend == HYMG_BACKEND_AUTO;
  if (!fv_agree(run, lacking ? HYMG_OK : status, "CUDA")) return false;
  report->has_device = !fv_any(run, lacking);
  fv_max(run, &report->startup_seconds);
  if (report->has_device) {
    find_tuning_file(run);
    find_probe_file(run);
  }
  return true;
}

/* ---- --probe-comm ---- */

int fv_probe(fv_run *run)
{
  bool works = false;
  const char *file = run->options->solver.probe_file;
  run->solver_options = run->options->solver;
  if (!file) file = cache_file(run, "probe", run->probe_file);
  if (!file) {
    if (hymg_context_rank(run->context) == 0)
      fprintf(stderr, "hymg-fv: --probe-comm: HOME is not set: give --probe-file\n");
    return 2;
  }
  const bool nccl = run->options->solver.transport == HYMG_TRANSPORT_NCCL;
  const hymg_status status = nccl ? hymg_probe_nccl_messages(run->context, file, &works)
                                  : hymg_probe_device_messages(run->context, file, &works);
  if (!fv_agree(run, status, "--probe-comm")) return run->exit_code;
  if (hymg_context_rank(run->context) == 0)
    printf("%s %s device memory: kept in %s\n", nccl ? "NCCL" : "MPI", works ? "takes" : "garbles",
           file);
  return works ? 0 : 1;
}

/* ---- --devices ---- */

static int print_devices(hymg_context *context)
{
  int count;
  if (hymg_device_count(context, &count) != HYMG_OK) {
    puts(hymg_context_error(context));
    return 1;
  }
  for (int n = 0; n < count; n++) {
    hymg_device_info d;
    if (hymg_device_get(context, n, &d) == HYMG_OK)
      printf("%d  %s, compute capability %d.%d, %d multiprocessors, %.1f GB, %.1f GB free\n", n,
             d.name, d.capability[0], d.capability[1], d.multiprocessors, 1e-9 * d.memory_bytes,
             1e-9 * d.free_bytes);
    else
      printf("%d  %s\n", n, hymg_context_error(context));
  }
  return 0;
}

int fv_print_devices(hymg_context *context)
{
  int code = 0;
  if (hymg_context_rank(context) == 0) code = print_devices(context);
  double worst = code;
  return hymg_context_max(context, &worst) == HYMG_OK ? (int)worst : 3;
}
