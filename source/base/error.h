/* Error reporting inside the library: whoever detects a failure writes the text once with
 * hymgi_fail, and callers pass the status on with TRY. */
#ifndef HYMGI_BASE_ERROR_H
#define HYMGI_BASE_ERROR_H

#include "hymg.h"

/* Stores the formatted text in the context (which may be NULL) and returns status. */
hymg_status hymgi_fail(hymg_context *context, hymg_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of a call that is not collective: the next collective call fails on every rank. */
hymg_status hymgi_fail_everywhere(hymg_context *context, hymg_status status, const char *format,
                                  ...) __attribute__((format(printf, 3, 4)));

/* names.c: is there such a value? A value as texts call it ("V", "Dirichlet", "x faces"), "unknown" if there is none; the
 * values up to `high`, "0 (gsrb) to 4 (symgs)", or each of them. */
typedef struct hymgi_text {
  char text[160];
} hymgi_text;
bool hymgi_enum_has(const char *type, int value);
const char *hymgi_enum_word(const char *type, int value);
hymgi_text hymgi_enum_range(const char *type, double high, bool each);

#define TRY(call)                                                                                  \
  do {                                                                                             \
    const hymg_status try_status_ = (call);                                                        \
    if (try_status_ != HYMG_OK) return try_status_;                                                \
  } while (0)

#endif
