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

#define TRY(call)                                                                                  \
  do {                                                                                             \
    const hymg_status try_status_ = (call);                                                        \
    if (try_status_ != HYMG_OK) return try_status_;                                                \
  } while (0)

#endif
