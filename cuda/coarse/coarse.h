/* What the tail (coarse.cu) works from: a description of each of a solver's coarse levels, made once
 * (lists.cu). Within the tail a vector has plain rows and as many ghosts as the stencil wants;
 * cells are numbered with the red ones first, and what a cell or a ghost needs to know of its
 * surroundings stands in lists, so that the kernel computes no indices. */
#ifndef HYMGI_TAIL_H
#define HYMGI_TAIL_H

#include "kernels/kernels.h"

/* A level has TAIL_CELLS at most, so that its shortest side halves four times; the coarsest may
 * have TAIL_BOTTOM_CELLS. */
enum {
  TAIL_THREADS = 512,
  TAIL_WARP = 32,
  TAIL_LEVELS = 5,
  TAIL_CELLS = 16 * 16 * 16,
  TAIL_BOTTOM_CELLS = 8192
};

/* A cell: where it is in a vector of the tail and in one of the level; where the first of its
 * children is on the next finer level of the tail. */
struct alignas(16) tail_cell {
  int at, field, child;
  unsigned sides; /* bit f: face f is at a wall; bit 6 + f: across a periodic axis */
};

/* A ghost that one axis closes: x[to] from x[from], x[from + step], ... and, if there is a second
 * layer, x[to - step]. */
struct alignas(16) tail_ghost {
  int to, from, step;
  unsigned what; /* 4 bits: hymgi_wall; bit 4: with a second layer; then 1 + index of wall data */
};

/* Ghosts in the order that they can be made in: [0, end[0]) first, then up to end[1], end[2]. */
struct tail_closure {
  const tail_ghost *ghost;
  int end[3];
};

/* Rows of coefficients, a value for every cell each; a method has the first of them. */
enum tail_row {
  TAIL_ALPHA,
  TAIL_L1,
  TAIL_DINV,
  TAIL_BETA, /* low and high face of each axis */
  /* FV4: differences along the face, for each face by the two tangential axes */
  TAIL_TANGENT = TAIL_BETA + 6,
  TAIL_ROWS = TAIL_TANGENT + 12
};

struct tail_level {
  int cells, reds, team; /* threads that work on it: TAIL_WARP or TAIL_THREADS */
  int row, plane, size;  /* from row to row, plane to plane; doubles of a vector */
  int wrap[3];           /* from the first cell to the last, by axis */
  int parity;            /* colour of the cell (0, 0, 0) */
  int in_place;          /* gsrb needs no second buffer: cells of a colour do not see each other */
  int resident;          /* resident.cuh is for it, */
  int sweeps_resident;   /* and for its sweeps */
  int bits;              /* of a word of an exact sum */
  double wall_ghost[6];  /* FV2 */
  double beta[3];        /* FV4, if constant */
  const double *chebyshev;                          /* as in level.h */
  tail_closure operator_ghosts, v_ghosts, f_ghosts; /* FV4's stencil, interpolations of V and F */
  const tail_cell *cell;
  const double *coefficients; /* by tail_row */
  const double *data;         /* of walls */
  const double *field_f;      /* the level's f, if it is not that of the first level of a cycle */
  double *x, *y, *f, *krylov; /* in memory; NULL: in the arena */
  int x_at, y_at, f_at, krylov_at; /* there */
};

struct tail_method {
  hymg_stencil stencil;
  hymg_smoother smoother;
  int sweeps, interpolation_v, interpolation_f;
  bool variable, has_alpha, singular;
};

/* Doubles that the avoiding solvers keep at the start of the arena, the dynamic shared memory;
 * vectors follow. */
enum { TAIL_BASIS = 410 };

struct hymgi_tail_lists {
  int first, last; /* levels of the solver: from where its placement wants the tail on */
  tail_method method;
  double *memory;          /* all that follows is in here */
  size_t doubles, listed;  /* of them all, and before the vectors */
  int arena;               /* doubles of it that are used */
  const tail_level *level; /* of them */
};

/* The kernel may have all of the device's shared memory: so many doubles of arena. */
hymg_status hymgi_tail_arena(hymg_context *context, int *doubles);
/* The levels from the first that allows it and that is to be part of the tail down, the coarsest at
 * least; NULL where that does not allow it. */
hymg_status hymgi_tail_create(hymg_solver *solver, hymgi_tail_lists **tail);
void hymgi_tail_destroy(hymg_context *context, hymgi_tail_lists **tail);

#endif
