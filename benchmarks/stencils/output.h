/* Rows as a table, as CSV and as JSON. */
#ifndef STENCIL_OUTPUT_H
#define STENCIL_OUTPUT_H

#include "common/kit/rows.h"
#include "stencils/options.h"

typedef struct stencil_row {
  char which;
  bool gpu, wide, wave;
  char kernel[STENCIL_NAME]; /* with axis, layout or slab, if the case has them */
  int n[3], order, ranks, slab;
  double ms, gpoints, gbytes, percent; /* of the copy or triad */
  double redundancy;
  int registers;
  int64_t wrong;
  double largest, mean; /* errors in the study's norms */
  const char *published;
} stencil_row;

typedef struct stencil_heading {
  const char *what; /* "case a, Laplacian", and how */
  double rate;      /* bytes per second that are 100 % */
  bool gpu;
} stencil_heading;

typedef struct stencil_output {
  const stencil_options *options;
  run_info run;
  csv_table csv;
  char rate[64]; /* a line of the CSV before the next row; or empty */
  stencil_row *rows;
  int count, room;
  char gpu[128];
  bool failed;
} stencil_output;

/* False after a message: a file named by the options cannot be written. Changes none of them. */
bool stencil_output_check(const stencil_options *options);
/* The same, and prints the head on stdout. */
bool stencil_output_open(stencil_output *out, const stencil_options *options, const char *gpu);
void stencil_output_heading(stencil_output *out, const stencil_heading *heading);
void stencil_output_row(stencil_output *out, const stencil_row *row);
/* ok: the run succeeded. False after a message: a file could not be written. */
bool stencil_output_close(stencil_output *out, bool ok);
/* Progress on stderr unless --quiet; cleared by the next row. */
void stencil_progress(const stencil_options *options, const char *what);

#endif
