/* Options.transfer AUTO: from the weighted transfer to others, within a solve. What the weighted
 * transfer cannot represent, pieces of high beta that share coarse cells, are a few modes that conjugate
 * gradients find one by one: the residual is slow and rises in between. The tensor transfer suits
 * these, but not thin sheets and other random structure: it is judged by its own first iterations. Pairs suit all
 * of that, but an iteration with them takes three times as long: they are for what the tensor transfer is slow for
 * too, for what is very slow without rising, and for faces without conductance, as those of fixed cells, which the
 * tensor transfer does not stand. With them, too, the residual may fall late, but the weighted transfer, once it was that
 * slow, has not been found faster, so they are the last. Only the history of residuals decides, so all ranks decide the
 * same. */
#include <math.h>

#include "api/solve/solve.h"

/* An estimate of more iterations than SLOW in all is slow for the weighted transfer; for the tensor
 * one, which starts from a rough residual, twice as many with conjugate gradients; without a rise
 * VERY_SLOW. *_LEAST: how many it takes to judge; MOST_LEFT: with so many left, a change does not pay.
 * BiCGStab's residual always rises at times, and its iterations take two cycles. */
enum { SLOW = 32, VERY_SLOW = 128, MOST_LEFT = 16 };
enum { CG_LEAST = 3, BICGSTAB_LEAST = 12, STEADY_LEAST = 16, TENSOR_LEAST = 8 };
#define RISE  1.5 /* what counts as one */
#define WORTH 0.1 /* an attempt that has gained so much is gone on from */

enum { SAVED = 2 }; /* vectors */
#define KEEP HYMG_TRANSFER_AUTO

static bool rises(const hymg_cycle_record *h, int count)
{
  double least = h[0].residual_max;
  for (int m = 1; m < count; m++) {
    if (h[m].residual_max > RISE * least) return true;
    least = fmin(least, h[m].residual_max);
  }
  return false;
}

/* Would `count` records, extended at their mean rate, reach the tolerance only after `most`, and more
 * than MOST_LEFT from now? */
static bool slow(const hymg_solver *s, const hymg_cycle_record *h, int count, int most)
{
  const double wanted = fmax(s->h.options.rtol * s->rhs_max, s->h.options.atol);
  const double now = h[count - 1].residual_max, gained = log(h[0].residual_max / now);
  const int left = most - count > MOST_LEFT ? most - count : MOST_LEFT;
  return !(gained * left >= log(now / wanted) * (count - 1));
}

/* Collective, as logarithms may differ in the last digit between machines. */
static hymg_status vote(const hymg_solver *s, bool wanted, hymg_transfer one, hymg_transfer *agreed)
{
  hymg_context *c = s->h.context;
  int votes = wanted;
  TRY(hymgi_comm_max_int(c, c->comm, &votes, 1));
  if (votes) *agreed = one;
  return HYMG_OK;
}

static hymg_status judge_weighted(hymg_solver *s, const hymg_cycle_record *h, int count,
                                  hymg_transfer *what)
{
  const bool cg = s->step == &hymgi_cg_step;
  const hymg_transfer first = s->h.method.empty_rows ? HYMG_TRANSFER_PAIRS : HYMG_TRANSFER_TENSOR;
  if (cg ? count >= CG_LEAST && rises(h, count) : count >= BICGSTAB_LEAST)
    return vote(s, slow(s, h, count, SLOW), first, what);
  if (!cg || count < STEADY_LEAST) return HYMG_OK;
  return vote(s, slow(s, h, count, VERY_SLOW), HYMG_TRANSFER_PAIRS, what);
}

/* After its first iterations; it stays if that is fast enough. */
static hymg_status judge_tensor(hymg_solver *s, const hymg_cycle_record *h, int count,
                                hymg_transfer *what)
{
  const bool cg = s->step == &hymgi_cg_step;
  if (count < TENSOR_LEAST) return HYMG_OK;
  s->transfer.is_last = true;
  return vote(s, slow(s, h, count, cg ? 2 * SLOW : SLOW), HYMG_TRANSFER_PAIRS, what);
}

/* The transfer to go over to, or KEEP. */
static hymg_status judge(hymg_solver *s, hymg_transfer *what)
{
  const hymgi_method *m = &s->h.method;
  const int since = s->transfer.since, count = s->records - since;
  const hymg_cycle_record *h = s->history + since;
  *what = KEEP;
  if (!m->robust || s->h.options.transfer != HYMG_TRANSFER_AUTO || s->transfer.is_last ||
      m->transfer->pairs)
    return HYMG_OK;
  return m->transfer->series ? judge_tensor(s, h, count, what) : judge_weighted(s, h, count, what);
}

/* Without memory for graphs it is the weighted transfer. */
static hymg_status change_levels(hymgi_hierarchy *h, hymg_transfer wanted)
{
  hymg_status status = hymgi_levels_change(h, wanted);
  if (wanted == HYMG_TRANSFER_PAIRS && (status == HYMG_ENOMEM || status == HYMG_EUNSUPPORTED))
    status = hymgi_levels_change(h, HYMG_TRANSFER_WEIGHTED);
  return status;
}

static hymg_status change(hymg_solver *s, hymg_transfer wanted)
{
  hymg_context *c = s->h.context;
  s->transfer.since = s->records;
  c->in_setup = true;
  hymg_status status = change_levels(&s->h, wanted);
  if (status == HYMG_OK) status = hymgi_solver_attach(s);
  c->in_setup = false;
  TRY(status);
  const hymgi_transfer *const now = s->h.method.transfer;
  s->transfer.is_last = !now->series;
  if (now->pairs) s->mixed = false;
  if (now->series || now->pairs)
    hymgi_note(s, "went over to %s after %d iterations",
               now->pairs ? "pairs" : "the tensor transfer", s->records);
  else
    hymgi_note(s, "no memory for pairs after %d iterations", s->records);
  return HYMG_OK;
}

/* ---- an attempt with the tensor transfer ---- */

static double last_norm(const hymgi_iteration *k)
{
  return k->solver->history[k->solver->records - 1].residual_max;
}

void hymgi_transfer_forget(hymgi_iteration *k)
{
  hymgi_vector_destroy(k->level, SAVED * k->level->vector_size, &k->saved);
}

static void copy_saved(const hymgi_iteration *k, bool back)
{
  const hymgi_level *level = k->level;
  double *const now[SAVED] = {k->u, k->r};
  for (int m = 0; m < SAVED && level->num_boxes; m++) {
    double *const saved = k->saved + m * level->vector_size;
    hymgi_copy_vector(level, back ? saved : now[m], back ? now[m] : saved);
  }
}

/* Without memory for it pairs go on from the attempt's result. */
static hymg_status save(hymgi_iteration *k)
{
  const hymgi_level *level = k->level;
  int lacks = hymgi_vector_create(level, SAVED * level->vector_size, &k->saved) != HYMG_OK;
  TRY(hymgi_comm_max_int(level->context, level->context->comm, &lacks, 1));
  k->norm_before = lacks ? INFINITY : last_norm(k);
  if (lacks)
    hymgi_transfer_forget(k);
  else
    copy_saved(k, false);
  return HYMG_OK;
}

/* Pairs begin where the attempt did, unless that has gained much. */
static void end_attempt(hymgi_iteration *k)
{
  if (isfinite(k->norm_before) && !(last_norm(k) < WORTH * k->norm_before)) copy_saved(k, true);
  hymgi_transfer_forget(k);
}

hymg_status hymgi_transfer_choose(hymgi_iteration *k)
{
  hymg_transfer what;
  TRY(judge(k->solver, &what));
  if (what == KEEP) return HYMG_OK;
  if (what == HYMG_TRANSFER_TENSOR)
    TRY(save(k));
  else
    end_attempt(k);
  TRY(change(k->solver, what));
  k->first = true;
  return HYMG_OK;
}

hymg_status hymgi_transfer_confirm(hymgi_iteration *k)
{
  const hymg_solver *s = k->solver;
  const hymgi_method *m = &s->h.method;
  if (!m->robust || s->h.options.transfer != HYMG_TRANSFER_AUTO || m->transfer->pairs ||
      hymgi_sees_faint(s, last_norm(k)))
    return HYMG_OK;
  end_attempt(k);
  TRY(change(k->solver, HYMG_TRANSFER_PAIRS));
  k->first = true;
  return HYMG_OK;
}
