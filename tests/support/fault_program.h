/* A program of the library's calls, for tests in which one of them fails. */
#ifndef SUPPORT_FAULT_PROGRAM_H
#define SUPPORT_FAULT_PROGRAM_H

#include "support/mpi.h"

#include "base/error.h"
#include "kernel_table.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, CELLS = SIDE * SIDE * SIDE };

typedef struct program {
  int variant;
  hymg_backend backend;
  hymg_transport transport;
  double wait_seconds; /* 0: the default */
  double rtol;         /* 0: 1e-6 */
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *beta[3], *f, *u, *v;
  double norm;
} program;

/* ---- the calls ---- */

static hymg_status make_context(program *p)
{
  hymg_context_options o = hymg_context_options_default();
  if (p->wait_seconds > 0) o.wait_seconds = p->wait_seconds;
  return hymg_context_create_mpi(MPI_COMM_WORLD, &o, &p->context);
}

/* Variants: standard path, FV4 with conjugate gradients, unequal boxes, robust path with widths, graphs in parts; with CUDA
 * also the standard path, its sweeps overlapped with messages; on the host also a level with layers of neighbours' cells, and a
 * level that all ranks hold whole. */
enum { FAULT_OVERLAPPED = 4, FAULT_WIDE, FAULT_WHOLE, FAULT_PAIRS };

/* CELLS in all. */
static const int *side_of(const program *p)
{
  static const int cube[3] = {SIDE, SIDE, SIDE}, rod[3] = {SIDE / 2, SIDE / 2, 4 * SIDE};
  return p->variant == FAULT_WIDE ? rod : cube;
}

static hymg_status make_grid(program *p)
{
  static const double width[SIDE] = {1, 1, 2, 3, 3, 2, 1, 1};
  static const int cuts[2] = {3, 5};
  hymg_grid_desc d = {.spacing = {0.1, 0.1, 0.1}};
  memcpy(d.n, side_of(p), sizeof d.n);
  if (p->variant == FAULT_WIDE) d.boxes[0] = d.boxes[1] = 1, d.boxes[2] = 2;
  if (p->variant == 2) {
    d.boxes[0] = 2, d.boxes[1] = d.boxes[2] = 1;
    d.cuts[0] = cuts;
  }
  if (p->variant == 3) d.widths[2] = width;
  return hymg_grid_create(p->context, &d, &p->grid);
}

static hymg_status make_fields(program *p)
{
  for (int axis = 0; axis < 3; axis++)
    if (!p->beta[axis])
      TRY(hymg_field_create(p->grid, NULL, HYMG_FACE_X + axis, HYMG_DOUBLE, &p->beta[axis]));
  if (!p->f) TRY(hymg_field_create(p->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &p->f));
  if (!p->v) TRY(hymg_field_create(p->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &p->v));
  for (int axis = 0; axis < 3; axis++)
    TRY(hymg_field_fill(p->beta[axis], 1 + 0.125 * axis));
  return hymg_field_fill(p->f, 1);
}

static hymg_operator_desc description(const program *p, double b)
{
  hymg_operator_desc d = hymg_operator_desc_default();
  d.stencil = p->variant == 1 ? HYMG_FV4 : HYMG_FV2;
  d.a = 0.5, d.b = b;
  for (int axis = 0; axis < 3; axis++)
    d.beta[axis] = p->beta[axis];
  return d;
}

static hymg_status make_operator(program *p)
{
  const hymg_operator_desc d = description(p, 1);
  return hymg_operator_create(p->grid, &d, &p->op);
}

static hymg_options options(const program *p)
{
  hymg_options o = hymg_options_default();
  o.method = p->variant == 1 ? HYMG_MGPCG : HYMG_MG;
  o.norm = p->variant == 1 ? HYMG_NORM_2 : HYMG_NORM_MAX;
  o.backend = p->backend;
  o.transport = p->transport;
  o.peer_seconds = 20;
  if (p->backend == HYMG_BACKEND_CUDA) { /* nothing is measured */
    o.tuning = HYMG_TUNE_ESTIMATE;
    o.host_cells = 0, o.tail_cells = p->variant == 0 ? 100 : 0;
  }
  o.rtol = p->rtol > 0 ? p->rtol : 1e-6;
  if (p->variant == FAULT_WIDE) o.halo_layers = 4;
  if (p->variant == FAULT_WHOLE) o.gather = HYMG_GATHER_ALL;
  if (p->variant == FAULT_PAIRS)
    o.path = HYMG_PATH_ROBUST, o.transfer = HYMG_TRANSFER_PAIRS, o.gather_cells = 0;
  return o;
}

static hymg_status need(program *p)
{
  const hymg_options o = options(p);
  const hymg_operator_desc d = {
      .stencil = p->variant == 1 ? HYMG_FV4 : HYMG_FV2, .b = 1, .beta_constant = 1};
  hymg_need n;
  return hymg_solver_need(p->grid, &d, HYMG_VARIABLE_BETA, &o, &n);
}

static hymg_status make_solver(program *p)
{
  const hymg_options o = options(p);
  if (p->variant == FAULT_OVERLAPPED) {
    hymgi_kernel_form_from(p->context, "overlap_staged", 1);
    hymgi_kernel_form_from(p->context, "overlap", 1);
  }
  TRY(hymg_solver_create(p->op, &o, &p->solver));
  hymg_level_info info;
  TRY(hymg_solver_level(p->solver, 1, &info));
  const bool several = hymg_context_ranks(p->context) > 1, wide = p->variant == FAULT_WIDE,
             whole = p->variant == FAULT_WHOLE && several;
  const bool meant = info.halo_layers == (wide && several ? 4 : 0) &&
                     (!whole || (info.boxes == 1 && info.ranks > 1));
  return meant ? HYMG_OK : HYMG_EVERSION; /* not what is tested */
}

static hymg_status make_solution(program *p)
{
  return hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->u);
}

static hymg_status solve(program *p)
{
  return hymg_solve(p->solver, p->f, p->u, NULL);
}

static hymg_status solve_converted(program *p)
{
  return hymg_solve(p->solver, p->f, p->v, NULL);
}

/* With several ranks the cycle's failure is reported by the next collective call. */
static hymg_status cycle(program *p)
{
  TRY(hymg_solver_cycle(p->solver, HYMG_CYCLE_V, false, p->f, p->v));
  return hymg_field_max(p->v, &p->norm);
}

static hymg_status set(program *p)
{
  const hymg_operator_desc d = description(p, 2);
  return hymg_operator_set(p->op, &d);
}

static hymg_status update(program *p)
{
  return hymg_solver_update(p->solver);
}

static hymg_status residual(program *p)
{
  return hymg_residual(p->solver, 0, p->f, p->u, p->v);
}

static hymg_status fluxes(program *p)
{
  if (p->variant == 1) return HYMG_OK;
  return hymg_fluxes(p->solver, p->u, p->beta);
}

static hymg_status reduce(program *p)
{
  double dot;
  TRY(hymg_field_dot(p->u, p->v, &dot));
  TRY(hymg_field_rms(p->v, &dot));
  return hymg_field_remove_mean(p->v);
}

static hymg_status advise(program *p)
{
  char text[HYMG_ADVICE];
  return hymg_solver_advice(p->solver, NULL, text, sizeof text);
}

static hymg_status save(program *p)
{
  const char *folder = getenv("TMPDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/hymg_faults_%d.vtr", folder ? folder : "/tmp",
           hymg_context_ranks(p->context));
  return hymg_field_save(p->u, path);
}

static const struct {
  const char *name;
  hymg_status (*call)(program *);
  bool local; /* may fail on one rank alone */
} steps[] = {{"context", make_context, false},
             {"grid", make_grid, false},
             {"need", need, false},
             {"fields", make_fields, true},
             {"operator", make_operator, true},
             {"solver", make_solver, false},
             {"u", make_solution, true},
             {"solve", solve, false},
             {"solve, converted", solve_converted, false},
             {"cycle", cycle, false},
             {"set", set, true},
             {"update", update, false},
             {"solve again", solve, false},
             {"solve again, converted", solve_converted, false},
             {"residual", residual, false},
             {"reductions", reduce, false},
             {"advice", advise, false},
             {"fluxes", fluxes, false},
             {"save", save, false}};
enum { STEPS = sizeof steps / sizeof *steps };

static void end(program *p)
{
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&p->beta[axis]);
  hymg_field_destroy(&p->f);
  hymg_field_destroy(&p->u);
  hymg_field_destroy(&p->v);
  hymg_solver_destroy(&p->solver);
  hymg_operator_destroy(&p->op);
  hymg_grid_destroy(&p->grid);
  hymg_context_destroy(&p->context);
}

/* This rank's values of u and v, else 0. */
static void take(const program *p, double values[2 * CELLS])
{
  const int low[3] = {0, 0, 0}, *const count = side_of(p);
  const ptrdiff_t stride[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
  memset(values, 0, 2 * CELLS * sizeof *values);
  OK(p->context, hymg_field_read_own(p->u, low, count, stride, values, HYMG_HOST));
  OK(p->context, hymg_field_read_own(p->v, low, count, stride, values + CELLS, HYMG_HOST));
}

#endif
