/* How a CPU runs the numerics: rows of cells, one thread per contiguous share of rows. A row of
 * one colour (or of all cells, with plain rows) is a set of pointers; the kernels in fv2_rows.c
 * and fv4_rows.c know nothing of boundaries, boxes or layouts. */
#ifndef HYMGI_CPU_CPU_H
#define HYMGI_CPU_CPU_H

#include "formulas/extrapolation.h"

#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_max_threads(void)
{
  return 1;
}
static inline int omp_get_num_threads(void)
{
  return 1;
}
static inline int omp_get_thread_num(void)
{
  return 0;
}
#endif

enum { HOST_SCRATCH_ROWS = 48 }; /* rows of scratch of each thread */

/* Threads a level is worth: one below some thousand cells. */
int hymgi_cpu_threads(const hymgi_level *level);

/* This thread's row of scratch, readable from -2 * HYMGI_LINE + 1 on. */
static inline double *host_scratch(const hymgi_level *level, int row)
{
  return level->scratch +
         ((ptrdiff_t)omp_get_thread_num() * HOST_SCRATCH_ROWS + row) * level->scratch_row +
         2 * HYMGI_LINE;
}

/* This thread's share [*from, *to) of `count` things. */
static inline void host_share(int64_t count, int64_t *from, int64_t *to)
{
  const int id = omp_get_thread_num(), team = omp_get_num_threads();
  *from = count * id / team;
  *to = count * (id + 1) / team;
}

/* This thread's rows of boxes one after the other, ghosts left out; colours: one for each colour of
 * rows split by colour, else the first alone. */
typedef struct host_row {
  const hymgi_geom *g, *end; /* g NULL: done */
  int64_t left;              /* rows of this box, this one included */
  bool colours;
  int cjk[3], n;
  ptrdiff_t at; /* start in a vector */
} host_row;

host_row hymgi_cpu_rows(const hymgi_geom *box, int num_boxes, bool colours);
void hymgi_cpu_next(host_row *r);

/* Maximum that keeps NaN. */
static inline double host_larger(double a, double b)
{
  return b > a || b != b ? b : a;
}

/* Doubles from one vector to another; they may be allocations of their own. */
static inline ptrdiff_t host_distance(const double *from, const double *to)
{
  return (ptrdiff_t)(((intptr_t)to - (intptr_t)from) / (intptr_t)sizeof(double));
}

/* ---- rows ---- */

/* FV2: the own cells c and the neighbours west, east, south, north, down, up, with the betas of
 * the faces towards them. */
typedef struct fv2_row {
  int n;
  const double *c, *w, *e, *s, *nn, *d, *u;
  const double *bw, *be, *bs, *bn, *bd, *bu;
  const double *f, *alpha; /* alpha NULL: none */
} fv2_row;

/* FV4: own colour o, other colour q (the same with plain rows), likewise of the betas; sm, sp,
 * s2: slots to the cells at -1, +1, +2 along x; rows and planes are pitch and plane apart. */
typedef struct fv4_row {
  int n;
  ptrdiff_t pitch, plane, sm, sp, s2;
  const double *o, *q, *io, *iq, *jo, *jq, *ko, *kq;
  const double *f, *alpha, *dinv;
  bool variable;
  double beta[3]; /* constants */
} fv4_row;

/* x is written in the ghosts at boundaries; NULL: coefficients only. scratch: two rows. f may be NULL
 * where the kernel has no use for it. */
fv2_row hymgi_fv2_row_of(const hymgi_level *level, const hymgi_geom *g, const double *f, double *x,
                         const int cjk[3], double *const scratch[2]);
/* own and other are the vectors that hold the cell's colour and the other one; ghosts are in
 * place. */
fv4_row hymgi_fv4_row_of(const hymgi_level *level, const hymgi_geom *g, const double *f,
                         const double *own, const double *other, const int cjk[3]);

/* Kernels on slots [from, to). out may be the row c itself only for gsrb of FV2. */
typedef struct relax_weights {
  double residual, momentum; /* out = x + residual * D^-1 r + momentum * (x - prev) */
  const double *prev;        /* row, or NULL without momentum; may be out */
  const double *scale;       /* row of l1 scaling instead of D^-1, or NULL */
} relax_weights;

/* Doubles of a box's rows of constant coefficients, and their contents. */
size_t hymgi_fv2_constant_doubles(const hymgi_geom *g);
void hymgi_fv2_constant_fill(const hymgi_level *level, const hymgi_geom *g, double *rows);

void hymgi_fv2_gsrb(const fv2_row *r, int from, int to, double *out);
void hymgi_fv2_apply(const fv2_row *r, int from, int to, double *out);
void hymgi_fv2_residual(const fv2_row *r, int from, int to, double *out);
void hymgi_fv2_relax(const fv2_row *r, const relax_weights *w, int from, int to, double *out);
void hymgi_fv2_diagonal(const fv2_row *r, int from, int to, double *out);

void hymgi_fv4_apply(const fv4_row *r, int from, int to, double *out);
void hymgi_fv4_residual(const fv4_row *r, int from, int to, double *out);
void hymgi_fv4_relax(const fv4_row *r, const relax_weights *w, int from, int to, double *out);
/* |coefficients| of the 24 other cells summed, and the diagonal, as if no boundary were near. */
void hymgi_fv4_row_sums(const fv4_row *r, int from, int to, double *diagonal, double *others);
/* Coefficient of the cell at `at` in the row's cell at slot t, as if no boundary were near. */
double hymgi_fv4_coefficient(const fv4_row *r, int t, const int at[3]);

/* ---- parts shared by the host's files ---- */

/* Ghosts beyond boundaries, in memory: the polynomial extrapolations of a field (tensor products at edges
 * and corners), with the boundary data added if asked. */
void hymgi_cpu_fill_ghosts(const hymgi_level *level, double *x, hymgi_ghosts ghosts,
                           bool with_data);
/* Parts of it: the ends of row (j, k); the ghost rows beyond face 2 or 3 in plane `at`, or row
 * `at` of the ghost planes beyond face 4 or 5. */
void hymgi_cpu_fill_end_ghosts(const hymgi_level *level, const hymgi_geom *g, double *x,
                               hymgi_ghosts ghosts, int j, int k);
void hymgi_cpu_fill_row_ghosts(const hymgi_level *level, const hymgi_geom *g, double *x,
                               hymgi_ghosts ghosts, int face, int at);
/* What FV2's stencil wants to see beyond a boundary: boundary_ghost times the opposite neighbour; faces
 * only. */
void hymgi_cpu_fill_stencil_ghosts(const hymgi_level *level, double *x);

/* Contents of row (j, k), cells [-ghost, n + ghost), as plain cells: the row itself, or unsplit
 * into buffer; index 0 is cell 0. */
const double *hymgi_cpu_plain_row(const hymgi_geom *g, const double *x, int j, int k,
                                  double *buffer);

/* A smoother call as z wavefronts, where the level is one box without neighbours and large
 * enough: false where it is not. coarse not NULL: the residual is restricted to it as a further
 * stage (transfer.c has the pass on its own). */
bool hymgi_cpu_wave_smooth(hymgi_level *level, double *coarse);
bool hymgi_cpu_wave_applies(const hymgi_level *level);
/* Finds the fastest tuning of a level whose vectors are zero; they stay so. */
void hymgi_cpu_tune(hymgi_level *level);
/* The halo and the boundary ghosts that the stencil reads from memory. */
void hymgi_cpu_update_ghosts(const hymgi_level *level, double *x);
/* Coarse row JK of box b from the residual of its four fine rows; ghosts in place. */
void hymgi_cpu_restrict_residual_row(const hymgi_level *level, int b, const int JK[2], bool red,
                                     double *coarse);

void hymgi_cpu_apply(const hymgi_level *level, double *x, double *y);
void hymgi_cpu_residual(const hymgi_level *level, const double *f, double *x, double *r);
double hymgi_cpu_residual_max(const hymgi_level *level, const double *f, double *x);
void hymgi_cpu_smooth(hymgi_level *level);
void hymgi_cpu_smooth_restrict(hymgi_level *level, bool from_zero, double *coarse, double *zero);
void hymgi_cpu_residual_restrict(const hymgi_level *level, hymgi_after after, double *coarse,
                                 double *zero);
void hymgi_cpu_restrict_cells(const hymgi_level *level, const double *fine, double *coarse);
void hymgi_cpu_restrict_faces(const hymgi_level *level, int axis, const double *fine,
                              const hymgi_geom *patch, double *coarse);
void hymgi_cpu_interpolate(const hymgi_level *fine, const hymgi_level *coarse, const double *source,
                           hymgi_ghosts order, bool add, bool smoothed, double *x);
hymg_status hymgi_cpu_finish_coefficients(hymgi_level *level);
void hymgi_cpu_boundary_term(const hymgi_level *level, int box, int face);
void hymgi_cpu_add_boundary_terms(const hymgi_level *level, double *f);
void hymgi_cpu_brick(const hymgi_level *view, const hymgi_geom *box, const hymgi_user_brick *brick,
                     bool write, double *user, double *data);
void hymgi_cpu_examine(const hymgi_level *view, const hymgi_geom *box, const int n[3],
                       bool positive, const double *data, hymgi_finding *finding);

void hymgi_cpu_fill(const hymgi_level *level, double value, double *x);
void hymgi_cpu_axpby(const hymgi_level *level, double a, const double *x, double b, const double *y,
                     double *z);
void hymgi_cpu_shift(const hymgi_level *level, double c, double *x);
void hymgi_cpu_precondition(const hymgi_level *level, const double *r, double *z);
double hymgi_cpu_max(const hymgi_level *level, const double *x, const double *y);
void hymgi_cpu_sum(const hymgi_level *level, const double *x, const double *y, int exponent,
                   int bits, int64_t *words);

/* The residual of one row (colour, j, k) into out[slot]; ghosts of x in place (FV4). scratch
 * rows 0 and 1 are used. */
void hymgi_cpu_residual_row(const hymgi_level *level, const hymgi_geom *g, const double *f,
                            double *x, const int cjk[3], double *out);

#endif
