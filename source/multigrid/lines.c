/* Lines of cells that are solved exactly. */
#include "multigrid/lines.h"

#include "multigrid/profile.h"

void hymgi_lines_set(hymgi_level *level)
{
  level->line.on = false;
  if (hymgi_line_axis(level) < 0) return;
  level->backend->robust->factor_lines(level);
  level->line.on = hymgi_norm_max(level, level->line.pivot) > 0;
}

void hymgi_lines_drop(hymgi_level *level)
{
  level->line.on = false;
  hymgi_fill(level, 0, level->line.pivot);
}

static void relax_colour(hymgi_level *level, int colour)
{
  hymgi_run_plan(level, hymgi_operator_halo(level), level->box, level->x, level->box, level->x);
  level->backend->robust->solve_lines(level, colour);
}

void hymgi_relax_lines(hymgi_level *level, bool reversed)
{
  if (!level->line.on) return;
  HYMGI_OPERATION(level, HYMGI_OP_LINES, 2, relax_colour(level, reversed);
                  relax_colour(level, !reversed));
}
