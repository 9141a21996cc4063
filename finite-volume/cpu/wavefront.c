/* A smoother call as z wavefronts: in time step t stage s works on plane t - lag s, so that each
 * plane is read from memory once for all sweeps. Planes are divided into tiles of rows that are
 * shifted back by `lean` rows per stage. Within a tile each thread keeps its rows in all stages,
 * and one barrier per time step suffices:
 *   FV2 gsrb, in place: a row needs only its own column of the plane above, which the same thread
 *   has just computed: lag 1, lean 1.
 *   FV2 out of place: reads one plane on each side and overwrites the iterate before last: lag 2,
 *   lean 1.
 *   FV4: reads two planes on each side: lag 3. Boundary ghosts of an iterate are filled one plane
 *   behind its sweep (one row at a tile's end), when the old iterate is no longer read: lean 3. */
#define _POSIX_C_SOURCE 200112L
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/robust.h"

enum { MAX_STAGES = 12, EXTRAPOLATION_REACH = 4, SPINS = 4096 };
enum { NORM_ROW = 3 }; /* scratch row; 0 to 2 belong to sweep.c */

/* There are many barriers, so this one spins, and yields if a thread of the team is not running
 * (the behaviour of the OpenMP barrier depends on the environment). */
typedef struct barrier {
  atomic_int arrived, phase;
} barrier;

static void wait_for_all(barrier *b)
{
  const int team = omp_get_num_threads(), phase = atomic_load(&b->phase);
  if (team == 1) return;
  if (atomic_fetch_add(&b->arrived, 1) == team - 1) {
    atomic_store(&b->arrived, 0);
    atomic_store(&b->phase, phase + 1);
    return;
  }
  for (int spins = 0; atomic_load_explicit(&b->phase, memory_order_acquire) == phase; spins++) {
    if (spins < SPINS) continue;
    sched_yield();
    spins = SPINS;
  }
}

typedef struct stage {
  host_pass pass;
  hymgi_geom g;            /* layout of the iterate after this stage: both colours from one base */
  hymgi_real *out, *after; /* output; base of the iterate after this stage */
  int colour;              /* gsrb; 0 with plain rows */
} stage;

typedef struct wave {
  hymgi_level *level;
  const hymgi_geom *g;
  int stages, lag, lean, tile_rows;
  int before, total; /* further stages before the sweeps, and all stages */
  bool fv4, gsrb;
  bool robust;               /* the stages before and after are those of the robust path: */
  const hymgi_real *source;  /* interpolated before the sweeps; NULL: x is set to 0 */
  hymgi_after after;         /* the state of x when the residual is restricted */
  int ring;                  /* the residual is in so many planes of y in turn; 0: in all of y */
  hymgi_real *coarse;        /* or NULL */
  hymgi_interpolation start; /* standard path: the stage before the sweeps, if it has a source */
  hymgi_real *x;             /* what it writes */
  bool norm;                 /* standard path: the last stage is max |f - A x|: */
  double max;
  barrier *barrier;
  stage stage[MAX_STAGES];
} wave;

typedef struct rows {
  int low, high;             /* rows to sweep */
  int close_low, close_high; /* rows whose boundary ghosts are filled */
  bool head, tail;           /* includes row 0, row ny - 1 */
} rows;

/* Rows that stage s is behind the first one; restriction combines pairs of rows. */
static int shift_of(const wave *w, int s)
{
  return w->coarse && s == w->total - 1 ? (w->lean * s + 1) & ~1 : w->lean * s;
}

/* Rows of stage s that belong to this thread in the tile [from, to). Boundaries between threads are
 * even and the same in all stages. */
static rows rows_of(const wave *w, int from, int to, int s)
{
  const int ny = w->g->n[1], id = omp_get_thread_num(), team = omp_get_num_threads();
  const bool first = from == 0, last = to == ny;
  const int low = first ? 0 : from - shift_of(w, s), high = last ? ny : to - shift_of(w, s);
  const int shift = w->lean * (w->total - 1) / 2, a = first ? 0 : from - shift,
            b = last ? ny : to - shift;
  rows r;
  r.low = id == 0 ? low : (a + (b - a) * id / team) & ~1;
  r.high = id == team - 1 ? high : (a + (b - a) * (id + 1) / team) & ~1;
  r.low = r.low < low ? low : r.low;
  r.high = r.high > high ? high : r.high;
  r.close_low = r.low - (!first && id == 0);
  r.close_high = r.high - (!last && id == team - 1);
  r.head = first && id == 0;
  r.tail = last && id == team - 1;
  return r;
}

static void fill_plane_ghosts(const wave *w, const stage *s, const rows *r, int k)
{
  const hymgi_level *level = w->level;
  const int ny = w->g->n[1];
  if (r->head && w->g->boundaries & 4)
    hymgi_cpu_fill_row_ghosts(level, &s->g, s->after, HYMGI_GHOSTS_V4, 2, k);
  if (r->tail && w->g->boundaries & 8)
    hymgi_cpu_fill_row_ghosts(level, &s->g, s->after, HYMGI_GHOSTS_V4, 3, k);
  for (int j = r->head ? -2 : r->close_low; j < (r->tail ? ny + 2 : r->close_high); j++)
    hymgi_cpu_fill_end_ghosts(level, &s->g, s->after, HYMGI_GHOSTS_V4, j, k);
}

/* Fills the two ghost planes below plane 0 or above plane nz - 1. */
static void fill_far_planes(const wave *w, const stage *s, const rows *r, bool high)
{
  const int face = high ? 5 : 4, first = high ? w->g->n[2] : -2;
  if (!(w->g->boundaries >> face & 1)) return;
  for (int j = r->close_low; j < r->close_high; j++)
    hymgi_cpu_fill_row_ghosts(w->level, &s->g, s->after, HYMGI_GHOSTS_V4, face, j);
  for (int k = first; k < first + 2; k++)
    fill_plane_ghosts(w, s, r, k);
}

/* FV4: ghosts of the iterate after a stage that has come to plane k. */
static void run_closures(const wave *w, const stage *s, const rows *r, int k)
{
  const int nz = w->g->n[2];
  if (k > 0) fill_plane_ghosts(w, s, r, k - 1);
  if (k != EXTRAPOLATION_REACH - 1 && k != nz) return;
  fill_far_planes(w, s, r, k == nz);
  wait_for_all(w->barrier); /* the next stage reads these planes in this time step */
}

static void run_stage(const wave *w, int index, const rows *r, int k)
{
  const stage *s = w->stage + index;
  const int nz = w->g->n[2];
  if (k < nz && !w->fv4)
    hymgi_fv2_rows(&s->pass, w->g, s->colour, (const int[2]){r->low, r->high}, k,
                   s->out + hymgi_row(w->g, s->colour, r->low, k));
  else if (k < nz)
    for (int j = r->low; j < r->high; j++)
      hymgi_cpu_run_slots(&s->pass, w->g, (const int[3]){s->colour, j, k}, 0, host_slots(w->g),
                          s->out + hymgi_row(w->g, s->colour, j, k));
  if (w->fv4) run_closures(w, s, r, k);
}

/* To two planes at a time. */
static void run_interpolation(const wave *w, const rows *r, int k)
{
  const int J[2] = {r->low / 2, r->high / 2};
  if (k < w->g->n[2] && k % 2 == 0)
    hymgi_cpu_interpolate_rows(w->level, 0, &w->start, hymgi_cpu_starts_black(w->level), J, k / 2,
                               w->x);
  if (w->fv4) run_closures(w, &(const stage){.g = *w->g, .after = w->x}, r, k);
}

static void run_norm(const wave *w, const rows *r, int k, double *max)
{
  const hymgi_level *level = w->level;
  const host_pass residual = {
      .kind = HOST_RESIDUAL, .level = level, .f = level->f, .own = level->x, .other = level->x};
  const int n = host_slots(w->g);
  hymgi_real *const row = host_scratch(level, NORM_ROW);
  for (int j = r->low; j < r->high; j++)
    for (int c = 0; c <= w->g->split; c++) {
      hymgi_cpu_run_slots(&residual, w->g, (const int[3]){c, j, k}, 0, n, row);
      *max = host_larger(*max, host_largest(row, n));
    }
}

static void run_restrict(const wave *w, const rows *r, int k)
{
  if (k % 2 == 0) return;
  for (int J = r->low / 2; J < r->high / 2; J++) {
    const int JK[2] = {J, k / 2};
    hymgi_cpu_restrict_residual_row(w->level, 0, JK, w->gsrb && !w->fv4, w->coarse);
  }
}

/* ---- the stages of the robust path ---- */

/* What comes before the sweeps. A sweep does not read the cells that it updates: with split rows, only
 * the others need a value. */
static void run_start(const wave *w, const rows *r, int k)
{
  const hymgi_level *level = w->level;
  const hymgi_geom *g = w->g;
  if (!w->source)
    for (int j = r->low; j < r->high; j++)
      memset(level->x + hymgi_row(g, g->split, j, k), 0,
             (size_t)host_slots(g) * sizeof(hymgi_real));
  const int pair = level->coarsened & 2 ? 2 : 1;
  for (int j = r->low; w->source && j < r->high; j += pair) {
    const int from[2] = {j, k}, to[2] = {j + pair < r->high ? j + pair : r->high, k + 1};
    hymgi_cpu_interpolate_weighted_rows(level, 0, from, to, 1, w->source, level->x);
  }
}

/* The residual, in the first planes of y in turn if there is one tile. */
static void run_residual(const wave *w, const rows *r, int k)
{
  const hymgi_level *level = w->level;
  const host_pass residual = {
      .kind = HOST_RESIDUAL, .level = level, .f = level->f, .own = level->x, .other = level->x};
  const int colours = w->g->split && w->after != HYMGI_AFTER_GSRB ? 2 : 1,
            at = w->ring ? k % w->ring : k;
  for (int j = r->low; j < r->high; j++) {
    for (int c = 0; c < colours; c++)
      hymgi_cpu_run_slots(&residual, w->g, (const int[3]){c, j, k}, 0, host_slots(w->g),
                          level->y + hymgi_row(w->g, c, j, at));
    if (w->after == HYMGI_AFTER_GSRB && !w->g->split) hymgi_cpu_clear_black(w->g, j, at, level->y);
  }
}

/* The coarse rows whose last fine plane is k. */
static void run_restrict_weighted(const wave *w, const rows *r, int k)
{
  const hymgi_level *level = w->level;
  const int nj = level->coarsened & 2 ? 2 : 1, nk = level->coarsened & 4 ? 2 : 1;
  if ((k + 1) % nk != 0 && k != w->g->n[2] - 1) return;
  for (int j = r->low; j < r->high; j += nj)
    hymgi_cpu_restrict_weighted_row(level, 0, (const int[2]){j / nj, k / nk}, level->y, w->after,
                                    w->ring, w->coarse);
}

/* max: raised by what this thread finds */
static void run_any(const wave *w, int s, const rows *r, int k, double *max)
{
  const int sweep = s - w->before, nz = w->g->n[2];
  if (sweep < 0 && w->robust)
    run_start(w, r, k);
  else if (sweep < 0)
    run_interpolation(w, r, k);
  else if (sweep < w->stages)
    run_stage(w, sweep, r, k);
  else if (!w->robust && k < nz && w->norm)
    run_norm(w, r, k, max);
  else if (!w->robust && k < nz)
    run_restrict(w, r, k);
  else if (w->robust && s < w->total - 1)
    run_residual(w, r, k);
  else if (w->robust)
    run_restrict_weighted(w, r, k);
}

static void run_tile(const wave *w, int from, int to, double *max)
{
  const int nz = w->g->n[2], behind = w->fv4 ? 1 : 0;
  for (int t = 0; t < nz + behind + w->lag * (w->total - 1); t++) {
    for (int s = 0; s < w->total; s++) {
      const int k = t - w->lag * s;
      if (k < 0 || k >= nz + behind) continue;
      const rows r = rows_of(w, from, to, s);
      run_any(w, s, &r, k, max);
    }
    wait_for_all(w->barrier);
  }
}

/* The last tile has between half and one and a half times the rows of the others. */
static int tiles_of(int ny, int height)
{
  return (ny + height / 2) / height;
}

static void run(wave *w)
{
  const int ny = w->g->n[1], threads = hymgi_cpu_threads(w->level);
  const int rows_wanted = w->tile_rows > 0 && w->tile_rows < ny ? w->tile_rows : ny;
  const int tiles = tiles_of(ny, rows_wanted);
#pragma omp parallel num_threads(threads)
  {
    double max = 0;
    for (int m = 0; m < tiles; m++)
      run_tile(w, m * rows_wanted, m == tiles - 1 ? ny : (m + 1) * rows_wanted, &max);
#pragma omp critical
    w->max = host_larger(w->max, max);
  }
}

/* ---- set-up ---- */

/* now and next: the two buffers of each colour, carried from one wavefront of gsrb to the next. */
static void set_stages(wave *w, int first, hymgi_real *now[2], hymgi_real *next[2])
{
  hymgi_level *level = w->level;
  for (int m = 0; m < w->stages; m++) {
    stage *s = w->stage + m;
    const int c = (first + m) & 1;
    if (w->gsrb) {
      *s = (stage){{HOST_GSRB, level, level->f, now[c], now[1 - c], {.residual = 1}},
                   .out = w->fv4 ? next[c] : level->x,
                   .colour = c};
    } else {
      *s = (stage){hymgi_cpu_relaxation(level, first + m), .out = level->y};
      hymgi_swap_buffers(level);
    }
    if (w->gsrb && w->fv4) {
      hymgi_real *const old = now[c];
      now[c] = next[c], next[c] = old;
    }
    /* an iterate held in two buffers: the base is the buffer of colour 0 */
    s->g = *w->g;
    if (w->gsrb && w->g->split) s->g.half += host_distance(now[0], now[1]);
    s->after = w->gsrb ? now[0] : level->x;
  }
}

/* Does each thread have rows in every stage, and the ends of a tile the rows that extrapolations read? */
static bool has_rows(const hymgi_level *level, int stages)
{
  const int ny = level->box[0].n[1], wanted = level->tuning.wave_rows;
  const int height = wanted > 0 && wanted < ny ? wanted : ny;
  const int last = ny - (tiles_of(ny, height) - 1) * height;
  const int tile = last < height ? last : height, lean = level->method->stencil == HYMG_FV4 ? 3 : 1;
  if (height != ny && height % 2) return false; /* restriction combines pairs of rows */
  const int left = height - lean * (stages - 2); /* of the first tile, for the last sweep */
  if (height != ny && left <= EXTRAPOLATION_REACH) return false;
  return tile / hymgi_cpu_threads(level) >= lean * stages / 2 + EXTRAPOLATION_REACH;
}

bool hymgi_cpu_wave_applies(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  const hymgi_tuning *t = &level->tuning;
  if (t->wave_from == 0 || level->num_boxes != 1 || m->smoother == HYMG_SYMGS) return false;
  if (hymgi_operator_halo(level)) return false;
  const hymgi_geom *g = level->box;
  if (m->smoother == HYMG_GSRB && !g->split) return false;
  const double from = t->wave_from;
  if ((double)g->n[0] * g->n[1] * g->n[2] < from * from * from) return false;
  return g->n[2] >= 2 * EXTRAPOLATION_REACH && t->wave_stages >= 1 &&
         t->wave_stages <= MAX_STAGES && has_rows(level, t->wave_stages + 1);
}

/* If the level has the coarse level's boxes: else the interpolated values may be where restriction writes. */
bool hymgi_cpu_interpolate_later(hymgi_level *fine, const hymgi_interpolation *what)
{
  if (!fine->direct || !hymgi_cpu_wave_applies(fine)) return false;
  if (!has_rows(fine, fine->tuning.wave_stages + 2)) return false;
  fine->start = *what;
  return true;
}

static wave standard_wave(hymgi_level *level, barrier *all)
{
  const hymgi_method *m = level->method;
  const bool fv4 = m->stencil == HYMG_FV4, gsrb = m->smoother == HYMG_GSRB;
  return (wave){.barrier = all,
                .level = level,
                .g = level->box,
                .lag = fv4    ? 3
                       : gsrb ? 1
                              : 2,
                .lean = fv4 ? 3 : 1,
                .tile_rows = level->tuning.wave_rows,
                .fv4 = fv4,
                .gsrb = gsrb};
}

bool hymgi_cpu_wave_smooth(hymgi_level *level, hymgi_real *coarse, double *max)
{
  if (!hymgi_cpu_wave_applies(level)) return false;
  const int sweeps = hymgi_sweeps(level), group = level->tuning.wave_stages;
  barrier all = {0};
  wave w = standard_wave(level, &all);
  hymgi_real *now[2] = {level->x, level->x}, *next[2] = {level->y, level->y};
  w.start = level->start, w.x = level->x;
  level->start.source = NULL;
  if (w.fv4 && !w.start.source) hymgi_cpu_fill_ghosts(level, level->x, HYMGI_GHOSTS_V4, false);
  for (int first = 0; first < sweeps; first += group) {
    w.stages = sweeps - first < group ? sweeps - first : group;
    set_stages(&w, first, now, next);
    if (first + w.stages == sweeps) {
      if (w.gsrb && w.fv4)
        level->x = now[0], level->y = next[0]; /* both colours were swapped equally often */
      w.coarse = coarse, w.norm = max != NULL;
    }
    w.before = w.start.source != NULL;
    w.total = w.before + w.stages + (w.coarse || w.norm);
    run(&w);
    w.start.source = NULL;
  }
  if (max) *max = w.max;
  return true;
}

/* ---- the robust path ---- */

/* Restriction reads four planes of the residual, while a fifth one is written. */
enum { TILE_ROWS = 128, RING = 8 };

/* Stages of a smoother call with what comes before and after it. */
static int robust_stages(const hymgi_level *level)
{
  return hymgi_sweeps(level) + 3;
}

static bool can_fuse(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  if (level->num_boxes != 1 || hymgi_operator_halo(level) || m->smoother != HYMG_GSRB) return false;
  const int threads = hymgi_cpu_threads(level), ny = level->box[0].n[1];
  const int last = ny - (tiles_of(ny, TILE_ROWS < ny ? TILE_ROWS : ny) - 1) * TILE_ROWS;
  const int tile = last < TILE_ROWS ? last : TILE_ROWS;
  return hymgi_sweeps(level) <= MAX_STAGES &&
         (threads == 1 || tile / threads >= (robust_stages(level) + 1) / 2 + EXTRAPOLATION_REACH);
}

static wave robust_wave(hymgi_level *level, barrier *all)
{
  hymgi_real *now[2] = {level->x, level->x}, *next[2] = {level->y, level->y};
  wave w = {.barrier = all,
            .level = level,
            .g = level->box,
            .stages = hymgi_sweeps(level),
            .lag = 1,
            .lean = 1,
            .tile_rows = TILE_ROWS,
            .gsrb = true,
            .robust = true};
  set_stages(&w, 0, now, next);
  return w;
}

bool hymgi_cpu_robust_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_after after,
                                      hymgi_real *coarse)
{
  if (!can_fuse(level)) return false;
  barrier all = {0};
  wave w = robust_wave(level, &all);
  w.before = from_zero, w.total = w.before + w.stages + 2;
  w.coarse = coarse, w.after = after;
  w.ring = level->box->n[1] <= TILE_ROWS ? RING : 0;
  run(&w);
  return true;
}

bool hymgi_cpu_robust_interpolate_smooth(hymgi_level *fine, const hymgi_real *source)
{
  if (!can_fuse(fine)) return false;
  barrier all = {0};
  hymgi_geom *const box = fine->box;
  fine->box = fine->exchanged;
  wave w = robust_wave(fine, &all);
  w.before = 1, w.total = 1 + w.stages;
  w.source = source;
  run(&w);
  fine->box = box;
  return true;
}
