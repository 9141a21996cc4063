/* A smoother call as z wavefronts: what wave_smooth.c and wave_robust.c set up and wavefront.c runs. */
#ifndef HYMGI_CPU_WAVEFRONT_H
#define HYMGI_CPU_WAVEFRONT_H

#include <stdatomic.h>

#include "cpu/cpu.h"

/* MAX_STAGES: sweeps of a wavefront */
enum { MAX_STAGES = 12, EXTRAPOLATION_REACH = 4 };

/* There are many barriers, so this one spins, and yields if a thread of the team is not running
 * (the behaviour of the OpenMP barrier depends on the environment). */
typedef struct barrier {
  atomic_int arrived, phase;
} barrier;

typedef struct stage {
  host_pass pass;
  hymgi_geom g;            /* layout of the iterate after this stage: both colours from one base */
  hymgi_real *out, *after; /* output; base of the iterate after this stage */
  int colour;              /* gsrb; 0 with plain rows */
} stage;

typedef struct wave {
  hymgi_level *level;
  const hymgi_geom *g;
  int stages, lag, lean, tile_rows;
  int before, total; /* further stages before the sweeps, and all stages */
  bool fv4, gsrb;
  bool robust;               /* the stages before and after are those of the robust path: */
  const hymgi_real *source;  /* interpolated before the sweeps; NULL: x is set to 0 */
  hymgi_after after;         /* the state of x when the residual is restricted */
  int ring;                  /* the residual is in so many planes of y in turn; 0: in all of y */
  hymgi_real *coarse;        /* or NULL */
  hymgi_interpolation start; /* standard path: the stage before the sweeps, if it has a source */
  hymgi_real *x;             /* what it writes */
  bool norm;                 /* standard path: the last stage is max |f - A x|: */
  double max;
  /* self: axes (bits) along which the box is its own neighbour, and ghosts are copied (along z in place
   * alone); cut: faces (bits) with other neighbours, next to which stage s leaves host_depth layers out, or
   * so many that no coarse row is divided */
  unsigned self, cut;
  hymgi_requests *requests; /* messages in flight, or NULL */
  barrier *barrier;
  stage stage[MAX_STAGES];
} wave;

/* The last tile has between half and one and a half times the rows of the others. */
static inline int hymgi_tiles_of(int ny, int height)
{
  return (ny + height / 2) / height;
}

/* The stages of sweeps first, first + 1 ... now and next: the two buffers of each colour, carried
 * from one wavefront of gsrb to the next. */
void hymgi_cpu_wave_stages(wave *w, int first, hymgi_real *now[2], hymgi_real *next[2]);
void hymgi_cpu_wave_run(wave *w);
/* wave.self and wave.cut */
void hymgi_cpu_wave_neighbours(const hymgi_level *level, unsigned *self, unsigned *cut);
/* Layers beside both faces of an axis that depend on neighbours after sweep s. */
static inline int hymgi_cpu_cut_layers(const hymgi_geom *g, unsigned cut, int axis, int s)
{
  const int faces = (int)(cut >> (2 * axis) & 1) + (int)(cut >> (2 * axis + 1) & 1);
  return faces * host_depth(g, 2 * axis, s);
}
static inline bool hymgi_cpu_wave_cut(const hymgi_level *level)
{
  unsigned self, cut;
  hymgi_cpu_wave_neighbours(level, &self, &cut);
  return cut != 0;
}
/* Layers that a stage leaves out beside a face: sweep s, or s = stages, stages + 1 after the sweeps; s < 0:
 * before them. */
int hymgi_cpu_left_out(const wave *w, int face, int s);
/* wave_run beside other boxes: `start`, the iterate before the sweeps, is sent before, and what depends on
 * the neighbours is done afterwards, while they wait. wave.source must be interpolated already to the layers
 * that the first stage leaves out. */
void hymgi_cpu_wave_run_cut(wave *w, host_iterate start);

#endif
