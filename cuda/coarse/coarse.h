/* The data of the coarse end (coarse.cu): a description of each coarse level of a solver, made once
 * (lists.cu). Within the coarse end the rows of a vector are not split by colour, and it has as
 * many ghosts as the stencil needs; cells are numbered with the red ones first. What a cell or a
 * ghost needs to know of its neighbourhood is stored in lists, so that the kernel computes no
 * indices. */
#ifndef HYMGI_COARSE_COARSE_H
#define HYMGI_COARSE_COARSE_H

#include "kernels/kernels.h"
#include "kernels/setup.h"

/* A level has at most one cell per thread, so its shortest side can be halved three times. */
enum { COARSE_THREADS = 512, COARSE_WARP = 32, COARSE_LEVELS = 4 };

/* A cell: its position in a vector of the coarse end and in one of the level, and the position of
 * its first child on the next finer level of the coarse end. */
struct alignas(16) coarse_cell {
  int at, field, child;
  unsigned sides; /* bit f: face f is at a boundary; bit 6 + f: across a periodic axis */
};

/* A ghost filled along one axis: x[to] from x[from], x[from + step], ... and, if there is a second
 * layer, also x[to - step]. */
struct alignas(16) coarse_ghost {
  int to, from, step;
  /* 4 bits: hymgi_extrapolation; bit 4: second layer; above: 1 + index of boundary data, or 0 */
  unsigned what;
};

/* Ghosts in an order in which they can be filled: [0, end[0]) first, then up to end[1], end[2]. */
struct coarse_extrapolation {
  const coarse_ghost *ghost;
  int end[3];
};

/* A ghost computed from cells alone: along x from values along y, these from values along z. x[to]
 * from the two cells next to the boundary along each axis, x[from] first. */
struct alignas(16) coarse_product {
  int to, from, unused;
  unsigned what; /* 4 bits an axis: hymgi_extrapolation or 0; bit 12 + axis: at its high end */
};

struct coarse_products {
  const coarse_product *ghost;
  int count;
};

/* Rows of coefficients, each with a value per cell; a method uses only the first few of them. */
enum coarse_row {
  COARSE_ALPHA,
  COARSE_L1,
  COARSE_DINV,
  COARSE_BETA, /* low and high face of each axis */
  /* FV4: differences of beta along a face, for each face along its two tangential axes */
  COARSE_TANGENT = COARSE_BETA + 6,
  COARSE_ROWS = COARSE_TANGENT + 12
};

struct coarse_level {
  int cells, reds, team; /* threads that work on it: COARSE_WARP or COARSE_THREADS */
  int row, plane, size;  /* strides of rows and planes; length of a vector */
  int ghost;             /* layers */
  int n[3], wrap[3];     /* cells along each axis, offset from the first to the last one */
  int parity;            /* colour of the cell (0, 0, 0) */
  hymg_stencil stencil;
  int in_place;                /* gsrb needs no second buffer: no cell reads its own colour */
  int uneven;                  /* a side that is halved is odd */
  double part_of_sum;          /* as in transfer.h */
  const double *parabolas[3];  /* of hymgi_axis, if uneven */
  int bits;                    /* of a word of an exact sum */
  int periodic;                /* bit per axis */
  int has_data;                /* boundary data for F-cycles */
  double boundary_ghost[6];    /* FV2 */
  double beta[3];              /* FV4, if constant */
  const double *sweep_weights; /* as in level.h */
  /* for FV4's stencil and for the interpolations of V- and F-cycles */
  coarse_extrapolation operator_ghosts, v_ghosts, f_ghosts;
  coarse_products products; /* for quadratic interpolation by red_black.cu and matrix_cycle.cuh */
  const coarse_cell *cell;
  const double *coefficients; /* by coarse_row */
  const double *data;         /* boundary data */
  const double *field_f;      /* the level's own f, used below the finest level of a cycle */
  int x_at, y_at, f_at;       /* positions of the vectors in the arena */
};

/* Places of a row of the arena. A half warp of FV2's red-black half sweeps reads four rows of 8 cells:
 * with 12 places they are in different banks. */
HYMGI_INLINE int coarse_row_of(const hymgi_geom *g)
{
  const int cells = g->n[0] + 2 * g->ghost;
  return cells == 10 ? 12 : cells;
}

/* All vectors are in the arena, which is the dynamic shared memory. They come after a zero, which is read
 * in place of ghosts that are 0 (red_black_cells.cuh), and the barriers of octants.cu. */
enum { COARSE_FIRST = 8 };

struct hymgi_coarse_lists {
  int first, last; /* levels of the solver; the placement decides the first */
  hymgi_method method;
  double *memory;            /* lists and coefficients */
  size_t doubles;            /* its size */
  int arena;                 /* doubles of shared memory in use */
  const coarse_level *level; /* in memory */
  coarse_level on_host[COARSE_LEVELS];
  bool red_black;  /* red_black.cu does V- and F-cycles */
  double *octants; /* the table with which octants.cu does those from level first - 1, or NULL */
  size_t octants_doubles;
};

/* Lets the kernel use all shared memory of the device; *doubles: the size of the arena. */
hymg_status hymgi_coarse_arena(hymg_context *context, int *doubles);
/* Can red_black.cu do V- and F-cycles on these levels? */
bool hymgi_coarse_red_black(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists);
/* Launches one from the level down; an F-cycle if f_cycle. */
void hymgi_coarse_launch_red_black(const hymgi_coarse_lists *lists, const hymgi_level *level,
                                   hymg_bottom bottom, bool f_cycle);
/* Can octants.cu do V- and F-cycles from the level above them, too? */
bool hymgi_coarse_octants(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists);
/* Makes their table of cells. */
hymg_status hymgi_coarse_make_octants(const hymgi_level *level, hymgi_coarse_lists *lists);
/* Launches one; visits, from_zero: as hymgi_coarse_end; false: another kind, or there is no matrix for it. */
bool hymgi_coarse_launch_octants(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists,
                                 int visits, bool from_zero);
/* Can matrix_cycle.cu do V- and F-cycles from this level down, right above that of the matrices? */
bool hymgi_coarse_above_matrix(const hymgi_coarse_lists *lists, const hymgi_level *level,
                               const hymgi_coarse_matrix *matrix);
/* Launches one, if so; an F-cycle if f_cycle. */
void hymgi_coarse_launch_above_matrix(const hymgi_coarse_lists *lists, const hymgi_level *level,
                                      bool f_cycle, const hymgi_coarse_matrix *matrix);
/* The kernel of V-cycles from a level that is the coarse end's, as a profiler shows it; NULL:
 * it is done level by level. */
const char *hymgi_coarse_kernel(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists, int l);
/* Makes the coarse end of the coarsest levels: as many as fit and as the placement wants, at least
 * the bottom and those from the coarse matrices down; NULL if not even the bottom fits. The
 * placement learns the first level. */
hymg_status hymgi_coarse_create(hymgi_hierarchy *h, hymgi_coarse_lists **lists);
/* Enqueues the kernel that writes a level's rows of coefficients, in the order of its cells. */
void hymgi_coarse_fill_coefficients(const hymgi_level *level, const coarse_cell *cell,
                                    double *rows);
void hymgi_coarse_destroy(hymg_context *context, hymgi_coarse_lists **lists);

#endif
