/* How the smoother runs on a level of the host: estimated from the caches or, if that is asked for, the
 * fastest of some schedules. They all give the same bits, so a wrong choice costs only time. */
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "comm/comm.h"
#include "cpu/sweep/wavefront.h"

typedef struct candidate {
  int stages, rows; /* 0 stages: no wavefront; 0 rows: whole planes */
  double seconds;
} candidate;

static void use(hymgi_level *level, const candidate *c)
{
  level->tuning.wave_from = c->stages ? 1 : 0;
  level->tuning.wave_stages = c->stages;
  level->tuning.wave_rows = c->rows;
}

static bool applies(hymgi_level *level, const candidate *c)
{
  use(level, c);
  return !c->stages || hymgi_cpu_wave_applies(level);
}

/* ---- the estimate ---- */

/* A level whose vectors are all in near caches is swept pass by pass. Else a wavefront of as many sweeps as possible
 * runs in tiles whose planes are there: three quarters of them, as other data pass through. */
#define PART_OF_CACHE 0.75

/* The layers of a plane of which a sweep needs the one before it. */
static int lag_of(const hymgi_level *level, bool in_place)
{
  return level->op->stencil == HYMG_FV4 ? 3 : in_place ? 1 : 2;
}

/* Of one row in all planes that `stages` sweeps work on: x, f, 1 / D and the betas, and the second x of sweeps that are not
 * in place. */
static double bytes_of_row(const hymgi_level *level, int stages)
{
  const bool in_place = level->op->stencil == HYMG_FV2 && level->method->smoother == HYMG_GSRB;
  const int vectors = 3 + (level->method->variable_beta ? 3 : 0) + !in_place;
  const double row = (double)sizeof(hymgi_real) * vectors * level->box->n[0];
  return row * (lag_of(level, in_place) * stages + 2);
}

static double bytes_of_level(const hymgi_level *level)
{
  const int *n = level->box->n;
  return bytes_of_row(level, 0) / 2 * n[1] * n[2];
}

static double near_cache(const hymgi_level *level)
{
  return (double)hymgi_near_cache(hymgi_cpu_most_threads(level),
                                  hymgi_comm_local_size(level->context->comm));
}

/* The rows of a tile, even, in `times` the near cache; tiles are as many as needed, of about one height. 0: whole planes. */
static int rows_in_cache(const hymgi_level *level, int stages, double times)
{
  const int ny = level->box->n[1];
  const double fit = PART_OF_CACHE * times * near_cache(level) / bytes_of_row(level, stages);
  if (fit >= ny) return 0;
  const int tiles = (int)(ny / (fit > 2 ? fit : 2) + 0.999), rows = (ny + tiles - 1) / tiles;
  return (rows + 1) / 2 * 2;
}

static const int depths[] = {6, 3, 2, 1};
enum { DEPTHS = sizeof depths / sizeof *depths };

/* Stages of FV4 are three rows apart, so that six leave too little of a tile to each thread. */
static int first_depth(const hymgi_level *level)
{
  return level->op->stencil == HYMG_FV4 ? 1 : 0;
}

/* The cells of a box from which on schedules are measured, and beside other ranks a wavefront gains more than the cells
 * that it leaves out (wave.cut) cost. */
enum { SMALLEST = 32 * 32 * 32 };

static double cells_of(const hymgi_level *level)
{
  const int *n = level->box->n;
  return (double)n[0] * n[1] * n[2];
}

static void estimate(hymgi_level *level)
{
  candidate c = {0, 0, 0};
  const double least = hymgi_cpu_wave_cut(level) ? SMALLEST : 0;
  use(level, &c);
  if (cells_of(level) < least || bytes_of_level(level) <= near_cache(level)) return;
  for (int d = first_depth(level); d < DEPTHS; d++) {
    c = (candidate){depths[d], rows_in_cache(level, depths[d], 1), 0};
    if (applies(level, &c)) return;
  }
  c.stages = 0;
  use(level, &c);
}

/* ---- the measurement ---- */

/* SLAB: planes on which all candidates are tried */
enum { SLAB = 32, ROUNDS = 2 };

/* Tiles of the estimated size and of half and twice that, and whole planes, of each depth, and no wavefront. */
enum { HEIGHTS = 4, CANDIDATES = 1 + DEPTHS * HEIGHTS };

static int list_candidates(const hymgi_level *level, candidate *list)
{
  static const double times[HEIGHTS] = {0.5, 1, 2, 1e9};
  int count = 0;
  list[count++] = (candidate){0, 0, 0};
  for (int d = 0; d < DEPTHS; d++)
    for (int h = 0; h < HEIGHTS; h++) {
      const candidate c = {depths[d], rows_in_cache(level, depths[d], times[h]), 0};
      const candidate *last = list + count - 1;
      if (h == 0 || c.rows != last->rows) list[count++] = c;
    }
  return count;
}

/* Infinite where the candidate does not apply. */
static double seconds_of(hymgi_level *level, const candidate *c)
{
  if (!applies(level, c)) return INFINITY;
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

static bool worth_measuring(const hymgi_level *level)
{
  return cells_of(level) >= SMALLEST;
}

/* Times all candidates on a slab without neighbours, which may fit in a cache, then the best one of each depth on the whole
 * level: there a pass over it costs more, and with neighbouring ranks a deeper wavefront leaves more cells to be done
 * after the messages. */
static void measure_all(hymgi_level *level)
{
  const bool has_neighbours = hymgi_cpu_wave_cut(level);
  hymgi_real *const x = level->x, *const y = level->y;
  hymgi_plan *halo[3];
  memcpy(halo, level->halo, sizeof halo);
  if (has_neighbours) memset(level->halo, 0, sizeof halo);
  hymgi_geom *const g = level->box;
  const int planes = g->n[2];
  candidate c[CANDIDATES];
  const int count = list_candidates(level, c);
  g->n[2] = planes < SLAB ? planes : SLAB;
  seconds_of(level, c); /* warm-up */
  run_all(level, c, count, 1);
  g->n[2] = planes;
  memcpy(level->halo, halo, sizeof halo);
  level->silent = hymgi_sends(level); /* ranks time by themselves */
  run_all(level, c, one_of_each(c, count), ROUNDS);
  level->silent = false;
  use(level, c);
  level->x = x, level->y = y; /* smoothers may have swapped them */
}

bool hymgi_cpu_tune(hymgi_level *level, bool measure)
{
  if (!hymgi_cpu_wave_possible(level)) return false; /* there is only one schedule */
  if (!measure) estimate(level);
  if (!measure || !worth_measuring(level)) return false;
  measure_all(level);
  return true;
}

bool hymgi_cpu_take_schedule(hymgi_level *level, int stages, int rows)
{
  candidate c[CANDIDATES];
  const hymgi_tuning before = level->tuning;
  if (!hymgi_cpu_wave_possible(level) || !worth_measuring(level)) return false;
  for (int m = list_candidates(level, c) - 1; m >= 0; m--)
    if (c[m].stages == stages && c[m].rows == rows && applies(level, c + m)) return true;
  level->tuning = before;
  return false;
}
