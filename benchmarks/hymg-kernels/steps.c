/* The steps of the ladder: how a smoother came to run as it does now. All give the same bits. */
#include "cpu/cpu.h"
#include "hymg-kernels/kernels.h"

/* The steps around what the backend itself would choose. */
int kernels_host_steps(const hymgi_method *method, int n, kernels_step steps[KERNELS_STEPS])
{
  const hymgi_tuning own = hymgi_cpu_tuning(method);
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
  steps[count++] = (kernels_step){.name = "what the library chooses", .own = true};
  return count;
}

int kernels_gpu_steps(const hymgi_method *method, kernels_step steps[KERNELS_STEPS])
{
  const int64_t never = INT64_MAX;
  const hymgi_tuning split = hymgi_cpu_tuning(method);
  kernels_step s = {.tuning = kernels_untuned(),
                    .fv2_pair = never,
                    .fv2_march = never,
                    .fv4_march = never,
                    .fv4_ring = never};
  int count = 0;
  s.name = "plain rows";
  steps[count++] = s;
  s.gsrb_only = true;
  s.tuning = split;
  if (method->stencil == HYMG_FV2) {
    s.name = "rows split by colour";
    steps[count++] = s;
    s.name = "marched along z";
    s.fv2_march = 0;
    steps[count++] = s;
    s.name = "both colours in one pass";
    s.fv2_pair = 0;
    steps[count++] = s;
  } else {
    s.name = "tiles of split rows";
    steps[count++] = s;
    s.name = "marched along z";
    s.fv4_march = 0;
    steps[count++] = s;
    s.name = "its planes by tensor copies";
    s.fv4_ring = 0;
    steps[count++] = s;
  }
  steps[count++] = (kernels_step){.name = "what the library chooses", .own = true};
  return count;
}
