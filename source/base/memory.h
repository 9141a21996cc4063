/* Where vectors live: who can reach the memory, and how it comes and goes. */
#ifndef HYMGI_BASE_MEMORY_H
#define HYMGI_BASE_MEMORY_H

#include "base/error.h"

typedef struct hymgi_memory {
  const char *name;
  bool on_host, on_device; /* who can read and write it */
  /* Contents are undefined. Errors: ENOMEM, naming the need and what is free; ECUDA. */
  hymg_status (*alloc)(hymg_context *context, size_t doubles, double **data);
  void (*release)(hymg_context *context, double *data, size_t doubles);
  /* Bytes that alloc could still give; NULL: not asked, the system is. */
  hymg_status (*available)(hymg_context *context, size_t *bytes);
} hymgi_memory;

#endif
