/* The choice of a transport, the same on every rank, with the reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "multigrid/backend.h"
#include "transport/transport.h"

const char *hymg_transport_name(hymg_transport transport)
{
  static const char *const name[] = {"auto", "device", "staged", "peer", "nccl", "none"};
  return transport >= HYMG_TRANSPORT_AUTO && transport <= HYMG_TRANSPORT_NONE ? name[transport]
                                                                              : "unknown";
}

static void set(hymgi_hierarchy *h, hymg_transport within, hymg_transport between,
                const char *reason)
{
  const bool several = hymgi_comm_nodes(h->context->comm) > 1;
  hymg_transport_info *info = &h->transport.info;
  info->within = within;
  info->between = several ? between : HYMG_TRANSPORT_NONE;
  snprintf(info->reason, sizeof info->reason, "%s", reason);
  h->transport.on_device = within == HYMG_TRANSPORT_DEVICE || between == HYMG_TRANSPORT_DEVICE ||
                           within == HYMG_TRANSPORT_NCCL;
}

/* ---- what MPI supports ---- */

/* The choice of auto between nodes, and the reason; rank 0 reads the file for all. */
typedef struct mpi_choice {
  hymg_transport transport;
  char reason[160];
} mpi_choice;

static hymg_status find_mpi_choice(hymgi_hierarchy *h, mpi_choice *mpi)
{
  hymg_context *c = h->context;
  const char *file = h->options.probe_file;
  char note[256] = "";
  memset(mpi, 0, sizeof *mpi);
  mpi->transport = HYMG_TRANSPORT_STAGED;
  if (hymgi_comm_rank(c->comm) == 0) {
    if (!hymgi_comm_says_cuda())
      snprintf(mpi->reason, sizeof mpi->reason, "MPI does not take device memory");
    else if (!file)
      snprintf(mpi->reason, sizeof mpi->reason, "no probe file says that MPI takes device memory");
    else if (!hymgi_probe_worked(c, file, note))
      snprintf(mpi->reason, sizeof mpi->reason, "%.150s", note);
    else
      mpi->transport = HYMG_TRANSPORT_DEVICE,
      snprintf(mpi->reason, sizeof mpi->reason, "MPI took device memory when probed");
  }
  return hymgi_comm_bcast(c, c->comm, 0, mpi, sizeof *mpi);
}

/* ---- what the GPUs support ---- */

typedef struct card {
  hymgi_handle identity;
  int rank;
} card;

/* The reason why the ranks of this node cannot write into each other's GPU; "" if they may try. */
static hymg_status find_obstacle(hymgi_hierarchy *h, char why[128])
{
  hymg_context *c = h->context;
  const hymgi_peer_memory *sharing = h->placement.fine->sharing;
  const int locals = hymgi_comm_local_size(c->comm);
  card mine;
  memset(&mine, 0, sizeof mine);
  mine.rank = hymgi_comm_rank(c->comm);
  card *all = malloc((size_t)locals * sizeof *all);
  hymg_status status = all ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for a list of GPUs");
  if (status == HYMG_OK) status = sharing->identify(c, &mine.identity);
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) status = hymgi_comm_gather_local(c, c->comm, &mine, sizeof mine, all);
  for (int r = 0; status == HYMG_OK && r < locals; r++)
    for (int q = 0; q < r && !*why; q++)
      if (memcmp(&all[q].identity, &all[r].identity, sizeof all[q].identity) == 0)
        snprintf(why, 128, "ranks %d and %d share a GPU", all[q].rank, all[r].rank);
  free(all);
  return status;
}

hymg_status hymgi_share_text(hymg_context *c, char text[128])
{
  int first = *text ? hymgi_comm_size(c->comm) - hymgi_comm_rank(c->comm) : 0;
  TRY(hymgi_comm_max_int(c, c->comm, &first, 1));
  if (first == 0) return HYMG_OK;
  return hymgi_comm_bcast(c, c->comm, hymgi_comm_size(c->comm) - first, text, 128);
}

/* ---- the choice ---- */

/* Staged: whatever prevents GPUs from mapping each other's memory may affect MPI as well. */
void hymgi_transport_without_peers(hymgi_hierarchy *h, const char *why)
{
  char reason[256];
  snprintf(reason, sizeof reason, "no peer, %s", why);
  set(h, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_STAGED, reason);
}

static hymg_status choose_peer(hymgi_hierarchy *h, const mpi_choice *mpi)
{
  hymg_context *c = h->context;
  const bool wanted = h->options.transport == HYMG_TRANSPORT_PEER;
  char why[128] = "", reason[256];
  TRY(find_obstacle(h, why));
  TRY(hymgi_share_text(c, why));
  if (*why && wanted) return hymgi_fail(c, HYMG_EUNSUPPORTED, "transport peer: %s", why);
  if (*why) {
    hymgi_transport_without_peers(h, why);
    return HYMG_OK;
  }
  snprintf(reason, sizeof reason, "%s",
           wanted ? "as asked for" : "every GPU of a node maps the others");
  if (hymgi_comm_nodes(c->comm) > 1)
    snprintf(reason, sizeof reason, "%s; between nodes: %s",
             wanted ? "peer as asked for" : "every GPU of a node maps the others", mpi->reason);
  set(h, HYMG_TRANSPORT_PEER, mpi->transport, reason);
  return HYMG_OK;
}

/* NCCL does not support two ranks on one GPU. */
static hymg_status choose_nccl(hymgi_hierarchy *h)
{
  char why[128] = "";
  TRY(find_obstacle(h, why));
  TRY(hymgi_share_text(h->context, why));
  if (*why) return hymgi_fail(h->context, HYMG_EUNSUPPORTED, "transport nccl: %s", why);
  set(h, HYMG_TRANSPORT_NCCL, HYMG_TRANSPORT_NCCL, "as asked for");
  return HYMG_OK;
}

static hymg_status choose_wanted(hymgi_hierarchy *h, hymg_transport wanted)
{
  hymg_context *c = h->context;
  int lacking = !hymgi_comm_says_cuda();
  TRY(hymgi_comm_max_int(c, c->comm, &lacking, 1));
  if (wanted == HYMG_TRANSPORT_DEVICE && lacking)
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "transport device: MPI does not take device memory "
                      "(MPIX_Query_cuda_support is absent or gives 0)");
  set(h, wanted, wanted, "as asked for");
  return HYMG_OK;
}

hymg_status hymgi_transport_choose(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  const hymg_options *o = &h->options;
  mpi_choice mpi;
  if (o->transport == HYMG_TRANSPORT_NCCL && !*hymg_build_info().nccl)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "transport nccl: this library was built without NCCL");
  if (hymgi_comm_size(c->comm) == 1 || !h->placement.fine->sharing) {
    set(h, HYMG_TRANSPORT_NONE, HYMG_TRANSPORT_NONE,
        hymgi_comm_size(c->comm) == 1 ? "there is one rank" : "no level is on a GPU");
    return HYMG_OK;
  }
  if (o->memory == HYMG_MEMORY_MANAGED) {
    if (o->transport != HYMG_TRANSPORT_AUTO && o->transport != HYMG_TRANSPORT_STAGED)
      return hymgi_fail(c, HYMG_EUNSUPPORTED, "transport %s: managed memory is staged",
                        hymg_transport_name(o->transport));
    set(h, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_STAGED, "managed memory is staged");
    return HYMG_OK;
  }
  if (o->transport == HYMG_TRANSPORT_DEVICE || o->transport == HYMG_TRANSPORT_STAGED)
    return choose_wanted(h, o->transport);
  if (o->transport == HYMG_TRANSPORT_NCCL) return choose_nccl(h);
  TRY(find_mpi_choice(h, &mpi));
  return choose_peer(h, &mpi);
}
