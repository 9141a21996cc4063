/* A program of PETSc that knows nothing of hymg: diffusion with random conductances (0.1 to 10)
 * between the cells of a DMDA, solved twice (the second time with other conductances) by the KSP of
 * the options, and again by that of the options with prefix ref_. Prints, for each solve,
 *
 *   iterations N difference D
 *
 * where D is max |u - reference| / max |reference|. -kind
 *   cells     u = 0 on all boundaries, half a cell from the next cells
 *   nodes     random values given in the outermost cells, rows of their own
 *   singular  no boundary value, periodic along z
 *   plane     cells in 2 dimensions
 *   land      cells of which 3 of 10 are land, rows of their own to which nothing flows
 * and two that hymg refuses:
 *   vector    2 unknowns per cell
 *   wrong     cells, but positive entries for the neighbours of cell 2 */
#include <petscdmda.h>
#include <petscksp.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
  DM da;
  const char *kind;
  PetscInt n[3], dims, seed;
} problem;

/* The same for all ranks: numbers in (0, 1) from integers. */
static double random_of(PetscInt a, PetscInt b)
{
  unsigned long long x = (unsigned long long)a * 0x9E3779B97F4A7C15ull + (unsigned long long)b;
  for (int i = 0; i < 3; i++)
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9ull;
  return (double)(x >> 12) / (double)(1ull << 52);
}

static PetscInt number_of(const problem *p, const PetscInt at[3])
{
  return at[0] + p->n[0] * (at[1] + p->n[1] * at[2]);
}

static bool is_kind(const problem *p, const char *kind)
{
  return !strcmp(p->kind, kind);
}

/* Of the face between at and its neighbour on a side of an axis. */
static double conductance(const problem *p, const PetscInt at[3], int axis, int step)
{
  PetscInt low[3] = {at[0], at[1], at[2]};
  if (step < 0) low[axis] = (low[axis] + p->n[axis] - 1) % p->n[axis];
  return pow(10, 2 * random_of(number_of(p, low), 3 * p->seed + axis) - 1);
}

static bool is_land(const problem *p, const PetscInt at[3])
{
  for (int d = 0; d < 3; d++)
    if (at[d] < 0 || at[d] >= p->n[d]) return false;
  return is_kind(p, "land") && random_of(number_of(p, at), -2) < 0.3;
}

/* A wet cell between land alone has no unknown, either. */
static bool is_enclosed(const problem *p, const PetscInt at[3])
{
  bool enclosed = is_kind(p, "land");
  for (int m = 0; m < 6; m++) {
    PetscInt next[3] = {at[0], at[1], at[2]};
    next[m / 2] += m % 2 ? 1 : -1;
    enclosed = enclosed && is_land(p, next);
  }
  return enclosed;
}

static bool is_given(const problem *p, const PetscInt at[3])
{
  bool outermost = false;
  if (is_land(p, at) || is_enclosed(p, at)) return true;
  for (int d = 0; d < 3; d++)
    outermost = outermost || at[d] == 0 || at[d] == p->n[d] - 1;
  return is_kind(p, "nodes") && outermost;
}

static PetscErrorCode set_row(const problem *p, const PetscInt at[3], Mat A)
{
  MatStencil column[7] = {{.i = at[0], .j = at[1], .k = at[2]}};
  PetscScalar value[7] = {0};
  const bool wrong = is_kind(p, "wrong") && number_of(p, at) == 2;
  int n = 1;

  PetscFunctionBegin;
  if (is_given(p, at)) value[0] = 3;
  for (int d = 0; d < p->dims && !is_given(p, at); d++)
    for (int step = -1; step < 2; step += 2) {
      PetscInt next[3] = {at[0], at[1], at[2]};
      next[d] += step;
      const double c = conductance(p, at, d, step);
      const bool beyond = next[d] < 0 || next[d] == p->n[d];
      if (is_land(p, next)) continue;
      if (beyond && is_kind(p, "singular") && d < 2) continue;
      value[0] += beyond && !is_kind(p, "singular") ? 2 * c : c;
      if (beyond && !is_kind(p, "singular")) continue;
      column[n] = (MatStencil){.i = next[0], .j = next[1], .k = next[2]};
      value[n++] = wrong ? c : -c;
    }
  PetscCall(MatSetValuesStencil(A, 1, column, n, column, value, ADD_VALUES));
  PetscFunctionReturn(0);
}

static PetscErrorCode assemble(const problem *p, Mat A, Vec b)
{
  PetscInt low[3], count[3], at[3], i = 0;
  PetscScalar *rhs;

  PetscFunctionBegin;
  PetscCall(DMDAGetCorners(p->da, &low[0], &low[1], &low[2], &count[0], &count[1], &count[2]));
  PetscCall(MatZeroEntries(A));
  PetscCall(VecGetArray(b, &rhs));
  for (at[2] = low[2]; at[2] < low[2] + count[2]; at[2]++)
    for (at[1] = low[1]; at[1] < low[1] + count[1]; at[1]++)
      for (at[0] = low[0]; at[0] < low[0] + count[0]; at[0]++, i++) {
        PetscCall(set_row(p, at, A));
        rhs[i] = random_of(number_of(p, at), -1) - .5;
      }
  PetscCall(VecRestoreArray(b, &rhs));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode remove_constants(Mat A, Vec b)
{
  MatNullSpace constants;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constants));
  PetscCall(MatSetNullSpace(A, constants));
  PetscCall(MatNullSpaceRemove(constants, b));
  PetscCall(MatNullSpaceDestroy(&constants));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_ksp(DM da, Mat A, const char *prefix, KSP *ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix));
  PetscCall(KSPSetDM(*ksp, da));
  PetscCall(KSPSetDMActive(*ksp, PETSC_FALSE));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_both(KSP ksp, KSP reference, Vec b, Vec u, Vec v)
{
  PetscInt iterations;
  PetscReal error, size;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPSolve(ksp, b, u));
  PetscCall(KSPSolve(reference, b, v));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(VecNorm(v, NORM_INFINITY, &size));
  PetscCall(VecAXPY(v, -1, u));
  PetscCall(VecNorm(v, NORM_INFINITY, &error));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "not converged: %d", reason);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "iterations %d difference %.2e\n", (int)iterations,
                        (double)(error / size)));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_da(problem *p, PetscInt dof)
{
  const DMBoundaryType none = DM_BOUNDARY_NONE;
  const DMBoundaryType z = is_kind(p, "singular") ? DM_BOUNDARY_PERIODIC : none;

  PetscFunctionBegin;
  if (p->dims == 2)
    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, none, none, DMDA_STENCIL_STAR, 17, 13, PETSC_DECIDE,
                           PETSC_DECIDE, dof, 1, NULL, NULL, &p->da));
  else
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, none, none, z, DMDA_STENCIL_STAR, 9, 11, 7,
                           PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, dof, 1, NULL, NULL, NULL,
                           &p->da));
  PetscCall(DMSetFromOptions(p->da));
  PetscCall(DMSetUp(p->da));
  PetscCall(DMDAGetInfo(p->da, NULL, &p->n[0], &p->n[1], &p->n[2], NULL, NULL, NULL, NULL, NULL,
                        NULL, NULL, NULL, NULL));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  char kind[16] = "cells";
  problem p = {.kind = kind, .dims = 3};
  Mat A;
  Vec b, u, v;
  KSP ksp, reference;

  PetscFunctionBegin;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-kind", kind, sizeof kind, NULL));
  if (is_kind(&p, "plane")) p.dims = 2;
  PetscCall(create_da(&p, is_kind(&p, "vector") ? 2 : 1));
  PetscCall(DMCreateMatrix(p.da, &A));
  PetscCall(DMCreateGlobalVector(p.da, &b));
  PetscCall(VecDuplicate(b, &u));
  PetscCall(VecDuplicate(b, &v));
  PetscCall(create_ksp(p.da, A, NULL, &ksp));
  PetscCall(create_ksp(p.da, A, "ref_", &reference));
  for (p.seed = 1; p.seed < 3; p.seed++) {
    if (is_kind(&p, "vector")) {
      PetscCall(MatShift(A, 1)); /* any matrix */
    } else {
      PetscCall(assemble(&p, A, b));
      if (is_kind(&p, "singular")) PetscCall(remove_constants(A, b));
    }
    PetscCall(solve_both(ksp, reference, b, u, v));
  }
  PetscCall(KSPDestroy(&reference));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&p.da));
  PetscCall(PetscFinalize());
  return 0;
}
