/* Linked where the CUDA backend is not built: says so. */
#include "base/error.h"
#include "kernel_table.h"
#include "multigrid/backend.h"

static hymg_status refuse(hymg_context *context)
{
  return hymgi_fail(context, HYMG_EUNSUPPORTED, "this library was built without CUDA");
}

hymg_status hymgi_cuda_backend(hymg_context *context, bool managed, const hymgi_backend **backend)
{
  (void)managed;
  (void)backend;
  return refuse(context);
}

hymg_status hymgi_cuda_count(hymg_context *context, int *count)
{
  (void)count;
  return refuse(context);
}

hymg_status hymgi_cuda_device(hymg_context *context, int ordinal, hymg_device_info *info)
{
  (void)ordinal;
  (void)info;
  return refuse(context);
}

bool hymgi_kernel_form_from(hymg_context *context, const char *name, int64_t cells)
{
  (void)context;
  (void)name;
  (void)cells;
  return false;
}

uint64_t hymgi_kernel_variants(const struct hymgi_level *level)
{
  (void)level;
  return 0;
}

const char *hymgi_kernel_form_name(int form)
{
  (void)form;
  return NULL;
}

const char *hymgi_kernel_form_text(int form)
{
  (void)form;
  return NULL;
}
