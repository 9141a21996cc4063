/* Linked where the CUDA backend is not built: says so. */
#include "backend.h"

const hymgi_backend *hymgi_cuda_backend(const char **reason)
{
  *reason = "this library was built without CUDA";
  return NULL;
}
