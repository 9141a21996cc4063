/* The machine of a run: every rank tells its host and its GPU, rank 0 makes a list of nodes. */
#include "hymg-fv/run.h"

#include "common/gpu/gpu.h"
#include "common/gpu/nvml.h"
#include "common/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find_place(const fv_run *run, const fv_report *r, fv_place *p)
{
  memset(p, 0, sizeof *p);        /* padding is sent, too */
  p->machine = fv_machine_info(); /* the report's may have another name */
  p->host = fv_host_info();
  p->binding = fv_binding_info();
  p->threads = r->threads;
  fv_energy_tell(run, p);
  p->has_gpu = r->has_device;
  if (!p->has_gpu) return;
  snprintf(p->gpu.name, sizeof p->gpu.name, "%.127s", r->device.name);
  p->gpu.memory = r->device.memory_bytes;
  p->gpu.ordinal = r->device.ordinal;
  p->gpu.state = r->gpu_state;
  if (!*p->host.gpu_driver) nvml_driver_version(p->host.gpu_driver);
  gpu_bus(r->device.ordinal, p->gpu.bus);
  gpu_versions(&p->gpu.driver, &p->gpu.runtime);
}

/* Ranks of a node follow each other as a rule, so the last node is looked at first. */
static fv_node *node_of(fv_report *r, const char *host)
{
  for (int n = r->num_nodes - 1; n >= 0; n--)
    if (strcmp(r->node[n].machine.host, host) == 0) return &r->node[n];
  return NULL;
}

/* A GPU that several ranks share stands once, as the first of them saw it; without a bus its number tells. */
static bool add_gpu(fv_node *node, const fv_gpu *gpu)
{
  for (int n = 0; n < node->num_gpus; n++) {
    fv_gpu *old = &node->gpu[n];
    const bool same =
        *gpu->bus || *old->bus ? strcmp(gpu->bus, old->bus) == 0 : gpu->ordinal == old->ordinal;
    if (same) return old->ranks++, true;
  }
  fv_gpu *more = realloc(node->gpu, ((size_t)node->num_gpus + 1) * sizeof *more);
  if (!more) return false;
  node->gpu = more;
  more[node->num_gpus] = *gpu;
  more[node->num_gpus++].ranks = 1;
  return true;
}

/* Bits that are set. */
static int processors_in(const fv_binding *b)
{
  int count = 0;
  for (int n = 0; n < 8 * (int)sizeof b->processors; n++)
    count += b->processors[n / 8] >> n % 8 & 1;
  return count;
}

static void add_binding(fv_node *node, const fv_binding *b)
{
  const int count = b->count;
  if (node->ranks == 0) {
    node->binding = *b;
    node->least_bound = node->most_bound = count;
  }
  for (int n = 0; n < (int)sizeof b->processors; n++)
    node->binding.processors[n] |= b->processors[n];
  node->binding.count = processors_in(&node->binding);
  node->least_bound = count < node->least_bound ? count : node->least_bound;
  node->most_bound = count > node->most_bound ? count : node->most_bound;
  node->all_bound += count;
}

static bool add_place(fv_report *r, fv_place *p)
{
  fv_node *node = node_of(r, p->machine.host);
  if (!node) {
    fv_node *more = realloc(r->node, ((size_t)r->num_nodes + 1) * sizeof *more);
    if (!more) return false;
    r->node = more;
    node = &more[r->num_nodes++];
    *node = (fv_node){.machine = p->machine, .host = p->host};
  }
  p->node = (int)(node - r->node);
  add_binding(node, &p->binding);
  node->ranks++;
  node->threads += p->threads;
  return !p->has_gpu || add_gpu(node, &p->gpu);
}

bool fv_find_nodes(fv_run *run, fv_report *report)
{
  const bool first = hymg_context_rank(run->context) == 0;
  fv_place mine, *all = first ? calloc((size_t)report->ranks, sizeof *all) : NULL;
  find_place(run, report, &mine);
  start_library(report->library);
  bool ok = fv_agree(run, all || !first ? HYMG_OK : HYMG_ENOMEM, "description of the machine") &&
            start_gather(&mine, (int)sizeof mine, all);
  for (int rank = 0; first && ok && rank < report->ranks; rank++)
    ok = add_place(report, &all[rank]);
  if (first && ok) ok = fv_energy_collect(report, all);
  free(all);
  return fv_agree(run, ok ? HYMG_OK : HYMG_ENOMEM, "description of the machine");
}

void fv_nodes_free(fv_report *report)
{
  for (int n = 0; n < report->num_nodes; n++)
    free(report->node[n].gpu);
  free(report->node);
}
