/* Forms of kernels, all of which give the same bits: the steps of the ladder (optimisations added
 * one after the other), a GPU's forms left out one at a time, and the kernels of each level. */
#include "cpu/cpu.h"
#include "hymg-kernels/kernels.h"
#include "kernel_table.h"

/* The steps before and after the backend's own choice. */
int kernels_host_steps(int n, kernels_step steps[KERNELS_STEPS])
{
  const hymgi_tuning own = hymgi_cpu_tuning();
  const int from = own.wave_from > 0 && own.wave_from < n ? own.wave_from : n;
  const hymgi_tuning split = {.split_from = own.split_from};
  hymgi_tuning wave = {own.split_from, from, 2, own.wave_rows, false};
  hymgi_tuning all = {own.split_from, from, 6, own.wave_rows, true};
  static const struct {
    const char *name;
    int rows;
  } tiles[] = {{"the same in tiles of 16 rows", 16},
               {"the same in tiles of 32 rows", 32},
               {"the same in tiles of 64 rows", 64},
               {"the same in tiles of 128 rows", 128},
               {"the same in whole planes", 0}};
  int count = 0;
  steps[count++] = (kernels_step){.name = "plain rows pass by pass", .tuning = kernels_untuned()};
  steps[count++] = (kernels_step){
      .name = "rows split by colour pass by pass", .gsrb_only = true, .tuning = split};
  steps[count++] = (kernels_step){.name = "wavefront of 2 sweeps", .tuning = wave};
  wave.wave_stages = 3;
  steps[count++] = (kernels_step){.name = "wavefront of 3 sweeps", .tuning = wave};
  wave.wave_stages = 6;
  steps[count++] = (kernels_step){.name = "wavefront of 6 sweeps", .tuning = wave};
  steps[count++] = (kernels_step){.name = "and residual and restriction", .tuning = all};
  for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
    all.wave_rows = tiles[i].rows;
    steps[count++] = (kernels_step){.name = tiles[i].name, .tuning = all};
  }
  steps[count++] =
      (kernels_step){.name = "what the library estimates", .own = true, .estimated = true};
  steps[count++] = (kernels_step){.name = "what the library measures", .own = true};
  return count;
}

static kernels_form never(const char *name)
{
  return (kernels_form){name, INT64_MAX};
}

int kernels_gpu_steps(hymg_stencil stencil, kernels_step steps[KERNELS_STEPS])
{
  const bool fv2 = stencil == HYMG_FV2;
  const char *const residual = "fv2_both_colours";
  const char *const forms[2] = {fv2 ? "fv2_gsrb_march" : "fv4_march",
                                fv2 ? "fv2_gsrb_fused" : "fv4_march_tma"};
  const char *const names[4] = {"plain rows", fv2 ? "rows split by colour" : "tiles of split rows",
                                "marched along z",
                                fv2 ? "both colours in one pass" : "its planes by TMA"};
  int count = 0;
  for (int m = 0; m < 4; m++) {
    kernels_step *s = steps + count++;
    *s = (kernels_step){.name = names[m],
                        .gsrb_only = m > 0,
                        .tuning = m == 0 ? kernels_untuned() : hymgi_cpu_tuning()};
    for (int f = 0; f < 2; f++)
      s->form[f] = m >= f + 2 ? (kernels_form){forms[f], 0} : never(forms[f]);
    if (fv2) s->form[2] = m >= 2 ? (kernels_form){residual, 0} : never(residual);
  }
  steps[count++] = (kernels_step){.name = "what the library chooses", .own = true};
  return count;
}

/* The library's choice, then the same without each form. */
int kernels_ablation_steps(kernels_step steps[KERNELS_STEPS])
{
  int count = 0;
  steps[count++] = (kernels_step){.name = "what the library chooses", .own = true};
  for (int f = 0; hymgi_kernel_form_name(f); f++)
    steps[count++] = (kernels_step){
        .name = hymgi_kernel_form_name(f), .own = true, .form = {never(hymgi_kernel_form_name(f))}};
  return count;
}

bool kernels_take_forms(hymg_context *context, const kernels_options *o, const kernels_form *form)
{
  bool ok = true;
  for (int m = 0; m < o->num_without && ok; m++)
    ok = hymgi_kernel_form_from(context, o->without[m], INT64_MAX);
  for (int m = 0; form && m < KERNELS_FORMS && form[m].name && ok; m++)
    ok = hymgi_kernel_form_from(context, form[m].name, form[m].cells);
  return ok;
}

void kernels_list_forms(void)
{
  for (int f = 0; hymgi_kernel_form_name(f); f++)
    printf("form %s: %s\n", hymgi_kernel_form_name(f), hymgi_kernel_form_text(f));
}

static bool list_kernels(kernels_bench *bench, const kernels_problem *p, hymg_stencil stencil)
{
  const kernels_options *o = bench->options;
  const hymg_options options = kernels_solver_options(o);
  hymg_tuning_info tuning;
  kernels_kit kit;
  if (!kernels_kit_create(bench->context, p, stencil, &options, NULL, &kit)) return false;
  hymg_solver_tuning(kit.solver, &tuning);
  printf("\n%d^3, %s, variable beta, %s; one launch from level %d down, the host from level %d\n",
         p->n, kernels_stencil_name(stencil), kernels_smoother_names[o->smoother], tuning.tail_from,
         tuning.host_from);
  for (int l = 0; l < hymg_solver_num_levels(kit.solver); l++) {
    hymg_level_info info;
    hymg_solver_level(kit.solver, l, &info);
    printf("  %2d  %4d x %4d x %4d  %s\n", l, info.cells[0], info.cells[1], info.cells[2],
           info.backend == HYMG_BACKEND_CUDA ? info.kernels : "the host");
  }
  kernels_kit_destroy(&kit);
  return true;
}

bool kernels_run_list(kernels_bench *bench)
{
  return kernels_for_sizes(bench, false, list_kernels);
}
