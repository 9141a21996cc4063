#include "multigrid/wide.h"

#include <string.h>

#include "multigrid/level_ops.h"

/* Along x rows keep their whole length: vectors are faster than a few cells less, and what lies in their outermost cells
 * is not read. */
static hymgi_level view_of(const hymgi_level *level, const int more[3])
{
  const hymgi_wide *const wide = level->wide;
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

hymgi_level hymgi_wide_view(const hymgi_level *level, int layers)
{
  const int more[3] = {level->layers, layers, layers};
  return view_of(level, more);
}

/* ---- interpolation ---- */

/* Layers around the image of this rank's box in which the coarse values are known. Of a coarse level that wraps around the
 * ghosts alone are in memory. */
static int known_around(const hymgi_level *fine, const hymgi_level *coarse)
{
  if (fine->inside && coarse->decomp->whole) return fine->periodic ? 0 : fine->layers;
  return fine->direct && coarse->wide && coarse->wide->current ? coarse->wide->known : 0;
}

int hymgi_wide_target(const hymgi_level *fine, const hymgi_level *coarse, bool boundary_data)
{
  enum { SLOTS = 4, REACH = 2 }; /* cells that the interpolation reads around its own at most */
  if (!fine->wide || !fine->backend->interpolates_layers || fine->num_boxes != 1) return 0;
  if (boundary_data && coarse->boundaries) return 0; /* of the coarse level's own box */
  const int known = known_around(fine, coarse),
            all = fine->inside ? known : 2 * (known > REACH ? known - REACH : 0);
  return (all < fine->layers ? all : fine->layers) / SLOTS * SLOTS;
}

/* The image of an extended box, in the memory of that of the box itself. */
static hymgi_geom image_of(const hymgi_geom *box, hymgi_geom patch)
{
  for (int axis = 0; axis < 3; axis++) {
    const int before = patch.low[axis] - box->low[axis] / 2;
    patch.low[axis] -= before, patch.n[axis] = box->n[axis] / 2;
    patch.parity ^= before & 1;
    patch.base -= axis == 0 ? (patch.split ? before / 2 : before)
                            : before * (axis == 1 ? patch.pitch : patch.plane);
  }
  patch.boundaries = box->boundaries;
  return patch;
}

hymgi_level hymgi_wide_interpolated(const hymgi_level *fine, int layers, bool add)
{
  if (layers == 0) return *fine;
  hymgi_wide *const wide = fine->wide;
  const int more[3] = {layers, layers, layers};
  hymgi_level view = view_of(fine, more);
  wide->patch = image_of(view.box, fine->patch[0]);
  view.patch = &wide->patch;
  wide->ready = (add && wide->known < layers ? wide->known : layers) -
                (fine->op->ghost - hymgi_wide_reach(fine));
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
  wide->known = zero ? level->layers + level->ghost : wide->ready;
  wide->ready = 0;
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
