/* How the GPUs of several ranks exchange cells: the choice of a transport and its setup. A rank
 * has one arena per solver: device memory with flags and message buffers, which the other ranks
 * of the node map if they write into it. */
#ifndef HYMGI_TRANSPORT_TRANSPORT_H
#define HYMGI_TRANSPORT_TRANSPORT_H

#include "multigrid/hierarchy.h"

/* choose.c. Collective, before levels are laid out, which depends on it: on several nodes auto becomes NCCL in h->options
 * if the probe file says that it works. backend: of the finest level */
hymg_status hymgi_transport_prefer(hymgi_hierarchy *h, const hymgi_backend *backend);
/* Collective: sets h->transport.info. The hierarchy has been placed. */
hymg_status hymgi_transport_choose(hymgi_hierarchy *h);
/* The fallback of auto if peer is not possible. */
void hymgi_transport_without_peers(hymgi_hierarchy *h, const char *why);
/* Collective: two ranks of a node that share a GPU, so that neither peer nor nccl is possible; "" if there are none. */
hymg_status hymgi_find_shared_gpu(hymg_context *context, const hymgi_backend *gpu, char why[128]);
/* Collective: on all ranks, the text of the first rank that has one. */
hymg_status hymgi_share_text(hymg_context *context, char text[128]);
/* Collective: a handle of each rank of the node, by local rank, in a malloc'ed list. status: of
 * this rank, which has made its own handle. */
typedef struct hymgi_card {
  hymgi_handle handle;
  int rank;
} hymgi_card;
hymg_status hymgi_gather_cards(hymg_context *context, hymg_status status, const hymgi_card *mine,
                               hymgi_card **all);

/* peer_setup.c. Collective: buffers for the plans of the levels on the GPU, which have none yet or,
 * on the robust path, those of the set-up; for peers also the mapped arenas and the addresses to
 * write to. If a mapping is refused, auto falls back, peer is EUNSUPPORTED. */
hymg_status hymgi_transport_connect(hymgi_hierarchy *h);
/* Collective if connected: ends all use of the arenas. To be called before the plans are
 * destroyed. */
void hymgi_transport_disconnect(hymgi_hierarchy *h);

/* recover.c. enter: from now on, messages between the solver's GPUs begin anew on all ranks after an
 * agreement on a failure (hymgi_agree_on); leave: no longer. reset: collective, the same at once.
 * agree_or_reset: hymgi_agree, and a reset for any failure. */
void hymgi_transport_enter(hymgi_hierarchy *h);
void hymgi_transport_leave(hymgi_hierarchy *h);
void hymgi_transport_reset(hymgi_hierarchy *h, hymg_status failure);
hymg_status hymgi_agree_or_reset(hymgi_hierarchy *h, hymg_status status);

/* agree.c. The plans of the levels on the GPU, each with a number that is the same on all ranks;
 * the message to or from a rank, or NULL. */
enum { HYMGI_LEVEL_PLANS = 6, HYMGI_MOST_PLANS = HYMGI_LEVEL_PLANS * HYMGI_MAX_LEVELS };
typedef struct hymgi_plan_list {
  hymgi_plan *plan[HYMGI_MOST_PLANS];
  int number[HYMGI_MOST_PLANS], count;
} hymgi_plan_list;
hymgi_plan_list hymgi_plans_on_gpu(const hymgi_hierarchy *h);
const hymgi_message *hymgi_message_with(const hymgi_message *message, int count, int rank);
/* Collective; set on all ranks: whether plans use the LL protocol (ll, acknowledged), whether
 * half sweeps exchange one colour (in_sweeps), and whether no exchange is needed when x is 0
 * (starts_alone). */
hymg_status hymgi_agree_on_protocols(hymgi_hierarchy *h, const hymgi_plan_list *list);
hymg_status hymgi_agree_on_sweeps(hymgi_hierarchy *h);

/* nccl_setup.c. Collective. open: gives the context an NCCL communicator that works on all
 * ranks; if it does not work on one of them, all replace it; anew: replaces it in any case,
 * because after a failure messages may have been sent but not received. connect: runs each plan
 * once, because NCCL connects at the first message. */
hymg_status hymgi_nccl_open(hymg_context *context, const hymgi_backend *gpu, bool anew);
hymg_status hymgi_nccl_connect(hymgi_hierarchy *h, const hymgi_plan_list *list);

/* probe.c: does the file say that MPI accepted memory of this GPU, or that NCCL works? note: why not. */
bool hymgi_probe_worked(hymg_context *context, const char *file, char note[256]);
bool hymgi_probe_nccl_worked(hymg_context *context, const char *file, char note[256]);

#endif
