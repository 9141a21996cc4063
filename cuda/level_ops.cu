/* Smoothers, residuals, restrictions: exchange, ghosts and kernels by the level's record. */
#include <string.h>

#include "attach.h"
#include "level_ops.h"

#include "device/reduce.cuh"
#include "exchange/exchange.h"
#include "kernels/kernels.h"
#include "kernels/setup.h"

extern "C" {
#include "formulas/relax.h"
}

namespace
{

/* ---- ghosts ---- */

enum { RED_AND_BLACK = 3, BLACK = 2 };

/* What a kernel reads of the ghosts. */
struct ghost_needs {
  hymgi_fv4_ghosts ghosts;
  bool around;
};

ghost_needs needs_of(const hymgi_level *level, hymgi_job job)
{
  const hymgi_kernel *const kernel = level->kernels->of + job;
  return {kernel->ghosts, kernel->around};
}

constexpr ghost_needs ALL_GHOSTS = {HYMGI_FV4_ALL, false};

/* Brings the ghosts of x that a kernel reads up to date. colours: bits of the colours that changed
 * since their last exchange. sent: a kernel has already put them into the messages. */
void prepare(const hymgi_level *level, const hymgi_geom *box, hymgi_real *x,
             const ghost_needs &needs, int colours = RED_AND_BLACK, bool sent = false)
{
  if (needs.around) return;
  const hymgi_fv4_ghosts ghosts = needs.ghosts;
  const hymgi_plan *halo = hymgi_operator_halo(level);
  const bool fv4 = level->op->stencil == HYMG_FV4;
  if (fv4 && hymgi_cuda_fv4_halo_exchange(level, halo, box, x, colours, ghosts, sent)) return;
  hymgi_run_plan(level, halo, box, x, box, x);
  if (fv4 && ghosts != HYMGI_FV4_NONE)
    hymgi_cuda_fill_operator_ghosts(level, box, x, ghosts == HYMGI_FV4_ALL);
}

/* ---- sweeps by the level's record ---- */

void sweep(const hymgi_level *level, const void *what)
{
  const hymgi_sweep *const s = (const hymgi_sweep *)what;
  level->kernels->of[s->job].run(level, s);
}

void prepare_and_sweep(const hymgi_level *level, hymgi_real *x, const hymgi_sweep *s)
{
  prepare(level, level->box, x, needs_of(level, s->job));
  sweep(level, s);
}

void restrict_residual(const hymgi_level *level, hymgi_after after, hymgi_real *coarse,
                       hymgi_real *zero)
{
  hymgi_sweep s = {HYMGI_RESTRICT, level->f, level->x, level->x};
  s.after = after, s.coarse = coarse, s.zero = zero;
  sweep(level, &s);
}

/* ---- red-black Gauss-Seidel ---- */

/* Both colours in one pass, into the second buffer; with neighbours the black cells next to them
 * are done again. */
void fv2_fused_sweeps(hymgi_level *level, bool from_zero = false)
{
  const ghost_needs needs = {HYMGI_FV4_NONE, hymgi_has_variant(level, HYMGI_FV2_GSRB_FUSED_AROUND)};
  for (int s = 0; s < hymgi_sweeps(level); s += 2) {
    const bool zero = from_zero && s == 0;
    if (!zero) prepare(level, level->box, level->x, needs);
    hymgi_cuda_fv2_gsrb_fused(level, s & 2, zero ? NULL : level->x, level->y);
    hymgi_swap_buffers(level);
    prepare(level, level->box, level->x, needs);
    if (level->halo[HYMGI_HALO_FACES] && !needs.around) hymgi_cuda_fv2_gsrb_faces(level, level->x);
  }
}

/* In tiles, into the second buffer, on levels without neighbours. */
void fv2_tile_sweeps(hymgi_level *level, bool from_zero = false)
{
  for (int s = 0; s < hymgi_sweeps(level); s += 2) {
    hymgi_cuda_fv2_gsrb_tile(level, from_zero && s == 0 ? NULL : level->x, level->y);
    hymgi_swap_buffers(level);
  }
}

/* FV2's half sweeps are in place. Of FV4, each colour alternates between two buffers. A level of several boxes
 * cannot represent an iterate that is spread over both (finite-volume/cpu/sweep/sweep.c), so there the other
 * colour is copied along. from_zero: x is 0, and the level has a FIRST_HALF of its own. goes_on: ghosts are needed next. Returns whether the last
 * colour has been sent for them. */
bool half_sweeps(hymgi_level *level, bool from_zero, bool goes_on)
{
  const hymgi_level_kernels *const k = level->kernels;
  const bool in_place = level->op->stencil == HYMG_FV2;
  hymgi_real *const second = in_place ? level->x : level->y;
  hymgi_real *now[2] = {level->x, level->x}, *next[2] = {second, second};
  const bool one = level->num_boxes == 1, split = level->num_boxes > 0 && level->box[0].split;
  const bool apart = one && split, copies = !in_place && !one && split;
  const bool in_parts = k->call == HYMGI_CALL_IN_PARTS;
  const ghost_needs needs = needs_of(level, HYMGI_HALF_SWEEP);
  const hymgi_plan *halo = hymgi_operator_halo(level);
  const bool in_tiles = !in_parts && needs.ghosts == HYMGI_FV4_NONE;
  const hymgi_plan *sends = in_tiles && halo && halo->in_sweeps ? halo : NULL;
  hymgi_geom box = {};
  if (one) box = level->box[0];
  const ptrdiff_t half_of_box = box.half;
  int changed = RED_AND_BLACK; /* colours since the last exchange */
  for (int s = 0; s < hymgi_sweeps(level); s++) {
    const int c = s & 1;
    const bool last = s + 1 == hymgi_sweeps(level);
    hymgi_sweep half = {HYMGI_HALF_SWEEP, level->f, now[c], now[1 - c], next[c], c};
    half.scale = in_place ? NULL : level->c.dinv;
    half.from_zero = from_zero && s == 0;
    half.sends = last && !goes_on ? NULL : sends;
    if (apart) box.half = half_of_box + (now[1] - now[0]);
    if (half.from_zero) {
      k->of[HYMGI_FIRST_HALF].run(level, &half);
    } else if (in_parts) {
      hymgi_cuda_overlapped(level, halo, one ? &box : level->box, now[0], sweep, &half);
    } else {
      prepare(level, one ? &box : level->box, now[0], needs, changed, sends && s > 0);
      changed = 1 << c;
      if (copies) hymgi_cuda_copy_cells(level, now[0], next[0]);
      sweep(level, &half);
    }
    if (in_place) continue;
    now[c] = next[c];
    next[c] = half.own == level->x ? level->x : level->y;
    if (!apart) now[1 - c] = now[c], next[1 - c] = next[c];
  }
  if (!in_place) level->x = now[0], level->y = next[0];
  return sends && goes_on;
}

/* Of FV4, whose first half sweep then reads no x. */
bool starts_from_zero(const hymgi_level *level)
{
  return hymgi_has_variant(level, HYMGI_FV4_GSRB_FROM_ZERO) &&
         (!hymgi_operator_halo(level) || level->starts_alone);
}

/* with_ghosts: x is to have its ghosts at the end. Returns whether it has them, they are in flight,
 * or neither. */
enum ghosts_left { NOTHING, SENT, GHOSTS };

ghosts_left gsrb(hymgi_level *level, bool from_zero, bool with_ghosts)
{
  const hymgi_call call = level->kernels->call;
  const bool too_few = call == HYMGI_CALL_SHARED && hymgi_sweeps(level) < HYMGI_SHARED_SWEEPS;
  switch (too_few ? HYMGI_CALL_SWEEPS : call) {
  case HYMGI_CALL_PEER:
    hymgi_cuda_fv2_gsrb_peer(level, from_zero, with_ghosts);
    return with_ghosts ? GHOSTS : NOTHING;
  case HYMGI_CALL_FUSED_PEER:
    hymgi_cuda_fv2_gsrb_fused_peer(level, from_zero, with_ghosts);
    return with_ghosts ? GHOSTS : NOTHING;
  case HYMGI_CALL_FUSED:
    fv2_fused_sweeps(level, from_zero);
    return NOTHING;
  case HYMGI_CALL_TILE:
    fv2_tile_sweeps(level, from_zero);
    return NOTHING;
  case HYMGI_CALL_SHARED:
    hymgi_cuda_fv4_gsrb_shared(level);
    return NOTHING;
  default:
    return half_sweeps(level, from_zero && starts_from_zero(level), with_ghosts) ? SENT : NOTHING;
  }
}

/* ---- smoothers that update all cells at once ---- */

void relax_once(hymgi_level *level, int s)
{
  const hymgi_weights w = hymgi_weights_of(level->sweep_weights, s);
  const hymgi_plan *halo = hymgi_operator_halo(level);
  hymgi_sweep r = {HYMGI_RELAX, level->f, level->x, level->x, level->y};
  r.prev = w.momentum != 0 ? level->y : NULL;
  r.scale = level->c.l1inv || level->op->stencil == HYMG_FV2 ? level->c.l1inv : level->c.dinv;
  r.residual = w.residual;
  r.momentum = w.momentum;
  if (level->kernels->parts.count > 0)
    hymgi_cuda_overlapped(level, halo, level->box, level->x, sweep, &r);
  else
    prepare_and_sweep(level, level->x, &r);
  hymgi_swap_buffers(level);
}

/* As many sweeps as the level's method says, from sweep `from` of a call on. */
void relax(hymgi_level *level, int from)
{
  const bool two = level->kernels->call == HYMGI_CALL_TWO_SWEEPS;
  const int first = two ? hymgi_cuda_relax_fused(level) : 0;
  for (int s = first; s < hymgi_sweeps(level); s++)
    relax_once(level, from + s);
}

/* ---- smoother calls ---- */

/* On a wide level x gets all layers. */
ghosts_left exchange_layers(const hymgi_level *level)
{
  hymgi_wide_exchange(level, level->x);
  level->wide->known = level->layers + hymgi_wide_reach(level);
  return GHOSTS;
}

/* On a wide level: as many (half) sweeps after an exchange as its layers allow, of red and black two at least, by the kernels
 * of a box with all layers, the outermost of which then have other values than their owners'. */
ghosts_left wide_sweeps(hymgi_level *level, bool from_zero)
{
  hymgi_wide *const wide = level->wide;
  const bool red_black = level->method->smoother == HYMG_GSRB;
  const int all = hymgi_sweeps(level), step = red_black ? 2 : 1, reach = hymgi_wide_reach(level),
            fresh = level->layers + reach;
  hymgi_wide_begin(level, from_zero);
  if (wide->known > fresh) wide->known = fresh;
  for (int done = 0; done < all;) {
    if (wide->known < step * reach) {
      exchange_layers(level);
      if (hymgi_weights_of(level->sweep_weights, done).momentum != 0 && !red_black)
        hymgi_wide_exchange(level, level->y); /* the iterate before */
    }
    const int most = wide->known / (step * reach) * step, left = all - done,
              count = left < most ? left : most;
    hymgi_method method = *level->method;
    method.sweeps = method.coarse_sweeps = count;
    hymgi_level view = hymgi_wide_view(level, level->layers);
    view.method = &method;
    view.kernels = level->kernels->wide;
    if (red_black)
      gsrb(&view, from_zero && done == 0, false);
    else
      relax(&view, done);
    level->x = view.x, level->y = view.y;
    wide->known -= count * reach, done += count;
  }
  return wide->known >= level->op->ghost ? GHOSTS : NOTHING;
}

ghosts_left smooth(hymgi_level *level, bool from_zero, bool with_ghosts)
{
  if (level->wide) return wide_sweeps(level, from_zero);
  if (level->method->smoother == HYMG_GSRB) return gsrb(level, from_zero, with_ghosts);
  relax(level, 0);
  return NOTHING;
}

} /* namespace */

/* Without neighbours of the same colour, the second half sweep reads only what the first one wrote. No
 * form exchanges anything before the first one, since ranks may have different forms. */
bool hymgi_cuda_smooth_from_zero(hymgi_level *level)
{
  const hymgi_level_kernels *const k = level->kernels;
  const bool apart = level->method->smoother == HYMG_GSRB && hymgi_keeps_colours_apart(level);
  if (level->wide)
    wide_sweeps(level, true);
  else if (!apart)
    return false;
  else if (k->call == HYMGI_CALL_FUSED)
    fv2_fused_sweeps(level, true);
  else if (k->call == HYMGI_CALL_TILE)
    fv2_tile_sweeps(level, true);
  else if (k->call == HYMGI_CALL_SWEEPS)
    half_sweeps(level, true, false);
  else
    return false;
  return true;
}

bool hymgi_cuda_starts_unread(const hymgi_level *level)
{
  const auto call = level->kernels ? level->kernels->call : HYMGI_CALL_SWEEPS;
  return level->method->smoother == HYMG_GSRB && hymgi_keeps_colours_apart(level) &&
         (level->wide || call == HYMGI_CALL_FUSED || call == HYMGI_CALL_TILE);
}

void hymgi_cuda_residual_red(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                             hymgi_real *r)
{
  hymgi_sweep s = {HYMGI_RESIDUAL, f, x, x, r};
  s.red = true;
  prepare(level, level->box, x, needs_of(level, HYMGI_RESIDUAL_RED));
  level->kernels->of[HYMGI_RESIDUAL_RED].run(level, &s);
}

/* r NULL: the norm. Only the generic kernel works in place. */
void hymgi_cuda_residual(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                         hymgi_real *r)
{
  const hymgi_sweep s = {r ? HYMGI_RESIDUAL : HYMGI_NORM, f, x, x, r};
  const hymgi_kernel *const kernel = level->kernels->of + s.job;
  prepare(level, level->box, x, x == r ? ALL_GHOSTS : needs_of(level, s.job));
  (x == r ? hymgi_cuda_sweep_generic : kernel->run)(level, &s);
}

void hymgi_cuda_smooth(hymgi_level *level)
{
  smooth(level, false, false);
}

/* GSRB ends with black, so afterwards only the black ghosts are out of date, if its sweeps read any. Sums of children take the
 * residual of all cells. */
void hymgi_cuda_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                                hymgi_real *zero)
{
  const bool red_black = level->method->smoother == HYMG_GSRB;
  ghosts_left left = smooth(level, from_zero, true);
  if (level->wide && left == NOTHING) left = exchange_layers(level);
  hymgi_level as_left = *level;
  if (left == GHOSTS) memset(as_left.halo, 0, sizeof as_left.halo);
  prepare(&as_left, level->box, level->x, needs_of(level, HYMGI_RESTRICT),
          red_black && !needs_of(level, HYMGI_HALF_SWEEP).around ? BLACK : RED_AND_BLACK,
          left == SENT);
  restrict_residual(level, red_black && !level->uneven ? HYMGI_AFTER_GSRB : HYMGI_AFTER_ANY, coarse,
                    zero);
}

bool hymgi_cuda_smooth_sum_residual(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                                    hymgi_real *zero)
{
  if (!hymgi_cuda_sums_residual(level)) return false;
  hymgi_cuda_smooth_restrict(level, from_zero, coarse, zero);
  return true;
}

void hymgi_cuda_residual_restrict(const hymgi_level *level, hymgi_after after, hymgi_real *coarse,
                                  hymgi_real *zero)
{
  prepare(level, level->box, level->x, needs_of(level, HYMGI_RESTRICT));
  restrict_residual(level, after, coarse, zero);
}

const char *hymgi_cuda_kernel_names(const hymgi_level *level)
{
  return level->kernels ? level->kernels->names : "";
}

/* ---- in double precision only ---- */

#ifndef HYMGI_SINGLE

void hymgi_cuda_apply_sum(const hymgi_level *level, hymgi_real *x, hymgi_real *y,
                          const hymgi_real *with, int exponent, int bits, int64_t *words)
{
  if (level->num_boxes == 0) return;
  if (!hymgi_has_variant(level, HYMGI_FV2_APPLY_SUM)) {
    hymgi_cuda_apply(level, x, y);
    hymgi_cuda_sum(level, with, y, exponent, bits, words);
    return;
  }
  const hymgi_apply_sum apply = {x, y, with, exponent, bits};
  prepare(level, level->box, x, ALL_GHOSTS);
  (level->box->split ? hymgi_cuda_fv2_both_apply_sum : hymgi_cuda_fv2_apply_sum)(level, &apply);
  hymgi_cuda_words(level->context, 1, words);
}

void hymgi_cuda_apply(const hymgi_level *level, hymgi_real *x, hymgi_real *y)
{
  const hymgi_sweep apply = {HYMGI_APPLY, NULL, x, x, y};
  prepare_and_sweep(level, x, &apply);
}

double hymgi_cuda_residual_max(const hymgi_level *level, const hymgi_real *f, hymgi_real *x)
{
  if (level->num_boxes == 0) return 0;
  hymgi_cuda_residual(level, f, x, NULL);
  return reduced_max(level->context);
}

void hymgi_cuda_queue_residual_max(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                                   int slot)
{
  if (level->num_boxes == 0) return;
  const result_slot there(level->context, slot);
  hymgi_cuda_residual(level, f, x, NULL);
}

/* Of wide levels, whose layers then serve the residual. */
bool hymgi_cuda_smooth_norm(hymgi_level *level, int slot)
{
  if (!level->wide) return false;
  if (smooth(level, false, true) == NOTHING) exchange_layers(level);
  hymgi_level as_left = *level;
  memset(as_left.halo, 0, sizeof as_left.halo);
  hymgi_cuda_queue_residual_max(&as_left, level->f, level->x, slot);
  return true;
}

/* `out` is laid out as x: rows of both begin on the same number of entries. */
void hymgi_cuda_narrow_residual(const hymgi_level *single, const hymgi_level *level, double factor,
                                const double *f, double *x, void *out, int slot)
{
  (void)single;
  if (level->num_boxes == 0) return;
  const result_slot there(level->context, slot);
  hymgi_sweep s = {HYMGI_NARROW, f, x, x};
  s.narrowed = static_cast<float *>(out);
  s.factor = factor;
  prepare_and_sweep(level, x, &s);
}

#endif
