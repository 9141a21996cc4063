/* Shared by the files of the interpolation. */
#ifndef HYMGI_KERNELS_TRANSFER_INTERPOLATE_H
#define HYMGI_KERNELS_TRANSFER_INTERPOLATE_H

#include "runtime/device.h"

/* Of order V2, to the black cells of split rows with keeps_colours_apart; without boundary data. */
void hymgi_cuda_interpolate_black(const hymgi_level *fine, const hymgi_level *coarse,
                                  const double *source, bool add, double *x);

#endif
