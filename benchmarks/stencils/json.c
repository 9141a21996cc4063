/* The rows as one JSON object, schema hymg-stencil/1; values that are not finite are null. */
#include "stencils/bench.h"

#include "common/json/json_values.h"
#include "common/kit/machine.h"
#include "hymg.h"

const char *json_missing(void)
{
  return NULL;
}

static json_t *one_row(const stencil_row *r)
{
  const char which[2] = {r->which, 0};
  json_t *what =
      json_pack("{s:s,s:s,s:s,s:i,s:[i,i,i],s:s,s:i,s:s,s:i}", "case", which, "backend",
                r->gpu ? "cuda" : "host", "kernel", r->kernel, "ranks", r->ranks, "size", r->n[0],
                r->n[1], r->n[2], "precision", r->wide ? "double" : "float", "order", r->order,
                "form", r->wave ? "wave" : "stencil", "slab", r->slab);
  json_t *found = json_pack(
      "{s:o,s:o,s:o,s:o,s:o,s:i,s:I,s:o,s:o,s:o}", "ms", json_number(r->ms), "gpoints_per_s",
      json_number(r->gpoints), "gbytes_per_s", json_number(r->gbytes), "percent",
      json_number(r->percent), "redundancy", json_number(r->redundancy), "registers", r->registers,
      "wrong", (json_int_t)r->wrong, "largest_error", json_number(r->largest), "mean_error",
      json_number(r->mean), "published", json_text(r->published));
  return json_merge(what, found);
}

static json_t *command(const stencil_options *o)
{
  json_t *words = json_array();
  for (int i = 1; i < o->argc; i++)
    if (json_array_append_new(words, json_string(o->argv[i])) != 0) break;
  return words;
}

bool json_write(const void *results, FILE *file)
{
  const stencil_output *const out = results;
  const fv_machine m = fv_machine_info();
  const hymg_build build = hymg_build_info();
  json_t *rows = json_array();
  bool ok = rows;
  for (int i = 0; i < out->count && ok; i++)
    ok = json_array_append_new(rows, one_row(&out->rows[i])) == 0;
  json_t *object = json_pack("{s:s,s:s,s:s,s:o,s:s,s:s,s:s,s:o,s:o}", "schema", "hymg-stencil/1",
                             "date", m.date, "cpu", m.cpu, "gpu", json_text(out->gpu), "commit",
                             build.commit, "compiler", build.compiler, "flags", build.flags,
                             "command", command(out->options), "rows", rows);
  return json_print(object, 1, file) && ok;
}
