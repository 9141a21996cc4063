/* The settings that hymg-fv reads from its command line. */
#ifndef FV_OPTIONS_H
#define FV_OPTIONS_H

#include "common/kit/options.h"
#include "common/kit/words.h"
#include "common/problem.h"
#include "hymg.h"

typedef struct fv_options {
  command_line line;
  bool log2_sizes; /* LOG2_BOX_DIM BOXES_PER_RANK, else --grid */
  int log2_box_dim;
  int boxes_per_rank;
  hymg_grid_desc grid;
  hymg_stencil stencil;
  int helmholtz; /* 0 or 1, as the next but two */
  double a, b;
  int variable;
  problem_kind problem;
  double robin[2]; /* alpha and beta of Robin boundaries */
  hymg_options solver;
  double wait_seconds; /* of the context */
  int device;          /* or HYMG_DEVICE_SHARED or OWN */
  int warmup;
  int min_solves;
  double min_seconds;
  const char *json, *save; /* or NULL */
  int copy_mb;             /* memory of the measured copy; 0: it is not measured, -1: the default */
  /* of a submission, or NULL */
  const char *submit, *site, *machine_name, *interconnect, *submitter;
  bool official, energy, plan, probe, devices, quiet, verbose;
} fv_options;

/* False: the program is to exit with *code; rank 0 says why. With --devices only this flag
 * is set. */
bool fv_options_read(int argc, char **argv, int rank, int ranks, fv_options *options, int *code);

/* Which options contradict each other, the rules of --official, and the defaults that depend on
 * others (check.c). */
bool fv_options_check(fv_options *options);
/* The grid of LOG2_BOX_DIM BOXES_PER_RANK on this many ranks. */
bool fv_log2_grid(fv_options *options, int ranks);

/* Words of the options that no other program has, in the order of their enums, NULL at the end. */
extern const char *const fv_operator_words[],
    *const fv_equation_words[], *const fv_coefficient_words[], *const fv_problem_words[];

/* Without fields; --robin on all faces. */
hymg_operator_desc fv_operator_desc(const fv_options *options);

#endif
