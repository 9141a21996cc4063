/* Faces of beta 0: against a dense solve, piece by piece, on random systems of every kind; pieces and their means;
 * updates; what is refused. */
#include "oracle/mask.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* f in cells that are no unknowns does not count. */
static void poison_rest(const trial *t, const mask_pieces *p)
{
  for (size_t q = 0; q < t->cells; q++)
    if (p->piece[q] < 0) t->f[q] = NAN;
}

static int random_systems(void)
{
  const char *asked = getenv("HYMG_MASKS");
  return asked ? atoi(asked) : support_small() ? 20 : 600;
}

START_TEST(random_systems_have_the_solution_of_a_dense_solve)
{
  const char *first = getenv("HYMG_MASKS_FROM");
  const unsigned from = first ? (unsigned)atoi(first) : 0;
  int worst = 0;
  for (unsigned seed = from; seed < from + (unsigned)random_systems(); seed++) {
    trial t = mask_trial(seed, seed % 10 ? 6 : 12);
    mask_pieces p;
    double *u = support_poison(t.cells), *want = mask_solution(&t, &p);
    poison_rest(&t, &p);
    const hymg_result r = trial_solve(&t, u);
    ck_assert_msg(r.converged && r.path == HYMG_PATH_ROBUST, "seed %u, %s: %d cycles, %.3g: %s",
                  seed, t.c.name, r.cycles, r.residual_relative, r.note);
    ck_assert_msg(r.pieces == p.count && r.singular_pieces == p.singular &&
                      r.singular == (p.singular > 0),
                  "seed %u, %s: %lld pieces, %lld singular: %d, %d are wanted", seed, t.c.name,
                  (long long)r.pieces, (long long)r.singular_pieces, p.count, p.singular);
    for (size_t q = 0; q < t.cells; q++)
      ck_assert_msg(p.piece[q] >= 0 || (t.fixed && t.fixed[q] == t.fixed[q]) || u[q] == 0,
                    "seed %u: %g in a cell that is no unknown", seed, u[q]);
    char where[256];
    snprintf(where, sizeof where, "seed %u, %s", seed, t.c.name);
    if (support_max(t.cells, want) > 0)
      support_assert_close("u", where, t.cells, u, want, 1e-6);
    else
      ck_assert_msg(support_max(t.cells, u) == 0, "%s", where);
    worst = r.cycles > worst ? r.cycles : worst;
    mask_release(&p);
    free(want);
    free(u);
    trial_close(&t);
  }
  printf("  at most %d iterations\n", worst);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("masks");
  TCase *t = tcase_create("masks");
  tcase_set_timeout(t, 0);
  tcase_add_test(t, random_systems_have_the_solution_of_a_dense_solve);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
