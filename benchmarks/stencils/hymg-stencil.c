/* hymg-stencil: the finite-difference studies. Exit status: 0 done; 1 a result is wrong; 2 bad
 * input; 3 failure at run time. */
#include "common/kit/launcher.h"
#include "common/kit/machine.h"
#include "common/kit/options.h"
#include "stencils/bench.h"

#include <stdio.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static void list(char which)
{
  for (char c = 'a'; c <= 'd'; c++)
    for (int gpu = 1; gpu >= 0 && (which == 0 || which == c); gpu--) {
      const stencil_kernels all = stencil_kernels_of(c, gpu);
      for (int k = 0; k < all.count; k++) {
        const stencil_kernel *const kernel = &all.kernel[k];
        printf("%c %-5s %s", c, gpu ? "cuda" : "host", kernel->name);
        if (kernel->tile[0]) printf(", tile %d", kernel->tile[0]);
        if (kernel->tile[1] > 0) printf("x%d", kernel->tile[1]);
        if (kernel->tile[1] == STENCIL_CHOSEN) printf(" and rows chosen for the cache");
        if (kernel->slab > 0) printf(", slab %d", kernel->slab);
        if (kernel->slab == STENCIL_CHOSEN) printf(", slab chosen for the GPU");
        putchar('\n');
      }
    }
}

/* Selects the backends: the GPU on request, or if there is one. */
static bool open_gpu(stencil_bench *bench, stencil_options *o)
{
  const char *why = NULL;
  if (o->chosen && !o->backend[0]) return true;
  bench->has_gpu = bench->pinned = stencil_gpu_open(0, &bench->device, &why);
  if (!o->chosen) {
    o->backend[0] = bench->has_gpu;
    o->backend[1] = !bench->has_gpu;
  }
  if (bench->has_gpu || !o->backend[0]) return true;
  fprintf(stderr, "hymg-stencil: --backend cuda: %s\n", why);
  return false;
}

static bool has_kernel(const stencil_options *o, bool gpu)
{
  const stencil_kernels all = stencil_kernels_of(o->which, gpu);
  for (int k = 0; k < all.count; k++)
    if (strstr(all.kernel[k].name, o->kernel)) return true;
  return false;
}

/* Before anything is measured. */
static bool check_kernel(const stencil_options *o)
{
  if (!o->kernel || o->which == 0 || (o->backend[0] && has_kernel(o, true)) ||
      (o->backend[1] && has_kernel(o, false)))
    return true;
  fprintf(stderr, "hymg-stencil: --kernel '%s': case %c has no such kernel; --list names them\n",
          o->kernel, o->which);
  return false;
}

static bool run_backend(stencil_bench *bench, bool gpu)
{
  const stencil_options *const o = bench->options;
  bench->gpu = gpu;
  if (o->snapshot || o->gather) return stencil_wave(bench);
  return o->which ? stencil_run_case(bench, o->which) : stencil_run_all(bench);
}

static int run(stencil_options *o)
{
  stencil_bench bench = {.options = o};
  if (!open_gpu(&bench, o) || !check_kernel(o)) return EXIT_BAD_INPUT;
  if (!stencil_output_open(&bench.out, o, bench.has_gpu ? bench.device.name : ""))
    return EXIT_BAD_INPUT;
  bool ok = true;
  if (o->backend[0]) ok = run_backend(&bench, true);
  if (o->backend[1] && ok) ok = run_backend(&bench, false);
  const bool simulated = o->snapshot || o->gather;
  if (ok && !simulated && bench.out.count == 0) {
    fprintf(stderr, "hymg-stencil: no kernel of case %c runs so; --list names them\n", o->which);
    stencil_close(&bench);
    return EXIT_BAD_INPUT;
  }
  ok = stencil_output_close(&bench.out, ok) && ok;
  stencil_close(&bench);
  if (bench.wrong > 0)
    fprintf(stderr, "hymg-stencil: %lld results are wrong\n", (long long)bench.wrong);
  return !ok ? EXIT_AT_RUN_TIME : bench.wrong > 0 ? EXIT_WRONG : 0;
}

int main(int argc, char **argv)
{
  stencil_options options;
  int code;
  if (!fv_stdout_begin("hymg-stencil")) return EXIT_AT_RUN_TIME;
  if (!stencil_options_read(argc, argv, &options, &code))
    return fv_stdout_end("hymg-stencil", code);
#ifdef _OPENMP
  if (options.threads > 0) omp_set_num_threads(options.threads);
#endif
  code = 0;
  if (!options.scaling && !fv_launched_as_one("hymg-stencil", 1, NULL))
    code = EXIT_AT_RUN_TIME;
  else if (options.list)
    list(options.which);
  else
    code = options.scaling ? stencil_scaling(&options) : run(&options);
  return fv_stdout_end("hymg-stencil", code);
}
