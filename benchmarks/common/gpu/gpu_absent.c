/* Without CUDA there is no GPU. */
#include "common/gpu/gpu.h"

void gpu_versions(int *driver, int *runtime)
{
  *driver = *runtime = 0;
}

void gpu_bus(int ordinal, char text[32])
{
  (void)ordinal;
  *text = '\0';
}

gpu_copy *gpu_copy_create(int ordinal, size_t bytes)
{
  (void)ordinal;
  (void)bytes;
  return NULL;
}

bool gpu_copy_run(gpu_copy *copy, int times)
{
  (void)copy;
  (void)times;
  return false;
}

void gpu_copy_destroy(gpu_copy **copy)
{
  *copy = NULL;
}
