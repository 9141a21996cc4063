/* Conjugate gradients preconditioned with one cycle of hypre's PFMG: skips relaxation where an axis needs none, one
 * weighted Jacobi sweep before and after; or with one of BoomerAMG: HMIS coarsening, extended interpolation with what is
 * beyond direct neighbours, symmetric hybrid Gauss-Seidel. hypre's handles are pointers. */
#include "robust/hymg-robust.h"

#include "common/kit/timing.h"
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_sstruct_ls.h>
#include <HYPRE_struct_ls.h>
#include <math.h>
#include <stdlib.h>

enum { ENTRIES = 4, WEIGHTED_JACOBI = 1 };
enum { ALL_ENTRIES = 7, HMIS = 10, EXTENDED_AND_INNER = 6, SYMMETRIC_HYBRID = 6 };

typedef struct system_of {
  HYPRE_StructGrid grid;
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix matrix;
  HYPRE_StructVector rhs, solution;
  HYPRE_StructSolver cg, pfmg;
} system_of;

const char *robust_hypre_missing(void)
{
  return NULL;
}

static void brick(const hymg_grid *grid, int index, int low[3], int count[3], int high[3])
{
  hymg_grid_local(grid, index, low, count);
  for (int axis = 0; axis < 3; axis++)
    high[axis] = low[axis] + count[axis] - 1;
}

/* Symmetric storage: the diagonal and the entries towards lower cells. */
static void make_spaces(const robust_problem *p, const hymg_grid *grid, system_of *s)
{
  static int offset[ENTRIES][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  const robust_options *o = p->options;
  int low[3], count[3], high[3], periodic[3];
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &s->grid);
  for (int n = 0; n < hymg_grid_num_local(grid); n++) {
    brick(grid, n, low, count, high);
    HYPRE_StructGridSetExtents(s->grid, low, high);
  }
  for (int axis = 0; axis < 3; axis++)
    periodic[axis] = o->boundary[2 * axis] == HYMG_PERIODIC ? o->n[axis] : 0;
  HYPRE_StructGridSetPeriodic(s->grid, periodic);
  HYPRE_StructGridAssemble(s->grid);
  HYPRE_StructStencilCreate(3, ENTRIES, &s->stencil);
  for (int e = 0; e < ENTRIES; e++)
    HYPRE_StructStencilSetElement(s->stencil, e, offset[e]);
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, s->grid, s->stencil, &s->matrix);
  HYPRE_StructMatrixSetSymmetric(s->matrix, 1);
  HYPRE_StructMatrixInitialize(s->matrix);
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, s->grid, &s->rhs);
  HYPRE_StructVectorInitialize(s->rhs);
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, s->grid, &s->solution);
  HYPRE_StructVectorInitialize(s->solution);
}

/* The entries of a cell, and its volume. At walls hypre's entry is 0: the conductance is on the
 * diagonal alone. */
static double entries(const robust_problem *p, const int cell[3], double entry[ENTRIES])
{
  const robust_options *o = p->options;
  const double volume = robust_volume(p, cell);
  entry[0] = robust_alpha_at(p, cell) * volume;
  for (int axis = 0; axis < 3; axis++) {
    int next[3] = {cell[0], cell[1], cell[2]};
    next[axis]++;
    const double t = robust_conductance(p, axis, cell);
    entry[0] += t + robust_conductance(p, axis, next);
    entry[1 + axis] = cell[axis] > 0 || o->boundary[2 * axis] == HYMG_PERIODIC ? -t : 0;
  }
  return volume;
}

/* What is on the right of the row of a cell, whose entries are set. A cell with a row of zeros gets u = 0. BoomerAMG does
 * not converge where a piece is loose: there the piece's first cell is pinned to 0, which changes u by a constant. */
static double right_side(const robust_problem *p, const robust_pieces *pieces, const int cell[3],
                         double entry[ENTRIES])
{
  const robust_options *o = p->options;
  const size_t at = robust_index(o->n, cell);
  const double volume = entries(p, cell, entry);
  double value = (p->rhs[at] - pieces->mean[at]) * volume;
  if (cell[2] == 0 && o->low_value != 0) value += robust_conductance(p, 2, cell) * o->low_value;
  if (entry[0] == 0) return entry[0] = 1, 0;
  if (pieces->loose[at] && o->boomeramg) entry[0] *= 2;
  return value;
}

static bool write_brick(const robust_problem *p, const hymg_grid *grid, int index,
                        const robust_pieces *pieces, system_of *s)
{
  int low[3], count[3], high[3], cell[3], entry[ENTRIES] = {0, 1, 2, 3};
  brick(grid, index, low, count, high);
  const size_t cells = (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
  double *values = malloc(cells * ENTRIES * sizeof *values), *v = values;
  double *rhs = malloc(cells * sizeof *rhs), *b = rhs;
  const bool ok = values && rhs;
  for (cell[2] = low[2]; cell[2] <= high[2] && ok; cell[2]++)
    for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
      for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++, v += ENTRIES, b++)
        *b = right_side(p, pieces, cell, v);
  if (ok) HYPRE_StructMatrixSetBoxValues(s->matrix, low, high, ENTRIES, entry, values);
  if (ok) HYPRE_StructVectorSetBoxValues(s->rhs, low, high, rhs);
  free(values);
  free(rhs);
  return ok;
}

static void make_solver(const robust_options *o, system_of *s)
{
  HYPRE_StructPCGCreate(MPI_COMM_WORLD, &s->cg);
  HYPRE_StructPCGSetMaxIter(s->cg, o->solver.max_cycles);
  HYPRE_StructPCGSetTol(s->cg, o->solver.rtol);
  HYPRE_StructPCGSetTwoNorm(s->cg, 1);
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &s->pfmg);
  HYPRE_StructPFMGSetMaxIter(s->pfmg, 1);
  HYPRE_StructPFMGSetTol(s->pfmg, 0);
  HYPRE_StructPFMGSetZeroGuess(s->pfmg);
  HYPRE_StructPFMGSetRelaxType(s->pfmg, WEIGHTED_JACOBI);
  HYPRE_StructPFMGSetNumPreRelax(s->pfmg, 1);
  HYPRE_StructPFMGSetNumPostRelax(s->pfmg, 1);
  HYPRE_StructPFMGSetSkipRelax(s->pfmg, 1);
  HYPRE_StructPCGSetPrecond(s->cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, s->pfmg);
  HYPRE_StructPCGSetup(s->cg, s->matrix, s->rhs, s->solution);
}

static void destroy(system_of *s)
{
  HYPRE_StructPCGDestroy(s->cg);
  HYPRE_StructPFMGDestroy(s->pfmg);
  HYPRE_StructVectorDestroy(s->solution);
  HYPRE_StructVectorDestroy(s->rhs);
  HYPRE_StructMatrixDestroy(s->matrix);
  HYPRE_StructStencilDestroy(s->stencil);
  HYPRE_StructGridDestroy(s->grid);
}

/* The largest |u| of all ranks. read: the values of a box, from low to high, of `vector`. */
static bool find_largest(const hymg_grid *grid,
                         void (*read)(void *vector, int low[3], int high[3], double *to),
                         void *vector, double *largest)
{
  int low[3], count[3], high[3];
  bool ok = true;
  for (int n = 0; n < hymg_grid_num_local(grid); n++) {
    brick(grid, n, low, count, high);
    const size_t cells = (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
    double *u = malloc(cells * sizeof *u);
    if (u) read(vector, low, high, u);
    for (size_t q = 0; u && q < cells; q++)
      *largest = fmax(*largest, fabs(u[q]));
    ok = u && ok;
    free(u);
  }
  MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return ok;
}

static void read_cells(void *vector, int low[3], int high[3], double *to)
{
  HYPRE_StructVectorGetBoxValues(vector, low, high, to);
}

static bool pfmg_solve(const robust_problem *p, const hymg_grid *grid, const robust_pieces *pieces,
                       robust_other *other, double seconds[2])
{
  system_of s;
  bool ok = true;
  double start = fv_clock();
  make_spaces(p, grid, &s);
  seconds[0] = fv_clock() - start;
  for (int n = 0; n < hymg_grid_num_local(grid); n++)
    ok = write_brick(p, grid, n, pieces, &s) && ok;
  start = fv_clock();
  HYPRE_StructMatrixAssemble(s.matrix);
  HYPRE_StructVectorAssemble(s.rhs);
  HYPRE_StructVectorAssemble(s.solution);
  make_solver(p->options, &s);
  seconds[0] += fv_clock() - start;
  start = fv_clock();
  HYPRE_StructPCGSolve(s.cg, s.matrix, s.rhs, s.solution);
  seconds[1] = fv_clock() - start;
  HYPRE_StructPCGGetNumIterations(s.cg, &other->iterations);
  HYPRE_StructPCGGetFinalRelativeResidualNorm(s.cg, &other->residual_relative);
  ok = find_largest(grid, read_cells, s.solution, &other->largest) && ok;
  destroy(&s);
  return ok;
}

/* ---- BoomerAMG ---- */

/* hypre numbers the rows: boxes of cells, the matrix in rows. */
typedef struct rows_of {
  HYPRE_SStructGrid grid;
  HYPRE_SStructStencil stencil;
  HYPRE_SStructGraph graph;
  HYPRE_SStructMatrix matrix;
  HYPRE_SStructVector rhs, solution;
  HYPRE_ParCSRMatrix a;
  HYPRE_ParVector b, x;
  HYPRE_Solver cg, amg;
} rows_of;

static void make_rows_grid(const robust_problem *p, const hymg_grid *grid, rows_of *s)
{
  static int offset[ALL_ENTRIES][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1},
                                       {1, 0, 0}, {0, 1, 0},  {0, 0, 1}};
  const robust_options *o = p->options;
  HYPRE_SStructVariable of_cells = HYPRE_SSTRUCT_VARIABLE_CELL;
  int low[3], count[3], high[3], periodic[3];
  HYPRE_SStructGridCreate(MPI_COMM_WORLD, 3, 1, &s->grid);
  for (int n = 0; n < hymg_grid_num_local(grid); n++) {
    brick(grid, n, low, count, high);
    HYPRE_SStructGridSetExtents(s->grid, 0, low, high);
  }
  HYPRE_SStructGridSetVariables(s->grid, 0, 1, &of_cells);
  for (int axis = 0; axis < 3; axis++)
    periodic[axis] = o->boundary[2 * axis] == HYMG_PERIODIC ? o->n[axis] : 0;
  HYPRE_SStructGridSetPeriodic(s->grid, 0, periodic);
  HYPRE_SStructGridAssemble(s->grid);
  HYPRE_SStructStencilCreate(3, ALL_ENTRIES, &s->stencil);
  for (int e = 0; e < ALL_ENTRIES; e++)
    HYPRE_SStructStencilSetEntry(s->stencil, e, offset[e], 0);
  HYPRE_SStructGraphCreate(MPI_COMM_WORLD, s->grid, &s->graph);
  HYPRE_SStructGraphSetObjectType(s->graph, HYPRE_PARCSR);
  HYPRE_SStructGraphSetStencil(s->graph, 0, 0, s->stencil);
  HYPRE_SStructGraphAssemble(s->graph);
}

static void make_rows(rows_of *s)
{
  HYPRE_SStructMatrixCreate(MPI_COMM_WORLD, s->graph, &s->matrix);
  HYPRE_SStructMatrixSetObjectType(s->matrix, HYPRE_PARCSR);
  HYPRE_SStructMatrixInitialize(s->matrix);
  for (int m = 0; m < 2; m++) {
    HYPRE_SStructVector *const v = m ? &s->solution : &s->rhs;
    HYPRE_SStructVectorCreate(MPI_COMM_WORLD, s->grid, v);
    HYPRE_SStructVectorSetObjectType(*v, HYPRE_PARCSR);
    HYPRE_SStructVectorInitialize(*v);
  }
}

/* The upper entries are the lower ones of the next cells. */
static void all_entries(const robust_problem *p, const int cell[3], double entry[ALL_ENTRIES])
{
  for (int axis = 0; axis < 3; axis++) {
    int next[3] = {cell[0], cell[1], cell[2]};
    const bool wraps = p->options->boundary[2 * axis] == HYMG_PERIODIC;
    const bool last = ++next[axis] == p->options->n[axis];
    entry[4 + axis] = last && !wraps ? 0 : -robust_conductance(p, axis, next);
  }
}

static bool write_rows(const robust_problem *p, const hymg_grid *grid, int index,
                       const robust_pieces *pieces, rows_of *s)
{
  int low[3], count[3], high[3], cell[3], entry[ALL_ENTRIES] = {0, 1, 2, 3, 4, 5, 6};
  brick(grid, index, low, count, high);
  const size_t cells = (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
  double *values = malloc(cells * ALL_ENTRIES * sizeof *values), *v = values;
  double *rhs = malloc(cells * sizeof *rhs), *b = rhs;
  const bool ok = values && rhs;
  for (cell[2] = low[2]; cell[2] <= high[2] && ok; cell[2]++)
    for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
      for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++, v += ALL_ENTRIES, b++) {
        *b = right_side(p, pieces, cell, v);
        all_entries(p, cell, v);
      }
  if (ok) HYPRE_SStructMatrixSetBoxValues(s->matrix, 0, low, high, 0, ALL_ENTRIES, entry, values);
  if (ok) HYPRE_SStructVectorSetBoxValues(s->rhs, 0, low, high, 0, rhs);
  for (size_t q = 0; q < cells && ok; q++)
    rhs[q] = 0;
  if (ok) HYPRE_SStructVectorSetBoxValues(s->solution, 0, low, high, 0, rhs);
  free(values);
  free(rhs);
  return ok;
}

static void assemble_rows(rows_of *s)
{
  HYPRE_SStructMatrixAssemble(s->matrix);
  HYPRE_SStructVectorAssemble(s->rhs);
  HYPRE_SStructVectorAssemble(s->solution);
  HYPRE_SStructMatrixGetObject(s->matrix, (void **)&s->a);
  HYPRE_SStructVectorGetObject(s->rhs, (void **)&s->b);
  HYPRE_SStructVectorGetObject(s->solution, (void **)&s->x);
}

static void make_boomeramg(const robust_options *o, rows_of *s)
{
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &s->cg);
  HYPRE_PCGSetMaxIter(s->cg, o->solver.max_cycles);
  HYPRE_PCGSetTol(s->cg, o->solver.rtol);
  HYPRE_PCGSetTwoNorm(s->cg, 1);
  HYPRE_BoomerAMGCreate(&s->amg);
  HYPRE_BoomerAMGSetMaxIter(s->amg, 1);
  HYPRE_BoomerAMGSetTol(s->amg, 0);
  HYPRE_BoomerAMGSetPrintLevel(s->amg, 0);
  HYPRE_BoomerAMGSetCoarsenType(s->amg, HMIS);
  HYPRE_BoomerAMGSetInterpType(s->amg, EXTENDED_AND_INNER);
  HYPRE_BoomerAMGSetRelaxType(s->amg, SYMMETRIC_HYBRID);
  HYPRE_BoomerAMGSetStrongThreshold(s->amg, 0.25);
  HYPRE_PCGSetPrecond(s->cg, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                      (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, s->amg);
  HYPRE_ParCSRPCGSetup(s->cg, s->a, s->b, s->x);
}

static void destroy_rows(rows_of *s)
{
  HYPRE_ParCSRPCGDestroy(s->cg);
  HYPRE_BoomerAMGDestroy(s->amg);
  HYPRE_SStructVectorDestroy(s->solution);
  HYPRE_SStructVectorDestroy(s->rhs);
  HYPRE_SStructMatrixDestroy(s->matrix);
  HYPRE_SStructGraphDestroy(s->graph);
  HYPRE_SStructStencilDestroy(s->stencil);
  HYPRE_SStructGridDestroy(s->grid);
}

static void read_rows(void *vector, int low[3], int high[3], double *to)
{
  HYPRE_SStructVectorGetBoxValues(vector, 0, low, high, 0, to);
}

/* Its set-up is timed from the assembled matrix on. */
static bool boomeramg_solve(const robust_problem *p, const hymg_grid *grid,
                            const robust_pieces *pieces, robust_other *other, double seconds[2])
{
  rows_of s;
  bool ok = true;
  make_rows_grid(p, grid, &s);
  make_rows(&s);
  for (int n = 0; n < hymg_grid_num_local(grid); n++)
    ok = write_rows(p, grid, n, pieces, &s) && ok;
  assemble_rows(&s);
  double start = fv_clock();
  make_boomeramg(p->options, &s);
  seconds[0] = fv_clock() - start;
  start = fv_clock();
  HYPRE_ParCSRPCGSolve(s.cg, s.a, s.b, s.x);
  seconds[1] = fv_clock() - start;
  HYPRE_PCGGetNumIterations(s.cg, &other->iterations);
  HYPRE_PCGGetFinalRelativeResidualNorm(s.cg, &other->residual_relative);
  HYPRE_SStructVectorGather(s.solution);
  ok = find_largest(grid, read_rows, s.solution, &other->largest) && ok;
  destroy_rows(&s);
  return ok;
}

bool robust_hypre_solve(const robust_problem *p, const hymg_grid *grid, robust_other *other,
                        double seconds[2])
{
  robust_pieces pieces;
  const bool found = robust_find_pieces(p, &pieces);
  *other = (robust_other){0};
  HYPRE_Init();
  const bool ok = found && (p->options->boomeramg ? boomeramg_solve : pfmg_solve)(p, grid, &pieces,
                                                                                  other, seconds);
  robust_free_pieces(&pieces);
  other->converged = other->residual_relative <= p->options->solver.rtol;
  HYPRE_ClearAllErrors();
  HYPRE_Finalize();
  if (!ok) fprintf(stderr, "hymg-robust: no memory for hypre's matrix\n");
  return ok;
}
