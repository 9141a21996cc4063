/* See energy.h. */
#define _GNU_SOURCE
#include "common/energy.h"

#include "common/kit/machine.h"
#include "common/kit/timing.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No part uses more for long: a counter that such a power may have wrapped more than once is not believed. */
static const double most_watts = 1000.0;

static energy_source source_of(energy_kind kind)
{
  return kind == ENERGY_GPU ? ENERGY_NVML : ENERGY_RAPL;
}

static double unit_of(energy_kind kind)
{
  return kind == ENERGY_GPU ? 1e-3 : 1e-6;
}

/* The first reason stays. */
__attribute__((format(printf, 3, 4))) static void lose(energy_meter *m, int n, const char *format,
                                                       ...)
{
  char *const why = m->why[source_of(m->part[n].kind)];
  va_list arguments;
  m->part[n].lost = true;
  if (*why) return;
  va_start(arguments, format);
  vsnprintf(why, ENERGY_WHY, format, arguments);
  va_end(arguments);
}

/* ---- RAPL ---- */

/* The first line of FOLDER/ZONE/NAME. */
static bool read_line(const char *folder, const char *zone, const char *name, char line[64])
{
  char path[ENERGY_PATH];
  return snprintf(path, sizeof path, "%s/%s/%s", folder, zone, name) < (int)sizeof path &&
         fv_find_line(path, "", line, 64);
}

static bool read_count(const char *path, uint64_t *count)
{
  char *end, text[64];
  if (!fv_find_line(path, "", text, sizeof text)) return false;
  errno = 0;
  *count = strtoull(text, &end, 10);
  if (end == text || *text == '-') errno = EINVAL;
  return errno == 0;
}

static int is_zone(const struct dirent *entry)
{
  return strncmp(entry->d_name, "intel-rapl:", 11) == 0;
}

/* Names such as "package-0" and "dram"; a memory gets its package's as well. Other zones are parts of these (core,
 * uncore) or contain them (psys). */
static bool describe(const char *folder, const char *zone, energy_part *part)
{
  char name[64], package[64] = "", above[64];
  if (!read_line(folder, zone, "name", name)) return false;
  *part = (energy_part){.idle_watts = NAN};
  part->kind = strncmp(name, "package", 7) == 0 ? ENERGY_PACKAGE : ENERGY_DRAM;
  if (part->kind == ENERGY_DRAM && strcmp(name, "dram") != 0) return false;
  snprintf(above, sizeof above, "%.60s", zone);
  char *const colon = strrchr(above, ':');
  if (part->kind == ENERGY_DRAM && colon > above + 10) {
    *colon = '\0';
    if (read_line(folder, above, "name", package)) strcat(package, " ");
  }
  snprintf(part->name, sizeof part->name, "%.30s%.16s", package, name);
  return true;
}

static void add_zone(energy_meter *m, const char *folder, const char *zone)
{
  char range[64];
  const int n = m->num_parts;
  if (n == ENERGY_PARTS || !describe(folder, zone, &m->part[n])) return;
  m->num_parts++;
  m->counter[n].range =
      read_line(folder, zone, "max_energy_range_uj", range) ? strtoull(range, NULL, 10) : 0;
  snprintf(m->counter[n].path, ENERGY_PATH, "%.160s/%.60s/energy_uj", folder, zone);
  if (!read_count(m->counter[n].path, &m->counter[n].last))
    lose(m, n, "%s: %s%s", m->counter[n].path, strerror(errno),
         errno == EACCES ? ": root alone may read it" : "");
}

void energy_find_rapl(energy_meter *m, const char *folder)
{
  struct dirent **zone = NULL;
  const int before = m->num_parts, zones = scandir(folder, &zone, is_zone, alphasort);
  const int why = errno;
  for (int z = 0; z < zones; z++) {
    add_zone(m, folder, zone[z]->d_name);
    free(zone[z]);
  }
  free(zone);
  if (m->num_parts > before) return;
  if (zones < 0)
    snprintf(m->why[ENERGY_RAPL], ENERGY_WHY, "%.200s: %s", folder, strerror(why));
  else
    snprintf(m->why[ENERGY_RAPL], ENERGY_WHY, "%.200s has no package of intel-rapl", folder);
}

/* ---- GPU ---- */

void energy_find_gpu(energy_meter *m, const char *bus)
{
  char why[NVML_WHY];
  const int n = m->num_parts;
  if (n == ENERGY_PARTS) return;
  m->part[m->num_parts++] = (energy_part){.kind = ENERGY_GPU, .idle_watts = NAN};
  snprintf(m->part[n].name, ENERGY_NAME, "GPU %.32s", bus);
  m->gpu = nvml_open(bus, why);
  const char *const text = m->gpu ? nvml_energy(m->gpu, &m->counter[n].last) : why;
  if (text) lose(m, n, "%s", text);
}

/* ---- reading ---- */

static bool read_now(energy_meter *m, int n, uint64_t *now)
{
  const bool gpu = m->part[n].kind == ENERGY_GPU;
  const char *const path = m->counter[n].path, *why = gpu ? nvml_energy(m->gpu, now) : NULL;
  if (why)
    lose(m, n, "%s", why);
  else if (!gpu && !read_count(path, now))
    lose(m, n, "%s: %s", path, strerror(errno));
  return !m->part[n].lost;
}

static void add_used(energy_meter *m, int n, uint64_t now, double seconds)
{
  energy_part *const p = &m->part[n];
  const uint64_t last = m->counter[n].last, range = m->counter[n].range;
  if (now < last && range < last) {
    lose(m, n, "the counter of %s went back", p->name);
  } else if (range > 0 && seconds * most_watts > unit_of(p->kind) * (double)range) {
    lose(m, n,
         "the counter of %s may have wrapped more than once in the %.0f s between two readings",
         p->name, seconds);
  } else {
    p->joules += unit_of(p->kind) * (double)(now < last ? range - last + now : now - last);
  }
}

static void read_all(energy_meter *m, bool anew)
{
  const double clock = fv_clock(), seconds = clock - m->read_at;
  uint64_t now = 0;
  for (int n = 0; n < m->num_parts; n++) {
    if (anew) m->part[n].joules = 0.0;
    if (m->part[n].lost || !read_now(m, n, &now)) continue;
    if (!anew) add_used(m, n, now, seconds);
    m->counter[n].last = now;
  }
  m->read_at = clock;
}

void energy_begin(energy_meter *m)
{
  read_all(m, true);
}

void energy_add(energy_meter *m)
{
  read_all(m, false);
}

void energy_end(energy_meter *m)
{
  for (int n = 0; n < m->num_parts; n++)
    if (!m->part[n].lost && m->part[n].joules == 0.0)
      lose(m, n, "the counter of %s did not advance", m->part[n].name);
}

void energy_set_idle(energy_meter *m, double seconds)
{
  for (int n = 0; n < m->num_parts; n++)
    m->part[n].idle_watts = m->part[n].joules > 0.0 ? m->part[n].joules / seconds : NAN;
}

void energy_close(energy_meter *m)
{
  nvml_close(&m->gpu);
  m->num_parts = 0;
}
