/* The order of an exchange: receives first, then pack and send, then the copies that need no
 * message; after the caller's work in between, wait and unpack. */
#include "exchange.h"

static void note(hymg_context *context, hymg_status status)
{
  if (context->status == HYMG_OK) context->status = status;
}

void hymgi_exchange_begin(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                          const hymgi_geom *src_box, const double *src, const hymgi_geom *dst_box,
                          double *dst)
{
  /* the last unpack may still be reading the buffer */
  if (plan->num_receives > 0 && mover->finish) mover->finish(context);
  for (int i = 0; i < plan->num_receives; i++) {
    const hymgi_message *m = &plan->receive[i];
    note(context, hymgi_comm_receive(context, context->comm, plan->requests, i, m->rank, plan->tag,
                                     plan->receive_buffer + m->at, m->size));
  }
  if (plan->num_pack > 0) mover->pack(context, plan, src_box, src);
  if (plan->num_sends > 0 && mover->finish) mover->finish(context);
  for (int i = 0; i < plan->num_sends; i++) {
    const hymgi_message *m = &plan->send[i];
    note(context, hymgi_comm_send(context, context->comm, plan->requests, plan->num_receives + i,
                                  m->rank, plan->tag, plan->send_buffer + m->at, m->size));
  }
  if (plan->num_local > 0) mover->local(context, plan, src_box, src, dst_box, dst);
}

void hymgi_exchange_end(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                        const hymgi_geom *dst_box, double *dst)
{
  note(context, hymgi_comm_wait(context, plan->requests));
  if (plan->num_unpack > 0) mover->unpack(context, plan, dst_box, dst);
}
