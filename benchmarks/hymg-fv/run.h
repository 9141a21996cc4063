/* A run: what set-up makes and the protocol uses. Every call is collective and returns false if any
 * rank failed; by then the failing rank has printed why and exit_code is set on all. */
#ifndef FV_RUN_H
#define FV_RUN_H

#include "common/energy.h"
#include "common/problem_fields.h"
#include "hymg-fv/report.h"

/* What a size is solved with. */
typedef struct fv_system {
  hymg_grid_desc desc;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
} fv_system;

typedef struct fv_run {
  const fv_options *options;
  hymg_options solver_options; /* options->solver with the files filled in */
  char tuning_file[4096], probe_file[4096];
  hymg_context *context;
  problem problem;
  fv_system
      system[FV_SIZES]; /* of the finest size; of others where its levels cannot be solved on */
  hymg_field *f[FV_SIZES], *u[FV_SIZES];
  bool progress;         /* rank 0 writes to a terminal */
  double progress_shown; /* when the line was last written */
  double solve_seconds;  /* of the last solve, or expected of the next size; 0: unknown */
  energy_meter meter;    /* of the parts that this rank reads */
  double metered_from;   /* when the timed solves of the finest size began */
  int exit_code;         /* 2 or 3 after a failure */
} fv_run;

/* Initialises CUDA and records what devices there are (device.c). */
bool fv_start_device(fv_run *run, fv_report *report);
/* What a rank tells of its host, its GPU and its counters of energy. */
typedef struct fv_place {
  fv_machine machine;
  fv_host host;
  fv_binding binding;
  int threads, node; /* node: found by rank 0 */
  bool has_gpu;
  fv_gpu gpu;
  int num_parts; /* these as energy_meter has them */
  energy_part part[ENERGY_PARTS];
  char why[ENERGY_SOURCES][ENERGY_WHY];
} fv_place;

/* The list of nodes and their GPUs and the energy, on rank 0, after the solves (nodes.c). */
bool fv_find_nodes(fv_run *run, fv_report *report);
void fv_nodes_free(fv_report *report);
/* The rate of a copy, after the solves and their peak of memory (bandwidth.c). */
bool fv_measure_bandwidth(fv_run *run, fv_report *report);
/* Energy (energy.c). open: finds the counters that this rank reads; after the device is known, collective. */
void fv_energy_open(fv_run *run, fv_report *report);
/* --energy: the idle power, before the first solve. */
bool fv_energy_idle(fv_run *run);
/* Around the timed solves of the finest size, and between two of them. */
void fv_energy_begin(fv_run *run);
void fv_energy_sample(fv_run *run, fv_report *report);
void fv_energy_end(fv_run *run, fv_report *report);
void fv_energy_tell(const fv_run *run, fv_place *place);
/* The sum over nodes and GPUs, on rank 0, from what all ranks tell. False: out of memory. */
bool fv_energy_collect(fv_report *report, const fv_place *all);
/* --devices: 0, or 1 if there is none. */
int fv_print_devices(hymg_context *context);
/* --probe-comm: 0 if MPI accepts device memory, 1 if not, 2 if it cannot be tested. */
int fv_probe(fv_run *run);
bool fv_make_grid(fv_run *run, fv_report *report);
/* --plan: the memory that the run would need (hymg-fv/plan.c). */
bool fv_plan(fv_run *run, const fv_report *report);
/* Refuses runs that do not fit into the GPU's memory. */
bool fv_check_device_memory(fv_run *run, const fv_report *report);
/* The system of a size and the level that it is there; operator and solver of a system whose grid is
 * made; systems of the coarser sizes where the finest one's levels cannot be solved on and the errors are
 * known (system.c). */
fv_system *fv_system_of(fv_run *run, int size, int *level);
bool fv_make_solver(fv_run *run, fv_report *report, fv_system *s);
bool fv_make_coarser_sizes(fv_run *run, fv_report *report);
void fv_systems_destroy(fv_run *run);
/* Called after the grid is made. */
bool fv_setup(fv_run *run, fv_report *report);
/* Warm-up, timed solves and errors of size 0, 1, 2 in turn. */
bool fv_measure(fv_run *run, fv_report *report, int size);
bool fv_richardson(fv_run *run, fv_report *report);
bool fv_breakdown(fv_run *run, fv_report *report);
/* --save: the fields of the finest size, after the last solve. */
bool fv_save(fv_run *run);
void fv_cleanup(fv_run *run);

/* Agrees on a status: prints what failed or was refused and the library's text from the lowest rank
 * that has one. */
bool fv_agree(fv_run *run, hymg_status status, const char *doing);
/* In place; the same on all ranks afterwards. */
bool fv_max(fv_run *run, double *value);
/* Is this so on any rank? */
bool fv_any(fv_run *run, bool here);
/* Averages, on this rank: of beta over faces, boundary data over cells of a face; cell averages of the
 * exact solution on a size. */
hymg_status fv_write_beta(const fv_run *run, const fv_system *s, int axis, hymg_field *field);
hymg_status fv_write_boundary(const fv_run *run, const fv_system *s, int face, hymg_field *field);
bool fv_write_exact(fv_run *run, int size, hymg_field *field);

/* Progress (progress.c). start: finds out whether there is a terminal for it, before the first line. */
void fv_progress_start(fv_run *run);
/* Shows one line on the terminal, replaced by the next; NULL clears it. */
__attribute__((format(printf, 2, 3))) void fv_progress(fv_run *run, const char *format, ...);
/* The same, with the time left: warmed and solves of a size are done, the latter in `total` seconds. */
void fv_progress_solves(fv_run *run, const int n[3], int sizes_after, int warmed, int solves,
                        double total);

#endif
