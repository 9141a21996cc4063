/* z wavefronts of a whole smoother call. */
#include "host.h"

bool hymgi_host_wave_smooth(hymgi_level *level)
{
  (void)level;
  return false;
}
