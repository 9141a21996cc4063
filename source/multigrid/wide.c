#include "multigrid/wide.h"

#include <string.h>

#include "multigrid/level_ops.h"

/* Along x rows keep their whole length: vectors are faster than a few cells less, and what lies in their outermost cells
 * is not read. */
hymgi_level hymgi_wide_view(const hymgi_level *level, int layers)
{
  const hymgi_wide *const wide = level->wide;
  const int more[3] = {level->layers, layers, layers};
  hymgi_level view = *level;
  int domain[3];
  hymgi_wide_domain(level, domain);
  for (int b = 0; b < level->num_boxes; b++)
    wide->box[b] = hymgi_geom_extended(level->box[b], more, domain);
  view.box = wide->box;
  view.wide = NULL, view.layers = 0;
  view.c.constant_rows = wide->constant_rows, view.c.constant_row = wide->constant_row;
  memset(view.halo, 0, sizeof view.halo);
  return view;
}

void hymgi_wide_exchange(const hymgi_level *level, hymgi_real *x)
{
  if (level->silent) return;
  level->wide->exchanges++;
  hymgi_run_plan(level, level->wide->plan, level->box, x, level->box, x);
}

void hymgi_wide_begin(const hymgi_level *level, bool zero)
{
  hymgi_wide *const wide = level->wide;
  if (!wide) return;
  wide->known = zero ? level->layers + level->ghost : 0;
  if (zero) level->backend->clear(level, level->x);
  if (!wide->f_known) hymgi_wide_exchange(level, level->f);
  wide->f_known = wide->visited;
}

void hymgi_wide_enter(const hymgi_level *level)
{
  hymgi_wide *const wide = level->wide;
  if (wide) wide->visited = true, wide->f_known = wide->current = false;
}

void hymgi_wide_leave(const hymgi_level *level)
{
  hymgi_wide *const wide = level->wide;
  if (wide) wide->visited = wide->f_known = false, wide->current = wide->known >= level->ghost;
}

bool hymgi_wide_is_current(const hymgi_level *level)
{
  const bool current = level->wide && level->wide->current;
  if (current) level->wide->current = false;
  return current;
}
