/* Kernels of red-black Gauss-Seidel on rows split by colour. */
#ifndef HYMGI_KERNELS_GSRB_H
#define HYMGI_KERNELS_GSRB_H

#include "kernels/fv2/relax_march.h"
#include "runtime/device.h"

/* One half sweep: own and other hold the two colours, out gets the new values of `colour`. */
struct hymgi_gsrb_half {
  int colour;
  const double *own, *other;
  double *out;
  bool f_is_old;          /* a half sweep of this level was queued since f was written */
  bool from_zero = false; /* own and other are 0; FV4 marched, one box */
  /* FV4 in tiles: results that neighbours see go into the messages of this plan, which is in_sweeps */
  const hymgi_plan *sends = NULL;
};

extern "C" {
/* False where no kernel of theirs is for this level: any other form gives the same. FV2: in place
 * (own, other and out are one vector). */
bool hymgi_cuda_fv2_gsrb(const hymgi_level *level, const hymgi_gsrb_half *half);
bool hymgi_cuda_fv4_gsrb(const hymgi_level *level, const hymgi_gsrb_half *half);
/* The form for small levels, which needs no ghosts beyond boundaries in memory. */
bool hymgi_cuda_fv4_tile(const hymgi_level *level, const hymgi_gsrb_half *half);
/* FV2, both colours in one pass from x to out, on levels where pairs says so. */
bool hymgi_cuda_fv2_could_fuse(const hymgi_level *level); /* given a second buffer */
bool hymgi_cuda_fv2_fuses(const hymgi_level *level);
/* After a pair and the exchange of x: what it left wrong beside ghosts. */
void hymgi_cuda_fv2_gsrb_faces(const hymgi_level *level, double *x);
void hymgi_cuda_fv2_gsrb_fused(const hymgi_level *level, bool falling, const double *x,
                               double *out);
/* Residual (r NULL: its norm, as the reduction's result) of split rows, ghosts in memory. False where
 * no kernel is for this level. */
bool hymgi_cuda_fv4_residual(const hymgi_level *level, const double *f, const double *x, double *r);
bool hymgi_cuda_fv2_residual(const hymgi_level *level, const double *f, const double *x, double *r);
/* The mean of x's residual into the coarse patches, zeros into those of `zero` if it is not NULL;
 * as before. */
bool hymgi_cuda_fv4_restrict(const hymgi_level *level, const double *f, const double *x,
                             double *coarse, double *zero);
/* The same of the level's f and x on rows of either layout, for small levels; it needs no ghosts beyond
 * boundaries in memory. Is it for this level? */
bool hymgi_cuda_fv4_restrict_tile(const hymgi_level *level, double *coarse, double *zero);
bool hymgi_cuda_fv4_restrict_closes(const hymgi_level *level);
/* As hymgi_cuda_plain_relax, on split rows. */
bool hymgi_cuda_fv4_relax(const hymgi_level *level, const hymgi_relaxation *relaxation);
/* The same on plain rows, for small levels; it needs no ghosts beyond boundaries in memory. Is it for this
 * level? */
bool hymgi_cuda_fv4_relax_tile(const hymgi_level *level, const hymgi_relaxation *relaxation);
bool hymgi_cuda_fv4_relax_closes(const hymgi_level *level);
/* Residual, restriction and relaxation with planes that come by TMA; false where the device
 * has none, and where the others are as good. */
bool hymgi_cuda_fv4_residual_tma(const hymgi_level *level, const double *f, const double *x,
                                 double *r);
bool hymgi_cuda_fv4_restrict_tma(const hymgi_level *level, const double *f, const double *x,
                                 double *coarse, double *zero);
bool hymgi_cuda_fv4_relax_tma(const hymgi_level *level, const hymgi_relaxation *relaxation);
/* Is the level for the marched kernels of FV4? */
bool hymgi_cuda_fv4_marches(const hymgi_level *level);
/* Does the half sweep of this level see beyond boundaries by itself, or must ghosts be in memory? */
bool hymgi_cuda_fv4_closes(const hymgi_level *level);
/* Has it a first half sweep on 0 that reads no ghosts? */
bool hymgi_cuda_fv4_starts_alone(const hymgi_level *level);
/* Do the marched kernels of this level work out ghosts across x as they go? */
bool hymgi_cuda_fv4_fills_along_x(const hymgi_level *level);
}

#endif
