/* The results as one JSON object, schema hymg-robust/1: as hymg-fv's, with a run per problem, and
 * the levels of the first also at the top. What is not finite or does not exist is null. */
#include "common/json/json_solver.h"
#include "common/start.h"
#include "robust/hymg-robust.h"

const char *json_missing(void)
{
  return NULL;
}

/* coarsened: by axis, 1 if it is halved on the way to the next level. */
static json_t *levels(const robust_result *r)
{
  json_t *list = json_array();
  for (int l = 0; l < r->num_levels; l++) {
    const unsigned c = r->levels[l].coarsened;
    const int axes[3] = {c & 1, c >> 1 & 1, c >> 2 & 1};
    json_t *level = json_level(&r->levels[l]);
    json_object_set_new(level, "coarsened", json_integers(axes));
    json_array_append_new(list, level);
  }
  return list;
}

static json_t *config(const robust_options *o)
{
  const hymg_options *s = &o->solver;
  json_t *keys =
      json_pack("{s:o,s:s,s:o,s:o,s:s,s:o,s:o,s:i,s:s}", "grid", json_integers(o->n),
                "coefficients", robust_coefficient_words[o->coefficients], "ratio",
                json_number(o->ratio), "alpha", json_number(o->alpha), "boundary",
                fv_boundary_string(o->boundary).text, "stretch", json_number(o->stretch), "aspect",
                json_number(o->aspect), "blk", o->block, "rhs", robust_rhs_words[o->rhs]);
  json_t *solver =
      json_pack("{s:s,s:o,s:o,s:o}", "operator", o->fv4 ? "fv4" : "fv2", "extrapolation",
                json_name("hymg_extrapolation", (int)HYMG_EXTRAPOLATION_LINEAR + o->extrapolation),
                "atol", json_number(s->atol), "norm", json_name("hymg_norm", (int)s->norm));
  if (fv_has_robin(o->boundary))
    json_object_set_new(keys, "robin",
                        json_pack("[o,o]", json_number(o->robin[0]), json_number(o->robin[1])));
  if (o->alpha_in)
    json_object_set_new(keys, "alpha_in", json_string(robust_alpha_words[o->alpha_in]));
  if (o->hold != 0) json_object_set_new(keys, "hold", json_number(o->hold));
  if (o->alpha_wave > 0) json_object_set_new(keys, "alpha_wave", json_number(o->alpha_wave));
  return json_merge(json_merge(keys, solver), json_solver(s, s->sweeps));
}

static json_t *hypre(const robust_result *r)
{
  const robust_other *h = &r->hypre;
  if (!r->options.hypre) return json_null();
  return json_pack("{s:i,s:b,s:o,s:o,s:o}", "iterations", h->iterations, "converged", h->converged,
                   "setup_seconds", json_number(r->seconds[ROBUST_HYPRE_SETUP]), "seconds_median",
                   json_number(r->seconds[ROBUST_HYPRE_SOLVE]), "residual_relative",
                   json_number(h->residual_relative));
}

static json_t *run(const robust_result *r)
{
  const hymg_result *s = &r->result;
  const json_int_t dof = (json_int_t)r->options.n[0] * r->options.n[1] * r->options.n[2];
  json_t *head = json_pack(
      "{s:s,s:o,s:I,s:o,s:i,s:o,s:o,s:o,s:o}", "name", r->name, "cells",
      json_integers(r->options.n), "dof", dof, "config", config(&r->options), "solves",
      r->options.repeat, "setup_seconds", json_number(r->seconds[ROBUST_SETUP]), "seconds_median",
      json_number(r->seconds[ROBUST_SOLVE]), "dof_per_second",
      json_number((double)dof / r->seconds[ROBUST_SOLVE]), "work_units", json_number(r->units));
  json_t *outcome = json_pack(
      "{s:o,s:o,s:b,s:s,s:s,s:o,s:o,s:o,s:o,s:o}", "levels", levels(r), "cycles",
      json_cycles(r->cycles, s->cycles), "converged", s->converged, "reason",
      hymg_reason_name(s->reason), "path", hymg_path_name(s->path), "note", json_text(r->note),
      "residual_relative", json_number(s->residual_relative), "mean_removed",
      json_number(s->mean_removed), "solution_max", json_number(r->largest), "hypre", hypre(r));
  return json_merge(head, outcome);
}

bool json_write(const void *results, FILE *file)
{
  const robust_results *const all = results;
  const fv_machine machine = fv_machine_info();
  const hymg_build build = hymg_build_info();
  hymg_device_info device = {.name = ""};
  const bool gpu = all->result[0].levels[0].backend == HYMG_BACKEND_CUDA &&
                   hymg_device_get(all->context, -1, &device) == HYMG_OK;
  json_t *runs = json_array();
  for (int n = 0; n < all->count; n++)
    json_array_append_new(runs, run(&all->result[n]));
  json_t *object = json_head("hymg-robust/1", &machine, &build,
                             json_machine(&machine, &build, gpu ? device.name : NULL));
  json_t *body = json_pack(
      "{s:s,s:i,s:i,s:o,s:o}", "comm", start_name(), "ranks", hymg_context_ranks(all->context),
      "threads", hymg_context_threads(all->context), "levels", levels(all->result), "runs", runs);
  return json_print(json_merge(object, body), 2, file);
}
