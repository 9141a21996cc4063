/* The result as one JSON object, schema hymg-fv/3 (report/hymg-fv.schema.json). Integers stay integers,
 * reals have 17 significant digits, what is not finite or does not exist is null. */
#include "common/json/json_solver.h"
#include "common/kit/rows.h"
#include "hymg-fv/report.h"

#include <math.h>

const char *json_missing(void)
{
  return NULL;
}

/* An integer stored as double. */
static json_t *count(double x)
{
  return isfinite(x) ? json_integer((json_int_t)llround(x)) : json_null();
}

static json_t *cells_or_auto(int64_t cells)
{
  return cells < 0 ? json_string("auto") : json_integer(cells);
}

static json_t *config(const fv_report *r)
{
  const fv_options *o = r->options;
  const hymg_options *s = &o->solver;
  json_t *c = json_pack("{s:s,s:s,s:o,s:o,s:s,s:s,s:s}", "operator", fv_operator_words[o->stencil],
                        "equation", fv_equation_words[o->helmholtz], "a", json_number(o->a), "b",
                        json_number(o->b), "boundary", fv_boundary_string(o->grid.boundary).text,
                        "coefficients", fv_coefficient_words[o->variable], "problem",
                        fv_problem_words[o->problem]);
  json_t *d = json_pack(
      "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:s,s:s,s:[o,o]}", "cycle",
      json_name("hymg_cycle", (int)s->cycle), "bottom", json_name("hymg_bottom", (int)s->bottom),
      "backend", json_name("hymg_backend", (int)s->backend), "host_cells",
      cells_or_auto(s->host_cells), "tail_cells", cells_or_auto(s->tail_cells), "tuning",
      json_name("hymg_tuning", (int)s->tuning), "spacing", json_reals(o->grid.spacing), "boxes",
      json_integers(r->boxes), "comm", r->comm, "memory",
      r->has_device ? hymg_enum_name("hymg_memory", (int)s->memory) : "host", "robin",
      json_number(o->robin[0]), json_number(o->robin[1]));
  return json_merge(json_merge(c, json_solver(s, r->levels->sweeps)), d);
}

static json_t *levels(const fv_report *r)
{
  json_t *list = json_array();
  for (int n = 0; n < r->num_levels; n++)
    json_array_append_new(list, json_level(&r->levels[n]));
  return list;
}

static json_t *placement(const fv_report *r)
{
  const hymg_tuning_info *t = &r->tuning;
  if (!r->has_device) return json_null();
  return json_pack("{s:i,s:i,s:s,s:o,s:o}", "tail_from", t->tail_from, "host_from", t->host_from,
                   "source", hymg_tuning_source_name(t->source), "seconds", json_number(t->seconds),
                   "note", json_text(t->note));
}

static json_t *transport(const fv_report *r)
{
  const hymg_transport_info *t = &r->transport;
  return json_pack("{s:s,s:o,s:s,s:s,s:s}", "asked",
                   hymg_enum_name("hymg_transport", (int)r->options->solver.transport),
                   "gather_cells", cells_or_auto(r->options->solver.gather_cells), "within",
                   hymg_transport_name(t->within), "between", hymg_transport_name(t->between),
                   "reason", t->reason);
}

static json_t *run(const fv_report *r, int n)
{
  const fv_size *size = &r->size[n];
  const bool iterated = r->options->solver.method != HYMG_FMG;
  json_t *object =
      json_pack("{s:i,s:o,s:o,s:I,s:i,s:o,s:o,s:o,s:o}", "level", n, "spacing",
                json_reals(size->level.spacing), "cells", json_integers(size->level.cells), "dof",
                (json_int_t)size->dof, "solves", size->solves, "seconds_mean",
                json_number(size->seconds_mean), "seconds_median",
                json_number(size->seconds_median), "seconds_min", json_number(size->seconds_min),
                "dof_per_second", json_number(fv_dof_per_second(size)));
  json_object_set_new(object, "disturbed", json_boolean(fv_is_disturbed(size)));
  json_t *outcome = json_pack(
      "{s:s,s:s,s:o,s:o,s:s,s:o,s:o,s:o,s:o}", "path", hymg_path_name(size->result.path), "note",
      size->note, "cycles", json_cycles(size->cycles, size->result.cycles), "converged",
      iterated ? json_boolean(size->result.converged) : json_null(), "reason",
      hymg_reason_name(size->result.reason), "solution_max", json_number(size->solution_max),
      "solution_rms", json_number(size->solution_rms), "error_max", json_number(size->error_max),
      "error_rms", json_number(size->error_rms));
  return json_merge(object, outcome);
}

static json_t *runs(const fv_report *r, int from, int to)
{
  json_t *list = json_array();
  for (int n = from; n < to; n++)
    json_array_append_new(list, run(r, n));
  return list;
}

static json_t *richardson(const fv_report *r)
{
  if (!r->has_richardson) return json_null();
  return json_pack("{s:o,s:o,s:o}", "error_max", json_number(r->richardson_error), "order",
                   json_number(r->richardson_order), "pass",
                   r->pass == FV_NO_VERDICT ? json_null() : json_boolean(r->pass == FV_PASSED));
}

static json_t *breakdown(const fv_report *r)
{
  json_t *list = json_array();
  for (int n = 0; n < r->num_rows; n++) {
    const hymg_profile_row *row = &r->rows[n];
    json_array_append_new(list, json_pack("{s:i,s:s,s:I,s:o,s:o,s:o}", "level", row->level, "verb",
                                          row->operation, "calls", (json_int_t)row->calls,
                                          "seconds", json_number(row->seconds), "bytes",
                                          count(row->bytes), "gb_per_second",
                                          json_number(1e-9 * row->bytes / row->seconds)));
  }
  return list;
}

/* ---- the machine ---- */

/* 13000 as "13.0" */
static json_t *cuda_version(int version)
{
  return version > 0 ? json_sprintf("%d.%d", version / 1000, version % 1000 / 10) : json_null();
}

static json_t *count_or_null(int n)
{
  return n > 0 ? json_integer(n) : json_null();
}

static json_t *clocks(const nvml_state *s)
{
  return json_pack("{s:o,s:o,s:o,s:o}", "sm", count_or_null(s->sm), "memory",
                   count_or_null(s->memory), "sm_max", count_or_null(s->sm_max), "memory_max",
                   count_or_null(s->memory_max));
}

static json_t *reasons(const nvml_state *s)
{
  json_t *list = json_array();
  for (int n = 0; n < NVML_REASONS; n++)
    if (s->reason[n]) json_array_append_new(list, json_string(nvml_reason_name(n)));
  if (s->has_reasons) return list;
  json_decref(list);
  return json_null();
}

static json_t *gpu(const fv_gpu *g)
{
  json_t *what = json_pack("{s:s,s:o,s:o,s:i,s:o,s:o}", "name", g->name, "bus", json_text(g->bus),
                           "memory_bytes", count(g->memory), "ranks", g->ranks, "cuda_driver",
                           cuda_version(g->driver), "cuda_runtime", cuda_version(g->runtime));
  json_t *state = json_pack("{s:o,s:o,s:o,s:o}", "power_limit_watts",
                            json_number(g->state.power_limit), "clocks_mhz", clocks(&g->state),
                            "ecc", g->state.ecc < 0 ? json_null() : json_boolean(g->state.ecc),
                            "throttle_reasons", reasons(&g->state));
  return json_merge(what, state);
}

/* "4 ranks on 16 of 64 processors each, none shared; OMP_PROC_BIND=close, OMP_PLACES=cores" */
static json_t *binding(const fv_node *d)
{
  const fv_binding *b = &d->binding;
  char processors[64], set[128] = "OMP_PROC_BIND and OMP_PLACES are not set";
  const char *shared = d->ranks == 1              ? ""
                       : b->count == d->all_bound ? " each, none shared"
                                                  : " each, shared";
  if (d->least_bound == 0) return json_null();
  if (d->least_bound == d->most_bound)
    snprintf(processors, sizeof processors, "%d of %d", d->most_bound, d->machine.cores);
  else
    snprintf(processors, sizeof processors, "%d to %d of %d", d->least_bound, d->most_bound,
             d->machine.cores);
  if (*b->proc_bind || *b->places)
    snprintf(set, sizeof set, "%s%s%s%s%s", *b->proc_bind ? "OMP_PROC_BIND=" : "", b->proc_bind,
             *b->proc_bind && *b->places ? ", " : "", *b->places ? "OMP_PLACES=" : "", b->places);
  return json_sprintf("%d rank%s on %s processors%s; %s", d->ranks, d->ranks == 1 ? "" : "s",
                      processors, shared, set);
}

static json_t *node(const fv_report *r, int n)
{
  const fv_node *d = &r->node[n];
  json_t *gpus = json_array();
  for (int g = 0; g < d->num_gpus; g++)
    json_array_append_new(gpus, gpu(&d->gpu[g]));
  json_t *what =
      json_pack("{s:i,s:o,s:i,s:i,s:s,s:o,s:o,s:i,s:o,s:o,s:o,s:o}", "node", n, "host",
                r->options->submit ? json_null() : json_text(d->machine.host), "ranks", d->ranks,
                "threads", d->threads, "cpu", d->machine.cpu, "sockets",
                count_or_null(d->host.sockets), "cores", count_or_null(d->host.cores), "processors",
                d->machine.cores, "memory_bytes", count(d->machine.memory), "os",
                json_text(d->host.os), "gpu_driver", json_text(d->host.gpu_driver), "gpus", gpus);
  json_t *place =
      json_pack("{s:o,s:o,s:o}", "binding", binding(d), "numa_nodes",
                count_or_null(d->host.numa_nodes), "network_cards",
                d->host.network_cards < 0 ? json_null() : json_integer(d->host.network_cards));
  return json_merge(what, place);
}

/* What rank 0 sees and how the library was built; names given by the user; every node. */
static json_t *machine(const fv_report *r)
{
  const fv_options *o = r->options;
  json_t *m = json_machine(&r->machine, &r->build, NULL);
  json_t *names =
      json_pack("{s:o,s:o,s:o,s:o,s:o}", "name", json_text(o->machine_name), "site",
                json_text(o->site), "interconnect", json_text(o->interconnect), "submitter",
                json_text(o->submitter), "mpi_library", json_text(r->library));
  json_t *nodes = json_array(), *gpus = json_array();
  for (int n = 0; n < r->num_nodes; n++) {
    json_array_append_new(nodes, node(r, n));
    for (int g = 0; g < r->node[n].num_gpus; g++)
      json_array_append_new(gpus, json_string(r->node[n].gpu[g].name));
  }
  json_object_set_new(m, "gpus", gpus);
  json_object_set_new(names, "nodes", nodes);
  return json_merge(m, names);
}

static json_t *bandwidth(const fv_report *r)
{
  const fv_bandwidth *b = &r->bandwidth;
  if (!isfinite(b->bytes_per_second)) return json_null();
  return json_pack("{s:o,s:o,s:i,s:s,s:s}", "bytes_per_second", json_number(b->bytes_per_second),
                   "bytes", count(b->bytes), "copies", b->copies, "space",
                   r->has_device ? "device" : "host", "method",
                   r->has_device ? "copy within device memory by cudaMemcpyAsync, all ranks at "
                                   "once, best of the copies; bytes read and written"
                                 : "copy a[i] = b[i] of doubles by OpenMP threads, all ranks at "
                                   "once, best of the copies; bytes read and written");
}

static json_t *one_part(const fv_energy_part *p)
{
  return json_pack("{s:i,s:s,s:s,s:o,s:o}", "node", p->node, "name", p->part.name, "counter",
                   p->part.kind == ENERGY_GPU ? "nvml" : "rapl", "joules",
                   json_number(p->part.joules), "idle_watts", json_number(p->part.idle_watts));
}

static json_t *energy(const fv_report *r)
{
  const fv_energy *e = &r->energy;
  json_t *counters = json_array(), *parts = json_array();
  if (e->count[ENERGY_GPU] > 0) json_array_append_new(counters, json_string("nvml"));
  if (e->count[ENERGY_PACKAGE] + e->count[ENERGY_DRAM] > 0)
    json_array_append_new(counters, json_string("rapl"));
  for (int n = 0; n < e->num_parts; n++)
    json_array_append_new(parts, one_part(&e->part[n]));
  json_t *all = json_pack(
      "{s:s,s:o,s:o,s:i,s:o,s:o,s:o,s:o,s:o}", "scope", "components", "counters", counters,
      "seconds", json_number(e->seconds), "solves", e->solves, "joules", json_number(e->joules),
      "joules_per_solve", json_number(e->joules / e->solves), "dof_per_joule",
      json_number(fv_dof_per_joule(r)), "idle_watts", json_number(e->idle_watts), "parts", parts);
  if (e->num_parts > 0) return all;
  json_decref(all);
  return json_null();
}

/* ---- the record ---- */

static json_t *head(const fv_report *r, const char *schema)
{
  return json_head(schema, &r->machine, &r->build, machine(r));
}

static json_t *whole(const fv_report *r)
{
  const fv_options *o = r->options;
  json_t *rules = json_pack("{s:o,s:b,s:{s:i,s:i,s:o}}", "config", config(r), "official",
                            r->official, "protocol", "warmup", o->warmup, "min_solves",
                            o->min_solves, "min_seconds", json_number(o->min_seconds));
  json_t *times = json_pack(
      "{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "startup_seconds",
      r->has_device ? json_number(r->startup_seconds) : json_null(), "setup_seconds",
      json_number(r->setup_seconds), "problem_seconds", json_number(r->problem_seconds),
      "tuning_seconds", json_number(r->tuning_seconds), "setup_cycles",
      json_number(fv_setup_cycles(r)), "placement", placement(r), "transport", transport(r));
  json_t *body = json_pack("{s:i,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:o}", "ranks", r->ranks, "threads",
                           r->threads, "nodes", r->nodes, "bandwidth", bandwidth(r),
                           "bytes_per_dof", json_number(r->bytes_per_dof), "levels", levels(r),
                           "runs", runs(r, 0, r->num_sizes - r->num_own), "richardson",
                           richardson(r), "breakdown", breakdown(r));
  json_object_set_new(body, "coarser_runs", runs(r, r->num_sizes - r->num_own, r->num_sizes));
  json_object_set_new(body, "energy", energy(r));
  return json_merge(json_merge(json_merge(head(r, "hymg-fv/3"), rules), times), body);
}

bool json_write(const void *results, FILE *file)
{
  return json_print(whole(results), 2, file);
}

bool json_write_machine(const void *results, FILE *file)
{
  return json_print(head(results, "hymg-machine/1"), 2, file);
}
