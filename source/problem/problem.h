/* What a hierarchy is built from: grids, fields, operators and options. */
#ifndef HYMGI_PROBLEM_PROBLEM_H
#define HYMGI_PROBLEM_PROBLEM_H

#include <float.h>
#include <limits.h>
#include <math.h>

#include "base/boundary_kind.h"
#include "multigrid/backend.h"

struct hymg_grid {
  hymg_context *context;
  unsigned id;         /* > 0, unique within the context, the same on every rank */
  hymg_grid_desc desc; /* boxes as chosen */
  unsigned periodic;
  hymgi_decomp *decomp;
  int num_boxes;
  hymgi_geom *box; /* plain rows without ghosts */
  int (*cover)[6];
  double *widths[3]; /* or NULL */
};

/* The user's array: entry (i, j, k), in global indices and counted from brick.from, is data[i
 * stride[0] + j stride[1] + k stride[2]]. boxes: not the user's, but of a field of floats: an array for
 * each of these boxes, as a vector of floats would have it. */
typedef struct hymgi_user_array {
  hymg_space space;
  hymgi_user_brick brick;
  void *data;
  const hymgi_geom *boxes;
} hymgi_user_array;

struct hymg_field {
  hymg_grid *grid;
  /* id of the solver whose layout it has (which may be destroyed already); 0: none */
  unsigned solver;
  hymg_centering centering;
  int level;
  bool is_copy; /* several ranks hold the level whole, and sums count the cells of another one */
  double *data;
  /* array.data NULL unless the field was made by hymg_field_wrap or is of floats: then `data` is NULL
   * but between hymgi_field_open and hymgi_field_close */
  hymgi_user_array array;
  unsigned used_as_f, used_as_u; /* id of the solver whose hymg_solver_cycle has checked it */
  hymgi_level
      view; /* boxes, context, communicator and backend: what level operations on vectors need */
};

struct hymg_operator {
  hymg_grid *grid;
  hymg_operator_desc desc;
};

/* ---- members.c: one row for each member of a public struct ---- */

typedef enum hymgi_member_kind {
  HYMGI_ENUM, /* refused with "0 (gsrb) to 4 (symgs)" */
  HYMGI_EACH, /* an enum, too, whose values are all listed */
  HYMGI_INT,
  HYMGI_INT64,
  HYMGI_DOUBLE,
  HYMGI_BOOL,
  HYMGI_POINTER, /* ranks compare whether it is given */
  HYMGI_INTS,    /* a pointer to numbers, which ranks compare */
  HYMGI_DOUBLES
} hymgi_member_kind;

typedef struct hymgi_member {
  const char *name; /* as ranks compare it; "widths[]" of an array */
  int count;        /* entries */
  hymgi_member_kind kind;
  size_t at;
  const char *type;  /* of an enum */
  double standard;   /* the default, which is never refused */
  const char *label; /* in a refusal, "LABEL VALUE: RANGE"; NULL: checked elsewhere */
  double low, high;  /* of enums: up to `high` */
  const char *range; /* in words, but of enums */
  size_t other; /* of a number, or 0: the pointer that replaces it; of INTS, DOUBLES: their count */
} hymgi_member;

/* The ends of rows: ranges, or from the default on. */
#define HYMGI_ANY          0, INT_MAX, NULL
#define HYMGI_NOT_NEGATIVE 0, DBL_MAX, "at least 0 and finite"
#define HYMGI_ABOVE_0      DBL_TRUE_MIN, DBL_MAX, "above 0 and finite"
#define HYMGI_UNCHECKED    NULL, 0, 0, NULL

/* Sets a member of the struct `of`, sets its default (the struct must be all 0), checks its range (EINVAL,
 * naming value and range). */
void hymgi_member_set(const hymgi_member *m, int entry, void *of, double value);
void hymgi_member_default(const hymgi_member *m, void *of);
hymg_status hymgi_member_check(hymg_context *context, const hymgi_member *m, int entry,
                               const void *of);
hymg_status hymgi_members_check(hymg_context *context, const hymgi_member *m, int count,
                                const void *of);
void hymgi_member_argument(hymgi_arguments *a, const hymgi_member *m, const void *of);

/* options.c: an option, whose key is the member's name, with hymg_option_info's texts; number `index` of
 * them, or NULL. */
typedef struct hymgi_option {
  hymgi_member member;
  const char *values, *help;
} hymgi_option;
const hymgi_option *hymgi_option_at(int index);

/* "x-", ...; "cells", "x faces", "x- wall", ...; "unknown" if out of range. */
const char *hymgi_face_name(int face);
const char *hymgi_centering_name(hymg_centering centering);

/* An axis of one cell between Neumann boundaries: beta there is of no meaning. */
bool hymgi_is_thin(const hymg_grid *grid, int axis);

/* Is a field that may be NULL of this grid, on level 0, of this centering? Errors: EINVAL. */
hymg_status hymgi_check_given_field(const hymg_grid *grid, const hymg_field *field,
                                    hymg_centering centering, const char *name);

/* Does a boundary have data other than 0? Are numbers of Robin conditions fields on any face? */
bool hymgi_has_data(const hymg_operator_desc *desc, int face);
/* Does it have such data, or those that are made of f? */
bool hymgi_has_values(const hymg_operator *op, int face);
bool hymgi_has_robin_fields(const hymg_operator_desc *desc);

/* What must be the same on every rank of an operator and of (resolved) options. */
void hymgi_operator_arguments(hymgi_arguments *a, const hymg_operator_desc *desc);
void hymgi_options_arguments(hymgi_arguments *a, const hymg_options *options);

/* resolve: the options with the default cycle replaced by the actual one. check: validation. */
hymg_options hymgi_options_resolve(const hymg_options *options);
hymg_status hymgi_options_check(hymg_context *context, hymg_stencil stencil,
                                const hymg_options *options);

#endif
