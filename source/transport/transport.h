/* How the GPUs of several ranks exchange cells: the choice, and what it takes: one piece of device
 * memory per rank and solver that holds flags and message buffers, mapped by the ranks of the node
 * where they write into each other's. */
#ifndef HYMGI_TRANSPORT_TRANSPORT_H
#define HYMGI_TRANSPORT_TRANSPORT_H

#include "multigrid/hierarchy.h"

/* source/transport/choose.c. Collective: fills h->transport.info. The hierarchy is placed. */
hymg_status hymgi_transport_choose(hymgi_hierarchy *h);
/* What auto does instead of peer. */
void hymgi_transport_without_peers(hymgi_hierarchy *h, const char *why);
/* Collective: the text of the first rank that has one, on all. */
hymg_status hymgi_share_text(hymg_context *context, char text[128]);

/* source/transport/peer_setup.c. Collective: buffers for the plans of the GPU's levels, made but without any; for
 * peers their arenas and who writes where. If a mapping is refused: auto goes without, else
 * EUNSUPPORTED. */
hymg_status hymgi_transport_connect(hymgi_hierarchy *h);
/* Collective where connected: nobody uses the arenas any more. Before the plans go. */
void hymgi_transport_disconnect(hymgi_hierarchy *h);
/* Collective: after a failure flags and counters start afresh on all ranks. settle: hymgi_agree, and
 * that where it comes to a failure. */
void hymgi_transport_reset(hymgi_hierarchy *h);
hymg_status hymgi_agree_or_reset(hymgi_hierarchy *h, hymg_status status);

/* source/transport/agree.c. The plans of a level, NULL where there is none; the message with a rank, or NULL. */
enum { HYMGI_LEVEL_PLANS = 5 };
typedef struct hymgi_level_plans {
  hymgi_plan *plan[HYMGI_LEVEL_PLANS];
} hymgi_level_plans;
hymgi_level_plans hymgi_plans_of_level(const hymgi_level *level);
const hymgi_message *hymgi_message_with(const hymgi_message *message, int count, int rank);
/* Collective, and set on all: whether plans go by value (ll, counted), one colour of half sweeps
 * alone (in_sweeps), and levels start alone (starts_alone). */
hymg_status hymgi_agree_on_values(hymgi_hierarchy *h);
hymg_status hymgi_agree_on_colours(hymgi_hierarchy *h);
hymg_status hymgi_agree_on_starts(hymgi_hierarchy *h);

/* source/transport/nccl_setup.c. Collective: the context has a communicator of NCCL that works on all ranks; one that
 * does not, on any of them, is given up by all; anew: after a failure, as it may have messages that
 * were sent and not taken. Then each plan goes through once, for connections are made by the first
 * message. */
hymg_status hymgi_nccl_open(hymgi_hierarchy *h, bool anew);
hymg_status hymgi_nccl_connect(hymgi_hierarchy *h, hymgi_plan **plans, int count);

/* source/transport/probe.c: does the file say that MPI with this GPU took device memory? note: why not. */
bool hymgi_probe_worked(hymg_context *context, const char *file, char note[256]);

#endif
