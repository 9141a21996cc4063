/* Potentials of charges on the sides of a box, at the sides' faces, against means by adaptive bisection of each face; and the
 * bits of one thread in any number of threads and parts. */
#include <math.h>
#include <stdlib.h>

#include "multigrid/surface.h"
#include "support/support.h"

typedef struct box {
  hymgi_surface s;
  double *edge[3], *charge[6], *potential[6];
  size_t faces[6];
} box;

/* Widths differ up to `spread` times. */
static box box_of(const int n[3], double spread, bool mixed)
{
  box b = {.s = {.n = {n[0], n[1], n[2]}}};
  for (int axis = 0; axis < 3; axis++) {
    double *w = support_random((size_t)n[axis], 1, spread, 3u + (unsigned)axis), x = -0.3;
    b.s.edge[axis] = b.edge[axis] = support_poison((size_t)n[axis] + 1);
    for (int i = 0; i <= n[axis]; i++) {
      b.edge[axis][i] = x;
      if (i < n[axis]) x += w[i] / 30;
    }
    free(w);
  }
  for (int face = 0; face < 6; face++) {
    b.faces[face] = (size_t)n[0] * (size_t)(n[1] * n[2]) / (size_t)n[face / 2];
    b.s.charge[face] = b.charge[face] =
        support_random(b.faces[face], mixed ? -1 : 0, 1, 20u + (unsigned)face);
    b.s.potential[face] = b.potential[face] = calloc(b.faces[face], sizeof(double));
  }
  return b;
}

static void box_free(box *b)
{
  for (int face = 0; face < 6; face++)
    free(b->charge[face]), free(b->potential[face]);
  for (int axis = 0; axis < 3; axis++)
    free(b->edge[axis]);
}

/* The faces of a side: their low and high corners. */
static void corners(const box *b, int face, size_t m, double low[3], double high[3])
{
  const int axis = face / 2, u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
  const int i = (int)(m % (size_t)b->s.n[u]), j = (int)(m / (size_t)b->s.n[u]);
  low[axis] = high[axis] = b->edge[axis][face % 2 ? b->s.n[axis] : 0];
  low[u] = b->edge[u][i], high[u] = b->edge[u][i + 1];
  low[v] = b->edge[v][j], high[v] = b->edge[v][j + 1];
}

/* The integral of 1 / distance from x, by bisection until a part is far away for its size or too small to matter. */
static double integral(const double low[3], const double high[3], const double x[3])
{
  double size = 0, area = 1, square = 0;
  int longest = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double length = high[axis] - low[axis], d = 0.5 * (low[axis] + high[axis]) - x[axis];
    if (length > 0) area *= length;
    if (length > size) size = length, longest = axis;
    square += d * d;
  }
  if (size < 0.02 * sqrt(square)) return area / sqrt(square);
  if (size < 1e-10) return 0;
  double middle[3] = {high[0], high[1], high[2]}, other[3] = {low[0], low[1], low[2]};
  middle[longest] = other[longest] = 0.5 * (low[longest] + high[longest]);
  return integral(low, middle, x) + integral(other, high, x);
}

static double exact_at(const box *b, const double x[3])
{
  double sum = 0, low[3], high[3];
  for (int face = 0; face < 6; face++)
    for (size_t m = 0; m < b->faces[face]; m++) {
      double area = 1;
      corners(b, face, m, low, high);
      for (int axis = 0; axis < 3; axis++)
        if (axis != face / 2) area *= high[axis] - low[axis];
      sum += b->charge[face][m] / area * integral(low, high, x);
    }
  return sum;
}

static const struct {
  int n[3];
  double spread, error;
  bool mixed;
} settings[] = {{{2, 3, 5}, 1.0001, 1e-4, false},
                {{8, 9, 7}, 1.0001, 1e-4, false},
                {{40, 24, 33}, 1.0001, 2e-5, false},
                {{40, 24, 33}, 1.0001, 1e-4, true},
                {{33, 20, 17}, 4, 2e-4, true}};
enum { SETTINGS = sizeof settings / sizeof *settings };

START_TEST(potentials_are_those_of_charged_faces)
{
  box b = box_of(settings[_i].n, settings[_i].spread, settings[_i].mixed);
  double worst = 0, most = 0;
  ck_assert(hymgi_surface_potential(&b.s, 0, 1, 2));
  for (int face = 0; face < 6; face++)
    for (size_t m = 0; m < b.faces[face]; m += 1 + b.faces[face] / 9) {
      double low[3], high[3], x[3];
      corners(&b, face, m, low, high);
      for (int axis = 0; axis < 3; axis++)
        x[axis] = 0.5 * (low[axis] + high[axis]);
      const double want = exact_at(&b, x);
      worst = fmax(worst, fabs(b.potential[face][m] - want)), most = fmax(most, fabs(want));
    }
  ck_assert_msg(worst < settings[_i].error * most, "error %.3g of %.3g", worst, most);
  box_free(&b);
}
END_TEST

START_TEST(parts_and_threads_do_not_matter)
{
  const int n[3] = {40, 70, 33};
  box want = box_of(n, 2, true);
  ck_assert(hymgi_surface_potential(&want.s, 0, 1, 1));
  for (int parts = 1; parts < 8; parts += 3) {
    box got = box_of(n, 2, true);
    for (int part = 0; part < parts; part++)
      ck_assert(hymgi_surface_potential(&got.s, part, parts, 3));
    for (int face = 0; face < 6; face++)
      ck_assert(support_same_bits(got.faces[face], got.potential[face], want.potential[face]));
    box_free(&got);
  }
  box_free(&want);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("surface");
  TCase *t = tcase_create("surface");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, potentials_are_those_of_charged_faces, 0, SETTINGS);
  tcase_add_test(t, parts_and_threads_do_not_matter);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
