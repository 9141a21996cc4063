/* Options.transfer AUTO: from the weighted transfer to the tensor one and back, within a solve. What
 * the weighted transfer cannot represent, pieces of high beta that share coarse cells, are a few
 * modes that conjugate gradients find one by one: the residual is slow and rises in between. The
 * tensor transfer suits these, but not thin sheets and other random structure, which are slow
 * without rising: it is judged by its own first iterations. Where faces have beta 0 only pairs are tried. Only the
 * history of residuals decides, so all ranks decide the same. */
#include <math.h>

#include "api/solve/solve.h"

/* An estimate of more iterations than SLOW in all is slow for the weighted transfer; for the tensor
 * one, which starts from a rough residual, twice as many with conjugate gradients. *_LEAST: how many
 * it takes to judge; MOST_LEFT: with so many left, a change does not pay. BiCGStab's residual always
 * rises at times, and its iterations take two cycles. */
enum { SLOW = 32, MOST_LEFT = 16, CG_LEAST = 3, BICGSTAB_LEAST = 12, TENSOR_LEAST = 8 };
#define RISE  1.5 /* what counts as one */
#define WORTH 0.1 /* an attempt that has gained so much is gone on from */

enum { SAVED = 4 }; /* vectors */
typedef enum wish { KEEP, OTHER_NOW, BACK } wish;

/* In place of pairs, which follow faces of beta 0 as the tensor transfer does not. */
static hymg_transfer without_pairs(const hymgi_hierarchy *h)
{
  return h->method.masked ? HYMG_TRANSFER_WEIGHTED : HYMG_TRANSFER_TENSOR;
}

/* What an attempt takes; WEIGHTED: there is none. */
static hymg_transfer other_transfer(const hymgi_hierarchy *h)
{
  return h->placement.fine->graphs ? HYMG_TRANSFER_PAIRS : without_pairs(h);
}

static bool is_other(const hymgi_transfer *transfer)
{
  return transfer->series || transfer->pairs;
}

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
static hymg_status vote(const hymg_solver *s, bool wanted, wish one, wish *agreed)
{
  hymg_context *c = s->h.context;
  int votes = wanted;
  TRY(hymgi_comm_max_int(c, c->comm, &votes, 1));
  if (votes) *agreed = one;
  return HYMG_OK;
}

static hymg_status judge(hymg_solver *s, wish *what)
{
  const hymgi_method *m = &s->h.method;
  const int since = s->transfer.since, count = s->records - since;
  const bool cg = s->step == &hymgi_cg_step;
  const hymg_cycle_record *h = s->history + since;
  *what = KEEP;
  if (!m->robust || s->h.options.transfer != HYMG_TRANSFER_AUTO || s->transfer.settled ||
      other_transfer(&s->h) == HYMG_TRANSFER_WEIGHTED)
    return HYMG_OK;
  if (!is_other(m->transfer) &&
      (cg ? count >= CG_LEAST && rises(h, count) : count >= BICGSTAB_LEAST))
    return vote(s, slow(s, h, count, SLOW), OTHER_NOW, what);
  if (!is_other(m->transfer) || count < TENSOR_LEAST) return HYMG_OK;
  s->transfer.settled = true;
  return vote(s, slow(s, h, count, cg ? 2 * SLOW : SLOW), BACK, what);
}

/* Without memory for graphs too. */
static hymg_status change_levels(hymgi_hierarchy *h, hymg_transfer wanted)
{
  hymg_status status = hymgi_levels_change(h, wanted);
  if (wanted == HYMG_TRANSFER_PAIRS && (status == HYMG_ENOMEM || status == HYMG_EUNSUPPORTED))
    status = hymgi_levels_change(h, without_pairs(h));
  return status;
}

static hymg_status change(hymg_solver *s, hymg_transfer wanted)
{
  hymg_context *c = s->h.context;
  const bool back = wanted == HYMG_TRANSFER_WEIGHTED;
  s->transfer.since = s->records;
  s->transfer.settled = back;
  c->in_setup = true;
  hymg_status status = change_levels(&s->h, wanted);
  if (status == HYMG_OK) status = hymgi_solver_attach(s);
  c->in_setup = false;
  TRY(status);
  if (s->h.method.transfer->pairs) s->mixed = false;
  if (!back)
    hymgi_note(s, "went over to %s after %d iterations",
               s->h.method.transfer->pairs ? "pairs" : "the tensor transfer", s->records);
  else
    hymgi_note(s, "went back to the weighted one after %d", s->records);
  return HYMG_OK;
}

/* ---- attempts with the other transfer ---- */

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
  double *const now[SAVED] = {k->u, k->r, k->p, k->w};
  for (int m = 0; m < SAVED && level->num_boxes; m++) {
    double *const saved = k->saved + m * level->vector_size;
    hymgi_copy_vector(level, back ? saved : now[m], back ? now[m] : saved);
  }
}

/* Without memory for it the attempt begins from its result. */
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
  k->before = k->now;
  return HYMG_OK;
}

/* True if the iteration goes on as if there had been no attempt. */
static bool restore(hymgi_iteration *k)
{
  const bool back = !(last_norm(k) < WORTH * k->norm_before);
  if (back) copy_saved(k, true);
  if (back) k->now = k->before;
  hymgi_transfer_forget(k);
  return back;
}

hymg_status hymgi_transfer_choose(hymgi_iteration *k)
{
  wish what;
  TRY(judge(k->solver, &what));
  if (what == KEEP) return HYMG_OK;
  if (what == OTHER_NOW) TRY(save(k));
  TRY(change(k->solver,
             what == OTHER_NOW ? other_transfer(&k->solver->h) : HYMG_TRANSFER_WEIGHTED));
  if (what != BACK || !restore(k)) k->first = true;
  return HYMG_OK;
}
