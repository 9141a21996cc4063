/* Solves of many kinds over several ranks, and what rank 0 has of them alone: for what must not change a bit. */
#ifndef SUPPORT_VARIED_H
#define SUPPORT_VARIED_H

#include "support/choice.h"
#include "support/mpi.h"

#include <string.h>

enum { SUPPORT_VARIED = 24 };

typedef struct support_varied {
  support_choice c;
  support_layout more;
} support_varied;

static const support_varied support_cases[SUPPORT_VARIED] = {
    {.c = {HYMG_FV2, "dd dd dd", 0, HYMG_GSRB, HYMG_FMG, HYMG_CYCLE_F, HYMG_BICGSTAB}},
    {.c = {HYMG_FV2, "dd dd dd", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_W, HYMG_BICGSTAB},
     .more = {.constant_beta = true}},
    {.c = {HYMG_FV2, "pp pp pp", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_CG}},
    {.c = {HYMG_FV2, "pp nd pp", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.constant_beta = true}},
    {.c = {HYMG_FV2, "nn nn nn", 0, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_CACG}},
    {.c = {HYMG_FV2, "rr nr pp", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB}},
    {.c = {HYMG_FV2, "dn pp rd", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
     .more = {.sweeps = 2}},
    {.c = {HYMG_FV2, "dd dn nd", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
     .more = {.p0 = true}},
    {.c = {HYMG_FV2, "nd pp dd", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
     .more = {.sweeps = 10}},
    {.c = {HYMG_FV2, "pp dd pp", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BOTTOM_SMOOTHER}},
    {.c = {HYMG_FV2, "dd dd pp", 1, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.constant_beta = true}},
    {.c = {HYMG_FV2, "pp nd dd", 0, HYMG_CHEBYSHEV, HYMG_MG, HYMG_CYCLE_F, HYMG_CG}},
    {.c = {HYMG_FV2, "nd pp dd", 1, HYMG_JACOBI, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB}},
    {.c = {HYMG_FV2, "rr dd pp", 1, HYMG_L1JACOBI, HYMG_MG, HYMG_CYCLE_W, HYMG_BICGSTAB},
     .more = {.sweeps = 5}},
    {.c = {HYMG_FV4, "dd dd dd", 0, HYMG_GSRB, HYMG_FMG, HYMG_CYCLE_F, HYMG_BICGSTAB}},
    {.c = {HYMG_FV4, "pp pp pp", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB}},
    {.c = {HYMG_FV4, "dd pp dd", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
     .more = {.constant_beta = true}},
    {.c = {HYMG_FV4, "pp dd dd", 1, HYMG_CHEBYSHEV, HYMG_FMG, HYMG_CYCLE_F, HYMG_BICGSTAB}},
    {.c = {HYMG_FV4, "dd dd pp", 0, HYMG_L1JACOBI, HYMG_MG, HYMG_CYCLE_W, HYMG_CABICGSTAB}},
    {.c = {HYMG_FV4, "dd dd dd", 0, HYMG_JACOBI, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.sweeps = 3}},
    {.c = {HYMG_FV2, "dd nd pp", 0, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.path = HYMG_PATH_ROBUST}},
    {.c = {HYMG_FV2, "nn pp nn", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.path = HYMG_PATH_ROBUST}},
    {.c = {HYMG_FV2, "rr dd nd", 1, HYMG_CHEBYSHEV, HYMG_MG, HYMG_CYCLE_W, HYMG_BICGSTAB},
     .more = {.path = HYMG_PATH_ROBUST}},
    {.c = {HYMG_FV4, "dd pp dd", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.path = HYMG_PATH_ROBUST}},
};

/* Is a case with one of several layouts for this number of ranks? Each is for one of 2, 3 and 8, and each
 * layout meets all of them. */
static inline bool support_in_turn(int i, int layout)
{
  return (i + layout) % SUPPORT_TURNS == support_turn();
}

/* On all ranks. */
static inline support_answer support_solve_alone(int i, const int n[3])
{
  support_layout alone = support_cases[i].more;
  alone.threads = alone.boxes[0] = alone.boxes[1] = alone.boxes[2] = 1;
  const bool first = support_rank(MPI_COMM_WORLD) == 0;
  support_answer a = {.cells = (size_t)n[0] * n[1] * n[2]};
  if (first) a = support_solve(&support_cases[i].c, n, &alone, false);
  double *const u = first ? a.u : support_poison(a.cells);
  support_from_first(u, a.cells * sizeof *u);
  support_from_first(&a, sizeof a);
  a.u = u;
  if (!first) a.mine = NULL;
  return a;
}

/* The layout of a case, in a context of one thread a rank unless it has one. */
static inline support_layout support_layout_of(int i, support_layout layout)
{
  const support_layout *const more = &support_cases[i].more;
  if (!layout.context) layout.context = support_context(MPI_COMM_WORLD, 1);
  layout.sweeps = more->sweeps, layout.path = more->path;
  layout.p0 = more->p0, layout.constant_beta = more->constant_beta;
  return layout;
}

/* Owners by which neighbours never share a rank; user: the number of ranks. */
static inline int support_scattered(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[0] + 3 * box[1] + 5 * box[2]) % *ranks;
}

/* With what `choose` sets: u of level 1 alone, then of level 0 with other coefficients: the level's cells, then those
 * of the grid. */
typedef void support_chooser(hymg_options *o, int variant);
static inline double *support_solve_below(int i, support_chooser *choose, int variant,
                                          size_t cells[2])
{
  support_case s = support_case_of(support_cases[i].c.stencil, (const int[3]){32, 32, 32},
                                   support_cases[i].c.boundary, support_cases[i].c.a);
  support_case_add_robin(&s);
  s.spec.smoother = support_cases[i].c.smoother;
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.max_cycles = 2, o.rtol = 1e-30;
  choose(&o, variant);
  support_layout layout = {.context = support_context(MPI_COMM_WORLD, 1)};
  support_kit k = support_open(&s.spec, &layout, &o);
  double *u[2];
  for (int l = 1; l >= 0; l--) {
    int n[3];
    support_cells(&k, l, n, &cells[l]);
    double *f = support_random(cells[l], -1, 1, 7);
    for (size_t m = 0; m < cells[l] / 2; m++)
      f[cells[l] - 1 - m] = -f[m];
    hymg_field *ff = support_field(&k, l, f), *x = NULL;
    OK(k.context, hymg_field_create_on_level(k.solver, l, &x));
    OK(k.context, hymg_solve_on_level(k.solver, l, ff, x, NULL));
    u[l] = support_read(&k, l, x);
    hymg_field_destroy(&ff), hymg_field_destroy(&x);
    free(f);
    k.desc.b = 1.75;
    OK(k.context, hymg_operator_set(k.op, &k.desc));
    OK(k.context, hymg_solver_update(k.solver));
  }
  u[1] = realloc(u[1], (cells[0] + cells[1]) * sizeof **u);
  memcpy(u[1] + cells[1], u[0], cells[0] * sizeof **u);
  free(u[0]);
  support_close(&k);
  support_case_free(&s);
  hymg_context_destroy(&layout.context);
  return u[1];
}

/* A test of case i in one of its ways. merges: some level is on fewer ranks than the first. */
typedef void support_checker(int i, int way, const int n[3], support_layout layout, bool merges,
                             const char *where);

static inline void support_default_boxes(int i, int way, const int n[3], support_checker *check)
{
  if (support_small() && i % 2) return;
  check(i, way, n, (support_layout){.boxes = {0, 0, 0}}, support_ranks(MPI_COMM_WORLD) > 1,
        "default boxes");
}

/* Each case with each layout on one number of ranks, and each layout in all ways on each number. */
static inline void support_other_boxes(int i, support_checker *check)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  const struct {
    int n[3];
    support_layout layout;
    bool merges;
    const char *name;
  } other[] = {{{32, 32, 16}, {.boxes = {4, 4, 2}}, ranks > 1, "4x4x2 boxes"},
               {{16, 16, 64}, {.boxes = {1, 1, 8}}, ranks > 1, "slabs"},
               {{16, 32, 16}, {.boxes = {1, 2, 1}}, ranks > 1, "2 boxes"},
               {{24, 12, 20}, {.boxes = {2, 3, 1}}, false, "2x3x1 boxes"},
               {{32, 32, 16},
                {.boxes = {4, 4, 2}, .owner = support_scattered, .owner_user = &ranks},
                ranks > 2,
                "scattered"}};
  for (int l = 0; l < (int)(sizeof other / sizeof *other); l++)
    if (support_in_turn(i, l))
      check(i, (i + l) / SUPPORT_TURNS, other[l].n, other[l].layout, other[l].merges,
            other[l].name);
}

#endif
