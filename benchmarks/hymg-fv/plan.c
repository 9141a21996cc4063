/* What a run needs in memory, before it allocates any: --plan, and the refusal of runs that do not
 * fit on a GPU. */
#include "hymg-fv/run.h"

#include <stdio.h>

static double cells_of(const int n[3])
{
  return (double)n[0] * n[1] * n[2];
}

static hymg_status find_need(const fv_run *run, hymg_need *need)
{
  const fv_options *o = run->options;
  const hymg_operator_desc desc = fv_operator_desc(o);
  return hymg_solver_need(run->system[0].grid, &desc, o->variable ? HYMG_VARIABLE_BETA : 0u,
                          &run->solver_options, need);
}

/* The program's own fields, which the solver's estimate does not include, per cell of a rank: u and
 * f of the two coarser sizes, and beta while the solver is made. */
static double other_fields(const fv_options *o, int levels)
{
  const double coarser = levels > 2 ? 1. / 8 + 1. / 64 : levels > 1 ? 1. / 8 : 0;
  return 8 * (2 * coarser + (o->variable ? 3 : 0));
}

bool fv_check_device_memory(fv_run *run, const fv_report *report)
{
  const fv_options *o = run->options;
  hymg_need need;
  if (!report->has_device) return true;
  if (!fv_agree(run, find_need(run, &need), "plan")) return false;
  const double bytes =
      need.device_bytes + other_fields(o, need.num_levels) * cells_of(o->grid.n) / report->ranks;
  if (!fv_any(run, need.device_bytes > 0.0 && bytes > need.device_free)) return true;
  if (hymg_context_rank(run->context) == 0)
    fprintf(stderr,
            "hymg-fv: %d x %d x %d cells need at least %.3f GB on the GPU, %.3f GB are free\n",
            o->grid.n[0], o->grid.n[1], o->grid.n[2], 1e-9 * bytes, 1e-9 * need.device_free);
  run->exit_code = 2;
  return false;
}

/* ---- --plan ---- */

static void print_row(const char *place, const char *cells, const char *holders, const char *home,
                      const double bytes[3], double dof)
{
  const double sum = bytes[0] + bytes[1] + bytes[2];
  printf("%5s  %-24s %-14s %-13s %12.6f %12.6f %12.6f %12.6f %9.2f\n", place, cells, holders, home,
         1e-9 * bytes[0], 1e-9 * bytes[1], 1e-9 * bytes[2], 1e-9 * sum, sum / dof);
}

typedef struct holders_text {
  char text[32];
} holders_text;

/* Which ranks hold a level. */
static holders_text holders(const hymg_level_need *l, int ranks)
{
  holders_text out;
  if (l->boxes == 1 && l->ranks > 1)
    snprintf(out.text, sizeof out.text, "copies on %d", l->ranks);
  else if (l->ranks == ranks)
    snprintf(out.text, sizeof out.text, "all");
  else
    snprintf(out.text, sizeof out.text, "%d of %d", l->ranks, ranks);
  return out;
}

static void print_need(const fv_run *run, const fv_report *report, const hymg_need *need)
{
  const fv_options *o = run->options;
  const double dof = cells_of(o->grid.n) / report->ranks;
  double total[3] = {0.0, 0.0, 0.0};
  puts("memory in GB (1e9 bytes)\n");
  printf("%5s  %-24s %-14s %-13s %12s %12s %12s %12s %9s\n", "level", "cells", "ranks", "memory",
         "vectors", "coefficients", "buffers", "all", "B/DOF");
  for (int n = 0; n < need->num_levels; n++) {
    const hymg_level_need *l = &need->level[n];
    const double bytes[3] = {l->vectors, l->coefficients, l->buffers};
    char place[16], cells[48], home[32];
    snprintf(place, sizeof place, "%d", n);
    snprintf(cells, sizeof cells, "%d x %d x %d", l->cells[0], l->cells[1], l->cells[2]);
    snprintf(home, sizeof home, "%s, %s", hymg_enum_name("hymg_backend", (int)l->backend),
             l->memory);
    print_row(place, cells, holders(l, report->ranks).text, home, bytes, dof);
    for (int m = 0; m < 3; m++)
      total[m] += bytes[m];
  }
  print_row("all", "", "", "", total, dof);
  const double fields[3] = {other_fields(o, need->num_levels) * dof, 0.0, 0.0};
  print_row("", "fields of the program", "", "", fields, dof);
}

static void print_room(const fv_report *report, const hymg_need *need)
{
  if (!report->has_device || need->device_bytes == 0.0) {
    puts("\nno level is on a GPU");
    return;
  }
  printf("\n%s: %.3f GB free, the solver and its fields need %.3f GB\n", report->device.name,
         1e-9 * need->device_free, 1e-9 * need->device_bytes);
}

bool fv_plan(fv_run *run, const fv_report *report)
{
  hymg_need need;
  if (!fv_agree(run, find_need(run, &need), "plan")) return false;
  if (hymg_context_rank(run->context) != 0) return true;
  if (report->ranks > 1) printf("rank 0 of %d; DOF: the cells over the ranks\n", report->ranks);
  print_need(run, report, &need);
  print_room(report, &need);
  return true;
}
