/* Options.transfer AUTO: from the weighted transfer to the tensor one and back, within a solve. What
 * the weighted transfer cannot represent, pieces of high beta that share coarse cells, are a few
 * modes that conjugate gradients find one by one: the residual is slow and rises in between. The
 * tensor transfer suits these, but not thin sheets and other random structure, which are slow
 * without rising: it is judged by its own first iterations. Only the history of residuals decides,
 * so all ranks decide the same. */
#include <math.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"

/* An estimate of more iterations than SLOW in all is slow for the weighted transfer; for the tensor
 * one, which starts from a rough residual, twice as many with conjugate gradients. *_LEAST: how many
 * it takes to judge; MOST_LEFT: with so many left, a change does not pay. BiCGStab's residual always
 * rises at times, and its iterations take two cycles. */
enum { SLOW = 32, MOST_LEFT = 16, CG_LEAST = 3, BICGSTAB_LEAST = 12, TENSOR_LEAST = 8 };
#define RISE 1.5 /* what counts as one */

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
static hymg_status vote(const hymg_solver *s, bool wanted, hymgi_transfer_wish wish,
                        hymgi_transfer_wish *agreed)
{
  hymg_context *c = s->h.context;
  int votes = wanted;
  TRY(hymgi_comm_max_int(c, c->comm, &votes, 1));
  if (votes) *agreed = wish;
  return HYMG_OK;
}

hymg_status hymgi_transfer_judge(hymg_solver *s, hymgi_transfer_wish *wish)
{
  const hymgi_method *m = &s->h.method;
  const int since = s->transfer.since, count = s->records - since;
  const bool cg = !m->quadratic;
  const hymg_cycle_record *h = s->history + since;
  *wish = HYMGI_TRANSFER_KEEP;
  if (!m->robust || s->h.options.transfer != HYMG_TRANSFER_AUTO || s->transfer.settled)
    return HYMG_OK;
  if (!m->transfer->series && (cg ? count >= CG_LEAST && rises(h, count) : count >= BICGSTAB_LEAST))
    return vote(s, slow(s, h, count, SLOW), HYMGI_TRANSFER_TENSOR_NOW, wish);
  if (!m->transfer->series || count < TENSOR_LEAST) return HYMG_OK;
  s->transfer.settled = true;
  return vote(s, slow(s, h, count, cg ? 2 * SLOW : SLOW), HYMGI_TRANSFER_BACK, wish);
}

hymg_status hymgi_transfer_change(hymg_solver *s, bool tensor)
{
  hymg_context *c = s->h.context;
  s->transfer.since = s->records;
  s->transfer.settled = !tensor;
  c->in_setup = true;
  hymg_status status = hymgi_robust_change(&s->h, tensor);
  if (status == HYMG_OK) status = hymgi_solver_attach(s);
  c->in_setup = false;
  TRY(status);
  if (tensor)
    hymgi_note(s, "went over to the tensor transfer after %d iterations", s->records);
  else
    hymgi_note(s, "went back to the weighted one after %d", s->records);
  return HYMG_OK;
}
