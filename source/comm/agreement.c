/* The agreement of ranks: one reduction finds the worst status, the first rank that has it, and
 * whether the arguments are the same everywhere. What differs is looked for only after that. */
#include "comm/agreement.h"

#include <stdio.h>
#include <string.h>

#include "comm/context.h"

enum { RANK_BITS = 24 };

/* ---- arguments ---- */

static uint64_t hash_of(const void *bytes, size_t size)
{
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  for (const unsigned char *at = bytes, *end = at + size; at < end; at++)
    hash = (hash ^ *at) * 0x100000001b3u;
  return hash;
}

static hymgi_argument *add(hymgi_arguments *a, const char *name, hymgi_argument_kind kind)
{
  /* the tests of what ranks compare would miss arguments if there were no room */
  if (a->count == HYMGI_MOST_ARGUMENTS) a->count--;
  hymgi_argument *argument = a->list + a->count++;
  argument->name = name;
  argument->entry = a->entry;
  argument->kind = kind;
  return argument;
}

void hymgi_arguments_begin(hymgi_arguments *a, const char *call)
{
  a->count = a->entry = 0;
  hymgi_arguments_text(a, "the call", call);
}

void hymgi_arguments_whole(hymgi_arguments *a, const char *name, int64_t value)
{
  hymgi_argument *argument = add(a, name, HYMGI_WHOLE);
  argument->value.whole = value;
  argument->bits = (uint64_t)value;
}

/* -0 is 0. */
void hymgi_arguments_real(hymgi_arguments *a, const char *name, double value)
{
  hymgi_argument *argument = add(a, name, HYMGI_REAL);
  argument->value.real = value + 0.0;
  memcpy(&argument->bits, &argument->value.real, sizeof argument->bits);
}

void hymgi_arguments_text(hymgi_arguments *a, const char *name, const char *value)
{
  hymgi_argument *argument = add(a, name, HYMGI_TEXT);
  argument->value.text = value;
  argument->bits = hash_of(value, strlen(value));
}

void hymgi_arguments_bytes(hymgi_arguments *a, const char *name, const void *bytes, size_t size)
{
  hymgi_argument *argument = add(a, name, HYMGI_BYTES);
  argument->value.text = bytes ? "given" : "NULL";
  argument->bits = bytes ? hash_of(bytes, size) : 0;
}

static int64_t digest_of(const hymgi_arguments *a)
{
  uint64_t digest = (uint64_t)a->count;
  for (int m = 0; m < a->count; m++) {
    digest = (digest ^ a->list[m].bits) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 32;
  }
  return (int64_t)digest;
}

/* ---- what differs ---- */

/* An argument as a message shows it. */
typedef struct shown {
  int index;
  char name[64], value[64];
} shown;

static void show(const hymgi_arguments *a, int index, shown *s)
{
  const hymgi_argument *argument = a->list + index;
  const char *const entry = strstr(argument->name, "[]");
  s->index = index;
  snprintf(s->name, sizeof s->name, "%s", argument->name);
  if (entry)
    snprintf(s->name, sizeof s->name, "%.*s[%d%s", (int)(entry - argument->name), argument->name,
             argument->entry, entry + 1);
  if (argument->kind == HYMGI_WHOLE)
    snprintf(s->value, sizeof s->value, "%lld", (long long)argument->value.whole);
  else if (argument->kind == HYMGI_REAL)
    snprintf(s->value, sizeof s->value, "%.15g", argument->value.real);
  else
    snprintf(s->value, sizeof s->value, "%s", argument->value.text);
}

/* The first argument that is not as on rank 0; -1: none. */
static int first_difference(const hymgi_arguments *a, const uint64_t bits[HYMGI_MOST_ARGUMENTS])
{
  for (int m = 0; m < a->count; m++)
    if (a->list[m].bits != bits[m]) return m;
  return -1;
}

/* Collective, on ranks with different arguments: rank 0 shows its own to all, then the first rank
 * with another one says which it is. Lists of different lengths are of different calls, and so
 * differ in their first entries. */
static hymg_status name_difference(hymg_context *c, const hymgi_arguments *a)
{
  const int rank = hymgi_comm_rank(c->comm), size = hymgi_comm_size(c->comm);
  uint64_t bits[HYMGI_MOST_ARGUMENTS] = {0};
  for (int m = 0; m < a->count; m++)
    bits[m] = a->list[m].bits;
  TRY(hymgi_comm_bcast(c, c->comm, 0, bits, sizeof bits));
  const int index = first_difference(a, bits);
  int other = index < 0 ? 0 : size - rank;
  TRY(hymgi_comm_max_int(c, c->comm, &other, 1));
  if (other == 0) return hymgi_fail(c, HYMG_EINVAL, "arguments differ between ranks");
  other = size - other;
  shown its = {.index = 0}, first = {.index = 0};
  if (rank == other) show(a, index, &its);
  TRY(hymgi_comm_bcast(c, c->comm, other, &its, sizeof its));
  if (rank == 0) show(a, its.index, &first);
  TRY(hymgi_comm_bcast(c, c->comm, 0, &first, sizeof first));
  const char *const call = its.index ? a->list[0].value.text : "collective calls in another order";
  if (strcmp(first.value, its.value) == 0)
    return hymgi_fail(c, HYMG_EINVAL, "%s: %s differs between ranks 0 and %d", call, its.name,
                      other);
  return hymgi_fail(c, HYMG_EINVAL, "%s: %s is %s on rank 0 and %s on rank %d", call, its.name,
                    first.value, its.value, other);
}

/* ---- the agreement ---- */

/* A failure that no call has returned yet comes before this one's success. */
static hymg_status take_pending(hymg_context *context, hymg_status status)
{
  if (status == HYMG_OK && context->pending != HYMG_OK) {
    status = context->pending;
    memcpy(context->error, context->pending_error, sizeof context->error);
  }
  context->pending = HYMG_OK;
  return status;
}

/* Collective: the text of rank `root`, which failed. */
static hymg_status share_failure(hymg_context *context, hymg_status worst, int root, bool mine)
{
  char text[sizeof context->error];
  memcpy(text, context->error, sizeof text);
  if (hymgi_comm_bcast(context, context->comm, root, text, sizeof text) != HYMG_OK)
    return hymgi_fail(context, worst, "rank %d failed: %s", root, hymg_status_text(worst));
  return mine ? worst : hymgi_fail(context, worst, "rank %d failed: %.480s", root, text);
}

/* The first value holds the status in its upper bits and, below it, the rank counted from the end;
 * the maxima of a digest and of its complement say whether all are the same, the last one whether
 * messages between GPUs begin anew: a GPU has failed, or a rank reports what an earlier call did
 * not. */
hymg_status hymgi_agree_on(hymg_context *context, hymg_status status, const hymgi_arguments *a)
{
  if (!context || !context->comm) return status;
  const bool anew =
      context->pending != HYMG_OK || (status != HYMG_OK && context->status != HYMG_OK);
  status = take_pending(context, status);
  const int64_t last = (1 << RANK_BITS) - 1, rank = hymgi_comm_rank(context->comm);
  const int64_t digest = digest_of(a);
  int64_t most[4] = {(int64_t)status * (last + 1) + (rank < last ? last - rank : 0), digest,
                     ~digest, anew};
  TRY(hymgi_comm_max_int64(context, context->comm, most, 4));
  hymg_status worst = (hymg_status)(most[0] >> RANK_BITS);
  if (worst != HYMG_OK)
    worst = share_failure(context, worst, (int)(last - (most[0] & last)), status == worst);
  if (most[3] && context->recover) context->recover(context, worst);
  if (worst != HYMG_OK) return worst;
  return most[1] == ~most[2] ? HYMG_OK : name_difference(context, a);
}

hymg_status hymgi_agree(hymg_context *context, hymg_status status)
{
  static const hymgi_arguments none = {
      .count = 1,
      .list = {{.name = "the call", .kind = HYMGI_TEXT, .value.text = "a step of a call"}}};
  return hymgi_agree_on(context, status, &none);
}
