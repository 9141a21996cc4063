/* Cells with given values and empty rows on the host. */
#include "formulas/fixed.h"

#include "cpu/robust.h"
#include "cpu/setup.h"

void hymgi_cpu_take_fixed(const hymgi_level *level)
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      hymgi_take_fixed(&c, &level->fixed, g, i, j, k, level->c.alpha);
    }
  }
}

void hymgi_cpu_cut_faces(const hymgi_level *level, int axis, double *beta)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0] + (axis == 0), g->n[1] + (axis == 1), g->n[2] + (axis == 2))
    {
      if (hymgi_is_cut(level->fixed.given, g, axis, i, j, k)) beta[hymgi_at(g, i, j, k)] = 0;
    }
  }
}

/* Reads x where it is needed and writes it where it changes: few cells are given, and this is part of each iteration. */
static void set_row(hymgi_fix kind, int n, const double *given, const double *source, double *x)
{
  if (kind == HYMGI_FIX_RHS)
    for (int t = 0; t < n; t++)
      x[t] = hymgi_fixed_value(kind, given[t], source[t], x[t]);
  else
    for (int t = 0; t < n; t++)
      if (hymgi_is_given(given[t])) x[t] = hymgi_fixed_value(kind, given[t], 0, 0);
}

void hymgi_cpu_set_fixed(const hymgi_level *level, hymgi_fix kind, double *x)
{
  const double *const given = level->fixed.given, *const source = level->fixed.source
                                                                      ? level->fixed.source
                                                                      : given;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = hymgi_cpu_rows(level, level->box, level->num_boxes, true); s.g;
       hymgi_cpu_next(&s))
    set_row(kind, s.n, given + s.at, source + s.at, x + s.at);
}

void hymgi_cpu_mark_empty_rows(const hymgi_level *level, double value, double *out)
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  const double stand_in = level->c.empty_row;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      const ptrdiff_t at = hymgi_at(g, i, j, k);
      const double sink = level->c.alpha[at];
      out[at] = hymgi_is_empty_row(&c, g, i, j, k, sink, stand_in) ? value : sink;
    }
  }
}

void hymgi_cpu_give_empty_rows(const hymgi_level *level)
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  double *const given = level->fixed.given;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      const ptrdiff_t at = hymgi_at(g, i, j, k);
      if (!hymgi_is_given(given[at]) && hymgi_is_empty_row(&c, g, i, j, k, level->c.alpha[at], 0))
        given[at] = 0;
    }
  }
}
