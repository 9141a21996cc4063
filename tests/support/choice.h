/* Solves whose bits are compared across threads, boxes, layouts and ranks: a table of unlike
 * choices and one call that makes everything, solves and keeps the answer. */
#ifndef SUPPORT_CHOICE_H
#define SUPPORT_CHOICE_H

#include "support/support.h"

typedef struct support_choice {
  hymg_stencil stencil;
  const char *boundary;
  double a;
  hymg_smoother smoother;
  hymg_method method;
  hymg_cycle cycle;
  hymg_bottom bottom;
} support_choice;

#define SUPPORT_CHOICES 10
extern const support_choice support_choices[SUPPORT_CHOICES];

typedef struct support_answer {
  size_t cells;
  double *u;  /* plain; NaN in the cells of other ranks */
  bool *mine; /* cells of this rank */
  int cycles;
  double relative[8];
  double lambda[16]; /* of every level */
  int levels;
  int wide;  /* levels with layers of neighbours' cells */
  int whole; /* levels that several ranks hold whole */
} support_answer;

/* Three cycles (one for FMG) on random data. plain: fields in plain rows, and the second of two
 * solves is kept. */
support_answer support_solve(const support_choice *c, const int n[3], const support_layout *layout,
                             bool plain);
void support_answer_free(support_answer *a);
/* NULL if this rank's cells, the history and the bounds have the same bits; else what differs. */
const char *support_unlike(const support_answer *got, const support_answer *want);

#endif
