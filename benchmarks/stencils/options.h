/* The command line of hymg-stencil. */
#ifndef STENCIL_OPTIONS_H
#define STENCIL_OPTIONS_H

#include "stencils/cpu/stencil.h"

typedef struct stencil_options {
  char which;                       /* a ... d; 0: all */
  bool backend[2];                  /* cuda, host */
  bool chosen;                      /* by name */
  int n[3], num_sides;              /* 0: the case's default; how many were given */
  bool precision[2], any_precision; /* float, double */
  bool radius[STENCIL_RADIUS + 1], any_radius;
  const char *kernel; /* NULL: all */
  int tile[2], slab;  /* 0: the kernel's default */
  int steps, repeat, threads;
  bool wave, scaling, no_overlap, quiet, list, tune;
  const char *snapshot, *gather, *csv, *json;
  int argc;
  char **argv;
} stencil_options;

/* False: *code is the exit status. */
bool stencil_options_read(int argc, char **argv, stencil_options *options, int *code);

#endif
