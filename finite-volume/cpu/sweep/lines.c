/* Line relaxation on the host: a line after the other. */
#include "formulas/lines.h"

#include "cpu/cpu.h"
#include "cpu/robust.h"

/* The numbers of cells along the two other axes. */
static void count_lines(const hymgi_geom *g, int axis, int n[2])
{
  n[0] = g->n[axis == 0 ? 1 : 0], n[1] = g->n[axis == 2 ? 1 : 2];
}

static void solve_lines_of(const hymgi_level *level, const hymgi_lines *l, const hymgi_geom *g,
                           int colour)
{
  int n[2];
  count_lines(g, l->axis, n);
#pragma omp parallel for schedule(dynamic) num_threads(hymgi_cpu_threads(level))
  for (int b = 0; b < n[1]; b++)
    for (int a = 0; a < n[0]; a++)
      if (hymgi_colour_of_line(g, l->axis, a, b) == colour)
        hymgi_solve_line(l, g, level->f, a, b, level->x);
}

void hymgi_cpu_solve_lines(const hymgi_level *level, int colour)
{
  const hymgi_lines l = hymgi_lines_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    solve_lines_of(level, &l, g, colour);
}
