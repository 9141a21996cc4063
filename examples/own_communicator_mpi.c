/* A program with a communicator and a distribution of its own: the last rank of MPI_COMM_WORLD is
 * kept for other work, the others solve. They cut the domain into slabs along z, dealt out from the
 * top down, and each holds its slabs in one array with a layer of ghosts, as a simulation would.
 * Solves -div grad u = f in a channel, periodic along x and y, with
 * u = sin(2 pi x) sin(2 pi y) sin(pi z). Run it on any number of ranks. */
#include <hymg_mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 48, NY = 32, NZ = 64, SLABS = 8, LAYERS = NZ / SLABS };
enum { PITCH = NX + 2, PLANE = PITCH * (NY + 2) }; /* of the program's arrays */
static const double pi = 3.14159265358979323846;

/* ---- the program's distribution: rank 0 has the top slabs ---- */

static int slabs_above(int rank, int ranks)
{
  return SLABS * rank / ranks;
}

/* Asked for every box (slab) on every rank. */
static int owner(const int box[3], void *user)
{
  const int ranks = *(const int *)user, place = SLABS - 1 - box[2];
  int rank = 0;
  while (slabs_above(rank + 1, ranks) <= place)
    rank++;
  return rank;
}

typedef struct program {
  MPI_Comm comm; /* of the ranks that solve */
  int rank, ranks;
  int low[3], count[3]; /* this rank's cells; no layers where ranks outnumber slabs */
  double *f, *u;        /* cell (i, j, k) of them is at (k + 1) PLANE + (j + 1) PITCH + i + 1 */
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *rhs, *solution;
} program;

static size_t at(int i, int j, int k)
{
  return (size_t)(k + 1) * PLANE + (size_t)(j + 1) * PITCH + (size_t)(i + 1);
}

static bool allocate(program *p)
{
  const int above = slabs_above(p->rank, p->ranks), end = slabs_above(p->rank + 1, p->ranks);
  p->low[2] = (SLABS - end) * LAYERS;
  p->count[0] = NX, p->count[1] = NY, p->count[2] = (end - above) * LAYERS;
  const size_t size = (size_t)PLANE * (size_t)(p->count[2] + 2);
  p->f = calloc(size, sizeof *p->f);
  p->u = calloc(size, sizeof *p->u);
  return p->f && p->u;
}

/* ---- the exact solution, as cell averages ---- */

/* Mean of sin(w x) over cell i of m on [0, 1]. */
static double mean_sine(double w, int i, int m)
{
  return (cos(w * i / m) - cos(w * (i + 1) / m)) * m / w;
}

static double exact(int i, int j, int k)
{
  return mean_sine(2 * pi, i, NX) * mean_sine(2 * pi, j, NY) * mean_sine(pi, k, NZ);
}

static void fill_rhs(program *p)
{
  for (int k = 0; k < p->count[2]; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++)
        p->f[at(i, j, k)] = 9 * pi * pi * exact(i, j, p->low[2] + k);
}

static double largest_error(const program *p)
{
  double error = 0;
  for (int k = 0; k < p->count[2]; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++)
        error = fmax(error, fabs(p->u[at(i, j, k)] - exact(i, j, p->low[2] + k)));
  return error;
}

/* ---- the solve; true: failed, on all ranks alike, and the context has the reason ---- */

static bool create(program *p)
{
  hymg_grid_desc channel = {.n = {NX, NY, NZ}, .spacing = {1. / NX, 1. / NY, 1. / NZ}};
  hymg_operator_desc laplace = hymg_operator_desc_default();
  hymg_options options = hymg_options_default();
  for (int face = 0; face < 4; face++)
    channel.boundary[face] = HYMG_PERIODIC;
  channel.boxes[0] = channel.boxes[1] = 1, channel.boxes[2] = SLABS;
  channel.owner = owner;
  channel.owner_user = &p->ranks;
  laplace.stencil = HYMG_FV4;
  options.method = HYMG_MG;
  return hymg_grid_create(p->context, &channel, &p->grid) ||
         hymg_operator_create(p->grid, &laplace, &p->op) ||
         hymg_solver_create(p->op, &options, &p->solver) ||
         hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->rhs) ||
         hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->solution);
}

static bool solve(program *p, hymg_result *result, double *error)
{
  const ptrdiff_t stride[3] = {1, PITCH, PLANE};
  const size_t first = at(0, 0, 0);
  fill_rhs(p);
  if (hymg_field_write(p->rhs, p->low, p->count, stride, p->f + first, HYMG_HOST) ||
      hymg_solve(p->solver, p->rhs, p->solution, result) ||
      hymg_field_read(p->solution, p->low, p->count, stride, p->u + first, HYMG_HOST))
    return true;
  *error = largest_error(p);
  return hymg_context_max(p->context, error);
}

static void destroy(program *p)
{
  hymg_field_destroy(&p->solution);
  hymg_field_destroy(&p->rhs);
  hymg_solver_destroy(&p->solver);
  hymg_operator_destroy(&p->op);
  hymg_grid_destroy(&p->grid);
  hymg_context_destroy(&p->context); /* before MPI_Finalize */
  free(p->f);
  free(p->u);
}

/* The same answer on every rank of the communicator. */
static bool run(program *p)
{
  hymg_result result;
  double error;
  const hymg_status status = hymg_context_create_mpi(p->comm, NULL, &p->context);
  if (status != HYMG_OK) { /* no context, so no text of its own */
    fprintf(stderr, "own_communicator: no context: %s\n", hymg_status_text(status));
    return false;
  }
  if (create(p) || solve(p, &result, &error)) {
    if (p->rank == 0) fprintf(stderr, "own_communicator: %s\n", hymg_context_error(p->context));
    return false;
  }
  if (p->rank == 0)
    printf("own_communicator: %d x %d x %d cells on %d ranks, reason to stop: %s, %d cycles, max "
           "error %.2e\n",
           NX, NY, NZ, p->ranks, hymg_reason_name(result.reason), result.cycles, error);
  /* 4th order: the error is 9 h^4, h the widest spacing, from half to twice these sizes */
  return result.converged && error < 18 * pow(1. / NY, 4);
}

int main(int argc, char **argv)
{
  program p = {.comm = MPI_COMM_NULL};
  int rank, ranks;
  bool good = true;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool solves = ranks == 1 || rank < ranks - 1;
  MPI_Comm_split(MPI_COMM_WORLD, solves ? 0 : MPI_UNDEFINED, rank, &p.comm);
  if (solves) {
    MPI_Comm_rank(p.comm, &p.rank);
    MPI_Comm_size(p.comm, &p.ranks);
    if (!allocate(&p)) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    good = run(&p);
    destroy(&p);
    MPI_Comm_free(&p.comm);
  }
  MPI_Finalize();
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
