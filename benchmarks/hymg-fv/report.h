/* All results of a run, filled in by run.c and protocol.c, written by print.c and json.c. */
#ifndef FV_REPORT_H
#define FV_REPORT_H

#include "common/energy.h"
#include "common/gpu/nvml.h"
#include "common/kit/machine.h"
#include "hymg-fv/options.h"
#include "hymg.h"

enum { FV_SIZES = 3 };

typedef enum fv_pass { FV_NO_VERDICT = -1, FV_FAILED = 0, FV_PASSED = 1 } fv_pass;

/* One of the sizes h, 2h, 4h. */
typedef struct fv_size {
  hymg_level_info level;
  int64_t dof;
  int solves;
  double seconds_mean, seconds_median, seconds_min;
  hymg_result result;        /* of the last timed solve; its history is copied to `cycles` */
  hymg_cycle_record *cycles; /* result.cycles of them */
  char note[512];            /* the result's */
  char advice[HYMG_ADVICE];  /* with --verbose, of the finest size */
  double solution_max, solution_rms;
  double error_max, error_rms; /* against the exact solution, NaN where there is none */
} fv_size;

/* A GPU of a node. */
typedef struct fv_gpu {
  char name[128], bus[32];
  double memory;
  int ordinal, ranks;  /* that use it */
  int driver, runtime; /* of CUDA, 13000 for 13.0; 0: unknown */
  nvml_state state;    /* during the timed solves of the finest size */
} fv_gpu;

/* A host of the run. */
typedef struct fv_node {
  fv_machine machine;
  fv_host host;
  int ranks, threads;                     /* threads of all its ranks */
  fv_binding binding;                     /* of its first rank, with the processors of all */
  int least_bound, most_bound, all_bound; /* processors of a rank, and of all ranks added up */
  int num_gpus;                           /* in use */
  fv_gpu *gpu;
} fv_node;

typedef struct fv_bandwidth {
  double bytes_per_second; /* all ranks together, read and written; NaN: not measured */
  double bytes;            /* of the arrays of all ranks */
  int copies;
} fv_bandwidth;

typedef struct fv_energy_part {
  int node;
  energy_part part;
} fv_energy_part;

/* Of the timed solves of the finest size, on rank 0. */
typedef struct fv_energy {
  double seconds; /* from the first to the last solve, as the clock says */
  int solves;
  double joules, idle_watts; /* of all parts; idle_watts NaN: not measured */
  int num_parts;             /* 0: no counter could be read */
  fv_energy_part *part;
  bool too_short;                       /* for counters */
  int count[ENERGY_KINDS];              /* parts of each kind */
  char why[ENERGY_SOURCES][ENERGY_WHY]; /* why something is missing, "" if nothing is */
} fv_energy;

typedef struct fv_report {
  const fv_options *options;
  fv_machine machine; /* of this rank */
  int num_nodes;      /* on rank 0: all nodes */
  fv_node *node;
  char library[256]; /* of MPI, as it runs; "" without */
  fv_bandwidth bandwidth;
  nvml_state gpu_state; /* of this rank's GPU */
  fv_energy energy;
  hymg_build build;
  const char *comm;
  int ranks, threads, nodes;
  int boxes[3];
  bool has_device; /* every rank has a GPU; the following is about this rank's */
  hymg_device_info device;
  double startup_seconds; /* CUDA's */
  double setup_seconds;   /* grid, fields, operator, solver; slowest rank. Not included: */
  double problem_seconds; /* evaluation of the problem */
  double tuning_seconds;
  hymg_tuning_info tuning;
  hymg_transport_info transport;
  double bytes_per_dof;
  double peak_bytes; /* of the largest rank */
  int num_levels;
  hymg_level_info *levels;
  int num_sizes, num_own; /* the last num_own of them have solvers of their own */
  fv_size size[FV_SIZES];
  bool has_richardson; /* three sizes ran */
  double richardson_error, richardson_order;
  fv_pass pass;
  int num_rows;
  hymg_profile_row *rows; /* of rank 0, for one solve of the finest size */
  bool official;          /* --official, and all its rules were met */
} fv_report;

/* Set-up time in F-cycles of the finest size; NaN if a solve is not a single F-cycle. */
double fv_setup_cycles(const fv_report *report);
/* The order that the verdict requires. */
double fv_order_bound(const fv_options *options);
double fv_dof_per_second(const fv_size *size);
/* Were solves much slower than the fastest? Mean over least above 1.5. */
bool fv_is_disturbed(const fv_size *size);
/* DOF/s per watt, of the finest size. */
double fv_dof_per_joule(const fv_report *report);
/* 0, or 1 for a failed verdict, a solve that did not converge, or a value that is not finite. */
int fv_exit_code(const fv_report *report);
void fv_report_free(fv_report *report);

/* May progress and colours be shown? Not with --quiet or JSON on standard output (progress.c). */
bool fv_decorates(const fv_options *options);

/* Human-readable output (print.c) on rank 0, in this order. */
void fv_print_setup(const fv_report *report);
void fv_print_size(const fv_report *report, int size);
void fv_print_end(const fv_report *report);
/* A part of it (energy.c). */
void fv_print_energy(const fv_report *report);

#endif
