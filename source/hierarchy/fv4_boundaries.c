/* FV4's boundaries on the robust path: what boundary data add to f, and Neumann boundaries, whose flux is
 * that of the data alone. */
#include "hierarchy/build.h"
#include "multigrid/boundary_data.h"
#include "multigrid/level_ops.h"

/* ---- boundary data ---- */

/* Coefficients of the level in memory that the host can read: *copy is to be destroyed. */
static hymg_status read_vector(const hymgi_level *level, const double *vector, double **copy,
                               const double **read)
{
  *copy = NULL;
  *read = vector;
  if (level->num_boxes == 0) return HYMG_OK;
  level->backend->sync(level->context); /* kernels may still write it, also in managed memory */
  if (level->memory->on_host) return level->context->status;
  TRY(hymgi_crossing_create(level, level->vector_size, copy));
  level->backend->copy(level->context, vector, *copy, (size_t)level->vector_size);
  *read = *copy;
  return level->context->status;
}

/* Of an axis: what its fluxes add, or the mean of alpha u. */
static hymg_status add_part(const hymgi_level *level, int axis, bool mean, double *term)
{
  double *copy[2] = {NULL, NULL};
  const double *beta, *alpha = NULL;
  hymg_status status = read_vector(level, level->c.beta[axis], &copy[0], &beta);
  if (status == HYMG_OK && mean) status = read_vector(level, level->c.alpha, &copy[1], &alpha);
  if (status == HYMG_OK && mean)
    hymgi_cpu_fv4_alpha_data_term(level, axis, beta, alpha, term);
  else if (status == HYMG_OK)
    hymgi_cpu_fv4_data_term(level, axis, beta, term);
  for (int m = 0; m < 2; m++)
    hymgi_crossing_destroy(level, level->vector_size, &copy[m]);
  return status;
}

static hymg_status add_all(const hymgi_level *level, double *term)
{
  const int parts = level->c.alpha_limit > 0 ? 6 : 3;
  hymg_status status = HYMG_OK;
  for (int part = 0; part < parts && status == HYMG_OK; part++)
    status = add_part(level, part % 3, part >= 3, term);
  return status;
}

static hymg_status make_term(hymgi_level *level)
{
  double *term = NULL, **const cells = &level->boundaries->cells;
  const ptrdiff_t size = level->vector_size;
  if (!*cells) TRY(hymgi_vector_create(level, size, cells));
  hymg_status status = hymgi_crossing_create(level, size, &term);
  if (status == HYMG_OK) status = add_all(level, term);
  if (status == HYMG_OK && size > 0)
    level->backend->copy(level->context, term, *cells, (size_t)size);
  hymgi_crossing_destroy(level, size, &term);
  return status == HYMG_OK ? level->context->status : status;
}

/* ---- Neumann boundaries ---- */

/* The layer of faces at a boundary, with its ghosts, from a vector of zeros. */
static void clear_layer(const hymgi_level *level, int face, const double *zeros)
{
  const int axis = face / 2;
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b;
    if (!hymgi_is_boundary(g, face)) continue;
    hymgi_copy c = {.src_box = b, .dst_box = b};
    for (int t = 0; t < 3; t++) {
      c.src[t] = c.dst[t] = -1;
      c.n[t] = g->n[t] + 2;
    }
    c.src[axis] = c.dst[axis] = face & 1 ? g->n[axis] : 0, c.n[axis] = 1;
    const hymgi_plan plan = {.threads = level->context->threads, .num_local = 1, .local = &c};
    level->backend->mover.local(level->context, &plan, level->box, zeros, level->box,
                                level->c.beta[axis]);
  }
}

hymg_status hymgi_fv4_boundaries_set(hymgi_hierarchy *h)
{
  hymgi_level *level = h->system;
  if (h->kind->stencil != HYMG_FV4) return HYMG_OK;
  if (level->boundaries) TRY(hymgi_agree(h->context, make_term(level)));
  if (level->num_boxes > 0) level->backend->clear(level, level->krylov);
  for (int face = 0; face < 6 && level->num_boxes > 0; face++) {
    if (!level->boundary[face].gives_flux) continue;
    if (level->c.closed) { /* zeros with the marks */
      hymgi_vector_copy(level, level->c.beta[face / 2], level->krylov);
      level->backend->scale(level, 0, level->krylov);
    }
    clear_layer(level, face, level->krylov);
  }
  return hymgi_agree(h->context, h->context->status);
}
