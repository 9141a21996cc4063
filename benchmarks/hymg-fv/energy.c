/* The energy of the timed solves of the finest size. A host's counters are read by the lowest of its ranks, a GPU's by the
 * lowest of those that use it; rank 0 adds up what they found. Processor packages, memory and GPUs each count only if
 * they were read on every node and GPU of the run, memory only with its packages, and there is no sum without the
 * GPUs of a run on GPUs or the packages of another: a part of what works would flatter the whole. */
#define _GNU_SOURCE
#include "hymg-fv/run.h"

#include "common/gpu/gpu.h"
#include "common/kit/timing.h"
#include "common/start.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char powercap[] = "/sys/class/powercap";
/* The counter of an H100 advances every 100 ms. */
static const double least_seconds = 1.0;
/* Between two readings during the solves; between the last solve and the measurement of idle power; of that. */
static const double sample_seconds = 5.0, rest_seconds = 1.0, idle_seconds = 2.0;

/* ---- on every rank ---- */

void fv_energy_open(fv_run *run, fv_report *report)
{
  char bus[32] = "", name[START_NAME];
  const fv_machine machine = fv_machine_info(); /* the report's may have another name */
  report->gpu_state = nvml_state_unknown();
  memset(name, 0, sizeof name);
  snprintf(name, sizeof name, "%s", machine.host);
  if (start_is_first(name)) energy_find_rapl(&run->meter, powercap);
  if (!report->has_device) return;
  gpu_bus(report->device.ordinal, bus);
  memset(name, 0, sizeof name);
  snprintf(name, sizeof name, "%s %s %d", machine.host, bus, *bus ? 0 : report->device.ordinal);
  if (start_is_first(name)) energy_find_gpu(&run->meter, bus);
}

static void rest(double seconds)
{
  struct timespec left = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
  while (nanosleep(&left, &left) != 0 && errno == EINTR)
    ;
}

/* All ranks sleep, also while they wait for the others: those that read do so within the others' sleep. */
bool fv_energy_idle(fv_run *run)
{
  const bool reads = run->meter.num_parts > 0;
  if (!run->options->energy) return true;
  fv_progress(run, "measuring the idle power, %g s", rest_seconds + idle_seconds);
  if (!fv_agree(run, HYMG_OK, "idle power")) return false;
  rest(rest_seconds);
  energy_begin(&run->meter);
  const double start = run->meter.read_at;
  rest(idle_seconds);
  energy_add(&run->meter);
  if (reads) energy_set_idle(&run->meter, run->meter.read_at - start);
  if (!reads) rest(0.1);
  fv_progress(run, NULL);
  return fv_agree(run, HYMG_OK, "idle power");
}

void fv_energy_begin(fv_run *run)
{
  energy_begin(&run->meter);
  run->metered_from = run->meter.read_at;
}

static void sample(fv_run *run, fv_report *report)
{
  energy_add(&run->meter); /* first: a call of NVML may take milliseconds */
  if (run->meter.gpu) nvml_read_state(run->meter.gpu, &report->gpu_state);
}

void fv_energy_sample(fv_run *run, fv_report *report)
{
  if (fv_clock() - run->meter.read_at >= sample_seconds) sample(run, report);
}

void fv_energy_end(fv_run *run, fv_report *report)
{
  sample(run, report);
  energy_end(&run->meter);
  report->energy.seconds = run->meter.read_at - run->metered_from;
}

/* ---- on rank 0 ---- */

/* Is no part of this kind lost, and has every node one? */
static bool is_complete(const fv_place *all, const fv_report *report, energy_kind kind)
{
  int there = 0, last = -1;
  for (const fv_place *p = all; p < all + report->ranks; p++)
    for (int n = 0; n < p->num_parts; n++) {
      if (p->part[n].kind != kind) continue;
      if (p->part[n].lost) return false;
      there += p->node > last;
      last = p->node > last ? p->node : last;
    }
  return there == report->num_nodes;
}

/* Which kinds count. */
static void choose(const fv_report *report, const fv_place *all, bool counts[ENERGY_KINDS])
{
  for (int kind = 0; kind < ENERGY_KINDS; kind++)
    counts[kind] = is_complete(all, report, (energy_kind)kind);
  const bool works = counts[report->has_device ? ENERGY_GPU : ENERGY_PACKAGE];
  counts[ENERGY_DRAM] = counts[ENERGY_DRAM] && counts[ENERGY_PACKAGE];
  for (int kind = 0; kind < ENERGY_KINDS; kind++)
    counts[kind] = counts[kind] && works;
}

static void add_part(fv_energy *e, int node, const energy_part *part)
{
  e->part[e->num_parts++] = (fv_energy_part){node, *part};
  e->count[part->kind]++;
  e->joules += part->joules;
  e->idle_watts += part->idle_watts;
}

/* Says why there is nothing where nothing was lost. */
static void judge(fv_energy *e, bool has_device)
{
  e->too_short = e->num_parts > 0 && e->seconds < least_seconds;
  if (e->too_short) e->num_parts = 0;
  if (e->count[ENERGY_PACKAGE] == 0 && !*e->why[ENERGY_RAPL])
    snprintf(e->why[ENERGY_RAPL], ENERGY_WHY, "a node has no counter of its packages");
  if (e->count[ENERGY_GPU] == 0 && has_device && !*e->why[ENERGY_NVML])
    snprintf(e->why[ENERGY_NVML], ENERGY_WHY, "a node has no counter of its GPUs");
}

void fv_energy_tell(const fv_run *run, fv_place *place)
{
  place->num_parts = run->meter.num_parts;
  memcpy(place->part, run->meter.part, sizeof place->part);
  memcpy(place->why, run->meter.why, sizeof place->why);
}

bool fv_energy_collect(fv_report *report, const fv_place *all)
{
  fv_energy *const e = &report->energy;
  bool counts[ENERGY_KINDS];
  int parts = 0;
  e->solves = report->size[0].solves;
  for (const fv_place *p = all; p < all + report->ranks; p++) {
    parts += p->num_parts;
    for (int s = 0; s < ENERGY_SOURCES; s++)
      if (!*e->why[s]) memcpy(e->why[s], p->why[s], ENERGY_WHY);
  }
  choose(report, all, counts);
  e->part = calloc((size_t)parts + 1, sizeof *e->part);
  for (const fv_place *p = all; e->part && p < all + report->ranks; p++)
    for (int n = 0; n < p->num_parts; n++)
      if (counts[p->part[n].kind]) add_part(e, p->node, &p->part[n]);
  if (e->part) judge(e, report->has_device);
  return e->part != NULL;
}

double fv_dof_per_joule(const fv_report *r)
{
  return (double)r->size[0].dof * r->energy.solves / r->energy.joules;
}

/* ---- the log ---- */

static void print_count(int count, const char *one, const char *several, const char **before)
{
  if (count == 0) return;
  printf("%s%d %s", *before, count, count == 1 ? one : several);
  *before = ", ";
}

static void print_parts(const fv_energy *e)
{
  for (int n = 0; n < e->num_parts; n++) {
    const fv_energy_part *p = &e->part[n];
    printf("    node %d %s: %.6e J, %.1f W", p->node, p->part.name, p->part.joules,
           p->part.joules / e->seconds);
    if (isfinite(p->part.idle_watts)) printf(", idle %.1f W", p->part.idle_watts);
    putchar('\n');
  }
}

static void print_missing(const fv_report *r)
{
  const fv_energy *const e = &r->energy;
  const fv_options *const o = r->options;
  if (!o->energy && !o->json && !o->submit && !o->verbose) return;
  if (e->too_short)
    printf("energy    not measured: the timed solves took %.3g s, the counters need %g s: see "
           "--min-seconds\n",
           e->seconds, least_seconds);
  else if (r->has_device)
    printf("energy    not measured: NVML: %s\n", e->why[ENERGY_NVML]);
  else
    printf("energy    not measured: RAPL: %s\n", e->why[ENERGY_RAPL]);
}

void fv_print_energy(const fv_report *r)
{
  const fv_energy *const e = &r->energy;
  const char *before = "";
  if (e->num_parts == 0) {
    print_missing(r);
    return;
  }
  printf("energy    %.4g J per solve, %.4e DOF/s per watt, component level (",
         e->joules / e->solves, fv_dof_per_joule(r));
  print_count(e->count[ENERGY_GPU], "GPU", "GPUs", &before);
  print_count(e->count[ENERGY_PACKAGE], "processor package", "processor packages", &before);
  print_count(e->count[ENERGY_DRAM], "memory", "memories", &before);
  printf("); %.1f W", e->joules / e->seconds);
  if (isfinite(e->idle_watts)) printf(", idle %.1f W", e->idle_watts);
  if (e->count[ENERGY_PACKAGE] == 0)
    printf("; without the processors (RAPL: %s)", e->why[ENERGY_RAPL]);
  putchar('\n');
  if (r->options->verbose) print_parts(e);
}
