/* The table of kernel choices by name (kernel_table.h). */
#include "kernel_table.h"

#include <string.h>

#include "runtime/device.h"

extern "C" bool hymgi_device_choose(hymg_context *context, const char *name, int64_t cells)
{
  if (hymgi_device_open(context) != HYMG_OK) return false;
  hymgi_kernel_choice *c = &context->gpu->choice;
  const struct {
    const char *name;
    int64_t *from;
  } form[] = {{"fv2_pair", &c->gsrb_fused_from},         {"fv2_march", &c->fv2_march_from},
              {"fv4_march", &c->fv4_march_from},         {"fv4_ring", &c->fv4_tma_from},
              {"relax_march", &c->relax_march_from},     {"relax_pair", &c->relax_fused_from},
              {"fv2_apart", &c->separate_exchange_from}, {"overlap", &c->overlap_from},
              {"overlap_fast", &c->overlap_fast_from},   {"fv4_sum", &c->fv4_sum_from}};
  for (const auto &f : form)
    if (strcmp(f.name, name) == 0) {
      *f.from = cells;
      return true;
    }
  return false;
}
