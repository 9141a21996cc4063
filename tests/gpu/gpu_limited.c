/* FV4 on the robust path, whose operator the limiter changes, on host and GPU: the operator, the
 * residual, its norm and the residual in single precision of random vectors have the same bits, and so
 * have solves, with one thread a cell and with both marches. Outputs and ghosts are poisoned before. */
#include "support/twin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/solver.h"
#include "hierarchy/build.h"
#include "kernel_table.h"
#include "multigrid/level_ops.h"

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
static const bool exact = true;
#else
static const bool exact = false; /* products are rounded once on the GPU, twice on the host */
#endif

enum alpha { NONE, CONSTANT, EQUAL, VARIABLE };

/* jump: by default the limiter takes a face from a factor of 8 on, so 11 marks some faces, 1000 all and
 * 1.02 none; 0: constant betas. Several blocks and slabs of the marches, parts of them, and with the ghosts
 * along x that they compute themselves; the last two cannot march. */
static const struct {
  int n[3];
  const char *boundary;
  double jump;
  enum alpha alpha;
} problems[] = {
    {{24, 10, 6}, "dd dd dd", 11, NONE},     {{12, 20, 36}, "pp dd pp", 11, EQUAL},
    {{72, 8, 20}, "dd pp dd", 11, CONSTANT}, {{128, 18, 6}, "dd dd dd", 11, NONE},
    {{10, 7, 9}, "nn nn nn", 11, CONSTANT},  {{66, 5, 11}, "dn nd pp", 1000, EQUAL},
    {{8, 19, 4}, "nd pp dn", 1000, NONE},    {{8, 3, 5}, "dd dd dd", 1000, CONSTANT},
    {{128, 4, 10}, "dd nn dd", 1000, EQUAL}, {{136, 6, 4}, "pp pp pp", 1000, NONE},
    {{130, 17, 5}, "dd dd nd", 11, NONE},    {{128, 6, 9}, "dd dd dd", 1.02, EQUAL},
    {{20, 9, 12}, "nd pp dd", 1.02, NONE},   {{18, 20, 7}, "dd dn pp", 1.02, CONSTANT},
    {{128, 5, 6}, "dd dd pp", 0, CONSTANT},  {{14, 18, 9}, "pp dd nn", 0, NONE},
    {{24, 10, 6}, "dd pp dd", 11, VARIABLE}, {{13, 9, 7}, "dd dd dd", 11, NONE},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, MARCHED = PROBLEMS - 2 };

enum form { CELLS, MEMORY, TMA, FORMS };

static twin twin_at(int m)
{
  const int *n = problems[m].n;
  const enum alpha alpha = problems[m].alpha;
  twin t = twin_of(HYMG_FV4, n[0], n[1], n[2], problems[m].boundary);
  t.path = HYMG_PATH_ROBUST;
  t.method = HYMG_MG;
  t.cycle = HYMG_CYCLE_V;
  t.jump = problems[m].jump;
  t.constant_beta = t.jump == 0;
  t.a = alpha == NONE ? 0 : 0.75;
  t.constant_alpha = alpha == CONSTANT;
  t.equal_alpha = alpha == EQUAL;
  return t;
}

/* ---- vectors of level 0 ---- */

/* With these values in its cells, and NaN elsewhere; values NULL: everywhere. */
static double *vector_of(twin_open *o, const double *values)
{
  hymgi_level *level = o->k.solver->h.system;
  const hymgi_geom *g = level->box;
  double *x = NULL, *staged = NULL;
  OK(o->k.context, hymgi_vector_create(level, level->vector_size, &x));
  OK(o->k.context, hymgi_crossing_create(level, level->vector_size, &staged));
  for (ptrdiff_t m = 0; m < level->vector_size; m++)
    staged[m] = NAN;
  for (int k = 0, m = 0; k < g->n[2] && values; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        staged[hymgi_at(g, i, j, k)] = values[m++];
  level->backend->copy(o->k.context, staged, x, (size_t)level->vector_size);
  hymgi_crossing_destroy(level, level->vector_size, &staged);
  return x;
}

/* The cells of a vector, which is freed; what is not a cell must still be NaN. */
static double *take_values(twin_open *o, bool floats, double *x)
{
  hymgi_level *level = o->k.solver->h.system;
  const hymgi_geom *g = level->box;
  double *staged = NULL, *values = support_poison((size_t)level->cells);
  OK(o->k.context, hymgi_crossing_create(level, level->vector_size, &staged));
  level->backend->sync(o->k.context);
  level->backend->copy(o->k.context, x, staged, (size_t)level->vector_size);
  int numbers = 0;
  for (ptrdiff_t m = 0; m < level->vector_size && !floats; m++)
    numbers += !isnan(staged[m]);
  ck_assert_int_eq(numbers, floats ? 0 : (int)level->cells);
  for (int k = 0, m = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const ptrdiff_t at = hymgi_at(g, i, j, k);
        values[m++] = floats ? (double)((float *)staged)[at] : staged[at];
      }
  hymgi_crossing_destroy(level, level->vector_size, &staged);
  hymgi_vector_destroy(level, level->vector_size, &x);
  OK(o->k.context, o->k.context->status);
  return values;
}

/* ---- answers ---- */

typedef struct answer {
  double *apply, *residual, *narrow, norm, norm_of_narrow;
  twin_solution solution, again;
} answer;

static void ask_operator(twin_open *o, const double *x, answer *a)
{
  const hymgi_level *level = o->k.solver->h.system;
  double *v = vector_of(o, x), *out = vector_of(o, NULL);
  level->backend->apply(level, v, out);
  a->apply = take_values(o, false, out);
  hymgi_vector_destroy(level, level->vector_size, &v);
}

static void ask_residual(twin_open *o, const double *f, const double *x, answer *a)
{
  const hymgi_level *level = o->k.solver->h.system;
  double *v[2] = {vector_of(o, x), vector_of(o, x)}, *fv = vector_of(o, f),
         *out = vector_of(o, NULL);
  level->backend->residual(level, fv, v[0], out);
  a->residual = take_values(o, false, out);
  a->norm = level->backend->residual_max(level, fv, v[1]);
  for (int m = 0; m < 2; m++)
    hymgi_vector_destroy(level, level->vector_size, v + m);
  hymgi_vector_destroy(level, level->vector_size, &fv);
}

/* As the residual of a level in single precision, which has this level's boxes here. */
static void ask_narrow(twin_open *o, const double *f, const double *x, answer *a)
{
  const hymgi_level *level = o->k.solver->h.system, single = *level;
  const hymgi_slot slot = HYMGI_SLOT_RESIDUAL;
  hymg_context *const c = o->k.context;
  double *v = vector_of(o, x), *fv = vector_of(o, f), *out = vector_of(o, NULL);
  level->backend->single->conversions->narrow_residual(&single, level, 0.125, fv, v, out, slot);
  a->norm_of_narrow =
      level->backend->queued ? level->backend->queued(c, (int)slot) : c->later[slot];
  a->narrow = take_values(o, true, out);
  hymgi_vector_destroy(level, level->vector_size, &v);
  hymgi_vector_destroy(level, level->vector_size, &fv);
}

static answer ask(twin_open *o)
{
  answer a = {0};
  double *x = support_random(o->cells, -1, 1, 40), *f = support_random(o->cells, -1, 1, 41);
  ask_operator(o, x, &a);
  ask_residual(o, f, x, &a);
  ask_narrow(o, f, x, &a);
  a.solution = twin_solve(o);
  a.again = twin_solve(o);
  free(x), free(f);
  return a;
}

static void answer_free(answer *a)
{
  free(a->apply), free(a->residual), free(a->narrow);
  twin_solution_free(&a->solution);
  twin_solution_free(&a->again);
}

static void compare(const char *where, size_t cells, const answer *got, const answer *want)
{
  const char *what = !support_same_bits(cells, got->apply, want->apply)         ? "A x"
                     : !support_same_bits(cells, got->residual, want->residual) ? "f - A x"
                     : !support_same_bits(cells, got->narrow, want->narrow)     ? "narrowed"
                     : got->norm != want->norm                                  ? "norm"
                     : got->norm_of_narrow != want->norm_of_narrow ? "norm of the narrowed"
                                                                   : NULL;
  ck_assert_msg(!exact || !what, "%s: %s", where, what);
  twin_same_solution(where, &got->solution, &want->solution);
  twin_same_solution(where, &got->again, &want->again);
}

/* ---- tests ---- */

/* Is a face marked among those with this index along the axis? */
static bool marked_at(const hymgi_level *level, int axis, int index)
{
  const hymgi_geom *g = level->box;
  int from[3] = {0, 0, 0}, to[3] = {g->n[0], g->n[1], g->n[2]}, found = 0;
  from[axis] = index, to[axis] = index + 1;
  for (int k = from[2]; k < to[2]; k++)
    for (int j = from[1]; j < to[1]; j++)
      for (int i = from[0]; i < to[0]; i++)
        found += level->c.beta[axis][hymgi_at(g, i, j, k)] < 0;
  return found > 0;
}

/* The problems test what they are made for: marks at Dirichlet walls and next to them. */
static void check_marks(int m, const twin_open *o)
{
  const hymgi_level *level = o->k.solver->h.system;
  ck_assert_int_eq(level->c.limited, problems[m].jump > 8);
  ck_assert_int_eq(level->c.alpha_limit > 0, problems[m].alpha == VARIABLE);
  for (int axis = 0; axis < 3 && problems[m].jump > 8; axis++)
    for (int side = 0; side < 2; side++) {
      const int wall = side ? level->box->n[axis] : 0, inner = side ? wall - 1 : 1;
      if (problems[m].boundary[3 * axis + side] != 'd') continue;
      ck_assert_msg(marked_at(level, axis, wall), "problem %d, axis %d, face %d", m, axis, wall);
      ck_assert_msg(marked_at(level, axis, inner), "problem %d, axis %d, face %d", m, axis, inner);
    }
}

static void check_kernel(int m, enum form form, const twin_open *o)
{
  static const char *const kernel[FORMS] = {"", "fv4_march_memory<residual>", "fv4_march"};
  const hymgi_level *level = o->k.solver->h.system;
  const char *const names = level->backend->kernel_names(level);
  const bool marches = m < MARCHED && form != CELLS;
  ck_assert_msg(marches ? strstr(names, kernel[form]) != NULL
                        : !strstr(names, "residual fv4_march"),
                "problem %d: %s", m, names);
}

/* Small tests take each problem in one march, a third of them with a thread a cell as well. */
static bool is_tried(int m, enum form form)
{
  if (!support_small()) return true;
  return form == CELLS ? m % 3 == 1 || m >= MARCHED : m < MARCHED && (form == TMA) == m % 2;
}

START_TEST(the_same_bits)
{
  const int m = _i / FORMS;
  const enum form form = (enum form)(_i % FORMS);
  if (!is_tried(m, form)) return;
  const twin t = twin_at(m);
  const twin_way way = {.name = "forms", .backend = HYMG_BACKEND_CUDA};
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  char where[100];
  snprintf(where, sizeof where, "problem %d, form %d", m, (int)form);
  ck_assert_int_eq(hymg_context_create(NULL, &layout.context), HYMG_OK);
  ck_assert(hymgi_kernel_form_from(layout.context, "fv4_march", form == CELLS ? INT64_MAX : 1));
  ck_assert(hymgi_kernel_form_from(layout.context, "fv4_march_tma", form == TMA ? 1 : INT64_MAX));
  twin_open one = twin_begin(&t, &twin_host, &layout), other = twin_begin(&t, &way, &layout);
  check_marks(m, &one);
  check_kernel(m, form, &other);
  answer want = ask(&one), got = ask(&other);
  compare(where, one.cells, &got, &want);
  answer_free(&want), answer_free(&got);
  twin_end(&one), twin_end(&other);
  hymg_context_destroy(&layout.context);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("FV4's limiter on the GPU");
  TCase *t = tcase_create("jobs and solves");
  tcase_add_loop_test(t, the_same_bits, 0, FORMS * PROBLEMS);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
