/* Operator, residual and smoothers on the host: sweeps over rows, overlapped with the halo
 * exchange. */
#include <stdint.h>
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/relax.h"
#include "multigrid/wide.h"

/* A pass over the rows of a level. For GSRB and for relaxation with FV4, own and other may be
 * different vectors (old and new iterate). */
typedef struct job {
  host_pass pass;
  hymgi_real *out; /* NULL: the largest absolute value is wanted */
  bool
      one_colour; /* only rows of this colour, if rows are split; GSRB: the colour that is updated */
  int colour;
  const hymgi_real *with; /* not NULL: the sum of out times this is wanted, with this scale */
  hymgi_sum_scale scale;
  ptrdiff_t black_offset;   /* GSRB: from the vector with the red cells to the one with the black */
  hymgi_requests *requests; /* messages in flight, or NULL */
  unsigned cut; /* not 0: the faces whose layers wait; before: the half sweeps that went before */
  int before;
} job;

/* The largest value or the sum that a thread has found; those of several threads are combined in words. */
typedef struct found {
  double max;
  host_sum sum;
  int64_t words[HYMGI_SUM_RESULT];
} found;

/* ALL cells of a box, the INNER ones, whose stencil reads no ghosts, or the SHELL around those. */
typedef enum { ALL, INNER, SHELL } part;

void hymgi_cpu_run_slots(const host_pass *w, const hymgi_geom *g, const int cjk[3], int from,
                         int to, hymgi_real *out)
{
  if (w->level->op->stencil == HYMG_FV2) {
    hymgi_fv2_slots(w, g, cjk, from, to, out);
    return;
  }
  const ptrdiff_t o = hymgi_row(g, cjk[0], cjk[1], cjk[2]);
  relax_weights weights = w->w;
  if (weights.prev) weights.prev += o;
  if (weights.scale) weights.scale += o;
  const fv4_row r = hymgi_fv4_row_of(w->level, g, w->f, w->own, w->other, cjk);
  hymgi_fv4_run(w->kind, &r, &weights, from, to, out);
}

double hymgi_cpu_run_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2],
                          int k, hymgi_real *out)
{
  const bool fv2 = pass->level->op->stencil == HYMG_FV2;
  return (fv2 ? hymgi_fv2_rows : hymgi_fv4_rows)(pass, g, colour, j, k, out);
}

/* GSRB if rows are not split: the whole row was computed, only cells of one colour are stored. */
static void take_colour(const job *w, const hymgi_geom *g, const int cjk[3], const int range[2],
                        const hymgi_real *all)
{
  const ptrdiff_t o = hymgi_row(g, 0, cjk[1], cjk[2]);
  hymgi_real *const out = w->out + o;
  const hymgi_real *const old = w->pass.own + o;
  const int p = hymgi_first(g, w->colour, cjk[1], cjk[2]);
  if (out != old)
    for (int i = range[0]; i < range[1]; i++)
      out[i] = (i & 1) == p ? all[i] : old[i];
  else
#pragma omp simd
    for (int i = range[0]; i < range[1]; i++)
      if ((i & 1) == p) out[i] = all[i];
}

static void run_range(const job *w, const hymgi_geom *g, const int cjk[3], const int range[2],
                      found *mine)
{
  if (range[0] >= range[1]) return;
  hymgi_real *const scratch = host_scratch(w->pass.level, 2);
  const bool takes = host_one_colour(w->pass.kind) && !g->split;
  hymgi_real *const out =
      w->out && !takes ? w->out + hymgi_row(g, cjk[0], cjk[1], cjk[2]) : scratch;
  hymgi_cpu_run_slots(&w->pass, g, cjk, range[0], range[1], out);
  if (!w->out)
    mine->max =
        host_larger(mine->max, host_row_max(false, out + range[0], out, range[1] - range[0]));
  else if (takes)
    take_colour(w, g, cjk, range, out);
  else if (w->with)
    host_add_row(true, w->with + (out - w->out) + range[0], out + range[0], range[1] - range[0],
                 &w->scale, &mine->sum);
}

/* Layers of cells at a face that read what messages bring. FV2 reads nothing beyond a boundary; ghosts of FV4 there are
 * extrapolated before (own_ghosts), and once more with what messages bring. */
static int waiting(const job *w, const hymgi_geom *g, int face)
{
  if (g->boundaries >> face & 1) return 0;
  if (w->cut && !(w->cut >> face & 1)) return 0;
  return host_depth(g, face, w->before);
}

static void run_row(const job *w, const hymgi_geom *g, const int cjk[3], part which, found *mine)
{
  const int n = host_cells(g, cjk[0], cjk[1], cjk[2]), from = which == ALL ? 0 : waiting(w, g, 0),
            to = which == ALL ? n : n - waiting(w, g, 1);
  const bool inside = cjk[1] >= waiting(w, g, 2) && cjk[1] < g->n[1] - waiting(w, g, 3) &&
                      cjk[2] >= waiting(w, g, 4) && cjk[2] < g->n[2] - waiting(w, g, 5) &&
                      from < to;
  if (which == ALL || !inside) {
    const int whole[2] = {0, n};
    if (which != INNER) run_range(w, g, cjk, whole, mine);
    return;
  }
  const int low[2] = {0, from}, middle[2] = {from, to}, high[2] = {to, n};
  if (which == INNER) {
    run_range(w, g, cjk, middle, mine);
  } else {
    run_range(w, g, cjk, low, mine);
    run_range(w, g, cjk, high, mine);
  }
}

/* Rows j[0] <= j < j[1] of plane k, none of which is divided between inner cells and others. */
static void run_whole_rows(const job *w, const hymgi_geom *g, int colour, const int j[2], int k,
                           found *mine)
{
  const ptrdiff_t at = hymgi_row(g, colour, j[0], k);
  if (j[0] >= j[1]) return;
  const double max = hymgi_cpu_run_rows(&w->pass, g, colour, j, k, w->out ? w->out + at : NULL);
  if (!w->out) mine->max = host_larger(mine->max, max);
  for (int m = j[0]; w->with && m < j[1]; m++) {
    const ptrdiff_t row = at + (m - j[0]) * g->pitch;
    host_add_row(true, w->with + row, w->out + row, host_cells(g, colour, m, k), &w->scale,
                 &mine->sum);
  }
}

/* The same rows, each by itself. */
static void run_each_row(const job *w, const hymgi_geom *g, int colour, const int j[2], int k,
                         part which, found *mine)
{
  for (int at = j[0]; at < j[1]; at++)
    run_row(w, g, (const int[3]){colour, at, k}, which, mine);
}

/* Rows j[0] <= j < j[1] of plane k. */
static void run_rows(const job *w, const hymgi_geom *g, int colour, const int j[2], int k,
                     part which, found *mine)
{
  if (which != ALL && (waiting(w, g, 0) > 0 || waiting(w, g, 1) > 0)) {
    run_each_row(w, g, colour, j, k, which, mine);
    return;
  }
  const bool inside = k >= waiting(w, g, 4) && k < g->n[2] - waiting(w, g, 5);
  const int low = waiting(w, g, 2), high = g->n[1] - waiting(w, g, 3);
  const int from = inside && low < high ? (j[0] > low ? j[0] : low) : j[1],
            to = inside && high < j[1] ? high : j[1];
  if (which == ALL) {
    run_whole_rows(w, g, colour, j, k, mine);
  } else if (which == INNER) {
    run_whole_rows(w, g, colour, (const int[2]){from, to}, k, mine);
  } else {
    const int above = to > j[0] ? to : j[0];
    run_whole_rows(w, g, colour, (const int[2]){j[0], from < j[1] ? from : j[1]}, k, mine);
    if (from < j[1]) run_whole_rows(w, g, colour, (const int[2]){above, j[1]}, k, mine);
  }
}

typedef struct shared_job {
  const job *w;
  part which;
  found *all;
} shared_job;

/* The master thread drives the progress of messages. */
static void run_share(void *user)
{
  const shared_job *s = user;
  const job *w = s->w;
  const hymgi_level *level = w->pass.level;
  const bool one = host_one_colour(w->pass.kind) || w->one_colour;
  found mine = {.max = 0};
  for (host_row r = hymgi_cpu_rows(level, level->box, level->num_boxes, false); r.g;
       hymgi_cpu_next_plane(&r)) {
    if (w->requests && host_thread(level->context) == 0) hymgi_comm_progress(w->requests);
    const int j[2] = {r.cjk[1], r.cjk[1] + hymgi_cpu_rows_of_plane(&r)}, from = one ? w->colour : 0,
              to = one ? from : r.g->split;
    for (int colour = from; colour <= to; colour++)
      run_rows(w, r.g, colour, j, r.cjk[2], s->which, &mine);
  }
  if (w->out && !w->with) return;
#pragma omp critical
  {
    s->all->max = host_larger(s->all->max, mine.max);
    host_add_words(&mine.sum, s->all->words);
  }
}

static void run_part(const job *w, part which, found *all)
{
  shared_job s = {w, which, all};
  const hymgi_level *level = w->pass.level;
  hymgi_cpu_share_out(level->context, hymgi_cpu_threads(level), run_share, &s);
}

/* An iterate with its red cells in one vector and its black cells in another can be used like a
 * single vector: the one with the red cells, with the distance to the black cells adjusted. */
static void spread_colours(const hymgi_level *level, ptrdiff_t black_offset)
{
  for (int b = 0; b < level->num_boxes; b++)
    level->box[b].half += black_offset;
}

static void begin_halo(const hymgi_level *level, ptrdiff_t black_offset, hymgi_real *x)
{
  const hymgi_plan *const plan = hymgi_operator_halo(level);
  if (!plan || level->silent) return;
  spread_colours(level, black_offset);
  hymgi_exchange_begin(level->context, &level->backend->mover, plan, level->box, x, level->box, x);
  spread_colours(level, -black_offset);
}

static void finish_halo(const hymgi_level *level, ptrdiff_t black_offset, hymgi_real *x)
{
  const hymgi_plan *const plan = hymgi_operator_halo(level);
  spread_colours(level, black_offset);
  if (plan && !level->silent)
    hymgi_exchange_end(level->context, &level->backend->mover, plan, level->box, x, NULL);
  if (level->op->stencil == HYMG_FV4) hymgi_cpu_fill_fv4_ghosts(level, x);
  spread_colours(level, -black_offset);
}

void hymgi_cpu_update_ghosts(const hymgi_level *level, hymgi_real *x)
{
  begin_halo(level, 0, x);
  finish_halo(level, 0, x);
}

void hymgi_cpu_begin_halo(const hymgi_level *level, host_iterate x)
{
  begin_halo(level, x.black_offset, x.x);
}

void hymgi_cpu_own_ghosts(const hymgi_level *level, host_iterate x)
{
  if (level->op->stencil != HYMG_FV4) return;
  spread_colours(level, x.black_offset);
  hymgi_cpu_fill_fv4_ghosts(level, x.x);
  spread_colours(level, -x.black_offset);
}

void hymgi_cpu_finish_halo(const hymgi_level *level, host_iterate x)
{
  finish_halo(level, x.black_offset, x.x);
}

double hymgi_cpu_sweep_shell(const host_pass *pass, hymgi_real *out, int colour, int s,
                             unsigned cut)
{
  const job w = {*pass,      .out = out, .one_colour = colour >= 0, .colour = colour,
                 .cut = cut, .before = s};
  found all = {.max = 0};
  run_part(&w, SHELL, &all);
  return all.max;
}

/* Exchanges the halo of x and runs the job on all cells; if messages are sent, the inner cells are
 * computed while they are in flight. */
static found run_job(job *w, hymgi_real *x)
{
  const hymgi_level *level = w->pass.level;
  const hymgi_plan *plan = hymgi_operator_halo(level);
  const bool overlap = hymgi_sends(level);
  found all = {.max = 0};
  begin_halo(level, w->black_offset, x);
  if (overlap) {
    hymgi_cpu_own_ghosts(level, (host_iterate){x, w->black_offset});
    w->requests = level->silent ? NULL : plan->requests;
    run_part(w, INNER, &all);
    w->requests = NULL;
  }
  finish_halo(level, w->black_offset, x);
  run_part(w, overlap ? SHELL : ALL, &all);
  return all;
}

void hymgi_cpu_apply(const hymgi_level *level, hymgi_real *x, hymgi_real *y)
{
  job w = {{.kind = HOST_APPLY, .level = level, .own = x, .other = x}, .out = y};
  run_job(&w, x);
}

void hymgi_cpu_apply_sum(const hymgi_level *level, hymgi_real *x, hymgi_real *y,
                         const hymgi_real *with, int exponent, int bits, int64_t *words)
{
  job w = {{.kind = HOST_APPLY, .level = level, .own = x, .other = x},
           .out = y,
           .with = with,
           .scale = hymgi_sum_scale_of(exponent, bits)};
  const found all = run_job(&w, x);
  memcpy(words, all.words, sizeof all.words);
}

void hymgi_cpu_residual(const hymgi_level *level, const hymgi_real *f, hymgi_real *x, hymgi_real *r)
{
  job w = {{.kind = HOST_RESIDUAL, .level = level, .f = f, .own = x, .other = x}, .out = r};
  run_job(&w, x);
}

/* Is a row next to another box, which may have plain rows and read all of its cells? */
static bool is_sent(const hymgi_geom *g, int j, int k)
{
  const unsigned open = ~g->boundaries;
  return open & 3 || (open & 4 && j == 0) || (open & 8 && j == g->n[1] - 1) ||
         (open & 16 && k == 0) || (open & 32 && k == g->n[2] - 1);
}

void hymgi_cpu_clear_sent(const hymgi_level *level, hymgi_real *r)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = hymgi_cpu_rows(level, level->box, level->num_boxes, false); s.g;
       hymgi_cpu_next(&s))
    if (!s.g->split || is_sent(s.g, s.cjk[1], s.cjk[2]))
      hymgi_cpu_clear_black(s.g, s.cjk[1], s.cjk[2], r);
}

void hymgi_cpu_residual_red(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                            hymgi_real *r)
{
  job w = {{.kind = HOST_RESIDUAL, .level = level, .f = f, .own = x, .other = x},
           .out = r,
           .one_colour = true};
  run_job(&w, x);
  if (!level->box[0].split || hymgi_operator_halo(level)) hymgi_cpu_clear_sent(level, r);
}

double hymgi_cpu_residual_max(const hymgi_level *level, const hymgi_real *f, hymgi_real *x)
{
  job w = {{.kind = HOST_RESIDUAL, .level = level, .f = f, .own = x, .other = x}, .out = NULL};
  return run_job(&w, x).max;
}

/* ---- smoothers ---- */

/* Updates the layers of an iterate, whose black cells may be in another vector. */
static void exchange_layers(const hymgi_level *level, ptrdiff_t black_offset, hymgi_real *x)
{
  spread_colours(level, black_offset);
  hymgi_wide_exchange(level, x);
  spread_colours(level, -black_offset);
  level->wide->known = level->layers + level->ghost;
}

/* A (half) sweep on a wide level, with as many layers as the following ones and the residual read. */
static void sweep_layers(job *w, hymgi_real *x, int following)
{
  const hymgi_level *level = w->pass.level;
  hymgi_wide *const wide = level->wide;
  if (wide->known < level->ghost) {
    exchange_layers(level, w->black_offset, x);
    if (w->pass.w.prev) hymgi_wide_exchange(level, level->y); /* the iterate before */
  }
  const int most = wide->known - level->ghost, wanted = level->ghost * (following + 1);
  wide->known = most < wanted ? most : wanted;
  hymgi_level view = hymgi_wide_view(level, wide->known);
  w->pass.level = &view;
  run_job(w, x);
}

/* (Half) sweep s of a smoother call. */
static void run_sweep(job *w, hymgi_real *x, int s)
{
  const hymgi_level *level = w->pass.level;
  if (level->wide)
    sweep_layers(w, x, hymgi_sweeps(level) - 1 - s);
  else
    run_job(w, x);
}

/* Half sweeps `first` and following. FV2 works in place. In FV4 cells of one colour are coupled, so each
 * colour alternates between two buffers. */
static void gsrb(hymgi_level *level, int first)
{
  const bool fv4 = level->op->stencil == HYMG_FV4;
  const bool split = level->num_boxes > 0 && level->box[0].split;
  hymgi_real *now[2] = {level->x, level->x}, *next[2] = {level->y, level->y};
  for (int s = first; s < hymgi_sweeps(level); s++) {
    const int c = s & 1;
    job w = {{HOST_GSRB, level, level->f, now[c], now[1 - c], {.residual = 1}},
             .out = fv4 ? next[c] : level->x,
             .colour = c,
             .black_offset = split ? host_distance(now[0], now[1]) : 0};
    run_sweep(&w, now[0], s);
    if (!fv4) continue;
    hymgi_real *const old = now[c];
    now[c] = next[c], next[c] = old;
    if (!split) now[1 - c] = now[c], next[1 - c] = next[c];
  }
  level->x = now[0], level->y = next[0];
}

host_pass hymgi_cpu_relaxation(const hymgi_level *level, int s)
{
  const hymgi_weights w = hymgi_weights_of(level->sweep_weights, s);
  return (host_pass){
      HOST_RELAX, level,
      level->f,   level->x,
      level->x,   {w.residual, w.momentum, w.momentum != 0 ? level->y : NULL, level->c.l1inv}};
}

/* Does the interpolation that hymgi_cpu_interpolate_later has put off. */
static void interpolate_now(hymgi_level *level)
{
  const hymgi_interpolation start = level->start;
  level->start.source = NULL;
  if (start.source && level->uneven)
    hymgi_cpu_interpolate_uneven(level, start.source, (hymgi_ghosts)start.order, start.add,
                                 level->x);
  else if (start.source)
    hymgi_cpu_interpolate(level, NULL, start.source, (hymgi_ghosts)start.order, start.add, true,
                          level->x);
}

static void smooth(hymgi_level *level, bool from_zero)
{
  if (hymgi_cpu_wave_smooth(level, false, NULL, NULL)) return;
  interpolate_now(level);
  hymgi_wide_begin(level, from_zero);
  if (level->method->smoother == HYMG_SYMGS)
    hymgi_cpu_symgs(level);
  else if (level->method->smoother == HYMG_GSRB)
    gsrb(level, 0);
  else
    for (int s = 0; s < hymgi_sweeps(level); s++) {
      job w = {hymgi_cpu_relaxation(level, s), .out = level->y};
      run_sweep(&w, level->x, s);
      hymgi_swap_buffers(level);
    }
}

void hymgi_cpu_smooth(hymgi_level *level)
{
  smooth(level, false);
}

bool hymgi_cpu_starts_from_f(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  return level->op->stencil == HYMG_FV2 && m->smoother == HYMG_GSRB && hymgi_sweeps(level) > 1 &&
         hymgi_keeps_colours_apart(level);
}

bool hymgi_cpu_smooth_from_zero(hymgi_level *level)
{
  if (level->wide) {
    smooth(level, true);
    return true;
  }
  if (!hymgi_cpu_starts_from_f(level)) return false;
  if (hymgi_cpu_wave_smooth(level, true, NULL, NULL)) return true;
  const job w = {{HOST_FIRST, level, level->f, level->x, level->x, {.residual = 1}},
                 .out = level->x};
  found all = {.max = 0};
  if (!level->box->split) hymgi_cpu_fill(level, 0, level->x);
  run_part(&w, ALL, &all);
  gsrb(level, 1);
  return true;
}

bool hymgi_cpu_smooth_norm(hymgi_level *level, int slot)
{
  return hymgi_cpu_wave_smooth(level, false, NULL, level->context->later + slot);
}

void hymgi_cpu_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                               hymgi_real *zero)
{
  if (level->tuning.wave_restrict && hymgi_cpu_wave_smooth(level, false, coarse, NULL)) return;
  smooth(level, from_zero);
  hymgi_level as_left = *level;
  if (level->wide && level->wide->known < level->ghost) exchange_layers(level, 0, level->x);
  if (level->wide) memset(as_left.halo, 0, sizeof as_left.halo);
  hymgi_cpu_residual_restrict(
      &as_left, level->method->smoother == HYMG_GSRB ? HYMGI_AFTER_GSRB : HYMGI_AFTER_ANY, coarse,
      zero);
}
