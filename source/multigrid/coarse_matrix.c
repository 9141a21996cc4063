/* From a level of at most 64 cells down a cycle from 0 is a matrix times f: a product takes a GPU less
 * than 1 us, where the cycle is many steps of a few cells each. The columns are what the library's own
 * cycle makes of unit vectors, so that all backends, ranks and threads have the same matrix, and they
 * add up a row's products in the same order. */
#include <stdlib.h>

#include "multigrid/hierarchy.h"
#include "multigrid/level_ops.h"

/* ---- cells ---- */

/* Red ones first, then the order of memory. */
static int list_cells(const hymgi_geom *g, ptrdiff_t at[HYMGI_MATRIX_CELLS])
{
  int count = 0;
  for (int colour = 0; colour < 2; colour++)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = hymgi_first(g, colour, j, k); i < g->n[0]; i += 2)
          at[count++] = hymgi_at(g, i, j, k);
  return count;
}

/* ---- the product ---- */

void hymgi_coarse_multiply(hymgi_hierarchy *h, int visits)
{
  hymgi_level *level = h->level + h->matrix.level;
  const double *const matrix = visits ? h->matrix.v : h->matrix.f;
  ptrdiff_t at[HYMGI_MATRIX_CELLS];
  list_cells(level->box, at);
  HYMGI_OPERATION(level, HYMGI_OP_MATRIX,
                  (double)hymgi_matrix_doubles(level->cells) / (double)level->cells,
                  level->backend->coarse_multiply(level, matrix, at));
}

/* ---- making them ---- */

/* f of the levels below from that of level l. */
static void restrict_down(hymgi_hierarchy *h, int l)
{
  for (; l + 1 < h->num_levels; l++)
    hymgi_restrict_cells(h->level + l, h->level[l].f, h->level + l + 1, h->level[l + 1].f);
}

/* By cycles one after the other, in the host's memory. x: room for a vector of the level. */
static void make_columns(hymgi_hierarchy *h, hymg_cycle kind, double *x, double *matrix)
{
  enum { SUMS = HYMGI_MATRIX_SUMS };
  const int l = h->matrix.level;
  hymgi_level *level = h->level + l;
  const hymgi_backend *backend = level->backend;
  const double one = 1;
  if (l == h->num_levels - 1) kind = HYMG_CYCLE_F; /* a V-cycle would correct what is there */
  ptrdiff_t at[HYMGI_MATRIX_CELLS];
  const int cells = list_cells(level->box, at);
  for (int c = 0; c < cells; c++) {
    hymgi_fill(level, 0, level->f);
    hymgi_fill(level, 0, level->x);
    backend->copy(h->context, &one, level->f + at[c], 1);
    if (kind == HYMG_CYCLE_F) restrict_down(h, l);
    hymgi_cycle(h, kind, l);
    backend->sync(h->context);
    backend->copy(h->context, level->x, x, (size_t)level->vector_size);
    for (int row = 0; row < cells; row++)
      matrix[(ptrdiff_t)(c / SUMS * cells + row) * SUMS + c % SUMS] = x[at[row]];
  }
}

static hymg_status make(hymgi_hierarchy *h, hymg_cycle kind, double **matrix)
{
  const hymgi_level *level = h->level + h->matrix.level;
  const hymgi_backend *backend = level->backend;
  const size_t doubles = hymgi_matrix_doubles(level->cells), room = (size_t)level->vector_size;
  hymg_context *const c = h->context;
  if (!*matrix) TRY(level->memory->alloc(c, doubles, matrix));
  backend->zero(c, *matrix, doubles);
  if (backend->make_matrix && backend->make_matrix(h, kind == HYMG_CYCLE_F ? 0 : 1, *matrix)) {
    backend->sync(c); /* kernels read the matrix before they wait for their predecessors */
    return c->status;
  }
  double *const on_host = calloc(doubles + room, sizeof *on_host);
  if (!on_host) return hymgi_fail(c, HYMG_ENOMEM, "no memory for a matrix of %zu numbers", doubles);
  make_columns(h, kind, on_host + doubles, on_host);
  backend->copy(c, on_host, *matrix, doubles);
  free(on_host);
  return c->status;
}

/* The avoiding solvers are many small steps on a GPU, and the matrix is the same to 1e-10 without them. */
static hymg_bottom bottom_while_made(hymg_bottom bottom)
{
  return bottom == HYMG_CABICGSTAB || bottom == HYMG_CACG ? HYMG_BICGSTAB : bottom;
}

hymg_status hymgi_coarse_matrix_make(hymgi_hierarchy *h)
{
  hymgi_coarse_matrix *m = &h->matrix;
  const hymg_bottom bottom = h->options.bottom;
  hymg_status status = HYMG_OK;
  m->exists = false;
  if (m->level == 0) return HYMG_OK;
  h->method.bottom_goal = HYMGI_MATRIX_GOAL;
  h->options.bottom = bottom_while_made(bottom);
  if (h->level[m->level].num_boxes > 0) {
    status = make(h, HYMG_CYCLE_V, &m->v);
    if (status == HYMG_OK && m->has_f) status = make(h, HYMG_CYCLE_F, &m->f);
  }
  h->method.bottom_goal = HYMGI_BOTTOM_GOAL;
  h->options.bottom = bottom;
  TRY(hymgi_agree(h->context, status));
  m->exists = true;
  return HYMG_OK;
}

void hymgi_coarse_matrix_destroy(hymgi_hierarchy *h)
{
  const hymgi_level *level = h->level + h->matrix.level;
  double **const matrix[] = {&h->matrix.v, &h->matrix.f};
  for (int m = 0; m < 2; m++) {
    if (*matrix[m])
      level->memory->release(h->context, *matrix[m], hymgi_matrix_doubles(level->cells));
    *matrix[m] = NULL;
  }
}
