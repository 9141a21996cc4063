/* The order of an exchange. The host posts the receives, packs and sends, then makes the copies
 * that need no message; a GPU packs and copies, waits, then posts the receives and sends. After
 * the caller's work in between, both wait and unpack. Messages of a further round are made of those before: they are posted, and
 * awaited, once these are there. */
#include "distribution/exchange.h"

static void note(hymg_context *context, hymg_status status)
{
  if (context->status == HYMG_OK) context->status = status;
}

static int enter(hymg_context *context, const hymgi_mover *mover)
{
  return mover->enter ? mover->enter(context) : 0;
}

static void leave(const hymgi_mover *mover, int before)
{
  if (mover->leave) mover->leave(before);
}

static void post(hymg_context *context, const hymgi_plan *plan, int round, bool sends)
{
  const hymgi_message *m = sends ? plan->send : plan->receive;
  const int count = sends ? plan->num_sends : plan->num_receives;
  double *const buffer = sends ? plan->send_buffer : plan->receive_buffer;
  for (const hymgi_message *end = m + count; m < end; m++)
    if (!m->peer && m->round == round)
      note(context, hymgi_comm_post(context, plan->requests, sends, m->rank, plan->tag,
                                    buffer + m->at, m->size));
}

void hymgi_exchange_pack(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                         const hymgi_geom *src_box, const double *src, const hymgi_geom *dst_box,
                         double *dst)
{
  if ((plan->peers || plan->group) && mover->begin) mover->begin(context, plan);
  if (plan->num_pack > 0) mover->pack(context, plan, src_box, src);
  if (plan->num_local > 0) mover->local(context, plan, src_box, src, dst_box, dst);
  if (plan->group) mover->queue(context, plan);
}

void hymgi_exchange_pass(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan)
{
  const int before = enter(context, mover);
  post(context, plan, 0, false);
  post(context, plan, 0, true);
  leave(mover, before);
}

/* A GPU makes its local copies first and then waits once: for the packing, and for the previous
 * unpack, which reads the receive buffer. A CUDA graph capture ends here: during a capture CUDA
 * rejects the queries that MPI makes about device memory. */
void hymgi_exchange_begin(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                          const hymgi_geom *src_box, const double *src, const hymgi_geom *dst_box,
                          double *dst)
{
  if (mover->finish) {
    hymgi_exchange_pack(context, mover, plan, src_box, src, dst_box, dst);
    if (plan->mpi_sends + plan->mpi_receives == 0) return;
    mover->finish(context);
    hymgi_exchange_pass(context, mover, plan);
    return;
  }
  const int before = enter(context, mover);
  post(context, plan, 0, false);
  if (plan->num_pack > 0) mover->pack(context, plan, src_box, src);
  post(context, plan, 0, true);
  leave(mover, before);
  if (plan->num_local > 0) mover->local(context, plan, src_box, src, dst_box, dst);
}

void hymgi_exchange_end(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                        const hymgi_geom *dst_box, double *dst, double *zero)
{
  if (plan->mpi_sends + plan->mpi_receives > 0) {
    const int before = enter(context, mover);
    note(context, hymgi_comm_wait(context, plan->requests));
    for (int round = 1; round < plan->rounds; round++) {
      post(context, plan, round, false);
      post(context, plan, round, true);
      note(context, hymgi_comm_wait(context, plan->requests));
    }
    leave(mover, before);
  }
  if (plan->num_unpack > 0) mover->unpack(context, plan, dst_box, dst, zero);
}
