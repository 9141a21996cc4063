/* Reads a matrix on a DMDA as conductances. Row and column of a cell and its face neighbour hold
 * minus the conductance of the face between them: the mean of the two entries, if they differ. What
 * is left of the diagonal becomes alpha, which so holds the boundary conditions, too. Rows without
 * neighbours are unknowns that are given (Dirichlet nodes, land): their faces are closed, so that hymg leaves
 * them out, and their neighbours keep them in alpha. So is a face whose entries are 0. Entries for other cells are added to the diagonal. Positive
 * entries of neighbours are an error. */
#include "conductances.h"

#include <stdbool.h>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "hymg is for PETSc with real scalars in double precision"
#endif

/* of a row: conductances of x-, x+, y-, y+, z-, z+, then the diagonal */
enum { SIDES = 6, DIAGONAL = SIDES, ENTRIES = CONDUCTANCES_PER_CELL };

/* The cells of an array: this rank's, or with ghosts. */
typedef struct {
  PetscInt low[3], count[3];
} Box;

static PetscInt size(const Box *b)
{
  return b->count[0] * b->count[1] * b->count[2];
}

static PetscInt place(const Box *b, const PetscInt at[3])
{
  PetscInt p = 0;
  for (int d = 2; d >= 0; d--) {
    if (at[d] < b->low[d] || at[d] >= b->low[d] + b->count[d]) return -1;
    p = p * b->count[d] + at[d] - b->low[d];
  }
  return p;
}

static void cell_at(const Box *b, PetscInt p, PetscInt at[3])
{
  for (int d = 0; d < 3; d++, p /= b->count[d - 1])
    at[d] = b->low[d] + p % b->count[d];
}

static PetscInt neighbour_of(const Box *b, const PetscInt at[3], int side)
{
  PetscInt next[3] = {at[0], at[1], at[2]};
  next[side / 2] += side % 2 ? 1 : -1;
  return place(b, next);
}

/* One row of the matrix. */
static PetscErrorCode read_row(Mat P, PetscInt row, const PetscInt neighbour[SIDES], double *entry)
{
  PetscInt n;
  const PetscInt *column;
  const PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(MatGetRow(P, row, &n, &column, &value));
  for (PetscInt e = 0; e < n; e++) {
    const double a = PetscRealPart(value[e]);
    int found = 0;
    for (int s = 0; s < SIDES; s++)
      found += column[e] == neighbour[s] && column[e] != row;
    PetscCheck(!found || a <= 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "hymg: row %d, column %d: %g, but entries of neighbours must not be positive",
               (int)row, (int)column[e], a);
    for (int s = 0; s < SIDES && found; s++) /* found twice: a periodic axis of 2 cells */
      if (column[e] == neighbour[s]) entry[s] -= a / found;
    if (!found) entry[DIAGONAL] += a;
  }
  PetscCall(MatRestoreRow(P, row, &n, &column, &value));
  PetscFunctionReturn(0);
}

static PetscErrorCode read_rows(DM da, Mat P, const Box *own, const Box *ghosted, Vec rows)
{
  ISLocalToGlobalMapping map;
  const PetscInt *global;
  PetscScalar *entries;

  PetscFunctionBegin;
  PetscCall(DMGetLocalToGlobalMapping(da, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  PetscCall(VecZeroEntries(rows));
  PetscCall(VecGetArray(rows, &entries));
  for (PetscInt c = 0; c < size(own); c++) {
    PetscInt at[3], neighbour[SIDES];
    cell_at(own, c, at);
    for (int s = 0; s < SIDES; s++) {
      const PetscInt p = neighbour_of(ghosted, at, s);
      neighbour[s] = p < 0 ? -1 : global[p];
    }
    PetscCall(read_row(P, global[place(ghosted, at)], neighbour, entries + c * ENTRIES));
  }
  PetscCall(VecRestoreArray(rows, &entries));
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscFunctionReturn(0);
}

static bool alone(const double *entry)
{
  for (int s = 0; s < SIDES; s++)
    if (entry[s] > 0) return false;
  return true;
}

/* The conductance of a face of the cell with index p among those with ghosts. */
static double face(const Box *ghosted, const double *entries, PetscInt p, const PetscInt at[3],
                   int s)
{
  const PetscInt q = neighbour_of(ghosted, at, s);
  const double *mine = entries + p * ENTRIES;
  if (alone(mine)) return 0;
  if (q < 0) return mine[s ^ 1] > 0 ? mine[s ^ 1] : 1; /* the boundary, where nothing flows */
  const double *other = entries + q * ENTRIES;
  return alone(other) ? 0 : (mine[s] + other[s ^ 1]) / 2;
}

/* What the faces leave of the diagonal; rounding is no term. */
static double rest(const Box *ghosted, const double *entries, PetscInt p, const PetscInt at[3])
{
  const double *mine = entries + p * ENTRIES;
  double sum = mine[DIAGONAL];
  if (alone(mine)) return 0;
  for (int s = 0; s < SIDES; s++)
    if (neighbour_of(ghosted, at, s) >= 0) sum -= face(ghosted, entries, p, at, s);
  return sum > 1e-12 * mine[DIAGONAL] ? sum : 0;
}

static PetscErrorCode get_cells(const Box *own, const Box *ghosted, const double *entries,
                                conductances *c)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(size(own), &c->alpha, size(own), &c->given));
  for (PetscInt i = 0; i < size(own); i++) {
    PetscInt at[3];
    cell_at(own, i, at);
    const PetscInt p = place(ghosted, at);
    c->alpha[i] = rest(ghosted, entries, p, at);
    c->given[i] = alone(entries + p * ENTRIES) ? 1 / entries[p * ENTRIES + DIAGONAL] : 0;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode get_faces(const Box *own, const Box *ghosted, const double *entries, int axis,
                                double **value)
{
  Box faces = *own;

  PetscFunctionBegin;
  faces.count[axis]++;
  PetscCall(PetscMalloc1(size(&faces), value));
  for (PetscInt i = 0; i < size(&faces); i++) {
    PetscInt at[3];
    int side = 2 * axis;
    cell_at(&faces, i, at);
    if (at[axis] == own->low[axis] + own->count[axis]) at[axis]--, side++; /* of the last cell */
    (*value)[i] = face(ghosted, entries, place(ghosted, at), at, side);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode conductances_get(DM da, DM work, Mat P, conductances *c)
{
  Box own, ghosted;
  Vec rows, local;
  const PetscScalar *entries;

  PetscFunctionBegin;
  PetscCall(DMDAGetCorners(da, &own.low[0], &own.low[1], &own.low[2], &own.count[0], &own.count[1],
                           &own.count[2]));
  PetscCall(DMDAGetGhostCorners(da, &ghosted.low[0], &ghosted.low[1], &ghosted.low[2],
                                &ghosted.count[0], &ghosted.count[1], &ghosted.count[2]));
  PetscCall(DMGetGlobalVector(work, &rows));
  PetscCall(DMGetLocalVector(work, &local));
  PetscCall(read_rows(da, P, &own, &ghosted, rows));
  PetscCall(DMGlobalToLocal(work, rows, INSERT_VALUES, local));
  PetscCall(VecGetArrayRead(local, &entries));
  PetscCall(get_cells(&own, &ghosted, entries, c));
  for (int d = 0; d < 3; d++)
    PetscCall(get_faces(&own, &ghosted, entries, d, &c->face[d]));
  PetscCall(VecRestoreArrayRead(local, &entries));
  PetscCall(DMRestoreLocalVector(work, &local));
  PetscCall(DMRestoreGlobalVector(work, &rows));
  PetscFunctionReturn(0);
}

PetscErrorCode conductances_free(conductances *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(c->alpha, c->given));
  for (int d = 0; d < 3; d++)
    PetscCall(PetscFree(c->face[d]));
  PetscFunctionReturn(0);
}
