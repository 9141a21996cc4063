/* Hard problems (sizes, spacings, coefficients) solved through hymg.h: what the files of
 * hymg-robust share. */
#ifndef ROBUST_H
#define ROBUST_H

#include "common/kit/options.h"
#include "common/kit/rows.h"
#include "common/kit/words.h"
#include "hymg.h"

/* ---- options.c: the command line, and the problems by name ---- */

typedef enum robust_rhs {
  ROBUST_RHS_ONE,
  ROBUST_RHS_NOISE,
  ROBUST_RHS_POINT,
  ROBUST_RHS_ACTIVE,
  ROBUST_RHS_ZERO,
  ROBUST_RHS_BOWL
} robust_rhs;

/* Cells that the surface of a body cuts. */
typedef enum robust_cut {
  ROBUST_CUT_NONE,
  ROBUST_CUT_SPHERE,
  ROBUST_CUT_HELD, /* u is 0 on the surface */
  ROBUST_CUT_LATTICE
} robust_cut;

/* Where alpha is. */
typedef enum robust_alpha_in {
  ROBUST_IN_ALL,
  ROBUST_IN_CELL,
  ROBUST_IN_PLANE,
  ROBUST_IN_CELLS,
  ROBUST_IN_ACTIVE,
  ROBUST_IN_SINK
} robust_alpha_in;

typedef struct robust_options {
  command_line line;
  char **words; /* owned; what line.word points into */
  int n[3];
  int coefficients; /* of robust_coefficient_words */
  int rhs;          /* a robust_rhs, as it is read by index; likewise: */
  int alpha_in;     /* a robust_alpha_in */
  int mask;         /* of robust_mask_words */
  int cut;          /* a robust_cut */
  int all_axes;     /* --stretch applies to all axes, of length 1, else to z */
  int fv4;          /* the operator, else FV2 */
  int method, extrapolation;
  double ratio, alpha, spacing[3]; /* spacing 0: 1 / n */
  double alpha_wave;               /* amplitude of the wave by which alpha varies; 0: one alpha */
  double hold;                     /* value that f asks for where alpha is; 0: none */
  double limiter;                  /* 0: default */
  double porosity, radius, loops;  /* of masks; radius 0: the mask's own */
  double low_value;                /* of u on the low z wall, a Dirichlet one */
  double stretch, aspect, largest; /* stretch 0: equal cells */
  int block;
  hymg_boundary boundary[6];
  double robin[2]; /* alpha and beta of Robin boundaries */
  hymg_options solver;
  int threads, repeat;
  const char *json, *csv; /* or NULL */
  bool hypre, boomeramg, list, verbose, again, profile;
} robust_options;

typedef struct robust_name {
  const char *name, *keys; /* keys: options as on the command line */
} robust_name;
extern const robust_name robust_names[];
/* the first ones are all's, then sources', from first_mask on masks' */
extern const int robust_num_names, robust_num_all, robust_first_mask;
extern const char *const robust_coefficient_words[],
    *const robust_rhs_words[], *const robust_alpha_words[], *const robust_mask_words[];

/* Defaults, then the keys of a named problem (NULL: none), then the command line. False: the
 * program is to exit with *code; rank 0 says why. */
bool robust_options_read(int argc, char **argv, const robust_name *name, robust_options *o,
                         int *code);
void robust_options_free(robust_options *o);
/* NULL after a message. */
const robust_name *robust_find(const robust_options *o, const char *name);

/* ---- problem.c: coefficients and right-hand side ---- */

/* On every rank the cells of the whole grid, x fastest: those of random problems come from one
 * sequence. */
typedef struct robust_problem {
  const robust_options *options;
  double *width[3];
  double *beta[3]; /* of the cells; the same array three times if it does not differ by axis */
  double *alpha;   /* over options->alpha; NULL: 1 */
  unsigned char *active; /* with a mask: is the cell no part of a body? Else NULL */
  double *part[4]; /* with cut cells: what is open of the low faces along each axis, and of cells */
  double *rhs;
} robust_problem;

/* False: out of memory, nothing to destroy. */
bool robust_problem_create(const robust_options *o, robust_problem *p);
void robust_problem_destroy(robust_problem *p);
/* Of a cell in arrays of n cells, x fastest. */
size_t robust_index(const int n[3], const int cell[3]);
/* sources.c: alpha in some cells alone; then, after the other right-hand sides, those that depend on the
 * coefficients. */
void robust_place_alpha(robust_problem *p);
void robust_place_rhs(robust_problem *p);
/* Numbers from 0 to below 1; a state after so many. */
double robust_random(uint64_t *state);
uint64_t robust_random_from(uint64_t seed, int skipped);
/* masks.c. allocate: false if out of memory. open_part: of beta of a face between two cells, or at a wall. */
bool robust_has_mask(const robust_options *o);
bool robust_allocate_mask(robust_problem *p);
void robust_make_mask(robust_problem *p, double *const centre[3]);
void robust_mask_rhs(robust_problem *p);
double robust_open_part(const robust_problem *p, int axis, size_t low, size_t high, bool inner);
/* Of the low face of this cell (cell[axis] up to n) along axis: the harmonic mean by distance;
 * at walls beta of the cell. */
double robust_face_beta(const robust_problem *p, int axis, const int cell[3]);
/* b beta area / distance, which is half a width at Dirichlet walls, and beta / alpha
 * more at Robin walls; 0 at Neumann walls and where
 * a periodic axis has one cell. */
double robust_conductance(const robust_problem *p, int axis, const int cell[3]);
/* Numbers of the cells of a brick, alpha or the right-hand side, or, for axis >= 0, of the faces; x fastest. */
enum { ROBUST_RHS = -1, ROBUST_ALPHA = -2 };
void robust_fill(const robust_problem *p, int axis, const int low[3], const int count[3],
                 double *data);

/* ---- pieces.c ---- */

/* Arrays of all cells of the grid. Loose pieces are those that neither a boundary nor alpha holds. */
typedef struct robust_pieces {
  double *mean;         /* of f over the cell's piece, by volumes, if that is loose; else 0 */
  unsigned char *loose; /* is it the first cell of a loose piece? */
} robust_pieces;

/* False: out of memory. To be freed in any case. */
bool robust_find_pieces(const robust_problem *p, robust_pieces *found);
void robust_free_pieces(robust_pieces *found);
double robust_alpha_at(const robust_problem *p, const int cell[3]);
double robust_volume(const robust_problem *p, const int cell[3]);

/* ---- solve.c ---- */

typedef struct robust_other {
  int iterations;
  bool converged;
  double residual_relative;
  double largest; /* |u| */
} robust_other;

/* What is timed; those of --again and --hypre are 0 without. */
typedef enum robust_time {
  ROBUST_SETUP,
  ROBUST_SOLVE,
  ROBUST_UPDATE,
  ROBUST_AGAIN,
  ROBUST_CYCLE,
  ROBUST_HYPRE_SETUP,
  ROBUST_HYPRE_SOLVE,
  ROBUST_TIMES
} robust_time;

typedef struct robust_result {
  const char *name;
  robust_options options;
  hymg_result result;        /* of the last solve; history and note are copied to: */
  hymg_cycle_record *cycles; /* result.cycles of them */
  char note[512];
  hymg_level_info *levels;
  int num_levels;
  double seconds[ROBUST_TIMES]; /* medians */
  double units;                 /* work units */
  double largest;               /* |u| */
  robust_other hypre;           /* with --hypre */
} robust_result;

/* Collective. False after a message of rank 0 with *code, the exit status. */
bool robust_solve(hymg_context *context, robust_result *r, int *code);
void robust_result_free(robust_result *r);

/* ---- hypre.c, or hypre_absent.c ---- */

/* Why --hypre is not possible, or NULL. */
const char *robust_hypre_missing(void);
/* Collective: PFMG-CG, or with options->boomeramg BoomerAMG-CG, on the same matrix and right-hand side, from zero to the same tolerance; seconds of set-up and
 * solve. False after a message. */
bool robust_hypre_solve(const robust_problem *p, const hymg_grid *grid, robust_other *other,
                        double seconds[2]);

/* ---- print.c; json.c writes what robust_results holds ---- */

typedef struct robust_results {
  hymg_context *context;
  csv_table csv;
  robust_result *result;
  int count;
} robust_results;

extern const char robust_csv_columns[];
void robust_print_list(void);
void robust_print_head(const robust_options *o);
void robust_print_result(const robust_result *r, csv_table *csv);
/* How many needed at most 15, 25, 32, 50, 100 iterations. */
void robust_print_summary(const robust_results *all);

#endif
