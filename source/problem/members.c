/* Members of public structs by their rows: defaults, ranges, and what ranks compare. Files are not
 * compared, since rank 0 alone reads them, nor what callbacks get and do. */
#include <stdio.h>
#include <string.h>

#include "problem/problem.h"

static size_t offset_of(const hymgi_member *m, int e)
{
  const size_t size = m->kind <= HYMGI_INT    ? sizeof(int)
                      : m->kind < HYMGI_BOOL  ? sizeof(double)
                      : m->kind == HYMGI_BOOL ? sizeof(bool)
                                              : sizeof(void *);
  return m->at + (size_t)e * size;
}

static double number_of(const hymgi_member *m, int e, const void *of)
{
  const void *const at = (const char *)of + offset_of(m, e);
  return m->kind == HYMGI_DOUBLE  ? *(const double *)at
         : m->kind == HYMGI_INT64 ? (double)*(const int64_t *)at
                                  : *(const int *)at;
}

static const void *pointer_at(const void *at)
{
  const void *pointer;
  memcpy(&pointer, at, sizeof pointer);
  return pointer;
}

/* Is a number not used, since a field or an array is there? */
static bool is_replaced(const hymgi_member *m, int e, const void *of)
{
  return m->other && m->kind < HYMGI_POINTER &&
         pointer_at((const char *)of + m->other + (size_t)e * sizeof(void *));
}

void hymgi_member_set(const hymgi_member *m, int e, void *of, double value)
{
  void *const at = (char *)of + offset_of(m, e);
  if (m->kind == HYMGI_DOUBLE)
    *(double *)at = value;
  else if (m->kind == HYMGI_INT64)
    *(int64_t *)at = (int64_t)value;
  else if (m->kind == HYMGI_BOOL)
    *(bool *)at = value != 0;
  else if (m->kind < HYMGI_BOOL)
    *(int *)at = (int)value;
}

void hymgi_member_default(const hymgi_member *m, void *of)
{
  for (int e = 0; e < m->count && m->standard != 0; e++)
    hymgi_member_set(m, e, of, m->standard);
}

hymg_status hymgi_member_check(hymg_context *c, const hymgi_member *m, int e, const void *of)
{
  char where[16] = "";
  if (!m->label || is_replaced(m, e, of)) return HYMG_OK;
  const double value = number_of(m, e, of);
  const bool is_enum = m->kind <= HYMGI_EACH;
  if (is_enum && value <= m->high && hymgi_enum_has(m->type, (int)value)) return HYMG_OK;
  if (!is_enum && (value == m->standard || (value >= m->low && value <= m->high))) return HYMG_OK;
  if (m->count == 6)
    snprintf(where, sizeof where, " on face %s", hymgi_face_name(e));
  else if (m->count == 3)
    snprintf(where, sizeof where, " along %c", "xyz"[e]);
  return hymgi_fail(
      c, HYMG_EINVAL, m->kind == HYMGI_DOUBLE ? "%s %g%s: %s" : "%s %.0f%s: %s", m->label, value,
      where, is_enum ? hymgi_enum_range(m->type, m->high, m->kind == HYMGI_EACH).text : m->range);
}

hymg_status hymgi_members_check(hymg_context *c, const hymgi_member *m, int count, const void *of)
{
  for (const hymgi_member *const end = m + count; m < end; m++)
    for (int e = 0; e < m->count; e++)
      TRY(hymgi_member_check(c, m, e, of));
  return HYMG_OK;
}

void hymgi_member_argument(hymgi_arguments *a, const hymgi_member *m, const void *of)
{
  for (int e = 0; e < m->count; e++) {
    const void *const at = (const char *)of + offset_of(m, e);
    a->entry = e;
    if (m->kind >= HYMGI_INTS) {
      const size_t size = m->kind == HYMGI_INTS ? sizeof(int) : sizeof(double);
      const int count = ((const int *)((const char *)of + m->other))[e];
      hymgi_arguments_bytes(a, m->name, pointer_at(at), (size_t)count * size);
    } else if (m->kind == HYMGI_POINTER) {
      hymgi_arguments_text(a, m->name, pointer_at(at) ? "yes" : "no");
    } else if (m->kind == HYMGI_BOOL) {
      hymgi_arguments_text(a, m->name, *(const bool *)at ? "yes" : "no");
    } else if (m->kind <= HYMGI_EACH) {
      hymgi_arguments_text(a, m->name, hymg_enum_name(m->type, *(const int *)at));
    } else if (m->kind == HYMGI_DOUBLE) {
      hymgi_arguments_real(a, m->name, is_replaced(m, e, of) ? 0 : *(const double *)at);
    } else {
      hymgi_arguments_whole(a, m->name,
                            m->kind == HYMGI_INT64 ? *(const int64_t *)at : *(const int *)at);
    }
  }
}
