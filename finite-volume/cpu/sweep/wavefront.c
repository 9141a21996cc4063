/* A smoother call as z wavefronts: in time step t stage s works on plane t - lag s, so that each
 * plane is read from memory once for all sweeps. Planes are divided into tiles of rows that are
 * shifted back by `lean` rows per stage. Within a tile each thread keeps its rows in all stages,
 * and one barrier per time step suffices:
 *   FV2 gsrb, in place: a row needs only its own column of the plane above, which the same thread
 *   has just computed: lag 1, lean 1.
 *   FV2 out of place: reads one plane on each side and overwrites the iterate before last: lag 2,
 *   lean 1.
 *   FV4: reads two planes on each side: lag 3. Boundary ghosts of an iterate are filled one plane
 *   behind its sweep (one row at a tile's end), when the old iterate is no longer read: lean 3.
 * Periodic axes: ghosts are copied just before a stage reads them, in FV4 as those of boundaries. Along z
 * (FV2 gsrb in place) stage s begins with plane s, where the stage before it has come past the planes
 * s - 1 to s + 1, and ends with plane s - 1, which that stage reaches one time step earlier.
 * Beside other boxes, and along a periodic z with two buffers, stage s leaves out the cells that depend
 * on what is beyond. What they read is still there afterwards: it is overwritten by a later stage, if at
 * all (in place by the next one, between two buffers by the next but one), which leaves out as many layers
 * more as a stage reads. So the cells left out are done after the wavefront, sweep by sweep. */
#define _POSIX_C_SOURCE 200112L
#include <sched.h>
#include <string.h>

#include "cpu/robust.h"
#include "cpu/sweep/wavefront.h"
#include "multigrid/transfer.h"

enum { SPINS = 4096 };
enum { NORM_ROW = 3 }; /* scratch row; 0 to 2 belong to sweep.c */

static void wait_for_all(const wave *w)
{
  barrier *const b = w->barrier;
  const int team = host_team(w->level->context), phase = atomic_load(&b->phase);
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
  const int ny = w->g->n[1], id = host_thread(w->level->context),
            team = host_team(w->level->context);
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

/* ---- periodic axes ---- */

static void copy_row(const hymgi_geom *g, hymgi_real *x, int colour, const int from[2],
                     const int to[2])
{
  memcpy(x + hymgi_row(g, colour, to[0], to[1]), x + hymgi_row(g, colour, from[0], from[1]),
         (size_t)host_cells(g, colour, from[0], from[1]) * sizeof(hymgi_real));
}

/* The ghosts at both ends of row (j, k). */
static void copy_ends(const hymgi_geom *g, hymgi_real *x, int layers, int j, int k)
{
  const int nx = g->n[0];
  for (int i = 0; i < layers; i++) {
    x[hymgi_at(g, -1 - i, j, k)] = x[hymgi_at(g, nx - 1 - i, j, k)];
    x[hymgi_at(g, nx + i, j, k)] = x[hymgi_at(g, i, j, k)];
  }
}

/* FV2: the ghosts of plane k beside this thread's rows; colours, bit 0 red and 1 black: what is read of
 * them. The others may be written by another thread now. */
static void copy_ghosts(const wave *w, hymgi_real *x, const rows *r, int k, unsigned colours)
{
  const hymgi_geom *g = w->g;
  const unsigned periodic = w->self;
  const int ny = g->n[1], nz = g->n[2];
  for (int j = r->low; periodic & 1 && j < r->high; j++)
    copy_ends(g, x, 1, j, k);
  for (int c = 0; c <= g->split; c++) {
    if (!(colours >> c & 1)) continue;
    if (periodic & 2 && r->head)
      copy_row(g, x, c, (const int[2]){ny - 1, k}, (const int[2]){-1, k});
    if (periodic & 2 && r->tail) copy_row(g, x, c, (const int[2]){0, k}, (const int[2]){ny, k});
    for (int j = r->low; periodic & 4 && j < r->high; j++) {
      if (k == 0) copy_row(g, x, c, (const int[2]){j, nz - 1}, (const int[2]){j, -1});
      if (k == nz - 1) copy_row(g, x, c, (const int[2]){j, 0}, (const int[2]){j, nz});
    }
  }
}

/* ---- ghosts of FV4 ---- */

static void fill_plane_ghosts(const wave *w, const stage *s, const rows *r, int k)
{
  const hymgi_level *level = w->level;
  const int ny = w->g->n[1], plane[2] = {k, k + 1};
  if (r->head && w->g->boundaries & 4)
    hymgi_cpu_fill_row_ghosts(level, &s->g, s->after, HYMGI_GHOSTS_V4, 2, plane);
  if (r->tail && w->g->boundaries & 8)
    hymgi_cpu_fill_row_ghosts(level, &s->g, s->after, HYMGI_GHOSTS_V4, 3, plane);
  for (int c = 0; w->self & 2 && c <= s->g.split; c++)
    for (int m = 0; m < 2; m++) {
      if (r->head)
        copy_row(&s->g, s->after, c, (const int[2]){ny - 1 - m, k}, (const int[2]){-1 - m, k});
      if (r->tail) copy_row(&s->g, s->after, c, (const int[2]){m, k}, (const int[2]){ny + m, k});
    }
  const int j[2] = {r->head ? -2 : r->close_low, r->tail ? ny + 2 : r->close_high};
  hymgi_cpu_fill_end_ghosts(level, &s->g, s->after, HYMGI_GHOSTS_V4, j, k);
  for (int row = j[0]; w->self & 1 && row < j[1]; row++)
    copy_ends(&s->g, s->after, 2, row, k);
}

/* Fills the two ghost planes below plane 0 or above plane nz - 1. */
static void fill_far_planes(const wave *w, const stage *s, const rows *r, bool high)
{
  const int face = high ? 5 : 4, first = high ? w->g->n[2] : -2;
  if (!(w->g->boundaries >> face & 1)) return;
  const int j[2] = {r->close_low, r->close_high};
  hymgi_cpu_fill_row_ghosts(w->level, &s->g, s->after, HYMGI_GHOSTS_V4, face, j);
  if (w->self & 2) wait_for_all(w); /* rows of other threads are copied */
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
  wait_for_all(w); /* the next stage reads these planes in this time step */
}

/* Restriction takes two planes at a time, from an even one on. */
static int first_plane(const wave *w, int s)
{
  if (!(w->self & 4)) return 0;
  return w->coarse && s == w->total - 1 ? (s + 1) & ~1 : s;
}

/* ---- stages ---- */

/* Transfers take whole pairs of rows and planes. */
int hymgi_cpu_left_out(const wave *w, int face, int s)
{
  if (!(w->cut >> face & 1)) return 0;
  if (s < 0) return w->source ? host_children(w->level, face / 2) : 0;
  const int depth = host_depth(w->g, face, s);
  return w->coarse && w->before + s == w->total - 1 ? (depth + 1) & ~1 : depth;
}

/* Rows without their ends. */
static void run_middle(const wave *w, int index, const rows *r, int k)
{
  const stage *s = w->stage + index;
  const int from = hymgi_cpu_left_out(w, 0, index), beyond = hymgi_cpu_left_out(w, 1, index);
  for (int j = r->low; j < r->high; j++) {
    const int to = host_cells(w->g, s->colour, j, k) - beyond;
    if (from < to)
      hymgi_cpu_run_slots(&s->pass, w->g, (const int[3]){s->colour, j, k}, from, to,
                          s->out + hymgi_row(w->g, s->colour, j, k));
  }
}

static void run_stage(const wave *w, int index, const rows *r, int k)
{
  const stage *s = w->stage + index;
  const int end = w->g->n[2] - hymgi_cpu_left_out(w, 5, index);
  const int j[2] = {r->low, r->high};
  hymgi_real *const out = s->out + hymgi_row(w->g, s->colour, r->low, k);
  if (w->self && !w->fv4) copy_ghosts(w, s->pass.own, r, k, w->gsrb ? 1u << (1 - s->colour) : 1);
  if (k < end && w->cut && (w->cut & 3 || r->low >= r->high))
    run_middle(w, index, r, k);
  else if (k < end)
    hymgi_cpu_run_rows(&s->pass, w->g, s->colour, j, k, out);
  if (w->fv4) run_closures(w, s, r, k);
}

/* To two planes at a time, or the last one. */
static void run_interpolation(const wave *w, const rows *r, int k)
{
  const int J[2] = {r->low / 2, (r->high + 1) / 2};
  if (k < w->g->n[2] && k % 2 == 0)
    (w->level->uneven ? hymgi_cpu_interpolate_uneven_rows : hymgi_cpu_interpolate_rows)(
        w->level, 0, &w->start, hymgi_cpu_starts_black(w->level), J, k / 2, w->x);
  if (w->fv4) run_closures(w, &(const stage){.g = *w->g, .after = w->x}, r, k);
}

static void run_norm(const wave *w, int index, const rows *r, int k, double *max)
{
  const hymgi_level *level = w->level;
  const host_pass residual = {
      .kind = HOST_RESIDUAL, .level = level, .f = level->f, .own = level->x, .other = level->x};
  const int from = hymgi_cpu_left_out(w, 0, index), beyond = hymgi_cpu_left_out(w, 1, index);
  hymgi_real *const row = host_scratch(level, NORM_ROW);
  if (w->self && !w->fv4) copy_ghosts(w, level->x, r, k, 3);
  if (!(w->cut & 3)) {
    const int range[2] = {r->low, r->high};
    for (int c = 0; r->low < r->high && c <= w->g->split; c++)
      *max = host_larger(*max, hymgi_cpu_run_rows(&residual, w->g, c, range, k, NULL));
    return;
  }
  for (int j = r->low; j < r->high; j++)
    for (int c = 0; c <= w->g->split; c++) {
      const int to = host_cells(w->g, c, j, k) - beyond;
      if (from >= to) continue;
      hymgi_cpu_run_slots(&residual, w->g, (const int[3]){c, j, k}, from, to, row);
      *max = host_larger(*max, host_largest(row + from, to - from));
    }
}

static void run_restrict(const wave *w, const rows *r, int k)
{
  if (k % 2 == 0 && k < w->g->n[2] - 1) return;
  for (int m = k - k % 2; w->self && !w->fv4 && m <= k; m++)
    copy_ghosts(w, w->level->x, r, m, 3);
  const int J[2] = {r->low / 2, (r->high + 1) / 2};
  if (!w->level->uneven)
    hymgi_cpu_restrict_residual_rows(w->level, 0, J, k / 2, w->gsrb && !w->fv4, w->coarse);
  for (int at = J[0]; w->level->uneven && at < J[1]; at++)
    hymgi_cpu_sum_residual_row(w->level, 0, (const int[2]){at, k / 2}, w->coarse);
}

/* ---- the stages of the robust path ---- */

/* Runs the stage before the sweeps. A sweep does not read the cells that it updates: with split rows, only
 * the others need a value. */
static void run_start(const wave *w, const rows *r, int k)
{
  const hymgi_level *level = w->level;
  const hymgi_geom *g = w->g;
  if (!w->source)
    for (int j = r->low; j < r->high; j++)
      memset(level->x + hymgi_row(g, g->split, j, k), 0,
             (size_t)host_cells(g, g->split, j, k) * sizeof(hymgi_real));
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
  const int range[2] = {r->low, r->high};
  for (int c = 0; c < colours && r->low < r->high; c++)
    hymgi_cpu_run_rows(&residual, w->g, c, range, k, level->y + hymgi_row(w->g, c, r->low, at));
  for (int j = r->low; w->after == HYMGI_AFTER_GSRB && !w->g->split && j < r->high; j++)
    hymgi_cpu_clear_black(w->g, j, at, level->y);
}

/* The coarse rows whose last fine plane is k. */
static void run_restrict_weighted(const wave *w, const rows *r, int k)
{
  const hymgi_level *level = w->level;
  const int nj = level->coarsened & 2 ? 2 : 1, nk = level->coarsened & 4 ? 2 : 1;
  if ((k + 1) % nk != 0 && k != w->g->n[2] - 1) return;
  const int J[2] = {r->low / nj, (r->high + nj - 1) / nj};
  hymgi_cpu_restrict_weighted_rows(level, 0, J, k / nk, level->y, w->after, w->ring, w->coarse);
}

/* max: raised by what this thread finds */
static void run_any(const wave *w, int s, const rows *r, int k, double *max)
{
  const int sweep = s - w->before, nz = w->g->n[2] - hymgi_cpu_left_out(w, 5, sweep);
  if (sweep < 0 && w->robust)
    run_start(w, r, k);
  else if (sweep < 0)
    run_interpolation(w, r, k);
  else if (sweep < w->stages)
    run_stage(w, sweep, r, k);
  else if (!w->robust && k < nz && w->norm)
    run_norm(w, sweep, r, k, max);
  else if (!w->robust && k < nz)
    run_restrict(w, r, k);
  else if (w->robust && s < w->total - 1)
    run_residual(w, r, k);
  else if (w->robust)
    run_restrict_weighted(w, r, k);
}

static void run_tile(const wave *w, int from, int to, double *max)
{
  const int nz = w->g->n[2], planes = nz + (w->fv4 ? 1 : 0), last = w->total - 1;
  for (int t = 0; t < planes + w->lag * last + first_plane(w, last); t++) {
    for (int s = 0; s < w->total; s++) {
      const int k = t - w->lag * s, first = first_plane(w, s), sweep = s - w->before;
      if (k < first + hymgi_cpu_left_out(w, 4, sweep) ||
          k >= first + planes - hymgi_cpu_left_out(w, 5, sweep))
        continue;
      rows r = rows_of(w, from, to, s);
      const int low = hymgi_cpu_left_out(w, 2, sweep),
                high = w->g->n[1] - hymgi_cpu_left_out(w, 3, sweep);
      r.low = r.low < low ? low : r.low;
      r.high = r.high > high ? high : r.high;
      run_any(w, s, &r, first && k >= nz ? k - nz : k, max);
    }
    if (w->requests && host_thread(w->level->context) == 0) hymgi_comm_progress(w->requests);
    wait_for_all(w);
  }
}

static void run_share(void *user)
{
  wave *const w = user;
  const int ny = w->g->n[1];
  const int rows_wanted = w->tile_rows > 0 && w->tile_rows < ny ? w->tile_rows : ny;
  const int tiles = hymgi_tiles_of(ny, rows_wanted);
  double max = 0;
  for (int m = 0; m < tiles; m++)
    run_tile(w, m * rows_wanted, m == tiles - 1 ? ny : (m + 1) * rows_wanted, &max);
#pragma omp critical
  w->max = host_larger(w->max, max);
}

void hymgi_cpu_wave_run(wave *w)
{
  hymgi_cpu_share_out(w->level->context, hymgi_cpu_threads(w->level), run_share, w);
}

static void exchange(const hymgi_level *level, host_iterate x)
{
  hymgi_cpu_begin_halo(level, x);
  hymgi_cpu_finish_halo(level, x);
}

/* Completes the stages after the sweeps in the cells that they have left out; x is the iterate. */
static void finish_last(wave *w, host_iterate x)
{
  const hymgi_level *level = w->level;
  const int last = w->total - 1 - w->before;
  const host_pass residual = {
      .kind = HOST_RESIDUAL, .level = level, .f = level->f, .own = level->x, .other = level->x};
  int left[6];
  for (int face = 0; face < 6; face++)
    left[face] = hymgi_cpu_left_out(w, face, last);
  exchange(level, x);
  if (w->norm) {
    w->max = host_larger(w->max, hymgi_cpu_sweep_shell(&residual, NULL, -1, last, w->cut));
  } else if (w->robust) {
    const int colour = w->after == HYMGI_AFTER_GSRB ? 0 : -1;
    hymgi_cpu_sweep_shell(&residual, level->y, colour, last - 1, w->cut);
    if (colour == 0) hymgi_cpu_clear_sent(level, level->y);
    if (level->transfer->weights) exchange(level, (host_iterate){level->y, 0});
    hymgi_cpu_restrict_weighted_shell(level, left, level->y, w->after, w->coarse);
  } else {
    hymgi_cpu_restrict_shell(level, left, w->gsrb && !w->fv4, w->coarse);
  }
}

void hymgi_cpu_wave_run_cut(wave *w, host_iterate start)
{
  hymgi_level *level = w->level;
  const bool reads = w->stage[0].pass.kind != HOST_FIRST;
  if (reads) hymgi_cpu_begin_halo(level, start);
  hymgi_cpu_own_ghosts(level, start);
  const bool waits = reads && hymgi_sends(level) && !level->silent;
  w->requests = waits ? hymgi_operator_halo(level)->requests : NULL;
  hymgi_cpu_wave_run(w);
  host_iterate x = start;
  for (int s = 0; s < w->stages; s++) {
    const stage *at = w->stage + s;
    if (s) hymgi_cpu_begin_halo(level, x);
    if (s || reads) hymgi_cpu_finish_halo(level, x);
    hymgi_cpu_sweep_shell(&at->pass, at->out, at->colour, s, w->cut);
    x = (host_iterate){at->after, at->g.half - w->g->half};
  }
  if (w->total > w->before + w->stages) finish_last(w, x);
}
