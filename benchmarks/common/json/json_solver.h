/* The parts of a result that every solving program writes alike: head, machine, options, levels, cycles. */
#ifndef JSON_SOLVER_H
#define JSON_SOLVER_H

#include "common/json/json_values.h"
#include "common/kit/machine.h"
#include "common/kit/words.h"
#include "hymg.h"

static inline json_t *json_integers(const int x[3])
{
  return json_pack("[i,i,i]", x[0], x[1], x[2]);
}

static inline json_t *json_reals(const double x[3])
{
  return json_pack("[o,o,o]", json_number(x[0]), json_number(x[1]), json_number(x[2]));
}

/* gpu NULL: none is used. */
static inline json_t *json_machine(const fv_machine *m, const hymg_build *build, const char *gpu)
{
  json_t *gpus = gpu ? json_pack("[s]", gpu) : json_array();
  return json_pack("{s:s,s:s,s:i,s:o,s:o,s:o,s:o,s:o,s:o}", "host", m->host, "cpu", m->cpu, "cores",
                   m->cores, "gpus", gpus, "mpi", json_text(build->mpi), "cuda",
                   json_text(build->cuda), "nccl", json_text(build->nccl), "compiler",
                   json_text(build->compiler), "flags", json_text(build->flags));
}

static inline json_t *json_head(const char *schema, const fv_machine *m, const hymg_build *build,
                                json_t *machine)
{
  return json_pack("{s:s,s:s,s:o,s:s,s:o}", "schema", schema, "version", build->version, "commit",
                   json_text(build->commit), "date", m->date, "machine", machine);
}

static inline json_t *json_name(const char *type, int value)
{
  return json_string(hymg_enum_name(type, value));
}

/* sweeps: of the finest level. */
static inline json_t *json_solver(const hymg_options *s, int sweeps)
{
  const bool iterated = s->method != HYMG_FMG;
  json_t *o = json_pack(
      "{s:o,s:i,s:o,s:o,s:o}", "smoother", json_name("hymg_smoother", (int)s->smoother), "sweeps",
      sweeps, "solver", json_name("hymg_method", (int)s->method), "precision",
      json_name("hymg_precision", (int)s->precision), "path", json_name("hymg_path", (int)s->path));
  json_object_set_new(o, "rtol", iterated ? json_number(s->rtol) : json_null());
  json_object_set_new(o, "max_cycles", iterated ? json_integer(s->max_cycles) : json_null());
  return o;
}

static inline json_t *json_level(const hymg_level_info *l)
{
  return json_pack("{s:o,s:o,s:I,s:i,s:s,s:o}", "cells", json_integers(l->cells), "box",
                   json_integers(l->box), "boxes", (json_int_t)l->boxes, "ranks", l->ranks,
                   "backend", hymg_enum_name("hymg_backend", (int)l->backend), "lambda_max",
                   json_number(l->lambda_max));
}

static inline json_t *json_cycles(const hymg_cycle_record *cycles, int count)
{
  json_t *list = json_array();
  for (int n = 0; n < count; n++)
    json_array_append_new(list,
                          json_pack("{s:s,s:o,s:o}", "kind",
                                    hymg_enum_name("hymg_cycle_kind", (int)cycles[n].kind),
                                    "residual_max", json_number(cycles[n].residual_max),
                                    "residual_relative", json_number(cycles[n].residual_relative)));
  return list;
}

#endif
