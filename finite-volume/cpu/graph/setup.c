/* The steps that make graphs, each a loop that the threads share, and prefix sums. */
#include "cpu/graph/graph.h"
#include "cpu/robust.h"
#include "formulas/graph_setup.h"

#include <stdlib.h>

/* ---- memory: without huge pages, whose first use takes longer than they save while graphs are made ---- */

static hymg_status alloc(hymg_context *context, size_t doubles, double **data)
{
  *data = calloc(doubles + 1, sizeof **data);
  return *data ? HYMG_OK
               : hymgi_fail(context, HYMG_ENOMEM, "no memory for graphs: %.7g GB of host memory",
                            8e-9 * (double)doubles);
}

static void release(hymg_context *context, double *data, size_t doubles)
{
  (void)context, (void)doubles;
  free(data);
}

static const hymgi_memory memory = {
    .name = "host", .on_host = true, .zeroed = true, .alloc = alloc, .release = release};

/* ---- steps ---- */

typedef void loop(const hymgi_graph_work *w, int threads, int indices);

#define LOOP(CONSTANT, name)                                                                       \
  static void loop_##name(const hymgi_graph_work *w, int threads, int indices)                     \
  {                                                                                                \
    (void)threads; /* without OpenMP */                                                            \
    _Pragma("omp parallel for schedule(static) num_threads(threads)") for (int i = 0; i < indices; \
                                                                           i++)                    \
        hymgi_graph_##name(w, i);                                                                  \
  }
HYMGI_GRAPH_STEPS(LOOP)

#define LOOP_OF(CONSTANT, name) [HYMGI_GRAPH_##CONSTANT] = loop_##name,
static loop *const loops[HYMGI_GRAPH_STEP_COUNT] = {HYMGI_GRAPH_STEPS(LOOP_OF)};

/* Threads pay off by the nodes, also where an index is a window of them. */
static void run(hymg_context *context, hymgi_graph_step step, int indices,
                const hymgi_graph_work *w)
{
  if (context->status == HYMG_OK)
    loops[step](w, hymgi_team_worth(w->g.n, context->threads), indices);
}

/* ---- prefix sums: of parts, then within them ---- */

enum { MOST_PARTS = 256 };

static int start_of(int part, int parts, int n)
{
  return (int)((int64_t)n * part / parts);
}

static int sum_part(const int *v, int low, int high)
{
  int total = 0;
  for (int i = low; i < high; i++)
    total += v[i];
  return total;
}

static void replace_part(int *v, int low, int high, int before)
{
  for (int i = low; i < high; i++) {
    const int value = v[i];
    v[i] = before;
    before += value;
  }
}

static int sum(hymg_context *context, int n, int *v)
{
  const int wanted = hymgi_team_worth(n, context->threads);
  const int parts = wanted < MOST_PARTS ? wanted : MOST_PARTS;
  int before[MOST_PARTS + 1] = {0};
  if (context->status != HYMG_OK) return 0;
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int p = 0; p < parts; p++)
    before[p + 1] = sum_part(v, start_of(p, parts, n), start_of(p + 1, parts, n));
  for (int p = 0; p < parts; p++)
    before[p + 1] += before[p];
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int p = 0; p < parts; p++)
    replace_part(v, start_of(p, parts, n), start_of(p + 1, parts, n), before[p]);
  v[n] = before[parts];
  return v[n];
}

/* ---- graph 0 ---- */

static void couplings(const hymgi_graph_cells *c)
{
  const hymgi_level *level = c->level;
  const double *const beta[3] = {level->c.beta[0], level->c.beta[1], level->c.beta[2]};
  unsigned flat = 0;
  for (int axis = 0; axis < 3; axis++)
    flat |= (unsigned)(level->n[axis] == 1) << axis;
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *const g = level->box + b;
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    hymgi_cell_couplings(g, beta, flat, c->high, c->excess, i, j, k);
  }
}

static void count(const hymgi_graph_cells *c)
{
  const hymgi_grid_graph grid = hymgi_grid_graph_of(c);
  const hymgi_level *level = c->level;
  FOR_CELLS(level, level->n[0], level->n[1], level->n[2])
  hymgi_count_cell(&grid, i, j, k);
}

static void fill(const hymgi_graph_cells *c)
{
  const hymgi_grid_graph grid = hymgi_grid_graph_of(c);
  const hymgi_level *level = c->level;
  FOR_CELLS(level, level->n[0], level->n[1], level->n[2])
  hymgi_fill_cell(&grid, i, j, k);
}

const hymgi_graph_setup hymgi_cpu_graph_setup = {
    .memory = &memory,
    .run = run,
    .sum = sum,
    .couplings = couplings,
    .count = count,
    .fill = fill,
};
