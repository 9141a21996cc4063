/* Picks the fastest schedule of the smoother on this machine when a solver is created: all
 * candidates run on a slab of each large level, the best ones on the whole level. They all give the
 * same bits, so a wrong choice costs only time. */
#include <stdlib.h>
#include <string.h>

#include "cpu/sweep/wavefront.h"

/* SMALLEST_BESIDE: the cells of a box from which on a wavefront of FV2 gains more than the cells that it
 * leaves out (wave.cut) cost */
enum {
  SLAB = 16,
  SMALLEST = 32 * 32 * 32,
  SMALLEST_BESIDE = 64 * 64 * 64,
  FINALISTS = 2,
  ROUNDS = 2
};

typedef struct candidate {
  int stages, rows;
  double seconds;
} candidate;

/* Shallow wavefronts in narrow tiles suit machines limited by the second-level cache, deep ones
 * machines with a large third level. The first candidate is no wavefront. */
static const candidate candidates[] = {{0, 0, 0},  {1, 48, 0}, {1, 64, 0}, {2, 24, 0}, {2, 32, 0},
                                       {2, 48, 0}, {3, 32, 0}, {3, 48, 0}, {6, 24, 0}, {6, 32, 0},
                                       {6, 64, 0}, {6, 0, 0},  {1, 0, 0},  {2, 0, 0},  {3, 0, 0}};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

static void use(hymgi_level *level, const candidate *c)
{
  level->tuning.wave_from = c->stages ? 1 : 0;
  level->tuning.wave_stages = c->stages;
  level->tuning.wave_rows = c->rows;
}

/* Infinite where the candidate does not apply, or is that of all rows again. */
static double seconds_of(hymgi_level *level, const candidate *c)
{
  if (c->rows && hymgi_tiles_of(level->box->n[1], c->rows) == 1) return INFINITY;
  use(level, c);
  if (c->stages && !hymgi_cpu_wave_applies(level)) return INFINITY;
  const double start = hymgi_seconds();
  hymgi_cpu_smooth(level);
  return hymgi_seconds() - start;
}

static int faster(const void *a, const void *b)
{
  const double x = ((const candidate *)a)->seconds, y = ((const candidate *)b)->seconds;
  return (x > y) - (x < y);
}

/* Keeps the shortest of `rounds` runs of each candidate and sorts them, fastest first. */
static void run_all(hymgi_level *level, candidate *c, int count, int rounds)
{
  for (int m = 0; m < count; m++)
    c[m].seconds = INFINITY;
  for (int round = 0; round < rounds; round++)
    for (int m = 0; m < count; m++) {
      const double seconds = seconds_of(level, c + m);
      c[m].seconds = seconds < c[m].seconds ? seconds : c[m].seconds;
    }
  qsort(c, (size_t)count, sizeof *c, faster);
}

/* Keeps the fastest of the sorted candidates for each number of stages; returns how many there are. */
static int one_of_each(candidate *c, int count)
{
  int distinct = 0;
  for (int m = 0; m < count; m++) {
    bool there = false;
    for (int i = 0; i < distinct; i++)
      there = there || c[i].stages == c[m].stages;
    if (!there) c[distinct++] = c[m];
  }
  return distinct;
}

/* Times all candidates on a slab without neighbours, which may fit in the third-level cache, then the best of
 * them on the whole level. With neighbouring ranks the best of each depth are timed there, since a deeper
 * wavefront leaves more cells to be done after the messages. */
void hymgi_cpu_tune(hymgi_level *level)
{
  /* else there is only one schedule */
  if (!hymgi_cpu_wave_possible(level) || level->cells < SMALLEST) return;
  const int *n = level->box->n;
  const bool has_neighbours = hymgi_cpu_wave_cut(level);
  const double from = level->op->stencil == HYMG_FV4 ? SMALLEST : SMALLEST_BESIDE;
  if (has_neighbours && (double)n[0] * n[1] * n[2] < from) return;
  hymgi_real *const x = level->x, *const y = level->y;
  hymgi_plan *halo[3];
  memcpy(halo, level->halo, sizeof halo);
  if (has_neighbours) memset(level->halo, 0, sizeof halo);
  hymgi_geom *const g = level->box;
  const int planes = g->n[2];
  candidate c[CANDIDATES];
  memcpy(c, candidates, sizeof c);
  g->n[2] = planes < SLAB ? planes : SLAB;
  seconds_of(level, c); /* warm-up */
  run_all(level, c, CANDIDATES, 1);
  g->n[2] = planes;
  memcpy(level->halo, halo, sizeof halo);
  level->silent = hymgi_sends(level); /* ranks time by themselves */
  run_all(level, c, has_neighbours ? one_of_each(c, CANDIDATES) : FINALISTS, ROUNDS);
  level->silent = false;
  use(level, c);
  level->x = x, level->y = y; /* smoothers may have swapped them */
}
