/* Boxes cut anywhere: on the robust path and on the standard one every distribution gives the bits
 * of one rank, and bad cuts are refused on all ranks. */
#include "oracle/mask.h"
#include "oracle/trial.h"
#include "support/mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts an axis of n cells into boxes of unequal size: the first ones have `first` cells. */
static int *cut(int n, int boxes, int first)
{
  int *cells = malloc((size_t)boxes * sizeof *cells);
  for (int i = 0; i < boxes; i++) {
    const int left = n - (boxes - 1 - i);
    cells[i] = i == boxes - 1 ? n : first < left ? first : left > 1 ? left : 1;
    n -= cells[i];
  }
  return cells;
}

/* Kinds beside those of a trial: the tensor transfer; a system on which AUTO goes over to it; FV4; mixed
 * precision, for which there have to be more than 32^3 cells; pairs. */
enum { TENSOR = 1 << 8, ISLANDS = 1 << 9, FV4 = 1 << 10, MIXED = 1 << 11, PAIRS = 1 << 16 };

static const struct {
  int n[3];
  const char *boundary;
  unsigned kind;
  int axis, first; /* slabs along this axis; cells of all slabs but the last */
  hymg_path path;
} cases[] = {
    {{33, 20, 12}, "dd pp pp", TRIAL_JUMPS, 0, 9, HYMG_PATH_ROBUST},
    {{31, 18, 5}, "pp pp pp", 0, 1, 1, HYMG_PATH_ROBUST},
    {{31, 18, 5}, "pp pp pp", 0, 0, 3, HYMG_PATH_ROBUST},
    {{20, 17, 22}, "dd nd dn", TRIAL_QUADRATIC | TRIAL_ALPHA, 2, 7, HYMG_PATH_ROBUST},
    {{12, 9, 25}, "nn nn nn", TRIAL_WIDTHS, 2, 5, HYMG_PATH_ROBUST},
    {{16, 11, 14}, "dd dn dd", TRIAL_WIDTHS | TRIAL_DATA | TRIAL_JUMPS, 1, 2, HYMG_PATH_ROBUST},
    {{40, 36, 44}, "dd dd dd", TRIAL_JUMPS, 2, 11, HYMG_PATH_ROBUST},
    {{33, 20, 12}, "dd pp pp", TRIAL_JUMPS | TENSOR, 0, 9, HYMG_PATH_ROBUST},
    {{31, 18, 5}, "pp pp pp", TENSOR, 1, 1, HYMG_PATH_ROBUST},
    {{31, 18, 5}, "pp pp pp", TENSOR | TRIAL_ALPHA, 0, 3, HYMG_PATH_ROBUST},
    {{20, 17, 22}, "dd nd dn", TRIAL_QUADRATIC | TENSOR, 2, 7, HYMG_PATH_ROBUST},
    {{16, 11, 14}, "dd dn dd", TRIAL_WIDTHS | TRIAL_JUMPS | TENSOR, 1, 2, HYMG_PATH_ROBUST},
    {{40, 36, 44}, "dd dd dd", TRIAL_JUMPS | TENSOR, 2, 11, HYMG_PATH_ROBUST},
    {{25, 25, 25}, "dd dd dd", ISLANDS, 2, 5, HYMG_PATH_ROBUST},
    {{25, 25, 25}, "dd dd dd", ISLANDS | TRIAL_QUADRATIC, 0, 8, HYMG_PATH_ROBUST},
    {{33, 20, 12}, "dd pp pp", TRIAL_JUMPS | PAIRS, 0, 9, HYMG_PATH_ROBUST},
    {{31, 18, 5}, "pp pp pp", PAIRS, 1, 1, HYMG_PATH_ROBUST},
    {{12, 9, 25}, "nr dd nn", TRIAL_WIDTHS | TRIAL_FIXED | PAIRS, 2, 5, HYMG_PATH_ROBUST},
    {{20, 17, 22}, "dd nd dn", TRIAL_QUADRATIC | PAIRS | TRIAL_ALPHA, 1, 7, HYMG_PATH_ROBUST},
    {{33, 20, 12}, "dd pp pp", TRIAL_JUMPS | FV4, 0, 9, HYMG_PATH_ROBUST},
    {{31, 18, 8}, "pp nd pp", FV4 | TRIAL_DATA | TRIAL_ALPHA, 0, 5, HYMG_PATH_ROBUST},
    {{14, 22, 9}, "nn dd dn", TRIAL_JUMPS | FV4 | TRIAL_DATA, 1, 4, HYMG_PATH_ROBUST},
    {{20, 17, 36}, "dd pp dd", TRIAL_ALPHA | FV4 | TENSOR, 2, 7, HYMG_PATH_ROBUST},
    {{14, 22, 9}, "nn pp dn", TRIAL_ALPHA | TRIAL_FIXED | FV4 | TRIAL_DATA, 1, 4, HYMG_PATH_ROBUST},
    {{16, 16, 32}, "dd dd dd", TRIAL_QUADRATIC | TRIAL_DATA, 2, 7, HYMG_PATH_STANDARD},
    {{32, 16, 16}, "pp dd nn", TRIAL_ALPHA, 0, 5, HYMG_PATH_STANDARD},
    {{17, 13, 21}, "dd nd dn", TRIAL_QUADRATIC | TRIAL_DATA, 2, 5, HYMG_PATH_STANDARD},
    {{33, 20, 12}, "pp pp pp", 0, 0, 9, HYMG_PATH_STANDARD},
    {{13, 31, 9}, "nn pp nn", TRIAL_DATA, 1, 1, HYMG_PATH_STANDARD},
    {{34, 26, 22}, "dd nn dd", TRIAL_ALPHA, 0, 7, HYMG_PATH_STANDARD},
    {{31, 15, 7}, "dd dd dd", TRIAL_DATA, 0, 4, HYMG_PATH_STANDARD},
    {{41, 37, 45}, "dn dd nn", TRIAL_QUADRATIC | TRIAL_DATA, 2, 11, HYMG_PATH_STANDARD},
    {{20, 17, 12}, "rr nr pp", TRIAL_ROBIN | TRIAL_JUMPS | TRIAL_DATA, 0, 7, HYMG_PATH_ROBUST},
    {{16, 11, 14}, "rd rr nr", TRIAL_ROBIN | TRIAL_WIDTHS | TRIAL_DATA, 2, 5, HYMG_PATH_ROBUST},
    {{17, 13, 21},
     "rr rd rr",
     TRIAL_ROBIN | TRIAL_DATA | TRIAL_QUADRATIC,
     2,
     5,
     HYMG_PATH_STANDARD},
    {{32, 16, 16}, "rr dn rd", TRIAL_VERTEX | TRIAL_DATA, 0, 5, HYMG_PATH_STANDARD},
    {{40, 36, 44}, "dd dd dd", TRIAL_JUMPS | MIXED, 2, 11, HYMG_PATH_ROBUST},
    {{33, 40, 30}, "dd pp nn", TRIAL_QUADRATIC | TENSOR | MIXED, 0, 9, HYMG_PATH_ROBUST},
    {{33, 20, 12}, "dd pp pp", TRIAL_JUMPS | TRIAL_FIXED, 0, 9, HYMG_PATH_ROBUST},
    {{31, 18, 5}, "pp pp pp", TRIAL_FIXED | TENSOR, 1, 1, HYMG_PATH_ROBUST},
    {{12, 9, 25}, "nn nr nn", TRIAL_WIDTHS | TRIAL_FIXED | TRIAL_DATA, 2, 5, HYMG_PATH_ROBUST},
    {{16, 11, 14}, "dd dn dr", TRIAL_ALPHA | TRIAL_FIXED | TRIAL_ROBIN, 1, 2, HYMG_PATH_ROBUST},
    {{40, 36, 44}, "dd pp nn", TRIAL_JUMPS | TRIAL_FIXED | MIXED, 2, 11, HYMG_PATH_ROBUST},
    {{72, 32, 36}, "dd pp dd", TRIAL_ALPHA | TRIAL_DATA | MIXED, 0, 10, HYMG_PATH_STANDARD},
    {{32, 34, 40}, "pp pp pp", MIXED, 1, 4, HYMG_PATH_STANDARD},
    {{41, 37, 35}, "dn dd nn", TRIAL_QUADRATIC | TRIAL_DATA | MIXED, 2, 11, HYMG_PATH_STANDARD},
};
enum { CASES = sizeof cases / sizeof *cases };

static trial trial_case(int i)
{
  const bool islands = cases[i].kind & ISLANDS;
  trial t = islands ? trial_checkerboard(cases[i].n, 5, 1e6)
                    : trial_of(cases[i].n, cases[i].boundary, cases[i].kind);
  t.o.path = cases[i].path;
  if (cases[i].kind & MIXED) t.o.precision = HYMG_MIXED, t.o.tuning = HYMG_TUNE_ESTIMATE;
  t.o.max_cycles = islands ? 26 : 12;
  if (cases[i].kind & TENSOR) t.o.transfer = HYMG_TRANSFER_TENSOR;
  if (cases[i].kind & PAIRS) t.o.transfer = HYMG_TRANSFER_PAIRS;
  if (islands && cases[i].kind & TRIAL_QUADRATIC)
    t.c.spec.extrapolation = HYMG_EXTRAPOLATION_QUADRATIC;
  if (cases[i].kind & FV4)
    t.c.spec.stencil = HYMG_FV4, t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  if (cases[i].path == HYMG_PATH_STANDARD) { /* all smoothers but symgs */
    t.o.smoother = (hymg_smoother)(i % 4);
    t.o.cycle = i % 3 ? HYMG_CYCLE_F : HYMG_CYCLE_W;
  }
  return t;
}

/* Half of all coarse levels are with all ranks, of other sizes in other cases. */
static void place_coarse_levels(trial *t, int i, int ranks)
{
  static const int64_t below[] = {-1, 300, 20000};
  t->o.gather = (i + ranks) % 2 ? HYMG_GATHER_ALL : HYMG_GATHER_ROOT;
  t->o.gather_cells = below[i % 3];
}

/* Two boxes along another axis as well, if there are ranks for them. */
static void distribute(trial *t, int i, int ranks, int *own[3])
{
  const int axis = cases[i].axis, other = (axis + 1) % 3, pairs = ranks % 2 == 0 && ranks > 2;
  place_coarse_levels(t, i, ranks);
  for (int d = 0; d < 3; d++) {
    t->boxes[d] = d == axis ? (pairs ? ranks / 2 : ranks) : d == other && pairs ? 2 : 1;
    own[d] = cut(cases[i].n[d], t->boxes[d],
                 d == axis ? cases[i].first : cases[i].n[d] / 2 + (d == other));
    t->cuts[d] = own[d];
  }
}

enum { MOST_CYCLES = 32 };
typedef struct outcome {
  int cycles;
  hymg_path path;
  hymg_precision precision;
  double residual_max[MOST_CYCLES];
} outcome;

/* Case i on rank 0, and what came of it on all. */
static outcome solve_alone(int i, double *u)
{
  outcome a = {0};
  trial t = trial_case(i);
  if (support_rank(MPI_COMM_WORLD) == 0) {
    const hymg_result r = trial_solve(&t, u);
    a = (outcome){.cycles = r.cycles, .path = r.path, .precision = r.precision};
    for (int m = 0; m < r.cycles && m < MOST_CYCLES; m++)
      a.residual_max[m] = r.history[m].residual_max;
  }
  support_from_first(&a, sizeof a);
  support_from_first(u, t.cells * sizeof *u);
  support_all_agree(a.cycles > MOST_CYCLES ? "more cycles than are kept" : NULL, t.c.name);
  trial_close(&t);
  return a;
}

/* From one case to the next that is tried; one rank has no cuts. */
static int step(void)
{
  return support_small() || support_ranks(MPI_COMM_WORLD) == 1 ? 3 : 1;
}

/* Each case is for two of 2, 3 and 8 ranks. */
static bool is_for_others(int i)
{
  return step() == 1 && (i + support_turn()) % SUPPORT_TURNS == 0;
}

START_TEST(any_cuts_give_the_bits_of_one_rank)
{
  const int which = _i * step();
  if (is_for_others(which)) return;
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  trial t = trial_case(which);
  double *want = support_poison(t.cells), *got = support_poison(t.cells);
  const outcome a = solve_alone(which, want);
  int *own[3];
  t.context = context;
  distribute(&t, which, support_ranks(MPI_COMM_WORLD), own);
  const hymg_result b = trial_solve(&t, got);
  int wrong = a.cycles != b.cycles || a.path != b.path || a.precision != b.precision ||
              (a.precision == HYMG_MIXED) != !!(cases[which].kind & MIXED);
  for (int m = 0; m < a.cycles && !wrong; m++)
    wrong = a.residual_max[m] != b.history[m].residual_max;
  support_all_agree(wrong ? "other residuals" : NULL, t.c.name);
  wrong = (cases[which].kind & ISLANDS) && !strstr(b.note, "went over");
  support_all_agree(wrong ? b.note : NULL, t.c.name);
  for (size_t m = 0; m < t.cells; m++) /* NaN where this rank holds nothing */
    wrong += got[m] == got[m] && got[m] != want[m];
  support_all_agree(wrong ? "cells differ" : NULL, t.c.name);
  for (int d = 0; d < 3; d++)
    free(own[d]);
  free(want);
  free(got);
  trial_close(&t);
  hymg_context_destroy(&context);
}
END_TEST

typedef struct masked {
  hymg_result result; /* without pointers */
  char note[1000];
} masked;

static trial masked_trial(unsigned seed, bool fv4)
{
  return fv4 ? mask_trial_fv4(10 * seed, 24) : mask_trial(10 * seed, 12);
}

/* On rank 0, and what came of it on all. */
static masked solve_masked_alone(unsigned seed, bool fv4, double *u)
{
  masked a = {0};
  trial t = masked_trial(seed, fv4);
  t.threads = 1;
  if (support_rank(MPI_COMM_WORLD) == 0) {
    a.result = trial_solve(&t, u);
    snprintf(a.note, sizeof a.note, "%s", a.result.note);
  }
  support_from_first(&a, sizeof a);
  support_from_first(u, t.cells * sizeof *u);
  trial_close(&t);
  return a;
}

/* Along the longest axis, one box a rank if there are cells enough. */
static int *distribute_masked(trial *t, unsigned seed, bool fv4)
{
  const int *n = t->c.spec.n, ranks = support_ranks(MPI_COMM_WORLD),
            axis = n[0] >= n[1] && n[0] >= n[2] ? 0
                   : n[1] >= n[2]               ? 1
                                                : 2;
  const int least = fv4 ? 4 : 1; /* FV4: cuts are at even cells, and boxes have 3 */
  int *const own =
      n[axis] >= least * ranks ? cut(n[axis], ranks, fv4 ? 4 : 1 + (int)(seed % 3)) : NULL;
  t->threads = 1;
  for (int d = 0; d < 3; d++)
    t->boxes[d] = d == axis && own ? ranks : 1;
  t->cuts[axis] = own;
  return own;
}

/* Faces of beta 0: pieces across ranks, some of which may hold no cell. _i: FV2, FV4, whose boxes have 3 cells at
 * least. Each system is for odd numbers of ranks or for even ones. */
START_TEST(masks_have_the_pieces_and_bits_of_one_rank)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  const unsigned by = support_small() ? 3 : 2, first = (unsigned)ranks % 2;
  for (unsigned seed = first; seed < (_i ? 30u : 60u); seed += by) {
    hymg_context *context = support_context(MPI_COMM_WORLD, 1);
    trial t = masked_trial(seed, _i);
    double *want = support_poison(t.cells), *got = support_poison(t.cells);
    int *const own = distribute_masked(&t, seed, _i);
    t.context = context;
    place_coarse_levels(&t, (int)(seed / by), ranks);
    const masked alone = solve_masked_alone(seed, _i, want);
    const hymg_result a = alone.result, b = trial_solve(&t, got);
    int wrong = a.cycles != b.cycles || a.pieces != b.pieces || !b.converged ||
                a.singular_pieces != b.singular_pieces || a.mean_removed != b.mean_removed ||
                strcmp(alone.note, b.note) != 0;
    support_all_agree(wrong ? b.note : NULL, t.c.name);
    for (size_t m = 0; m < t.cells; m++) /* NaN where this rank holds nothing */
      wrong += got[m] == got[m] && got[m] != want[m];
    support_all_agree(wrong ? "cells differ" : NULL, t.c.name);
    free(own);
    free(want);
    free(got);
    trial_close(&t);
    hymg_context_destroy(&context);
  }
}
END_TEST

START_TEST(cuts_that_do_not_add_up_are_refused_on_all_ranks)
{
  static const int few[2] = {3, 4}, many[2] = {3, 6}, none[2] = {0, 8};
  static const int *const bad[3] = {few, many, none};
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int d = 0; d < 3; d++)
    desc.n[d] = 8, desc.boxes[d] = d == 2 ? 2 : 1;
  desc.cuts[2] = bad[_i];
  hymg_grid *grid = NULL;
  const hymg_status status = hymg_grid_create(context, &desc, &grid);
  const char *text = hymg_context_error(context);
  support_all_agree(status == HYMG_EINVAL && !grid && strstr(text, "along z") ? NULL : text,
                    "cuts");
  hymg_context_destroy(&context);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("robust on ranks");
  TCase *t = tcase_create("cuts");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, any_cuts_give_the_bits_of_one_rank, 0, CASES / step());
  tcase_add_loop_test(t, masks_have_the_pieces_and_bits_of_one_rank, 0, 2);
  tcase_add_loop_test(t, cuts_that_do_not_add_up_are_refused_on_all_ranks, 0, 3);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
