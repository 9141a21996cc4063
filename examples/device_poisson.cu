/* The problem of poisson.c for programs whose arrays live on a GPU: f is filled by a kernel, goes
 * into the solver, and the error comes out of a reduction, all in device memory and on a stream of
 * the program's own. No array passes through the host. It prints what poisson.c prints. */
#include <hymg.h>

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, CELLS = N * N * N, THREADS = 128 };

/* Mean of sin(pi x) over cell i of N. */
static __device__ double mean_sine(int i)
{
  const double pi = 3.14159265358979323846, h = 1. / N;
  return (cos(pi * i * h) - cos(pi * (i + 1) * h)) / (pi * h);
}

/* factor times the exact solution, x fastest. */
static __global__ void fill(double factor, double *data)
{
  const int cell = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int i = cell % N, j = cell / N % N, k = cell / (N * N);
  if (cell < CELLS) data[cell] = factor * (mean_sine(i) * mean_sine(j) * mean_sine(k));
}

struct program {
  cudaStream_t stream;
  double *array; /* in device memory, for f and then for the exact solution */
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *f, *u, *error;
};

/* The functions below return true if they failed, as hymg's calls do. */

static bool create(program *p)
{
  hymg_grid_desc domain = hymg_grid_desc_default(); /* the unit cube */
  hymg_operator_desc laplace = hymg_operator_desc_default();
  hymg_options options = hymg_options_default();
  for (int axis = 0; axis < 3; axis++)
    domain.n[axis] = N, domain.spacing[axis] = 1. / N;
  laplace.stencil = HYMG_FV4;
  options.method = HYMG_MG;
  options.backend = HYMG_BACKEND_CUDA; /* an error without a GPU; auto would take the host */
  return hymg_grid_create(p->context, &domain, &p->grid) ||
         hymg_operator_create(p->grid, &laplace, &p->op) ||
         hymg_solver_create(p->op, &options, &p->solver) ||
         hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->f) ||
         hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->u) ||
         hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->error);
}

/* The kernel, the copy into the field and what uses it follow one another on the stream: nothing
 * waits, and the array may be filled anew at once. */
static bool fill_field(const program *p, double factor, hymg_field *field)
{
  const int low[3] = {0, 0, 0}, count[3] = {N, N, N};
  const ptrdiff_t stride[3] = {1, N, N * N};
  fill<<<(CELLS + THREADS - 1) / THREADS, THREADS, 0, p->stream>>>(factor, p->array);
  return cudaGetLastError() != cudaSuccess ||
         hymg_field_write(field, low, count, stride, p->array, HYMG_DEVICE);
}

/* With a result hymg_solve waits for the end; hymg_field_max does in any case. */
static bool solve(const program *p, hymg_result *result, double *max_error)
{
  const double pi = 3.14159265358979323846;
  return fill_field(p, 3 * pi * pi, p->f) || hymg_solve(p->solver, p->f, p->u, result) ||
         fill_field(p, 1, p->error) || hymg_field_axpy(-1, p->u, p->error) ||
         hymg_field_max(p->error, max_error);
}

static void destroy(program *p)
{
  hymg_field_destroy(&p->error);
  hymg_field_destroy(&p->u);
  hymg_field_destroy(&p->f);
  hymg_solver_destroy(&p->solver);
  hymg_operator_destroy(&p->op);
  hymg_grid_destroy(&p->grid);
  hymg_context_destroy(&p->context); /* before the stream that it works on */
  cudaFree(p->array);
  if (p->stream) cudaStreamDestroy(p->stream);
}

/* 0, or what CUDA says. */
static cudaError_t prepare(program *p)
{
  hymg_context_options options = hymg_context_options_default();
  cudaError_t error = cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking);
  if (error == cudaSuccess) error = cudaMalloc((void **)&p->array, CELLS * sizeof *p->array);
  options.stream = p->stream;
  if (error == cudaSuccess && hymg_context_create(&options, &p->context))
    error = cudaErrorMemoryAllocation;
  return error;
}

int main(void)
{
  program p = {};
  hymg_result result;
  double max_error;
  bool good = false;
  const cudaError_t error = prepare(&p);
  if (error != cudaSuccess) {
    fprintf(stderr, "device_poisson: %s\n", cudaGetErrorString(error));
  } else if (create(&p) || solve(&p, &result, &max_error)) {
    fprintf(stderr, "device_poisson: %s\n", hymg_context_error(p.context));
  } else {
    printf("device_poisson: %d^3 cells, reason to stop: %s, %d cycles, max error %.2e\n", N,
           hymg_reason_name(result.reason), result.cycles, max_error);
    good = result.converged && max_error < 2 * pow(1. / N, 4); /* as poisson.c asks */
  }
  destroy(&p);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
