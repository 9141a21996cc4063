/* What hymg-robust prints: a line per problem, the summary of several, the list of names. */
#include "robust/hymg-robust.h"

#include <math.h>
#include <stdlib.h>

static double total(double setup, double solve)
{
  return setup + solve;
}

/* hypre's time over ours, set-up and solve. */
static double times_faster(const robust_result *r)
{
  return total(r->hypre.setup_seconds, r->hypre.seconds) / total(r->setup_seconds, r->seconds);
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
  const char *const path = hymg_path_name(s->path);
  const char *const why = hymg_reason_name(s->reason);
  printf("%-14s %10.0f %4d %6.0f %9.4f %9.4f %10.3e %-8s %-9s %8.1e", r->name, cells_of(r),
         s->cycles, r->units, r->setup_seconds, r->seconds, cells_of(r) / r->seconds, path,
         s->converged ? "yes" : why, s->residual_relative);
  if (r->options.hypre)
    printf(" %8d %9.4f %9.4f %8.1e %6.2f", h->iterations, h->setup_seconds, h->seconds,
           h->residual_relative, times_faster(r));
  putchar('\n');
  if (r->options.again)
    printf("    update %.4f s, %.1f cycles of %.5f s; solved again in %.4f s: %.3e DOF/s\n",
           r->update_seconds, r->update_seconds / r->cycle_seconds, r->cycle_seconds,
           r->again_seconds, cells_of(r) / r->again_seconds);
  if (r->options.verbose) print_details(r);
  fflush(stdout);
  const int *n = r->options.n;
  rows_add(csv,
           "%s,%d,%d,%d,%d,%.1f,%.6f,%.6f,%.4e,%s,%d,%s,%.3e,%d,%d,%.6f,%.6f,%.3e,%.6f,%.6f,%.6f",
           r->name, n[0], n[1], n[2], s->cycles, r->units, r->setup_seconds, r->seconds,
           cells_of(r) / r->seconds, path, s->converged, why, s->residual_relative, h->iterations,
           h->converged, h->setup_seconds, h->seconds, h->residual_relative, r->update_seconds,
           r->again_seconds, r->cycle_seconds);
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_median_ratio(const robust_results *all)
{
  double *ratio = malloc((size_t)all->count * sizeof *ratio);
  if (!ratio) return;
  for (int n = 0; n < all->count; n++)
    ratio[n] = times_faster(&all->result[n]);
  qsort(ratio, (size_t)all->count, sizeof *ratio, compare);
  printf("hypre's seconds over ours, set-up included: median %.2f\n", ratio[all->count / 2]);
  free(ratio);
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
