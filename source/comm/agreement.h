/* What the ranks of a context agree on: the outcome of a step, and the arguments of a collective
 * call. */
#ifndef HYMGI_COMM_AGREEMENT_H
#define HYMGI_COMM_AGREEMENT_H

#include "comm/comm.h"

/* An argument that must be the same on every rank; name and text are static strings, and a name with
 * "[]" is that of an array, of which this is one entry. */
typedef enum hymgi_argument_kind {
  HYMGI_WHOLE,
  HYMGI_REAL,
  HYMGI_TEXT,
  HYMGI_BYTES
} hymgi_argument_kind;
typedef struct hymgi_argument {
  const char *name;
  int entry;
  hymgi_argument_kind kind;
  union {
    int64_t whole;
    double real;
    const char *text;
  } value;
  uint64_t bits; /* what is compared: the value, or a hash of it */
} hymgi_argument;

/* The arguments of a call, in an order that is the same on every rank. */
enum { HYMGI_MOST_ARGUMENTS = 96 };
typedef struct hymgi_arguments {
  int count, entry; /* entry: of the next ones */
  hymgi_argument list[HYMGI_MOST_ARGUMENTS];
} hymgi_arguments;

/* begin: no arguments but the name of the call. bytes: `size` bytes, NULL is different from any. */
void hymgi_arguments_begin(hymgi_arguments *a, const char *call);
void hymgi_arguments_whole(hymgi_arguments *a, const char *name, int64_t value);
void hymgi_arguments_real(hymgi_arguments *a, const char *name, double value);
void hymgi_arguments_text(hymgi_arguments *a, const char *name, const char *value);
void hymgi_arguments_bytes(hymgi_arguments *a, const char *name, const void *bytes, size_t size);

/* Collective: the worst status of all ranks. A rank that succeeded while another failed gets a
 * text that names that rank. */
hymg_status hymgi_agree(hymg_context *context, hymg_status status);

/* The same, and EINVAL on every rank if the arguments differ between ranks, or the calls: the text
 * names the first such argument and two ranks. Costs no message more. Arguments are only looked at
 * if no rank has failed. */
hymg_status hymgi_agree_on(hymg_context *context, hymg_status status, const hymgi_arguments *a);

#endif
