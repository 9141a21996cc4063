/* Kinds of memory for vectors: who can access it, and how it is allocated and released. */
#ifndef HYMGI_BASE_MEMORY_H
#define HYMGI_BASE_MEMORY_H

#include "base/error.h"

typedef struct hymgi_memory {
  const char *name;
  bool on_host, on_device; /* who can access it */
  bool zeroed;             /* alloc returns zeroes, which it has not touched where that can be */
  /* The contents are undefined unless zeroed. Errors: ENOMEM, with the requested size and what is
   * free; ECUDA. */
  hymg_status (*alloc)(hymg_context *context, size_t doubles, double **data);
  void (*release)(hymg_context *context, double *data, size_t doubles);
  /* Bytes that alloc could still provide; NULL if unknown: then the operating system decides. */
  hymg_status (*available)(hymg_context *context, size_t *bytes);
} hymgi_memory;

#endif
