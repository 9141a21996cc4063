/* The numerics on a CPU: loops over rows of cells, each thread with a contiguous share of the rows.
 * A row holds the cells of one colour (all cells if rows are not split) and is passed as a set of
 * pointers; the kernels in fv2_rows.c and fv4_rows.c know nothing of boundaries, boxes or layouts.
 *
 * What this header, robust.h and sweep/wavefront.h declare is compiled twice: for levels in double
 * precision, and for those in single precision under names that end in _single, which the Makefile
 * (single_names) makes from these declarations. team.h and setup.h declare what is compiled once. */
#ifndef HYMGI_CPU_CPU_H
#define HYMGI_CPU_CPU_H

#include "base/exact_sum.h"
#include "cpu/team.h"
#include "formulas/extrapolation.h"

#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_max_threads() 1
#define omp_get_num_procs()   1
#define omp_get_num_threads() 1
#define omp_get_thread_num()  0
#endif

/* numbers of a cache line; scratch rows per thread */
enum { HOST_LINE = 64 / sizeof(hymgi_real), HOST_SCRATCH_ROWS = 48 };

/* The number of this thread in its team, and how many there are (team.h). */
static inline int host_thread(const hymg_context *context)
{
  return context->alone ? 0 : omp_get_thread_num();
}
static inline int host_team(const hymg_context *context)
{
  return context->alone ? 1 : omp_get_num_threads();
}

/* A scratch row of this thread, readable from index -2 * HOST_LINE + 1. */
static inline hymgi_real *host_scratch(const hymgi_level *level, int row)
{
  return level->scratch +
         ((ptrdiff_t)host_thread(level->context) * HOST_SCRATCH_ROWS + row) * level->scratch_row +
         2 * HOST_LINE;
}

/* The share [*from, *to) of `count` items that belongs to this thread. */
static inline void host_share(const hymg_context *context, int64_t count, int64_t *from,
                              int64_t *to)
{
  const int id = host_thread(context), team = host_team(context);
  *from = 0, *to = count;
  if (team == 1) return; /* divisions cost as much as a short row */
  *from = count * id / team;
  *to = count * (id + 1) / team;
}

/* Number of slots of a row of one colour; the most where n[0] is odd, the others have one less. */
static inline int host_slots(const hymgi_geom *g)
{
  return g->split ? (g->n[0] + 1) / 2 : g->n[0];
}

/* Its cells, in row (j, k). */
static inline int host_cells(const hymgi_geom *g, int colour, int j, int k)
{
  return g->split ? hymgi_count(g, colour, j, k) : g->n[0];
}

/* Does the row of a colour that begins with cell p have the last cell? */
static inline bool host_has_last(const hymgi_geom *g, int p)
{
  return !g->split || (g->n[0] - 1 - p) % 2 == 0;
}

/* Iterates over this thread's rows of the boxes, without ghosts. With `colours`, both colours of a
 * split row are visited; otherwise each row once, as colour 0. */
typedef struct host_row {
  const hymg_context *context;
  const hymgi_geom *g, *end; /* g is NULL at the end */
  int64_t left;              /* rows left in this box, including the current one */
  bool colours;
  int cjk[3], n;
  ptrdiff_t at; /* index of the first cell in a vector */
} host_row;

host_row hymgi_cpu_rows(const hymgi_level *level, const hymgi_geom *box, int num_boxes,
                        bool colours);
void hymgi_cpu_next(host_row *r);
/* For rows without colours. rows_of_plane: the number of this thread's rows in the plane, from the current one
 * on; next_plane: goes to the row after them. */
int hymgi_cpu_rows_of_plane(const host_row *r);
void hymgi_cpu_next_plane(host_row *r);

/* Layers beside a face without a boundary whose values after (half) sweep s depend on what lies beyond:
 * slots along x, if rows are split. */
static inline int host_depth(const hymgi_geom *g, int face, int s)
{
  return (face < 2 && g->split ? 1 : g->ghost) * (s + 1);
}

/* Maximum that propagates NaN. */
static inline double host_larger(double a, double b)
{
  return b > a || b != b ? b : a;
}

/* max |x y| of n entries, or max |x|, when y is not read; NaN if there is any */
HYMGI_INLINE double host_row_max(const bool product, const hymgi_real *x, const hymgi_real *y,
                                 int n)
{
  hymgi_real max = 0, nan = 0;
#pragma omp simd reduction(max : max) reduction(+ : nan)
  for (int t = 0; t < n; t++) {
    const hymgi_real v = hymgi_abs(product ? x[t] * y[t] : x[t]);
    max = v > max ? v : max;
    nan += v != v ? 1 : 0;
  }
  return nan > 0 ? (double)NAN : (double)max;
}
static inline double host_largest(const hymgi_real *x, int n)
{
  return host_row_max(false, x, x, n);
}

HYMGI_INLINE uint64_t host_bits_of(double x)
{
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  return word;
}

/* A part of an exact sum, in lanes. word: sums of the bits of lifted terms, modulo 2^64, of which
 * host_add_words takes off what lifting has set itself; fitting: terms that are not too large. */
enum { HOST_LANES = 8 };
typedef struct host_sum {
  uint64_t word[HYMGI_SUM_WORDS][HOST_LANES], fitting[HOST_LANES];
  int64_t terms;
} host_sum;

HYMGI_INLINE void host_add_lanes(const bool product, const hymgi_real *x, const hymgi_real *y,
                                 int lanes, const hymgi_sum_scale by, host_sum *sum)
{
#pragma omp simd
  for (int m = 0; m < lanes; m++) {
    const double term = product ? (double)x[m] * (double)y[m] : (double)x[m];
    const bool fits = fabs(term) < by.limit;
    const double a = fits ? term : 0, one = hymgi_fma_double(a, by.up, HYMGI_SUM_LIFT),
                 b = hymgi_fma_double(a, by.up, HYMGI_SUM_LIFT - one),
                 two = hymgi_fma_double(b, by.step, HYMGI_SUM_LIFT),
                 c = hymgi_fma_double(b, by.step, HYMGI_SUM_LIFT - two),
                 three = hymgi_fma_double(c, by.step, HYMGI_SUM_LIFT);
    sum->word[0][m] += host_bits_of(one), sum->word[1][m] += host_bits_of(two);
    sum->word[2][m] += host_bits_of(three), sum->fitting[m] += fits ? 1 : 0;
  }
}

/* Adds hymgi_sum_add_below of n terms x y, or x if not a product; products with a power of 2 are
 * exact. */
HYMGI_INLINE void host_add_row(const bool product, const hymgi_real *x, const hymgi_real *y, int n,
                               const hymgi_sum_scale *scale, host_sum *sum)
{
  const hymgi_sum_scale by = *scale;
  int t = 0;
  for (; t + HOST_LANES <= n; t += HOST_LANES)
    host_add_lanes(product, x + t, y + t, HOST_LANES, by, sum);
  if (t < n) host_add_lanes(product, x + t, y + t, n - t, by, sum);
  sum->terms += n;
}

/* Adds the sum's words. */
static inline void host_add_words(const host_sum *sum, int64_t words[HYMGI_SUM_RESULT])
{
  const uint64_t lifted = (uint64_t)sum->terms * (uint64_t)HYMGI_SUM_LIFTED;
  uint64_t total[HYMGI_SUM_RESULT] = {0};
  for (int m = 0; m < HOST_LANES; m++) {
    for (int w = 0; w < HYMGI_SUM_WORDS; w++)
      total[w] += sum->word[w][m];
    total[HYMGI_SUM_BEYOND] += sum->fitting[m];
  }
  for (int w = 0; w < HYMGI_SUM_WORDS; w++)
    words[w] += (int64_t)(total[w] - lifted);
  words[HYMGI_SUM_BEYOND] += sum->terms - (int64_t)total[HYMGI_SUM_BEYOND];
}

/* Distance in numbers between two vectors, which may be separate allocations. */
static inline ptrdiff_t host_distance(const hymgi_real *from, const hymgi_real *to)
{
  return (ptrdiff_t)(((intptr_t)to - (intptr_t)from) / (intptr_t)sizeof(hymgi_real));
}

/* ---- rows ---- */

/* FV2: the row's cells c and its neighbours west, east, south, north, down and up, with the betas
 * of the faces between them. */
typedef struct fv2_row {
  int n;
  const hymgi_real *c, *w, *e, *s, *nn, *d, *u;
  const hymgi_real *bw, *be, *bs, *bn, *bd, *bu;
  const hymgi_real *f, *alpha; /* alpha is NULL for Poisson */
} fv2_row;

/* FV4: o points to the row's colour, q to the other colour (the same pointer if rows are not
 * split); the betas likewise. sm, sp and s2 are the slot offsets to the cells at -1, +1 and +2
 * along x; pitch and plane are the strides between rows and planes. */
typedef struct fv4_row {
  int n;
  ptrdiff_t pitch, plane, sm, sp, s2;
  const hymgi_real *o, *q, *io, *iq, *jo, *jq, *ko, *kq;
  const hymgi_real *f, *alpha, *dinv;
  const hymgi_real *alpha_q; /* alpha_limit not 0: alpha of the other colour */
  hymgi_real beta[3];        /* constant betas, used if io is NULL */
  bool limited, closed;   /* betas may be marked (formulas/limiter.h); as in hymgi_coefficients */
  hymgi_real alpha_limit; /* as in hymgi_coefficients */
  /* limited: bit per face; those across x say that the first or the last slot is at a boundary */
  unsigned boundaries;
} fv4_row;

/* Writes the ghosts of x at boundaries along x; those along y and z must be filled. With x NULL only the
 * coefficients are set; f may be NULL if the kernel does not read it. */
fv2_row hymgi_fv2_row_of(const hymgi_level *level, const hymgi_geom *g, const hymgi_real *f,
                         hymgi_real *x, const int cjk[3]);
/* own and other are the vectors that hold the colour of the row and the other colour. Ghosts must
 * be filled already. */
fv4_row hymgi_fv4_row_of(const hymgi_level *level, const hymgi_geom *g, const hymgi_real *f,
                         const hymgi_real *own, const hymgi_real *other, const int cjk[3]);

/* fv4_limited.c: the rows' boundaries; operator or residual of a limited row; adds to the operator (sign
 * 1) or the residual (-1) what the mean of alpha u is more than the product of the means. */
unsigned hymgi_fv4_boundaries(const hymgi_geom *g, const int cjk[3]);
void hymgi_fv4_limited(bool residual, const fv4_row *r, int from, int to, hymgi_real *out);
void hymgi_fv4_add_alpha(hymgi_real sign, const fv4_row *r, int from, int to, hymgi_real *out);

/* What a kernel computes: GSRB of FV4 is a relaxation; DIAGONAL and FIRST, GSRB where x is 0, are for
 * FV2. */
typedef enum {
  HOST_APPLY,
  HOST_RESIDUAL,
  HOST_GSRB,
  HOST_FIRST,
  HOST_RELAX,
  HOST_DIAGONAL
} host_kind;

/* Does it update one colour? */
static inline bool host_one_colour(host_kind kind)
{
  return kind == HOST_GSRB || kind == HOST_FIRST;
}

typedef struct relax_weights {
  hymgi_real residual, momentum; /* out = x + residual * D^-1 r + momentum * (x - prev) */
  const hymgi_real *prev;  /* row of the previous iterate, or NULL without momentum; may be out */
  const hymgi_real *scale; /* row of l1 scaling used in place of D^-1, or NULL */
} relax_weights;

/* Kernels on slots [from, to). Only gsrb of FV2 allows out to be the row c itself. */
void hymgi_fv2_run(host_kind kind, const fv2_row *r, const relax_weights *w, int from, int to,
                   hymgi_real *out);
void hymgi_fv4_run(host_kind kind, const fv4_row *r, const relax_weights *w, int from, int to,
                   hymgi_real *out);

/* What is computed in all rows of a pass. */
typedef struct host_pass {
  host_kind kind;
  const hymgi_level *level;
  const hymgi_real *f;
  hymgi_real *own, *other; /* vectors with the cell's colour and with the other colour */
  relax_weights w;         /* prev and scale are vectors here */
} host_pass;

/* run_slots of FV2 */
void hymgi_fv2_slots(const host_pass *pass, const hymgi_geom *g, const int cjk[3], int from, int to,
                     hymgi_real *out);
double hymgi_fv2_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2], int k,
                      hymgi_real *out);
double hymgi_fv4_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2], int k,
                      hymgi_real *out);
/* Rows j[0] <= j < j[1] of plane k; out: of the first row, the others a pitch apart. gsrb: the cells of the colour, also
 * if rows are not split; FV2 in place, FV4 takes the others of plain rows from pass->own. out NULL, of a residual: returns
 * its largest absolute value, NaN if there is any. For FV4, ghosts must be filled already. Uses scratch row 2. */
double hymgi_cpu_run_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2],
                          int k, hymgi_real *out);

/* Slots [from, to) of row (colour, j, k), written to out[slot]. For FV4, ghosts must be filled
 * already. */
void hymgi_cpu_run_slots(const host_pass *pass, const hymgi_geom *g, const int cjk[3], int from,
                         int to, hymgi_real *out);

/* Makes or updates level->c.constant_rows, if the level needs them. */
hymg_status hymgi_cpu_constant_rows(hymgi_level *level);

/* The diagonal and the sum of |coefficient| over the 24 other cells, ignoring boundaries. */
void hymgi_fv4_row_sums(const fv4_row *r, int from, int to, hymgi_real *diagonal,
                        hymgi_real *others);
/* Coefficient of the neighbour at offset `at` in the equation of the row's cell t, ignoring
 * boundaries. */
hymgi_real hymgi_fv4_coefficient(const fv4_row *r, int t, const int at[3]);

/* ---- parts shared by the host's files ---- */

/* Fills the ghosts beyond boundaries by polynomial extrapolation (tensor products at edges and
 * corners), adding the boundary data if asked. */
void hymgi_cpu_fill_ghosts(const hymgi_level *level, hymgi_real *x, hymgi_ghosts ghosts,
                           bool with_data);
/* Those that FV4's stencil reads: beyond two boundaries the nearest layers alone. */
void hymgi_cpu_fill_fv4_ghosts(const hymgi_level *level, hymgi_real *x);
/* Parts of it: the ghosts at both ends of rows j[0] <= j < j[1] of plane k; the ghost rows beyond face 2 or 3 in planes
 * rows[0] <= k < rows[1], or such rows of the ghost planes beyond face 4 or 5, without ends beyond a boundary. */
void hymgi_cpu_fill_end_ghosts(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                               hymgi_ghosts ghosts, const int j[2], int k);
void hymgi_cpu_fill_row_ghosts(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                               hymgi_ghosts ghosts, int face, const int rows[2]);
/* Fills the face ghosts that FV2's stencil reads: boundary_ghost times the opposite neighbour. */
void hymgi_cpu_fill_stencil_ghosts(const hymgi_level *level, hymgi_real *x);

/* Runs a smoother call as z wavefronts if the level is one box and large enough; returns false if
 * not. level->start is a stage before the sweeps. If coarse is not NULL the residual is restricted
 * into it as a further stage (transfer.c has the separate pass), if max is not NULL max |f - A x| is
 * found; not both. from_f: as HOST_FIRST begins. */
bool hymgi_cpu_wave_smooth(hymgi_level *level, bool from_f, hymgi_real *coarse, double *max);
bool hymgi_cpu_interpolate_later(hymgi_level *fine, const hymgi_interpolation *what);
bool hymgi_cpu_smooth_norm(hymgi_level *level, int slot);
/* An iterate: a vector, or the one with its red cells, and how far from it the one with the black cells
 * is. */
typedef struct host_iterate {
  hymgi_real *x;
  ptrdiff_t black_offset;
} host_iterate;

/* For (half) sweeps of which a wavefront has done the cells at least host_depth layers away from the faces
 * in `cut` (bits). begin_halo: sends what the neighbours read of x. own_ghosts: those beyond boundaries,
 * as far as they need no message. finish_halo: ends the exchange. sweep_shell: the rest of sweep s of a
 * group, once its iterate has its ghosts; colour -1: of both; out NULL: returns the largest absolute value. */
void hymgi_cpu_begin_halo(const hymgi_level *level, host_iterate x);
void hymgi_cpu_own_ghosts(const hymgi_level *level, host_iterate x);
void hymgi_cpu_finish_halo(const hymgi_level *level, host_iterate x);
double hymgi_cpu_sweep_shell(const host_pass *pass, hymgi_real *out, int colour, int s,
                             unsigned cut);
/* possible: with some depth and tiles; applies: with those of level->tuning */
bool hymgi_cpu_wave_possible(const hymgi_level *level);
bool hymgi_cpu_wave_applies(const hymgi_level *level);
/* Sweep s of a smoother without colours, from level->x. */
host_pass hymgi_cpu_relaxation(const hymgi_level *level, int s);
/* Picks the fastest schedule for a level whose vectors are zero; they stay zero. Was anything measured? */
bool hymgi_cpu_tune(hymgi_level *level, bool measure);
bool hymgi_cpu_take_schedule(hymgi_level *level, int stages, int rows);
/* Updates the halo and the boundary ghosts that the stencil reads from memory. */
void hymgi_cpu_update_ghosts(const hymgi_level *level, hymgi_real *x);
/* Restricts the residual to the coarse rows that a wavefront has left out: so many fine layers of each
 * face. Ghosts must be filled already. */
void hymgi_cpu_restrict_shell(const hymgi_level *level, const int left_out[6], bool red,
                              hymgi_real *coarse);
/* Restricts the residual of the fine rows of coarse rows J[0] <= J < J[1] of plane K of box b. Ghosts must be filled
 * already. */
void hymgi_cpu_restrict_residual_rows(const hymgi_level *level, int b, const int J[2], int K,
                                      bool red, hymgi_real *coarse);

/* level->scratch in 8-byte words, and the numbers of one of its rows */
size_t hymgi_cpu_scratch_doubles(const hymgi_level *level, ptrdiff_t *row);
void hymgi_cpu_clear(const hymgi_level *level, hymgi_real *x);
void hymgi_cpu_touch(const hymgi_level *level, hymgi_real *x);
/* as in hymgi_mover */
void hymgi_cpu_copy_local(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                          const hymgi_real *src, const hymgi_geom *dst_box, hymgi_real *dst);
void hymgi_cpu_pack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                    const hymgi_real *src);
void hymgi_cpu_unpack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                      hymgi_real *dst, hymgi_real *zero);

extern const hymgi_backend hymgi_cpu_table; /* table.c */

/* Cells [-ghost, n + ghost) of row (j, k) in natural order: the row itself, or a copy in buffer if
 * rows are split. Index 0 is cell 0. store: the inverse, without ghosts. */
const hymgi_real *hymgi_cpu_plain_row(const hymgi_geom *g, const hymgi_real *x, int j, int k,
                                      hymgi_real *buffer);
void hymgi_cpu_store_row(const hymgi_geom *g, const hymgi_real *cells, int j, int k, hymgi_real *x);
/* faces along an axis, the last one along x with them */
void hymgi_cpu_store_faces(const hymgi_geom *g, int axis, const hymgi_real *faces, const int jk[2],
                           hymgi_real *x);

void hymgi_cpu_apply(const hymgi_level *level, hymgi_real *x, hymgi_real *y);
/* black cells: 0 in plain rows or if there is a halo, else not written */
void hymgi_cpu_residual_red(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                            hymgi_real *r);
void hymgi_cpu_clear_black(const hymgi_geom *g, int j, int k, hymgi_real *r); /* of row (j, k) */
/* black cells of plain rows, and of those next to another box, which may have plain rows */
void hymgi_cpu_clear_sent(const hymgi_level *level, hymgi_real *r);
void hymgi_cpu_residual(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                        hymgi_real *r);
double hymgi_cpu_residual_max(const hymgi_level *level, const hymgi_real *f, hymgi_real *x);
void hymgi_cpu_smooth(hymgi_level *level);
void hymgi_cpu_symgs(hymgi_level *level);
void hymgi_cpu_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                               hymgi_real *zero);
void hymgi_cpu_residual_restrict(const hymgi_level *level, hymgi_after after, hymgi_real *coarse,
                                 hymgi_real *zero);
void hymgi_cpu_restrict_cells(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse);
/* restrict_cells, and max |fine| to context->later[slot] */
void hymgi_cpu_restrict_max(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse,
                            int slot);
void hymgi_cpu_restrict_faces(const hymgi_level *level, int axis, const hymgi_real *fine,
                              const hymgi_geom *patch, hymgi_real *coarse);
/* Interpolates to the fine rows of coarse rows J[0] <= J < J[1] of plane K of box b; black: to black
 * cells alone, if rows are split. */
void hymgi_cpu_interpolate_rows(const hymgi_level *fine, int b, const hymgi_interpolation *what,
                                bool black, const int J[2], int K, hymgi_real *x);
/* Does a smoother call read black cells alone? */
bool hymgi_cpu_starts_black(const hymgi_level *level);
void hymgi_cpu_interpolate(const hymgi_level *fine, const hymgi_level *coarse,
                           const hymgi_real *source, hymgi_ghosts order, bool add, bool smoothed,
                           hymgi_real *x);
void hymgi_cpu_boundary_term(const hymgi_level *level, int box, int face);
void hymgi_cpu_add_boundary_terms(const hymgi_level *level, hymgi_real *f);
void hymgi_cpu_apply_sum(const hymgi_level *level, hymgi_real *x, hymgi_real *y,
                         const hymgi_real *with, int exponent, int bits, int64_t *words);
double hymgi_cpu_advance(const hymgi_level *level, double a, const hymgi_real *p,
                         const hymgi_real *w, hymgi_real *u, hymgi_real *r, int exponent, int bits,
                         int64_t *words);
void hymgi_cpu_fill(const hymgi_level *level, double value, hymgi_real *x);
void hymgi_cpu_axpby(const hymgi_level *level, double a, const hymgi_real *x, double b,
                     const hymgi_real *y, hymgi_real *z);
void hymgi_cpu_shift(const hymgi_level *level, double c, hymgi_real *x);
void hymgi_cpu_precondition(const hymgi_level *level, const hymgi_real *r, hymgi_real *z);
double hymgi_cpu_max(const hymgi_level *level, const hymgi_real *x, const hymgi_real *y);
void hymgi_cpu_sum(const hymgi_level *level, const hymgi_real *x, const hymgi_real *y, int exponent,
                   int bits, int64_t *words);

#endif
