/* The choice of a transport, the same on every rank, with the reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "multigrid/backend.h"
#include "transport/transport.h"

static hymg_status set(hymgi_hierarchy *h, hymg_transport within, hymg_transport between,
                       const char *reason)
{
  const bool several = hymgi_comm_ranks(h->context->comm).nodes > 1;
  hymg_transport_info *info = &h->transport.info;
  info->within = within;
  info->between = several ? between : HYMG_TRANSPORT_NONE;
  snprintf(info->reason, sizeof info->reason, "%s", reason);
  h->transport.on_device = within == HYMG_TRANSPORT_DEVICE || between == HYMG_TRANSPORT_DEVICE ||
                           within == HYMG_TRANSPORT_NCCL;
  return HYMG_OK;
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
  if (hymgi_comm_rank(c->comm) == 0) {
    const bool says = hymgi_comm_says_cuda();
    const bool worked = says && file && hymgi_probe_worked(c, file, note);
    mpi->transport = worked ? HYMG_TRANSPORT_DEVICE : HYMG_TRANSPORT_STAGED;
    snprintf(mpi->reason, sizeof mpi->reason, "%.150s",
             worked  ? "MPI took device memory when probed"
             : !says ? "MPI does not take device memory"
             : !file ? "no probe file says that MPI takes device memory"
                     : note);
  }
  return hymgi_comm_bcast(c, c->comm, 0, mpi, sizeof *mpi);
}

/* ---- what the GPUs support ---- */

hymg_status hymgi_gather_cards(hymg_context *c, hymg_status status, const hymgi_card *mine,
                               hymgi_card **all)
{
  *all = malloc((size_t)hymgi_comm_local_size(c->comm) * sizeof **all);
  if (!*all) status = hymgi_fail(c, HYMG_ENOMEM, "no memory for a list of GPUs");
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) status = hymgi_comm_gather_local(c, c->comm, mine, sizeof *mine, *all);
  if (status != HYMG_OK) free(*all);
  return status;
}

hymg_status hymgi_find_shared_gpu(hymg_context *c, const hymgi_backend *gpu, char why[128])
{
  hymgi_card mine = {.rank = hymgi_comm_rank(c->comm)}, *all;
  const hymg_status status = gpu->sharing->identify(c, &mine.handle);
  TRY(hymgi_gather_cards(c, status, &mine, &all));
  for (int r = 0; r < hymgi_comm_local_size(c->comm); r++)
    for (int q = 0; q < r && !*why; q++)
      if (memcmp(&all[q].handle, &all[r].handle, sizeof all[q].handle) == 0)
        snprintf(why, 128, "ranks %d and %d share a GPU", all[q].rank, all[r].rank);
  free(all);
  return hymgi_share_text(c, why);
}

hymg_status hymgi_share_text(hymg_context *c, char text[128])
{
  int first = *text ? hymgi_comm_size(c->comm) - hymgi_comm_rank(c->comm) : 0;
  TRY(hymgi_comm_max_int(c, c->comm, &first, 1));
  if (first == 0) return HYMG_OK;
  return hymgi_comm_bcast(c, c->comm, hymgi_comm_size(c->comm) - first, text, 128);
}

/* ---- the choice ---- */

hymg_status hymgi_transport_prefer(hymgi_hierarchy *h, const hymgi_backend *backend)
{
  hymg_context *const c = h->context;
  hymg_options *const o = &h->options;
  char note[256], why[128] = "";
  const bool open_choice = o->transport == HYMG_TRANSPORT_AUTO && o->memory == HYMG_MEMORY_DEVICE;
  if (!open_choice || !backend->sharing || hymgi_comm_ranks(c->comm).nodes == 1) return HYMG_OK;
  int works = hymgi_comm_rank(c->comm) == 0 && o->probe_file &&
              hymgi_probe_nccl_worked(c, o->probe_file, note);
  TRY(hymgi_comm_max_int(c, c->comm, &works, 1));
  if (!works) return HYMG_OK;
  TRY(hymgi_find_shared_gpu(c, backend, why));
  h->transport.preferred = !*why;
  if (!*why) o->transport = HYMG_TRANSPORT_NCCL;
  return HYMG_OK;
}

/* Staged: whatever prevents GPUs from mapping each other's memory may affect MPI as well. */
void hymgi_transport_without_peers(hymgi_hierarchy *h, const char *why)
{
  char reason[256];
  snprintf(reason, sizeof reason, "no peer, %s", why);
  set(h, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_STAGED, reason);
}

static hymg_status choose_peer(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  const bool wanted = h->options.transport == HYMG_TRANSPORT_PEER;
  char why[128] = "", reason[256];
  mpi_choice mpi;
  TRY(find_mpi_choice(h, &mpi));
  TRY(hymgi_find_shared_gpu(c, h->placement.fine, why));
  if (*why && wanted) return hymgi_fail(c, HYMG_EUNSUPPORTED, "transport peer: %s", why);
  if (*why) {
    hymgi_transport_without_peers(h, why);
    return HYMG_OK;
  }
  const bool several = hymgi_comm_ranks(c->comm).nodes > 1;
  snprintf(reason, sizeof reason, "%s%s%s%s", several && wanted ? "peer " : "",
           wanted ? "as asked for" : "every GPU of a node maps the others",
           several ? "; between nodes: " : "", several ? mpi.reason : "");
  return set(h, HYMG_TRANSPORT_PEER, mpi.transport, reason);
}

/* NCCL does not support two ranks on one GPU. */
static hymg_status choose_nccl(hymgi_hierarchy *h)
{
  char why[128] = "";
  TRY(hymgi_find_shared_gpu(h->context, h->placement.fine, why));
  if (*why) return hymgi_fail(h->context, HYMG_EUNSUPPORTED, "transport nccl: %s", why);
  return set(h, HYMG_TRANSPORT_NCCL, HYMG_TRANSPORT_NCCL,
             h->transport.preferred ? "several nodes, and NCCL worked when probed"
                                    : "as asked for");
}

static hymg_status choose_device(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  int lacking = !hymgi_comm_says_cuda();
  TRY(hymgi_comm_max_int(c, c->comm, &lacking, 1));
  if (lacking)
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "transport device: MPI does not take device memory "
                      "(MPIX_Query_cuda_support is absent or gives 0)");
  return set(h, HYMG_TRANSPORT_DEVICE, HYMG_TRANSPORT_DEVICE, "as asked for");
}

hymg_status hymgi_transport_choose(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  const hymg_transport wanted = h->options.transport;
  const bool managed = h->options.memory == HYMG_MEMORY_MANAGED;
  if (wanted == HYMG_TRANSPORT_NCCL && !*hymg_build_info().nccl)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "transport nccl: this library was built without NCCL");
  if (hymgi_comm_size(c->comm) == 1)
    return set(h, HYMG_TRANSPORT_NONE, HYMG_TRANSPORT_NONE, "there is one rank");
  if (!h->placement.fine->sharing)
    return set(h, HYMG_TRANSPORT_NONE, HYMG_TRANSPORT_NONE, "no level is on a GPU");
  if (managed && wanted != HYMG_TRANSPORT_AUTO && wanted != HYMG_TRANSPORT_STAGED)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "transport %s: managed memory is staged",
                      hymg_transport_name(wanted));
  if (managed || wanted == HYMG_TRANSPORT_STAGED)
    return set(h, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_STAGED,
               managed ? "managed memory is staged" : "as asked for");
  if (wanted == HYMG_TRANSPORT_DEVICE) return choose_device(h);
  return wanted == HYMG_TRANSPORT_NCCL ? choose_nccl(h) : choose_peer(h);
}
