/* What the coarse end (coarse.cu) works from: a description of each of a solver's coarse levels, made once
 * (lists.cu). Within the coarse end a vector has plain rows and as many ghosts as the stencil wants;
 * cells are numbered with the red ones first, and what a cell or a ghost needs to know of its
 * surroundings stands in lists, so that the kernel computes no indices. */
#ifndef HYMGI_COARSE_COARSE_H
#define HYMGI_COARSE_COARSE_H

#include "kernels/kernels.h"

/* A level has a cell a thread at most, so that its shortest side halves three times. */
enum { COARSE_THREADS = 512, COARSE_WARP = 32, COARSE_LEVELS = 4 };

/* A cell: where it is in a vector of the coarse end and in one of the level; where the first of its
 * children is on the next finer level of the coarse end. */
struct alignas(16) coarse_cell {
  int at, field, child;
  unsigned sides; /* bit f: face f is at a boundary; bit 6 + f: across a periodic axis */
};

/* A ghost that one axis closes: x[to] from x[from], x[from + step], ... and, if there is a second
 * layer, x[to - step]. */
struct alignas(16) coarse_ghost {
  int to, from, step;
  unsigned
      what; /* 4 bits: hymgi_extrapolation; bit 4: with a second layer; then 1 + index of boundary data */
};

/* Ghosts in the order that they can be made in: [0, end[0]) first, then up to end[1], end[2]. */
struct coarse_extrapolation {
  const coarse_ghost *ghost;
  int end[3];
};

/* Rows of coefficients, a value for every cell each; a method has the first of them. */
enum coarse_row {
  COARSE_ALPHA,
  COARSE_L1,
  COARSE_DINV,
  COARSE_BETA, /* low and high face of each axis */
  /* FV4: differences along the face, for each face by the two tangential axes */
  COARSE_TANGENT = COARSE_BETA + 6,
  COARSE_ROWS = COARSE_TANGENT + 12
};

struct coarse_level {
  int cells, reds, team; /* threads that work on it: COARSE_WARP or COARSE_THREADS */
  int row, plane, size;  /* from row to row, plane to plane; doubles of a vector */
  int wrap[3];           /* from the first cell to the last, by axis */
  int parity;            /* colour of the cell (0, 0, 0) */
  int in_place;          /* gsrb needs no second buffer: cells of a colour do not see each other */
  int bits;              /* of a word of an exact sum */
  double boundary_ghost[6]; /* FV2 */
  double beta[3];           /* FV4, if constant */
  const double *chebyshev;  /* as in level.h */
  coarse_extrapolation operator_ghosts, v_ghosts,
      f_ghosts; /* FV4's stencil, interpolations of V and F */
  const coarse_cell *cell;
  const double *coefficients; /* by coarse_row */
  const double *data;         /* of boundaries */
  const double *field_f;      /* the level's f, if it is not that of the first level of a cycle */
  int x_at, y_at, f_at, krylov_at; /* of vectors in the arena */
};

struct coarse_method {
  hymg_stencil stencil;
  hymg_smoother smoother;
  int sweeps, interpolation_v, interpolation_f;
  bool variable, has_alpha, singular;
};

/* All vectors are in the arena, the dynamic shared memory; at its start the avoiding solvers keep so
 * many doubles. */
enum { COARSE_BASIS = 410 };

struct hymgi_coarse_lists {
  int first, last; /* levels of the solver: from where its placement wants the coarse end on */
  coarse_method method;
  double *memory;            /* lists and coefficients */
  size_t doubles;            /* of it */
  int arena;                 /* doubles of it that are used */
  const coarse_level *level; /* in memory */
};

/* The kernel may have all of the device's shared memory: so many doubles of arena. */
hymg_status hymgi_coarse_arena(hymg_context *context, int *doubles);
/* The levels from the first that allows it and that is to be part of the coarse end down, the coarsest at
 * least; NULL where that does not allow it. The placement is told where it begins. */
hymg_status hymgi_coarse_create(hymgi_hierarchy *h, hymgi_coarse_lists **tail);
void hymgi_coarse_destroy(hymg_context *context, hymgi_coarse_lists **tail);

#endif
