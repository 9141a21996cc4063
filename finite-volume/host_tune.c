/* Which way to run the smoother is fastest on this machine: tried on a slab of each large level
 * when a solver is made. All ways give the same bits, so a wrong guess costs time only. */
#include "host.h"

enum { SLAB = 48, SMALLEST = 48 * 48 * 48, ROUNDS = 3 };

typedef struct candidate {
  int stages, rows;
} candidate;

/* Shallow wavefronts in narrow tiles suit a machine whose second-level cache is the one that
 * counts, deep ones a large third. */
static const candidate candidates[] = {{0, 0},  {1, 32}, {1, 64}, {2, 24}, {2, 32}, {2, 64},
                                       {3, 32}, {3, 64}, {6, 24}, {6, 32}, {6, 64}, {6, 0}};

static double seconds_of(hymgi_level *level)
{
  const double start = hymgi_seconds();
  hymgi_host_smooth(level);
  return hymgi_seconds() - start;
}

static void try_all(hymgi_level *level)
{
  hymgi_tuning best = level->tuning;
  double least = 0;
  const int count = (int)(sizeof candidates / sizeof candidates[0]);
  for (int m = 0; m < count; m++) {
    level->tuning.wave_from = candidates[m].stages ? 1 : 0;
    level->tuning.wave_stages = candidates[m].stages;
    level->tuning.wave_rows = candidates[m].rows;
    if (candidates[m].stages && !hymgi_host_wave_applies(level)) continue;
    double time = seconds_of(level);
    for (int round = 1; round < ROUNDS; round++) {
      const double again = seconds_of(level);
      time = again < time ? again : time;
    }
    if (m == 0 || time < least) {
      best = level->tuning;
      least = time;
    }
  }
  level->tuning = best;
}

void hymgi_host_tune(hymgi_level *level)
{
  if (level->num_boxes != 1 || level->cells < SMALLEST) return;
  hymgi_geom *const g = level->box;
  const int planes = g->n[2];
  g->n[2] = planes < SLAB ? planes : SLAB;
  try_all(level);
  g->n[2] = planes;
}
