/* What hymg-robust prints: a line per problem, the summary of several, the list of names. */
#include "robust/hymg-robust.h"

#include "common/kit/timing.h"

/* hypre's time over ours, set-up and solve. */
static double times_faster(const robust_result *r)
{
  const double *const t = r->seconds;
  return (t[ROBUST_HYPRE_SETUP] + t[ROBUST_HYPRE_SOLVE]) / (t[ROBUST_SETUP] + t[ROBUST_SOLVE]);
}

static double cells_of(const robust_result *r)
{
  return (double)r->options.n[0] * r->options.n[1] * r->options.n[2];
}

void robust_print_list(void)
{
  for (int n = 0; n < robust_num_names; n++)
    printf("%-14s %s\n", robust_names[n].name, robust_names[n].keys);
}

void robust_print_head(const robust_options *o)
{
  printf("%-14s %10s %4s %6s %9s %9s %10s %-8s %-9s %8s", "problem", "cells", "it", "WU",
         "set-up s", "solve s", "DOF/s", "path", "converged", "residual");
  if (o->hypre)
    printf(" %8s %9s %9s %8s %6s", "hypre it", "set-up s", "solve s", "residual", "ratio");
  putchar('\n');
}

static void print_details(const robust_result *r)
{
  printf("    %s\n    largest |u|: %.9e\n", *r->note ? r->note : "no note", r->largest);
  if (r->options.hypre) printf("    hypre's:     %.9e\n", r->hypre.largest);
  for (int l = 0; l < r->num_levels; l++) {
    const hymg_level_info *level = &r->levels[l];
    printf("    level %d: %d x %d x %d", l, level->cells[0], level->cells[1], level->cells[2]);
    for (int axis = 0; axis < 3; axis++)
      if (level->coarsened >> axis & 1) printf(" %c", "xyz"[axis]);
    putchar('\n');
  }
}

const char robust_csv_columns[] =
    "problem,nx,ny,nz,iterations,work_units,setup_seconds,seconds,dof_per_second,path,converged,"
    "reason,residual,hypre_iterations,hypre_converged,hypre_setup_seconds,hypre_seconds,"
    "hypre_residual,update_seconds,again_seconds,cycle_seconds";

void robust_print_result(const robust_result *r, csv_table *csv)
{
  const hymg_result *s = &r->result;
  const robust_other *h = &r->hypre;
  const double *const t = r->seconds;
  const char *const path = hymg_path_name(s->path);
  const char *const why = hymg_reason_name(s->reason);
  printf("%-14s %10.0f %4d %6.0f %9.4f %9.4f %10.3e %-8s %-9s %8.1e", r->name, cells_of(r),
         s->cycles, r->units, t[ROBUST_SETUP], t[ROBUST_SOLVE], cells_of(r) / t[ROBUST_SOLVE], path,
         s->converged ? "yes" : why, s->residual_relative);
  if (r->options.hypre)
    printf(" %8d %9.4f %9.4f %8.1e %6.2f", h->iterations, t[ROBUST_HYPRE_SETUP],
           t[ROBUST_HYPRE_SOLVE], h->residual_relative, times_faster(r));
  putchar('\n');
  if (r->options.again)
    printf("    update %.4f s, %.1f cycles of %.5f s; solved again in %.4f s: %.3e DOF/s\n",
           t[ROBUST_UPDATE], t[ROBUST_UPDATE] / t[ROBUST_CYCLE], t[ROBUST_CYCLE], t[ROBUST_AGAIN],
           cells_of(r) / t[ROBUST_AGAIN]);
  if (r->options.verbose) print_details(r);
  fflush(stdout);
  const int *n = r->options.n;
  rows_add(csv,
           "%s,%d,%d,%d,%d,%.1f,%.6f,%.6f,%.4e,%s,%d,%s,%.3e,%d,%d,%.6f,%.6f,%.3e,%.6f,%.6f,%.6f",
           r->name, n[0], n[1], n[2], s->cycles, r->units, t[ROBUST_SETUP], t[ROBUST_SOLVE],
           cells_of(r) / t[ROBUST_SOLVE], path, s->converged, why, s->residual_relative,
           h->iterations, h->converged, t[ROBUST_HYPRE_SETUP], t[ROBUST_HYPRE_SOLVE],
           h->residual_relative, t[ROBUST_UPDATE], t[ROBUST_AGAIN], t[ROBUST_CYCLE]);
}

static void print_median_ratio(const robust_results *all)
{
  times ratio = {0};
  bool ok = true;
  for (int n = 0; n < all->count && ok; n++)
    ok = times_add(&ratio, times_faster(&all->result[n]), 1);
  if (ok) printf("hypre's seconds over ours, set-up included: median %.2f\n", times_median(&ratio));
  times_free(&ratio);
}

void robust_print_summary(const robust_results *all)
{
  static const int bound[] = {15, 25, 32, 50, 100};
  for (int way = 0; way < (all->result[0].options.hypre ? 2 : 1); way++) {
    printf("%s converged, of %d problems:", way ? "hypre" : "hymg ", all->count);
    for (size_t b = 0; b < sizeof bound / sizeof *bound; b++) {
      int within = 0;
      for (int n = 0; n < all->count; n++) {
        const robust_result *r = &all->result[n];
        const bool converged = way ? r->hypre.converged : r->result.converged;
        within += converged && (way ? r->hypre.iterations : r->result.cycles) <= bound[b];
      }
      printf("%s %d in %d", b ? "," : "", within, bound[b]);
    }
    printf(" iterations\n");
  }
  if (all->result[0].options.hypre) print_median_ratio(all);
}
