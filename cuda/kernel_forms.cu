/* The forms of kernels that only some levels use, and from how many cells on: numbers of a machine. */
#include <string.h>

#include "attach.h"
#include "kernel_table.h"

namespace
{

constexpr int64_t NEVER = INT64_MAX;

constexpr int64_t cube(int64_t n)
{
  return n * n * n;
}

/* clang-format off */
/* Forms that only some levels use, in the order of hymgi_form. */
constexpr struct {
  const char *name, *text;
  int64_t from; /* fewest cells of a level (measured on an H200) */
} FORM[HYMGI_FORMS] = {
    {"fv2_gsrb_fused", "red and black in one pass", cube(110)},
    {"fv2_gsrb_tile", "red and black in one launch of tiles", 0},
    {"fv2_gsrb_march", "half sweeps of split rows march along z", cube(160)},
    {"fv2_both_colours", "residuals of split rows march along z, both colours in one pass", cube(64)},
    {"fv2_gsrb_peer", "half sweeps exchange with peers by themselves", 0},
    {"fv2_relax_march", "sweeps and residuals of plain rows march along z", cube(80)},
    {"fv2_relax_point", "sweeps of plain rows, one cell a thread, loads before the wait", 0},
    {"fv2_relax_fused", "two sweeps in one pass over memory", cube(80)},
    {"fv4_march", "rows split by colour whatever the smoother, all marches along z", cube(80)},
    {"fv4_march_tma", "marches whose planes come by TMA", cube(80)},
    {"fv4_gsrb_tile", "half sweeps in tiles in shared memory", 0},
    {"fv4_gsrb_shared", "all half sweeps of a call in one launch, the level in shared memory", 0},
    {"fv4_relax_tile", "sweeps of plain rows in tiles", 0},
    {"fv4_restrict_tile", "residual and restriction in tiles", 0},
    {"coarse_octants", "V- and F-cycles of FV2 from 16^3 down in one launch of a cluster", 0},
    {"overlap_staged", "sweeps in parts while staged messages are on their way", cube(160)},
    {"overlap", "the same with peers and device messages, where it has not been seen to pay", NEVER},
};
/* clang-format on */

} /* namespace */

void hymgi_kernel_table_load(hymgi_device *device)
{
  if (device->has_forms) return;
  device->has_forms = true;
  for (int form = 0; form < HYMGI_FORMS; form++)
    device->form_from[form] = FORM[form].from;
}

/* ---- for benchmarks and tests ---- */

extern "C" bool hymgi_kernel_form_from(hymg_context *context, const char *name, int64_t cells)
{
  if (hymgi_device_open(context) != HYMG_OK) return false;
  hymgi_kernel_table_load(context->gpu);
  for (int form = 0; form < HYMGI_FORMS; form++)
    if (strcmp(FORM[form].name, name) == 0) {
      context->gpu->form_from[form] = cells;
      return true;
    }
  return false;
}

extern "C" const char *hymgi_kernel_form_name(int form)
{
  return form >= 0 && form < HYMGI_FORMS ? FORM[form].name : NULL;
}

extern "C" const char *hymgi_kernel_form_text(int form)
{
  return form >= 0 && form < HYMGI_FORMS ? FORM[form].text : NULL;
}
