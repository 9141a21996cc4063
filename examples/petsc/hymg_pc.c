/* hymg as a PETSc preconditioner, -pc_type hymg: one multigrid cycle for a scalar problem on a DMDA
 * in 1, 2 or 3 dimensions, distributed in any way, set up from the DMDA and the assembled matrix
 * (conductances.c says how). Built as a shared object that any PETSc program loads by options,
 * unchanged:
 *
 *   mpicc -shared -fPIC hymg_pc.c conductances.c -o libhymg_pc.so \
 *     $(pkg-config --cflags --libs PETSc hymg)
 *   ./ex45 -dll_append ./libhymg_pc.so -pc_type hymg -ksp_type cg -da_refine 4
 *
 * or linked, with PCRegister("hymg", PCCreate_HYMG) after PetscInitialize. Unknowns that are given
 * (rows without neighbours) are solved for by their diagonal and taken to the right-hand sides of
 * the others.
 *
 * -pc_hymg_options "smoother=gsrb sweeps=4": as hymg_options_parse, from
 * hymg_options_preconditioner on, which makes the cycle symmetric. Tolerances, monitor and files
 * have no effect. */
#include "conductances.h"

#include <hymg_mpi.h>
#include <math.h>
#include <petscksp.h>

typedef struct {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *alpha, *beta[3], *f, *u;
  int low[3], count[3]; /* this rank's cells */
  ptrdiff_t stride[3];  /* of Vec's array */
  DM da, work_da;       /* the program's; the one that conductances_get needs */
  bool has_given;       /* some row of any rank is without neighbours */
  Vec given;            /* 1 / diagonal in such rows, else 0 */
  Vec values, work;
} PCHymg;

PETSC_EXTERN PetscErrorCode PCCreate_HYMG(PC);

/* PetscCall for calls of hymg */
#define CALL(h, call)                                                                              \
  do {                                                                                             \
    const hymg_status status_ = (call);                                                            \
    PetscCheck(status_ == HYMG_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "hymg: %s",                     \
               (h)->context ? hymg_context_error((h)->context) : hymg_status_text(status_));       \
  } while (0)

/* ---- the grid, cut as the DMDA is ---- */

static int box_owner(const int box[3], void *boxes)
{
  const int *n = boxes;
  return box[0] + n[0] * (box[1] + n[1] * box[2]); /* DMDA's order of ranks */
}

static PetscErrorCode create_grid(PCHymg *h, MPI_Comm comm)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  DMBoundaryType boundary[3];
  PetscInt dim, n[3], procs[3], dof, width, low[3], count[3];
  const PetscInt *cuts[3];
  int *sizes[3] = {NULL, NULL, NULL};

  PetscFunctionBegin;
  PetscCall(DMDAGetInfo(h->da, &dim, &n[0], &n[1], &n[2], &procs[0], &procs[1], &procs[2], &dof,
                        &width, &boundary[0], &boundary[1], &boundary[2], NULL));
  PetscCheck(dof == 1 && width > 0, comm, PETSC_ERR_SUP,
             "hymg: 1 unknown per cell and a stencil width of at least 1, not %d and %d", (int)dof,
             (int)width);
  PetscCall(DMDAGetOwnershipRanges(h->da, &cuts[0], &cuts[1], &cuts[2]));
  PetscCall(DMDAGetCorners(h->da, &low[0], &low[1], &low[2], &count[0], &count[1], &count[2]));
  for (int d = 0; d < 3; d++) {
    const bool periodic = d < dim && boundary[d] == DM_BOUNDARY_PERIODIC && n[d] > 1;
    desc.n[d] = (int)n[d], desc.boxes[d] = (int)procs[d], desc.spacing[d] = 1;
    desc.boundary[2 * d] = desc.boundary[2 * d + 1] = periodic ? HYMG_PERIODIC : HYMG_NEUMANN;
    h->low[d] = (int)low[d], h->count[d] = (int)count[d];
    if (d >= dim) continue;
    PetscCall(PetscMalloc1(procs[d], &sizes[d]));
    for (PetscInt b = 0; b < procs[d]; b++)
      sizes[d][b] = (int)cuts[d][b];
    desc.cuts[d] = sizes[d];
  }
  h->stride[0] = 1, h->stride[1] = h->count[0], h->stride[2] = h->stride[1] * h->count[1];
  desc.owner = box_owner, desc.owner_user = desc.boxes;
  CALL(h, hymg_context_create_mpi(comm, NULL, &h->context));
  CALL(h, hymg_grid_create(h->context, &desc, &h->grid));
  for (int d = 0; d < 3; d++)
    PetscCall(PetscFree(sizes[d]));
  PetscFunctionReturn(0);
}

/* ---- coefficients ---- */

static PetscErrorCode write_coefficients(PCHymg *h, Mat P)
{
  conductances c;
  PetscScalar *given;
  double any = 0;

  PetscFunctionBegin;
  PetscCall(conductances_get(h->da, h->work_da, P, &c));
  CALL(h, hymg_field_write(h->alpha, h->low, h->count, h->stride, c.alpha, HYMG_HOST));
  for (int d = 0; d < 3; d++) {
    int n[3] = {h->count[0], h->count[1], h->count[2]};
    n[d]++;
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    CALL(h, hymg_field_write(h->beta[d], h->low, n, stride, c.face[d], HYMG_HOST));
  }
  PetscCall(VecGetArrayWrite(h->given, &given));
  for (ptrdiff_t i = 0; i < h->stride[2] * h->count[2]; i++)
    given[i] = c.given[i], any = fmax(any, fabs(given[i]));
  PetscCall(VecRestoreArrayWrite(h->given, &given));
  PetscCall(conductances_free(&c));
  CALL(h, hymg_context_max(h->context, &any));
  h->has_given = any > 0;
  PetscFunctionReturn(0);
}

/* ---- the preconditioner ---- */

static PetscErrorCode create_solver(PC pc, PCHymg *h)
{
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options options = hymg_options_preconditioner();
  char text[512] = "", why[512];
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_hymg_options", text, sizeof text, NULL));
  PetscCheck(hymg_options_parse(&options, text, why, sizeof why) == HYMG_OK, PETSC_COMM_SELF,
             PETSC_ERR_USER, "-pc_hymg_options: %s", why);
  desc.a = 1, desc.alpha = h->alpha;
  desc.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  for (int d = 0; d < 3; d++)
    desc.beta[d] = h->beta[d];
  CALL(h, hymg_operator_create(h->grid, &desc, &h->op));
  CALL(h, hymg_solver_create(h->op, &options, &h->solver));
  CALL(h, hymg_field_create(h->grid, h->solver, HYMG_CELL, HYMG_DOUBLE, &h->f));
  CALL(h, hymg_field_create(h->grid, h->solver, HYMG_CELL, HYMG_DOUBLE, &h->u));
  PetscFunctionReturn(0);
}

static PetscErrorCode first_set_up(PC pc, PCHymg *h, Mat P)
{
  DM da;
  PetscBool is_da = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PCGetDM(pc, &da));
  if (!da) PetscCall(MatGetDM(P, &da));
  if (da) PetscCall(PetscObjectTypeCompare((PetscObject)da, DMDA, &is_da));
  PetscCheck(is_da, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
             "hymg: needs a DMDA (KSPSetDM, or a matrix made with DMCreateMatrix)");
  PetscCall(PetscObjectReference((PetscObject)da));
  h->da = da;
  PetscCall(create_grid(h, PetscObjectComm((PetscObject)pc)));
  PetscCall(DMDACreateCompatibleDMDA(da, CONDUCTANCES_PER_CELL, &h->work_da));
  PetscCall(DMCreateGlobalVector(da, &h->given));
  PetscCall(VecDuplicate(h->given, &h->work));
  PetscCall(VecDuplicate(h->given, &h->values));
  CALL(h, hymg_field_create(h->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &h->alpha));
  for (int d = 0; d < 3; d++)
    CALL(h, hymg_field_create(h->grid, NULL, HYMG_FACE_X + d, HYMG_DOUBLE, &h->beta[d]));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_up(PC pc)
{
  PCHymg *h;
  Mat P;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &h));
  PetscCall(PCGetOperators(pc, NULL, &P));
  if (!h->da) PetscCall(first_set_up(pc, h, P));
  PetscCall(write_coefficients(h, P));
  if (h->solver)
    CALL(h, hymg_solver_update(h->solver));
  else
    PetscCall(create_solver(pc, h));
  PetscFunctionReturn(0);
}

/* y = one cycle for A y = x. */
static PetscErrorCode cycle(PCHymg *h, Vec x, Vec y)
{
  const PetscScalar *in;
  PetscScalar *out;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &in));
  CALL(h, hymg_field_write(h->f, h->low, h->count, h->stride, in, HYMG_HOST));
  PetscCall(VecRestoreArrayRead(x, &in));
  CALL(h, hymg_solver_cycle(h->solver, HYMG_CYCLE_DEFAULT, false, h->f, h->u));
  PetscCall(VecGetArrayWrite(y, &out));
  CALL(h, hymg_field_read(h->u, h->low, h->count, h->stride, out, HYMG_HOST));
  PetscCall(VecRestoreArrayWrite(y, &out));
  PetscFunctionReturn(0);
}

static PetscErrorCode apply(PC pc, Vec x, Vec y)
{
  PCHymg *h;
  Mat P;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &h));
  if (!h->has_given) {
    PetscCall(cycle(h, x, y));
    PetscFunctionReturn(0);
  }
  PetscCall(PCGetOperators(pc, NULL, &P));
  PetscCall(VecPointwiseMult(h->values, h->given, x)); /* the given unknowns, 0 elsewhere */
  PetscCall(MatMult(P, h->values, h->work));
  PetscCall(VecAYPX(h->work, -1, x)); /* what is left of x is 0 in their rows */
  PetscCall(cycle(h, h->work, y));
  PetscCall(VecAXPY(y, 1, h->values));
  PetscFunctionReturn(0);
}

static PetscErrorCode view(PC pc, PetscViewer viewer)
{
  PCHymg *h;
  const char *why;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &h));
  if (!h->solver) PetscFunctionReturn(0);
  const hymg_path path = hymg_solver_path(h->solver, &why);
  PetscCall(PetscViewerASCIIPrintf(viewer, "hymg %s: %d levels, %s path (%s)\n",
                                   hymg_build_info().version, hymg_solver_num_levels(h->solver),
                                   hymg_path_name(path), why));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(PC pc)
{
  PCHymg *h;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &h));
  hymg_field_destroy(&h->u);
  hymg_field_destroy(&h->f);
  hymg_solver_destroy(&h->solver);
  hymg_operator_destroy(&h->op);
  for (int d = 0; d < 3; d++)
    hymg_field_destroy(&h->beta[d]);
  hymg_field_destroy(&h->alpha);
  hymg_grid_destroy(&h->grid);
  hymg_context_destroy(&h->context);
  PetscCall(VecDestroy(&h->values));
  PetscCall(VecDestroy(&h->work));
  PetscCall(VecDestroy(&h->given));
  PetscCall(DMDestroy(&h->work_da));
  PetscCall(DMDestroy(&h->da));
  PetscCall(PetscFree(h));
  PetscFunctionReturn(0);
}

/* Makes pc a shell with the calls above: nothing but PETSc's public interface is used. */
PetscErrorCode PCCreate_HYMG(PC pc)
{
  PCHymg *h;

  PetscFunctionBegin;
  PetscCall(PetscNew(&h));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, "hymg"));
  PetscCall(PCShellSetContext(pc, h));
  PetscCall(PCShellSetSetUp(pc, set_up));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetView(pc, view));
  PetscCall(PCShellSetDestroy(pc, destroy));
  PetscFunctionReturn(0);
}

/* PETSc calls this when it loads libhymg_pc.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_hymg_pc(void);
PetscErrorCode PetscDLLibraryRegister_hymg_pc(void)
{
  PetscFunctionBegin;
  PetscCall(PCRegister("hymg", PCCreate_HYMG));
  PetscFunctionReturn(0);
}
