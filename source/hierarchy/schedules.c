/* Schedules that were measured are in the tuning file of rank 0, whose boxes the key names. All ranks take them; one
 * whose own level does not allow a schedule measures by itself. */
#include "hierarchy/schedules.h"

#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "hierarchy/placement.h"

hymgi_level *hymgi_scheduled_level(hymgi_hierarchy *h, int l)
{
  const int single = l - HYMGI_MAX_LEVELS;
  if (single >= 0) return single < h->singles.count ? h->singles.level + single : NULL;
  return l < h->num_levels ? h->level + l : NULL;
}

void hymgi_schedule_key(hymgi_hierarchy *h, int l, char key[HYMGI_KEY])
{
  const hymgi_level *level = hymgi_scheduled_level(h, l);
  const hymgi_method *m = level->method;
  const int *n = level->n, *own = level->box->n, threads = h->context->threads;
  char boundary[7] = "", cpu[HYMGI_CPU_NAME];
  for (int face = 0; face < 6; face++)
    boundary[face] = *hymg_enum_name("hymg_boundary", (int)hymgi_boundary_here(h, face));
  hymgi_cpu_name(cpu);
  snprintf(
      key, HYMGI_KEY,
      "%s | host %s, %d threads, %zu bytes of caches, %d ranks | %s %s %s %d sweeps | beta %s, "
      "alpha %s | %d x %d x %d of %d x %d x %d %s",
      HYMG_VERSION, cpu, threads,
      hymgi_near_cache(threads, hymgi_comm_local_size(h->context->comm)),
      hymgi_comm_size(h->context->comm), hymg_enum_name("hymg_stencil", (int)level->op->stencil),
      hymg_enum_name("hymg_smoother", (int)m->smoother), l < HYMGI_MAX_LEVELS ? "double" : "single",
      l == 0 ? m->sweeps : m->coarse_sweeps, m->variable_beta ? "field" : "constant",
      !m->has_alpha       ? "none"
      : m->variable_alpha ? "field"
                          : "constant",
      own[0], own[1], own[2], n[0], n[1], n[2], boundary);
}

static bool has_choice(const hymgi_level *level)
{
  return level && level->backend->take_schedule && level->num_boxes == 1;
}

static void look_up(hymgi_hierarchy *h, hymgi_schedules *known)
{
  const char *const file = h->options.tuning_file;
  char key[HYMGI_KEY];
  for (int l = 0; file && l < HYMGI_SCHEDULES; l++) {
    hymgi_schedule found;
    if (!has_choice(hymgi_scheduled_level(h, l))) continue;
    hymgi_schedule_key(h, l, key);
    if (!hymgi_schedule_find(file, key, &found, h->choice.note)) continue;
    known->stages[l] = found.stages, known->rows[l] = found.rows;
  }
}

hymg_status hymgi_schedules_find(hymgi_hierarchy *h, hymgi_schedules *known)
{
  hymg_context *c = h->context;
  memset(known, 0, sizeof *known);
  for (int l = 0; l < HYMGI_SCHEDULES; l++)
    known->stages[l] = -1;
  if (hymgi_comm_rank(c->comm) == 0) look_up(h, known);
  return hymgi_comm_bcast(c, c->comm, 0, known, sizeof *known);
}

void hymgi_schedule_choose(hymgi_hierarchy *h, hymgi_schedules *known, int l)
{
  hymgi_level *level = hymgi_scheduled_level(h, l);
  if (!level) return;
  const bool taken = has_choice(level) && known->stages[l] >= 0 &&
                     level->backend->take_schedule(level, known->stages[l], known->rows[l]);
  if (!taken) known->measured[l] = level->backend->tune(level, true);
}

static void write_down(hymgi_hierarchy *h, const hymgi_schedules *known)
{
  char key[HYMGI_KEY];
  for (int l = 0; h->options.tuning_file && l < HYMGI_SCHEDULES; l++) {
    if (!known->measured[l]) continue;
    const hymgi_tuning *t = &hymgi_scheduled_level(h, l)->tuning;
    const hymgi_schedule chosen = {t->wave_stages, t->wave_rows};
    hymgi_schedule_key(h, l, key);
    hymgi_schedule_keep(h->options.tuning_file, key, &chosen, h->choice.note);
  }
}

hymg_status hymgi_schedules_keep(hymgi_hierarchy *h, const hymgi_schedules *known)
{
  hymg_context *c = h->context;
  if (hymgi_comm_rank(c->comm) == 0) write_down(h, known);
  return hymgi_comm_bcast(c, c->comm, 0, h->choice.note, sizeof h->choice.note);
}
